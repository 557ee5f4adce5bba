// SPDX-License-Identifier: BSL-1.0
/// @file search.hpp
/// Where a value falls among ascending boundaries, at the same cost for sorted and random questions.
/// Layer: core (no allocation, no exceptions). Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace halograph {

/// The unsigned integer in which boundaries of type Offset are compared: 32 bits where they suffice, since
/// small machines pay for more.
template <id Offset>
using search_value = std::conditional_t<sizeof(Offset) <= 4, std::uint32_t, std::uint64_t>;

/// How many entries are <= value: std::upper_bound as an index. The steps depend on the length alone and
/// none is a jump on data, so random questions cost what sorted ones do.
/// @param boundaries [n] ascending, none negative
/// @complexity O(log n)
template <id Offset>
constexpr std::size_t count_not_above(std::span<const Offset> boundaries,
                                      search_value<Offset> value) noexcept {
  using wide = search_value<Offset>;
  const Offset* const row = boundaries.data();
  std::size_t base = 0;
  std::size_t n = boundaries.size();
  while (n > 1) {
    const std::size_t half = n / 2;
    const bool passed = static_cast<wide>(row[base + half - 1]) <= value;
    // A mask, not a choice: GCC 12 makes a jump of a choice, and random input mispredicts it.
    base += half & (std::size_t{0} - static_cast<std::size_t>(passed));
    n -= half;
  }
  if (n == 1) base += static_cast<std::size_t>(static_cast<wide>(row[base]) <= value);
  return base;
}

}  // namespace halograph
