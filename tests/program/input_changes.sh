#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# What a run reads: no result takes its place, and what becomes shorter, or is replaced, while it is read gives a sentence
# and exit code 1. The input and earlier output stay as they were, and nothing staged is left.
source "$(dirname "${BASH_SOURCE[0]}")/../support/program.sh"
made() { "$program" "$@" >out 2>err || fail "$*: $(cat out err)"; }
no_staging() {
  local left
  left=$(find . -name '.*halograph-tmp')
  [[ -z $left ]] || { fail "$1 leaves $left"; find . -name '.*halograph-tmp' -exec rm -r {} +; }
}

# ---- a file that is opened must not lie in what is replaced ----------------------------------------

made generate hetero --nodes 300 --chunks 2 --features 4 --out graph
made chunk --input graph --out data
made partition --input graph --name g --parts 2 --method random --save-mapping --out p1
made partition --input graph --name g --parts 2 --method random --save-mapping --out p2
made partition --input graph --name g --parts 1 --method random --save-mapping --out whole
made assign --input graph --parts 2 --method random --out owners
made parmetis export --input graph --name g --out exported
made parmetis partition --graph-name g --num-parts 2 --input-dir exported --out cut

# Metadata that name the files of another folder: by absolute paths, by dots, and through links.
mkdir absolute dots links
sed "s#\"\\(edge_index\\|node_data\\)/#\"$work/data/\\1/#" data/metadata.json >absolute/metadata.json
sed "s#\"\\(edge_index\\|node_data\\)/#\"../data/\\1/#" data/metadata.json >dots/metadata.json
grep -q "$work/data/edge_index/" absolute/metadata.json || fail "the test's metadata name no file elsewhere"
cp data/metadata.json links
ln -s ../data/edge_index ../data/node_data links
# The files of ParMETIS's parts, and of its graph, as links.
mkdir linked in_place
for file in cut/*; do ln -s "../$file" linked; done
cp exported/* in_place && mv in_place/g_nodes.txt in_place/p000-g_nodes.txt && ln -s p000-g_nodes.txt in_place/g_nodes.txt
# A config that names the parts of another folder, and rows of a folder of one part.
mkdir -p p3 rows/paper && sed 's|"part\([01]\)/|"../p1/part\1/|' p1/g.json >p3/g.json
cp data/node_data/paper/feat-0.npy rows/paper/part0.npy

digest() { find data p1 cut owners graph rows in_place -type f -exec sha256sum {} + | sort | sha256sum; }
before=$(digest)
kept() {
  expect 1 'would replace the input' -- "$@"
  no_staging "$*"
  [[ $(digest) == "$before" ]] || { fail "$* has changed what it reads"; exit 1; }
}
for from in absolute dots links; do
  kept partition --input $from --name g --parts 2 --method random --out data
  kept chunk --input $from --out data
  kept parmetis export --input $from --name g --out data
  kept assign --input $from --parts 2 --method random --out data
  kept dispatch --input $from --assignment owners --out data
  kept attach-features p2/g.json --input $from --replace --out data
done
kept chunk --input p3/g.json --out p1
kept partition --input graph --name g --parts 2 --method random --balance-ntypes owners --out owners
kept parmetis partition --graph-name g --num-parts 2 --input-dir in_place
kept convert --input-dir linked --graph-name g --schema exported/g.json --num-parts 2 --num-node-weights 3 --out cut
kept restore whole/g.json --type paper --rows rows --out rows/paper/part0.npy
expect 1 "outside the config's folder" -- attach-features p3/g.json --input graph --replace --out p1
[[ $(digest) == "$before" ]] || fail "attach-features has changed what it reads"

# A run over its own earlier result, and a folder that is amended in its place, are as before.
made restore whole/g.json --type paper --rows rows --out rows.npy
made restore whole/g.json --type paper --rows rows --out rows.npy
cmp -s rows.npy rows/paper/part0.npy || fail "restore gives other rows"
made attach-features p2/g.json --input absolute --replace
made simulate p2/g.json --fanout 2 --save
made chunk --input absolute --out copy
made chunk --input absolute --out copy

[[ -e /proc/self/maps ]] || exit $failed

# ---- a run is stopped once it has mapped a file, and goes on after a change ------------------------

# caught FILE CHANGE WORDS -- COMMAND...: the change comes while FILE is mapped; exit code 1, and a sentence with the words.
# Where it comes after the last file was read the run is right to succeed, and is tried again.
caught() {
  local file=$1 change=$2 words=$3 attempt run state code
  shift 4
  for attempt in $(seq 20); do
    restore_inputs
    rm -rf none_yet
    "$program" "$@" >out 2>err &
    run=$!
    until grep -q "/$file\$" /proc/$run/maps 2>/dev/null; do
      read -r _ _ state _ 2>/dev/null </proc/$run/stat || state=Z
      [[ $state == Z ]] && break
    done
    if kill -STOP $run 2>/dev/null && grep -q "/$file\$" /proc/$run/maps 2>/dev/null; then
      eval "$change"
      kill -CONT $run
      code=0
      wait $run || code=$?
      [[ $code == 0 ]] && continue
      if [[ $code != 1 ]] || ! grep -qF -- "$words" out err; then fail "$*, while $file is read and $change, gave $code, or not '$words': $(cat out err)"; fi
      no_staging "$*"
      return
    fi
    kill -CONT $run 2>/dev/null
    wait $run
  done
  fail "$*: a change of $file, or of its folder, was noticed in none of $attempt runs"
}

# reread FILE CHANGE -- COMMAND...: as caught(), but the command reads the new state and succeeds: as often as the change came
# while FILE was mapped, its answer is what it says of the new state.
reread() {
  local file=$1 change=$2 attempt run state code changed=0
  shift 3
  for attempt in $(seq 20); do
    "$program" "$@" >out 2>err &
    run=$!
    until grep -q "/$file\$" /proc/$run/maps 2>/dev/null; do
      read -r _ _ state _ 2>/dev/null </proc/$run/stat || state=Z
      [[ $state == Z ]] && break
    done
    code=0
    if kill -STOP $run 2>/dev/null && grep -q "/$file\$" /proc/$run/maps 2>/dev/null; then
      eval "$change"
      changed=1
    fi
    kill -CONT $run 2>/dev/null
    wait $run || code=$?
    [[ $code == 0 ]] || fail "$*, while $file is read and $change, gave $code: $(cat out err)"
    [[ $changed == 1 ]] || continue
    "$program" "$@" >again 2>/dev/null
    cmp -s <(grep -E "$same" out) <(grep -E "$same" again) || fail "$*, while $file is read and $change, answers of another state: $(cat out)"
    return
  done
  fail "$*: $file was mapped in none of $attempt runs"
}
same='"(edge_cut|halo_nodes|communication_volume)"|^parts? '

made generate rmat --scale 14 --edge-factor 16 --features 32 --out big
cat big/edge_index/* >edges.txt
short='became shorter while it was read'
feature=big/node_data/_N/feat-0.npy
cp $feature kept.npy
mkdir -p old/_N
restore_inputs() {
  cp edges.txt list.txt
  cp kept.npy $feature
  cp kept.npy old/_N/more.npy
}
caught list.txt 'truncate -s 8192 list.txt' "list.txt: $short" -- partition --input list.txt --parts 2 --method random --out none_yet
caught list.txt 'truncate -s 8192 list.txt' "list.txt: $short" -- chunk --input list.txt --out none_yet --json
caught list.txt 'cp list.txt new.txt; mv new.txt list.txt' 'list.txt: was replaced while it was read' -- partition --input list.txt --parts 2 --method random --out none_yet
[[ -e none_yet ]] && fail "a run over a list that changed has left a result"
caught feat-0.npy "truncate -s 8192 $feature" "feat-0.npy: $short" -- partition --input big --name g --parts 4 --method metis --out none_yet
restore_inputs
[[ -e none_yet ]] && fail "a run over features that changed has left a result"

# ---- a partition folder is replaced while it is read -----------------------------------------------

cut() { "$program" partition --input big --name g --parts 4 --method random --seed "$1" --save-mapping --out "$2" >/dev/null 2>cut.err || fail "partition: $(cat cut.err)"; }
cut 1 parts
replaced='was replaced while it was read; run again'
caught more.npy 'truncate -s 8192 old/_N/more.npy' "more.npy: $short" -- attach-features parts/g.json --input old --out none_yet --json
caught part0/graph.dgl 'cut 2 parts' "parts/: $replaced" -- simulate parts/g.json --fanout 5,5
caught part1/graph.dgl 'cut 1 parts' "parts/: $replaced" -- chunk --input parts/g.json --out none_yet
reread part1/graph.dgl 'cut 2 parts' -- verify parts/g.json
reread part2/graph.dgl 'cut 1 parts' -- report parts/g.json --json
caught part0/node_feats.dgl 'cut 2 parts' "parts/: $replaced" -- attach-features parts/g.json --input old --out none_yet
[[ -e none_yet ]] && fail "a folder that was replaced while it was read has become a result"

# Some seconds of it at any moment: the figures are those of the one folder or the other, or there are none.
figures() { "$program" simulate parts/g.json --fanout 3 --json --threads 1 >out 2>err && grep -E '"(remote_rows|input_nodes|edges)"' out | sha256sum >"$1"; }
cut 1 parts && figures one || fail "simulate: $(cat err)"
cut 2 parts && figures two || fail "simulate: $(cat err)"
cmp -s one two && fail "the figures of two cuttings do not differ"
until=$((SECONDS + 4))
while ((SECONDS < until)); do cut 1 parts; cut 2 parts; done &
while ((SECONDS < until)); do
  if figures got; then
    cmp -s got one || cmp -s got two || fail "simulate mixes two folders"
  else
    grep -qE 'was (replaced|removed) while it was read' err || fail "a folder that is replaced is told so: $(cat err)"
  fi
done
wait
exit $failed
