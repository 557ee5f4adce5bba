#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Run the whole pipeline on a graph of a billion edges within a memory budget, and print what each command takes.
#
#   bench/billion.sh PROGRAM [--graph rmat|mag]... [--scale S] [--mag-scale F] [--parts K] [--memory SIZE] [--scratch DIR]
#
#   --graph      rmat: 2^26 nodes, 16 edges each; mag: MAG240M's schema at a quarter of its size; default: both
#   --scale      rmat: 2^S nodes (default: 26)
#   --mag-scale  mag: a fraction of the data set's 1.7 billion edges (default: 1/4)
#   --parts      default: 16
#   --memory     budget of each command that has one (default: 4GiB)
#   --method     of the assignment (default: buffered)
#   --scratch    where graphs and results are written, about 75 bytes per edge; default: a temporary folder; removed at the end
#
# The commands are generate, assign, dispatch, verify (the folder alone) and simulate (every node is a seed), each within the
# budget. Times are wall times, with what is still to be written to disk
# (sync). Bytes per edge are those that the commands count themselves, mapped files as read when they are mapped; memory is the
# largest RssAnon, read 20 times a second. The yardstick is cp of one part and sync, for as many bytes as all parts.
# Exit code: 0, 1 where a command failed, 2 for a wrong command line.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

program="" graphs=() scale=26 mag_scale=1/4 parts=16 memory=4GiB method=buffered scratch=""
while [ $# -gt 0 ]; do
  case "$1" in
    --graph) graphs+=("${2:?--graph needs rmat or mag}"); shift ;;
    --scale) scale=${2:?--scale needs a number}; shift ;;
    --mag-scale) mag_scale=${2:?--mag-scale needs a fraction}; shift ;;
    --parts) parts=${2:?--parts needs a number}; shift ;;
    --memory) memory=${2:?--memory needs a size}; shift ;;
    --method) method=${2:?--method needs a method of assign}; shift ;;
    --scratch) scratch=${2:?--scratch needs a folder}; shift ;;
    -h|--help) sed -n '3,19s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    -*) echo "unknown option $1; see --help" >&2; exit 2 ;;
    *) program=$1 ;;
  esac
  shift
done
[ -n "$program" ] && [ -x "$program" ] || { echo "give the program: billion.sh build/release/halograph" >&2; exit 2; }
program=$(realpath "$program")
[ ${#graphs[@]} -gt 0 ] || graphs=(rmat mag)
for graph in "${graphs[@]}"; do
  [ "$graph" = rmat ] || [ "$graph" = mag ] || { echo "--graph $graph must be rmat or mag" >&2; exit 2; }
done
[ -z "$scratch" ] || [ -d "$scratch" ] || { echo "--scratch $scratch is not a folder" >&2; exit 2; }
. "$root/bench/watch_memory.sh"

work=$(mktemp -d ${scratch:+-p "$scratch"})
trap 'rm -rf "$work"' EXIT

# The sum of all members of that name, and the first one.
sum() { grep -o "\"$1\": *[0-9]*" "$work/out" | awk '{ s += $NF } END { printf "%.0f\n", s }'; }
first() { grep -o "\"$1\": *[0-9]*" "$work/out" | sed -n '1s/.*: *//p'; }
elapsed() { awk -v a="$1" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.3f", b - a }'; }

# step GRAPH NAME ARGUMENT...: run it and print a row
step() {
  local graph=$1 name=$2 begin seconds
  shift 2
  begin=$EPOCHREALTIME
  if ! watch_memory 0.05 "$work/out" "$work/err" "$program" "$@" --json; then
    echo "FAILED: $name of $graph: $(head -c 600 "$work/out")" >&2
    exit 1
  fi
  sync -f "$work"
  seconds=$(elapsed "$begin")
  [ "$name" != generate ] || edges=$(first edges)
  awk -v g="$graph" -v n="$name" -v s="$seconds" -v r="$(sum read_bytes)" -v w="$(sum written_bytes)" -v p="$peak" -v e="$edges" 'BEGIN {
    printf "| %s | %s | %.1f | %.1f | %.1f | %.1f | %.0f |\n", g, n, s, s * 1e9 / e, r / e, w / e, p / 1048576 }'
}

# graph NAME ARGUMENT...: of generate
graph() {
  local name=$1 part bytes all begin
  shift
  step "$name" generate generate "$@" --format numpy --out "$work/graph"
  step "$name" "assign --method $method" assign "$work/graph" --parts "$parts" --method "$method" --memory "$memory" --out "$work/assigned"
  step "$name" dispatch dispatch "$work/graph" --partitions "$work/assigned" --memory "$memory" --out "$work/parts"
  part=$work/parts/part0
  bytes=$(du -sb "$part" | cut -f1) all=$(du -sb "$work/parts" | cut -f1)
  begin=$EPOCHREALTIME
  cp -r "$part" "$work/copy"
  sync -f "$work"
  awk -v g="$name" -v s="$(elapsed "$begin")" -v b="$bytes" -v a="$all" -v e="$edges" 'BEGIN {
    s *= a / b
    printf "| %s | cp, yardstick | %.1f | %.1f | %.1f | %.1f | - |\n", g, s, s * 1e9 / e, a / e, a / e }'
  rm -rf "$work/copy"
  step "$name" verify verify "$work/parts" --memory "$memory"
  step "$name" simulate simulate "$work/parts" --memory "$memory"
  rm -rf "$work/graph" "$work/assigned" "$work/parts"
}

edges=0
echo "K = $parts, --memory $memory, $(nproc) cores, $(awk '/^MemTotal/ { printf "%.1f GiB", $2 / 1048576 }' /proc/meminfo) of memory, $(stat -f -c %T "$work") with $(df --output=avail -B1G "$work" | tail -n 1 | tr -d ' ') GiB free"
printf '\n| graph | command | s | ns per edge | read, bytes per edge | written | memory, MiB |\n| --- | --- | ---: | ---: | ---: | ---: | ---: |\n'
for graph in "${graphs[@]}"; do
  if [ "$graph" = rmat ]; then
    graph "rmat $scale" rmat --scale "$scale" --edge-factor 16 --chunks 16
  else
    graph "mag $mag_scale" mag --scale "$mag_scale" --chunks 16
  fi
done
