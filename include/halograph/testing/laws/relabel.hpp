// SPDX-License-Identifier: BSL-1.0
/// @file relabel.hpp
/// The law of node orders.
/// Layer: testing. Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/relabel/order.hpp>
#include <halograph/testing/laws/verdict.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace halograph::laws {

/// Every cell keeps its nodes; the same cells get the same order, whatever scratch memory held
/// before.
/// @complexity two runs of the order, and O(V log V)
template <class Order, halograph::graph Graph>
  requires halograph::node_order<Order, Graph>
verdict node_order(const Order& order, std::size_t parts, const Graph& g) {
  const std::size_t nodes = num_nodes(g);
  const std::vector<std::uint64_t> type_begin{0, nodes / 2, nodes};
  std::vector<part_id> owner(nodes);
  for (std::size_t v = 0; v < nodes; ++v) owner[v] = static_cast<part_id>(v % parts);
  std::vector<std::uint64_t> bounds{0}, sorted;
  for (std::size_t p = 0; p < parts; ++p) {
    for (std::size_t t = 0; t < 2; ++t) {
      for (std::uint64_t v = type_begin[t]; v < type_begin[t + 1]; ++v) {
        if (owner[static_cast<std::size_t>(v)] == p) sorted.push_back(v);
      }
      bounds.push_back(sorted.size());
    }
  }
  const order_sizes sizes = order.sizes(nodes, 2);
  std::vector<std::uint64_t> first;
  for (const std::uint64_t before : {std::uint64_t{0}, ~std::uint64_t{0}}) {
    std::vector<std::uint64_t> ordered = sorted, scratch_nodes(sizes.nodes, before),
                               scratch_words(sizes.words, before);
    const status answer = order.arrange(
        g, node_cells<part_id, std::uint64_t>{parts, owner, type_begin, bounds, ordered},
        order_scratch<std::uint64_t>{scratch_nodes, scratch_words});
    if (!answer) return detail::broken("rejects the graph with " + std::string(name(answer.code)));
    if (before != 0 && ordered != first)
      return detail::broken("repeatable: the same cells get another order");
    first = ordered;
    for (std::size_t cell = 0; cell + 1 < bounds.size(); ++cell) {
      const auto at = [&](std::vector<std::uint64_t>& of, std::size_t bound) {
        return of.begin() + static_cast<std::ptrdiff_t>(bounds[bound]);
      };
      std::sort(at(ordered, cell), at(ordered, cell + 1));
      if (!std::equal(at(ordered, cell), at(ordered, cell + 1), at(sorted, cell))) {
        return detail::broken("cell " + std::to_string(cell) + " does not keep its nodes");
      }
    }
  }
  return {};
}

}  // namespace halograph::laws
