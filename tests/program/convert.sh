#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# convert writes a graph in every format, and reads back what it wrote; on real graphs too, where there are any.
source "$(dirname "${BASH_SOURCE[0]}")/../support/round_trip.sh"
source "$(dirname "${BASH_SOURCE[0]}")/../support/program.sh"
awk 'BEGIN { x = 1; for (i = 0; i < 400; ++i) { x = (x * 1103515245 + 12345) % 2147483648; y = int(x / 65536) % 50; x = (x * 1103515245 + 12345) % 2147483648; print y, int(x / 65536) % 50, i % 5 + 1 } }' >list.txt
round_trip list.txt
round_trip list.txt --no-weights
round_trip list.txt --num-nodes 70 --undirected

# METIS: what was undirected stays as it is.
awk 'BEGIN { n = 60; print n, 2 * n, "001"; for (v = 0; v < n; ++v) { a = (v + 1) % n + 1; b = (v + n - 1) % n + 1; c = (v + 7) % n + 1; d = (v + n - 7) % n + 1; print a, 1, b, 1, c, 2, d, 2 } }' >ring.graph
expect 0 'METIS graph of 60 nodes and 120 edges with weights' -- convert ring.graph --out sorted.graph
expect 0 '' -- convert sorted.graph --out again.graph
cmp -s sorted.graph again.graph || fail "a METIS graph does not come out as it was"
expect 0 ' duplicate edge' -- convert list.txt --out merged.graph --json

# Every format is an input of every command.
printf '\0\0\0\0\1\0\0\0\1\0\0\0\2\0\0\0' >pairs.bin32
printf 'c\np sp 3 2\na 1 2 5\na 2 3 6\n' >road.gr
printf 'AdjacencyGraph\n3\n2\n0\n1\n2\n1\n2\n' >ligra.adj
printf '%%%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 3\n' >path.mtx
printf '0 1\n1 2\n' >path.txt
for input in pairs.bin32 road.gr ligra.adj path.mtx; do
  rm -f back.txt
  expect 0 '' -- convert "$input" --no-weights --out back.txt
  cmp -s path.txt back.txt || fail "$input holds other edges"
  expect 0 '' -- partition --input "$input" --name g --parts 2 --method hash --out parts
  expect 0 'nothing wrong' -- verify parts/g.json --against "$input"
  expect 0 '' -- assign --in-dir "$input" --parts 2 --method ldg --out-dir as
done
gzip -k road.gr path.mtx pairs.bin32
stored_zst road.gr path.mtx pairs.bin32
for input in road.gr.gz path.mtx.gz pairs.bin32.gz road.gr.zst path.mtx.zst pairs.bin32.zst; do
  rm -f back.txt
  expect 0 '' -- convert "$input" --no-weights --out back.txt
  cmp -s path.txt back.txt || fail "$input holds other edges"
done

# Parts: line v is the part of node v, whatever the folder calls it; given to partition, the same folder comes out.
awk 'BEGIN { for (v = 0; v < 60; ++v) print (v * 7) % 3 }' >ring.graph.part.3
for mapping in '' --save-mapping '--node-order bfs' --no-reshuffle; do
  rm -rf given owners.part.3
  expect 0 '' -- partition ring.graph --parts 3 --method given --assignment ring.graph.part.3 $mapping --out given
  expect 0 'the parts of 60 nodes, from 0 to 2' -- convert given --out owners.part.3
  cmp -s ring.graph.part.3 owners.part.3 || fail "parts ($mapping) do not come out as they were given"
done
expect 0 '' -- partition ring.graph --parts 3 --method given --assignment ring.graph.part.3 --no-mapping --out given
expect 1 'given/ring.json' -- convert given --out x.part.3
expect 0 '' -- generate hetero --out typed
expect 0 '' -- partition typed --parts 2 --method hash --out typed_parts
expect 1 'one type' -- convert typed_parts --out x.part.2
expect 1 'halograph assign' -- convert ring.graph --to parts --out x.part.3

# partition writes the same without a folder in between, and refuses what has no place for parts.
for input in ring.graph list.txt; do
  rm -rf whole folder.part.3 direct.part.3
  expect 0 '' -- partition $input --parts 3 --method ldg --out whole
  expect 0 '' -- convert whole --out folder.part.3
  expect 0 'the part of each node is in direct.part.3' -- partition $input --parts 3 --method ldg --out direct.part.3
  [[ -f direct.part.3 ]] && cmp -s folder.part.3 direct.part.3 || fail "$input: partition writes other parts than convert"
done
expect 0 '"format": "parts"' -- partition ring.graph -k 3 -m given --assignment ring.graph.part.3 --to parts -o named --json
cmp -s ring.graph.part.3 named || fail "given parts do not come out as they were"
expect 0 '"edge_cut": 120' -- partition ring.graph -k 3 -m given --assignment ring.graph.part.3 -o given.part.3 --json
expect 0 '' -- partition ring.graph -k 3 -m hash --to dgl -o folder.graph
expect 0 'nothing wrong' -- verify folder.graph --against ring.graph
expect 1 'name a file that does not exist' -- partition ring.graph -k 3 -o direct.part.3
expect 2 'direct.part.3 is the name of 3 parts, but --parts is 4' -- partition ring.graph -k 4 -o direct.part.3
expect 2 'ending of a graph' -- partition ring.graph -k 3 -o x.mtx
expect 2 '--to: "metis" is unknown' -- partition ring.graph -k 3 -o x --to metis
for flag in '--hops 2' --save-mapping '--trainers-per-machine 2' '--report x.html'; do
  # shellcheck disable=SC2086
  expect 2 "${flag%% *} goes with --to dgl and --to native, but --to is parts" -- partition ring.graph -k 3 -o x.part.3 $flag
done
expect 1 'halograph assign writes a file for each type' -- partition typed -k 2 -m hash -o x.part.2

# What is refused leaves nothing.
expect 1 'name a file that does not exist' -- convert path.mtx --out path.txt
expect 2 'names no format' -- convert path.mtx --out x.dgl
expect 1 'names no edge feature' -- convert path.mtx --weights w --out x.gr
printf '%%%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 4\n' >wrong.mtx
expect 1 'wrong.mtx, line 4' -- convert wrong.mtx --out x.gr
head -c 40 out.gr >cut.gr
expect 1 'cut.gr' -- convert cut.gr --out x.txt
printf '0 1 0.5\n' >half.txt
expect 1 'without weights' -- convert half.txt --out x.graph
head -c 20 path.mtx.zst >cut.mtx.zst
expect 1 'cut.mtx.zst, byte 20: ends in the middle of a Zstandard frame' -- convert cut.mtx.zst --out x.txt
left=$(find . -name 'x.*' -o -name '.*halograph-tmp*' -o -name '.halograph-convert*')
[[ -z $left ]] || fail "a refused run left $left"

# Real graphs
data=${HALOGRAPH_SHARED_DIR:-/nonexistent}/data
for graph in karate cora citeseer lesmis mesh-4elt/4elt.graph mesh-wing/wing.graph; do
  [[ -e $data/$graph ]] || continue
  round_trip "$data/$graph"
  rm -rf whole given parts.part.4 again.part.4
  expect 0 '' -- partition "$data/$graph" --parts 4 --method ldg --name g --out whole
  expect 0 '' -- convert whole --out parts.part.4
  expect 0 '' -- partition "$data/$graph" --parts 4 --method given --assignment parts.part.4 --name g --out given
  cmp -s whole/owners.npy given/owners.npy || fail "$graph: parts are not those of the folder"
done

exit $failed
