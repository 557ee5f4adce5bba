# SPDX-License-Identifier: BSL-1.0
# What the scripts in tests/program share; sourced with the program's path as first argument. Each works in a folder of
# its own, says FAILED for what it misses, and ends with: exit $failed
set -u
program=$1
work=$(mktemp -d)
trap 'kill -9 $(jobs -p) 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
fail() { echo "FAILED: $*"; failed=1; }

# expect CODE WORDS -- COMMAND...: the exit code, and words on standard output or standard error
expect() {
  local code=$1 words=$2 got=0
  shift 3
  "$program" "$@" >out 2>err || got=$?
  if [[ $got != "$code" ]] || ! grep -qF -- "$words" out err; then
    fail "$* gave $got instead of $code, or not: $words"
    cat out err
  fi
}

# stored_zst FILE...: FILE.zst, a Zstandard frame that holds the file, of less than 128 KiB, as it is
stored_zst() {
  local file size
  for file in "$@"; do
    size=$(wc -c <"$file")
    # shellcheck disable=SC2059  # the format is made here
    # magic, a window of 128 KiB, one block: its size times 8, and 1 as it is the last
    { printf '\x28\xb5\x2f\xfd\x00\x38'; printf "$(printf '\\x%02x' $((size << 3 & 255 | 1)) $((size >> 5 & 255)) $((size >> 13)))"
      cat "$file"; } >"$file.zst"
  done
}

# killed_after STAGE COMMAND...: the command, which writes the folder `killed`, is killed once it has noted that stage; it may be
# done before
killed_after() {
  local stage=$1 pid
  shift
  "$program" "$@" >/dev/null 2>&1 &
  pid=$!
  for _ in $(seq 3000); do
    grep -q " $stage " .killed.halograph-tmp/.halograph-stages 2>/dev/null && break
    kill -0 $pid 2>/dev/null || break
    sleep 0.002
  done
  kill -9 $pid 2>/dev/null
  wait $pid 2>/dev/null
}
