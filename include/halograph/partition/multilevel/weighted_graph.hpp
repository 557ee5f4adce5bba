// SPDX-License-Identifier: BSL-1.0
/// @file weighted_graph.hpp
/// An undirected graph in memory, with weights of edges and loads of nodes: one level of a
/// multilevel partitioner, and its packed form while another level is at work.
/// Layer: partition (allocates; no exceptions of its own). Words: README.md.
#pragma once

#include <halograph/core/executor.hpp>
#include <halograph/core/large_pages.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace halograph::detail {

/// In the place of a part: none.
inline constexpr std::uint32_t no_part = ~std::uint32_t{0};

/// Loads of nodes, or sums of them: 4 bytes each where the sum of all fits 32 bits, else 8.
class load_array {
 public:
  std::size_t size() const noexcept { return is_narrow_ ? narrow_.size() : wide_.size(); }
  bool empty() const noexcept { return size() == 0; }
  /// Is the sum of all known to fit 32 bits?
  bool is_narrow() const noexcept { return is_narrow_; }
  std::uint64_t operator[](std::size_t i) const noexcept {
    return is_narrow_ ? narrow_[i] : wide_[i];
  }
  /// All 0. @param narrow  will the sum of those of a row always fit 32 bits?
  void assign(std::size_t count, bool narrow) {
    *this = {};
    is_narrow_ = narrow;
    resize(count);
  }
  void resize(std::size_t count) { is_narrow_ ? narrow_.resize(count) : wide_.resize(count); }
  void push_back(std::uint64_t load) {
    is_narrow_ ? narrow_.push_back(static_cast<std::uint32_t>(load)) : wide_.push_back(load);
  }
  void set(std::size_t i, std::uint64_t load) noexcept {
    if (is_narrow_)
      narrow_[i] = static_cast<std::uint32_t>(load);
    else
      wide_[i] = load;
  }
  void add(std::size_t i, std::uint64_t load) noexcept { set(i, (*this)[i] + load); }
  void subtract(std::size_t i, std::uint64_t load) noexcept { set(i, (*this)[i] - load); }

 private:
  std::vector<std::uint32_t> narrow_{};
  std::vector<std::uint64_t> wide_{};
  bool is_narrow_ = false;
};

/// Both directions of each edge, no loops.
/// @tparam Word  counts nodes, entries and the sum of all weights: 32 bits where they suffice
template <class Word>
struct weighted_graph {
  uninitialized_vector<Word> offsets{0};  // [n+1]
  uninitialized_vector<Word> targets{};   // [m]
  uninitialized_vector<Word> weights{};   // [m], or empty: 1 each
  // Of the first class_rows rows each node weighs 1 in one at most: [n] that row, or class_rows;
  // of the other rows, [n x others] loads. Where there is neither: 1 each, in one row.
  load_array loads{};
  std::vector<std::uint16_t> classes{};
  std::size_t rows = 1;
  std::size_t class_rows = 0;
  std::vector<std::uint32_t> fixed{};  // [n] the part that a node must stay in or no_part, or empty

  std::size_t num_nodes() const noexcept { return offsets.size() - 1; }
  std::size_t num_entries() const noexcept { return targets.size(); }
  std::size_t degree(std::size_t v) const noexcept {
    return static_cast<std::size_t>(offsets[v + 1] - offsets[v]);
  }
  std::uint64_t load(std::size_t v, std::size_t row) const noexcept {
    if (row < class_rows) return classes[v] == row ? 1 : 0;
    return loads.empty() ? 1 : loads[v * (rows - class_rows) + (row - class_rows)];
  }
  /// Does every node weigh 1, in one row?
  bool weighs_one() const noexcept { return loads.empty() && class_rows == 0; }
  /// Do sums of loads fit 32 bits?
  bool loads_are_narrow() const noexcept {
    return num_nodes() <= 0xFFFFFFFFu && (loads.empty() || loads.is_narrow());
  }
  /// Must v stay in a part?
  bool is_fixed(std::size_t v) const noexcept { return !fixed.empty() && fixed[v] != no_part; }
  /// f(neighbor, weight) for each entry of v's row.
  template <class F>
  void visit(std::size_t v, F&& f) const {
    const auto end = static_cast<std::size_t>(offsets[v + 1]);
    if (weights.empty()) {
      for (auto e = static_cast<std::size_t>(offsets[v]); e < end; ++e)
        f(static_cast<std::size_t>(targets[e]), std::int64_t{1});
    } else {
      for (auto e = static_cast<std::size_t>(offsets[v]); e < end; ++e)
        f(static_cast<std::size_t>(targets[e]), static_cast<std::int64_t>(weights[e]));
    }
  }
  std::int64_t weighted_degree(std::size_t v) const noexcept {
    std::int64_t sum = 0;
    visit(v, [&](std::size_t, std::int64_t w) { sum += w; });
    return sum;
  }
  /// Loads of all nodes. @return [rows]
  std::vector<std::uint64_t> total_loads() const {
    std::vector<std::uint64_t> out(rows);
    for (std::size_t v = 0; v < num_nodes(); ++v) {
      for (std::size_t r = 0; r < rows; ++r) out[r] += load(v, r);
    }
    return out;
  }
  /// Loads of the nodes that may move. @return [rows]
  std::vector<std::uint64_t> free_loads() const {
    std::vector<std::uint64_t> out(rows);
    for (std::size_t v = 0; v < num_nodes(); ++v) {
      if (is_fixed(v)) continue;
      for (std::size_t r = 0; r < rows; ++r) out[r] += load(v, r);
    }
    return out;
  }
};

/// Some rows of a weighted_graph in a few bits for each entry: a target takes as many as the
/// largest node, a weight as many as make the whole small.
template <class Word>
class packed_rows {
 public:
  packed_rows() = default;
  /// @param target_bits  that hold every target
  packed_rows(std::span<const Word> targets, std::span<const Word> weights, unsigned target_bits)
      : size_(targets.size()), target_bits_(target_bits) {
    std::array<std::size_t, full + 1> wider{};  // weights that need more bits
    for (const Word w : weights) ++wider[w == 0 ? full - 1 : index_of_width(w)];
    for (std::size_t b = full; b-- > 0;) wider[b] += wider[b + 1];
    const auto bits_with = [&](unsigned b) {
      return std::uint64_t{size_} * (target_bits_ + b) + std::uint64_t{wider[b]} * full;
    };
    for (unsigned b = 2; b < full; ++b) {
      if (bits_with(b) < bits_with(weight_bits_)) weight_bits_ = b;
    }
    bits_.resize(static_cast<std::size_t>((bits_with(weight_bits_) + 63) / 64));
    std::uint64_t at = 0;
    const unsigned both = target_bits_ + weight_bits_;
    for (std::size_t e = 0; e < size_; ++e) {
      const std::uint64_t target = targets[e], weight = weights[e];
      const std::uint64_t few = weight >> weight_bits_ == 0 ? weight : 0;
      if (both <= 64) {
        at = put(at, target << weight_bits_ | few, both);
      } else {
        at = put(at, few, weight_bits_);
        at = put(at, target, target_bits_);
      }
      if (few == 0) at = put(at, weight, full);
    }
  }

  std::size_t size() const noexcept { return size_; }
  /// @param targets, weights  [size()] out
  void unpack(std::span<Word> targets, std::span<Word> weights) const {
    std::uint64_t at = 0;
    const unsigned both = target_bits_ + weight_bits_;
    for (std::size_t e = 0; e < size_; ++e) {
      std::uint64_t few = 0, target = 0;
      if (both <= 64) {
        const std::uint64_t word = get(at, both);
        at += both;
        target = word >> weight_bits_;
        few = word & mask(weight_bits_);
      } else {
        few = get(at, weight_bits_);
        target = get(at + weight_bits_, target_bits_);
        at += both;
      }
      targets[e] = static_cast<Word>(target);
      weights[e] = static_cast<Word>(few);
      if (few != 0) continue;
      weights[e] = static_cast<Word>(get(at, full));
      at += full;
    }
  }

 private:
  static constexpr unsigned full = std::numeric_limits<Word>::digits;

  static constexpr std::size_t index_of_width(Word w) noexcept {
    return static_cast<std::size_t>(std::bit_width(w)) - 1;
  }
  static constexpr std::uint64_t mask(unsigned count) noexcept {
    return ~std::uint64_t{0} >> (64 - count);
  }
  /// @return where the next number goes
  std::uint64_t put(std::uint64_t at, std::uint64_t number, unsigned count) noexcept {
    const auto word = static_cast<std::size_t>(at / 64);
    const auto shift = static_cast<unsigned>(at % 64);
    bits_[word] |= number << shift;
    if (shift + count > 64) bits_[word + 1] |= number >> (64 - shift);
    return at + count;
  }
  std::uint64_t get(std::uint64_t at, unsigned count) const noexcept {
    const auto word = static_cast<std::size_t>(at / 64);
    const auto shift = static_cast<unsigned>(at % 64);
    std::uint64_t number = bits_[word] >> shift;
    if (shift + count > 64) number |= bits_[word + 1] << (64 - shift);
    return number & mask(count);
  }

  std::vector<std::uint64_t> bits_{};
  std::size_t size_ = 0;  // entries
  unsigned target_bits_ = 1;
  unsigned weight_bits_ = 1;  // 0 in them: the weight follows in full
};

/// A graph whose entries are packed; those of `graph` are there from unpack() to drop_entries().
template <class Word>
struct packed_graph {
  weighted_graph<Word> graph{};
  std::vector<packed_rows<Word>> slices{};  // of the entries, one after the other

  /// @param last  are the packed entries not needed any more?
  void unpack(executor_ref threads, bool last) {
    std::vector<std::size_t> start(1);
    for (const auto& slice : slices) start.push_back(start.back() + slice.size());
    graph.targets.resize(start.back());
    graph.weights.resize(start.back());
    threads.parallel_for(0, slices.size(), 1, [&](std::size_t first, std::size_t end) {
      for (std::size_t i = first; i < end; ++i) {
        slices[i].unpack(std::span(graph.targets).subspan(start[i], slices[i].size()),
                         std::span(graph.weights).subspan(start[i], slices[i].size()));
        if (last) slices[i] = {};
      }
    });
    if (last) slices = {};
  }
  void drop_entries() {
    // Not = {}, which would keep the memory.
    graph.targets = uninitialized_vector<Word>();
    graph.weights = uninitialized_vector<Word>();
  }
};

}  // namespace halograph::detail
