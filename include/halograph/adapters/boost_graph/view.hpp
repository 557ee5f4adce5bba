// SPDX-License-Identifier: BSL-1.0
/// @file view.hpp
/// A graph of Boost's as one of ours.
/// Layer: adapters (Boost.Graph). Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/core/unmet.hpp>
#include <halograph/graph/concepts.hpp>

#include <boost/graph/graph_traits.hpp>
#include <boost/graph/properties.hpp>
#include <boost/property_map/property_map.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace boost {
// Declared only: users of these graphs include their headers.
struct csr_graph_tag;
struct filtered_graph_tag;
}  // namespace boost

namespace halograph {

/// In place of an edge index: number the edges in the order of Boost's edges(g).
struct by_position {};

/// In place of the vertices by index: a vertex is its index already, as with vecS.
struct by_number {};

namespace detail::boost_access {

// Boost's functions are found by their arguments alone; ours of the same names stay out of the way.
void num_edges() = delete;

template <class G>
using vertex_of = typename boost::graph_traits<G>::vertex_descriptor;
template <class G>
using edge_of = typename boost::graph_traits<G>::edge_descriptor;

template <class G>
concept lists_edges = requires { typename G::vertex_descriptor; } &&
                      requires(const G& g, edge_of<G> e) {
                        num_vertices(g);
                        num_edges(g);
                        vertices(g);
                        edges(g);
                        { source(e, g) } -> std::convertible_to<vertex_of<G>>;
                        { target(e, g) } -> std::convertible_to<vertex_of<G>>;
                      };

template <class G>
inline constexpr bool undirected =
    !std::convertible_to<typename boost::graph_traits<G>::directed_category, boost::directed_tag>;

template <class G, class Category>
inline constexpr bool traverses =
    std::convertible_to<typename boost::graph_traits<G>::traversal_category, Category>;

template <class G>
concept compressed_sparse_rows = requires {
  requires std::same_as<typename G::graph_tag, boost::csr_graph_tag>;
};

template <class G>
concept has_vertex_index = std::integral<vertex_of<G>> || requires {
  requires boost::lookup_one_property<typename G::vertex_property_type,
                                      boost::vertex_index_t>::found;
};

template <class G>
concept has_edge_index = compressed_sparse_rows<G> || requires {
  requires boost::lookup_one_property<typename G::edge_property_type, boost::edge_index_t>::found;
};

template <class G>
struct own_edge_index {
  using type = by_position;
  static by_position of(const G&) { return {}; }
};
template <has_edge_index G>
struct own_edge_index<G> {
  using type = typename boost::property_map<G, boost::edge_index_t>::const_type;
  static type of(const G& g) { return get(boost::edge_index, g); }
};

template <has_vertex_index G>
struct own_vertex_index {
  using type = typename boost::property_map<G, boost::vertex_index_t>::const_type;
  static type of(const G& g) { return get(boost::vertex_index, g); }
};

/// Vertex number i is the descriptor i.
template <class G, class VertexIndex>
inline constexpr bool is_identity = false;
template <class G, class Key>
inline constexpr bool is_identity<G, boost::typed_identity_property_map<Key>> =
    std::integral<vertex_of<G>>;
template <class G, class VertexIndex>
  requires(std::integral<vertex_of<G>> &&
           std::same_as<VertexIndex, typename own_vertex_index<G>::type>)
inline constexpr bool is_identity<G, VertexIndex> = true;

template <class Map>
using value_in = std::remove_cvref_t<typename boost::property_traits<Map>::value_type>;

/// What names an edge: an undirected one has two IDs, which the caller's type might be too narrow
/// for.
template <class G, class EdgeIndex>
struct edge_id_of {
  using type = std::conditional_t<undirected<G>, std::uint64_t, value_in<EdgeIndex>>;
};
template <class G>
struct edge_id_of<G, by_position> {
  using type = std::uint64_t;
};

template <class Map, class Key>
decltype(auto) value_at(const Map& map, const Key& key) {
  using boost::get;  // for pointers; others are found by their namespace
  return get(map, key);
}

/// Its counts are those of the graph that it filters.
template <class G>
concept filtered = requires {
  requires std::same_as<typename G::graph_tag, boost::filtered_graph_tag>;
};

template <class G>
std::size_t count_vertices(const G& g) {
  if constexpr (filtered<G>)
    return static_cast<std::size_t>(std::distance(vertices(g).first, vertices(g).second));
  else
    return static_cast<std::size_t>(num_vertices(g));
}
template <class G>
std::size_t count_edges(const G& g) {
  if constexpr (filtered<G>)
    return static_cast<std::size_t>(std::distance(edges(g).first, edges(g).second));
  else
    return static_cast<std::size_t>(num_edges(g));
}

}  // namespace detail::boost_access

/// A graph of Boost's whose vertices and edges can be listed: VertexListGraph and EdgeListGraph.
template <class G>
concept boost_graph =
    detail::boost_access::lists_edges<G> ||
    unmet<
        "boost_graph: needs Boost's num_vertices, num_edges, vertices, edges, source and target of a const G&">();

/// A graph of Boost's as one of ours. Copies nothing; the graph must outlive the view, unchanged.
///
/// Indices given must run from 0 to V-1 and from 0 to E-1, each once (validate() says whether). An
/// edge_index inside the graph is used where there is one; `by_position{}` ignores it.
/// @complexity as Boost's own functions; a loop of an undirected graph is looked up in its row
/// @tparam VertexIndex  property map from vertices to node IDs
/// @tparam EdgeIndex    property map from edges to edge IDs, or by_position
/// @tparam Vertices     by_number, or a span of the vertices at their indices
template <boost_graph Graph, class VertexIndex, class EdgeIndex = by_position,
          class Vertices = by_number>
class boost_graph_view {
  static constexpr bool both_ways = detail::boost_access::undirected<Graph>;
  static constexpr bool numbered = std::same_as<EdgeIndex, by_position>;
  static constexpr bool ascending =
      numbered ||
      (detail::boost_access::compressed_sparse_rows<Graph> &&
       std::same_as<EdgeIndex, typename detail::boost_access::own_edge_index<Graph>::type>);
  static constexpr bool found_by_index = !std::same_as<Vertices, by_number> ||
                                         detail::boost_access::is_identity<Graph, VertexIndex>;
  static constexpr bool has_rows =
      !numbered && found_by_index &&
      detail::boost_access::traverses<Graph, boost::incidence_graph_tag>;
  static constexpr bool has_columns =
      !numbered && found_by_index &&
      (detail::boost_access::traverses<Graph, boost::bidirectional_graph_tag> ||
       (both_ways && has_rows));
  static_assert(
      ascending || has_rows,
      "boost_graph_view: with an edge index, vertices that are not numbers must be given by index, and the graph must have "
      "out_edges; or number the edges by_position");

 public:
  using node_id = detail::boost_access::value_in<VertexIndex>;  ///< see graph_traits
  /// See graph_traits; 64 bits for by_position or an undirected graph.
  using edge_id = typename detail::boost_access::edge_id_of<Graph, EdgeIndex>::type;
  static_assert(id<node_id>, "boost_graph_view: the vertex index must give integers");
  static_assert(id<edge_id>, "boost_graph_view: the edge index must give integers");

  /// With the graph's own vertex index, and its own edge index where it has one.
  explicit boost_graph_view(const Graph& g)
    requires detail::boost_access::has_vertex_index<Graph>
      : boost_graph_view(g, detail::boost_access::own_vertex_index<Graph>::of(g)) {}
  /// @param vertices  property map: the index of each vertex
  boost_graph_view(const Graph& g, VertexIndex vertices)
      : boost_graph_view(g, vertices, detail::boost_access::own_edge_index<Graph>::of(g)) {}
  /// @param edges  property map: the index of each edge; or by_position
  boost_graph_view(const Graph& g, VertexIndex vertices, EdgeIndex edges, Vertices by_index = {})
      : graph_(&g),
        vertex_index_(std::move(vertices)),
        edge_index_(std::move(edges)),
        vertices_(by_index) {}
  /// A temporary would end before it is read.
  explicit boost_graph_view(const Graph&&) = delete;
  boost_graph_view(const Graph&&, VertexIndex) = delete;
  boost_graph_view(const Graph&&, VertexIndex, EdgeIndex, Vertices = {}) = delete;

  /// Boost's graph.
  const Graph& base() const noexcept { return *graph_; }
  /// V. The vertices of a filtered graph are counted at each call.
  std::size_t num_nodes() const { return detail::boost_access::count_vertices(*graph_); }
  /// E: twice Boost's where the graph is undirected. Those of a filtered graph are counted, too.
  std::size_t num_edges() const {
    return detail::boost_access::count_edges(*graph_) * (both_ways ? 2 : 1);
  }

  /// f(u, v, e) in the order of Boost's edges(g).
  template <class F>
    requires ascending
  void for_each_edge(F&& f) const {
    std::uint64_t e = 0;
    const auto [first, last] = edges(*graph_);
    for (auto it = first; it != last; ++it, ++e) {
      const node_id u = node(source(*it, *graph_)), v = node(target(*it, *graph_));
      if constexpr (both_ways) {
        f(std::min(u, v), std::max(u, v), static_cast<edge_id>(2 * e));
        f(std::max(u, v), std::min(u, v), static_cast<edge_id>(2 * e + 1));
      } else if constexpr (numbered) {
        f(u, v, static_cast<edge_id>(e));
      } else {
        f(u, v, edge(*it));
      }
    }
  }

  /// f(target, edge ID) for every edge out of u, in the order of Boost's out_edges.
  template <id AnyNode, class F>
    requires has_rows
  void for_each_out_edge(AnyNode u, F&& f) const {
    if constexpr (both_ways) {
      for_each_neighbor<true>(u, f);
    } else {
      const auto [first, last] = out_edges(vertex(u), *graph_);
      for (auto it = first; it != last; ++it) f(node(target(*it, *graph_)), edge(*it));
    }
  }

  /// f(source, edge ID) for every edge into v, in the order of Boost's in_edges.
  template <id AnyNode, class F>
    requires has_columns
  void for_each_in_edge(AnyNode v, F&& f) const {
    if constexpr (both_ways) {
      for_each_neighbor<false>(v, f);
    } else {
      const auto [first, last] = in_edges(vertex(v), *graph_);
      for (auto it = first; it != last; ++it) f(node(source(*it, *graph_)), edge(*it));
    }
  }

  /// ok; overflow: the index types cannot number the nodes or edges; malformed at i: vertex i in
  /// the order of vertices(g), or edge i in the order of edges(g), has an index out of range or one
  /// that another has, or does not match the list of vertices. Allocates a bit per node and edge.
  /// @complexity O(V + E)
  status validate() const {
    const std::size_t nodes = num_nodes(), count = num_edges();
    if (nodes > id_capacity<node_id>()) return status::overflow.at(nodes);
    if (count > id_capacity<edge_id>()) return status::overflow.at(count);
    if constexpr (!detail::boost_access::is_identity<Graph, VertexIndex> ||
                  !std::same_as<Vertices, by_number>) {
      if constexpr (!std::same_as<Vertices, by_number>) {
        if (vertices_.size() != nodes) return status::mismatch.at(vertices_.size());
      }
      std::vector<bool> seen(nodes, false);
      std::uint64_t i = 0;
      const auto [first, last] = vertices(*graph_);
      for (auto it = first; it != last; ++it, ++i) {
        const std::size_t at = index(node(*it));
        if (at >= nodes || seen[at]) return status::malformed.at(i);
        seen[at] = true;
        if constexpr (!std::same_as<Vertices, by_number>) {
          if (vertices_[at] != *it) return status::malformed.at(i);
        }
      }
    }
    if constexpr (!ascending) {
      const std::size_t boosts = detail::boost_access::count_edges(*graph_);
      std::vector<bool> seen(boosts, false);
      std::uint64_t i = 0;
      const auto [first, last] = edges(*graph_);
      for (auto it = first; it != last; ++it, ++i) {
        const std::size_t at = index(detail::boost_access::value_at(edge_index_, *it));
        if (at >= boosts || seen[at]) return status::malformed.at(i);
        seen[at] = true;
      }
    }
    return status::ok;
  }

 private:
  using descriptor = detail::boost_access::vertex_of<Graph>;

  template <id AnyNode>
  descriptor vertex(AnyNode v) const {
    if constexpr (std::same_as<Vertices, by_number>) {
      return static_cast<descriptor>(v);
    } else {
      return vertices_[index(v)];
    }
  }
  node_id node(const descriptor& v) const {
    return static_cast<node_id>(detail::boost_access::value_at(vertex_index_, v));
  }
  template <class Edge>
  edge_id edge(const Edge& e) const {
    return static_cast<edge_id>(detail::boost_access::value_at(edge_index_, e));
  }

  template <bool Outwards, id AnyNode, class F>
  void for_each_neighbor(AnyNode v, F& f) const {
    const auto self = static_cast<node_id>(v);
    const auto [first, last] = out_edges(vertex(v), *graph_);
    for (auto it = first; it != last; ++it) {
      const node_id other = node(target(*it, *graph_));
      const auto twice = static_cast<edge_id>(2 * edge(*it));
      if (other != self) {
        f(other, static_cast<edge_id>(twice + (Outwards == (self > other) ? 1 : 0)));
        continue;
      }
      // A loop is twice in its row, or once where the row is a set.
      bool again = false;
      for (auto before = first; before != it && !again; ++before) {
        again = node(target(*before, *graph_)) == self && edge(*before) == edge(*it);
      }
      if (again) continue;
      f(self, twice);
      f(self, static_cast<edge_id>(twice + 1));
    }
  }

  const Graph* graph_;
  [[no_unique_address]] VertexIndex vertex_index_;
  [[no_unique_address]] EdgeIndex edge_index_;
  [[no_unique_address]] Vertices vertices_;
};

/// @{
/// Indices not given are the graph's own, as in the constructors; vertices by index become a span.
template <class Graph>
boost_graph_view(const Graph&)
    -> boost_graph_view<Graph, typename detail::boost_access::own_vertex_index<Graph>::type,
                        typename detail::boost_access::own_edge_index<Graph>::type>;
template <class Graph, class VertexIndex>
boost_graph_view(const Graph&, VertexIndex)
    -> boost_graph_view<Graph, VertexIndex,
                        typename detail::boost_access::own_edge_index<Graph>::type>;
template <class Graph, class VertexIndex, class EdgeIndex>
boost_graph_view(const Graph&, VertexIndex, EdgeIndex)
    -> boost_graph_view<Graph, VertexIndex, EdgeIndex>;
template <class Graph, class VertexIndex, class EdgeIndex, std::ranges::contiguous_range Vertices>
boost_graph_view(const Graph&, VertexIndex, EdgeIndex, const Vertices&)
    -> boost_graph_view<Graph, VertexIndex, EdgeIndex,
                        std::span<const std::ranges::range_value_t<Vertices>>>;
/// @}

}  // namespace halograph
