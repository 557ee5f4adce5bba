# SPDX-License-Identifier: BSL-1.0
# shellcheck shell=bash disable=SC2154  # script and begun are set where this is sourced
# Sourced by tests of a script that takes options: a scratch folder, removed at the end, and refused.
# $script is that script, an absolute path; $begun matches what it prints once it has begun its work.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# refused CODE WORDS OPTION...: with these options the script ends with CODE and says WORDS before it begins.
refused() {
  local code=$1 words=$2 got=0
  shift 2
  "$script" "$@" >out 2>&1 || got=$?
  if [ "$got" != "$code" ] || ! grep -qF -- "$words" out || grep -q -- "$begun" out; then
    echo "$* gave $got instead of $code, or not: $words"
    cat out
    exit 1
  fi
}
