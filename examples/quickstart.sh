#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# From nothing to partitions: install what the program needs and what is missing, build it, make a graph of this
# machine's package lists, cut it into 4 with 1 hop, verify every part, show the report.
#
#   ./examples/quickstart.sh [output folder]      the default is out/quickstart
#
# The program is built for a first look here: with -O1, which compiles sooner and runs slower, and without ranks, as one
# process on all cores. The preset release builds it for work; for mpirun it finds an MPI library (Debian: libopenmpi-dev
# openmpi-bin).
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
out=${1:-$root/out/quickstart}
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$root"

step() { printf '\n== %s\n' "$*"; }

step "installing what is missing"
. tests/packages.sh
# Without METIS, which only --method metis needs.
mapfile -t missing < <(missing_packages "$build_packages$(grep -v metis.h <<<"$program_packages")")
install_packages "${missing[@]}"

step "building the program, without ranks"
cmake -S . -B build/quickstart -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF \
  -DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG" >/dev/null
cmake --build build/quickstart --parallel "$(nproc)" --target halograph_program debian_packages
halograph=$root/build/quickstart/halograph

step "making a graph"
if ! build/quickstart/debian_packages --out "$out/packages"; then
  echo "no package lists here; making an academic graph instead"
  "$halograph" generate hetero --papers 20000 --out "$out/packages"
fi

step "cutting it into 4 parts"
"$halograph" partition --input "$out/packages" --name packages --parts 4 --hops 1 --out "$out/parts"

step "verifying the parts against the graph"
"$halograph" verify "$out/parts/packages.json" --against "$out/packages"

step "the report"
"$halograph" report "$out/parts/packages.json"

printf '\nThe graph is in   %s\nThe parts are in  %s\n' "$out/packages" "$out/parts"
printf 'The program is    %s\n' "$halograph"
printf '\nFor several processes (mpirun): apt install libopenmpi-dev openmpi-bin, then
  cmake --preset release && cmake --build --preset release\n'
