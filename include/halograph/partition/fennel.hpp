// SPDX-License-Identifier: BSL-1.0
/// @file fennel.hpp
/// Place each node where most of its neighbours are, less what the part's size costs: Fennel.
/// Layer: partition (span core: no allocation, no exceptions). Words: README.md.
#pragma once

#include <halograph/core/fixed_point.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/greedy_stream.hpp>
#include <halograph/partition/loads.hpp>
#include <halograph/partition/streaming.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halograph {

/// neighbours - cost of the part's load: the score of Fennel with gamma = 3/2, in units of 2^-16.
///
/// Fennel's cost of a part of n_i nodes is alpha n_i^gamma with alpha = m K^(gamma - 1) / n^gamma; a node more costs its
/// derivative, which for gamma = 3/2 is 3/2 (m / n) sqrt(K n_i / n): the graph's mean degree (of m edges) times the
/// square root of the part's load relative to the mean. With loads, n_i and n are sums of loads, and a node costs as many times that as it outweighs
/// the mean node. All in integers: the relative load to 2^-24, its root and the product to 2^-16.
struct fennel_rule {
  std::uint64_t degree = 0;  ///< 3/2 x edges / nodes, in units of 2^-16

  constexpr std::uint64_t burden(const load_table& table, std::size_t row, std::size_t part) const noexcept {
    if (table.total(row) == 0) return 0;
    const std::uint64_t relative = multiply_divide(table.load(row, part), static_cast<std::uint64_t>(table.parts()) << 24, table.total(row));
    return square_root(std::min(relative, (std::uint64_t{1} << 56) - 1) << 8);
  }
  constexpr std::uint64_t weigh(const load_table& table, std::size_t row, std::uint64_t weight, std::uint64_t burden) const noexcept {
    std::uint64_t factor = degree;
    if (weight != 1 || table.nodes(row) != table.total(row)) {
      factor = multiply_divide(multiply_divide(degree, weight, 1), table.nodes(row), std::max<std::uint64_t>(1, table.total(row)));
    }
    return multiply_divide(factor, burden, std::uint64_t{1} << 16);
  }
  constexpr std::int64_t score(std::uint64_t neighbours, std::uint64_t weighed) const noexcept {
    constexpr std::uint64_t most = (std::uint64_t{1} << 46) - 1;
    return static_cast<std::int64_t>(std::min(neighbours, most) << 16) - static_cast<std::int64_t>(std::min(weighed, most << 16));
  }
};

/// Fennel with gamma = 3/2 and its authors' alpha: each node goes to the part with the largest neighbours minus cost of
/// the part's load (fennel_rule) among those with room; the cap is (1 + tolerance) x mean. Where the number of edges is
/// not known beforehand, a guess will do; with 0 the load costs nothing until a part is full.
/// One pass over the nodes, each decided at once; then it stays. A neighbour counts once for each edge, in either
/// direction; loops count for nothing. Without constraints each node type of a typed_graph is balanced on its own
/// (`balance_types`). `parts` must be below the largest Part.
///
/// Decisions are made in integers. Every row of loads stays within its cap while nodes weigh 1 in one row, as they do
/// without constraints; with weights, as far as the last nodes leave it possible.
/// @complexity O(V log K + E) time; stream: O(rows x K) words; assign: rows of neighbours besides (streaming_words)
/// @repeatable yes, on every machine and for every storage of the same edges
/// @source Tsourakakis, Gkantsidis, Radunovic & Vojnovic, "FENNEL: streaming graph partitioning for massive scale graphs",
///         WSDM 2014
template <unsigned_id Part = part_id>
struct basic_fennel {
  using part = Part;
  using stream = greedy_stream<Part, fennel_rule>;
  static constexpr std::string_view name = "fennel";

  std::uint64_t parts = 1;
  double tolerance = default_tolerance;           ///< of nodes (of each type), without constraints
  std::span<const constraint> constraints{};      ///< what to balance
  bool balance_types = true;                      ///< without constraints: balance each node type on its own
  stream_order order = stream_order::natural;     ///< in which assign pushes the nodes
  std::uint64_t seed = 0;                         ///< of the order, where it is shuffled

  /// Words of memory of a stream. @complexity O(1)
  constexpr std::size_t stream_words(const stream_shape& shape) const noexcept {
    return stream::words(parts, node_loads::rows(constraints.size(), balance_types ? shape.node_type_offsets.size() : 0));
  }

  /// @param owner   [V] out: of nodes that have not arrived stream::nobody
  /// @param memory  [stream_words(shape)]
  /// @errors invalid_argument: 0 parts, a negative load or tolerance; overflow: Part cannot name parts + 1 values, or a
  ///         constraint's loads sum to 2^63; mismatch at V: owner or a constraint is not [V]; capacity
  constexpr status begin(const stream_shape& shape, std::span<part> owner, std::span<std::uint64_t> memory, stream& out) const {
    if (owner.size() != shape.nodes) return status::mismatch.at(shape.nodes);
    node_loads loads;
    const auto types = balance_types ? shape.node_type_offsets : std::span<const std::uint64_t>();
    if (const status made = node_loads::make(shape.nodes, constraints, types, tolerance, loads); !made) return made;
    // 3/2 x edges / nodes.
    const fennel_rule rule{multiply_divide(saturating_multiply(shape.edges, 3), std::uint64_t{1} << 15, std::max<std::uint64_t>(1, shape.nodes))};
    return greedy_stream<Part, fennel_rule>::begin(rule, loads, parts, owner, memory, out);
  }

  /// Words of memory that assign needs for g. @complexity that of num_edges(g)
  template <graph G>
  constexpr std::size_t assign_words(const G& g) const {
    return streaming_words<G>(*this, shape_of(g));
  }

  /// @param memory [assign_words(g)]
  /// @errors those of begin; out_of_range: an edge has an end that is no node
  template <graph G>
  constexpr status assign(const G& g, std::span<part> owner, std::span<std::uint64_t> memory) const {
    return assign_by_streaming(*this, g, shape_of(g), owner, memory);
  }

  /// The same in memory of its own. @errors memory
  template <graph G>
  constexpr status assign(const G& g, std::span<part> owner) const {
    if (const status ok = check_parts<part>(parts, num_nodes(g), owner); !ok) return ok;
    std::vector<std::uint64_t> memory(assign_words(g));
    return assign(g, owner, std::span<std::uint64_t>(memory));
  }

  /// The sentence for what assign or begin answered.
  std::string explain(status answer) const { return explain_greedy_stream<Part>(answer, parts); }
};

using fennel = basic_fennel<>;

}  // namespace halograph
