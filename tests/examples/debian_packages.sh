#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# The program debian_packages from outside: exit codes, sentences, and the folder it writes.
set -euo pipefail
program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }
# expect CODE REGEX arguments...: the exit code, and what standard error says.
expect() {
  local code=$1 regex=$2 got=0
  shift 2
  "$program" "$@" >"$work/out" 2>"$work/err" || got=$?
  [ "$got" -eq "$code" ] || fail "$* gives $got, not $code: $(cat "$work/err")"
  grep -Eq "$regex" "$work/err" || fail "$* says: $(cat "$work/err")"
}

cat >"$work/list" <<'LIST'
Package: tea
Depends: water (>= 1), cup | mug
Maintainer: A
Section: drinks
Installed-Size: 3

Package: water
Maintainer: A

Package: mug
Source: pottery
LIST

expect 2 'out.* is required'
expect 2 'nonsense' --out "$work/x" --nonsense
expect 2 'chunks' --out "$work/x" --chunks 0
expect 1 'absent' --from "$work/absent" --out "$work/x"
printf 'Package: a\nwhat\n' >"$work/wrong"
expect 1 'wrong, line 2: ' --from "$work/wrong" --out "$work/x"
[ ! -e "$work/x" ] || fail "a refused list leaves a folder behind"

"$program" --from "$work/list" --out "$work/graph" --chunks 2 >"$work/out"
grep -q '^3 package nodes$' "$work/out" || fail "$(cat "$work/out")"
grep -q '^2 package:depends:package edges$' "$work/out" || fail "$(cat "$work/out")"
grep -q '^1 relations to packages that nobody provides' "$work/out" || fail "$(cat "$work/out")"
[ "$(cat "$work/graph/names/package.txt")" = $'mug\ntea\nwater' ] || fail "names"
[ "$(cat "$work/graph/edge_index/package:depends:package0.txt")" = "1 0" ] || fail "first edge"
[ "$(cat "$work/graph/edge_index/package:depends:package1.txt")" = "1 2" ] || fail "second edge"
for key in graph_name num_nodes_per_type num_nodes_per_chunk; do
  grep -q "\"$key\"" "$work/graph/metadata.json" || fail "$key is missing in metadata.json"
done
for feature in installed_size size priority text train_mask; do
  [ -s "$work/graph/node_data/package/$feature-0.npy" ] || fail "$feature is missing"
done

# The same list, the same bytes.
"$program" --from "$work/list" --out "$work/again" --chunks 2 >/dev/null
diff -r "$work/graph" "$work/again"
