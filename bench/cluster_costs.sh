#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# What a unit of work takes in each step of assign and dispatch, beside what `halograph estimate --machines` expects of it.
#
#   bench/cluster_costs.sh PROGRAM [--scale S]... [--parts K] [--runs N] [--scratch DIR]
#
#   --scale    rmat: 2^S nodes, 16 edges each; may be repeated (default: 18 20 22)
#   --parts    default: 16
#   --runs     of each; the shortest counts (default: 3)
#   --scratch  a folder in memory, about 75 bytes per edge (default: a new one in /dev/shm); removed at the end
#
# Each runs with one and with two threads. The difference tells what further threads share: a unit takes serial + parallel / T
# nanoseconds with T threads, the costs of include/halograph/pipeline/cluster_estimate.hpp. Nothing is read from or written to a
# disk, so that times are the processor's. Exit code: 0, 1 where a command failed, 2 for a wrong command line.
set -euo pipefail

program="" scales=() parts=16 runs=3 scratch=/dev/shm
while [ $# -gt 0 ]; do
  case "$1" in
    --scale) scales+=("${2:?--scale needs a number}"); shift ;;
    --parts) parts=${2:?--parts needs a number}; shift ;;
    --runs) runs=${2:?--runs needs a number}; shift ;;
    --scratch) scratch=${2:?--scratch needs a folder}; shift ;;
    -h|--help) sed -n '3,15s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    -*) echo "unknown option $1; see --help" >&2; exit 2 ;;
    *) program=$1 ;;
  esac
  shift
done
[ -n "$program" ] && [ -x "$program" ] || { echo "give the program: cluster_costs.sh build/bench/halograph" >&2; exit 2; }
program=$(realpath "$program")
[ ${#scales[@]} -gt 0 ] || scales=(18 20 22)
[ -d "$scratch" ] || { echo "--scratch $scratch is not a folder" >&2; exit 2; }
work=$(mktemp -d -p "$scratch")
trap 'rm -rf "$work"' EXIT

# run OUT ARGUMENT...
run() {
  local out=$1
  shift
  "$program" "$@" --json >"$out" 2>"$work/err" || { echo "FAILED: $*: $(head -c 600 "$out")" >&2; exit 1; }
}
# The first member of that name in a file.
first() { grep -o "\"$1\": *[0-9.]*" "$2" | sed -n '1s/.*: *//p'; }
# Lines "STEP SECONDS" of the steps of a file, where the member with the seconds has that name.
steps_of() {
  awk -v wanted="$2" '
    /"steps": \[/ { inside = 1 }
    inside && /"name":/ { gsub(/[",]/, ""); name = $2 }
    inside && $1 == "\"" wanted "\":" { sub(/,/, "", $2); seconds = $2 }
    inside && /^ *\}/ { if (name != "") print name, seconds; name = "" }
    inside && /^    \]/ { exit }' "$1"
}
# The shortest time of each step over all runs: of assign, all steps are one; nodes takes open, parts takes finish.
shortest() {
  awk '
    { if (FILENAME != file) { file = FILENAME; run++ }
      step = $1
      if (FILENAME ~ /assign/) step = "assign"
      if (step == "open") step = "nodes"
      if (step == "finish") step = "parts"
      s[run, step] += $2; seen[step] = 1 }
    END { for (step in seen) { best = ""
        for (i = 1; i <= run; i++) if ((i, step) in s && (best == "" || s[i, step] < s[best, step])) best = i
        print step, s[best, step] } }' "$@"
}

echo "$(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores; $("$program" --version | tail -n 1)"
echo
echo "| scale | threads | step | s | expected | ratio | ns per unit |"
echo "| --- | --- | --- | ---: | ---: | ---: | ---: |"
for scale in "${scales[@]}"; do
  run "$work/generated" generate rmat --scale "$scale" --format numpy --out "$work/graph"
  nodes=$(first nodes "$work/generated") edges=$(first edges "$work/generated")
  for threads in 1 2; do
    rm -f "$work"/*.steps
    for ((i = 0; i < runs; i++)); do
      run "$work/assign" assign "$work/graph" --parts "$parts" --method buffered --threads "$threads" --out "$work/assigned"
      steps_of "$work/assign" seconds >"$work/assign.$i.steps"
      run "$work/dispatch" dispatch "$work/graph" --partitions "$work/assigned" --memory 4GiB --threads "$threads" --out "$work/parts"
      steps_of "$work/dispatch" seconds >"$work/dispatch.$i.steps"
    done
    cut=$(first directed_cut "$work/dispatch") copies=$(first replication_factor "$work/dispatch")
    run "$work/expected" estimate --num-nodes "$nodes" --num-edges "$edges" --parts "$parts" --machines 1 --threads "$threads" \
      --cut-share "$(awk -v c="$cut" -v e="$edges" 'BEGIN { printf "%.6f", c / e }')" --replication "$copies"
    steps_of "$work/expected" processor_seconds >"$work/expected.steps"
    { shortest "$work"/assign.*.steps; shortest "$work"/dispatch.*.steps; } >"$work/measured"
    awk -v scale="$scale" -v threads="$threads" -v n="$nodes" -v e="$edges" -v cut="$cut" -v copies="$copies" '
      NR == FNR { s[$1] = $2; next }
      { units = $1 == "nodes" ? n : $1 == "cut" ? cut : $1 == "parts" ? e + cut : e
        time += s[$1]; wanted += $2
        printf "| %s | %s | %s | %.6f | %.6f | %.2f | %.1f |\n", scale, threads, $1, s[$1], $2, $2 / s[$1],
          s[$1] * 1e9 / units }
      END { printf "| %s | %s | all | %.6f | %.6f | %.2f | %.1f |\n", scale, threads, time, wanted, wanted / time, time * 1e9 / e }
      ' "$work/measured" "$work/expected.steps"
  done
  rm -rf "$work/graph" "$work/assigned" "$work/parts"
done
