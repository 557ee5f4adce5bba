// SPDX-License-Identifier: BSL-1.0
/// @file relabeling.hpp
/// From an assignment to new IDs: the whole relabeling of a graph, in memory of its own.
/// Layer: relabel (no exceptions but through raise()). Words: README.md.
#pragma once

#include <halograph/book/fwd.hpp>
#include <halograph/core/checked_cast.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/id_row.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/graph/csr.hpp>
#include <halograph/relabel/fwd.hpp>
#include <halograph/relabel/order.hpp>
#include <halograph/relabel/relabel_edges.hpp>
#include <halograph/relabel/relabel_graph.hpp>
#include <halograph/schema/schema.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

/// Old and new global IDs of all nodes and edges, and the range of each (part, type).
template <id Node, id Edge>
struct relabeling {
  std::size_t parts = 0;                           ///< P
  std::vector<std::uint64_t> node_type_offsets{};  ///< [T+1] first original ID of each node type
  std::vector<std::uint64_t> edge_type_offsets{};  ///< [R+1] first original ID of each edge type
  std::vector<std::uint64_t> node_bounds{};        ///< [P*T+1] first new ID of each (part, type)
  std::vector<std::uint64_t> edge_bounds{};        ///< [P*R+1]
  std::vector<Node> old_node{};                    ///< [V] original ID of each new node ID
  std::vector<Node> new_node{};                    ///< [V] new ID of each original node ID
  std::vector<Edge> old_edge{};                    ///< [E] original ID of each new edge ID
  std::vector<Edge> new_edge{};                    ///< [E] new ID of each original edge ID

  /// T
  std::size_t num_node_types() const noexcept {
    return node_type_offsets.empty() ? 0 : node_type_offsets.size() - 1;
  }
  /// R
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

  /// Who owns which new ID. Include book/range_book.hpp (halograph.hpp does).
  /// @param schema  the types of the graph
  /// @errors  raises mismatch: the schema has other numbers of types
  template <class Book = partition_book>
  Book book(const graph_schema& schema = graph_schema::homogeneous()) const {
    return Book(schema, parts, std::span<const std::uint64_t>(node_bounds),
                std::span<const std::uint64_t>(edge_bounds));
  }

 private:
  id_range cell(const std::vector<std::uint64_t>& bounds, std::size_t types, std::size_t part,
                std::size_t type, const char* what) const {
    if (part >= parts || type >= types) {
      raise(error_kind::out_of_range, "part " + std::to_string(part) + ", " + what +
                                          std::to_string(type) + " does not exist; there are " +
                                          std::to_string(parts) + " parts and " +
                                          std::to_string(types) + " such types, numbered from 0");
    }
    return {bounds[part * types + type], bounds[part * types + type + 1]};
  }
};

/// Relabel any graph.
///
/// @param g      any graph; its types where it is a typed_graph; its node IDs and edge IDs are
///     global
/// @param owner  [V] part of each node: a vector, array, span ... of any integer type
/// @param parts  P; 0: the largest owner + 1
/// @param order  of the nodes inside each (part, type): original_order, descending_degree,
///     breadth_first or the user's own
/// @errors       raises mismatch: owner.size() != V, or two edges with the same ID; out_of_range: a
///     part < 0 or >= P, an endpoint or an edge ID; overflow: the graph's ID types are too narrow
///     for it
/// @complexity   O(V + E log R) time; one more bit per edge where the graph has edge IDs of its own
template <graph Graph, id_row Owner, class Order = original_order>
  requires node_order<Order, csc_view<node_id_t<Graph>, edge_id_t<Graph>>, node_id_t<Graph>>
auto relabel(const Graph& g, const Owner& owner, std::size_t parts = 0, const Order& order = {}) {
  using node = node_id_t<Graph>;
  using edge = edge_id_t<Graph>;
  const auto owners = parts_of(owner);
  if constexpr (validates<Graph>) {
    // A view of columns sees what its edges do not show: typed IDs beyond their type.
    const status sound = g.validate();
    if (sound == status::out_of_range) {
      raise(sound.code, "edge " + std::to_string(sound.position) +
                            " has an endpoint out of range; IDs must be 0 to " +
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
  detail::require_owners(owners.size(), nodes);
  if (parts == 0)
    parts = nodes == 0
                ? 0
                : std::size_t{checked_cast<part_id>(*std::max_element(owners.begin(), owners.end()),
                                                    "the part of a node")} +
                      1;

  relabeling<node, edge> made;
  made.parts = parts;
  detail::type_offsets_of(g, made.node_type_offsets, made.edge_type_offsets);
  made.node_bounds.resize(parts * made.num_node_types() + 1);
  made.old_node.resize(nodes);
  made.new_node.resize(nodes);
  detail::number_nodes<node, edge>(owners, std::span<const std::uint64_t>(made.node_type_offsets),
                                   parts, order, std::span(made.node_bounds),
                                   std::span(made.old_node), std::span(made.new_node), sequential{},
                                   [&] { return build_csc<node, edge>(g); });
  const auto rows = detail::make_relabeled_rows<true, edge>(
      g, std::span<const node>(made.new_node), std::span<const node>(made.old_node), sequential{});

  std::vector<std::uint64_t> part_begin(parts + 1);
  for (std::size_t p = 0; p <= parts; ++p)
    part_begin[p] = made.node_bounds[p * made.num_node_types()];
  const std::size_t edges = rows.sources.size();
  made.edge_bounds.resize(parts * made.num_edge_types() + 1);
  made.new_edge.resize(edges);
  made.old_edge.resize(edges);
  const csc_view<node, edge> view(rows.offsets.values(), rows.sources.values(),
                                  rows.edges.values());
  check(relabel_edges_into(view, std::span<const part_id>(), std::span<const node>(),
                           std::span<const std::uint64_t>(part_begin),
                           std::span<const std::uint64_t>(made.edge_type_offsets), same_edge_id{},
                           false, std::span(made.edge_bounds), std::span(made.new_edge)),
        "the types' offsets do not span the graph's edges");
  for (std::size_t e = 0; e < edges; ++e)
    made.old_edge[index(made.new_edge[e])] = static_cast<edge>(e);
  return made;
}

// Sentences for the commonest mistakes, which compilers print first, at the line of the call.
template <class Graph, class Owner, class Order = original_order>
  requires detail::list_of_pairs<Graph>
__attribute__((unavailable(
    "graph: a list of pairs does not say how many nodes there are; wrap it: edge_pairs(nodes, pairs)")))
relabeling<std::uint64_t, std::uint64_t>
relabel(const Graph&, const Owner&, std::size_t = 0, const Order& = {});
template <class Graph, class Owner, class Order = original_order>
  requires(!graph<Graph> && !detail::list_of_pairs<Graph>)
__attribute__((unavailable(
    "graph: needs num_nodes(g), and one of for_each_in_neighbor, for_each_out_neighbor, for_each_edge, for_each_in_edge, for_each_out_edge")))
relabeling<std::uint64_t, std::uint64_t>
relabel(const Graph&, const Owner&, std::size_t = 0, const Order& = {});
template <graph Graph, class Owner, class Order = original_order>
  requires(!id_row<Owner>)
__attribute__((unavailable(
    "id_row: owners need contiguous memory of integers, as a vector, array or span of them has")))
relabeling<std::uint64_t, std::uint64_t>
relabel(const Graph&, const Owner&, std::size_t = 0, const Order& = {});

}  // namespace halograph
