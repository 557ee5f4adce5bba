#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Compare the memory that the program announces with the memory it takes, for every method, as a Markdown table.
#
#   bench/announced_memory.sh PROGRAM [--quick|--all] [--only NAME]... [--data DIR] [--scratch DIR]
#
#   --quick    one small generated graph, no real ones: a few seconds
#   --all      larger generated graphs, all real ones, and 2 and 4 ranks of mpirun: an hour, and 12 GB of memory
#   --only     of these graphs, those of which the name begins so
#   --data     a folder of real graphs; default: $HALOGRAPH_SHARED_DIR/data or ../shared/data, where it is; none: no real graphs
#   --scratch  where graphs and results are written; default: a temporary folder; removed at the end
#
# Announced is what --json says that a run takes at most: bytes of `dispatch`, memory_bytes of the others; of multilevel and
# label_propagation once the graph has been coarsened, else before the work starts.
# Measured is the largest RssAnon of /proc/PID/status, read about every 3 ms, or what dispatch measures itself, if that is more:
# anonymous memory, without pages of mapped files. A peak shorter than the interval may be missed. Of several ranks the largest
# counts, of which each is announced. A second table says how far measures are from announcements, by command and method.
# Exit code: 0 where nothing was above its announcement, 1 where something was or a run failed, 2 for a wrong command line.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

quick=0 all=0 program="" data="" scratch="" only=()
while [ $# -gt 0 ]; do
  case "$1" in
    --quick) quick=1 ;;
    --all) all=1 ;;
    --only) only+=("${2:?--only needs the beginning of a name}"); shift ;;
    --data) data=${2:?--data needs a folder}; shift ;;
    --scratch) scratch=${2:?--scratch needs a folder}; shift ;;
    -h|--help) sed -n '3,18s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
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
  [ "$watched_ranks" -eq 1 ] || method+=", $watched_ranks ranks"
  if ! watch_memory 0.003 "$work/out" "$work/err" "${launch[@]}" "$program" "$command" "$@" --json; then
    echo "FAILED: $command --method $method of $graph: $(head -c 600 "$work/out")" >&2
    failed=1
    return
  fi
  own=$(number peak_anonymous_bytes "$work/out" || true)
  if [ -n "$own" ] && [ "$own" -gt "$peak" ]; then peak=$own; fi
  announced=$(tr -d '\n' <"$work/out" | grep -o '"need".*' >"$work/said"; number "$key" "$work/said")
  awk -v g="$graph" -v c="$command" -v m="$method" -v a="$announced" -v p="$peak" -v all="$work/rows" 'BEGIN {
    printf "| %s | %s | %s | %.1f | %.1f | %.2f |\n", g, c, m, a / 1048576, p / 1048576, p / a
    printf "%s\t%s\t%.4f\t%.0f\t%s\n", c, m, p / a, a - p, g >>all
    exit !(p <= a)
  }' || failed=1
}

# sum_up: of each command and method the runs, the least, the middle and the largest share of the announcement that was taken
sum_up() {
  printf '\n| command | method | runs | least | middle | largest | of |\n| --- | --- | ---: | ---: | ---: | ---: | --- |\n'
  LC_ALL=C sort -t "$(printf '\t')" -k1,1 -k2,2 -k3,3n "$work/rows" | awk -F '\t' '
    function tell() { if (n) printf "| %s | %s | %d | %.2f | %.2f | %.2f | %s |\n", c, m, n, share[1], share[int((n + 1) / 2)], share[n], graph }
    $1 != c || $2 != m { tell(); c = $1; m = $2; n = 0 }
    { share[++n] = $3; graph = $5 }
    END { tell() }'
}

# wanted NAME: is it one of those that --only names?
wanted() {
  local one
  for one in "${only[@]}"; do [[ $1 != "$one"* ]] || return 0; done
  [ "${#only[@]}" -eq 0 ]
}

# graph NAME INPUT: all methods of all commands
graph() {
  local name=$1 input=$2 method chunked=$2
  for method in multilevel metis random ldg fennel buffered hash range; do
    row "$name" partition "$method" memory_bytes --input "$input" --parts "$parts" --method "$method" --out "$work/parts"
  done
  row "$name" partition "multilevel --compress" memory_bytes --input "$input" --parts "$parts" --method multilevel --compress --out "$work/parts"
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
  for watched_ranks in "${more_ranks[@]}"; do
    launch=(mpirun -n "$watched_ranks" --oversubscribe --quiet)
    row "$name" assign label_propagation memory_bytes --in-dir "$chunked" --num-partitions "$parts" --method label_propagation --out-dir "$work/assigned"
    row "$name" dispatch label_propagation bytes --in-dir "$chunked" --partitions-dir "$work/assigned" --out-dir "$work/parts" --memory 256MiB
    row "$name" simulate label_propagation memory_bytes "$work/parts"
  done
  watched_ranks=1 launch=()
  rm -rf "$work/parts" "$work/chunked" "$work/assigned" "$work/compressed"
}

# generated NAME ARGUMENT...
generated() {
  local name=$1
  wanted "$name" || return 0
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

parts=8 checks=(report simulate verify) more_ranks=() launch=()
if [ "$all" -eq 1 ]; then
  command -v mpirun >/dev/null || { echo "--all needs mpirun, and a program that was built with MPI" >&2; exit 2; }
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  more_ranks=(2 4)
fi
printf '| graph | command | method | announced MiB | measured MiB | measured / announced |\n| --- | --- | --- | ---: | ---: | ---: |\n'
if [ "$quick" -eq 1 ]; then
  generated "rmat 10 x 4" rmat --scale 10 --edge-factor 4
else
  generated "rmat 16 x 16" rmat --scale 16 --edge-factor 16
  generated "rmat 18 x 16" rmat --scale 18 --edge-factor 16
  generated "hetero 2^16" hetero --scale 16
  generated "grid 1000 x 1000" grid --width 1000 --height 1000
  if [ "$all" -eq 1 ]; then
    generated "rmat 20 x 16" rmat --scale 20 --edge-factor 16
    generated "rmat 22 x 16" rmat --scale 22 --edge-factor 16
    generated "mag 1/64" mag --scale 1/64 --features 16
  fi
  generated "mag 1/1024" mag --scale 1/1024 --features 16
  if wanted "50 types"; then many_types "50 types of 2000" 50 2000; fi
fi
if [ -n "$data" ]; then
  names=(cora github-social road-fla web-cnr2000 oewn fb15k-237)
  [ "$all" -eq 0 ] || names=(karate lesmis citeseer cora facebook-pages github-social openflights fb15k-237 oewn mesh-4elt mesh-wing road-fla web-cnr2000)
  for name in "${names[@]}"; do
    input=$data/$name
    for file in "$input"/[0-9a-z]*.graph; do
      if [ -e "$file" ]; then input=$file; fi
    done
    if [ -e "$input" ] && wanted "$name"; then graph "$name" "$input"; fi
  done
fi
[ ! -e "$work/rows" ] || sum_up
exit $failed
