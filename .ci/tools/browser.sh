# SPDX-License-Identifier: BSL-1.0
# shellcheck shell=bash
# The pages of `halograph report` in a real browser: tests/program/report_browser.sh with Debian's Chromium. And, since
# Python is here, .npy files against NumPy: tests/fuzz/numpy.py.
packages="
cmake cmake
ninja ninja-build
g++ g++
$program_packages
/usr/include/gtest/gtest.h libgtest-dev
chromium chromium
python3 python3
/usr/lib/python3/dist-packages/numpy python3-numpy
"
check() {
  cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS=-O0 -DHALOGRAPH_HEAVY_TESTS=OFF &&
    cmake --build "$build" --parallel 2 --target halograph npy_verdicts &&
    ctest --test-dir "$build" --output-on-failure --no-tests=error --timeout 900 --tests-regex '^(program[.]report_browser|fuzz[.]numpy)$'
}
