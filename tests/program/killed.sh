#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Runs of dispatch that are killed at random moments, and resumed with other threads, memory and ranks: the same bytes as
# of a run that nobody killed. Then runs on ranks of which one is killed: the others end, and the run is resumed on other ranks.
# HALOGRAPH_KILLS: how many runs (4); HALOGRAPH_RANK_KILLS: how many on ranks (2); HALOGRAPH_SEED: of the moments.
source "$(dirname "${BASH_SOURCE[0]}")/../support/program.sh"
source "$(dirname "${BASH_SOURCE[0]}")/../support/mpirun.sh"
kills=${HALOGRAPH_KILLS:-4}
RANDOM=${HALOGRAPH_SEED:-1}
expect 0 '' -- generate hetero --nodes 20000 --features 4 --seed 5 --chunks 3 --out graph
expect 0 '' -- assign --in-dir graph --out-dir owners --num-partitions 5 --method hash
dispatch=(dispatch --in-dir graph --partitions-dir owners --hops 2)
begin=$(date +%s%N)
expect 0 '' -- "${dispatch[@]}" --out-dir wanted
whole_us=$((($(date +%s%N) - begin) / 1000))
# A program built without MPI, started by mpirun, would be two runs of their own.
"$program" --version | grep -q '^libraries:.* mpi\b' || launcher=""
resumed=0 over=0
for run in $(seq "$kills"); do
  rm -rf out .out.halograph-*
  # A second kill hits a resumed run.
  for attempt in 1 2; do
    again=()
    [[ $attempt == 1 ]] || again=(--resume)
    "$program" "${dispatch[@]}" --out-dir out --threads $((RANDOM % 3 + 1)) --memory $((RANDOM % 400 + 100))MiB "${again[@]}" >out_ 2>err_ &
    child=$!
    sleep "$(awk -v us=$((RANDOM * 32768 % whole_us + RANDOM % 1000)) 'BEGIN { printf "%.6f", us / 1e6 }')"
    kill -9 $child 2>/dev/null || over=$((over + 1))
    wait $child 2>/dev/null
  done
  command=("${dispatch[@]}" --out-dir out --threads $((RANDOM % 3 + 1)) --memory $((RANDOM % 400 + 100))MiB --resume)
  ranks=$((RANDOM % 3 + 1))
  if [[ $ranks -gt 1 && -n $launcher ]]; then
    # Open MPI leaks, which LeakSanitizer would report. `out` is the folder.
    ASAN_OPTIONS=detect_leaks=0 timeout -k 10 120 "$launcher" -np $ranks --oversubscribe "$program" "${command[@]}" >out_ 2>err_ ||
      fail "run $run, resumed on $ranks ranks: $(cat err_)"
  else
    "$program" "${command[@]}" >out_ 2>err_ || fail "run $run, resumed: $(cat err_)"
  fi
  grep -q 'completed by an earlier run' out_ err_ && resumed=$((resumed + 1))
  diff -r -x .halograph-manifest wanted out >/dev/null || fail "run $run: other bytes: $(diff -rq wanted out)"
  compgen -G '.out.halograph*' >/dev/null && fail "run $run leaves $(ls -A)"
done
echo "$((2 * kills)) kills, $over of them after the end; $resumed runs took over stages; failures: $failed"

# resume_on RANKS: completes the run, and compares
resume_on() {
  rm -rf out_ err_
  ASAN_OPTIONS=detect_leaks=0 timeout -k 10 120 "$launcher" -np "$1" --oversubscribe "$program" "${dispatch[@]}" --out-dir made --resume >out_ 2>err_ ||
    fail "resumed on $1 ranks: $(cat err_)"
  diff -r -x .halograph-manifest wanted made >/dev/null || fail "resumed on $1 ranks: other bytes: $(diff -rq wanted made)"
}
ranks_that_run() { pgrep -f "^$program dispatch .*--out-dir made" || true; }
[[ -n $launcher ]] || exit $failed
begin=$(date +%s%N)
resume_on 3
whole_us=$((($(date +%s%N) - begin) / 1000))
rank_kills=${HALOGRAPH_RANK_KILLS:-2} over=0 stuck=0
for run in $(seq "$rank_kills"); do
  rm -rf made .made.halograph-*
  ranks=$((RANDOM % 3 + 2))
  ASAN_OPTIONS=detect_leaks=0 "$launcher" -np $ranks --oversubscribe "$program" "${dispatch[@]}" --out-dir made >out_ 2>err_ &
  launched=$!
  sleep "$(awk -v us=$((RANDOM * 32768 % whole_us + RANDOM % 1000)) 'BEGIN { printf "%.6f", us / 1e6 }')"
  mapfile -t processes < <(ranks_that_run)
  if [[ ${#processes[@]} == 0 ]] || ! kill -9 "${processes[RANDOM % ${#processes[@]}]}" 2>/dev/null; then over=$((over + 1)); fi
  for _ in $(seq 600); do
    kill -0 $launched 2>/dev/null || break
    sleep 0.1
  done
  if kill -0 $launched 2>/dev/null; then
    # Open MPI's launcher can wait for itself in PMIx_server_finalize() once its ranks have ended.
    [[ -z $(ranks_that_run) ]] || fail "run $run on $ranks ranks goes on for a minute after one was killed"
    kill -9 $launched && stuck=$((stuck + 1))
  fi
  wait $launched 2>/dev/null
  resume_on $((RANDOM % 3 + 2))
  compgen -G '.made.halograph*' >/dev/null && fail "run $run on $ranks ranks leaves $(ls -A)"
done
echo "$rank_kills ranks killed, $over of them before the start or after the end, $stuck launchers stuck after their ranks had ended; failures: $failed"
exit $failed
