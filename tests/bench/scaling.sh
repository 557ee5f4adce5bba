#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# bench/scaling.sh has a row for each number of ranks, and over ranks more is sent than the least.
#   scaling.sh SCRIPT PROGRAM
set -euo pipefail
script=$1 program=$2
begun='^K = '
. "$(dirname "${BASH_SOURCE[0]}")/../support/refused.sh"
refused 2 'give the program'
refused 2 'is not a folder' "$program" --scratch none
refused 2 'unknown option --what' "$program" --what
"$program" --version | grep -q '^libraries:.* mpi\b' || { refused 2 'without the component "mpi"' "$program"; exit 0; }

"$script" "$program" --scale 10 --ranks 1 --ranks 2 --parts 4 --scratch "$work" >table 2>said || {
  got=$?
  cat said table
  exit "$got"
}
for row in "strong 1 10" "strong 2 10" "weak 1 10" "weak 2 11"; do
  awk -F' *[|] *' -v want="$row" '$2 " " $3 " " $4 == want && $5 > 0 && $10 > 0 && $11 > 0 && ($3 == 1 || ($7 > $8 && $9 > 1)) { found = 1 }
    END { exit !found }' table || { echo "no row of $row"; cat table; exit 1; }
done
[ -z "$(find . -mindepth 1 -maxdepth 1 -type d)" ] || { echo "folders are left"; ls; exit 1; }
ip link | grep -q "hg$$" && { echo "hosts are left"; exit 1; }

printf '#!/bin/sh\n[ "$1" != dispatch ] || { echo wrong; exit 1; }\nexec "%s" "$@"\n' "$program" >fails
chmod +x fails
got=0
"$script" "$work/fails" --scale 10 --ranks 2 --scratch "$work" >out 2>&1 || got=$?
[ "$got" = 1 ] && grep -q 'FAILED: dispatch on 2 ranks: ' out || { echo "a run that fails gives $got"; cat out; exit 1; }
