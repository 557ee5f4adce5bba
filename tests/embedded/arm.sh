#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# examples/embedded on a bare Cortex-M3: QEMU's board mps2-an385, text and exit code by semihosting.
#
#   arm.sh FOLDER
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
folder=$1
mkdir -p "$folder"
compiler=(arm-none-eabi-g++ -Os -mcpu=cortex-m3 -mthumb -ffreestanding -Wno-psabi)  # ABI notes of GCC 7 are no warnings
options=(-std=c++20 -fno-exceptions -fno-rtti -ffunction-sections -fdata-sections
  -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Werror -I"$root/include" -I"$root/examples")
"${compiler[@]}" "${options[@]}" -c "$here/mps2_an385.cpp" -o "$folder/mps2_an385.o"

# program SOURCE: builds it, looks at what it needs and calls, and leaves how to run it in `run`.
program() {
  local name
  name=$(basename "$1" .cpp)
  "${compiler[@]}" "${options[@]}" -c "$1" -o "$folder/$name.o"
  # Only C's library and the compiler's own: code for chips must not need that of C++.
  "${compiler[@]}" -nostartfiles -nodefaultlibs -T "$here/mps2_an385.ld" -Wl,--gc-sections -Wl,--fatal-warnings \
    "$folder/$name.o" "$folder/mps2_an385.o" -lc -lgcc -o "$folder/$name.elf"
  arm-none-eabi-size "$folder/$name.elf"
  HALOGRAPH_MORE_SYMBOLS='__aeabi_[a-z0-9]+' "$here/needs.sh" arm-none-eabi-nm "$folder/$name.o"
  "$here/calls.sh" "$1" "$folder/calls" 4096 "${compiler[@]}"
  run=(timeout 120 qemu-system-arm -machine mps2-an385 -nographic -monitor none -serial none -chardev stdio,id=out
    -semihosting-config enable=on,target=native,chardev=out -kernel "$folder/$name.elf")
}
program "$root/examples/embedded/cut_on_chip.cpp"
"$root/tests/determinism/compare.sh" some "$root/tests/determinism/digests.txt" "${run[@]}"
program "$here/every_core.cpp"
"${run[@]}" | tee "$folder/every_core.txt"
grep -q '^all is right' "$folder/every_core.txt"
