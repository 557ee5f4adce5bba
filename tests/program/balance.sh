#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# What counts as met: the tolerance, or what whole nodes make unavoidable; notes that say which it is.
source "$(dirname "${BASH_SOURCE[0]}")/../support/program.sh"

# 58 nodes over 4 parts are 14.5 each: one part holds 15 at least, which is 3.4 % above the mean
seq 0 56 | awk '{print $1, $1 + 1}' >path.txt
for command in partition assign; do
  expect 0 '"met": true' -- $command --input path.txt --out parts --parts 4 --json
  grep -q '"imbalance": 0.0344' out || fail "$command does not report the exact imbalance: $(cat out)"
  grep -q '"least_imbalance": 0.0344' out || fail "$command does not say what is possible: $(cat out)"
  expect 0 'has imbalance 0.034, above its tolerance 0.030, because parts hold whole nodes: less than 0.034 is impossible' \
    -- $command --input path.txt --out parts --parts 4
  ! grep -qE 'not met|; try' err || fail "$command gives advice that cannot help: $(cat err)"
done
expect 0 '' -- partition --input path.txt --out parts --parts 4
config=$(ls parts/*.json | head -1)
expect 0 '"met": true' -- report "$config" --json
expect 0 'nothing wrong' -- verify "$config" --against path.txt

# 16 in one part are one too many
seq 0 57 | awk '{print $1 < 16 ? 0 : 1 + $1 % 3}' >given.txt
expect 0 '"met": false' -- partition --input path.txt --out given --parts 4 --method given --assignment given.txt --json
expect 0 'is not met: imbalance 0.103, tolerance 0.030, of which 0.034 is unavoidable because parts hold whole nodes; try --refine, or allow it with --tolerance nodes=0.11' \
  -- partition --input path.txt --out given --parts 4 --method given --assignment given.txt

# where the parts come out even, nothing is said
seq 0 58 | awk '{print $1, $1 + 1}' >even.txt
expect 0 '"least_imbalance": 0' -- assign --input even.txt --out parts --parts 4 --json
expect 0 '' -- assign --input even.txt --out parts --parts 4
! grep -qF constraint err || fail "a note where nothing is wrong: $(cat err)"
exit $failed
