// SPDX-License-Identifier: BSL-1.0
/// @file graph.hpp
/// Minimal graphs and generators, and near misses.
/// Layer: testing. Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/graph/generators.hpp>
#include <halograph/testing/archetypes/awkward.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace halograph::archetype {

/// The endpoints of an edge; its ID is its position.
template <id Node>
struct ends {
  Node source;
  Node target;
};

namespace detail {
template <id Node, id Edge>
class few_edges : awkward {
 public:
  using node_id = Node;
  using edge_id = Edge;
  constexpr few_edges(std::size_t nodes, std::span<const ends<Node>> edges)
      : awkward(0), nodes_(nodes), edges_(edges) {}
  constexpr std::size_t num_nodes() const { return nodes_; }

 protected:
  template <class F>
  constexpr void visit(F&& f) const {
    for (std::size_t e = 0; e < edges_.size(); ++e)
      f(edges_[e].source, edges_[e].target, static_cast<Edge>(e));
  }

 private:
  std::size_t nodes_;
  std::span<const ends<Node>> edges_;
};
}  // namespace detail

/// Models `edge_list` only: a view of the caller's edges.
template <id Node = std::int8_t, id Edge = std::uint16_t>
struct edge_list : detail::few_edges<Node, Edge> {
  using detail::few_edges<Node, Edge>::few_edges;
  template <class F>
  constexpr void for_each_edge(F&& f) const {
    this->visit(f);
  }
};

/// Models `sliced_edge_list`: a view of the caller's edges.
template <id Node = std::int8_t, id Edge = std::uint16_t>
struct sliced_edge_list : edge_list<Node, Edge> {
  using edge_list<Node, Edge>::edge_list;
  template <class F>
  friend constexpr void for_each_edge_between(const sliced_edge_list& g, std::size_t first,
                                              std::size_t last, F&& f) {
    g.visit([&](Node source, Node target, Edge e) {
      if (index(e) >= first && index(e) < last) f(source, target, e);
    });
  }
};

/// Models `in_adjacency` only. @complexity O(E) each visit
template <id Node = std::int8_t, id Edge = std::uint16_t>
struct in_adjacency : detail::few_edges<Node, Edge> {
  using detail::few_edges<Node, Edge>::few_edges;
  template <id AnyNode, class F>
  constexpr void for_each_in_edge(AnyNode v, F&& f) const {
    this->visit([&](Node source, Node target, Edge e) {
      if (index(target) == index(v)) f(source, e);
    });
  }
};

/// Models `out_adjacency` only. @complexity O(E) each visit
template <id Node = std::int8_t, id Edge = std::uint16_t>
struct out_adjacency : detail::few_edges<Node, Edge> {
  using detail::few_edges<Node, Edge>::few_edges;
  template <id AnyNode, class F>
  constexpr void for_each_out_edge(AnyNode u, F&& f) const {
    this->visit([&](Node source, Node target, Edge e) {
      if (index(source) == index(u)) f(target, e);
    });
  }
};

/// Rows of in-neighbors without edge IDs: models `edge_list`, edges numbered by position.
/// @complexity O(E) each visit
template <id Node = std::int8_t, id Edge = std::uint16_t>
struct in_neighbors : detail::few_edges<Node, Edge> {
  using detail::few_edges<Node, Edge>::few_edges;
  template <class F>
  constexpr void for_each_in_neighbor(Node v, F&& f) const {
    this->visit([&](Node source, Node target, Edge) {
      if (target == v) f(source);
    });
  }
};

/// The same for out-neighbors.
template <id Node = std::int8_t, id Edge = std::uint16_t>
struct out_neighbors : detail::few_edges<Node, Edge> {
  using detail::few_edges<Node, Edge>::few_edges;
  template <class F>
  constexpr void for_each_out_neighbor(Node u, F&& f) const {
    this->visit([&](Node source, Node target, Edge) {
      if (source == u) f(target);
    });
  }
};

/// The minimal graph: an edge list.
using graph = edge_list<>;

/// Models `typed_graph`: an edge list with the offsets of its types.
class typed_graph : public edge_list<> {
 public:
  constexpr typed_graph(std::size_t nodes, std::span<const ends<std::int8_t>> edges,
                        std::span<const std::uint64_t> node_offsets,
                        std::span<const std::uint64_t> edge_offsets)
      : edge_list<>(nodes, edges), node_offsets_(node_offsets), edge_offsets_(edge_offsets) {}
  constexpr std::span<const std::uint64_t> node_type_offsets() const { return node_offsets_; }
  constexpr std::span<const std::uint64_t> edge_type_offsets() const { return edge_offsets_; }

 private:
  std::span<const std::uint64_t> node_offsets_;
  std::span<const std::uint64_t> edge_offsets_;
};

/// Models `generators::generator`: a ring.
class generator : awkward {
 public:
  explicit constexpr generator(std::uint64_t nodes) : awkward(0), nodes_(nodes) {}
  constexpr std::uint64_t num_nodes() const { return nodes_; }
  constexpr std::uint64_t num_edges() const { return nodes_; }
  constexpr generators::ends edge(std::uint64_t i) const {
    return {i, i + 1 == nodes_ ? 0 : i + 1};
  }
  constexpr status validate() const { return status::ok; }

 private:
  std::uint64_t nodes_;
};

}  // namespace halograph::archetype

namespace halograph::near_miss {

/// Has edges, but no num_nodes.
struct graph_without_nodes {
  template <class F>
  void for_each_edge(F&&) const {}
};
/// Has nodes, but no access to edges.
struct graph_without_edges {
  std::size_t num_nodes() const { return 0; }
};
/// Its node IDs are characters.
struct graph_of_characters {
  using node_id = char;
  std::size_t num_nodes() const { return 0; }
  template <class F>
  void for_each_edge(F&&) const {}
};
/// for_each_edge is not const.
struct graph_not_const {
  std::size_t num_nodes() const { return 0; }
  template <class F>
  void for_each_edge(F&&) {}
};

/// for_each_in_neighbor is not const.
struct neighbors_not_const {
  std::size_t num_nodes() const { return 0; }
  template <class F>
  void for_each_in_neighbor(std::uint64_t, F&&) {}
};
/// Lists out-neighbors besides in-edges with IDs, which numbering by position would contradict.
struct neighbors_beside_edge_ids {
  std::size_t num_nodes() const { return 0; }
  template <class F>
  void for_each_in_edge(std::uint64_t, F&&) const {}
  template <class F>
  void for_each_out_neighbor(std::uint64_t, F&&) const {}
};
/// Visits edges by target only.
struct edge_list_by_target {
  std::size_t num_nodes() const { return 0; }
  template <class F>
  void for_each_in_edge(std::uint64_t, F&&) const {}
};
/// Visits all edges, not a range of them.
struct sliced_edge_list_without_slices : archetype::edge_list<> {};
/// Visits edges by source only.
struct in_adjacency_by_source {
  std::size_t num_nodes() const { return 0; }
  template <class F>
  void for_each_out_edge(std::uint64_t, F&&) const {}
};
/// Visits edges as a list only.
struct out_adjacency_as_list {
  std::size_t num_nodes() const { return 0; }
  template <class F>
  void for_each_edge(F&&) const {}
};
/// Its nodes have no types.
struct typed_graph_without_node_types : out_adjacency_as_list {
  std::span<const std::uint64_t> edge_type_offsets() const { return {}; }
};
/// Its edges have no types.
struct typed_graph_without_edge_types : out_adjacency_as_list {
  std::span<const std::uint64_t> node_type_offsets() const { return {}; }
};
/// Has types, but is not a graph.
struct typed_graph_without_graph {
  std::span<const std::uint64_t> node_type_offsets() const { return {}; }
  std::span<const std::uint64_t> edge_type_offsets() const { return {}; }
};

/// Counts are int.
struct generator_of_int_counts {
  int num_nodes() const { return 0; }
  int num_edges() const { return 0; }
  generators::ends edge(std::uint64_t) const { return {}; }
  status validate() const { return status::ok; }
};
/// Its edges are pairs.
struct generator_of_pairs {
  std::uint64_t num_nodes() const { return 0; }
  std::uint64_t num_edges() const { return 0; }
  std::pair<int, int> edge(std::uint64_t) const { return {}; }
  status validate() const { return status::ok; }
};
/// Has no validate().
struct generator_without_validate {
  std::uint64_t num_nodes() const { return 0; }
  std::uint64_t num_edges() const { return 0; }
  generators::ends edge(std::uint64_t) const { return {}; }
};

}  // namespace halograph::near_miss
