#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# slow: half a minute, on three hosts
# Three hosts on one machine: network namespaces joined by a bridge, each with its own name, address and folder.
# dispatch writes on each host only the parts of its ranks; training on the hosts prints what one process prints.
#   hosts.sh PROGRAM EXAMPLE_TRAIN_MEAN
source "$(dirname "${BASH_SOURCE[0]}")/../support/program.sh"
trainer=$2
skip() { echo "SKIPPED: $*"; exit 77; }
. "$(dirname "${BASH_SOURCE[0]}")/../support/hosts.sh"
clean() {
  remove_hosts
  rm -rf "$work"
}
trap clean EXIT
make_hosts 3 || skip "$no_hosts"

"$program" generate rmat --scale 12 --degree 8 --features 4 --chunks 5 --format numpy --out graph >/dev/null || exit 1
"$program" assign --in-dir graph --out-dir assigned --parts 6 --method ldg >/dev/null || exit 1
"$program" dispatch --in-dir graph --partitions-dir assigned --out-dir whole --name g >/dev/null || exit 1

# Every host gets only its own parts.
across 1 "$program" dispatch --in-dir graph --partitions-dir assigned --out-dir data/parts --name g --local-output >said 2>&1 ||
  { fail "dispatch over three hosts:"; cat said; }
for host in 1 2 3; do
  number=$((host - 1))
  here=("of.$host"/parts/part*)
  [[ ${here[*]##*/} == "part$((2 * number)) part$((2 * number + 1))" ]] || fail "host $host has ${here[*]##*/}"
  for part in "${here[@]}"; do
    diff -r "$part" "whole/${part##*/}" >/dev/null || fail "${part##*/} on host $host differs from that of one process"
  done
  cmp "of.$host/parts/g.json" whole/g.json || fail "the config on host $host differs"
done

# Training on the hosts, with one rank each and with two, prints what one process prints.
"$trainer" whole/g.json >alone || fail "training on one process"
grep -q '^step 59: loss' alone || fail "training on one process prints: $(cat alone)"
for n in 1 2; do
  across "$n" "$trainer" data/parts/g.json >together 2>errors || { fail "training with $n ranks on each host:"; cat errors; }
  cmp alone together || fail "$n ranks on each of three hosts compute a different loss"
done

# A folder of another run on one host is detected.
"$program" dispatch --in-dir graph --partitions-dir assigned --out-dir other --name g --hops 2 >/dev/null || exit 1
rm -rf of.2/parts && mkdir of.2/parts && cp -r other/. of.2/parts/
across 1 "$trainer" data/parts/g.json >together 2>errors && fail "folders of different runs were mixed without an error"
grep -q 'of different runs' errors || { fail "mixed folders are not reported:"; cat errors; }

# An error in the folder of all hosts is reported once.
"$program" generate grid --width 5 --height 5 --out plain >/dev/null && "$program" partition --input plain --name g --parts 3 --method hash --out bare >/dev/null || exit 1
across 1 "$trainer" "$work/bare/g.json" >together 2>errors && fail "training without a feature"
[[ $(grep -c '^train_mean: .*no feature "feat"' errors) == 1 ]] || { fail "a missing feature is not reported once:"; cat errors; }
exit $failed
