# SPDX-License-Identifier: BSL-1.0
# shellcheck shell=bash
# No header has become a tenth larger than tests/header_costs.md says; the new table stays in the tool's folder.
packages="
cmake cmake
g++ g++
/usr/include/metis.h libmetis-dev
/usr/include/nlohmann/json.hpp nlohmann-json3-dev
/usr/include/boost/interprocess/file_mapping.hpp libboost-dev
/usr/include/tbb/parallel_for.h libtbb-dev
/usr/include/zlib.h zlib1g-dev
"
check() {
  cmake -DCXX=g++ "-DINCLUDE=$PWD/include" "-DOUT=$build/header_costs.md" -DAGAINST=tests/header_costs.md \
    -P tests/structure/header_costs.cmake
}
