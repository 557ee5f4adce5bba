#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Nothing in cut_on_chip.cpp calls itself, and its stack has a bound.
#
#   calls.sh FOLDER BYTES COMPILER [options...]     BYTES of stack are allowed
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
folder=$1 most=$2
shift 2
mkdir -p "$folder"
rm -f "$folder"/*.ci
(cd "$folder" && "$@" -std=c++20 -fno-exceptions -fno-rtti -fcallgraph-info=su -I"$root/include" -I"$root/examples" \
  -c "$root/examples/embedded/cut_on_chip.cpp" -o cut_on_chip.o)
awk -v most="$most" -f "$here/calls.awk" "$folder"/*.ci | cut -c 1-160
