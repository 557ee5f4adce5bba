#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# What it costs to compile with halograph: processor time and peak memory of the compiler, header-only and with the
# compiled library.
#
#   ./bench/compile_time.sh [options]       CXX=clang++-14 ./bench/compile_time.sh [options]
#
#   --runs N          the median of N runs of each file; default: 3
#   --program-runs N  the same for the whole program, which takes minutes; default: 1, and 0 leaves it out
#   --quickstart      also the wall time of examples/quickstart.sh, in a fresh copy of this clone
#   --rows WORDS      only the rows whose name has one of these words, separated by commas
#   --jobs N          files of the program compiled at the same time; default: 2
#   --out             where results and builds go; default: build/compile_time
#   --readme          put the table into bench/README.md
#
# Processor time is user and system time together: other load on the machine changes it little. Writes compile_time.md
# and, for each file of the program, compile_time_program.<mode>.txt: seconds, KiB, file.
# shellcheck disable=SC2016  # backquotes are Markdown's
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
called_from=$PWD
cd "$root"
export LC_ALL=C

whole() { [[ $2 =~ ^[0-9]+$ ]] || { echo "$1 $2 must be a whole number" >&2; exit 2; }; }
runs=3 program_runs=1 quickstart=0 only="" jobs=2 out=build/compile_time readme=0
while [ $# -gt 0 ]; do
  case "$1" in
    --runs) runs=${2:?--runs needs a number}; whole "$1" "$2"; shift ;;
    --program-runs) program_runs=${2:?--program-runs needs a number}; whole "$1" "$2"; shift ;;
    --quickstart) quickstart=1 ;;
    --rows) only=${2:?--rows needs words}; shift ;;
    --jobs) jobs=${2:?--jobs needs a number}; whole "$1" "$2"; shift ;;
    --out) out=${2:?--out needs a folder}; [[ $out = /* ]] || out=$called_from/$out; shift ;;
    --readme) readme=1 ;;
    -h|--help) sed -n '3,18s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) echo "unknown option $1; see --help" >&2; exit 2 ;;
  esac
  shift
done
[ "$runs" -gt 0 ] || { echo "--runs must be at least 1" >&2; exit 2; }
[ "$jobs" -gt 0 ] || { echo "--jobs must be at least 1" >&2; exit 2; }
# shellcheck disable=SC2015  # the braces are for either failure
mkdir -p "$out" 2>/dev/null && [ -w "$out" ] || { echo "cannot write into $out; --out needs a folder that can be written" >&2; exit 1; }
out=$(cd "$out" && pwd)
cxx=${CXX:-g++}
command -v "$cxx" >/dev/null || { echo "there is no compiler $cxx" >&2; exit 1; }

. tests/packages.sh
mapfile -t missing < <(missing_packages "$build_packages$program_packages
/usr/bin/time time
")
install_packages "${missing[@]}"

. bench/compile_rows.sh
printf '%s' "$yardstick_source" >"$out/yardstick.cpp"
echo '#include <halograph/halograph.hpp>' >"$out/umbrella.cpp"
echo '#include <halograph/hosted.hpp>' >"$out/hosted.cpp"
first_program README.md >"$out/readme.cpp"

# selected NAME: is the row wanted?
selected() {
  local word
  [ -n "$only" ] || return 0
  for word in ${only//,/ }; do [[ $1 != *"$word"* ]] || return 0; done
  return 1
}
# The line in the middle; of an even number the one above.
median() { sort -n | awk '{ line[NR] = $0 } END { print line[int(NR / 2) + 1] }'; }
# format SECONDS KIB
format() { awk -v s="$1" -v k="$2" 'BEGIN { printf (s < 10 ? "%.2f s, %.0f MB" : "%.1f s, %.0f MB"), s, k * 1.024e-3 }'; }

# measure COMMAND...: sets seconds and kib to the medians of the runs.
measure() {
  local user system resident
  : >"$out/seconds"
  : >"$out/kib"
  for _ in $(seq "$runs"); do
    if ! /usr/bin/time -q -o "$out/time" -f '%U %S %M' "$@" >"$out/log" 2>&1; then
      head -n 20 "$out/log"
      echo "does not compile: $*" >&2
      return 1
    fi
    read -r user system resident <"$out/time"
    awk -v u="$user" -v s="$system" 'BEGIN { print u + s }' >>"$out/seconds"
    echo "$resident" >>"$out/kib"
  done
  seconds=$(median <"$out/seconds") kib=$(median <"$out/kib")
}

result=0 yardstick=""
row() { printf '| %s |' "$@" | sed 's/||/|/g; s/$/\n/' | tee -a "$out/rows"; }
: >"$out/rows"
row what header-only "times the yardstick" "compiled library" "times the yardstick" must aim
row --- ---: ---: ---: ---: ---: ---:

# cell FLAGS...: appends what a compilation takes to `cells`, or that it fails.
cell() {
  if measure "$cxx" -std=c++20 -Iinclude "$@" -o "$out/object.o"; then
    cells+=("$(format "$seconds" "$kib")")
    [ -z "$yardstick" ] || cells+=("$(awk -v s="$seconds" -v y="$yardstick" 'BEGIN { printf "%.1f", s / y }')")
  else
    cells+=(fails -)
    result=1
  fi
}
# file_row NAME MUST AIM FLAGS...
file_row() {
  local name=$1 must=$2 aim=$3 cells=()
  shift 3
  selected "$name" || return 0
  cell "$@"
  cell "${compiled_flags[@]}" "$@"
  row "$name" "${cells[@]}" "$must" "$aim"
}

measure "$cxx" -std=c++20 -O0 -c "$out/yardstick.cpp" -o "$out/object.o"
yardstick=$seconds
row "the yardstick: \`<vector>\`, \`<string>\`, \`<algorithm>\`, \`<span>\`, \`<ranges>\`, -O0" "$(format "$seconds" "$kib")" 1 "" "" "" ""
file_row '`halograph.hpp` alone, -O0' '2.0 s' '1.0 s' -O0 -c "$out/umbrella.cpp"
file_row '`hosted.hpp` alone, -O0' '3.0 s' '1.5 s' -O0 -c "$out/hosted.cpp"
file_row '`examples/ten_lines.cpp`, -O2' '2.5 s' '1.5 s' -O2 -c examples/ten_lines.cpp
file_row "the README's first program, -O2" '8 s' '4 s' -O2 -c "$out/readme.cpp"
file_row '`examples/custom_method.cpp`, -O2' '10 s' '5 s' -O2 "${program_flags[@]}" -c examples/custom_method.cpp

# The launcher of each compilation: one line of seconds, KiB and the file.
cat >"$out/launcher.sh" <<'LAUNCHER'
#!/bin/sh
# launcher.sh LOG COMPILER...
log=$1 file=
shift
for word; do case "$word" in *.cpp) file=$word ;; esac; done
exec /usr/bin/time -q -a -o "$log" -f "%U %S %M $file" "$@"
LAUNCHER
chmod +x "$out/launcher.sh"
# program_cell MODE OPTION...: the whole program from clean.
program_cell() {
  local log="$out/compile_time_program.$1.txt" build="$out/program.$1"
  shift
  : >"$out/programs"
  for _ in $(seq "$program_runs"); do
    rm -rf "$build" "$log.new"
    if ! { cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_COMPILER=$cxx" -DBUILD_TESTING=OFF \
      "-DCMAKE_CXX_COMPILER_LAUNCHER=$out/launcher.sh;$log.new" "$@" && cmake --build "$build" --parallel "$jobs" --target halograph_program; } \
      >"$out/log" 2>&1; then
      tail -n 40 "$out/log"
      echo "the program does not build" >&2
      cells+=(fails -)
      result=1
      return
    fi
    awk -v root="$root/" -v build="$build/" '{ file = $4; sub("^" build, "", file); sub("^" root, "", file); print $1 + $2, $3, file }' "$log.new" | sort -rn >"$log"
    rm -f "$log.new"
    awk '{ sum += $1; if ($2 > peak) peak = $2 } NR == 1 { most = $1; name = $3 }
      END { printf "%.0f s in %d files; largest: `%s` %.1f s; %.0f MB\n", sum, NR, name, most, peak * 1.024e-3 }' "$log" >>"$out/programs"
  done
  cells+=("$(median <"$out/programs")")
  cells+=("$(awk -v y="$yardstick" '{ printf "%.0f", $1 / y }' <<<"${cells[-1]}")")
}
name='the whole program `halograph`, Release, from clean'
if [ "$program_runs" -gt 0 ] && selected "$name"; then
  cells=()
  program_cell header_only -DHALOGRAPH_HEADER_ONLY=ON
  program_cell compiled -DHALOGRAPH_HEADER_ONLY=OFF
  row "$name" "${cells[@]}" '150 s, no file over 20 s' '90 s'
fi

if [ "$quickstart" -eq 1 ]; then
  rm -rf "$out/clone"
  git clone --quiet "$root" "$out/clone"
  started=$(date +%s)
  if "$out/clone/examples/quickstart.sh" "$out/quickstart" >"$out/log" 2>&1; then
    took=$(($(date +%s) - started))
    row '`examples/quickstart.sh` in a fresh clone, wall time' "" "" "$took s" "" '150 s' '90 s'
  else
    tail -n 40 "$out/log"
    echo "the quick start fails" >&2
    result=1
  fi
  rm -rf "$out/clone"
fi

processor=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
memory=$(awk '/^MemTotal:/ { printf "%.1f", $2 * 1.024e-6 }' /proc/meminfo)
system=$(. /etc/os-release && echo "$PRETTY_NAME")
{
  echo "$processor, $(nproc) cores, $memory GB, $system; $("$cxx" --version | head -n 1)." \
    "Processor time (user and system) and peak memory of the compiler, median of $runs; the program: $program_runs."
  echo
  cat "$out/rows"
} >"$out/compile_time.md"
echo "== written $out/compile_time.md"
[ "$readme" -eq 0 ] || ./bench/readme_table.sh "$out/compile_time.md" bench/README.md compile_time
exit "$result"
