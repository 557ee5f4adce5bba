// SPDX-License-Identifier: BSL-1.0
/// @file property_maps.hpp
/// Owners, new IDs and local IDs as Boost's property maps.
/// Layer: adapters (Boost.Graph). Words: README.md.
#pragma once

#include <halograph/adapters/boost_graph/view.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/halo/expand.hpp>
#include <halograph/relabel/relabeling.hpp>

#include <boost/property_map/property_map.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

namespace halograph {

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
/// part without a copy.
template <class OwnerMap>
class in_part {
 public:
  in_part() = default;  // asked for by Boost's filters
  /// @param owners  property map: the part of each vertex (owner_map)
  /// @param part    the one to show
  in_part(OwnerMap owners, detail::boost_access::value_in<OwnerMap> part)
      : owners_(std::move(owners)), part_(part) {}
  /// Whether the part owns v.
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
  /// @{
  /// As boost::property_traits asks for.
  using key_type = detail::boost_access::edge_of<Graph>;
  using value_type = detail::boost_access::value_in<OwnerMap>;
  using reference = value_type;
  using category = boost::readable_property_map_tag;
  /// @}

  /// @param g       must outlive the map
  /// @param owners  property map: the part of each vertex (owner_map)
  edge_owner_map(const Graph& g, OwnerMap owners) : graph_(&g), owners_(std::move(owners)) {}
  edge_owner_map(const Graph&&, OwnerMap) = delete;

  /// @{
  /// The part of an edge.
  value_type operator[](const key_type& e) const {
    return detail::boost_access::value_at(owners_, target(e, *graph_));
  }
  friend value_type get(const edge_owner_map& map, const key_type& e) { return map[e]; }
  /// @}

 private:
  const Graph* graph_;
  OwnerMap owners_;
};

/// The local ID of each vertex in one part: its position among the part's nodes, inner ones first.
/// A readable property map; `absent<std::uint64_t>` where the part does not hold the vertex. Copies
/// share their memory, 16 bytes per HALO node. @complexity O(log of the part's nodes) per vertex
template <id Node, class VertexIndex = vertex_number_map>
class local_id_map {
 public:
  /// @{
  /// As boost::property_traits asks for.
  using key_type = typename boost::property_traits<VertexIndex>::key_type;
  using value_type = std::uint64_t;
  using reference = std::uint64_t;
  using category = boost::readable_property_map_tag;
  /// @}

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

  /// The local ID of a vertex, or `absent<std::uint64_t>`.
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
  /// As operator[].
  friend std::uint64_t get(const local_id_map& map, const key_type& vertex) { return map[vertex]; }

 private:
  std::span<const Node> inner_;  // ascending
  std::shared_ptr<const std::vector<std::pair<Node, std::uint64_t>>> halo_;
  VertexIndex vertices_;
};

/// @{
/// Node comes from the part; vertices are numbers where no index of theirs is given.
template <id Node, id Edge>
local_id_map(const halo<Node, Edge>&) -> local_id_map<Node>;
template <id Node, id Edge, class VertexIndex>
local_id_map(const halo<Node, Edge>&, VertexIndex) -> local_id_map<Node, VertexIndex>;
/// @}

/// The node of each local ID: the inverse of local_id_map, keyed by local IDs.
template <id Node, id Edge>
auto node_map(const halo<Node, Edge>& expanded) {
  return detail::values_by_index(expanded.nodes, vertex_number_map{});
}
template <id Node, id Edge>
auto node_map(const halo<Node, Edge>&&) = delete;

}  // namespace halograph
