#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# slow: some minutes, on real graphs of up to three million edges
# Every real graph comes back from every format that can hold it; those with types from chunked graphs and, with DuckDB, tables.
source "$(dirname "${BASH_SOURCE[0]}")/../support/round_trip.sh"
source "$(dirname "${BASH_SOURCE[0]}")/../support/program.sh"

# same_chunked A B: two chunked graphs, but for what says how they were made
same_chunked() { diff -r -x .halograph-manifest -x node_keys "$1" "$2" >differs; }

# typed_trip INPUT [without_tables]: as chunks of csv, NumPy and csv again, and as tables
typed_trip() {
  rm -rf first numpy again tables
  expect 0 '' -- chunk "$1" --name g --out first
  expect 0 '' -- chunk first --format numpy --num-chunks 3 --out numpy
  expect 0 '' -- chunk numpy --out again
  same_chunked first again || fail "$1: chunks of NumPy give another graph: $(head -3 differs)"
  [[ $# == 1 ]] && "$program" --version | grep -q duckdb || return 0
  rm -rf numpy again
  expect 0 'set of Parquet tables of' -- convert first --to parquet --out tables
  expect 0 '' -- chunk --tables tables/tables.json --out again
  same_chunked first again || fail "$1: Parquet tables give another graph: $(head -3 differs)"
}

expect 0 '' -- generate hetero --features 3 --out hetero
typed_trip hetero
data=${HALOGRAPH_SHARED_DIR:-/nonexistent}/data
for graph in facebook-pages github-social road-fla web-cnr2000; do
  [[ -e $data/$graph ]] && round_trip "$data/$graph"
done
for graph in karate lesmis facebook-pages openflights; do
  [[ -e $data/$graph ]] && typed_trip "$data/$graph"
done
# Of 237 and 53 edge types, as many tables.
for graph in fb15k-237 oewn; do
  [[ -e $data/$graph ]] && typed_trip "$data/$graph" without_tables
done

exit $failed
