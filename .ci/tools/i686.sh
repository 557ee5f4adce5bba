# SPDX-License-Identifier: BSL-1.0
# shellcheck shell=bash
# All pinned digests on a machine of 32 bits; x86-64 runs its programs as they are.
packages="
i686-linux-gnu-g++ g++-i686-linux-gnu
"
check() { tests/determinism/cross.sh "$build" i686-linux-gnu-g++; }
