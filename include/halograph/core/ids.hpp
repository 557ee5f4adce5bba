// SPDX-License-Identifier: BSL-1.0
/// @file ids.hpp
/// The types of IDs: any integer type of 8 to 64 bits, signed or not.
/// Layer: core (no allocation, no exceptions). Words: README.md.
#pragma once

#include <halograph/core/unmet.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace halograph {

namespace detail {
template <class T>
inline constexpr bool is_character = std::same_as<T, char> || std::same_as<T, wchar_t> ||
                                     std::same_as<T, char8_t> || std::same_as<T, char16_t> ||
                                     std::same_as<T, char32_t>;
template <class T>
inline constexpr bool is_id = false;
template <std::integral T>
inline constexpr bool is_id<T> = !std::same_as<std::remove_cv_t<T>, bool> &&
                                 !is_character<std::remove_cv_t<T>> && sizeof(T) <= 8;
}  // namespace detail

/// An integer that counts or names things. `bool` and the character types are integers to the
/// language but not to us: a graph of `char` nodes is always a mistake.
template <class T>
concept id =
    detail::is_id<T> ||
    unmet<"id: needs an integer type of 8 to 64 bits, signed or not (not bool, not a character)">();

/// An unsigned ID, such as the number of a part.
template <class T>
concept unsigned_id = id<T> &&
                      (std::unsigned_integral<T> ||
                       unmet<"unsigned_id: needs an unsigned integer type of 8 to 64 bits">());

/// The default type of parts; 0..K-1.
using part_id = std::uint32_t;

/// The number of a node type or an edge type, in the order in which the input lists them.
using type_id = std::uint32_t;

/// A half-open range of IDs.
struct id_range {
  std::uint64_t begin = 0;                                               ///< first ID
  std::uint64_t end = 0;                                                 ///< one past the last ID
  constexpr std::uint64_t size() const noexcept { return end - begin; }  ///< number of IDs
  friend constexpr bool operator==(const id_range&, const id_range&) = default;
};

/// One past the largest ID that T can hold, saturated at 2^64 - 1: how many things T can name.
template <id T>
constexpr std::uint64_t id_capacity() noexcept {
  constexpr auto bits = sizeof(T) * 8 - (std::is_signed_v<T> ? 1 : 0);
  if constexpr (bits >= 64) {
    return ~std::uint64_t{0};
  } else {
    return std::uint64_t{1} << bits;
  }
}

/// An ID as an index into memory. A negative ID, and one that memory cannot be indexed by, becomes
/// an index past every end, so that one comparison with the size rejects all bad IDs.
template <id T>
constexpr std::size_t index(T value) noexcept {
  if constexpr (sizeof(T) > sizeof(std::size_t)) {
    if (!std::in_range<std::size_t>(value)) return static_cast<std::size_t>(-1);
  }
  return static_cast<std::size_t>(value);  // sign-extends
}

}  // namespace halograph
