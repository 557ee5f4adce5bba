// SPDX-License-Identifier: BSL-1.0
/// @file export.hpp
/// Write a graph as the text files that ParMETIS reads (parmetis_files.hpp says what is in them).
/// Layer: parmetis. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/core/search.hpp>
#include <halograph/graph/build.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/graph/hetero.hpp>
#include <halograph/io/dataset.hpp>
#include <halograph/parmetis/files.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/feature_store.hpp>
#include <halograph/serial/half.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/text/writer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

/// What to write besides the graph.
struct parmetis_export_options {
  std::string graph_name = "graph";
  /// One weight column each, in this order. Empty: 1 at the node's type and 0 elsewhere, which
  /// balances every type.
  std::span<const constraint> weights{};
  bool node_attributes = false;  ///< node features as columns after the node's ID
  bool edge_attributes = false;  ///< edge features as columns after the edge's type
  progress_callback on_progress{};
};

/// What was written.
struct parmetis_export_result {
  parmetis_schema schema{};
  parmetis_stats stats{};
  std::vector<std::string> weights{};  ///< names of the weight columns
  std::uint64_t loops = 0;             ///< self-loops removed
  std::uint64_t duplicates = 0;      ///< removed edges whose source and target an earlier edge has
  std::uint64_t bytes = 0;           ///< of all files
  std::vector<std::string> notes{};  ///< notes for the user
};

namespace detail {

/// Writes rows of features as columns of text.
template <class Store>
class attribute_writer {
 public:
  attribute_writer(const std::vector<feature<Store>>& features, std::size_t types, bool wanted)
      : of_(types) {
    if (!wanted) return;
    for (const auto& one : features) of_[one.type].push_back(&one);
  }

  std::vector<parmetis_attribute> describe() const {
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
  /// Do all types with rows have the same number of columns? DGL's script assumes so.
  bool even(std::span<const std::uint64_t> counts) const {
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
  /// Write one row as " 0.5 1.25"; nothing if the type has no features.
  void write(text_writer& out, std::size_t type, std::uint64_t row) {
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
        element(out, one->rows.type(), row_.data() + i * width);
      }
    }
  }

 private:
  template <class T>
  static T load(const std::byte* from) noexcept {
    T value;
    std::memcpy(&value, from, sizeof(T));
    return value;
  }
  static void element(text_writer& out, dtype type, const std::byte* from) {
    switch (type) {
      case dtype::int8:
        out.number(load<std::int8_t>(from));
        break;
      case dtype::int16:
        out.number(load<std::int16_t>(from));
        break;
      case dtype::int32:
        out.number(load<std::int32_t>(from));
        break;
      case dtype::int64:
        out.number(load<std::int64_t>(from));
        break;
      case dtype::uint8:
      case dtype::boolean:
        out.number(load<std::uint8_t>(from));
        break;
      case dtype::uint16:
        out.number(load<std::uint16_t>(from));
        break;
      case dtype::uint32:
        out.number(load<std::uint32_t>(from));
        break;
      case dtype::uint64:
        out.number(load<std::uint64_t>(from));
        break;
      case dtype::float16:
        out.number(float_from_half(load<std::uint16_t>(from)));
        break;
      case dtype::bfloat16:
        out.number(float_from_bfloat16(load<std::uint16_t>(from)));
        break;
      case dtype::float32:
        out.number(load<float>(from));
        break;
      case dtype::float64:
        out.number(load<double>(from));
        break;
    }
  }

  std::vector<std::vector<const feature<Store>*>> of_;  // by type, in the input's order
  std::vector<std::byte> row_{};
};

/// The constraints that become weight columns, checked; those without any load are left out.
std::vector<const constraint*> weight_columns(std::span<const constraint> wanted, std::size_t nodes,
                                              std::vector<std::string>& notes);

/// [E] by edge ID: is it a self-loop, or does an earlier edge have its source and target?
template <id Node, id Edge, graph Graph>
std::vector<bool> excess_edges(const Graph& g, std::uint64_t& loops, std::uint64_t& duplicates) {
  const auto rows = build_csc<Node, Edge>(g);
  std::vector<bool> out(rows.sources.size());
  // The last target, plus one, whose row had this source.
  std::vector<std::size_t> seen(halograph::num_nodes(g), 0);
  for (std::size_t v = 0; v + 1 < rows.offsets.size(); ++v) {
    for (auto k = index(rows.offsets[v]); k < index(rows.offsets[v + 1]); ++k) {
      const std::size_t u = index(rows.sources[k]);
      const bool again = seen[u] == v + 1;
      seen[u] = v + 1;
      loops += u == v;
      duplicates += u != v && again;
      out[index(rows.edges[k])] = u == v || again;
    }
  }
  return out;
}

}  // namespace detail

/// Write the files of a graph. Self-loops, and edges whose source and target an earlier edge (by
/// ID, of any type) has, go to the file of removed edges, from which convert restores them; all
/// others are in the order in which the graph visits its edges.
///
/// @param g         any graph whose edge IDs are 0 to E - 1, with types where it is a typed_graph
/// @param schema    names of its types
/// @param features  rows by typed ID; written if requested
/// @param output    receives the files: staged_folder, or any type with add(name) and path(); not
///     committed here
/// @errors          mismatch: schema, weights or rows do not fit the graph; invalid_argument: a
///     negative load, an unsafe name; overflow: loads beyond 64 bits; io
/// @complexity      O(V x weights + E + elements of the features) time; memory: E x (sizeof(node) +
///     sizeof(edge)) bytes and 8 V, whatever the text; while rows are made, what build_csc takes
///     besides
/// @repeatable      yes
/// @source          formats: ParMETIS files, sections 1 and 7.2
template <graph Graph, feature_store Store, class Output>
parmetis_export_result export_parmetis(const Graph& g, const graph_schema& schema,
                                       const basic_feature_set<Store>& features, Output& output,
                                       const parmetis_export_options& options = {}) {
  using node = node_id_t<Graph>;
  using edge = edge_id_t<Graph>;
  parmetis_export_result out;
  if (auto warning = check_graph_name(options.graph_name); !warning.empty())
    out.notes.push_back(std::move(warning));
  const parmetis_names names{options.graph_name};
  const std::size_t nodes = halograph::num_nodes(g);
  std::vector<std::uint64_t> node_begin{0, nodes}, edge_begin{0, halograph::num_edges(g)};
  if constexpr (typed_graph<Graph>) {
    node_begin.assign(g.node_type_offsets().begin(), g.node_type_offsets().end());
    edge_begin.assign(g.edge_type_offsets().begin(), g.edge_type_offsets().end());
  }
  const std::size_t types = node_begin.size() - 1, relations = edge_begin.size() - 1;
  if (types != schema.num_node_types() || relations != schema.num_edge_types()) {
    raise(errc::mismatch, "the schema names " + std::to_string(schema.num_node_types()) +
                              " node types and " + std::to_string(schema.num_edge_types()) +
                              " edge types; the graph has " + std::to_string(types) + " and " +
                              std::to_string(relations) + "; they must agree");
  }
  const auto counts_of = [](const std::vector<std::uint64_t>& begin) {
    std::vector<std::uint64_t> counts;
    for (std::size_t t = 0; t + 1 < begin.size(); ++t) counts.push_back(begin[t + 1] - begin[t]);
    return counts;
  };
  const auto node_counts = counts_of(node_begin), edge_counts = counts_of(edge_begin);
  const auto check_rows = [&](const auto& all, const auto& counts) {
    for (const auto& one : all) {
      if (one.type < counts.size() && one.rows.rows() == counts[one.type]) continue;
      raise(errc::mismatch, "feature " + graph_schema::quoted(one.name) + " has " +
                                std::to_string(one.rows.rows()) +
                                " rows; there must be one for each node or edge of its type");
    }
  };
  check_rows(features.nodes, node_counts);
  check_rows(features.edges, edge_counts);

  // The schema. A relation that occurs with several types is written in full, because the script
  // knows names only.
  for (std::size_t t = 0; t < types; ++t) {
    out.schema.node_types.push_back(schema.node_types()[t]);
    out.schema.node_ranges.push_back({node_begin[t], node_begin[t + 1]});
  }
  for (std::size_t r = 0; r < relations; ++r) {
    const auto& type = schema.edge_types()[r];
    const auto same = std::count_if(schema.edge_types().begin(), schema.edge_types().end(),
                                    [&](const auto& one) { return one.relation == type.relation; });
    out.schema.edge_names.push_back(same == 1 ? type.relation : type.str());
    out.schema.edge_types.push_back(type);
    out.schema.edge_ranges.push_back({edge_begin[r], edge_begin[r + 1]});
  }
  detail::attribute_writer<Store> node_columns(features.nodes, types, options.node_attributes);
  detail::attribute_writer<Store> edge_columns(features.edges, relations, options.edge_attributes);
  out.schema.node_attributes = node_columns.describe();
  out.schema.edge_attributes = edge_columns.describe();
  if (!node_columns.even(node_counts) || !edge_columns.even(edge_counts)) {
    out.notes.push_back(
        "types differ in their number of attribute columns; halograph convert handles that, DGL's script does not");
  }

  auto weights = detail::weight_columns(options.weights, nodes, out.notes);
  for (const auto* one : weights) out.weights.push_back(one->name);
  // Without constraints: a column for each type that has nodes.
  std::vector<std::size_t> column_of_type(types, 0);
  const bool by_type = weights.empty();
  if (by_type) {
    for (std::size_t t = 0; t < types; ++t) {
      column_of_type[t] = out.weights.size();
      if (node_counts[t] != 0) out.weights.push_back(detail::class_of_type(schema.node_types()[t]));
    }
    if (out.weights.empty()) out.weights.emplace_back(detail::all_nodes_class);
  }

  std::uint64_t done = 0;
  const std::uint64_t total = nodes + edge_begin.back();
  const auto advance = [&] {
    if ((++done & 0xFFFF) == 0 && options.on_progress)
      options.on_progress({"export", done, total, "rows"});
  };
  const auto open = [&](const std::string& name) {
    output.add(name);
    return text_writer(output.path() + "/" + name);
  };
  const auto close = [&](text_writer& file) {
    file.close();
    out.bytes += file.size();
  };
  if (options.on_progress) options.on_progress({"export", 0, total, "rows"});
  {
    auto file = open(names.nodes());
    for (std::size_t t = 0; t < types; ++t) {
      for (auto v = static_cast<std::size_t>(node_begin[t]); v < node_begin[t + 1];
           ++v, advance()) {
        file.number(t);
        if (by_type) {
          for (std::size_t c = 0; c < out.weights.size(); ++c)
            file.put(' ').put(c == column_of_type[t] ? '1' : '0');
        } else {
          for (const auto* one : weights) file.put(' ').number(one->load[v]);
        }
        file.put(' ').number(v - node_begin[t]);
        node_columns.write(file, t, v - node_begin[t]);
        file.put('\n');
      }
    }
    close(file);
  }
  {
    const auto superfluous = detail::excess_edges<node, edge>(g, out.loops, out.duplicates);
    auto file = open(names.edges()), removed = open(names.removed_edges());
    std::size_t r = 0;
    visit_edges(g, [&](auto u, auto v, auto e) {
      const auto number = static_cast<std::uint64_t>(e);
      if (number < edge_begin[r] || number >= edge_begin[r + 1]) {
        r = range_of<std::uint64_t>(edge_begin, number);
      }
      auto& to = superfluous[index(e)] ? removed : file;
      to.number(u).put(' ').number(v).put(' ').number(number - edge_begin[r]).put(' ').number(r);
      edge_columns.write(to, r, number - edge_begin[r]);
      to.put('\n');
      advance();
    });
    close(file);
    close(removed);
    out.stats = {nodes, edge_begin.back() - out.loops - out.duplicates, out.weights.size()};
  }
  {
    auto file = open(names.stats());
    write_stats(file, out.stats);
    close(file);
  }
  {
    auto file = open(names.schema());
    file.text(json::print(to_json(out.schema)));
    close(file);
  }
  if (options.on_progress) options.on_progress({"export", total, total, "rows"});

  constexpr auto narrow = static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max());
  if (nodes > narrow || 2 * out.stats.edges > narrow) {
    out.notes.push_back(
        "the graph has more nodes or adjacency entries than 2^31 - 1, which a ParMETIS built with 32-bit indices cannot number; use one built with 64-bit ones");
  }
  if (options.edge_attributes && out.loops + out.duplicates != 0 &&
      !out.schema.edge_attributes.empty()) {
    out.notes.push_back(
        "removed edges keep their attributes for halograph convert; DGL's script does not accept removed edges together with edge attributes");
  }
  return out;
}

/// Write the files of a dataset as it was read.
template <id Node, id Edge, class Output>
parmetis_export_result export_parmetis(const dataset<Node, Edge>& data, Output& output,
                                       const parmetis_export_options& options = {}) {
  return export_parmetis(data.graph(), data.schema, data.features, output, options);
}

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/parmetis/impl/export.ipp>
#endif
