// SPDX-License-Identifier: BSL-1.0
/// @file methods.hpp
/// The partitioners (--method) and node orders (--node-order) that the program knows by name.
#pragma once

#include <halograph/adapters/metis.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/partition/fennel.hpp>
#include <halograph/partition/hash.hpp>
#include <halograph/partition/ldg.hpp>
#include <halograph/partition/partitioner.hpp>
#include <halograph/partition/random.hpp>
#include <halograph/partition/range.hpp>
#include <halograph/partition/streaming.hpp>
#include <halograph/relabel/order.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace halograph::cli {

/// Partitioners by their names, in the order of --help.
template <class... Policies>
struct policy_list {
  /// Call f(std::type_identity<Policy>{}) for each policy with this name until one call returns
  /// true. @return whether one did
  template <class F>
  static bool find([[maybe_unused]] std::string_view name, [[maybe_unused]] F&& f) {
    return ((name == name_of_policy<Policies>() && f(std::type_identity<Policies>{})) || ...);
  }
  static std::vector<std::string> names() { return {std::string(name_of_policy<Policies>())...}; }
};

/// The built-in partitioners, besides `given` and those that several processes run together
/// (parallel_methods.hpp).
using built_in_policies = policy_list<metis, random, ldg, fennel, hash, range>;

/// Does a built-in partitioner assign one node at a time, as edges are read?
inline bool is_streaming(std::string_view method) {
  return built_in_policies::find(method, []<class Policy>(std::type_identity<Policy>) {
    return streaming_partitioner<Policy>;
  });
}

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
