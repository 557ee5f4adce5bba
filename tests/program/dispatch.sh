#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# The chunked pipeline as a user runs it: the same bytes as partition, within a budget, killed and resumed, copied and verified.
source "$(dirname "${BASH_SOURCE[0]}")/../support/program.sh"

# same FOLDER: compare every part with what partition wrote
same() {
  local p
  for p in 0 1 2 3; do
    diff -r "wanted/part$p" "$1/part$p" >/dev/null || fail "part $p of $1 differs"
  done
}

# 2 million edges
expect 0 '2,097,152' -- generate rmat --scale 17 --edge-factor 16 --seed 5 --chunks 3 --features 4 --out graph
mkdir -p assigned
awk 'BEGIN { x = 1; for (i = 0; i < 131072; ++i) { x = (x * 1103515245 + 12345) % 2147483648; print int(x / 65536) % 4 } }' >assigned/_N.txt
printf '{"algo_name": "random", "num_parts": 4, "version": "1.0.0"}' >assigned/partition_meta.json
expect 0 '"edge_cut"' -- partition --input graph --parts 4 --method given --assignment assigned --out wanted --json

dispatch=(dispatch --in-dir graph --partitions-dir assigned)
expect 0 '"directed_cut"' -- "${dispatch[@]}" --out-dir parts --json
same parts
for made in wanted parts; do
  grep -q '"part_method": "random"' $made/rmat.json || fail "$made does not name the method of its assignment"
done
expect 0 'nothing wrong' -- verify parts/rmat.json --against graph --assignment assigned
expect 0 '' -- "${dispatch[@]}" --out_dir parts --save_orig_nids --metadata-filename metadata.json --master-port 12345 --log-level info --ssh-port 22 --python-path python3 --process-group-timeout 60
[[ -e parts/part0/orig_nids.dgl && ! -e parts/part0/orig_eids.dgl ]] || fail "--save-orig-nids alone"
expect 2 'GraphBolt' -- "${dispatch[@]}" --out-dir none --use-graphbolt
expect 2 '' -- "${dispatch[@]}" --out-dir none --halo out
for place in graph assigned . ./graph/../graph; do
  expect 2 'would replace the input' -- "${dispatch[@]}" --out-dir $place
done
for size in -1 99999999999999999999 17EiB 1.5GiB words; do
  expect 2 "$size\" is no size" -- "${dispatch[@]}" --out-dir none "--memory=$size"
done
expect 2 'would replace the input' -- assign --in-dir graph --out-dir graph --num-partitions 2 --method random
expect 1 'smallest that suffices is' -- "${dispatch[@]}" --out-dir none --memory 1MiB
least=$(grep -o 'suffices is [0-9]*MiB' err | grep -o '[0-9]*')
[[ -e none || -e .none.halograph-tmp ]] && fail "a rejected run left files"

# The smallest budget is exceeded by at most 64 MiB: the kernel rejects any further anonymous memory.
limit=$(((least + 64) * 1024))
if (ulimit -d $limit && "$program" --version) >/dev/null 2>&1; then
  (ulimit -d $limit && "$program" "${dispatch[@]}" --out-dir small --memory "${least}MiB" --threads 2 --json) >out 2>err || { fail "the budget is exceeded"; cat out err; }
  same small
  measured=$(grep -o '"peak_anonymous_bytes": [0-9]*' out | grep -o '[0-9]*$')
  [[ -n $measured && $measured -gt 0 && $measured -le $((least * 1048576 + 67108864)) ]] || fail "measured $measured bytes for a budget of $least MiB"
  # A quarter of it does not suffice, so the limit is effective.
  if (ulimit -d $((limit / 4)) && "$program" "${dispatch[@]}" --out-dir none --memory "${least}MiB" --threads 2) >/dev/null 2>&1; then
    fail "the limit on memory has no effect"
  fi
fi

# Killed after each stage and in the middle of the next, resumed, and killed again.
for stage in nodes edges cut part0 part2; do
  killed_after $stage "${dispatch[@]}" --out-dir killed --resume
done
[[ -e killed ]] || expect 0 '' -- "${dispatch[@]}" --out-dir killed --resume
same killed
[[ -e .killed.halograph-tmp ]] && fail "the staging folder still exists"

# Disk full: completed stages and the earlier result are kept.
(trap '' XFSZ; ulimit -f 9000; "$program" "${dispatch[@]}" --out-dir killed) >out 2>err && fail "more than the limit was written"
grep -qF 'a run with resume continues there' err || { fail "no message about a full disk"; cat err; }
same killed
expect 1 'cannot be resumed' -- "${dispatch[@]}" --out-dir killed --resume --hops 2
expect 0 'completed by an earlier run' -- "${dispatch[@]}" --out-dir killed --resume
same killed

# Two runs into one target
if command -v flock >/dev/null; then
  mkdir -p .killed.halograph-tmp
  flock -o -x .killed.halograph-tmp sleep 30 &
  holder=$!
  sleep 0.3
  expect 1 'another run' -- "${dispatch[@]}" --out-dir killed
  kill $holder 2>/dev/null
  wait $holder 2>/dev/null
  same killed
fi

# A malformed row is named, and the earlier result is kept.
edges=$(ls graph/edge_index/*1.txt)
cp "$edges" saved
sed -i '1000s/.*/7 131072/' "$edges"
expect 1 "$edges, line 1000" -- "${dispatch[@]}" --out-dir killed
cp saved "$edges"
same killed

# DGL's rules, machines, and a part on its machine
printf '10.0.0.1 30050\n10.0.0.2\n' >machines
expect 0 '"machines"' -- "${dispatch[@]}" --out-dir spread --halo in --ip-config machines --json
[[ -e spread/metadata.json && -e spread/rmat.json && -e spread/part0/node_feat.dgl ]] || fail "files of --halo in"
printf '#!/bin/sh\nmkdir -p "machine$1" && cd "machine$1" && sh -c "$2"\n' >fake_ssh
SSH="sh fake_ssh" sh spread/copy_to_machines.sh here || fail "the copy script"
[[ -e machine10.0.0.2/here/part3 && ! -e machine10.0.0.2/here/part2 ]] || fail "machines got wrong parts"
expect 0 'nothing wrong' -- verify machine10.0.0.2/here/rmat.json --part 3
printf x | dd of=machine10.0.0.2/here/part3/graph.dgl bs=1 seek=5000 conv=notrunc 2>/dev/null
expect 1 'digest' -- verify machine10.0.0.2/here/rmat.json --part 3
printf 'a\nb\nc\n' >machines
expect 1 'multiple of the number of machines' -- "${dispatch[@]}" --out-dir spread --ip-config machines
rm assigned/partition_meta.json
expect 0 'largest part plus one, 4' -- "${dispatch[@]}" --out-dir parts
same parts

exit $failed
