// SPDX-License-Identifier: BSL-1.0
/// @file session.hpp
/// DuckDB's C API as objects: database, connection, statement, result, chunk of rows.
/// Layer: adapters (DuckDB). Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/table.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
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

inline std::string first_line(std::string_view words) {
  return std::string(words.substr(0, words.find('\n')));
}

inline duckdb_type type_of(dtype type) noexcept {
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

/// The rows that halograph_rows produces for a COPY.
struct job {
  std::span<const table_column> columns{};
  std::uint64_t rows = 0;
  std::uint64_t done = 0;
  const table_source* source = nullptr;
  std::exception_ptr problem{};
};

inline void bind_rows(duckdb_bind_info info) {
  duckdb_value value = duckdb_bind_get_parameter(info, 0);
  auto* const work = reinterpret_cast<job*>(static_cast<std::uintptr_t>(duckdb_get_uint64(value)));
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

/// The next rows of a job. No exception may pass through DuckDB, so the job keeps it.
inline void give_rows(duckdb_function_info info, duckdb_data_chunk out) {
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
        raise(error_kind::memory, "not enough memory for lists in DuckDB");
      }
      auto* const entries = static_cast<duckdb_list_entry*>(duckdb_vector_get_data(vector));
      for (idx_t row = 0; row < count; ++row) entries[row] = {row * column.width, column.width};
      buffers.emplace_back(
          static_cast<std::byte*>(duckdb_vector_get_data(duckdb_list_vector_get_child(vector))),
          size * item_bytes(column.type));
    }
    if (count != 0) (*work.source)(work.done, count, buffers);
    work.done += count;
    duckdb_data_chunk_set_size(out, count);
  } catch (...) {
    work.problem = std::current_exception();
    duckdb_function_set_error(info, "the rows could not be produced");
  }
}

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
      raise(error_kind::memory, "DuckDB cannot be started");
    const std::string memory = std::to_string(options.memory_bytes) + "B";
    const std::pair<const char*, const char*> settings[] = {
        {"threads", "1"},
        {"memory_limit", memory.c_str()},
        {"temp_directory", ""},
        // It would hold what was read, up to the memory limit, and miss changes within a second.
        {"enable_external_file_cache", "false"},
        {"autoinstall_known_extensions", "false"},
        {"autoload_known_extensions", "false"}};
    bool taken = true;
    for (const auto& [key, value] : settings)
      taken = duckdb_set_config(config, key, value) == DuckDBSuccess && taken;
    char* words = nullptr;
    const bool opened = taken && duckdb_open_ext(nullptr, &handle, config, &words) == DuckDBSuccess;
    const std::string why = words == nullptr ? "it rejects a setting" : words;
    duckdb_free(words);
    duckdb_destroy_config(&config);
    if (!opened)
      raise(error_kind::unsupported,
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
    if (!registered)
      raise(error_kind::internal, "DuckDB rejected the table function halograph_rows");
  }
};

struct connection {
  duckdb_connection handle = nullptr;
  const std::string& path;

  connection(database& shared, const std::string& file) : path(file) {
    std::call_once(shared.once, [&] { shared.open(); });
    if (duckdb_connect(shared.handle, &handle) == DuckDBError)
      raise(error_kind::memory, "DuckDB refused a connection", {.file = file});
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
      raise(error_kind::malformed, "DuckDB rejects the statement: " + first_line(words),
            {.file = path});
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
      raise(error_kind::internal, "DuckDB rejected a parameter", {.file = path});
  }
};

/// The rows of a statement, streamed.
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
    if (const char* const words = duckdb_result_error(&handle); words != nullptr && *words != '\0')
      raise_words(words, duckdb_result_error_type(&handle));
  }

 private:
  [[noreturn]] void raise_words(const std::string& words, duckdb_error_type type) const {
    const error_kind code = type == DUCKDB_ERROR_IO              ? error_kind::io
                            : type == DUCKDB_ERROR_OUT_OF_MEMORY ? error_kind::memory
                                                                 : error_kind::malformed;
    raise(code, "DuckDB failed: " + first_line(words), {.file = path});
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

inline void each_row(const statement& query, function_ref<void(const chunk&, idx_t)> f) {
  result rows(query);
  for (;;) {
    const chunk some(rows);
    if (some.handle == nullptr) return;
    for (idx_t row = 0; row < duckdb_data_chunk_get_size(some.handle); ++row) f(some, row);
  }
}

inline std::string_view text_at(const chunk& rows, idx_t column, idx_t row) {
  auto* const strings = static_cast<duckdb_string_t*>(
      duckdb_vector_get_data(duckdb_data_chunk_get_vector(rows.handle, column)));
  return {duckdb_string_t_data(strings + row), duckdb_string_t_length(strings[row])};
}

}  // namespace detail::duckdb_c

}  // namespace halograph
