# SPDX-License-Identifier: BSL-1.0
# shellcheck shell=bash
# Parquet through DuckDB, which no Debian release has: header and library from pinned npm packages.
packages="$build_packages$program_packages
npm npm
/usr/include/gtest/gtest.h libgtest-dev
"
fetched() { [ -e "$build/duckdb/include/duckdb.h" ] && [ -e "$build/duckdb/lib/libduckdb.so" ]; }
fetch() (
  set -e
  cd "$build"
  npm pack --silent duckdb@1.4.4 @duckdb/node-bindings-linux-x64@1.4.4-r.1 >/dev/null
  mkdir -p duckdb/include duckdb/lib
  tar -xzf duckdb-1.4.4.tgz -O package/src/duckdb/src/include/duckdb.h >duckdb/include/duckdb.h
  tar -xzf duckdb-node-bindings-linux-x64-1.4.4-r.1.tgz -O package/libduckdb.so >duckdb/lib/libduckdb.so
  rm -f ./*.tgz
)
check() {
  cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_COMPILE_WARNING_AS_ERROR=ON \
    -DHALOGRAPH_BUILD_EXAMPLES=OFF -DHALOGRAPH_BUILD_PROGRAM=ON -DDUCKDB_ROOT="$PWD/$build/duckdb" -DHALOGRAPH_SHARED_DIR="${HALOGRAPH_SHARED_DIR:-}" &&
    cmake --build "$build" --parallel 2 --target test_adapters_duckdb halograph_program faults faults_inject &&
    ctest --test-dir "$build" --output-on-failure --no-tests=error --timeout 300 \
      --tests-regex '^(adapters[.]duckdb|faults[.].*_parquet)$'
}
