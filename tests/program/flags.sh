#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# The command line: every number of every subcommand is checked for sign, range and trailing text when it is read.
source "$(dirname "${BASH_SOURCE[0]}")/../support/program.sh"
printf '0 1\n1 2\n2 0\n' >edges.txt

# The flags that --help shows with a number, a tolerance or a size.
numbers() {
  "$program" "$@" --help >help || fail "$* --help"
  sed -nE 's/^ +(-[a-z], )?(--[a-z-]+)(, --[a-z-]+)* (N|X|SIZE)( .*)?$/\2 \4/p' help
}
# What no flag takes, given to each flag alone: nothing else is looked at before.
checked=0
while read -r command; do
  while read -r flag kind; do
    values=(-1 1x 0x10 nan 99999999999999999999999)
    [[ $kind == X ]] || values+=(0.5 1e3 ' 1')
    for value in "${values[@]}"; do
      # shellcheck disable=SC2086
      "$program" $command "$flag=$value" >out 2>err
      code=$?
      [[ $code == 2 && $(wc -l <err) == 1 ]] && grep -qF -- "$flag: \"$value\" " err && grep -qE 'must be a (whole )?number' err ||
        fail "$command $flag=$value gave $code: $(cat out err)"
    done
    # shellcheck disable=SC2086
    expect 2 "$flag: 1 required" -- $command "$flag="
    checked=$((checked + 1))
  done < <(
    # shellcheck disable=SC2086
    numbers $command
  )
done <<COMMANDS
partition
estimate
chunk
assign
dispatch
verify
inspect
report
simulate
restore
attach-features
update
generate
parmetis export
parmetis partition
parmetis import
parmetis convert
convert
COMMANDS
[[ $checked -ge 60 ]] || fail "only $checked numbers were found in the help"
# No number is bound past these checks: CLI11 would show its own types.
for command in partition estimate chunk assign dispatch verify inspect report simulate restore attach-features update generate convert 'parmetis export' 'parmetis partition' 'parmetis import' 'parmetis convert'; do
  # shellcheck disable=SC2086
  "$program" $command --help | grep -E '^ *-.* (UINT|INT|FLOAT)(:| |$)' && fail "$command has a number that is not checked"
done

# numbers within words
for value in -1 0 2x nan inf 1e-400 0x1p3 ' 1' a= a=-1 =1 1000001; do
  expect 2 "--tolerance $value must be" -- partition --input edges.txt --parts 2 --out parts "--tolerance=$value"
done
for value in 0 -1 1000001 edges= edges=0 =2 1x; do expect 2 "--num-chunks $value must be" -- chunk --input edges.txt --out c "--num-chunks=$value"; done
for value in 10, ,1 -2 1x 1000000001 99999999999999999999; do expect 2 '--fanout has' -- simulate parts/x.json "--fanout=$value"; done
for value in 49 -1 1x 0.5 99999999999; do expect 2 '--scale of rmat must be an integer from 0 to 48' -- generate rmat --out g "--scale=$value"; done
for value in 0 -1 1/0 x nan 1e3 1234567890; do expect 2 '--scale of mag must be a number above 0' -- generate mag --out g "--scale=$value"; done

# the range of each
expect 2 '--parts: "0" must be a whole number from 1 to 2147483647' -- partition --input edges.txt --out parts --parts 0
expect 2 '--seed: "-1" must be a whole number from 0 to 18446744073709551615' -- partition --input edges.txt --parts 2 --out parts --seed -1
expect 2 '--num-nodes: "-1" must be a whole number from 0 to 9223372036854775807' -- partition --input edges.txt --parts 2 --out parts --num-nodes -1
expect 2 '--threads: "4097" must be a whole number from 1 to 4096' -- report parts/x.json --threads 4097
expect 2 '--tolerance: "0" must be a number above 0' -- assign --in-dir c --out-dir a --parts 2 --tolerance 0
for command in 'chunk --input edges.txt --out c' 'assign --in-dir c --out-dir a --parts 2' 'dispatch --in-dir c --partitions-dir a --out-dir d'; do
  # shellcheck disable=SC2086
  expect 2 '--memory: "0" is no size; it must be a whole number of bytes from 1' -- $command --memory 0
done
# a leading 0 is no octal number
"$program" partition --input edges.txt --parts 02 --seed 010 --num-nodes 08 --out parts --name g --json >out 2>err || fail "leading zeros: $(cat err)"
grep -q '"nodes": 8' out || fail "08 nodes are not 8: $(cat out)"
expect 0 '"memory_bytes"' -- estimate --input edges.txt --parts 2 --seed 18446744073709551615 --json

# one check of graph names
for name in .hidden a/b .. $'a\nb'; do
  expect 2 'could be a path' -- partition --input edges.txt --parts 2 --out named --name "$name"
  expect 2 'could be a path' -- chunk --input edges.txt --out named --name "$name"
  expect 2 'could be a path' -- generate grid --width 2 --height 2 --out named --name "$name"
  expect 2 'could be a path' -- parmetis export --input edges.txt --out named --name "$name"
done
cp edges.txt .hidden.txt
for command in 'partition --parts 2' chunk 'parmetis export'; do
  # shellcheck disable=SC2086
  expect 1 'could be a path' -- $command --input .hidden.txt --out named
done
[[ -e named ]] && fail "a refused name has left a result"

exit $failed
