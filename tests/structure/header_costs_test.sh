#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Two headers give a table of two rows, which the same headers do not outgrow and a smaller table does.
#   header_costs_test.sh CXX INCLUDE
# shellcheck disable=SC2016,SC2054  # backquotes are Markdown's
set -euo pipefail
cxx=$1 include=$2
script=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/header_costs.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { printf '%s\n' "$@" >&2; exit 1; }
two=(--cxx "$cxx" --include "$include" --headers core/unmet.hpp,core/checked_cast.hpp --out table.md)
# refused TABLE SENTENCE [OPTION...]
refused() {
  local table=$1 sentence=$2
  shift 2
  if "$script" "${two[@]}" --compiled none --against "$table" "$@" >log 2>&1 || ! grep -qE "$sentence" log; then
    fail "must be refused with \"$sentence\", not" "$(cat log)"
  fi
}
"$script" "${two[@]}" --compiled core/checked_cast.hpp || fail "no table of two headers"
grep -E '^[|] ' table.md | tail -n +2 >rows
IFS=' ' read -r name larger memory time < <(awk -F ' *[|] *' 'NR == 2 { print $2, $4, $5 == "" ? "none" : $5, $6 }' rows)
[[ $(wc -l <rows) -eq 3 && $name = '`core/checked_cast.hpp`' && $time =~ ^[0-9]+[.][0-9][0-9]$ ]] || fail "the table of two headers is" "$(cat table.md)"
grep -Eq '^[|] `core/unmet[.]hpp` [|] [0-9]+ [|] [0-9]+ [|] [|] [|]$' rows || fail "core/unmet.hpp was not to be compiled" "$(cat table.md)"
cp table.md same.md
"$script" "${two[@]}" --compiled none --against same.md || fail "the same headers outgrow their own table"
sed "s/| $larger |/| $larger | 7 |/" same.md >stray.md
refused stray.md 'has the row .*`core/checked_cast.hpp` .* 7 .*, which is neither a header'
sed 's,`core/checked_cast.hpp`,`core/other.hpp`,' same.md >without.md
refused without.md 'core/checked_cast.hpp is not in the table'
sed "s/| $larger |/| 7 |/" same.md >smaller.md
refused smaller.md "core/checked_cast.hpp is $larger bytes, more than 15 % above the 7"
# Only GCC says what memory it takes. Times are those of the table, whatever the machine.
if "$cxx" --version | grep -q 'Free Software Foundation'; then
  sed "s/| $memory | $time |/| 7 | 0.01 |/" same.md >leaner.md
  refused leaner.md "core/checked_cast.hpp takes $memory MiB to compile, more than 15 % above the 7" --compiled core/checked_cast.hpp
  grep -q "| $memory | 0.01 |" table.md || fail "the table's time is not kept" "$(cat table.md)"
else
  [ "$memory" = none ] || fail "$cxx says what memory it takes, $memory"
fi
refused same.md 'there is no examples/none.cpp' --compiled examples/none.cpp
# A header whose library is not here keeps its row. (In a copy of a header that asks for a library which nobody has.)
mkdir -p costs/halograph/adapters
printf '%s\n' '#if !__has_include(<library_that_nobody_has.h>)' '#error "halograph/adapters/none.hpp needs it"' '#endif' \
  >costs/halograph/adapters/none.hpp
echo '| `adapters/none.hpp` | 5 | 7 | | |' >kept.md
"$script" --cxx "$cxx" --include costs --keep kept.md --against kept.md --compiled headers --out table.md || fail "a missing library is refused"
grep -qx '| `adapters/none.hpp` | 5 | 7 | | |' table.md || fail "the row of a header whose library is not here is lost" "$(cat table.md)"
