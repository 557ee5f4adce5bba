#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Gives readers hostile bytes, made by libFuzzer from what each of tests/fuzz/ is known to reach, with sanitizers.
#
#   ./tests/fuzz.sh [options] [reader...]       for example: ./tests/fuzz.sh --seconds 600 npy gzip; all readers by default
#
#   --seconds N      for each reader; default: 15
#   --jobs N         readers at the same time; default: 2
#   --keep DIR       inputs that reach something new are kept in DIR/READER, and the next run begins with them;
#                    default: build/fuzz/kept
#   --out TABLE.md   add the inputs and the time of this run to the rows of these readers in the table at the end of this file
#   --with COMMAND   starts each reader, for example: --with "nice -n 19"
#   --no-build       the harnesses in build/fuzz are up to date
#
# An input may be 4 KiB long. None may take more than 2 s of processor time, 64 MiB in one allocation, or 256 MiB of all,
# which are mostly the sanitizers' and the kept inputs'; a harness may state other limits after "libFuzzer:", and say why.
# What fails is printed in base64 and stays in build/fuzz/faults. Exit code 1 after a fault.
# shellcheck disable=SC2016  # backquotes are Markdown's
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
export LC_ALL=C
seconds=15 jobs=2 keep=build/fuzz/kept out="" with="" build=1 readers=()
while [ $# -gt 0 ]; do
  case "$1" in
    --seconds|--jobs|--keep|--out|--with)
      declare "${1#--}=${2?$1 needs a value}"
      shift
      ;;
    --no-build) build=0 ;;
    -h|--help) sed -n '3,18s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    -*) echo "unknown option $1" >&2; exit 2 ;;
    *) readers+=("$1") ;;
  esac
  shift
done
if [ ${#readers[@]} -eq 0 ]; then
  for harness in tests/fuzz/*.cpp; do readers+=("$(basename "$harness" .cpp)"); done
fi
for reader in "${readers[@]}"; do
  [ -e "tests/fuzz/$reader.cpp" ] || { echo "there is no tests/fuzz/$reader.cpp" >&2; exit 2; }
done
if [ "$build" -eq 1 ]; then
  mkdir -p build/fuzz
  if ! { cmake --preset fuzz && cmake --build build/fuzz --parallel "$jobs" --target "${readers[@]/#/fuzz_}"; } >build/fuzz/log 2>&1; then
    tail -n 40 build/fuzz/log
    echo "the harnesses do not build" >&2
    exit 1
  fi
fi
faults=build/fuzz/faults runs=build/fuzz/runs
rm -rf "$runs"
mkdir -p "$faults" "$runs"
read -ra with <<<"$with"
export ASAN_OPTIONS=quarantine_size_mb=16:${ASAN_OPTIONS-}

# fuzz READER: leaves "READER inputs seconds kept peak" in $runs/READER.row.
fuzz() {
  local reader=$1 corpus=tests/fuzz/corpus/$1 log=$runs/$1.log
  local known=("$keep/$reader") limits
  mkdir -p "${known[0]}"
  [ ! -d "$corpus" ] || known+=("$corpus")
  read -ra limits <<<"-timeout=2 -malloc_limit_mb=64 -rss_limit_mb=256 $(sed -n 's/.*libFuzzer: \(-[^ ]*\).*/\1/p' "tests/fuzz/$reader.cpp")"
  local inputs=0 peak=0 left=$seconds begin=$SECONDS ok input
  while :; do
    ok=1
    ${with[@]+"${with[@]}"} "build/fuzz/tests/fuzz_$reader" "${known[@]}" -max_total_time="$left" -max_len=4096 \
      "${limits[@]}" -print_final_stats=1 -artifact_prefix="$faults/$reader." >"$log" 2>&1 || ok=0
    inputs=$((inputs + $(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | grep . || echo 0)))
    peak=$(sed -n 's/^stat::peak_rss_mb: *//p' "$log")
    [ "$ok" -eq 0 ] || break
    # libFuzzer looks at the clock: an input that takes less processor time than that had to wait for other programs.
    input=$(sed -n 's/.*Test unit written to //p' "$log")
    if ! grep -q '^SUMMARY: libFuzzer: timeout' "$log" ||
      ! (ulimit -t 2 && "build/fuzz/tests/fuzz_$reader" "$input" >"$log.again" 2>&1); then break; fi
    rm -f "$input"
    left=$((seconds - (SECONDS - begin)))
    [ "$left" -gt 0 ] || { ok=1; break; }
  done
  if [ "$ok" -eq 0 ]; then
    echo "$reader: FAULT"
    tail -n 40 "$log"
    sed -n 's/.*Test unit written to //p' "$log" | while IFS= read -r input; do
      echo "$input:"
      base64 "$input" | head -n 100
    done
    return
  fi
  echo "$reader: $inputs inputs, no fault; $peak MiB"
  echo "$reader $inputs $seconds $(find "${known[@]}" -type f | wc -l) $peak" >"$runs/$reader.row"
}

for reader in "${readers[@]}"; do
  while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n || true; done
  fuzz "$reader" &
done
wait

# What a table says is added up; its other rows stay, and so does what stands above it.
if [ -n "$out" ]; then
  {
    sed '/^| reader /,$d' "$out"
    printf '%s\n' '| reader | inputs | hours | of the last run: kept inputs | MiB |' '| --- | ---: | ---: | ---: | ---: |'
    {
      sed -n '/^| reader /,$p' "$out" | sed -n 's/^| `\(.*\)` | \(.*\) | \(.*\) | \(.*\) | \(.*\) |$/\1 \2 \3 \4 \5/p' | tr -d ,
      for row in "$runs"/*.row; do
        [ ! -e "$row" ] || awk '{ print $1, $2, $3 / 3600, $4, $5 }' "$row"
      done
    } | awk "$(cat tests/support/grouped.awk)"'
      { inputs[$1] += $2; hours[$1] += $3; kept[$1] = $4; peak[$1] = $5 }
      END { for (r in inputs) printf "| `%s` | %s | %.2f | %d | %d |\n", r, grouped(inputs[r]), hours[r], kept[r], peak[r] }' | sort
  } >"$runs/table"
  cp "$runs/table" "$out"
fi
failed=0
for reader in "${readers[@]}"; do
  [ -e "$runs/$reader.row" ] || { echo "a fault in $reader" >&2; failed=1; }
done
exit "$failed"
