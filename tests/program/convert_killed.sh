#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# slow: a quarter of a minute, on several ranks
# convert on several ranks puts edges in order beside the result: killed, or ended by a signal, it leaves nothing for good.
source "$(dirname "${BASH_SOURCE[0]}")/../support/program.sh"
source "$(dirname "${BASH_SOURCE[0]}")/../support/mpirun.sh"
[[ -n $launcher ]] || { echo "skipped: no mpirun here"; exit 77; }

# pieces SCALE: what ParMETIS would leave for a graph of 2^SCALE nodes, and its schema
pieces() {
  rm -rf graph files pieces
  expect 0 '' -- generate rmat --scale "$1" --edge-factor 8 --seed 5 --out graph
  expect 0 '' -- parmetis export --input graph --graph-name g --output-dir files
  expect 0 '' -- parmetis partition --graph-name g --num-parts 4 --input-dir files --output-dir pieces
}
pieces 17
convert=(convert --input-dir pieces --graph-name g --schema files/g.json --num-parts 4 --num-node-weights 1 --output made)
if ! on 2 "${convert[@]}" && grep -q 'built without MPI' err; then
  echo "skipped: built without MPI"
  exit 77
fi
rm -rf made

# started: two ranks at work on their chunks; each says its process
started() {
  rm -f pid.*
  "$launcher" -np 2 --oversubscribe bash -c 'echo $$ >"pid.$OMPI_COMM_WORLD_RANK"; exec "$0" "$@"' "$program" "${convert[@]}" >out_ 2>err_ &
  run=$!
  for _ in $(seq 3000); do
    compgen -G '..made.halograph-chunks*/*' >/dev/null && return
    kill -0 $run 2>/dev/null || break
    sleep 0.005
  done
  fail "the chunks were never seen: $(cat out_ err_)"
}

for ranks in 1 2; do
  started
  kill -9 $(cat pid.*) 2>/dev/null
  wait $run 2>/dev/null
  compgen -G '..made.halograph-chunks*' >/dev/null || fail "nothing was left, so nothing is tried"
  if ((ranks == 1)); then expect 0 '' -- "${convert[@]}"; else on 2 "${convert[@]}" || fail "$(cat err)"; fi
  compgen -G '.*halograph*' >/dev/null && fail "a run on $ranks ranks leaves what a killed one left: $(ls -A)"
  rm -rf made
done

# signaled: SIGTERM is pending in every rank, or the rank has ended
signaled() {
  local pid pending
  for pid in $(cat pid.*); do
    pending=$(sed -n 's/^ShdPnd:[[:space:]]*//p' "/proc/$pid/status" 2>/dev/null)
    ((16#${pending:-4000} & 16#4000)) || return 1
  done
}

# The signal may come after the last rank has put the result in place: then it is tried again, at last
# with a graph that takes an optimized program long enough.
ended=0
for attempt in 1 2 3 4 5; do
  ((attempt < 4)) || pieces $((16 + attempt))
  rm -rf made
  started
  # Ranks that stand still cannot be done before the launcher has passed the signal on.
  kill -STOP $(cat pid.*) 2>/dev/null
  kill -TERM $run
  for _ in $(seq 100); do signaled && break; sleep 0.05; done
  kill -CONT $(cat pid.*) 2>/dev/null
  wait $run 2>/dev/null
  for _ in $(seq 100); do
    kill -0 $(cat pid.*) 2>/dev/null || break
    sleep 0.05
  done
  compgen -G '..made.halograph-chunks*' >/dev/null && fail "SIGTERM leaves the chunks: $(ls -A)"
  [[ -e made ]] || { ended=1; break; }
done
((ended)) || fail "five runs were over before SIGTERM"

exit $failed
