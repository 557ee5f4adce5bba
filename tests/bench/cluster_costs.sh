#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# bench/cluster_costs.sh has a row for each step that estimate expects, with numbers above 0.
#   cluster_costs.sh SCRIPT PROGRAM
set -euo pipefail
script=$1 program=$2
begun='^| scale'
. "$(dirname "${BASH_SOURCE[0]}")/../support/refused.sh"
refused 2 'give the program'
refused 2 'is not a folder' "$program" --scratch none
refused 2 'unknown option --what' "$program" --what

"$script" "$program" --scale 10 --scale 11 --runs 1 --parts 3 --scratch "$work" >table
for scale in 10 11; do
  for threads in 1 2; do
    for step in assign nodes edges rows cut parts all; do
      awk -F' *[|] *' -v want="$scale $threads $step" '$2 " " $3 " " $4 == want && $5 > 0 && $6 >= 0 && $8 > 0 { found = 1 } END { exit !found }' table ||
        { echo "no row of $scale, $threads, $step"; cat table; exit 1; }
    done
  done
done
[ -z "$(find . -mindepth 1 -maxdepth 1 -type d)" ] || { echo "folders are left"; ls; exit 1; }
