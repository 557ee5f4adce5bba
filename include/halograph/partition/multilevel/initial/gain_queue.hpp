// SPDX-License-Identifier: BSL-1.0
/// @file gain_queue.hpp
/// Nodes by what moving them gains, the best first.
/// Layer: partition (allocates; no exceptions of its own). Words: README.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace halograph::detail {

/// A binary heap whose entries know their places, so that a node's gain can be changed.
/// @complexity O(log n) to change, O(1) to look
class gain_queue {
 public:
  explicit gain_queue(std::size_t nodes = 0) : place_(nodes, none) {}

  void reserve(std::size_t nodes) { items_.reserve(nodes); }
  bool empty() const noexcept { return items_.empty(); }
  bool has(std::size_t v) const noexcept { return place_[v] != none; }
  std::int64_t gain(std::size_t v) const noexcept { return items_[place_[v]].gain; }
  std::size_t top() const noexcept { return items_[0].node; }
  std::int64_t top_gain() const noexcept { return items_[0].gain; }

  /// Insert v, or change its gain.
  void put(std::size_t v, std::int64_t gain) {
    if (!has(v)) {
      place_[v] = items_.size();
      items_.push_back({gain, v});
      rise(items_.size() - 1);
      return;
    }
    const std::size_t i = place_[v];
    const std::int64_t before = items_[i].gain;
    items_[i].gain = gain;
    if (gain > before)
      rise(i);
    else
      sink(i);
  }
  void pop() {
    place_[items_[0].node] = none;
    const item last = items_.back();
    items_.pop_back();
    if (items_.empty()) return;
    items_[0] = last;
    place_[last.node] = 0;
    sink(0);
  }
  void clear() {
    for (const item& one : items_) place_[one.node] = none;
    items_.clear();
  }

 private:
  struct item {
    std::int64_t gain;
    std::size_t node;
  };
  static constexpr std::size_t none = ~std::size_t{0};

  void set(std::size_t i, const item& one) {
    items_[i] = one;
    place_[one.node] = i;
  }
  void rise(std::size_t i) {
    const item one = items_[i];
    for (; i > 0 && items_[(i - 1) / 2].gain < one.gain; i = (i - 1) / 2)
      set(i, items_[(i - 1) / 2]);
    set(i, one);
  }
  void sink(std::size_t i) {
    const item one = items_[i];
    for (;;) {
      std::size_t child = 2 * i + 1;
      if (child >= items_.size()) break;
      if (child + 1 < items_.size() && items_[child + 1].gain > items_[child].gain) ++child;
      if (items_[child].gain <= one.gain) break;
      set(i, items_[child]);
      i = child;
    }
    set(i, one);
  }

  std::vector<item> items_{};
  std::vector<std::size_t> place_;  // [n] where in items_, or none
};

}  // namespace halograph::detail
