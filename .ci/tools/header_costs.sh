# SPDX-License-Identifier: BSL-1.0
# shellcheck shell=bash
# No header has grown by more than a tenth since tests/header_costs.md; the new table is in the tool's folder.
packages="
cmake cmake
g++ g++
/usr/include/metis.h libmetis-dev
/usr/include/nlohmann/json.hpp nlohmann-json3-dev
/usr/include/boost/interprocess/file_mapping.hpp libboost-dev
/usr/include/tbb/parallel_for.h libtbb-dev
/usr/include/zlib.h zlib1g-dev
mpicxx libopenmpi-dev
/usr/include/scotch-int64/ptscotch.h libptscotch-dev
/usr/include/parmetis-int64/parmetis.h libscotchparmetis-dev
"
check() {
  local folders
  folders=$(mpicxx --showme:incdirs | tr ' ' ,),/usr/include/scotch-int64,/usr/include/parmetis-int64
  cmake -DCXX=g++ "-DINCLUDE=$PWD/include" "-DFOLDERS=$folders" "-DOUT=$build/header_costs.md" -DAGAINST=tests/header_costs.md -DKEEP=tests/header_costs.md \
    -P tests/structure/header_costs.cmake
}
