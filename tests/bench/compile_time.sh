#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# bench/compile_time.sh rejects wrong options before it compiles anything, and measures the yardstick.
#   compile_time.sh SCRIPT CXX
set -euo pipefail
script=$1
export CXX=$2
begun='yardstick'
. "$(dirname "${BASH_SOURCE[0]}")/../support/refused.sh"
touch file
refused 2 '--runs few must be a whole number' --runs few
refused 2 '--runs must be at least 1' --runs 0
refused 2 '--jobs must be at least 1' --jobs 0
refused 2 'unknown option --what' --what
refused 1 "cannot write into $work/file/results" --out file/results
CXX=no_such_compiler refused 1 'there is no compiler no_such_compiler' --out results
[ -x /usr/bin/time ] || exit 77  # GNU time, which the script would install
"$script" --rows yardstick --runs 2 --out results >out 2>&1 || { cat out; exit 1; }
grep -Eq '^\| the yardstick: .* \| [0-9.]+ s, [0-9]+ MB \| 1 \|' results/compile_time.md || { cat results/compile_time.md; exit 1; }
