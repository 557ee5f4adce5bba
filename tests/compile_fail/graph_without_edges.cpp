// SPDX-License-Identifier: BSL-1.0
// expect: graph: needs one of for_each_in_neighbor, for_each_out_neighbor, for_each_edge, for_each_in_edge, for_each_out_edge
#include <halograph/graph/concepts.hpp>

struct mesh {
  std::size_t num_nodes() const { return 2; }
#ifndef MUST_FAIL
  void for_each_out_neighbor(auto, auto f) const { f(1); }
#endif
};

void count(const mesh& m) {
  halograph::visit_edges(m, [](auto, auto, auto) {});
}
