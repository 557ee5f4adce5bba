#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# bench/run.sh rejects wrong options before it builds anything.
#   run.sh SCRIPT
set -euo pipefail
script=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
touch file
# refused CODE WORDS OPTION...
refused() {
  local code=$1 words=$2 got=0
  shift 2
  "$script" "$@" >out 2>&1 || got=$?
  if [ "$got" != "$code" ] || ! grep -qF -- "$words" out || grep -q '== building' out; then
    echo "$* gave $got instead of $code, or not: $words"
    cat out
    exit 1
  fi
}
refused 2 '--data none is not a folder' --data none
refused 2 '--data file is not a folder' --quick --data file
refused 2 '--scratch none is not a folder' --scratch none
refused 2 'must be wall or cpu' --clock sun
refused 2 'unknown option --what' --what
refused 1 "cannot write into $work/file/results" --out file/results
