# SPDX-License-Identifier: BSL-1.0
# shellcheck shell=bash
# Every benchmark builds, runs on tiny graphs and writes its results; the times are not judged.
packages="$build_packages$program_packages
/usr/include/benchmark/benchmark.h libbenchmark-dev
"
check() {
  cmake --preset release -B "$build/cmake" -DHALOGRAPH_BUILD_BENCHMARKS=ON -DHALOGRAPH_BUILD_PROGRAM=OFF \
    -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS="-O0 -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Werror" >/dev/null &&
    cmake --build "$build/cmake" --parallel 2 || return 1
  local bench=$build/cmake/bench out=$build/results
  rm -rf "$out"
  "$bench/bench_end_to_end" --rmat 8 --runs 1 --ids 1000 --memcpy-bytes 1000000 --metis-least 0 --scratch /tmp --out "$out" >/dev/null &&
    "$bench/bench_linear_cost" --least-scale 5 --most-scale 6 --scale 6 --most-parts 4 --numbered-parts 8 --runs 1 --out "$out" >/dev/null &&
    "$bench/bench_kernels" --scale 5 --ids 100 --benchmark_min_time=0.0001 >"$out/kernels.txt" &&
    "$bench/bench_partitioners" --quick --out "$out" >/dev/null 2>&1 || return 1
  local file
  for file in end_to_end.{txt,md,json,svg} linear_cost.{txt,json,svg} partitioners.{md,json,svg} kernels.txt; do
    [ -s "$out/$file" ] || { echo "$file is empty or was not written"; return 1; }
  done
  # Read by another JSON parser than the one that wrote it.
  printf '%s\n' 'file(READ "${FILE}" text)' 'string(JSON processor GET "${text}" machine processor)' >"$build/read.cmake"
  for file in "$out"/*.json; do
    cmake "-DFILE=$file" -P "$build/read.cmake" || return 1
  done
  grep -q "read_metis/full/1" "$out/kernels.txt" && grep -q "load_native/span/1" "$out/kernels.txt" && grep -q "halo_2/full/1" "$out/kernels.txt"
}
