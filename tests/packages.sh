# SPDX-License-Identifier: BSL-1.0
# shellcheck shell=bash
# Sourced: which Debian packages are missing, and installing them.

# missing_packages "sign package ..." prints the packages whose sign, a file or a command, is not here;
# one sign with its package on each line.
missing_packages() {
  local sign package
  while read -r sign package; do
    case "$sign" in
      '') ;;
      /*) [ -e "$sign" ] || printf '%s\n' "$package" ;;
      *) command -v "$sign" >/dev/null || printf '%s\n' "$package" ;;
    esac
  done <<<"$1"
}

# install_packages package...
install_packages() {
  local as_root=()
  [ $# -gt 0 ] || return 0
  echo "== installing $*"
  [ "$(id -u)" -eq 0 ] || as_root=(sudo)
  "${as_root[@]}" apt-get update -qq &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}
