// SPDX-License-Identifier: BSL-1.0
/// @file plan.hpp
/// From an assignment to new IDs: the whole relabeling of a graph, in memory of its own.
/// Layer: relabel (no exceptions but through raise()). Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/graph/build.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/graph/hetero.hpp>
#include <halograph/relabel/fwd.hpp>
#include <halograph/relabel/order.hpp>
#include <halograph/relabel/relabel_edges.hpp>
#include <halograph/relabel/relabel_nodes.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

/// Old and new IDs of all nodes and edges, homogenized, and the range of each (part, type).
template <id Node, id Edge>
struct relabel_plan {
  std::size_t parts = 0;
  std::vector<std::uint64_t> node_type_offsets{};  ///< [T+1] first original ID of each node type
  std::vector<std::uint64_t> edge_type_offsets{};  ///< [R+1] first original ID of each edge type
  std::vector<std::uint64_t> node_bounds{};        ///< [P*T+1] first new ID of each (part, type)
  std::vector<std::uint64_t> edge_bounds{};        ///< [P*R+1]
  std::vector<Node> old_node{};                    ///< [V] original ID of each new node ID
  std::vector<Node> new_node{};                    ///< [V] new ID of each original node ID
  std::vector<Edge> old_edge{};                    ///< [E] original ID of each new edge ID
  std::vector<Edge> new_edge{};                    ///< [E] new ID of each original edge ID

  std::size_t num_node_types() const noexcept {
    return node_type_offsets.empty() ? 0 : node_type_offsets.size() - 1;
  }
  std::size_t num_edge_types() const noexcept {
    return edge_type_offsets.empty() ? 0 : edge_type_offsets.size() - 1;
  }
  /// New node IDs of (part, type). @errors raises out_of_range: no such part or type
  id_range nodes(std::size_t part, std::size_t type = 0) const {
    return cell(node_bounds, num_node_types(), part, type, "node type ");
  }
  /// New edge IDs of (part of the target, edge type). @errors raises out_of_range: no such part or
  /// type
  id_range edges(std::size_t part, std::size_t type = 0) const {
    return cell(edge_bounds, num_edge_types(), part, type, "edge type ");
  }

 private:
  id_range cell(const std::vector<std::uint64_t>& bounds, std::size_t types, std::size_t part,
                std::size_t type, const char* what) const {
    if (part >= parts || type >= types) {
      raise(errc::out_of_range, "part " + std::to_string(part) + ", " + what +
                                    std::to_string(type) + " does not exist; there are " +
                                    std::to_string(parts) + " parts and " + std::to_string(types) +
                                    " such types, numbered from 0");
    }
    return {bounds[part * types + type], bounds[part * types + type + 1]};
  }
};

/// Relabel any graph.
///
/// @param g      any graph; with types where it tells their offsets (typed_graph); its node IDs and
///     edge IDs are homogenized
/// @param owner  [V] part of each node
/// @param parts  P; 0: the largest owner + 1
/// @param order  of the nodes inside each (part, type): original_order, descending_degree,
///     breadth_first or one's own
/// @errors       raises mismatch: owner.size() != V; out_of_range: a part >= P, or an end of an
///     edge that is no node, or an edge ID of E or more; mismatch: an edge ID given to two edges;
///     overflow: the graph's ID types are too narrow for it
/// @complexity   O(V + E log R) time; one bit per edge more where the graph hands out edge IDs of
///     its own
template <graph Graph, std::ranges::contiguous_range Owner, class Order = original_order>
  requires node_order<Order, csc_view<node_id_t<Graph>, edge_id_t<Graph>>, node_id_t<Graph>>
auto relabel(const Graph& g, const Owner& owner, std::size_t parts = 0, const Order& order = {}) {
  using node = node_id_t<Graph>;
  using edge = edge_id_t<Graph>;
  const std::span<const std::ranges::range_value_t<Owner>> owners(owner);
  if constexpr (requires {
                  { g.validate() } -> std::same_as<status>;
                }) {
    // What a view of columns can tell better than its edges can: typed IDs beyond their type.
    const status sound = g.validate();
    if (sound == status::out_of_range) {
      raise(sound.code, "edge " + std::to_string(sound.position) +
                            " has an end that is no node; IDs must be 0 to " +
                            std::to_string(num_nodes(g) == 0 ? 0 : num_nodes(g) - 1) +
                            ", typed ones below the number of nodes of their type");
    }
    check(
        sound,
        sound == status::overflow
            ? "the graph has more nodes or edges than its ID types can number; use wider ones"
            : "the columns and offsets of the graph do not fit together; validate() names the place");
  }
  const std::size_t nodes = num_nodes(g);
  if (owners.size() != nodes) {
    raise(errc::mismatch, "the assignment names a part for " + std::to_string(owners.size()) +
                              " nodes, the graph has " + std::to_string(nodes) +
                              "; it must name one part per node");
  }
  if (parts == 0)
    parts = nodes == 0
                ? 0
                : static_cast<std::size_t>(*std::max_element(owners.begin(), owners.end())) + 1;

  relabel_plan<node, edge> plan;
  plan.parts = parts;
  const csc_arrays<node, edge> rows = build_csc<node, edge>(g);
  const std::size_t edges = rows.sources.size();
  if constexpr (typed_graph<Graph>) {
    plan.node_type_offsets.assign(g.node_type_offsets().begin(), g.node_type_offsets().end());
    plan.edge_type_offsets.assign(g.edge_type_offsets().begin(), g.edge_type_offsets().end());
  } else {
    plan.node_type_offsets = {0, nodes};
    plan.edge_type_offsets = {0, edges};
  }
  check(plan.num_node_types() == 0 && nodes != 0 ? status::mismatch : status::ok,
        "the types' offsets do not span the graph's nodes");
  plan.node_bounds.resize(parts * plan.num_node_types() + 1);
  plan.edge_bounds.resize(parts * plan.num_edge_types() + 1);
  plan.old_node.resize(nodes);
  plan.new_node.resize(nodes);
  const order_sizes needed = order.sizes(nodes, plan.num_node_types());
  std::vector<node> scratch_nodes(needed.nodes);
  std::vector<std::uint64_t> scratch_words(needed.words);
  const status placed = relabel_nodes_into(
      rows.view(), owners, std::span<const std::uint64_t>(plan.node_type_offsets), parts, order,
      std::span(plan.node_bounds), std::span(plan.old_node), std::span(plan.new_node),
      order_scratch<node>{scratch_nodes, scratch_words});
  if (placed == status::out_of_range) {
    raise(placed.code, "node " + std::to_string(placed.position) +
                           " is assigned to a part outside 0 to " +
                           std::to_string(parts == 0 ? 0 : parts - 1));
  }
  check(placed, "the types' offsets do not span the graph's nodes");

  std::vector<std::uint64_t> part_begin(parts + 1);
  for (std::size_t p = 0; p <= parts; ++p)
    part_begin[p] = plan.node_bounds[p * plan.num_node_types()];
  plan.new_edge.resize(edges);
  plan.old_edge.resize(edges);
  check(relabel_edges_into(rows.view(), owners, std::span<const node>(plan.old_node),
                           std::span<const std::uint64_t>(part_begin),
                           std::span<const std::uint64_t>(plan.edge_type_offsets), same_edge_id{},
                           false, std::span(plan.edge_bounds), std::span(plan.new_edge)),
        "the types' offsets do not span the graph's edges");
  for (std::size_t e = 0; e < edges; ++e)
    plan.old_edge[index(plan.new_edge[e])] = static_cast<edge>(e);
  return plan;
}

}  // namespace halograph
