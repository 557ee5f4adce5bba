#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# --inputs-within: whatever paths an input names, no command reads a file outside of a folder, and what lies inside is read as ever.
source "$(dirname "${BASH_SOURCE[0]}")/../support/program.sh"

expect 0 '' -- generate hetero --nodes 60 --features 2 --seed 5 --chunks 2 --out in/graph
expect 0 '' -- assign --in-dir in/graph --out-dir in/owners --num-partitions 2 --method hash
expect 0 '' -- partition --input in/graph --parts 2 --out in/parts
expect 0 '' -- parmetis export --input in/graph --out in/exported
config=$(ls in/parts/*.json)
printf '0 1\n1 2\n2 0\n' >in/ring.txt
mkdir elsewhere
chunk=$(cd in/graph && find . -name '*.npy' | sort | head -1)

# The last word of those that write is their output.
commands=(
  "partition --input in/graph --parts 2 --out"
  "partition --input in/ring.txt --parts 2 --out"
  "chunk --input in/ring.txt --out"
  "assign --in-dir in/graph --num-partitions 2 --method ldg --out-dir"
  "dispatch --in-dir in/graph --partitions-dir in/owners --out-dir"
  "parmetis export --input in/graph --out"
  "parmetis partition --graph-name hetero --num-parts 2 --input-dir in/exported --out"
  "convert in/ring.txt --to metis --out"
  "convert in/ring.txt --to graphbolt --out"
)
shown=(
  "verify $config --against in/graph"
  "report $config"
  "inspect in/graph"
  "inspect in/parts"
  "simulate $config --fanout 2 --batch 8"
  "estimate --input in/graph --parts 2"
)
for command in "${commands[@]}"; do
  rm -rf wanted made
  # shellcheck disable=SC2086  # words
  "$program" $command wanted >out 2>err || fail "$command: $(cat err)"
  # shellcheck disable=SC2086
  expect 0 '' -- $command made --inputs-within in
  diff -r -x .halograph-manifest wanted made >difference || fail "$command --inputs-within in makes another output: $(head -3 difference)"
  rm -rf made
  # shellcheck disable=SC2086
  expect 1 'to which inputs are confined' -- $command made --inputs-within elsewhere
  [[ ! -e made ]] || fail "$command leaves an output"
done
for command in "${shown[@]}"; do
  # shellcheck disable=SC2086
  expect 0 '' -- $command --inputs-within in
  # shellcheck disable=SC2086
  expect 1 'to which inputs are confined' -- $command --inputs-within elsewhere
done

# A copy of an input, and parts on the way to a folder, are the run's own.
expect 0 '' -- generate rmat --scale 16 --edge-factor 10 --out in/large
expect 0 '' -- convert in/large --out in/large.txt
for command in "assign --method hash" "partition --method multilevel --compress"; do
  for input in in/large in/large.txt; do
    # shellcheck disable=SC2086
    expect 0 '' -- $command --input $input --parts 2 --out made --inputs-within in
    # shellcheck disable=SC2086
    expect 1 'to which inputs are confined' -- $command --input $input --parts 2 --out no --inputs-within elsewhere
  done
done
expect 0 '' -- assign --input in/large --method hash --parts 2 --out in/owners
expect 0 '' -- dispatch --input in/large.txt --num-nodes 65536 --assignment in/owners --out made --inputs-within in
[[ ! -e no ]] || fail "a refused run leaves a folder"

# A path that leads out, absolute, by .., or through a link: of a chunk, of a part.
cp -r in/graph in/named
mv "in/named/$chunk" elsewhere/chunk.npy
hostile() {
  rm -rf made
  expect 1 'to which inputs are confined' -- partition --input in/named --parts 2 --out made --inputs-within in
  expect 0 '' -- partition --input in/named --parts 2 --out made --inputs-within in --inputs-within elsewhere
}
ln -s "$PWD/elsewhere/chunk.npy" "in/named/$chunk"
hostile
rm "in/named/$chunk"
for path in "$PWD/elsewhere/chunk.npy" ../../elsewhere/chunk.npy; do
  sed "s|\"[^\"]*${chunk#./}\"|\"$path\"|" in/graph/metadata.json >in/named/metadata.json
  grep -qF "$path" in/named/metadata.json || fail "metadata.json does not name $path"
  hostile
done
mv in/parts/part1 elsewhere/
ln -s ../../elsewhere/part1 in/parts/part1
expect 1 'to which inputs are confined' -- report "$config" --inputs-within in
expect 0 '' -- report "$config" --inputs-within in --inputs-within elsewhere
expect 1 'no such folder' -- report "$config" --inputs-within missing
exit $failed
