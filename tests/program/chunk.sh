#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# chunk: from each kind of input, with steps on the way, and what it refuses.
source "$(dirname "${BASH_SOURCE[0]}")/../support/program.sh"

same() {
  if ! diff -r -x .halograph-manifest "$1" "$2" >difference; then echo "FAILED: $1 and $2 differ"; head -5 difference; failed=1; fi
}

# a graph chunked anew and put together from its parts is the same graph
expect 0 '"bytes"' -- generate hetero --papers 80 --seed 3 --features 2 --chunks 3 --name g --out graph --json
expect 0 '"input_format": "chunked graph"' -- chunk --in-dir graph --out anew --num_chunks 3 --json
same graph anew
expect 0 '"edge_cut"' -- partition --input graph --name g --parts 3 --out parts --method random --save-mapping --json
expect 0 'partition folder' -- chunk --input parts --out back --num-chunks 3
same graph back
expect 0 '' -- chunk --input graph --out uneven --num-chunks 2 --num-chunks node_data=3 --num-chunks node_data/paper/feat=1
[[ $(ls uneven/node_data/author | wc -l) == 3 && $(ls uneven/node_data/paper | wc -l) == 1 && $(ls uneven/edge_index/*writes* | wc -l) == 2 ]] || { echo "FAILED: numbers of chunks"; failed=1; }
expect 0 '' -- chunk --input uneven --out even --num-chunks 3
same graph even
expect 0 '' -- chunk --input graph --out numbers --format numpy --num-chunks 7 --absolute-paths
grep -qF "$work/numbers/edge_index" numbers/metadata.json || { echo "FAILED: no absolute paths"; failed=1; }

# partitions of the chunked graph and of the original are the same bytes
printf '# a list\n0 1 5\n1 2 6\n2 0 7\n3 1 8\n' >list.txt
expect 0 '(edge list)' -- chunk --input list.txt --out list --name list --format numpy --num-chunks 2
expect 0 '' -- partition --input list.txt --name g --parts 2 --out p1 --method hash
expect 0 '' -- partition --input list --name g --parts 2 --out p2 --method hash
same p1 p2
expect 0 '4 nodes, 12 edges' -- chunk --input list.txt --out loops --reverse-edges --self-loops --normalize weight=minmax
[[ $(sed -n '5p;9p;12p' loops/edge_index/*.txt | tr '\n' ';') == '1 0;0 0;3 3;' ]] || { echo "FAILED: edges on the way"; cat loops/edge_index/*; failed=1; }
expect 0 '"dtype": "float32"' -- chunk --input list.txt --out list --normalize _N:_E:_N/weight=standard --delimiter tab --json
grep -qP '^0\t1$' list/edge_index/_N:_E:_N0.txt || { echo "FAILED: no tabs"; failed=1; }
grep -qF 'DGL' err || { echo "FAILED: a delimiter that DGL does not read is not said"; failed=1; }

# tables
printf 'id,age\nzoe,31\n"ann, b",7\n' >users.csv
printf 'zoe|900\n"ann, b"|-7\nzoe|900\n' >buys.csv
printf '{"nodes": {"user": {"files": ["users.csv"], "key": "id", "features": {"age": {"columns": "age", "dtype": "int64"}}}, "item": {"keys": "integer"}},
 "edges": {"user:buys:item": {"files": ["buys.csv"], "header": false, "delimiter": "|", "source": 0, "target": 1}}}' >spec.json
expect 0 '4 nodes, 3 edges (tables)' -- chunk --tables spec.json --out shop
[[ $(tr '\n' ';' <shop/edge_index/user:buys:item0.txt) == '0 1;1 0;0 1;' ]] || { echo "FAILED: IDs of keys"; failed=1; }
[[ -s shop/node_keys/user.keys && -s shop/node_keys/item.keys ]] || { echo "FAILED: no dictionaries"; failed=1; }
grep -qF 'node_keys/item.keys' shop/.halograph-manifest || { echo "FAILED: dictionaries are not part of the result"; failed=1; }
expect 0 '' -- chunk --tables spec.json --out small --memory 1kB
same shop small
gzip -k users.csv && sed 's/users.csv/users.csv.gz/' spec.json >packed.json
expect 0 '' -- chunk --tables packed.json --out packed --name spec
same shop packed

# what is refused says why and leaves the earlier result
before=$(find shop -type f -exec sha256sum {} + | sort)
printf 'zoe|900\ntim|8\n' >buys.csv
expect 1 'buys.csv, line 2: column 0 is "tim", which is not a key of node type "user"' -- chunk --tables spec.json --out shop
printf 'zoe|900\nzoe|8|9\n' >buys.csv
expect 1 'buys.csv, line 2: the record has 3 fields' -- chunk --tables spec.json --out shop --json
printf '0 1\n2 x\n' >bad.txt
expect 1 'bad.txt, line 2' -- chunk --input bad.txt --out shop
expect 1 'no feature is called "feat"' -- chunk --input list.txt --out shop --normalize feat=l2
expect 1 '' -- chunk --input nowhere --out shop
[[ $(find shop -type f -exec sha256sum {} + | sort) == "$before" ]] || { echo "FAILED: a failed run changed the result"; failed=1; }
[[ -z $(find . -name '.*halograph-tmp*') ]] || { echo "FAILED: a failed run left something"; failed=1; }
mkdir mine && touch mine/file
expect 1 'not part of a result of halograph' -- chunk --input list.txt --out mine
expect 2 'give one of them' -- chunk --out x
expect 2 'give one of them' -- chunk --input list.txt --tables spec.json --out x
expect 2 'FEATURE=l2' -- chunk --input list.txt --out x --normalize weight=l3
expect 2 'goes with --format csv' -- chunk --input list.txt --out x --format numpy --delimiter ,
expect 2 'one character' -- chunk --input list.txt --out x --delimiter ab
expect 2 '--num-chunks' -- chunk --input list.txt --out x --num-chunks 0
expect 2 'PLACE=N' -- chunk --input list.txt --out x --num-chunks edges=many
expect 1 'which does not exist' -- chunk --input list.txt --out x --num-chunks nodes=2
expect 2 'go with --input' -- chunk --tables spec.json --out x --num-nodes 3
expect 0 '--tables' -- chunk --help

exit $failed
