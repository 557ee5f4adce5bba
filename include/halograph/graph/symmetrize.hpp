// SPDX-License-Identifier: BSL-1.0
/// @file symmetrize.hpp
/// See any graph as an undirected one: each pair of neighbours once, no loops, rows ascending.
/// Layer: graph (span core: no allocation, no exceptions). Words: README.md.
///
/// Two steps, so that the result's memory can be had exactly: collect_pairs() buckets and merges the unordered pairs
/// {u, v}, u != v; expand_pairs() writes both directions as CSR. Nothing is compared or sorted: a
/// row comes out ascending because the rows that feed it are visited ascending.
///
/// | memory | entries |
/// | --- | --- |
/// | positions (scratch) | 2V + 1, `std::size_t` |
/// | lower (scratch) | E without loops, index width |
/// | lower_weights (scratch) | as lower where pairs are weighed, else 0 |
/// | offsets (result) | V + 1, index width |
/// | neighbours (result) | 2 x pairs, at most 2E, index width |
/// | weights (result) | as neighbours where pairs are weighed, else 0 |
#pragma once

#include <halograph/core/checked_cast.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/graph/csr.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace halograph {

// ---- what a pair weighs --------------------------------------------------------------------------

/// Each pair counts once, however many edges join it: no weights are made.
struct pairs_once {
  static constexpr bool weighs = false;
};

/// Each pair weighs the number of edges that join it, in either direction.
struct pairs_by_multiplicity {
  static constexpr bool weighs = true;
  constexpr std::int64_t operator()(std::size_t) const noexcept { return 1; }
  static constexpr status check(std::size_t) noexcept { return status::ok; }
};

/// Each pair weighs the sum of the weights of the edges that join it, in either direction.
struct pairs_by_weight {
  static constexpr bool weighs = true;
  std::span<const std::int64_t> weights{};  ///< [E] by edge ID
  constexpr std::int64_t operator()(std::size_t e) const noexcept { return weights[e]; }
  constexpr status check(std::size_t e) const noexcept {
    return e < weights.size() ? status::ok : status::mismatch.at(weights.size());
  }
};

// ---- core: the caller's memory -------------------------------------------------------------------

/// Entries of each array of the table above, for V nodes and at most E edges.
struct symmetrize_sizes {
  std::size_t positions = 0;
  std::size_t lower = 0;
  std::size_t offsets = 0;
  std::size_t neighbours = 0;  ///< an upper bound; exact is twice the pairs that collect_pairs finds
};

/// @complexity O(1)
constexpr symmetrize_sizes symmetrize_size(std::size_t nodes, std::size_t edges) noexcept {
  return {2 * nodes + 1, edges, nodes + 1, 2 * edges};
}

/// Scratch of both steps; entries as symmetrize_size says. Between the steps it holds the pairs:
/// those of a node v with smaller neighbours are lower[positions[v] .. positions[v + 1]).
template <id Index = std::uint64_t, id Weight = std::int64_t>
struct pair_scratch {
  std::span<std::size_t> positions{};
  std::span<Index> lower{};
  std::span<Weight> lower_weights{};
};

/// Bucket the edges of g by their larger end and merge equal pairs.
/// @param g        V nodes, E edges; any directions, loops and duplicates
/// @param weight   pairs_once, pairs_by_multiplicity, pairs_by_weight, or one's own of their shape
/// @param scratch  filled with the merged pairs
/// @param pairs    out: number of distinct unordered pairs
/// @errors  out_of_range at e: edge e has an end that is no node; mismatch: fewer edge weights than edges;
///          capacity at the entries needed: positions or lower (lower_weights) is too small;
///          overflow at v: a node ID does not fit Index, or a pair's weights their type
/// @complexity O(V + E); visits the edges twice
/// @repeatable yes: the CSR made of the pairs is a function of the set of edges and their weights
template <graph G, class PairWeight, id Index, id Weight>
constexpr status collect_pairs(const G& g, const PairWeight& weight,
                               const pair_scratch<Index, Weight>& scratch, std::size_t& pairs) {
  const std::size_t nodes = num_nodes(g);
  pairs = 0;
  if (nodes > id_capacity<Index>()) return status::overflow.at(nodes);
  if (scratch.positions.size() < 2 * nodes + 1) return status::capacity.at(2 * nodes + 1);
  const auto start = scratch.positions.first(nodes + 1);
  const auto seen = scratch.positions.subspan(nodes + 1, nodes);
  const auto lower = scratch.lower;
  const auto weights = scratch.lower_weights;

  // Count the pairs of each larger end. start[hi] counts row hi, then becomes its end, then its start.
  std::fill(start.begin(), start.end(), std::size_t{0});
  std::size_t kept = 0;
  status answer = status::ok;
  visit_edges(g, [&](auto u, auto v, auto e) {
    const std::size_t a = index(u), b = index(v);
    if (a >= nodes || b >= nodes) {
      if (answer) answer = status::out_of_range.at(index(e));
      return;
    }
    if constexpr (PairWeight::weighs) {
      if (const status checked = weight.check(index(e)); !checked && answer) answer = checked;
    }
    if (a == b) return;
    ++start[a < b ? b : a];
    ++kept;
  });
  if (!answer) return answer;
  if (lower.size() < kept) return status::capacity.at(kept);
  if constexpr (PairWeight::weighs) {
    if (weights.size() < kept) return status::capacity.at(kept);
  }
  std::size_t total = 0;
  for (std::size_t v = 0; v < nodes; ++v) start[v] = total += start[v];
  start[nodes] = total;
  visit_edges(g, [&](auto u, auto v, auto e) {
    const std::size_t a = index(u), b = index(v);
    // A graph that lists other edges the second time must not lead us out of our memory.
    if (a == b || a >= nodes || b >= nodes || start[a < b ? b : a] == 0) return;
    const std::size_t place = --start[a < b ? b : a];
    lower[place] = static_cast<Index>(a < b ? a : b);
    if constexpr (PairWeight::weighs) {
      if (!narrow_into(weight(index(e)), weights[place]) && answer) {
        answer = status::overflow.at(index(e));
      }
    } else {
      static_cast<void>(e);
    }
  });
  if (!answer) return answer;

  // Merge equal pairs in place, row by row. seen[lo] is where the row last put lo; an entry left by
  // another row points before this row's begin.
  std::fill(seen.begin(), seen.end(), std::size_t{0});
  std::size_t end = 0;
  for (std::size_t hi = 0; hi < nodes; ++hi) {
    const std::size_t from = start[hi], to = start[hi + 1], begin = end;
    for (std::size_t i = from; i < to; ++i) {
      const std::size_t lo = index(lower[i]);
      const std::size_t place = seen[lo];
      if (place >= begin && place < end && index(lower[place]) == lo) {
        if constexpr (PairWeight::weighs) {
          const Weight a = weights[place], b = weights[i];
          if ((b > 0 && a > std::numeric_limits<Weight>::max() - b) ||
              (b < 0 && a < std::numeric_limits<Weight>::min() - b)) {
            return status::overflow.at(hi);
          }
          weights[place] = static_cast<Weight>(a + b);
        }
        continue;
      }
      seen[lo] = end;
      lower[end] = lower[i];
      if constexpr (PairWeight::weighs) weights[end] = weights[i];
      ++end;
    }
    start[hi] = begin;
  }
  start[nodes] = end;
  pairs = end;
  return status::ok;
}

/// Write the pairs of collect_pairs as CSR, both directions, rows ascending.
/// @param nodes       V, as in collect_pairs
/// @param scratch     as collect_pairs left it; its second half is used again
/// @param offsets     [V+1] out
/// @param neighbours  [2 x pairs] out
/// @param weights     [2 x pairs] out, or empty: pairs are not weighed
/// @errors  capacity at the entries needed; overflow at 2 x pairs: Index cannot number the entries
/// @complexity O(V + pairs)
template <id Index, id Weight>
constexpr status expand_pairs(std::size_t nodes, const pair_scratch<Index, Weight>& scratch,
                              std::span<Index> offsets, std::span<Index> neighbours,
                              std::span<Weight> weights) {
  if (scratch.positions.size() < 2 * nodes + 1) return status::capacity.at(2 * nodes + 1);
  const auto start = scratch.positions.first(nodes + 1);
  const auto cursor = scratch.positions.subspan(nodes + 1, nodes);
  const auto lower = scratch.lower;
  const std::size_t entries = 2 * start[nodes];
  if (entries > id_capacity<Index>() - 1) return status::overflow.at(entries);
  if (offsets.size() < nodes + 1) return status::capacity.at(nodes + 1);
  if (neighbours.size() < entries) return status::capacity.at(entries);
  const bool weighs = !weights.empty();
  if (weighs && weights.size() < entries) return status::capacity.at(entries);

  // Degrees: smaller neighbours are counted by the pairs' rows, larger ones here.
  for (std::size_t v = 0; v < nodes; ++v) cursor[v] = start[v + 1] - start[v];
  for (std::size_t i = 0; i < start[nodes]; ++i) ++cursor[index(lower[i])];
  std::size_t total = 0;
  for (std::size_t v = 0; v < nodes; ++v) {
    offsets[v] = static_cast<Index>(total);
    total += cursor[v];
    // From here on: where the next larger neighbour of v goes, behind its smaller ones.
    cursor[v] = index(offsets[v]) + (start[v + 1] - start[v]);
  }
  offsets[nodes] = static_cast<Index>(total);
  for (std::size_t hi = 0; hi < nodes; ++hi) {
    for (std::size_t i = start[hi]; i < start[hi + 1]; ++i) {
      const std::size_t place = cursor[index(lower[i])]++;
      neighbours[place] = static_cast<Index>(hi);
      if (weighs) weights[place] = scratch.lower_weights[i];
    }
  }
  for (std::size_t v = 0; v < nodes; ++v) cursor[v] = index(offsets[v]);
  for (std::size_t lo = 0; lo < nodes; ++lo) {
    const std::size_t first = index(offsets[lo]) + (start[lo + 1] - start[lo]);
    for (std::size_t i = first; i < index(offsets[lo + 1]); ++i) {
      const std::size_t place = cursor[index(neighbours[i])]++;
      neighbours[place] = static_cast<Index>(lo);
      if (weighs) weights[place] = weights[i];
    }
  }
  return status::ok;
}

// ---- hosted --------------------------------------------------------------------------------------

/// An undirected graph as CSR: both directions of each pair, rows ascending, no loops.
template <id Index = std::uint64_t, id Weight = std::int64_t>
struct symmetric_graph {
  using node_id = Index;
  using edge_id = Index;

  std::vector<Index> offsets{};     ///< [V+1]
  std::vector<Index> neighbours{};  ///< [2 x pairs]
  std::vector<Weight> weights{};    ///< [2 x pairs], or empty: every pair counts once

  std::size_t num_nodes() const noexcept { return offsets.empty() ? 0 : offsets.size() - 1; }
  std::size_t num_edges() const noexcept { return neighbours.size(); }
  std::size_t num_pairs() const noexcept { return neighbours.size() / 2; }
  csr_view<Index, Index> view() const noexcept { return {offsets, neighbours}; }
  template <id AnyNode, class F>
  void for_each_out_edge(AnyNode u, F&& f) const {
    view().for_each_out_edge(u, f);
  }
};

/// The sentence for a status of collect_pairs or expand_pairs.
template <id Index>
std::string explain_symmetrize(status answer) {
  const std::string at = std::to_string(answer.position);
  switch (answer.code) {
    case errc::out_of_range: return "edge " + at + " has an end that is not a node of the graph";
    case errc::mismatch: return "there are weights for " + at + " edges only; every edge needs one";
    case errc::overflow:
      return "the undirected view does not fit " + std::to_string(8 * sizeof(Index)) +
             "-bit indices or weights (at " + at + "); wider ones are needed";
    default: return "the undirected view could not be built (" + std::string(name(answer.code)) + " at " + at + ")";
  }
}

/// The undirected view of any graph, in index width Index.
/// @param g       V nodes, E edges
/// @param weight  pairs_once{}, pairs_by_multiplicity{} or pairs_by_weight{weights}
/// @errors        raises out_of_range, mismatch, overflow as collect_pairs and expand_pairs
/// @complexity    O(V + E) time; peak memory (2V + 1) words, E + 2 x pairs + V entries, as many weights
template <id Index = std::uint64_t, id Weight = std::int64_t, graph G, class PairWeight = pairs_once>
symmetric_graph<Index, Weight> symmetrize(const G& g, const PairWeight& weight = {}) {
  const auto sizes = symmetrize_size(num_nodes(g), num_edges(g));
  std::vector<std::size_t> positions(sizes.positions);
  std::vector<Index> lower(sizes.lower);
  std::vector<Weight> lower_weights(PairWeight::weighs ? sizes.lower : 0);
  const pair_scratch<Index, Weight> scratch{positions, lower, lower_weights};
  std::size_t pairs = 0;
  status answer = collect_pairs(g, weight, scratch, pairs);
  symmetric_graph<Index, Weight> out;
  if (answer) {
    out.offsets.resize(sizes.offsets);
    out.neighbours.resize(2 * pairs);
    if (PairWeight::weighs) out.weights.resize(2 * pairs);
    answer = expand_pairs(num_nodes(g), scratch, std::span<Index>(out.offsets),
                          std::span<Index>(out.neighbours), std::span<Weight>(out.weights));
  }
  if (!answer) raise(answer.code, explain_symmetrize<Index>(answer));
  return out;
}

}  // namespace halograph
