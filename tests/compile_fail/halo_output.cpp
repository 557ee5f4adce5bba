// SPDX-License-Identifier: BSL-1.0
// expect: halo_output: needs bool node\(v\) and halo_node\(i\), the i-th node taken
// expect: halo_output: needs bool edge\(local u, local v, e, inner\)
// expect: halo_output: needs void hop\(size_t k\)
#include <halograph/halo/expand.hpp>

template <int Missing>
struct printer {
  bool node(unsigned) { return true; }
  unsigned halo_node(std::size_t) const
    requires(Missing != 1)
  {
    return 0;
  }
  bool edge(unsigned, unsigned, unsigned, bool)
    requires(Missing != 2)
  {
    return true;
  }
  void hop(std::size_t)
    requires(Missing != 3)
  {}
};

template <int Missing>
auto expand(const halograph::csc_view<unsigned, unsigned>& g, printer<Missing> out) {
  return halograph::expand_into(g, std::span<const unsigned>(),
                                halograph::halo_index_view<unsigned, unsigned>{}, 0, {},
                                std::span<unsigned>(), out);
}

#ifdef MUST_FAIL
enum { nodes = 1, edges = 2, hops = 3 };
#else
enum { nodes = 0, edges = 0, hops = 0 };
#endif
auto a = expand({}, printer<nodes>{});
auto b = expand({}, printer<edges>{});
auto c = expand({}, printer<hops>{});
