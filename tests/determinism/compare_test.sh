#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# compare.sh lets pass what is pinned and nothing else.
set -u
compare=$(dirname "${BASH_SOURCE[0]}")/compare.sh
table=$(mktemp)
trap 'rm -f "$table"' EXIT
for i in $(seq 120); do echo "line$i 00000000000000$i"; done >"$table"
failures=0
expect() {  # 0 or 1, then compare.sh's arguments
  local wanted=$1 got=0
  shift
  bash "$compare" "$@" >/dev/null 2>&1 || got=1
  [ "$got" -eq "$wanted" ] || { echo "expected $wanted, got $got: $*"; failures=$((failures + 1)); }
}
expect 0 all "$table" cat "$table"
expect 0 some "$table" head -n 100 "$table"
expect 0 all "$table" sh -c "echo '# a remark'; cat '$table'"
expect 1 all "$table" head -n 119 "$table"
expect 1 all "$table" sed 's/line7 0/line7 1/' "$table"
expect 1 all "$table" sh -c "cat '$table'; echo 'line121 0'"
expect 1 some "$table" head -n 99 "$table"
expect 1 some "$table" sed 's/line7 0/line7 1/' "$table"
expect 1 all "$table" sh -c "cat '$table'; exit 3"
exit "$failures"
