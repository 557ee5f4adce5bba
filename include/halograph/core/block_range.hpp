// SPDX-License-Identifier: BSL-1.0
/// @file block_range.hpp
/// Block distribution of N items over R ranks (or threads): contiguous ranges whose sizes differ by
/// at most one.
/// Layer: core (no allocation, no exceptions). Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>

#include <cstdint>

namespace halograph {

/// The items of a rank: [N * rank / R, N * (rank + 1) / R), without overflow.
/// Parts, chunks and rows of chunks are distributed this way.
/// @param things  N, the number of items, numbered 0 to N-1
/// @param rank    0 to R-1
/// @param ranks   R, at least 1 and below 2^32
/// @complexity    O(1)
constexpr id_range block_range(std::uint64_t things, std::uint64_t rank,
                               std::uint64_t ranks) noexcept {
  const std::uint64_t whole = things / ranks, rest = things % ranks;
  return {whole * rank + rest * rank / ranks, whole * (rank + 1) + rest * (rank + 1) / ranks};
}

/// The rank whose block_range holds an item.
/// @param thing  0 to N-1; `things` and `ranks` as of block_range
/// @complexity   O(log R)
constexpr std::uint64_t block_range_of(std::uint64_t things, std::uint64_t thing,
                                       std::uint64_t ranks) noexcept {
  std::uint64_t low = 0, high = ranks - 1;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (block_range(things, middle, ranks).end <= thing)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

}  // namespace halograph
