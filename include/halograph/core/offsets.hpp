// SPDX-License-Identifier: BSL-1.0
/// @file offsets.hpp
/// Turn the sizes of consecutive ranges into their offsets.
/// Layer: core (allocates its result; no exceptions of its own). Words: README.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace halograph {

/// The offsets of consecutive ranges: prefix sums of their sizes.
/// @param counts  [n] size of each range; their sum must fit 64 bits
/// @return        [n+1] the first value of each range, from 0, then the sum of all sizes
/// @complexity    O(n)
inline std::vector<std::uint64_t> offsets_of(std::span<const std::uint64_t> counts) {
  std::vector<std::uint64_t> offsets(counts.size() + 1);
  for (std::size_t i = 0; i < counts.size(); ++i) offsets[i + 1] = offsets[i] + counts[i];
  return offsets;
}

}  // namespace halograph
