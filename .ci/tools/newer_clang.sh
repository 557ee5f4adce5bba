# SPDX-License-Identifier: BSL-1.0
# shellcheck shell=bash
# The refusals and their sentences, and the laws and archetypes, with a newer Clang than the floor.
packages="
clang++-19 clang-19
cmake cmake
ninja ninja-build
g++ g++
/usr/include/gtest/gtest.h libgtest-dev
"
check() {
  # libstdc++ 12's own std::stable_sort calls what it deprecates, and this Clang says so.
  cmake --preset clang -B "$build" -DCMAKE_CXX_COMPILER=clang++-19 -DCMAKE_COMPILE_WARNING_AS_ERROR=ON \
    -DCMAKE_CXX_FLAGS="-O0 -Wno-deprecated-declarations" \
    -DHALOGRAPH_BUILD_PROGRAM=OFF -DHALOGRAPH_BUILD_EXAMPLES=OFF -DHALOGRAPH_SHARED_DIR="${HALOGRAPH_SHARED_DIR:-}" &&
    cmake --build "$build" --parallel 2 --target test_testing &&
    ctest --test-dir "$build" --parallel 2 --output-on-failure --no-tests=error --timeout 900 \
      --label-regex '^(testing|compile_fail)$'
}
