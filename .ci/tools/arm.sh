# SPDX-License-Identifier: BSL-1.0
# shellcheck shell=bash
# The embedded example on a bare Cortex-M3: 32 bits, no heap, no exceptions, the host's digests.
packages="
arm-none-eabi-g++ gcc-arm-none-eabi
/usr/lib/arm-none-eabi/newlib/libc.a libnewlib-arm-none-eabi
/usr/include/newlib/c++ libstdc++-arm-none-eabi-dev
qemu-system-arm qemu-system-arm
"
check() { tests/embedded/arm.sh "$build"; }
