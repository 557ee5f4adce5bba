// SPDX-License-Identifier: BSL-1.0
// expect: partitioner: needs status assign\(const G&, span<part>\) const
#include <halograph/partition/assign.hpp>

#include <vector>

struct policy {
  using part = unsigned char;
  template <class Graph>
#ifdef MUST_FAIL
  halograph::status assign(const Graph&, std::span<part>) {
    return halograph::status::ok;
  }  // not const
#else
  halograph::status assign(const Graph&, std::span<part>) const {
    return halograph::status::ok;
  }
#endif
};

auto owner = halograph::assign(std::vector<std::vector<int>>{{0}}, policy{});
