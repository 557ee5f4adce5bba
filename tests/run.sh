#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Install what is missing, build, run the tests, and show which golden cases and real graphs they found.
#
#   ./tests/run.sh [--all] [--only FOLDER] [--no-tools] [--header-only] [--preset NAME] [--build DIR] [--jobs N] [ctest's options]
#
#   --all           also the slow tests and, with preset gcc, every tool in .ci/tools, installing what they need
#   --only FOLDER   build and run the tests of one folder of tests/, such as halo, and nothing else; may be repeated
#   --no-tools      with --all: no tools
#   --header-only   test the headers alone, not the compiled library; preset asan always does
#   --preset        gcc (the default), clang, asan: see CMakePresets.json
#   --install-only  stop once everything needed is installed
#   --build         where to build; the default is build/<preset>
#
# Golden cases and real graphs are used if they are in ../shared/golden and ../shared/data, or in the folder that
# HALOGRAPH_SHARED_DIR names.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

preset=gcc only=() heavy=OFF header_only=OFF tools=1 build="" jobs=2 install_only=0 ctest_options=()
while [ $# -gt 0 ]; do
  case "$1" in
    --all) heavy=ON ;;
    --only) folder=${2:?--only needs a folder}; folder=${folder#tests/}; only+=("${folder%/}"); shift ;;
    --only=*) folder=${1#--only=}; folder=${folder#tests/}; only+=("${folder%/}") ;;
    --no-tools) tools=0 ;;
    --header-only) header_only=ON ;;
    --preset) preset=${2:?--preset needs a name}; shift ;;
    --build) build=${2:?--build needs a folder}; shift ;;
    --install-only) install_only=1 ;;
    --jobs) jobs=${2:?--jobs needs a number}; shift ;;
    -h|--help) sed -n '3,16s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) ctest_options+=("$1") ;;
  esac
  shift
done
build=${build:-build/$preset}
for folder in "${only[@]}"; do
  if [[ $folder = */* ]] || [ ! -d "tests/$folder" ]; then
    echo "there is no folder tests/$folder" >&2
    exit 2
  fi
done

. tests/packages.sh
# Each line: a file or command that shows that the package is installed, and the package.
needed="$build_packages$program_packages$ranks_packages
pkg-config pkg-config
/usr/include/gtest/gtest.h libgtest-dev
/usr/include/benchmark/benchmark.h libbenchmark-dev
mpirun openmpi-bin
"
if [ "$preset" != gcc ] || [ "$heavy" = ON ]; then  # what GCC and Clang say of mistakes
  needed+="
clang++-14 clang-14
/usr/lib/llvm-14/lib/clang/14.0.6/lib/linux libclang-rt-14-dev
"
fi
mapfile -t missing < <(missing_packages "$needed")
install_packages "${missing[@]}"

[ "$install_only" -eq 0 ] || exit 0

options=("-DHALOGRAPH_HEAVY_TESTS=$heavy" -DCMAKE_COMPILE_WARNING_AS_ERROR=ON
  "-DHALOGRAPH_SHARED_DIR=${HALOGRAPH_SHARED_DIR:-}")
[ "$preset" = asan ] || options+=("-DHALOGRAPH_HEADER_ONLY=$header_only")
if command -v ccache >/dev/null; then
  # The same objects for every clone of the project on this machine.
  export CCACHE_BASEDIR="$root" CCACHE_NOHASHDIR=1
  options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
fi

started=$SECONDS
echo "== configuring $build ($preset)"
cmake --preset "$preset" -B "$build" "${options[@]}"
echo "== building"
targets=()
[ ${#only[@]} -eq 0 ] || targets=(--target "${only[@]/#/tests_}")
cmake --build "$build" --parallel "$jobs" "${targets[@]}" -- -k 0
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

[ ${#only[@]} -eq 0 ] || ctest_options+=(--label-regex "^($(IFS='|'; echo "${only[*]}"))\$")
echo "== testing"
result=0
ctest --test-dir "$build" --parallel "$jobs" --output-on-failure --no-tests=error --timeout 900 \
  "${ctest_options[@]}" || result=$?

# Other compilers, other machines, further libraries; not if only some tests were selected.
if [ "$heavy" = ON ] && [ "$tools" -eq 1 ] && [ "$preset" = gcc ] && [ ${#ctest_options[@]} -eq 0 ]; then
  ./.ci/tool --install || result=1
fi
exit "$result"
