#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# The comparison of partitioners: wrong options are refused, and on a tiny graph every method that is found has its row, those of
# programs on the PATH included, whoever fails.
#   partitioners.sh SCRIPT BENCHMARK
set -euo pipefail
script=$1 bench=$2
begun='== building'
. "$(dirname "${BASH_SOURCE[0]}")/../support/refused.sh"
touch file
refused 2 '--data none is not a folder' --data none
refused 2 'unknown option --what' --what
refused 1 "cannot write into $work/file/results" --out file/results

fail() { echo "FAILED: $*"; exit 1; }

# A ring of 12 nodes.
{ echo "12 12"; for i in $(seq 12); do echo "$(((i + 10) % 12 + 1)) $((i % 12 + 1))"; done; } >ring.graph

# Programs that write what their names promise, as far as the comparison is concerned.
mkdir bin
cat >bin/KaMinPar <<'END'
#!/bin/sh
echo "$*" >>"$RECORD"
while [ $# -gt 0 ]; do
  if [ "$1" = -o ]; then out=$2; fi
  shift
done
for i in 0 0 0 0 0 0 1 1 1 1 1 1; do echo $i; done >"$out"
END
cat >bin/MtKaHyPar <<'END'
#!/bin/sh
for i in 0 1 0 1 0 1 0 1 0 1 0 1; do echo $i; done >ring.graph.part2.KaHyPar
END
cat >bin/cuttana <<'END'
#!/bin/sh
head -n 2 "$2" >>"$RECORD"
for i in 1 2 3 4 5 6 7 8 9; do echo $i,0; done >partitioned_files/lookup
for i in 10 11 12; do echo $i,1; done >>partitioned_files/lookup
END
printf '#!/bin/sh\necho out of memory\nexit 3\n' >bin/heistream
printf '#!/bin/sh\nexit 0\n' >bin/kaffpa
chmod +x bin/*

export RECORD=$work/record
PATH=$work/bin:$PATH "$bench" ring.graph --parts 2 --runs 2 --threads 2 --reference kaminpar:default --scratch "$work" --out results \
  --program '' >table 2>errors || fail "$(cat errors)"
cell() { grep -E "^\| ring \| 2 \| $1 \|" results/partitioners_rows.md | cut -d '|' -f "$2" | tr -d ' '; }
for method in random hash ldg fennel multilevel:fast multilevel:balanced multilevel:strong; do
  [ "$(cell $method 4)" = $method ] || fail "no row of $method: $(cat results/partitioners_rows.md)"
done
[ "$(cell multilevel:balanced 6)" = 2 ] || fail "a ring is not cut at 2 edges: $(cat results/partitioners_rows.md)"
[ "$(cell kaminpar:default 6)" = 2 ] || fail "another cut than that of the assignment: $(cat results/partitioners_rows.md)"
[ "$(cell mtkahypar:quality 6)" = 12 ] || fail "another cut than that of the assignment: $(cat results/partitioners_rows.md)"
[ "$(cell cuttana 6)" = 2 ] && [ "$(cell cuttana 9)" = '0.500!' ] || fail "cuttana's file: $(cat results/partitioners_rows.md)"
grep -q 'heistream | 1 | failed: exit code 3: out of memory' results/partitioners_rows.md || fail "a failure is not told"
grep -q 'kaffpa:eco | 1 | failed: it wrote no result' results/partitioners_rows.md || fail "a missing result is not told"
grep -qx -- '-G ring.graph -k 2 -P eco -t 2 -e 0.03 -o result' record || fail "KaMinPar's command line: $(cat record)"
grep -qx '1 2 2 12' record || fail "CUTTANA's input: $(cat record)"
grep -q '^| ring | 2 | 2 (' results/partitioners.md || fail "the reference is not first: $(cat results/partitioners.md)"

# Read by another JSON parser than the one that wrote it.
cat >read.cmake <<'END'
file(READ "${FILE}" text)
string(JSON reference GET "${text}" reference)
string(JSON count LENGTH "${text}" rows)
math(EXPR last "${count} - 1")
foreach(i RANGE ${last})
  string(JSON method GET "${text}" rows ${i} method)
  if(method STREQUAL "multilevel:fast")
    string(JSON cut GET "${text}" rows ${i} cut)
    string(JSON runs LENGTH "${text}" rows ${i} runs)
    message("${method} ${cut} ${runs} ${reference}")
  endif()
endforeach()
END
said=$(cmake -DFILE=results/partitioners.json -P read.cmake 2>&1) || fail "the JSON: $said"
[[ "$said" =~ ^multilevel:fast\ 2(\.0)?\ 2\ kaminpar:default$ ]] || fail "the JSON: $said"
grep -q 'cuttana (beyond the tolerance)</text>' results/partitioners.svg && grep -q '^</svg>$' results/partitioners.svg || fail "the picture"

# Several constraints: each is judged, METIS files carry them.
"$bench" ring.graph --parts 2 --runs 1 --constraints --scratch "$work" --out results --methods multilevel:balanced \
  --reference multilevel:balanced >table 2>errors || fail "$(cat errors)"
[ "$(grep -c '"name": "weight:' results/partitioners_constraints.json)" = 4 ] || fail "not four loads: $(cat results/partitioners_constraints.json)"
if "$bench" ring.graph --constraints --methods random --out results 2>errors; then fail "random takes no constraints"; fi
grep -q 'random does not take --constraints' errors || fail "$(cat errors)"
if "$bench" ring.graph --methods nobody --out results 2>errors; then fail "nobody is no method"; fi
grep -q -- '--list shows' errors || fail "$(cat errors)"
if "$bench" none.graph --methods random --out results 2>errors; then fail "a graph that does not exist"; fi
grep -q 'none.graph' errors || fail "$(cat errors)"
