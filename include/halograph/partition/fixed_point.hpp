// SPDX-License-Identifier: BSL-1.0
/// @file fixed_point.hpp
/// Integer arithmetic in place of floating point, so that every machine gets the same result.
/// Layer: partition (no allocation, no exceptions). Words: README.md.
#pragma once

#include <halograph/core/random.hpp>

#include <bit>
#include <cstdint>
#include <limits>

namespace halograph {

/// a * b, or the largest number where that is larger.
constexpr std::uint64_t saturating_multiply(std::uint64_t a, std::uint64_t b) noexcept {
  return multiply_high(a, b) != 0 ? std::numeric_limits<std::uint64_t>::max() : a * b;
}

namespace detail {
/// a * b + c, or the largest number where that is larger.
constexpr std::uint64_t saturating(std::uint64_t a, std::uint64_t b, std::uint64_t c = 0) noexcept {
  const std::uint64_t product = saturating_multiply(a, b);
  return product > ~c ? ~std::uint64_t{0} : product + c;
}
constexpr std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b) noexcept {
  return saturating(a, 1, b);
}
}  // namespace detail

/// a * b / c rounded down, through 128 bits; the largest number where that is larger. @pre c > 0
/// @complexity O(1) where a * b fits 64 bits, else 64 steps
constexpr std::uint64_t multiply_divide(std::uint64_t a, std::uint64_t b,
                                        std::uint64_t c) noexcept {
  std::uint64_t high = multiply_high(a, b), low = a * b;
  if (high == 0) return low / c;
  if (high >= c) return std::numeric_limits<std::uint64_t>::max();
  // Schoolbook division, bit by bit: high stays below c, and may carry into a 65th bit.
  for (unsigned step = 0; step < 64; ++step) {
    const bool carry = (high >> 63) != 0;
    high = high << 1 | low >> 63;
    low <<= 1;
    if (carry || high >= c) {
      high -= c;
      low |= 1;
    }
  }
  return low;
}

/// The square root rounded down.
/// @complexity at most 32 steps of shifts and additions
/// @source Warren, Hacker's Delight, 11-1 (the digit-by-digit method in base 4)
constexpr std::uint64_t square_root(std::uint64_t x) noexcept {
  std::uint64_t root = 0;
  if (x == 0) return root;
  for (std::uint64_t bit = std::uint64_t{1}
                           << ((static_cast<unsigned>(std::bit_width(x)) - 1) & ~1u);
       bit != 0; bit >>= 2) {
    if (x >= root + bit) {
      x -= root + bit;
      root = (root >> 1) + bit;
    } else {
      root >>= 1;
    }
  }
  return root;
}

/// A fraction of 2^32, rounded up, of a number from 0 to 2^20: exact scaling, then truncation, the
/// same in every IEEE arithmetic. Numbers outside, and NaN, are clamped.
constexpr std::uint64_t fixed_32(double value) noexcept {
  if (!(value > 0)) return 0;
  if (value > 1048576.0) value = 1048576.0;
  const double scaled = value * 4294967296.0;
  const auto floor = static_cast<std::uint64_t>(scaled);
  return floor + (static_cast<double>(floor) < scaled ? 1 : 0);
}

}  // namespace halograph
