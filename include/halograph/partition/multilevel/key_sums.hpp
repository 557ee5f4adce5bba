// SPDX-License-Identifier: BSL-1.0
/// @file key_sums.hpp
/// Sums of weights by key, for the few keys of one row.
/// Layer: partition (allocates; no exceptions of its own). Words: README.md.
#pragma once

#include <halograph/core/random.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace halograph::detail {

/// Sums by key, of a few keys at a time.
class key_sums {
 public:
  /// @param most  keys at a time
  void reserve(std::size_t most) {
    const std::size_t wanted = std::bit_ceil(2 * most + 2);
    if (wanted <= slots_.size()) return;
    slots_.assign(wanted, {});
    used_.clear();
  }
  void add(std::uint64_t key, std::uint64_t weight) {
    std::size_t at = static_cast<std::size_t>(mix(key)) & (slots_.size() - 1);
    while (slots_[at].taken && slots_[at].key != key) at = (at + 1) & (slots_.size() - 1);
    if (!slots_[at].taken) {
      slots_[at] = {key, 0, true};
      used_.push_back(at);
    }
    slots_[at].sum += weight;
  }
  std::size_t size() const noexcept { return used_.size(); }
  /// f(key, sum) in any order, and forget them.
  template <class F>
  void take(F&& f) {
    for (const std::size_t at : used_) {
      f(slots_[at].key, slots_[at].sum);
      slots_[at].taken = false;
    }
    used_.clear();
  }

 private:
  struct slot {
    std::uint64_t key = 0, sum = 0;
    bool taken = false;
  };
  std::vector<slot> slots_{};
  std::vector<std::size_t> used_{};
};

}  // namespace halograph::detail
