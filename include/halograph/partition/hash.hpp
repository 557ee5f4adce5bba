// SPDX-License-Identifier: BSL-1.0
/// @file hash.hpp
/// Compute the part of a node from its ID, so that nothing need be stored.
/// Layer: partition (no allocation, no exceptions). Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/core/random.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/partition/partitioner.hpp>
#include <halograph/partition/streaming.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace halograph {

/// Part = a hash of the ID, scaled to the number of parts. Any machine finds the owner of any node
/// without a table, also of nodes that arrive later; part sizes vary as random draws do.
/// @complexity O(V) time, no memory  @repeatable yes, on every machine
template <unsigned_id Part = part_id>
struct basic_hash_parts {
  using part = Part;                                ///< see partitioner
  using stream = decided_stream<Part>;              ///< see streaming_partitioner
  static constexpr std::string_view name = "hash";  ///< see named_policy
  static constexpr bool reads_edges = false;        ///< see halograph::reads_edges

  std::uint64_t parts = 1;  ///< how many parts to make
  std::uint64_t seed = 0;   ///< equal seeds give equal parts

  /// The part of one node. @pre parts > 0 and parts fits `part` @complexity O(1)
  constexpr part operator()(std::uint64_t node) const noexcept {
    // One round of SplitMix64's scrambler maps 0 to 0; the added constants keep the seed and the ID
    // apart.
    const std::uint64_t scrambled = mix(mix(seed + 0x9E3779B97F4A7C15ull) + node);
    return static_cast<part>(multiply_high(scrambled, parts));
  }

  /// @errors invalid_argument: 0 parts; overflow: Part is too narrow; mismatch: owner is not [V]
  template <graph G>
  constexpr status assign(const G& g, std::span<part> owner) const {
    if (const status ok = check_parts<part>(parts, num_nodes(g), owner); !ok) return ok;
    for (std::size_t v = 0; v < owner.size(); ++v) owner[v] = (*this)(v);
    return status::ok;
  }

  /// As a streaming_partitioner: no memory besides the owners, which are set at once.
  static constexpr std::size_t stream_scratch_size(const stream_shape&) noexcept { return 0; }
  /// Start a stream. @errors those of assign
  constexpr status begin(const stream_shape& shape, std::span<part> owner, std::span<std::uint64_t>,
                         stream& out) const {
    return stream::begin(*this, shape, owner, out);
  }
};

using hash_parts = basic_hash_parts<>;  ///< of part_id

}  // namespace halograph
