#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Replace the table in bench/README.md between the lines <!-- bench:begin --> and <!-- bench:end -->.
#
#   bench/readme_table.sh TABLE.md [README]
set -euo pipefail
table=${1:?give the table that bench_end_to_end wrote, end_to_end.md}
readme=${2:-$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/README.md}
for mark in begin end; do
  if [ "$(grep -c "^<!-- bench:$mark -->\$" "$readme")" -ne 1 ]; then
    echo "$readme needs the line <!-- bench:$mark --> once" >&2
    exit 1
  fi
done
[ -s "$table" ] || { echo "$table is empty or does not exist" >&2; exit 1; }
new=$(mktemp)
trap 'rm -f "$new"' EXIT
awk -v table="$table" '
  /^<!-- bench:end -->$/ { skipping = 0 }
  !skipping { print }
  /^<!-- bench:begin -->$/ { skipping = 1; while ((getline line < table) > 0) print line }
' "$readme" >"$new"
cat "$new" >"$readme"
