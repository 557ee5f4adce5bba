// SPDX-License-Identifier: BSL-1.0
// A partitioner of your own: ten lines, no base class. custom_method.cpp adds it to the program.
#include "custom_partitioner.hpp"

#include <halograph/halograph.hpp>

#include <cstdint>
#include <iostream>
#include <vector>

namespace hg = halograph;

int main() {
  const std::vector<std::vector<std::uint32_t>> ring{{1}, {2}, {3}, {4}, {5}, {0}};
  static_assert(hg::partitioner<in_stripes, std::vector<std::vector<std::uint32_t>>>);

  const auto owner = hg::assign(ring, in_stripes{.parts = 2, .width = 3});
  std::cout << "owners:";
  for (const auto part : owner) std::cout << ' ' << part;
  const auto quality = hg::measure_quality(ring, std::span<const in_stripes::part>(owner), 2);
  std::cout << "\nedge cut " << quality.edge_cut << '\n';
  return quality.edge_cut == 2 ? 0 : 1;
}
