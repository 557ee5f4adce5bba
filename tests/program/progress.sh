#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# What a run says of its steps, and how it ends when a signal asks for it.
source "$(dirname "${BASH_SOURCE[0]}")/../support/program.sh"

"$program" generate grid --width 20 --height 20 --undirected --out graph >out 2>err || fail "generate gave $?"
grep -q '^step .*seconds .*MB/s .*peak memory' out || fail "no table of steps: $(cat out)"
# 1,520 edges of up to 8 bytes of text each, and metadata
awk '$1 == "generate" { found = $NF >= 4 && $NF <= 12 } END { exit !found }' out || fail "not what was written for each edge: $(cat out)"
grep -q $'\r' err && fail "progress is shown although standard error is no terminal"
"$program" partition --input graph --name g --parts 2 --out parts --method random --json >out 2>err || fail "partition gave $?"
for step in read assign write; do grep -q "\"name\": \"$step\"" out || fail "no step $step in $(cat out)"; done
[[ $(grep -c '^    "steps"' out) == 1 && $(grep -c '"bytes"' out) -ge 3 ]] || fail "steps are listed twice, or without bytes"
[[ $(grep -c '"read_bytes"' out) -ge 3 && $(grep -c '"written_bytes"' out) -ge 3 ]] || fail "steps do not say what they read and write"
[[ $(wc -l <out) -gt 1 && $(head -c 1 out) == '{' && $(tail -n 1 out) == '}' ]] || fail "more than one object on standard output"

# Files are digested while they are written and not read back: of the 550 kB or more of 65,536 edges, less than a tenth is read,
# which is what /proc says.
for format in csv numpy; do
  "$program" generate rmat --scale 12 --format $format --features 4 --chunks 3 --out made --json >out 2>err || fail "generate --format $format gave $?"
  awk '/"read_bytes"/ { sum += $2 } END { exit !(sum < 55000) }' out || fail "generate --format $format reads what it wrote: $(cat out)"
  "$program" chunk --input made --format $format --num-chunks 2 --out anew --json >out 2>err || fail "chunk --format $format gave $?"
  awk '/"name": "finish"/, /}/ { if (/"read_bytes"/) sum += $2 } END { exit !(sum < 55000) }' out ||
    fail "chunk --format $format reads what it wrote: $(cat out)"
done

# On a terminal a line goes on and on. (script: of Debian's bsdutils, which every Debian has)
if command -v script >/dev/null; then
  TERM=dumb script -qec "$program generate rmat --scale 20 --edge-factor 16 --out shown" /dev/null >tty 2>&1
  grep -q $'\r''generate: .* of .* edges, .*/s, .* s' tty || fail "no progress on a terminal: $(cat -v tty)"
  # Where a step reports nothing, as METIS does, its time and memory move; while parts are written, their bytes do.
  if "$program" --version | grep -q '^libraries:.* metis\b'; then
    "$program" generate rmat --scale 18 --edge-factor 8 --out slow >out 2>err || fail "generate gave $?"
    TERM=dumb script -qec "$program partition slow -k 2 -o slow_parts -m metis --threads 1" /dev/null >tty 2>&1
    grep -q $'\r''assign: [0-9.]* s, [0-9.]* [MG]iB of memory' tty || fail "nothing moves while nodes are assigned: $(cat -v tty)"
  fi
  TERM=dumb script -qec "$program partition shown -k 2 -o shown_parts -m ldg --threads 1" /dev/null >tty 2>&1
  grep -q $'\r''write: .*, [0-9.]* [MG]B read and written' tty || fail "nothing moves while a part is written: $(cat -v tty)"
  TERM=dumb script -qec "$program generate rmat --scale 19 --edge-factor 16 --out shown --quiet" /dev/null >tty 2>&1
  grep -q generate tty && fail "--quiet shows progress: $(cat -v tty)"
fi

# A signal ends a run with a sentence and exit code 1; what is staged goes, what was there stays.
for signal in TERM INT; do
  before=$(find graph -type f -exec sha256sum {} + | sort | sha256sum)
  "$program" generate rmat --scale 24 --edge-factor 16 --chunks 16 --out graph --json >out 2>err &
  run=$!
  for _ in $(seq 200); do compgen -G '.graph.halograph-tmp/edge_index/*' >/dev/null && break; sleep 0.05; done
  # A shell without job control starts what is in its background deaf to SIGINT, and that must stay so.
  [[ $signal == INT ]] && { kill -INT $run; sleep 0.3; kill -0 $run 2>/dev/null || fail "a signal that was switched off ended the run"; }
  kill -TERM $run
  code=0
  wait $run || code=$?
  [[ $code == 1 ]] || fail "SIGTERM gave exit code $code: $(cat err)"
  grep -q 'ended by SIGTERM in step "generate"' err || fail "no sentence: $(cat err)"
  grep -q '"code": "canceled"' out || fail "no code in $(cat out)"
  [[ -e .graph.halograph-tmp ]] && fail "the staging folder is still there"
  [[ $before == "$(find graph -type f -exec sha256sum {} + | sort | sha256sum)" ]] || fail "earlier output has changed"
done

exit $failed
