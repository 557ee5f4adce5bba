// SPDX-License-Identifier: BSL-1.0
/// @file table.hpp
/// Tables in files, column by column (Parquet): what a library that reads or writes them must be
/// able to do.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/unmet.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/tensor.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halograph {

/// A column: numbers, or lists of numbers that are all of one length.
struct table_column {
  std::string name{};
  dtype type = dtype::int64;
  bool list = false;
  /// numbers in each row; of lists their length, 0 where there are no rows to tell
  std::uint64_t width = 1;
};

/// What a table's file says of it.
struct table_info {
  std::uint64_t rows = 0;
  std::vector<table_column> columns{};
  std::vector<std::uint64_t> group_rows{};  ///< rows of the pieces that are best read at once, in
                                            ///< order; their sum is `rows`
  std::optional<std::string> shape{};       ///< what the file's metadata have under the key "shape"
};

/// Consecutive rows of one column, in memory.
struct table_values {
  dtype type = dtype::int64;            ///< the column's
  std::span<const std::byte> values{};  ///< [rows][width], machine's byte order
};

namespace detail {
struct example_table_sink {
  void operator()(std::uint64_t, std::uint64_t, std::span<const table_values>) const {}
};
template <class T>
concept examines_tables = requires(const T& tables, const std::string& path) {
  { tables.examine(path) } -> std::same_as<table_info>;
};
template <class T>
concept reads_tables = requires(const T& tables, const std::string& path, const table_info& info,
                                std::uint64_t row, example_table_sink sink) {
  tables.read(path, info, row, row, sink);
};
struct example_table_source {
  void operator()(std::uint64_t, std::uint64_t, std::span<const std::span<std::byte>>) const {}
};
template <class T>
concept writes_tables = requires(
    const T& tables, const std::string& path, std::span<const table_column> columns,
    const std::optional<std::string>& shape, std::uint64_t rows,
    example_table_source source) { tables.write(path, columns, shape, rows, source); };
}  // namespace detail

/// Reads tables: examine(path) tells their rows and columns, read(path, info, first, last, sink)
/// calls `sink(first_row, rows, span<const table_values>)` for consecutive runs of rows that tile
/// [first, last), with memory for a run at a time. Both may be called from several threads at once.
/// A missing value is an error.
template <class T>
concept table_reader =
    (detail::examines_tables<T> ||
     unmet<"table_reader: needs table_info examine(const std::string& path) const">()) &&
    (detail::reads_tables<T> ||
     unmet<
         "table_reader: needs read(path, const table_info&, first, last, sink) const, sink(first_row, rows, span<const table_values>)">());

/// Writes tables: write(path, columns, shape, rows, source) makes a file, calling
/// `source(first_row, rows, span<const span<byte>>)` for consecutive runs of rows, which fills
/// [rows][width] of each column, machine's byte order. `shape` goes to the file's metadata. May be
/// called from several threads at once, for different files.
template <class T>
concept table_writer =
    (detail::writes_tables<T> ||
     unmet<
         "table_writer: needs write(path, span<const table_column>, const optional<string>& shape, rows, source) const, source(first_row, rows, span<const span<byte>>)">());

/// No library for tables: the sentence that says what is missing.
struct no_tables {
  /// @errors unsupported, always
  table_info examine(const std::string& path) const { refuse(path); }
  template <class Sink>
  void read(const std::string& path, const table_info&, std::uint64_t, std::uint64_t,
            Sink&&) const {
    refuse(path);
  }
  template <class Source>
  void write(const std::string& path, std::span<const table_column>,
             const std::optional<std::string>&, std::uint64_t, Source&&) const {
    refuse(path);
  }

 private:
  [[noreturn]] static void refuse(const std::string& path) {
    raise(
        errc::unsupported,
        "Parquet needs a library that is not built in; build with the component \"duckdb\", or use numpy files instead",
        {.file = path});
  }
};
static_assert(table_reader<no_tables>);
static_assert(table_writer<no_tables>);

/// The shape that Parquet files have in their metadata: "(500,)", "(300, 10)". Decimal numbers,
/// commas, blanks and one pair of parentheses, as Python prints a tuple; nothing is evaluated.
/// @return nothing where the text is no such tuple, or an extent exceeds 63 bits
inline std::optional<tensor_shape> parse_shape(std::string_view text) {
  std::size_t at = 0;
  const auto blanks = [&] {
    while (at < text.size() && text[at] == ' ') ++at;
  };
  const auto eat = [&](char c) {
    blanks();
    if (at >= text.size() || text[at] != c) return false;
    ++at;
    return true;
  };
  tensor_shape shape;
  if (!eat('(')) return std::nullopt;
  for (bool more = true; more;) {
    blanks();
    if (at < text.size() && text[at] == ')') break;
    std::uint64_t extent = 0;
    const std::size_t first = at;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
      const auto digit = static_cast<std::uint64_t>(text[at] - '0');
      if (extent > (0x7FFFFFFFFFFFFFFFull - digit) / 10) return std::nullopt;
      extent = extent * 10 + digit;
    }
    if (at == first || shape.size() == 32) return std::nullopt;
    shape.push_back(extent);
    more = eat(',');
  }
  if (!eat(')')) return std::nullopt;
  blanks();
  if (at != text.size()) return std::nullopt;
  return shape;
}

}  // namespace halograph
