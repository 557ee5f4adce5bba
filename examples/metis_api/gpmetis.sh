#!/bin/sh
# gpmetis.sh GPMETIS LIBRARY FOLDER: METIS's own program over our library; the cut that it counts in our parts is
# counted again. The edgecut that the library returns is not printed by gpmetis: test.cpp checks it.
set -eu
mkdir -p "$3"; cd "$3"
awk 'BEGIN { n = 40; print n * n, 2 * n * (n - 1)
  for (y = 0; y < n; ++y) for (x = 0; x < n; ++x) { v = y * n + x + 1; s = ""
    if (y) s = s " " v - n; if (x) s = s " " v - 1; if (x < n - 1) s = s " " v + 1; if (y < n - 1) s = s " " v + n
    print s } }' > grid.graph
for scheme in kway rb; do
  rm -f grid.graph.part.8
  LD_DEBUG=bindings LD_DEBUG_OUTPUT=bindings LD_BIND_NOW=1 LD_PRELOAD="$2" "$1" -ptype=$scheme grid.graph 8 > said
  for function in METIS_PartGraphKway METIS_PartGraphRecursive; do
    grep -q "gpmetis.*to $2.*$function" bindings.* || { echo "gpmetis did not get our $function"; exit 1; }
  done
  rm -f bindings.*
  said=$(sed -n 's/.*Edgecut: \([0-9]*\).*/\1/p' said)
  awk -v said="$said" 'FNR == NR { part[FNR] = $1; ++size[$1]; ++n; next }
    FNR > 1 { for (i = 1; i <= NF; ++i) if (part[FNR - 1] != part[$i]) ++cut }
    END { cut /= 2; if (n != 1600) { print n " nodes"; exit 1 }
      for (p = 0; p < 8; ++p) if (size[p] < 1 || size[p] > 206) { print "part " p ": " size[p]; exit 1 }
      if (said == "" || cut != said || cut > 260) { print "cut " cut ", said " said; exit 1 }
      print "cut " cut }' grid.graph.part.8 grid.graph
done
