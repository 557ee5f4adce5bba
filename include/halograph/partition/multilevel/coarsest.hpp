// SPDX-License-Identifier: BSL-1.0
/// @file coarsest.hpp
/// Assign a graph that is spread over ranks, the first of the assignments that are refined: the
/// first rank partitions it whole, or, where it is too large for that, in the order of its nodes.
/// Layer: partition (allocates; no exceptions of its own). Words: README.md.
#pragma once

#include <halograph/core/communicator.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/distributed/remote_values.hpp>
#include <halograph/partition/fixed_point.hpp>
#include <halograph/partition/loads.hpp>
#include <halograph/partition/multilevel.hpp>
#include <halograph/partition/multilevel/level_graph.hpp>
#include <halograph/partition/multilevel/weighted_graph.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace halograph::detail {

/// What all ranks together hold of a level.
struct level_totals {
  std::uint64_t entries = 0;  // neighbors in all rows
  std::uint64_t weight = 0;   // of all entries
  bool has_weights = false;   // does any entry weigh other than 1?
  bool has_loads = false;     // does any node, or are there several loads?
};

/// Collective.
template <communicator C>
status sum_level(const multilevel_problem<C>& problem, const level_graph& g, level_totals& out) {
  std::array<std::uint64_t, 4> sums{g.targets.size(), 0, g.weights.empty() ? 0u : 1u,
                                    problem.rows > 2 ? 1u : 0u};
  if (g.weights.empty()) sums[1] = g.targets.size();
  for (const std::uint64_t w : g.weights) sums[1] += w;
  for (std::size_t v = 0; v < g.num_nodes() && sums[3] == 0; ++v)
    sums[3] = g.loads[v * problem.rows] != 1 ? 1 : 0;
  if (const status answer = problem.ranks.sum(sums); !answer) return answer;
  out = {sums[0], sums[1], sums[2] != 0, sums[3] != 0};
  return status::ok;
}

/// Send all rows to the first rank. Collective.
/// @param part             [n] the part of each node of this rank, or empty on every rank
/// @param out, loads, from  out: on the first rank the whole graph, [rows][n] loads where it has
///     any, and the part of each node
template <class Word, communicator C>
status gather_graph(const multilevel_problem<C>& problem, const level_graph& g,
                    const level_totals& totals, std::span<const std::uint64_t> part,
                    weighted_graph<Word>& out, std::vector<std::vector<std::int64_t>>& loads,
                    std::vector<std::uint32_t>& from) {
  const std::size_t nodes = g.num_nodes(), rows = totals.has_loads ? problem.rows - 1 : 0;
  const std::uint64_t first = g.ranges[problem.rank];
  std::vector<std::uint64_t> words, counts(problem.size), in, in_counts;
  words.reserve(nodes * (2 + rows) + (totals.has_weights ? 2 : 1) * g.targets.size());
  for (std::size_t v = 0; v < nodes; ++v) {
    words.push_back(g.degree(v));
    words.push_back(part.empty() ? no_part : part[v]);
    for (std::size_t r = 0; r < rows; ++r) words.push_back(g.loads[v * problem.rows + r]);
    g.visit(v, [&](std::size_t u, std::uint64_t w) {
      words.push_back(u < nodes ? first + u : g.remote.nodes()[u - nodes]);
      if (totals.has_weights) words.push_back(w);
    });
  }
  counts[0] = words.size();
  if (const status answer = exchange_words(problem.ranks, std::span<const std::uint64_t>(words),
                                           std::span<const std::uint64_t>(counts), in, in_counts);
      !answer)
    return answer;
  if (problem.rank != 0) return status::ok;
  words = std::vector<std::uint64_t>();
  const auto all = static_cast<std::size_t>(g.total_nodes());
  out.offsets.reserve(all + 1);
  out.targets.reserve(static_cast<std::size_t>(totals.entries));
  if (totals.has_weights) out.weights.reserve(static_cast<std::size_t>(totals.entries));
  loads.assign(rows, std::vector<std::int64_t>(all));
  for (std::size_t at = 0, v = 0; at < in.size(); ++v) {
    const auto degree = static_cast<std::size_t>(in[at++]);
    const auto own = static_cast<std::uint32_t>(in[at++]);
    if (own != no_part) from.push_back(own);
    for (std::size_t r = 0; r < rows; ++r) loads[r][v] = static_cast<std::int64_t>(in[at++]);
    for (std::size_t e = 0; e < degree; ++e) {
      out.targets.push_back(static_cast<Word>(in[at++]));
      if (totals.has_weights) out.weights.push_back(static_cast<Word>(in[at++]));
    }
    out.offsets.push_back(static_cast<Word>(out.targets.size()));
  }
  return status::ok;
}

/// Partition the whole graph on the first rank. Collective.
/// @param owner  in: the part of each node of this rank, to be improved, or empty; out
template <class Word, communicator C>
status assign_on_first_rank(const multilevel_problem<C>& problem, const level_graph& g,
                            const level_totals& totals, std::vector<std::uint64_t>& owner) {
  weighted_graph<Word> whole;
  std::vector<std::vector<std::int64_t>> loads;
  std::vector<std::uint32_t> from;
  if (const status answer = gather_graph<Word>(problem, g, totals, owner, whole, loads, from);
      !answer)
    return answer;
  std::vector<std::uint64_t> words, counts(problem.size), in_counts;
  status mine = status::ok;
  if (problem.rank == 0) {
    std::vector<constraint> constraints;
    for (std::size_t r = 0; r < loads.size(); ++r)
      constraints.push_back(
          {{}, load_view(std::span<const std::int64_t>(loads[r])), problem.options.tolerances[r]});
    node_loads of_nodes;
    mine = node_loads::make(g.total_nodes(), constraints, {}, problem.options.tolerances[0],
                            of_nodes);
    std::vector<std::uint32_t> found;
    if (mine)
      mine = assign_k_way(std::move(whole), of_nodes,
                          {.parts = problem.options.parts,
                           .seed = problem.options.seed,
                           .effort = problem.options.effort,
                           .from = from},
                          executor_ref(), found);
    words.assign(found.begin(), found.end());
    for (std::size_t r = 0; r < problem.size; ++r) counts[r] = g.ranges[r + 1] - g.ranges[r];
  }
  if (const status all = agree(problem.ranks, mine); !all) return all;
  return exchange_words(problem.ranks, std::span<const std::uint64_t>(words),
                        std::span<const std::uint64_t>(counts), owner, in_counts);
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

/// Assign the coarsest graph, by its numbering where it is too large for one rank. Collective.
/// @param whole  may the first rank hold it?
/// @param owner  in: the part of each node of this rank, to be improved, or empty; out
template <communicator C>
status assign_coarsest(const multilevel_problem<C>& problem, const level_graph& g,
                       const level_totals& totals, bool whole, std::vector<std::uint64_t>& owner) {
  if (!whole) return assign_in_stripes(problem, g, false, owner);
  constexpr std::uint64_t most = 0xFFFFFFFFu;
  return totals.weight < most && totals.entries < most && g.total_nodes() < most / 2
             ? assign_on_first_rank<std::uint32_t>(problem, g, totals, owner)
             : assign_on_first_rank<std::uint64_t>(problem, g, totals, owner);
}

}  // namespace halograph::detail
