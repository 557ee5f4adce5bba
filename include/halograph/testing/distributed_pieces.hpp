// SPDX-License-Identifier: BSL-1.0
/// @file distributed_pieces.hpp
/// Distribute any graph over ranks, to test code that takes a distributed_graph_view.
/// Layer: testing. Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/graph/symmetrize.hpp>
#include <halograph/partition/distributed.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace halograph {

/// The arrays under one rank's distributed_graph_view.
template <id Node = std::uint64_t>
struct distributed_piece {
  /// @{
  /// Members of the same names of @ref distributed_graph_view.
  std::vector<std::uint64_t> ranges{};
  std::vector<std::uint64_t> offsets{};
  std::vector<Node> neighbors{};
  std::vector<std::int64_t> node_weights{}, edge_weights{};
  std::size_t constraints = 1;
  /// @}

  /// Views into this object.
  distributed_graph_view<Node> view() const noexcept {
    return {ranges, offsets, neighbors, node_weights, constraints, edge_weights};
  }
};

/// The undirected view of a graph, without loops and with each pair once: the rows of nodes
/// ranges[rank] to ranges[rank + 1] - 1.
/// @param ranges  [R+1] rising from 0 to V
/// @complexity    O(V + E)
template <id Node = std::uint64_t, graph Graph>
distributed_piece<Node> piece_of(const Graph& g, std::span<const std::uint64_t> ranges,
                                 std::size_t rank) {
  const auto whole = symmetrize<std::uint64_t>(g);
  distributed_piece<Node> out;
  out.ranges.assign(ranges.begin(), ranges.end());
  out.offsets.push_back(0);
  for (auto v = static_cast<std::size_t>(ranges[rank]); v < ranges[rank + 1]; ++v) {
    for (auto i = static_cast<std::size_t>(whole.offsets[v]); i < whole.offsets[v + 1]; ++i)
      out.neighbors.push_back(static_cast<Node>(whole.neighbors[i]));
    out.offsets.push_back(out.neighbors.size());
  }
  return out;
}

}  // namespace halograph
