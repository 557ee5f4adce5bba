// SPDX-License-Identifier: BSL-1.0
/// @file pieces.ipp
/// Bodies of the plain functions of serial/text/pieces.hpp.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/text/cursor.hpp>
#include <halograph/serial/text/lines.hpp>
#include <halograph/serial/text/pieces.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE text_counts count_records(const char* const begin, const char* const end,
                                           text_format format) noexcept {
  constexpr std::uint64_t ones = 0x0101010101010101u, low = 0x7F7F7F7F7F7F7F7Fu;
  // Comments and names of columns come first.
  text_counts before;
  text_cursor front(begin, end, format);
  while (!front.done() && !text_cursor::is_digit(*front.at())) {
    front.skip_blanks();
    if (!front.at_line_end()) ++before.records;
    front.next_line();
    if (front.at()[-1] == '\n') ++before.line_ends;
  }
  if (front.done()) return before;
  const char* const first = front.at();
  const std::uint64_t last = end[-1] != '\n' ? 1 : 0;  // line without an end
  std::uint64_t lines = 0, digits = 1;
  const auto sum = [](std::uint64_t lanes) {
    const std::uint64_t pairs = (lanes & 0x00FF00FF00FF00FFu) +
                                ((lanes >> 8) & 0x00FF00FF00FF00FFu);
    return (pairs * 0x0001000100010001u) >> 48;
  };
  const char* p = first;
  while (end - p >= 9) {
    std::uint64_t line_lanes = 0, digit_lanes = 0;  // 8 counters of 8 bits each
    for (int i = 0; i < 255 && end - p >= 9; ++i, p += 8) {
      std::uint64_t here = 0, behind = 0;
      std::memcpy(&here, p, 8);
      std::memcpy(&behind, p + 1, 8);
      here ^= ones * static_cast<std::uint64_t>('\n');
      behind ^= ones * static_cast<std::uint64_t>('0');
      const std::uint64_t ends = ~(((here & low) + low) | here);              // bit 7: a line end
      const std::uint64_t others = ((behind & low) + ones * 0x76u) | behind;  // bit 7: no digit
      line_lanes += (ends >> 7) & ones;
      digit_lanes += ((ends & ~others) >> 7) & ones;
    }
    lines += sum(line_lanes);
    digits += sum(digit_lanes);
  }
  for (; p != end; ++p) {
    if (*p != '\n') continue;
    ++lines;
    if (p + 1 != end && text_cursor::is_digit(p[1])) ++digits;
  }
  if (lines + last == digits) return {before.line_ends + lines, before.records + digits};
  std::uint64_t records = before.records;
  for (text_cursor cursor(first, end, format); !cursor.done(); cursor.next_line()) {
    cursor.skip_blanks();
    if (!cursor.at_line_end()) ++records;
  }
  return {before.line_ends + lines, records};
}

HALOGRAPH_INLINE std::vector<text_piece> cut_text(std::string_view text, std::size_t shortest,
                                                  executor_ref executor,
                                                  const text_format* format) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  // An even number of pieces, because they are read in pairs.
  constexpr std::size_t least = std::size_t{1} << 18;
  const std::size_t pairs = std::max<std::size_t>(executor.concurrency(), 1) * 8;
  const std::size_t wanted = text.size() < 2 * least
                                 ? 1
                                 : 2 * std::clamp<std::size_t>(text.size() / (2 * least), 1, pairs);
  std::vector<text_piece> pieces;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t i = 0; i < wanted && at != end; ++i) {
    const char* cut = end;
    if (i + 1 < wanted) {
      const char* const from = std::max(at, text.data() + text.size() / wanted * (i + 1));
      const void* const found = std::memchr(from, '\n', static_cast<std::size_t>(end - from));
      if (found != nullptr) cut = static_cast<const char*>(found) + 1;
    }
    pieces.push_back({at, cut, 1, 0, 0, 0, {}});
    at = cut;
  }
  std::vector<text_counts> counts(pieces.size());
  executor.parallel_for(0, pieces.size(), 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const auto& piece = pieces[i];
      if (format != nullptr) {
        counts[i] = count_records(piece.begin, piece.end, *format);
      } else {
        counts[i].line_ends = count_line_ends(piece.begin, piece.end);
        counts[i].records = counts[i].line_ends + (piece.end[-1] != '\n' ? 1 : 0);
      }
    }
  });
  std::uint64_t line = 1;
  std::size_t slot = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    auto& piece = pieces[i];
    piece.first_line = line;
    line += counts[i].line_ends;
    piece.slots = static_cast<std::size_t>(counts[i].records);
    // A text of empty lines must not allocate memory for records that do not exist.
    piece.slots = std::min(piece.slots,
                           (static_cast<std::size_t>(piece.end - piece.begin) + 1) / shortest);
    piece.first_slot = slot;
    slot += piece.slots;
  }
  return pieces;
}

HALOGRAPH_INLINE std::string column_at(const char* where, const char* end, text_format format) {
  const bool blanks = format.delimiter == '\0' || format.delimiter == ' ' ||
                      format.delimiter == '\t';
  const char* stop = where;
  while (stop != end && stop - where < 60 && *stop != '\n' && *stop != '\r' &&
         !(blanks && (*stop == ' ' || *stop == '\t')) &&
         (stop == where || *stop != (format.delimiter == '\0' ? ',' : format.delimiter))) {
    ++stop;
  }
  return graph_schema::quoted(std::string_view(where, static_cast<std::size_t>(stop - where)));
}

HALOGRAPH_INLINE void raise_first_problem(
    const std::vector<text_piece>& pieces, text_format format, const std::string& file,
    function_ref<std::pair<std::string, error_kind>(const text_problem&)> needed) {
  for (const auto& piece : pieces) {
    const auto& problem = piece.problem;
    if (problem.fault == text_fault::none) continue;
    const location where{.file = file,
                         .line = piece.first_line + count_line_ends(piece.begin, problem.where)};
    const std::string place = "column " + std::to_string(problem.column);
    const auto [sentence, range_code] = needed(problem);
    switch (problem.fault) {
      case text_fault::missing_column:
        raise(error_kind::malformed, "there is no " + place + "; it must be " + sentence, where);
      case text_fault::mixed_columns:
        raise(error_kind::malformed,
              place + " must be in every line or in none, as in the first line", where);
      case text_fault::unknown_column:
        raise(error_kind::malformed,
              place + " is one too many; a line holds " + sentence + " and nothing else", where);
      default:
        raise(problem.fault == text_fault::not_a_number ? error_kind::malformed
              : problem.fault == text_fault::negative   ? error_kind::out_of_range
                                                        : range_code,
              place + " is " + column_at(problem.where, piece.end, format) + "; it must be " +
                  sentence,
              where);
    }
  }
}

HALOGRAPH_INLINE void check_format(text_format format) {
  const char d = format.delimiter;
  if (text_cursor::is_digit(d) || d == '-' || d == '+' || d == '.' || d == '\n' || d == '\r' ||
      d == 'e' || d == 'E' || (format.comments && (d == '#' || d == '%'))) {
    raise(error_kind::invalid_argument,
          "the delimiter " + graph_schema::quoted(std::string_view(&d, 1)) +
              " cannot stand between numbers; use a blank, a tab, a comma or the like");
  }
}

}  // namespace halograph::detail
