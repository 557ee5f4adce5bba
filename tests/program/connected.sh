#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# --connected, and the connected components that partition and assign report.
source "$(dirname "${BASH_SOURCE[0]}")/../support/program.sh"

# number NAME: the first member of that name of the JSON object that the last run printed
number() { grep -o "\"$1\": [0-9]*" out | head -1 | grep -o '[0-9]*$'; }
# components WIDTH FILE: components of all parts of a grid, by spreading the lowest node until nothing changes
components() {
  awk -v w="$1" '{ part[NR - 1] = $1; low[NR - 1] = NR - 1 }
    function meet(a, b) {
      if (part[a] != part[b] || low[a] == low[b]) return
      if (low[a] < low[b]) low[b] = low[a]; else low[a] = low[b]
      changed = 1
    }
    END {
      do {
        changed = 0
        for (v = 0; v < NR; ++v) { if (v % w) meet(v, v - 1); if (v >= w) meet(v, v - w) }
      } while (changed)
      for (v = 0; v < NR; ++v) count += low[v] == v
      print count
    }' "$2"
}

expect 0 '' -- generate grid --width 30 --height 20 --undirected --out graph
expect 0 '' -- assign --input graph --out whole --parts 4 --method range
file=$(basename "$(ls whole/*.txt)")
# four stripes, and single nodes of other parts in them, evenly
mkdir old
awk '{ print NR % 25 == 7 ? ($1 + 2) % 4 : $1 }' "whole/$file" >"old/$file"
before=$(components 30 "old/$file")
((before >= 20)) || fail "only $before components to begin with"

expect 0 '"connection"' -- partition --input graph --out parts --parts 4 --method given --assignment old --json
[[ $(number components) == "$before" && $(number avoidable) == $((before - 4)) && $(number whole) == 0 ]] ||
  fail "components are counted wrong, there are $before: $(cat out)"
expect 0 "4 parts have $before connected components" -- report "$(ls parts/*.json | head -1)"
expect 0 "4 parts have $before connected components" -- partition --input graph --out parts --parts 4 --method given --assignment old
! grep -qF 'is not met: 4 parts' err || fail "a note that nobody asked for: $(cat err)"
expect 0 '"avoidable": 0' -- partition --input graph --out joined --parts 4 --method given --assignment old --connected --json
[[ $(number components) == 4 ]] || fail "parts are not connected: $(cat out)"
! grep -qF '"met": false' out || fail "the tolerance is not kept: $(cat out)"
expect 0 'nothing wrong' -- verify "$(ls joined/*.json | head -1)" --against graph

# after any method; what it says is what the files hold
for method in hash random ldg fennel range metis multilevel; do
  expect 0 '"connection"' -- assign --input graph --out new --parts 4 --method $method --connected --tolerance 0.5 --json
  [[ $(number components) == "$(components 30 "new/$file")" ]] || fail "$method: components are counted wrong: $(cat out)"
  case $method in ldg | fennel | range | metis | multilevel) [[ $(number avoidable) == 0 ]] || fail "$method: parts are not connected: $(cat out)" ;; esac
  grep -qF '"connected": true' new/partition_meta.json || fail "partition_meta.json does not name --connected"
  expect 0 '' -- partition --input graph --out parts --parts 4 --method $method --connected --tolerance 0.5
  expect 0 'nothing wrong' -- verify "$(ls parts/*.json | head -1)" --against graph --assignment new
done
expect 0 '' -- assign --input graph --out new --parts 4 --method hash --json
! grep -qF '"connection"' out || fail "hash reads no edges, so nothing is known of components: $(cat out)"
expect 0 '' -- assign --input graph --out new --parts 4 --method multilevel --no-measure --json
! grep -qF '"connection"' out || fail "--no-measure counts components: $(cat out)"
expect 0 '"avoidable": 0' -- assign --input graph --out new --parts 4 --method hash --refine --connected --tolerance 0.2 --json

# without room: the result is written, and a note says what is left
expect 0 'is not met' -- assign --input graph --out new --parts 4 --method hash --connected --tolerance 0.001
grep -qE '^.*--connected is not met: [0-9]+ parts have [0-9]+ components too many' err || fail "no plain note: $(cat err)"
[[ -s new/$file ]] || fail "nothing was written"

# a graph that is not connected: three pairs, and three nodes alone
printf '0 1\n2 3\n4 5\n' >pairs.txt
expect 0 'not connected because the graph is not: 6 of its components each lie in one part' -- \
  assign --input pairs.txt --num-nodes 9 --out new --parts 2 --method multilevel --tolerance 0.5 --connected
expect 0 '2 parts have 6 connected components, of which 6 are whole components of the graph' -- \
  assign --input pairs.txt --num-nodes 9 --out new --parts 2 --method multilevel --tolerance 0.5

expect 2 'leave --connected out' -- assign --input graph --out no --parts 4 --method multilevel --from old --only-new --connected
expect 2 'leave one out' -- assign --input graph --out no --parts 4 --method multilevel --from old --max-moved 5 --connected
expect 2 'leave --part-weights out' -- partition --input graph --out no --parts 2 --method multilevel --part-weights 1,2 --connected
[[ -e no ]] && fail "a refused run left something"
exit $failed
