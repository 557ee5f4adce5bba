#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# --method auto, the default: multilevel where it fits, compressed or not, else buffered; other flags may decide.
source "$(dirname "${BASH_SOURCE[0]}")/../support/program.sh"

# chose METHOD 'REASON': what the last run printed as JSON
chose() {
  grep -q "\"method\": \"$1\"" out || fail "not method $1: $(cat out)"
  grep -q "\"method_reason\": \".*$2" out || fail "no reason \"$2\": $(cat out)"
}
# same_as METHOD COMMAND FLAG...: the folder `chosen` is what the method makes that is named
same_as() {
  local method=$1
  shift
  expect 0 '' -- "$@" --out named --method "$method"
  diff -r chosen named >differs || fail "auto and $method differ: $(head -3 differs)"
}

expect 0 '' -- generate rmat --scale 13 --edge-factor 8 --out graph
expect 0 '' -- partition --input graph --parts 3 --out chosen --json
chose multilevel 'fit in the .* of free memory'
same_as multilevel partition --input graph --parts 3
grep -q '"part_method": "multilevel"' chosen/*.json || fail "the folder does not name its method"
expect 0 'method multilevel, because its' -- partition --input graph --parts 3 --out chosen
expect 0 'method multilevel, because its' -- estimate --input graph --parts 3
expect 0 '' -- partition --input graph --parts 3 --out chosen --preset fast --json
chose multilevel 'buffered does not know --preset'

expect 0 '' -- assign --input graph --parts 3 --out chosen --json
chose multilevel 'fit in the .* of free memory'
same_as multilevel assign --input graph --parts 3
expect 0 '' -- assign --input graph --parts 3 --out renewed --from chosen --json
chose multilevel 'buffered does not know --from'

# a budget decides, and how much buffered holds: half a million edges by default (threads take memory, too)
expect 0 '' -- generate rmat --scale 16 --edge-factor 8 --out large
expect 0 '' -- assign --input large --parts 3 --out chosen --memory 1GiB --json
chose multilevel 'fit in the 1.* of --memory'
expect 0 '' -- assign --input large --parts 3 --out chosen -j 2 --memory 40MiB --json
chose multilevel 'needs of a compressed graph fit in the 40.* of --memory'
same_as multilevel assign --input large --parts 3
expect 0 'because the method loads all edges, compressed' -- assign --input large --parts 3 --out named -j 2 --memory 40MiB
diff -r chosen named || fail "what auto compresses differs"
expect 0 '' -- generate rmat --scale 17 --edge-factor 8 --out large
expect 0 '' -- assign --input large --parts 3 --out chosen -j 2 --memory 50MiB --json
chose buffered 'multilevel needs .*, more than the 50.* of --memory'
same_as buffered assign --input large --parts 3 -j 2 --memory 50MiB
batch=$(sed -n 's/.*"batch": \([0-9]*\).*/\1/p' chosen/partition_meta.json)
((batch > 0 && batch < 524288)) || fail "a small budget does not make the batch smaller: $(cat chosen/partition_meta.json)"
expect 0 '' -- assign --input large --parts 3 --out named --method buffered --batch "$batch"
cmp chosen/*.txt named/*.txt || fail "a batch of $batch and the chosen one differ"
expect 1 '' -- assign --input large --parts 3 --out none -j 2 --memory 20MiB
# what auto would compress is not, where that cannot be
expect 0 '' -- assign --input large --parts 3 --out chosen -j 2 --memory 62MiB --json
chose multilevel 'needs of a compressed graph fit in the 62.* of --memory'
expect 0 '' -- assign --input large --parts 3 --out chosen -j 2 --memory 62MiB --connected --json
chose buffered 'multilevel needs .*, more than the 62.* of --memory'
expect 1 'a budget of 31457280 bytes is too small' -- assign --input large --parts 3 --out none -j 2 --memory 30MiB --connected
expect 0 '' -- assign --input graph --parts 3 --out chosen --compress --json
chose multilevel 'buffered does not know --compress'
expect 0 '' -- generate rmat --scale 16 --edge-factor 8 --out large

expect 0 '' -- partition --input large --parts 3 --out chosen --memory 1GiB --json
chose multilevel 'fit in the 1.* of --memory'
expect 0 ', more than the 28.0 MiB of --memory' -- estimate --input large --parts 3 -j 2 --memory 28MiB
expect 1 ' of memory, more than --memory 28.0 MiB; allow more' -- partition --input large --parts 3 --out none -j 2 --memory 28MiB
expect 1 'more than --memory 28.0 MiB' -- partition --input large --parts 3 --out none -j 2 --memory 28MiB --method multilevel
[ ! -e none ] || fail "a refused run leaves a folder"
expect 0 '' -- partition --input graph --parts 3 --out chosen --memory 1KiB --ignore-memory

expect 0 '' -- partition --input graph --parts 2 --out chosen --objective vol --json
chose multilevel 'buffered cannot minimize the communication volume'
expect 2 '--objective goes with --method multilevel or metis, or --refine' -- partition --input graph --parts 2 --out none --objective vol --method ldg
expect 2 '--objective requires --method multilevel or metis, or --refine' -- assign --input graph --parts 2 --out none --objective vol --method buffered

# less volume than what cuts fewest edges, by the method and by refinement of another
volume_of() {
  expect 0 '' -- partition --input graph --parts 8 --out measured --json "$@"
  volume=$(sed -n 's/.*"communication_volume": \([0-9]*\).*/\1/p' out)
  [[ $volume =~ ^[0-9]+$ ]] || fail "no volume of $*: $(cat out)"
}
volume_of --method multilevel
cut=$volume
volume_of --method multilevel --objective vol
((volume < cut)) || fail "volume $volume, but $cut where edges are cut"
volume_of --method ldg --refine
cut=$volume
volume_of --method ldg --refine --objective vol
((volume < cut)) || fail "refined for volume $volume, for cut edges $cut"
exit $failed
