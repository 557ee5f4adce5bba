// SPDX-License-Identifier: BSL-1.0
// Chapter 1: a graph type of your own, partitioned as it is.
#include "town.hpp"

#include <halograph/halograph.hpp>
#include <halograph/partition/multilevel.hpp>

#include <cstddef>
#include <iostream>

namespace hg = halograph;

static_assert(hg::in_adjacency<town::graph>);

int main() {
  const auto town = town::build(6, 4);
  const auto owner = hg::assign(town, hg::multilevel{.parts = 2});

  for (std::size_t v = 0; v < owner.size(); ++v)
    std::cout << owner[v] << ((v + 1) % town.columns == 0 ? '\n' : ' ');
}
