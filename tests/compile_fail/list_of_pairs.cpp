// SPDX-License-Identifier: BSL-1.0
// expect: graph: a list of pairs does not say how many nodes there are; wrap it: edge_pairs\(nodes, pairs\)
#include <halograph/graph/coo.hpp>

#include <utility>
#include <vector>

void count(const std::vector<std::pair<int, int>>& links) {
#ifdef MUST_FAIL
  halograph::visit_edges(links, [](auto, auto, auto) {});
#else
  halograph::visit_edges(halograph::edge_pairs(2, links), [](auto, auto, auto) {});
#endif
}
