// SPDX-License-Identifier: BSL-1.0
/// @file pieces.hpp
/// Cut text into pieces of whole lines and parse the pieces in parallel.
/// Layer: serial. Words: README.md.
///
/// The lines of each piece are counted first, which gives the position of its records in the result
/// and the number of its first line; the result does not depend on the number of pieces.
#pragma once

#include <halograph/core/executor.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/serial/text/cursor.hpp>
#include <halograph/serial/text/lines.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
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

/// Where a piece of whole lines may begin: after the first line end from byte `from` on. Not before
/// the mark that only a whole text may begin with, which is an error in any other line.
/// @return text.size() if there is no such place
inline std::size_t piece_begin(std::string_view text, std::size_t from) noexcept {
  for (auto at = text.find('\n', from); at != std::string_view::npos;
       at = text.find('\n', at + 1)) {
    if (!text.substr(at + 1).starts_with("\xEF\xBB\xBF")) return at + 1;
  }
  return text.size();
}

struct text_counts {
  std::uint64_t line_ends = 0, records = 0;
};

/// Count the lines and records of whole lines. Lines that begin with a digit are counted 8 bytes at
/// a time; if other lines follow them, each line is examined.
text_counts count_records(const char* const begin, const char* const end,
                          text_format format) noexcept;

/// Cut text into pieces of whole lines, with an upper bound of the records of each.
/// @param shortest  bytes of the shortest record, its line end included
/// @param format    if given, only records get slots; otherwise every line does
std::vector<text_piece> cut_text(std::string_view text, std::size_t shortest, executor_ref executor,
                                 const text_format* format = nullptr);

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
template <class Record, class Plain = nothing_plain>
void parse_pieces(std::vector<text_piece>& pieces, text_format format, executor_ref executor,
                  Record&& record, Plain plain = {}) {
  if (pieces.empty()) return;
  const char* const text_end = pieces.back().end;
  executor.parallel_for(
      0, (pieces.size() + 1) / 2, 1, [&, plain](std::size_t first, std::size_t last) mutable {
        for (std::size_t i = 2 * first; i < 2 * last; i += 2) {
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
template <class... Columns>
void resize_columns(std::size_t size, executor_ref executor, Columns&... columns) {
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
std::string column_at(const char* where, const char* end, text_format format);

/// Throw the first problem of the text, if any piece has one.
/// @param needed  needed(problem): what the column must be, such as "a source node ID from 0 to
///     33", and the code of a value outside that range
void raise_first_problem(
    const std::vector<text_piece>& pieces, text_format format, const std::string& file,
    function_ref<std::pair<std::string, error_kind>(const text_problem&)> needed);

void check_format(text_format format);

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

#if !HALOGRAPH_COMPILED
#include <halograph/serial/text/impl/pieces.ipp>
#endif
