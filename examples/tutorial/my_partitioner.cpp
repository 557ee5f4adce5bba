// SPDX-License-Identifier: BSL-1.0
// Chapter 2: a partitioner of your own, and how good its parts are.
#include "town.hpp"

#include <halograph/halograph.hpp>
#include <halograph/partition/multilevel.hpp>

#include <cstddef>
#include <cstdint>
#include <iostream>
#include <span>

namespace hg = halograph;

/// Cuts a town into districts from west to east.
struct districts {
  using part = std::uint16_t;
  part parts = 1;

  hg::status assign(const town::graph& town, std::span<part> owner) const {
    if (const auto fits = hg::check_parts<part>(parts, num_nodes(town), owner); !fits) return fits;
    for (std::size_t v = 0; v < owner.size(); ++v)
      owner[v] = static_cast<part>(v % town.columns * parts / town.columns);
    return hg::status::ok;
  }
};
static_assert(hg::partitioner<districts, town::graph>);

int main() {
  const auto town = town::build(60, 40);
  const auto print = [&](const char* name, const auto& owner) {
    const auto quality = hg::measure_quality(town, std::span(owner), 8);
    std::cout << name << ": " << quality.edge_cut << " streets cut\n";
  };
  print("random    ", hg::assign(town, hg::random_parts{.parts = 8, .seed = 1}));
  print("districts ", hg::assign(town, districts{.parts = 8}));
  print("multilevel", hg::assign(town, hg::multilevel{.parts = 8}));
}
