// SPDX-License-Identifier: BSL-1.0
/// @file node_orders.hpp
/// The node orders (--node-order) that the program knows by name.
#pragma once

#include <halograph/core/status.hpp>
#include <halograph/relabel/order.hpp>

#include <array>
#include <cstddef>
#include <string_view>
#include <variant>

namespace halograph::cli {

/// The order of the nodes inside each part and type that --node-order names: one type, so that the
/// job is compiled once.
struct chosen_order {
  std::variant<original_order, descending_degree, breadth_first> order{};
  std::string_view name = original_order::name;

  /// The words of --node-order, in the order of the alternatives.
  static constexpr std::array<std::string_view, 3> words{"original", "degree", "bfs"};

  static chosen_order named(std::string_view word) {
    if (word == words[1]) return {descending_degree{}, descending_degree::name};
    if (word == words[2]) return {breadth_first{}, breadth_first::name};
    return {};
  }
  order_sizes sizes(std::size_t nodes, std::size_t types) const {
    return std::visit([&](const auto& one) { return one.sizes(nodes, types); }, order);
  }
  template <class Graph, class Part, class Node>
  status arrange(const Graph& g, const node_cells<Part, Node>& cells,
                 order_scratch<Node> scratch) const {
    return std::visit([&](const auto& one) { return one.arrange(g, cells, scratch); }, order);
  }
};

}  // namespace halograph::cli
