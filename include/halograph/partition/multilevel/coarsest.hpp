// SPDX-License-Identifier: BSL-1.0
/// @file coarsest.hpp
/// Assign the coarsest graph, the first of the assignments that a multilevel partitioner refines.
/// Layer: partition (allocates; no exceptions of its own). Words: README.md.
#pragma once

#include <halograph/core/communicator.hpp>
#include <halograph/core/random.hpp>
#include <halograph/core/status.hpp>
#include <halograph/partition/distributed/remote_values.hpp>
#include <halograph/partition/fixed_point.hpp>
#include <halograph/partition/multilevel/initial_partition.hpp>
#include <halograph/partition/multilevel/level_graph.hpp>
#include <halograph/partition/multilevel/problem.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace halograph::detail {

/// The most nodes of a graph that each rank holds whole, unless the policy asks for more.
inline constexpr std::uint64_t most_held_whole = std::uint64_t{1} << 18;

/// Neighbors in all rows of all ranks. Collective.
template <communicator C>
status total_entries(const multilevel_problem<C>& problem, const level_graph& g,
                     std::uint64_t& entries) {
  std::array<std::uint64_t, 1> sum{g.targets.size()};
  if (const status answer = problem.ranks.sum(sum); !answer) return answer;
  entries = sum[0];
  return status::ok;
}

/// Give every rank the whole graph. Collective.
template <communicator C>
status gather(const multilevel_problem<C>& problem, const level_graph& g, whole_graph& out) {
  const std::size_t nodes = g.num_nodes(), rows = problem.rows - 1;
  const std::uint64_t first = g.ranges[problem.rank];
  std::vector<std::uint64_t> mine, lengths, piece;
  mine.reserve(nodes * (1 + rows) + 2 * g.targets.size());
  for (std::size_t v = 0; v < nodes; ++v) {
    mine.push_back(g.degree(v));
    for (std::size_t r = 0; r < rows; ++r) mine.push_back(g.loads[v * problem.rows + r]);
    g.visit(v, [&](std::size_t u, std::uint64_t w) {
      mine.insert(mine.end(), {u < nodes ? first + u : g.remote.nodes()[u - nodes], w});
    });
  }
  const std::array<std::uint64_t, 1> length{mine.size()};
  if (const status answer = gather_words(problem.ranks, std::span<const std::uint64_t>(length),
                                         lengths);
      !answer)
    return answer;
  out.rows = rows;
  std::uint64_t words = 0;
  for (const auto one : lengths) words += one;
  out.neighbors.reserve(static_cast<std::size_t>(words / 2));
  out.weights.reserve(static_cast<std::size_t>(words / 2));
  for (std::size_t root = 0; root < problem.size; ++root) {
    if (root == problem.rank)
      piece.swap(mine);
    else
      piece.assign(static_cast<std::size_t>(lengths[root]), 0);
    if (const status answer = problem.ranks.broadcast(std::as_writable_bytes(std::span(piece)),
                                                      root);
        !answer)
      return answer;
    for (std::size_t at = 0; at < piece.size();) {
      const auto degree = static_cast<std::size_t>(piece[at++]);
      for (std::size_t r = 0; r < rows; ++r) out.loads.push_back(piece[at++]);
      for (std::size_t e = 0; e < degree; ++e, at += 2) {
        out.neighbors.push_back(static_cast<std::uint32_t>(piece[at]));
        out.weights.push_back(piece[at + 1]);
      }
      out.offsets.push_back(out.neighbors.size());
    }
  }
  return status::ok;
}

/// What an assignment of the coarsest graph costs: what parts hold excess their limits, then the
/// cut.
template <communicator C>
std::pair<std::uint64_t, std::uint64_t> cost_of(const multilevel_problem<C>& problem,
                                                const whole_graph& g,
                                                std::span<const std::uint32_t> owner) {
  std::vector<std::uint64_t> load(std::size_t{problem.options.parts} * g.rows);
  std::uint64_t cut = 0, excess = 0;
  for (std::size_t v = 0; v < g.num_nodes(); ++v) {
    for (std::size_t r = 0; r < g.rows; ++r) load[owner[v] * g.rows + r] += g.loads[v * g.rows + r];
    g.visit(v,
            [&](std::size_t u, std::uint64_t w) { cut += u < v && owner[u] != owner[v] ? w : 0; });
  }
  // Nodes of the coarsest graph are heavy: refinement repairs small excesses.
  for (std::size_t i = 0; i < load.size(); ++i) {
    const std::uint64_t cap = problem.caps[i % g.rows], rough = cap + cap / 16;
    if (load[i] > rough)
      excess += 1 + multiply_divide(load[i] - rough, std::uint64_t{1} << 20,
                                    std::max<std::uint64_t>(1, problem.totals[i % g.rows]));
  }
  return {excess, cut};
}

/// Assign nodes in the order of their IDs, or of their degrees and then their IDs, so that each
/// part gets an even share of the loads. The first follows a numbering with locality (of a crawl,
/// of a road map), the second keeps the core of a graph together. Collective.
template <communicator C>
status assign_in_stripes(const multilevel_problem<C>& problem, const level_graph& g, bool by_degree,
                         std::vector<std::uint64_t>& owner) {
  const auto main_row = [&](std::size_t v) {
    std::size_t r = 0;
    while (r + 1 < problem.rows && g.loads[v * problem.rows + r] == 0) ++r;
    return r;
  };
  // Degrees below 16 are a class each, above them eighths of powers of two; the largest first.
  constexpr std::size_t most = 512;
  const std::size_t count = by_degree ? most : 1;
  const auto class_of_node = [&](std::size_t v) {
    if (!by_degree) return std::size_t{0};
    const std::uint64_t degree = g.degree(v);
    const auto width = static_cast<unsigned>(std::bit_width(degree));
    const auto steep = degree < 16 ? static_cast<std::size_t>(degree)
                                   : (width - 3) * std::size_t{8} +
                                         static_cast<std::size_t>(degree >> (width - 4));
    return most - 1 - std::min(steep, most - 1);
  };
  std::vector<std::uint64_t> mine(count * problem.rows), all, total(problem.rows),
      before(count * problem.rows);
  for (std::size_t v = 0; v < g.num_nodes(); ++v)
    mine[class_of_node(v) * problem.rows + main_row(v)] += g.loads[v * problem.rows + main_row(v)];
  if (const status answer = gather_words(problem.ranks, std::span<const std::uint64_t>(mine), all);
      !answer)
    return answer;
  for (std::size_t i = 0; i < count * problem.rows; ++i) {
    before[i] = total[i % problem.rows];
    for (std::size_t r = 0; r < problem.size; ++r) {
      total[i % problem.rows] += all[r * count * problem.rows + i];
      if (r < problem.rank) before[i] += all[r * count * problem.rows + i];
    }
  }
  owner.resize(g.num_nodes());
  for (std::size_t v = 0; v < owner.size(); ++v) {
    const std::size_t r = main_row(v);
    auto& passed = before[class_of_node(v) * problem.rows + r];
    owner[v] = std::min<std::uint64_t>(
        problem.options.parts - 1,
        multiply_divide(passed, problem.options.parts, std::max<std::uint64_t>(1, total[r])));
    passed += g.loads[v * problem.rows + r];
  }
  return status::ok;
}

/// Assign the coarsest graph: every rank tries several ways on the whole graph, and the best result
/// of all is taken. Collective.
template <communicator C>
status assign_coarsest(const multilevel_problem<C>& problem, const level_graph& g,
                       std::vector<std::uint64_t>& owner) {
  // Where clustering stalled, the coarsest graph may be as large as the input: too large for one
  // rank.
  std::uint64_t entries = 0;
  if (const status answer = total_entries(problem, g, entries); !answer) return answer;
  if (g.total_nodes() > std::max(most_held_whole, problem.options.coarsest) ||
      entries > problem.options.coarsest_entries)
    return assign_in_stripes(problem, g, false, owner);
  whole_graph whole;
  if (const status answer = gather(problem, g, whole); !answer) return answer;
  const std::uint64_t tries = std::clamp<std::uint64_t>((std::uint64_t{1} << 16) / g.total_nodes(),
                                                        2, 8);
  std::array<std::uint64_t, 3> best{~std::uint64_t{0}, ~std::uint64_t{0},
                                    ~std::uint64_t{0}};  // excess, cut, try
  std::vector<std::uint32_t> best_owner;
  const auto caps = std::span<const std::uint64_t>(problem.caps).first(problem.rows - 1);
  for (std::uint64_t t = problem.rank; t < tries; t += problem.size) {
    // Recursive bisection suits meshes; placing node by node suits graphs with a dense core.
    const std::uint64_t seed = keyed(problem.options.seed, t);
    auto made = t % 2 == 0 ? recursive_bisection(caps, seed, 3).run(whole, problem.options.parts)
                           : greedy_parts(whole, caps, problem.options.parts, seed, t % 4 == 1);
    polish_parts(whole, caps, problem.options.parts, seed, made);
    const auto [excess, cut] = cost_of(problem, whole, made);
    if (const std::array<std::uint64_t, 3> one{excess, cut, t}; one < best) {
      best = one;
      best_owner = std::move(made);
    }
  }
  std::vector<std::uint64_t> all;
  if (const status answer = gather_words(problem.ranks, std::span<const std::uint64_t>(best), all);
      !answer)
    return answer;
  std::size_t winner = 0;
  for (std::size_t r = 1; r < problem.size; ++r) {
    if (std::lexicographical_compare(all.begin() + static_cast<std::ptrdiff_t>(3 * r),
                                     all.begin() + static_cast<std::ptrdiff_t>(3 * r + 3),
                                     all.begin() + static_cast<std::ptrdiff_t>(3 * winner),
                                     all.begin() + static_cast<std::ptrdiff_t>(3 * winner + 3))) {
      winner = r;
    }
  }
  best_owner.resize(whole.num_nodes());
  if (const status answer = problem.ranks.broadcast(std::as_writable_bytes(std::span(best_owner)),
                                                    winner);
      !answer)
    return answer;
  const auto first = static_cast<std::ptrdiff_t>(g.ranges[problem.rank]),
             last = static_cast<std::ptrdiff_t>(g.ranges[problem.rank + 1]);
  owner.assign(best_owner.begin() + first, best_owner.begin() + last);
  return status::ok;
}

}  // namespace halograph::detail
