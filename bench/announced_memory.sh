#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Compare the memory that the program announces with the memory it takes, for every method, as a Markdown table.
#
#   bench/announced_memory.sh PROGRAM [--quick] [--data DIR] [--scratch DIR]
#
#   --quick    one small generated graph, no real ones: a few seconds
#   --data     a folder of real graphs; default: $HALOGRAPH_SHARED_DIR/data or ../shared/data, where it is; none: no real graphs
#   --scratch  where graphs and results are written; default: a temporary folder; removed at the end
#
# Announced is what --json says before the work starts: the estimate's peak_bytes of `partition`, bytes of `dispatch`, memory_bytes of
# the others. Measured is the largest RssAnon of /proc/PID/status, read about every 3 ms, or what dispatch measures itself, if that
# is more: anonymous memory, without pages of mapped files. A peak shorter than the interval may be missed.
# Exit code: 0 where nothing was above its announcement, 1 where something was or a run failed, 2 for a wrong command line.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

quick=0 program="" data="" scratch=""
while [ $# -gt 0 ]; do
  case "$1" in
    --quick) quick=1 ;;
    --data) data=${2:?--data needs a folder}; shift ;;
    --scratch) scratch=${2:?--scratch needs a folder}; shift ;;
    -h|--help) sed -n '3,14s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    -*) echo "unknown option $1; see --help" >&2; exit 2 ;;
    *) program=$1 ;;
  esac
  shift
done
[ -n "$program" ] && [ -x "$program" ] || { echo "give the program: announced_memory.sh build/release/halograph" >&2; exit 2; }
program=$(realpath "$program")
[ -z "$data" ] || [ -d "$data" ] || { echo "--data $data is not a folder" >&2; exit 2; }
if [ -z "$data" ] && [ "$quick" -eq 0 ]; then
  for folder in "${HALOGRAPH_SHARED_DIR:+$HALOGRAPH_SHARED_DIR/data}" "$root/../shared/data"; do
    if [ -z "$data" ] && [ -n "$folder" ] && [ -d "$folder" ]; then data=$folder; fi
  done
fi
. "$root/bench/watch_memory.sh"

work=$(mktemp -d ${scratch:+-p "$scratch"})
trap 'rm -rf "$work"' EXIT
failed=0

# number KEY FILE: the first member of that name
number() { grep -o "\"$1\": *[0-9]*" "$2" | sed -n '1s/.*: *//p'; }

# row GRAPH COMMAND METHOD KEY ARGUMENT...: run and print a row
row() {
  local graph=$1 command=$2 method=$3 key=$4 announced own
  shift 4
  if ! watch_memory 0.003 "$work/out" "$work/err" "$program" "$command" "$@" --json; then
    echo "FAILED: $command --method $method of $graph: $(head -c 600 "$work/out")" >&2
    failed=1
    return
  fi
  own=$(number peak_anonymous_bytes "$work/out" || true)
  if [ -n "$own" ] && [ "$own" -gt "$peak" ]; then peak=$own; fi
  if [ "$key" = estimate ]; then
    announced=$(tr -d '\n' <"$work/out" | grep -o '"estimate".*' >"$work/said"; number peak_bytes "$work/said")
  else
    announced=$(tr -d '\n' <"$work/out" | grep -o '"need".*' >"$work/said"; number "$key" "$work/said")
  fi
  awk -v g="$graph" -v c="$command" -v m="$method" -v a="$announced" -v p="$peak" 'BEGIN {
    printf "| %s | %s | %s | %.1f | %.1f | %.2f |\n", g, c, m, a / 1048576, p / 1048576, p / a
    exit !(p <= a)
  }' || failed=1
}

# graph NAME INPUT: all methods of all commands
graph() {
  local name=$1 input=$2 method chunked=$2
  for method in multilevel metis random ldg fennel buffered hash range; do
    row "$name" partition "$method" estimate --input "$input" --parts "$parts" --method "$method" --out "$work/parts"
  done
  row "$name" partition "multilevel --compress" estimate --input "$input" --parts "$parts" --method multilevel --compress --out "$work/parts"
  if [ ! -e "$input/metadata.json" ]; then
    chunked=$work/chunked
    "$program" chunk --input "$input" --out "$chunked" >"$work/out" 2>&1 || { echo "FAILED: chunk --input $input: $(cat "$work/out")" >&2; failed=1; return; }
  fi
  for method in label_propagation multilevel metis random ldg fennel buffered hash range; do
    row "$name" assign "$method" memory_bytes --in-dir "$chunked" --num-partitions "$parts" --method "$method" --out-dir "$work/assigned"
  done
  row "$name" assign "multilevel --compress" memory_bytes --in-dir "$chunked" --num-partitions "$parts" --method multilevel --compress --out-dir "$work/compressed"
  row "$name" dispatch range bytes --in-dir "$chunked" --partitions-dir "$work/assigned" --out-dir "$work/parts" --memory 256MiB
  for method in "${checks[@]}"; do
    row "$name" "$method" range memory_bytes "$work/parts"
  done
  rm -rf "$work/parts" "$work/chunked" "$work/assigned" "$work/compressed"
}

# generated NAME ARGUMENT...
generated() {
  local name=$1
  shift
  "$program" generate "$@" --out "$work/graph" >"$work/out" 2>&1 || { echo "FAILED: generate $*: $(cat "$work/out")" >&2; failed=1; return; }
  graph "$name" "$work/graph"
  rm -rf "$work/graph"
}

# many_types NAME TYPES NODES: NODES nodes of each type and one edge
many_types() {
  local i
  mkdir -p "$work/graph/edges"
  {
    printf '{"name": "many", "directed": true, "num_nodes": {"t0": %d' "$3"
    for ((i = 1; i < $2; ++i)); do printf ', "t%d": %d' "$i" "$3"; done
    printf '}, "num_edges": {"t0:to:t1": 1}}\n'
  } >"$work/graph/meta.json"
  echo "0 0" >"$work/graph/edges.txt"
  cp "$work/graph/edges.txt" "$work/graph/edges/t0.to.t1.txt"
  graph "$1" "$work/graph"
  rm -rf "$work/graph"
}

parts=8 checks=(report simulate verify)
printf '| graph | command | method | announced MiB | measured MiB | measured / announced |\n| --- | --- | --- | ---: | ---: | ---: |\n'
if [ "$quick" -eq 1 ]; then
  generated "rmat 10 x 4" rmat --scale 10 --edge-factor 4
else
  generated "rmat 16 x 16" rmat --scale 16 --edge-factor 16
  generated "rmat 18 x 16" rmat --scale 18 --edge-factor 16
  generated "hetero 2^16" hetero --scale 16
  generated "grid 1000 x 1000" grid --width 1000 --height 1000
  generated "mag 1/1024" mag --scale 1/1024 --features 16
  many_types "50 types of 2000" 50 2000
fi
if [ -n "$data" ]; then
  for name in cora github-social road-fla web-cnr2000 oewn fb15k-237; do
    if [ -d "$data/$name" ]; then graph "$name" "$data/$name"; fi
  done
fi
exit $failed
