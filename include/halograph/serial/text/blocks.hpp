// SPDX-License-Identifier: BSL-1.0
/// @file blocks.hpp
/// Records of a text block by block: an index of their positions, and any run of them read into the
/// caller's memory.
/// Layer: serial. Words: README.md.
///
/// cursor.hpp defines records, columns and comments.
#pragma once

#include <halograph/core/executor.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/serial/text/cursor.hpp>
#include <halograph/serial/text/edges.hpp>
#include <halograph/serial/text/lines.hpp>
#include <halograph/serial/text/pieces.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace halograph {

/// The beginning of a line.
struct text_place {
  std::uint64_t byte = 0;    ///< its first byte in the text
  std::uint64_t line = 1;    ///< its number, from 1
  std::uint64_t record = 0;  ///< how many records precede it
};

/// Positions in a text, from which any record is found by reading little.
struct text_index {
  std::vector<text_place> places{};  ///< ascending; the first is the beginning
  std::uint64_t records = 0;         ///< of the whole text
  std::uint64_t bytes = 0;           ///< of the text

  /// The last place at or before a record. @pre record <= records, places not empty
  const text_place& before(std::uint64_t record) const noexcept {
    return *(std::upper_bound(
                 places.begin(), places.end(), record,
                 [](std::uint64_t r, const text_place& place) { return r < place.record; }) -
             1);
  }
};

namespace detail {

/// The number of the line that holds record n (from 0), or of the line after the last.
inline std::uint64_t line_of_record(std::string_view text, std::uint64_t n,
                                    text_format format = {}) noexcept {
  text_cursor cursor(text.data(), text.data() + text.size(), format);
  std::uint64_t line = 1;
  for (; !cursor.done(); cursor.next_line(), ++line) {
    cursor.skip_blanks();
    if (!cursor.at_line_end() && n-- == 0) return line;
  }
  return line;
}

}  // namespace detail

/// The default distance of an index's positions, in bytes: reading from a record on skips half of
/// it on average. An index has at most 65,537 positions.
constexpr std::size_t index_step(std::size_t bytes) noexcept {
  return std::max(std::size_t{1} << 18, (bytes >> 16) + 1);
}

/// Count the records of a text and record a position about every `step` bytes.
///
/// @param step  0: index_step()
/// @complexity  O(text.size()), a third of a cycle a byte where each line begins with a digit; 24
///     bytes of memory for each step
text_index index_text(std::span<const std::byte> bytes, text_format format = {},
                      executor_ref executor = {}, std::size_t step = 0);

/// Reads the records of a text from a position on.
class text_records {
 public:
  /// @param file  the text's name, for errors; kept by reference
  text_records(std::span<const std::byte> bytes, const text_place& from, text_format format,
               const std::string& file) noexcept
      : text_(detail::as_text(bytes)),
        from_(from),
        format_(format),
        file_(file),
        cursor_(text_.data() + std::min<std::uint64_t>(from.byte, text_.size()),
                text_.data() + text_.size(), format) {}

  /// Skip `count` records, or to the end.
  void skip(std::uint64_t count) noexcept {
    while (count > 0 && next_record()) {
      cursor_.next_line();
      --count;
    }
  }

  /// Read edges into columns. @return how many there were: fewer than asked for at the end of the
  /// text only
  /// @errors as read_edges()
  template <id Node>
  std::size_t read_edges(const edge_text_options& options, std::span<Node> source,
                         std::span<Node> target) {
    const std::uint64_t source_limit = std::min(options.source_count, id_capacity<Node>());
    const std::uint64_t target_limit = std::min(options.target_count, id_capacity<Node>());
    const char* const text_end = text_.data() + text_.size();
    return each(
        source.size(),
        [&](detail::text_cursor& cursor, std::size_t i) {
          std::uint64_t u = 0, v = 0;
          const auto problem = detail::parse_edge(cursor, source_limit, target_limit, u, v);
          source[i] = static_cast<Node>(u);
          target[i] = static_cast<Node>(v);
          return problem;
        },
        [&](const detail::text_problem& problem) {
          return detail::edge_column_needed(problem, options, source_limit, target_limit);
        },
        [=](const char* p, std::size_t i, char separator) noexcept -> const char* {
          std::uint64_t u = 0, v = 0;
          p = detail::plain_edge(p, separator, source_limit, target_limit, u, v);
          if (p == nullptr) return nullptr;
          source[i] = static_cast<Node>(u);
          target[i] = static_cast<Node>(v);
          return detail::after_plain_line(p, text_end, separator, true);
        });
  }

  /// Read rows of numbers, each of exactly `columns` columns, end to end into `out`.
  /// @pre columns >= 1
  /// @return rows read: fewer than out.size() / columns at the end of the text only
  /// @errors malformed: another number of columns, or no numbers; overflow: a number that Value
  ///     cannot hold
  template <class Value>
    requires(std::is_same_v<Value, std::int64_t> || std::is_same_v<Value, double>)
  std::size_t read_rows(std::size_t columns, std::span<Value> out) {
    return each(
        out.size() / columns,
        [&](detail::text_cursor& cursor, std::size_t i) -> detail::text_problem {
          for (std::size_t c = 0; c < columns; ++c) {
            const auto number = static_cast<unsigned>(c + 1);
            const char* const before = cursor.at();
            if (c != 0 && !cursor.next_column())
              return {detail::text_fault::missing_column, number, before};
            Value& value = out[i * columns + c];
            detail::text_fault fault;
            if constexpr (std::is_same_v<Value, double>)
              fault = cursor.floating_number(value);
            else
              fault = cursor.signed_number(value);
            if (fault != detail::text_fault::none) return {fault, number, cursor.at()};
          }
          const char* const before = cursor.at();
          if (cursor.next_column())
            return {detail::text_fault::unknown_column, static_cast<unsigned>(columns + 1), before};
          return {};
        },
        [&](const detail::text_problem& problem) {
          return std::pair{
              (problem.fault == detail::text_fault::unknown_column ? std::to_string(columns)
                                                                   : std::string("a")) +
                  (std::is_same_v<Value, double> ? " finite number" : " 64-bit integer") +
                  (problem.fault == detail::text_fault::unknown_column && columns != 1 ? "s" : ""),
              error_kind::overflow};
        });
  }

  /// The columns of the next record; 0 at the end.
  std::size_t count_columns() noexcept {
    if (!next_record()) return 0;
    std::size_t columns = 1;
    for (detail::text_cursor cursor = cursor_; pass_column(cursor), cursor.next_column();)
      ++columns;
    return columns;
  }
  /// Are all columns of all following records integers?
  bool all_integers() noexcept {
    detail::text_cursor cursor = cursor_;
    for (; !cursor.done(); cursor.next_line()) {
      cursor.skip_blanks();
      if (cursor.at_line_end()) continue;
      do {
        std::int64_t ignored = 0;
        if (cursor.signed_number(ignored) != detail::text_fault::none) return false;
      } while (cursor.next_column());
    }
    return true;
  }

 private:
  bool next_record() noexcept {
    for (; !cursor_.done(); cursor_.next_line()) {
      if (detail::text_cursor::is_digit(*cursor_.at())) return true;
      cursor_.skip_blanks();
      if (!cursor_.at_line_end()) return true;
    }
    return false;
  }
  static void pass_column(detail::text_cursor& cursor) noexcept {
    while (!cursor.at_column_end()) cursor.pass();
  }

  /// @param plain  as for detail::parse_pieces(), but it may write position i even if it returns
  /// null
  template <class Record, class Plain = detail::nothing_plain>
  std::size_t each(
      std::size_t most, Record&& record,
      function_ref<std::pair<std::string, error_kind>(const detail::text_problem&)> needed,
      Plain plain = {}) {
    std::size_t i = 0;
    detail::text_problem problem;
    const char* const text_end = text_.data() + text_.size();
    const bool has_plain = !std::is_same_v<Plain, detail::nothing_plain> &&
                           text_end - cursor_.at() > detail::piece_run::plain_margin;
    const char* const plain_end = has_plain ? text_end - detail::piece_run::plain_margin
                                            : cursor_.at();
    const char separator = has_plain ? cursor_.separator_of_line() : ' ';
    while (i < most && !cursor_.done()) {
      const char* at = cursor_.at();
      while (i < most && at < plain_end) {
        const char* const next = plain(at, i, separator);
        if (next == nullptr) break;
        at = next;
        ++i;
      }
      detail::text_cursor cursor(at, text_end, format_);
      if (i < most && !cursor.done()) {
        if (!detail::text_cursor::is_digit(*cursor.at())) cursor.skip_blanks();
        if (!cursor.at_line_end()) {
          problem = record(cursor, i);
          if (problem.fault == detail::text_fault::none) ++i;
        }
        if (problem.fault == detail::text_fault::none) cursor.next_line();
      }
      cursor_ = cursor;
      if (problem.fault != detail::text_fault::none) break;
    }
    if (problem.fault != detail::text_fault::none) {
      detail::text_piece piece;
      piece.begin = text_.data() + from_.byte;
      piece.end = text_.data() + text_.size();
      piece.first_line = from_.line;
      piece.problem = problem;
      detail::raise_first_problem({piece}, format_, file_, needed);
    }
    return i;
  }

  std::string_view text_;
  text_place from_;
  text_format format_;
  const std::string& file_;
  detail::text_cursor cursor_;
};

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/serial/text/impl/blocks.ipp>
#endif
