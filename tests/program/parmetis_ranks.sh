#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# slow: 20 s, on several ranks
# parmetis partition with the parallel partitioners, alone and on several ranks: for ours the same bytes.
source "$(dirname "${BASH_SOURCE[0]}")/../support/program.sh"

expect 0 '' -- generate hetero --papers 300 --seed 5 --chunks 3 --name mag --out chunked
expect 0 '' -- parmetis export --input chunked --graph-name mag --output-dir files
expect 0 '' -- generate grid --width 30 --height 20 --name grid --out plain
expect 0 '' -- parmetis export --input plain --graph-name grid --output-dir mesh
cut_of() { sed -n 's/.*"edge_cut": *\([0-9]*\).*/\1/p' "$1"; }

partition=(parmetis partition --graph-name mag --num-parts 4 --input-dir files --method label_propagation)
expect 0 '"method": "label_propagation"' -- "${partition[@]}" --out alone --json
[[ $(cat alone/p00?-mag_nodes.txt | wc -l) == $(wc -l <files/mag_nodes.txt) && $(cat alone/p00?-mag_edges.txt | wc -l) == $(wc -l <files/mag_edges.txt) ]] ||
  fail "the parts do not hold all rows"
expect 0 '"edge_cut"' -- parmetis partition --graph-name mag --num-parts 4 --input-dir files --out by_metis --json
expect 2 'minimizes the cut' -- "${partition[@]}" --objective vol --out none
expect 2 '' -- parmetis partition --graph-name mag --num-parts 4 --input-dir files --method guess --out none

# Libraries that want MPI get it, launched or not; without the library one sentence says what it needs.
libraries=()
for method in ptscotch parmetis; do
  if "$program" parmetis partition --graph-name grid --num-parts 4 --input-dir mesh --method $method --out "mesh_$method" --json >out 2>err; then
    libraries+=($method)
    (($(cut_of out) >= 30 && $(cut_of out) <= 90)) || fail "$method cuts $(cut_of out) of the mesh; 40 or so would be right"
    expect 1 'several constraints' -- parmetis partition --graph-name mag --num-parts 4 --input-dir files --method $method --out none
  else
    grep -q "method $method needs" err || fail "$method: $(cat err)"
  fi
done

source "$(dirname "${BASH_SOURCE[0]}")/../support/mpirun.sh"
[[ -n $launcher ]] || { echo "no mpirun here: one rank alone"; exit $failed; }
if ! on 2 "${partition[@]}" --out several && grep -q 'built without MPI' err; then exit $failed; fi
for ranks in 1 2 3 4; do
  on $ranks "${partition[@]}" --out several --json || fail "$ranks ranks: $(cat err)"
  diff -r alone several >/dev/null || fail "$ranks ranks write other files than one"
  [[ $(grep -c '"ok"' out) == 1 ]] || fail "$ranks ranks gave several answers"
done
cp -r files beside
on 3 parmetis partition --graph-name mag --num-parts 4 --input-dir beside --method label_propagation || fail "beside the input: $(cat err)"
for file in alone/p00?-mag_*.txt alone/mag_part.4; do cmp -s "$file" "beside/${file#alone/}" || fail "$file differs beside the input"; done
for method in "${libraries[@]}"; do
  on 3 parmetis partition --graph-name grid --num-parts 4 --input-dir mesh --method "$method" --out "mesh_$method" --json || fail "$method on 3 ranks: $(cat err)"
  (($(cut_of out) >= 30 && $(cut_of out) <= 90)) || fail "$method on 3 ranks cuts $(cut_of out)"
done

# assign: chunks shared among the ranks, the same bytes for any number of them
expect 0 '' -- assign --in-dir chunked --out-dir one --parts 4 --method label_propagation --balance-edges --seed 3
expect 0 '' -- generate grid --width 30 --height 20 --chunks 2 --out squares
for ranks in 1 2 3 4; do
  on $ranks assign --in-dir chunked --out-dir assigned --parts 4 --method label_propagation --balance-edges --seed 3 --json || fail "assign on $ranks ranks: $(cat err)"
  diff -r one assigned >/dev/null || fail "$ranks ranks assign otherwise than one"
done
on 3 assign --in-dir chunked --out-dir assigned --parts 4 --method label_propagation || fail "assign: $(cat err)"
grep -q 'each of the 3 ranks will take up to' err || fail "what a rank takes is not told: $(cat err)"
on 2 assign --in-dir chunked --out-dir assigned --parts 4 --method ldg || fail "ldg on 2 ranks: $(cat err)"
[[ $(grep -c 'method ldg assigns on the first of the 2 ranks only' err) == 1 ]] || fail "who works is not told once: $(cat err)"
for method in "${libraries[@]}"; do
  on 3 assign --in-dir squares --out-dir assigned --parts 4 --method "$method" --json || fail "assign by $method: $(cat err)"
  cut=$(sed -n 's/.*"directed_cut": *\([0-9]*\).*/\1/p' out)
  ((cut >= 30 && cut <= 180)) || fail "$method cuts $cut edges of the mesh; 40 or 80 would be right"
  on 3 assign --in-dir chunked --out-dir none --parts 4 --method "$method" && fail "$method takes several constraints"
  grep -q 'several constraints.*--balance-ntypes none' err || fail "no sentence: $(cat err)"
  on 2 assign --in-dir chunked --out-dir assigned --parts 4 --method "$method" --balance-ntypes none || fail "$method, all types as one: $(cat err)"
done
chunk=$(find chunked/edge_index -name '*cites*1.*' | head -1)
cp "$chunk" saved
sed -i '5s/.*/7 99999/' "$chunk"
on 3 assign --in-dir chunked --out-dir none --parts 4 --method label_propagation && fail "a bad row is taken"
[[ $(grep -c "^halograph: .*$chunk, line 5" err) == 1 ]] || fail "the bad row is not said once: $(cat err)"
cp saved "$chunk"

# What is wrong is said once, with its line, and nothing is left.
on 2 parmetis partition --graph-name mag --num-parts 4 --input-dir files --out none && fail "METIS on two ranks"
[[ $(grep -c '^halograph: METIS runs as one process' err) == 1 ]] || fail "no sentence: $(cat err)"
on 2 parmetis export --input chunked --graph-name mag --output-dir none && fail "export on two ranks"
grep -q 'only parmetis partition' err || fail "no sentence: $(cat err)"
sed -i '$s/.*/1 2/' beside/mag_edges.txt
on 3 parmetis partition --graph-name mag --num-parts 4 --input-dir beside --method label_propagation --out none && fail "a bad row is taken"
[[ $(grep -c "^halograph: beside/mag_edges.txt, line $(wc -l <beside/mag_edges.txt)" err) == 1 ]] || fail "the bad row is not said once: $(cat err)"
[[ -e none ]] && fail "a refused run left something"

exit $failed
