#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# The pinned digests on another machine: build the program with a cross compiler, run it, compare.
#
#   cross.sh FOLDER COMPILER [emulator...]     FOLDER is for objects and files
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
folder=$1 compiler=$2
shift 2
mkdir -p "$folder/files"
"$compiler" -std=c++20 -O1 -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Werror \
  -I"$root/include" -I"$root/tests" "$here/digests.cpp" -static -pthread -o "$folder/digests"
"$here/compare.sh" all "$here/digests.txt" "$@" "$folder/digests" "$folder/files"
# Large graphs take minutes on an emulated machine.
[ $# -gt 0 ] || "$here/compare.sh" all "$here/large_digests.txt" "$folder/digests" "$folder/files" large
