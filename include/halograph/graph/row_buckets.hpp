// SPDX-License-Identifier: BSL-1.0
/// @file row_buckets.hpp
/// Edges into rows by target in passes that stay in cache, for build_csc and relabel_rows_into.
/// Layer: graph (no allocation, no exceptions). Words: README.md.
///
/// Edges are dealt into buckets of neighboring targets, then each bucket is sorted by target by
/// counting: every pass reads or writes front to back, or within what a core's cache holds.
#pragma once

#include <halograph/core/block_range.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/graph/edge_slices.hpp>
#include <halograph/graph/fwd.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

namespace halograph {

/// An edge in a bucket, without its ID, in the graph's node IDs.
template <id Node, id Edge>
struct row_entry {
  /// @{
  /// As in the graph.
  Node source, target;
  /// @}
};
/// The same with its ID.
template <id Node, id Edge>
struct row_entry_with_id {
  /// @{
  /// As in the graph.
  Node source, target;
  /// @}
  Edge edge;  ///< the edge's ID
};

/// How the edges of a graph are divided: a function of V and of the number of pieces asked for.
struct row_buckets {
  std::size_t pieces = 1;   ///< slices of edges that are read at once
  unsigned shift = 10;      ///< 2^shift neighboring targets share a bucket
  std::size_t buckets = 1;  ///< (V >> shift) + 1

  /// Words of scratch.
  constexpr std::size_t counts() const noexcept { return pieces * (buckets + 2); }

  /// A thousand buckets at most, so that their ends stay in the nearer caches; a thousand targets
  /// at least.
  static constexpr row_buckets of(std::size_t nodes, std::size_t pieces) noexcept {
    row_buckets out;
    out.pieces = std::max<std::size_t>(1, pieces);
    out.shift = 10;
    while ((nodes >> out.shift) >= 1024) ++out.shift;
    out.buckets = (nodes >> out.shift) + 1;
    return out;
  }
};

namespace detail {

/// Put the edges of g into rows by target, in a row in the order of the visit.
///
/// @param g         V nodes, E edges; any graph
/// @param name      the number of a node in the rows: 0 to V-1, distinct. Rows are close
///     together where the numbers ascend with the nodes
/// @param cut       row_buckets::of(V, pieces); pieces beyond 1 serve graphs with
///     for_each_edge_between alone (edge_slices.hpp)
/// @param counts    [cut.counts()] scratch
/// @param entries   [E] scratch; row_entry, or row_entry_with_id where `edges` is wanted
/// @param offsets   [V+1] out
/// @param sources   [E] out, names
/// @param edges     [E] out, edge IDs, or empty: not wanted, which takes an edge list
/// @param run       where pieces run; same result anywhere
/// @errors       capacity; overflow; out_of_range at e: an endpoint of edge e is not a node;
///     invalid_argument: edge IDs left out for a graph that is not an edge list, or entries without
///     IDs
/// @complexity   O(V + E) time; two visits of every edge, and of its entry
/// @source       two-level counting sort (the partitioning step of Manegold, Boncz & Kersten,
///     "Optimizing main-memory join on modern hardware", IEEE TKDE 14(4), 2002)
template <graph Graph, class Name, id Node, id Edge, class Entry, executor Executor>
constexpr status fill_rows_into(const Graph& g, const Name& name, const row_buckets& cut,
                                std::span<std::uint64_t> counts, std::span<Entry> entries,
                                std::span<Edge> offsets, std::span<Node> sources,
                                std::span<Edge> edges, const Executor& run) {
  constexpr bool with_ids = std::is_same_v<Entry, row_entry_with_id<Node, Edge>>;
  const std::size_t nodes = num_nodes(g), width = cut.buckets + 2;
  if (nodes > id_capacity<Node>() || nodes > id_capacity<node_id_t<Graph>>())
    return status::overflow.at(nodes);
  if (cut.buckets <= (nodes >> cut.shift)) return status::capacity.at((nodes >> cut.shift) + 1);
  if (counts.size() < cut.counts()) return status::capacity.at(cut.counts());
  if (offsets.size() <= nodes) return status::capacity.at(std::uint64_t{nodes} + 1);
  if (!with_ids && (!edges.empty() || !edge_list<Graph>)) return status::invalid_argument;
  std::fill(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(cut.counts()),
            std::uint64_t{0});
  std::size_t pieces = 1;
  std::uint64_t slice_edges = 0;
  if constexpr (sliced_edge_list<Graph>) {
    pieces = cut.pieces;
    slice_edges = num_edges(g);
  }
  const auto visit = [&](std::size_t piece, auto&& f) {
    if constexpr (sliced_edge_list<Graph>) {
      const id_range share = block_range(slice_edges, piece, pieces);
      for_each_edge_between(g, static_cast<std::size_t>(share.begin),
                            static_cast<std::size_t>(share.end), f);
    } else {
      static_cast<void>(piece);
      visit_edges(g, f);
    }
  };

  // Count. The two words after a piece's buckets take the first error, and its edge.
  constexpr std::uint64_t no_node = 1, wide_edge = 2;
  run.parallel_for(0, pieces, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t piece = first; piece < last; ++piece) {
      std::uint64_t* const count = counts.data() + piece * width;
      const unsigned shift = cut.shift;
      std::uint64_t wrong = 0, where = 0;
      const auto note = [&](std::uint64_t what, auto e) {
        if (wrong == 0) where = static_cast<std::uint64_t>(e);
        if (wrong == 0) wrong = what;
      };
      visit(piece, [&](auto u, auto v, auto e) {
        if (index(u) >= nodes || index(v) >= nodes) {
          note(no_node, e);
          return;
        }
        if constexpr (with_ids) {
          if (!std::in_range<Edge>(e)) note(wide_edge, e);
        }
        ++count[index(v) >> shift];
      });
      count[cut.buckets] = wrong;
      count[cut.buckets + 1] = where;
    }
  });
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    const std::uint64_t* const error = counts.data() + piece * width + cut.buckets;
    if (error[0] != 0)
      return (error[0] == no_node ? status::out_of_range : status::overflow).at(error[1]);
  }
  std::uint64_t sum = 0;
  for (std::size_t bucket = 0; bucket < cut.buckets; ++bucket) {
    for (std::size_t piece = 0; piece < pieces; ++piece)
      sum += std::exchange(counts[piece * width + bucket], sum);
  }
  if (sum >= id_capacity<Edge>() || sum > id_capacity<edge_id_t<Graph>>())
    return status::overflow.at(sum);
  if (sources.size() < sum || (with_ids && edges.size() < sum) || entries.size() < sum)
    return status::capacity.at(sum);

  // Deal.
  run.parallel_for(0, pieces, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t piece = first; piece < last; ++piece) {
      std::uint64_t* const next = counts.data() + piece * width;
      Entry* const to = entries.data();
      const unsigned shift = cut.shift;
      visit(piece, [&](auto u, auto v, auto e) {
        if constexpr (with_ids) {
          to[next[index(v) >> shift]++] = {static_cast<Node>(u), static_cast<Node>(v),
                                           static_cast<Edge>(e)};
        } else {
          static_cast<void>(e);
          to[next[index(v) >> shift]++] = {static_cast<Node>(u), static_cast<Node>(v)};
        }
      });
    }
  });

  const std::uint64_t* const ends = counts.data() + (pieces - 1) * width;
  const std::size_t groups = std::min(cut.buckets, 4 * cut.pieces);
  const auto for_each_bucket = [&](auto&& work) {
    run.parallel_for(0, groups, 1, [&](std::size_t first, std::size_t last) {
      // Groups of about as many edges each.
      const auto bucket_at = [&](std::size_t group) {
        return group == groups ? cut.buckets
                               : static_cast<std::size_t>(
                                     std::lower_bound(ends, ends + cut.buckets,
                                                      block_range(sum, group, groups).begin) -
                                     ends);
      };
      for (std::size_t group = first; group < last; ++group) {
        const std::size_t end = bucket_at(group + 1);
        for (std::size_t bucket = group == 0 ? 0 : bucket_at(group); bucket < end; ++bucket) {
          work(static_cast<std::size_t>(bucket == 0 ? 0 : ends[bucket - 1]),
               static_cast<std::size_t>(ends[bucket]), std::min(nodes, bucket << cut.shift),
               std::min(nodes, (bucket + 1) << cut.shift));
        }
      }
    });
  };
  Edge* const row = offsets.data() + 1;  // [V] of each row its length, then its begin, then its end
  for_each_bucket([&](std::size_t begin, std::size_t end, std::size_t first, std::size_t last) {
    for (std::size_t v = first; v < last; ++v) row[index(name(v))] = Edge{0};
    for (std::size_t i = begin; i < end; ++i) ++row[index(name(entries[i].target))];
  });
  offsets[0] = Edge{0};
  Edge at{0};
  for (std::size_t v = 0; v < nodes; ++v) at = static_cast<Edge>(at + std::exchange(row[v], at));
  for_each_bucket([&](std::size_t begin, std::size_t end, std::size_t, std::size_t) {
    Node* const source = sources.data();
    Edge* const edge = edges.data();
    for (std::size_t i = begin; i < end; ++i) {
      const Entry& entry = entries[i];
      const std::size_t place = index(row[index(name(entry.target))]++);
      source[place] = static_cast<Node>(name(entry.source));
      if constexpr (with_ids) edge[place] = entry.edge;
    }
  });
  return status::ok;
}

}  // namespace detail

}  // namespace halograph
