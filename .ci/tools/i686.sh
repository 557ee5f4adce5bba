# SPDX-License-Identifier: BSL-1.0
# shellcheck shell=bash
# All pinned digests on a machine of 32 bits. A kernel of x86-64 may run its programs as they are, or refuse them: then an
# emulator does, which leaves out the large graphs.
packages="
i686-linux-gnu-g++ g++-i686-linux-gnu
qemu-i386 qemu-user
"
check() {
  local emulator=() probe="$build/probe"
  i686-linux-gnu-g++ -x c++ - -static -o "$probe" <<<'int main() {}' || return 1
  if ! "$probe" 2>/dev/null; then
    echo "this kernel refuses programs of 32 bits: emulated"
    emulator=(qemu-i386)
  fi
  tests/determinism/cross.sh "$build" i686-linux-gnu-g++ "${emulator[@]}"
}
