#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# What objects ask others for: the one hook, and functions that every compiler may call (and strlen, which
# string_view does). No operator new, no malloc, nothing of exceptions.
#
#   needs.sh NM OBJECT...     HALOGRAPH_MORE_SYMBOLS: a pattern of further symbols that are fine
set -euo pipefail
nm=$1
shift
allowed="say\(char const\*\)|memcpy|memmove|memset|memcmp|strlen|__popcount[ds]i2|_GLOBAL_OFFSET_TABLE_|__stack_chk_fail"
allowed+=${HALOGRAPH_MORE_SYMBOLS:+|$HALOGRAPH_MORE_SYMBOLS}
for object in "$@"; do
  symbols=$("$nm" -u -C "$object" | sed 's/^ *[Uw] *//')
  grep -qE '^say\(char const\*\)$' <<<"$symbols" || { echo "FAILED: $object does not even ask for say()"; exit 1; }
  more=$(grep -vxE "$allowed" <<<"$symbols" || true)
  [ -z "$more" ] || { printf 'FAILED: %s also needs\n%s\n' "$object" "$more"; exit 1; }
  echo "$(basename "$object") needs $(tr '\n' ' ' <<<"$symbols")"
done
