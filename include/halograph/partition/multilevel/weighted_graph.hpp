// SPDX-License-Identifier: BSL-1.0
/// @file weighted_graph.hpp
/// An undirected graph in memory, with weights of edges and loads of nodes: one level of a
/// multilevel partitioner.
/// Layer: partition (allocates; no exceptions of its own). Words: README.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace halograph::detail {

/// In the place of a part: none.
inline constexpr std::uint32_t no_part = ~std::uint32_t{0};

/// Both directions of each edge, no loops.
/// @tparam Word  counts nodes, entries and the sum of all weights: 32 bits where they suffice
template <class Word>
struct weighted_graph {
  std::vector<Word> offsets{0};  // [n+1]
  std::vector<Word> targets{};   // [m]
  std::vector<Word> weights{};   // [m], or empty: 1 each
  // Loads: [n x rows]; or where each node weighs 1 in one row at most, [n] that row, or rows; or
  // neither: 1 each, in one row.
  std::vector<std::uint64_t> loads{};
  std::vector<std::uint16_t> classes{};
  std::size_t rows = 1;
  std::vector<std::uint32_t> fixed{};  // [n] the part that a node must stay in or no_part, or empty

  std::size_t num_nodes() const noexcept { return offsets.size() - 1; }
  std::size_t num_entries() const noexcept { return targets.size(); }
  std::size_t degree(std::size_t v) const noexcept {
    return static_cast<std::size_t>(offsets[v + 1] - offsets[v]);
  }
  std::uint64_t load(std::size_t v, std::size_t row) const noexcept {
    if (!loads.empty()) return loads[v * rows + row];
    return classes.empty() || classes[v] == row ? 1 : 0;
  }
  /// Must v stay in a part?
  bool is_fixed(std::size_t v) const noexcept { return !fixed.empty() && fixed[v] != no_part; }
  /// f(neighbor, weight) for each entry of v's row.
  template <class F>
  void visit(std::size_t v, F&& f) const {
    const auto end = static_cast<std::size_t>(offsets[v + 1]);
    if (weights.empty()) {
      for (auto e = static_cast<std::size_t>(offsets[v]); e < end; ++e)
        f(static_cast<std::size_t>(targets[e]), std::int64_t{1});
    } else {
      for (auto e = static_cast<std::size_t>(offsets[v]); e < end; ++e)
        f(static_cast<std::size_t>(targets[e]), static_cast<std::int64_t>(weights[e]));
    }
  }
  std::int64_t weighted_degree(std::size_t v) const noexcept {
    std::int64_t sum = 0;
    visit(v, [&](std::size_t, std::int64_t w) { sum += w; });
    return sum;
  }
  /// Loads of all nodes. @return [rows]
  std::vector<std::uint64_t> total_loads() const {
    std::vector<std::uint64_t> out(rows);
    for (std::size_t v = 0; v < num_nodes(); ++v) {
      for (std::size_t r = 0; r < rows; ++r) out[r] += load(v, r);
    }
    return out;
  }
  /// Loads of the nodes that may move. @return [rows]
  std::vector<std::uint64_t> free_loads() const {
    std::vector<std::uint64_t> out(rows);
    for (std::size_t v = 0; v < num_nodes(); ++v) {
      if (is_fixed(v)) continue;
      for (std::size_t r = 0; r < rows; ++r) out[r] += load(v, r);
    }
    return out;
  }
};

}  // namespace halograph::detail
