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

HALOGRAPH_INLINE row_readers::row_readers(std::span<const std::uint64_t> type_offsets,
                                          std::size_t rank, std::size_t ranks)
    : rank_(rank), ranks_(ranks) {
  for (std::size_t t = 0; t + 1 < type_offsets.size(); ++t) {
    const std::uint64_t rows = type_offsets[t + 1] - type_offsets[t];
    for (std::size_t r = 0; r < ranks; ++r)
      blocks_.push_back(type_offsets[t] + block_range(rows, r, ranks).end);
    own_.push_back(block_range(rows, rank, ranks));
    begin_.push_back(count_);
    count_ += own_.back().size();
  }
}

}  // namespace halograph::detail
