// SPDX-License-Identifier: BSL-1.0
/// @file pieces.hpp
/// Cut text into pieces of whole lines and parse the pieces in parallel.
/// Layer: serial. Words: README.md.
///
/// The lines of each piece are counted first, which gives the position of its records in the result
/// and the number of its first line; the result does not depend on the number of pieces.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/text/cursor.hpp>
#include <halograph/serial/text/lines.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace halograph {

namespace detail {

/// The first fault of a piece.
struct text_problem {
  text_fault fault = text_fault::none;
  unsigned column = 0;  // from 1
  const char* where = nullptr;
};

struct text_piece {
  const char* begin = nullptr;
  const char* end = nullptr;
  std::uint64_t first_line = 1;
  std::size_t first_slot = 0;
  std::size_t slots = 0;  // upper bound of its records
  std::size_t records = 0;
  text_problem problem{};
};

struct text_counts {
  std::uint64_t line_ends = 0, records = 0;
};

/// Count the lines and records of whole lines. Lines that begin with a digit are counted 8 bytes at
/// a time; if other lines follow them, each line is examined.
inline text_counts count_records(const char* const begin, const char* const end,
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

/// Cut text into pieces of whole lines, with an upper bound of the records of each.
/// @param shortest  bytes of the shortest record, its line end included
/// @param format    if given, only records get slots; otherwise every line does
template <executor Executor>
std::vector<text_piece> cut_text(std::string_view text, std::size_t shortest,
                                 const Executor& executor, const text_format* format = nullptr) {
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

inline std::size_t slots_of(const std::vector<text_piece>& pieces) noexcept {
  return pieces.empty() ? 0 : pieces.back().first_slot + pieces.back().slots;
}

/// The default of parse_pieces(): no line is plain.
struct nothing_plain {
  constexpr const char* operator()(const char*, std::size_t, char) const noexcept {
    return nullptr;
  }
};

/// The progress of reading a piece line by line.
struct piece_run {
  const char* at;
  std::size_t slot;
  const char* plain_end;  // lines that begin before it may be plain
  char separator;

  /// @param text_end  of the whole text, because plain lines are read in words that may extend
  ///     beyond a piece
  piece_run(const text_piece& piece, const char* text_end, text_format format) noexcept
      : at(piece.begin),
        slot(piece.first_slot),
        plain_end(text_end - piece.begin > plain_margin
                      ? std::min(piece.end, text_end - plain_margin)
                      : piece.begin),
        separator(text_cursor(piece.begin, piece.end, format).separator_of_line()) {}
  /// Bytes after the beginning of a plain line that may be read, whatever they contain.
  static constexpr std::ptrdiff_t plain_margin = 96;
};

/// Read the line at run.at by the full syntax of cursor.hpp. @return false on a fault
template <class Record>
bool read_any_line(text_piece& piece, piece_run& run, text_format format, Record& record) {
  text_cursor cursor(run.at, piece.end, format);
  if (!text_cursor::is_digit(*cursor.at())) cursor.skip_blanks();
  if (!cursor.at_line_end()) {
    piece.problem = record(cursor, run.slot);
    if (piece.problem.fault != text_fault::none) return false;
    ++run.slot;
  }
  cursor.next_line();
  run.at = cursor.at();
  return true;
}

template <class Record, class Plain>
void read_rest_of_piece(text_piece& piece, piece_run run, text_format format, Record& record,
                        Plain& plain) {
  const char* at = run.at;
  std::size_t slot = run.slot;
  for (;;) {
    while (at < run.plain_end) {
      const char* const next = plain(at, slot, run.separator);
      if (next == nullptr) break;
      at = next;
      ++slot;
    }
    run.at = at;
    run.slot = slot;
    if (at == piece.end || !read_any_line(piece, run, format, record)) break;
    at = run.at;
    slot = run.slot;
  }
  piece.records = run.slot - piece.first_slot;
}

/// Read two pieces alternately. The position of a number is known only after the previous one has
/// been read; a second, independent piece hides that latency.
template <class Record, class Plain>
void read_two_pieces(text_piece& first, text_piece& second, const char* text_end,
                     text_format format, Record& record, Plain& plain) {
  piece_run one(first, text_end, format), other(second, text_end, format);
  for (bool sound = true; sound && one.at < one.plain_end && other.at < other.plain_end;) {
    const char separator = one.separator, other_separator = other.separator;
    const char *at = one.at, *other_at = other.at;
    std::size_t slot = one.slot, other_slot = other.slot;
    const char* next = at;
    const char* other_next = other_at;
    while (at < one.plain_end && other_at < other.plain_end) {
      next = plain(at, slot, separator);
      if (next == nullptr) break;
      at = next;
      ++slot;
      other_next = plain(other_at, other_slot, other_separator);
      if (other_next == nullptr) break;
      other_at = other_next;
      ++other_slot;
    }
    one.at = at;
    one.slot = slot;
    other.at = other_at;
    other.slot = other_slot;
    if (next == nullptr)
      sound = read_any_line(first, one, format, record);
    else if (other_next == nullptr)
      sound = read_any_line(second, other, format, record);
  }
  // A piece stops at its fault; the other one may have a fault in an earlier line.
  if (first.problem.fault == text_fault::none)
    read_rest_of_piece(first, one, format, record, plain);
  else
    first.records = one.slot - first.first_slot;
  if (second.problem.fault == text_fault::none)
    read_rest_of_piece(second, other, format, record, plain);
  else
    second.records = other.slot - second.first_slot;
}

/// Call `record(cursor, slot)` for each record of each piece. It returns a text_problem and leaves
/// the cursor after the last column. A piece stops at its first fault.
/// @param plain  plain(line, slot, separator) is a fast path: it reads a line and returns the
///     beginning of the next one, or returns null without writing, and then `record` reads the
///     line. It may read piece_run::plain_margin bytes from `line` on
template <executor Executor, class Record, class Plain = nothing_plain>
void parse_pieces(std::vector<text_piece>& pieces, text_format format, const Executor& executor,
                  Record&& record, Plain plain = {}) {
  if (pieces.empty()) return;
  const char* const text_end = pieces.back().end;
  executor.parallel_for(
      0, (pieces.size() + 1) / 2, 1, [&, plain](std::size_t first, std::size_t last) mutable {
        for (std::size_t i = 2 * first; i < 2 * last && i < pieces.size(); i += 2) {
          if (i + 1 < pieces.size())
            read_two_pieces(pieces[i], pieces[i + 1], text_end, format, record, plain);
          else
            read_rest_of_piece(pieces[i], piece_run(pieces[i], text_end, format), format, record,
                               plain);
        }
      });
}

/// Resize several columns in parallel, because page faults of new memory are a good part of the
/// reading time.
template <executor Executor, class... Columns>
void resize_columns(std::size_t size, const Executor& executor, Columns&... columns) {
  executor.parallel_for(0, sizeof...(columns), 1, [&](std::size_t first, std::size_t last) {
    std::size_t i = 0;
    const auto resize = [&](auto& column) {
      if (i >= first && i < last) column.resize(size);
      ++i;
    };
    (resize(columns), ...);
  });
}

/// Remove the empty slots of a column.
template <class T>
void close_gaps(std::vector<T>& column, const std::vector<text_piece>& pieces) {
  std::size_t at = 0;
  for (const auto& piece : pieces) {
    if (at != piece.first_slot && piece.records != 0) {
      std::memmove(column.data() + at, column.data() + piece.first_slot, piece.records * sizeof(T));
    }
    at += piece.records;
  }
  column.resize(at);
}

/// The text of the column at `where`, for error messages.
inline std::string column_at(const char* where, const char* end, text_format format) {
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

/// Throw the first problem of the text, if any piece has one.
/// @param needed  needed(problem): what the column must be, such as "a source node ID from 0 to
/// 33",
///     and the code of a value outside that range
template <class Needed>
void raise_first_problem(const std::vector<text_piece>& pieces, text_format format,
                         const std::string& file, Needed&& needed) {
  for (const auto& piece : pieces) {
    const auto& problem = piece.problem;
    if (problem.fault == text_fault::none) continue;
    const location where{.file = file,
                         .line = piece.first_line + count_line_ends(piece.begin, problem.where)};
    const std::string place = "column " + std::to_string(problem.column);
    const auto [sentence, range_code] = needed(problem);
    switch (problem.fault) {
      case text_fault::missing_column:
        raise(errc::malformed, "there is no " + place + "; it must be " + sentence, where);
      case text_fault::mixed_columns:
        raise(errc::malformed, place + " must be in every line or in none, as in the first line",
              where);
      case text_fault::unknown_column:
        raise(errc::malformed,
              place + " is one too many; a line holds " + sentence + " and nothing else", where);
      default:
        raise(problem.fault == text_fault::not_a_number ? errc::malformed
              : problem.fault == text_fault::negative   ? errc::out_of_range
                                                        : range_code,
              place + " is " + column_at(problem.where, piece.end, format) + "; it must be " +
                  sentence,
              where);
    }
  }
}

inline void check_format(text_format format) {
  const char d = format.delimiter;
  if (text_cursor::is_digit(d) || d == '-' || d == '+' || d == '.' || d == '\n' || d == '\r' ||
      d == 'e' || d == 'E' || (format.comments && (d == '#' || d == '%'))) {
    raise(errc::invalid_argument,
          "the delimiter " + graph_schema::quoted(std::string_view(&d, 1)) +
              " cannot stand between numbers; use a blank, a tab, a comma or the like");
  }
}

/// From behind the columns of a plain line to the next line, over further columns if they may be
/// there.
/// @return nothing where another character stands there, or no line end follows
[[gnu::always_inline]] inline const char* after_plain_line(const char* p, const char* text_end,
                                                           char separator,
                                                           bool more_columns) noexcept {
  if (!more_columns || *p != separator) return text_cursor::after_line_end(p);
  const void* const found = std::memchr(p, '\n', static_cast<std::size_t>(text_end - p));
  return found == nullptr ? nullptr : static_cast<const char*>(found) + 1;
}

}  // namespace detail

}  // namespace halograph
