// SPDX-License-Identifier: BSL-1.0
/// @file hetero.hpp
/// A graph of several node and edge types, seen as one graph without a copy.
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

/// The edges of one edge type: two columns of typed IDs.
template <id Node>
struct relation_view {
  type_id source_type = 0;         ///< where edges begin
  type_id target_type = 0;         ///< where edges end
  std::span<const Node> source{};  ///< [E_r] typed IDs of source_type
  std::span<const Node> target{};  ///< [E_r] typed IDs of target_type
};

/// Node types and edge types end to end in type order (homogenized IDs): the edge list of the
/// whole graph, computed on the fly from typed columns. Node must hold the homogenized IDs too
/// where the graph is passed on in that width.
/// @invariant node_offsets is [types+1] prefix sums of the node counts, edge_offsets [relations+1]
template <id Node, id Edge>
class hetero_view {
 public:
  using node_id = Node;  ///< see graph_traits
  using edge_id = Edge;  ///< see graph_traits

  constexpr hetero_view() = default;
  /// @param node_offsets  [T+1] first homogenized ID of each node type; last: V
  /// @param edge_offsets  [R+1] first homogenized ID of each edge type; last: E
  /// @param relations     [R] columns of each edge type
  constexpr hetero_view(std::span<const std::uint64_t> node_offsets,
                        std::span<const std::uint64_t> edge_offsets,
                        std::span<const relation_view<Node>> relations)
      : node_offsets_(node_offsets), edge_offsets_(edge_offsets), relations_(relations) {}

  /// @{
  /// As `edge_list` and `typed_graph` ask for: V, E, T, R; edges run relation by relation.
  constexpr std::size_t num_nodes() const noexcept {
    return node_offsets_.empty() ? 0 : static_cast<std::size_t>(node_offsets_.back());
  }
  static constexpr bool edge_id_is_position() noexcept { return true; }
  constexpr std::size_t num_edges() const noexcept {
    return edge_offsets_.empty() ? 0 : static_cast<std::size_t>(edge_offsets_.back());
  }
  constexpr std::size_t num_node_types() const noexcept {
    return node_offsets_.empty() ? 0 : node_offsets_.size() - 1;
  }
  constexpr std::size_t num_edge_types() const noexcept { return relations_.size(); }
  /// @}
  /// [T+1] first homogenized ID of each node type.
  constexpr std::span<const std::uint64_t> node_type_offsets() const noexcept {
    return node_offsets_;
  }
  /// [R+1] first homogenized ID of each edge type.
  constexpr std::span<const std::uint64_t> edge_type_offsets() const noexcept {
    return edge_offsets_;
  }
  /// [R] as passed.
  constexpr std::span<const relation_view<Node>> relations() const noexcept { return relations_; }

  /// f(u, v, e) in homogenized IDs, e ascending.
  template <class F>
  constexpr void for_each_edge(F&& f) const {
    std::uint64_t e = 0;
    for (const auto& relation : relations_) {
      // Unsigned sums: what validate() would reject must not overflow either.
      const std::uint64_t source_base = node_offsets_[relation.source_type];
      const std::uint64_t target_base = node_offsets_[relation.target_type];
      for (std::size_t i = 0; i < relation.source.size(); ++i, ++e) {
        f(static_cast<Node>(static_cast<std::uint64_t>(relation.source[i]) + source_base),
          static_cast<Node>(static_cast<std::uint64_t>(relation.target[i]) + target_base),
          static_cast<Edge>(e));
      }
    }
  }

  /// ok; mismatch at r: relation r's columns differ in length, name an unknown type, or disagree
  /// with edge_offsets; malformed at t: node_offsets decrease at type t, or offsets do not start at
  /// 0; out_of_range at e: an endpoint of homogenized edge e is not a node of its type; overflow:
  /// Node or Edge cannot number them all. @complexity O(T + E)
  constexpr status validate() const noexcept {
    if (num_nodes() > id_capacity<Node>()) return status::overflow.at(num_nodes());
    if (num_edges() > id_capacity<Edge>()) return status::overflow.at(num_edges());
    if (edge_offsets_.size() != relations_.size() + 1)
      return status::mismatch.at(relations_.size());
    if (node_offsets_.empty() || node_offsets_[0] != 0 || edge_offsets_[0] != 0)
      return status::malformed.at(0);
    for (std::size_t t = 0; t + 1 < node_offsets_.size(); ++t) {
      if (node_offsets_[t + 1] < node_offsets_[t]) return status::malformed.at(t);
    }
    for (std::size_t r = 0; r < relations_.size(); ++r) {
      const auto& relation = relations_[r];
      if (relation.source.size() != relation.target.size() ||
          relation.source_type >= num_node_types() || relation.target_type >= num_node_types() ||
          edge_offsets_[r + 1] < edge_offsets_[r] ||
          edge_offsets_[r + 1] - edge_offsets_[r] != relation.source.size()) {
        return status::mismatch.at(r);
      }
      const auto sources = node_offsets_[relation.source_type + 1] -
                           node_offsets_[relation.source_type];
      const auto targets = node_offsets_[relation.target_type + 1] -
                           node_offsets_[relation.target_type];
      for (std::size_t i = 0; i < relation.source.size(); ++i) {
        if (index(relation.source[i]) >= sources || index(relation.target[i]) >= targets) {
          return status::out_of_range.at(edge_offsets_[r] + i);
        }
      }
    }
    return status::ok;
  }

 private:
  std::span<const std::uint64_t> node_offsets_{};
  std::span<const std::uint64_t> edge_offsets_{};
  std::span<const relation_view<Node>> relations_{};
};

namespace detail {
template <class G>
concept typed_nodes = requires(const G& g) {
  { g.node_type_offsets() } -> std::convertible_to<std::span<const std::uint64_t>>;
};
template <class G>
concept typed_edges = requires(const G& g) {
  { g.edge_type_offsets() } -> std::convertible_to<std::span<const std::uint64_t>>;
};
}  // namespace detail

/// A graph that knows where each of its types starts: [T+1] and [R+1] offsets of homogenized IDs.
template <class G>
concept typed_graph =
    graph<G> &&
    (detail::typed_nodes<G> ||
     unmet<"typed_graph: needs span<const uint64_t> node_type_offsets() const, [types+1]">()) &&
    (detail::typed_edges<G> ||
     unmet<"typed_graph: needs span<const uint64_t> edge_type_offsets() const, [relations+1]">());

}  // namespace halograph
