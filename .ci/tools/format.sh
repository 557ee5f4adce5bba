# SPDX-License-Identifier: BSL-1.0
# shellcheck shell=bash
# Every source is formatted as .clang-format says, and commit subjects have at most 72 characters.
# To format what you changed: git clang-format-19, or clang-format-19 -i FILE...
packages="
clang-format-19 clang-format-19
git git
"
check() {
  git ls-files -z -- '*.hpp' '*.ipp' '*.cpp' | xargs -0 -n 64 -P 2 clang-format-19 --dry-run --Werror || return 1
  # Since the rule was written down.
  local rule long
  rule=$(git log --diff-filter=A --format=%H -- .github/CONTRIBUTING.md | tail -n 1)
  [ -n "$rule" ] || return 0
  long=$(git log --no-merges --format=%s "$rule..HEAD" | awk 'length > 72')
  if [ -n "$long" ]; then
    printf 'commit subjects longer than 72 characters:\n%s\n' "$long"
    return 1
  fi
}
