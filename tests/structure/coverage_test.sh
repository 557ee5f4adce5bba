#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# coverage.sh counts lines, branches and, from Clang 18 on, conditions that decide alone, over all tests of a folder together.
#   coverage_test.sh
# shellcheck disable=SC2016  # backquotes are Markdown's
set -euo pipefail
tests=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
versions=()
for version in 14 19; do
  command -v "clang++-$version" "llvm-cov-$version" "llvm-profdata-$version" >/dev/null || continue
  echo 'int main() {}' | "clang++-$version" -x c++ -fprofile-instr-generate - -o /dev/null 2>/dev/null || continue
  versions+=("$version")
done
[ ${#versions[@]} -gt 0 ] || { echo "skipped: it needs Clang 14 or 19 with llvm-cov and the profiling runtime"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { printf '%s\n' "$@" >&2; exit 1; }
has() { grep -qxF -- "$1" "$2" || fail "there is no line \"$1\" in" "$(cat "$2")"; }

mkdir -p include/halograph/planted tests/support tests/planted
cp "$tests/coverage.sh" tests
cp "$tests/support/folder_tests.sh" tests/support
cat >include/halograph/planted/both.hpp <<'END'
#pragma once
inline bool both(int a, int b, int c) {
  if (a > 1 && (b > 2 || c > 3)) return true;
  return false;
}
template <typename T>
bool large(T value, bool always) {
  if (sizeof(T) > 1 && value > 100 && always) return true;
  return false;
}
inline bool never_called(int a) { return a > 1; }
END
# Together, not alone, the tests show that a and b matter; nothing shows that c or `always` does.
cat >tests/planted/one.cpp <<'END'
#include <halograph/planted/both.hpp>
int main() { return both(0, 3, 0) || !large(200, true) ? 1 : 0; }
END
cat >tests/planted/two.cpp <<'END'
#include <halograph/planted/both.hpp>
int main() { return !both(2, 3, 0) || both(2, 0, 0) || large(3L, true) ? 1 : 0; }
END
cat >tests/planted/slow.cpp <<'END'
// slow: it is left out
#include <halograph/planted/both.hpp>
int main() { return never_called(1); }
END
for version in "${versions[@]}"; do
  tests/coverage.sh planted --clang "$version" --missing --out table.md >log 2>&1 || fail "coverage.sh fails" "$(cat log)"
  grep -v '^|' log >missing || true
  grep -q 'planted/both.hpp:3:26: never true' missing || fail "nothing makes c large:" "$(cat log)"
  grep -q 'planted/both.hpp:8:39: never false' missing || fail "\`always\` is always true:" "$(cat log)"
  if [ "$version" -lt 18 ]; then
    [ "$(wc -l <missing)" -eq 2 ] || fail "two branches are never taken, not" "$(cat log)"
    has '| `planted` | 9 | 88.9 % | 10 | 80.0 % | | |' table.md
  else
    has 'planted/both.hpp:3:26: never decides alone' missing
    has 'planted/both.hpp:8:39: never decides alone' missing
    [ "$(wc -l <missing)" -eq 4 ] || fail "two branches and two conditions are missing, not" "$(cat log)"
    has '| `planted` | 9 | 88.9 % | 10 | 80.0 % | 5 | 60.0 % |' table.md
  fi
done

# A test that fails is not counted as one that covers.
echo 'int main() { return 1; }' >tests/planted/two.cpp
if tests/coverage.sh planted --clang "${versions[0]}" --out table.md >log 2>&1 || ! grep -q 'two.cpp does not compile or fails' log; then
  fail "a test that fails by itself must be refused:" "$(cat log)"
fi
echo "with Clang ${versions[*]}"
