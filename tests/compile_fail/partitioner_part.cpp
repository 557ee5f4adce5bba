// SPDX-License-Identifier: BSL-1.0
// expect: P::part must name an unsigned integer
#include <halograph/partition/assign.hpp>

#include <vector>

struct policy {
#ifdef MUST_FAIL
  using part = int;
#else
  using part = unsigned;
#endif
  template <class Graph>
  halograph::status assign(const Graph&, std::span<part>) const {
    return halograph::status::ok;
  }
};

auto owner = halograph::assign(std::vector<std::vector<int>>{{0}}, policy{});
