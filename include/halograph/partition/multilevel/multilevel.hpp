// SPDX-License-Identifier: BSL-1.0
/// @file multilevel.hpp
/// The multilevel partitioner: coarsen, assign the coarsest graph, refine.
/// Layer: partition (allocates; no exceptions of its own). Words: README.md.
///
/// | phase | header | state |
/// | --- | --- | --- |
/// | every phase reads | `problem.hpp` | `multilevel_problem`: ranks, options, limits, totals |
/// | a level | `level_graph.hpp` | `level_graph`: this rank's rows and loads |
/// | cluster the nodes | `clustering.hpp` | `clustering` |
/// | make the coarser graph, and owners of clusters owners of nodes | `contraction.hpp` | none |
/// | assign the coarsest graph | `coarsest.hpp`, `initial_partition.hpp` | none |
/// | refine a level | `label_refinement.hpp` | `label_refinement` |
#pragma once

#include <halograph/core/communicator.hpp>
#include <halograph/core/status.hpp>
#include <halograph/partition/multilevel/clustering.hpp>
#include <halograph/partition/multilevel/coarsest.hpp>
#include <halograph/partition/multilevel/contraction.hpp>
#include <halograph/partition/multilevel/label_refinement.hpp>
#include <halograph/partition/multilevel/level_graph.hpp>
#include <halograph/partition/multilevel/problem.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace halograph::detail {

/// Coarsen by clusters, assign the coarsest graph, then refine level by level. Collective; the
/// result does not depend on which rank holds which nodes.
/// @param problem  totals are set here
/// @param owner    out: the part of each node of this rank
template <communicator C>
status partition_multilevel(multilevel_problem<C>& problem, level_graph finest,
                            std::vector<std::uint64_t>& owner) {
  const multilevel_options& options = problem.options;
  std::vector<level_graph> levels;
  levels.push_back(std::move(finest));
  for (std::size_t i = 0; i < levels[0].loads.size(); ++i)
    problem.totals[i % problem.rows] += levels[0].loads[i];
  if (const status answer = problem.ranks.sum(problem.totals); !answer) return answer;
  const std::uint64_t enough = std::max<std::uint64_t>(
      options.coarsest, std::min(most_held_whole, 64 * std::uint64_t{options.parts}));
  for (;;) {
    // A graph that is small but dense is coarsened further, as far as the number of parts allows.
    std::uint64_t entries = 0;
    if (const status answer = total_entries(problem, levels.back(), entries); !answer)
      return answer;
    if (levels.back().total_nodes() <= enough && entries <= options.coarsest_entries) break;
    std::vector<std::uint64_t> label;
    if (const status answer = clustering<C>(problem, levels.back(), levels.size()).run(label);
        !answer)
      return answer;
    level_graph coarser;
    if (const status answer = contract(problem, levels.back(), label, coarser); !answer)
      return answer;
    const std::uint64_t before = levels.back().total_nodes(), after = coarser.total_nodes();
    if (after < 2 * std::uint64_t{options.parts} || after > before - before / 16 || after == before)
      break;
    levels.push_back(std::move(coarser));
  }
  const bool coarsened = levels.size() > 1;
  label_refinement<C> refinement(problem);
  if (const status answer = assign_coarsest(problem, levels.back(), owner); !answer) return answer;
  if (const status answer = refinement.refine(levels.back(), levels.size(), owner); !answer)
    return answer;
  while (levels.size() > 1) {
    const std::vector<std::uint64_t> coarse = std::exchange(owner, {});
    levels.pop_back();
    if (const status answer = project(problem, levels.back(), coarse, owner); !answer)
      return answer;
    if (const status answer = refinement.refine(levels.back(), levels.size(), owner); !answer)
      return answer;
  }
  // Where the graph has no clusters, stripes may be close, and better once they are refined.
  for (const bool by_degree : {true, false}) {
    if (!coarsened) break;
    std::uint64_t best = 0, other = 0;
    if (const status answer = refinement.measure(levels[0], owner, best); !answer) return answer;
    const bool sound = !refinement.any_overfull(), filled = refinement.no_part_is_empty();
    std::vector<std::uint64_t> stripes;
    if (const status answer = assign_in_stripes(problem, levels[0], by_degree, stripes); !answer)
      return answer;
    if (const status answer = refinement.measure(levels[0], stripes, other); !answer) return answer;
    if (other / 4 * 3 > best || (filled && !refinement.no_part_is_empty())) continue;
    if (const status answer = refinement.refine(levels[0], 1, stripes); !answer) return answer;
    if (const status answer = refinement.measure(levels[0], stripes, other); !answer) return answer;
    if (other < best && (!refinement.any_overfull() || !sound)) owner = std::move(stripes);
  }
  return status::ok;
}

}  // namespace halograph::detail
