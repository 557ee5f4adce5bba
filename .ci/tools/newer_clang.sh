# SPDX-License-Identifier: BSL-1.0
# shellcheck shell=bash
# Compile-time errors and their sentences, laws and archetypes, with a newer Clang than the minimum; and the driver of
# coverage, whose MC/DC an older one cannot count.
packages="
clang++-19 clang-19
llvm-cov-19 llvm-19
/usr/lib/llvm-19/lib/clang/19/lib/linux/libclang_rt.profile-x86_64.a libclang-rt-19-dev
cmake cmake
ninja ninja-build
g++ g++
/usr/include/gtest/gtest.h libgtest-dev
"
check() {
  # libstdc++ 12's std::stable_sort calls a deprecated function, and this Clang warns of it.
  cmake --preset clang -B "$build" -DCMAKE_CXX_COMPILER=clang++-19 -DCMAKE_COMPILE_WARNING_AS_ERROR=ON \
    -DCMAKE_CXX_FLAGS="-O0 -Wno-deprecated-declarations" \
    -DHALOGRAPH_BUILD_PROGRAM=OFF -DHALOGRAPH_BUILD_EXAMPLES=OFF -DHALOGRAPH_SHARED_DIR="${HALOGRAPH_SHARED_DIR:-}" &&
    cmake --build "$build" --parallel 2 --target test_testing &&
    ctest --test-dir "$build" --parallel 2 --output-on-failure --no-tests=error --timeout 900 \
      --label-regex '^(testing|compile_fail)$' &&
    bash tests/structure/coverage_test.sh
}
