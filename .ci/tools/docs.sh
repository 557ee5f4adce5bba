# SPDX-License-Identifier: BSL-1.0
# shellcheck shell=bash
# The API reference builds without a warning.
packages="
cmake cmake
ninja ninja-build
g++ g++
doxygen doxygen
/usr/include/gtest/gtest.h libgtest-dev
"
check() {
  cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=None -DHALOGRAPH_BUILD_PROGRAM=OFF -DHALOGRAPH_BUILD_EXAMPLES=OFF &&
    ctest --test-dir "$build" --output-on-failure --no-tests=error --timeout 600 --tests-regex '^structure[.]api_reference$'
}
