// SPDX-License-Identifier: BSL-1.0
// The component hosted brings every library that hosted.hpp includes, and needs no METIS.
#include <halograph/hosted.hpp>
#include <halograph/partition/multilevel.hpp>
#include <halograph/pipeline/partition_graph.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

int main() {
  namespace hg = halograph;
  const std::vector<std::vector<std::uint32_t>> ring{{1}, {2}, {3}, {4}, {5}, {0}};
  const auto made = hg::partition_graph(ring, hg::multilevel{.parts = 2}, hg::dgl_folder{"ring"},
                                        {.graph_name = "ring"});
  std::printf("edge cut %llu, %zu parts\n", static_cast<unsigned long long>(made.report.edge_cut),
              hg::load_partition("ring/ring.json", 1).part + 1);
}
