# SPDX-License-Identifier: BSL-1.0
# What the scripts in tests/program share; sourced with the program's path as first argument. Each works in a folder of
# its own, says FAILED for what it misses, and ends with: exit $failed
set -u
program=$1
work=$(mktemp -d)
trap 'kill -9 $(jobs -p) 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
fail() { echo "FAILED: $*"; failed=1; }

# expect CODE WORDS -- COMMAND...: the exit code, and words on standard output or standard error
expect() {
  local code=$1 words=$2 got=0
  shift 3
  "$program" "$@" >out 2>err || got=$?
  if [[ $got != "$code" ]] || ! grep -qF -- "$words" out err; then
    fail "$* gave $got instead of $code, or not: $words"
    cat out err
  fi
}
