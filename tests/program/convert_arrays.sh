#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# slow: a third of a minute, on nine real graphs
# convert writes folders of arrays for GraphBolt and PyTorch Geometric; NumPy reads them, where it is found, on real graphs too.
source "$(dirname "${BASH_SOURCE[0]}")/../support/program.sh"

cat >check.py <<'PYTHON'
import glob, json, os, sys
import numpy as np

def edges_of_list(path):
    pairs = np.loadtxt(path, dtype=np.int64, ndmin=2)
    return pairs[:, 0].copy(), pairs[:, 1].copy()

def check_bolt(folder, wanted):
    source, target = wanted
    listed = np.load(folder + "/edges/edges.npy")
    assert listed.dtype == np.int64 and listed.shape == (2, len(source))
    assert (listed[0] == source).all() and (listed[1] == target).all()
    begin, found, ids = (np.load(f"{folder}/csc/{n}.npy") for n in ("csc_indptr", "indices", "original_edge_id"))
    order = np.argsort(target, kind="stable")
    assert (ids == order).all() and (found == source[order]).all()
    assert (np.diff(begin) == np.bincount(target, minlength=len(begin) - 1)).all()
    assert begin.dtype == found.dtype == ids.dtype == np.int32
    for line in open(folder + "/metadata.yaml"):
        if "path: " in line:
            assert os.path.exists(folder + "/" + json.loads(line.split("path: ")[1])), line

def check_typed_bolt(folder):  # as GraphBolt numbers nodes and edge types
    types = json.load(open(folder + "/csc/types.json"))
    first = np.load(folder + "/csc/node_type_offset.npy")
    assert list(types["node_type_to_id"]) == sorted(types["node_type_to_id"])
    assert list(types["edge_type_to_id"]) == sorted(types["edge_type_to_id"])
    sources, targets, kinds, ids = [], [], [], []
    for name, kind in types["edge_type_to_id"].items():
        ends = np.load(f"{folder}/edges/{name}.npy")
        tail, _, head = name.split(":")
        sources.append(ends[0] + first[types["node_type_to_id"][tail]])
        targets.append(ends[1] + first[types["node_type_to_id"][head]])
        kinds.append(np.full(ends.shape[1], kind))
        ids.append(np.arange(ends.shape[1]))
    target = np.concatenate(targets)
    order = np.argsort(target, kind="stable")
    for name, column in (("indices", sources), ("type_per_edge", kinds), ("original_edge_id", ids)):
        assert (np.load(f"{folder}/csc/{name}.npy") == np.concatenate(column)[order]).all(), name
    begin = np.load(folder + "/csc/csc_indptr.npy")
    assert (np.diff(begin) == np.bincount(target, minlength=first[-1])).all()

def check_pyg(folder, wanted, parts):
    source, target = wanted
    owner = np.loadtxt(parts, dtype=np.int64)
    meta = json.load(open(folder + "/META.json"))
    assert meta == {"num_parts": 4, "node_types": None, "edge_types": None, "node_offset": None, "is_hetero": False, "is_sorted": True}
    assert (np.load(folder + "/node_map.npy") == owner).all()
    assert (np.load(folder + "/edge_map.npy") == owner[target]).all()
    seen = np.zeros(len(source), dtype=np.int64)
    for p in range(4):
        row, col, edge, size = (np.load(f"{folder}/part_{p}/graph/{n}.npy") for n in ("row", "col", "edge_id", "size"))
        assert (row == source[edge]).all() and (col == target[edge]).all() and (owner[col] == p).all()
        assert (np.diff(col) >= 0).all() and (size == len(owner)).all()
        seen[edge] += 1
        nodes = np.load(f"{folder}/part_{p}/node_feats/global_id.npy")
        assert (nodes == np.flatnonzero(owner == p)).all()
        for file in glob.glob(f"{folder}/part_{p}/node_feats/feats/*.npy"):
            whole = np.load("bolt/node_data/" + os.path.basename(file))
            assert np.array_equal(np.load(file), whole[nodes], equal_nan=whole.dtype.kind == "f"), file
    assert (seen == 1).all()

if len(sys.argv) > 1:
    check_typed_bolt(sys.argv[1])
    sys.exit()
wanted = edges_of_list("edges.txt")
check_bolt("bolt", wanted)
check_bolt("made_bolt", wanted)
parts = np.load("made_bolt/node_data/part.npy")
assert parts.dtype == np.int32 and (parts == np.loadtxt("owners.part.4", dtype=np.int64)).all()
assert 'name: "part"' in open("made_bolt/metadata.yaml").read()
check_pyg("pyg", wanted, "owners.part.4")
PYTHON
python=/usr/bin/python3
"$python" -c 'import numpy' 2>/dev/null || { echo "no NumPy here: arrays are not read back"; python=true; }

# arrays INPUT: both folders, of the graph and its parts
arrays() {
  rm -rf edges.txt bolt parts owners.part.4 pyg direct made made_bolt
  expect 0 '' -- convert "$1" --no-weights --out edges.txt
  expect 0 'GraphBolt data set of' -- convert "$1" --to graphbolt --out bolt
  expect 0 '' -- partition "$1" --parts 4 --method ldg --save-mapping --name g --out parts
  expect 0 '' -- convert parts --out owners.part.4
  expect 0 'in 4 parts' -- convert parts --to pyg --out pyg
  expect 0 'in 4 parts' -- convert "$1" --assignment owners.part.4 --to pyg --out direct
  diff -r -x .halograph-manifest pyg direct >differs || fail "$1: the folder and the assignment give other arrays: $(head -3 differs)"
  expect 0 'the partition layout of PyTorch Geometric is in made' -- partition "$1" --parts 4 --method ldg --name g --to pyg --out made
  diff -r -x .halograph-manifest pyg made >differs || fail "$1: partition writes other arrays than convert: $(head -3 differs)"
  expect 0 'the GraphBolt data set is in made_bolt' -- partition "$1" --parts 4 --method ldg --to graphbolt --out made_bolt
  diff -r bolt/csc made_bolt/csc >differs || fail "$1: partition writes another graph than convert: $(head -3 differs)"
  "$python" check.py || fail "$1: the arrays are wrong"
}
awk 'BEGIN { x = 1; for (i = 0; i < 400; ++i) { x = (x * 1103515245 + 12345) % 2147483648; y = int(x / 65536) % 50; x = (x * 1103515245 + 12345) % 2147483648; print y, int(x / 65536) % 50, i % 5 + 1 } }' >list.txt
arrays list.txt
expect 0 'in 4 parts' -- convert parts/ --to pyg --out slash/
for folder in bolt pyg; do
  rm -rf again
  to=$([[ $folder == bolt ]] && echo graphbolt || echo pyg)
  expect 0 '' -- convert $([[ $folder == bolt ]] && echo list.txt || echo parts) --to $to --threads 3 --out again
  diff -r $folder again >/dev/null || fail "$to: other threads give other bytes"
done

# Types: each in files of its own
expect 0 '' -- generate hetero --features 3 --out typed
expect 0 'data set of' -- convert typed --to graphbolt --out typed_bolt
grep -q 'type: "author:writes:paper"' typed_bolt/metadata.yaml || fail "metadata.yaml names no edge type"
"$python" check.py typed_bolt || fail "the arrays of a typed graph are wrong"
expect 0 '' -- assign typed --parts 2 --method hash --out as
expect 0 'in 2 parts' -- convert typed --to pyg --assignment as --out typed_pyg
[[ -s typed_pyg/part_1/graph/author__writes__paper/row.npy ]] || fail "an edge type has no folder"

# What is refused leaves nothing.
expect 1 'takes a partition folder, or any graph with --assignment' -- convert list.txt --to pyg --out x
expect 1 'name a file that does not exist' -- convert list.txt --to graphbolt --out bolt
expect 2 '--assignment goes with --to pyg' -- convert list.txt --to graphbolt --assignment owners.part.4 --out x
expect 0 '' -- partition typed -k 2 -m hash --to pyg -o typed_made
diff -r -x .halograph-manifest typed_pyg typed_made >/dev/null || fail "partition writes other arrays of a typed graph than convert"
expect 0 '' -- partition typed -k 2 -m hash --to graphbolt -o typed_made_bolt
"$python" -c 'import numpy as n; assert (n.load("typed_pyg/node_map/author.npy") == n.load("typed_made_bolt/node_data/author/part.npy")).all()' ||
  fail "the feature part of a typed graph is wrong"
expect 2 'go with formats of one file' -- convert list.txt --to graphbolt --no-weights --out x
printf '0 1\n1 2\n' >path.txt
expect 1 'lines for 3 nodes' -- convert path.txt --to pyg --assignment owners.part.4 --out x
printf '0 1\n2 x\n' >wrong.txt
expect 1 'wrong.txt, line 2' -- convert wrong.txt --to graphbolt --out x
left=$(find . -maxdepth 1 -name 'x' -o -maxdepth 1 -name '.*halograph*')
[[ -z $left ]] || fail "a refused run left $left"

# Real graphs
data=${HALOGRAPH_SHARED_DIR:-/nonexistent}/data
for graph in karate cora citeseer lesmis facebook-pages mesh-4elt/4elt.graph mesh-wing/wing.graph; do
  [[ -e $data/$graph ]] && arrays "$data/$graph"
done
for graph in openflights fb15k-237; do
  [[ -e $data/$graph ]] || continue
  rm -rf bolt
  expect 0 'GraphBolt data set of' -- convert "$data/$graph" --to graphbolt --out bolt
  "$python" check.py bolt || fail "$graph: the arrays are wrong"
done

exit $failed
