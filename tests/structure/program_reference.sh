#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# The tables of examples/halograph/README.md list the flags that each command's --help shows, and no others.
#   program_reference.sh PROGRAM README.md
set -uo pipefail
program=$1 readme=$2 failed=0

# section COMMAND: the flags of its table
section() {
  awk -v wanted="## \`$1\`" '/^## /{inside = $0 == wanted} inside && /^[|] `-/' "$readme" | cut -d'|' -f2 |
    grep -o -- '--[a-z-]*' | sort
}
# help COMMAND: the flags that it takes; those of all commands are described once
help() {
  # shellcheck disable=SC2086
  "$program" $1 --help | grep -oE '^ +-[-a-z,]+' | grep -o -- '--[a-z-]*' | grep -vxE -- '--(help|json|threads)' | sort
}
while read -r command; do
  from=$command
  [[ $command != estimate ]] || from=partition  # which has the same flags
  if ! difference=$(diff <(section "$from") <(help "$command")) || [[ -z $(help "$command") ]]; then
    printf '%s: the page (<) and --help (>) differ:\n%s\n' "$command" "$difference"
    failed=1
  fi
done < <(
  "$program" --help | sed -n '/^Subcommands:/,$s/^  \([a-z-]\{1,\}\) .*/\1/p' | grep -vx parmetis
  "$program" parmetis --help | sed -n '/^Subcommands:/,$s/^  \([a-z-]\{1,\}\) .*/parmetis \1/p'
)
# Every command is described.
count=$(grep -c '^## `' "$readme")
[[ $count == 17 ]] || { echo "$count commands are described"; failed=1; }
exit $failed
