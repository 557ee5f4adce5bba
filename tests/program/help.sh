#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# What the program prints of itself: help, manual pages, completion, version; short flags, words without a flag, files of flags.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
source "$root/tests/support/program.sh"
printf '0 1\n1 2\n2 3\n3 0\n' >edges.txt
mkdir empty

# Every command: within 100 columns, two examples, whose flags exist; help COMMAND, --help and -h are one text.
commands=$("$program" help | sed '/^Flags:/,$d' | sed -n 's/^  \([a-z-]\{1,\}\) .*/\1/p')
[[ $(wc -w <<<"$commands") -ge 16 ]] || fail "help lists $commands"
while read -r command; do
  # shellcheck disable=SC2086
  "$program" help $command >help || fail "help $command gave $?"
  # shellcheck disable=SC2086
  "$program" $command --help | cmp - help || fail "$command --help differs from help $command"
  # shellcheck disable=SC2086
  "$program" $command -h | cmp - help || fail "$command -h differs from help $command"
  awk 'length > 100' help | grep . && fail "the help of $command has long lines"
  sed -n '/^Examples:/,/^$/p' help | grep '^  [a-z]' >examples
  [[ $(wc -l <examples) == 2 ]] || fail "$command has $(wc -l <examples) examples"
  while read -r example; do
    words=${example#mpirun -n 4 }
    words=${words%% >*} words=${words%% |*}
    # shellcheck disable=SC2086
    (cd empty && "$program" ${words#halograph } >../out 2>../err)
    [[ $? != 2 ]] || fail "example $example: $(cat err)"
  done <examples
  rm -rf empty && mkdir empty
  # shellcheck disable=SC2086
  "$program" help --man $command >page || fail "help --man $command gave $?"
  grep -q '^.SH NAME' page || fail "no manual page of $command"
  if command -v groff >/dev/null; then
    groff -man -ww -z -Tutf8 page 2>warnings
    [[ ! -s warnings ]] || fail "the manual page of $command: $(cat warnings)"
  fi
done <<<"$commands
parmetis export
parmetis partition
parmetis import
parmetis convert"
grep -q $'\033' help page && fail "colors without a terminal"
if command -v script >/dev/null; then
  TERM=xterm script -qec "env -u NO_COLOR $program help" /dev/null </dev/null | grep -q $'\033''\[1mUsage' || fail "no color on a terminal"
  for off in NO_COLOR=1 TERM=dumb; do
    TERM=xterm script -qec "env -u NO_COLOR $off $program help" /dev/null </dev/null | grep -q $'\033' && fail "colors with $off"
  done
fi
# Long lists of flags come in groups, and what reads graphs names all formats.
for command in partition estimate chunk convert report simulate verify restore attach-features update generate inspect; do
  "$program" help $command >help
  grep -q '^Flags:$' help && fail "the flags of $command are in no group"
done
for command in partition estimate assign chunk; do
  "$program" help $command | tr -s ' \n' ' ' >help
  for format in 'chunked graph' 'partition folder' "OGB's raw layout" meta.json .dgl 'METIS .graph' 'edge list' .mtx .gr .sg .wsg .adj \
    .parhip .bin32 .bin64 .graphml 'node-link JSON' GraphAr .gz .zst tables; do
    grep -qF -- "$format" help || fail "the help of $command does not name $format"
  done
done
"$program" help convert | grep -qF -- '--out FILE|DIR' || fail "convert writes a file or a folder, but its help says: $("$program" help convert | grep -- --out)"
expect 0 'compiler: ' -- --version
expect 0 'libraries: ' -- partition --version
expect 2 'unknown command "partitoin" (did you mean partition?)' -- help partitoin

# What is not known, with what was probably meant.
expect 2 'unknown command "partitoin" (did you mean partition?); see halograph --help' -- partitoin edges.txt
expect 2 'unknown command "exprot" (did you mean export?); see halograph parmetis --help' -- parmetis exprot
expect 2 'unknown flag "--inptu" (did you mean --input?); see halograph partition --help' -- partition --inptu edges.txt
expect 2 'unknown flag "--seeed" (did you mean --seed?)' -- partition edges.txt -k 2 -o parts --seeed=1
expect 2 'unknown flag "--zzz"; see' -- partition edges.txt -k 2 -o parts --zzz
expect 2 '"metsi" is unknown (did you mean metis?); it must be one of auto, ' -- partition edges.txt -k 2 -o parts -m metsi
expect 2 'unexpected word "more"' -- partition edges.txt more -k 2 -o parts
expect 2 'a command is required; see halograph --help' --
expect 2 'a command is required; see halograph parmetis --help' -- parmetis
[[ -e parts ]] && fail "a command line that is wrong has left something"

# silent COMMAND...: it succeeds and prints nothing
silent() {
  "$program" "$@" >out 2>err || fail "$* gave $?"
  [[ ! -s out && ! -s err ]] || fail "$* prints: $(cat out err)"
}
# Letters, and the input without its flag.
expect 0 'edge cut' -- partition edges.txt -k 2 -o long --method random --threads 1
silent partition -i edges.txt -k2 -o short -m random -j 1 -q
diff -r long short || fail "letters give another result"
expect 0 'edge cut' -- report short/edges.json --quiet
grep -q '^step' out && fail "--quiet shows steps"
for command in 'assign edges.txt -k 2 -o owners -m hash' 'chunk edges.txt -o graph' 'parmetis export edges.txt -o export'; do
  # shellcheck disable=SC2086
  silent $command -q
done
expect 1 'cannot open' -- report nowhere.json -q

# --config: the command line goes first, then the section, then what stands above all sections.
parts() { grep -c inner_nodes out; }
printf 'threads = 1\nparts = 3\nout = "configured"\n[partition]\nparts = 4\nmethod = "hash"\nsave_mapping = true\n[assign]\nparts = 9\n' >flags.ini
expect 0 '"method": "hash"' -- partition edges.txt --config flags.ini --json
[[ $(parts) == 4 ]] || fail "the section does not go first: $(cat out)"
grep -q orig_nids -r configured || fail "a switch of the file is lost"
expect 0 '"method": "random"' -- --config flags.ini partition edges.txt -k 2 -m random --json
[[ $(parts) == 2 ]] || fail "the command line does not go first: $(cat out)"
expect 0 '"num_parts": 9' -- assign edges.txt -m hash --config flags.ini -o owners --json
printf 'partz = 4\n' >wrong.ini
expect 2 'wrong.ini: key "partz" is no flag (did you mean parts?)' -- partition edges.txt -o parts --config wrong.ini
printf '[assign]\nparst = 4\n' >wrong.ini
expect 2 'wrong.ini: key "parst" is no flag of assign (did you mean parts?)' -- partition edges.txt -o parts --config wrong.ini
printf '[partiton]\nparts = 4\n' >wrong.ini
expect 2 'wrong.ini: section [partiton] names no command (did you mean partition?)' -- partition edges.txt -o parts --config wrong.ini
printf 'parts = 4\nnum-parts = 4\n' >wrong.ini
expect 2 'wrong.ini: key "num-parts" is given twice' -- partition edges.txt -o parts --config wrong.ini
printf 'parts = 0\n' >wrong.ini
expect 2 '--parts: "0" must be a whole number' -- partition edges.txt -o parts --config wrong.ini
expect 2 '--config: "none.ini" is not a file' -- partition edges.txt -k 2 -o parts --config none.ini
head -c 2000000 /dev/zero >wrong.ini
expect 2 'has more than 1 MiB' -- partition edges.txt -k 2 -o parts --config wrong.ini
head -c 3000 /dev/urandom >wrong.ini
expect 2 'wrong.ini' -- partition edges.txt -k 2 -o parts --config wrong.ini
[[ -e parts ]] && fail "a refused file of flags has left something"

# Numbers for people, singular and plural, and what to do next; --json and --quiet have none of it.
"$program" generate grid --width 40 --height 30 --undirected --out grid -q
expect 0 '1,200 nodes of 1 type, 4,660 edges of 1 type' -- partition grid -k 3 -o grid_parts -m hash --tolerance 0.0001
grep -qF 'in DGL:  dgl.distributed.load_partition("grid_parts/grid.json", 0)' out || fail "not how to load it in DGL: $(cat out)"
grep -qF 'in C++:  halograph::load_partition("grid_parts/grid.json", 0)' out || fail "not how to load it in C++: $(cat out)"
if compiler=$(command -v "${CXX:-c++}"); then
  sed -nE 's/^in C\+\+:  (.*), of (<.*>)$/#include \2\nint main() { return static_cast<int>(\1.part); }/p' out >load.cpp
  [[ -s load.cpp ]] || fail "the line for C++ names no header: $(cat out)"
  "$compiler" -std=c++20 -fsyntax-only -I "$root/include" load.cpp 2>compiled || fail "the line for C++ does not compile: $(head -5 compiled)"
fi
grep -qE 'constraint nodes is not met: imbalance 0\.0[0-9]+, tolerance 0\.0001; try --method multilevel, .*--tolerance nodes=0\.[0-9]{2}$' err || fail "no advice: $(cat err)"
grep -qE '^nodes +0\.0001 +0\.0[0-9]+ +no$' out || fail "the table does not show what the tolerance is: $(cat out)"
enough=$(grep -o -- '--tolerance nodes=.*' err)
# shellcheck disable=SC2086
expect 0 'yes' -- partition grid -k 3 -o grid_parts -m hash $enough
expect 0 '3 parts by hash, 1 hop, ' -- inspect grid_parts
expect 0 '"nodes": 1200' -- partition grid -k 3 -o grid_parts -m hash --json
grep -qF 'in C++' out && fail "--json says how to load it"
expect 0 'in C++' -- partition grid -k 3 -o grid_parts -m hash --serializer native
grep -qF 'in DGL' out && fail "DGL loads no native files"
expect 0 'next:  halograph dispatch grid --assignment grid_owners --out ' -- assign grid -k 3 -o grid_owners -m hash
expect 0 'in DGL' -- dispatch grid --assignment grid_owners -o grid_parts --hops 2

# A partition folder is as good as its config.
for command in verify report 'simulate --fanout 2'; do
  # shellcheck disable=SC2086
  expect 0 '' -- $command grid_parts
done
mkdir two && cp grid_parts/grid.json two/a.json && cp grid_parts/grid.json two/b.json
expect 1 'two: is a folder where a file is needed' -- report two
expect 1 'no such folder' -- report 'no such folder'

# Completion, asked as bash asks.
"$program" completion bash >halograph.bash || fail "completion bash gave $?"
# shellcheck disable=SC1091
source ./halograph.bash
complete_line() {
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
  _halograph
  echo "${COMPREPLY[*]}"
}
[[ $(complete_line halograph par) == 'partition parmetis' ]] || fail "completes par to $(complete_line halograph par)"
[[ $(complete_line halograph parmetis im) == import ]] || fail "completes parmetis im to $(complete_line halograph parmetis im)"
[[ $(complete_line halograph partition -m met) == metis ]] || fail "completes -m met to $(complete_line halograph partition -m met)"
[[ $(complete_line halograph partition --method = met) == metis ]] || fail "completes --method=met to $(complete_line halograph partition --method = met)"
[[ $(complete_line halograph dispatch --parti) == *--partitions* ]] || fail "completes no flag"
[[ $(complete_line halograph partition edg) == edges.txt ]] || fail "completes no file: $(complete_line halograph partition edg)"
[[ $(complete_line halograph partition --seed e) == '' ]] || fail "completes files for a number"
[[ $(complete_line halograph help disp) == dispatch ]] || fail "completes no command behind help"
for shell in zsh fish; do
  "$program" completion $shell >script || fail "completion $shell gave $?"
  command -v $shell >/dev/null || continue
  $shell -n script || fail "the completion for $shell does not parse"
done
if command -v zsh >/dev/null; then
  "$program" completion zsh >halograph.zsh
  [[ $(zsh -f -c 'compdef() { :; }
    _arguments() { print -r -- "$CURRENT ${words[*]} ${(M)@:#*--method=*}"; }
    source ./halograph.zsh; words=(halograph partition -m met) CURRENT=4; _halograph') == '3 halograph -m met '*'(auto multilevel metis '* ]] || fail "zsh completes no method"
fi
if command -v fish >/dev/null; then
  cp script halograph.fish
  mkdir -p bin && ln -s "$program" bin/halograph
  PATH="$work/bin:$PATH" HOME=$work fish -c 'source halograph.fish; complete -C "halograph partition --meth"; complete -C "halograph partition -m me"' >out 2>err
  grep -q -- '--method' out && grep -q '^metis' out || fail "fish completes to: $(cat out err)"
fi
expect 2 '"tcsh" is unknown' -- completion tcsh

exit $failed
