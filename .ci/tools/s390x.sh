# SPDX-License-Identifier: BSL-1.0
# shellcheck shell=bash
# All pinned digests, of files and of what they are read as, on a big-endian machine.
packages="
s390x-linux-gnu-g++ g++-s390x-linux-gnu
qemu-s390x qemu-user
"
check() { tests/determinism/cross.sh "$build" s390x-linux-gnu-g++ qemu-s390x; }
