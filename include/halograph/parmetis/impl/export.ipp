// SPDX-License-Identifier: BSL-1.0
/// @file export.ipp
/// Bodies of the plain functions of parmetis/export.hpp.
/// Layer: parmetis. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/build.hpp>
#include <halograph/parmetis/export.hpp>
#include <halograph/parmetis/files.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/pipeline/partition_graph.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/element.hpp>
#include <halograph/serial/feature_store.hpp>
#include <halograph/serial/half.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/tensor.hpp>
#include <halograph/serial/text/writer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE std::vector<const constraint*> weight_columns(std::span<const constraint> wanted,
                                                               std::size_t nodes,
                                                               std::vector<std::string>& notes) {
  std::vector<const constraint*> out;
  for (const auto& one : wanted) {
    if (one.load.size() != nodes) {
      raise(error_kind::mismatch, "constraint " + graph_schema::quoted(one.name) + " has " +
                                      std::to_string(one.load.size()) + " loads for " +
                                      std::to_string(nodes) + " nodes; there must be one for each");
    }
    std::int64_t sum = 0;
    for (std::size_t v = 0; v < nodes; ++v) {
      if (one.load[v] < 0) {
        raise(error_kind::invalid_argument,
              "constraint " + graph_schema::quoted(one.name) + " gives node " + std::to_string(v) +
                  " the load " + std::to_string(one.load[v]) + "; loads must be at least 0");
      }
      if (one.load[v] > std::numeric_limits<std::int64_t>::max() - sum) {
        raise(error_kind::overflow,
              "the loads of constraint " + graph_schema::quoted(one.name) +
                  " sum to more than 2^63 - 1, which overflows in any ParMETIS");
      }
      sum += one.load[v];
    }
    if (sum == 0) {
      notes.push_back(
          "constraint " + graph_schema::quoted(one.name) +
          " is 0 for every node; ParMETIS cannot balance it, so it gets no weight column");
      continue;
    }
    if (sum > std::numeric_limits<std::int32_t>::max()) {
      notes.push_back(
          "the loads of constraint " + graph_schema::quoted(one.name) + " sum to " +
          std::to_string(sum) +
          ", which a ParMETIS built with 32-bit indices cannot add; use one built with 64-bit ones");
    }
    out.push_back(&one);
  }
  return out;
}

inline void put_element(text_writer& out, dtype type, const std::byte* from) {
  switch (type) {
    case dtype::int8:
      out.number(load_as<std::int8_t>(from));
      break;
    case dtype::int16:
      out.number(load_as<std::int16_t>(from));
      break;
    case dtype::int32:
      out.number(load_as<std::int32_t>(from));
      break;
    case dtype::int64:
      out.number(load_as<std::int64_t>(from));
      break;
    case dtype::uint8:
    case dtype::boolean:
      out.number(load_as<std::uint8_t>(from));
      break;
    case dtype::uint16:
      out.number(load_as<std::uint16_t>(from));
      break;
    case dtype::uint32:
      out.number(load_as<std::uint32_t>(from));
      break;
    case dtype::uint64:
      out.number(load_as<std::uint64_t>(from));
      break;
    case dtype::float16:
      out.number(float_from_half(load_as<std::uint16_t>(from)));
      break;
    case dtype::bfloat16:
      out.number(float_from_bfloat16(load_as<std::uint16_t>(from)));
      break;
    case dtype::float32:
      out.number(load_as<float>(from));
      break;
    case dtype::float64:
      out.number(load_as<double>(from));
      break;
  }
}

HALOGRAPH_INLINE attribute_writer::attribute_writer(
    const std::vector<feature<feature_store_ref>>& features, std::size_t types, bool wanted)
    : of_(types) {
  if (!wanted) return;
  for (const auto& one : features) of_[one.type].push_back(&one);
}

HALOGRAPH_INLINE std::vector<parmetis_attribute> attribute_writer::describe() const {
  std::vector<parmetis_attribute> out;
  for (const auto& list : of_) {
    for (const auto* one : list) {
      const auto shape = one->rows.row_shape();
      out.push_back(
          {one->type, one->name, one->rows.type(), tensor_shape(shape.begin(), shape.end())});
    }
  }
  return out;
}

HALOGRAPH_INLINE bool attribute_writer::even(std::span<const std::uint64_t> counts) const {
  std::optional<std::uint64_t> all;
  for (std::size_t t = 0; t < of_.size(); ++t) {
    if (counts[t] == 0) continue;
    std::uint64_t columns = 0;
    for (const auto* one : of_[t]) columns += element_count(one->rows.row_shape());
    if (all && *all != columns) return false;
    all = columns;
  }
  return true;
}

HALOGRAPH_INLINE void attribute_writer::write_features(text_writer& out, std::size_t type,
                                                       std::uint64_t row) {
  for (const auto* one : of_[type]) {
    const auto columns = static_cast<std::size_t>(element_count(one->rows.row_shape()));
    const std::size_t width = item_bytes(one->rows.type());
    row_.resize(columns * width);
    if (const status answer = one->rows.gather(std::span<const std::uint64_t>(&row, 1),
                                               std::span(row_));
        !answer) {
      raise(answer.code, "row " + std::to_string(row) + " of feature " +
                             graph_schema::quoted(one->name) + " cannot be read");
    }
    for (std::size_t i = 0; i < columns; ++i) {
      out.put(' ');
      put_element(out, one->rows.type(), row_.data() + i * width);
    }
  }
}

HALOGRAPH_INLINE parmetis_exporter::parmetis_exporter(
    std::vector<std::uint64_t> node_begin, std::vector<std::uint64_t> edge_begin,
    const graph_schema& schema, const feature_set_ref& features,
    function_ref<text_writer(const std::string&)> open, const parmetis_export_options& options)
    : node_begin_(std::move(node_begin)),
      edge_begin_(std::move(edge_begin)),
      open_(open),
      options_(options),
      node_columns_({}, 0, false),
      total_(node_begin_.back() + edge_begin_.back()),
      edge_columns({}, 0, false),
      names{options.graph_name} {
  if (auto warning = check_graph_name(options_.graph_name); !warning.empty())
    made.notes.push_back(std::move(warning));
  const std::size_t nodes = static_cast<std::size_t>(node_begin_.back());
  const std::size_t types = node_begin_.size() - 1, relations = edge_begin_.size() - 1;
  if (types != schema.num_node_types() || relations != schema.num_edge_types()) {
    raise(error_kind::mismatch, "the schema names " + std::to_string(schema.num_node_types()) +
                                    " node types and " + std::to_string(schema.num_edge_types()) +
                                    " edge types; the graph has " + std::to_string(types) +
                                    " and " + std::to_string(relations) + "; they must agree");
  }
  const auto counts_of = [](const std::vector<std::uint64_t>& begin) {
    std::vector<std::uint64_t> counts;
    for (std::size_t t = 0; t + 1 < begin.size(); ++t) counts.push_back(begin[t + 1] - begin[t]);
    return counts;
  };
  const auto node_counts = counts_of(node_begin_), edge_counts = counts_of(edge_begin_);
  const auto check_rows = [&](const auto& all, const auto& counts) {
    for (const auto& one : all) {
      if (one.type < counts.size() && one.rows.rows() == counts[one.type]) continue;
      raise(error_kind::mismatch, "feature " + graph_schema::quoted(one.name) + " has " +
                                      std::to_string(one.rows.rows()) +
                                      " rows; there must be one for each node or edge of its type");
    }
  };
  check_rows(features.nodes, node_counts);
  check_rows(features.edges, edge_counts);

  // The schema. A relation that occurs with several types is written in full, because the script
  // knows names only.
  for (std::size_t t = 0; t < types; ++t) {
    made.schema.node_types.push_back(schema.node_types()[t]);
    made.schema.node_ranges.push_back({node_begin_[t], node_begin_[t + 1]});
  }
  for (std::size_t r = 0; r < relations; ++r) {
    const auto& type = schema.edge_types()[r];
    const auto same = std::count_if(schema.edge_types().begin(), schema.edge_types().end(),
                                    [&](const auto& one) { return one.relation == type.relation; });
    made.schema.edge_names.push_back(same == 1 ? type.relation : type.str());
    made.schema.edge_types.push_back(type);
    made.schema.edge_ranges.push_back({edge_begin_[r], edge_begin_[r + 1]});
  }
  node_columns_ = attribute_writer(features.nodes, types, options_.node_attributes);
  edge_columns = attribute_writer(features.edges, relations, options_.edge_attributes);
  made.schema.node_attributes = node_columns_.describe();
  made.schema.edge_attributes = edge_columns.describe();
  if (!node_columns_.even(node_counts) || !edge_columns.even(edge_counts)) {
    made.notes.push_back(
        "types differ in their number of attribute columns; halograph convert handles that, DGL's script does not");
  }

  weights_ = weight_columns(options_.weights, nodes, made.notes);
  for (const auto* one : weights_) made.weights.push_back(one->name);
  // Without constraints: a column for each type that has nodes.
  column_of_type_.assign(types, 0);
  by_type_ = weights_.empty();
  if (by_type_) {
    for (std::size_t t = 0; t < types; ++t) {
      column_of_type_[t] = made.weights.size();
      if (node_counts[t] != 0) made.weights.push_back(class_of_type(schema.node_types()[t]));
    }
    if (made.weights.empty()) made.weights.emplace_back(all_nodes_class);
  }
}

HALOGRAPH_INLINE void parmetis_exporter::tell(std::uint64_t done) const {
  if (options_.on_progress) options_.on_progress({"export", done, total_, "rows"});
}

HALOGRAPH_INLINE void parmetis_exporter::write_nodes() {
  tell(0);
  auto file = open_(names.nodes());
  for (std::size_t t = 0; t + 1 < node_begin_.size(); ++t) {
    for (auto v = static_cast<std::size_t>(node_begin_[t]); v < node_begin_[t + 1];
         ++v, advance()) {
      file.number(t);
      if (by_type_) {
        for (std::size_t c = 0; c < made.weights.size(); ++c)
          file.put(' ').put(c == column_of_type_[t] ? '1' : '0');
      } else {
        for (const auto* one : weights_) file.put(' ').number(one->load[v]);
      }
      file.put(' ').number(v - node_begin_[t]);
      node_columns_.write(file, t, v - node_begin_[t]);
      file.put('\n');
    }
  }
  close(file);
}

HALOGRAPH_INLINE parmetis_export_result parmetis_exporter::finish() {
  const std::uint64_t nodes = node_begin_.back();
  made.stats = {nodes, edge_begin_.back() - made.loops - made.duplicates, made.weights.size()};
  {
    auto file = open_(names.stats());
    write_stats(file, made.stats);
    close(file);
  }
  {
    auto file = open_(names.schema());
    file.text(json::print(to_json(made.schema)));
    close(file);
  }
  tell(total_);

  constexpr auto narrow = static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max());
  if (nodes > narrow || 2 * made.stats.edges > narrow) {
    made.notes.push_back(
        "the graph has more nodes or adjacency entries than 2^31 - 1, which a ParMETIS built with 32-bit indices cannot number; use one built with 64-bit ones");
  }
  if (options_.edge_attributes && made.loops + made.duplicates != 0 &&
      !made.schema.edge_attributes.empty()) {
    made.notes.push_back(
        "removed edges keep their attributes for halograph convert; DGL's script does not accept removed edges together with edge attributes");
  }
  return std::move(made);
}

}  // namespace halograph::detail
