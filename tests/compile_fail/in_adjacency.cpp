// SPDX-License-Identifier: BSL-1.0
// expect: in_adjacency: needs for_each_in_edge
// A user's own algorithm, constrained by our concept.
#include <halograph/graph/concepts.hpp>

#include <vector>

struct by_target {
  std::size_t num_nodes() const { return 2; }
  void for_each_in_edge(auto, auto f) const { f(0, 0); }
};

std::size_t in_degree(const halograph::in_adjacency auto& g) {
  std::size_t count = 0;
  halograph::for_each_in_edge(g, 1u, [&](auto, auto) { ++count; });
  return count;
}

#ifdef MUST_FAIL
using storage = std::vector<std::vector<int>>;  // lists out-neighbors only
#else
using storage = by_target;
#endif
std::size_t answer = in_degree(storage{});
