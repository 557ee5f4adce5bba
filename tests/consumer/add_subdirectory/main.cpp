// SPDX-License-Identifier: BSL-1.0
// A program outside the project: it finds all its headers through the way that it uses halograph.
#include <halograph/halograph.hpp>

#include <cstdio>
#include <vector>

int main() {
  const std::vector<std::vector<int>> friends{{1}, {2}, {0}};
  static_assert(halograph::graph<std::vector<std::vector<int>>>);
  std::printf("halograph %s, %zu edges\n", HALOGRAPH_VERSION_STRING, halograph::num_edges(friends));
  return halograph::num_edges(friends) == 3 ? 0 : 1;
}
