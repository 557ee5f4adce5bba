// SPDX-License-Identifier: BSL-1.0
// HALO expansion alone: owners from anywhere, part by part, in the graph's own IDs, without
// renumbering.
#include <halograph/halo/expand.hpp>

#include <cstdint>
#include <iostream>
#include <span>
#include <vector>

namespace hg = halograph;

int main() {
  // Out-neighbors of each node: any range of ranges of IDs is a graph.
  const std::vector<std::vector<std::uint32_t>> links{{1}, {2}, {3}, {4}, {5}, {}};
  const std::vector<std::uint8_t> owner{0, 0, 1, 1, 0, 0};

  const auto rows = hg::build_csc<std::uint32_t, std::uint32_t>(links);
  const auto graph = rows.view();
  hg::halo_expander expander(graph, std::span<const std::uint8_t>(owner));
  for (std::size_t part = 0; part < expander.num_parts(); ++part) {
    for (const unsigned hops : {1u, 2u}) {
      const auto grown = expander.expand(part, {.hops = hops});
      std::cout << "part " << part << ", " << hops << (hops == 1 ? " hop: " : " hops: ")
                << grown.inner_nodes << " inner nodes, HALO";
      for (std::size_t i = grown.inner_nodes; i < grown.nodes.size(); ++i)
        std::cout << ' ' << grown.nodes[i];
      std::cout << ", " << grown.edges.size() << " edges\n";
    }
  }
  return expander.num_cut_edges() == 2 ? 0 : 1;
}
