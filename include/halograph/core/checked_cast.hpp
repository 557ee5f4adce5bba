// SPDX-License-Identifier: BSL-1.0
/// @file checked_cast.hpp
/// Narrow an integer only when its value survives; take assignments of any integer type.
/// Layer: core (no allocation, no exceptions but for checked_cast, which raises). Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/id_row.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>

#include <concepts>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
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

/// An assignment as calls use it: parts as unsigned integers of the same width. Views the row.
/// @param owner  [V] part of each node, of any integer type, METIS's signed ones included
/// @errors       raises out_of_range: a part is negative
/// @complexity   O(V) where they are signed, else O(1)
template <id_row Owner>
auto parts_of(const Owner& owner) {
  const auto ids = ids_of(owner);
  using given = typename decltype(ids)::value_type;
  if constexpr (std::is_signed_v<given>) {
    for (std::size_t v = 0; v < ids.size(); ++v) {
      if (ids[v] < 0) {
        raise(error_kind::out_of_range,
              concat({"node ", v, " is assigned to part ", ids[v], "; parts are numbered from 0"}));
      }
    }
    // A signed type may be read as the unsigned one of its width.
    using part = std::make_unsigned_t<given>;
    return std::span<const part>(reinterpret_cast<const part*>(ids.data()), ids.size());
  } else {
    return ids;
  }
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
