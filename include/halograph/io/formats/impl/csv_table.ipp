// SPDX-License-Identifier: BSL-1.0
/// @file csv_table.ipp
/// Bodies of the plain functions of io/formats/csv_table.hpp.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/io/formats/csv_table.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/element.hpp>
#include <halograph/serial/half.hpp>
#include <halograph/serial/table.hpp>
#include <halograph/serial/text/csv.hpp>
#include <halograph/serial/text/lines.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE bool store_field(std::string_view field, dtype type, std::byte* out) {
  while (!field.empty() && (field.front() == ' ' || field.front() == '\t')) field.remove_prefix(1);
  while (!field.empty() && (field.back() == ' ' || field.back() == '\t')) field.remove_suffix(1);
  if (field.size() > 1 && field.front() == '+' && field[1] != '-' && field[1] != '+')
    field.remove_prefix(1);
  const char* const begin = field.data();
  const char* const end = begin + field.size();
  const auto floating = [&](double& value) {
    const auto [stop, problem] = std::from_chars(begin, end, value);
    if (stop != end) return false;
    if (problem == std::errc::result_out_of_range) {
      // Too small becomes 0; too large cannot be represented.
      const auto exponent = field.find_first_of("eE");
      if (exponent == std::string_view::npos || exponent + 1 >= field.size() ||
          field[exponent + 1] != '-')
        return false;
      value = 0;
      return true;
    }
    return problem == std::errc{};
  };
  const auto put = [out](auto value) { std::memcpy(out, &value, sizeof value); };
  const auto integer = [&](auto zero) {
    using number = decltype(zero);
    number value = 0;
    const auto [stop, problem] = std::from_chars(begin, end, value);
    if (problem != std::errc{} || stop != end) {
      // Tools that know missing values print whole numbers as "3.0".
      double exact = 0;
      if (field.find_first_of(".eE") == std::string_view::npos || !floating(exact) ||
          !(std::abs(exact) <= 9007199254740992.0) || std::trunc(exact) != exact)
        return false;
      if (exact < static_cast<double>(std::numeric_limits<number>::min()) ||
          exact > static_cast<double>(std::numeric_limits<number>::max()))
        return false;
      value = static_cast<number>(exact);
    }
    put(value);
    return true;
  };
  if (type == dtype::boolean) {
    std::string word(field.substr(0, 6));
    for (char& c : word) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    const bool yes = word == "1" || word == "true", no = word == "0" || word == "false";
    put(static_cast<std::uint8_t>(yes ? 1 : 0));
    return yes || no;
  }
  if (is_integer(type)) {
    return with_element(type, [&](auto zero) {
      if constexpr (std::is_integral_v<decltype(zero)>)
        return integer(zero);
      else
        return false;
    });
  }
  if (type == dtype::float32) {
    float value = 0;  // not through double, which would round twice
    const auto [stop, problem] = std::from_chars(begin, end, value);
    if (problem == std::errc{} && stop == end) {
      put(value);
      return true;
    }
  }
  double value = 0;
  if (!floating(value)) return false;
  if (type == dtype::float64) {
    put(value);
  } else if (type == dtype::float16) {
    const std::uint16_t half = half_from_double(value);
    if ((half & 0x7FFF) == 0x7C00 && std::isfinite(value)) return false;
    put(half);
  } else {
    const auto narrow = static_cast<float>(value);
    if (!std::isfinite(narrow) && std::isfinite(value)) return false;
    put(narrow);
  }
  return true;
}

HALOGRAPH_INLINE std::string table_place::words() const {
  return where.file + (row ? ", row " + std::to_string(*row)
                           : ", line " + std::to_string(where.line.value_or(0)));
}

HALOGRAPH_INLINE void table_place::fail(error_kind code, const std::string& sentence) const {
  raise(code, row ? "row " + std::to_string(*row) + ": " + sentence : sentence, where);
}

[[noreturn]] HALOGRAPH_INLINE void raise_no_column(const csv_column& wanted,
                                                   const std::string& known, location where) {
  raise(error_kind::not_found,
        (wanted.name.empty() ? "there is no column " + std::to_string(wanted.number)
                             : "no column is called " + graph_schema::quoted(wanted.name)) +
            "; there are " + known,
        std::move(where));
}

HALOGRAPH_INLINE parquet_rows::parquet_rows(std::string path,
                                            const std::vector<const csv_column*>& wanted,
                                            const any_table_reader& tables)
    : path_(std::move(path)), tables_(tables) {
  const table_info info = tables_.examine(path_);
  rows_ = info.rows;
  group_rows_ = info.group_rows;
  const std::vector<std::string> names = tables_.column_names(path_);
  for (const auto* column : wanted) {
    const auto named = column->name.empty()
                           ? names.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(
                                                 column->number, names.size()))
                           : std::find(names.begin(), names.end(), column->name);
    if (named == names.end()) {
      std::string known;
      for (const auto& name : names)
        known += (known.empty() ? "" : ", ") + graph_schema::quoted(name);
      raise_no_column(*column, known, {.file = path_});
    }
    columns_.push_back(*named);
    auto& list = lists_.emplace_back();
    for (const auto& one : info.columns) {
      if (one.list && one.name == *named) list = one.width;
    }
  }
}

HALOGRAPH_INLINE bool parquet_rows::next() {
  if (started_) ++row_;
  started_ = true;
  if (row_ < end_) return true;
  if (row_ >= rows_) return false;
  // The rest of the group, which the library reads as a whole, or a piece of it.
  std::uint64_t group_end = 0;
  for (const auto rows : group_rows_) {
    group_end += rows;
    if (group_end > row_) break;
  }
  first_ = row_;
  std::uint64_t elements = columns_.size();
  for (const auto& list : lists_) elements += list.value_or(0);
  const std::uint64_t at_once = std::clamp<std::uint64_t>(
      most_elements / std::max<std::uint64_t>(elements, 1), least_rows, most_rows);
  end_ = std::min(std::max(group_end, row_ + 1), row_ + at_once);
  text_.clear();
  ends_.assign(1, 0);
  tables_.read_text(path_, columns_, first_, end_,
                    [&](std::uint64_t, std::uint64_t, std::span<const std::string_view> fields) {
                      for (const auto field : fields) {
                        text_ += field;
                        ends_.push_back(text_.size());
                      }
                    });
  return true;
}

HALOGRAPH_INLINE bool csv_table_reader::next() {
  for (;;) {
    if (!reader_ && !parquet_) {
      if (file_ == table_.files.size()) return false;
      begin_file();
    }
    if (parquet_ ? parquet_->next() : reader_->next()) {
      if (reader_ && fields_ == 0) find_by_number(reader_->size());
      if (reader_ && reader_->size() != fields_) {
        raise(error_kind::malformed,
              "the record has " + std::to_string(reader_->size()) + " fields; it must have " +
                  std::to_string(fields_) + ", as " +
                  (table_.header ? "the header" : "the first record"),
              reader_->where());
      }
      if (++rows_ % (1 << 16) == 0) report();
      return true;
    }
    report();
    parquet_.reset();
    reader_.reset();
    content_ = {};
    ++file_;
  }
}

HALOGRAPH_INLINE void csv_table_reader::begin_file() {
  const std::string& path = table_.files[file_];
  if (is_parquet(path)) {
    parquet_.emplace(path, wanted_, tables_);
    return;
  }
  content_ = open_lines(open_, path, csv_reader::longest_record);
  reader_.emplace(content_.bytes, table_.format, path);
  fields_ = 0;
  if (!table_.header) return;
  if (!reader_->next())
    raise(error_kind::malformed, "the file is empty; it must begin with a header", {.file = path});
  fields_ = reader_->size();
  places_.clear();
  for (const auto* column : wanted_) {
    std::size_t place = column->name.empty() ? static_cast<std::size_t>(
                                                   std::min<std::uint64_t>(column->number, fields_))
                                             : fields_;
    std::string known;
    for (std::size_t i = 0; i < fields_; ++i) {
      known += (i == 0 ? "" : ", ") + graph_schema::quoted((*reader_)[i]);
      if (column->name.empty() || (*reader_)[i] != column->name) continue;
      if (place != fields_)
        raise(error_kind::malformed,
              "two columns are called " + graph_schema::quoted(column->name) +
                  "; give the column's number, from 0, instead",
              reader_->where());
      place = i;
    }
    if (place == fields_) {
      raise_no_column(*column, known, reader_->where());
    }
    places_.push_back(place);
  }
}

HALOGRAPH_INLINE void csv_table_reader::find_by_number(std::size_t fields) {
  fields_ = fields;
  places_.clear();
  for (const auto* column : wanted_) {
    if (column->number >= fields) {
      raise(error_kind::not_found,
            "there is no column " + std::to_string(column->number) + "; the record has " +
                std::to_string(fields) + ", numbered from 0",
            reader_->where());
    }
    places_.push_back(static_cast<std::size_t>(column->number));
  }
}

}  // namespace halograph::detail
