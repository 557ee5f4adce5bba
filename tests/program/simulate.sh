#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# simulate: what training would fetch, the same for any number of threads; its plan, placed; its figures, reported.
source "$(dirname "${BASH_SOURCE[0]}")/../support/program.sh"

expect 0 '' -- generate hetero --papers 400 --seed 3 --features 2 --chunks 2 --out graph
expect 0 '' -- partition --input graph --name g --parts 3 --method metis --out parts
expect 0 '' -- partition --input graph --name g --parts 3 --method metis --hops 3 --out deep
expect 0 '' -- partition --input graph --name g --parts 3 --method random --no-mapping --out scattered

# figures: of threads they are no function
simulate=(simulate parts/g.json --fanout 5,3 --batch 32 --epochs 2 --cache 2KiB)
expect 0 '"remote_rows_per_batch"' -- "${simulate[@]}" --plan one.npy --threads 1 --json
mv out one.json
expect 0 'a batch fetches' -- "${simulate[@]}" --plan two.npy --threads 2
expect 0 '"edge_imbalance"' -- "${simulate[@]}" --plan two.npy --threads 2 --json
mv out two.json
# all of them, those of each part and type too; what differs is the plan's name, the memory, and how long the steps took
figures() { sed '/^ *"plan"/d; /^ *"memory_bytes"/d; /^ *"steps"/,$d; /^}/d' "$1"; }
grep -q '"drawn_from_halo"' <(figures one.json) || fail 'no figures of types are compared'
[[ $(figures one.json) == "$(figures two.json)" ]] || fail 'figures depend on threads'
cmp -s one.npy two.npy || fail 'the plan depends on threads'

figure() { grep -om1 "\"$1\": [0-9.]*" out | grep -o '[0-9.]*$'; }
# with as many hops as layers no part asks another for structure
expect 0 '"structure_bytes": 0,' -- simulate deep/g.json --fanout 5,3,2 --batch 32 --json
# a bad cut costs more than a good one
expect 0 '' -- simulate parts/g.json --fanout 5,3 --batch 32 --json
good=$(figure remote_rows)
expect 0 'original IDs' -- simulate scattered/g.json --fanout 5,3 --batch 32 --json
[[ $good -lt $(figure remote_rows) ]] || fail 'parts at random fetch no more than parts of METIS'

# seeds of one type
expect 0 '"seeds": 0' -- simulate parts/g.json --type paper --batch 8 --fanout -1 --json
expect 1 'no feature "mask"' -- simulate parts/g.json --type paper --seeds mask
expect 1 'integer or boolean' -- simulate parts/g.json --seeds paper/feat
expect 1 'none.npy' -- simulate parts/g.json --type paper --seeds none.npy
expect 1 'several node types' -- simulate parts/g.json --seeds none.npy

# the plan into the folder, and out again; the figures, too
expect 0 'rows of others' -- attach-features parts/g.json --cache-plan one.npy
ls parts/part*/cached_feats.dgl >/dev/null 2>&1 || fail 'no rows were placed'
expect 0 'nothing wrong' -- verify parts/g.json --against graph
expect 0 '_ID' -- inspect parts/part0/cached_feats.dgl
expect 0 '' -- simulate parts/g.json --fanout 5,3 --batch 32 --save
expect 0 'simulated training' -- report parts/g.json
expect 0 '"simulation"' -- report parts/g.json --json
expect 0 'nothing wrong' -- verify parts/g.json --against graph
# once nodes have other rows, they are of the past
expect 0 'simulated figures are dropped' -- attach-features parts/g.json --input graph --replace
expect 0 '' -- report parts/g.json
! grep -q simulated out || fail 'figures of rows that are no more are reported'
expect 1 'which it owns' -- attach-features scattered/g.json --cache-plan one.npy
expect 2 'needs --input, or --cache-plan' -- attach-features parts/g.json
expect 2 '' -- attach-features parts/g.json --cache-plan one.npy --input graph

expect 2 'one for each hop' -- simulate parts/g.json --fanout 5,x
expect 2 'one for each hop' -- simulate parts/g.json --fanout 5,
expect 2 '--cache' -- simulate parts/g.json --plan some.npy
expect 2 '' -- simulate parts/g.json --batch 0
expect 2 'is inside the partition folder' -- simulate parts/g.json --cache 1KiB --plan parts/plan.npy
expect 2 'would replace the seeds' -- simulate parts/g.json --cache 1KiB --plan one.npy --seeds ./one.npy
expect 1 'nowhere.json' -- simulate nowhere.json
# several processes: the same figures, the same plan, one answer; what one of them finds wrong is one sentence
source "$(dirname "${BASH_SOURCE[0]}")/../support/mpirun.sh"
[[ -n $launcher ]] || { echo "no mpirun here: one rank alone"; exit $failed; }
expect 0 '' -- "${simulate[@]}" --plan one.npy --threads 1 --json  # parts/ has changed since
figures out >one.figures
if ! on 2 "${simulate[@]}" --plan two.npy --json && grep -q 'built without MPI' err; then exit $failed; fi
for ranks in 2 3 4; do  # of 4 ranks one has no part
  rm -f two.npy
  on $ranks "${simulate[@]}" --plan two.npy --threads 1 --json || fail "$ranks ranks: $(cat err)"
  [[ $(figures out) == "$(cat one.figures)" ]] || fail "figures depend on ranks: $ranks"
  cmp -s one.npy two.npy || fail "the plan depends on ranks: $ranks"
  [[ $(grep -c '"ok"' out) == 1 ]] || fail "$ranks ranks gave several answers"
done
mv parts/part2 elsewhere
on 3 "${simulate[@]}" && fail 'a missing part is not missed'
[[ $(grep -c '^halograph: ' err) == 1 ]] || fail "not one sentence: $(cat err)"
grep -q 'part2.*on rank 2 of 3' err || fail "who misses what: $(cat err)"
mv elsewhere parts/part2
exit $failed
