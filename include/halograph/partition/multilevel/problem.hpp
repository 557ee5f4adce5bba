// SPDX-License-Identifier: BSL-1.0
/// @file problem.hpp
/// What every phase of a multilevel partitioner reads: ranks, options, and the loads to balance.
/// Layer: partition (allocates; no exceptions of its own). Words: README.md.
#pragma once

#include <halograph/core/communicator.hpp>
#include <halograph/partition/multilevel/effort.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace halograph::detail {

struct multilevel_options {
  std::uint32_t parts = 1;
  std::uint64_t seed = 0;
  multilevel_effort effort{};
  // Neighbors in all rows of a graph that the first rank holds whole, and its nodes, at most.
  std::uint64_t coarsest_entries = 0;
  std::vector<double> tolerances{};  // [rows - 1] of each load
};

/// One call of a multilevel partitioner. With single_rank, this process alone.
template <communicator C>
struct multilevel_problem {
  const C& ranks;
  multilevel_options options;
  std::size_t rank, size;           // of `ranks`
  std::vector<std::uint64_t> caps;  // [rows] a part's limit of each load
  std::size_t rows;                 // loads of each node; the last one counts nodes, without limit
  std::vector<std::uint64_t> totals;  // [rows] loads of all nodes

  /// @param limits  [rows - 1] a part's limit of each load
  multilevel_problem(const C& over, const multilevel_options& asked,
                     std::vector<std::uint64_t> limits)
      : ranks(over),
        options(asked),
        rank(static_cast<std::size_t>(over.rank())),
        size(static_cast<std::size_t>(over.size())),
        caps(std::move(limits)),
        rows(caps.size() + 1),
        totals(rows) {
    caps.push_back(~std::uint64_t{0});
  }
};

}  // namespace halograph::detail
