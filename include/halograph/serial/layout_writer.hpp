// SPDX-License-Identifier: BSL-1.0
/// @file layout_writer.hpp
/// Write files as their layouts say: sections in any order, nothing held whole.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/checked_cast.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
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
#include <limits>
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

template <class Stored, byte_sink Sink, class T>
status write_converted(Sink& sink, std::uint64_t offset, std::uint64_t first,
                       std::span<const T> values) {
  if constexpr (std::same_as<Stored, T> &&
                (sizeof(T) == 1 || std::endian::native == std::endian::little)) {
    return sink.write_at(offset, std::as_bytes(values));
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
      if (const status answer = sink.write_at(offset, bytes); !answer) return answer;
      values = values.subspan(count);
      first += count;
      offset += bytes.size();
    }
    return status::ok;
  }
}

}  // namespace detail

/// Write integers of any width as the elements first, first + 1, ... of a section of any integer
/// dtype, through a buffer of fixed size; directly where memory and file agree.
/// @errors overflow at the element whose value does not fit the section's dtype (what went before
///     it may have been written); out_of_range at `first`: beyond the section; mismatch: the
///     section holds no integers; those of the sink
template <byte_sink Sink, class T>
  requires(std::same_as<T, bool> || id<T>)
status write_as(Sink& sink, const section& target, std::uint64_t first, std::span<const T> values) {
  const std::uint64_t elements = target.elements();
  if (first > elements || values.size() > elements - first) return status::out_of_range.at(first);
  const std::uint64_t offset = target.offset + first * item_bytes(target.type);
  switch (target.type) {
    case dtype::int8:
      return detail::write_converted<std::int8_t>(sink, offset, first, values);
    case dtype::int16:
      return detail::write_converted<std::int16_t>(sink, offset, first, values);
    case dtype::int32:
      return detail::write_converted<std::int32_t>(sink, offset, first, values);
    case dtype::int64:
      return detail::write_converted<std::int64_t>(sink, offset, first, values);
    case dtype::uint8:
    case dtype::boolean:
      return detail::write_converted<std::uint8_t>(sink, offset, first, values);
    case dtype::uint16:
      return detail::write_converted<std::uint16_t>(sink, offset, first, values);
    case dtype::uint32:
      return detail::write_converted<std::uint32_t>(sink, offset, first, values);
    case dtype::uint64:
      return detail::write_converted<std::uint64_t>(sink, offset, first, values);
    default:
      return status::mismatch.at(first);
  }
}

/// Write elements that lie in memory as the file stores them (but for the machine's byte order), as
/// the elements first, first + 1, ... of a section: rows of features.
/// @errors out_of_range at `first`: beyond the section; mismatch: no whole elements; those of the
///     sink
template <byte_sink Sink>
status write_elements(Sink& sink, const section& target, std::uint64_t first,
                      std::span<const std::byte> data) {
  const std::size_t width = item_bytes(target.type);
  const std::uint64_t elements = target.elements();
  if (data.size() % width != 0) return status::mismatch.at(first);
  if (first > elements || data.size() / width > elements - first)
    return status::out_of_range.at(first);
  const std::uint64_t offset = target.offset + first * width;
  if constexpr (std::endian::native == std::endian::little) {
    return sink.write_at(offset, data);
  } else {
    std::array<std::byte, 8 * detail::conversion_elements> buffer;
    for (std::size_t done = 0; done < data.size();) {
      const auto piece = std::span(buffer).first(std::min(data.size() - done, buffer.size()));
      std::copy_n(data.begin() + static_cast<std::ptrdiff_t>(done), piece.size(), piece.begin());
      swap_elements_to_little_endian(piece, width);
      if (const status answer = sink.write_at(offset + done, piece); !answer) return answer;
      done += piece.size();
    }
    return status::ok;
  }
}

/// Write a whole tensor as a section; integers are widened or narrowed to the section's dtype.
/// @errors mismatch: another number of elements, or a dtype that cannot become the section's;
///     overflow
template <byte_sink Sink>
status write_tensor(Sink& sink, const section& target, const tensor& data) {
  if (element_count(data.shape()) != target.elements())
    return status::mismatch.at(element_count(data.shape()));
  if (stored_dtype(data.type()) == stored_dtype(target.type))
    return write_elements(sink, target, 0, data.bytes());
  if (!is_integer(data.type()) || !is_integer(target.type)) return status::mismatch;
  // As uint64 only where the values need it; integer() gives int64.
  std::array<std::int64_t, detail::conversion_elements> buffer{};
  const std::uint64_t count = target.elements();
  for (std::uint64_t done = 0; done < count;) {
    const auto piece = std::span(buffer).first(
        static_cast<std::size_t>(std::min<std::uint64_t>(count - done, buffer.size())));
    for (std::size_t i = 0; i < piece.size(); ++i) {
      piece[i] = data.integer(static_cast<std::size_t>(done) + i);
      if (data.type() == dtype::uint64 && piece[i] < 0) return status::overflow.at(done + i);
    }
    if (const status answer = write_as(sink, target, done, std::span<const std::int64_t>(piece));
        !answer)
      return answer;
    done += piece.size();
  }
  return status::ok;
}

/// Write a whole file: literals, then each section as the tensor that `columns(section)` gives.
/// @errors those of write_tensor(), raised with the file's name
template <byte_sink Sink, class Columns>
void save(const file_layout& layout, Sink& sink, Columns&& columns) {
  const auto require = [&](status answer, const char* what) {
    if (answer) return;
    if constexpr (detail::throwing_sink<Sink>) {
      if (answer.code == errc::io) sink.require(answer);
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
/// @param open  sink open(const file_layout&); sinks with sync() and close() are synced and closed
/// @param fill  status fill(sink&, const section&)
/// @errors those of open and fill, raised with the file's name
template <class Open, class Fill>
void write_part(const part_layout& layout, Open&& open, Fill&& fill) {
  for (const auto& file : layout.files) {
    auto sink = open(file);
    const auto require = [&](status answer) { require_written(sink, answer, file.name); };
    // Short gaps are zeros by contract: written too, so that a sink sees the file from front to
    // back. A layout may name its pieces in any order; then gaps are left to the sink.
    constexpr std::array<std::byte, 4096> zeros{};
    const auto by_offset = [](const auto& a, const auto& b) { return a.offset < b.offset; };
    const bool in_order = std::is_sorted(file.literals.begin(), file.literals.end(), by_offset) &&
                          std::is_sorted(file.sections.begin(), file.sections.end(), by_offset);
    std::uint64_t at = 0;
    const auto fill_up = [&](std::uint64_t offset) {
      if (in_order && offset > at && offset - at <= zeros.size())
        require(sink.write_at(at, std::span(zeros).first(static_cast<std::size_t>(offset - at))));
    };
    auto next = file.literals.begin();
    const auto literals_before = [&](std::uint64_t offset) {
      for (; next != file.literals.end() && next->offset < offset; ++next) {
        fill_up(next->offset);
        require(sink.write_at(next->offset, next->bytes));
        at = next->offset + next->bytes.size();
      }
    };
    for (const auto& one : file.sections) {
      literals_before(one.offset);
      if (one.elements() != 0) fill_up(one.offset);
      require(fill(sink, one));
      if (one.elements() != 0) at = one.offset + one.bytes();
    }
    literals_before(std::numeric_limits<std::uint64_t>::max());
    fill_up(file.bytes);
    finish_sink(sink);
  }
}

}  // namespace halograph
