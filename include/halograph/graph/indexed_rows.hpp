// SPDX-License-Identifier: BSL-1.0
/// @file indexed_rows.hpp
/// Rows of a standard container with the ID at which each row starts: what out-adjacency needs.
/// Layer: graph (allocates one array). Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/graph/concepts.hpp>

#include <cstddef>
#include <cstdint>
#include <ranges>
#include <vector>

namespace halograph {

/// A vector of vectors, or any other range of ranges of IDs, as out-adjacency: the rows themselves
/// do not tell how many edges come before one. A view of the rows and an array of [V]. assign()
/// makes it where a policy walks along out-edges and is given such rows.
/// @complexity making it: O(V), O(V + E) where rows do not know their size
template <class Rows>
  requires detail::adjacency_rows<Rows>
class indexed_rows {
 public:
  using node_id = node_id_t<Rows>;  ///< see graph_traits
  using edge_id = std::uint64_t;    ///< see graph_traits

  /// @param rows  must outlive the view and keep the lengths of its rows
  explicit indexed_rows(const Rows& rows) : rows_(&rows) {
    first_.reserve(halograph::num_nodes(rows));
    for (const auto& row : rows) {
      first_.push_back(edges_);
      edges_ += static_cast<std::uint64_t>(std::ranges::distance(row));
    }
  }
  explicit indexed_rows(const Rows&&) = delete;  // would be destroyed before it is walked

  /// @{
  /// The calls of `edge_list`; edge IDs ascend along the rows.
  std::size_t num_nodes() const noexcept { return first_.size(); }
  std::size_t num_edges() const noexcept { return static_cast<std::size_t>(edges_); }
  static constexpr bool edge_id_is_position() noexcept { return true; }
  template <class F>
  void for_each_edge(F&& f) const {
    halograph::for_each_edge(*rows_, f);
  }
  /// @}
  /// @pre u < V
  template <id AnyNode, class F>
  void for_each_out_edge(AnyNode u, F&& f) const {
    std::uint64_t e = first_[index(u)];
    const auto& row = std::ranges::begin(*rows_)[static_cast<std::ptrdiff_t>(index(u))];
    for (const auto& entry : row) f(detail::target_of(entry), e++);
  }

 private:
  const Rows* rows_;
  std::vector<std::uint64_t> first_{};  // [V] edges before each row
  std::uint64_t edges_ = 0;
};

}  // namespace halograph
