// SPDX-License-Identifier: BSL-1.0
/// @file csv_table.hpp
/// A table in csv or Parquet files: its columns, the features made of them, and a reader of its
/// records.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/table.hpp>
#include <halograph/serial/text/csv.hpp>
#include <halograph/serial/text/lines.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace halograph {

/// A column by its name in the header, or by its number.
struct csv_column {
  std::string name{};        ///< "" where it goes by number
  std::uint64_t number = 0;  ///< from 0
};

/// A feature from columns of a table.
struct csv_feature {
  std::string name{};  ///< of the feature
  /// In the order of a row's elements; or one column of lists (Parquet).
  std::vector<csv_column> columns{};
  bool vector = false;             ///< rows of shape [columns], even of one
  dtype element = dtype::float32;  ///< of the elements; a field that it cannot hold is an error
  std::optional<std::string> missing{};  ///< stands for an empty field
};

/// Files of one layout, laid end to end.
struct csv_table {
  std::vector<std::string> files{};     ///< paths, in the order of their rows; `.parquet` or csv
  csv_format format{};                  ///< delimiter and quotes, of all files
  bool header = true;                   ///< each file begins with the names of its columns
  std::vector<csv_feature> features{};  ///< to be read; other columns are ignored
};

namespace detail {

/// Is a file of a table Parquet? If not, it is csv.
inline bool is_parquet(std::string_view path) noexcept { return path.ends_with(".parquet"); }

/// Store a field as an element. @return false if it is not a number that the dtype holds
bool store_field(std::string_view field, dtype type, std::byte* out);

/// The position of a record: a line of a csv file, or a row (from 0) of a Parquet file.
struct table_place {
  location where{};
  std::optional<std::uint64_t> row{};

  /// "users.csv, line 3", "users.parquet, row 1"
  std::string words() const;
  /// @errors code: at this place
  [[noreturn]] void fail(error_kind code, const std::string& sentence) const;
};

/// Some columns of a Parquet file as text, read a run of rows at a time.
class parquet_rows {
 public:
  /// @errors not_found: a column   @param wanted  by name or number
  parquet_rows(std::string path, const std::vector<const csv_column*>& wanted,
               const any_table_reader& tables);

  bool next();
  std::string_view field(std::size_t slot) const noexcept {
    const std::size_t i = static_cast<std::size_t>(row_ - first_) * columns_.size() + slot;
    return std::string_view(text_).substr(ends_[i], ends_[i + 1] - ends_[i]);
  }
  /// Elements of each row of a column of lists; nothing for other columns.
  std::optional<std::uint64_t> list_width(std::size_t slot) const noexcept { return lists_[slot]; }
  std::uint64_t row() const noexcept { return row_; }
  std::uint64_t rows() const noexcept { return rows_; }
  const std::string& path() const noexcept { return path_; }

 private:
  /// Rows that are read at once; a row group has about as many. Fewer where lists are wide, which
  /// reads a group several times, but holds less of it as text.
  static constexpr std::uint64_t most_rows = std::uint64_t{1} << 17, least_rows = 2048,
                                 most_elements = std::uint64_t{1} << 22;

  std::string path_;
  any_table_reader tables_;
  std::vector<std::string> columns_{};
  std::vector<std::optional<std::uint64_t>> lists_{};
  std::vector<std::uint64_t> group_rows_{};
  std::uint64_t rows_ = 0, row_ = 0, first_ = 0, end_ = 0;
  bool started_ = false;
  std::string text_{};
  std::vector<std::size_t> ends_{0};  // of the fields of rows [first_, end_)
};

/// Walks the records of a table through all its files.
class csv_table_reader {
 public:
  csv_table_reader(const csv_table& table, const any_file_opener& open,
                   const any_table_reader& tables, const progress_callback& on_progress)
      : table_(table), open_(open), tables_(tables), on_progress_(on_progress) {}

  /// Request a column. @return its slot in field()
  std::size_t want(const csv_column& column) {
    wanted_.push_back(&column);
    return wanted_.size() - 1;
  }

  /// Go to the next record, across files.
  /// @errors not_found: a column is not in the header; malformed: a record of another number of
  ///     fields
  bool next();
  std::string_view field(std::size_t slot) const noexcept {
    return parquet_ ? parquet_->field(slot) : (*reader_)[places_[slot]];
  }
  /// Elements of each field of a column of lists, which Parquet has: "[1, 2]".
  std::optional<std::uint64_t> list_width(std::size_t slot) const noexcept {
    return parquet_ ? parquet_->list_width(slot) : std::nullopt;
  }
  std::string column_name(std::size_t slot) const {
    const auto& column = *wanted_[slot];
    return column.name.empty() ? "column " + std::to_string(column.number)
                               : "column " + graph_schema::quoted(column.name);
  }
  table_place where() const {
    if (parquet_) return {{.file = parquet_->path()}, parquet_->row()};
    return {reader_->where(), {}};
  }
  std::uint64_t rows() const noexcept { return rows_; }

 private:
  void begin_file();
  void report() const {
    if (!on_progress_) return;
    if (parquet_)
      on_progress_({"read tables", parquet_->row(), parquet_->rows(), "rows"});
    else
      on_progress_({"read tables", reader_->bytes(), content_.bytes.size(), "bytes"});
  }
  void find_by_number(std::size_t fields);

  const csv_table& table_;
  any_file_opener open_;
  any_table_reader tables_;
  const progress_callback& on_progress_;
  std::vector<const csv_column*> wanted_{};
  std::vector<std::size_t> places_{};
  std::size_t file_ = 0, fields_ = 0;
  file_bytes content_{};
  std::optional<csv_reader> reader_{};
  std::optional<parquet_rows> parquet_{};
  std::uint64_t rows_ = 0;
};

}  // namespace detail

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/io/formats/impl/csv_table.ipp>
#endif
