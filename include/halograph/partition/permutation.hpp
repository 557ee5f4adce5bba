// SPDX-License-Identifier: BSL-1.0
/// @file permutation.hpp
/// A seeded permutation of 0..n-1 and its inverse, computed instead of stored.
/// Layer: partition (no allocation, no exceptions). Words: README.md.
#pragma once

#include <halograph/core/random.hpp>

#include <bit>
#include <cstdint>

namespace halograph {

/// A bijection of 0..n-1 in O(1) memory, in both directions. Not every order can occur (there are
/// far fewer seeds than orders), but neighbors in one order are far apart in the other, as
/// shuffling a stream needs.
/// @repeatable yes: a function of (n, seed) alone, on every machine
/// @source four Feistel rounds (Luby & Rackoff, SIAM J. Comput. 17(2), 1988) over the smallest even
///     number of bits that holds n, walked until the value is below n (Black & Rogaway, CT-RSA
///     2002)
class id_permutation {
 public:
  constexpr id_permutation() = default;
  /// @param n  how many values; 0 is allowed
  constexpr id_permutation(std::uint64_t n, std::uint64_t seed) noexcept : n_(n), seed_(seed) {
    if (n > 1) half_ = (static_cast<unsigned>(std::bit_width(n - 1)) + 1) / 2;
  }

  constexpr std::uint64_t size() const noexcept { return n_; }  ///< n

  /// The k-th value. @pre k < size() @complexity expected O(1): at most four rounds of
  /// four on average
  constexpr std::uint64_t operator()(std::uint64_t k) const noexcept {
    do k = forward(k);
    while (k >= n_);
    return k;
  }

  /// The position of v: (*this)(rank(v)) == v. @pre v < size() @complexity as operator()
  constexpr std::uint64_t rank(std::uint64_t v) const noexcept {
    do v = backward(v);
    while (v >= n_);
    return v;
  }

 private:
  static constexpr unsigned rounds = 4;

  constexpr std::uint64_t mask() const noexcept { return (std::uint64_t{1} << half_) - 1; }
  constexpr std::uint64_t round(unsigned i, std::uint64_t half) const noexcept {
    return mix(mix(seed_ + 0x9E3779B97F4A7C15ull * (i + 1)) ^ half) & mask();
  }
  constexpr std::uint64_t forward(std::uint64_t x) const noexcept {
    std::uint64_t left = x >> half_, right = x & mask();
    for (unsigned i = 0; i < rounds; ++i) {
      const std::uint64_t next = left ^ round(i, right);
      left = right;
      right = next;
    }
    return left << half_ | right;
  }
  constexpr std::uint64_t backward(std::uint64_t x) const noexcept {
    std::uint64_t left = x >> half_, right = x & mask();
    for (unsigned i = rounds; i-- > 0;) {
      const std::uint64_t before = right ^ round(i, left);
      right = left;
      left = before;
    }
    return left << half_ | right;
  }

  std::uint64_t n_ = 0;
  std::uint64_t seed_ = 0;
  unsigned half_ = 0;  // bits of each half; at most 32
};

}  // namespace halograph
