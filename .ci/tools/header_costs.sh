# SPDX-License-Identifier: BSL-1.0
# shellcheck shell=bash
# No row of tests/header_costs.md has grown by more than 15 %; the new table is in the tool's folder.
packages="
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
  local folders
  folders=$(mpicxx --showme:incdirs | tr ' ' ,),/usr/include/scotch-int64,/usr/include/parmetis-int64
  ./tests/structure/header_costs.sh --folders "$folders" --out "$build/header_costs.md" --against tests/header_costs.md --keep tests/header_costs.md
}
