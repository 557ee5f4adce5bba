// SPDX-License-Identifier: BSL-1.0
/// @file random.hpp
/// Random integers that are the same on every compiler, machine and thread count.
/// Layer: core (no allocation, no exceptions). Words: README.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace halograph {

/// Scramble 64 bits; a bijection.
/// @source Steele, Lea & Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014
///         (the output function of SplitMix64)
constexpr std::uint64_t mix(std::uint64_t z) noexcept {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

namespace detail {
/// 64 random bits for x, from a stream of its own for each salt.
constexpr std::uint64_t keyed(std::uint64_t salt, std::uint64_t x) noexcept {
  return mix(mix(x + 0x9E3779B97F4A7C15ull) ^ salt);
}
}  // namespace detail

/// The high 64 bits of a 64 x 64-bit product, without a wider type (Cortex-M has none).
constexpr std::uint64_t multiply_high(std::uint64_t a, std::uint64_t b) noexcept {
  const std::uint64_t a0 = a & 0xFFFFFFFFu, a1 = a >> 32, b0 = b & 0xFFFFFFFFu, b1 = b >> 32;
  const std::uint64_t middle = a1 * b0 + ((a0 * b0) >> 32);
  const std::uint64_t other = a0 * b1 + (middle & 0xFFFFFFFFu);
  return a1 * b1 + (middle >> 32) + (other >> 32);
}

/// A stream of random integers (SplitMix64). A value: copy it to replay it.
/// @repeatable the stream is a function of the seed alone
class random_stream {
 public:
  /// Any seed is good, 0 too.
  constexpr explicit random_stream(std::uint64_t seed) noexcept : state_(seed) {}

  /// A stream of its own for item `index`, so that items can be drawn in any order or in parallel.
  static constexpr random_stream at(std::uint64_t seed, std::uint64_t index) noexcept {
    return random_stream(mix(seed + 0x9E3779B97F4A7C15ull) ^ mix(~index));
  }

  /// The next 64 random bits.
  constexpr std::uint64_t next() noexcept { return mix(state_ += 0x9E3779B97F4A7C15ull); }

  /// A uniform integer below `bound`, without bias. @pre bound > 0
  /// @source Lemire, "Fast random integer generation in an interval", ACM TOMACS 29(1), 2019
  constexpr std::uint64_t below(std::uint64_t bound) noexcept {
    std::uint64_t draw = next();
    if (draw * bound < bound) [[unlikely]] {  // only then the threshold, which is below `bound`,
                                              // can matter: it takes a division
      const std::uint64_t threshold = (0 - bound) % bound;
      while (draw * bound < threshold) draw = next();
    }
    return multiply_high(draw, bound);
  }

 private:
  std::uint64_t state_;
};

/// Shuffle in place; every order equally likely (Fisher-Yates).
template <class T>
constexpr void shuffle(std::span<T> items, random_stream& stream) noexcept {
  for (std::size_t i = items.size(); i > 1; --i) {
    std::swap(items[i - 1], items[static_cast<std::size_t>(stream.below(i))]);
  }
}

}  // namespace halograph
