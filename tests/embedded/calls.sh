#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Nothing in a source calls itself, and its stack has a bound.
#
#   calls.sh SOURCE FOLDER BYTES COMPILER [options...]     BYTES of stack are allowed
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
source=$1 folder=$2 most=$3
shift 3
mkdir -p "$folder"
rm -f "$folder"/*.ci
(cd "$folder" && "$@" -std=c++20 -fno-exceptions -fno-rtti -fcallgraph-info=su -I"$root/include" -I"$root/examples" \
  -c "$source" -o object.o)
awk -v most="$most" -f "$here/calls.awk" "$folder"/*.ci | cut -c 1-160
