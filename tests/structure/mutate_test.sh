#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# mutate.sh kills the mutants of a small header that its test notices, and reports those that it does not.
#   mutate_test.sh CXX
# shellcheck disable=SC2016  # backquotes are Markdown's
set -euo pipefail
cxx=$1
script=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/mutate.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { printf '%s\n' "$@" >&2; exit 1; }
mkdir -p include/halograph/planted tests/planted
cat >include/halograph/planted/clamp.hpp <<'END'
#pragma once
#define OFF 0
#if OFF
inline int off() { return 1 + 1; }
#endif
namespace halograph {
/// 0 < 1 and "true" in a comment.
template <int Low = 0>
  requires(Low + 1 < 1000)
constexpr int clamp(int value, int high) {
  /* value == high
     && true */
  if (value < Low) return Low;  // 1
  if (value > high) return high;
  return value;
}
static_assert(clamp(-5, 3) == 0);
inline auto half(int value) {
  return value / 2;
}
inline const char* text() { return "a < b, \"1\" == '1' && true"; }
inline int never_used() {
  return 7;
}
}  // namespace halograph
END
cat >tests/planted/clamp.cpp <<'END'
#include <halograph/planted/clamp.hpp>
int main() { return halograph::clamp(9, 3) == 3 && halograph::half(6) == 3 ? 0 : 1; }
END
cp -r include before
options=(planted --include "$PWD/include" --tests "$PWD/tests" --build "$PWD/build" --cxx "$cxx" --mutants 100)
has() { grep -qxF -- "$1" "$2" || fail "there is no line \"$1\" in" "$(cat "$2")"; }

"$script" "${options[@]}" --list >list
[ "$(wc -l <list)" -eq 10 ] || fail "10 places were planted, not" "$(cat list)"
has 'planted/clamp.hpp:14: `>` becomes `>=`: if (value > high) return high;' list
"$script" "${options[@]}" --mutants 4 --list >four
"$script" "${options[@]}" --mutants 4 --list | cmp -s - four || fail "the same seed draws other mutants"
[ "$(grep -cxFf list four)" -eq 4 ] || fail "four of these places are drawn, not" "$(cat four)"
[ "$(for seed in 1 2 3 4 5; do "$script" "${options[@]}" --mutants 4 --seed $seed --list | cksum; done | sort -u | wc -l)" -gt 1 ] ||
  fail "five seeds draw the same mutants"

"$script" "${options[@]}" --out table.md >log || fail "mutate.sh fails" "$(cat log)"
has '| `planted` | 10 | 1 | 4 | 1 | 0 | 5 | 44 % |' table.md
has '- `planted/clamp.hpp:13`, `<` becomes `<=`: `if (value < Low) return Low;  // 1`' table.md
has '- `planted/clamp.hpp:15`, the default is returned: `return value;`' table.md
has '- `planted/clamp.hpp:23`, the default is returned (the tests compile to the same code): `return 7;`' table.md
grep -qE 'killed \(planted/clamp.cpp *\): planted/clamp.hpp:14: the condition is negated:' log || fail "the test must kill a negated condition:" "$(cat log)"
grep -qE 'killed \(static assertion seen by planted/clamp.cpp\): planted/clamp.hpp:13: the condition is negated:' log ||
  fail "the static assertion must kill a negated condition:" "$(cat log)"
grep -qE 'rejected \(.*\): planted/clamp.hpp:19: the default is returned: return value / 2;' log || fail "a mutant must not compile:" "$(cat log)"
diff -r before include || fail "the headers have changed"

# A further test kills one that survived; a reason for another is kept, and so are other folders' rows.
sed -i 's|^- `planted/clamp.hpp:13`, `<`.*|&\n  Both are Low.|' table.md
sed -i 's/^| `planted`.*/| `another` | 1 | 0 | 1 | 0 | 0 | 0 | 100 % |\n&/' table.md
sed -i 's/half(6) == 3/half(6) == 3 \&\& halograph::clamp(2, 3) == 2/' tests/planted/clamp.cpp
"$script" "${options[@]}" --resume --out table.md >log || fail "mutate.sh fails" "$(cat log)"
[ "$(grep -cE '^[0-9]+/10 ' log)" -eq 5 ] || fail "only the five survivors are to be tried again:" "$(cat log)"
has '| `planted` | 10 | 1 | 5 | 1 | 0 | 4 | 56 % |' table.md
has '| `another` | 1 | 0 | 1 | 0 | 0 | 0 | 100 % |' table.md
[ "$(grep -A 1 '^- `planted/clamp.hpp:13`, `<`' table.md | tail -n 1)" = '  Both are Low.' ] || fail "the reason is lost:" "$(cat table.md)"

# What is pinned kills, too, and must be as pinned before anything is changed.
mkdir tests/determinism
printf '%s\n' '#include <cstdio>' '#include <halograph/planted/clamp.hpp>' 'int main() { std::printf("never_used %d\n", halograph::never_used()); }' \
  >tests/determinism/digests.cpp
echo "never_used 7" >tests/determinism/digests.txt
"$script" "${options[@]}" --resume --out table.md >log || fail "mutate.sh fails" "$(cat log)"
has '| `planted` | 10 | 1 | 6 | 1 | 0 | 3 | 67 % |' table.md
grep -qE 'killed \(determinism/digests.cpp *\): planted/clamp.hpp:23: the default is returned:' log || fail "what is pinned must kill a changed result:" "$(cat log)"
echo "never_used 8" >tests/determinism/digests.txt
if "$script" "${options[@]}" --resume >log 2>&1 || ! grep -q 'determinism/digests.cpp fails before anything is changed' log; then
  fail "digests that are not those pinned must be refused:" "$(cat log)"
fi
rm -r tests/determinism

# A test that fails anyway kills nothing.
echo 'int main() { return 1; }' >>tests/planted/clamp.cpp
sed -i 's/^int main.*clamp.*//' tests/planted/clamp.cpp
if "$script" "${options[@]}" >log 2>&1 || ! grep -q 'planted/clamp.cpp fails before anything is changed' log; then
  fail "a test that fails by itself must be refused:" "$(cat log)"
fi
