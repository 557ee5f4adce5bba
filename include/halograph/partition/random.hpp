// SPDX-License-Identifier: BSL-1.0
/// @file random.hpp
/// Assign nodes to random parts, repeatably.
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

/// A random part for each node. Cuts about (K-1)/K of all edges: a baseline, and a way to spread
/// load.
///
/// Balanced: part sizes differ by at most one, so that no part is empty while V >= K (a shuffle).
/// Otherwise each node draws on its own, so that the part of node v is a function of
/// (seed, parts, v) alone, whatever the number of nodes.
/// @complexity O(V) time, no memory  @repeatable yes, on every machine
template <unsigned_id Part = part_id>
struct basic_random_parts {
  using part = Part;                                  ///< see partitioner
  using stream = decided_stream<Part>;                ///< see streaming_partitioner
  static constexpr std::string_view name = "random";  ///< see named_policy
  static constexpr bool reads_edges = false;          ///< see halograph::reads_edges

  std::uint64_t parts = 1;  ///< how many parts to make
  std::uint64_t seed = 0;   ///< equal seeds give equal parts
  bool balanced = true;     ///< part sizes differ by at most one

  /// @errors invalid_argument: 0 parts; overflow: Part is too narrow; mismatch: owner is not [V]
  template <graph G>
  constexpr status assign(const G& g, std::span<part> owner) const {
    if (const status ok = check_parts<part>(parts, num_nodes(g), owner); !ok) return ok;
    if (!balanced) {
      for (std::size_t v = 0; v < owner.size(); ++v) {
        owner[v] = static_cast<part>(random_stream::at(seed, v).below(parts));
      }
      return status::ok;
    }
    for (std::size_t v = 0; v < owner.size(); ++v) owner[v] = static_cast<part>(v % parts);
    random_stream draws(seed);
    shuffle(owner, draws);
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

using random_parts = basic_random_parts<>;  ///< of part_id

}  // namespace halograph
