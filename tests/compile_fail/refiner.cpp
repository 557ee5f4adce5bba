// SPDX-License-Identifier: BSL-1.0
// expect: refiner: P::part must name an unsigned integer
// expect: refiner: needs status refine\(const G&, span<part>\) const
#include <halograph/graph/coo.hpp>
#include <halograph/partition/refine.hpp>

namespace hg = halograph;

template <hg::refiner<hg::coo_view<>> P> struct host {};
#ifdef MUST_FAIL
struct of_signed_parts {
  using part = int;
  template <class Graph> hg::status refine(const Graph&, std::span<part>) const { return hg::status::ok; }
};
struct not_const {
  using part = unsigned char;
  template <class Graph> hg::status refine(const Graph&, std::span<part>) { return hg::status::ok; }
};
#else
using of_signed_parts = hg::label_propagation;
using not_const = hg::balance_repair;
#endif
host<of_signed_parts> a;
host<not_const> b;
