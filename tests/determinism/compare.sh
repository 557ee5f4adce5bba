#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Run a command that prints "name digest" lines, and compare them with the pinned ones.
#
#   compare.sh all TABLE command...    the very lines of TABLE, in its order
#   compare.sh some TABLE command...   lines of TABLE, 100 of them at least
#
# Lines that begin with # are shown and not compared.
set -uo pipefail
how=$1 table=$2
shift 2
printed=$("$@") || { echo "FAILED: $* ended with an error; it printed:"; tail -n 5 <<<"$printed"; exit 1; }
printed=${printed//$'\r'/}
grep '^#' <<<"$printed"
lines=$(grep -v '^#' <<<"$printed")
case "$how" in
  all)
    # Paths of an unpinned line would go unnoticed in a subset; here both sides must be whole.
    difference=$(diff <(printf '%s\n' "$lines") "$table") || {
      echo "FAILED: printed (<) and pinned (>) lines differ:"
      head -n 40 <<<"$difference"
      echo "If results were meant to change, pin the new ones: $* >$table"
      exit 1
    }
    ;;
  some)
    unknown=$(grep -vxF -f "$table" <<<"$lines")
    [ -z "$unknown" ] || { echo "FAILED: these lines are not the pinned ones:"; head -n 40 <<<"$unknown"; exit 1; }
    [ "$(wc -l <<<"$lines")" -ge 100 ] || { echo "FAILED: only $(wc -l <<<"$lines") lines were printed"; exit 1; }
    ;;
  *) echo "the first argument must be all or some" >&2; exit 2 ;;
esac
echo "$(wc -l <<<"$lines") digests as pinned"
