# SPDX-License-Identifier: BSL-1.0
# shellcheck shell=bash
# The example of a foreign graph library, examples/igraph_graph.cpp.
packages="
cmake cmake
ninja ninja-build
g++ g++
/usr/include/igraph/igraph.h libigraph-dev
"
check() {
  cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_COMPILE_WARNING_AS_ERROR=ON -DHALOGRAPH_BUILD_PROGRAM=OFF &&
    cmake --build "$build" --parallel 2 --target example_igraph_graph &&
    ctest --test-dir "$build" --output-on-failure --no-tests=error --timeout 300 --tests-regex '^example[.]igraph_graph$'
}
