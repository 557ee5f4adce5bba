// SPDX-License-Identifier: BSL-1.0
// Chapter 7: the graph stays in files; each step keeps to a memory budget.
// needs: hosted
#include <halograph/graph/generators.hpp>
#include <halograph/hosted.hpp>
#include <halograph/hosted/input.hpp>
#include <halograph/io/chunked/chunk.hpp>
#include <halograph/partition/ldg.hpp>
#include <halograph/pipeline/out_of_core/assign.hpp>
#include <halograph/pipeline/out_of_core/dispatch.hpp>

#include <cstdint>
#include <iostream>

namespace hg = halograph;

int main() {
  // 1. Write the edges as they come: the graph is never held.
  const hg::generators::rmat graph{.scale = 12, .edge_factor = 8, .seed = 1};
  hg::chunk_graph(graph, hg::feature_set{}, "chunks", {.name = "web", .chunks = 4});

  // 2. Assign nodes while the edges pass by.
  const auto chunks = hg::open_chunked("chunks");
  const auto assigned = hg::assign_chunked(chunks, hg::ldg{.parts = 4}, "owners");
  std::cout << assigned.report.directed_cut << " of " << assigned.report.edges << " edges cut\n";

  // 3. Write the parts, within 256 MiB.
  const auto made = hg::dispatch(chunks, "owners", 4, hg::dgl_folder{"parts"},
                                 {.memory_bytes = std::uint64_t{256} << 20});
  for (const auto& part : made.report.parts)
    std::cout << part.inner_nodes << " inner nodes, " << part.halo_nodes << " halo nodes\n";
}
