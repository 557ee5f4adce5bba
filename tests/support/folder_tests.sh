# SPDX-License-Identifier: BSL-1.0
# shellcheck shell=bash
# What mutate.sh and coverage.sh share: they compile the tests of a folder one by one.

# require_folders INCLUDE TESTS FOLDER...: ends the script unless each has headers and tests.
require_folders() {
  local include=$1 tests=$2 folder
  shift 2
  [ $# -gt 0 ] || { echo "${0##*/} needs a folder, such as halo" >&2; exit 2; }
  for folder; do
    [[ $folder != */* && -d $include/halograph/$folder && -d $tests/$folder ]] ||
      { echo "there is no folder $folder in both $include/halograph and $tests" >&2; exit 2; }
  done
}

# test_options TEST: leaves in `more` what a test needs that is compiled alone: another file of the same executable counts
# the allocations that some look at.
test_options() {
  more=()
  if grep -qF support/live_bytes.hpp "$1" && ! grep -qF support/count_allocations.hpp "$1"; then more=(-include support/count_allocations.hpp); fi
}
