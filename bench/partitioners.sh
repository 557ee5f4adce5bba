#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Compare partitioners: ours, METIS, and programs of others that are found on the PATH. Builds, measures, writes the results.
#
#   ./bench/partitioners.sh [--quick] [--data DIR] [--out DIR] [--jobs N] [--readme] [-- OPTION...]
#
#   --quick   one small graph, one run: seconds once built
#   --data    a folder of graphs; default: $HALOGRAPH_SHARED_DIR/data or ../shared/data, where it is; none: R-MAT alone
#   --out     where results go; default: build/bench/results
#   --jobs    compilers at the same time, by default 2
#   --readme  put the three tables into bench/README.md and the picture into bench/partitioners.svg
#   OPTION    of bench_partitioners (see its --help), such as --runs 1, --threads 4, --methods multilevel:fast,gpmetis
#
# Writes partitioners{.md,_rows.md,.json,.svg}, and with the same endings partitioners_constraints for several constraints
# and partitioners_streaming for the methods of halograph assign that read each edge once.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
called_from=$PWD
cd "$root"

# A path as the caller means it.
path() {
  case "$1" in
    /*) echo "$1" ;;
    *) echo "$called_from/$1" ;;
  esac
}

# The folder of an option must exist; checked before the build.
folder() {
  path "$2"
  [ -d "$(path "$2")" ] || { echo "$1 $2 is not a folder" >&2; exit 2; }
}

quick=0 data="" out=build/bench/results jobs=2 readme=0 more=()
while [ $# -gt 0 ]; do
  case "$1" in
    --quick) quick=1 ;;
    --data) data=$(folder --data "${2:?--data needs a folder}"); shift ;;
    --out) out=$(path "${2:?--out needs a folder}"); shift ;;
    --jobs) jobs=${2:?--jobs needs a number}; shift ;;
    --readme) readme=1 ;;
    --) shift; more=("$@"); break ;;
    -h|--help) sed -n '3,16s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) echo "unknown option $1; see --help" >&2; exit 2 ;;
  esac
  shift
done
mkdir -p "$out" 2>/dev/null && [ -w "$out" ] || { echo "cannot write into $out; --out needs a folder that can be written" >&2; exit 1; }
if [ -z "$data" ]; then
  for folder in "${HALOGRAPH_SHARED_DIR:+$HALOGRAPH_SHARED_DIR/data}" ../shared/data; do
    if [ -z "$data" ] && [ -n "$folder" ] && [ -d "$folder" ]; then data=$folder; fi
  done
fi

. tests/packages.sh
mapfile -t missing < <(missing_packages "$build_packages$program_packages
gpmetis metis
")
install_packages "${missing[@]}"

build=build/bench
options=(-DHALOGRAPH_BUILD_BENCHMARKS=ON)
if command -v ccache >/dev/null; then options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
echo "== building"
cmake --preset release -B "$build" "${options[@]}" >/dev/null
cmake --build "$build" --parallel "$jobs" --target bench_partitioners halograph_program

started=$SECONDS
graphs=()
if [ "$quick" -eq 1 ]; then
  one_load=(--quick) several_loads=(--quick)
else
  if [ -n "$data" ]; then
    for name in mesh-4elt mesh-wing github-social road-fla web-cnr2000; do
      if [ -d "$data/$name" ]; then graphs+=("$data/$name"); fi
    done
  fi
  one_load=("${graphs[@]}" --rmat 18) several_loads=("${graphs[@]}")
  if [ ${#graphs[@]} -eq 0 ]; then several_loads=(--rmat 16); fi
fi
# Graphs and results are held here while it runs, in memory where that is possible.
scratch=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d)
trap 'rm -rf "$scratch"' EXIT
run=("$build/bench/bench_partitioners" --out "$out" --scratch "$scratch")
echo "== balanced nodes"
"${run[@]}" "${one_load[@]}" "${more[@]}"
echo "== several constraints"
"${run[@]}" --constraints "${several_loads[@]}" "${more[@]}"
# Methods of one's own are compared in the first two tables only.
streaming=1
[[ " ${more[*]} " != *" --methods"* ]] || streaming=0
if [ "$streaming" -eq 1 ]; then
  echo "== streaming"
  "${run[@]}" "${one_load[@]}" "${more[@]}" --name partitioners_streaming --reference assign:fennel \
    --methods assign:ldg,assign:fennel,assign:buffered
fi
if [ "$readme" -eq 1 ]; then
  bench/readme_table.sh "$out/partitioners.md" bench/README.md partitioners
  bench/readme_table.sh "$out/partitioners_constraints.md" bench/README.md partitioners_constraints
  [ "$streaming" -eq 0 ] || bench/readme_table.sh "$out/partitioners_streaming.md" bench/README.md partitioners_streaming
  cp "$out/partitioners.svg" bench/partitioners.svg
fi
echo "== results are in $out, after $((SECONDS - started)) s"
