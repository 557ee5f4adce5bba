# SPDX-License-Identifier: BSL-1.0
# shellcheck shell=bash disable=SC2034  # used where this is sourced
# Sourced in the root of the project: what compile_time.sh and tests/structure/header_costs.sh compile.

# The yardstick: the standard headers that any such program includes.
yardstick_source='#include <vector>
#include <string>
#include <algorithm>
#include <span>
#include <ranges>
'
# The macros that halograph::compiled_hosted sets for those who link it.
compiled_flags=(-DHALOGRAPH_COMPILED=1 -DHALOGRAPH_COMPILED_HOSTED=1)
# Where examples/custom_method.cpp finds the program's headers, and what the program was built with.
program_flags=(-Iexamples)
for component in metis:metis.h nlohmann_json:nlohmann/json.hpp boost_interprocess:boost/version.hpp tbb:tbb/version.h zlib:zlib.h zstd:zstd.h; do
  if [ -e "/usr/include/${component#*:}" ] || [ -e "/usr/include/oneapi/${component#*:}" ]; then
    component=${component%%:*}
    program_flags+=("-DHALOGRAPH_WITH_${component^^}=1")
  fi
done

# first_program README >FILE.cpp: its first complete program.
first_program() {
  awk '/^```cpp$/ { block = ""; inside = 1; next }
    /^```$/ && inside { inside = 0; if (block ~ /int main\(/) { printf "%s", block; found = 1; exit } }
    inside { block = block $0 "\n" }
    END { exit !found }' "$1" || { echo "$1 has no complete program" >&2; return 1; }
}
