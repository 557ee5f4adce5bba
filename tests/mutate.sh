#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Do the tests see bugs? Changes one place of a folder's headers, such as < to <=, compiles the tests of the same folder
# with the changed header, and runs them until one fails: the mutant is killed. A mutant that no test notices survives.
#
#   ./tests/mutate.sh FOLDER... [options]       for example: ./tests/mutate.sh halo --mutants 20
#
#   --mutants N      how many are drawn for each folder; default: 36
#   --seed S         the same seed and headers draw the same mutants; default: 1
#   --list           print what is drawn and stop
#   --out TABLE.md   add the results to this file; it keeps other folders' results, and reasons given there for survivors
#   --resume         keep what earlier runs killed; try what survived or was not reached
#   --jobs N         mutants tried at the same time; default: 2
#   --cxx CXX        default: g++
#   --with COMMAND   starts each compiler and test, for example: --with "nice -n 19"
#   --include DIR    the folder that holds halograph/; default: include
#   --tests DIR      the folder that holds FOLDER/*.cpp; default: tests
#   --build DIR      what --resume needs; default: build/mutants
#
# tests/support/mutants.awk has the operators. The headers themselves never change: the changed copy lies in a folder that
# the compiler searches first. Tests come in this order: the file named as the header, those that include it themselves,
# and those that include it through others; slow ones are left out. Last comes determinism/digests.cpp: what it prints must
# be pinned in digests.txt beside it. A failed static assertion kills a mutant; one that does not compile for another reason
# does not count. A test that takes more than 5 times its usual processor time and 10 seconds kills, too.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export LC_ALL=C
mutants=36 seed=1 list=0 out="" resume=0 jobs=2 cxx=g++ with="" include=$root/include tests=$root/tests build=$root/build/mutants folders=()
while [ $# -gt 0 ]; do
  case "$1" in
    --mutants|--seed|--out|--jobs|--cxx|--with|--include|--tests|--build)
      declare "${1#--}=${2?$1 needs a value}"
      shift
      ;;
    --list) list=1 ;;
    --resume) resume=1 ;;
    -h|--help) sed -n '3,26s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    -*) echo "unknown option $1" >&2; exit 2 ;;
    *)
      folder=${1#tests/}
      folders+=("${folder%/}")
      ;;
  esac
  shift
done
. "$root/tests/support/folder_tests.sh"
require_folders "$include" "$tests" ${folders[@]+"${folders[@]}"}
[[ $mutants =~ ^[1-9][0-9]*$ && $seed =~ ^[0-9]+$ && $jobs =~ ^[1-9][0-9]*$ ]] || { echo "--mutants, --seed and --jobs need numbers" >&2; exit 2; }
read -ra with <<<"$with"
# Between the fields of a line; no header has this character.
fields=$'\037'
digests=determinism/digests.cpp

# draw FOLDER: a line for each drawn mutant: file, line, column, length, what stands there instead, the change in words, text.
draw() {
  find "$include/halograph/$1" \( -name '*.hpp' -o -name '*.ipp' \) -print0 | sort -z |
    xargs -0 awk -v seed="$seed" -v root="$include/halograph/" -f "$root/tests/support/mutants.awk" |
    sort -n | sed -n "1,${mutants}p" | cut -d "$fields" -f 2- | sort -t "$fields" -k 1,1 -k 2,2n -k 3,3n
}
if [ "$list" -eq 1 ]; then
  for folder in "${folders[@]}"; do
    draw "$folder" | awk -F "$fields" '{ print $1 ":" $2 ": " $6 ": " $7 }'
  done
  exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$build"
flags=(-std=c++20 -O0 -w)
# What tests include most, compiled once.
printf '#include <%s>\n' gtest/gtest.h algorithm array cstdint map memory set span string vector >"$work/first.hpp"
${with[@]+"${with[@]}"} "$cxx" "${flags[@]}" "$work/first.hpp" -o "$work/first.hpp.gch"

# compile TEST OBJECT ERRORS [FOLDER]: with the changed header of FOLDER, if it is given.
compile() (
  ulimit -t 300 -c 0
  local more
  test_options "$1"
  ${with[@]+"${with[@]}"} "$cxx" "${flags[@]}" -include "$work/first.hpp" ${more[@]+"${more[@]}"} ${4:+"-I$4"} "-I$include" "-I$tests" -c "$1" -o "$2" 2>"$3"
)
# run TEST OBJECT FOLDER SECONDS: links it, and runs it there for at most SECONDS of processor time.
run() {
  local command=(../test --gtest_brief=1 --gtest_fail_fast) pinned=$tests/${1%.cpp}.txt
  [ "$1" != "$digests" ] || command=("$root/tests/determinism/compare.sh" all "$pinned" ../test .)
  shift
  mkdir -p "$2/temporary"
  ${with[@]+"${with[@]}"} "$cxx" "$1" -o "$2/test" -Wl,--as-needed -lgtest_main -lgtest -lz -lzstd -pthread 2>"$2/log" || return 125
  local result=0
  (
    cd "$2/temporary"
    ulimit -t "$3" -c 0 -v 8388608 -f 2097152
    TMPDIR=$PWD ${with[@]+"${with[@]}"} timeout $((10 * $3)) "${command[@]}"
  ) >"$2/log" 2>&1 || result=$?
  rm -rf "$2/temporary" "$2/test"
  return "$result"
}
# usual TEST: compiles and runs it with the headers as they are, once; it must pass. Its folder has its object and its time.
usual() (
  mine=$work/usual/${1//\//.}
  mkdir -p "$mine"
  exec 9>"$mine/lock"
  flock 9
  if [ ! -e "$mine/seconds" ]; then
    compile "$tests/$1" "$mine/object.o" "$mine/log" || { echo "$1 does not compile: $(head -n 3 "$mine/log")"; return 1; }
    SECONDS=0
    run "$1" "$mine/object.o" "$mine" 120 9>&- || { echo "$1 fails before anything is changed:"; tail -n 5 "$mine/log"; return 1; }
    echo "$SECONDS" >"$mine/seconds"
  fi
) >&2

# tests_of FILE: the tests whose includes end up at it, in the order to run.
tests_of() {
  local name header=${1/impl\//}
  header=${header%.*}
  name=${header##*/}
  awk -v file="halograph/$1" '$2 == file { print $1 }' "$work/includes" | while read -r test; do
    if [ "$test" = "$digests" ]; then
      echo "3 $test"
    elif [ "$(basename "$test" .cpp)" = "$name" ]; then
      echo "0 $test"
    elif grep -qE "^#include <halograph/${header}[.]hpp>" "$tests/$test"; then
      echo "1 $test"
    else
      echo "2 $test"
    fi
  done | sort | cut -d ' ' -f 2
}

# try NUMBER: prints killed, rejected or survived, and by whom.
try() {
  local file line column length to mine=$work/mutant.$1 test usual_folder compiled=0 result
  IFS=$fields read -r file line column length to _ < <(sed -n "${1}p" "$work/drawn")
  mkdir -p "$mine/halograph/${file%/*}"
  to=$to awk -v line="$line" -v column="$column" -v width="$length" 'NR != line { print; next }
    { print substr($0, 1, column - 1) ENVIRON["to"] substr($0, column + width) }' "$include/halograph/$file" >"$mine/halograph/$file"
  while read -r test; do
    usual "$test" || return 1
    usual_folder=$work/usual/${test//\//.}
    if ! compile "$tests/$test" "$mine/object.o" "$mine/errors" "$mine"; then
      if grep -E 'error: ' "$mine/errors" | sed 1q | grep -qE 'static assertion'; then
        echo "killed${fields}static assertion seen by $test"
      else
        echo "rejected${fields}$(grep -E 'error: ' "$mine/errors" | sed -e 's/.*error: //' -e 1q)"
      fi
      return 0
    fi
    ! cmp -s "$mine/object.o" "$usual_folder/object.o" || continue  # it is in no function that this test uses, or changes nothing
    compiled=1
    result=0
    run "$test" "$mine/object.o" "$mine" $((10 + 5 * $(cat "$usual_folder/seconds"))) || result=$?
    case $result in
      0) ;;
      124|152) echo "killed${fields}time, in $test"; return 0 ;;
      *)
        echo "killed${fields}$test $(sed -n 's/^\[  FAILED  \] \([^ ,]*\).*/\1/p' "$mine/log" | sed 1q)"
        return 0
        ;;
    esac
  done < <(tests_of "$file")
  [ $compiled -eq 1 ] && echo "survived$fields" || echo "survived${fields}the tests compile to the same code"
}

for folder in "${folders[@]}"; do
  results=$build/$folder
  draw "$folder" >"$work/drawn"
  [ -s "$work/drawn" ] || { echo "no operator applies in $include/halograph/$folder" >&2; exit 1; }
  [ "$resume" -eq 1 ] || rm -f "$results"
  touch "$results"
  mkdir -p "$work/usual"
  # Lines "test header": what each test includes, directly or not.
  (cd "$tests"; find "$folder" -name '*.cpp' | sort; ! [ -e "$digests" ] || echo "$digests") | while read -r test; do
    ! grep -qE '^// slow: ' "$tests/$test" || continue
    ${with[@]+"${with[@]}"} "$cxx" "${flags[@]}" "-I$include" "-I$tests" -MM "$tests/$test" | tr -s '\\ ' '\n' | sed -n "s|^$include/|$test |p"
  done >"$work/includes"

  # A line of $results: what happened, by whom, and the mutant.
  total=$(wc -l <"$work/drawn")
  for ((number = 1; number <= total; ++number)); do
    mutant=$(sed -n "${number}p" "$work/drawn")
    if grep -F "$fields$mutant" "$results" | grep -qE '^(killed|rejected)'; then continue; fi
    while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n || true; done
    (
      found=$(try "$number") || { echo "$found"; touch "$work/failed"; exit 1; }
      printf '%s\n' "$found$fields$mutant" >>"$results"
      awk -F "$fields" -v number="$number" -v total="$total" '
        { print number "/" total " " $1 ($2 == "" ? "" : " (" $2 ")") ": " $3 ":" $4 ": " $8 ": " $9 }' <<<"$found$fields$mutant"
      rm -rf "$work/mutant.$number"
    ) &
    [ ! -e "$work/failed" ] || break
  done
  wait
  [ ! -e "$work/failed" ] || exit 1

  # Of each drawn mutant the last line counts.
  awk -F "$fields" -v drawn="$work/drawn" '
    FILENAME == drawn { order[$0] = FNR; mutant[FNR] = $0; total = FNR; next }
    { key = $0; sub("^[^" FS "]*" FS "[^" FS "]*" FS, "", key); if (key in order) last[order[key]] = $0 }
    END { for (i = 1; i <= total; ++i) print last[i] }' "$work/drawn" "$results" >"$work/final"
  awk -F "$fields" -v folder="$folder" -v seed="$seed" '
    { ++count[$1]; if ($2 ~ /^time/) ++slow; if ($2 ~ /^static assertion/) ++asserted; if ($1 == "survived") survivor[++survivors] = $0 }
    END {
      counted = count["killed"] + survivors
      printf "| `%s` | %d | %d | %d | %d | %d | %d | %.0f %% |\n", folder, NR, count["rejected"], count["killed"], asserted, slow, survivors, counted ? 100 * count["killed"] / counted : 0
      for (i = 1; i <= survivors; ++i) {
        split(survivor[i], part, FS)
        printf "- `%s:%s`, %s%s: `%s`\n", part[3], part[4], part[8], part[2] == "" ? "" : " (" part[2] ")", part[9]
      }
    }' "$work/final" >"$work/found"
  cat "$work/found"
  [ -n "$out" ] || continue

  # The table: rows and survivors of other folders stay; a reason below a survivor stays while it survives.
  touch "$out"
  sed '/^## Coverage/,$d' "$out" >"$work/before"
  sed -n '/^## Coverage/,$p' "$out" >"$work/coverage"
  awk -v folder="$folder" -v found="$work/found" '
    function key(line) { sub(/:[0-9]+`/, "`", line); return line }
    FILENAME != found && /^[|] `/ { split($0, part, "`"); row[part[2]] = $0; next }
    FILENAME != found && /^- `/ { kept = key($0); split($0, part, "[`/]"); if (part[2] != folder) list[part[2]] = list[part[2]] $0 "\n"; next }
    FILENAME != found && /^  / && kept != "" { reason[kept] = reason[kept] $0 "\n"; split(kept, part, "[`/]"); if (part[2] != folder) list[part[2]] = list[part[2]] $0 "\n"; next }
    FILENAME != found { kept = ""; next }
    /^[|]/ { row[folder] = $0; next }
    { list[folder] = list[folder] $0 "\n" reason[key($0)] }
    END {
      for (name in row) print name "\t" row[name] >"/dev/stderr"
      for (name in list) {
        lines = split(list[name], part, "\n")
        for (i = 1; i < lines; ++i) print name "\t" part[i]
      }
    }' "$work/before" "$work/found" 2>"$work/rows" >"$work/survivors"
  {
    printf '%s\n' '# Do the tests see bugs?' '' \
      'Each row: so many mutants, drawn by seed '"$seed"' from all places of the headers of a folder where an operator applies, each a' \
      'copy of a header with one change. The tests of the same folder and the digests of tests/determinism kill a mutant by' \
      'failing, at compile time or when they run, or by taking too long; mutants that do not compile do not count. Tests have been written for what survived at first, so another' \
      'seed is the fairer judge. Made by' \
      "\`./tests/mutate.sh FOLDER... --mutants $mutants --seed $seed --out tests/mutants.md\`, which keeps the reasons below survivors." '' \
      '| folder | mutants | do not compile | killed | of these by a static assertion | by time | survive | killed |' \
      '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |'
    sort "$work/rows" | cut -f 2-
    printf '\n%s\n\n' '## Survivors'
    sort -s -t $'\t' -k 1,1 "$work/survivors" | cut -f 2-
    if [ -s "$work/coverage" ]; then
      echo
      cat "$work/coverage"
    fi
  } >"$work/table"
  cp "$work/table" "$out"
done
