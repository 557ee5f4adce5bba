# SPDX-License-Identifier: BSL-1.0
# shellcheck shell=bash
# No row of tests/header_costs.md has grown by more than 15 %; the new table is in the tool's folder.
packages="
g++ g++
$program_packages$ranks_packages"
check() {
  local folders
  folders=$(mpicxx --showme:incdirs | tr ' ' ,),/usr/include/scotch-int64,/usr/include/parmetis-int64
  ./tests/structure/header_costs.sh --folders "$folders" --out "$build/header_costs.md" --against tests/header_costs.md --keep tests/header_costs.md
}
