// SPDX-License-Identifier: BSL-1.0
/// @file cut_edges.hpp
/// The edges that leave each part, grouped by source, so that expanding one part does not visit the
/// edges of the others.
/// Layer: halo (no allocation, no exceptions). Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/halo/fwd.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace halograph {

/// Edges whose source and target are in different parts, as rows of their sources. Rows are in the
/// order of `members` (part by part, ascending); a row is sorted by (part of the target, target,
/// edge).
template <id Node, id Edge>
struct cut_edges_view {
  std::span<const Edge> offsets{};  ///< [V+1] row of the r-th member
  std::span<const Node> targets{};  ///< [C]
  std::span<const Edge> edges{};    ///< [C] edge IDs
};

/// Count the edges that cross parts. Endpoints out of range are skipped; group_cut_edges_into
/// reports them.
///
/// @param owner  [V] part of each node
/// @complexity   O(V + E)
template <in_adjacency Graph, unsigned_id Part>
constexpr std::uint64_t count_cut_edges(const Graph& g, std::span<const Part> owner) {
  std::uint64_t count = 0;
  const std::size_t nodes = std::min<std::size_t>(owner.size(), num_nodes(g));
  for (std::size_t v = 0; v < nodes; ++v) {
    const Part part = owner[v];
    for_each_in_edge(g, static_cast<node_id_t<Graph>>(v), [&](auto u, auto) {
      count += index(u) < nodes && owner[index(u)] != part ? 1u : 0u;
    });
  }
  return count;
}

/// Entries of cut_edges_view::offsets; the other columns have one entry per cut edge
/// (count_cut_edges).
constexpr std::size_t cut_offsets_count(std::size_t nodes) noexcept { return nodes + 1; }

/// Group the cut edges.
///
/// @param g        V nodes, E edges
/// @param owner    [V] part of each node
/// @param members  [V] nodes part by part (group_members_into)
/// @param cursor   [V] scratch, overwritten
/// @param offsets  [V+1] out
/// @param targets  [C] out; C = count_cut_edges(g, owner)
/// @param edges    [C] out
/// @errors       capacity: a span is too small (position: the size that suffices); mismatch: not
///     one owner per node; overflow: Node cannot number V nodes, or Edge the cut edges;
///     out_of_range at e: the source of edge e is out of range
/// @complexity   O(V + E) time; two visits of every edge
template <in_adjacency Graph, unsigned_id Part, id Node, id Edge>
constexpr status group_cut_edges_into(const Graph& g, std::span<const Part> owner,
                                      std::span<const Node> members, std::span<Edge> cursor,
                                      std::span<Edge> offsets, std::span<Node> targets,
                                      std::span<Edge> edges) {
  const std::size_t nodes = owner.size();
  if (nodes != num_nodes(g)) return status::mismatch.at(nodes);
  if (nodes > id_capacity<Node>() || nodes > id_capacity<node_id_t<Graph>>())
    return status::overflow.at(nodes);
  if (members.size() < nodes || cursor.size() < nodes) return status::capacity.at(nodes);
  if (offsets.size() <= nodes) return status::capacity.at(std::uint64_t{nodes} + 1);
  for (std::size_t v = 0; v < nodes; ++v) cursor[v] = 0;
  std::uint64_t count = 0;
  status problem = status::ok;
  for (std::size_t v = 0; v < nodes; ++v) {
    const Part part = owner[v];
    for_each_in_edge(g, static_cast<node_id_t<Graph>>(v), [&](auto u, auto e) {
      if (index(u) >= nodes) {
        if (problem) problem = status::out_of_range.at(static_cast<std::uint64_t>(e));
      } else if (owner[index(u)] != part) {
        if (!std::in_range<Edge>(e) && problem)
          problem = status::overflow.at(static_cast<std::uint64_t>(e));
        // Counts stop before one could overflow.
        if (++count < id_capacity<Edge>()) ++cursor[index(u)];
      }
    });
  }
  if (!problem) return problem;
  if (count >= id_capacity<Edge>()) return status::overflow.at(count);
  if (targets.size() < count || edges.size() < count) return status::capacity.at(count);
  Edge sum = 0;
  for (std::size_t rank = 0; rank < nodes; ++rank) {
    const std::size_t u = index(members[rank]);
    if (u >= nodes) return status::out_of_range.at(rank);
    offsets[rank] = sum;
    const Edge row = cursor[u];
    cursor[u] = sum;
    sum = static_cast<Edge>(sum + row);
  }
  offsets[nodes] = sum;
  // Visit targets in the order of members, which sorts each row by (part of the target, target,
  // edge).
  for (std::size_t rank = 0; rank < nodes; ++rank) {
    const Node v = members[rank];
    const Part part = owner[index(v)];
    for_each_in_edge(g, static_cast<node_id_t<Graph>>(v), [&](auto u, auto e) {
      if (owner[index(u)] == part) return;
      const std::size_t at = index(cursor[index(u)]++);
      targets[at] = v;
      edges[at] = static_cast<Edge>(e);
    });
  }
  return status::ok;
}

}  // namespace halograph
