// SPDX-License-Identifier: BSL-1.0
/// @file small_graphs.hpp
/// Small graphs for tests: each shows one thing that easily goes wrong.
/// Layer: testing. Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/graph/coo.hpp>

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

/// A graph of a few nodes with a name. Models edge_list, in_adjacency and out_adjacency at once.
/// @complexity O(E) for each visit of a node's edges
template <id Node = std::uint32_t, id Edge = Node>
class small_graph {
 public:
  using node_id = Node;  ///< see @ref graph_traits
  using edge_id = Edge;  ///< see @ref graph_traits

  /// @param edges  (source, target), each below `nodes`
  small_graph(std::string name, std::size_t nodes, std::initializer_list<std::pair<int, int>> edges)
      : name_(std::move(name)), nodes_(nodes) {
    for (const auto& [source, target] : edges) {
      source_.push_back(static_cast<Node>(source));
      target_.push_back(static_cast<Node>(target));
    }
  }

  const std::string& name() const noexcept { return name_; }  ///< for messages of tests
  /// @{
  /// V and E.
  std::size_t num_nodes() const noexcept { return nodes_; }
  std::size_t num_edges() const noexcept { return source_.size(); }
  /// @}
  /// @{
  /// [E] one end of each edge, by edge ID.
  std::span<const Node> source() const noexcept { return source_; }
  std::span<const Node> target() const noexcept { return target_; }
  /// @}
  /// The same graph as a view of this one's columns.
  coo_view<Node, Edge> coo() const noexcept { return {nodes_, source_, target_}; }

  /// @{
  /// The calls of `edge_list`, `in_adjacency` and `out_adjacency`; edge IDs ascend.
  template <class F>
  void for_each_edge(F&& f) const {
    for (std::size_t e = 0; e < source_.size(); ++e)
      f(source_[e], target_[e], static_cast<Edge>(e));
  }
  template <id AnyNode, class F>
  void for_each_in_edge(AnyNode v, F&& f) const {
    for_each_edge([&](Node s, Node t, Edge e) {
      if (index(t) == index(v)) f(s, e);
    });
  }
  template <id AnyNode, class F>
  void for_each_out_edge(AnyNode u, F&& f) const {
    for_each_edge([&](Node s, Node t, Edge e) {
      if (index(s) == index(u)) f(t, e);
    });
  }
  /// @}

 private:
  std::string name_;
  std::size_t nodes_;
  std::vector<Node> source_{};
  std::vector<Node> target_{};
};

/// All small graphs; every ID fits into 7 bits.
template <id Node = std::uint32_t, id Edge = Node>
std::vector<small_graph<Node, Edge>> small_graphs() {
  return {
      {"empty", 0, {}},
      {"one node", 1, {}},
      {"one loop", 1, {{0, 0}}},
      {"three isolated nodes", 3, {}},
      // 0 -> 1 -> 2 -> 3 -> 4
      {"path", 5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}}},
      // 0 -> 1 -> 2 -> 3 -> 0
      {"cycle", 4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}},
      // 1, 2, 3, 4 -> 0
      {"star, inwards", 5, {{1, 0}, {2, 0}, {3, 0}, {4, 0}}},
      // 0 -> 1, 2, 3, 4
      {"star, outwards", 5, {{0, 1}, {0, 2}, {0, 3}, {0, 4}}},
      //  0 - 1       4 - 5
      //   \  |       |  /
      //      2 ----- 3          every line is two edges
      {"two triangles and a bridge",
       6,
       {{0, 1},
        {1, 0},
        {0, 2},
        {2, 0},
        {1, 2},
        {2, 1},
        {2, 3},
        {3, 2},
        {3, 4},
        {4, 3},
        {3, 5},
        {5, 3},
        {4, 5},
        {5, 4}}},
      // loops, an edge twice, an edge and its reverse, an isolated node in the middle and at the
      // end
      {"untidy",
       7,
       {{3, 3}, {0, 1}, {0, 1}, {1, 0}, {5, 1}, {3, 3}, {4, 5}, {0, 5}, {5, 4}, {0, 1}}},
      // 0 1 | 2 3 4: edges from every left node to every right node
      {"complete bipartite", 5, {{0, 2}, {0, 3}, {0, 4}, {1, 2}, {1, 3}, {1, 4}}},
      // 0 -> 1 -> 3, 0 -> 2 -> 3: two shortest paths
      {"diamond", 4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}}},
      //  0 - 1 - 2
      //  |   |   |        3 x 2 grid, rightwards and downwards
      //  3 - 4 - 5
      {"grid", 6, {{0, 1}, {1, 2}, {3, 4}, {4, 5}, {0, 3}, {1, 4}, {2, 5}}},
  };
}

}  // namespace halograph
