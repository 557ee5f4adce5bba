#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# assign and dispatch take every input that partition takes: the assignment of chunk and assign, and the bytes of partition --method given.
source "$(dirname "${BASH_SOURCE[0]}")/../support/program.sh"

same() { diff -r -x .halograph-manifest "$1" "$2" >difference || { fail "$1 and $2 differ"; head -5 difference; }; }
nothing_left() {
  local left
  left=$(find . -name '.*halograph-tmp*' -o -name '.*halograph-input*')
  [[ -z $left ]] || { fail "$1 left $left"; rm -rf $left; }
}

# A METIS graph of a ring with chords and edge weights, an edge list, the plain form with one type and with several, a DGL graph, OGB's layout
awk 'BEGIN { n = 60; print n, 2 * n, "011"; for (v = 0; v < n; ++v) printf "%d %d 1 %d 1 %d 2 %d 2\n", v % 3 + 1, (v + 1) % n + 1, (v + n - 1) % n + 1, (v + 7) % n + 1, (v + n - 7) % n + 1 }' >mesh.graph
awk 'BEGIN { x = 1; for (i = 0; i < 400; ++i) { x = (x * 1103515245 + 12345) % 2147483648; y = int(x / 65536) % 50; x = (x * 1103515245 + 12345) % 2147483648; print y, int(x / 65536) % 50, i % 5 } }' >list.txt
awk 'BEGIN { printf "{\"directed\": false, \"nodes\": ["; for (v = 0; v < 50; ++v) printf "%s{\"id\": \"n%d\", \"age\": %d, \"club\": \"a\"}", v ? ", " : "", v, v * 3 }
  { printf "%s{\"source\": \"n%d\", \"target\": \"n%d\", \"weight\": %d}", NR == 1 ? "], \"links\": [" : ", ", $1, $2, $3 } END { print "]}" }' list.txt >club.json
awk 'BEGIN { print "<graphml><key id=\"w\" for=\"edge\" attr.name=\"weight\" attr.type=\"long\"/><graph edgedefault=\"undirected\">"; for (v = 0; v < 50; ++v) printf "<node id=\"n%d\"/>\n", v }
  { printf "<edge source=\"n%d\" target=\"n%d\"><data key=\"w\">%d</data></edge>\n", $1, $2, $3 } END { print "</graph></graphml>" }' list.txt >club.graphml
gzip -k list.txt mesh.graph club.json
stored_zst list.txt mesh.graph
mkdir -p plain/label types/edges types/label
head -300 list.txt >plain/edges.txt
sed -i 's/ [0-9]*$//' plain/edges.txt
seq 0 49 | awk '{ print $1 % 4 }' >plain/label/_N.txt
printf '{"name": "plain", "directed": false, "num_nodes": {"_N": 50}, "num_edges": {"_N:_E:_N": 300}, "labels": {"_N": 4}}' >plain/meta.json
awk '{ print $1, $2 % 20 }' list.txt >types/edges/user.buys.item.txt
awk '{ print $2, $1 }' list.txt | head -100 >types/edges/user.knows.user.txt
seq 0 19 | awk '{ print $1 % 3 }' >types/label/item.txt
printf '{"name": "types", "directed": true, "num_nodes": {"user": 50, "item": 20}, "num_edges": {"user:buys:item": 400, "user:knows:user": 100}, "labels": {"item": 3}}' >types/meta.json
expect 0 '' -- partition --input types --parts 1 --out one --method range
cp one/part0/graph.dgl types.dgl

# reads NAME INPUT FLAGS...: of chunk, assign, dispatch and partition
reads() {
  local name=$1 input=$2 chunking=()
  shift 2
  for flag in "$@"; do [[ $flag == --undirected ]] && chunking+=(--reverse-edges) || chunking+=("$flag"); done
  rm -rf chunks as by_chunks wanted made
  expect 0 '' -- chunk --input "$input" "${chunking[@]}" --out chunks
  for method in ldg metis; do
    expect 0 '"copy": {' -- assign --in-dir "$input" "$@" --parts 3 --method $method --out-dir as --json
    expect 0 '"copy": null' -- assign --in-dir chunks --parts 3 --method $method --out-dir by_chunks --json
    for file in by_chunks/*.txt; do cmp -s "$file" "as/${file#*/}" || fail "$name: assign --method $method differs in $file"; done
  done
  expect 0 '' -- partition --input "$input" "$@" --name g --parts 3 --method given --assignment as --out wanted
  expect 0 '"copy": {' -- dispatch --in-dir "$input" "$@" --name g --partitions-dir as --out-dir made --json
  for part in part0 part1 part2 g.json; do same wanted/$part made/$part; done
  nothing_left "$name"
}
reads METIS mesh.graph
reads 'a METIS graph, packed' mesh.graph.gz
reads 'an edge list' list.txt
reads 'an edge list of more nodes' list.txt.gz --num-nodes 70 --undirected
reads 'an edge list in Zstandard' list.txt.zst --undirected
reads 'the plain form' plain
reads 'the plain form, undirected' plain/meta.json --undirected
reads 'several types' types
reads 'a DGL graph' types.dgl
reads 'a node-link graph' club.json
reads 'a node-link graph, packed' club.json.gz
reads 'a GraphML graph' club.graphml
expect 0 '' -- convert club.json --out json.txt
expect 0 '' -- convert club.graphml --out graphml.txt
cmp -s json.txt graphml.txt || fail 'the same graph in node-link JSON and GraphML has other edges'
[[ -s chunks/node_keys/_N.keys ]] || fail 'chunk keeps no keys of nodes'

# Arrays of OGB's layout, tables of csv files and a partition folder, which are read through their streams
npy() { # FILE SHAPE <BYTES
  printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "{'descr': '|i1', 'fortran_order': False, 'shape': $2, }" >"$1"
  cat >>"$1"
}
mkdir -p ogb/user___buys___item ogb/user ogb/item
printf "$(awk '{ printf "\\%03o", $1 }' list.txt)$(awk '{ printf "\\%03o", $2 % 20 }' list.txt)" | npy ogb/user___buys___item/edge_index.npy '(2, 400)'
printf "$(seq 0 49 | awk '{ printf "\\%03o", $1 }')" | npy ogb/user/node_feat.npy '(50, 1)'
printf "$(seq 0 19 | awk '{ printf "\\%03o", $1 % 3 }')" | npy ogb/item/node_label.npy '(20,)'
{ echo id,age; seq 0 49 | awk '{ print "u" $1 "," $1 + 20 }'; } >users.csv
{ echo user,item; awk '{ print "u" $1 "," $2 % 20 }' list.txt; } >buys.csv
printf '{"nodes": {"user": {"files": ["users.csv"], "key": "id", "features": {"age": {"columns": "age", "dtype": "int32"}}}, "item": {"keys": "integer"}}, "edges": {"user:buys:item": {"files": ["buys.csv"], "source": "user", "target": "item"}}}' >shop.json
expect 0 '' -- partition --input types --parts 2 --out parts --method hash --save-mapping
expect 0 'the copy is removed at the end' -- assign --in-dir parts --parts 3 --method ldg --out-dir by_parts
expect 0 '' -- assign --in-dir types --parts 3 --method ldg --out-dir as
cmp -s as/user.txt by_parts/user.txt || fail "the assignment of a partition folder"
reads "OGB's layout" ogb
reads 'tables' shop.json
reads 'a partition folder' parts
expect 0 'nothing wrong' -- verify made/g.json --against parts

# One text file, as METIS and KaMinPar write it
expect 0 '' -- assign --in-dir mesh.graph --parts 3 --out-dir as
cp as/_N.txt mesh.graph.part.3
expect 0 '' -- partition --input mesh.graph --name g --parts 3 --method given --assignment mesh.graph.part.3 --out wanted
expect 0 'is a single file' -- dispatch --in-dir mesh.graph --name g --partitions mesh.graph.part.3 --out-dir made
same wanted/part0 made/part0
same wanted/part2 made/part2
expect 0 'nothing wrong' -- verify made/g.json --against mesh.graph --assignment mesh.graph.part.3
expect 1 'mesh.graph.part.3, line' -- partition --input mesh.graph --parts 2 --method given --assignment mesh.graph.part.3 --out no
head -59 mesh.graph.part.3 >short
expect 1 'short, line 60' -- dispatch --in-dir mesh.graph --partitions short --num-parts 3 --out-dir no
expect 1 'user.txt' -- partition --input types --parts 3 --method given --assignment short --out no
expect 1 'a text file, a part a line' -- partition --input mesh.graph --parts 3 --method given --assignment nowhere --out no
expect 1 'a text file, a part a line' -- dispatch --in-dir mesh.graph --partitions nowhere --out-dir no
expect 1 'user.txt' -- dispatch --in-dir types --partitions short --num-parts 3 --out-dir no

# All that decided the parts stands in partition_meta.json, and in the manifest of what is made of them.
expect 0 '' -- assign --in-dir list.txt --num-nodes 70 --undirected --parts 3 --method fennel --seed 5 --stream-order shuffled --balance-edges --tolerance 0.5 --out-dir as
for words in '"seed": 5' '"tolerance": 0.5' '"stream_order": "shuffled"' '"balance_ntypes": "types"' '"balance_edges": true' '"num_nodes": 70' '"undirected": true'; do
  grep -qF "$words" as/partition_meta.json || { fail "partition_meta.json does not say $words"; cat as/partition_meta.json; }
done
expect 0 '' -- dispatch --in-dir list.txt --num-nodes 70 --undirected --partitions as --out-dir made
expect 0 '' -- partition --input list.txt --num-nodes 70 --undirected --parts 3 --method given --assignment as --out wanted
for made in made wanted; do
  for words in '"method": "fennel"' '"seed": 5' '"num_nodes": 70' '"undirected": true'; do
    grep -qF "$words" $made/.halograph-manifest || fail "the manifest of $made does not say $words"
  done
done
expect 0 '' -- assign --in-dir list.txt --parts 3 --objective vol --out-dir as
grep -qF '"objective": "vol"' as/partition_meta.json || fail "the objective is not said"

# Killed while it works on the copy, and resumed; a copy that a killed run left goes with the next.
expect 0 '' -- generate rmat --scale 16 --edge-factor 8 --seed 5 --features 2 --out big
cat big/edge_index/*.txt >big.txt
awk 'BEGIN { for (i = 0; i < 65536; ++i) print i % 3 }' >big.part.3
dispatch=(dispatch --in-dir big.txt --num-nodes 65536 --name g --partitions big.part.3 --out-dir killed)
expect 0 '' -- partition --input big.txt --num-nodes 65536 --name g --parts 3 --method given --assignment big.part.3 --out wanted
for stage in nodes edges part0; do
  killed_after $stage "${dispatch[@]}" --resume
done
if [[ ! -e killed ]]; then
  [[ -e .killed.halograph-input/metadata.json ]] || fail "no copy to resume from"
  expect 1 'cannot be resumed' -- "${dispatch[@]/65536/65537}" --resume
  expect 0 'completed by an earlier run' -- "${dispatch[@]}" --resume
fi
for part in 0 1 2; do same wanted/part$part killed/part$part; done
nothing_left "a run that was resumed"
(trap '' XFSZ; ulimit -f 5000; "$program" "${dispatch[@]}") >out 2>err && fail "more than the limit was written"
nothing_left "a copy without room"
"$program" "${dispatch[@]}" >/dev/null 2>&1 &
pid=$!
for _ in $(seq 3000); do
  [[ -e .killed.halograph-input ]] && break
  sleep 0.002
done
kill -9 $pid 2>/dev/null
wait $pid 2>/dev/null
expect 0 '' -- dispatch --in-dir big --name g --partitions big.part.3 --out-dir killed
nothing_left "the next run"

# inspect says what each of them is
expect 0 'plain form' -- inspect plain
expect 0 'user:buys:item' -- inspect types/meta.json
expect 0 'METIS graph: 60 vertices' -- inspect mesh.graph.gz
expect 0 'METIS graph: 60 vertices' -- inspect mesh.graph.zst
expect 0 'text of 400 lines' -- inspect list.txt.zst
expect 0 'metadata of a chunked graph' -- inspect chunks
expect 0 'partition config' -- inspect wanted
cp list.txt list.el
expect 0 'text of 400 lines' -- inspect list.el
expect 0 'node-link graph: 50 nodes' -- inspect club.json
expect 0 'node attributes "club" are left out' -- inspect club.json.gz
sed 's/"target": "n7"/"target": "n70"/' club.json >unknown.json
expect 1 'no node has this id' -- inspect unknown.json
expect 0 'GraphML graph: 50 nodes' -- inspect club.graphml
# hostile: nested without end, entities of entities, more than memory holds
awk 'BEGIN { printf "<graphml>"; for (i = 0; i < 200000; ++i) printf "<a>" }' >deep.graphml
expect 1 'nested deeper than' -- inspect deep.graphml
printf '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><graphml>&b;</graphml>' >laughs.graphml
expect 1 'declarations of its own' -- inspect laughs.graphml
awk 'BEGIN { printf "{\"links\": [], \"nodes\": "; for (i = 0; i < 200000; ++i) printf "[" }' >deep.json
expect 1 'deep.json' -- inspect deep.json
awk 'BEGIN { printf "<graphml>"; for (i = 0; i < 900; ++i) printf "<key id=\"%d\" attr.type=\"int\"><default>0</default></key>", i; printf "<graph edgedefault=\"directed\">"; for (i = 0; i < 20000; ++i) printf "<node id=\"%d\"/>", i; print "</graph></graphml>" }' >wide.graphml
expect 1 'more than' -- assign --in-dir wide.graphml --parts 2 --out-dir no --memory 100MiB

# What is not taken: the sentence says what is.
expect 1 'bytes that the budget leaves for edges' -- assign --in-dir mesh.graph --parts 2 --out-dir no --memory 32MiB
expect 1 'appended to edge lists' -- assign --in-dir mesh.graph --undirected --parts 2 --out-dir no
expect 1 'set for edge lists only' -- dispatch --in-dir chunks --num-nodes 70 --partitions as --out-dir no
mkdir empty
: >empty.graph
: >empty.txt
head -c 4096 "$program" >garbage.txt
cp garbage.txt garbage.graph
cp garbage.txt garbage.dgl
cp garbage.txt garbage.json
cp mesh.graph mesh.metis
for command in "assign --parts 2" "dispatch --partitions as"; do
  expect 1 'must hold metadata.json' -- $command --in-dir empty --out-dir no
  expect 1 'it must be a folder with metadata.json or meta.json' -- $command --in-dir mesh.metis --out-dir no
  expect 1 'there is no header' -- $command --in-dir empty.graph --out-dir no
  expect 1 'garbage.txt, line 1' -- $command --in-dir garbage.txt --out-dir no
  expect 1 'garbage.graph, line 1' -- $command --in-dir garbage.graph --out-dir no
  expect 1 'garbage.dgl' -- $command --in-dir garbage.dgl --out-dir no
  expect 1 'garbage.json' -- $command --in-dir garbage.json --out-dir no
  expect 1 'nowhere' -- $command --in-dir nowhere --out-dir no
done
[[ -e no ]] && fail "a refused run left a result"
nothing_left "a refused run"

exit $failed
