// SPDX-License-Identifier: BSL-1.0
/// @file ranges.hpp
/// Ranges of IDs: where each type begins, and which parts and nodes belong to each rank.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/offsets.hpp>
#include <halograph/core/search.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace halograph::detail {

/// Prefix sums: [T+1] from [T] counts.
inline std::vector<std::uint64_t> offsets_of(std::span<const std::uint64_t> counts) {
  std::vector<std::uint64_t> out{0};
  for (const auto count : counts) out.push_back(out.back() + count);
  return out;
}

/// Which rank owns which parts and, by new ID, which nodes: each owns a range of parts, and so a
/// range of nodes.
class rank_shares {
 public:
  rank_shares() = default;
  /// @param part_begin  [P+1] first node of each part
  rank_shares(std::span<const std::uint64_t> part_begin, std::size_t rank, std::size_t ranks);
  /// The parts of this rank.
  id_range parts() const noexcept { return parts_; }
  /// The nodes of this rank.
  id_range nodes() const noexcept { return {begin_[rank_], begin_[rank_ + 1]}; }
  id_range nodes_of(std::size_t rank) const noexcept { return {begin_[rank], begin_[rank + 1]}; }
  bool owns_node(std::uint64_t node) const noexcept {
    return node - begin_[rank_] < begin_[rank_ + 1] - begin_[rank_];
  }
  /// The rank that owns a node. @complexity O(log R), R ranks
  std::size_t of_node(std::uint64_t node) const noexcept {
    return range_of<std::uint64_t>(begin_, node);
  }

 private:
  std::size_t rank_ = 0;
  id_range parts_{};
  std::vector<std::uint64_t> begin_{0, 0};
};

}  // namespace halograph::detail

#if !HALOGRAPH_COMPILED
#include <halograph/pipeline/out_of_core/impl/ranges.ipp>
#endif
