#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# generate, partition, report, restore, attach-features and inspect, one after the other, as a user calls them.
source "$(dirname "${BASH_SOURCE[0]}")/../support/program.sh"

expect 0 '1,000 nodes' -- generate grid --width 25 --height 40 --undirected --features 2 --out graph
expect 0 '"bytes"' -- generate hetero --papers 60 --seed 3 --features 2 --chunks 2 --out typed --json
expect 0 'paper:cites:paper' -- generate mag --scale 1/100000 --feature-columns 4 --chunks 2 --out mag
expect 2 'as in 1/64' -- generate mag --scale 1/0 --out none
expect 2 'integer from 0 to 48' -- generate rmat --scale 1/4 --out none
expect 1 'are free' -- generate mag --scale 40 --feature-columns 768 --out none
expect 2 'requires --width' -- generate grid --out none
expect 2 'does not apply to grid' -- generate grid --width 2 --height 2 --scale 3 --out none
expect 2 'give only one of them' -- generate hetero --scale 3 --nodes 4 --out none
expect 2 '' -- generate rmat --scale 99 --out none
expect 1 'are free' -- generate rmat --scale 40 --edge-factor 100 --out none
[[ -e none ]] && { echo "FAILED: a refused run left something"; failed=1; }

# '-' and '_' are the same in flags
expect 0 '"edge_cut"' -- partition --input graph --name g --num_parts 3 --out parts --method random --save_mapping --json
cp out made.json
expect 0 '"edge_cut"' -- report parts/g.json --json
for key in edge_cut directed_cut communication_volume replication_factor; do
  if [[ $(grep "\"$key\"" made.json) != $(grep "\"$key\"" out) ]]; then echo "FAILED: report differs in $key"; failed=1; fi
done
expect 1 'json' -- report nowhere.json
expect 2 '' -- report

# the parts' own feature, restored, is the input's
mkdir -p shape
expect 0 'partition config' -- inspect parts/g.json
expect 0 '"kind": "part"' -- inspect parts/g.json --part 1 --json
expect 1 'parts are 0 to 2' -- inspect parts/g.json --part 3
expect 0 'DGL graph file' -- inspect parts/part0/graph.dgl
expect 0 'DGL tensor dictionary' -- inspect parts/part0/node_feats.dgl
expect 0 'NumPy array' -- inspect graph/node_data/_N/feat-0.npy
expect 0 'metadata of a chunked graph' -- inspect typed/metadata.json
# folders: a graph, a part, an assignment, what parmetis exports, OGB's layout; and tables, which no folder holds
expect 0 'paper:cites:paper' -- inspect typed
grep -qE '^paper +[0-9,]+ +2 +feat$' out || fail "inspect shows no counts, chunks and features: $(cat out)"
expect 0 'part 1: ' -- inspect parts/part1/
(cd parts/part1 && "$program" inspect .) | grep -q 'part 1: ' || fail "inspect . in a part"
"$program" assign graph -k 2 -o owners -m hash -q || fail "assign gave $?"
expect 0 'partition_meta.json: 2 parts' -- inspect owners
"$program" parmetis export graph -o export -q || fail "export gave $?"
expect 0 'ID ranges of types' -- inspect export
mkdir -p ogb/a___to___b none_of_ours
printf "\x93NUMPY\x01\x00\x76\x00%-117s\n" "{'descr': '<i8', 'fortran_order': False, 'shape': (2, 1), }" >ogb/a___to___b/edge_index.npy
head -c 16 /dev/zero >>ogb/a___to___b/edge_index.npy
expect 0 'OGB folder: 2 nodes, 1 edge' -- inspect ogb
printf '{"nodes": {"user": {"files": ["users.csv"], "key": "id"}}, "edges": {}}' >spec.json
expect 0 'users.csv' -- inspect spec.json
expect 1 'unrecognized; supported are' -- inspect none_of_ours
expect 1 'unrecognized; supported are' -- inspect none_of_ours --part 1
head -c 100 parts/part0/graph.dgl >cut.dgl
expect 1 'cut.dgl' -- inspect cut.dgl --json
printf 'what' >unknown.bin
expect 1 'supported are' -- inspect unknown.bin

expect 1 'part0.npy' -- restore parts/g.json --rows shape --out x.npy
expect 2 '--out' -- restore parts/g.json --rows shape

# the same feature again changes nothing; with other rows it is refused, under --replace taken; another name is added
before=$(cd parts && find . -type f -exec sha256sum {} + | sort | sha256sum)
expect 0 '_N/feat already exists with the same rows' -- attach-features parts/g.json --input graph
mkdir -p other/_N && cp graph/node_data/_N/feat-0.npy other/_N/feat.npy
printf 'x' | dd of=other/_N/feat.npy bs=1 seek=200 conv=notrunc 2>/dev/null
expect 1 '--replace' -- attach-features parts/g.json --input other
after=$(cd parts && find . -type f -exec sha256sum {} + | sort | sha256sum)
[[ $before == "$after" ]] || { echo "FAILED: a refused attach-features changed the folder"; failed=1; }
expect 0 'replaced _N/feat' -- attach-features parts/g.json --input graph --replace
mkdir -p more/_N && cp graph/node_data/_N/feat-0.npy more/_N/again.npy
expect 0 'added _N/again' -- attach-features parts/g.json --input more
expect 1 'no feature' -- attach-features parts/g.json --input more --feature other
expect 2 'would replace the input' -- attach-features parts/g.json --input graph --out graph --replace
[[ -e graph/metadata.json ]] || { echo "FAILED: attach-features replaced its input"; failed=1; }

# Rows that parts keep of others are copies: verified as all files are, and gone when what they copy is replaced.
expect 0 '' -- simulate parts/g.json --fanout 3 --cache 1KiB --plan plan.npy
expect 0 'rows of others' -- attach-features parts/g.json --cache-plan plan.npy
copies=parts/part0/cached_feats.dgl
cp $copies kept
printf 'x' | dd of=$copies bs=1 seek=100 conv=notrunc 2>/dev/null
expect 1 'digest differs' -- verify parts/g.json
rm $copies
expect 1 'cached_feats.dgl: cannot open' -- verify parts/g.json
mv kept $copies
expect 0 'nothing wrong' -- verify parts/g.json
expect 0 '3 parts no longer keep rows of others' -- attach-features parts/g.json --input graph --replace
[[ -e $copies ]] && fail "copies of replaced rows are kept"
expect 0 'nothing wrong' -- verify parts/g.json

exit $failed
