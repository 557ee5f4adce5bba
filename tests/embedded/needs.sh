#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# What the object of cut_on_chip.cpp asks others for: its one hook, and four functions that every compiler may call
# (and strlen, which string_view does). No operator new, no malloc, nothing of exceptions.
#
#   needs.sh NM OBJECT [PATTERN]     PATTERN: further symbols that are fine
set -euo pipefail
symbols=$("$1" -u -C "$2" | sed 's/^ *[Uw] *//')
allowed="say\(char const\*\)|memcpy|memmove|memset|memcmp|strlen|_GLOBAL_OFFSET_TABLE_|__stack_chk_fail${3:+|$3}"
grep -qE '^say\(char const\*\)$' <<<"$symbols" || { echo "FAILED: $2 does not even ask for say()"; exit 1; }
more=$(grep -vxE "$allowed" <<<"$symbols" || true)
[ -z "$more" ] || { printf 'FAILED: it also needs\n%s\n' "$more"; exit 1; }
echo "it needs $(tr '\n' ' ' <<<"$symbols")"
