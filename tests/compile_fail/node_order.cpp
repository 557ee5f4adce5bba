// SPDX-License-Identifier: BSL-1.0
// expect: node_order: needs order_sizes sizes\(size_t nodes, size_t types\) const
// expect: node_order: needs status arrange\(const G&, const node_cells<Part, Node>&, order_scratch<Node>\) const
#include <halograph/testing/archetypes.hpp>

namespace hg = halograph;

template <class Order>
  requires hg::node_order<Order, hg::archetype::graph>
struct host {};
#ifdef MUST_FAIL
namespace model = halograph::near_miss;
#else
namespace model {
using node_order_without_sizes = hg::archetype::node_order;
using node_order_without_graph = hg::archetype::node_order;
}  // namespace model
#endif
host<model::node_order_without_sizes> a;
host<model::node_order_without_graph> b;
