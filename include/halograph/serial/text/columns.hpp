// SPDX-License-Identifier: BSL-1.0
/// @file columns.hpp
/// Parse columns of integers.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/serial/text/cursor.hpp>
#include <halograph/serial/text/lines.hpp>
#include <halograph/serial/text/pieces.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

/// What read_columns() and read_column() accept.
struct column_text_options {
  text_format format{};  ///< how columns are separated
  /// Range of the values, both ends included; those that Value cannot hold are outside, too.
  /// @{
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  /// @}
  bool integral_floats = false;          ///< "1.0" is 1
  bool no_more_columns = false;          ///< further columns are an error; otherwise ignored
  std::string_view what = "an integer";  ///< describes a value in error messages: "a part"
};

/// Parse the first columns of a table of integers.
///
/// @param bytes    of the file
/// @param columns  how many columns to read; each record must have at least as many
/// @return         [columns][lines that hold a record]
/// @errors  as read_edges(); out_of_range: a value outside options.least to options.most
/// @complexity O(bytes.size()) time, memory as read_edges()
template <std::signed_integral Value = std::int64_t>
std::vector<std::vector<Value>> read_columns(std::span<const std::byte> bytes,
                                             const std::string& file, std::size_t columns,
                                             const column_text_options& options = {},
                                             executor_ref executor = {}) {
  detail::check_format(options.format);
  if (columns == 0)
    raise(error_kind::invalid_argument, "0 columns were requested; a table has at least one");
  const std::int64_t least = std::max<std::int64_t>(options.least,
                                                    std::numeric_limits<Value>::min());
  const std::int64_t most = std::min<std::int64_t>(options.most, std::numeric_limits<Value>::max());
  // 2 bytes, not 2 for each column: the first columns of a line are stored before a missing one is
  // found.
  const std::string_view text = detail::as_text(bytes);
  auto pieces = detail::cut_text(text, 2, executor, &options.format);
  std::vector<std::vector<Value>> out(columns);
  executor.parallel_for(0, columns, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) out[i].resize(detail::slots_of(pieces));
  });
  std::vector<Value*> places;
  for (auto& column : out) places.push_back(column.data());
  const bool more_columns = !options.no_more_columns;
  const auto plain = [text_end = text.data() + text.size(), first = places.data(), columns, least,
                      most, more_columns](const char* p, std::size_t slot,
                                          char separator) noexcept -> const char* {
    using cursor = detail::text_cursor;
    for (std::size_t column = 0; column < columns; ++column) {
      if (text_end - p < detail::piece_run::plain_margin) return nullptr;
      if (column != 0 && *p++ != separator) return nullptr;
      const bool negative = *p == '-';
      p += negative ? 1 : 0;
      std::uint64_t magnitude = 0;
      const unsigned digits = cursor::plain_number(p, magnitude);
      const auto value = static_cast<std::int64_t>(negative ? std::uint64_t{0} - magnitude
                                                            : magnitude);
      if (digits == 0 ||
          magnitude > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) ||
          value < least || value > most)
        return nullptr;
      p += digits;
      first[column][slot] = static_cast<Value>(value);
    }
    return detail::after_plain_line(p, text_end, separator, more_columns);
  };
  detail::parse_pieces(
      pieces, options.format, executor,
      [&](detail::text_cursor& cursor, std::size_t slot) -> detail::text_problem {
        for (std::size_t column = 0; column < columns; ++column) {
          const auto number = static_cast<unsigned>(column + 1);
          const char* const before = cursor.at();
          if (column != 0 && !cursor.next_column())
            return {detail::text_fault::missing_column, number, before};
          const char* const begin = cursor.at();
          std::int64_t value = 0;
          auto fault = cursor.signed_number(value);
          if (fault == detail::text_fault::not_a_number && options.integral_floats) {
            double floating = 0;
            // Beyond 2^53 not every integer is a double, and the text may mean another one.
            if (cursor.floating_number(floating) == detail::text_fault::none &&
                std::trunc(floating) == floating && std::abs(floating) <= 9007199254740992.0) {
              fault = detail::text_fault::none;
              value = static_cast<std::int64_t>(floating);
            }
          }
          if (fault != detail::text_fault::none) return {fault, number, begin};
          if (value < least || value > most)
            return {detail::text_fault::out_of_range, number, begin};
          out[column][slot] = static_cast<Value>(value);
        }
        if (options.no_more_columns && cursor.next_column()) {
          return {detail::text_fault::unknown_column, static_cast<unsigned>(columns + 1),
                  cursor.at()};
        }
        return {};
      },
      plain);
  detail::raise_first_problem(
      pieces, options.format, file, [&](const detail::text_problem& problem) {
        std::string sentence(options.what);
        if (problem.fault != detail::text_fault::unknown_column) {
          if (most < least)
            sentence += ", of which there are none";
          else if (least != std::numeric_limits<std::int64_t>::min() ||
                   most != std::numeric_limits<std::int64_t>::max())
            sentence += " from " + std::to_string(least) + " to " + std::to_string(most);
        }
        return std::pair{sentence, error_kind::out_of_range};
      });
  for (auto& column : out) detail::close_gaps(column, pieces);
  return out;
}

/// Parse a column of integers: the first of each line. As read_columns() of one column.
template <std::signed_integral Value = std::int64_t>
std::vector<Value> read_column(std::span<const std::byte> text, const std::string& file,
                               const column_text_options& options = {},
                               executor_ref executor = {}) {
  return std::move(read_columns<Value>(text, file, 1, options, executor)[0]);
}

#if HALOGRAPH_COMPILED
// Instantiated in the compiled library (impl/widths.ipp).
extern template std::vector<std::vector<std::int8_t>> read_columns<std::int8_t>(
    std::span<const std::byte>, const std::string&, std::size_t, const column_text_options&,
    executor_ref);
extern template std::vector<std::vector<std::int32_t>> read_columns<std::int32_t>(
    std::span<const std::byte>, const std::string&, std::size_t, const column_text_options&,
    executor_ref);
extern template std::vector<std::vector<std::int64_t>> read_columns<std::int64_t>(
    std::span<const std::byte>, const std::string&, std::size_t, const column_text_options&,
    executor_ref);
#endif

}  // namespace halograph
