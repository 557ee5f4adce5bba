// SPDX-License-Identifier: BSL-1.0
/// @file streamed_graph.hpp
/// A graph that is not held in memory: edges are read in blocks and features by ranges of rows, any
/// number of times.
/// Layer: io. Words: README.md.
///
/// The input of chunk_graph(), and the input and output of what may be done before (reverse edges,
/// self-loops, normalized features). Calls go through std::function, once for thousands of edges or
/// rows.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/graph/hetero.hpp>
#include <halograph/io/dataset.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/feature_store.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace halograph {

/// Takes a block of edges of one type, typed IDs: sources [n], targets [n], and the first one's
/// edge ID.
using edge_block_visitor =
    std::function<void(std::span<const std::uint64_t> sources,
                       std::span<const std::uint64_t> targets, std::uint64_t first)>;

/// One feature of one type, read by ranges of rows.
struct streamed_feature {
  type_id type = 0;                ///< node type or edge type
  std::string name{};              ///< of the feature
  dtype element = dtype::float32;  ///< of the elements
  tensor_shape row_shape{};        ///< of one row; empty: one number each
  std::uint64_t rows = 0;          ///< as many as the type has nodes or edges
  /// Rows [first, last) into `out`, row-major, in the machine's byte order. `out` has their size.
  std::function<void(std::uint64_t first, std::uint64_t last, std::span<std::byte> out)> read{};

  /// Elements of one row.
  std::size_t row_elements() const noexcept {
    return static_cast<std::size_t>(element_count(row_shape));
  }
  /// Bytes of one row, as `read` writes it.
  std::size_t row_bytes() const noexcept { return row_elements() * item_bytes(element); }
};

/// Names, counts, and functions that read edges and features. Reading is repeatable (the same range
/// gives the same edges and rows each time) and not thread-safe.
struct streamed_graph {
  std::string name{};                        ///< of the graph
  graph_schema schema{};                     ///< T node types and R edge types
  std::vector<std::uint64_t> node_counts{};  ///< [T]
  std::vector<std::uint64_t> edge_counts{};  ///< [R]
  /// Edges [first, last) of edge type r, in blocks of any size, in order.
  std::function<void(type_id r, std::uint64_t first, std::uint64_t last,
                     const edge_block_visitor& visit)>
      read_edges{};
  std::vector<streamed_feature> node_features{};  ///< of all node types
  std::vector<streamed_feature> edge_features{};  ///< of all edge types
  std::vector<std::string> notes{};               ///< messages for the user

  /// V and E, over all types.
  /// @{
  std::uint64_t num_nodes() const noexcept {
    return std::accumulate(node_counts.begin(), node_counts.end(), std::uint64_t{0});
  }
  std::uint64_t num_edges() const noexcept {
    return std::accumulate(edge_counts.begin(), edge_counts.end(), std::uint64_t{0});
  }
  /// @}
};

/// Edges in a block where the source chooses the size.
inline constexpr std::uint64_t edges_per_block = std::uint64_t{1} << 16;
/// Bytes of rows that are read at once, unless a single row is larger.
inline constexpr std::uint64_t row_block_bytes = std::uint64_t{1} << 20;

/// f(first, last) over the rows of a feature, in order, in blocks of about row_block_bytes.
void for_each_row_block(const streamed_feature& feature, std::uint64_t first, std::uint64_t last,
                        function_ref<void(std::uint64_t, std::uint64_t)> f);

namespace detail {

/// [first, last) of two columns, widened block by block.
template <class Node>
void visit_columns(std::span<const Node> source, std::span<const Node> target, std::uint64_t first,
                   std::uint64_t last, const edge_block_visitor& visit) {
  if constexpr (std::is_same_v<Node, std::uint64_t>) {
    const auto count = static_cast<std::size_t>(last - first);
    if (count != 0)
      visit(source.subspan(static_cast<std::size_t>(first), count),
            target.subspan(static_cast<std::size_t>(first), count), first);
  } else {
    std::vector<std::uint64_t> from, to;
    for (; first < last; first += from.size()) {
      const auto at = static_cast<std::size_t>(first),
                 count = static_cast<std::size_t>(std::min(edges_per_block, last - first));
      from.resize(count);
      to.resize(count);
      for (std::size_t i = 0; i < count; ++i) {
        from[i] = index(source[at + i]);
        to[i] = index(target[at + i]);
      }
      visit(from, to, first);
    }
  }
}

}  // namespace detail

namespace detail {

/// @param owner  keeps the rows alive; empty where the caller does
streamed_feature stream_rows(type_id type, std::string name, feature_store_ref rows,
                             std::shared_ptr<const void> owner);

/// Features of a copy of each store, or of the store itself if it cannot be copied.
template <feature_store Store>
std::vector<streamed_feature> stream_features(const std::vector<feature<Store>>& features) {
  std::vector<streamed_feature> out;
  for (const auto& one : features) {
    if constexpr (std::copy_constructible<Store>) {
      const auto owner = std::make_shared<const Store>(one.rows);
      out.push_back(stream_rows(one.type, one.name, *owner, owner));
    } else {
      out.push_back(stream_rows(one.type, one.name, one.rows, nullptr));
    }
  }
  return out;
}

/// Give a stream the edges of a typed graph, in columns.
template <id Node>
void stream_relations(streamed_graph& out, std::span<const std::uint64_t> node_counts,
                      std::span<const relation_view<Node>> relations) {
  const graph_schema& schema = out.schema;
  if (node_counts.size() != schema.num_node_types() ||
      relations.size() != schema.num_edge_types()) {
    raise(error_kind::mismatch, "the graph has " + std::to_string(node_counts.size()) +
                                    " node types and " + std::to_string(relations.size()) +
                                    " edge types, but the schema has " +
                                    std::to_string(schema.num_node_types()) + " and " +
                                    std::to_string(schema.num_edge_types()));
  }
  out.node_counts.assign(node_counts.begin(), node_counts.end());
  for (std::size_t r = 0; r < relations.size(); ++r) {
    const auto type = static_cast<type_id>(r);
    if (relations[r].source_type != schema.source_type(type) ||
        relations[r].target_type != schema.target_type(type)) {
      raise(error_kind::mismatch, "edge type " +
                                      graph_schema::quoted(schema.edge_type_name(type).str()) +
                                      " joins other node types in the graph than in the schema");
    }
    out.edge_counts.push_back(relations[r].source.size());
  }
  out.read_edges = [relations](type_id r, std::uint64_t first, std::uint64_t last,
                               const edge_block_visitor& visit) {
    visit_columns(relations[r].source, relations[r].target, first, last, visit);
  };
}

/// An edge by its ID.
struct endpoint_pair {
  std::uint64_t source = ~std::uint64_t{0}, target = 0;
};

/// Give a stream the edges of a graph without types.
void stream_pairs(streamed_graph& out, std::uint64_t nodes,
                  std::shared_ptr<const std::vector<endpoint_pair>> pairs);

}  // namespace detail

/// A feature from rows by ID. @param store  moved into the stream; views stay views
template <feature_store Store>
streamed_feature stream_feature(type_id type, std::string name, Store store) {
  const auto owner = std::make_shared<const Store>(std::move(store));
  return detail::stream_rows(type, std::move(name), *owner, owner);
}

/// A graph in memory with its features, as a stream. Edges are numbered by the storage's edge IDs.
///
/// @param g         kept by reference where it has columns by edge type (hetero_view); else its
///     edges are copied, 16 bytes each
/// @param features  stores are copied: views stay views; those that cannot be copied are kept by
///     reference
/// @errors mismatch: sizes disagree with the schema; a graph whose edge IDs are not 0 to E - 1;
///     out_of_range: an endpoint is not a node
template <graph Graph, feature_store Store>
streamed_graph stream_graph(const Graph& g, const graph_schema& schema,
                            const basic_feature_set<Store>& features, std::string name) {
  streamed_graph out;
  out.name = std::move(name);
  out.schema = schema;
  if constexpr (typed_graph<Graph> && requires { g.relations(); }) {
    check(g.validate(), "the graph's columns do not fit its types");
    const auto offsets = g.node_type_offsets();
    std::vector<std::uint64_t> counts;
    for (std::size_t t = 0; t < g.num_node_types(); ++t)
      counts.push_back(offsets[t + 1] - offsets[t]);
    detail::stream_relations(out, counts, g.relations());
  } else {
    if (schema.num_node_types() != 1 || schema.num_edge_types() != 1) {
      raise(error_kind::mismatch,
            "a graph without types needs a schema of one node type and one edge type");
    }
    const std::uint64_t nodes = num_nodes(g);
    std::uint64_t edges = 0;
    visit_edges(g, [&](auto, auto, auto) { ++edges; });
    auto pairs = std::make_shared<std::vector<detail::endpoint_pair>>(
        static_cast<std::size_t>(edges));
    visit_edges(g, [&](auto u, auto v, auto e) {
      if (index(e) >= edges ||
          (*pairs)[static_cast<std::size_t>(index(e))].source != ~std::uint64_t{0}) {
        raise(error_kind::mismatch, "edge ID " + std::to_string(index(e)) +
                                        " is used twice or is not below the number of edges, " +
                                        std::to_string(edges));
      }
      if (index(u) >= nodes || index(v) >= nodes)
        raise(error_kind::out_of_range,
              "edge " + std::to_string(index(e)) + " has an endpoint that is not a node");
      (*pairs)[static_cast<std::size_t>(index(e))] = {index(u), index(v)};
    });
    detail::stream_pairs(out, nodes, std::move(pairs));
  }
  out.node_features = detail::stream_features(features.nodes);
  out.edge_features = detail::stream_features(features.edges);
  return out;
}

/// A dataset as a stream that owns it. Node weights and sizes that are not features (METIS's) are
/// omitted, and a note says so.
template <id Node, id Edge>
streamed_graph stream_dataset(dataset<Node, Edge> data) {
  auto owner = std::make_shared<const dataset<Node, Edge>>(std::move(data));
  const auto whole = owner->graph();
  streamed_graph out = stream_graph(whole, owner->schema, owner->features, owner->name);
  out.read_edges = [owner, inner = std::move(out.read_edges)](
                       type_id r, std::uint64_t first, std::uint64_t last,
                       const edge_block_visitor& visit) { inner(r, first, last, visit); };
  out.notes = owner->notes;
  if (!owner->node_weights.empty() || !owner->node_sizes.empty()) {
    out.notes.push_back(
        "node weights and sizes cannot be stored in a chunked graph and are omitted");
  }
  return out;
}

/// Check that the members of a stream agree with each other, as writers require. Edges are checked
/// while they are read.
/// @errors mismatch, invalid_argument, exists: names and sizes that do not fit; as
///     check_graph_size() and check_graph_name()
void validate(const streamed_graph& g);

namespace detail {

/// The same stream, whose edges are checked as they are read: endpoints are nodes, and blocks come
/// in order. It views `g`.
/// @errors out_of_range: an endpoint is not a node; mismatch: other edges than were asked for
streamed_graph with_checked_edges(const streamed_graph& g);

/// All rows of a feature, in memory.
chunked_tensor tensor_of(const streamed_feature& feature);

}  // namespace detail

/// Load the whole graph of a stream into memory.
/// @errors overflow: Node or Edge is too narrow; out_of_range: an endpoint is not a node; mismatch:
///     as validate(); those of the stream's source
/// @complexity O(nodes + edges + bytes of features); memory: the dataset
template <id Node = std::uint64_t, id Edge = std::uint64_t>
dataset<Node, Edge> materialize(const streamed_graph& g) {
  validate(g);
  detail::check_node_total<Node>(g.schema, g.node_counts, {});
  dataset<Node, Edge> out;
  out.name = g.name;
  out.schema = g.schema;
  out.node_counts = g.node_counts;
  out.notes = g.notes;
  const streamed_graph checked = detail::with_checked_edges(g);
  for (std::size_t r = 0; r < g.edge_counts.size(); ++r) {
    edge_columns<Node>& columns = out.edges.emplace_back();
    columns.source.reserve(static_cast<std::size_t>(g.edge_counts[r]));
    columns.target.reserve(static_cast<std::size_t>(g.edge_counts[r]));
    checked.read_edges(
        static_cast<type_id>(r), 0, g.edge_counts[r],
        [&](std::span<const std::uint64_t> from, std::span<const std::uint64_t> to, std::uint64_t) {
          for (const auto v : from) columns.source.push_back(static_cast<Node>(v));
          for (const auto v : to) columns.target.push_back(static_cast<Node>(v));
        });
  }
  for (const auto& one : g.node_features)
    out.features.nodes.push_back({one.type, one.name, detail::tensor_of(one)});
  for (const auto& one : g.edge_features)
    out.features.edges.push_back({one.type, one.name, detail::tensor_of(one)});
  out.finish();
  return out;
}

#if HALOGRAPH_COMPILED
// Instantiated in the compiled library (impl/widths.ipp).
extern template dataset<std::uint32_t, std::uint32_t> materialize<std::uint32_t, std::uint32_t>(
    const streamed_graph&);
extern template dataset<std::uint64_t, std::uint64_t> materialize<std::uint64_t, std::uint64_t>(
    const streamed_graph&);
#endif

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/io/impl/streamed_graph.ipp>
#endif
