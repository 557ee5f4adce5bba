// SPDX-License-Identifier: BSL-1.0
/// @file measure.hpp
/// Measure the quality of an assignment for a report: cut, volume and balance.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/folder/quality_report.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/graph/hetero.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/quality.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace halograph {

/// Measure the balance of each constraint; by default of the number of nodes. @errors raises as
/// measure_balance
template <unsigned_id Part>
void judge_into(quality_report& report, std::span<const Part> owner, std::size_t parts,
                std::span<const constraint> balance) {
  const constraint nodes{"nodes", {}, default_tolerance};
  for (const auto& line : measure_balance(
           owner, parts, balance.empty() ? std::span<const constraint>(&nodes, 1) : balance)) {
    report.balance.push_back(
        {line.name, line.tolerance, line.imbalance, line.met, line.least_imbalance});
  }
}

/// Cut, volume and balance of an assignment. @errors raises as measure_quality  @complexity as
/// measure_quality
template <graph Graph, unsigned_id Part>
void measure_into(quality_report& report, const Graph& g, std::span<const Part> owner,
                  std::size_t parts, std::span<const constraint> balance, executor_ref run = {}) {
  const auto measured = measure_quality(g, owner, parts, {}, run);
  report.edge_cut = measured.edge_cut;
  report.directed_cut = measured.directed_cut;
  report.communication_volume = measured.communication_volume;
  judge_into(report, owner, parts, balance);
}

#if HALOGRAPH_COMPILED
// Instantiated in the compiled library (impl/widths.ipp).
extern template void judge_into(quality_report&, std::span<const part_id>, std::size_t,
                                std::span<const constraint>);
extern template void measure_into(quality_report&, const hetero_view<std::uint32_t, std::uint32_t>&,
                                  std::span<const part_id>, std::size_t,
                                  std::span<const constraint>, executor_ref);
extern template void measure_into(quality_report&, const hetero_view<std::uint64_t, std::uint64_t>&,
                                  std::span<const part_id>, std::size_t,
                                  std::span<const constraint>, executor_ref);
#endif

}  // namespace halograph
