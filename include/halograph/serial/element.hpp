// SPDX-License-Identifier: BSL-1.0
/// @file element.hpp
/// Elements of arrays: read and written at any alignment, and the C++ type of a dtype's, for code
/// that treats all dtypes alike.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/serial/dtype.hpp>
#include <halograph/serial/half.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace halograph::detail {

/// The value whose bytes are there, aligned or not.
template <class T>
T load_as(const std::byte* at) noexcept {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}
template <class T>
void store_as(T value, std::byte* at) noexcept {
  std::memcpy(at, &value, sizeof value);
}

/// An unsigned integer of 1, 2, 4 or 8 bytes; a signed one modulo its width.
inline std::uint64_t load_unsigned(const std::byte* at, std::size_t width) noexcept {
  switch (width) {
    case 8:
      return load_as<std::uint64_t>(at);
    case 4:
      return load_as<std::uint32_t>(at);
    case 2:
      return load_as<std::uint16_t>(at);
    default:
      return load_as<std::uint8_t>(at);
  }
}

/// An element of dtype float16.
struct float16_element {
  std::uint16_t bits = 0;
  explicit operator double() const noexcept { return static_cast<double>(float_from_half(bits)); }
};

/// An element of dtype bfloat16.
struct bfloat16_element {
  std::uint16_t bits = 0;
  explicit operator double() const noexcept {
    return static_cast<double>(float_from_bfloat16(bits));
  }
};

/// f(T{}), where T holds an element of the dtype and converts to double; bool is std::uint8_t.
template <class F>
decltype(auto) with_element(dtype type, F&& f) {
  switch (type) {
    case dtype::int8:
      return f(std::int8_t{});
    case dtype::int16:
      return f(std::int16_t{});
    case dtype::int32:
      return f(std::int32_t{});
    case dtype::int64:
      return f(std::int64_t{});
    case dtype::uint8:
    case dtype::boolean:
      return f(std::uint8_t{});
    case dtype::uint16:
      return f(std::uint16_t{});
    case dtype::uint32:
      return f(std::uint32_t{});
    case dtype::uint64:
      return f(std::uint64_t{});
    case dtype::float16:
      return f(float16_element{});
    case dtype::bfloat16:
      return f(bfloat16_element{});
    case dtype::float32:
      return f(float{});
    case dtype::float64:
      break;
  }
  return f(double{});
}

}  // namespace halograph::detail
