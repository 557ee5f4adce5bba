# SPDX-License-Identifier: BSL-1.0
# shellcheck shell=bash
# A graph by way of each format of one file; sourced before program.sh, which leaves the folder of the script.

# node_pairs FILE: the pairs of different nodes in an edge list, each once
node_pairs() { awk '$1 != $2 { print ($1 < $2) ? $1 " " $2 : $2 " " $1 }' "$1" | LC_ALL=C sort -u; }

# round_trip INPUT FLAGS...: by way of each format the edges are those of the input, by source for Galois, once and undirected for METIS
round_trip() {
  local input=$1
  shift
  rm -f out.* back.*
  expect 0 '' -- convert "$input" "$@" --out out.txt
  expect 0 'Matrix Market file of' -- convert "$input" "$@" --out out.mtx
  expect 0 'Galois graph of' -- convert "$input" "$@" --out out.gr
  expect 0 '' -- convert out.mtx --out back.txt
  cmp -s out.txt back.txt || fail "$input: Matrix Market gives other edges"
  rm back.txt
  expect 0 '' -- convert out.gr --out back.txt
  cmp -s <(sort -s -n -k1,1 out.txt) back.txt || fail "$input: Galois gives other edges"
  rm back.txt
  # METIS has each pair of nodes once, and no loops.
  [[ " $* " == *' --no-weights '* ]] || set -- "$@" --no-weights
  expect 0 'METIS graph of' -- convert "$input" "$@" --out out.graph
  expect 0 '' -- convert out.graph --out back.txt
  cmp -s <(node_pairs out.txt) <(node_pairs back.txt) || fail "$input: METIS gives other edges"
  [[ $(sed -n '/^[^%]/{p;q}' out.graph | cut -d' ' -f1) == "$(sed -n '/^[^%]/{p;q}' out.mtx | cut -d' ' -f1)" ]] ||
    fail "$input: METIS gives another number of nodes"
  expect 0 '' -- convert out.graph --no-weights --out out.again.graph
  cmp -s out.graph out.again.graph || fail "$input: a METIS graph does not come out as it was"
}
