// SPDX-License-Identifier: BSL-1.0
/// @file as_boost_graph.hpp
/// Our graphs with Boost's interface.
/// Layer: adapters (Boost.Graph). Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/graph/coo.hpp>
#include <halograph/graph/csr.hpp>
#include <halograph/halo/expand.hpp>

#include <boost/graph/graph_traits.hpp>
#include <boost/graph/properties.hpp>
#include <boost/property_map/property_map.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>

namespace halograph {

/// Our storages with Boost's interface. In a namespace of their own: Boost's names are not ours.
namespace bgl {

/// An edge: its endpoints, and its position in the storage.
template <id Node>
struct edge_descriptor {
  Node from{};               ///< its source
  Node to{};                 ///< its target
  std::size_t position = 0;  ///< place in the edge list or the rows, below E; identifies the edge

  /// @{
  /// By position, so that parallel edges differ. Both must be edges of one graph.
  friend constexpr bool operator==(const edge_descriptor& a, const edge_descriptor& b) noexcept {
    return a.position == b.position;
  }
  friend constexpr bool operator<(const edge_descriptor& a, const edge_descriptor& b) noexcept {
    return a.position < b.position;
  }
  /// @}

  /// Hash of the position, for boost::hash.
  friend std::size_t hash_value(const edge_descriptor& e) noexcept { return e.position; }
};

/// Counts, and shows the item at the count.
template <class Value, class Show>
class iterator {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = Value;
  using difference_type = std::ptrdiff_t;
  using pointer = const Value*;
  using reference = Value;

  iterator() = default;

  /// @param show  function from a count to its item   @param at  the count to begin with
  iterator(Show show, std::size_t at) : show_(show), at_(at) {}
  /// @{
  /// Access and increment of a forward iterator. Items are made on reading, returned by value.
  Value operator*() const { return show_(at_); }
  iterator& operator++() {
    ++at_;
    return *this;
  }
  iterator operator++(int) {
    iterator before = *this;
    ++at_;
    return before;
  }
  /// @}

  /// @{
  /// By the count alone: both must belong to one range.
  friend bool operator==(const iterator& a, const iterator& b) { return a.at_ == b.at_; }
  friend bool operator!=(const iterator& a, const iterator& b) { return a.at_ != b.at_; }
  /// @}

 private:
  Show show_{};
  std::size_t at_ = 0;
};

/// The count itself.
template <id Node>
struct show_node {
  /// The node with ID i, which must fit Node.
  Node operator()(std::size_t i) const { return static_cast<Node>(i); }
};

/// What all graphs here share: vertices are node IDs.
template <id Node>
struct graph_base {
  /// @{
  /// As boost::graph_traits asks for.
  using vertex_descriptor = Node;
  using edge_descriptor = bgl::edge_descriptor<Node>;
  using directed_category = boost::directed_tag;
  using edge_parallel_category = boost::allow_parallel_edge_tag;
  using vertex_iterator = iterator<Node, show_node<Node>>;
  using vertices_size_type = std::size_t;
  using edges_size_type = std::size_t;
  using degree_size_type = std::size_t;
  /// @}

  /// The largest value of Node, which stands for no vertex.
  static vertex_descriptor null_vertex() {
    return static_cast<Node>(id_capacity<Node>() -
                             (id_capacity<Node>() == ~std::uint64_t{0} ? 0 : 1));
  }
};

/// Columns of edges as Boost's VertexListGraph and EdgeListGraph. Copies nothing.
template <id Node, id Edge>
class edge_list_graph : public graph_base<Node> {
  struct show {
    coo_view<Node, Edge> columns{};
    bgl::edge_descriptor<Node> operator()(std::size_t e) const {
      return {columns.source()[e], columns.target()[e], e};
    }
  };

 public:
  struct traversal_category : boost::vertex_list_graph_tag, boost::edge_list_graph_tag {};
  using edge_id = Edge;  ///< what boost::edge_index gives

  /// @{
  /// As boost::graph_traits asks for; void: the graph has no such lists.
  using edge_iterator = iterator<bgl::edge_descriptor<Node>, show>;
  using out_edge_iterator = void;
  using in_edge_iterator = void;
  using adjacency_iterator = void;
  /// @}

  /// @param columns  their arrays must outlive the graph
  explicit edge_list_graph(const coo_view<Node, Edge>& columns) : columns_(columns) {}
  /// The columns, as given.
  const coo_view<Node, Edge>& base() const noexcept { return columns_; }
  /// The ID of the edge at a position: the position itself.
  Edge edge_at(std::size_t position) const noexcept { return static_cast<Edge>(position); }
  /// First and last of all edges, by edge ID; what Boost's edges(g) returns.
  std::pair<edge_iterator, edge_iterator> all_edges() const {
    return {edge_iterator(show{columns_}, 0), edge_iterator(show{columns_}, columns_.num_edges())};
  }

 private:
  coo_view<Node, Edge> columns_;
};

/// Compressed rows as Boost's VertexListGraph, EdgeListGraph, IncidenceGraph and AdjacencyGraph.
/// Copies nothing.
template <id Node, id Edge, id Offset>
class row_graph : public graph_base<Node> {
  using rows_view = csr_view<Node, Edge, Offset>;
  struct show_out {
    rows_view rows{};
    Node from{};
    bgl::edge_descriptor<Node> operator()(std::size_t k) const {
      return {from, rows.neighbors()[k], k};
    }
  };
  struct show_target {
    rows_view rows{};
    Node operator()(std::size_t k) const { return rows.neighbors()[k]; }
  };
  struct show_any {
    rows_view rows{};
    bgl::edge_descriptor<Node> operator()(std::size_t k) const {
      const auto offsets = rows.offsets();
      const auto row = std::upper_bound(
                           offsets.begin(), offsets.end(), k,
                           [](std::size_t at, Offset end) { return at < index(end); }) -
                       offsets.begin() - 1;
      return {static_cast<Node>(row), rows.neighbors()[k], k};
    }
  };

 public:
  struct traversal_category : boost::vertex_list_graph_tag,
                              boost::edge_list_graph_tag,
                              boost::incidence_graph_tag,
                              boost::adjacency_graph_tag {};
  using edge_id = Edge;  ///< what boost::edge_index gives

  /// @{
  /// As boost::graph_traits asks for; void: the graph has no such lists.
  using edge_iterator = iterator<bgl::edge_descriptor<Node>, show_any>;
  using out_edge_iterator = iterator<bgl::edge_descriptor<Node>, show_out>;
  using in_edge_iterator = void;
  using adjacency_iterator = iterator<Node, show_target>;
  /// @}

  /// @param rows  rows of out-edges; their arrays must outlive the graph
  explicit row_graph(const rows_view& rows) : rows_(rows) {}
  /// The rows, as given.
  const rows_view& base() const noexcept { return rows_; }
  /// The ID of the edge at a position in the rows.
  Edge edge_at(std::size_t position) const noexcept { return rows_.edge_at(position); }
  /// First and last of all edges, row by row; what Boost's edges(g) returns.
  /// @complexity O(log V) for each edge that is looked at; out_edges finds its source at once
  std::pair<edge_iterator, edge_iterator> all_edges() const {
    return {edge_iterator(show_any{rows_}, 0), edge_iterator(show_any{rows_}, rows_.num_edges())};
  }
  /// First and last of the out-edges of u; u below V.
  std::pair<out_edge_iterator, out_edge_iterator> row(Node u) const {
    return {out_edge_iterator(show_out{rows_, u}, rows_.row_begin(index(u))),
            out_edge_iterator(show_out{rows_, u}, rows_.row_end(index(u)))};
  }
  /// First and last of the targets of u's out-edges, one per edge; u below V.
  std::pair<adjacency_iterator, adjacency_iterator> neighbors(Node u) const {
    return {adjacency_iterator(show_target{rows_}, rows_.row_begin(index(u))),
            adjacency_iterator(show_target{rows_}, rows_.row_end(index(u)))};
  }

 private:
  rows_view rows_;
};

namespace detail {
/// One of the graphs of this namespace.
template <class G>
concept any_graph = std::derived_from<G, graph_base<typename G::vertex_descriptor>>;
}  // namespace detail

/// @{
/// Boost's functions of a VertexListGraph and an EdgeListGraph, for both graphs.
template <detail::any_graph G>
std::size_t num_vertices(const G& g) {
  return g.base().num_nodes();
}
template <detail::any_graph G>
std::size_t num_edges(const G& g) {
  return g.base().num_edges();
}
template <detail::any_graph G>
std::pair<typename G::vertex_iterator, typename G::vertex_iterator> vertices(const G& g) {
  return {typename G::vertex_iterator({}, 0),
          typename G::vertex_iterator({}, g.base().num_nodes())};
}
template <detail::any_graph G>
auto edges(const G& g) {
  return g.all_edges();
}
template <detail::any_graph G>
typename G::vertex_descriptor source(const typename G::edge_descriptor& e, const G&) {
  return e.from;
}
template <detail::any_graph G>
typename G::vertex_descriptor target(const typename G::edge_descriptor& e, const G&) {
  return e.to;
}
/// @}

/// @{
/// Boost's functions of an IncidenceGraph and an AdjacencyGraph; u below V.
template <id Node, id Edge, id Offset>
auto out_edges(std::type_identity_t<Node> u, const row_graph<Node, Edge, Offset>& g) {
  return g.row(u);
}
template <id Node, id Edge, id Offset>
auto adjacent_vertices(std::type_identity_t<Node> u, const row_graph<Node, Edge, Offset>& g) {
  return g.neighbors(u);
}
template <id Node, id Edge, id Offset>
std::size_t out_degree(std::type_identity_t<Node> u, const row_graph<Node, Edge, Offset>& g) {
  return g.base().row_end(index(u)) - g.base().row_begin(index(u));
}
/// @}

/// Edge IDs of a graph of this namespace, as a readable property map.
template <detail::any_graph G>
struct edge_index_map {
  /// @{
  /// As boost::property_traits asks for.
  using key_type = typename G::edge_descriptor;
  using value_type = typename G::edge_id;
  using reference = value_type;
  using category = boost::readable_property_map_tag;
  /// @}

  G graph;  ///< a copy of the graph, which is a view

  /// @{
  /// The ID of an edge of `graph`.
  value_type operator[](const key_type& e) const { return graph.edge_at(e.position); }
  friend value_type get(const edge_index_map& map, const key_type& e) { return map[e]; }
  /// @}
};

/// @{
/// Boost's index maps: a vertex is its own index, an edge's index is its edge ID.
template <detail::any_graph G>
boost::typed_identity_property_map<typename G::vertex_descriptor> get(boost::vertex_index_t,
                                                                      const G&) {
  return {};
}
template <detail::any_graph G>
typename G::vertex_descriptor get(boost::vertex_index_t, const G&,
                                  typename G::vertex_descriptor v) {
  return v;
}
template <detail::any_graph G>
edge_index_map<G> get(boost::edge_index_t, const G& g) {
  return {g};
}
template <detail::any_graph G>
typename G::edge_id get(boost::edge_index_t, const G& g, const typename G::edge_descriptor& e) {
  return g.edge_at(e.position);
}
/// @}

}  // namespace bgl

/// A list of edges for Boost's algorithms; the columns must outlive it.
template <id Node, id Edge>
bgl::edge_list_graph<Node, Edge> as_boost_graph(const coo_view<Node, Edge>& columns) {
  return bgl::edge_list_graph<Node, Edge>(columns);
}

/// Rows of out-edges for Boost's algorithms; the arrays must outlive it.
template <id Node, id Edge, id Offset>
bgl::row_graph<Node, Edge, Offset> as_boost_graph(const csr_view<Node, Edge, Offset>& rows) {
  return bgl::row_graph<Node, Edge, Offset>(rows);
}

/// A part with its HALO for Boost's algorithms: vertices are local IDs, edges are in the part's
/// order. node_map leads back to the graph's IDs. The part must outlive it.
template <id Node, id Edge>
bgl::edge_list_graph<std::uint64_t, std::uint64_t> as_boost_graph(const halo<Node, Edge>& part) {
  return as_boost_graph(
      coo_view<std::uint64_t, std::uint64_t>(part.nodes.size(), part.sources, part.targets));
}
template <id Node, id Edge>
void as_boost_graph(const halo<Node, Edge>&&) = delete;

}  // namespace halograph

/// Boost asks its own traits for the index maps of our graphs.
namespace boost {
/// A vertex of our graphs is its own index.
template <halograph::bgl::detail::any_graph G>
struct property_map<G, vertex_index_t> {
  using type = typed_identity_property_map<typename G::vertex_descriptor>;  ///< of get()
  using const_type = type;  ///< of get() on a const graph
};
/// The index of an edge of our graphs is its edge ID.
template <halograph::bgl::detail::any_graph G>
struct property_map<G, edge_index_t> {
  using type = halograph::bgl::edge_index_map<G>;  ///< of get()
  using const_type = type;                         ///< of get() on a const graph
};
}  // namespace boost
