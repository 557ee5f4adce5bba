// SPDX-License-Identifier: BSL-1.0
/// @file relabel_edges.hpp
/// Number edges anew so that each (part of the target, edge type) owns one contiguous range.
/// Layer: relabel (no allocation, no exceptions). Words: README.md.
#pragma once

#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/search.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/relabel/fwd.hpp>
#include <halograph/relabel/relabel_nodes.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace halograph {

/// The global original ID of an edge is its ID in the graph.
struct same_edge_id {
  /// E itself, in 64 bits.
  template <id Edge>
  constexpr std::uint64_t operator()(Edge e) const noexcept {
    return static_cast<std::uint64_t>(e);
  }
};

/// Marks dropped edges in new_of_edge.
template <id Edge>
inline constexpr Edge dropped_edge = static_cast<Edge>(~std::make_unsigned_t<Edge>{0});

/// Sort edges by (part of the target, edge type, new ID of the target, original ID).
///
/// @param g             V nodes, E edges, in-edges of a node in ascending original ID; IDs 0 to
///     E-1, each of one edge (check_edge_ids checks that)
/// @param owner         [V] part of each node
/// @param old_of_new    [V] nodes by (part, type, ID): relabel_nodes_into. Empty, with `owner`: g
///     is in new node IDs
/// @param part_begin    [P+1] first new node ID of each part
/// @param type_begin  [R+1] first global original ID of each edge type; last: E
/// @param original      global original ID of an edge of g; same_edge_id where g has it
/// @param drop_cut      drop edges whose endpoints are in different parts; they get dropped_edge
/// @param bounds        [P*R+1] out: new IDs of cell (p, r) are [bounds[p*R+r], bounds[p*R+r+1])
/// @param new_of_edge   [E] out, at the edge's ID in g
/// @param run           where the loop over parts runs; same result anywhere
/// @errors       capacity; overflow: Edge cannot number E edges (and mark dropped ones); mismatch:
///     not one owner per node, offsets do not ascend from 0 to their end or differ from g in the
///     number of edges; out_of_range at e: edge e of g, its original ID or its source is out of
///     range
/// @complexity   O(V + E log R + P*R) time, O(1) extra space
/// @repeatable   yes
template <in_adjacency Graph, unsigned_id Part, id Node, id Edge, class Original = same_edge_id,
          executor Executor = sequential>
constexpr status relabel_edges_into(const Graph& g, std::span<const Part> owner,
                                    std::span<const Node> old_of_new,
                                    std::span<const std::uint64_t> part_begin,
                                    std::span<const std::uint64_t> type_begin,
                                    const Original& original, bool drop_cut,
                                    std::span<std::uint64_t> bounds, std::span<Edge> new_of_edge,
                                    const Executor& run = {}) {
  using graph_node = node_id_t<Graph>;
  const std::size_t nodes = num_nodes(g);
  const bool renumbered = owner.empty() && old_of_new.empty();
  if ((!renumbered && owner.size() != nodes) || !detail::are_offsets(part_begin, nodes))
    return status::mismatch.at(nodes);
  if (type_begin.empty() || !detail::are_offsets(type_begin, type_begin.back()))
    return status::mismatch;
  const std::size_t types = type_begin.size() - 1, parts = part_begin.size() - 1,
                    cells = parts * types;
  const auto edges = static_cast<std::size_t>(type_begin.back());
  // Among unsigned IDs the mark takes one.
  if (edges > id_capacity<Edge>() - (drop_cut && std::is_unsigned_v<Edge> ? 1 : 0))
    return status::overflow.at(edges);
  if (nodes > id_capacity<graph_node>()) return status::overflow.at(nodes);
  if (!detail::bounds_suffice(bounds.size(), parts, types))
    return status::capacity.at(std::uint64_t{cells} + 1);
  if (!renumbered && old_of_new.size() < nodes) return status::capacity.at(nodes);
  if (new_of_edge.size() < edges) return status::capacity.at(edges);
  for (std::size_t i = 0; i < nodes && !renumbered; ++i) {
    if (index(old_of_new[i]) >= nodes) return status::mismatch.at(i);
  }
  if (types == 0) {
    // No cell to count in: the graph must have no edge.
    status answer = status::ok;
    for (std::size_t v = 0; v < nodes; ++v) {
      for_each_in_edge(g, static_cast<graph_node>(v),
                       [&](auto, auto) { answer = status::mismatch; });
    }
    bounds[0] = 0;
    return answer;
  }

  // Calls f(edge, edge type) for the inner edges of part p, in the order of their new IDs within a
  // type. In place of a type: `types` for an edge to drop, types + 1 for one out of range.
  const auto visit = [&](std::size_t p, auto&& f) {
    for (auto i = static_cast<std::size_t>(part_begin[p]); i < part_begin[p + 1]; ++i) {
      std::size_t type = 0;
      for_each_in_edge(
          g, renumbered ? static_cast<graph_node>(i) : static_cast<graph_node>(old_of_new[i]),
          [&](auto u, auto e) {
            if (index(u) >= nodes || index(e) >= edges) {
              f(e, types + 1);
              return;
            }
            if (drop_cut && (renumbered ? index(u) < part_begin[p] || index(u) >= part_begin[p + 1]
                                        : owner[index(u)] != p)) {
              f(e, types);
              return;
            }
            if (types > 1) {
              const std::uint64_t old = original(e);
              if (old >= edges) {
                f(e, types + 1);
                return;
              }
              if (old < type_begin[type]) type = 0;
              if (old >= type_begin[type + 1]) type += range_of(type_begin.subspan(type), old);
            }
            f(e, type);
          });
    }
  };
  for (std::size_t cell = 0; cell <= cells; ++cell) bounds[cell] = 0;
  // Parts share no cell, so threads may count them. A part with an edge out of range marks its
  // first cell.
  constexpr std::uint64_t bad_part = ~std::uint64_t{0};
  run.parallel_for(0, parts, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t p = first; p < last; ++p) {
      bool bad = false;
      visit(p, [&](auto, std::size_t type) {
        if (type < types)
          ++bounds[p * types + type];
        else if (type > types)
          bad = true;
      });
      if (bad) bounds[p * types] = bad_part;
    }
  });
  status problem = status::ok;
  for (std::size_t p = 0; p < parts && problem; ++p) {
    if (bounds[p * types] != bad_part) continue;
    visit(p, [&](auto e, std::size_t type) {
      if (type > types && problem) problem = status::out_of_range.at(static_cast<std::uint64_t>(e));
    });
  }
  if (!problem) return problem;
  std::uint64_t sum = 0;
  for (std::size_t cell = 0; cell <= cells; ++cell) {
    const std::uint64_t count = bounds[cell];
    bounds[cell] = sum;
    sum += count;
  }
  if ((!drop_cut || parts == 1) && sum != edges) return status::mismatch.at(sum);
  if (parts == 1) {
    // One part: nothing is renumbered.
    for (std::size_t v = 0; v < nodes; ++v) {
      for_each_in_edge(g, static_cast<graph_node>(v), [&](auto, auto e) {
        if (original(e) >= edges && problem)
          problem = status::out_of_range.at(static_cast<std::uint64_t>(e));
        new_of_edge[index(e)] = static_cast<Edge>(original(e));
      });
    }
    return problem;
  }
  run.parallel_for(0, parts, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t p = first; p < last; ++p) {
      visit(p, [&](auto e, std::size_t type) {
        new_of_edge[index(e)] = type < types ? static_cast<Edge>(bounds[p * types + type]++)
                                             : dropped_edge<Edge>;
      });
    }
  });
  for (std::size_t cell = cells; cell > 0; --cell) bounds[cell] = bounds[cell - 1];
  bounds[0] = 0;
  return status::ok;
}

}  // namespace halograph
