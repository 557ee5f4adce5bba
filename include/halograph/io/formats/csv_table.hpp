// SPDX-License-Identifier: BSL-1.0
/// @file csv_table.hpp
/// A table in csv files: its columns, the features made of them, and a reader of its records.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/files/file.hpp>
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
  std::string name{};                 ///< of the feature
  std::vector<csv_column> columns{};  ///< in the order of a row's elements
  bool vector = false;                ///< rows of shape [columns], even of one
  dtype element = dtype::float32;     ///< of the elements; a field that it cannot hold is an error
  std::optional<std::string> missing{};  ///< stands for an empty field
};

/// Files of one layout, laid end to end.
struct csv_table {
  std::vector<std::string> files{};     ///< paths, in the order of their rows
  csv_format format{};                  ///< delimiter and quotes, of all files
  bool header = true;                   ///< each file begins with the names of its columns
  std::vector<csv_feature> features{};  ///< to be read; other columns are ignored
};

namespace detail {

/// Store a field as an element. @return false if it is not a number that the dtype holds
bool store_field(std::string_view field, dtype type, std::byte* out);

/// Walks the records of a table through all its files.
class csv_table_reader {
 public:
  csv_table_reader(const csv_table& table, const any_file_opener& open,
                   const progress_callback& on_progress)
      : table_(table), open_(open), on_progress_(on_progress) {}

  /// Request a column. @return its slot in field()
  std::size_t want(const csv_column& column) {
    wanted_.push_back(&column);
    return wanted_.size() - 1;
  }

  /// Go to the next record, across files.
  /// @errors not_found: a column is not in the header; malformed: a record of another number of
  ///     fields
  bool next();
  std::string_view field(std::size_t slot) const noexcept { return (*reader_)[places_[slot]]; }
  std::string column_name(std::size_t slot) const {
    const auto& column = *wanted_[slot];
    return column.name.empty() ? "column " + std::to_string(column.number)
                               : "column " + graph_schema::quoted(column.name);
  }
  location where() const { return reader_->where(); }
  std::uint64_t rows() const noexcept { return rows_; }

 private:
  void begin_file();
  void report() const {
    if (on_progress_)
      on_progress_({"read tables", reader_->bytes(), content_.bytes.size(), "bytes"});
  }
  void find_by_number(std::size_t fields);

  const csv_table& table_;
  any_file_opener open_;
  const progress_callback& on_progress_;
  std::vector<const csv_column*> wanted_{};
  std::vector<std::size_t> places_{};
  std::size_t file_ = 0, fields_ = 0;
  file_bytes content_{};
  std::optional<csv_reader> reader_{};
  std::uint64_t rows_ = 0;
};

}  // namespace detail

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/io/formats/impl/csv_table.ipp>
#endif
