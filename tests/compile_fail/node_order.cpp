// SPDX-License-Identifier: BSL-1.0
// expect: node_order: needs order_sizes sizes\(size_t nodes, size_t types\) const
// expect: node_order: needs status arrange
#include <halograph/graph/csr.hpp>
#include <halograph/relabel/order.hpp>

namespace hg = halograph;

template <hg::node_order<hg::csc_view<>> O> struct host {};
#ifdef MUST_FAIL
struct without_sizes {
  template <class Graph, class Part, class Node>
  hg::status arrange(const Graph&, const hg::node_cells<Part, Node>&, hg::order_scratch<Node>) const { return hg::status::ok; }
};
struct not_const {
  static constexpr hg::order_sizes sizes(std::size_t, std::size_t) { return {}; }
  template <class Graph, class Part, class Node>
  hg::status arrange(const Graph&, const hg::node_cells<Part, Node>&, hg::order_scratch<Node>) { return hg::status::ok; }
};
#else
using without_sizes = hg::original_order;
using not_const = hg::breadth_first;
#endif
host<without_sizes> a;
host<not_const> b;
