// SPDX-License-Identifier: BSL-1.0
#include "flag_values.hpp"
#include "inputs.hpp"
#include "partition_inputs.hpp"

#include <halograph/core/error.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/text/columns.hpp>

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

namespace halograph::cli {

namespace {

/// Integer values of a node or edge feature, one per row. @errors mismatch: not a column of
/// integers
std::vector<std::int64_t> integer_column(const chunked_tensor& rows, const std::string& what) {
  if (!is_integer(rows.type()) ||
      !(rows.row_shape().empty() || element_count(rows.row_shape()) == 1)) {
    raise(error_kind::mismatch, what + " is " + std::string(name(rows.type())) +
                                    " with rows of shape " + to_string(rows.row_shape()) +
                                    "; it must be one integer per row");
  }
  std::vector<std::int64_t> out;
  out.reserve(static_cast<std::size_t>(rows.rows()));
  for (const auto& chunk : rows.chunks()) {
    for (std::uint64_t i = 0; i < chunk.rows(); ++i)
      out.push_back(chunk.integer(static_cast<std::size_t>(i)));
  }
  return out;
}

/// The classes that --balance-ntypes asks for. @errors usage-like errors of the flag's values, with
/// the flag named
node_classes balance_classes(std::span<const std::uint64_t> offsets, const graph_schema& schema,
                             std::span<const feature<>> features, const partition_flags& flags,
                             const any_file_opener& files) {
  const auto& types = schema.node_types();
  if (flags.balance_ntypes.empty())
    return types.size() > 1 ? classes_by_type<std::int64_t>(offsets, types) : node_classes{};
  if (flags.balance_ntypes.size() == 1 && flags.balance_ntypes[0] == "none") return {};
  std::vector<std::vector<std::int64_t>> columns(types.size());
  values_by_type<std::int64_t> values;
  for (const auto& asked : flags.balance_ntypes) {
    const auto colon = asked.rfind(':');
    const auto type_name = colon == std::string::npos ? std::string() : asked.substr(0, colon);
    const auto feature_name = colon == std::string::npos ? asked : asked.substr(colon + 1);
    const auto named = std::find_if(features.begin(), features.end(), [&](const feature<>& one) {
      return (colon == std::string::npos ? types.size() == 1 : types[one.type] == type_name) &&
             one.name == feature_name;
    });
    if (named != features.end()) {
      columns[named->type] = integer_column(named->rows, "--balance-ntypes " + asked);
      values[types[named->type]] = columns[named->type];
      continue;
    }
    if (is_folder(asked)) {
      for (std::size_t t = 0; t < types.size(); ++t) {
        const std::string file = asked + "/" + types[t] + ".txt";
        if (!is_file(file)) continue;
        columns[t] = read_column(files(file).bytes, file, {.what = "a class"});
        values[types[t]] = columns[t];
      }
      if (values.empty())
        raise(
            error_kind::not_found,
            "the folder of --balance-ntypes holds a file <node type>.txt for none of the node types",
            {.file = asked, .line = {}, .byte = {}});
      continue;
    }
    std::string known;
    for (const auto& one : features)
      known += (known.empty() ? "" : ", ") + types[one.type] + ":" + one.name;
    raise(
        error_kind::not_found,
        "--balance-ntypes " + asked +
            " is neither a node feature TYPE:FEATURE nor a folder of class files; features are: " +
            (known.empty() ? "none" : known));
  }
  if (types.size() == 1) return classes_by_value(std::span<const std::int64_t>(columns[0]));
  return classes_by_type(offsets, types, values);
}

}  // namespace

template <id ID>
estimate_input counts_of_data(const dataset<ID, ID>& data, const partition_flags& flags) {
  estimate_input counts;
  counts.nodes = data.num_nodes();
  counts.edges = data.num_edges();
  counts.node_types = data.schema.num_node_types();
  counts.edge_types = data.schema.num_edge_types();
  for (const auto* all : {&data.features.nodes, &data.features.edges}) {
    for (const auto& one : *all) counts.feature_bytes += one.rows.rows() * one.rows.row_bytes();
  }
  // Features in arrays stay in their files; those in text are read.
  const auto known = quick_counts(flags.input);
  counts.resident_input_bytes = known                       ? known->resident_input_bytes
                                : is_dgl_graph(flags.input) ? 0
                                                            : counts.feature_bytes;
  counts.resident_input_bytes += 8 * counts.nodes *
                                 (data.node_weights.size() + (data.node_sizes.empty() ? 0 : 1));
  return counts;
}

template <id ID>
balance_set make_balance(const dataset<ID, ID>& data, const partition_flags& flags,
                         const any_file_opener& files) {
  balance_set set;
  if (!data.node_weights.empty() && flags.balance_ntypes.empty() && !flags.balance_edges) {
    for (std::size_t i = 0; i < data.node_weights.size(); ++i) {
      set.add(data.node_weights.size() == 1 ? "weight" : "weight:" + std::to_string(i),
              load_view(data.node_weights[i]));
    }
  } else {
    const auto graph = data.graph();
    set = balance_like_dgl(
        graph,
        balance_classes(graph.node_type_offsets(), data.schema, data.features.nodes, flags, files),
        flags.balance_edges);
  }
  for (const auto& asked : flags.tolerance) {
    const auto equals = asked.rfind('=');
    const double value = finite_number(std::string_view(asked).substr(
                                           equals == std::string::npos ? 0 : equals + 1))
                             .value();  // check_partition_flags() has looked
    if (equals == std::string::npos)
      set.set_tolerance(value);
    else
      set.set_tolerance(asked.substr(0, equals), value);
  }
  return set;
}

template <id ID>
std::vector<std::int64_t> edge_weights_of(const dataset<ID, ID>& data,
                                          const partition_flags& flags) {
  const std::string name = edge_weight_feature(flags);
  if (name.empty()) return {};
  std::vector<std::int64_t> weights(static_cast<std::size_t>(data.num_edges()), 1);
  bool found = false;
  for (const auto& one : data.features.edges) {
    if (one.name != name) continue;
    found = true;
    const auto column = integer_column(
        one.rows, "--edge-weights " + name + " of " + data.schema.edge_types()[one.type].str());
    std::copy(
        column.begin(), column.end(),
        weights.begin() + static_cast<std::ptrdiff_t>(data.graph().edge_type_offsets()[one.type]));
  }
  if (!found)
    raise(error_kind::not_found, "--edge-weights " + name + " names no edge feature of this graph");
  return weights;
}

template estimate_input counts_of_data<std::uint32_t>(const dataset<std::uint32_t, std::uint32_t>&,
                                                      const partition_flags&);
template balance_set make_balance<std::uint32_t>(const dataset<std::uint32_t, std::uint32_t>&,
                                                 const partition_flags&, const any_file_opener&);
template std::vector<std::int64_t> edge_weights_of<std::uint32_t>(
    const dataset<std::uint32_t, std::uint32_t>&, const partition_flags&);
template estimate_input counts_of_data<std::uint64_t>(const dataset<std::uint64_t, std::uint64_t>&,
                                                      const partition_flags&);
template balance_set make_balance<std::uint64_t>(const dataset<std::uint64_t, std::uint64_t>&,
                                                 const partition_flags&, const any_file_opener&);
template std::vector<std::int64_t> edge_weights_of<std::uint64_t>(
    const dataset<std::uint64_t, std::uint64_t>&, const partition_flags&);

}  // namespace halograph::cli
