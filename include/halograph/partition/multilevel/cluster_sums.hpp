// SPDX-License-Identifier: BSL-1.0
/// @file cluster_sums.hpp
/// Sums of a row's weights by the clusters of its neighbors.
/// Layer: partition (allocates; no exceptions of its own). Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/core/random.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace halograph::detail {

/// Weights of one row by the cluster that they go to.
template <class Word>
class cluster_sums {
 public:
  /// Forget everything.
  /// @param most      clusters to come, at most
  /// @param clusters  all are below it
  void start(std::size_t most, std::size_t clusters) {
    for (const Word one : listed_) sums_[index(one)] = 0;
    listed_.clear();
    if (entries_.size() > few) {
      // From the last on: those before it led to its slot.
      for (std::size_t i = entries_.size(); i-- > 0;) slots_[find(entries_[i].cluster)] = 0;
    }
    entries_.clear();
    // A sum for each cluster takes less memory than a hash table of an eighth of them.
    has_all_ = most > few && most >= clusters / 8;
    if (has_all_) {
      if (sums_.size() < clusters) sums_.resize(clusters);
      listed_.reserve(std::min(most, clusters));
    } else if (const std::size_t wanted = std::bit_ceil(2 * most + 2);
               most > few && wanted > slots_.size()) {
      slots_.assign(wanted, 0);
    }
  }
  /// @param weight  > 0
  void add(Word cluster, std::int64_t weight) {
    if (has_all_) {
      std::int64_t& sum = sums_[index(cluster)];
      if (sum == 0) listed_.push_back(cluster);
      sum += weight;
      return;
    }
    if (entries_.size() <= few) {
      for (entry& one : entries_) {
        if (one.cluster != cluster) continue;
        one.sum += weight;
        return;
      }
      entries_.push_back({cluster, weight});
      if (entries_.size() <= few) return;
      for (std::size_t i = 0; i < entries_.size(); ++i)
        slots_[find(entries_[i].cluster)] = static_cast<std::uint32_t>(i + 1);
      return;
    }
    std::uint32_t& slot = slots_[find(cluster)];
    if (slot == 0) {
      entries_.push_back({cluster, weight});
      slot = static_cast<std::uint32_t>(entries_.size());
    } else {
      entries_[slot - 1].sum += weight;
    }
  }
  std::size_t size() const noexcept { return entries_.size() + listed_.size(); }
  /// f(cluster, sum), in the order in which they came.
  template <class F>
  void visit(const F& f) const {
    for (const entry& one : entries_) f(one.cluster, one.sum);
    for (const Word one : listed_) f(one, sums_[index(one)]);
  }
  std::int64_t of(Word cluster) const noexcept {
    if (has_all_) return sums_[index(cluster)];
    if (entries_.size() > few) {
      const std::uint32_t slot = slots_[find(cluster)];
      return slot == 0 ? 0 : entries_[slot - 1].sum;
    }
    for (const entry& one : entries_) {
      if (one.cluster == cluster) return one.sum;
    }
    return 0;
  }

 private:
  struct entry {
    Word cluster = 0;
    std::int64_t sum = 0;
  };
  static constexpr std::size_t few = 12;  // searched one by one

  /// The slot of a cluster, or the free one where it belongs.
  std::size_t find(Word cluster) const noexcept {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = static_cast<std::size_t>(mix(cluster)) & mask;
    while (slots_[at] != 0 && entries_[slots_[at] - 1].cluster != cluster) at = (at + 1) & mask;
    return at;
  }

  std::vector<entry> entries_{};
  std::vector<std::uint32_t> slots_{};  // entry + 1, or 0: free
  // Instead of these, where many clusters may come: a sum for each, and those that have come.
  std::vector<std::int64_t> sums_{};
  std::vector<Word> listed_{};
  bool has_all_ = false;
};

}  // namespace halograph::detail
