#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# The table of announced and measured memory has a row for every method, and a program that takes more than it announces fails it.
#   announced_memory.sh SCRIPT PROGRAM
set -euo pipefail
script=$1 program=$2
begun='^| rmat'
. "$(dirname "${BASH_SOURCE[0]}")/../support/refused.sh"
refused 2 'give the program'
refused 2 'is not a folder' "$program" --data none
refused 2 'unknown option --what' --what
[ -r /proc/self/status ] || exit 0

"$script" "$program" --quick >table
[ "$(grep -c '^| rmat 10 x 4 |' table)" = 23 ] || { echo "rows are missing"; cat table; exit 1; }
for words in 'partition | multilevel' 'partition | metis' 'partition | buffered' 'partition | range' 'assign | multilevel' 'assign | buffered' 'assign | label_propagation' 'assign | ldg' 'dispatch | range' 'report | range' 'simulate | range' 'verify | range'; do
  grep -qF "| $words |" table || { echo "no row of $words"; cat table; exit 1; }
done
grep -qE '\| [0-9.]+ \| 0\.0 \|' table && { echo "nothing was measured"; cat table; exit 1; }

# The same program, announcing a thousandth.
cat >understates <<END
#!/usr/bin/env bash
"$program" "\$@" | sed -E 's/("(peak_bytes|memory_bytes|bytes)": *)([0-9]+)[0-9]{3}/\1\3/'
END
chmod +x understates
if "$script" ./understates --quick >table 2>errors; then echo "an announcement that is too low passed"; cat table; exit 1; fi
[ ! -s errors ] || { cat errors; exit 1; }
