#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# What can go wrong around a run: a bad row, a removed file, a full disk, a kill, another run. Each gives a sentence and
# exit code 1, and the output of an earlier run stays as it was.
source "$(dirname "${BASH_SOURCE[0]}")/../support/program.sh"
digest() { find "$1" -type f -exec sha256sum {} + | sort | sha256sum; }

"$program" generate grid --width 40 --height 40 --undirected --chunks 20 --features 4 --out graph >/dev/null 2>err || fail "generate: $(cat err)"
cut() { "$program" partition --input graph --name g --parts 3 --method random --out parts >out 2>err; }
cut || fail "partition: $(cat err)"
earlier=$(digest parts)

# an output that would take the place of what the run reads
for command in "partition --name g --parts 2 --method random" "parmetis export" chunk; do
  # shellcheck disable=SC2086
  expect 2 'would replace the input' -- $command --input graph --out graph
done
[[ -e graph/metadata.json ]] || fail "the input is gone"

# refused WHAT WORDS: the partitioning gives exit code 1 and a sentence with the words; the earlier parts stay, nothing else does
refused() {
  local code=0
  cut || code=$?
  [[ $code == 1 ]] || fail "$1 gave exit code $code: $(cat out err)"
  grep -qF -- "$2" err || fail "$1 does not say '$2': $(cat err)"
  [[ $(digest parts) == "$earlier" ]] || fail "$1 has changed the earlier output"
  [[ -e .parts.halograph-tmp ]] && fail "$1 leaves a staging folder"
}

chunk=graph/edge_index/_N:_E:_N17.txt
cp "$chunk" kept
sed -i '5s/.*/12 x/' "$chunk"
refused "a bad row in chunk 17" "$chunk, line 5"
sed -i '5s/.*/12 1600/' "$chunk"
refused "a node that is none in chunk 17" "$chunk, line 5"
mv kept "$chunk"

mv graph/node_data/_N/feat-3.npy kept
refused "a removed file" "graph/node_data/_N/feat-3.npy"
mv kept graph/node_data/_N/feat-3.npy

# A file's name comes from a file, too: what it would do to a terminal is shown, not done.
mkdir strange && sed 's|part0/graph.dgl|a\\u001b[31mb|' parts/g.json >strange/g.json
expect 1 'a\x1b[31mb' -- report strange/g.json

# The system's limit of a file's size stands for a disk that is full: both refuse the bytes.
code=0
(ulimit -f 8; "$program" partition --input graph --name g --parts 3 --method random --out parts) >out 2>err || code=$?
[[ $code == 1 ]] || fail "a full disk gave exit code $code: $(cat out err)"
grep -q 'cannot .*: File too large' err || fail "a full disk is not told: $(cat err)"
[[ $(digest parts) == "$earlier" && ! -e .parts.halograph-tmp ]] || fail "a full disk has changed something"

# Another run into the same target, while the first is at work; then the first is killed without warning.
"$program" generate rmat --scale 24 --edge-factor 16 --chunks 16 --out big >/dev/null 2>&1 &
run=$!
for _ in $(seq 200); do compgen -G '.big.halograph-tmp/edge_index/*' >/dev/null && break; sleep 0.05; done
code=0
"$program" generate grid --width 5 --height 5 --out big >out 2>err || code=$?
[[ $code == 1 ]] || fail "two runs into one target gave exit code $code"
grep -q 'another run is writing here' err || fail "a second run is not told of the first: $(cat err)"
kill -9 $run
wait $run 2>/dev/null
[[ -e big ]] && fail "a killed run has left a result"
"$program" generate grid --width 5 --height 5 --out big >out 2>err || fail "after a kill: $(cat err)"
[[ -e .big.halograph-tmp ]] && fail "what a killed run left is still there"
[[ -f big/metadata.json ]] || fail "no result after a kill"

exit $failed
