// SPDX-License-Identifier: BSL-1.0
/// @file ranges.ipp
/// Bodies of the plain functions of pipeline/out_of_core/ranges.hpp.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/core/block_range.hpp>
#include <halograph/pipeline/out_of_core/ranges.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE rank_shares::rank_shares(std::span<const std::uint64_t> part_begin,
                                          std::size_t rank, std::size_t ranks)
    : rank_(rank), begin_(ranks + 1) {
  const std::uint64_t parts = part_begin.size() - 1;
  for (std::size_t r = 0; r <= ranks; ++r)
    begin_[r] = part_begin[static_cast<std::size_t>(
        r == ranks ? parts : block_range(parts, r, ranks).begin)];
  parts_ = block_range(parts, rank, ranks);
}

}  // namespace halograph::detail
