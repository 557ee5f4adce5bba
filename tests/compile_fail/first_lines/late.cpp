// SPDX-License-Identifier: BSL-1.0
// A sentence that the compiler prints, but only after its own lines: first_lines/check.cmake fails.
// 1: graph: needs num_nodes
#include <halograph/graph/concepts.hpp>

#ifdef MISTAKE
void count(const int& g) {
  halograph::visit_edges(g, [](auto, auto, auto) {});
}
#endif
