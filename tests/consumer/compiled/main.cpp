// SPDX-License-Identifier: BSL-1.0
// A program that takes the bodies from the compiled library, whose target says so to the headers.
#include <halograph/core/version.hpp>
#include <halograph/folder/targets.hpp>
#include <halograph/partition/range.hpp>
#include <halograph/pipeline/partition_graph.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

static_assert(HALOGRAPH_COMPILED);

int main() {
  namespace hg = halograph;
  const std::vector<std::vector<std::uint32_t>> ring{{1}, {2}, {0}};
  const auto made = hg::partition_graph(ring, hg::range_parts{.parts = 3}, hg::dgl_folder{"ring"},
                                        {.graph_name = "ring"});
  std::printf("halograph %s, %llu edges\n", HALOGRAPH_VERSION_STRING,
              static_cast<unsigned long long>(made.report.edge_cut));
}
