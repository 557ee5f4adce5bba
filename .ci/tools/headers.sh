# SPDX-License-Identifier: BSL-1.0
# shellcheck shell=bash
# Each public header compiles alone in a file.
packages="$build_packages$program_packages$ranks_packages"
check() {
  cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=None -DHALOGRAPH_BUILD_PROGRAM=OFF -DHALOGRAPH_BUILD_EXAMPLES=OFF \
    -DBUILD_TESTING=OFF &&
    cmake --build "$build" --target all_verify_interface_header_sets --parallel 2
}
