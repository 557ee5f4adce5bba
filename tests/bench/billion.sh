#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# The whole pipeline of bench/billion.sh has a row for each command, on small graphs; a command that fails ends it.
#   billion.sh SCRIPT PROGRAM
set -euo pipefail
script=$1 program=$2
begun='^K = '
. "$(dirname "${BASH_SOURCE[0]}")/../support/refused.sh"
refused 2 'give the program'
refused 2 'must be rmat or mag' "$program" --graph grid
refused 2 'is not a folder' "$program" --scratch none
refused 2 'unknown option --what' "$program" --what
[ -r /proc/self/status ] || exit 0

"$script" "$program" --scale 8 --mag-scale 1/16384 --parts 3 --memory 256MiB --scratch "$work" >table
for graph in "rmat 8" "mag 1/16384"; do
  for step in generate "assign --method buffered" dispatch "cp, yardstick" verify simulate; do
    grep -qE "^\| $graph \| $step \| [0-9.]+ \| [0-9.]+ \| [0-9.]+ \| [0-9.]+ \| ([0-9]+|-) \|$" table || { echo "no row of $graph, $step"; cat table; exit 1; }
  done
done
# An edge is 16 bytes in the input, which dispatch reads.
awk -F' *[|] *' '$2 == "rmat 8" && $3 == "dispatch" && $6 < 16 { exit 1 }' table || { echo "dispatch has read too little"; cat table; exit 1; }
[ -z "$(find . -mindepth 1 -maxdepth 1 -type d)" ] || { echo "folders are left"; ls; exit 1; }

cat >fails <<END
#!/usr/bin/env bash
[ "\$1" != verify ] || { echo '{"error": "wrong"}'; exit 1; }
exec "$program" "\$@"
END
chmod +x fails
if "$script" ./fails --graph rmat --scale 6 --scratch "$work" >table 2>errors; then echo "a command that fails passed"; exit 1; fi
grep -q '^FAILED: verify of rmat 6: {"error": "wrong"}' errors || { cat errors; exit 1; }
