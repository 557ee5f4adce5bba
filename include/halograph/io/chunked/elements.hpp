// SPDX-License-Identifier: BSL-1.0
/// @file elements.hpp
/// Numbers in the files of a chunked graph: read as node IDs, quoted in errors, converted between
/// dtypes.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/element.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>

namespace halograph {

namespace detail {

/// Integers `stride` bytes apart, as IDs. @return how many are below `limit` before the first that
/// is not
template <class From, id To>
std::size_t ids_from(const std::byte* at, std::size_t stride, bool swapped, std::uint64_t limit,
                     To* out, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i, at += stride) {
    From value;
    if (swapped) {
      std::byte bytes[sizeof(From)];
      std::reverse_copy(at, at + sizeof(From), bytes);
      std::memcpy(&value, bytes, sizeof value);
    } else {
      std::memcpy(&value, at, sizeof value);
    }
    // A negative number is beyond every limit once it is unsigned.
    const auto id = static_cast<std::uint64_t>(value);
    if (id >= limit) return i;
    out[i] = static_cast<To>(id);
  }
  return count;
}

template <id To>
std::size_t ids_from(dtype type, const std::byte* at, std::size_t stride, bool swapped,
                     std::uint64_t limit, To* out, std::size_t count) noexcept {
  if (!is_integer(type) || type == dtype::boolean) return 0;
  return with_element(type, [&](auto element) -> std::size_t {
    using from = decltype(element);
    if constexpr (std::is_integral_v<from>)
      return ids_from<from>(at, stride, swapped, limit, out, count);
    else
      return 0;
  });
}

/// An integer in memory as text, for a sentence.
std::string integer_text(dtype type, const std::byte* at, bool swapped);

/// Convert a number to another dtype that can hold it.
void convert_element(dtype from, const std::byte* in, dtype to, std::byte* out);

}  // namespace detail

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/io/chunked/impl/elements.ipp>
#endif
