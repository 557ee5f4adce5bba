#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# --connected, and the connected components that partition and assign report.
source "$(dirname "${BASH_SOURCE[0]}")/../support/program.sh"

# number NAME: the first member of that name of the JSON object that the last run printed
number() { grep -o "\"$1\": [0-9]*" out | head -1 | grep -o '[0-9]*$'; }

expect 0 '' -- generate grid --width 30 --height 20 --undirected --out graph
expect 0 '"connection"' -- assign --input graph --out plain --parts 4 --method hash --json
! grep -qF '"connection": {' out || fail "hash reads no edges, so nothing is known of components: $(cat out)"
exit $failed
