// SPDX-License-Identifier: BSL-1.0
/// @file multilevel.hpp
/// The multilevel partitioner: coarsen, assign the coarsest graph, refine.
/// Layer: partition (allocates; no exceptions of its own). Words: README.md.
///
/// | phase | header | state |
/// | --- | --- | --- |
/// | every phase reads | `level_graph.hpp` | `multilevel_problem`: ranks, options, limits, totals |
/// | a level | `level_graph.hpp` | `level_graph`: this rank's rows and loads |
/// | cluster the nodes | `clustering.hpp` | `clustering` |
/// | make the coarser graph, and owners of clusters owners of nodes | `contraction.hpp` | none |
/// | assign the coarsest graph | `coarsest.hpp`: `k_way.hpp` on one rank | none |
/// | refine a level | `label_refinement.hpp` | `label_refinement` |
#pragma once

#include <halograph/core/communicator.hpp>
#include <halograph/core/status.hpp>
#include <halograph/partition/multilevel/clustering.hpp>
#include <halograph/partition/multilevel/coarsest.hpp>
#include <halograph/partition/multilevel/contraction.hpp>
#include <halograph/partition/multilevel/label_refinement.hpp>
#include <halograph/partition/multilevel/level_graph.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace halograph::detail {

/// Coarsen until the first rank can hold the whole graph, or clusters are found no more.
/// Collective.
/// @param levels  the finest, in; out: the coarser ones, too
/// @param cycle   of which random numbers are drawn
/// @param part    in: [n] of the finest, or empty: clusters lie in one part each; out: the same of
///     the coarsest
/// @param whole   out: can the first rank hold it?
template <communicator C>
status coarsen_levels(const multilevel_problem<C>& problem, std::uint64_t cycle,
                      std::vector<level_graph>& levels, std::vector<std::uint64_t>& part,
                      level_totals& totals, bool& whole) {
  const multilevel_options& options = problem.options;
  for (;;) {
    level_graph& g = levels.back();
    if (const status answer = sum_rows(problem.ranks, rows_of_level<C>(problem, g), totals);
        !answer)
      return answer;
    whole = fits_first_rank(options, totals, g.total_nodes());
    if (whole) return status::ok;
    std::vector<std::uint64_t> label;
    if (const status answer =
            clustering<C>(problem, g, (cycle << 8) + levels.size(), part, cycle != 0).run(label);
        !answer)
      return answer;
    level_graph coarser;
    if (const status answer = contract(problem, g, label, coarser); !answer) return answer;
    const std::uint64_t before = g.total_nodes(), after = coarser.total_nodes();
    if (after < 2 * std::uint64_t{options.parts} || after > before - before / 16 || after == before)
      return status::ok;
    std::vector<std::uint64_t> coarser_part;
    for (std::size_t v = 0; v < part.size(); ++v) {
      if (label[v] == g.ranges[problem.rank] + v) coarser_part.push_back(part[v]);
    }
    part = std::move(coarser_part);
    levels.push_back(std::move(coarser));
  }
}

/// Coarsen, assign the coarsest graph or improve its assignment, and refine level by level.
/// Collective.
/// @param cycle   0: the first, without an assignment; of which random numbers are drawn
/// @param finest  [1] in and out
/// @param owner   in: the part of each node of this rank, to be improved, or empty; out
/// @param coarsened  out: was there more than one level?
template <communicator C>
status run_cycle(const multilevel_problem<C>& problem, std::uint64_t cycle,
                 std::vector<level_graph>& levels, std::vector<std::uint64_t>& owner,
                 bool& coarsened) {
  level_totals totals;
  bool whole = false;
  if (const status answer = coarsen_levels(problem, cycle, levels, owner, totals, whole); !answer)
    return answer;
  coarsened = levels.size() > 1;
  label_refinement<C> refinement(problem);
  // Not whether `owner` is empty: a rank may have no nodes.
  if (whole || cycle == 0) {
    if (const status answer = assign_coarsest(problem, levels.back(), totals, whole, owner);
        !answer)
      return answer;
  }
  if (!whole) {
    if (const status answer = refinement.refine(levels.back(), levels.size(), owner); !answer)
      return answer;
  }
  while (levels.size() > 1) {
    const std::vector<std::uint64_t> coarse = std::exchange(owner, {});
    levels.pop_back();
    if (const status answer = project(problem, levels.back(), coarse, owner); !answer)
      return answer;
    if (const status answer = refinement.refine(levels.back(), levels.size(), owner); !answer)
      return answer;
  }
  return status::ok;
}

/// Partition a graph that is spread over ranks. Collective; the result does not depend on which
/// rank holds which nodes.
/// @param problem  totals are set here
/// @param owner    out: the part of each node of this rank
template <communicator C>
status partition_multilevel(multilevel_problem<C>& problem, level_graph finest,
                            std::vector<std::uint64_t>& owner) {
  std::vector<level_graph> levels;
  levels.push_back(std::move(finest));
  for (std::size_t i = 0; i < levels[0].loads.size(); ++i)
    problem.totals[i % problem.rows] += levels[0].loads[i];
  if (const status answer = problem.ranks.sum(problem.totals); !answer) return answer;
  bool coarsened = false;
  if (const status answer = run_cycle(problem, 0, levels, owner, coarsened); !answer) return answer;
  if (!coarsened) return status::ok;
  label_refinement<C> refinement(problem);
  // Where the graph has no clusters, stripes may be close, and better once they are refined.
  for (const bool by_degree : {true, false}) {
    const level_graph& g = levels.front();
    std::uint64_t best = 0, other = 0;
    if (const status answer = refinement.measure(g, owner, best); !answer) return answer;
    const bool sound = !refinement.any_overfull(), filled = refinement.no_part_is_empty();
    std::vector<std::uint64_t> stripes;
    if (const status answer = assign_in_stripes(problem, g, by_degree, stripes); !answer)
      return answer;
    if (const status answer = refinement.measure(g, stripes, other); !answer) return answer;
    if (other / 4 * 3 > best || (filled && !refinement.no_part_is_empty())) continue;
    if (const status answer = refinement.refine(g, 1, stripes); !answer) return answer;
    if (const status answer = refinement.measure(g, stripes, other); !answer) return answer;
    if (other < best && (!refinement.any_overfull() || !sound)) owner = std::move(stripes);
  }
  // Better parts give better clusters. A cycle moves the graphs of `levels`.
  for (std::uint64_t cycle = 1; cycle <= problem.options.effort.cycles; ++cycle) {
    std::uint64_t best = 0, other = 0;
    if (const status answer = refinement.measure(levels.front(), owner, best); !answer)
      return answer;
    const bool sound = !refinement.any_overfull(), filled = refinement.no_part_is_empty();
    std::vector<std::uint64_t> improved = owner;
    if (const status answer = run_cycle(problem, cycle, levels, improved, coarsened); !answer)
      return answer;
    if (const status answer = refinement.measure(levels.front(), improved, other); !answer)
      return answer;
    if (other < best && refinement.no_part_is_empty() >= filled &&
        (!refinement.any_overfull() || !sound))
      owner = std::move(improved);
  }
  return status::ok;
}

}  // namespace halograph::detail
