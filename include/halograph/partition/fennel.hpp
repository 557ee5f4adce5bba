// SPDX-License-Identifier: BSL-1.0
/// @file fennel.hpp
/// Fennel: place each node where most of its neighbors are, less a cost of the part's size.
/// Layer: partition (span core: no allocation, no exceptions). Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/partition/fixed_point.hpp>
#include <halograph/partition/greedy_stream.hpp>
#include <halograph/partition/loads.hpp>
#include <halograph/partition/streaming.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace halograph {

/// neighbors - cost of the part's load: the score of Fennel with gamma = 3/2, in units of 2^-16.
///
/// Fennel's cost of a part of n_i nodes is alpha n_i^gamma with alpha = m K^(gamma - 1) / n^gamma;
/// a node more costs its derivative, which for gamma = 3/2 is 3/2 (m / n) sqrt(K n_i / n): the
/// graph's mean degree (of m edges) times the square root of the part's load relative to the mean.
/// With loads, n_i and n are sums of loads, and a node costs as many times that as it outweighs the
/// mean node. All in integers: the relative load to 2^-24, its root and the product to 2^-16.
struct fennel_rule {
  static constexpr std::string_view name = "fennel";  ///< see named_policy
  std::uint64_t degree = 0;                           ///< 3/2 x edges / nodes, in units of 2^-16

  /// The root of K n_i / n for a part, in units of 2^-16.
  constexpr std::uint64_t burden(const load_table& table, std::size_t row,
                                 std::size_t part) const noexcept {
    if (table.total(row) == 0) return 0;
    const std::uint64_t relative = multiply_divide(
        table.load(row, part), static_cast<std::uint64_t>(table.parts()) << 24, table.total(row));
    return square_root(std::min(relative, (std::uint64_t{1} << 56) - 1) << 8);
  }
  /// The cost of a node of `weight` in a part of this burden, in units of 2^-16.
  constexpr std::uint64_t weigh(const load_table& table, std::size_t row, std::uint64_t weight,
                                std::uint64_t burden) const noexcept {
    std::uint64_t factor = degree;
    if (weight != 1 || table.nodes(row) != table.total(row)) {
      factor = multiply_divide(multiply_divide(degree, weight, 1), table.nodes(row),
                               std::max<std::uint64_t>(1, table.total(row)));
    }
    return multiply_divide(factor, burden, std::uint64_t{1} << 16);
  }
  /// Neighbors less cost, in units of 2^-16.
  constexpr std::int64_t score(std::uint64_t neighbors, std::uint64_t weighed) const noexcept {
    constexpr std::uint64_t most = (std::uint64_t{1} << 46) - 1;
    return static_cast<std::int64_t>(std::min(neighbors, most) << 16) -
           static_cast<std::int64_t>(std::min(weighed, most << 16));
  }
  /// 3/2 x edges / nodes.
  static constexpr fennel_rule of(const stream_shape& shape) noexcept {
    return {multiply_divide(saturating_multiply(shape.edges, 3), std::uint64_t{1} << 15,
                            std::max<std::uint64_t>(1, shape.nodes))};
  }
};

/// Fennel with gamma = 3/2 and its authors' alpha: each node goes to the part with the largest
/// neighbors minus cost of the part's load (fennel_rule) among those with room; the cap is (1 +
/// tolerance) x mean. Where the number of edges is not known beforehand, a guess will do; with 0
/// the load costs nothing until a part is full. Members and memory: greedy_partitioner.
/// @complexity O(V log K + E) time; stream: O(rows x K) words; assign: rows of neighbors besides
///     (streaming_scratch_size)
/// @repeatable yes, on every machine and for every storage of the same edges
/// @source Tsourakakis, Gkantsidis, Radunovic & Vojnovic, "FENNEL: streaming graph partitioning for
///     massive scale graphs", WSDM 2014
template <unsigned_id Part = part_id>
using basic_fennel = greedy_partitioner<Part, fennel_rule>;

using fennel = basic_fennel<>;  ///< of part_id

}  // namespace halograph
