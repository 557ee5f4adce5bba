// SPDX-License-Identifier: BSL-1.0
/// @file row_steps.hpp
/// What threads and ranks do alike with a node's row: sum it by part or by key, and decide in a
/// round of Jet.
/// Layer: partition (allocates; no exceptions of its own). Words: README.md.
#pragma once

#include <halograph/core/executor.hpp>
#include <halograph/core/random.hpp>
#include <halograph/partition/multilevel/weighted_graph.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace halograph::detail {

/// Nodes of a piece of work, where hubs beside each other would leave other threads idle.
inline constexpr std::size_t fine_grain = 256;

/// @param f  of a node; called by several threads
template <class F>
std::int64_t sum_of_nodes(std::size_t nodes, executor_ref threads, const F& f) {
  std::vector<std::int64_t> sums((nodes + fine_grain - 1) / fine_grain);
  threads.parallel_for(0, sums.size(), 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      for (std::size_t v = i * fine_grain; v < std::min(nodes, (i + 1) * fine_grain); ++v)
        sums[i] += f(v);
    }
  });
  return std::accumulate(sums.begin(), sums.end(), std::int64_t{0});
}

/// Sums of weights by part, for one row at a time.
class part_sums {
 public:
  explicit part_sums(std::size_t parts) : sums_(parts), touched_(parts + 1) {}

  /// @param visit  calls add(part, weight) for each entry of a row
  template <class Visit>
  void collect(const Visit& visit) {
    for (const std::uint32_t p : touched()) sums_[p] = 0;
    std::size_t count = 0;
    // Without a branch, which nobody could foresee. A weight of 0 makes none.
    visit([&](std::uint32_t p, std::int64_t w) {
      touched_[count] = p;
      count += sums_[p] == 0 && w != 0 ? 1u : 0u;
      sums_[p] += w;
    });
    count_ = count;
  }
  template <class Word>
  void collect(const weighted_graph<Word>& g, std::span<const std::uint32_t> part, std::size_t v) {
    collect([&](const auto& add) {
      g.visit(v, [&](std::size_t u, std::int64_t w) { add(part[u], w); });
    });
  }
  std::int64_t operator[](std::uint32_t part) const noexcept { return sums_[part]; }
  std::span<const std::uint32_t> touched() const noexcept { return {touched_.data(), count_}; }

 private:
  std::vector<std::int64_t> sums_;      // [K]
  std::vector<std::uint32_t> touched_;  // [K + 1], of which `count_` are
  std::size_t count_ = 0;
};

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

/// Where a node would move, if anywhere, and what that gains.
struct jet_wish {
  std::uint32_t to = no_part;
  std::int64_t gain = 0;
};

/// The part of most neighbors, unless the move loses too much.
/// @param sums      of the node's row
/// @param node      its number, the same for any number of threads or ranks
/// @param boldness  quarters of its weight in its own part that a move may lose
inline jet_wish jet_wish_of(const part_sums& sums, std::uint32_t own, std::uint64_t node,
                            unsigned boldness, std::uint64_t salt) {
  jet_wish out;
  std::int64_t most = 0;
  std::uint64_t most_tie = 0;
  for (const std::uint32_t p : sums.touched()) {
    if (p == own || sums[p] < most) continue;
    const std::uint64_t tie = mix(salt ^ (node * 4099 + p));
    if (sums[p] == most && tie <= most_tie) continue;
    out.to = p;
    most = sums[p];
    most_tie = tie;
  }
  out.gain = most - sums[own];
  const std::int64_t may_lose = sums[own] / 4 * boldness + sums[own] % 4 * boldness / 4;
  if (out.gain < 0 && -out.gain >= may_lose) out.to = no_part;
  return out;
}

/// What an edge of weight w adds to the gain of a node's move, once the neighbors that gain more
/// have moved.
/// @param to, at  where the neighbor would move, if anywhere, and the part that it is in
/// @param gain    gain() of its wish
template <class Gain>
std::int64_t jet_gain_after(std::uint64_t node, const jet_wish& wish, std::uint32_t own,
                            std::uint64_t neighbor, std::uint32_t to, const Gain& gain,
                            std::uint32_t at, std::int64_t w) {
  bool first = false;
  if (to != no_part) {
    const std::int64_t other = gain();
    first = other > wish.gain || (other == wish.gain && neighbor < node);
  }
  const std::uint32_t p = first ? to : at;
  return p == wish.to ? w : p == own ? -w : 0;
}

}  // namespace halograph::detail
