// SPDX-License-Identifier: BSL-1.0
/// @file elements.ipp
/// Bodies of the plain functions of io/chunked/elements.hpp.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/io/chunked/elements.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/element.hpp>
#include <halograph/serial/half.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>

namespace halograph::detail {

HALOGRAPH_INLINE std::string integer_text(dtype type, const std::byte* at, bool swapped) {
  std::byte bytes[8]{};
  const std::size_t width = item_bytes(type);
  if (swapped)
    std::reverse_copy(at, at + width, bytes);
  else
    std::copy_n(at, width, bytes);
  if (type == dtype::uint64) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes, 8);
    return std::to_string(value);
  }
  return std::to_string(tensor(type, {1}, std::span<const std::byte>(bytes, width)).integer(0));
}

HALOGRAPH_INLINE void convert_element(dtype from, const std::byte* in, dtype to, std::byte* out) {
  std::uint64_t bits = 0;  // two's complement: the low bytes are right for either sign
  double value = 0;
  with_element(from, [&](auto element) {
    std::memcpy(&element, in, sizeof element);
    if constexpr (std::is_integral_v<decltype(element)>) bits = static_cast<std::uint64_t>(element);
    value = static_cast<double>(element);
  });
  with_element(to, [&](auto element) {
    using target = decltype(element);
    if constexpr (std::is_integral_v<target>)
      element = static_cast<target>(bits);
    else if constexpr (std::is_floating_point_v<target>)
      element = static_cast<target>(value);
    else
      element.bits = half_from_double(value);
    std::memcpy(out, &element, sizeof element);
  });
}

}  // namespace halograph::detail
