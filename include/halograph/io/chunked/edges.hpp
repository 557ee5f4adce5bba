// SPDX-License-Identifier: BSL-1.0
/// @file edges.hpp
/// The edges of a chunked graph as a graph: read from its files whenever they are visited.
/// Layer: io. Words: README.md.
///
/// What visits edges, and keeps none, thus needs no memory for them:
///
///     count_components(chunked_edges<std::uint32_t>(graph), owner, parts)
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/offsets.hpp>
#include <halograph/io/chunked/graph.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace halograph {

/// The edges of a chunked graph, as a typed_graph and a sliced_edge_list. A view of the graph,
/// which must outlive it. A visit throws what chunked_graph::read_edges does. Thread-safe.
template <id Node, id Edge = Node>
class chunked_edges {
 public:
  using node_id = Node;  ///< see graph_traits
  using edge_id = Edge;  ///< see graph_traits

  /// @errors overflow: Node or Edge cannot number all nodes or edges
  explicit chunked_edges(const chunked_graph& graph)
      : graph_(&graph),
        node_offsets_(offsets_of(graph.node_counts)),
        edge_offsets_(offsets_of(graph.edge_counts)) {
    const std::uint64_t nodes = graph.num_nodes(), edges = graph.num_edges();
    if (nodes > id_capacity<Node>() || edges > id_capacity<Edge>()) {
      raise(error_kind::overflow, "the graph has " + std::to_string(nodes) + " nodes and " +
                                      std::to_string(edges) +
                                      " edges, more than these IDs can number; use wider IDs");
    }
  }

  /// @{
  /// As `edge_list` and `typed_graph` ask for: V, E; edges run type by type.
  std::size_t num_nodes() const noexcept { return static_cast<std::size_t>(node_offsets_.back()); }
  std::size_t num_edges() const noexcept { return static_cast<std::size_t>(edge_offsets_.back()); }
  static constexpr bool edge_id_is_position() noexcept { return true; }
  /// @}
  /// [T+1] first homogenized ID of each node type.
  std::span<const std::uint64_t> node_type_offsets() const noexcept { return node_offsets_; }
  /// [R+1] first homogenized ID of each edge type.
  std::span<const std::uint64_t> edge_type_offsets() const noexcept { return edge_offsets_; }

  /// f(u, v, e) in homogenized IDs, e ascending.
  template <class F>
  void for_each_edge(F&& f) const {
    for_each_edge_between(*this, 0, num_edges(), f);
  }
  /// The same for the edges of [first, last). @pre first <= last <= num_edges()
  template <class F>
  friend void for_each_edge_between(const chunked_edges& g, std::size_t first, std::size_t last,
                                    F&& f) {
    constexpr std::size_t rows = std::size_t{1} << 15;
    const chunked_graph& graph = *g.graph_;
    for (std::size_t r = 0; r < graph.edge_counts.size(); ++r) {
      const auto type = static_cast<type_id>(r);
      const std::uint64_t begin = g.edge_offsets_[r], from = std::max<std::uint64_t>(first, begin),
                          to = std::min<std::uint64_t>(last, g.edge_offsets_[r + 1]),
                          sources = g.node_offsets_[graph.schema.source_type(type)],
                          targets = g.node_offsets_[graph.schema.target_type(type)];
      if (from >= to) continue;
      graph.read_edges<Node>(
          type, from - begin, to - begin, rows,
          [&](std::span<const Node> source, std::span<const Node> target, std::uint64_t at) {
            for (std::size_t i = 0; i < source.size(); ++i)
              f(static_cast<Node>(sources + static_cast<std::uint64_t>(source[i])),
                static_cast<Node>(targets + static_cast<std::uint64_t>(target[i])),
                static_cast<Edge>(begin + at + i));
          });
    }
  }

 private:
  const chunked_graph* graph_;
  std::vector<std::uint64_t> node_offsets_, edge_offsets_;
};

}  // namespace halograph
