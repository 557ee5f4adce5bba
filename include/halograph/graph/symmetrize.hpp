// SPDX-License-Identifier: BSL-1.0
/// @file symmetrize.hpp
/// See any graph as an undirected one: each pair of neighbors once, no loops, rows ascending.
/// Layer: graph (span core: no allocation, no exceptions). Words: README.md.
///
/// Two steps, so that the result can be allocated with its exact size: collect_pairs() buckets and
/// merges the unordered pairs {u, v}, u != v; expand_pairs() writes both directions as CSR. Nothing
/// is compared or sorted: a row comes out ascending because the rows that feed it are visited
/// ascending. Both work in as many slices as the scratch has room for, each the work of one
/// thread; the result does not depend on their number.
///
/// | memory | entries |
/// | --- | --- |
/// | positions (scratch) | V + 1 + slices x (2V + 1), any width that counts 2E edges and V nodes |
/// | lower (scratch) | E without loops, index width |
/// | lower_weights (scratch) | as lower where pairs are weighed, else 0 |
/// | offsets (result) | V + 1, index width |
/// | neighbors (result) | 2 x pairs, at most 2E, index width |
/// | weights (result) | as neighbors where pairs are weighed, else 0 |
#pragma once

#include <halograph/core/checked_cast.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/large_pages.hpp>
#include <halograph/core/random.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/graph/csr.hpp>
#include <halograph/graph/edge_slices.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>

namespace halograph {

// ---- what a pair weighs

/// Each pair counts once, however many edges join it: no weights are made.
struct pairs_once {
  static constexpr bool weighs = false;  ///< makes no weights
};

/// Each pair weighs the number of edges that join it, in either direction.
struct pairs_by_multiplicity {
  static constexpr bool weighs = true;  ///< makes weights
  /// @{
  /// What an edge adds, and whether it may: 1, always.
  constexpr std::int64_t operator()(std::size_t) const noexcept { return 1; }
  static constexpr status check(std::size_t) noexcept { return status::ok; }
  /// @}
};

/// Each pair weighs the sum of the weights of the edges that join it, in either direction.
struct pairs_by_weight {
  static constexpr bool weighs = true;      ///< makes weights
  std::span<const std::int64_t> weights{};  ///< [E] by edge ID
  /// What edge e adds.
  constexpr std::int64_t operator()(std::size_t e) const noexcept { return weights[e]; }
  /// Ok; mismatch: edge e has no weight.
  constexpr status check(std::size_t e) const noexcept {
    return e < weights.size() ? status::ok : status::mismatch.at(weights.size());
  }
};

// ---- core: the caller's memory

/// Entries of each array of the table above, for V nodes and at most E edges.
struct symmetrize_sizes {
  /// @{
  /// Of the arrays of the same names, see the table above.
  std::size_t positions = 0;
  std::size_t lower = 0;
  std::size_t offsets = 0;
  /// @}
  /// an upper bound; exact is twice the pairs that collect_pairs finds
  std::size_t neighbors = 0;
};

/// The largest number of slices.
inline constexpr std::size_t most_pair_slices = most_edge_slices;

/// @param slices  threads that share the work, at most most_pair_slices
/// @complexity O(1)
constexpr symmetrize_sizes symmetrize_size(std::size_t nodes, std::size_t edges,
                                           std::size_t slices = 1) noexcept {
  return {nodes + 1 + slices * (2 * nodes + 1), edges, nodes + 1, 2 * edges};
}

/// Can positions be of this width? @complexity O(1)
template <id Position>
constexpr bool positions_fit(std::size_t nodes, std::size_t edges) noexcept {
  return nodes < id_capacity<Position>() && edges < id_capacity<Position>() / 2;
}

/// Scratch of both steps; sized by symmetrize_size. Between the steps it holds the pairs:
/// those of a node v with smaller neighbors are lower[positions[v] .. positions[v + 1]).
/// @tparam Position narrow where it may be: the tables of positions are what is read and written at
///     random
template <id Index = std::uint64_t, id Weight = std::int64_t, id Position = std::size_t>
struct pair_scratch {
  std::span<Position> positions{};    ///< [symmetrize_sizes::positions]
  std::span<Index> lower{};           ///< [symmetrize_sizes::lower]
  std::span<Weight> lower_weights{};  ///< as long as lower, or empty: no weights are made
};

namespace detail {

/// The positions of both steps: where each row of pairs starts, and the tables of each slice.
template <id Position>
class pair_tables {
 public:
  constexpr pair_tables(std::span<Position> positions, std::size_t nodes) noexcept
      : positions_(positions.data()),
        nodes_(nodes),
        slices_(
            positions.size() <= nodes
                ? 0
                : std::min(most_pair_slices, (positions.size() - nodes - 1) / (2 * nodes + 1))) {}

  constexpr std::size_t slices() const noexcept { return slices_; }
  /// [V+1]
  constexpr Position* start() const noexcept { return positions_; }
  /// [2V] of a slice
  constexpr Position* table(std::size_t slice) const noexcept {
    return positions_ + nodes_ + 1 + slice * (2 * nodes_ + 1);
  }
  /// The first of the rows that a slice merges and expands; of slices(): V.
  constexpr std::size_t first_row(std::size_t slice) const noexcept {
    return slice == slices_ ? nodes_ : index(table(slice)[2 * nodes_]);
  }
  constexpr void set_first_row(std::size_t slice, std::size_t row) const noexcept {
    table(slice)[2 * nodes_] = static_cast<Position>(row);
  }

 private:
  Position* positions_;
  std::size_t nodes_;
  std::size_t slices_;
};

}  // namespace detail

/// Bucket the edges of g by their larger end and merge equal pairs.
/// @param g        V nodes, E edges; any directions, loops and duplicates
/// @param weight   pairs_once, pairs_by_multiplicity, pairs_by_weight, or a type like them
/// @param scratch  filled with the merged pairs, for expand_pairs
/// @param pairs    out: number of distinct unordered pairs
/// @param run      executor of the slices that scratch has room for
/// @errors  out_of_range at e: an endpoint of edge e is not a node; mismatch: fewer edge weights
///     than edges; malformed at v: the graph lists other edges of v in the second visit; capacity
///     at the entries needed: positions or lower (lower_weights) is too small; overflow at v: a
///     node ID does not fit Index, or a pair's weights their type; overflow at E: Position cannot
///     count V nodes and E edges
/// @complexity O(V x slices + E); visits the edges twice
/// @repeatable yes: the CSR made of the pairs is a function of the set of edges and their weights
template <graph G, class PairWeight, id Index, id Weight, id Position,
          executor Executor = sequential>
constexpr status collect_pairs(const G& g, const PairWeight& weight,
                               const pair_scratch<Index, Weight, Position>& scratch,
                               std::size_t& pairs, const Executor& run = {}) {
  const std::size_t nodes = num_nodes(g);
  pairs = 0;
  if (nodes > id_capacity<Index>()) return status::overflow.at(nodes);
  if (nodes >= id_capacity<Position>()) return status::overflow.at(nodes);
  const detail::pair_tables<Position> tables(scratch.positions, nodes);
  const std::size_t slices = tables.slices();
  if (slices == 0) return status::capacity.at(symmetrize_size(nodes, 0).positions);
  Position* const start = tables.start();
  const auto lower = scratch.lower;
  const auto weights = scratch.lower_weights;
  std::array<status, most_pair_slices> answers{};
  std::array<std::size_t, most_pair_slices> counts{};
  // Slices hold ascending edges, so that the error of the first slice is that of the first edge.
  const auto first_problem = [&] {
    for (std::size_t k = 0; k < slices; ++k) {
      if (!answers[k]) return answers[k];
    }
    return status::ok;
  };

  // Count the pairs of each larger end.
  detail::for_each_slice(run, slices, [&](std::size_t k) {
    Position* const count = tables.table(k);
    std::fill_n(count, nodes, Position{0});
    std::size_t kept = 0;
    status answer = status::ok;
    detail::visit_slice(g, k, slices, [&, nodes, count](auto u, auto v, auto e) {
      static_cast<void>(weight);  // Clang 14 minds a capture that only weighed graphs use
      const std::size_t a = index(u), b = index(v);
      if (a >= nodes || b >= nodes) {
        if (answer) answer = status::out_of_range.at(index(e));
        return;
      }
      if constexpr (PairWeight::weighs) {
        if (const status checked = weight.check(index(e)); !checked && answer) answer = checked;
      }
      if (a == b || ++kept >= id_capacity<Position>()) return;
      ++count[a < b ? b : a];
    });
    answers[k] = answer;
    counts[k] = kept;
  });
  if (const status answer = first_problem(); !answer) return answer;
  std::size_t kept = 0;
  for (std::size_t k = 0; k < slices; ++k) kept += counts[k];
  if (kept >= id_capacity<Position>()) return status::overflow.at(kept);
  if (lower.size() < kept) return status::capacity.at(kept);
  if constexpr (PairWeight::weighs) {
    if (weights.size() < kept) return status::capacity.at(kept);
  }
  // Counts become places: of each row those of the first slice first.
  Position total = 0;
  for (std::size_t v = 0; v < nodes; ++v) {
    start[v] = total;
    for (std::size_t k = 0; k < slices; ++k) {
      Position& place = tables.table(k)[v];
      const auto next = static_cast<Position>(total + place);
      place = total;
      total = next;
    }
  }
  start[nodes] = total;
  detail::for_each_slice(run, slices, [&](std::size_t k) {
    Position* const next = tables.table(k);
    status answer = status::ok;
    detail::visit_slice(g, k, slices, [&, nodes, next, kept, lower](auto u, auto v, auto e) {
      const std::size_t a = index(u), b = index(v), hi = a < b ? b : a;
      // A graph that lists other edges in the second visit must not cause writes out of bounds.
      if (a == b || hi >= nodes || index(next[hi]) >= kept) return;
      const std::size_t place = index(next[hi]++);
      lower[place] = static_cast<Index>(a < b ? a : b);
      if constexpr (PairWeight::weighs) {
        if (!narrow_into(weight(index(e)), weights[place]) && answer)
          answer = status::overflow.at(index(e));
      } else {
        static_cast<void>(e);
      }
    });
    answers[k] = answer;
  });
  if (const status answer = first_problem(); !answer) return answer;

  // Merge equal pairs in place, row by row; slices have as many pairs each. Of a node lo, marks[2
  // lo] is one past where a row last put lo: an entry left by another row does not point past
  // this row's begin. marks[2 lo + 1] counts the larger neighbors that the slice finds for lo.
  for (std::size_t k = 0; k < slices; ++k) {
    const auto share = static_cast<Position>(kept / slices * k);
    tables.set_first_row(k, k == 0 ? 0
                                   : static_cast<std::size_t>(
                                         std::lower_bound(start, start + nodes, share) - start));
  }
  detail::for_each_slice(run, slices, [&](std::size_t k) {
    Position* const marks = tables.table(k);
    std::fill_n(marks, 2 * nodes, Position{0});
    const std::size_t first = tables.first_row(k), last = tables.first_row(k + 1);
    std::size_t end = index(start[first]);
    for (std::size_t hi = first; hi < last; ++hi) {
      const std::size_t from = index(start[hi]), to = index(start[hi + 1]), begin = end;
      for (std::size_t i = from; i < to; ++i) {
        const Index entry = lower[i];
        const std::size_t lo = index(entry);
        if (lo >= hi) {  // never written: the graph listed other edges in the second visit
          answers[k] = status::malformed.at(hi);
          return;
        }
        if (const std::size_t seen = index(marks[2 * lo]); seen > begin) {
          if constexpr (PairWeight::weighs) {
            const std::size_t place = seen - 1;
            const Weight a = weights[place], b = weights[i];
            if ((b > 0 && a > std::numeric_limits<Weight>::max() - b) ||
                (b < 0 && a < std::numeric_limits<Weight>::min() - b)) {
              answers[k] = status::overflow.at(hi);
              return;
            }
            weights[place] = static_cast<Weight>(a + b);
          }
          continue;
        }
        lower[end] = entry;
        if constexpr (PairWeight::weighs) weights[end] = weights[i];
        marks[2 * lo] = static_cast<Position>(++end);
        ++marks[2 * lo + 1];
      }
      if (begin != from) start[hi] = static_cast<Position>(begin);
    }
    counts[k] = end;
  });
  if (const status answer = first_problem(); !answer) return answer;
  // Close the gaps between slices.
  std::size_t end = counts[0];
  for (std::size_t k = 1; k < slices; ++k) {
    const std::size_t first = tables.first_row(k), last = tables.first_row(k + 1);
    const std::size_t from = index(start[first]), count = first == last ? 0 : counts[k] - from;
    if (count == 0 || from == end) {
      for (std::size_t v = first; v < last; ++v)
        start[v] = static_cast<Position>(index(start[v]) - (from - end));
    } else {
      std::copy_n(lower.begin() + static_cast<std::ptrdiff_t>(from), count,
                  lower.begin() + static_cast<std::ptrdiff_t>(end));
      if constexpr (PairWeight::weighs) {
        std::copy_n(weights.begin() + static_cast<std::ptrdiff_t>(from), count,
                    weights.begin() + static_cast<std::ptrdiff_t>(end));
      }
      for (std::size_t v = first; v < last; ++v)
        start[v] = static_cast<Position>(index(start[v]) - (from - end));
    }
    end += count;
  }
  start[nodes] = static_cast<Position>(end);
  pairs = end;
  return status::ok;
}

/// Write the pairs of collect_pairs as CSR, both directions, rows ascending.
/// @param nodes       V, as in collect_pairs
/// @param scratch     as collect_pairs left it; all but the first V + 1 positions is used again
/// @param offsets     [V+1] out
/// @param neighbors  [2 x pairs] out
/// @param weights     [2 x pairs] out, or empty: pairs are not weighed
/// @param run         executor of the slices
/// @errors  capacity at the entries needed; overflow at 2 x pairs: Index or Position cannot number
///     the entries
/// @complexity O(V x slices + pairs)
template <id Index, id Weight, id Position, executor Executor = sequential>
constexpr status expand_pairs(std::size_t nodes,
                              const pair_scratch<Index, Weight, Position>& scratch,
                              std::span<Index> offsets, std::span<Index> neighbors,
                              std::span<Weight> weights, const Executor& run = {}) {
  const detail::pair_tables<Position> tables(scratch.positions, nodes);
  const std::size_t slices = tables.slices();
  if (slices == 0) return status::capacity.at(symmetrize_size(nodes, 0).positions);
  const Position* const start = tables.start();
  const Index* const lower = scratch.lower.data();
  const std::size_t entries = 2 * index(start[nodes]);
  if (entries > id_capacity<Index>() - 1 || entries > id_capacity<Position>() - 1)
    return status::overflow.at(entries);
  if (offsets.size() < nodes + 1) return status::capacity.at(nodes + 1);
  if (neighbors.size() < entries) return status::capacity.at(entries);
  const bool weighs = !weights.empty();
  if (weighs && weights.size() < entries) return status::capacity.at(entries);

  // A row holds its smaller neighbors, then the larger ones that each slice has found. Of each
  // slice the first V entries become where its next one goes: entry v lies before all that are
  // still to be read.
  std::size_t total = 0;
  for (std::size_t v = 0; v < nodes; ++v) {
    offsets[v] = static_cast<Index>(total);
    total += index(start[v + 1]) - index(start[v]);
    for (std::size_t k = 0; k < slices; ++k) {
      Position* const table = tables.table(k);
      const std::size_t larger = index(table[2 * v + 1]);
      table[v] = static_cast<Position>(total);
      total += larger;
    }
  }
  offsets[nodes] = static_cast<Index>(total);
  Index* const out = neighbors.data();
  detail::for_each_slice(run, slices, [&](std::size_t k) {
    Position* const next = tables.table(k);
    for (std::size_t hi = tables.first_row(k), last = tables.first_row(k + 1); hi < last; ++hi) {
      for (std::size_t i = index(start[hi]), end = index(start[hi + 1]); i < end; ++i) {
        const std::size_t place = index(next[index(lower[i])]++);
        out[place] = static_cast<Index>(hi);
        if (weighs) weights[place] = scratch.lower_weights[i];
      }
    }
  });
  // Of each row the slice now finds together what it wrote: from where the slice before it ended to
  // where it ended.
  Position* const smaller = tables.table(0) + nodes;  // [V] where the next smaller neighbor goes
  detail::for_each_slice(run, slices, [&](std::size_t k) {
    for (std::size_t hi = tables.first_row(k), last = tables.first_row(k + 1); hi < last; ++hi)
      smaller[hi] = static_cast<Position>(offsets[hi]);
    const Position* const ends = tables.table(k);
    for (std::size_t lo = 0; lo < nodes; ++lo) {
      const std::size_t from = k == 0
                                   ? index(offsets[lo]) + (index(start[lo + 1]) - index(start[lo]))
                                   : index(tables.table(k - 1)[lo]);
      for (std::size_t i = from, end = index(ends[lo]); i < end; ++i) {
        const std::size_t place = index(smaller[index(out[i])]++);
        out[place] = static_cast<Index>(lo);
        if (weighs) weights[place] = weights[i];
      }
    }
  });
  return status::ok;
}

// ---- hosted

/// An undirected graph as CSR: both directions of each pair, rows ascending, no loops.
template <id Index = std::uint64_t, id Weight = std::int64_t>
struct symmetric_graph {
  using node_id = Index;  ///< counts directed edges, see graph_traits
  using edge_id = Index;  ///< counts directed edges, see graph_traits

  uninitialized_vector<Index> offsets{};    ///< [V+1]
  uninitialized_vector<Index> neighbors{};  ///< [2 x pairs]
  uninitialized_vector<Weight> weights{};   ///< [2 x pairs], or empty: every pair counts once

  /// V.
  std::size_t num_nodes() const noexcept { return offsets.empty() ? 0 : offsets.size() - 1; }
  /// Both directions of each pair.
  std::size_t num_edges() const noexcept { return neighbors.size(); }
  std::size_t num_pairs() const noexcept { return neighbors.size() / 2; }  ///< half of num_edges()
  /// Without the weights.
  csr_view<Index, Index> view() const noexcept { return {offsets, neighbors}; }
  /// F(neighbor, e) for each entry e of row u, ascending. @pre u < num_nodes()
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
    case error_kind::out_of_range:
      return "edge " + at + " has an endpoint that is not a node of the graph";
    case error_kind::mismatch:
      return "there are weights for " + at + " edges only; every edge needs one";
    case error_kind::malformed:
      return "the graph lists other edges of node " + at +
             " when it is visited again; it must list the same each time";
    case error_kind::overflow:
      return "the undirected view does not fit " + std::to_string(8 * sizeof(Index)) +
             "-bit indices or weights (at " + at + "); wider ones are needed";
    default:
      return "the undirected view could not be built (" + std::string(name(answer.code)) + " at " +
             at + ")";
  }
}

namespace detail {
/// symmetrize_into with positions of this width. @pre positions_fit<Position>
template <id Position, graph G, class PairWeight, id Index, id Weight, executor Executor>
status symmetrize_with(const G& g, const PairWeight& weight, symmetric_graph<Index, Weight>& out,
                       const Executor& run) {
  const auto sizes = symmetrize_size(num_nodes(g), num_edges(g), edge_slices(g, run));
  // Not zeroed: written before they are read.
  uninitialized_vector<Position> positions(sizes.positions);
  uninitialized_vector<Index> lower(sizes.lower);
  uninitialized_vector<Weight> lower_weights(PairWeight::weighs ? sizes.lower : 0);
  const pair_scratch<Index, Weight, Position> scratch{positions, lower, lower_weights};
  std::size_t pairs = 0;
  if (const status collected = collect_pairs(g, weight, scratch, pairs, run); !collected)
    return collected;
  out.offsets.resize(sizes.offsets);
  out.neighbors.resize(2 * pairs);
  out.weights.resize(PairWeight::weighs ? 2 * pairs : 0);
  return expand_pairs(num_nodes(g), scratch, std::span<Index>(out.offsets),
                      std::span<Index>(out.neighbors), std::span<Weight>(out.weights), run);
}
}  // namespace detail

/// Make the undirected view of any graph.
/// @param weight  pairs_once{}, pairs_by_multiplicity{} or pairs_by_weight{weights}
/// @param out     its former memory is used again
/// @param run     executor; the result is the same for any
/// @errors        those of collect_pairs and expand_pairs; explain_symmetrize() has the sentences
/// @complexity    O(V + E) time; peak memory V x (1 + 2 x threads) positions (4 bytes each where
///     they count the edges), E + 2 x pairs + V entries, as many weights
template <graph G, class PairWeight, id Index, id Weight, executor Executor = sequential>
status symmetrize_into(const G& g, const PairWeight& weight, symmetric_graph<Index, Weight>& out,
                       const Executor& run = {}) {
  return positions_fit<std::uint32_t>(num_nodes(g), num_edges(g))
             ? detail::symmetrize_with<std::uint32_t>(g, weight, out, run)
             : detail::symmetrize_with<std::uint64_t>(g, weight, out, run);
}

/// The undirected view of any graph, in index width Index; raises what symmetrize_into answers.
template <id Index = std::uint64_t, id Weight = std::int64_t, graph G,
          class PairWeight = pairs_once, executor Executor = sequential>
symmetric_graph<Index, Weight> symmetrize(const G& g, const PairWeight& weight = {},
                                          const Executor& run = {}) {
  symmetric_graph<Index, Weight> out;
  if (const status answer = symmetrize_into(g, weight, out, run); !answer)
    raise(answer.code, explain_symmetrize<Index>(answer));
  return out;
}

/// How many entries the rows of the undirected view have, at most: two for each edge that is no
/// loop, or one where each edge has its reverse, as often as itself.
///
/// That is found by sums of hashes: a graph in which edges lack their reverse is taken for one in
/// which none does with a probability of 2^-64.
/// @complexity O(E) time, no memory
template <graph G, executor Executor = sequential>
constexpr std::uint64_t most_undirected_entries(const G& g, const Executor& run = {}) {
  std::array<std::uint64_t, most_edge_slices> balance{}, ends{};
  const std::size_t slices = edge_slices(g, run);
  detail::for_each_slice(run, slices, [&](std::size_t k) {
    std::uint64_t sum = 0, count = 0;
    detail::visit_slice(g, k, slices, [&](auto u, auto v, auto) {
      const auto a = static_cast<std::uint64_t>(u), b = static_cast<std::uint64_t>(v);
      if (a == b) return;
      const std::uint64_t pair = detail::keyed(mix(std::max(a, b)), std::min(a, b));
      sum += a < b ? pair : 0 - pair;
      ++count;
    });
    balance[k] = sum;
    ends[k] = count;
  });
  std::uint64_t sum = 0, count = 0;
  for (std::size_t k = 0; k < slices; ++k) {
    sum += balance[k];
    count += ends[k];
  }
  return sum == 0 ? count : 2 * count;
}

/// Undirected rows of any graph, for any policy that walks from a node to its neighbors along
/// out-edges: each neighbor once, ascending, whichever way its edges lead; no loops.
/// Edge IDs are the rows' own. @errors, @complexity as symmetrize
///
///     const auto owner = hg::assign(hg::neighbors(g), my_walking_policy{.parts = 8});
template <id Index = std::uint64_t, graph G, executor Executor = sequential>
symmetric_graph<Index> neighbors(const G& g, const Executor& run = {}) {
  return symmetrize<Index>(g, pairs_once{}, run);
}

}  // namespace halograph
