# SPDX-License-Identifier: BSL-1.0
# shellcheck shell=bash
# Programs that nobody here wrote run over our implementation of METIS's interface: gpmetis, gmsh and FreeFem++.
packages="
cmake cmake
ninja ninja-build
g++ g++
gpmetis metis
gmsh gmsh
FreeFem++-nw freefem++
/usr/lib/freefem++/metis.so libfreefem++
"
check() {
  cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_COMPILE_WARNING_AS_ERROR=ON -DHALOGRAPH_BUILD_PROGRAM=OFF \
    -DHALOGRAPH_BUILD_COMPILED=OFF -DHALOGRAPH_SHARED_DIR= &&
    cmake --build "$build" --parallel 2 --target metis_api metis_api_64 metis_api_preload metis_api_test || return 1
  local client
  for client in gpmetis gmsh freefem; do  # a test that is left out does not count as passed
    ctest --test-dir "$build" --output-on-failure --no-tests=error --timeout 300 --tests-regex "^example[.]metis_api[.]$client\$" || return 1
  done
  ctest --test-dir "$build" --output-on-failure --no-tests=error --timeout 300 --tests-regex '^example[.]metis_api$'
}
