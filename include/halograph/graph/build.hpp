// SPDX-License-Identifier: BSL-1.0
/// @file build.hpp
/// Compress any graph into rows by target (CSC), in the order in which its edges are visited.
/// Layer: graph (no exceptions; build_csc allocates its result). Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/core/uninitialized.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/graph/csr.hpp>
#include <halograph/graph/edge_ids.hpp>
#include <halograph/graph/edge_slices.hpp>
#include <halograph/graph/fwd.hpp>
#include <halograph/graph/row_buckets.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

/// Entries of `offsets` below.
constexpr std::size_t csc_offsets_count(std::size_t nodes) noexcept { return nodes + 1; }

/// Group the edges of g by target.
///
/// @param g        V nodes, E edges; any graph
/// @param offsets  [V+1] out, where the row of each target starts
/// @param sources  [E] out, source of each edge, row by row
/// @param edges    [E] out, ID of each edge, row by row; ascending in a row when g visits its edges
///     in ascending order, as edge lists do
/// @errors       capacity: a span is too small (position: the size that suffices); overflow: Node
///     or the graph's own type cannot name V nodes, Edge cannot count E edges, or the graph's own
///     type cannot name them; out_of_range at e: an endpoint of edge e is not a node
/// @complexity   O(V + E) time, O(1) extra space; two visits of every edge
/// @repeatable   yes
/// @source       counting sort (Knuth, The Art of Computer Programming 3, 5.2, algorithm D)
template <graph Graph, id Node, id Edge>
constexpr status build_csc_into(const Graph& g, std::span<Edge> offsets, std::span<Node> sources,
                                std::span<Edge> edges) {
  const std::size_t nodes = num_nodes(g);
  if (nodes > id_capacity<Node>() || nodes > id_capacity<node_id_t<Graph>>())
    return status::overflow.at(nodes);
  if (offsets.size() <= nodes) return status::capacity.at(std::uint64_t{nodes} + 1);
  for (std::size_t v = 0; v <= nodes; ++v) offsets[v] = 0;

  status problem = status::ok;
  std::uint64_t count = 0;
  visit_edges(g, [&](auto u, auto v, auto e) {
    if (index(u) >= nodes || index(v) >= nodes) {
      if (problem) problem = status::out_of_range.at(static_cast<std::uint64_t>(e));
      return;
    }
    if (!std::in_range<Edge>(e) && problem)
      problem = status::overflow.at(static_cast<std::uint64_t>(e));
    // The largest ID and the last offset must both fit; counts stop before an offset could
    // overflow.
    if (++count < id_capacity<Edge>()) ++offsets[index(v)];
  });
  if (!problem) return problem;
  if (count >= id_capacity<Edge>() || count > id_capacity<edge_id_t<Graph>>())
    return status::overflow.at(count);
  if (sources.size() < count || edges.size() < count) return status::capacity.at(count);

  Edge sum = 0;
  for (std::size_t v = 0; v <= nodes; ++v) {
    const Edge row = offsets[v];
    offsets[v] = sum;
    sum = static_cast<Edge>(sum + row);
  }
  // Filling moves each offset to its row's end, which is the next row's start: shift back by one.
  visit_edges(g, [&](auto u, auto v, auto e) {
    const std::size_t at = index(offsets[index(v)]++);
    sources[at] = static_cast<Node>(u);
    edges[at] = static_cast<Edge>(e);
  });
  for (std::size_t v = nodes; v > 0; --v) offsets[v] = offsets[v - 1];
  offsets[0] = 0;
  return status::ok;
}

/// The same on an executor's threads: each counts and fills for its own range of the edges; the
/// result is the same for any. Where ranges of g's edges cannot be visited, or the scratch holds
/// less than V entries, as above.
/// @param scratch  [slices x V] of the threads that share the work, at most
///     most_edge_slices
template <graph Graph, id Node, id Edge, executor Executor>
constexpr status build_csc_into(const Graph& g, std::span<Edge> offsets, std::span<Node> sources,
                                std::span<Edge> edges, std::span<Edge> scratch,
                                const Executor& run) {
  const std::size_t nodes = num_nodes(g);
  const std::size_t slices = nodes == 0 ? 0 : std::min(most_edge_slices, scratch.size() / nodes);
  if (!sliced_edge_list<Graph> || slices < 2) return build_csc_into(g, offsets, sources, edges);
  if (nodes > id_capacity<Node>() || nodes > id_capacity<node_id_t<Graph>>())
    return status::overflow.at(nodes);
  if (offsets.size() <= nodes) return status::capacity.at(std::uint64_t{nodes} + 1);
  std::array<status, most_edge_slices> problems{};
  std::array<std::uint64_t, most_edge_slices> counts{};
  detail::for_each_slice(run, slices, [&](std::size_t k) {
    Edge* const row = scratch.data() + k * nodes;
    std::fill_n(row, nodes, Edge{0});
    status problem = status::ok;
    std::uint64_t count = 0;
    detail::visit_slice(g, k, slices, [nodes, row, &problem, &count](auto u, auto v, auto e) {
      if (index(u) >= nodes || index(v) >= nodes) {
        if (problem) problem = status::out_of_range.at(static_cast<std::uint64_t>(e));
        return;
      }
      if (!std::in_range<Edge>(e) && problem)
        problem = status::overflow.at(static_cast<std::uint64_t>(e));
      if (++count < id_capacity<Edge>()) ++row[index(v)];
    });
    problems[k] = problem;
    counts[k] = count;
  });
  std::uint64_t count = 0;
  for (std::size_t k = 0; k < slices; ++k) {
    if (!problems[k]) return problems[k];
    count += counts[k];
  }
  if (count >= id_capacity<Edge>() || count > id_capacity<edge_id_t<Graph>>())
    return status::overflow.at(count);
  if (sources.size() < count || edges.size() < count) return status::capacity.at(count);
  // Of each row the edges of the first slice come first: ascending, as slices do.
  Edge sum = 0;
  for (std::size_t v = 0; v < nodes; ++v) {
    offsets[v] = sum;
    for (std::size_t k = 0; k < slices; ++k) {
      Edge& place = scratch[k * nodes + v];
      const auto next = static_cast<Edge>(sum + place);
      place = sum;
      sum = next;
    }
  }
  offsets[nodes] = sum;
  detail::for_each_slice(run, slices, [&](std::size_t k) {
    detail::visit_slice(g, k, slices,
                        [next = scratch.data() + k * nodes, to = sources.data(),
                         ids = edges.data()](auto u, auto v, auto e) {
                          const std::size_t at = index(next[index(v)]++);
                          to[at] = static_cast<Node>(u);
                          ids[at] = static_cast<Edge>(e);
                        });
  });
  return status::ok;
}

/// Put each row in ascending order of edge ID, in place, for storages that visit edges in
/// another order and are relabeled.
/// @param offsets [V+1], sources [E], edges [E] as build_csc_into wrote them
/// @complexity O(E) where rows are in order already, O(E log of the longest row) otherwise; O(1)
///     extra space
/// @source heapsort (Williams, CACM 7(6), 1964, algorithm 232), since it does not allocate and does
///     not recurse
template <id Node, id Edge>
constexpr void sort_rows_by_edge(std::span<const Edge> offsets, std::span<Node> sources,
                                 std::span<Edge> edges) {
  for (std::size_t v = 0; v + 1 < offsets.size(); ++v) {
    const std::size_t begin = index(offsets[v]), count = index(offsets[v + 1]) - begin;
    const auto row = edges.subspan(begin, count);
    if (std::is_sorted(row.begin(), row.end())) continue;
    const auto ends = sources.subspan(begin, count);
    const auto exchange = [&](std::size_t a, std::size_t b) {
      std::swap(row[a], row[b]);
      std::swap(ends[a], ends[b]);
    };
    // Let the entry at `root` sink until no child among the first `size` is larger.
    const auto sink = [&](std::size_t root, std::size_t size) {
      for (std::size_t child = 2 * root + 1; child < size; child = 2 * root + 1) {
        if (child + 1 < size && row[child] < row[child + 1]) ++child;
        if (!(row[root] < row[child])) return;
        exchange(root, child);
        root = child;
      }
    };
    for (std::size_t root = count / 2; root-- > 0;) sink(root, count);
    for (std::size_t size = count - 1; size > 0; --size) {
      exchange(0, size);
      sink(0, size);
    }
  }
}

/// Compressed rows by target that own their memory.
template <id Node, id Edge>
struct csc_arrays {
  std::vector<Edge> offsets{};  ///< [V+1]
  std::vector<Node> sources{};  ///< [E]
  std::vector<Edge> edges{};    ///< [E] edge IDs

  /// Rows that know the original edge IDs. Valid as long as this object is.
  csc_view<Node, Edge> view() const { return {offsets, sources, edges}; }
  /// Rows whose edge IDs are positions, for memory in row order.
  csc_view<Node, Edge> positions() const { return {offsets, sources}; }
};

/// From this number of nodes on, build_csc sorts edges into buckets first, because the ends of all
/// rows outgrow the nearer caches.
inline constexpr std::size_t least_bucketed_nodes = std::size_t{1} << 19;

/// As build_csc_into, into memory that it allocates: (V+1) x sizeof(Edge) + E x (sizeof(Node) +
/// sizeof(Edge)) bytes. Edge IDs ascend in every row, whatever the order in which the storage
/// visits them, so that results depend on the graph alone.
/// @param run  executor; while the rows are made, several threads take V x sizeof(Edge) bytes each,
///     and an edge list of least_bucketed_nodes nodes takes E x sizeof(row_entry_with_id<Node,
///     Edge>) instead
/// @errors raises overflow, out_of_range; mismatch: the graph does not have num_edges edges,
///     or one edge ID twice
template <id Node, id Edge, graph Graph, executor Executor = sequential>
csc_arrays<Node, Edge> build_csc(const Graph& g, const Executor& run = {}) {
  csc_arrays<Node, Edge> rows;
  const std::size_t nodes = num_nodes(g), count = num_edges(g);
  constexpr const char* too_narrow =
      "the graph has more nodes or edges than its ID types can number; use wider ones";
  // Before memory is allocated.
  if (nodes > id_capacity<Node>() || count >= id_capacity<Edge>())
    raise(error_kind::overflow, too_narrow);
  rows.offsets.resize(nodes + 1);
  rows.sources.resize(count);
  rows.edges.resize(count);
  const std::size_t slices = edge_slices(g, run);
  const auto build = [&] {
    if constexpr (edge_list<Graph>) {
      if (nodes >= least_bucketed_nodes && count >= nodes) {
        const auto cut = row_buckets::of(nodes, slices);
        std::vector<std::uint64_t> counts(cut.counts());
        uninitialized_array<row_entry_with_id<Node, Edge>> entries(count);
        return detail::fill_rows_into(
            g, [](auto v) { return static_cast<Node>(v); }, cut, std::span<std::uint64_t>(counts),
            entries.values(), std::span<Edge>(rows.offsets), std::span<Node>(rows.sources),
            std::span<Edge>(rows.edges), run);
      }
    }
    uninitialized_array<Edge> scratch(slices < 2 ? 0 : slices * nodes);
    return build_csc_into(g, std::span<Edge>(rows.offsets), std::span<Node>(rows.sources),
                          std::span<Edge>(rows.edges), scratch.values(), run);
  };
  const status answer = build();
  if (answer == status::out_of_range) {
    raise(answer.code, "edge " + std::to_string(answer.position) + " has an end outside the " +
                           std::to_string(nodes) + " nodes of the graph; IDs must be 0 to " +
                           std::to_string(nodes == 0 ? 0 : nodes - 1));
  }
  detail::require_edge_count(answer == status::capacity ? answer.position
                             : answer ? static_cast<std::uint64_t>(rows.offsets[nodes])
                                      : count,
                             count);
  check(answer, too_narrow);
  // Slices are ranges of edges in the order of their IDs.
  if constexpr (!sliced_edge_list<Graph>) {
    sort_rows_by_edge(std::span<const Edge>(rows.offsets), std::span<Node>(rows.sources),
                      std::span<Edge>(rows.edges));
  }
  detail::require_edge_ids_of(g, std::span<const Edge>(rows.offsets),
                              std::span<const Node>(rows.sources),
                              std::span<const Edge>(rows.edges), [](std::size_t v) { return v; });
  return rows;
}

}  // namespace halograph
