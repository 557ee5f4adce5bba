#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Random jobs of the program, one after the other, each checked: what verify says, the same bytes for any number of threads and
# ranks, whole output or none where a run is killed or a call of the system fails.
#
#   tests/soak.sh PROGRAM [--seconds N] [--seed S] [--job J] [--faults LIBRARY]
#
#   --seconds  for how long; default: 120
#   --seed     of the jobs; default: 1. Job J of seed S is always the same
#   --job      only this job, as a finding names it, and keep its folder
#   --faults   tests/faults/libfaults_inject.so: in some runs a call of the system fails
#
# A line per hour and one at the end; exit code 1 after a finding.
set -u
export LC_ALL=C
program=$(realpath "${1:?soak.sh PROGRAM [OPTIONS]; see its first lines}")
shift
seconds=120 seed=1 only="" faults=""
while [ $# -gt 0 ]; do
  case "$1" in
    --seconds) seconds=${2:?}; shift ;;
    --seed) seed=${2:?}; shift ;;
    --job) only=${2:?}; shift ;;
    --faults) faults=$(realpath "${2:?}") || exit 2; shift ;;
    *) echo "unknown option $1" >&2; exit 2 ;;
  esac
  shift
done
work=$(mktemp -d)
[ -n "$only" ] || trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
launcher=$(command -v mpirun || true)
"$program" --version | grep -q '^libraries:.* mpi\b' || launcher=""
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
jobs=0 runs=0 killed=0 injected=0 findings=0

# draw N: a number below N, in $drawn
draw() { drawn=$(((RANDOM * 32768 + RANDOM) % $1)); }
# pick WORD...: one of them, in $picked
pick() { draw $#; local at=$((drawn + 1)); picked=${!at}; }
finding() {
  findings=$((findings + 1))
  echo "FINDING in job $job of seed $seed: $*"
}
# run ARGUMENTS...: the program, on $ranks ranks; its exit code. What it says is in said
run() {
  runs=$((runs + 1))
  if [ "$ranks" -gt 1 ]; then
    ASAN_OPTIONS=detect_leaks=0 timeout -k 10 600 "$launcher" -np "$ranks" --oversubscribe "$program" "$@" >said 2>&1
  else
    timeout 600 "$program" "$@" >said 2>&1
  fi
}
must() {
  run "$@" || { finding "$* gave $?: $(tail -n 3 said)"; return 1; }
}
same() { diff -r -x .halograph-manifest "$1" "$2" >/dev/null || finding "$1 and $2 differ: $(diff -rq "$1" "$2" | head -n 3)"; }
# interrupted FOLDER ARGUMENTS...: the run that writes FOLDER is killed, or one of its calls fails; FOLDER is as in `wanted`,
# or is not there
interrupted() {
  local folder=$1 code=0
  shift
  rm -rf "$folder"
  draw 2
  if [ "$drawn" -eq 0 ] || [ -z "$faults" ]; then
    draw 80
    "$program" "$@" >said 2>&1 &
    local child=$!
    sleep "0.$(printf %03d "$drawn")"
    kill -9 $child 2>/dev/null && killed=$((killed + 1))
    wait $child 2>/dev/null
  else
    local kind error
    pick malloc open read pread write pwrite fsync rename mkdir
    kind=$picked
    pick 5 12 28  # EIO, ENOMEM, ENOSPC
    error=$picked
    draw 200
    injected=$((injected + 1))
    FAULT_CALL=$kind FAULT_AT=$((drawn + 1)) FAULT_ERRNO=$error LD_PRELOAD=$faults timeout 300 "$program" "$@" >said 2>&1 || code=$?
    [ $code -le 1 ] || finding "$kind $((drawn + 1)) failing with errno $error: $* gave $code: $(tail -n 3 said)"
  fi
  if [ -e "$folder" ]; then same "$folder" wanted; fi
}

job() {
  ranks=1
  local graph=() flags=() parts threads method hops
  pick rmat rmat grid hetero mag
  case $picked in
    rmat) draw 8; graph=(rmat --scale $((drawn + 2))); draw 12; graph+=(--edge-factor $((drawn + 1))) ;;
    grid) draw 40; graph=(grid --width $((drawn + 1))); draw 40; graph+=(--height $((drawn + 1))); draw 3; graph+=(--depth $((drawn + 1))) ;;
    hetero) draw 1500; graph=(hetero --nodes $((drawn + 1))) ;;
    mag) graph=(mag --scale 0.00002) ;;
  esac
  draw 1000; graph+=(--seed "$drawn")
  draw 4; graph+=(--chunks $((drawn + 1)))
  draw 3; [ "$drawn" -eq 0 ] || graph+=(--features "$drawn")
  pick csv numpy; graph+=(--format "$picked")
  must generate "${graph[@]}" -o graph || return

  draw 9; parts=$((drawn + 1))
  draw 4; hops=$drawn
  draw 3; threads=$((drawn + 1))
  flags=(--hops "$hops")
  [ "$hops" -ne 0 ] || flags+=(--drop-cut-edges)
  draw 3; [ "$drawn" -ne 0 ] || flags+=(--graph-formats "coo,csr,csc")
  pick dgl native; flags+=(--serializer "$picked")
  pick multilevel multilevel random ldg fennel buffered hash range
  method=$picked
  # A whole run in memory, and the same over a budget on disk.
  must partition graph -k "$parts" -m "$method" "${flags[@]}" -o whole -j "$threads" || return
  must verify whole --against graph || return
  must partition graph -k "$parts" -m "$method" "${flags[@]}" -o again -j $((4 - threads)) || return
  same whole again
  must report whole --html page.html && must inspect whole --quiet
  draw 2; [ "$drawn" -ne 0 ] || must simulate whole --fanout 3,2 --batch 16 --quiet

  pick multilevel random ldg fennel buffered hash range label_propagation
  method=$picked
  must assign graph -k "$parts" -m "$method" -o owners -j "$threads" || return
  if [ -n "$launcher" ]; then
    draw 3; ranks=$((drawn + 1))
    must assign graph -k "$parts" -m "$method" -o owners_again || return
    same owners owners_again
  fi
  ranks=1
  must dispatch graph --partitions owners "${flags[@]}" -o wanted || return
  must verify wanted --against graph --assignment owners || return
  interrupted out dispatch graph --partitions owners "${flags[@]}" -o out
  if [ -e out ]; then
    rm -rf .out.halograph*  # of a run that was killed after its last step; the next run would remove it
  else
    if [ -n "$launcher" ]; then draw 3; ranks=$((drawn + 1)); fi
    draw 400
    must dispatch graph --partitions owners "${flags[@]}" -o out --memory $((100 + drawn))MiB --resume || return
    ranks=1
    same out wanted
  fi
  must verify out || return
  # A format of another program, and back.
  if [ "${graph[0]}" = rmat ] || [ "${graph[0]}" = grid ]; then
    must convert graph -o edges.txt && must partition edges.txt --num-nodes 100000 -k 2 -m range -o back && must verify back --against edges.txt --num-nodes 100000
  fi
  local left
  left=$(compgen -G '.*halograph*' || true)
  [ -z "$left" ] || finding "left behind: $left"
}

started=$SECONDS said_at=$SECONDS
tell() { echo "$((SECONDS - started)) s: $jobs jobs, $runs runs, $killed killed, $injected with a fault, $findings findings"; }
if [ -n "$only" ]; then job=$only; else job=1; fi
while :; do
  RANDOM=$(((seed * 7919 + job) % 32768))
  mkdir job && cd job || exit 1
  job
  cd .. || exit 1
  jobs=$((jobs + 1))
  [ -z "$only" ] || { echo "its folder is $work/job"; break; }
  rm -rf job
  job=$((job + 1))
  if [ $((SECONDS - said_at)) -ge 3600 ]; then tell; said_at=$SECONDS; fi
  [ $((SECONDS - started)) -lt "$seconds" ] || break
done
tell
[ $findings -eq 0 ]
