// SPDX-License-Identifier: BSL-1.0
/// @file table.ipp
/// Bodies of the plain functions of serial/table.hpp.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/unmet.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/table.hpp>
#include <halograph/serial/tensor.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

HALOGRAPH_INLINE void no_tables::refuse(const std::string& path) {
  raise(
      error_kind::unsupported,
      "Parquet needs a library that is not built in; build with the component \"duckdb\", or use numpy files instead",
      {.file = path});
}

HALOGRAPH_INLINE std::vector<std::string> any_table_reader::column_names(
    const std::string& path) const {
  if (column_names_ == nullptr) {
    raise(error_kind::unsupported,
          "this reader of tables gives numbers alone; a table with keys must be read as text",
          {.file = path});
  }
  return column_names_(tables_.get(), path);
}

HALOGRAPH_INLINE void any_table_reader::read_text(const std::string& path,
                                                  std::span<const std::string> columns,
                                                  std::uint64_t first, std::uint64_t last,
                                                  text_sink sink) const {
  if (read_text_ == nullptr) static_cast<void>(column_names(path));  // raises
  read_text_(tables_.get(), path, columns, first, last, sink);
}

HALOGRAPH_INLINE table_info examine_numbers(const any_table_reader& tables,
                                            const std::string& path) {
  table_info info = tables.examine(path);
  if (!info.others.empty()) {
    raise(
        error_kind::unsupported,
        "column " + graph_schema::quoted(info.others[0]) +
            " is of a type that is not supported; it must hold numbers of at most 64 bits, or lists of them",
        {.file = path});
  }
  return info;
}

HALOGRAPH_INLINE std::optional<tensor_shape> parse_shape(std::string_view text) {
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
