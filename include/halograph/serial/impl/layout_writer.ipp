// SPDX-License-Identifier: BSL-1.0
/// @file layout_writer.ipp
/// Bodies of the plain functions of serial/layout_writer.hpp.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/function_ref.hpp>
#include <halograph/core/status.hpp>
#include <halograph/serial/bytes.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/layout.hpp>
#include <halograph/serial/layout_writer.hpp>
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

namespace halograph::detail {

HALOGRAPH_INLINE status elements_to(write_at_ref write_at, const section& target,
                                    std::uint64_t first, std::span<const std::byte> data) {
  const std::size_t width = item_bytes(target.type);
  const std::uint64_t elements = target.elements();
  if (data.size() % width != 0) return status::mismatch.at(first);
  if (first > elements || data.size() / width > elements - first)
    return status::out_of_range.at(first);
  const std::uint64_t offset = target.offset + first * width;
  if constexpr (std::endian::native == std::endian::little) {
    return write_at(offset, data);
  } else {
    std::array<std::byte, 8 * conversion_elements> buffer;
    for (std::size_t done = 0; done < data.size();) {
      const auto piece = std::span(buffer).first(std::min(data.size() - done, buffer.size()));
      std::copy_n(data.begin() + static_cast<std::ptrdiff_t>(done), piece.size(), piece.begin());
      swap_elements_to_little_endian(piece, width);
      if (const status answer = write_at(offset + done, piece); !answer) return answer;
      done += piece.size();
    }
    return status::ok;
  }
}

HALOGRAPH_INLINE status tensor_to(write_at_ref write_at, const section& target,
                                  const tensor& data) {
  if (element_count(data.shape()) != target.elements())
    return status::mismatch.at(element_count(data.shape()));
  if (stored_dtype(data.type()) == stored_dtype(target.type))
    return elements_to(write_at, target, 0, data.bytes());
  if (!is_integer(data.type()) || !is_integer(target.type)) return status::mismatch;
  // As uint64 only where the values need it; integer() gives int64.
  std::array<std::int64_t, conversion_elements> buffer{};
  const std::uint64_t count = target.elements();
  for (std::uint64_t done = 0; done < count;) {
    const auto piece = std::span(buffer).first(
        static_cast<std::size_t>(std::min<std::uint64_t>(count - done, buffer.size())));
    for (std::size_t i = 0; i < piece.size(); ++i) {
      piece[i] = data.integer(static_cast<std::size_t>(done) + i);
      if (data.type() == dtype::uint64 && piece[i] < 0) return status::overflow.at(done + i);
    }
    if (const status answer = integers_to(write_at, target, done,
                                          std::span<const std::int64_t>(piece));
        !answer)
      return answer;
    done += piece.size();
  }
  return status::ok;
}

}  // namespace halograph::detail

namespace halograph {

HALOGRAPH_INLINE void write_part(const part_layout& layout,
                                 function_ref<any_sink(const file_layout&)> open,
                                 function_ref<status(any_sink&, const section&)> fill) {
  for (const auto& file : layout.files) {
    any_sink sink = open(file);
    if (!sink) continue;
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
