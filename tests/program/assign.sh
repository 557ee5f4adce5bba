#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# assign: every method on a chunked graph, taken by partition --method given, which says the same of it.
source "$(dirname "${BASH_SOURCE[0]}")/../support/program.sh"

expect 0 '' -- generate hetero --papers 300 --seed 3 --chunks 3 --format numpy --out graph
for method in metis random ldg fennel buffered hash range label_propagation; do
  algo=metis
  case $method in random|hash|range) algo=random ;; esac
  expect 0 "\"algo_name\": \"$algo\"" -- assign --in-dir graph --out-dir "as-$method" --num_partitions 4 --method $method --json
  cp out assigned.json
  grep -qF "\"method\": \"$method\"" "as-$method/partition_meta.json" || { echo "FAILED: $method is not named"; failed=1; }
  [[ $(wc -l <"as-$method/paper.txt") == 300 ]] || { echo "FAILED: $method does not give each paper a part"; failed=1; }
  # the cut that assign counted is the one that partition finds
  expect 0 '"directed_cut"' -- partition --input graph --name g --parts 4 --method given --assignment "as-$method" --out parts --json
  if [[ $(grep -o '"directed_cut": [0-9]*' assigned.json) != $(grep -o '"directed_cut": [0-9]*' out) ]]; then
    echo "FAILED: assign and partition count another cut for $method"; failed=1
  fi
done
# in memory or not, the same owners
for method in ldg fennel buffered; do
  expect 0 '' -- partition --input graph --name g --parts 4 --method $method --seed 5 --stream-order shuffled --out streamed --save-mapping
  expect 0 '' -- assign --in-dir graph/metadata.json --out-dir shuffled --parts 4 --method $method --seed 5 --stream-order shuffled --memory 64MiB
  expect 0 'nothing wrong' -- verify streamed/g.json --against graph --assignment shuffled
done
# edges balanced beside the nodes, as partition does; node types as one
for method in ldg fennel buffered; do
  expect 0 '"in_degree:ntype:paper"' -- assign --in-dir graph --out-dir by_edges --parts 4 --method $method --balance-edges --json
  expect 0 '' -- partition --input graph --name g --parts 4 --method $method --balance-edges --out streamed --save-mapping
  expect 0 'nothing wrong' -- verify streamed/g.json --against graph --assignment by_edges
done
for method in metis label_propagation; do
  expect 0 '"in_degree:ntype:paper"' -- assign --in-dir graph --out-dir by_edges --parts 4 --method $method --balance-edges --json
done
expect 0 '"name": "nodes"' -- assign --in-dir graph --out-dir as_one --parts 4 --method ldg --balance-ntypes none --json
expect 0 '"in_degree"' -- assign --in-dir graph --out-dir as_one --parts 4 --method label_propagation --balance-ntypes none --balance-edges --json
# a graph whose edges lie on few nodes: parts of as many nodes need not have as many edges
expect 0 '' -- generate rmat --scale 10 --edge-factor 8 --seed 1 --chunks 2 --out skewed
expect 0 '' -- assign --in-dir skewed --out-dir by_edges --parts 8 --method fennel --balance-edges --json
[[ $(grep -c '"met": true' out) == 2 ]] || fail "nodes and edges are not both balanced: $(cat out)"
expect 2 '--balance-edges means nothing to --method hash' -- assign --in-dir graph --out-dir no --parts 2 --method hash --balance-edges
expect 2 '--balance-ntypes means nothing to --method range' -- assign --in-dir graph --out-dir no --parts 2 --method range --balance-ntypes none
expect 0 '' -- partition --input graph --name g --parts 3 --method ldg --node-order bfs --out ordered --save-mapping
expect 0 'nothing wrong' -- verify ordered/g.json --against graph
expect 0 '' -- assign --in-dir graph --out-dir three --parts 3 --method ldg
expect 0 '' -- partition --input graph --name g --parts 3 --method ldg --node-order degree --no-mapping --out ordered
expect 1 'ordered by "descending_degree"' -- verify ordered/g.json --against graph --assignment three

# compressed or not, the same parts, whatever is balanced
measures() { sed -n '/"graph":/,/"copy":/p' out; }
for flags in "" "--balance-edges" "--balance-ntypes none --preset strong" "--fixed three" "--part-weights 3,1,1,1"; do
  for input in graph skewed; do
    [ "$input$flags" != "skewed--fixed three" ] || continue
    # shellcheck disable=SC2086
    expect 0 '"connection"' -- assign --in-dir $input --out-dir plain --parts 4 --method multilevel $flags --json
    measures >measured
    # shellcheck disable=SC2086
    expect 0 'loads all edges, compressed' -- assign --in-dir $input --out-dir compressed --parts 4 --method multilevel --compress $flags
    diff -r plain compressed >differs || fail "--compress $flags of $input gives other parts: $(head -3 differs)"
    # shellcheck disable=SC2086
    expect 0 '"connection"' -- assign --in-dir $input --out-dir compressed --parts 4 --method multilevel --compress $flags --json
    measures | diff measured - >differs || fail "--compress $flags of $input is measured differently: $(head -3 differs)"
  done
done
expect 0 '' -- partition --input graph --name g --parts 4 --method multilevel --out plain
expect 0 '' -- partition --input graph --name g --parts 4 --method multilevel --compress --out compressed
diff -r plain compressed >differs || fail "partition --compress gives another folder: $(head -3 differs)"
expect 2 '--compress requires --method multilevel' -- assign --in-dir graph --out-dir no --parts 2 --method ldg --compress
expect 2 '--compress requires --method multilevel' -- partition --input graph --out no --parts 2 --method metis --compress
expect 2 'leave --compress out' -- assign --in-dir graph --out-dir no --parts 3 --method multilevel --compress --from three
expect 2 'leave --compress out' -- partition --input graph --out no --parts 3 --method multilevel --compress --refine
[ ! -e no ] || fail "a refused run leaves a folder"

expect 2 '--seed means nothing to --method range' -- assign --in-dir graph --out-dir no --parts 2 --method range --seed 1
expect 2 '--tolerance means nothing to --method hash' -- assign --in-dir graph --out-dir no --parts 2 --method hash --tolerance 0.1
# far fewer edges cross parts than with fennel; the batch is part of the result's description
expect 0 '' -- generate grid --width 300 --height 300 --chunks 3 --out board
expect 0 '' -- assign --in-dir board --out-dir by_fennel --parts 4 --method fennel --json
fennel_cut=$(grep -o '"directed_cut": [0-9]*' out | grep -o '[0-9]*$')
expect 0 '' -- assign --in-dir board --out-dir by_batches --parts 4 --method buffered --batch 1000 --json
(($(grep -o '"directed_cut": [0-9]*' out | grep -o '[0-9]*$') * 2 < fennel_cut)) || fail "buffered cuts too many edges: $(cat out)"
grep -q '"batch": 1000' by_batches/partition_meta.json || fail "the batch is not named"
expect 0 '' -- partition --input board --name g --parts 4 --method buffered --batch 1000 --out streamed --save-mapping
expect 0 'nothing wrong' -- verify streamed/g.json --against board --assignment by_batches
expect 2 '--batch requires' -- assign --in-dir graph --out-dir no --parts 2 --method ldg --batch 7
expect 2 '--batch goes with' -- partition --input graph --out no --parts 2 --method ldg --batch 7
expect 1 'bytes suffice' -- assign --in-dir board --out-dir no --parts 2 --method buffered --memory 4MiB
expect 2 '--stream-order requires' -- assign --in-dir graph --out-dir no --parts 2 --stream-order shuffled
expect 2 '--num-partitions' -- assign --in-dir graph --out-dir no
expect 2 '--node-order' -- partition --input graph --parts 2 --out no --node-order bfs --no-reshuffle
expect 1 'bytes suffice' -- assign --in-dir graph --out-dir no --parts 2 --method ldg --memory 1MiB
# What is told of each part is memory, too.
for method in hash random; do
  expect 1 'bytes suffice' -- assign --in-dir graph --out-dir no --parts 2147483647 --method $method --memory 64GiB
done
expect 1 'nowhere' -- assign --in-dir nowhere --out-dir no --parts 2
[[ -e no ]] && { echo "FAILED: a refused run left something"; failed=1; }
exit $failed
