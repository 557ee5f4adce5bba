// SPDX-License-Identifier: BSL-1.0
/// @file range.hpp
/// Cut the node IDs into equal runs, one for each part.
/// Layer: partition (no allocation, no exceptions). Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/partition/partitioner.hpp>
#include <halograph/partition/streaming.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace halograph {

/// Run lengths differ by at most one, longer ones first. Good where neighboring IDs are linked
/// already (crawls sorted by URL, meshes); with one node type nothing moves when relabeled.
/// @complexity O(V) time, no memory  @repeatable yes
template <unsigned_id Part = part_id>
struct basic_range_parts {
  using part = Part;                                 ///< see partitioner
  using stream = decided_stream<Part>;               ///< see streaming_partitioner
  static constexpr std::string_view name = "range";  ///< see named_policy
  static constexpr bool reads_edges = false;         ///< see halograph::reads_edges

  std::uint64_t parts = 1;  ///< how many parts to make

  /// @errors invalid_argument: 0 parts; overflow: Part is too narrow; mismatch: owner is not [V]
  template <graph G>
  constexpr status assign(const G& g, std::span<part> owner) const {
    if (const status ok = check_parts<part>(parts, num_nodes(g), owner); !ok) return ok;
    const std::uint64_t shorter = owner.size() / parts, longer_runs = owner.size() % parts;
    std::size_t v = 0;
    for (std::uint64_t p = 0; p < parts && v < owner.size(); ++p) {
      const std::uint64_t length = shorter + (p < longer_runs ? 1 : 0);
      for (std::uint64_t i = 0; i < length; ++i, ++v) owner[v] = static_cast<part>(p);
    }
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

using range_parts = basic_range_parts<>;  ///< of part_id

}  // namespace halograph
