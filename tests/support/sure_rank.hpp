// SPDX-License-Identifier: BSL-1.0
/// @file sure_rank.hpp
/// Ranks one of which runs out of memory, for tests that all of them end then; and which know how
/// much was exchanged at once.
#pragma once

#include <halograph/testing/thread_ranks.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace halograph::testing {

/// How many allocations of this thread go well before one fails; 0: all do. Heeded where
/// count_allocations.hpp is in the executable.
inline thread_local std::size_t allocations_left = 0;

/// A thread's rank whose own memory is there always, as MPI's is: what fails is the library's.
class sure_rank {
 public:
  explicit sure_rank(const thread_rank& to) : to_(&to) {}
  std::size_t rank() const { return to_->rank(); }
  std::size_t size() const { return to_->size(); }
  status barrier() const {
    return surely([&] { return to_->barrier(); });
  }
  status broadcast(std::span<std::byte> data, std::size_t root) const {
    return surely([&] { return to_->broadcast(data, root); });
  }
  status all_gather(std::span<const std::byte> mine, std::span<std::byte> all) const {
    return surely([&] { return to_->all_gather(mine, all); });
  }
  status all_to_all(std::span<const std::byte> out, std::span<const std::uint64_t> out_counts,
                    std::span<std::byte> in, std::span<const std::uint64_t> in_counts) const {
    most_bytes_ = std::max({most_bytes_, out.size(), in.size()});
    return surely([&] { return to_->all_to_all(out, out_counts, in, in_counts); });
  }
  status sum(std::span<std::uint64_t> values) const {
    return surely([&] { return to_->sum(values); });
  }

  /// The largest all_to_all since the last time this was asked, in bytes out or in.
  std::size_t most_bytes() const { return std::exchange(most_bytes_, 0); }

 private:
  template <class Call>
  static status surely(const Call& call) {
    const std::size_t left = std::exchange(allocations_left, 0);
    const status answer = call();
    allocations_left = left;
    return answer;
  }
  const thread_rank* to_;
  mutable std::size_t most_bytes_ = 0;
};

}  // namespace halograph::testing
