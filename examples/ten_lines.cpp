// SPDX-License-Identifier: BSL-1.0
// The first step: a standard container is a graph; two parts, and what the second one needs from
// the first.
#include <halograph/halograph.hpp>

#include <iostream>
#include <vector>

int main() {
  const std::vector<std::vector<int>> links{{1, 2}, {2}, {3},
                                            {4, 5}, {5}, {3}};  // out-neighbors of each node
  const auto owner = halograph::assign(links, halograph::range_parts{.parts = 2});
  const auto part = halograph::expand_halo(links, owner, 1, {.hops = 1});
  for (std::size_t i = 0; i < part.nodes.size(); ++i) {
    std::cout << "node " << part.nodes[i]
              << (i < part.inner_nodes ? " is an inner node of part 1\n" : " is in its HALO\n");
  }
}
