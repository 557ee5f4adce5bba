#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# calls.awk tells recursion, calls through pointers, frames without a bound and too deep a chain; and nothing else.
#
#   calls_test.sh FOLDER COMPILER
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$1" && cd "$1" || exit 1
failures=0
expect() {  # what must be said ("" for nothing), bytes, source
  local said
  rm -f ./*.ci
  printf '%s\n' "$3" >source.cpp
  "$compiler" -O0 -fcallgraph-info=su -c source.cpp -o source.o || exit 1
  said=$(awk -v most="$2" -f "$here/calls.awk" ./*.ci)
  local result=$?
  if [ -z "$1" ]; then
    [ "$result" -eq 0 ] || { echo "nothing is wrong, but it said: $said"; failures=$((failures + 1)); }
  elif [ "$result" -eq 0 ] || ! grep -q "FAILED.*$1" <<<"$said"; then
    echo "it did not say \"$1\" but: $said"
    failures=$((failures + 1))
  fi
}
compiler=$2
plain='int twice(int n) { return 2 * n; } int main() { return twice(twice(1)); }'
expect "" 4096 "$plain"
expect "bytes of stack" 16 "$plain"
expect "recursion" 4096 'int deep(int n) { return n <= 0 ? 0 : 1 + deep(n - 1); } int main() { return deep(3); }'
expect "recursion" 4096 'int even(int); int odd(int n) { return n ? even(n - 1) : 0; } int even(int n) { return n ? odd(n - 1) : 1; } int main() { return odd(3); }'
expect "through a pointer" 4096 'int one() { return 1; } int (*volatile any)() = one; int main() { return any(); }'
expect "only running tells" 4096 'int sum(int n) { volatile char* row = static_cast<char*>(__builtin_alloca(n)); row[0] = 1; return row[0]; } int main() { return sum(9); }'
exit "$failures"
