# SPDX-License-Identifier: BSL-1.0
# shellcheck shell=bash
# ThreadSanitizer finds no race: everything that has a pinned digest, on three threads of the standard library and, over
# ranks, on three ranks that are threads. oneTBB is left out: it is not built for ThreadSanitizer, which would report it.
packages="
g++ g++
"
check() {
  rm -rf "$build/files"
  mkdir -p "$build/files"
  g++ -std=c++20 -O1 -g1 -fsanitize=thread -Iinclude -Itests tests/determinism/digests.cpp -pthread -o "$build/digests" || return 1
  # A race ends the program with exit code 66.
  tests/determinism/compare.sh all tests/determinism/digests.txt "$build/digests" "$build/files" small 3 &&
    tests/determinism/compare.sh all tests/determinism/large_digests.txt "$build/digests" "$build/files" large 3
}
