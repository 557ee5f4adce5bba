// SPDX-License-Identifier: BSL-1.0
/// @file layout_writer.hpp
/// Write files as their layouts say: sections in any order, nothing held whole.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/checked_cast.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/status.hpp>
#include <halograph/serial/bytes.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/layout.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace halograph {

/// Write the bytes that do not depend on data. @errors those of the sink
template <byte_sink Sink>
status write_literals(const file_layout& layout, Sink& sink) {
  for (const auto& one : layout.literals) {
    if (const status answer = sink.write_at(one.offset, one.bytes); !answer) return answer;
  }
  return status::ok;
}

namespace detail {

/// Bytes converted at once by write_as() and its like: enough that a system call for each of them
/// costs nothing.
inline constexpr std::size_t conversion_bytes = std::size_t{1} << 16;
inline constexpr std::size_t conversion_elements = conversion_bytes / 8;

/// The write_at() of any sink: what is converted is compiled once for all of them.
using write_at_ref = function_ref<status(std::uint64_t, std::span<const std::byte>)>;

template <class Stored, class T>
status write_converted(write_at_ref write_at, std::uint64_t offset, std::uint64_t first,
                       std::span<const T> values) {
  if constexpr (std::same_as<Stored, T> &&
                (sizeof(T) == 1 || std::endian::native == std::endian::little)) {
    return write_at(offset, std::as_bytes(values));
  } else {
    std::array<std::byte, conversion_bytes> buffer;
    while (!values.empty()) {
      const std::size_t count = std::min(values.size(), conversion_bytes / sizeof(Stored));
      for (std::size_t i = 0; i < count; ++i) {
        Stored stored{};
        if constexpr (std::same_as<T, bool>) {
          stored = static_cast<Stored>(values[i]);
        } else if (!narrow_into(values[i], stored)) {
          return status::overflow.at(first + i);
        }
        store_le(stored, buffer.data() + i * sizeof(Stored));
      }
      const auto bytes = std::span<const std::byte>(buffer).first(count * sizeof(Stored));
      if (const status answer = write_at(offset, bytes); !answer) return answer;
      values = values.subspan(count);
      first += count;
      offset += bytes.size();
    }
    return status::ok;
  }
}

/// As write_as(), write_elements() and write_tensor() below.
template <class T>
status integers_to(write_at_ref write_at, const section& target, std::uint64_t first,
                   std::span<const T> values) {
  const std::uint64_t elements = target.elements();
  if (first > elements || values.size() > elements - first) return status::out_of_range.at(first);
  const std::uint64_t offset = target.offset + first * item_bytes(target.type);
  switch (target.type) {
    case dtype::int8:
      return write_converted<std::int8_t>(write_at, offset, first, values);
    case dtype::int16:
      return write_converted<std::int16_t>(write_at, offset, first, values);
    case dtype::int32:
      return write_converted<std::int32_t>(write_at, offset, first, values);
    case dtype::int64:
      return write_converted<std::int64_t>(write_at, offset, first, values);
    case dtype::uint8:
    case dtype::boolean:
      return write_converted<std::uint8_t>(write_at, offset, first, values);
    case dtype::uint16:
      return write_converted<std::uint16_t>(write_at, offset, first, values);
    case dtype::uint32:
      return write_converted<std::uint32_t>(write_at, offset, first, values);
    case dtype::uint64:
      return write_converted<std::uint64_t>(write_at, offset, first, values);
    default:
      return status::mismatch.at(first);
  }
}

status elements_to(write_at_ref write_at, const section& target, std::uint64_t first,
                   std::span<const std::byte> data);

status tensor_to(write_at_ref write_at, const section& target, const tensor& data);

}  // namespace detail

/// Write integers of any width as the elements first, first + 1, ... of a section of any integer
/// dtype, through a buffer of fixed size; directly where memory and file agree.
/// @errors overflow at the element whose value does not fit the section's dtype (what went before
///     it may have been written); out_of_range at `first`: beyond the section; mismatch: the
///     section holds no integers; those of the sink
template <byte_sink Sink, class T>
  requires(std::same_as<T, bool> || id<T>)
status write_as(Sink& sink, const section& target, std::uint64_t first, std::span<const T> values) {
  return detail::integers_to(
      [&](std::uint64_t offset, std::span<const std::byte> bytes) {
        return sink.write_at(offset, bytes);
      },
      target, first, values);
}

/// Write elements that lie in memory as the file stores them (but for the machine's byte order), as
/// the elements first, first + 1, ... of a section: rows of features.
/// @errors out_of_range at `first`: beyond the section; mismatch: no whole elements; those of the
///     sink
template <byte_sink Sink>
status write_elements(Sink& sink, const section& target, std::uint64_t first,
                      std::span<const std::byte> data) {
  return detail::elements_to(
      [&](std::uint64_t offset, std::span<const std::byte> bytes) {
        return sink.write_at(offset, bytes);
      },
      target, first, data);
}

/// Write a whole tensor as a section; integers are widened or narrowed to the section's dtype.
/// @errors mismatch: another number of elements, or a dtype that cannot become the section's;
///     overflow
template <byte_sink Sink>
status write_tensor(Sink& sink, const section& target, const tensor& data) {
  return detail::tensor_to(
      [&](std::uint64_t offset, std::span<const std::byte> bytes) {
        return sink.write_at(offset, bytes);
      },
      target, data);
}

/// Write a whole file: literals, then each section as the tensor that `columns(section)` gives.
/// @errors those of write_tensor(), raised with the file's name
template <byte_sink Sink>
void save(const file_layout& layout, Sink& sink, function_ref<tensor(const section&)> columns) {
  const auto require = [&](status answer, const char* what) {
    if (answer) return;
    if constexpr (detail::throwing_sink<Sink>) {
      if (answer.code == error_kind::io) sink.require(answer);
    }
    raise(answer.code, what, {.file = layout.name, .byte = answer.position});
  };
  require(write_literals(layout, sink), "cannot write the fixed bytes of the file");
  for (const auto& one : layout.sections) {
    require(write_tensor(sink, one, columns(one)),
            "the data of a section do not fit the dtype and shape of its layout");
  }
}

/// Stream a part into files: open each, then write literals and sections in the order in which they
/// lie in the file, each section by `fill(sink, section)`.
/// @param open  gives a file's sink, which is synced and closed at the end where it can be; an
///     empty one where the file is there already and is left as it is
/// @param fill  writes a section
/// @errors those of open and fill, raised with the file's name
void write_part(const part_layout& layout, function_ref<any_sink(const file_layout&)> open,
                function_ref<status(any_sink&, const section&)> fill);

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/serial/impl/layout_writer.ipp>
#endif
