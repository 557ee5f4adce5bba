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

// In a namespace: DuckDB and METIS both call a type idx_t. Functions of C are the same in any
// namespace; what the header includes itself, <cstddef> and <cstdint> have brought already. A file
// that wants the names for itself includes <duckdb.h> first: below they are found there, too.
namespace halograph::detail::duckdb_c {
#include <duckdb.h>
}  // namespace halograph::detail::duckdb_c

namespace halograph {

/// What DuckDB may use.
struct duckdb_options {
  std::uint64_t memory_bytes = std::uint64_t{512} << 20;  ///< at most, for all calls at once
  std::uint64_t group_bytes = std::uint64_t{16}
                              << 20;  ///< a row group of a written file: about that much
};

namespace detail::duckdb_c {

/// What duckdb_tables is, where DuckDB's names are.
class tables {
 public:
  explicit tables(duckdb_options options = {}) : shared_(std::make_shared<database>()) {
    shared_->options = options;
  }

  /// Rows, columns, row groups, and the value of the key `shape` in the file's metadata.
  table_info examine(const std::string& path) const {
    static_cast<void>(file_source(path));  // says it better where there is no such file
    const connection to(*shared_, path);
    const std::string file = pattern_of(path);
    table_info info;
    {
      statement query(to, "SELECT * FROM read_parquet(?, hive_partitioning = false) LIMIT 1");
      query.bind(1, file);
      result rows(query);
      const idx_t columns = duckdb_column_count(&rows.handle);
      for (idx_t c = 0; c < columns; ++c) info.columns.push_back(column_of(rows, c, path));
      if (const chunk first(rows);
          first.handle != nullptr && duckdb_data_chunk_get_size(first.handle) != 0) {
        for (idx_t c = 0; c < columns; ++c) {
          table_column& column = info.columns[c];
          if (!column.list) continue;
          const duckdb_vector vector = duckdb_data_chunk_get_vector(first.handle, c);
          column.width =
              is_valid(duckdb_vector_get_validity(vector), 0)
                  ? static_cast<const duckdb_list_entry*>(duckdb_vector_get_data(vector))->length
                  : 0;
        }
      }
    }
    {
      // DuckDB gives FLOAT16 as FLOAT; the file's own schema tells them apart. Each of our columns
      // has one leaf.
      statement query(
          to,
          "SELECT coalesce(logical_type, '') FROM parquet_schema(?) WHERE coalesce(num_children, 0) = 0");
      query.bind(1, file);
      std::size_t c = 0;
      each_row(query, [&](const chunk& rows, idx_t row) {
        if (c < info.columns.size() && text_at(rows, 0, row).starts_with("Float16") &&
            info.columns[c].type == dtype::float32) {
          info.columns[c].type = dtype::float16;
        }
        ++c;
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

  /// Rows [first, last), in runs of at most 2048. @pre info is what examine(path) gave
  template <class Sink>
  void read(const std::string& path, const table_info& info, std::uint64_t first,
            std::uint64_t last, Sink&& sink) const {
    if (first >= last) return;
    const connection to(*shared_, path);
    // By row number DuckDB passes over row groups; a column of that name would stand in its place.
    const bool numbered = std::none_of(
        info.columns.begin(), info.columns.end(), [](const table_column& column) {
          constexpr std::string_view taken = "file_row_number";
          return std::equal(
              column.name.begin(), column.name.end(), taken.begin(), taken.end(),
              [](char a, char b) {
                return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
              });
        });
    statement query(
        to,
        numbered
            ? "SELECT * FROM read_parquet(?, hive_partitioning = false) WHERE file_row_number >= ? AND file_row_number < ?"
            : "SELECT * FROM read_parquet(?, hive_partitioning = false) OFFSET ? LIMIT ?");
    query.bind(1, pattern_of(path));
    query.bind(2, first);
    query.bind(3, numbered ? last : last - first);
    result rows(query);
    if (duckdb_column_count(&rows.handle) != info.columns.size()) raise_changed(path);
    std::vector<std::vector<std::byte>> buffers(info.columns.size());
    std::vector<table_values> values(info.columns.size());
    while (first < last) {
      const chunk some(rows);
      const idx_t count = some.handle == nullptr ? 0 : duckdb_data_chunk_get_size(some.handle);
      if (count == 0) {
        if (some.handle == nullptr) break;
        continue;
      }
      if (count > last - first) raise_changed(path);
      for (std::size_t c = 0; c < info.columns.size(); ++c) {
        values[c] = values_of(duckdb_data_chunk_get_vector(some.handle, c), info.columns[c], first,
                              count, buffers[c], path);
      }
      sink(first, std::uint64_t{count}, std::span<const table_values>(values));
      first += count;
    }
    rows.check();
    if (first != last) raise_changed(path);
  }

  /// Write a file; an existing one is replaced. `source` is called for runs of at most 2048 rows.
  /// @errors unsupported: float16 and bfloat16; io; what `source` raises
  template <class Source>
  void write(const std::string& path, std::span<const table_column> columns,
             const std::optional<std::string>& shape, std::uint64_t rows, Source&& source) const {
    job work;
    work.columns = columns;
    work.rows = rows;
    work.call = [](void* what, std::uint64_t first, std::uint64_t count,
                   std::span<const std::span<std::byte>> out) {
      (*static_cast<std::remove_reference_t<Source>*>(what))(first, count, out);
    };
    work.source = const_cast<void*>(static_cast<const void*>(std::addressof(source)));
    std::uint64_t row_bytes = 0;
    for (const table_column& column : columns) {
      if (type_of(column.type) == DUCKDB_TYPE_INVALID) {
        raise(
            errc::unsupported,
            "dtype " + std::string(name(column.type)) +
                " cannot be written to Parquet by DuckDB; write numpy, or convert it to float32 first",
            {.file = path});
      }
      row_bytes += column.width * item_bytes(column.type);
    }
    const connection to(*shared_, path);
    // Whole vectors of 2048 rows; a group is held until it is full.
    const std::uint64_t group =
        std::clamp<std::uint64_t>(
            shared_->options.group_bytes / std::max<std::uint64_t>(row_bytes, 1) / 2048, 1, 60) *
        2048;
    statement query(
        to, "COPY (SELECT * FROM halograph_rows($1)) TO $2 (FORMAT parquet, ROW_GROUP_SIZE " +
                std::to_string(group) + (shape ? ", KV_METADATA {shape: $3})" : ")"));
    // Only halograph_rows, below, makes a pointer of it again.
    query.bind(1, static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(&work)));
    query.bind(2, detail::absolute_path(path).string());
    if (shape) query.bind(3, *shape);
    try {
      const result done(query, &work.problem);
    } catch (...) {
      if (work.problem) std::rethrow_exception(work.problem);
      throw;
    }
  }

 private:
  /// What halograph_rows gives to a COPY.
  struct job {
    std::span<const table_column> columns{};
    std::uint64_t rows = 0;
    std::uint64_t done = 0;
    void (*call)(void*, std::uint64_t, std::uint64_t,
                 std::span<const std::span<std::byte>>) = nullptr;
    void* source = nullptr;
    std::exception_ptr problem{};
  };

  struct database {
    duckdb_options options{};
    std::once_flag once{};
    duckdb_database handle = nullptr;

    database() = default;
    database(const database&) = delete;
    database& operator=(const database&) = delete;
    ~database() { duckdb_close(&handle); }

    void open() {
      duckdb_config config = nullptr;
      if (duckdb_create_config(&config) == DuckDBError)
        raise(errc::memory, "DuckDB cannot be started");
      const std::string memory = std::to_string(options.memory_bytes) + "B";
      const std::pair<const char*, const char*> settings[] = {
          {"threads", "1"},
          {"memory_limit", memory.c_str()},
          {"temp_directory", ""},
          {"autoinstall_known_extensions", "false"},
          {"autoload_known_extensions", "false"}};
      bool taken = true;
      for (const auto& [key, value] : settings)
        taken = duckdb_set_config(config, key, value) == DuckDBSuccess && taken;
      char* words = nullptr;
      const bool opened = taken &&
                          duckdb_open_ext(nullptr, &handle, config, &words) == DuckDBSuccess;
      const std::string why = words == nullptr ? "a setting is unknown to it" : words;
      duckdb_free(words);
      duckdb_destroy_config(&config);
      if (!opened)
        raise(errc::unsupported,
              "DuckDB " + std::string(duckdb_library_version()) + " cannot be started: " + why);
      register_rows();
    }
    void register_rows() {
      duckdb_connection to = nullptr;
      duckdb_table_function function = duckdb_create_table_function();
      duckdb_logical_type number = duckdb_create_logical_type(DUCKDB_TYPE_UBIGINT);
      duckdb_table_function_set_name(function, "halograph_rows");
      duckdb_table_function_add_parameter(function, number);
      duckdb_table_function_set_bind(function, &bind_rows);
      duckdb_table_function_set_init(function, [](duckdb_init_info) {});
      duckdb_table_function_set_function(function, &give_rows);
      const bool registered = duckdb_connect(handle, &to) == DuckDBSuccess &&
                              duckdb_register_table_function(to, function) == DuckDBSuccess;
      duckdb_destroy_logical_type(&number);
      duckdb_destroy_table_function(&function);
      duckdb_disconnect(&to);
      if (!registered) raise(errc::internal, "DuckDB does not take our table function");
    }
  };

  struct connection {
    duckdb_connection handle = nullptr;
    const std::string& path;

    connection(database& shared, const std::string& file) : path(file) {
      std::call_once(shared.once, [&] { shared.open(); });
      if (duckdb_connect(shared.handle, &handle) == DuckDBError)
        raise(errc::memory, "DuckDB gives no connection", {.file = file});
    }
    connection(const connection&) = delete;
    connection& operator=(const connection&) = delete;
    ~connection() { duckdb_disconnect(&handle); }
  };

  struct statement {
    duckdb_prepared_statement handle = nullptr;
    const std::string& path;

    statement(const connection& to, const std::string& sql) : path(to.path) {
      if (duckdb_prepare(to.handle, sql.c_str(), &handle) == DuckDBError) {
        const std::string words = duckdb_prepare_error(handle) == nullptr
                                      ? ""
                                      : duckdb_prepare_error(handle);
        duckdb_destroy_prepare(&handle);
        raise(errc::malformed, "DuckDB refuses: " + first_line(words), {.file = path});
      }
    }
    statement(const statement&) = delete;
    statement& operator=(const statement&) = delete;
    ~statement() { duckdb_destroy_prepare(&handle); }

    void bind(idx_t at, const std::string& text) {
      require(duckdb_bind_varchar_length(handle, at, text.data(), text.size()));
    }
    void bind(idx_t at, std::uint64_t number) { require(duckdb_bind_uint64(handle, at, number)); }

   private:
    void require(duckdb_state state) const {
      if (state == DuckDBError)
        raise(errc::internal, "DuckDB does not take a parameter", {.file = path});
    }
  };

  /// Rows as they come.
  struct result {
    duckdb_result handle{};
    const std::string& path;

    explicit result(const statement& query, const std::exception_ptr* ours = nullptr)
        : path(query.path) {
      duckdb_pending_result pending = nullptr;
      if (duckdb_pending_prepared_streaming(query.handle, &pending) == DuckDBError) {
        const std::string words = pending == nullptr || duckdb_pending_error(pending) == nullptr
                                      ? ""
                                      : duckdb_pending_error(pending);
        duckdb_destroy_pending(&pending);
        raise_words(words, DUCKDB_ERROR_INVALID);
      }
      const duckdb_state state = duckdb_execute_pending(pending, &handle);
      duckdb_destroy_pending(&pending);
      if (state == DuckDBError) {
        const char* const words = duckdb_result_error(&handle);
        const std::string kept = words == nullptr ? "" : words;
        const duckdb_error_type type = duckdb_result_error_type(&handle);
        duckdb_destroy_result(&handle);
        if (ours != nullptr && *ours) std::rethrow_exception(*ours);
        raise_words(kept, type);
      }
    }
    result(const result&) = delete;
    result& operator=(const result&) = delete;
    ~result() { duckdb_destroy_result(&handle); }

    /// Did the rows end because of an error?
    void check() {
      if (const char* const words = duckdb_result_error(&handle);
          words != nullptr && *words != '\0')
        raise_words(words, duckdb_result_error_type(&handle));
    }

   private:
    [[noreturn]] void raise_words(const std::string& words, duckdb_error_type type) const {
      const errc code = type == DUCKDB_ERROR_IO              ? errc::io
                        : type == DUCKDB_ERROR_OUT_OF_MEMORY ? errc::memory
                                                             : errc::malformed;
      raise(code, "DuckDB cannot go on: " + first_line(words), {.file = path});
    }
  };

  /// The next rows, or none.
  struct chunk {
    duckdb_data_chunk handle = nullptr;

    explicit chunk(result& rows) : handle(duckdb_fetch_chunk(rows.handle)) {
      if (handle == nullptr) rows.check();
    }
    chunk(const chunk&) = delete;
    chunk& operator=(const chunk&) = delete;
    ~chunk() { duckdb_destroy_data_chunk(&handle); }
  };

  template <class F>
  static void each_row(const statement& query, F&& f) {
    result rows(query);
    for (;;) {
      const chunk some(rows);
      if (some.handle == nullptr) return;
      for (idx_t row = 0; row < duckdb_data_chunk_get_size(some.handle); ++row) f(some, row);
    }
  }

  static std::string_view text_at(const chunk& rows, idx_t column, idx_t row) {
    auto* const strings = static_cast<duckdb_string_t*>(
        duckdb_vector_get_data(duckdb_data_chunk_get_vector(rows.handle, column)));
    return {duckdb_string_t_data(strings + row), duckdb_string_t_length(strings[row])};
  }

  static bool is_valid(const std::uint64_t* mask, idx_t row) noexcept {
    return mask == nullptr || (mask[row / 64] >> (row % 64) & 1) != 0;
  }

  /// An absolute path is no address, and a bracket with one character matches it alone.
  static std::string pattern_of(const std::string& path) {
    std::string out;
    for (const char c : detail::absolute_path(path).string()) {
      if (c == '*' || c == '?' || c == '[')
        out += {'[', c, ']'};
      else
        out += c;
    }
    return out;
  }

  static std::string first_line(std::string_view words) {
    return std::string(words.substr(0, words.find('\n')));
  }

  [[noreturn]] static void raise_changed(const std::string& path) {
    raise(errc::mismatch,
          "the file has changed since it was opened; it must stay as it is while it is read",
          {.file = path});
  }

  static duckdb_type type_of(dtype type) noexcept {
    switch (type) {
      case dtype::boolean:
        return DUCKDB_TYPE_BOOLEAN;
      case dtype::int8:
        return DUCKDB_TYPE_TINYINT;
      case dtype::int16:
        return DUCKDB_TYPE_SMALLINT;
      case dtype::int32:
        return DUCKDB_TYPE_INTEGER;
      case dtype::int64:
        return DUCKDB_TYPE_BIGINT;
      case dtype::uint8:
        return DUCKDB_TYPE_UTINYINT;
      case dtype::uint16:
        return DUCKDB_TYPE_USMALLINT;
      case dtype::uint32:
        return DUCKDB_TYPE_UINTEGER;
      case dtype::uint64:
        return DUCKDB_TYPE_UBIGINT;
      case dtype::float32:
        return DUCKDB_TYPE_FLOAT;
      case dtype::float64:
        return DUCKDB_TYPE_DOUBLE;
      case dtype::float16:
      case dtype::bfloat16:
        break;
    }
    return DUCKDB_TYPE_INVALID;
  }

  static table_column column_of(result& rows, idx_t c, const std::string& path) {
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
    raise(
        errc::unsupported,
        "column " + graph_schema::quoted(column.name) +
            " is of a type that is not supported; it must hold numbers of at most 64 bits, or lists of them",
        {.file = path});
  }

  [[noreturn]] static void raise_missing(const table_column& column, std::uint64_t row,
                                         const std::string& path) {
    raise(errc::malformed,
          "row " + std::to_string(row) + " of column " + graph_schema::quoted(column.name) +
              " has no value; each row needs one",
          {.file = path});
  }

  /// A column's rows, in DuckDB's memory or in `buffer`.
  static table_values values_of(duckdb_vector vector, const table_column& column,
                                std::uint64_t first, idx_t count, std::vector<std::byte>& buffer,
                                const std::string& path) {
    const auto* const mask = duckdb_vector_get_validity(vector);
    for (idx_t row = 0; mask != nullptr && row < count; ++row) {
      if (!is_valid(mask, row)) raise_missing(column, first + row, path);
    }
    const bool half = column.type == dtype::float16;
    const std::size_t item = half ? sizeof(float) : item_bytes(column.type),
                      size = static_cast<std::size_t>(count * column.width);
    const auto* data = static_cast<const std::byte*>(duckdb_vector_get_data(vector));
    if (column.list) {
      const auto* const entries = reinterpret_cast<const duckdb_list_entry*>(data);
      const duckdb_vector child = duckdb_list_vector_get_child(vector);
      const auto* const child_mask = duckdb_vector_get_validity(child);
      const auto* const child_data = static_cast<const std::byte*>(duckdb_vector_get_data(child));
      buffer.resize(size * item);
      for (idx_t row = 0; row < count; ++row) {
        if (entries[row].length != column.width) {
          raise(errc::malformed,
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
    }
    if (half) {
      if (!column.list) {
        buffer.resize(size * item);
        std::memcpy(buffer.data(), data, size * item);
      }
      for (std::size_t i = 0; i < size;
           ++i) {  // in place: what is written lies before what is read
        float value = 0;
        std::memcpy(&value, buffer.data() + i * sizeof value, sizeof value);
        const std::uint16_t narrow = half_from_double(static_cast<double>(value));
        std::memcpy(buffer.data() + i * sizeof narrow, &narrow, sizeof narrow);
      }
      data = buffer.data();
    }
    return {column.type, {data, size * item_bytes(column.type)}};
  }

  static void bind_rows(duckdb_bind_info info) {
    duckdb_value value = duckdb_bind_get_parameter(info, 0);
    auto* const work = reinterpret_cast<job*>(
        static_cast<std::uintptr_t>(duckdb_get_uint64(value)));
    duckdb_destroy_value(&value);
    for (const table_column& column : work->columns) {
      duckdb_logical_type type = duckdb_create_logical_type(type_of(column.type));
      if (column.list) {
        duckdb_logical_type child = type;
        type = duckdb_create_list_type(child);
        duckdb_destroy_logical_type(&child);
      }
      duckdb_bind_add_result_column(info, column.name.c_str(), type);
      duckdb_destroy_logical_type(&type);
    }
    duckdb_bind_set_bind_data(info, work, nullptr);
  }

  /// The next rows of a job. No exception may pass through DuckDB: it waits in the job.
  static void give_rows(duckdb_function_info info, duckdb_data_chunk out) {
    auto& work = *static_cast<job*>(duckdb_function_get_bind_data(info));
    try {
      const idx_t count = std::min<std::uint64_t>(work.rows - work.done, duckdb_vector_size());
      std::vector<std::span<std::byte>> buffers;
      for (idx_t c = 0; c < work.columns.size(); ++c) {
        const table_column& column = work.columns[c];
        const duckdb_vector vector = duckdb_data_chunk_get_vector(out, c);
        const auto size = static_cast<std::size_t>(count * column.width);
        if (!column.list) {
          buffers.emplace_back(static_cast<std::byte*>(duckdb_vector_get_data(vector)),
                               size * item_bytes(column.type));
          continue;
        }
        if (duckdb_list_vector_reserve(vector, size) == DuckDBError ||
            duckdb_list_vector_set_size(vector, size) == DuckDBError) {
          raise(errc::memory, "DuckDB has no memory for lists");
        }
        auto* const entries = static_cast<duckdb_list_entry*>(duckdb_vector_get_data(vector));
        for (idx_t row = 0; row < count; ++row) entries[row] = {row * column.width, column.width};
        buffers.emplace_back(
            static_cast<std::byte*>(duckdb_vector_get_data(duckdb_list_vector_get_child(vector))),
            size * item_bytes(column.type));
      }
      if (count != 0) work.call(work.source, work.done, count, buffers);
      work.done += count;
      duckdb_data_chunk_set_size(out, count);
    } catch (...) {
      work.problem = std::current_exception();
      duckdb_function_set_error(info, "the rows cannot be given");
    }
  }

  std::shared_ptr<database> shared_;
};

}  // namespace detail::duckdb_c

/// Reads and writes Parquet files. Copies share one database in memory, which is opened at the
/// first use. Every call works on one thread, the caller's; several may run at once.
///
/// Rows are streamed: memory is a row group of one file for each call under way. Paths are taken as
/// they are: nothing in a name is a pattern, a partition or an address of another machine, and no
/// extension is loaded.
/// @errors not_found, io; malformed: no Parquet file, or missing values; unsupported: columns of
///     other types; memory: DuckDB needs more than memory_bytes
using duckdb_tables = detail::duckdb_c::tables;
static_assert(table_reader<duckdb_tables>);
static_assert(table_writer<duckdb_tables>);

}  // namespace halograph

#endif
