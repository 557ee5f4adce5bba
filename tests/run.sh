#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Install what is missing, build, run the tests, and say what they found to work on.
#
#   ./tests/run.sh [--all] [--preset NAME] [--build DIR] [--jobs N] [ctest's options]
#
#   --all           also the tests that take minutes
#   --preset        gcc (the default), clang, asan: see CMakePresets.json
#   --install-only  stop once everything needed is installed
#   --build         where to build; the default is build/<preset>
#
# Golden cases and real graphs are used where ../shared/golden and ../shared/data are, or the folder
# that HALOGRAPH_SHARED_DIR names.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

preset=gcc heavy=OFF build="" jobs=2 install_only=0 ctest_options=()
while [ $# -gt 0 ]; do
  case "$1" in
    --all) heavy=ON ;;
    --preset) preset=${2:?--preset needs a name}; shift ;;
    --build) build=${2:?--build needs a folder}; shift ;;
    --install-only) install_only=1 ;;
    --jobs) jobs=${2:?--jobs needs a number}; shift ;;
    -h|--help) sed -n '3,13s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) ctest_options+=("$1") ;;
  esac
  shift
done
build=${build:-build/$preset}

# Each line: a file or command that shows the package is there, and the package.
needed="
cmake cmake
ninja ninja-build
g++ g++
pkg-config pkg-config
/usr/include/gtest/gtest.h libgtest-dev
/usr/include/metis.h libmetis-dev
/usr/include/nlohmann/json.hpp nlohmann-json3-dev
/usr/include/boost/interprocess/file_mapping.hpp libboost-dev
/usr/include/CLI/CLI.hpp libcli11-dev
/usr/include/tbb/parallel_for.h libtbb-dev
/usr/include/zlib.h zlib1g-dev
"
if [ "$preset" = clang ] || [ "$preset" = asan ] || [ "$preset" = fuzz ]; then
  needed+="
clang++-14 clang-14
/usr/lib/llvm-14/lib/clang/14.0.6/lib/linux libclang-rt-14-dev
"
fi
missing=()
while read -r sign package; do
  [ -n "$sign" ] || continue
  case "$sign" in
    /*) [ -e "$sign" ] || missing+=("$package") ;;
    *) command -v "$sign" >/dev/null || missing+=("$package") ;;
  esac
done <<<"$needed"
if [ ${#missing[@]} -gt 0 ]; then
  echo "== installing ${missing[*]}"
  as_root=()
  [ "$(id -u)" -eq 0 ] || as_root=(sudo)
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    "${missing[@]}" >/dev/null
fi

[ "$install_only" -eq 0 ] || exit 0

options=("-DHALOGRAPH_HEAVY_TESTS=$heavy" -DCMAKE_COMPILE_WARNING_AS_ERROR=ON
  "-DHALOGRAPH_SHARED_DIR=${HALOGRAPH_SHARED_DIR:-}")
if command -v ccache >/dev/null; then
  # The same objects for every clone of the project on this machine.
  export CCACHE_BASEDIR="$root" CCACHE_NOHASHDIR=1
  options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
fi

started=$SECONDS
echo "== configuring $build ($preset)"
cmake --preset "$preset" -B "$build" "${options[@]}"
echo "== building"
cmake --build "$build" --parallel "$jobs" -- -k 0
echo "== built in $((SECONDS - started)) s"

count() { find "$@" -mindepth 1 -maxdepth 1 -type d 2>/dev/null | wc -l; }
shared=${HALOGRAPH_SHARED_DIR:-$root/../shared}
if [ -d "$shared/golden" ] && [ -d "$shared/data" ]; then
  echo "== found $(count "$shared"/golden/partition) golden partitions," \
    "$(count "$shared"/golden/dispatch) golden dispatches," \
    "$(find "$shared"/golden/files -name '*.dgl' | wc -l) golden files," \
    "$(count "$shared"/data) real graphs in $(cd "$shared" && pwd)"
else
  echo "== found 0 golden cases, 0 real graphs: no golden/ and data/ in $shared"
fi

echo "== testing"
ctest --test-dir "$build" --parallel "$jobs" --output-on-failure --no-tests=error --timeout 900 \
  "${ctest_options[@]}"
