// SPDX-License-Identifier: BSL-1.0
/// @file duckdb.hpp
/// Parquet files, read and written with DuckDB's C API.
/// Layer: adapters (models table_reader and table_writer of serial/table.hpp). Words: README.md.
///
/// | Parquet column | dtype |
/// | --- | --- |
/// | BOOLEAN; integers of 8 to 64 bits, signed or not; FLOAT, DOUBLE | bool; int8 ... uint64; float32, float64 |
/// | FLOAT16 | float16, read only: DuckDB does not write it |
/// | a list of one of these, of any list encoding | the same, with a width |
#pragma once

#if !__has_include(<duckdb.h>)
#error \
    "halograph/adapters/duckdb.hpp needs DuckDB 1.4 or newer, its header duckdb.h and its library."
#else

#include <halograph/adapters/duckdb/session.hpp>
#include <halograph/core/error.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/half.hpp>
#include <halograph/serial/table.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace halograph {

namespace detail::duckdb_c {

/// What duckdb_tables is, where DuckDB's names are.
class tables {
 public:
  explicit tables(duckdb_options options = {}) : shared_(std::make_shared<shared>()) {
    shared_->base.options = options;
  }

  /// Rows, columns, row groups, and the value of the key `shape` in the file's metadata.
  table_info examine(const std::string& path) const {
    static_cast<void>(file_source(path));  // raises the clearer error where the file is missing
    const connection to(shared_->base, path);
    const std::string file = pattern_of(path);
    table_info info;
    std::vector<idx_t> places;  // of info.columns in the file
    {
      statement query(to, "SELECT * FROM read_parquet(?, hive_partitioning = false) LIMIT 1");
      query.bind(1, file);
      result rows(query);
      const idx_t columns = duckdb_column_count(&rows.handle);
      for (idx_t c = 0; c < columns; ++c) {
        if (auto column = column_of(rows, c)) {
          info.columns.push_back(*std::move(column));
          places.push_back(c);
        } else {
          info.others.emplace_back(duckdb_column_name(&rows.handle, c));
        }
      }
      if (const chunk first(rows);
          first.handle != nullptr && duckdb_data_chunk_get_size(first.handle) != 0) {
        for (std::size_t i = 0; i < info.columns.size(); ++i) {
          table_column& column = info.columns[i];
          if (!column.list) continue;
          const duckdb_vector vector = duckdb_data_chunk_get_vector(first.handle, places[i]);
          column.width =
              is_valid(duckdb_vector_get_validity(vector), 0)
                  ? static_cast<const duckdb_list_entry*>(duckdb_vector_get_data(vector))->length
                  : 0;
        }
      }
    }
    {
      // DuckDB gives FLOAT16 as FLOAT; the file's own schema, a tree in preorder below one root,
      // tells them apart. Each of our columns has one leaf.
      statement query(
          to,
          "SELECT coalesce(logical_type, ''), coalesce(num_children, 0)::BIGINT FROM parquet_schema(?)");
      query.bind(1, file);
      std::vector<std::int64_t> open;  // children to come, of each node on the way to this one
      idx_t c = 0;                     // the column that is under way
      each_row(query, [&](const chunk& rows, idx_t row) {
        const std::int64_t children = static_cast<const std::int64_t*>(
            duckdb_vector_get_data(duckdb_data_chunk_get_vector(rows.handle, 1)))[row];
        if (!open.empty()) --open.back();
        const auto found = std::find(places.begin(), places.end(), c);
        if (children == 0 && found != places.end() &&
            text_at(rows, 0, row).starts_with("Float16")) {
          table_column& column = info.columns[static_cast<std::size_t>(found - places.begin())];
          if (column.type == dtype::float32) column.type = dtype::float16;
        }
        if (children > 0) open.push_back(children);
        while (!open.empty() && open.back() <= 0) open.pop_back();
        if (open.size() == 1 && !(children > 0)) ++c;
      });
    }
    {
      statement query(
          to,
          "SELECT DISTINCT row_group_id, row_group_num_rows FROM parquet_metadata(?) ORDER BY row_group_id");
      query.bind(1, file);
      each_row(query, [&](const chunk& rows, idx_t row) {
        const auto count = static_cast<std::uint64_t>(static_cast<const std::int64_t*>(
            duckdb_vector_get_data(duckdb_data_chunk_get_vector(rows.handle, 1)))[row]);
        if (count != 0) info.group_rows.push_back(count);
        info.rows += count;
      });
    }
    {
      statement query(to, "SELECT value FROM parquet_kv_metadata(?) WHERE key = 'shape'::BLOB");
      query.bind(1, file);
      each_row(query, [&](const chunk& rows, idx_t row) {
        info.shape = std::string(text_at(rows, 0, row));
      });
    }
    return info;
  }

  /// Rows [first, last), in runs of at most 2048. @pre info is what examine(path) gave, less the
  /// columns that are not wanted
  void read(const std::string& path, const table_info& info, std::uint64_t first,
            std::uint64_t last, table_sink sink) const {
    if (first >= last) return;
    std::string names;
    bool named = !info.columns.empty();
    for (const table_column& column : info.columns) {
      named = named && !column.name.empty();  // SQL has no way to name such a column
      names += (names.empty() ? "" : ", ") + quoted_name(column.name);
    }
    std::vector<std::vector<std::byte>> buffers(info.columns.size());
    std::vector<table_values> values(info.columns.size());
    each_run(path, named ? names : "*", info.columns.size(), first, last, last < info.rows,
             [&](const chunk& some, idx_t from, std::uint64_t row, idx_t count) {
               for (std::size_t c = 0; c < info.columns.size(); ++c) {
                 values[c] = values_of(duckdb_data_chunk_get_vector(some.handle, c),
                                       info.columns[c], from, row, count, buffers[c], path);
               }
               sink(row, std::uint64_t{count}, std::span<const table_values>(values));
             });
  }

  /// All columns, of whatever type, in the order of the file.
  std::vector<std::string> column_names(const std::string& path) const {
    static_cast<void>(file_source(path));
    return names_of(connection(shared_->base, path), path);
  }

  /// Rows [first, last) of some columns as DuckDB casts them to text, in runs of at most 2048: ""
  /// for a missing value, "[1, 2]" for a list. @errors as read()
  void read_text(const std::string& path, std::span<const std::string> columns, std::uint64_t first,
                 std::uint64_t last, text_sink sink) const {
    if (first >= last) return;
    std::string words;
    for (const std::string& column : columns)
      words += (words.empty() ? "CAST(" : ", CAST(") + quoted_name(column) + " AS VARCHAR)";
    std::vector<std::string_view> fields;
    each_run(path, columns.empty() ? "''" : words, std::max<std::size_t>(columns.size(), 1), first,
             last, true, [&](const chunk& some, idx_t from, std::uint64_t row, idx_t count) {
               fields.assign(static_cast<std::size_t>(count) * columns.size(), {});
               for (idx_t c = 0; c < columns.size(); ++c) {
                 const auto* const mask = duckdb_vector_get_validity(
                     duckdb_data_chunk_get_vector(some.handle, c));
                 for (idx_t r = 0; r < count; ++r) {
                   if (is_valid(mask, from + r))
                     fields[r * columns.size() + c] = text_at(some, c, from + r);
                 }
               }
               sink(row, std::uint64_t{count}, std::span<const std::string_view>(fields));
             });
  }

  /// Write a file; an existing one is replaced. `source` is called for runs of at most 2048 rows.
  /// @errors unsupported: float16 and bfloat16; io; what `source` raises
  void write(const std::string& path, std::span<const table_column> columns,
             const std::optional<std::string>& shape, std::uint64_t rows,
             table_source source) const {
    job work;
    work.columns = columns;
    work.rows = rows;
    work.source = &source;
    std::uint64_t row_bytes = 0;
    for (const table_column& column : columns) {
      if (type_of(column.type) == DUCKDB_TYPE_INVALID) {
        raise(
            error_kind::unsupported,
            "dtype " + std::string(name(column.type)) +
                " cannot be written to Parquet by DuckDB; write numpy, or convert it to float32 first",
            {.file = path});
      }
      row_bytes += column.width * item_bytes(column.type);
    }
    const connection to(shared_->base, path);
    // Whole vectors of 2048 rows; a group is held until it is full.
    const std::uint64_t group = std::clamp<std::uint64_t>(
                                    shared_->base.options.group_bytes /
                                        std::max<std::uint64_t>(row_bytes, 1) / 2048,
                                    1, 60) *
                                2048;
    statement query(
        to, "COPY (SELECT * FROM halograph_rows($1)) TO $2 (FORMAT parquet, ROW_GROUP_SIZE " +
                std::to_string(group) + (shape ? ", KV_METADATA {shape: $3})" : ")"));
    // Only halograph_rows, below, makes a pointer of it again.
    query.bind(1, static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(&work)));
    query.bind(2, detail::absolute_path(path));
    if (shape) query.bind(3, *shape);
    try {
      const result done(query, &work.problem);
    } catch (...) {
      if (work.problem) std::rethrow_exception(work.problem);
      throw;
    }
  }

 private:
  static bool is_valid(const std::uint64_t* mask, idx_t row) noexcept {
    return mask == nullptr || (mask[row / 64] >> (row % 64) & 1) != 0;
  }

  /// A name as SQL reads it.
  static std::string quoted_name(const std::string& name) {
    std::string out = "\"";
    for (const char c : name) out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return out + '"';
  }
  /// By row number DuckDB skips row groups, unless a column has that name.
  static bool names_row_number(std::string_view column) {
    constexpr std::string_view taken = "file_row_number";
    return std::equal(column.begin(), column.end(), taken.begin(), taken.end(), [](char a, char b) {
      return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
    });
  }
  /// All columns. @pre `to` is a connection for `path`
  static std::vector<std::string> names_of(const connection& to, const std::string& path) {
    statement query(to, "SELECT * FROM read_parquet(?, hive_partitioning = false) LIMIT 0");
    query.bind(1, pattern_of(path));
    result rows(query);
    std::vector<std::string> names;
    for (idx_t c = 0; c < duckdb_column_count(&rows.handle); ++c)
      names.emplace_back(duckdb_column_name(&rows.handle, c));
    return names;
  }

  /// The rows of a file from some row on, as they are fetched.
  struct row_stream {
    row_stream(database& base, std::string file, std::string columns, std::uint64_t first)
        : path(std::move(file)),
          selected(std::move(columns)),
          identity(identify(path)),
          to(base, path),
          query(to, sql(to, path, selected)),
          rows(begin(query, path, first)),
          next(first) {}

    // A column of that name counts even where it is not selected: the condition would mean it.
    static std::string sql(const connection& to, const std::string& path,
                           const std::string& selected) {
      const std::vector<std::string> all = names_of(to, path);
      return "SELECT " + selected + " FROM read_parquet(?, hive_partitioning = false) " +
             (std::none_of(all.begin(), all.end(), names_row_number) ? "WHERE file_row_number >= ?"
                                                                     : "OFFSET ?");
    }
    static statement& begin(statement& query, const std::string& path, std::uint64_t first) {
      query.bind(1, pattern_of(path));
      query.bind(2, first);
      return query;
    }

    const std::string path, selected;
    const std::optional<file_identity> identity;
    connection to;
    statement query;
    result rows;
    std::unique_ptr<chunk> fetched{};
    idx_t used = 0;  // rows of `fetched`
    std::uint64_t next;
  };

  struct shared {
    /// Streams that no call uses; each may hold a row group.
    static constexpr std::size_t most_idle = 4;

    database base{};
    std::mutex mutex{};
    std::vector<std::unique_ptr<row_stream>> idle{};  // the one used last is last

    /// The idle stream whose next row is `first`, or none.
    std::unique_ptr<row_stream> take(const std::string& path, const std::string& selected,
                                     std::uint64_t first) {
      const auto identity = identify(path);
      const std::lock_guard lock(mutex);
      const auto found = std::find_if(idle.begin(), idle.end(), [&](const auto& one) {
        return one->next == first && one->path == path && one->selected == selected &&
               one->identity == identity;
      });
      if (found == idle.end()) return nullptr;
      auto out = std::move(*found);
      idle.erase(found);
      return out;
    }
    void keep(std::unique_ptr<row_stream> stream) {
      const std::lock_guard lock(mutex);
      idle.push_back(std::move(stream));
      if (idle.size() <= most_idle) return;
      idle.front().swap(stream);
      idle.erase(idle.begin());
    }
  };

  /// f(chunk, first of its rows, row, count) for rows [first, last), in order. A file that is read
  /// in pieces, from front to back, needs one query: a query for each piece would unpack its row
  /// group from the start.
  /// @param more  may rows from `last` on be asked for?
  template <class F>
  void each_run(const std::string& path, const std::string& selected, std::size_t columns,
                std::uint64_t first, std::uint64_t last, bool more, F&& f) const {
    auto stream = shared_->take(path, selected, first);
    if (stream == nullptr)
      stream = std::make_unique<row_stream>(shared_->base, path, selected, first);
    if (duckdb_column_count(&stream->rows.handle) != columns) raise_changed(path);
    while (stream->next < last) {
      const idx_t size = stream->fetched ? duckdb_data_chunk_get_size(stream->fetched->handle) : 0;
      if (stream->used == size) {
        stream->fetched = std::make_unique<chunk>(stream->rows);
        stream->used = 0;
        if (stream->fetched->handle == nullptr) break;
        continue;
      }
      const idx_t count = std::min<std::uint64_t>(size - stream->used, last - stream->next);
      f(*stream->fetched, stream->used, stream->next, count);
      stream->used += count;
      stream->next += count;
    }
    stream->rows.check();
    if (stream->next != last) raise_changed(path);
    if (more) shared_->keep(std::move(stream));
  }

  /// An absolute path is not taken as an address, and a bracket with one character matches it
  /// alone.
  static std::string pattern_of(const std::string& path) {
    std::string out;
    for (const char c : detail::absolute_path(path)) {
      if (c == '*' || c == '?' || c == '[')
        out += {'[', c, ']'};
      else
        out += c;
    }
    return out;
  }

  [[noreturn]] static void raise_changed(const std::string& path) {
    raise(error_kind::mismatch,
          "the file has changed since it was opened; it must stay as it is while it is read",
          {.file = path});
  }

  /// Nothing where the column holds something else than numbers.
  static std::optional<table_column> column_of(result& rows, idx_t c) {
    table_column column;
    column.name = duckdb_column_name(&rows.handle, c);
    duckdb_logical_type type = duckdb_column_logical_type(&rows.handle, c);
    duckdb_type id = duckdb_get_type_id(type);
    if (id == DUCKDB_TYPE_LIST) {
      column.list = true;
      column.width = 0;
      duckdb_logical_type child = duckdb_list_type_child_type(type);
      id = duckdb_get_type_id(child);
      duckdb_destroy_logical_type(&child);
    }
    duckdb_destroy_logical_type(&type);
    for (int i = 0; i <= static_cast<int>(dtype::boolean); ++i) {
      if (const auto candidate = static_cast<dtype>(i);
          type_of(candidate) == id && id != DUCKDB_TYPE_INVALID) {
        column.type = candidate;
        return column;
      }
    }
    return std::nullopt;
  }

  [[noreturn]] static void raise_missing(const table_column& column, std::uint64_t row,
                                         const std::string& path) {
    raise(error_kind::malformed,
          "row " + std::to_string(row) + " of column " + graph_schema::quoted(column.name) +
              " has no value; each row needs one",
          {.file = path});
  }

  /// A column's rows, in DuckDB's memory or in `buffer`.
  /// @param from   the first in the vector   @param first  its number in the file
  static table_values values_of(duckdb_vector vector, const table_column& column, idx_t from,
                                std::uint64_t first, idx_t count, std::vector<std::byte>& buffer,
                                const std::string& path) {
    const auto* const mask = duckdb_vector_get_validity(vector);
    for (idx_t row = 0; mask != nullptr && row < count; ++row) {
      if (!is_valid(mask, from + row)) raise_missing(column, first + row, path);
    }
    const bool half = column.type == dtype::float16;
    const std::size_t item = half ? sizeof(float) : item_bytes(column.type),
                      size = static_cast<std::size_t>(count * column.width);
    const auto* data = static_cast<const std::byte*>(duckdb_vector_get_data(vector));
    if (column.list) {
      const auto* const entries = reinterpret_cast<const duckdb_list_entry*>(data) + from;
      const duckdb_vector child = duckdb_list_vector_get_child(vector);
      const auto* const child_mask = duckdb_vector_get_validity(child);
      const auto* const child_data = static_cast<const std::byte*>(duckdb_vector_get_data(child));
      buffer.resize(size * item);
      for (idx_t row = 0; row < count; ++row) {
        if (entries[row].length != column.width) {
          raise(error_kind::malformed,
                "row " + std::to_string(first + row) + " of column " +
                    graph_schema::quoted(column.name) + " is a list of " +
                    std::to_string(entries[row].length) + "; it must have " +
                    std::to_string(column.width) + " numbers, as row 0",
                {.file = path});
        }
        for (std::uint64_t i = 0; child_mask != nullptr && i < column.width; ++i) {
          if (!is_valid(child_mask, entries[row].offset + i))
            raise_missing(column, first + row, path);
        }
        if (column.width != 0) {
          std::memcpy(buffer.data() + row * column.width * item,
                      child_data + entries[row].offset * item,
                      static_cast<std::size_t>(column.width) * item);
        }
      }
      data = buffer.data();
    } else {
      data += from * item;  // its width is 1
    }
    if (half) {
      if (!column.list) {
        buffer.resize(size * item);
        std::memcpy(buffer.data(), data, size * item);
      }
      for (std::size_t i = 0; i < size; ++i) {  // in place: each write is before the next read
        float value = 0;
        std::memcpy(&value, buffer.data() + i * sizeof value, sizeof value);
        const std::uint16_t narrow = half_from_double(static_cast<double>(value));
        std::memcpy(buffer.data() + i * sizeof narrow, &narrow, sizeof narrow);
      }
      data = buffer.data();
    }
    return {column.type, {data, size * item_bytes(column.type)}};
  }

  std::shared_ptr<shared> shared_;
};

}  // namespace detail::duckdb_c

/// Reads and writes Parquet files. Copies share one database in memory, which is opened at the
/// first use. Every call works on one thread, the caller's; several may run at once.
///
/// Rows are streamed: memory is a row group of one file for each call under way, and for each of up
/// to four files that were read in part, so that the next call can continue there. Paths
/// are taken as they are: nothing in a name is a pattern, a partition or an address of another
/// machine, and no extension is loaded.
/// @errors not_found, io; malformed: no Parquet file, or missing values; memory: DuckDB needs more
/// than memory_bytes. Where an allocation fails, DuckDB may crash
using duckdb_tables = detail::duckdb_c::tables;
static_assert(table_reader<duckdb_tables>);
static_assert(table_writer<duckdb_tables>);

}  // namespace halograph

#endif
