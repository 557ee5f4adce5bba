#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# slow: a quarter of a minute of large texts
# Hostile texts: lines without end, blank lines, IDs and counts that nothing can hold, graphs of nothing. Memory stays small,
# and what is refused is refused with a sentence.
source "$(dirname "${BASH_SOURCE[0]}")/../support/program.sh"

# within MiB CODE WORDS -- COMMAND...: as expect, with so much address space beyond what the program takes to start
for start in $(seq 20 10 1000) none; do
  [[ $start == none ]] && break
  (ulimit -v $((start * 1024)); "$program" --version) >/dev/null 2>&1 && break
done
within() {
  local limit=$1 code=$2 words=$3 got=0
  shift 4
  ([[ $start == none ]] || ulimit -v $(((start + limit) * 1024)); "$program" "$@") >out 2>err || got=$?  # none: a sanitizer's
  [[ $got == "$code" ]] && grep -qF -- "$words" out err || fail "$* within $limit MiB gave $got instead of $code, or not: $words: $(head -c 600 out err)"
}
# repeat N FILE: N times the file, which is gzip, as one; the members are inflated one behind the other
repeat() { for ((i = 0; i < $1; ++i)); do cat "$2"; done; }

# one line of 2 GB, in 2 MB
head -c 4000000 /dev/zero | tr '\0' '1' | gzip -1 >ones.gz
printf '0 1\n1 2\n' | gzip >edges.gz
(cat edges.gz; repeat 500 ones.gz) >long.txt.gz
for command in 'partition --parts 2 --threads 1' 'chunk --threads 1' 'parmetis export --threads 1'; do
  # shellcheck disable=SC2086
  within 200 1 'long.txt.gz, line 3: the line has more than 1048576 bytes' -- $command --input long.txt.gz --out parts
done
within 40 0 'text of 3 lines' -- inspect long.txt.gz
# the same in frames of Zstandard, whose blocks of 128 KiB are one byte and its count
{ printf '\x28\xb5\x2f\xfd\x00\x38'; printf '\x02\x00\x10\x31%.0s' $(seq 32); printf '\x01\x00\x00'; } >ones.zst
printf '0 1\n1 2\n' >edges && stored_zst edges
(cat edges.zst; repeat 500 ones.zst) >long.txt.zst
for command in 'partition --parts 2 --threads 1' 'chunk --threads 1'; do
  # shellcheck disable=SC2086
  within 200 1 'long.txt.zst, line 3: the line has more than 1048576 bytes' -- $command --input long.txt.zst --out parts
done
within 40 0 'text of 3 lines' -- inspect long.txt.zst
"$program" generate grid --width 2 --height 2 --out graph >/dev/null 2>&1
mkdir zipped && sed 's/_N0.txt/_N0.txt.gz/' graph/metadata.json >zipped/metadata.json && mkdir -p zipped/edge_index && cp long.txt.gz "zipped/edge_index/_N:_E:_N0.txt.gz"
within 200 1 'line 3: the line has more than 1048576 bytes' -- partition --input zipped --parts 2 --out parts --threads 1
within 200 1 'line 3: the line has more than 1048576 bytes' -- assign --in-dir zipped --parts 2 --out-dir parts --method hash --threads 1
# and in a table, where quotes hide line ends
printf '{"nodes": {"user": {"files": ["long.txt.gz"], "key": 0, "header": false}}, "edges": {}}' >tables.json
within 300 1 'long.txt.gz, line 3: the line has more than 33554432 bytes' -- chunk --tables tables.json --memory 16MiB --out parts --threads 1
# without compression, too; what lies behind the line is not read
{ printf '0 1\n'; head -c 2000000 /dev/zero | tr '\0' '7'; } >long.txt
for command in 'partition --parts 2' chunk; do
  # shellcheck disable=SC2086
  expect 1 'long.txt, line 2: the line has more than 1048576 bytes' -- $command --input long.txt --out parts
done
# a node's line in a METIS graph may be longer: a star of 300,000 nodes, 2 MB
{ echo '300000 299999'; seq -s ' ' 2 300000; for ((i = 2; i <= 300000; ++i)); do echo 1; done; } >star.graph
[[ $(sed -n 2p star.graph | wc -c) -gt 1900000 ]] || fail "the star has a short line"
expect 0 '"edges": 599998' -- partition --input star.graph --parts 2 --method hash --out star --name star --json
expect 0 '300,000 vertices, 299,999 edges' -- inspect star.graph

# 40 million blank lines, and four edges
head -c 10000000 /dev/zero | tr '\0' '\n' | gzip -1 >blanks.gz
(cat edges.gz; repeat 4 blanks.gz; cat edges.gz) >blank.txt.gz
within 90 0 '3 nodes, 4 edges' -- chunk --input blank.txt.gz --out chunked --threads 1
within 90 0 '"edges": 4' -- partition --input blank.txt.gz --parts 2 --method hash --out parts --threads 1 --json
within 40 0 'text of 40,000,004 lines' -- inspect blank.txt.gz
# an assignment is counted, not held
printf '0\n1\n%.0s' $(seq 500000) | gzip >parts.gz
repeat 10 parts.gz >parts.txt.gz
within 40 0 'as an assignment: 10,000,000 nodes, parts 0 to 1' -- inspect parts.txt.gz

# IDs and counts that nothing can hold
for id in 9223372036854775807 18446744073709551615 18446744073709551616; do
  echo "0 $id" >ids.txt
  for command in 'partition --parts 2 --method hash' chunk; do
    # shellcheck disable=SC2086
    expect 1 "ids.txt, line 1: column 2 is \"$id\"; it must be a target node ID, an integer from 0 to 9223372036854775806" -- $command --input ids.txt --out ids
  done
done
[[ -e ids ]] && fail "IDs that int64 cannot hold have given a result"
printf '0 1\n' >edge.txt
expect 1 'nodes are more than this machine can address' -- partition --input edge.txt --parts 2 --method hash --out ids --num-nodes 9223372036854775807 --ignore-memory
expect 1 'not enough memory' -- partition --input edge.txt --parts 2 --method hash --out ids --num-nodes 100000000000000 --ignore-memory
for counts in '[[9223372036854775807, 1]]' '[[18446744073709551615]]'; do
  mkdir -p huge/edge_index && cp graph/edge_index/* huge/edge_index/ && sed -zE "s/(\"num_nodes_per_chunk\": )\[[^\"]*\],/\1$counts,/; s/(\"num_nodes_per_type\": )\[[^\"]*\]/\1[18446744073709551615]/" graph/metadata.json >huge/metadata.json
  for command in 'partition --input huge --parts 2 --ignore-memory' 'chunk --input huge' 'assign --in-dir huge --parts 2'; do
    # shellcheck disable=SC2086
    expect 1 'huge/metadata.json: the graph has more than 9223372036854775807 nodes' -- $command --out ids
  done
done

# Graphs of nothing go all the way, in every format; a graph without node types goes nowhere.
mkdir chunks untyped plain rows
metadata() { printf '{"graph_name": "g", "node_type": [%s], "num_nodes_per_type": [%s], "edge_type": [%s], "num_edges_per_type": [%s], "edges": {%s}, "node_data": {}, "edge_data": {}}\n' "$@"; }
metadata '"a", "b"' '0, 0' '"a:to:b"' 0 '"a:to:b": {"format": {"name": "csv", "delimiter": " "}, "data": ["edges.csv"]}' >chunks/metadata.json
metadata '' '' '' '' '' >untyped/metadata.json
: >chunks/edges.csv
: >nothing.txt
echo '0 0' >nothing.graph
echo '{"name": "g", "num_nodes": {"_N": 0}, "num_edges": {"_N:_E:_N": 0}}' >plain/meta.json
: >plain/edges.txt
for part in 0 1; do printf "\x93NUMPY\x01\x00\x76\x00%-117s\n" "{'descr': '<f4', 'fortran_order': False, 'shape': (0,), }" >"rows/part$part.npy"; done
for input in nothing.txt nothing.graph chunks plain; do
  for method in metis hash ldg; do
    rm -rf none
    expect 0 'none/g.json' -- partition --input $input --parts 2 --method $method --name g --out none --save-mapping
    expect 0 'nothing wrong in 2 parts' -- verify none/g.json --against $input
  done
  expect 0 'edge cut' -- report none/g.json
  expect 0 '"ok": true' -- simulate none/g.json --json
  [[ $input == chunks ]] && rm -rf rows/a && mkdir rows/a && cp rows/part*.npy rows/a
  expect 0 '0 rows of' -- restore none/g.json --rows rows --out rows.npy --type "$([[ $input == chunks ]] && echo a || echo _N)"
  rm -rf remade owners dispatched
  expect 0 '0 nodes, 0 edges' -- chunk --input $input --out remade --name g
  expect 0 'owners' -- assign --in-dir remade --out-dir owners --parts 2 --method hash
  expect 0 'dispatched/g.json' -- dispatch --in-dir remade --partitions-dir owners --out-dir dispatched --name g
  expect 0 'nothing wrong in 2 parts' -- verify dispatched/g.json --against $input
done
for command in 'partition --parts 2' chunk 'assign --parts 2' 'parmetis export'; do
  # shellcheck disable=SC2086
  expect 1 'a graph has at least one node type' -- $command --input untyped --out untyped_parts
done
expect 1 'a graph has at least one node type' -- inspect untyped/metadata.json

exit $failed
