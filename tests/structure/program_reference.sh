#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# The tables of examples/halograph/README.md list the flags that the help of each command shows, and no others.
#   program_reference.sh PROGRAM README.md
set -uo pipefail
program=$1 readme=$2 failed=0

# section TITLE: the flags of its table
section() {
  awk -v wanted="## $1" '/^## /{inside = $0 == wanted} inside && /^[|] `-/' "$readme" | cut -d'|' -f2 |
    grep -o -- '`-[a-z-]*' | tr -d '`' | sort
}
# flags: the names in a help, which stand before two spaces
flags() { sed -nE 's/^( {2}| {6})(-.*)$/\2/p' | sed 's/  .*//' | grep -oE -- '(^| )-[a-z-]+' | tr -d ' ' | sort -u; }
# help COMMAND: the flags that it takes, but for those of all commands
help() {
  # shellcheck disable=SC2086
  "$program" help $1 | sed '/^All commands:/,/^$/d' | flags
}
compare() {
  if ! difference=$(diff <(echo "$2") <(echo "$3")) || [[ -z $3 ]]; then
    printf '%s: the page (<) and the help (>) differ:\n%s\n' "$1" "$difference"
    failed=1
  fi
}
commands() {
  # shellcheck disable=SC2086
  "$program" help $1 | sed '/^Flags:/,$d; /^All commands:/,$d' | sed -n 's/^  \([a-z-]\{1,\}\) .*/\1/p'
}
described=$(
  commands '' | grep -vx parmetis
  commands parmetis | sed 's/^/parmetis /'
)
while read -r command; do
  [[ $command != completion ]] || continue  # it has none of its own
  listed=$(section "\`$command\`")
  [[ $command != estimate ]] || listed=$(section '`partition`'; echo "$listed")  # which takes them, too
  compare "$command" "$(sort <<<"$listed")" "$(help "$command")"
done <<<"$described"
compare halograph "$(section 'What all commands have in common')" "$("$program" help |
  sed -n '/^Flags:/,/^$/p' | flags)"
# Every command is described.
for command in $(commands ''); do
  grep -qE "^[|] \[\`$command\`\]" "$readme" || { echo "$command is not described"; failed=1; }
done
[[ $(wc -l <<<"$described") -ge 19 ]] || { echo "only $(wc -l <<<"$described") commands are listed"; failed=1; }
exit $failed
