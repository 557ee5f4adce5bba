#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# A table replaces the text between the marks and nothing else; without marks nothing is written.
#   readme_table.sh SCRIPT
set -euo pipefail
script=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf '%s\n' before '<!-- bench:begin -->' old 'older & \1' '<!-- bench:end -->' after >"$work/README.md"
printf '%s\n' '| new & \1 |' '| --- |' >"$work/table.md"
printf '%s\n' before '<!-- bench:begin -->' '| new & \1 |' '| --- |' '<!-- bench:end -->' after >"$work/expected"
for _ in once again; do
  "$script" "$work/table.md" "$work/README.md"
  diff "$work/expected" "$work/README.md"
done
sed 's/bench:/other:/' "$work/expected" >"$work/other.md"
sed 's/bench:/other:/; s/^| new.*/| newer |/' "$work/expected" >"$work/expected_other"
printf '%s\n' '| newer |' '| --- |' >"$work/newer.md"
"$script" "$work/newer.md" "$work/other.md" other
diff "$work/expected_other" "$work/other.md"
if "$script" "$work/newer.md" "$work/other.md" 2>/dev/null; then echo "marks of another table were accepted"; exit 1; fi
echo plain >"$work/plain.md"
if "$script" "$work/table.md" "$work/plain.md" 2>/dev/null; then echo "a README without marks was accepted"; exit 1; fi
if "$script" "$work/none.md" "$work/README.md" 2>/dev/null; then echo "a missing table was accepted"; exit 1; fi
diff "$work/expected" "$work/README.md"
