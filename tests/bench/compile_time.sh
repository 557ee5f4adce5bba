#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# bench/compile_time.sh rejects wrong options before it compiles anything, and measures the yardstick.
#   compile_time.sh SCRIPT CXX
set -euo pipefail
script=$1
export CXX=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
touch file
# refused CODE WORDS OPTION...
refused() {
  local code=$1 words=$2 got=0
  shift 2
  "$script" "$@" >out 2>&1 || got=$?
  if [ "$got" != "$code" ] || ! grep -qF -- "$words" out || grep -q 'yardstick' out; then
    echo "$* gave $got instead of $code, or not: $words"
    cat out
    exit 1
  fi
}
refused 2 '--runs few must be a whole number' --runs few
refused 2 '--runs must be at least 1' --runs 0
refused 2 '--jobs must be at least 1' --jobs 0
refused 2 'unknown option --what' --what
refused 1 "cannot write into $work/file/results" --out file/results
CXX=no_such_compiler refused 1 'there is no compiler no_such_compiler' --out results
[ -x /usr/bin/time ] || exit 77  # GNU time, which the script would install
"$script" --rows yardstick --runs 2 --out results >out 2>&1 || { cat out; exit 1; }
grep -Eq '^\| the yardstick: .* \| [0-9.]+ s, [0-9]+ MB \| 1 \|' results/compile_time.md || { cat results/compile_time.md; exit 1; }
