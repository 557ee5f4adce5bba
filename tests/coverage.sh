#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Which lines and branches of a folder's headers do its own tests run? Each file of tests/FOLDER is compiled by Clang, with
# the headers alone, and run; slow ones are left out. Two kinds of tests stand elsewhere: tests/faults/FOLDER.cpp runs with
# tests/faults/inject.cpp preloaded, and what tests/fuzz/ keeps is read as tests of serial.
#
#   ./tests/coverage.sh FOLDER... [options]       for example: ./tests/coverage.sh halo --missing
#
#   --missing        also print the branches that no test takes, and the conditions that no two tests show to matter
#   --out TABLE.md   write the rows of these folders into the table below "## Coverage" at the end of this file
#   --jobs N         files compiled at the same time; default: 2
#   --clang NUMBER   the version of clang++, llvm-cov and llvm-profdata; default: 14
#   --with COMMAND   starts each compiler and test, for example: --with "nice -n 19"
#   --build DIR      default: build/coverage
#
# A condition has two branches, true and false, and what is joined by && and || are several conditions. A branch is taken
# if it is in any instantiation of a template; conditions that are known at compile time do not count. From Clang 18 on also
# MC/DC (modified condition/decision coverage): of the conditions that are joined by && and ||, each must have decided once
# alone: two tests give another result, and all other conditions are the same in both or not looked at.
# shellcheck disable=SC2016  # backquotes are Markdown's
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
export LC_ALL=C
missing=0 out="" jobs=2 clang=14 with="" build=build/coverage folders=()
while [ $# -gt 0 ]; do
  case "$1" in
    --out|--jobs|--clang|--with|--build)
      declare "${1#--}=${2?$1 needs a value}"
      shift
      ;;
    --missing) missing=1 ;;
    -h|--help) sed -n '3,21s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    -*) echo "unknown option $1" >&2; exit 2 ;;
    *)
      folder=${1#tests/}
      folders+=("${folder%/}")
      ;;
  esac
  shift
done
. tests/support/folder_tests.sh
require_folders include tests ${folders[@]+"${folders[@]}"}
for command in "clang++-$clang" "llvm-cov-$clang" "llvm-profdata-$clang"; do
  command -v "$command" >/dev/null || { echo "coverage.sh needs $command (Debian: clang-$clang, llvm-$clang, libclang-rt-$clang-dev)" >&2; exit 2; }
done
read -ra with <<<"$with"
mcdc_compile=() mcdc_show=()
[ "$clang" -lt 18 ] || mcdc_compile=(-fcoverage-mcdc) mcdc_show=(--show-mcdc)

# cover TEST PLACE FOLDER: compiles and runs it there; PLACE/lines has what it runs of FOLDER.
cover() {
  local more preloaded='' libraries=() arguments=(--gtest_brief=1)
  test_options "$1"
  mkdir -p "$2"
  if [[ $1 = tests/fuzz/* ]]; then
    more+=(tests/support/replay_corpus.cpp)
    libraries=(-lyaml-cpp)
    arguments=("tests/fuzz/corpus/$(basename "$1" .cpp)")
  fi
  [[ $1 != tests/faults/* ]] || preloaded=$(realpath "$2")/inject.so
  if ! { [ -z "$preloaded" ] || "clang++-$clang" -std=c++20 -shared -fPIC tests/faults/inject.cpp -o "$preloaded" -ldl; } >"$2/log" 2>&1 ||
    ! { ${with[@]+"${with[@]}"} "clang++-$clang" -std=c++20 -O0 -w -fprofile-instr-generate -fcoverage-mapping ${mcdc_compile[@]+"${mcdc_compile[@]}"} \
      ${more[@]+"${more[@]}"} -Iinclude -Itests "$1" -o "$2/test" -Wl,--as-needed -lgtest_main -lgtest -lz -lzstd ${libraries[@]+"${libraries[@]}"} -pthread &&
    LD_PRELOAD=$preloaded LLVM_PROFILE_FILE=$2/%p.profile ${with[@]+"${with[@]}"} "$2/test" "${arguments[@]}" &&
    "llvm-profdata-$clang" merge -sparse "$2"/*.profile -o "$2/profile" &&
    "llvm-cov-$clang" show "$2/test" -instr-profile="$2/profile" --show-branches=count ${mcdc_show[@]+"${mcdc_show[@]}"} \
      -output-dir="$2/lines" "include/halograph/$3"; } >"$2/log" 2>&1; then
    tail -n 5 "$2/log"
    return 1
  fi
  rm -f "$2/test" "$2"/*profile
} >&2

for folder in "${folders[@]}"; do
  mine=$build/$folder fuzz=()
  [ "$folder" != serial ] || fuzz=(tests/fuzz)
  rm -rf "${mine:?}"
  mkdir -p "$mine"
  while IFS= read -r test; do
    ! grep -qE '^// slow: ' "$test" || continue
    while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n || true; done
    { cover "$test" "$mine/${test//\//.}" "$folder" || { echo "$test does not compile or fails" >&2; touch "$mine/failed"; }; } &
  done < <(find "tests/$folder" "tests/faults/$folder.cpp" ${fuzz[@]+"${fuzz[@]}"} -name '*.cpp' 2>/dev/null | sort)
  wait
  [ ! -e "$mine/failed" ] || exit 1
  mapfile -t listings < <(find "$mine" -path "*/lines/*.txt")
  # For each header a file of its lines, "12|  3|code", and below these their branches, one line for each
  # instantiation: "|  Branch (12:7): [True: 3, False: 0]". A decision has "MC/DC Decision Region (12:7) to (12:30)", its
  # conditions, "Condition C1 --> (12:7)", what they were, "1 { T,  -  = T }", and "C1-Pair: constant folded", if it is.
  awk -v folder="$folder" -v list="$mine/missing" '
    BEGIN { printf "" >list }
    FNR == 1 { file = FILENAME; sub(/.*include\/halograph\//, "", file); sub(/[.]txt$/, ":", file) }
    /^ *[0-9]+[|] *[0-9]/ {
      split($0, part, "|")
      place = file (part[1] + 0)
      lines += !(place in line)
      line[place] = 1
      if (part[2] !~ /^ *0$/) { run += !(place in was_run); was_run[place] = 1 }
      next
    }
    /^ *[|]+ +[|]? *Branch \([0-9:]+\): \[True: / {
      place = $0
      sub(/.*Branch \(/, "", place)
      sub(/\).*/, "", place)
      place = file place
      true = $0
      sub(/.*True: /, "", true)
      sub(/,.*/, "", true)
      false = $0
      sub(/.*False: /, "", false)
      sub(/\].*/, "", false)
      if (!(place in seen)) { seen[place] = 1; order[++places] = place }
      if (true != "0") taken[place, "true"] = 1
      if (false != "0") taken[place, "false"] = 1
    }
    /MC\/DC Decision Region \([0-9:]+\)/ {
      decision = $0
      sub(/.*Region \(/, "", decision)
      sub(/\).*/, "", decision)
      decision = file decision
      if (!(decision in conditions)) { conditions[decision] = 0; decided[++decisions] = decision }
      next
    }
    /Condition C[0-9]+ --> / {
      place = $0
      sub(/.*\(/, "", place)
      sub(/\).*/, "", place)
      i = $0
      sub(/.*Condition C/, "", i)
      i += 0
      where[decision, i] = file place
      if (i > conditions[decision]) conditions[decision] = i
      next
    }
    /[0-9]+ [{] *[TFC-],.*= [TF] *[}]/ {
      vector = $0
      sub(/.*[{]/, "", vector)
      gsub(/[^TFC-]/, "", vector)
      gsub(/C/, "-", vector)  # known at compile time
      if (!((decision, vector) in had)) { had[decision, vector] = 1; vectors[decision] = vectors[decision] " " vector }
      next
    }
    /C[0-9]+-Pair: / && !/constant folded/ {
      i = $0
      sub(/.*[^0-9]C/, "", i)
      varies[decision, i + 0] = 1
    }
    # Whether two vectors show that condition i matters; the last letter of each is the result.
    function shows(one, other, i, all,   j, a, b) {
      if (substr(one, all + 1, 1) == substr(other, all + 1, 1)) return 0
      for (j = 1; j <= all; ++j) {
        a = substr(one, j, 1)
        b = substr(other, j, 1)
        if (j == i ? a == b || a == "-" || b == "-" : a != b && a != "-" && b != "-") return 0
      }
      return 1
    }
    function matters(decision, i,   each, n, a, b) {
      n = split(vectors[decision], each, " ")
      for (a = 1; a <= n; ++a)
        for (b = a + 1; b <= n; ++b)
          if (shows(each[a], each[b], i, conditions[decision])) return 1
      return 0
    }
    END {
      for (d = 1; d <= decisions; ++d) {
        for (i = 1; i <= conditions[decided[d]]; ++i) {
          if (!((decided[d], i) in varies)) continue
          ++joined
          if (matters(decided[d], i)) ++shown
          else print where[decided[d], i] ": never decides alone" >list
        }
      }
      for (i = 1; i <= places; ++i) {
        for (which = 1; which <= 2; ++which) {
          side = which == 1 ? "true" : "false"
          ++all
          if ((order[i], side) in taken) ++hit
          else print order[i] ": never " side >list
        }
      }
      printf "| `%s` | %d | %.1f %% | %d | %.1f %% | ", folder, lines, lines ? 100 * run / lines : 0, all, all ? 100 * hit / all : 0
      if (decisions) printf "%d | %.1f %% |\n", joined, joined ? 100 * shown / joined : 0
      else print "| |"
    }' "${listings[@]}" | tee "$build/$folder.row"
  [ "$missing" -eq 0 ] || sort -t : -k 1,1 -k 2,2n -k 3,3n "$mine/missing"

  # The rows of other folders stay, and so does what stands above.
  [ -n "$out" ] || continue
  touch "$out"
  {
    sed '/^## Coverage/,$d' "$out" | awk '/./ { for (; blank > 0; --blank) print ""; print; next } { ++blank }'
    printf '\n%s\n\n' '## Coverage'
    printf '%s\n' 'What the tests of each folder run of its headers. A condition has two branches; what is joined by `&&` and `||` are several' \
      'conditions, of which each must decide alone once (MC/DC): two runs with another result, the other conditions the same or not' \
      "looked at. Made by \`./tests/coverage.sh FOLDER... --out tests/mutants.md\` with Clang $clang." '' \
      '| folder | lines | of these run | branches | of these taken | joined conditions | of these decide alone |' \
      '| --- | ---: | ---: | ---: | ---: | ---: | ---: |'
    { sed -n '/^## Coverage/,$p' "$out" | grep '^| `' | grep -vF "| \`$folder\` |" || true; cat "$build/$folder.row"; } | sort
  } >"$build/table"
  cp "$build/table" "$out"
done
