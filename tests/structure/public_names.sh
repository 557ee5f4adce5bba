#!/bin/bash
# SPDX-License-Identifier: BSL-1.0
# public_names.sh CXX INCLUDE WORK [PLANTED]: `using namespace std; using namespace halograph;` leaves our names unambiguous.
#
# Reads the public names out of the headers, whose namespace scope is at the left margin, and lets the compiler look each up
# in halograph, in std and in the global namespace (C and POSIX). Two functions of one name are overloads and do not clash;
# of anything else no other scope may declare the name. PLANTED is a file of declarations put into namespace halograph.
set -euo pipefail
export LC_ALL=C
cxx=$1 include=$2 work=$3 planted=${4:-}
mkdir -p "$work"
cd "$include"
mapfile -t headers < <(find halograph -name '*.hpp' ! -path '*/adapters/*' ! -path '*/hosted*' | sort)
awk '
  FNR == 1 { depth = 0 }
  /^namespace / { depth++; scope[depth] = $0 == "namespace halograph {" ? "ours" : "other"; next }
  /^}  \/\/ namespace/ { depth--; next }
  depth != 1 || scope[1] != "ours" { next }
  /^(class|struct|enum class|enum) / { sub(/^(enum class|class|struct|enum) /, ""); if (match($0, /^[A-Za-z_0-9]+/) && substr($0, RLENGTH + 1, 1) != "<") print substr($0, 1, RLENGTH), "other"; next }
  /^using [A-Za-z_0-9]+ =/ { print $2, "other"; next }
  /^concept / { print $2, "other"; next }
  /^inline constexpr / { sub(/( =|\{).*/, ""); if ($0 !~ />$/ && match($0, /[A-Za-z_0-9]+;?$/)) { name = substr($0, RSTART, RLENGTH); sub(/;/, "", name); if (substr($0, RSTART - 2, 2) != "::") print name, "other" }; next }
  /^[A-Za-z_\[]/ && !/^(template|requires|extern|namespace|using|friend|static_assert|operator|__attribute__)/ && !/operator/ {
    if (match($0, /[ *&]?[A-Za-z_0-9]+\(/) == 0) next
    name = substr($0, RSTART, RLENGTH - 1); before = substr($0, 1, RSTART)
    if (before ~ /::$/ || substr($0, RSTART - 1, 2) ~ /:/) next
    sub(/^[ *&]/, "", name); print name, "function"
  }
' "${headers[@]}" ${planted:+"$planted"} | sort -u | grep -vE '^[0-9]|^(decltype|alignas|noexcept|on_error) ' > "$work/names"
count=$(wc -l < "$work/names")
if [ "$count" -lt 300 ]; then
  echo "only $count public names were found; the scan misses some"; exit 1
fi
for known in assign graph partition_graph num_nodes ldg given partition_book error_kind neighbors edge_pairs expand_halo; do
  grep -q "^$known " "$work/names" || { echo "the scan misses $known"; exit 1; }
done
{
  for header in bits/stdc++.h csignal strings.h unistd.h sys/types.h sys/stat.h sys/mman.h sys/wait.h fcntl.h pthread.h dirent.h \
      poll.h sched.h netdb.h search.h regex.h glob.h ftw.h syslog.h termios.h; do
    echo "#if __has_include(<$header>)"; echo "#include <$header>"; echo "#endif"
  done
  for header in "${headers[@]}"; do echo "#include <$header>"; done
  [ -z "$planted" ] || echo "#include \"$planted\""
  n=0
  while read -r name kind; do
    n=$((n + 1))
    echo "namespace o$n { using halograph::$name; }  // ours $name"
    for scope in std ""; do
      echo "namespace t$n${scope:-c} { using $scope::$name; }  // theirs $name"
      echo "namespace b$n${scope:-c} { using halograph::$name; using $scope::$name; }  // both $kind $name ${scope:-C}"
    done
  done < "$work/names"
  echo "using namespace std;"; echo "using namespace halograph;"
} > "$work/names.cpp"
errors=-fmax-errors=0
if "$cxx" --version | grep -qi clang; then errors=-ferror-limit=0; fi
"$cxx" -std=c++20 -w $errors -fsyntax-only "-I$include" "$work/names.cpp" 2> "$work/errors" || true
# A using-declaration of what is not declared is an error; one of two functions is only where they clash, and what is no
# function clashes with anything.
awk -v source="$work/names.cpp" '
  FNR == NR { if (index($0, source ":") == 1 && $0 ~ /: error: /) { rest = substr($0, length(source) + 2); sub(/:.*/, "", rest); bad[rest] = 1 } else if ($0 ~ /: (fatal )?error: /) { print; failed = 1 }; next }
  / \/\/ ours / { if (FNR in bad) { print "the scan found " $NF ", which halograph does not declare"; failed = 1 } }
  / \/\/ theirs / { there = !(FNR in bad) }
  / \/\/ both / { if (there && ($(NF - 2) != "function" || FNR in bad)) { print "halograph::" $(NF - 1) " is ambiguous with the name of " $NF; failed = 1 }; looked++ }
  END { if (!looked) { print "nothing was looked up"; failed = 1 }; exit failed }
' "$work/errors" "$work/names.cpp"
echo "$count public names are unambiguous"
