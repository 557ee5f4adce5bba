#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Readers of a folder that is replaced again and again see all of one result: never an error, never parts of two.
# HALOGRAPH_REPLACEMENTS: how often (40).
source "$(dirname "${BASH_SOURCE[0]}")/../support/program.sh"
replacements=${HALOGRAPH_REPLACEMENTS:-40}
expect 0 '' -- generate rmat --scale 8 --edge-factor 8 --features 2 --chunks 2 --out graph
one=(partition --input graph --parts 2 --method random --seed 1 --out parts)
other=(partition --input graph --parts 3 --method random --seed 2 --out parts)
for run in one other; do
  declare -n words=$run
  expect 0 '' -- "${words[@]}"
  "$program" report parts/rmat.json >"$run.report" 2>&1 || fail "report of $run: $(cat "$run.report")"
done
cmp -s one.report other.report && fail "both results have the same report"
(
  for ((i = 0; i < replacements; ++i)); do
    if ((i % 2)); then "$program" "${one[@]}"; else "$program" "${other[@]}"; fi >writer 2>&1 || exit 1
  done
) &
writer=$!
reads=0
while kill -0 $writer 2>/dev/null; do
  "$program" report parts/rmat.json >read 2>read_err || fail "report: $(cat read_err)"
  # Seconds and memory follow the figures.
  grep -v 'seconds' read | head -4 >figures
  cmp -s figures <(grep -v seconds one.report | head -4) || cmp -s figures <(grep -v seconds other.report | head -4) ||
    fail "a report of neither result: $(cat read)"
  "$program" verify parts/rmat.json >read 2>read_err || fail "verify: $(cat read read_err)"
  "$program" inspect parts/rmat.json >read 2>read_err || fail "inspect: $(cat read read_err)"
  reads=$((reads + 3))
done
wait $writer || fail "the folder could not be replaced: $(cat writer)"
echo "$reads reads during $replacements replacements; failures: $failed"
exit $failed
