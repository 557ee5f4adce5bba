// SPDX-License-Identifier: BSL-1.0
/// @file memory_tables.hpp
/// For tests: tables in memory, as a library for Parquet would read and write them, by runs of two rows.
#pragma once

#include <halograph/serial/table.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace halograph::testing {

struct memory_table {
  table_info info{};
  std::vector<std::string> values{};  ///< [column] bytes
};

/// Tables by the names of their files, without folders unless they are written.
struct memory_tables {
  std::map<std::string, memory_table>* files = nullptr;

  const memory_table& at(const std::string& path) const {
    const auto found = files->find(path);
    return found != files->end() ? found->second : files->at(path.substr(path.rfind('/') + 1));
  }
  table_info examine(const std::string& path) const { return at(path).info; }

  template <class Sink>
  void read(const std::string& path, const table_info& info, std::uint64_t first, std::uint64_t last, Sink&& sink) const {
    const memory_table& table = at(path);
    for (std::uint64_t rows = 0; first < last; first += rows) {
      rows = std::min<std::uint64_t>(2, last - first);
      std::vector<table_values> out;
      for (std::size_t c = 0; c < info.columns.size(); ++c) {
        const std::size_t width = static_cast<std::size_t>(info.columns[c].width) * item_bytes(info.columns[c].type);
        const auto bytes = std::as_bytes(std::span(table.values[c]));
        out.push_back({info.columns[c].type, bytes.subspan(static_cast<std::size_t>(first) * width, static_cast<std::size_t>(rows) * width)});
      }
      sink(first, rows, std::span<const table_values>(out));
    }
  }

  template <class Source>
  void write(const std::string& path, std::span<const table_column> columns, const std::optional<std::string>& shape, std::uint64_t rows,
             Source&& source) const {
    memory_table table;
    table.info.rows = rows;
    table.info.columns.assign(columns.begin(), columns.end());
    table.info.shape = shape;
    if (rows != 0) table.info.group_rows = {rows};
    for (const auto& column : columns) {
      table.values.emplace_back(static_cast<std::size_t>(rows * column.width) * item_bytes(column.type), '\0');
    }
    for (std::uint64_t first = 0, count = 0; first < rows; first += count) {
      count = std::min<std::uint64_t>(2, rows - first);
      std::vector<std::span<std::byte>> out;
      for (std::size_t c = 0; c < columns.size(); ++c) {
        const std::size_t width = static_cast<std::size_t>(columns[c].width) * item_bytes(columns[c].type);
        out.push_back(std::as_writable_bytes(std::span(table.values[c])).subspan(static_cast<std::size_t>(first) * width, static_cast<std::size_t>(count) * width));
      }
      source(first, count, std::span<const std::span<std::byte>>(out));
    }
    (*files)[path] = std::move(table);
  }
};
static_assert(table_reader<memory_tables>);
static_assert(table_writer<memory_tables>);

}  // namespace halograph::testing
