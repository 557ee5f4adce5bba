#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Build the benchmarks, run them all, and write the results.
#
#   ./bench/run.sh [--quick] [--data DIR] [--out DIR] [--scratch DIR] [--clock wall|cpu] [--jobs N] [--readme]
#
#   --quick    smaller graphs: under a minute once built
#   --data     a folder of graphs to measure besides R-MAT ones; default: ../shared/data, if it exists
#   --out      where results go; default: build/bench/results
#   --scratch  where partitions are written, a RAM-backed file system; default: /dev/shm
#   --clock    wall, or cpu: processor time of one thread, for a machine with other load
#   --readme   put the table into bench/README.md
#
# Writes end_to_end.{txt,md,json,svg}, linear_cost.{txt,json,svg}, kernels.{txt,json}, and <name>.{txt,json} of any further one.
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

quick=0 data="" out=build/bench/results scratch=/dev/shm clock=wall jobs=2 readme=0
while [ $# -gt 0 ]; do
  case "$1" in
    --quick) quick=1 ;;
    --data) data=$(folder --data "${2:?--data needs a folder}"); shift ;;
    --out) out=$(path "${2:?--out needs a folder}"); shift ;;
    --scratch) scratch=$(folder --scratch "${2:?--scratch needs a folder}"); shift ;;
    --clock) clock=${2:?--clock needs wall or cpu}; shift ;;
    --jobs) jobs=${2:?--jobs needs a number}; shift ;;
    --readme) readme=1 ;;
    -h|--help) sed -n '3,15s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) echo "unknown option $1; see --help" >&2; exit 2 ;;
  esac
  shift
done
case "$clock" in wall|cpu) ;; *) echo "--clock $clock must be wall or cpu" >&2; exit 2 ;; esac
mkdir -p "$out" 2>/dev/null && [ -w "$out" ] || { echo "cannot write into $out; --out needs a folder that can be written" >&2; exit 1; }
if [ -z "$data" ] && [ -d ../shared/data ]; then data=../shared/data; fi
[ -d "$scratch" ] || scratch=$(dirname "$(mktemp -u)")

. tests/packages.sh
# Each line: a file or command that shows that the package is installed, and the package.
needed="$build_packages$program_packages
/usr/include/benchmark/benchmark.h libbenchmark-dev
"
mapfile -t missing < <(missing_packages "$needed")
install_packages "${missing[@]}"

build=build/bench
options=(-DHALOGRAPH_BUILD_BENCHMARKS=ON)
if command -v ccache >/dev/null; then options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
echo "== building"
cmake --preset release -B "$build" "${options[@]}" >/dev/null
cmake --build "$build" --parallel "$jobs"

started=$SECONDS
end_to_end=(--scratch "$scratch" --out "$out" --clock "$clock") linear_cost=(--out "$out")
kernels=("--benchmark_out=$out/kernels.json" --benchmark_out_format=json)
if [ -n "$data" ]; then end_to_end+=(--data "$data"); fi
if [ "$quick" -eq 1 ]; then
  end_to_end+=(--rmat 16 --runs 2 --least-edges 1000000)
  linear_cost+=(--most-scale 18 --scale 16 --most-parts 64 --runs 1)
  kernels+=(--scale 14 --benchmark_min_time=0.02)
else
  kernels+=(--benchmark_min_time=0.3)
fi

echo "== end_to_end"
"$build/bench/bench_end_to_end" "${end_to_end[@]}"
echo "== linear_cost"
"$build/bench/bench_linear_cost" "${linear_cost[@]}"
echo "== kernels"
"$build/bench/bench_kernels" "${kernels[@]}" | tee "$out/kernels.txt"
# Any other benchmark must end in minutes, with --quick in seconds, and write <name>.json.
for other in "$build"/bench/bench_*; do
  name=${other##*/bench_}
  case "$name" in end_to_end|linear_cost|kernels|partitioners) continue ;; esac
  if [ -x "$other" ] && [ -f "$other" ]; then
    echo "== $name"
    if [ "$quick" -eq 1 ]; then "$other" --quick --out "$out"; else "$other" --out "$out"; fi | tee "$out/$name.txt"
  fi
done
if [ "$readme" -eq 1 ]; then bench/readme_table.sh "$out/end_to_end.md"; fi
echo "== results are in $out, after $((SECONDS - started)) s"
