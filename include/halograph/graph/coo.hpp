// SPDX-License-Identifier: BSL-1.0
/// @file coo.hpp
/// A graph as two columns: the source and the target of each edge, at the edge's ID.
/// Layer: graph (no allocation, no exceptions). Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/graph/fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace halograph {

/// Views the caller's two columns as a graph; copies nothing.
/// @invariant source.size() == target.size(); IDs are below num_nodes() (validate() says whether)
template <id Node, id Edge>
class coo_view {
 public:
  using node_id = Node;
  using edge_id = Edge;

  constexpr coo_view() = default;
  /// @param nodes   V
  /// @param source  [E] source of each edge
  /// @param target  [E] target of each edge
  constexpr coo_view(std::size_t nodes, std::span<const Node> source, std::span<const Node> target)
      : nodes_(nodes), source_(source), target_(target) {}

  constexpr std::size_t num_nodes() const noexcept { return nodes_; }
  constexpr std::size_t num_edges() const noexcept { return source_.size(); }
  static constexpr bool edge_id_is_position() noexcept { return true; }
  constexpr std::span<const Node> source() const noexcept { return source_; }
  constexpr std::span<const Node> target() const noexcept { return target_; }

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

}  // namespace halograph
