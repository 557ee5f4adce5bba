// SPDX-License-Identifier: BSL-1.0
// Chapter 4: what a part holds, and which ID means what in it.
#include "town.hpp"

#include <halograph/halograph.hpp>

#include <cstddef>
#include <iostream>
#include <string>

namespace hg = halograph;

int main() {
  const auto town = town::build(8, 3);
  const auto owner = hg::assign(town, hg::range_parts{.parts = 3});
  const auto part = hg::expand_halo(town, owner, 0, {.hops = 2});

  std::string map(num_nodes(town), '.');
  for (std::size_t local = 0; local < part.nodes.size(); ++local)
    map[part.nodes[local]] = local < part.inner_nodes ? '#' : 'o';
  for (std::size_t row = 0; row < town.rows; ++row)
    std::cout << map.substr(row * town.columns, town.columns) << '\n';
  std::cout << part.inner_nodes << " inner nodes; HALO by hop:";
  for (const auto nodes : part.nodes_per_hop) std::cout << ' ' << nodes;
  std::cout << "\n"
            << part.inner_edges << " inner edges, " << part.edges.size() - part.inner_edges
            << " halo edges\n";

  const auto e = part.inner_edges;  // the first halo edge
  std::cout << "local edge " << e << " is edge " << part.edges[e] << ", from node "
            << part.nodes[part.sources[e]] << " to node " << part.nodes[part.targets[e]] << '\n';
}
