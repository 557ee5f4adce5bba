#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Replace the table in bench/README.md between the lines <!-- bench:begin --> and <!-- bench:end -->, or others that begin
# with MARK.
#
#   bench/readme_table.sh TABLE.md [README [MARK]]
set -euo pipefail
table=${1:?give a table, such as end_to_end.md, which bench_end_to_end writes}
readme=${2:-$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/README.md}
name=${3:-bench}
for mark in begin end; do
  if [ "$(grep -c "^<!-- $name:$mark -->\$" "$readme")" -ne 1 ]; then
    echo "$readme needs the line <!-- $name:$mark --> once" >&2
    exit 1
  fi
done
[ -s "$table" ] || { echo "$table is empty or does not exist" >&2; exit 1; }
new=$(mktemp)
trap 'rm -f "$new"' EXIT
awk -v table="$table" -v begin="<!-- $name:begin -->" -v end="<!-- $name:end -->" '
  $0 == end { skipping = 0 }
  !skipping { print }
  $0 == begin { skipping = 1; while ((getline line < table) > 0) print line }
' "$readme" >"$new"
cat "$new" >"$readme"
