#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Count faults: calls of the C library fail one at a time in each command of the program (tests/faults/faults.cpp), and what a
# crash may leave is rebuilt (crash_states.cpp). ctest runs a few of them, this as many as asked.
#
#   ./tests/faults.sh [options]
#
#   --most N         calls of each kind that fail, spread over the run; 0: all of them; default: 12
#   --states N       states of the files for each of their changes; default: 30
#   --build DIR      where the program and its tests are built; default: build/gcc
#   --program FILE   another program, such as build/asan/halograph, which ends with an error if memory has leaked (and whose
#                    memory does not fail: AddressSanitizer has its own)
#   --place DIR      for the runs' files; default: a temporary folder
#   --jobs N         commands at the same time; default: 2
#   --out FILE.md    write the table over the one at its end
#
# Exit code 1 if a run ends in a way that faults.cpp or crash_states.cpp do not allow.
# shellcheck disable=SC2016  # backquotes are Markdown's
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
export LC_ALL=C
most=12 states=30 build=build/gcc tried="" place="" jobs=2 out=""
while [ $# -gt 0 ]; do
  case "$1" in
    --most|--states|--build|--place|--jobs|--out)
      declare "${1#--}=${2?$1 needs a value}"
      shift
      ;;
    --program)
      tried=${2?$1 needs a value}
      shift
      ;;
    -h|--help) sed -n '3,17s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) echo "unknown argument $1" >&2; exit 2 ;;
  esac
  shift
done
tried=${tried:-$build/halograph}
for program in "$tried" "$build"/tests/faults/{faults,crash_states}; do
  [ -x "$program" ] || { echo "there is no $program; build it first: ./tests/run.sh --preset gcc" >&2; exit 2; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# run_one PROGRAM LIBRARY COMMAND ARGUMENT...: runs it; what it prints stays in $work/PROGRAM.COMMAND.
run_one() {
  local program=$1 library=$2 command=$3 said=$work/$1.$3 files=${place:-$work}/files.$1.$3
  shift 3
  "$build/tests/faults/$program" "$tried" "$build/tests/faults/$library" "$files" "$command" "$@" >"$said" || touch "$work/failed"
  rm -rf "$files"
  cat "$said"
}
commands_of() { { "$build/tests/faults/$1" || true; } 2>&1 | sed -n 's/.* is one of //p' | xargs -n 1; }
for command in $(commands_of faults); do
  [[ $command != *_parquet ]] || "$tried" --version | grep -q '^libraries:.* duckdb' || continue
  while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n || true; done
  run_one faults libfaults_inject.so "$command" "$most" &
done
for command in $(commands_of crash_states); do
  while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n || true; done
  run_one crash_states libfaults_record.so "$command" "$states" 300 &
done
wait

# The last lines are "COMMAND: 527 faults injected, 304 runs ended well all the same, 28 runs cleaned up after others, 0 failures" and
# "COMMAND: 16 operations, 510 states, 11 of them different, 399 with the earlier output; 11 runs after a crash; 0 failures".
if [ -n "$out" ]; then
  touch "$out"
  {
    sed '/^| command /,$d' "$out"
    echo '| command | faults | of these runs end well | states after a crash | of these different | failures |'
    echo '| --- | ---: | ---: | ---: | ---: | ---: |'
    tail -qn 1 "$work"/{faults,crash_states}.* | awk "$(cat tests/support/grouped.awk)"'
      function row(name) {
        printf "| %s | %s | %s | %s | %s | %d |\n", name, grouped(cell[name, 1]), grouped(cell[name, 2]), grouped(cell[name, 3]), grouped(cell[name, 4]), cell[name, 5]
      }
      {
        name = "`" substr($1, 1, length($1) - 1) "`"
        first = $3 == "faults" ? 1 : 3
        split(first == 1 ? $2 " " $5 : $4 " " $6, count, " ")
        if (!(name in seen)) { seen[name] = 1; order[++names] = name }
        for (i = 0; i < 2; ++i) { cell[name, first + i] += count[i + 1]; cell["all", first + i] += count[i + 1] }
        cell[name, 5] += $(NF - 1); cell["all", 5] += $(NF - 1)
      }
      END { for (i = 1; i <= names; ++i) row(order[i]); row("all") }'
  } >"$work/table"
  cp "$work/table" "$out"
fi
[ ! -e "$work/failed" ]
