#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# estimate --machines: from an input or from counts alone, the same answer; what does not go together is refused.
source "$(dirname "${BASH_SOURCE[0]}")/../support/program.sh"

expect 0 '' -- generate rmat --scale 8 --edge-factor 8 --format numpy --out graph
expect 0 '' -- estimate graph --parts 4 --machines 3 --threads 2 --json
grep -v '"command"' out >from_input
expect 0 '' -- estimate --num-nodes 256 --num-edges 2048 --parts 4 --machines 3 --threads 2 --json
grep -v '"command"' out | cmp - from_input || fail "counts and an input with these counts differ: $(diff <(grep -v '"command"' out) from_input)"
for step in assign nodes edges rows cut parts; do grep -q "\"name\": \"$step\"" out || fail "no step $step"; done

expect 0 'what to buy, the best first:' -- estimate --num-nodes 3000000000 --num-edges 100000000000 --parts 64 --machines 16 --threads 32
grep -q '^assumed (16 machines with 32 threads each' out || fail "the assumptions are missing"
grep -q '; 4\.0 GiB will not do' out || fail "a budget of 4 GiB is not said to be too small"
# features are sent, copied and stored
expect 0 '"name": "features"' -- estimate --num-nodes 256 --num-edges 2048 --feature-bytes 100 --parts 4 --machines 3 --json
# without machines: one run of partition, from counts alone
expect 0 'largest / sum' -- estimate --num-nodes 256 --num-edges 2048 --parts 4

expect 2 'an input is required' -- estimate --parts 4
expect 2 '--num-edges goes without an input' -- estimate graph --num-edges 5 --parts 4
expect 2 '--num-edges needs --num-nodes' -- estimate --num-edges 5 --parts 4
expect 2 '--feature-bytes requires --num-edges' -- estimate graph --feature-bytes 5 --parts 4
expect 2 '--net-gbps requires --machines' -- estimate graph --net-gbps 5 --parts 4
expect 2 '--machines goes with --method auto' -- estimate graph --parts 4 --machines 2 --method fennel
expect 2 'from 0 to 1' -- estimate graph --parts 4 --machines 2 --cut-share 1.5
expect 2 'from 0.001 to 1000000' -- estimate graph --parts 4 --machines 2 --disk-gbps 0
expect 2 '--machines' -- estimate graph --parts 4 --machines 0
expect 2 '--input' -- partition --parts 4 --out parts
