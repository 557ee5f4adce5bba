// SPDX-License-Identifier: BSL-1.0
/// @file checked_cast.hpp
/// Narrow an integer only when its value survives.
/// Layer: core (no allocation, no exceptions but for checked_cast, which raises). Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>

#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

namespace halograph {

/// Does `value` keep its value as a To?
template <std::integral To, std::integral From>
constexpr bool fits(From value) noexcept {
  return std::in_range<To>(value);
}

/// Narrow `value` into `out`, or return status::overflow and leave `out` alone.
template <std::integral To, std::integral From>
constexpr status narrow_into(From value, To& out) noexcept {
  if (!fits<To>(value)) return status::overflow;
  out = static_cast<To>(value);
  return status::ok;
}

/// Narrow `value`, or raise an error of code overflow that names the value and the legal ones.
template <std::integral To, std::integral From>
constexpr To checked_cast(From value, const char* what = "a value") {
  if (!fits<To>(value)) {
    raise(error_kind::overflow, std::string(what) + " is " + std::to_string(value) +
                                    ", which does not fit its type; it must be " +
                                    std::to_string(std::numeric_limits<To>::min()) + " to " +
                                    std::to_string(std::numeric_limits<To>::max()));
  }
  return static_cast<To>(value);
}

/// a + b, or status::overflow: for sums of counts that come from files.
constexpr status add_into(std::uint64_t a, std::uint64_t b, std::uint64_t& out) noexcept {
  if (a > std::numeric_limits<std::uint64_t>::max() - b) return status::overflow;
  out = a + b;
  return status::ok;
}

/// a * b, or status::overflow: for sizes that come from files.
constexpr status multiply_into(std::uint64_t a, std::uint64_t b, std::uint64_t& out) noexcept {
  if (b != 0 && a > std::numeric_limits<std::uint64_t>::max() / b) return status::overflow;
  out = a * b;
  return status::ok;
}

}  // namespace halograph
