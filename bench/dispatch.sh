#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# What dispatch takes, beside cp -r of the folder that it writes.
#
#   bench/dispatch.sh PROGRAM [--scale S] [--format numpy|csv|parquet]... [--columns N] [--parts K] [--runs N] [--scratch DIR]
#
#   --scale      rmat: 2^S nodes, 16 edges each (default: 20)
#   --format     of the edges in the input, and of its features: numpy where the edges are csv; default: numpy and csv.
#                For parquet the program needs DuckDB
#   --columns    float32 values of each node (default: 64, which are 256 bytes)
#   --parts      default: 16; nodes are assigned at random, so that most edges are cut
#   --runs       pairs of each command, in turn (default: 5)
#   --scratch    where graphs and results are written, about 150 bytes per edge; default: a temporary folder; removed at the end
#
# The budget is an eighth of what dispatch writes, or the least that suffices. Times are wall times with what is still to be
# written to disk (sync), the least of all runs: memory that a virtual machine touches for the first time is slow, for either
# command. Bytes per edge are those that dispatch counts itself, mapped files as read when they are mapped; memory is the
# largest RssAnon.
# Exit code: 0, 1 where a command failed, 2 for a wrong command line.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

program="" formats=() scale=20 columns=64 parts=16 runs=5 scratch=""
while [ $# -gt 0 ]; do
  case "$1" in
    --scale) scale=${2:?--scale needs a number}; shift ;;
    --format) formats+=("${2:?--format needs numpy, csv or parquet}"); shift ;;
    --columns) columns=${2:?--columns needs a number}; shift ;;
    --parts) parts=${2:?--parts needs a number}; shift ;;
    --runs) runs=${2:?--runs needs a number}; shift ;;
    --scratch) scratch=${2:?--scratch needs a folder}; shift ;;
    -h|--help) sed -n '3,19s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    -*) echo "unknown option $1; see --help" >&2; exit 2 ;;
    *) program=$1 ;;
  esac
  shift
done
[ -n "$program" ] && [ -x "$program" ] || { echo "give the program: dispatch.sh build/release/halograph" >&2; exit 2; }
program=$(realpath "$program")
for number in "$scale" "$columns" "$parts" "$runs"; do
  [[ $number =~ ^[1-9][0-9]*$ ]] || { echo "$number must be a whole number above 0" >&2; exit 2; }
done
[ ${#formats[@]} -gt 0 ] || formats=(numpy csv)
for format in "${formats[@]}"; do
  [[ $format =~ ^(numpy|csv|parquet)$ ]] || { echo "--format $format must be numpy, csv or parquet" >&2; exit 2; }
done
[ -z "$scratch" ] || [ -d "$scratch" ] || { echo "--scratch $scratch is not a folder" >&2; exit 2; }
. "$root/bench/watch_memory.sh"

work=$(mktemp -d ${scratch:+-p "$scratch"})
trap 'rm -rf "$work"' EXIT

run() {
  "$program" "$@" --json >"$work/out" 2>"$work/err" || { echo "FAILED: $1: $(head -c 600 "$work/out")" >&2; exit 1; }
}
sum() { grep -o "\"$1\": *[0-9]*" "$work/out" | awk '{ s += $NF } END { printf "%.0f\n", s }'; }
least_of() { sort -n "$1" | head -n 1; }
# timed FILE COMMAND...: append its seconds to the file
timed() {
  local file=$1 begin=$EPOCHREALTIME
  shift
  "$@"
  sync -f "$work"
  awk -v a="$begin" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.3f\n", b - a }' >>"$file"
}
dispatch() {
  watch_memory 0.02 "$work/out" "$work/err" "$program" dispatch "$work/graph" --partitions "$work/assigned" --memory "$1" \
    --out "$work/parts" --json || { echo "FAILED: dispatch: $(head -c 600 "$work/out")" >&2; exit 1; }
}
copy() { cp -r "$work/parts" "$work/copy"; }

echo "rmat $scale, $((columns * 4)) bytes a node, K = $parts, $(nproc) cores, $(stat -f -c %T "$work"), least of $runs pairs of runs"
printf '\n| input | written, MB | budget, MiB | memory, MiB | read, bytes per edge | written | s | cp -r, s | times |\n'
echo '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |'
for format in "${formats[@]}"; do
  run generate rmat --scale "$scale" --chunks 16 --format "${format/parquet/numpy}" --features "$columns" --out "$work/graph"
  if [ "$format" = parquet ]; then
    run chunk "$work/graph" --chunks 16 --format parquet --feature-format parquet --vector-rows --out "$work/tables"
    rm -rf "$work/graph"
    mv "$work/tables" "$work/graph"
  fi
  run assign "$work/graph" --parts "$parts" --method random --out "$work/assigned"
  dispatch 4GiB
  bytes=$(du -sb "$work/parts" | cut -f1)
  least=$(grep -o '"least_bytes": *[0-9]*' "$work/out" | sed -n '1s/.*: *//p')
  budget=$(((bytes / 8 > least ? bytes / 8 : least) / 1048576 + 1))
  rm -f "$work/ours" "$work/copies"
  for ((i = 0; i < runs; ++i)); do
    for _ in 1 2; do
      rm -rf "$work/parts"
      timed "$work/ours" dispatch "${budget}MiB"
    done
    for _ in 1 2; do
      timed "$work/copies" copy
      rm -rf "$work/copy"
    done
  done
  awk -v f="$format" -v all="$bytes" -v b="$budget" -v p="$peak" -v r="$(sum read_bytes)" -v w="$(sum written_bytes)" \
    -v e="$((16 << scale))" -v s="$(least_of "$work/ours")" -v c="$(least_of "$work/copies")" 'BEGIN {
    printf "| %s | %.0f | %d | %.0f | %.1f | %.1f | %.2f | %.2f | %.2f |\n", f, all / 1e6, b, p / 1048576, r / e, w / e, s, c, s / c }'
  rm -rf "$work/graph" "$work/assigned" "$work/parts"
done
