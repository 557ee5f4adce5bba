# SPDX-License-Identifier: BSL-1.0
# shellcheck shell=bash
# clang-tidy finds nothing in any header, nor in the program; .clang-tidy lists the checks.
packages="
clang-tidy-19 clang-tidy-19
git git
g++ g++
$program_packages$ranks_packages"
# Few large translation units: each costs what all of them have in common.
check() {
  local source name flags=(-std=c++20 -Iinclude -Iexamples -I/usr/include/scotch-int64 -I/usr/include/parmetis-int64
    -DHALOGRAPH_WITH_MPI=1 -DHALOGRAPH_WITH_TBB=1 -DHALOGRAPH_WITH_ZLIB=1 -DHALOGRAPH_WITH_ZSTD=1 -DHALOGRAPH_WITH_PTSCOTCH=1 -DHALOGRAPH_WITH_PARMETIS=1)
  read -ra source < <(mpicxx --showme:compile)
  flags+=("${source[@]}")
  rm -f "$build"/*.cpp
  # DuckDB is in no Debian release, and Scotch's parmetis.h repeats names of metis.h.
  git ls-files -- 'include/halograph/*.hpp' | grep -Ev 'adapters/(duckdb[./]|parmetis[.])' |
    sed 's|^include/\(.*\)|#include <\1>|' >"$build/library.cpp"
  echo '#include <halograph/parallel_parmetis.cpp>' >"$build/parmetis.cpp"
  {
    cat "$build/library.cpp"
    git ls-files -- 'examples/halograph/*.hpp' | sed 's|^examples/\(.*\)|#include <\1>|'
    git ls-files -- 'examples/halograph/*.cpp' | grep -v '/parallel_parmetis[.]cpp$' | while read -r source; do
      name=$(basename "$source" .cpp)  # several files have a struct flags in a namespace without a name
      printf '#define flags flags_%s\n#include <%s>\n#undef flags\n' "$name" "${source#examples/}"
    done
  } >"$build/program.cpp"
  printf '%s\n' "$build"/{program,library,parmetis}.cpp |
    xargs -P 2 -I '{}' clang-tidy-19 --quiet --config-file=.clang-tidy '{}' -- "${flags[@]}" 2>"$build/log" ||
    { grep -E 'error:' "$build/log"; return 1; }
}
