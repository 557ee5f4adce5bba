// SPDX-License-Identifier: BSL-1.0
/// @file blocks.ipp
/// Bodies of the plain functions of serial/text/blocks.hpp.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/serial/text/blocks.hpp>
#include <halograph/serial/text/cursor.hpp>
#include <halograph/serial/text/lines.hpp>
#include <halograph/serial/text/pieces.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace halograph {

HALOGRAPH_INLINE text_index index_text(std::span<const std::byte> bytes, text_format format,
                                       executor_ref executor, std::size_t step) {
  detail::check_format(format);
  const std::string_view text = detail::as_text(bytes);
  if (step == 0) step = index_step(text.size());
  text_index out;
  out.bytes = text.size();
  const std::size_t start = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  const std::size_t pieces = std::max<std::size_t>((text.size() - start + step - 1) / step, 1);
  // Piece i begins with the first line that begins at or after i steps; the pieces tile the text.
  const auto begin_of = [&](std::size_t i) {
    if (i == 0) return start;
    if (i == pieces) return text.size();
    return detail::piece_begin(text, start + i * step - 1);
  };
  struct counted {
    std::size_t begin = 0;
    detail::text_counts of{};
  };
  std::vector<counted> counts(pieces);
  executor.parallel_for(0, pieces, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const std::size_t begin = begin_of(i), end = begin_of(i + 1);
      counts[i].begin = begin;
      if (begin >= end) continue;  // a line longer than a step
      counts[i].of = detail::count_records(text.data() + begin, text.data() + end, format);
    }
  });
  std::uint64_t line = 1;
  for (std::size_t i = 0; i < pieces; ++i) {
    if (out.places.empty() || counts[i].of.records != 0)
      out.places.push_back({counts[i].begin, line, out.records});
    line += counts[i].of.line_ends;
    out.records += counts[i].of.records;
  }
  return out;
}

}  // namespace halograph
