#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# What each public header costs those who include it: lines and bytes after preprocessing, its own and those of the
# standard library together; and for some headers and programs what compiling them takes: memory, as GCC counts it (all that
# it allocates, the same on any machine), and time, in times that of a yardstick, which is compiled in the same run.
#
#   header_costs.sh --out TABLE.md [options]
#
#   --cxx CXX            default: g++
#   --include DIR        the folder that holds halograph/; default: include
#   --folders DIR,...    further folders, searched last, with the headers of foreign libraries
#   --headers A.hpp,...  only these, below halograph/
#   --compiled LIST      what is compiled: all (the default); headers, without the programs; none; or names, separated by commas
#   --against TABLE.md   compare with a table made before: every header is in it, and neither bytes nor memory of a row have
#                        grown by more than 15 % and a little (10 kB; 3 MiB). Its times are kept: another machine has others
#   --keep TABLE.md      a header whose library is not here keeps its row of this table
#   --jobs N             files compiled at the same time; default: 2
#
# Compiled are the umbrella headers, and of each folder the header with most bytes, without making code; and the programs of
# bench/compile_time.sh with -O2, header-only and as with the compiled library. With --against, what that table has compiled.
# A time is user time, the least of three runs that alternate with the yardstick; of five where three differ much.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export LC_ALL=C
cxx=g++ include=$root/include folders="" headers="" compiled=all against="" keep="" jobs=2 out=""
while [ $# -gt 0 ]; do
  case "$1" in
    --cxx|--include|--folders|--headers|--compiled|--against|--keep|--jobs|--out)
      declare "${1#--}=${2?$1 needs a value}"
      shift
      ;;
    -h|--help) sed -n '3,24s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) echo "unknown option $1" >&2; exit 2 ;;
  esac
  shift
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
: >"$work/wrong"
wrong() { echo "$*" | tee -a "$work/wrong" >&2; }

more=()
IFS=, read -ra folders <<<"$folders"
for folder in ${folders[@]+"${folders[@]}"}; do more+=(-idirafter "$folder"); done
if [ -n "$headers" ]; then
  tr , '\n' <<<"$headers" | sort >"$work/headers"
else
  # Without the parts of an adapter, which asks for its library, and what headers include at their end.
  (cd "$include/halograph" && find . -name '*.hpp' | sed 's,^[.]/,,' | grep -v '^adapters/.*/' | sort) >"$work/headers"
fi

# --- lines and bytes ------------------------------------------------------------------------------
# size HEADER: leaves "lines bytes" in HEADER.size, or nothing if a library is missing.
size() {
  local header=$1 name=${1//\//.}
  echo "#include <halograph/$header>" >"$work/$name.cpp"
  if "$cxx" -std=c++20 -E -P "-I$include" "${more[@]}" "$work/$name.cpp" -o "$work/$name.ii" 2>"$work/$name.errors"; then
    wc -l -c <"$work/$name.ii" | awk '{ print $1, $2 }' >"$work/$name.size"
  elif grep -Eq 'error: (#error )?"halograph/.* needs ' "$work/$name.errors"; then
    : >"$work/$name.size"
  else
    echo "$header cannot be preprocessed:" >&2
    cat "$work/$name.errors" >&2
  fi
  rm -f "$work/$name.ii"
}
while IFS= read -r header; do
  while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n || true; done
  size "$header" &
done <"$work/headers"
wait
while IFS= read -r header; do
  [ -e "$work/${header//\//.}.size" ] || exit 1
  read -r lines bytes <"$work/${header//\//.}.size" || { lines="" bytes=""; }
  echo "$header $lines $bytes"
done <"$work/headers" >"$work/sizes"

# --- memory and times -----------------------------------------------------------------------------
. "$root/bench/compile_rows.sh"
program_flags=("${program_flags[@]/#-Iexamples/-I$root/examples}")
printf '%s' "$yardstick_source" >"$work/yardstick.cpp"
programs=(examples/ten_lines.cpp 'first program of README.md' examples/custom_method.cpp)
# recorded COLUMN NAME TABLE: what a table says of a row; nothing if it does not have it.
recorded() { awk -F ' *[|] *' -v column="$1" -v name="\`$2\`" '$2 == name { print $(column + 2); exit }' "$3"; }
case "$compiled" in
  none) : >"$work/compiled" ;;
  all|headers)
    if [ -n "$against" ]; then
      awk -F ' *[|] *' '$6 ~ /^[0-9.]+$/ { gsub("`", "", $2); print $2 }' "$against"
    else
      awk 'NF == 3 { folder = $1 ~ "/" ? $1 : ""; sub("/[^/]*$", "", folder)
          if (folder == "") { if ($1 ~ /^(halograph|hosted)[.]hpp$/) print $1 }
          else if ($3 > most[folder]) { most[folder] = $3; name[folder] = $1 } }
        END { for (folder in name) print name[folder] }' "$work/sizes" | sort
      for program in "${programs[@]}"; do printf '%s\n' "$program" "$program, compiled library"; done
    fi >"$work/compiled"
    [ "$compiled" = all ] || sed -i '/[.]hpp$/!d' "$work/compiled"
    ;;
  *) tr , '\n' <<<"$compiled" >"$work/compiled" ;;
esac
# user_time COMMAND...: prints seconds.
user_time() {
  local TIMEFORMAT=%U
  { time "$@" >/dev/null 2>"$mine/errors" || return 1; } 2>&1
}
# memory COMMAND...: prints what the compiler allocates, in MiB; nothing if it is not GCC.
memory() {
  "$@" -ftime-report >/dev/null 2>"$mine/errors" || { head -n 20 "$mine/errors" >&2; return 1; }
  awk '$1 == "TOTAL" { unit = substr($NF, length($NF)); printf "%.0f\n", $NF * (unit == "M" ? 1 : unit == "k" ? 1 / 1024 : unit == "G" ? 1024 : 1 / 1048576) }' \
    "$mine/errors"
}
# ratio NAME COMMAND...: prints its time in times that of the yardstick.
ratio() {
  local name=$1 runs=3 run stable=1
  shift
  : >"$mine/runs"
  for ((run = 1; run <= runs; ++run)); do
    if ! { user_time "$cxx" -std=c++20 -fsyntax-only "$work/yardstick.cpp" && user_time "$@"; } >"$mine/run"; then
      head -n 20 "$mine/errors" >&2
      return 1
    fi
    paste -sd ' ' "$mine/run" >>"$mine/runs"
    # The two fastest agree within 5 %?
    stable=$(for column in 1 2; do cut -d ' ' -f "$column" "$mine/runs" | sort -n | head -n 2 | paste -sd ' '; done |
      awk '$2 > 1.05 * $1 + 0.01 { bad = 1 } END { print !bad }')
    [ "$run" -ne 3 ] || [ "$stable" -eq 1 ] || runs=5
  done
  awk 'NR == 1 || $1 < yardstick { yardstick = $1 } NR == 1 || $2 < least { least = $2 } END { printf "%.2f\n", least / yardstick }' "$mine/runs"
  [ "$stable" -eq 1 ] || echo "$name: the times of five runs differ; the least counts" >&2
}
# costs NAME COMMAND...: prints memory and time, separated by a tab; with --against, the time of that table.
costs() {
  local memory time
  memory=$(memory "${@:2}") || return 1
  if [ -n "$against" ]; then time=$(recorded 4 "$1" "$against"); else time=$(ratio "$@") || return 1; fi
  printf '%s\t%s\n' "$memory" "$time"
}
# compile NAME: prints its costs; nothing for what this machine cannot compile.
compile() {
  local name=$1 source flags=()
  case "$name" in
    *.hpp)
      [ -s "$work/${name//\//.}.size" ] || return 0
      costs "$name" "$cxx" -std=c++20 -fsyntax-only "-I$include" "${more[@]}" "$work/${name//\//.}.cpp"
      return
      ;;
    *', compiled library') flags=("${compiled_flags[@]}") ;;
  esac
  source=$root/${name%, compiled library}
  case "$name" in
    'first program of README.md'*)
      source=$mine/readme.cpp
      first_program "$root/README.md" >"$source"
      ;;
    examples/custom_method.cpp*) flags+=("${program_flags[@]}") ;;
  esac
  [ -e "$source" ] || { echo "there is no $name" >&2; return 1; }
  costs "$name" "$cxx" -std=c++20 -O2 "-I$include" "${more[@]}" ${flags[@]+"${flags[@]}"} -c "$source" -o "$mine/object.o"
}
# Several at once: each beside its own runs of the yardstick. In folders by number; the table is in the order of the list.
number=0
while IFS= read -r name; do
  while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n || true; done
  mine=$work/compile.$((++number))
  mkdir "$mine"
  compile "$name" >"$mine/costs" || touch "$mine/failed" &
done <"$work/compiled"
wait
number=0
while IFS= read -r name; do
  mine=$work/compile.$((++number))
  if [ -e "$mine/failed" ]; then
    wrong "$name does not compile"
  else
    printf '%s\t%s\n' "$name" "$(cat "$mine/costs")"
  fi
done <"$work/compiled" >"$work/costs"
# costs_of NAME: its two columns of the table.
costs_of() { awk -F '\t' -v name="$1" '$1 == name { memory = $2; time = $3 } END { print memory " | " time }' "$work/costs"; }

# --- the table ------------------------------------------------------------------------------------
{
  echo '# What each header costs'
  echo
  echo "Lines and bytes after preprocessing, the standard library's included; memory that the compiler allocates in all, in MiB; time to compile," \
    "in times that of a file that includes \`<vector>\`, \`<string>\`, \`<algorithm>\`, \`<span>\` and \`<ranges>\`; C++20, $(basename "$cxx")" \
    "$("$cxx" -dumpfullversion -dumpversion). Made by the target \`header_costs\`."
  printf '\n| header or program | lines | bytes | memory | time |\n| --- | ---: | ---: | ---: | ---: |\n'
  while read -r header lines bytes; do
    if [ -n "$lines" ]; then
      echo "| \`$header\` | $lines | $bytes | $(costs_of "$header") |"
    elif [ -n "$keep" ]; then
      grep -F "| \`$header\` |" "$keep" || true
    fi
  done <"$work/sizes"
  { grep -v '[.]hpp'$'\t' "$work/costs" || true; } | while IFS=$'\t' read -r name _; do echo "| \`$name\` | | | $(costs_of "$name") |"; done
} | sed 's/|  |/| |/g; s/|  |/| |/g' >"$work/table"
cp "$work/table" "$out"

# --- has anything grown? --------------------------------------------------------------------------
if [ -n "$against" ]; then
  awk -F ' *[|] *' -v table="$against" '
    /^[|]/ && $2 !~ /^(header or program|---)$/ {
      header = $2 ~ /^`[a-z0-9_\/]+[.]hpp`$/
      sizes = $3 ~ /^[0-9]+$/ && $4 ~ /^[0-9]+$/
      compiled = $5 ~ /^[0-9]*$/ && $6 ~ /^[0-9]+[.][0-9][0-9]$/
      if (NF != 7 || !(header ? sizes && (compiled || $5 $6 == "") : $2 ~ /^`.+`$/ && $3 $4 == "" && compiled))
        print table " has the row \"" $0 "\", which is neither a header, lines, bytes and perhaps memory and a time, nor a program, memory and a time"
    }' "$against" | while IFS= read -r line; do wrong "$line"; done
  if [ "$compiled" = all ] && [ ! -s "$work/compiled" ]; then wrong "$against has no times"; fi
  while read -r header lines bytes; do
    [ -n "$bytes" ] || continue
    before=$(recorded 2 "$header" "$against")
    if [ -z "$before" ]; then
      wrong "$header is not in the table"
    elif awk -v now="$bytes" -v before="$before" 'BEGIN { exit !(now > 1.15 * before + 10000) }'; then
      wrong "$header is $bytes bytes, more than 15 % above the $before of the table"
    fi
  done <"$work/sizes"
  while IFS=$'\t' read -r name now _; do
    before=$(recorded 3 "$name" "$against")
    if [ -n "$now" ] && [ -n "$before" ] && [ "$now" -gt $((before * 115 / 100 + 3)) ]; then
      wrong "$name takes $now MiB to compile, more than 15 % above the $before of the table"
    fi
  done <"$work/costs"
fi
if [ -s "$work/wrong" ]; then
  [ -z "$against" ] || echo "If that is meant, make the table again (target header_costs) and commit it." >&2
  exit 1
fi
