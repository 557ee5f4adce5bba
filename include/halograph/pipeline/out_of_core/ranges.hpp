// SPDX-License-Identifier: BSL-1.0
/// @file ranges.hpp
/// Ranges of IDs: where each type begins, and which parts and nodes belong to each rank.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/core/block_range.hpp>
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

/// Which rank reads which rows of the input: of each type of nodes, or of edges, a share. What a
/// rank knows of its rows is kept in slots, type after type.
class row_readers {
 public:
  /// @param type_offsets  [T+1] where each type begins, by original ID
  row_readers(std::span<const std::uint64_t> type_offsets, std::size_t rank, std::size_t ranks);
  /// Slots of this rank.
  std::uint64_t count() const noexcept { return count_; }
  /// Rows of a type that this rank reads.
  id_range rows(std::size_t type) const noexcept { return own_[type]; }
  /// The slot of a row that this rank reads.
  std::uint64_t slot(std::size_t type, std::uint64_t typed) const noexcept {
    return begin_[type] + (typed - own_[type].begin);
  }
  /// The slot of a row by original ID, or count() where another rank reads it.
  /// @complexity O(log(T*R)), R ranks
  std::uint64_t slot_of(std::uint64_t old) const noexcept {
    const std::size_t block = range_of<std::uint64_t>(blocks_, old), type = block / ranks_;
    return block % ranks_ == rank_ ? begin_[type] + (old - blocks_[block]) : count_;
  }
  /// The rank that reads a row. @param old  original ID  @complexity O(log(T*R))
  std::size_t of(std::uint64_t old) const noexcept {
    return range_of<std::uint64_t>(blocks_, old) % ranks_;
  }

 private:
  std::size_t rank_, ranks_;
  std::vector<std::uint64_t> blocks_{0};  // [T*R+1] where those of each type and rank begin
  std::vector<std::uint64_t> begin_{};    // [T] first slot of each type
  std::vector<id_range> own_{};
  std::uint64_t count_ = 0;
};

}  // namespace halograph::detail

#if !HALOGRAPH_COMPILED
#include <halograph/pipeline/out_of_core/impl/ranges.ipp>
#endif
