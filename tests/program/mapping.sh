#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# A folder carries what verify --against and restore need, without a flag that asks for it.
source "$(dirname "${BASH_SOURCE[0]}")/../support/program.sh"

# npy FILE VALUE...: uint8, one value for each row
npy() {
  local file=$1 header value
  shift
  header="{'descr': '|u1', 'fortran_order': False, 'shape': ($#,), }"
  { printf '\x93NUMPY\x01\x00v\x00%-117s\n' "$header"; for value in "$@"; do printf "\\x$(printf %x "$value")"; done; } >"$file"
}
# bytes FILE: the elements of a small .npy file of bytes
bytes() { tail -c +129 "$1" | od -An -v -tu1 | tr -s ' \n' ' '; }

# The README's first commands, as printed.
expect 0 '' -- generate hetero --papers 300 --seed 3 --features 2 --chunks 2 --name papers --out papers
expect 0 '' -- partition --input papers/ --parts 8 --out parts/
expect 0 'nothing wrong in 8 parts' -- verify parts/papers.json --against papers/
grep -Eq '^mapping +0' out || fail "the mapping is not verified"
expect 0 'replication' -- report parts/papers.json
nodes=$(grep -o '"num_nodes": [0-9]*' parts/papers.json | grep -o '[0-9]*$')
[[ $(stat -c %s parts/owners.npy) == $((128 + nodes)) ]] || fail "owners.npy takes more than a byte for each node"
grep -q 'owners.npy' parts/.halograph-manifest || fail "owners.npy is not in the manifest"
expect 0 '"same_for_any_parts": true' -- simulate parts/papers.json --fanout 2,2 --batch 64 --json

# Real graphs.
for graph in karate cora fb15k-237; do
  input=${HALOGRAPH_SHARED_DIR:-}/data/$graph
  [[ -e $input ]] || continue
  expect 0 '' -- partition --input "$input" --name g --parts 4 --out real
  expect 0 'nothing wrong' -- verify real/g.json --against "$input"
done

# Any order of the nodes, any hops, several trainers, one part.
for order in original degree bfs; do
  for parts in 1 3; do
    expect 0 '' -- partition --input papers --parts $parts --method random --node-order $order --trainers-per-machine 2 --hops 2 --out ordered
    expect 0 'nothing wrong' -- verify ordered/papers.json --against papers
    expect 0 'nothing wrong' -- verify ordered/papers.json --part 0
  done
  wanted=original_nodes.npy
  [[ $order == original ]] && wanted=owners.npy
  [[ $(cd ordered && ls *.npy) == "$wanted" ]] || fail "--node-order $order leaves $(cd ordered && ls *.npy)"
done
expect 0 '' -- partition --input papers --parts 3 --method random --no-reshuffle --out kept
expect 0 'nothing wrong' -- verify kept/papers.json --against papers
[[ -e kept/owners.npy ]] && fail "nodes that keep their IDs need no mapping"

# Rows of nodes go back into the order of the input; six of them, by a known assignment.
mkdir -p ring given rows
printf '%s\n' '0 1' '1 2' '2 3' '3 4' '4 5' '5 0' >ring/edges.txt
printf '%s\n' 0 1 0 1 1 0 >given/_N.txt
npy rows/part0.npy 10 12 15
npy rows/part1.npy 11 13 14
cut=(partition --input ring/edges.txt --name ring --parts 2 --method given --assignment given)
expect 0 '' -- "${cut[@]}" --out cut
[[ $(bytes cut/owners.npy) == ' 0 1 0 1 1 0 ' ]] || fail "owners.npy has $(bytes cut/owners.npy)"
expect 0 'in original order' -- restore cut/ring.json --rows rows --out restored.npy
[[ $(bytes restored.npy) == ' 10 11 12 13 14 15 ' ]] || fail "restored: $(bytes restored.npy)"
expect 1 'the folder has no original edge IDs; partition again with --save-mapping' -- restore cut/ring.json --type _N:_E:_N --rows rows --out edges.npy
expect 0 '' -- "${cut[@]}" --save-mapping --out saved
expect 0 'in original order' -- restore saved/ring.json --type _N:_E:_N --rows rows --out edges.npy

# --no-mapping leaves the file out, nothing else changes, and errors name the flag.
expect 0 '' -- "${cut[@]}" --no-mapping --out without
[[ -e without/owners.npy ]] && fail "--no-mapping leaves owners.npy"
for file in ring.json part0/graph.dgl part1/graph.dgl part0/node_feats.dgl; do
  cmp -s cut/$file without/$file || fail "$file depends on --no-mapping"
done
expect 1 'the folder has no ID mapping; partition again without --no-mapping' -- verify without/ring.json --against ring/edges.txt
expect 1 'the folder has no ID mapping; partition again without --no-mapping' -- restore without/ring.json --rows rows --out none.npy
expect 0 'nothing wrong' -- verify without/ring.json --against ring/edges.txt --assignment given
expect 0 '"same_for_any_parts": false' -- simulate without/ring.json --fanout 2 --json
expect 2 '--no-mapping' -- "${cut[@]}" --no-mapping --save-mapping --out none
[[ -e none.npy || -e none ]] && fail "a refused run left something"

# A mapping that cannot be is found.
for owners in '0 1 0 1 0 0' '0 1 0 1 1 2' '0 1 0 1 1' '1 0 0 1 1 0'; do
  npy cut/owners.npy $owners
  expect 1 'owners.npy' -- verify cut/ring.json
  expect 1 'owners.npy' -- verify cut/ring.json --against ring/edges.txt
done
npy cut/owners.npy 0 1 0 1 0 0
expect 1 'part 0 owns 4 nodes of type "_N" here; the config gives it 3' -- restore cut/ring.json --rows rows --out none.npy
npy cut/owners.npy 0 1 0 1 1
expect 1 'it must be 6 integers' -- restore cut/ring.json --rows rows --out none.npy
npy saved/owners.npy 1 0 0 1 1 0
expect 1 'node 0 of type "_N" is in part 1 here; part 0 owns it' -- verify saved/ring.json
[[ -e none.npy ]] && fail "a refused restore left something"

# dispatch: the bytes of partition.
expect 0 '' -- assign --in-dir papers --out-dir assigned --num-partitions 3 --method random
expect 0 '' -- partition --input papers --parts 3 --method given --assignment assigned --out wanted
dispatch=(dispatch --in-dir papers --partitions-dir assigned)
for halo in full in; do
  expect 0 '' -- "${dispatch[@]}" --halo $halo --out-dir sent
  cmp wanted/owners.npy sent/owners.npy || fail "dispatch --halo $halo writes other owners"
  expect 0 'nothing wrong' -- verify sent/papers.json --against papers
done
expect 0 '' -- "${dispatch[@]}" --no-mapping --out-dir sent
[[ -e sent/owners.npy ]] && fail "dispatch --no-mapping leaves owners.npy"
expect 2 '--no-mapping' -- "${dispatch[@]}" --no-mapping --save-orig-nids --out-dir sent
# A run that is resumed has the file, too, whether or not it is still as it was written.
for stage in nodes edges part0; do
  for damage in true 'truncate -s 100 .killed.halograph-tmp/owners.npy'; do
    rm -rf killed .killed.halograph-tmp
    killed_after $stage "${dispatch[@]}" --out-dir killed
    [[ -e killed ]] || { $damage; expect 0 '' -- "${dispatch[@]}" --out-dir killed --resume; }
    cmp wanted/owners.npy killed/owners.npy || fail "owners.npy of a run that was killed after $stage"
  done
done

# No nodes: the file has no rows, and nothing is missed.
mkdir -p empty
printf '{"name": "empty", "directed": true, "num_nodes": {"_N": 0}, "num_edges": {"_N:_E:_N": 0}}' >empty/meta.json
: >empty/edges.txt
expect 0 '' -- partition --input empty --parts 2 --method random --out nothing
[[ $(bytes nothing/owners.npy) == '' ]] || fail "owners.npy of a graph without nodes"
expect 0 'nothing wrong' -- verify nothing/empty.json --against empty

exit $failed
