#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# --from, --max-moved, --only-new and --refine: graphs that have grown keep most of an earlier assignment.
source "$(dirname "${BASH_SOURCE[0]}")/../support/program.sh"

# number NAME: a member of the JSON object that the last run printed
number() { grep -o "\"$1\": [0-9]*" out | head -1 | grep -o '[0-9]*$'; }
# away OLD NEW: lines that differ, of those that OLD has
away() { paste -d' ' "$1" <(head -n "$(wc -l <"$1")" "$2") | awk '$1 >= 0 && $1 != $2' | wc -l; }

expect 0 '' -- generate grid --width 40 --height 30 --undirected --out graph
type=$(sed -n 's/.*"node_type": *\["\([^"]*\)".*/\1/p' graph/metadata.json)
expect 0 '"directed_cut"' -- assign --input graph --out whole --parts 4 --method multilevel --json
whole=$(number directed_cut)
file=$(basename "$(ls whole/*.txt)")
[[ $(wc -l <"whole/$file") == 1200 ]] || fail "not 1200 nodes"

# nodes at the end, and some in between, are new
mkdir old
head -n 1100 "whole/$file" | awk '{print NR % 10 == 0 ? -1 : $1}' >"old/$file"
expect 0 '"moved_nodes": 0' -- assign --input graph --out new --parts 4 --method multilevel --from old --only-new --json
[[ $(away "old/$file" "new/$file") == 0 && $(number old_nodes) == 990 ]] || fail "--only-new has moved nodes: $(cat out)"
(($(number directed_cut) <= whole * 5 / 4)) || fail "new nodes are placed badly: $(cat out)"
# new nodes alone: the edges are read once and not loaded, and partition places them alike
expect 0 '"edges": "scanned"' -- assign --input graph --out scanned --parts 4 --from old --only-new --threads 1 --json
cmp -s "new/$file" "scanned/$file" || fail "the parts depend on the number of threads"
expect 0 'because it keeps the edges of new nodes' -- assign --input graph --out scanned --parts 4 --from old --only-new
expect 0 '"moved_nodes": 0' -- partition --input graph --out parts --parts 4 --from old --only-new --json
expect 0 'nothing wrong' -- verify "$(ls parts/*.json | head -1)" --against graph --assignment new
expect 0 '' -- generate grid --width 500 --height 300 --undirected --out wide
expect 0 '' -- assign --input wide --out placed --parts 4 --method range --no-measure
mkdir grown
head -n 149900 "placed/$file" >"grown/$file"
expect 1 'bytes suffice because this method loads all edges' -- assign --input wide --out no --parts 4 --from grown -j 2 --memory 36MiB
expect 0 '"edges": "scanned"' -- assign --input wide --out placed --parts 4 --from grown --only-new -j 2 --memory 36MiB --json
[[ $(away "grown/$file" "placed/$file") == 0 ]] || fail "--only-new has moved nodes: $(cat out)"
expect 0 '"edges": "loaded"' -- assign --input graph --out scanned --parts 4 --from old --only-new --part-weights 1,1,1,2 --json
expect 0 '' -- generate hetero --papers 300 --features 4 --out typed
expect 0 '' -- assign --input typed --out typed_parts --parts 3 --method fennel
mkdir typed_old
for one in typed_parts/*.txt; do
  head -n $(($(wc -l <"$one") * 9 / 10)) "$one" >"typed_old/$(basename "$one")"
done
expect 0 '"edges": "scanned"' -- assign --input typed --out typed_new --parts 3 --from typed_old --only-new --json
! grep -qF '"met": false' out || fail "node types are not balanced: $(cat out)"
for one in typed_old/*.txt; do
  [[ $(away "$one" "typed_new/$(basename "$one")") == 0 ]] || fail "nodes of $one have moved"
done
expect 0 '"in_degree' -- assign --input typed --out typed_new --parts 3 --from typed_old --only-new --balance-edges --json

expect 0 '"moves"' -- assign --input graph --out new --parts 4 --method multilevel --from "old/$file" --json
[[ $(away "old/$file" "new/$file") == "$(number moved_nodes)" ]] || fail "moves are counted wrong: $(cat out)"
expect 0 'nodes moved to another part' -- assign --input graph --out new --parts 4 --method multilevel --from old
grep -qF '"from": true' new/partition_meta.json || fail "partition_meta.json does not say that parts were given"

# a bound, as a number and as a share
awk '{print NR % 5 == 0 ? NR / 5 % 4 : $1}' "whole/$file" >"old/$file"
for bound in 0 0% 24 2% 300; do
  most=$bound
  case $bound in 2%) most=24 ;; 0%) most=0 ;; esac
  expect 0 '"moves"' -- assign --input graph --out new --parts 4 --method multilevel --from old --max-moved $bound --json
  moved=$(away "old/$file" "new/$file")
  ((moved <= most)) && [[ $moved == "$(number moved_nodes)" ]] || fail "$moved nodes moved, $bound may"
done
(($(number directed_cut) <= whole * 5 / 4)) || fail "300 moves do not repair a fifth of the nodes: $(cat out)"

# the features of what has moved
expect 0 '"moved_bytes"' -- assign --input graph --out new --parts 4 --from old --max-moved 24 --json
grep -qE '"moved_edges": [1-9]' out || fail "no edges: $(cat out)"
cp -r typed_parts other
for one in other/*.txt; do awk '{print NR % 7 == 0 ? ($1 + 1) % 3 : $1}' "$one" >"$one.new" && mv "$one.new" "$one"; done
expect 0 '' -- assign --input typed --out typed_new --parts 3 --from other --json
bytes=$(number moved_bytes) edges=$(number moved_edges)
((bytes == $(number moved_nodes) * 16 && bytes > 0 && edges > 0)) || fail "features of moved nodes are not counted: $(cat out)"
expect 0 "with $edges edges" -- partition --input typed --out parts --parts 3 --from other
expect 0 "\"moved_bytes\": $bytes" -- partition --input typed --out parts --parts 3 --from other --json

# partition does the same, and counts the bytes of features
expect 0 '"moves"' -- partition --input graph --out parts --parts 4 --method multilevel --from old --max-moved 2% --json
grep -qF '"moved_bytes"' out || fail "no bytes: $(cat out)"
expect 0 '' -- assign --input graph --out new --parts 4 --method multilevel --from old --max-moved 2%
expect 0 'nothing wrong' -- verify "$(ls parts/*.json | head -1)" --against graph --assignment new

# refinement after any method
for method in hash ldg metis multilevel; do
  expect 0 '' -- assign --input graph --out plain --parts 4 --method $method --json
  before=$(number directed_cut)
  expect 0 '' -- assign --input graph --out refined --parts 4 --method $method --refine --json
  (($(number directed_cut) <= before)) || fail "refining $method made it worse"
  [[ $method != hash ]] || (($(number directed_cut) <= before / 4)) || fail "hash is hardly refined"
  expect 0 '' -- partition --input graph --out parts --parts 4 --method $method --refine
  expect 0 'nothing wrong' -- verify "$(ls parts/*.json | head -1)" --against graph --assignment refined
done
expect 0 '' -- partition --input graph --out parts --parts 4 --method given --assignment old --refine

# also after methods of ranks, on one: what given --refine makes of the same parts
# Open MPI, which the libraries of others start, leaks what LeakSanitizer would report.
export ASAN_OPTIONS=detect_leaks=0
for method in label_propagation ptscotch parmetis; do
  "$program" assign --input graph --out plain --parts 4 --method $method --json >out 2>err || {
    grep -qF 'when the program was built' err || fail "$method: $(cat err)"
    continue
  }
  before=$(number directed_cut)
  expect 0 '"edges": "loaded"' -- assign --input graph --out refined --parts 4 --method $method --refine --json
  (($(number directed_cut) <= before)) || fail "refining $method made it worse"
  if [[ $method != parmetis ]]; then
    expect 0 '' -- partition --input graph --out parts --parts 4 --method given --assignment plain --refine
    expect 0 'nothing wrong' -- verify "$(ls parts/*.json | head -1)" --against graph --assignment refined
  fi
done
expect 0 '"met": true' -- assign --input typed --out refined --parts 3 --method label_propagation --refine --balance-edges --json
expect 0 'connected component' -- assign --input graph --out refined --parts 4 --method label_propagation --connected

# nodes whose parts are given
mkdir fixed
seq 0 1199 | awk '{print $1 % 100 == 0 ? $1 / 100 % 4 : -1}' >"fixed/$file"
for how in '--method multilevel' '--method hash --refine' '--from old' '--method label_propagation --refine'; do
  # shellcheck disable=SC2086
  expect 0 '"met": true' -- assign --input graph --out new --parts 4 $how --fixed fixed --json
  paste -d' ' "fixed/$file" "new/$file" | awk '$1 >= 0 && $1 != $2 { exit 1 }' || fail "$how does not keep fixed nodes in their parts"
done
grep -qF '"fixed": true' new/partition_meta.json || fail "partition_meta.json does not say that nodes were fixed"
expect 0 '' -- assign --input graph --out new --parts 4 --fixed "fixed/$file"
expect 0 '' -- partition --input graph --out parts --parts 4 --fixed fixed
expect 0 'nothing wrong' -- verify "$(ls parts/*.json | head -1)" --against graph --assignment new
seq 0 1199 | awk '{print $1 < 400 ? 0 : -1}' >"fixed/$file"
expect 0 'part 0 is given 400 of what it may hold, 309, by --fixed' -- assign --input graph --out new --parts 4 --fixed fixed
expect 2 '--fixed requires' -- assign --input graph --out no --parts 4 --method hash --fixed fixed
expect 2 'leave --fixed out' -- assign --input graph --out no --parts 4 --from old --only-new --fixed fixed
expect 2 'leave one out' -- assign --input graph --out no --parts 4 --fixed fixed --connected
echo 2 >beyond.txt
expect 1 'a part (-1: any) from -1 to 1' -- partition --input graph --out no --parts 2 --fixed beyond.txt
expect 1 'nowhere' -- partition --input graph --out no --parts 2 --fixed nowhere

# parts that are meant to differ: balance is measured by their weights
expect 0 '"met": true' -- assign --input graph --out new --parts 3 --method multilevel --part-weights 2,1,1 --json
held=$(grep -c '^0$' "new/$file")
((held > 560 && held <= 618)) || fail "part 0 of weights 2,1,1 holds $held of 1200 nodes"
grep -qF 'part_weights": "2,1,1"' new/partition_meta.json || fail "partition_meta.json does not name the weights"
expect 0 '"met": true' -- partition --input graph --out parts --parts 3 --method multilevel --part-weights 2,1,1 --json
! grep -qF '"met": false' out || fail "balance is not measured by part weights: $(cat out)"
expect 0 'nothing wrong' -- verify "$(ls parts/*.json | head -1)" --against graph --assignment new
expect 0 '"met": true' -- assign --input graph --out new --parts 2 --method hash --refine --part-weights 1,0.5 --json
expect 0 '"in_degree' -- assign --input graph --out new --parts 2 --method multilevel --part-weights 1,0.5 --balance-edges --json
! grep -qF '"met": false' out || fail "edges are not balanced by part weights: $(cat out)"
for weights in 1,2,3 1 1,,1 1,0 1,-1 1,x 1,nan, 1,2000000; do
  expect 2 '--part-weights' -- assign --input graph --out no --parts 2 --method multilevel "--part-weights=$weights"
done
expect 2 '--part-weights requires' -- assign --input graph --out no --parts 2 --method hash --part-weights 1,2

expect 2 '--from requires --method multilevel' -- assign --input graph --out no --parts 4 --method hash --from old
expect 2 '--max-moved requires --from' -- assign --input graph --out no --parts 4 --method multilevel --max-moved 5%
expect 2 '--only-new requires --from' -- partition --input graph --out no --parts 4 --method multilevel --only-new
expect 2 'leave --refine out' -- assign --input graph --out no --parts 4 --method multilevel --from old --refine
expect 2 'leave --max-moved out' -- assign --input graph --out no --parts 4 --method multilevel --from old --only-new --max-moved 1
for bound in 101% -1 x 5%% 1.5; do
  expect 2 'must be a number of nodes, or a share' -- assign --input graph --out no --parts 4 --method multilevel --from old "--max-moved=$bound"
done
expect 1 'nowhere' -- assign --input graph --out no --parts 4 --method multilevel --from nowhere
cat "old/$file" "old/$file" >double.txt
expect 1 'none may be missing' -- assign --input graph --out no --parts 4 --method multilevel --from double.txt
expect 1 'a part (-1: a new node) from -1 to 1' -- assign --input graph --out no --parts 2 --method multilevel --from old
expect 2 '' -- assign --input graph --out old --parts 4 --method multilevel --from old
[[ -e no ]] && fail "a refused run left something"
exit $failed
