#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Announced memory and disk space are upper bounds. bench/announced_memory.sh compares more, on larger graphs.
source "$(dirname "${BASH_SOURCE[0]}")/../support/program.sh"

# member KEY FILE: the first number with that name
member() { grep -o "\"$1\": *[0-9]*" "$2" | sed -n '1s/.*: *//p'; }
# readable BYTES: as sentences have them, from 1 MiB to 1 GiB
readable() { awk -v b="$1" 'BEGIN { printf "%.1f MiB", b / 1048576 }'; }

# Node types take no memory per node: 100 types of 10000 nodes would take 800 MB.
mkdir -p many/edges
{
  printf '{"name": "many", "directed": true, "num_nodes": {"t0": 10000'
  for i in $(seq 99); do printf ', "t%d": 10000' "$i"; done
  printf '}, "num_edges": {"t0:to:t1": 1}}\n'
} >many/meta.json
echo '0 0' >many/edges/t0.to.t1.txt
for method in hash range; do
  expect 0 '"ntype:t99"' -- partition --input many --parts 4 --method $method --out many_parts --json
  peak=$(grep -o '"peak_bytes": *[0-9]*' out | sed -n '$s/.*: *//p')
  announced=$(member peak_bytes out)
  [[ $peak -gt 1000000 && $peak -lt 120000000 ]] || fail "$method of 100 node types took $peak bytes"
  [[ $announced -lt 120000000 ]] || fail "$method of 100 node types announces $announced bytes"
done
rm -rf many many_parts

# estimate counts features, in arrays and in text, and prints what partition prints.
mkdir -p plain/label plain/feat plain/split
printf '{"name": "plain", "directed": true, "weighted": true, "num_nodes": {"_N": 50}, "num_edges": {"_N:_E:_N": 3}, "features": {"_N": {"dim": 4000, "format": ["coo"], "nnz": 2}}, "labels": {"_N": 3}, "split": {"_N": {}}}' >plain/meta.json
printf '0 1 2\n1 2 3\n2 3 4\n' >plain/edges.txt
printf '0 7\n49 3999\n' >plain/feat/_N.coo.txt
for i in $(seq 50); do echo 1; done >plain/label/_N.txt
for i in $(seq 50); do echo 0; done >plain/split/_N.txt
expect 0 '' -- generate hetero --nodes 500 --features 100 --chunks 2 --format numpy --out chunked
for input in plain chunked; do
  for method in metis hash ldg; do
    expect 0 '' -- estimate --input $input --parts 2 --method $method --threads 2 --json
    least=$(member disk_bytes_least out)
    for key in peak_bytes disk_bytes_least disk_bytes_most; do
      grep -o "\"$key\": *[0-9]*" out | tail -1 >estimated.$key
    done
    expect 0 '' -- partition --input $input --parts 2 --method $method --threads 2 --out parts --json
    for key in peak_bytes disk_bytes_least disk_bytes_most; do
      tr -d '\n' <out | grep -o '"estimate".*"graph"' | grep -o "\"$key\": *[0-9]*" | tail -1 | cmp -s - estimated.$key || fail "estimate and partition differ in $key of $input by $method"
    done
    most=$(sed 's/.*: *//' estimated.disk_bytes_most)
    written=$(du -sb parts | cut -f1)
    least=$(sed 's/.*: *//' estimated.disk_bytes_least)
    [[ $written -le $most && $written -ge $((least / 2)) ]] || fail "$method of $input wrote $written bytes, but $least to $most are announced"
  done
done
[[ $(sed 's/.*: *//' estimated.disk_bytes_least) -gt 400000 ]] || fail "estimate leaves out features: $(cat estimated.disk_bytes_least)"

# Weights that a METIS file brings are counted as those of a flag are: where they are kept, and in the rows of multilevel.
awk 'BEGIN { n = 3000; print n, n, 1; for (v = 0; v < n; ++v) print (v + n - 1) % n + 1, 5, (v + 1) % n + 1, 5 }' >weighted.graph
for command in estimate partition; do
  bytes=()
  for weights in '' '--edge-weights weight' '--edge-weights none'; do
    folder=(--out weighted)
    [[ $command == partition ]] || folder=()
    # shellcheck disable=SC2086  # a flag and its value
    expect 0 '' -- $command --input weighted.graph --parts 2 --method multilevel $weights "${folder[@]}" --json
    bytes+=("$(grep -o '"peak_bytes": *[0-9]*' out | sed -n '1s/.*: *//p')")
  done
  [[ ${bytes[0]} == "${bytes[1]}" ]] || fail "$command announces ${bytes[0]} bytes, with --edge-weights weight ${bytes[1]}"
  ((bytes[1] >= bytes[2] + 6000 * (8 + 4))) || fail "$command announces weights with $((bytes[1] - bytes[2])) bytes"
done
rm -rf weighted.graph weighted

# So does what these commands announce, and they refuse to begin with less.
expect 0 '' -- partition --input chunked --parts 2 --out kept
expect 0 '' -- parmetis export --input chunked --out exported
mkdir rows
for part in 0 1; do
  count=$(tr -d ' \n' <kept/hetero.json | sed "s/.*\"node_map\":{[^}]*\"paper\":\[//; s/\]\].*//; s/\],\[/ /; s/[][]//g" | cut -d ' ' -f $((part + 1)) | awk -F , '{ print $2 - $1 }')
  { printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "{'descr': '|u1', 'fortran_order': False, 'shape': ($count,), }"; head -c "$count" /dev/zero; } >rows/part$part.npy
done
expect 0 '' -- parmetis partition --graph-name hetero --num-parts 2 --input-dir exported --out cut
# announced WHAT COMMAND...: it takes no more than it announces, and is refused one byte less
announced() {
  local what=$1 bytes
  shift
  expect 0 '"need"' -- "$@" --json
  bytes=$(tr -d '\n' <out | grep -o '"need".*' | grep -o '"memory_bytes": *[0-9]*' | sed 's/.*: *//')
  rm -rf made
  expect 1 "$what needs up to " -- "$@" --memory $((bytes - 1))
  [[ ! -e made ]] || fail "$what leaves $(ls -A)"
  expect 0 '' -- "$@" --memory "$bytes"
  expect 0 '' -- "$@" --memory 1 --ignore-memory
  rm -rf made
}
announced 'restoring these rows' restore kept/hetero.json --rows rows --type paper --out made
announced 'attaching these features' attach-features kept/hetero.json --input chunked --out made
expect 1 'reading this graph needs up to ' -- attach-features kept/hetero.json --input plain --out made --memory 1KiB
# Of a chunked graph only features are read, and arrays stay in their files.
mkdir text
printf '{"graph_name": "text", "node_type": ["n"], "num_nodes_per_chunk": [[3]], "edge_type": ["n:e:n"], "num_edges_per_chunk": [[1]], "edges": {"n:e:n": {"format": {"name": "csv", "delimiter": " "}, "data": ["e.txt"]}}, "node_data": {"n": {"f": {"format": {"name": "csv", "delimiter": " "}, "data": ["f.txt"]}}}, "edge_data": {}}' >text/metadata.json
echo '0 2' >text/e.txt
printf '7\n8\n9\n' >text/f.txt
cp -r text bare
sed -i 's/"node_data": .*, "edge_data"/"node_data": {}, "edge_data"/' bare/metadata.json
expect 0 '' -- partition --input bare --parts 1 --out bare_parts
echo '3 3' >text/e.txt
expect 1 'reading these features needs up to 24 B' -- attach-features bare_parts/text.json --input text --memory 23
expect 0 'added n/f' -- attach-features bare_parts/text.json --input text
rm -rf text bare bare_parts
announced 'exporting this graph' parmetis export --input chunked --out made
announced 'partitioning these files' parmetis partition --graph-name hetero --num-parts 2 --input-dir exported --out made
announced 'importing these parts' parmetis import --parts-file cut/hetero_part.2 --schema exported/hetero.json --out made
rm -rf kept exported cut rows

# multilevel and label_propagation say on their way what this graph takes, less than any graph may: as much as a budget must be.
expect 0 '' -- generate grid --width 300 --height 300 --out grid
for method in multilevel label_propagation; do
  told=(assign --in-dir grid --num-partitions 4 --method $method --threads 2 --out-dir told)
  expect 0 '' -- "${told[@]}" --json
  takes=$(member memory_bytes out) most=$(member memory_bytes_at_start out)
  [[ $takes -lt $most ]] || fail "$method says that a grid takes $takes bytes, and $most at the start"
  mv told first
  expect 0 "now that the graph's clusters are known" -- "${told[@]}" --memory "$takes"
  cmp first/_N.txt told/_N.txt || fail "$method makes other parts within $takes bytes"
  rm -rf first told
  expect 1 ' bytes may do, and ' -- "${told[@]}" --memory 1
  least=$(sed -n 's/.*too small; \([0-9]*\) bytes may do.*/\1/p' err)
  [[ $least -le $takes ]] || fail "$method needs $least bytes at first and takes $takes"
  expect 1 '' -- "${told[@]}" --memory "$((least - 1))"
  [[ $method == multilevel ]] || expect 1 'going on takes up to ' -- "${told[@]}" --memory "$least"
  [[ ! -e told ]] || fail "$method leaves a result that did not fit"
done
# So does partition by multilevel, of rows in memory and of compressed ones, where steps after it take less.
for compress in '' --compress; do
  # shellcheck disable=SC2206  # a flag, or none
  told=(partition --input grid --parts 4 --method multilevel $compress --threads 2 --out told)
  expect 0 '' -- "${told[@]}" --json
  most=$(member memory_bytes_at_start out)
  takes=$(tr -d '\n' <out | grep -o '"need".*' | grep -o '"memory_bytes": *[0-9]*' | sed 's/.*: *//')
  [[ $takes -lt $most && $most == "$(member peak_bytes out)" ]] || fail "partition $compress says that a grid takes $takes bytes, and $most at the start"
  mv told first
  if [[ -z $compress ]]; then
    expect 0 "takes up to $(readable "$takes") of memory" -- "${told[@]}" --memory "$takes"
    diff -r first told >differs || fail "partition makes other parts within $takes bytes: $(head -3 differs)"
    rm -rf told
    expect 1 "--memory $(readable $((takes - 1)))" -- "${told[@]}" --memory "$((takes - 1))"
    [[ ! -e told ]] || fail "partition leaves a result that did not fit"
  fi
  expect 0 "now that the graph's clusters are known" -- "${told[@]}" --memory "$most"
  diff -r first told >differs || fail "partition $compress makes other parts within $most bytes: $(head -3 differs)"
  rm -rf first told
done
rm -rf grid told differs

# A budget that is said to suffice does.
expect 0 '' -- assign --in-dir chunked --out-dir assigned --num-partitions 3 --method hash
dispatch=(dispatch --in-dir chunked --partitions-dir assigned --out-dir dispatched --threads 2)
expect 0 'would suffice' -- "${dispatch[@]}"
enough=$(sed -n 's/.*--memory \([^ ]*\) would suffice.*/\1/p' err)
[[ -n $enough ]] || fail "dispatch does not name a --memory that suffices: $(cat err)"
expect 0 'would suffice' -- "${dispatch[@]}" --memory "$enough"
expect 1 "suffices is $enough" -- "${dispatch[@]}" --memory "$((${enough%MiB} - 1))MiB"
expect 1 ' bytes suffice' -- assign --in-dir chunked --out-dir assigned --num-partitions 3 --method ldg --memory 1
enough=$(sed -n 's/.*too small; \([0-9]*\) bytes suffice.*/\1/p' err)
expect 0 '' -- assign --in-dir chunked --out-dir assigned --num-partitions 3 --method ldg --memory "$enough"
expect 1 "$enough bytes suffice" -- assign --in-dir chunked --out-dir assigned --num-partitions 3 --method ldg --memory "$((enough - 1))"

# announces COMMAND LEAST RESULT REFUSAL: it says that it takes more than LEAST bytes, works with as many, and refuses to start with less.
announces() {
  expect 0 '' -- "$1" dispatched --json
  needed=$(member memory_bytes out)
  [[ $needed -gt $2 ]] || fail "$1 announces $needed bytes"
  expect 0 "$3" -- "$1" dispatched --memory "$needed"
  expect 1 "$4" -- "$1" dispatched --memory "$((needed - 1))"
  expect 0 "$3" -- "$1" dispatched --memory 1MiB --ignore-memory
}
expect 0 '' -- verify dispatched --threads 1 --json
needed=$(member memory_bytes out)
[[ $needed -gt 8388608 ]] || fail "verify announces $needed bytes"
# It lists the edges between parts only if there is memory.
least=$(member least_bytes out)
[[ $least -lt $needed ]] || fail "verify announces $needed bytes and needs no less than $least"
expect 0 'nothing wrong' -- verify dispatched --threads 1 --memory "$least"
expect 1 'verifying this folder needs up to ' -- verify dispatched --threads 1 --memory "$((least - 1))"
expect 0 'nothing wrong' -- verify dispatched --memory 1MiB --ignore-memory
expect 1 'verifying this folder needs up to ' -- verify dispatched --against chunked --memory "$needed"
announces simulate 8388608 'a batch fetches' 'simulating this folder needs up to '
expect 1 'opening the parts of this rank needs up to ' -- simulate dispatched --memory 1
announces report 8388608 'edge cut' 'a report of this folder needs up to '
expect 1 'a report of this folder needs up to ' -- report dispatched --memory "$needed" --html page.html
exit $failed
