// SPDX-License-Identifier: BSL-1.0
/// @file table.hpp
/// Tables in files, column by column (Parquet): what a library that reads or writes them must be
/// able to do.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/function_ref.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/unmet.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/tensor.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

/// A column: numbers, or lists of numbers that are all of one length.
struct table_column {
  std::string name{};         ///< of the column, as in the file
  dtype type = dtype::int64;  ///< of its numbers
  bool list = false;          ///< each row is a list, even of one number
  /// numbers in each row; of lists their length, 0 where there are no rows to tell
  std::uint64_t width = 1;
};

/// What a table's file says of it.
struct table_info {
  std::uint64_t rows = 0;                   ///< of every column
  std::vector<table_column> columns{};      ///< those that hold numbers, in the order of the file
  std::vector<std::uint64_t> group_rows{};  ///< rows of the pieces that are best read at once, in
                                            ///< order; their sum is `rows`
  std::optional<std::string> shape{};       ///< what the file's metadata have under the key "shape"
  std::vector<std::string> others{};        ///< columns that hold something else: text, dates
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
struct example_text_sink {
  void operator()(std::uint64_t, std::uint64_t, std::span<const std::string_view>) const {}
};
/// The optional ability of a table_reader to give columns of any kind as text.
template <class T>
concept reads_text = requires(const T& tables, const std::string& path,
                              std::span<const std::string> columns, std::uint64_t row,
                              example_text_sink sink) {
  { tables.column_names(path) } -> std::same_as<std::vector<std::string>>;
  tables.read_text(path, columns, row, row, sink);
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
/// [first, last), with memory for a run at a time: all columns of `info`, from which the caller may
/// have erased some. Both may be called from several threads at once.
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

/// Where a table_reader puts the rows that it read: see there.
using table_sink =
    function_ref<void(std::uint64_t first, std::uint64_t rows, std::span<const table_values>)>;
/// Where read_text() puts the rows that it read: fields [rows][columns], valid during the call; ""
/// where there is no value.
using text_sink = function_ref<void(std::uint64_t first, std::uint64_t rows,
                                    std::span<const std::string_view> fields)>;
/// What a table_writer calls for rows: see there.
using table_source = function_ref<void(std::uint64_t first, std::uint64_t rows,
                                       std::span<const std::span<std::byte>>)>;

/// No library for tables: the sentence that says what is missing.
struct no_tables {
  /// @errors unsupported, always
  table_info examine(const std::string& path) const { refuse(path); }
  /// @errors unsupported, always
  void read(const std::string& path, const table_info&, std::uint64_t, std::uint64_t,
            table_sink) const {
    refuse(path);
  }
  /// @errors unsupported, always
  void write(const std::string& path, std::span<const table_column>,
             const std::optional<std::string>&, std::uint64_t, table_source) const {
    refuse(path);
  }

 private:
  [[noreturn]] static void refuse(const std::string& path);
};
static_assert(table_reader<no_tables>);
static_assert(table_writer<no_tables>);

/// Any table_reader, owned, and shared by its copies: code that takes it is compiled once for all
/// of them. By default no_tables.
///
/// A reader may also give columns of any kind as text: `column_names(path)` lists all columns in
/// the order of the file; `read_text(path, columns, first, last, sink)` calls `sink(first_row,
/// rows, span<const string_view> fields)` as read() does, numbers in decimal, so that they are read
/// back as they were.
class any_table_reader {
 public:
  any_table_reader() : any_table_reader(no_tables{}) {}
  /// Take over a reader; one allocation.
  template <class Tables>
    requires(!std::same_as<Tables, any_table_reader> && table_reader<Tables>)
  any_table_reader(Tables tables)
      : tables_(std::make_shared<const Tables>(std::move(tables))),
        examine_([](const void* held, const std::string& path) {
          return static_cast<const Tables*>(held)->examine(path);
        }),
        read_([](const void* held, const std::string& path, const table_info& info,
                 std::uint64_t first, std::uint64_t last, table_sink sink) {
          static_cast<const Tables*>(held)->read(path, info, first, last, sink);
        }) {
    if constexpr (detail::reads_text<Tables>) {
      column_names_ = [](const void* held, const std::string& path) {
        return static_cast<const Tables*>(held)->column_names(path);
      };
      read_text_ = [](const void* held, const std::string& path,
                      std::span<const std::string> columns, std::uint64_t first, std::uint64_t last,
                      text_sink sink) {
        static_cast<const Tables*>(held)->read_text(path, columns, first, last, sink);
      };
    }
  }

  /// As the held reader; see table_reader. @errors its own
  /// @{
  table_info examine(const std::string& path) const { return examine_(tables_.get(), path); }
  void read(const std::string& path, const table_info& info, std::uint64_t first,
            std::uint64_t last, table_sink sink) const {
    read_(tables_.get(), path, info, first, last, sink);
  }
  /// @}

  /// Columns of any kind, as text; see above. @errors unsupported: the held reader cannot give
  /// text; else its own
  /// @{
  std::vector<std::string> column_names(const std::string& path) const;
  void read_text(const std::string& path, std::span<const std::string> columns, std::uint64_t first,
                 std::uint64_t last, text_sink sink) const;
  /// @}

 private:
  std::shared_ptr<const void> tables_;
  table_info (*examine_)(const void*, const std::string&);
  void (*read_)(const void*, const std::string&, const table_info&, std::uint64_t, std::uint64_t,
                table_sink);
  std::vector<std::string> (*column_names_)(const void*, const std::string&) = nullptr;
  void (*read_text_)(const void*, const std::string&, std::span<const std::string>, std::uint64_t,
                     std::uint64_t, text_sink) = nullptr;
};
static_assert(table_reader<any_table_reader>);

/// Any table_writer, owned, and shared by its copies. By default no_tables.
class any_table_writer {
 public:
  any_table_writer() : any_table_writer(no_tables{}) {}
  /// Take over a writer; one allocation.
  template <class Tables>
    requires(!std::same_as<Tables, any_table_writer> && table_writer<Tables>)
  any_table_writer(Tables tables)
      : tables_(std::make_shared<const Tables>(std::move(tables))),
        write_([](const void* held, const std::string& path, std::span<const table_column> columns,
                  const std::optional<std::string>& shape, std::uint64_t rows,
                  table_source source) {
          static_cast<const Tables*>(held)->write(path, columns, shape, rows, source);
        }) {}

  /// As the held writer; see table_writer. @errors its own
  void write(const std::string& path, std::span<const table_column> columns,
             const std::optional<std::string>& shape, std::uint64_t rows,
             table_source source) const {
    write_(tables_.get(), path, columns, shape, rows, source);
  }

 private:
  std::shared_ptr<const void> tables_;
  void (*write_)(const void*, const std::string&, std::span<const table_column>,
                 const std::optional<std::string>&, std::uint64_t, table_source);
};
static_assert(table_writer<any_table_writer>);

/// Examine a table that must hold numbers alone. @errors unsupported: a column holds something else
table_info examine_numbers(const any_table_reader& tables, const std::string& path);

/// The shape that Parquet files have in their metadata: "(500,)", "(300, 10)". Decimal numbers,
/// commas, blanks and one pair of parentheses, as Python prints a tuple, or "(5)"; nothing is
/// evaluated.
/// @return nothing where the text is neither, has more than 32 extents, or one that exceeds 63 bits
std::optional<tensor_shape> parse_shape(std::string_view text);

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/serial/impl/table.ipp>
#endif
