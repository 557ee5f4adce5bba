// SPDX-License-Identifier: BSL-1.0
/// @file edge_slices.hpp
/// Visit a range of a graph's edges, so that several threads can share one edge list.
/// Layer: graph (no allocation, no exceptions). Words: README.md.
#pragma once

#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/unmet.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/graph/coo.hpp>
#include <halograph/graph/hetero.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace halograph {

/// f(u, v, e) for the edges e of [first, last), ascending. @pre first <= last <= num_edges
template <id Node, id Edge, class F>
constexpr void for_each_edge_between(const coo_view<Node, Edge>& g, std::size_t first,
                                     std::size_t last, F&& f) {
  const Node* const source = g.source().data();
  const Node* const target = g.target().data();
  for (std::size_t e = first; e < last; ++e) f(source[e], target[e], static_cast<Edge>(e));
}

/// The same in homogenized IDs. @complexity O(R + last - first)
template <id Node, id Edge, class F>
constexpr void for_each_edge_between(const hetero_view<Node, Edge>& g, std::size_t first,
                                     std::size_t last, F&& f) {
  std::size_t begin = 0;
  for (const auto& relation : g.relations()) {
    const std::size_t end = begin + relation.source.size();
    const std::uint64_t source_base = g.node_type_offsets()[relation.source_type];
    const std::uint64_t target_base = g.node_type_offsets()[relation.target_type];
    for (std::size_t e = std::max(first, begin), stop = std::min(last, end); e < stop; ++e) {
      f(static_cast<Node>(static_cast<std::uint64_t>(relation.source[e - begin]) + source_base),
        static_cast<Node>(static_cast<std::uint64_t>(relation.target[e - begin]) + target_base),
        static_cast<Edge>(e));
    }
    begin = end;
    if (begin >= last) return;
  }
}

namespace detail {
template <class G>
concept visits_slices = requires(const G& g, std::size_t e) {
  for_each_edge_between(g, e, e, any_visitor{});
};
}  // namespace detail

/// An edge list of which any range can be visited, by several threads at once: our column storages,
/// and any type with such a function beside it.
template <class G>
concept sliced_edge_list =
    edge_list<G> &&
    (detail::visits_slices<G> ||
     unmet<
         "sliced_edge_list: needs for_each_edge_between(g, first, last, f), handing f(source, target, edge ID) the edges of [first, last)">());

/// The largest number of slices that algorithms make of a graph's edges.
inline constexpr std::size_t most_edge_slices = 16;

/// How many slices of a graph's edges pay: one for each thread where the graph is large and ranges
/// of its edges can be visited; else one. @complexity O(1) where num_edges is
template <graph G, executor Executor>
constexpr std::size_t edge_slices(const G& g, const Executor& run) {
  if constexpr (sliced_edge_list<G>) {
    // A slice takes tables of all nodes: they must not outgrow its edges.
    const std::size_t edges = num_edges(g),
                      dense = 1 + edges / std::max<std::size_t>(num_nodes(g), 1);
    if (edges >= std::size_t{1} << 16)
      return std::clamp<std::size_t>(std::min<std::size_t>(run.concurrency(), dense), 1,
                                     most_edge_slices);
  }
  return 1;
}

namespace detail {

/// Each slice of the work, on the executor's threads.
template <class Executor, class Work>
constexpr void for_each_slice(const Executor& run, std::size_t slices, const Work& work) {
  run.parallel_for(0, slices, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; ++k) work(k);
  });
}

/// The k-th of `slices` ranges of a graph's edges; all edges are in the first where ranges cannot
/// be visited.
template <graph G, class F>
constexpr void visit_slice(const G& g, std::size_t slice, std::size_t slices, F&& f) {
  if constexpr (sliced_edge_list<G>) {
    if (slices > 1) {
      const auto cut = [edges = num_edges(g), slices](std::size_t k) {
        return edges / slices * k + std::min(k, edges % slices);
      };
      for_each_edge_between(g, cut(slice), cut(slice + 1), f);
      return;
    }
  }
  if (slice == 0) visit_edges(g, f);
}

}  // namespace detail

}  // namespace halograph
