#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# cluster.sh PROGRAM FOLDER: the files of examples/cluster, as far as a machine without a cluster can test them; the Slurm script
# runs under $HALOGRAPH_LAUNCH, where that is set.
set -euo pipefail
program=$1 folder=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }

bash -n "$folder/partition.sbatch"

# Each flag is one of the command's: COMMAND --flag ..., to the end of the command.
flags_exist() {
  local file=$1 command flag help words count=0
  for command in chunk assign dispatch report; do
    help=$("$program" "$command" --help)
    words=$(grep -v '^ *#' "$file" | sed -e ':a' -e '/\\$/{N;s/\\\n//;ta' -e '}' | tr '\n' '\001' |
      sed 's/\x01 *- */ /g' | tr '\001' '\n' | grep -E "halograph\"? $command " || true)
    for flag in $(grep -oE -- ' --[a-z-]+' <<<"${words#*"$command"}" || true); do
      grep -qE -- "(^|[ ,])$flag([ ,]|$)" <<<"$help" || fail "$file: $command has no flag $flag"
      count=$((count + 1))
    done
  done
  [ "$count" -ge 5 ] || fail "$file: found only $count flags"
}
flags_exist "$folder/partition.sbatch"
flags_exist "$folder/mpijob.yaml"

if python3 -c 'import yaml' 2>/dev/null; then
  python3 - "$folder/mpijob.yaml" <<'PY' || fail "mpijob.yaml is not the job that it should be"
import sys, yaml
job = yaml.safe_load(open(sys.argv[1]))
roles = job["spec"]["mpiReplicaSpecs"]
command = roles["Launcher"]["template"]["spec"]["containers"][0]["command"]
assert job["kind"] == "MPIJob" and command[0] == "mpirun"
assert int(command[command.index("-np") + 1]) == roles["Worker"]["replicas"]
PY
fi

if [ -n "${HALOGRAPH_LAUNCH:-}" ]; then
  cd "$work"
  "$program" generate rmat --scale 9 --out in >log 2>&1
  run() { HALOGRAPH=$program HALOGRAPH_MEMORY=512MiB bash "$folder/partition.sbatch" in 4 out >log 2>&1 || fail "$(cat log)"; }
  run
  grep -q "^edge cut" log || fail "no report: $(cat log)"
  "$program" verify out/parts/graph.json --against out/chunks >log || fail "$(cat log)"
  run  # submitted again: complete steps are skipped
  if HALOGRAPH=$program bash "$folder/partition.sbatch" in 4 2>log; then fail "two arguments are accepted"; fi
  grep -q "^usage: " log || fail "no usage: $(cat log)"
fi
echo "all right"
