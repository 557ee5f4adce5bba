// SPDX-License-Identifier: BSL-1.0
// expect: graph: needs num_nodes
// A graph with edges but without a number of nodes.
#include <halograph/graph/concepts.hpp>

struct mesh {
#ifndef MUST_FAIL
  std::size_t num_nodes() const { return 2; }
#endif
  void for_each_edge(auto f) const { f(0, 1, 0); }
};

void count(const mesh& m) {
  halograph::visit_edges(m, [](auto, auto, auto) {});
}
