// SPDX-License-Identifier: BSL-1.0
/// @file relabel_rows.hpp
/// A graph in new node IDs as rows by target, in passes that stay in cache.
/// Layer: relabel (no allocation, no exceptions). Words: README.md.
///
/// Buckets (graph/row_buckets.hpp) are chosen by old IDs, without a look-up. Rows are then counted
/// and filled near a small piece of the table of new IDs, which ascend with the old ones in each
/// part. Only the look-ups of sources are random.
#pragma once

#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/build.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/graph/row_buckets.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace halograph {

/// Put the edges of g, in new node IDs, into rows by target; a row is sorted by edge ID.
///
/// @param g         V nodes, E edges; any graph
/// @param new_node  [V] new ID of each node, a permutation
/// @param cut       row_buckets::of(V, pieces); more than 1 piece only for graphs with
///     for_each_edge_between (edge_slices.hpp)
/// @param counts    [cut.counts()] scratch
/// @param entries   [E] scratch; row_entry, or row_entry_with_id where `edges` is wanted
/// @param offsets   [V+1] out
/// @param sources   [E] out, new IDs
/// @param edges     [E] out, edge IDs, or empty, which needs an edge list
/// @param run       where pieces run; same result anywhere
/// @errors       as build_csc_into; invalid_argument: `edges` is empty although g is not an edge
///     list, or entries have no IDs
/// @complexity   O(V + E) time; two visits of every edge, and of its entry
/// @repeatable   yes
/// @source       two-level counting sort (the partitioning step of Manegold, Boncz & Kersten,
///     "Optimizing main-memory join on modern hardware", IEEE TKDE 14(4), 2002)
template <graph Graph, id Node, id Edge, class Entry, executor Executor = sequential>
constexpr status relabel_rows_into(const Graph& g, std::span<const Node> new_node,
                                   const row_buckets& cut, std::span<std::uint64_t> counts,
                                   std::span<Entry> entries, std::span<Edge> offsets,
                                   std::span<Node> sources, std::span<Edge> edges,
                                   const Executor& run = {}) {
  if (new_node.size() != num_nodes(g)) return status::mismatch.at(new_node.size());
  const auto name = [fresh = new_node.data()](auto v) { return fresh[index(v)]; };
  const status answer = detail::fill_rows_into(g, name, cut, counts, entries, offsets, sources,
                                               edges, run);
  if constexpr (std::is_same_v<Entry, row_entry_with_id<Node, Edge>> && !edge_list<Graph>) {
    if (answer) sort_rows_by_edge(std::span<const Edge>(offsets), sources, edges);
  }
  return answer;
}

}  // namespace halograph
