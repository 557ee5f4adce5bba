// SPDX-License-Identifier: BSL-1.0
/// @file ldg.hpp
/// Linear deterministic greedy: place each node where most of its neighbors are, weighted by the
/// room of the part.
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

/// neighbors x (1 - load / cap): the score of LDG, in units of 2^-31.
struct ldg_rule {
  static constexpr std::string_view name = "ldg";                 ///< see named_policy
  static constexpr std::uint64_t whole = std::uint64_t{1} << 31;  ///< 1, in units of 2^-31

  /// How full: load / cap.
  constexpr std::uint64_t burden(const load_table& table, std::size_t row,
                                 std::size_t part) const noexcept {
    const std::uint64_t cap = table.cap(row), load = table.load(row, part);
    if (load >= cap) return whole;
    // The quotient of the leading 32 bits.
    const auto width = static_cast<unsigned>(std::bit_width(cap));
    const unsigned shift = width > 32 ? width - 32 : 0;
    return whole - (((cap - load) >> shift) << 31) / (cap >> shift);
  }
  /// The burden: a node's weight does not count.
  constexpr std::uint64_t weigh(const load_table&, std::size_t, std::uint64_t,
                                std::uint64_t burden) const noexcept {
    return burden;
  }
  /// Neighbors x (1 - load / cap), in units of 2^-31.
  constexpr std::int64_t score(std::uint64_t neighbors, std::uint64_t weighed) const noexcept {
    return static_cast<std::int64_t>(std::min<std::uint64_t>(neighbors, 0xFFFFFFFFu) *
                                     (whole - weighed));
  }
  /// The same for every graph.
  static constexpr ldg_rule of(const stream_shape&) noexcept { return {}; }
};

/// Linear deterministic greedy: each node goes to the part with the largest neighbors x (1 - load
/// / cap) among those with room; the cap is (1 + tolerance) x mean. Nodes without neighbors fill
/// the lightest part. Members and memory: greedy_partitioner.
/// @complexity O(V log K + E) time; stream: O(rows x K) words; assign: rows of neighbors besides
///     (streaming_scratch_size)
/// @repeatable yes, on every machine and for every storage of the same edges
/// @source Stanton & Kliot, "Streaming graph partitioning for large distributed graphs", KDD 2012
///     (linear deterministic greedy)
template <unsigned_id Part = part_id>
using basic_ldg = greedy_partitioner<Part, ldg_rule>;

using ldg = basic_ldg<>;  ///< of part_id

}  // namespace halograph
