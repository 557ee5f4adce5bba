#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Runs of dispatch that are killed at random moments, and resumed with other threads, memory and ranks: the same bytes as
# of a run that nobody killed. HALOGRAPH_KILLS: how many runs (4); HALOGRAPH_SEED: of the moments.
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
    ASAN_OPTIONS=detect_leaks=0 timeout 120 "$launcher" -np $ranks --oversubscribe "$program" "${command[@]}" >out_ 2>err_ ||
      fail "run $run, resumed on $ranks ranks: $(cat err_)"
  else
    "$program" "${command[@]}" >out_ 2>err_ || fail "run $run, resumed: $(cat err_)"
  fi
  grep -q 'completed by an earlier run' out_ err_ && resumed=$((resumed + 1))
  diff -r -x .halograph-manifest wanted out >/dev/null || fail "run $run: other bytes: $(diff -rq wanted out)"
  compgen -G '.out.halograph*' >/dev/null && fail "run $run leaves $(ls -A)"
done
echo "$((2 * kills)) kills, $over of them after the end; $resumed runs took over stages; failures: $failed"
exit $failed
