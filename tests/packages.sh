# SPDX-License-Identifier: BSL-1.0
# shellcheck shell=bash
# Sourced: finds and installs missing Debian packages.

# What every build needs, and what the program and hosted.hpp need; lines as missing_packages expects them.
# shellcheck disable=SC2034  # used where this is sourced
build_packages="
cmake cmake
ninja ninja-build
g++ g++
"
# shellcheck disable=SC2034
program_packages="
/usr/include/metis.h libmetis-dev
/usr/include/nlohmann/json.hpp nlohmann-json3-dev
/usr/include/boost/interprocess/file_mapping.hpp libboost-dev
/usr/include/CLI/CLI.hpp libcli11-dev
/usr/include/tbb/parallel_for.h libtbb-dev
/usr/include/zlib.h zlib1g-dev
/usr/include/zstd.h libzstd-dev
/usr/include/yaml-cpp/parser.h libyaml-cpp-dev
"
# What the components that run over ranks need.
# shellcheck disable=SC2034
ranks_packages="
mpicxx libopenmpi-dev
/usr/include/scotch-int64/ptscotch.h libptscotch-dev
/usr/include/parmetis-int64/parmetis.h libscotchparmetis-dev
"

# missing_packages "sign package ..." prints the packages whose sign, a file or a command, does not exist;
# one sign and its package on each line.
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
