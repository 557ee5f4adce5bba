#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# update: a partition folder of an earlier one and a change of its graph.
source "$(dirname "${BASH_SOURCE[0]}")/../support/program.sh"

number() { grep -o "\"$1\": [0-9]*" out | head -1 | grep -o '[0-9]*$'; }
digest() { find "$1" -type f -exec cksum {} + | sort; }

expect 0 '' -- generate grid --width 40 --height 30 --undirected --out graph
expect 0 '' -- partition graph --parts 4 --out parts --name g --hops 2
cp -r parts old
edges=$(grep -o '"num_edges": [0-9]*' parts/g.json | grep -o '[0-9]*$')

# A folder that is replaced: two nodes and three edges more, one less, and no node moves.
printf '1200 5\n5 1201\n7 8\n' >more.txt
printf '0 1\n' >gone.txt
expect 0 '"moved_nodes": 0' -- update parts --add more.txt --remove gone.txt --add-nodes 2 --json
[[ $(number added_edges) == 3 && $(number removed_edges) == 1 && $(number added_nodes) == 2 ]] || fail "counts: $(cat out)"
grep -qF "\"num_edges\": $((edges + 2))" parts/g.json || fail "edges are not counted right"
grep -qF '"halo_hops": 2' parts/g.json || fail "the depth of the HALO has changed"
expect 0 'nothing wrong' -- verify parts
[[ -s parts/new_node_ids.npy && -s parts/new_edge_ids.npy ]] || fail "no files of new IDs"

# What is in the folder is the changed graph: written, changed by hand and partitioned alike, it is the same.
expect 0 '' -- convert old --out old.txt
{ grep -v '^0[[:space:],]1$' old.txt; cat more.txt; } >changed.txt
expect 0 '' -- convert parts --out new.txt
[[ $(tr ',\t' '  ' <changed.txt | grep -v '^#' | sort | cksum) == $(tr ',\t' '  ' <new.txt | grep -v '^#' | sort | cksum) ]] ||
  fail "not the edges of the changed graph"

# The same change into a folder beside it, with other numbers of threads.
for threads in 1 3; do
  before=$(digest old)
  expect 0 '' -- update old --add more.txt --remove gone.txt --add-nodes 2 --out beside$threads --threads $threads
  [[ $(digest old) == "$before" ]] || fail "the earlier folder has changed"
  diff -r -x .halograph-manifest parts beside$threads >/dev/null || fail "another folder with $threads threads"
done

# Moves, within a bound.
expect 0 '' -- assign graph --parts 4 --method hash --out hashed
expect 0 '' -- partition graph --parts 4 --method given --assignment hashed --out poor --name g
expect 0 '' -- update poor --add more.txt --add-nodes 2 --max-moved 10% --out better --json
moved=$(number moved_nodes)
((moved > 0 && moved <= 120)) || fail "$moved nodes have moved"
expect 0 'nothing wrong' -- verify better

# Several types, features, and rows of what is added.
expect 0 '' -- generate hetero --papers 300 --features 4 --out typed
expect 0 '' -- partition typed --parts 3 --out tparts --name t --save-mapping
cp -r tparts told
printf '0 0\n300 1\n' >cites.txt
expect 1 'needs rows for 1 new node' -- update tparts --add paper:cites:paper=cites.txt --add-nodes paper=1
[[ $(digest told | cut -d' ' -f1,2) == $(digest tparts | cut -d' ' -f1,2) ]] || fail "a refused update has changed the folder"
expect 0 'of rows kept' -- update tparts --add paper:cites:paper=cites.txt --add-nodes paper=1 --zero-rows
expect 0 'nothing wrong' -- verify tparts
echo 300 1 >one.txt
expect 0 'added 0 nodes and 0 edges, removed 1 edge, moved 0 nodes' -- update tparts --remove paper:cites:paper=one.txt

# Parts that hold in-edges alone, with their second config, and a config of another name.
expect 0 '' -- assign graph --parts 3 --out thirds
expect 0 '' -- dispatch --input graph --partitions-dir thirds --out-dir ins --halo in
[[ -s ins/metadata.json ]] || fail "dispatch has made no second config"
cp -r ins renamed
expect 0 '' -- update ins --add more.txt --add-nodes 2
expect 0 'nothing wrong' -- verify ins
name=$(cd ins && ls ./*.json | grep -v metadata.json)
cmp -s "ins/$name" ins/metadata.json || fail "the two configs differ"
expect 0 '' -- convert ins --out ins.txt
[[ $(grep -vc '^#' ins.txt) == $((edges + 3)) ]] || fail "not all edges are there"
rm renamed/metadata.json
mv "renamed/$name" renamed/other.json
expect 0 'renamed2/' -- update renamed/other.json --add more.txt --add-nodes 2 --out renamed2
expect 0 'nothing wrong' -- verify renamed2/other.json

# What is wrong is said, and nothing changes.
before=$(digest tparts)
echo 300 7 >absent.txt
echo 900 7 >beyond.txt
expect 1 'removed edge 0, 300 to 7' -- update tparts --remove paper:cites:paper=absent.txt
expect 1 'added edge 0 ends in node 900 of type "paper", which has 301 nodes' -- update tparts --add paper:cites:paper=beyond.txt --zero-rows
expect 1 'name the type of an edge list as TYPE=PATH' -- update tparts --add absent.txt
expect 1 'missing.txt' -- update tparts --add paper:cites:paper=missing.txt
expect 1 'more than --memory' -- update tparts --add paper:cites:paper=cites.txt --zero-rows --memory 1KiB
expect 2 'update needs --add' -- update tparts
expect 2 'must name a node type' -- update tparts --add-nodes 5
expect 2 'must be a number of nodes' -- update tparts --add-nodes paper=-1
expect 2 '--max-moved 200%' -- update tparts --add-nodes paper=1 --max-moved 200%
expect 2 'is inside the folder' -- update tparts --add-nodes paper=1 --out tparts/sub
expect 1 'missing' -- update missing --add-nodes 1
[[ $(digest tparts) == "$before" ]] || fail "a refused update has changed the folder"
exit $failed
