// SPDX-License-Identifier: BSL-1.0
/// @file elements.hpp
/// Numbers in the files of a chunked graph: read as node IDs, quoted in errors, converted between
/// dtypes.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/half.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

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
  switch (type) {
    case dtype::int8:
      return ids_from<std::int8_t>(at, stride, swapped, limit, out, count);
    case dtype::int16:
      return ids_from<std::int16_t>(at, stride, swapped, limit, out, count);
    case dtype::int32:
      return ids_from<std::int32_t>(at, stride, swapped, limit, out, count);
    case dtype::int64:
      return ids_from<std::int64_t>(at, stride, swapped, limit, out, count);
    case dtype::uint8:
      return ids_from<std::uint8_t>(at, stride, swapped, limit, out, count);
    case dtype::uint16:
      return ids_from<std::uint16_t>(at, stride, swapped, limit, out, count);
    case dtype::uint32:
      return ids_from<std::uint32_t>(at, stride, swapped, limit, out, count);
    case dtype::uint64:
      return ids_from<std::uint64_t>(at, stride, swapped, limit, out, count);
    default:
      return 0;
  }
}

/// An integer in memory as text, for a sentence.
inline std::string integer_text(dtype type, const std::byte* at, bool swapped) {
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

/// Put a number into another dtype that can hold it.
inline void convert_element(dtype from, const std::byte* in, dtype to, std::byte* out) {
  const auto load = [in](auto value) {
    std::memcpy(&value, in, sizeof value);
    return value;
  };
  const auto store = [out](auto value) { std::memcpy(out, &value, sizeof value); };
  if (is_integer(to)) {
    std::uint64_t bits = 0;  // two's complement: the low bytes are right for either sign
    switch (from) {
      case dtype::int8:
        bits = static_cast<std::uint64_t>(load(std::int8_t{}));
        break;
      case dtype::int16:
        bits = static_cast<std::uint64_t>(load(std::int16_t{}));
        break;
      case dtype::int32:
        bits = static_cast<std::uint64_t>(load(std::int32_t{}));
        break;
      case dtype::uint8:
      case dtype::boolean:
        bits = load(std::uint8_t{});
        break;
      case dtype::uint16:
        bits = load(std::uint16_t{});
        break;
      case dtype::uint32:
        bits = load(std::uint32_t{});
        break;
      default:
        bits = load(std::uint64_t{});
        break;
    }
    switch (item_bytes(to)) {
      case 1:
        store(static_cast<std::uint8_t>(bits));
        break;
      case 2:
        store(static_cast<std::uint16_t>(bits));
        break;
      case 4:
        store(static_cast<std::uint32_t>(bits));
        break;
      default:
        store(bits);
        break;
    }
    return;
  }
  double value = 0;
  switch (from) {
    case dtype::int8:
      value = load(std::int8_t{});
      break;
    case dtype::int16:
      value = load(std::int16_t{});
      break;
    case dtype::int32:
      value = load(std::int32_t{});
      break;
    case dtype::int64:
      value = static_cast<double>(load(std::int64_t{}));
      break;
    case dtype::uint8:
    case dtype::boolean:
      value = load(std::uint8_t{});
      break;
    case dtype::uint16:
      value = load(std::uint16_t{});
      break;
    case dtype::uint32:
      value = load(std::uint32_t{});
      break;
    case dtype::uint64:
      value = static_cast<double>(load(std::uint64_t{}));
      break;
    case dtype::float16:
      value = static_cast<double>(float_from_half(load(std::uint16_t{})));
      break;
    case dtype::bfloat16:
      value = static_cast<double>(float_from_bfloat16(load(std::uint16_t{})));
      break;
    case dtype::float32:
      value = static_cast<double>(load(float{}));
      break;
    case dtype::float64:
      value = load(double{});
      break;
  }
  if (to == dtype::float64)
    store(value);
  else if (to == dtype::float32)
    store(static_cast<float>(value));
  else
    store(half_from_double(value));
}

}  // namespace detail

}  // namespace halograph
