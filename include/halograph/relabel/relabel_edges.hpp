// SPDX-License-Identifier: BSL-1.0
/// @file relabel_edges.hpp
/// Number edges anew so that each (part of the target, edge type) owns one contiguous range.
/// Layer: relabel (no allocation, no exceptions). Words: README.md.
#pragma once

#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/concepts.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace halograph {

/// The homogenised original ID of an edge is its ID in the graph.
struct same_edge_id {
  template <id Edge>
  constexpr std::uint64_t operator()(Edge e) const noexcept {
    return static_cast<std::uint64_t>(e);
  }
};

/// Marks edges that were left out, in new_of_edge.
template <id Edge>
inline constexpr Edge dropped_edge = static_cast<Edge>(~std::make_unsigned_t<Edge>{0});

/// Sort edges by (part of the target, edge type, new ID of the target, original ID).
///
/// @param g             V nodes, E edges, in-edges of a node in ascending original ID
/// @param owner         [V] part of each node
/// @param old_of_new    [V] nodes by (part, type, ID): relabel_nodes_into
/// @param part_begin    [P+1] first new node ID of each part
/// @param type_begin  [R+1] first homogenised original ID of each edge type; last: E
/// @param original      homogenised original ID of an edge of g; same_edge_id where g has it
/// @param drop_cut      leave edges out whose ends live in different parts; they get dropped_edge
/// @param bounds        [P*R+1] out: new IDs of cell (p, r) are [bounds[p*R+r], bounds[p*R+r+1])
/// @param new_of_edge   [E] out, at the edge's ID in g
/// @param run           where the loop over parts runs; same result anywhere
/// @errors       capacity; overflow: Edge cannot number E edges (and mark dropped ones)
/// @complexity   O(V + E log R + P*R) time, O(1) extra space
/// @repeatable   yes
template <in_adjacency Graph, unsigned_id Part, id Node, id Edge, class Original = same_edge_id,
          executor Executor = sequential>
constexpr status relabel_edges_into(const Graph& g, std::span<const Part> owner, std::span<const Node> old_of_new,
                                    std::span<const std::uint64_t> part_begin,
                                    std::span<const std::uint64_t> type_begin, const Original& original, bool drop_cut,
                                    std::span<std::uint64_t> bounds, std::span<Edge> new_of_edge,
                                    const Executor& run = {}) {
  using graph_node = node_id_t<Graph>;
  if (type_begin.empty() || part_begin.empty()) return status::mismatch;
  const std::size_t types = type_begin.size() - 1, parts = part_begin.size() - 1, cells = parts * types;
  const auto edges = static_cast<std::size_t>(type_begin.back());
  if (edges > id_capacity<Edge>() - (drop_cut ? 1 : 0)) return status::overflow.at(edges);
  if (bounds.size() < cells + 1) return status::capacity.at(cells + 1);
  if (new_of_edge.size() < edges) return status::capacity.at(edges);

  // f(edge, edge type) for the inner edges of part p, in the order of their ranks within a type.
  const auto visit = [&](std::size_t p, auto&& f) {
    for (auto i = static_cast<std::size_t>(part_begin[p]); i < part_begin[p + 1]; ++i) {
      std::size_t type = 0;
      for_each_in_edge(g, static_cast<graph_node>(old_of_new[i]), [&](auto u, auto e) {
        if (drop_cut && owner[index(u)] != p) {
          f(e, types);
          return;
        }
        if (types > 1) {
          const std::uint64_t old = original(e);
          if (old < type_begin[type]) type = 0;
          if (old >= type_begin[type + 1]) {
            const auto next = std::upper_bound(type_begin.begin() + static_cast<std::ptrdiff_t>(type) + 1,
                                               type_begin.end() - 1, old);
            type = static_cast<std::size_t>(next - type_begin.begin()) - 1;
          }
        }
        f(e, type);
      });
    }
  };
  for (std::size_t cell = 0; cell <= cells; ++cell) bounds[cell] = 0;
  run.parallel_for(0, parts, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t p = first; p < last; ++p) {
      visit(p, [&](auto, std::size_t type) {
        if (type < types) ++bounds[p * types + type];
      });
    }
  });
  std::uint64_t sum = 0;
  for (std::size_t cell = 0; cell <= cells; ++cell) {
    const std::uint64_t count = bounds[cell];
    bounds[cell] = sum;
    sum += count;
  }
  if (parts == 1 && !drop_cut) {
    // One part: nothing is renumbered.
    for (std::size_t v = 0; v < owner.size(); ++v) {
      for_each_in_edge(g, static_cast<graph_node>(v),
                       [&](auto, auto e) { new_of_edge[index(e)] = static_cast<Edge>(original(e)); });
    }
    return status::ok;
  }
  run.parallel_for(0, parts, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t p = first; p < last; ++p) {
      visit(p, [&](auto e, std::size_t type) {
        new_of_edge[index(e)] =
            type < types ? static_cast<Edge>(bounds[p * types + type]++) : dropped_edge<Edge>;
      });
    }
  });
  for (std::size_t cell = cells; cell > 0; --cell) bounds[cell] = bounds[cell - 1];
  bounds[0] = 0;
  return status::ok;
}

}  // namespace halograph
