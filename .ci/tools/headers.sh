# SPDX-License-Identifier: BSL-1.0
# shellcheck shell=bash
# Each public header compiles alone in a file.
packages="
cmake cmake
ninja ninja-build
g++ g++
/usr/include/metis.h libmetis-dev
/usr/include/nlohmann/json.hpp nlohmann-json3-dev
/usr/include/boost/interprocess/file_mapping.hpp libboost-dev
/usr/include/CLI/CLI.hpp libcli11-dev
/usr/include/tbb/parallel_for.h libtbb-dev
/usr/include/zlib.h zlib1g-dev
/usr/include/zstd.h libzstd-dev
/usr/include/yaml-cpp/parser.h libyaml-cpp-dev
mpicxx libopenmpi-dev
/usr/include/scotch-int64/ptscotch.h libptscotch-dev
/usr/include/parmetis-int64/parmetis.h libscotchparmetis-dev
"
check() {
  cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=None -DHALOGRAPH_BUILD_PROGRAM=OFF -DHALOGRAPH_BUILD_EXAMPLES=OFF \
    -DBUILD_TESTING=OFF &&
    cmake --build "$build" --target all_verify_interface_header_sets --parallel 2
}
