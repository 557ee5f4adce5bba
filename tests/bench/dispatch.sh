#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# bench/dispatch.sh has a row for each format, and says which command failed.
#   dispatch.sh SCRIPT PROGRAM
set -euo pipefail
script=$1 program=$2
begun='^rmat '
. "$(dirname "${BASH_SOURCE[0]}")/../support/refused.sh"
refused 2 'give the program'
refused 2 'must be numpy, csv or parquet' "$program" --format tsv
refused 2 'must be a whole number' "$program" --runs 0
refused 2 'is not a folder' "$program" --scratch none
refused 2 'unknown option --what' "$program" --what
[ -r /proc/self/status ] || exit 0

formats=(numpy csv)
! "$program" --version | grep -q '^libraries:.* duckdb' || formats+=(parquet)
asked=()
for format in "${formats[@]}"; do asked+=(--format "$format"); done
"$script" "$program" --scale 12 --columns 16 --parts 3 --runs 1 --scratch "$work" "${asked[@]}" >table
for format in "${formats[@]}"; do
  # 64 bytes for each of 4096 nodes are in the input and in the result; an edge is more than 4 bytes as text, and 16 otherwise.
  awk -F' *[|] *' -v format="$format" '$2 == format && $3 * 1e6 > 64 * 4096 + 16 * 65536 && $4 > 1 && $5 > 0 &&
    $6 > (format == "numpy" ? 20 : 8) && $7 > 20 && $8 > 0 && $9 > 0 && $10 > 0 { found = 1 }
    END { exit !found }' table || { echo "no row of $format"; cat table; exit 1; }
done
[ -z "$(find . -mindepth 1 -maxdepth 1 -type d)" ] || { echo "folders are left"; ls; exit 1; }

printf '#!/bin/sh\n[ "$1" != dispatch ] || { echo wrong; exit 1; }\nexec "%s" "$@"\n' "$program" >fails
chmod +x fails
got=0
"$script" "$work/fails" --scale 8 --runs 1 --scratch "$work" >out 2>&1 || got=$?
[ "$got" = 1 ] && grep -q 'FAILED: dispatch: wrong' out || { echo "a run that fails gives $got"; cat out; exit 1; }
