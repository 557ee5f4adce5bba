// SPDX-License-Identifier: BSL-1.0
// expect: out_adjacency: needs for_each_out_edge
#include <halograph/graph/csr.hpp>

std::size_t out_degree(const halograph::out_adjacency auto& g) {
  std::size_t count = 0;
  halograph::for_each_out_edge(g, 1u, [&](auto, auto) { ++count; });
  return count;
}

#ifdef MUST_FAIL
std::size_t answer = out_degree(halograph::csc_view<>{});
#else
std::size_t answer = out_degree(halograph::csr_view<>{});
#endif
