// SPDX-License-Identifier: BSL-1.0
/// @file edge_ids.hpp
/// Check that the edge IDs of a graph are 0 to E-1, one for each edge.
/// Layer: graph (no exceptions but through raise(); require_edge_ids allocates one bit per edge).
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/core/uninitialized.hpp>
#include <halograph/graph/concepts.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

namespace halograph {

/// Entries of `seen` below: one bit per edge.
template <std::integral Word>
constexpr std::size_t seen_edges_count(std::size_t edges) noexcept {
  return edges / (8 * sizeof(Word)) + (edges % (8 * sizeof(Word)) != 0);
}

/// Are E edge IDs a permutation of 0 to E-1?
///
/// @param edges  [E] IDs, in any order
/// @param seen   [seen_edges_count<Word>(E)] scratch
/// @errors       capacity; out_of_range at i: edges[i] is negative, or E or more; mismatch at i: an
///     edge before the i-th has the same ID
/// @complexity   O(E) time, O(1) extra space
template <id Edge, std::integral Word>
constexpr status check_edge_ids(std::span<const Edge> edges, std::span<Word> seen) noexcept {
  using bits = std::make_unsigned_t<Word>;
  constexpr std::size_t width = 8 * sizeof(Word);
  const std::size_t words = seen_edges_count<Word>(edges.size());
  if (seen.size() < words) return status::capacity.at(words);
  std::fill_n(seen.begin(), words, Word{0});
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const std::size_t e = index(edges[i]);
    if (e >= edges.size()) return status::out_of_range.at(i);
    const auto bit = static_cast<bits>(bits{1} << e % width),
               before = static_cast<bits>(seen[e / width]);
    if ((before & bit) != 0) return status::mismatch.at(i);
    seen[e / width] = static_cast<Word>(before | bit);
  }
  return status::ok;
}

namespace detail {

/// @errors raises mismatch: a graph does not visit num_edges edges
inline void require_edge_count(std::uint64_t visited, std::uint64_t expected) {
  if (visited == expected) return;
  raise(error_kind::mismatch, "the graph hands out " + std::to_string(visited) +
                                  " edges but says that it has " + std::to_string(expected) +
                                  "; num_edges must agree with the edges visited");
}

/// Check the edge IDs that a user's graph gave to the edges of its rows by target.
/// @param name  the graph's own ID of a node of the rows
/// @errors raises out_of_range, mismatch, which name the first edge in row order with a wrong ID
/// @complexity O(E) time, E/8 bytes
template <id Edge, id Node, class Name>
void require_edge_ids(std::span<const Edge> offsets, std::span<const Node> sources,
                      std::span<const Edge> edges, const Name& name) {
  uninitialized_array<std::uint64_t> seen(seen_edges_count<std::uint64_t>(edges.size()));
  const status answer = check_edge_ids(edges, seen.values());
  if (answer) return;
  const auto edge_at = [&](std::size_t position) {
    const auto row = std::upper_bound(offsets.begin(), offsets.end(), position,
                                      [](std::size_t at, Edge begin) { return at < index(begin); });
    return std::to_string(name(index(sources[position]))) + " -> " +
           std::to_string(name(static_cast<std::size_t>(row - offsets.begin()) - 1));
  };
  const auto wrong = static_cast<std::size_t>(answer.position);
  const std::string
      number = std::to_string(edges[wrong]),
      rule =
          "; edge IDs must be 0 to " + std::to_string(edges.size() - 1) +
          ", each given to one edge. A graph without edge IDs can give for_each_in_neighbor or for_each_out_neighbor instead";
  if (answer == status::out_of_range)
    raise(answer.code, "edge " + edge_at(wrong) + " has ID " + number + rule);
  const auto first = static_cast<std::size_t>(std::find(edges.begin(), edges.end(), edges[wrong]) -
                                              edges.begin());
  raise(answer.code,
        "edges " + edge_at(first) + " and " + edge_at(wrong) + " both have ID " + number + rule);
}

/// The same of rows that `g` was compressed into, where its IDs are not positions anyway.
template <graph Graph, id Edge, id Node, class Name>
void require_edge_ids_of(const Graph& g, std::span<const Edge> offsets,
                         std::span<const Node> sources, std::span<const Edge> edges,
                         const Name& name) {
  if (!edge_id_is_position(g)) require_edge_ids(offsets, sources, edges, name);
}

}  // namespace detail

}  // namespace halograph
