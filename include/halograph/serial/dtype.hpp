// SPDX-License-Identifier: BSL-1.0
/// @file dtype.hpp
/// Element types of tensors: what DGL's files and NumPy's can hold.
/// Layer: serial. Words: README.md.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <type_traits>

namespace halograph {

/// Element type. `boolean` exists in NumPy files only; DGL's files hold it as uint8.
enum class dtype : std::uint8_t {
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float16,
  float32,
  float64,
  bfloat16,
  boolean
};

/// Bytes of one element: 1, 2, 4 or 8.
constexpr std::size_t item_bytes(dtype type) noexcept {
  switch (type) {
    case dtype::int8:
    case dtype::uint8:
    case dtype::boolean:
      return 1;
    case dtype::int16:
    case dtype::uint16:
    case dtype::float16:
    case dtype::bfloat16:
      return 2;
    case dtype::int32:
    case dtype::uint32:
    case dtype::float32:
      return 4;
    case dtype::int64:
    case dtype::uint64:
    case dtype::float64:
      return 8;
  }
  return 0;
}

/// The field's name: "int8" ... "float64", "bfloat16", "bool"; "unknown" for a number that is none
/// of them.
constexpr std::string_view name(dtype type) noexcept {
  constexpr std::string_view names[] = {"int8",    "int16",    "int32",  "int64",   "uint8",
                                        "uint16",  "uint32",   "uint64", "float16", "float32",
                                        "float64", "bfloat16", "bool"};
  const auto number = static_cast<std::size_t>(type);
  return number < std::size(names) ? names[number] : "unknown";
}

/// The inverse of name().
constexpr std::optional<dtype> dtype_named(std::string_view text) noexcept {
  for (int i = 0; i <= static_cast<int>(dtype::boolean); ++i) {
    if (name(static_cast<dtype>(i)) == text) return static_cast<dtype>(i);
  }
  return std::nullopt;
}

/// Is it a signed or unsigned integer type, or boolean?
constexpr bool is_integer(dtype type) noexcept {
  return type <= dtype::uint64 || type == dtype::boolean;
}
/// Is it float16, float32, float64 or bfloat16?
constexpr bool is_floating(dtype type) noexcept {
  return type >= dtype::float16 && type <= dtype::bfloat16;
}

/// The type that a bool column has once stored by DGL; every other type is itself.
constexpr dtype stored_dtype(dtype type) noexcept {
  return type == dtype::boolean ? dtype::uint8 : type;
}

/// The narrowest type that holds the values of both, as NumPy finds it: integers of both signs meet
/// in a wider signed one (uint64 and a signed one in float64), integers and floats in a float of
/// enough digits; bool gives way.
constexpr dtype promoted(dtype a, dtype b) noexcept {
  if (a == b || b == dtype::boolean) return a;
  if (a == dtype::boolean) return b;
  const auto is_signed = [](dtype type) { return type <= dtype::int64; };
  const auto larger = item_bytes(a) > item_bytes(b) ? item_bytes(a) : item_bytes(b);
  if (is_integer(a) && is_integer(b)) {
    if (is_signed(a) == is_signed(b)) return item_bytes(a) > item_bytes(b) ? a : b;
    const auto of_unsigned = item_bytes(is_signed(a) ? b : a),
               of_signed = item_bytes(is_signed(a) ? a : b);
    const auto bytes = of_unsigned < of_signed ? of_signed : of_unsigned * 2;
    return bytes == 2   ? dtype::int16
           : bytes == 4 ? dtype::int32
           : bytes == 8 ? dtype::int64
                        : dtype::float64;
  }
  if (is_floating(a) && is_floating(b)) {
    if (larger == 2) return dtype::float32;  // float16 and bfloat16
    return larger == 4 ? dtype::float32 : dtype::float64;
  }
  // An integer of n bytes needs a float of 2n; 8 has to do for 64 bits.
  const dtype floating = is_floating(a) ? a : b;
  const auto of_integer = item_bytes(is_floating(a) ? b : a);
  if (of_integer == 1) return floating;
  return of_integer == 2 && item_bytes(floating) < 8 ? dtype::float32 : dtype::float64;
}

/// The dtype of a C++ arithmetic type.
template <class T>
  requires std::is_arithmetic_v<T>
constexpr dtype dtype_of() noexcept {
  if constexpr (std::same_as<T, bool>) {
    return dtype::boolean;
  } else if constexpr (std::floating_point<T>) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "dtype_of: float or double");
    return sizeof(T) == 4 ? dtype::float32 : dtype::float64;
  } else if constexpr (std::signed_integral<T>) {
    return sizeof(T) == 1   ? dtype::int8
           : sizeof(T) == 2 ? dtype::int16
           : sizeof(T) == 4 ? dtype::int32
                            : dtype::int64;
  } else {
    return sizeof(T) == 1   ? dtype::uint8
           : sizeof(T) == 2 ? dtype::uint16
           : sizeof(T) == 4 ? dtype::uint32
                            : dtype::uint64;
  }
}

}  // namespace halograph
