#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# The guide's chain with ParMETIS's files: export, partition, convert, and the assignment back.
source "$(dirname "${BASH_SOURCE[0]}")/../support/program.sh"

same() { cmp -s "$1" "$2" || { echo "FAILED: $1 and $2 differ"; failed=1; }; }

expect 0 '' -- generate hetero --papers 200 --seed 5 --features 3 --chunks 3 --name mag --out chunked
expect 0 'duplicates removed into mag_removed_edges.txt' -- parmetis export --input chunked --graph-name mag --node_attributes --output-dir files
[[ $(tr -d '\n' <files/mag_stats.txt) == "403 $(wc -l <files/mag_edges.txt) 3" ]] || { echo "FAILED: stats are $(cat files/mag_stats.txt)"; failed=1; }

# As pm_dglpart: from the folder of the three files, into it.
cd files || exit 1
expect 0 'mag_part.4' -- parmetis partition --graph-name mag --num-parts 4
rm -f out err
for file in p000-mag_nodes.txt p003-mag_edges.txt p003-mag_stats.txt mag_part.4; do
  [[ -s $file ]] || { echo "FAILED: no $file"; failed=1; }
done
cd ..
[[ $(cat files/p00?-mag_nodes.txt | wc -l) == 403 && $(cat files/p00?-mag_edges.txt | wc -l) == $(wc -l <files/mag_edges.txt) ]] ||
  { echo "FAILED: the parts do not hold all rows"; failed=1; }
expect 0 '"edge_cut"' -- parmetis partition --graph_name mag --num_parts 4 --input-dir files --output-dir apart --json
for file in files/p00?-mag_*.txt files/mag_part.4; do same "$file" "apart/${file#files/}"; done

# With the flags of DGL's script.
expect 0 'removed edges restored' -- convert --input-dir files --graph-name mag --schema files/mag.json --num-parts 4 --num-node-weights 3 \
  --workspace nowhere --node-attr-dtype auto --removed-edges mag_removed_edges.txt --output converted
grep -q "^$(wc -l <files/mag_removed_edges.txt) removed edges restored" out || { echo "FAILED: not all removed edges are restored: $(cat out)"; failed=1; }
expect 0 'nothing wrong' -- verify converted/mag.json --against chunked
expect 0 '"parts": 4' -- parmetis import --parts-file files/mag_part.4 --schema files/mag.json --out assignment --json
expect 0 '"parts": 4' -- parmetis import --postproc_input_dir chunked --schema_file metadata.json --parmetis_output_file files/mag_part.4 --partitions_dir again --json
same assignment/author.txt again/author.txt
expect 0 '' -- partition --input chunked --graph-name mag --num-parts 4 --method given --assignment assignment --store-orig-ids --out direct
for part in 0 1 2 3; do
  for file in graph node_feats edge_feats; do same "converted/part$part/$file.dgl" "direct/part$part/$file.dgl"; done
done
same <(grep -v part_method converted/mag.json) <(grep -v part_method direct/mag.json)
# Attributes were asked for by dtype, and a run without the removed edges says how many are missing.
expect 0 'edges that the schema counts are in no file' -- convert --input-dir files --graph-name mag --schema files/mag.json --num-parts 4 --num-node-weights 3 \
  --node-attr-dtype float64 --output other
expect 0 'float64' -- inspect other/part0/node_feats.dgl

# Refusals: exit code, file and line; nothing is left behind.
sed -i '7s/.*/1 2/' apart/p002-mag_edges.txt
expect 1 'p002-mag_edges.txt, line 7' -- convert --input-dir apart --graph-name mag --schema files/mag.json --num-parts 4 --num-node-weights 3 --output none
expect 1 '"line": 1' -- convert --input-dir files --graph-name mag --schema files/mag.json --num-parts 4 --num-node-weights 2 --output none --json
expect 1 'p004-mag_nodes.txt' -- convert --input-dir files --graph-name mag --schema files/mag.json --num-parts 5 --num-node-weights 3 --output none
mkdir foreign && touch foreign/file
expect 1 'which is not part of a result' -- parmetis export --input chunked --graph-name mag --out foreign
expect 1 'other_stats.txt' -- parmetis partition --graph-name other --num-parts 2
head -n 9 files/mag_part.4 >short.4
expect 1 '9 lines for 403 nodes' -- parmetis import --parts-file short.4 --schema files/mag.json --out none
expect 2 'could be a path' -- parmetis partition --graph-name ../mag --num-parts 2
expect 2 'would replace the input' -- parmetis partition --graph-name mag --num-parts 2 --input-dir files --output-dir files/.
expect 2 'float32' -- convert --input-dir files --graph-name mag --schema files/mag.json --num-parts 4 --num-node-weights 3 --node-attr-dtype words --output none
expect 2 '' -- convert --input-dir files --graph-name mag --num-parts 4 --output none
expect 2 '' -- parmetis
expect 0 'export' -- parmetis --help
[[ -e none ]] && { echo "FAILED: a refused run left something"; failed=1; }

exit $failed
