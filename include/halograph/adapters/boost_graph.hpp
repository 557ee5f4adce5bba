// SPDX-License-Identifier: BSL-1.0
/// @file boost_graph.hpp
/// Boost.Graph in both directions: Boost's graphs are ours where they lie, our graphs are Boost's,
/// and owners, new and local IDs are property maps.
/// Layer: adapters (models graph of graph/concepts.hpp; Boost.Graph). Words: README.md.
///
///     hg::boost_graph_view view(g);                            // any Boost graph with vertices(g)
///     and edges(g) auto owner = hg::assign(view, hg::metis{.parts = 4}); auto owners =
///     hg::owner_map(owner);                      // get(owners, v) in any algorithm of Boost's
///
/// | Boost's graph | models | edge ID |
/// | --- | --- | --- |
/// | `adjacency_list<..., vecS, ...>` | edge_list | the edge's place in edges(g) |
/// | the same with an edge_index, inside or given | out_adjacency; in_adjacency where Boost has in_edges | the index |
/// | `compressed_sparse_row_graph` | edge_list, out_adjacency; bidirectional: in_adjacency | its own edge_index |
/// | vertices that are no numbers (listS, setS) | as above; adjacency needs the vertices by index | as above |
///
/// An undirected edge is two of ours: edge k of Boost's is 2k from its smaller end to its larger
/// and 2k + 1 back; a loop is both, as Boost counts it twice in the degree. The vertices and edges
/// that a `filtered_graph` lets through are counted each time that they are asked for.
#pragma once

#if !__has_include(<boost/graph/graph_traits.hpp>)
#error \
    "halograph/adapters/boost_graph.hpp needs Boost.Graph's headers, 1.74 or newer (Debian: libboost-dev)"
#else

#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/core/unmet.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/graph/coo.hpp>
#include <halograph/graph/csr.hpp>
#include <halograph/halo/expand.hpp>
#include <halograph/relabel/relabeling.hpp>

#include <boost/graph/graph_traits.hpp>
#include <boost/graph/properties.hpp>
#include <boost/property_map/property_map.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace boost {
// Their headers are for those who use these graphs.
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

/// Tells the counts of the graph that it filters.
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
/// edge_index inside the graph is used where there is one; `by_position{}` leaves it aside.
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
      "boost_graph_view: with an edge index, vertices that are no numbers must be given by index, and the graph must have "
      "out_edges; or number the edges by_position");

 public:
  using node_id = detail::boost_access::value_in<VertexIndex>;
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
  /// A temporary would be gone before it is read.
  explicit boost_graph_view(const Graph&&) = delete;
  boost_graph_view(const Graph&&, VertexIndex) = delete;
  boost_graph_view(const Graph&&, VertexIndex, EdgeIndex, Vertices = {}) = delete;

  const Graph& base() const noexcept { return *graph_; }
  std::size_t num_nodes() const { return detail::boost_access::count_vertices(*graph_); }
  /// Twice Boost's where the graph is undirected.
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
  /// that another has, or is not what the list of vertices says. Allocates a bit per node and edge.
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
      // A loop stands twice in its row, or once where the row is a set.
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

// --- results as property maps
// ---------------------------------------------------------------------

/// The index of a vertex that is a number: itself.
using vertex_number_map = boost::typed_identity_property_map<std::size_t>;

namespace detail {
template <class Values, class VertexIndex>
auto values_by_index(const Values& values, VertexIndex index_of) {
  using value = std::ranges::range_value_t<Values>;
  return boost::iterator_property_map<const value*, VertexIndex, value, const value&>(
      std::ranges::data(values), index_of);
}
}  // namespace detail

/// The part of each vertex. A property map over the caller's memory; copies nothing.
/// @param owner     [V] part of each node: a vector, array, span ...; must outlive the map
/// @param vertices  property map: the index of each vertex
template <std::ranges::contiguous_range Owner, class VertexIndex = vertex_number_map>
  requires std::ranges::borrowed_range<Owner>
auto owner_map(Owner&& owner, VertexIndex vertices = {}) {
  return detail::values_by_index(owner, vertices);
}

/// Whether a part owns a vertex: the vertex predicate of `boost::filtered_graph` that shows the
/// part where it lies.
template <class OwnerMap>
class in_part {
 public:
  in_part() = default;  // asked for by Boost's filters
  in_part(OwnerMap owners, detail::boost_access::value_in<OwnerMap> part)
      : owners_(std::move(owners)), part_(part) {}
  template <class Vertex>
  bool operator()(const Vertex& v) const {
    return detail::boost_access::value_at(owners_, v) == part_;
  }

 private:
  OwnerMap owners_{};
  detail::boost_access::value_in<OwnerMap> part_{};
};

/// The new ID of each vertex. A property map over the plan's memory.
template <id Node, id Edge, class VertexIndex = vertex_number_map>
auto new_node_map(const relabeling<Node, Edge>& plan, VertexIndex vertices = {}) {
  return detail::values_by_index(plan.new_node, vertices);
}
template <id Node, id Edge, class VertexIndex = vertex_number_map>
auto new_node_map(const relabeling<Node, Edge>&&, VertexIndex = {}) = delete;

/// The new ID of each edge. A property map over the plan's memory.
/// @param edges  property map: the index of each edge
template <id Node, id Edge, class EdgeIndex>
auto new_edge_map(const relabeling<Node, Edge>& plan, EdgeIndex edges) {
  return detail::values_by_index(plan.new_edge, edges);
}
template <id Node, id Edge, class EdgeIndex>
auto new_edge_map(const relabeling<Node, Edge>&&, EdgeIndex) = delete;

/// The part of each edge, which is the part of its target. A readable property map keyed by edges.
template <boost_graph Graph, class OwnerMap>
class edge_owner_map {
 public:
  using key_type = detail::boost_access::edge_of<Graph>;
  using value_type = detail::boost_access::value_in<OwnerMap>;
  using reference = value_type;
  using category = boost::readable_property_map_tag;

  /// @param g       must outlive the map
  /// @param owners  property map: the part of each vertex (owner_map)
  edge_owner_map(const Graph& g, OwnerMap owners) : graph_(&g), owners_(std::move(owners)) {}
  edge_owner_map(const Graph&&, OwnerMap) = delete;

  value_type operator[](const key_type& e) const {
    return detail::boost_access::value_at(owners_, target(e, *graph_));
  }
  friend value_type get(const edge_owner_map& map, const key_type& e) { return map[e]; }

 private:
  const Graph* graph_;
  OwnerMap owners_;
};

/// The local ID of each vertex in one part: its place among the part's nodes, inner ones first. A
/// readable property map; `absent<std::uint64_t>` where the part does not hold the vertex. Copies
/// share their memory, 16 bytes per HALO node. @complexity O(log of the part's nodes) per vertex
template <id Node, class VertexIndex = vertex_number_map>
class local_id_map {
 public:
  using key_type = typename boost::property_traits<VertexIndex>::key_type;
  using value_type = std::uint64_t;
  using reference = std::uint64_t;
  using category = boost::readable_property_map_tag;

  /// @param expanded  must outlive the map
  /// @param vertices  property map: the index of each vertex
  template <id Edge>
  explicit local_id_map(const halo<Node, Edge>& expanded, VertexIndex vertices = {})
      : inner_(std::span<const Node>(expanded.nodes).first(expanded.inner_nodes)),
        vertices_(std::move(vertices)) {
    std::vector<std::pair<Node, std::uint64_t>> outer;
    outer.reserve(expanded.nodes.size() - expanded.inner_nodes);
    for (std::size_t i = expanded.inner_nodes; i < expanded.nodes.size(); ++i)
      outer.emplace_back(expanded.nodes[i], i);
    std::sort(outer.begin(), outer.end());
    halo_ = std::make_shared<const std::vector<std::pair<Node, std::uint64_t>>>(std::move(outer));
  }
  template <id Edge>
  explicit local_id_map(const halo<Node, Edge>&&, VertexIndex = {}) = delete;

  std::uint64_t operator[](const key_type& vertex) const {
    const auto v = static_cast<Node>(detail::boost_access::value_at(vertices_, vertex));
    if (const auto at = std::lower_bound(inner_.begin(), inner_.end(), v);
        at != inner_.end() && *at == v) {
      return static_cast<std::uint64_t>(at - inner_.begin());
    }
    const auto at = std::lower_bound(
        halo_->begin(), halo_->end(), v,
        [](const auto& entry, Node node) { return entry.first < node; });
    return at != halo_->end() && at->first == v ? at->second : absent<std::uint64_t>;
  }
  /// Whether the part owns the vertex.
  bool is_inner(const key_type& vertex) const { return (*this)[vertex] < inner_.size(); }
  friend std::uint64_t get(const local_id_map& map, const key_type& vertex) { return map[vertex]; }

 private:
  std::span<const Node> inner_;  // ascending
  std::shared_ptr<const std::vector<std::pair<Node, std::uint64_t>>> halo_;
  VertexIndex vertices_;
};

template <id Node, id Edge>
local_id_map(const halo<Node, Edge>&) -> local_id_map<Node>;
template <id Node, id Edge, class VertexIndex>
local_id_map(const halo<Node, Edge>&, VertexIndex) -> local_id_map<Node, VertexIndex>;

/// The node that each local ID stands for: the inverse of local_id_map, keyed by local IDs.
template <id Node, id Edge>
auto node_map(const halo<Node, Edge>& expanded) {
  return detail::values_by_index(expanded.nodes, vertex_number_map{});
}
template <id Node, id Edge>
auto node_map(const halo<Node, Edge>&&) = delete;

// --- our graphs as Boost's
// ------------------------------------------------------------------------

/// Our storages with Boost's interface. In a namespace of their own: Boost's names are not ours.
namespace bgl {

/// An edge: its ends, and where it stands in the storage.
template <id Node>
struct edge_descriptor {
  Node from{};
  Node to{};
  std::size_t position = 0;
  friend constexpr bool operator==(const edge_descriptor& a, const edge_descriptor& b) noexcept {
    return a.position == b.position;
  }
  friend constexpr bool operator<(const edge_descriptor& a, const edge_descriptor& b) noexcept {
    return a.position < b.position;
  }
  friend std::size_t hash_value(const edge_descriptor& e) noexcept { return e.position; }
};

/// Counts, and shows what stands at the count.
template <class Value, class Show>
class iterator {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = Value;
  using difference_type = std::ptrdiff_t;
  using pointer = const Value*;
  using reference = Value;

  iterator() = default;
  iterator(Show show, std::size_t at) : show_(show), at_(at) {}
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
  friend bool operator==(const iterator& a, const iterator& b) { return a.at_ == b.at_; }
  friend bool operator!=(const iterator& a, const iterator& b) { return a.at_ != b.at_; }

 private:
  Show show_{};
  std::size_t at_ = 0;
};

/// The count itself.
template <id Node>
struct show_node {
  Node operator()(std::size_t i) const { return static_cast<Node>(i); }
};

/// What all graphs here share: vertices are node IDs.
template <id Node>
struct graph_base {
  using vertex_descriptor = Node;
  using edge_descriptor = bgl::edge_descriptor<Node>;
  using directed_category = boost::directed_tag;
  using edge_parallel_category = boost::allow_parallel_edge_tag;
  using vertex_iterator = iterator<Node, show_node<Node>>;
  using vertices_size_type = std::size_t;
  using edges_size_type = std::size_t;
  using degree_size_type = std::size_t;
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
  using edge_id = Edge;
  using edge_iterator = iterator<bgl::edge_descriptor<Node>, show>;
  using out_edge_iterator = void;
  using in_edge_iterator = void;
  using adjacency_iterator = void;

  explicit edge_list_graph(const coo_view<Node, Edge>& columns) : columns_(columns) {}
  const coo_view<Node, Edge>& base() const noexcept { return columns_; }
  Edge edge_at(std::size_t position) const noexcept { return static_cast<Edge>(position); }
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
  using edge_id = Edge;
  using edge_iterator = iterator<bgl::edge_descriptor<Node>, show_any>;
  using out_edge_iterator = iterator<bgl::edge_descriptor<Node>, show_out>;
  using in_edge_iterator = void;
  using adjacency_iterator = iterator<Node, show_target>;

  explicit row_graph(const rows_view& rows) : rows_(rows) {}
  const rows_view& base() const noexcept { return rows_; }
  Edge edge_at(std::size_t position) const noexcept { return rows_.edge_at(position); }
  /// @complexity O(log V) for each edge that is looked at; out_edges finds its source at once
  std::pair<edge_iterator, edge_iterator> all_edges() const {
    return {edge_iterator(show_any{rows_}, 0), edge_iterator(show_any{rows_}, rows_.num_edges())};
  }
  std::pair<out_edge_iterator, out_edge_iterator> row(Node u) const {
    return {out_edge_iterator(show_out{rows_, u}, rows_.row_begin(index(u))),
            out_edge_iterator(show_out{rows_, u}, rows_.row_end(index(u)))};
  }
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

/// Edge IDs of a graph of this namespace, as a readable property map.
template <detail::any_graph G>
struct edge_index_map {
  using key_type = typename G::edge_descriptor;
  using value_type = typename G::edge_id;
  using reference = value_type;
  using category = boost::readable_property_map_tag;
  G graph;
  value_type operator[](const key_type& e) const { return graph.edge_at(e.position); }
  friend value_type get(const edge_index_map& map, const key_type& e) { return map[e]; }
};

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

/// A part with its HALO for Boost's algorithms: vertices are local IDs, edges stand in the part's
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
template <halograph::bgl::detail::any_graph G>
struct property_map<G, vertex_index_t> {
  using type = typed_identity_property_map<typename G::vertex_descriptor>;
  using const_type = type;
};
template <halograph::bgl::detail::any_graph G>
struct property_map<G, edge_index_t> {
  using type = halograph::bgl::edge_index_map<G>;
  using const_type = type;
};
}  // namespace boost

#endif
