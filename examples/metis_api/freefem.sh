#!/bin/sh
# freefem.sh FREEFEM PLUGINS LIBRARY FOLDER: FreeFem++ partitions a mesh with its plugin metis, by elements and by nodes, over our
# library. The plugin also calls a function inside METIS, so ours is preloaded.
set -eu
mkdir -p "$4"; cd "$4"
cat > mesh.edp <<'END'
load "metis";
mesh Th = square(60, 60);
fespace Ph(Th, P0);
Ph dual, nodal;
metisdual(dual[], Th, 8);
metisnodal(nodal[], Th, 8);
ofstream out("parts");
for (int e = 0; e < Th.nt; ++e) out << dual[][e] << " " << nodal[][e] << endl;
int cut = 0;
for (int e = 0; e < Th.nt; ++e)
  for (int j = 0; j < 3; ++j) { int side = j; int f = Th[e].adj(side); if (f > e && dual[][e] != dual[][f]) ++cut; }
ofstream said("cut");
said << cut << endl;
END
rm -f bindings.* parts cut
FF_LOADPATH="$2;;" LD_DEBUG=bindings LD_DEBUG_OUTPUT=bindings LD_PRELOAD="$3" "$1" -nw -v 0 mesh.edp > said 2>&1
for function in METIS_PartMeshDual METIS_PartMeshNodal; do
  grep -q "metis.so.* to $3.*$function" bindings.* || { echo "FreeFem++ did not get our $function"; exit 1; }
done
rm -f bindings.*
awk -v cut="$(cat cut)" '{ ++elements[$1]; ++by_nodes[$2]; ++n }
  END { if (n != 7200) { print n " triangles"; exit 1 }
    for (p = 0; p < 8; ++p) {
      if (elements[p] < 1 || elements[p] > 1.031 * n / 8) { print "part " p ": " elements[p] + 0; exit 1 }
      if (by_nodes[p] < 1 || by_nodes[p] > 1.15 * n / 8) { print "part " p " by nodes: " by_nodes[p] + 0; exit 1 } }
    if (cut == "" || cut < 1 || cut > 300) { print "cut " cut; exit 1 }
    print "cut " cut " of " n " triangles" }' parts
