// SPDX-License-Identifier: BSL-1.0
#include "inputs.hpp"

#if defined(HALOGRAPH_WITH_DUCKDB)
#include <halograph/adapters/duckdb.hpp>
#endif

namespace halograph::cli {

#if defined(HALOGRAPH_WITH_DUCKDB)
namespace {
struct recorded_tables : duckdb_tables {
  table_info examine(const std::string& path) const {
    inputs_of_this_run()->opening(path);
    return duckdb_tables::examine(path);
  }
};
}  // namespace
#else
namespace {
struct recorded_tables : no_tables {
  table_info examine(const std::string& path) const {
    inputs_of_this_run()->opening(path);
    return no_tables::examine(path);
  }
};
}  // namespace
#endif

any_table_reader input_tables() { return recorded_tables{}; }
any_table_writer output_tables() { return recorded_tables{}; }
bool has_tables() noexcept {
#if defined(HALOGRAPH_WITH_DUCKDB)
  return true;
#else
  return false;
#endif
}

}  // namespace halograph::cli
