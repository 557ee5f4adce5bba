// SPDX-License-Identifier: BSL-1.0
/// @file quality.hpp
/// Measure an assignment: cut edges, communication volume, balance.
/// Layer: partition (span core: no allocation, no exceptions). Words: README.md.
///
/// | measure | definition |
/// | --- | --- |
/// | directed cut | input edges whose endpoints have different owners, duplicates counted |
/// | edge cut | unordered pairs {u, v} joined by at least one edge whose owners differ: what METIS minimizes |
/// | communication volume | sum over nodes of the other parts among their neighbors, in either direction |
#pragma once

#include <halograph/core/checked_cast.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/id_row.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/graph/coo.hpp>
#include <halograph/graph/edge_slices.hpp>
#include <halograph/graph/symmetrize.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/fixed_point.hpp>
#include <halograph/partition/partitioner.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
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
      // Endpoints that are not nodes pass: the visitor reports them.
      if (index(u) >= owner.size() || index(v) >= owner.size() ||
          owner[index(u)] != owner[index(v)])
        f(u, v, e);
    });
  }
};

}  // namespace detail

/// Count the input edges whose endpoints have different owners.
/// @param owner  [V] part of each node
/// @param cut    out, edges
/// @errors  mismatch at V: owner is not [V]; out_of_range at e: an endpoint of edge e is not a node
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
/// @param positions  [symmetrize_size(V, 0).positions] scratch
/// @param lower      [directed cut] scratch
/// @param cut        out, pairs
/// @errors  mismatch, out_of_range as directed_cut_into; capacity; overflow: V does not fit Index
/// @complexity O(V + E)
template <graph G, unsigned_id Part, id Index, id Position>
constexpr status edge_cut_into(const G& g, std::span<const Part> owner,
                               std::span<Position> positions, std::span<Index> lower,
                               std::uint64_t& cut) {
  cut = 0;
  if (owner.size() != num_nodes(g)) return status::mismatch.at(num_nodes(g));
  const detail::crossing_edges<G, Part> crossing{g, owner};
  std::size_t pairs = 0;
  const status answer = collect_pairs(
      crossing, pairs_once{}, pair_scratch<Index, std::int64_t, Position>{positions, lower, {}},
      pairs);
  cut = pairs;
  return answer;
}

/// Sum over nodes the number of other parts among their neighbors.
/// @param owner    [V] part of each node, each below parts
/// @param scratch  at least [V] words; n x V words let 64n parts be counted in one pass over the
///     edges
/// @param volume   out, (node, part) pairs
/// @errors  mismatch at V: owner is not [V]; capacity at V; out_of_range at e: an endpoint of edge
///     e is not a node
/// @complexity O((V + E) x ceil(K / 64n))
template <graph G, unsigned_id Part>
constexpr status communication_volume_into(const G& g, std::span<const Part> owner,
                                           std::uint64_t parts, std::span<std::uint64_t> scratch,
                                           std::uint64_t& volume) {
  const std::size_t nodes = num_nodes(g);
  volume = 0;
  if (owner.size() != nodes) return status::mismatch.at(nodes);
  if (nodes == 0) return status::ok;
  const std::size_t words = scratch.size() / nodes;
  if (words == 0) return status::capacity.at(nodes);
  status answer = status::ok;
  // A slab of parts at a time: bit p - first of a node's row says that part p is among its
  // neighbors.
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

/// The measures of an assignment, for reports.
struct assignment_quality {
  std::uint64_t edge_cut = 0;              ///< unordered pairs
  std::uint64_t directed_cut = 0;          ///< input edges
  std::uint64_t communication_volume = 0;  ///< (node, other part) pairs
  std::vector<balance_line> balance{};     ///< [constraints]
};

namespace detail {

/// Memory that count_crossing takes at most, the ends of the edges included. @param id_bytes  of a
/// node's ID
constexpr std::uint64_t bytes_to_count_crossing(std::uint64_t nodes, std::uint64_t crossing,
                                                std::uint64_t parts, std::uint64_t threads,
                                                std::uint64_t id_bytes) noexcept {
  // The ends, and in them pairs by their larger end; positions by node, twice for each thread; with
  // more than 64 parts the parts at both ends of each pair.
  const std::uint64_t slices = std::clamp<std::uint64_t>(threads, 1, most_edge_slices),
                      position = saturating(crossing, 2, nodes) <= 0xFFFFFFFFu ? 4 : 8;
  return saturating(crossing, 3 * id_bytes + (parts > 64 ? 8 : 0),
                    saturating(nodes, position * (1 + 2 * slices) + 8));
}

/// The distinct pairs that cross parts, counted from both endpoints, among V nodes.
/// @param source, target  ends of the edges that cross
template <id Index, unsigned_id Part, executor Executor>
status count_crossing(std::size_t nodes, std::span<const Index> source,
                      std::span<const Index> target, std::span<const Part> owner,
                      std::uint64_t parts, assignment_quality& out, const Executor& run) {
  const std::size_t crossing = source.size();
  // Few: sorted, rather than looked up in tables of all nodes.
  if constexpr (sizeof(Index) == 4) {
    if (crossing <= nodes / 16 && parts <= std::uint64_t{1} << 32) {
      std::vector<std::uint64_t> keys;
      keys.reserve(2 * crossing);
      const auto distinct = [&keys] {
        std::sort(keys.begin(), keys.end());
        keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
        return keys.size();
      };
      const auto key = [](std::uint64_t a, std::uint64_t b) { return a << 32 | b; };
      for (std::size_t i = 0; i < crossing; ++i)
        keys.push_back(key(std::max(source[i], target[i]), std::min(source[i], target[i])));
      out.edge_cut = distinct();
      keys.clear();
      for (std::size_t i = 0; i < crossing; ++i) {
        keys.push_back(key(source[i], owner[target[i]]));
        keys.push_back(key(target[i], owner[source[i]]));
      }
      out.communication_volume = distinct();
      return status::ok;
    }
  }

  const coo_view<Index, std::uint64_t> cut(nodes, source, target);
  const auto sizes = symmetrize_size(nodes, crossing, edge_slices(cut, run));
  const auto count_from = [&]<class Position>(Position) {
    const auto positions = std::make_unique_for_overwrite<Position[]>(sizes.positions);
    const auto lower = std::make_unique_for_overwrite<Index[]>(crossing);
    const pair_scratch<Index, std::int64_t, Position> scratch{
        {positions.get(), sizes.positions}, {lower.get(), crossing}, {}};
    std::size_t pairs = 0;
    if (const status answer = collect_pairs(cut, pairs_once{}, scratch, pairs, run); !answer)
      return answer;
    out.edge_cut = pairs;
    const auto row = [&](std::size_t hi, auto&& f) {
      for (auto i = index(positions[hi]), end = index(positions[hi + 1]); i < end; ++i)
        f(index(lower[i]));
    };
    out.communication_volume = 0;
    if (parts <= 64) {
      // A bit for each part among a node's neighbors.
      std::vector<std::uint64_t> marks(nodes);
      for (std::size_t hi = 0; hi < nodes; ++hi) {
        std::uint64_t seen = 0;
        const std::uint64_t own = std::uint64_t{1} << owner[hi];
        row(hi, [&](std::size_t lo) {
          seen |= std::uint64_t{1} << owner[lo];
          marks[lo] |= own;
        });
        marks[hi] |= seen;
      }
      for (const auto word : marks)
        out.communication_volume += static_cast<std::uint64_t>(std::popcount(word));
      return status::ok;
    }
    // Both directions, and for each part the node that saw it last.
    std::vector<std::size_t> offsets(nodes + 1);
    for (std::size_t hi = 0; hi < nodes; ++hi) {
      row(hi, [&](std::size_t lo) {
        ++offsets[lo];
        ++offsets[hi];
      });
    }
    std::size_t sum = 0;
    for (auto& offset : offsets) sum = (offset += sum);
    std::vector<Part> across(sum);  // the part at each entry's other endpoint
    for (std::size_t hi = 0; hi < nodes; ++hi) {
      row(hi, [&](std::size_t lo) {
        across[--offsets[lo]] = owner[hi];
        across[--offsets[hi]] = owner[lo];
      });
    }
    std::vector<Index> last_seen(static_cast<std::size_t>(parts), static_cast<Index>(nodes));
    for (std::size_t v = 0; v < nodes; ++v) {
      for (std::size_t i = offsets[v]; i < offsets[v + 1]; ++i) {
        Index& last = last_seen[index(across[i])];
        out.communication_volume += index(last) != v ? 1u : 0u;
        last = static_cast<Index>(v);
      }
    }
    return status::ok;
  };
  return positions_fit<std::uint32_t>(nodes, crossing) ? count_from(std::uint32_t{})
                                                       : count_from(std::uint64_t{});
}

#if HALOGRAPH_COMPILED
// Instantiated in the compiled library (impl/quality.ipp).
extern template status count_crossing(std::size_t, std::span<const std::uint32_t>,
                                      std::span<const std::uint32_t>, std::span<const part_id>,
                                      std::uint64_t, assignment_quality&, const executor_ref&);
extern template status count_crossing(std::size_t, std::span<const std::uint64_t>,
                                      std::span<const std::uint64_t>, std::span<const part_id>,
                                      std::uint64_t, assignment_quality&, const executor_ref&);
#endif

/// measure_quality in Index-wide memory.
template <id Index, graph G, unsigned_id Part, executor Executor>
status measure_crossing(const G& g, std::span<const Part> owner, std::uint64_t parts,
                        assignment_quality& out, const Executor& run) {
  const std::size_t nodes = num_nodes(g), slices = edge_slices(g, run);
  // Two visits of all edges: how many cross in each slice, then which.
  std::array<std::size_t, most_edge_slices + 1> begin{};
  std::array<status, most_edge_slices> answers{};
  for_each_slice(run, slices, [&](std::size_t k) {
    std::size_t count = 0;
    status answer = status::ok;
    visit_slice(g, k, slices, [owner, &count, &answer](auto u, auto v, auto e) {
      if (index(u) >= owner.size() || index(v) >= owner.size()) {
        if (answer) answer = status::out_of_range.at(index(e));
      } else {
        count += owner[index(u)] != owner[index(v)] ? 1u : 0u;
      }
    });
    begin[k + 1] = count;
    answers[k] = answer;
  });
  for (std::size_t k = 0; k < slices; ++k) {
    if (!answers[k]) return answers[k];
    begin[k + 1] += begin[k];
  }
  const std::size_t crossing = begin[slices];
  out.directed_cut = crossing;
  const auto source = std::make_unique_for_overwrite<Index[]>(crossing),
             target = std::make_unique_for_overwrite<Index[]>(crossing);
  for_each_slice(run, slices, [&](std::size_t k) {
    std::size_t at = begin[k];
    visit_slice(
        g, k, slices,
        [owner, &at, end = begin[k + 1], s = source.get(), t = target.get()](auto u, auto v, auto) {
          if (at == end || index(u) >= owner.size() || index(v) >= owner.size() ||
              owner[index(u)] == owner[index(v)])
            return;
          s[at] = static_cast<Index>(u);
          t[at++] = static_cast<Index>(v);
        });
    if (at != begin[k + 1])
      answers[k] = status::malformed.at(at);  // the graph listed other edges in the second visit
  });
  for (std::size_t k = 0; k < slices; ++k) {
    if (!answers[k]) return answers[k];
  }

  return count_crossing<Index>(nodes, {source.get(), crossing}, {target.get(), crossing}, owner,
                               parts, out, run);
}

}  // namespace detail

/// Measure an assignment.
/// @param g            V nodes, E edges
/// @param owners       [V] part of each node, each below parts: a vector, array, span ... of any
///     integer type
/// @param constraints  what to balance; may be empty
/// @param run          executor; the numbers are the same for any
/// @errors  raises mismatch, out_of_range; those of measure_balance
/// @complexity O(V + E + constraints x V) time whatever the number of parts, two visits of each
///     edge; memory: 12 bytes for each edge that crosses, 20 and 8 x threads for each node below
///     2^32 of both; with more than 64 parts 8 bytes for each pair besides
template <graph G, id_row Owner, executor Executor = sequential>
assignment_quality measure_quality(const G& g, const Owner& owners, std::uint64_t parts,
                                   std::span<const constraint> constraints = {},
                                   const Executor& run = {}) {
  const auto owner = parts_of(owners);
  const std::size_t nodes = num_nodes(g);
  if (owner.size() != nodes) {
    raise(error_kind::mismatch, "there are " + std::to_string(owner.size()) + " owners for " +
                                    std::to_string(nodes) + " nodes; there must be one for each");
  }
  if (const status answer = check_owners(owner, parts); !answer) {
    raise(answer.code, "node " + std::to_string(answer.position) + " is owned by part " +
                           std::to_string(owner[static_cast<std::size_t>(answer.position)]) +
                           ", which is not below " + std::to_string(parts));
  }
  assignment_quality out;
  const status answer = nodes < id_capacity<std::uint32_t>()
                            ? detail::measure_crossing<std::uint32_t>(g, owner, parts, out, run)
                            : detail::measure_crossing<std::uint64_t>(g, owner, parts, out, run);
  if (!answer) raise(answer.code, explain_symmetrize<std::uint64_t>(answer));
  out.balance = measure_balance(owner, parts, constraints);
  return out;
}

// Sentences for the commonest mistakes, which compilers print first, at the line of the call.
template <class G, class Owner, class Executor = sequential>
  requires detail::list_of_pairs<G>
__attribute__((unavailable(
    "graph: a list of pairs does not say how many nodes there are; wrap it: edge_pairs(nodes, pairs)")))
assignment_quality
measure_quality(const G&, const Owner&, std::uint64_t, std::span<const constraint> = {},
                const Executor& = Executor());
template <graph G, class Owner, class Executor = sequential>
  requires(!id_row<Owner>)
__attribute__((unavailable(
    "id_row: owners need contiguous memory of integers, as a vector, array or span of them has")))
assignment_quality
measure_quality(const G&, const Owner&, std::uint64_t, std::span<const constraint> = {},
                const Executor& = Executor());

}  // namespace halograph
