#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# --metis NAME=VALUE: METIS's own options, checked when the command line is read, recorded, and passed on.
source "$(dirname "${BASH_SOURCE[0]}")/../support/program.sh"
"$program" generate grid --width 30 --height 30 --undirected --out graph -q || fail "generate gave $?"

for command in 'partition graph -k 4 -o parts' 'estimate graph -k 4' 'assign graph -k 4 -o parts' 'parmetis partition --name graph -k 4'; do
  # shellcheck disable=SC2086
  {
    expect 2 '--metis nitr=3: METIS has no such option (did you mean niter?)' -- $command -m metis --metis nitr=3
    expect 2 '--metis niter=0: the value must be a whole number from 1' -- $command -m metis --metis niter=0
    expect 2 '--metis niter: the value must be a whole number from 1' -- $command -m metis --metis niter
    expect 2 '--metis contig=2: the value must be 0 or 1' -- $command -m metis --metis contig=2
    expect 2 '--metis ptype=x: the value must be kway or rb' -- $command -m metis --metis ptype=x
    expect 2 '--metis ctype=x: the value must be shem or rm' -- $command -m metis --metis ctype=x
    expect 2 '--metis iptype=random: METIS starts at random only with --metis ptype=rb' -- $command -m metis --metis iptype=random
    expect 2 '--metis rtype=fm: METIS allows only its default' -- $command -m metis --metis rtype=fm
    expect 2 '--metis dbglvl=1: METIS would print' -- $command -m metis --metis dbglvl=1
    expect 2 '--metis ncuts=3: the option is given twice' -- $command -m metis --metis ncuts=2 --metis ncuts=3
    expect 2 '--metis ufactor=30: use the flag --tolerance' -- $command -m metis --metis ufactor=30
  }
done
expect 2 '--metis goes with --method metis' -- partition graph -k 4 -o parts -m multilevel --metis niter=3
expect 2 '--metis goes with --method metis' -- parmetis partition --name graph -k 4 -m label_propagation --metis niter=3
[[ -e parts ]] && fail "a refused option has left a result"

if ! "$program" partition graph -k 4 -o plain -m metis -q 2>err; then
  grep -q 'needs METIS' err || fail "partition by METIS: $(cat err)"
  exit $failed
fi
expect 0 'no other knows --metis' -- partition graph -k 4 -o by_halves --metis ptype=rb --metis niter=3
grep -rq 'ptype=rb' by_halves || fail "the options are not recorded"
cmp -s plain/owners.npy by_halves/owners.npy && fail "METIS does not get ptype=rb"
for option in ctype=rm iptype=random; do
  expect 0 '' -- partition graph -k 4 -o other --metis $option --metis ptype=rb --metis niter=3
  cmp -s other/owners.npy by_halves/owners.npy && fail "METIS does not get $option"
done
expect 0 '' -- partition graph -k 4 -o other --metis ctype=shem --metis iptype=grow --metis ptype=rb --metis niter=3
cmp other/owners.npy by_halves/owners.npy || fail "ctype=shem and iptype=grow are not METIS's defaults"

# METIS's tpwgts are --part-weights
expect 2 '--metis tpwgts=1: use the flag --part-weights' -- partition graph -k 3 -o no -m metis --metis tpwgts=1
expect 0 '"met": true' -- assign graph -k 3 -o weighted -m metis --part-weights 2,1,1 --json
held=$(grep -c '^0$' weighted/_N.txt)
((held > 430 && held <= 464)) || fail "part 0 of weights 2,1,1 holds $held of 900 nodes"
expect 0 'no other knows --metis' -- assign graph -k 3 -o weighted --part-weights 2,1,1 --metis niter=3
expect 0 '4 parts have 4 connected components' -- partition graph -k 4 -o whole -m metis --metis contig=1 --metis minconn=1 --metis no2hop=1
expect 0 '' -- assign graph -k 4 -o owners --metis ncuts=3 --json
grep -q 'ncuts=3' owners/partition_meta.json || fail "assign does not record the options: $(cat owners/partition_meta.json)"

exit $failed
