// SPDX-License-Identifier: BSL-1.0
/// @file edge_slices.hpp
/// Visit a range of a graph's edges, so that several threads can share one edge list.
/// Layer: graph (no allocation, no exceptions). Words: README.md.
#pragma once

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
constexpr void for_each_edge_between(const coo_view<Node, Edge>& g, std::size_t first, std::size_t last, F&& f) {
  const Node* const source = g.source().data();
  const Node* const target = g.target().data();
  for (std::size_t e = first; e < last; ++e) f(source[e], target[e], static_cast<Edge>(e));
}

/// The same in homogenised IDs. @complexity O(R + last - first)
template <id Node, id Edge, class F>
constexpr void for_each_edge_between(const hetero_view<Node, Edge>& g, std::size_t first, std::size_t last, F&& f) {
  std::size_t begin = 0;
  for (const auto& relation : g.relations()) {
    const std::size_t end = begin + relation.source.size();
    const std::uint64_t source_base = g.node_type_offsets()[relation.source_type];
    const std::uint64_t target_base = g.node_type_offsets()[relation.target_type];
    for (std::size_t e = std::max(first, begin), stop = std::min(last, end); e < stop; ++e) {
      f(static_cast<Node>(static_cast<std::uint64_t>(relation.source[e - begin]) + source_base),
        static_cast<Node>(static_cast<std::uint64_t>(relation.target[e - begin]) + target_base), static_cast<Edge>(e));
    }
    begin = end;
    if (begin >= last) return;
  }
}

namespace detail {
template <class G>
concept visits_slices = requires(const G& g, std::size_t e) { for_each_edge_between(g, e, e, any_visitor{}); };
}  // namespace detail

/// An edge list of which any range can be visited, by several threads at once: our column storages, and any type
/// with such a function beside it.
template <class G>
concept sliced_edge_list =
    edge_list<G> &&
    (detail::visits_slices<G> ||
     unmet<"sliced_edge_list: needs for_each_edge_between(g, first, last, f), handing f(source, target, edge ID) the edges of [first, last)">());

}  // namespace halograph
