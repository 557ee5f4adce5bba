#!/bin/sh
# gmsh.sh GMSH LIBRARY_FOLDER FOLDER: gmsh meshes a square and partitions the mesh, which it leaves to METIS, over our library.
set -eu
mkdir -p "$3"; cd "$3"
cat > square.geo <<'END'
size = 0.02;
Point(1) = {0, 0, 0, size}; Point(2) = {1, 0, 0, size}; Point(3) = {1, 1, 0, size}; Point(4) = {0, 1, 0, size};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 1};
Curve Loop(1) = {1, 2, 3, 4}; Plane Surface(1) = {1};
END
for algorithm in 1 2; do  # recursive bisection, k-way
  rm -f square.msh bindings.*
  LD_DEBUG=bindings LD_DEBUG_OUTPUT=bindings LD_LIBRARY_PATH="$2" "$1" -2 square.geo -part 8 \
    -setnumber Mesh.PartitionMetisAlgorithm $algorithm -format msh2 -o square.msh > said 2>&1
  for function in METIS_SetDefaultOptions METIS_PartGraphKway METIS_PartGraphRecursive; do
    grep -q "libgmsh.* to $2/libmetis.*$function" bindings.* || { echo "gmsh did not get our $function"; exit 1; }
  done
  rm -f bindings.*
  said=$(sed -n 's/.* 8 partitions, \([0-9]*\) total edge-cuts.*/\1/p' said)
  # Triangles are elements of type 2: number, type, tags: physical, geometric, partitions, partition.
  awk -v said="$said" '$2 == 2 && NF >= 10 { ++size[$7]; ++n }
    END { for (p in size) { ++parts; if (size[p] > 1.031 * n / 8 + 1) { print "part " p ": " size[p] " of " n; exit 1 } }
      if (n < 5000 || parts != 8) { print n " triangles in " parts " parts"; exit 1 }
      if (said == "" || said > 330) { print "cut " said; exit 1 }
      print "cut " said " of " n " triangles" }' square.msh
done
