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
"${compiler[@]}" "${options[@]}" -c "$root/examples/embedded/cut_on_chip.cpp" -o "$folder/cut_on_chip.o"
"${compiler[@]}" "${options[@]}" -c "$here/mps2_an385.cpp" -o "$folder/mps2_an385.o"
"${compiler[@]}" -nostartfiles -T "$here/mps2_an385.ld" -Wl,--gc-sections -Wl,--fatal-warnings \
  "$folder/cut_on_chip.o" "$folder/mps2_an385.o" -o "$folder/chip.elf"
arm-none-eabi-size "$folder/chip.elf"
"$here/needs.sh" arm-none-eabi-nm "$folder/cut_on_chip.o" '__aeabi_[a-z0-9]+'
"$here/calls.sh" "$folder/calls" 4096 "${compiler[@]}"
"$root/tests/determinism/compare.sh" some "$root/tests/determinism/digests.txt" timeout 120 \
  qemu-system-arm -machine mps2-an385 -nographic -monitor none -serial none -chardev stdio,id=out \
  -semihosting-config enable=on,target=native,chardev=out -kernel "$folder/chip.elf"
