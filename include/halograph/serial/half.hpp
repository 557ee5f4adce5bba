// SPDX-License-Identifier: BSL-1.0
/// @file half.hpp
/// Floating numbers of 16 bits, which the language has no type for, to and from those of 32 and 64.
/// Layer: serial. Words: README.md.
///
/// | | sign | exponent | fraction |
/// | --- | --- | --- | --- |
/// | float16 (IEEE 754 binary16) | 1 | 5, bias 15 | 10 |
/// | bfloat16 | 1 | 8, bias 127 | 7 |
#pragma once

#include <bit>
#include <cstdint>

namespace halograph {

/// The value of a float16. Exact; a NaN stays one.
constexpr float float_from_half(std::uint16_t half) noexcept {
  const std::uint32_t sign = std::uint32_t{half} >> 15 << 31;
  const std::uint32_t exponent = (half >> 10) & 0x1Fu, fraction = half & 0x3FFu;
  if (exponent == 0x1F) return std::bit_cast<float>(sign | 0x7F800000u | fraction << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
  // Subnormal: fraction x 2^-24, which float32 holds exactly.
  const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
  return sign != 0 ? -magnitude : magnitude;
}

namespace detail {

/// A value rounded once to a sign, an exponent and a fraction of so many bits, 16 together; of two
/// equally near ones the even one. A NaN stays one.
template <int ExponentBits, int FractionBits>
constexpr std::uint16_t float16_from_double(double value) noexcept {
  constexpr int bias = (1 << (ExponentBits - 1)) -
                       1;  // also the largest power of two; the least is 1 - bias
  constexpr auto infinity = static_cast<std::uint16_t>(((1 << ExponentBits) - 1) << FractionBits);
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto sign = static_cast<std::uint16_t>(bits >> 48 & 0x8000u);
  const auto exponent = static_cast<int>(bits >> 52 & 0x7FF);
  std::uint64_t fraction = bits & 0xFFFFFFFFFFFFFull;
  if (exponent == 0x7FF)
    return static_cast<std::uint16_t>(sign | infinity |
                                      (fraction != 0 ? 1u << (FractionBits - 1) : 0u));
  const int power = exponent - 1023;
  if (power > bias) return static_cast<std::uint16_t>(sign | infinity);
  if (exponent == 0 || power < -bias - FractionBits) return sign;  // less than half of the smallest
  fraction |= std::uint64_t{1} << 52;
  // How many of the 53 bits go; of a subnormal number more.
  const int drop = 52 - FractionBits + (power > -bias ? 0 : 1 - bias - power);
  std::uint64_t kept = fraction >> drop;
  const std::uint64_t rest = fraction & ((std::uint64_t{1} << drop) - 1),
                      middle = std::uint64_t{1} << (drop - 1);
  if (rest > middle || (rest == middle && (kept & 1) != 0)) ++kept;
  // A carry runs into the exponent, which is right.
  if (power > -bias) kept += static_cast<std::uint64_t>(power + bias - 1) << FractionBits;
  return static_cast<std::uint16_t>(sign | kept);
}

}  // namespace detail

/// The float16 nearest to a value; of two equally near ones the even one; from 65520 on infinity.
constexpr std::uint16_t half_from_double(double value) noexcept {
  return detail::float16_from_double<5, 10>(value);
}

/// The value of a bfloat16. Exact.
constexpr float float_from_bfloat16(std::uint16_t value) noexcept {
  return std::bit_cast<float>(std::uint32_t{value} << 16);
}

/// The bfloat16 nearest to a value; of two equally near ones the even one; infinity from the
/// largest and half a step on.
constexpr std::uint16_t bfloat16_from_double(double value) noexcept {
  return detail::float16_from_double<8, 7>(value);
}

}  // namespace halograph
