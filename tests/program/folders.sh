#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Output folders where things go wrong: foreign files, failing system calls, kills, other users, names that are too long.
# Exit code 77: all that could be tried here is fine, but not everything could.
source "$(dirname "${BASH_SOURCE[0]}")/../support/program.sh"
skipped=0
skip() { echo "skipped: $*"; skipped=1; }
# whole FOLDER: a result that verify accepts, and nothing beside it
whole() {
  expect 0 'nothing wrong' -- verify "$1/rmat.json"
  compgen -G ".$1.halograph*" >/dev/null && fail "$1: something lies beside it: $(ls -A)"
}

expect 0 '' -- generate rmat --scale 8 --edge-factor 4 --features 4 --chunks 2 --out graph
mkdir assigned features features/_N
awk 'BEGIN { for (i = 0; i < 256; ++i) print i % 3 }' >assigned/_N.txt
partition=(partition --input graph --parts 3 --method random --save-mapping)
dispatch=(dispatch --in-dir graph --partitions-dir assigned)
expect 0 '' -- "${partition[@]}" --out parts
expect 0 '' -- dispatch --in-dir graph --partitions-dir assigned --out-dir wanted

# What lies in a staging folder without a list of stages is not resumed.
mkdir -p .resumed.halograph-tmp/part7
echo x >.resumed.halograph-tmp/junk
expect 0 'nothing to resume' -- "${dispatch[@]}" --out-dir resumed --resume
diff -r wanted resumed >/dev/null || fail "--resume has published what lay in the staging folder: $(diff -r wanted resumed)"
whole resumed
expect 0 '' -- "${dispatch[@]}" --out-dir resumed

# Foreign files are findings.
echo x >resumed/foreign
mkdir resumed/part1/more
expect 1 'resumed/foreign' -- verify resumed/rmat.json
grep -qF 'part1/more' out err || fail "a foreign folder is not reported"
rm -r resumed/foreign resumed/part1/more
whole resumed

# Names
long=$(printf 'a%.0s' $(seq 250))
for command in "partition --input graph --parts 3 --method random --out" "generate grid --width 3 --height 3 --out" "dispatch --in-dir graph --partitions-dir assigned --out-dir"; do
  # shellcheck disable=SC2086
  expect 1 'it has 250 bytes and may have at most 200' -- $command "$long"
done
expect 1 'is too long' -- "${partition[@]}" --out "$(for _ in $(seq 45); do printf '%s/' "${long:0:100}"; done)out"
[[ -e ${long:0:100} ]] && fail "a refused path has left folders"

# attach-features: never into the folder that it reads, nor from files that lie elsewhere.
{
  printf '\x93NUMPY\x01\x00\x76\x00'
  printf '%-117s\n' "{'descr': '|u1', 'fortran_order': False, 'shape': (256,), }"
  head -c 256 /dev/zero | tr '\0' '\7'
} >features/_N/one.npy
before=$(find parts -type f -exec cksum {} + | sort)
# A config that is not there names no folder that would be replaced.
expect 1 'missing: cannot open' -- attach-features missing --input features
expect 2 'is inside the folder that it would be made from' -- attach-features parts/rmat.json --input features --out parts/sub
[[ $(find parts -type f -exec cksum {} + | sort) == "$before" ]] || fail "a refused attach-features has changed the folder"
mkdir -p elsewhere
sed 's#"part\([0-9]\)/graph#"../parts/part\1/graph#' parts/rmat.json >elsewhere/rmat.json
for p in 0 1 2; do mkdir elsewhere/part$p && cp parts/part$p/{node_feats,edge_feats,orig_nids,orig_eids}.dgl elsewhere/part$p; done
expect 1 "outside the config's folder" -- attach-features elsewhere/rmat.json --input features --out made
[[ -e made ]] && fail "a refused attach-features has left a folder"

# System calls that fail, and kills at a certain place, by a library loaded first. FAIL is what fails: a call; AFTER=1: only once
# the folders have been exchanged; NAME: only of files whose names hold it.
cat >inject.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>
static int exchanged;
static int fails(const char *call, const char *name) {
  const char *what = getenv("FAIL"), *of = getenv("NAME");
  if (!what || strcmp(what, call) || (getenv("AFTER") && !exchanged) || (of && !strstr(name, of))) return 0;
  errno = EIO;
  return 1;
}
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
int open(const char *p, int flags, ...) {
  va_list v;
  va_start(v, flags);
  int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(v, int) : 0;
  va_end(v);
  if (getenv("NAMED") && (flags & O_TMPFILE) == O_TMPFILE) {
    errno = EOPNOTSUPP;
    return -1;
  }
  return REAL(open)(p, flags, mode);
}
int unlink(const char *p) { return fails("unlink", p) ? -1 : REAL(unlink)(p); }
int unlinkat(int d, const char *p, int f) { return fails("unlink", p) ? -1 : REAL(unlinkat)(d, p, f); }
int remove(const char *p) { return fails("unlink", p) ? -1 : REAL(remove)(p); }
int fsync(int fd) { return fails("fsync", "") ? -1 : REAL(fsync)(fd); }
static int number(void) { return getenv("NUMBER") ? atoi(getenv("NUMBER")) : EIO; }
int flock(int fd, int how) {
  if (!fails("flock", "")) return REAL(flock)(fd, how);
  errno = number();
  return -1;
}
long syscall(long n, ...) {
  va_list v;
  long a[6];
  va_start(v, n);
  for (int i = 0; i < 6; ++i) a[i] = va_arg(v, long);
  va_end(v);
  if (n == SYS_renameat2 && fails("renameat2", "")) {
    errno = number();
    return -1;
  }
  long r = REAL(syscall)(n, a[0], a[1], a[2], a[3], a[4], a[5]);
  if (n == SYS_renameat2 && r == 0) {
    exchanged = 1;
    if (getenv("FAIL") && !strcmp(getenv("FAIL"), "kill")) kill(getpid(), SIGKILL);
  }
  return r;
}
C
# injected CODE WORDS ENVIRONMENT... -- COMMAND...: as expect
injected() {
  local code=$1 words=$2 got=0 environment=()
  shift 2
  while [[ $1 != -- ]]; do environment+=("$1"); shift; done
  shift
  { env "${environment[@]}" LD_PRELOAD="$work/inject.so" "$program" "$@" >out_ 2>err_ || got=$?; } 2>/dev/null
  if [[ $got != "$code" ]] || { [[ -n $words ]] && ! grep -qF -- "$words" out_ err_; }; then
    fail "${environment[*]}: $* gave $got instead of $code, or not: $words"
    cat out_ err_
  fi
}
if "${CC:-cc}" -shared -fPIC inject.c -o inject.so -ldl 2>compiled && LD_PRELOAD="$work/inject.so" "$program" --version >/dev/null 2>&1 &&
  ! LD_PRELOAD="$work/inject.so" FAIL=fsync "$program" "${partition[@]}" --out probe >/dev/null 2>&1; then
  rm -rf probe .probe*
  # Scratch files that keep their names are an error, and no part of a result.
  injected 1 'cannot remove' FAIL=unlink NAME=buckets -- "${dispatch[@]}" --out-dir scratched
  injected 1 'cannot remove' NAMED=1 FAIL=unlink NAME=halograph-scratch -- chunk --input parts/rmat.json --out scratched
  rm -f .halograph-scratch-*
  injected 0 '' FAIL=unlink NAME=halograph-scratch -- chunk --input parts/rmat.json --out nameless
  injected 0 '' NAMED=1 -- chunk --input parts/rmat.json --out named
  diff -r -x .halograph-manifest nameless named >/dev/null || fail "a file system without files that have no names gives another result"
  injected 1 'cannot remove' FAIL=unlink NAME=halograph-stages -- "${dispatch[@]}" --out-dir scratched
  [[ -e scratched ]] && fail "a result with what is not listed"
  expect 0 '' -- "${dispatch[@]}" --out-dir scratched
  whole scratched

  # Locks that fail leave nothing. 5: EIO
  injected 1 'cannot lock' FAIL=flock NUMBER=5 -- "${dispatch[@]}" --out-dir unlocked
  injected 1 'cannot lock' FAIL=flock NUMBER=5 -- "${dispatch[@]}" --out-dir scratched
  compgen -G '.*halograph-*' >/dev/null && fail "a lock that failed has left $(ls -A)"
  # File systems without locks: 95 EOPNOTSUPP, 38 ENOSYS, 37 ENOLCK
  for number in 95 38 37; do
    rm -rf unlocked
    for _ in first again; do
      injected 0 '' FAIL=flock NUMBER=$number -- "${dispatch[@]}" --out-dir unlocked
      whole unlocked
      compgen -G '.*halograph-*' >/dev/null && fail "a run without locks has left $(ls -A)"
    done
    touch .unlocked.halograph-tmp.halograph-lock
    injected 1 'remove ./.unlocked.halograph-tmp.halograph-lock if no run is active' FAIL=flock NUMBER=$number -- "${dispatch[@]}" --out-dir unlocked
    [[ -e .unlocked.halograph-tmp.halograph-lock ]] || fail "a run has removed the lock of another"
    rm -rf .unlocked.halograph-*
  done

  # No exchange in one call: 1 EPERM, 22 EINVAL, 38 ENOSYS, 95 EOPNOTSUPP, 18 EXDEV. Other errors are errors: 5 EIO
  for number in 1 22 38 95 18; do
    rm -rf renamed
    for _ in first again; do
      injected 0 '' FAIL=renameat2 NUMBER=$number -- "${dispatch[@]}" --out-dir renamed
      whole renamed
    done
  done
  rm -rf renamed
  injected 1 'cannot put the result in place' FAIL=renameat2 NUMBER=5 -- "${dispatch[@]}" --out-dir renamed
  rm -rf .renamed.halograph-*

  # The earlier result cannot be removed: a note says where it is, and the next run removes it.
  for command in "${partition[*]} --out parts" "attach-features parts/rmat.json --input features" "${dispatch[*]} --out-dir parts" \
    "generate grid --width 5 --height 5 --out grid" "assign --in-dir graph --out-dir owners --num-partitions 2 --method random" "chunk --input graph --out chunks"; do
    # shellcheck disable=SC2086
    [[ $command == attach* ]] || expect 0 '' -- $command
    # shellcheck disable=SC2086
    injected 0 'the earlier result could not be removed' FAIL=unlink AFTER=1 -- $command
    grep -q 'halograph-tmp, which the next run' err_ || fail "$command: not told where the earlier result is: $(cat err_)"
  done
  for out in parts grid owners chunks; do [[ -e .$out.halograph-tmp ]] || fail "$out: nothing was left, so nothing was tried"; done
  expect 0 '' -- "${partition[@]}" --out parts
  whole parts

  # The last sync fails: the result is in place, and the exit code says that this cannot be relied on.
  injected 1 'the result is in place, but may be lost if the machine crashes now' FAIL=fsync AFTER=1 -- "${dispatch[@]}" --out-dir parts
  grep -q 'the earlier result is kept in ./.parts.halograph-tmp' err_ || fail "not told where the earlier result is: $(cat err_)"
  grep -q 'resume' err_ && fail "a result in place is not to be resumed: $(cat err_)"
  diff -r wanted parts >/dev/null || fail "the result is not in place"
  expect 0 '' -- "${dispatch[@]}" --out-dir parts --resume
  whole parts

  # Killed once the folders have been exchanged: the run can be repeated, and cleans up.
  expect 0 '' -- "${partition[@]}" --out parts
  injected 137 '' FAIL=kill -- attach-features parts/rmat.json --input features
  [[ -e .parts.halograph-tmp ]] || fail "the run was not killed after the exchange"
  expect 0 'already exists with the same rows' -- attach-features parts/rmat.json --input features
  whole parts
  injected 137 '' FAIL=kill -- "${dispatch[@]}" --out-dir parts
  expect 0 'nothing to resume' -- "${dispatch[@]}" --out-dir parts --resume
  whole parts
else
  skip "no library can be loaded first: $(cat compiled)"
fi

# Another user: what cannot be replaced is refused before the work. Few threads are no end without a sentence.
chmod 755 . && cp "$program" halograph && chmod 755 halograph
other=(setpriv --reuid=65533 --clear-groups)
if "${other[@]}" test -x "$work/halograph" 2>/dev/null && "${other[@]}" "$work/halograph" --version >/dev/null 2>&1; then
  # as_other WORDS COMMAND...: exit code 1
  as_other() {
    local words=$1 got=0
    shift
    "${other[@]}" "$@" >out_ 2>err_ || got=$?
    [[ $got == 1 ]] && grep -qF -- "$words" err_ || fail "as another user $* gave $got, or not: $words: $(cat out_ err_)"
  }
  mkdir sticky open && chmod 777 open && chmod 1777 sticky
  for place in open sticky; do
    expect 0 '' -- "${partition[@]}" --out $place/parts
    chmod 777 $place/parts
  done
  as_other 'cannot be removed by this user' "$work/halograph" "${partition[@]}" --out open/parts
  grep -q 'this run will take' err_ && fail "refused only after the input was read"
  chmod -R a+rwX sticky/parts
  as_other 'sticky bit' "$work/halograph" "${partition[@]}" --out sticky/parts
  grep -q 'this run will take' err_ && fail "refused only after the input was read"
  for place in open sticky; do [[ $(ls -A $place) == parts ]] || fail "$place: a refused run left $(ls -A $place)"; done
  for most in 1 3 5; do
    as_other 'use fewer, --threads' bash -c "ulimit -u $most; exec \"$work/halograph\" ${partition[*]} --threads 16 --out open/few"
    grep -qE 'terminate called|^halograph: [^;]*Resource temporarily unavailable$' err_ && fail "the library's own words: $(cat err_)"
  done
  # The leak check of a sanitized build starts a process of its own, which the limit forbids.
  "${other[@]}" env ASAN_OPTIONS=detect_leaks=0 bash -c "ulimit -u 1; exec \"$work/halograph\" ${partition[*]} --threads 1 --out open/few" >out_ 2>err_ || fail "one thread must do: $(cat err_)"
else
  skip "cannot be another user here"
fi

# What the standard library throws of files is told as a sentence.
mkdir loop && ln -s loop.json loop/loop.json && ln -s x.npy loop/x.npy
expect 1 '' -- chunk --input loop --out none
grep -q 'filesystem error' err && fail "the library's own words: $(cat err)"
mkdir gone
(cd gone && rmdir ../gone && "$program" attach-features rmat.json --input /nowhere >"$work/out" 2>"$work/err")
[[ $? == 1 ]] || fail "a removed working folder is no error"
grep -q 'filesystem error' err && fail "the library's own words: $(cat err)"
(mkdir gone && cd gone && rmdir ../gone && "$program" generate grid --width 3 --height 3 --out here >"$work/out" 2>"$work/err")
[[ $? == 1 ]] || fail "a removed working folder is no error"
grep -q 'filesystem error' err && fail "the library's own words: $(cat err)"

((failed)) && exit 1
exit $((skipped ? 77 : 0))
