// SPDX-License-Identifier: BSL-1.0
#include "inputs.hpp"

#if defined(HALOGRAPH_WITH_DUCKDB)
#include <halograph/adapters/duckdb.hpp>
#endif

#include <string>
#include <type_traits>

namespace halograph::cli {

namespace {

#if defined(HALOGRAPH_WITH_DUCKDB)
using tables = duckdb_tables;
#else
using tables = no_tables;
#endif

struct recorded_tables : tables {
  recorded_tables() : tables() {}  // DuckDB's constructor is explicit
  table_info examine(const std::string& path) const {
    inputs_of_this_run()->opening(path);
    return tables::examine(path);
  }
};

}  // namespace

any_table_reader input_tables() { return recorded_tables{}; }
any_table_writer output_tables() { return recorded_tables{}; }
bool has_tables() noexcept { return !std::is_same_v<tables, no_tables>; }

}  // namespace halograph::cli
