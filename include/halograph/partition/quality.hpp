// SPDX-License-Identifier: BSL-1.0
/// @file quality.hpp
/// Measure an assignment: cut edges, communication volume, balance.
/// Layer: partition (span core: no allocation, no exceptions). Words: README.md.
///
/// | measure | definition |
/// | --- | --- |
/// | directed cut | input edges whose ends have different owners, duplicates counted |
/// | edge cut | unordered pairs {u, v} joined by at least one edge whose owners differ: what METIS minimises |
/// | communication volume | sum over nodes of the other parts among their neighbours, in either direction |
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/graph/symmetrize.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/partitioner.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace halograph {

namespace detail {

/// The edges of a graph that cross parts, as an edge list that keeps the edges' IDs.
template <graph G, unsigned_id Part>
struct crossing_edges {
  using node_id = node_id_t<G>;
  using edge_id = edge_id_t<G>;
  const G& g;
  std::span<const Part> owner;

  constexpr std::size_t num_nodes() const { return halograph::num_nodes(g); }
  template <class F>
  constexpr void for_each_edge(F&& f) const {
    visit_edges(g, [&](auto u, auto v, auto e) {
      // Ends that are no nodes pass: the visitor reports them.
      if (index(u) >= owner.size() || index(v) >= owner.size() || owner[index(u)] != owner[index(v)]) f(u, v, e);
    });
  }
};

}  // namespace detail

/// Count the input edges whose ends have different owners.
/// @param owner  [V] part of each node
/// @param cut    out, edges
/// @errors  mismatch at V: owner is not [V]; out_of_range at e: an end of edge e is no node
/// @complexity O(V + E) time, no memory
template <graph G, unsigned_id Part>
constexpr status directed_cut_into(const G& g, std::span<const Part> owner, std::uint64_t& cut) {
  cut = 0;
  if (owner.size() != num_nodes(g)) return status::mismatch.at(num_nodes(g));
  status answer = status::ok;
  visit_edges(g, [&](auto u, auto v, auto e) {
    if (index(u) >= owner.size() || index(v) >= owner.size()) {
      if (answer) answer = status::out_of_range.at(index(e));
    } else {
      cut += owner[index(u)] != owner[index(v)];
    }
  });
  return answer;
}

/// Count the unordered pairs whose owners differ.
/// @param owner      [V] part of each node
/// @param positions  [2V + 1] scratch
/// @param lower      [directed cut] scratch
/// @param cut        out, pairs
/// @errors  mismatch, out_of_range as directed_cut_into; capacity; overflow: V does not fit Index
/// @complexity O(V + E)
template <graph G, unsigned_id Part, id Index>
constexpr status edge_cut_into(const G& g, std::span<const Part> owner, std::span<std::size_t> positions,
                               std::span<Index> lower, std::uint64_t& cut) {
  cut = 0;
  if (owner.size() != num_nodes(g)) return status::mismatch.at(num_nodes(g));
  const detail::crossing_edges<G, Part> crossing{g, owner};
  std::size_t pairs = 0;
  const status answer =
      collect_pairs(crossing, pairs_once{}, pair_scratch<Index, std::int64_t>{positions, lower, {}}, pairs);
  cut = pairs;
  return answer;
}

/// Sum over nodes the number of other parts among their neighbours.
/// @param owner    [V] part of each node, each below parts
/// @param scratch  at least [V] words; n x V words let 64n parts be counted in one pass over the edges
/// @param volume   out, (node, part) pairs
/// @errors  mismatch at V: owner is not [V]; capacity at V; out_of_range at e: an end of edge e is no node
/// @complexity O((V + E) x ceil(K / 64n))
template <graph G, unsigned_id Part>
constexpr status communication_volume_into(const G& g, std::span<const Part> owner, std::uint64_t parts,
                                           std::span<std::uint64_t> scratch, std::uint64_t& volume) {
  const std::size_t nodes = num_nodes(g);
  volume = 0;
  if (owner.size() != nodes) return status::mismatch.at(nodes);
  if (nodes == 0) return status::ok;
  const std::size_t words = scratch.size() / nodes;
  if (words == 0) return status::capacity.at(nodes);
  status answer = status::ok;
  // A slab of parts at a time: bit p - first of a node's row says that part p is among its neighbours.
  const std::uint64_t width = 64 * static_cast<std::uint64_t>(words);
  for (std::uint64_t first = 0; first < parts; first += width) {
    std::fill(scratch.begin(), scratch.end(), std::uint64_t{0});
    const auto mark = [&](std::size_t node, std::uint64_t part) {
      if (part < first || part - first >= width) return;
      const auto bit = part - first;
      scratch[node * words + static_cast<std::size_t>(bit / 64)] |= std::uint64_t{1} << (bit % 64);
    };
    visit_edges(g, [&](auto u, auto v, auto e) {
      const std::size_t a = index(u), b = index(v);
      if (a >= nodes || b >= nodes) {
        if (answer) answer = status::out_of_range.at(index(e));
      } else if (owner[a] != owner[b]) {
        mark(a, owner[b]);
        mark(b, owner[a]);
      }
    });
    if (!answer) return answer;
    for (const auto word : scratch) volume += static_cast<std::uint64_t>(std::popcount(word));
    if (parts - first <= width) break;
  }
  return status::ok;
}

/// What a report says of an assignment.
struct assignment_quality {
  std::uint64_t edge_cut = 0;              ///< unordered pairs
  std::uint64_t directed_cut = 0;          ///< input edges
  std::uint64_t communication_volume = 0;  ///< (node, other part) pairs
  std::vector<balance_line> balance{};     ///< [constraints]
};

/// Measure an assignment.
/// @param g            V nodes, E edges
/// @param owner        [V] part of each node, each below parts
/// @param constraints  what to balance; may be empty
/// @errors  raises mismatch, out_of_range; those of measure_balance
/// @complexity O((V + E) x ceil(K / 64) + constraints x V) time; about 3V + directed cut words
template <graph G, unsigned_id Part>
assignment_quality measure_quality(const G& g, std::span<const Part> owner, std::uint64_t parts,
                                   std::span<const constraint> constraints = {}) {
  const std::size_t nodes = num_nodes(g);
  const auto check_answer = [&](status answer) {
    if (answer) return;
    if (answer == status::mismatch) {
      raise(answer.code, "there are " + std::to_string(owner.size()) + " owners for " +
                             std::to_string(nodes) + " nodes; there must be one for each");
    }
    raise(answer.code, explain_symmetrize<std::uint64_t>(answer));
  };
  if (const status answer = check_owners(owner, parts); !answer) {
    raise(answer.code, "node " + std::to_string(answer.position) + " is owned by part " +
                           std::to_string(owner[static_cast<std::size_t>(answer.position)]) +
                           ", which is not below " + std::to_string(parts));
  }
  assignment_quality out;
  check_answer(directed_cut_into(g, owner, out.directed_cut));
  const auto count_pairs = [&]<class Index>(Index) {
    std::vector<std::size_t> positions(2 * nodes + 1);
    std::vector<Index> lower(static_cast<std::size_t>(out.directed_cut));
    check_answer(edge_cut_into(g, owner, std::span<std::size_t>(positions), std::span<Index>(lower), out.edge_cut));
  };
  if (nodes <= id_capacity<std::uint32_t>()) {
    count_pairs(std::uint32_t{});
  } else {
    count_pairs(std::uint64_t{});
  }
  std::vector<std::uint64_t> marks(nodes);
  check_answer(communication_volume_into(g, owner, parts, std::span<std::uint64_t>(marks), out.communication_volume));
  out.balance = measure_balance(owner, parts, constraints);
  return out;
}

}  // namespace halograph
