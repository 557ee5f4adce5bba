#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# A GraphAr data set is an input as the chunked graph of the same edges is.
source "$(dirname "${BASH_SOURCE[0]}")/../support/program.sh"

count() { # N: 8 bytes, little-endian
  printf "$(printf '\\x%02x\\x%02x' $(($1 % 256)) $(($1 / 256)))\\0\\0\\0\\0\\0\\0"
}

# 50 users in chunks of 20 with an age, 400 edges in parts of 20 sources and chunks of 64
set=shop/edge/user_knows_user/ordered_by_source
mkdir -p shop/vertex/user/id_age $set/{adj_list,weight}/part{0,1,2}
cat >shop/shop.graph.yml <<END
name: shop
vertices:
  - user.vertex.yml
edges:
  - user_knows_user.edge.yml
version: gar/v1
END
cat >shop/user.vertex.yml <<END
type: user
chunk_size: 20
prefix: vertex/user/
property_groups:
  - properties:
      - {name: id, data_type: string, is_primary: true}
      - {name: age, data_type: int64, is_primary: false}
    prefix: id_age/
    file_type: csv
version: gar/v1
END
cat >shop/user_knows_user.edge.yml <<END
src_type: user
edge_type: knows
dst_type: user
chunk_size: 64
src_chunk_size: 20
dst_chunk_size: 20
directed: true
prefix: edge/user_knows_user/
adj_lists:
  - ordered: true
    aligned_by: src
    prefix: ordered_by_source/
    file_type: csv
property_groups:
  - prefix: weight/
    file_type: csv
    properties:
      - {name: weight, data_type: int64, is_primary: false}
version: gar/v1
END
awk 'BEGIN { x = 1; for (i = 0; i < 400; ++i) { x = (x * 1103515245 + 12345) % 2147483648; y = int(x / 65536) % 50; x = (x * 1103515245 + 12345) % 2147483648; print y, int(x / 65536) % 50, i % 5 } }' | sort -s -n -k 1,1 >list.txt
count 50 >shop/vertex/user/vertex_count
for k in 0 1 2; do
  { echo _graphArVertexIndex,id,age; awk -v k=$k 'BEGIN { for (n = 20 * k; n < 20 * k + 20 && n < 50; ++n) print n ",\"u" n "\"," n + 20 }'; } >shop/vertex/user/id_age/chunk$k
  awk -v k=$k 'int($1 / 20) == k' list.txt >part
  count "$(wc -l <part)" >$set/edge_count$k
  awk -v to=$set/adj_list/part$k/chunk 'NR % 64 == 1 { ++c; print "_graphArSrcIndex,_graphArDstIndex" >(to c - 1) } { print $1 "," $2 >(to c - 1) }' part
  awk -v to=$set/weight/part$k/chunk 'NR % 64 == 1 { ++c; print "weight" >(to c - 1) } { print $3 >(to c - 1) }' part
done

# A program without yaml-cpp says so, and that is all it can.
if ! "$program" --version | grep -q yaml_cpp; then
  expect 1 'build with the component "yaml_cpp"' -- inspect shop
  exit $failed
fi

expect 0 'GraphAr data set: 50 nodes, 400 edges' -- inspect shop
expect 0 '"kind": "GraphAr data set"' -- inspect shop/shop.graph.yml --json
expect 0 '"id"' -- convert shop -o again.txt --to edge-list
grep -v '^[#%]' again.txt | tr '\t,' '  ' | cmp -s - list.txt || { fail "convert gives other edges"; head -3 again.txt; }

expect 0 '' -- chunk --input shop --out chunks
for method in ldg metis; do
  expect 0 '"copy": {' -- assign --in-dir shop --parts 3 --method $method --out-dir as --json
  expect 0 '"copy": null' -- assign --in-dir chunks --parts 3 --method $method --out-dir by_chunks --json
  cmp -s as/user.txt by_chunks/user.txt || fail "assign --method $method differs"
done
expect 0 '' -- partition --input shop --parts 3 --method given --assignment as --out wanted
expect 0 'nothing wrong' -- verify wanted/shop.json --against shop
expect 0 '' -- dispatch --in-dir shop/shop.graph.yml --partitions-dir as --out-dir made
for part in part0 part1 part2 shop.json; do diff -r wanted/$part made/$part >/dev/null || fail "$part differs"; done

# What is wrong is said with its file, and nothing is left behind.
refused() { # WORDS
  expect 1 "$1" -- partition --input shop --parts 2 --out no
  expect 1 "$1" -- convert shop -o no.txt
  [[ -e no || -e no.txt ]] && { fail "output after: $1"; rm -rf no no.txt; }
  return 0
}
cp -r shop sound
rm $set/adj_list/part1/chunk1
refused "$set/adj_list/part1/chunk1"
cp -r sound/. shop
printf '_graphArSrcIndex,_graphArDstIndex\n0,50\n' >$set/adj_list/part0/chunk0
refused "$set/adj_list/part0/chunk0, line 2: column \"_graphArDstIndex\" is 50"
cp -r sound/. shop
sed -i 's/file_type: csv/file_type: orc/' shop/user_knows_user.edge.yml
refused 'is "orc"; files of this type are not read, it must be csv or parquet'
cp -r sound/. shop
sed -i 's,vertex/user/,../shop/vertex/user/,' shop/user.vertex.yml
refused 'does not leave the folder of the data set'
cp -r sound/. shop
cp shop/shop.graph.yml shop/other.graph.yml
expect 1 'the folder holds several GraphAr graphs' -- partition --input shop --parts 2 --out no
expect 2 'would replace the input' -- chunk --input shop/shop.graph.yml --out shop
[[ -e shop/vertex/user/vertex_count ]] || fail "the input is gone"

exit $failed
