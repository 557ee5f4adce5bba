// SPDX-License-Identifier: BSL-1.0
/// @file coo.hpp
/// A graph as a list of edges: two columns, or a list of pairs, both in the order of edge IDs.
/// Layer: graph (no allocation, no exceptions). Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/graph/fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace halograph {

/// Views the caller's two columns as a graph; copies nothing.
/// @invariant source.size() == target.size(); IDs are below num_nodes() (validate() says whether)
template <id Node, id Edge>
class coo_view {
 public:
  using node_id = Node;  ///< see graph_traits
  using edge_id = Edge;  ///< see graph_traits

  constexpr coo_view() = default;
  /// @param nodes   V
  /// @param source  [E] source of each edge
  /// @param target  [E] target of each edge
  constexpr coo_view(std::size_t nodes, std::span<const Node> source, std::span<const Node> target)
      : nodes_(nodes), source_(source), target_(target) {}

  /// @{
  /// As `edge_list` asks for: V, E, and that edge e is entry e of both columns.
  constexpr std::size_t num_nodes() const noexcept { return nodes_; }
  constexpr std::size_t num_edges() const noexcept { return source_.size(); }
  static constexpr bool edge_id_is_position() noexcept { return true; }
  /// @}
  /// @{
  /// [E] one end of each edge.
  constexpr std::span<const Node> source() const noexcept { return source_; }
  constexpr std::span<const Node> target() const noexcept { return target_; }
  /// @}

  /// F(source, target, e), e ascending. @complexity O(E)
  template <class F>
  constexpr void for_each_edge(F&& f) const {
    for (std::size_t e = 0; e < source_.size(); ++e)
      f(source_[e], target_[e], static_cast<Edge>(e));
  }

  /// ok; mismatch: the columns differ in length; out_of_range at e: an endpoint of edge e is not a
  /// node; overflow: Node or Edge cannot number them all. @complexity O(E)
  constexpr status validate() const noexcept {
    if (source_.size() != target_.size()) return status::mismatch.at(target_.size());
    if (nodes_ > id_capacity<Node>()) return status::overflow.at(nodes_);
    if (source_.size() > id_capacity<Edge>()) return status::overflow.at(source_.size());
    for (std::size_t e = 0; e < source_.size(); ++e) {
      if (index(source_[e]) >= nodes_ || index(target_[e]) >= nodes_)
        return status::out_of_range.at(e);
    }
    return status::ok;
  }

 private:
  std::size_t nodes_ = 0;
  std::span<const Node> source_{};
  std::span<const Node> target_{};
};

/// Views the caller's list of edges as a graph; copies nothing. Whoever has a list of edges alone
/// knows the number of nodes: the list cannot tell those without edges.
///
///     const std::vector<std::pair<int, int>> links{{0, 1}, {1, 2}};
///     const auto owner = hg::assign(hg::edge_pairs(3, links), hg::ldg{.parts = 2});
template <id Node = std::uint64_t>
class edge_pairs {
 public:
  using node_id = Node;           ///< see graph_traits
  using edge_id = std::uint64_t;  ///< see graph_traits

  constexpr edge_pairs() = default;
  /// @param nodes  V
  /// @param edges  [E] source and target of each edge
  constexpr edge_pairs(std::size_t nodes, std::span<const std::pair<Node, Node>> edges)
      : nodes_(nodes), edges_(edges) {}

  /// @{
  /// As `edge_list` asks for: V, E, and that edge e is entry e of the list.
  constexpr std::size_t num_nodes() const noexcept { return nodes_; }
  constexpr std::size_t num_edges() const noexcept { return edges_.size(); }
  static constexpr bool edge_id_is_position() noexcept { return true; }
  /// @}

  /// F(source, target, e), e ascending. @complexity O(E)
  template <class F>
  constexpr void for_each_edge(F&& f) const {
    std::uint64_t e = 0;
    for (const auto& [u, v] : edges_) f(u, v, e++);
  }

  /// ok; out_of_range at e: an endpoint of edge e is not a node; overflow: Node cannot number them
  /// all. @complexity O(E)
  constexpr status validate() const noexcept {
    if (nodes_ > id_capacity<Node>()) return status::overflow.at(nodes_);
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      if (index(edges_[e].first) >= nodes_ || index(edges_[e].second) >= nodes_)
        return status::out_of_range.at(e);
    }
    return status::ok;
  }

 private:
  std::size_t nodes_ = 0;
  std::span<const std::pair<Node, Node>> edges_{};
};
/// A vector, array or other contiguous range of pairs: edge_pairs(nodes, links).
template <class Pairs>
edge_pairs(std::size_t, const Pairs&) -> edge_pairs<typename Pairs::value_type::first_type>;

}  // namespace halograph
