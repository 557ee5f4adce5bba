// SPDX-License-Identifier: BSL-1.0
// expect: edge_list: needs for_each_edge\(g, f\), handing f\(source, target, edge ID\) each edge
#include <halograph/graph/concepts.hpp>
#include <halograph/graph/csr.hpp>

std::size_t loops(const halograph::edge_list auto& g) {
  std::size_t count = 0;
  halograph::for_each_edge(g, [&](auto u, auto v, auto) { count += u == v; });
  return count;
}

struct by_target {
  std::size_t num_nodes() const { return 2; }
  void for_each_in_edge(auto, auto f) const { f(0u, 0u); }
#ifndef MUST_FAIL
  void for_each_edge(auto f) const { f(0u, 0u, 0u); }
#endif
};
std::size_t answer = loops(by_target{});
