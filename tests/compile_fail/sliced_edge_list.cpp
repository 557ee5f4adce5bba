// SPDX-License-Identifier: BSL-1.0
// expect: sliced_edge_list: needs for_each_edge_between\(g, first, last, f\), handing f\(source, target, edge ID\) the edges
#include <halograph/graph/edge_slices.hpp>

std::size_t loops(const halograph::sliced_edge_list auto& g) {
  std::size_t count = 0;
  for_each_edge_between(g, 0, 1, [&](auto u, auto v, auto) { count += u == v; });
  return count;
}

struct whole {
  std::size_t num_nodes() const { return 2; }
  void for_each_edge(auto f) const { f(0u, 0u, 0u); }
#ifndef MUST_FAIL
  friend void for_each_edge_between(const whole&, std::size_t, std::size_t, auto f) {
    f(0u, 0u, 0u);
  }
#endif
};
std::size_t answer = loops(whole{});
