#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# slow: a minute, on several ranks
# The pipeline on several ranks, as a user runs it: the same bytes as on one rank; a rank that dies; a disk that fills.
source "$(dirname "${BASH_SOURCE[0]}")/../support/program.sh"
source "$(dirname "${BASH_SOURCE[0]}")/../support/mpirun.sh"

# The program was built without MPI: several ranks are rejected, with one message.
expect 0 '' -- generate rmat --scale 12 --edge-factor 16 --seed 5 --chunks 3 --features 4 --out graph
if ! on 2 assign --in-dir graph --out-dir assigned --num-partitions 2 --method random && grep -q 'built without MPI' err; then
  [[ $(grep -c '^halograph: ' err) == 1 ]] || fail "more than one message: $(cat err)"
  exit $failed
fi
# Only rank 0 prints.
on 3 dispatch --help || fail "--help on 3 ranks: $(cat err)"
[[ $(grep -c '^Usage' out) == 1 ]] || fail "--help on 3 ranks is printed $(grep -c '^Usage' out) times"
# same FOLDER OTHER
same() { diff -r "$1" "$2" >/dev/null || fail "$1 and $2 differ"; }

for method in random ldg metis; do
  expect 0 '' -- assign --in-dir graph --out-dir one --num-partitions 5 --method $method --seed 3
  for ranks in 2 3; do
    on $ranks assign --in-dir graph --out-dir assigned --num-partitions 5 --method $method --seed 3 || fail "assign on $ranks ranks: $(cat err)"
    same assigned one
  done
done

dispatch=(dispatch --in-dir graph --partitions-dir assigned --save-orig-eids)
expect 0 '' -- "${dispatch[@]}" --hops 2 --out-dir wanted
for ranks in 1 2 3 4; do
  on $ranks "${dispatch[@]}" --hops 2 --out-dir parts --json || fail "dispatch on $ranks ranks: $(cat err)"
  same parts wanted
  [[ $(grep -c '"ok"' out) == 1 ]] || fail "$ranks ranks printed several answers"
  grep -q "\"ranks\": $ranks" out || fail "the need is not that of each of $ranks ranks: $(cat out)"
done
expect 0 'nothing wrong' -- verify parts/rmat.json --against graph --assignment assigned

# An input in another format: the first rank copies it beside the output as a chunked graph, which all ranks read.
awk 'BEGIN { n = 60; print n, 2 * n; for (v = 0; v < n; ++v) print (v + 1) % n + 1, (v + n - 1) % n + 1, (v + 7) % n + 1, (v + n - 7) % n + 1 }' >ring.graph
expect 0 '' -- assign --in-dir ring.graph --out-dir one --parts 4 --method label_propagation
expect 0 '' -- dispatch --in-dir ring.graph --partitions one --name ring --out-dir alone
on 2 assign --in-dir ring.graph --out-dir no --parts 4 --method label_propagation --refine && fail "--refine on 2 ranks was accepted"
grep -q -- '--refine loads all edges on one rank; .* assign --method multilevel --from' err || fail "--refine on 2 ranks: $(cat err)"
on 3 assign --in-dir ring.graph --out-dir shared --parts 4 --method label_propagation || fail "assign of a METIS graph on 3 ranks: $(cat err)"
same shared one
on 3 dispatch --in-dir ring.graph --partitions one --name ring --out-dir together || fail "dispatch of a METIS graph on 3 ranks: $(cat err)"
same together alone
on 2 dispatch --in-dir ring.graph --undirected --partitions one --out-dir none && fail "reverse edges of a METIS graph"
[[ $(grep -c 'appended to edge lists' err) == 1 ]] || fail "an input that is rejected on 2 ranks: $(cat err)"
[[ -z $(find . -name '.*.halograph-*') ]] || fail "ranks left a copy"

# ParMETIS's parts: read by the ranks that own them; edges are sorted by the ranks that own their IDs.
expect 0 '' -- generate hetero --papers 200 --seed 5 --features 3 --chunks 3 --name mag --out chunked
expect 0 '' -- parmetis export --input chunked --graph-name mag --node-attributes --edge-attributes --output-dir files
expect 0 '' -- parmetis partition --graph-name mag --num-parts 4 --input-dir files --output-dir pieces
convert=(convert --input-dir pieces --graph-name mag --schema files/mag.json --num-parts 4 --num-node-weights 3 --removed-edges files/mag_removed_edges.txt)
attributes=(--node-attr-dtype auto --edge-attr-dtype float64 --save-mapping)
expect 0 '' -- "${convert[@]}" "${attributes[@]}" --output converted
expect 0 '' -- "${convert[@]}" --halo in --hops 2 --serializer native --output entering
for ranks in 2 3 6; do
  on $ranks "${convert[@]}" "${attributes[@]}" --output again || fail "convert on $ranks ranks: $(cat err)"
  grep -q "each of the $ranks ranks will take up to" err || fail "the need of $ranks ranks is not printed: $(cat err)"
  same again converted
  grep -q 'removed edges restored; the partitions are in again/mag.json' out || fail "convert on $ranks ranks answers $(cat out)"
done
on 2 "${convert[@]}" --halo in --hops 2 --serializer native --workspace elsewhere/deep --output again/ || fail "convert with in-edges only: $(cat err)"
same again entering
[[ -e elsewhere ]] && fail "the workspace was not removed"
# The answer describes parts and their balance as that of one rank does; other folders beside the result do not disturb.
mkdir again-chunks && touch again-chunks/mine
said() { sed '/"steps": /,$d; /"config": /d; /"edge_cut": /d; /"communication_volume": /d' "$1"; }
expect 0 '' -- "${convert[@]}" --output converted --json
said out >wanted_answer
on 2 "${convert[@]}" --output again --json || fail "convert beside another folder: $(cat err)"
grep -q '"imbalance"' out && diff <(said out) wanted_answer || fail "the answer of convert on 2 ranks differs from one rank"
expect 0 '' -- "${convert[@]}" --halo in --hops 2 --serializer native --output again
# Rejected before anything is read
mkdir removed && cp files/mag_removed_edges.txt removed/
expect 2 'would replace the input' -- "${convert[@]/files\/mag_removed_edges.txt/removed/mag_removed_edges.txt}" --output removed
for wrong in '--output again --workspace again/tmp' '--output . --workspace elsewhere' '--output none --memory 0'; do
  expect 2 'halograph: --' -- "${convert[@]}" $wrong
  on 2 "${convert[@]}" $wrong && fail "convert accepts $wrong"
done
sed -i '7s/.*/1 2/' pieces/p003-mag_edges.txt
on 3 "${convert[@]}" --output again && fail "a row with an unknown part is accepted"
[[ $(grep -c '^halograph: .*p003-mag_edges.txt, line 7: .*on rank 2 of 3' err) == 1 ]] || fail "a row with an unknown part is not reported once: $(cat err)"
on 3 "${convert[@]}" --memory 1MiB --workspace elsewhere --output none && fail "a small budget is accepted"
[[ $(grep -c '^halograph: a budget of 1048576 bytes is too small; the smallest that suffices is ' err) == 1 ]] || fail "a small budget is not rejected before files are read: $(cat err)"
[[ -e elsewhere || -e none ]] && fail "a rejected run left files"
same again entering
[[ -z $(find . -name '*.halograph-*' ! -name .halograph-manifest) ]] || fail "temporary files are left: $(find . -name '*.halograph-*' ! -name .halograph-manifest)"

# Subcommands for one process reject several ranks. An error is reported once, also if every rank finds it before they
# communicate and the launcher ends the first rank as soon as another has exited.
for _ in 1 2 3; do
  on 3 "${dispatch[@]}" --memory 0 --out-dir parts && fail "no memory is accepted"
  [[ $(grep -c '^halograph: --memory' err) == 1 ]] || fail "a wrong flag is not reported once: $(cat err)"
done
on 2 verify parts/rmat.json && fail "verify on two ranks"
grep -q 'works in one process' err || fail "no message: $(cat err)"
chunk=$(find graph/edge_index -name '*1.txt')
cp "$chunk" saved
sed -i '100s/.*/7 99999/' "$chunk"
on 3 "${dispatch[@]}" --hops 2 --out-dir parts && fail "a malformed row is accepted"
[[ $(grep -c "^halograph: .*$chunk, line 100" err) == 1 ]] || fail "the malformed row is not reported once: $(cat err)"
same parts wanted
cp saved "$chunk"

# Ranks with different options or files: one message, and no files are left.
# different MESSAGE COMMAND... : COMMAND...    of the first rank, and of the second
different() {
  local sentence=$1 first=() code=0
  shift
  while [[ $1 != : ]]; do first+=("$1") && shift; done
  timeout -k 10 60 "$launcher" --oversubscribe -np 1 "$program" "${first[@]}" : -np 1 "$program" "${@:2}" >out 2>err || code=$?
  [[ $code != 0 && $code != 124 && $code != 137 ]] || fail "different ranks end with $code: ${first[*]} $*"
  [[ $(grep '^halograph: ' err | grep -vc '^halograph: note: ') == 1 ]] && grep -q "^halograph: rank 1 $sentence" err || fail "different ranks say: $(cat err)"
  [[ -z $(find . -name '*apart*') ]] || fail "different ranks leave $(find . -name '*apart*')"
}
mkdir turned && { tail -n 1 assigned/_N.txt && sed '$d' assigned/_N.txt; } >turned/_N.txt && cp assigned/partition_meta.json turned
different 'dispatches with other options' "${dispatch[@]}" --hops 1 --out-dir apart : "${dispatch[@]}" --hops 2 --out-dir apart
different 'reads another assignment' dispatch --in-dir graph --partitions-dir assigned --out-dir apart : dispatch --in-dir graph --partitions-dir turned --out-dir apart
different 'assigns with other options' assign --in-dir graph --out-dir apart --num-partitions 4 --method random : assign --in-dir graph --out-dir apart --num-partitions 5 --method random
parted=(parmetis partition --graph-name mag --method label_propagation --input-dir files --output-dir apart)
different 'partitions with other options' "${parted[@]}" --num-parts 4 : "${parted[@]}" --num-parts 5

# Each rank's parts in a folder on its own machine: here, in its own mount namespace
cat >apart.sh <<'SH'
mkdir -p "rank$OMPI_COMM_WORLD_RANK" && cd "rank$OMPI_COMM_WORLD_RANK" && exec "$@"
SH
timeout -k 10 120 "$launcher" -np 2 --oversubscribe sh apart.sh "$program" dispatch --in-dir ../graph --partitions-dir ../assigned --save-orig-eids --hops 2 --local-output --out-dir own >out 2>err || fail "--local-output: $(cat err)"
for p in 0 1; do same rank0/own/part$p wanted/part$p; done
for p in 2 3 4; do same rank1/own/part$p wanted/part$p; done
[[ -e rank0/own/part2 || -e rank1/own/part1 ]] && fail "a part is in the wrong folder"
cmp -s rank1/own/rmat.json wanted/rmat.json || fail "the config of the second rank"
on 2 dispatch --in-dir graph --partitions-dir assigned --local-output --out-dir shared && fail "--local-output into one folder for both was accepted"
grep -q 'another rank of this run' err || fail "--local-output into one folder for both: $(cat err)"

# A rank dies: all ranks end, and the run can be resumed on as many ranks.
expect 0 '' -- generate rmat --scale 16 --edge-factor 16 --seed 5 --chunks 3 --out large
expect 0 '' -- assign --in-dir large --out-dir many --num-partitions 6 --method hash
expect 0 '' -- dispatch --in-dir large --partitions-dir many --hops 2 --out-dir whole
timeout -k 10 120 "$launcher" -np 3 --oversubscribe "$program" dispatch --in-dir large --partitions-dir many --hops 2 --out-dir killed >out 2>err &
launched=$!
for _ in $(seq 3000); do
  grep -qs ' edges ' .killed.halograph-tmp/.halograph-stages-1 && break
  kill -0 $launched 2>/dev/null || break
  sleep 0.01
done
victim=$(pgrep -f "^$program dispatch .*--out-dir killed" | tail -1)  # a rank, not its launcher
if [[ -n $victim ]] && kill -9 "$victim" 2>/dev/null; then
  wait $launched && fail "a run that lost a rank reports success"
  [[ -e killed ]] && fail "a run that lost a rank has a result"
  cp -r .killed.halograph-tmp stopped
  on 2 dispatch --in-dir large --partitions-dir many --hops 2 --out-dir killed --resume || fail "resumed on fewer ranks: $(cat err)"
  grep -q 'no list of completed stages of 2 ranks' out err || fail "no message about the ranks: $(cat out err)"
  same killed whole
  rm -r killed && mv stopped .killed.halograph-tmp
  on 3 dispatch --in-dir large --partitions-dir many --hops 2 --out-dir killed --resume || fail "resume: $(cat err)"
  grep -q 'completed by an earlier run' out || fail "nothing was resumed: $(cat out)"
  same killed whole
else
  wait $launched
  echo "the run was over before a rank could be killed"
fi

# A full disk on one of them
(
  trap '' XFSZ
  cat >narrow.sh <<'SH'
[ "$OMPI_COMM_WORLD_RANK" = 1 ] && ulimit -f 2000
exec "$@"
SH
  timeout -k 10 120 "$launcher" -np 3 --oversubscribe bash narrow.sh "$program" dispatch --in-dir large --partitions-dir many --hops 2 --out-dir full >out 2>err
) && fail "a full disk is not noticed"
[[ $(grep -c '^halograph: .*on rank 1 of 3' err) == 1 ]] || fail "a full disk is not reported once: $(cat err)"
[[ -e full ]] && fail "a run with a full disk has a result"
on 3 dispatch --in-dir large --partitions-dir many --hops 2 --out-dir full --resume || fail "resume with free space: $(cat err)"
same full whole

exit $failed
