// SPDX-License-Identifier: BSL-1.0
/// @file saturating.hpp
/// Sums and products of sizes that stay at the largest number instead of wrapping around.
/// Layer: core (does not allocate or throw). Words: README.md.
#pragma once

#include <cstdint>
#include <limits>

namespace halograph {

namespace detail {

/// a * b + c without overflow: the largest number stands for anything beyond.
constexpr std::uint64_t saturating(std::uint64_t a, std::uint64_t b, std::uint64_t c = 0) noexcept {
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  if (b != 0 && a > most / b) return most;
  const std::uint64_t product = a * b;
  return product > most - c ? most : product + c;
}
constexpr std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b) noexcept {
  return saturating(a, 1, b);
}

}  // namespace detail

}  // namespace halograph
