// SPDX-License-Identifier: BSL-1.0
/// @file k_way_memory.hpp
/// The memory that a call of the partitioner takes, as its first coarser graph shows it.
/// Layer: partition (no allocation, no exceptions). Words: README.md.
#pragma once

#include <halograph/partition/fixed_point.hpp>

#include <algorithm>
#include <cstdint>

namespace halograph::detail {

/// Nodes of a graph that is coarse enough.
constexpr std::uint64_t coarsest_nodes(std::uint64_t parts) noexcept {
  return std::max<std::uint64_t>(2000, saturating_multiply(60, parts));
}

/// What is known of a graph and the first graphs that it is coarsened to.
struct first_coarsening {
  std::uint64_t nodes = 0;         ///< of the finest graph
  std::uint64_t finest_bytes = 0;  ///< that it takes
  std::uint64_t largest_degree = 0;
  std::uint64_t community_entries = 0;  ///< of the largest graph of communities, at most
  std::uint64_t coarse_nodes = 0, coarse_entries = 0;  ///< of the first coarser graph, at most
  std::uint64_t rows = 1;                              ///< loads of a node
  std::uint64_t load_bytes = 4;                        ///< of a sum of loads
  std::uint64_t parts = 1;
  std::uint64_t word_bytes = 4;  ///< of a number of nodes or entries
  bool skewed = false;           ///< are communities found before?
  bool compressed = false;       ///< are rows decoded whenever they are visited?
  bool repeats = false;          ///< are there further cycles?
};

/// What the partitioner takes in its phases, the finest graph included.
struct k_way_memory {
  std::uint64_t first = 0;  ///< until the first coarser graph is packed
  std::uint64_t all = 0;    ///< at the peak
};

/// Upper bounds of what the partitioner takes, fitted to measured peaks (bench/README.md).
/// @complexity O(1); saturates
constexpr k_way_memory k_way_bytes(const first_coarsening& of) noexcept {
  const auto times = [&](std::uint64_t count, std::uint64_t bytes) {
    return saturating_multiply(count, saturating_multiply(bytes, of.word_bytes) / 4);
  };
  const auto sum = [](auto... some) {
    std::uint64_t all = 0;
    ((all = saturating_sum(all, some)), ...);
    return all;
  };
  const std::uint64_t coarsest = coarsest_nodes(of.parts),
                      loads = of.rows > 1 ? of.load_bytes * of.rows : 0;
  // Another assignment, and regions that clusters must not leave; blocks of each thread.
  const std::uint64_t always = sum(
                          std::uint64_t{1} << 19, of.finest_bytes,
                          times(of.nodes, of.repeats ? 12 : 0),
                          saturating_multiply(of.parts, saturating_multiply(of.rows, 4096))),
                      longest_row = times(of.largest_degree, 60);
  // Clusters, or gains, of the finest graph, while the first coarser one is packed;
  const std::uint64_t clusters = sum(times(of.nodes, of.compressed ? 28 : 24),
                                     saturating_multiply(of.nodes, loads), longest_row,
                                     times(of.coarse_entries, 5));
  // communities of it;
  const std::uint64_t communities = of.skewed ? sum(times(of.nodes, 44), longest_row,
                                                    times(of.community_entries, 6))
                                              : 0;
  // the first coarser graph, the packed ones and copies of the coarsest.
  const std::uint64_t coarser = sum(
      times(of.nodes, of.rows > 1 ? 6 : 4),
      times(of.coarse_entries, (of.compressed ? 7u : 13u) + (of.rows > 1 ? 2u : 0u)),
      times(of.coarse_nodes, 44), saturating_multiply(of.coarse_nodes, 2 * loads),
      times(std::min(of.coarse_entries, saturating_multiply(coarsest, coarsest)),
            of.parts > 32 ? 7 : 4));
  const std::uint64_t first = std::max(clusters, communities);
  return {sum(always, first), sum(always, std::max(first, coarser))};
}

}  // namespace halograph::detail
