// SPDX-License-Identifier: BSL-1.0
/// @file layout.ipp
/// Bodies of the plain functions of serial/layout.hpp.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/checked_cast.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/status.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/layout.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

HALOGRAPH_INLINE std::string sparse_formats::str() const {
  std::string out;
  const auto add = [&](sparse_format format, const char* word) {
    if (has(format)) out += (out.empty() ? "" : ",") + std::string(word);
  };
  add(sparse_format::coo, "coo");
  add(sparse_format::csr, "csr");
  add(sparse_format::csc, "csc");
  return out;
}

HALOGRAPH_INLINE layout_builder& layout_builder::bytes(std::span<const std::byte> data) {
  if (data.empty()) return *this;
  if (layout_.literals.empty() ||
      layout_.literals.back().offset + layout_.literals.back().bytes.size() != position()) {
    layout_.literals.push_back({position(), {}});
  }
  auto& target = layout_.literals.back().bytes;
  target.insert(target.end(), data.begin(), data.end());
  return advance(data.size());
}

HALOGRAPH_INLINE std::uint64_t layout_builder::array_bytes(dtype type,
                                                           std::span<const std::uint64_t> shape) {
  std::uint64_t size = item_bytes(type);
  bool none = false, fits = true;
  for (const std::uint64_t extent : shape) {
    if (extent == 0)
      none = true;
    else
      fits = fits && multiply_into(size, extent, size) && size <= limit;
  }
  if (!fits)
    raise(error_kind::overflow,
          "an array of shape " + to_string(shape) + " has more bytes than a file can have");
  return none ? 0 : size;
}

HALOGRAPH_INLINE layout_builder& layout_builder::advance(std::uint64_t count) {
  std::uint64_t end = 0;
  if (!add_into(layout_.bytes, count, end) || end > limit) {
    raise(error_kind::overflow, "the file would have more than 2^63 - 1 bytes",
          {.file = layout_.name});
  }
  layout_.bytes = end;
  return *this;
}

HALOGRAPH_INLINE status check_layout(const file_layout& layout) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;  // offset, bytes
  for (const auto& one : layout.literals) ranges.emplace_back(one.offset, one.bytes.size());
  for (const auto& one : layout.sections) ranges.emplace_back(one.offset, one.bytes());
  std::sort(ranges.begin(), ranges.end());
  std::uint64_t end = 0;
  for (const auto& [offset, bytes] : ranges) {
    if (offset > layout.bytes || bytes > layout.bytes - offset)
      return status::out_of_range.at(offset);
    if (bytes != 0 && offset < end) return status::mismatch.at(offset);
    if (bytes != 0) end = offset + bytes;
  }
  return status::ok;
}

}  // namespace halograph
