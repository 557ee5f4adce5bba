#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# partition --compress of a graph that is not small goes through files: the same folder and answer as in memory, in less memory.
source "$(dirname "${BASH_SOURCE[0]}")/../support/program.sh"

# peak: the estimate's peak_bytes of the last run
peak() { grep -o '"peak_bytes": *[0-9]*' out | sed -n '1s/.*: *//p'; }
# nothing_left: no hidden folder beside the results
nothing_left() {
  [[ -z $(find . -name '.*halograph*' -not -path './*/*' -not -name .) ]] || fail "$* left $(ls -A)"
}
# answer: the last answer without what tells how it was made
answer() {
  python3 -c '
import json
told = json.load(open("out"))
for key in ("config", "estimate", "need", "steps", "peak_bytes", "copy"): told.pop(key, None)
print(json.dumps(told, indent=1))'
}
# same INPUT FLAG...: as in memory
same() {
  local input=$1 most
  shift
  expect 0 '' -- partition --input "$input" --method multilevel --out plain --json "$@"
  most=$(peak)
  answer >told
  expect 0 '"copy":' -- partition --input "$input" --method multilevel --compress --out files --json "$@"
  (($(peak) < most)) || fail "$input $* announces $(peak) bytes, no less than the $most of the job in memory"
  answer | diff told - >differs || fail "$input $* gives another answer: $(head -5 differs)"
  diff -r plain files >differs || fail "$input $* gives another folder: $(head -3 differs)"
  nothing_left "$input $*"
}

expect 0 '' -- generate rmat --scale 16 --edge-factor 10 --out graph
expect 0 '' -- generate hetero --scale 16 --features 4 --out types
expect 0 '' -- convert graph --out edges.txt
expect 0 '' -- convert edges.txt --undirected --out both.graph
expect 0 '' -- convert graph --out graph.mtx
same graph --parts 4
same graph --parts 3 --hops 2 --save-mapping --seed 5 --threads 1
same graph --parts 70 --preset fast --to native --graph-formats csr,csc --name other
same graph --parts 3 --part-weights 2,1,1 --no-mapping --store-orig-ids
same graph --parts 4 --hops 0 --drop-cut-edges --tolerance 0.1
same edges.txt --parts 4 --undirected --num-nodes 70000
same graph.mtx --parts 4 --objective vol --file-names dgl
same types --parts 4 --preset fast
same types --parts 2 --balance-ntypes none
awk 'BEGIN { for (v = 0; v < 65536; ++v) print v % 3 ? -1 : v % 2 }' >some
same graph --parts 2 --fixed some

# what it cannot do is done in memory
in_memory() {
  expect 0 '' -- partition --method multilevel --out plain "$@"
  expect 0 '' -- partition --method multilevel --compress --out files --json "$@"
  ! grep -q '"copy":' out || fail "$* goes through files"
  diff -r plain files >differs || fail "$* gives another folder: $(head -3 differs)"
}
in_memory --input graph --parts 4 --balance-edges
in_memory --input graph --parts 2 --node-order degree
in_memory --input graph --parts 2 --trainers-per-machine 2
expect 0 '' -- generate hetero --nodes 500 --out few
in_memory --input few --parts 2 --tolerance ntype:author=0.2
awk 'NR == 1 { print $1, $2, "010"; next } { print 1 + NR % 5, $0 }' both.graph >weighted.graph
in_memory --input weighted.graph --parts 4
# an input that is held while it is copied: its edges, or features in text
mkdir -p wide/feat
printf '{"name": "wide", "directed": true, "num_nodes": {"_N": 6000}, "num_edges": {"_N:_E:_N": 3}, "features": {"_N": {"dim": 8000, "format": ["coo"], "nnz": 2}}}' >wide/meta.json
printf '0 1\n1 2\n2 3\n' >wide/edges.txt
printf '0 7\n49 7999\n' >wide/feat/_N.coo.txt
in_memory --input wide --parts 2
in_memory --input both.graph --parts 4
expect 0 '' -- generate rmat --scale 8 --out little
in_memory --input little --parts 2

# a budget that suffices for any compressed graph of this size, and for this one as it is: auto takes the former, and estimate says so
expect 0 '' -- partition --input graph --parts 4 --threads 2 --method multilevel --out plain --json
most=$(peak)
expect 0 '' -- partition --input graph --parts 4 --threads 2 --method multilevel --compress --out files --json
budget=$((($(peak) + most) / 2))
expect 0 "now that the graph's clusters are known" -- partition --input graph --parts 4 --threads 2 --method multilevel --out as_it_is --memory $budget
diff -r plain as_it_is >differs || fail "a budget that suffices for the graph changes the folder: $(head -3 differs)"
expect 1 'more than --memory' -- partition --input graph --parts 4 --threads 2 --method multilevel --out none --memory $((budget / 2))
for input in graph graph.mtx; do
  expect 0 '"copy":' -- partition --input $input --parts 4 --threads 2 --out files --memory $budget --json --name rmat
  grep -q '"method_reason": "the .* that it needs of a compressed graph fit in the .* of --memory"' out || fail "auto does not say why: $(cat out)"
  (($(peak) <= budget)) || fail "$(peak) bytes are announced, more than the budget of $budget"
  diff -r plain files >differs || fail "auto gives another folder of $input: $(head -3 differs)"
done
announced=$(peak)
expect 0 'dispatch' -- estimate --input graph --parts 4 --threads 2 --memory $budget --json
# It does not know how many edges are loops.
(($(peak) >= announced && $(peak) < announced + announced / 100)) || fail "estimate says $(peak), partition $announced"
expect 0 'dispatch' -- estimate --num-nodes 65536 --num-edges 655360 --parts 4 --threads 2 --method multilevel --compress

# a method that holds no edges takes files where the job in memory does not fit; cut and volume are counted in the result
streams() {
  local method=$1 input=$2
  shift 2
  expect 0 '' -- partition --input "$input" --method "$method" --parts 5 --threads 2 --out plain --json "$@"
  answer >told
  expect 0 '"copy":' -- partition --input "$input" --method "$method" --parts 5 --threads 2 --out files --json --memory 48MiB "$@"
  (($(peak) <= 48 << 20)) || fail "$method of $input announces $(peak) bytes, more than the budget"
  python3 - told <<'END' >differs
import json, sys
before, now = json.load(open(sys.argv[1])), json.load(open("out"))
for key in before:
    if before[key] != now.get(key): print(key, before[key], now.get(key))
END
  [[ ! -s differs ]] || fail "$method of $input gives another answer: $(head -5 differs)"
  diff -r plain files >differs || fail "$method of $input gives another folder: $(head -3 differs)"
  nothing_left "$method of $input"
}
expect 0 '' -- generate rmat --scale 17 --edge-factor 12 --out larger
expect 0 '' -- convert larger --out larger.mtx
streams ldg larger --stream-order shuffled --seed 3
streams fennel larger.mtx --hops 2
streams hash larger --save-mapping
streams range larger.mtx --to native
expect 0 'partition would keep the graph in files' -- estimate --input larger --method random --parts 5 --threads 2 --memory 48MiB
expect 0 'partition would keep the graph in files' -- estimate --num-nodes 3000000000 --num-edges 100000000000 --method ldg --parts 5
expect 0 'stays in files' -- partition --input larger --method random --parts 5 --threads 2 --out files --memory 48MiB
expect 0 '    217,905' -- partition --input larger --method random --parts 5 --threads 2 --out files --memory 48MiB --report page.html
# ... but not where edges are dropped, or memory does not suffice for it
expect 0 'edge cut and communication volume are unknown' -- partition --input larger --method random --parts 5 --threads 2 --hops 0 --drop-cut-edges --out files --memory 48MiB
expect 0 '"edge_cut": null' -- partition --input larger --method random --parts 5 --threads 2 --hops 0 --drop-cut-edges --out files --memory 48MiB --json
expect 1 'more than --memory 48.0 MiB; allow more, use fewer threads, or choose a method that streams' -- partition --input larger --method multilevel --parts 5 --threads 2 --out none --memory 48MiB
expect 1 'more than --memory 48.0 MiB' -- partition --input larger --method ldg --balance-edges --parts 5 --threads 2 --out none --memory 48MiB
expect 1 'more than --memory 20.0 MiB; allow more, or use fewer threads' -- partition --input larger --method ldg --parts 5 --threads 2 --out none --memory 20MiB
expect 0 '' -- generate rmat --scale 17 --edge-factor 32 --out heavy
expect 0 '' -- convert heavy --out heavy.mtx
for input in heavy heavy.mtx; do
  expect 0 '"method": "buffered"' -- partition --input $input --name g --parts 5 --threads 2 --out files --memory 100MiB --json
  grep -q '"copy":' out || fail "auto of $input does not go through files: $(cat out)"
done
[[ ! -e none ]] || fail "a refused run leaves a folder"

# a run that fails, and one that was killed, leave the earlier result; the next run clears up
cp files/part0/graph.dgl before
expect 1 'cross parts' -- partition --input graph --parts 4 --method multilevel --compress --hops 0 --out files
nothing_left "a run that fails"
cmp before files/part0/graph.dgl || fail "a run that fails changes the earlier result"
for input in graph edges.txt; do
  expect 1 'cross parts' -- partition --input $input --parts 4 --method multilevel --compress --hops 0 --out new/deep/files
  [[ ! -e new ]] || fail "a run of $input that fails leaves the folders above its output"
done
long=$(printf 'n%.0s' {1..190})
expect 0 '' -- partition --input graph --parts 4 --method multilevel --compress --out "$long"
expect 0 '' -- partition --input graph --parts 4 --method multilevel --compress --out new/deep/files
for seconds in 0.05 0.15 0.25 0.35; do
  "$program" partition --input edges.txt --parts 4 --method multilevel --compress --out files >/dev/null 2>&1 &
  sleep $seconds
  kill -9 $! 2>/dev/null
  wait $! 2>/dev/null
done
expect 0 '' -- partition --input edges.txt --parts 4 --method multilevel --compress --out files
nothing_left "a run after killed ones"
mkdir .files.halograph-assignment
echo mine >.files.halograph-assignment/notes
expect 1 'notes' -- partition --input graph --parts 4 --method multilevel --compress --out files
[[ $(cat .files.halograph-assignment/notes) == mine ]] || fail "a file of another is gone"

exit $failed
