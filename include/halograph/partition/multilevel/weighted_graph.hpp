// SPDX-License-Identifier: BSL-1.0
/// @file weighted_graph.hpp
/// An undirected graph in memory, with weights of edges and loads of nodes: one level of a
/// multilevel partitioner. Its entries are plain, or packed while another level is at work, or
/// decoded whenever they are visited.
/// Layer: partition (allocates; no exceptions of its own). Words: README.md.
#pragma once

#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/large_pages.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/compressed.hpp>
#include <halograph/partition/fixed_point.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace halograph::detail {

/// In the place of a part: none.
inline constexpr std::uint32_t no_part = ~std::uint32_t{0};

/// Loads of nodes, or sums of them: 4 bytes each where the sum of all fits 32 bits, else 8.
class load_array {
 public:
  std::size_t size() const noexcept { return is_narrow_ ? narrow_.size() : wide_.size(); }
  bool empty() const noexcept { return size() == 0; }
  std::uint64_t memory_bytes() const noexcept {
    return 4 * std::uint64_t{narrow_.size()} + 8 * std::uint64_t{wide_.size()};
  }
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

/// Some entries in a few bits each: a target takes as many as the largest node, a weight as many as
/// make the whole small.
template <class Word>
class packed_rows {
 public:
  packed_rows() = default;
  /// @param weights      of the entries, or empty: 1 each
  /// @param target_bits  that hold every target
  packed_rows(std::span<const Word> targets, std::span<const Word> weights, unsigned target_bits)
      : size_(targets.size()), target_bits_(target_bits), weight_bits_(0) {
    std::array<std::size_t, full + 1> wider{};  // weights that need more bits
    for (const Word w : weights) ++wider[w == 0 ? full - 1 : index_of_width(w)];
    for (std::size_t b = full; b-- > 0;) wider[b] += wider[b + 1];
    const auto bits_with = [&](unsigned b) {
      return std::uint64_t{size_} * (target_bits_ + b) + std::uint64_t{wider[b]} * 2 * full;
    };
    if (wider[1] != 0) {
      weight_bits_ = 1;
      for (unsigned b = 2; b < full; ++b) {
        if (bits_with(b) < bits_with(weight_bits_)) weight_bits_ = b;
      }
      heavy_.reserve(wider[weight_bits_]);
      heavy_weights_.reserve(wider[weight_bits_]);
    }
    const unsigned both = target_bits_ + weight_bits_;
    // A word more, so that two can be read wherever an entry begins.
    bits_.resize(static_cast<std::size_t>((std::uint64_t{size_} * both + 63) / 64 + 1));
    std::uint64_t at = 0;
    for (std::size_t e = 0; e < size_; ++e) {
      if (weight_bits_ != 0) {
        const std::uint64_t weight = weights[e];
        const bool light = weight >> weight_bits_ == 0 && weight != 0;
        at = put(at, light ? weight : 0, weight_bits_);
        if (!light) {
          heavy_.push_back(static_cast<Word>(e));
          heavy_weights_.push_back(weights[e]);
        }
      }
      at = put(at, targets[e], target_bits_);
    }
  }

  std::size_t size() const noexcept { return size_; }
  std::uint64_t memory_bytes() const noexcept {
    return 8 * std::uint64_t{bits_.size()} + sizeof(Word) * 2 * std::uint64_t{heavy_.size()};
  }
  /// Entries from `first` on, as many as there is room for.
  /// @param targets, weights  out, of equal sizes
  void unpack(std::size_t first, std::span<Word> targets, std::span<Word> weights) const {
    const unsigned both = target_bits_ + weight_bits_;
    std::uint64_t at = std::uint64_t{first} * both;
    auto heavy = static_cast<std::size_t>(
        std::lower_bound(heavy_.begin(), heavy_.end(), static_cast<Word>(first)) - heavy_.begin());
    for (std::size_t i = 0; i < targets.size(); ++i, at += both) {
      std::uint64_t target = 0, weight = 1;
      if (both <= 64) {
        const std::uint64_t entry = get(at, both);
        target = entry >> weight_bits_;
        if (weight_bits_ != 0) weight = entry & mask(weight_bits_);
      } else {
        weight = get(at, weight_bits_);
        target = get(at + weight_bits_, target_bits_);
      }
      targets[i] = static_cast<Word>(target);
      weights[i] = weight != 0 ? static_cast<Word>(weight) : heavy_weights_[heavy++];
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
    // In two steps, since no shift may be 64.
    return (bits_[word] >> shift | bits_[word + 1] << 1 << (63 - shift)) & mask(count);
  }

  std::vector<std::uint64_t> bits_{};
  std::vector<Word> heavy_{}, heavy_weights_{};  // entries with 0 for a weight, ascending
  std::size_t size_ = 0;                         // entries
  unsigned target_bits_ = 1;
  unsigned weight_bits_ = 0;  // 0: all weights are 1
};

/// All entries of a graph, packed in slices of which each thread has its own.
template <class Word>
class packed_entries {
 public:
  packed_entries() = default;
  explicit packed_entries(std::vector<packed_rows<Word>> slices) : slices_(std::move(slices)) {
    for (const auto& slice : slices_) begin_.push_back(begin_.back() + slice.size());
    std::size_t s = 0;
    for (std::size_t e = 0; e < begin_.back(); e += block) {
      while (begin_[s + 1] <= e) ++s;
      slice_of_block_.push_back(s);
    }
  }

  bool empty() const noexcept { return slices_.empty(); }
  std::size_t size() const noexcept { return begin_.back(); }
  std::uint64_t memory_bytes() const noexcept {
    std::uint64_t sum = slices_.size() * (sizeof(packed_rows<Word>) + sizeof(std::size_t));
    for (const auto& slice : slices_) sum += slice.memory_bytes();
    return sum;
  }
  /// Entries from `first` on, as many as there is room for. @param targets, weights  out
  void read(std::size_t first, std::span<Word> targets, std::span<Word> weights) const {
    if (targets.empty()) return;
    std::size_t s = slice_of_block_[first / block];
    while (begin_[s + 1] <= first) ++s;
    for (;; ++s) {
      const std::size_t count = std::min(targets.size(), begin_[s + 1] - first);
      slices_[s].unpack(first - begin_[s], targets.first(count), weights.first(count));
      targets = targets.subspan(count);
      weights = weights.subspan(count);
      if (targets.empty()) return;
      first += count;
    }
  }
  /// All entries. @param forget  slice after slice, as it is unpacked
  void unpack(std::span<Word> targets, std::span<Word> weights, bool forget, executor_ref threads) {
    threads.parallel_for(0, slices_.size(), 1, [&](std::size_t first, std::size_t end) {
      for (std::size_t i = first; i < end; ++i) {
        slices_[i].unpack(0, targets.subspan(begin_[i], slices_[i].size()),
                          weights.subspan(begin_[i], slices_[i].size()));
        if (forget) slices_[i] = {};
      }
    });
    if (forget) *this = {};
  }

 private:
  static constexpr std::size_t block = std::size_t{1} << 12;

  std::vector<packed_rows<Word>> slices_{};
  std::vector<std::size_t> begin_{0};          // first entry of each slice
  std::vector<std::size_t> slice_of_block_{};  // that has the block's first entry
};

/// Both directions of each edge, no loops.
/// @tparam Word  counts nodes, entries and the sum of all weights: 32 bits where they suffice
template <class Word>
struct weighted_graph {
  uninitialized_vector<Word> offsets{0};  // [n+1], or empty: see `coded`
  // The entries: plain, or packed, or both.
  uninitialized_vector<Word> targets{};  // [m]
  uninitialized_vector<Word> weights{};  // [m], or empty: 1 each
  packed_entries<Word> packed{};
  // Without offsets: all rows, without weights.
  compressed_csr<Word> coded{};
  // Of the first class_rows rows each node weighs 1 in one at most: [n] that row, or class_rows;
  // of the other rows, [n x others] loads. Where there is neither: 1 each, in one row.
  load_array loads{};
  std::vector<std::uint16_t> classes{};
  std::size_t rows = 1;
  std::size_t class_rows = 0;
  std::vector<std::uint32_t> fixed{};  // [n] the part that a node must stay in or no_part, or empty

  std::size_t num_nodes() const noexcept {
    return offsets.empty() ? coded.num_nodes() : offsets.size() - 1;
  }
  std::size_t num_entries() const noexcept { return row_begin(num_nodes()); }
  /// Entries before a row. @pre v <= n
  std::size_t row_begin(std::size_t v) const noexcept {
    return offsets.empty() ? coded.row_begin(v) : static_cast<std::size_t>(offsets[v]);
  }
  std::size_t degree(std::size_t v) const noexcept {
    return offsets.empty() ? coded.degree(v)
                           : static_cast<std::size_t>(offsets[v + 1] - offsets[v]);
  }
  std::uint64_t memory_bytes() const noexcept {
    return sizeof(Word) * (std::uint64_t{offsets.size()} + targets.size() + weights.size()) +
           packed.memory_bytes() + coded.memory_bytes() + loads.memory_bytes() +
           sizeof(std::uint16_t) * std::uint64_t{classes.size()};
  }
  /// Must entries be decoded to be visited?
  bool is_compressed() const noexcept { return targets.empty() && num_entries() != 0; }
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

  /// Entries of a row, a few at a time, whatever form they have.
  class row_reader {
   public:
    row_reader(const weighted_graph& g, std::size_t v) : g_(g) {
      if (g.offsets.empty()) {
        coded_ = g.coded.read_row(v);
      } else {
        at_ = g.row_begin(v);
        left_ = g.degree(v);
      }
    }
    /// @return how many entries there are in `targets` and `weights`; 0: the row has ended
    std::size_t next() {
      if (g_.offsets.empty()) {
        const std::size_t count = coded_.next(targets);
        std::fill_n(weights.begin(), count, Word{1});
        return count;
      }
      const std::size_t count = std::min(left_, targets.size());
      g_.packed.read(at_, std::span(targets).first(count), std::span(weights).first(count));
      at_ += count;
      left_ -= count;
      return count;
    }

    std::array<Word, 64> targets;
    std::array<Word, 64> weights;

   private:
    const weighted_graph& g_;
    typename compressed_csr<Word>::row_reader coded_{};
    std::size_t at_ = 0, left_ = 0;
  };
  /// f(neighbor, weight) for each entry of v's row.
  template <class F>
  void visit(std::size_t v, F&& f) const {
    if (targets.empty()) {
      row_reader some(*this, v);
      while (const std::size_t count = some.next()) {
        for (std::size_t i = 0; i < count; ++i)
          f(static_cast<std::size_t>(some.targets[i]), static_cast<std::int64_t>(some.weights[i]));
      }
      return;
    }
    const auto end = static_cast<std::size_t>(offsets[v + 1]);
    if (weights.empty()) {
      for (auto e = static_cast<std::size_t>(offsets[v]); e < end; ++e)
        f(static_cast<std::size_t>(targets[e]), std::int64_t{1});
    } else {
      for (auto e = static_cast<std::size_t>(offsets[v]); e < end; ++e)
        f(static_cast<std::size_t>(targets[e]), static_cast<std::int64_t>(weights[e]));
    }
  }
  /// Does f hold for each neighbor of v? Asks no further than the first for which it does not.
  template <class F>
  bool all_neighbors(std::size_t v, F&& f) const {
    if (targets.empty()) {
      row_reader some(*this, v);
      while (const std::size_t count = some.next()) {
        for (std::size_t i = 0; i < count; ++i) {
          if (!f(static_cast<std::size_t>(some.targets[i]))) return false;
        }
      }
      return true;
    }
    const auto end = static_cast<std::size_t>(offsets[v + 1]);
    for (auto e = static_cast<std::size_t>(offsets[v]); e < end; ++e) {
      if (!f(static_cast<std::size_t>(targets[e]))) return false;
    }
    return true;
  }
  /// The i-th neighbor of v. @complexity O(1), in coded rows O(i)
  std::size_t neighbor(std::size_t v, std::size_t i) const {
    if (!targets.empty()) return static_cast<std::size_t>(targets[row_begin(v) + i]);
    if (!offsets.empty()) {
      Word target = 0, weight = 0;
      packed.read(row_begin(v) + i, std::span(&target, 1), std::span(&weight, 1));
      return static_cast<std::size_t>(target);
    }
    row_reader some(*this, v);
    for (std::size_t count = some.next(); i >= count; count = some.next()) i -= count;
    return static_cast<std::size_t>(some.targets[i]);
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
    if (weighs_one() && fixed.empty()) return {num_nodes()};
    std::vector<std::uint64_t> out(rows);
    for (std::size_t v = 0; v < num_nodes(); ++v) {
      if (is_fixed(v)) continue;
      for (std::size_t r = 0; r < rows; ++r) out[r] += load(v, r);
    }
    return out;
  }

  /// Make plain entries of the packed ones. @param last  are the packed ones not needed any more?
  void unpack(executor_ref threads, bool last) {
    targets.resize(packed.size());
    weights.resize(packed.size());
    packed.unpack(targets, weights, last, threads);
  }
  /// Forget the plain entries.
  void drop_entries() {
    // Not = {}, which would keep the memory.
    targets = uninitialized_vector<Word>();
    weights = uninitialized_vector<Word>();
  }
};

/// Do 32 bits suffice for the numbers of an undirected graph that is made of so many directed
/// edges, or of edges of that weight in all?
constexpr bool counts_in_32_bits(std::uint64_t nodes, std::uint64_t edges) noexcept {
  return nodes < 0xFFFFFFFFu && edges < 0x7FFFFFFFu;
}
/// Bytes of packed entries without weights, and their offsets. @param entries  at most
constexpr std::uint64_t packed_rows_bytes(std::uint64_t nodes, std::uint64_t entries) noexcept {
  const auto bits = static_cast<std::uint64_t>(std::bit_width(nodes));
  const std::uint64_t word = counts_in_32_bits(nodes, entries / 2) ? 4 : 8;
  return saturating_sum(saturating_multiply(entries / 8 + 1, bits),
                        saturating_multiply(nodes, word));
}

/// Packs the rows of an undirected graph without weights, one after the other.
template <class Word>
class row_packer {
 public:
  explicit row_packer(std::size_t nodes) : bits_(static_cast<unsigned>(std::bit_width(nodes))) {
    out_.offsets.reserve(nodes + 1);
  }
  void push(std::span<const Word> neighbors) {
    targets_.insert(targets_.end(), neighbors.begin(), neighbors.end());
    entries_ += neighbors.size();
    out_.offsets.push_back(static_cast<Word>(entries_));
    if (targets_.size() >= slice) pack();
  }
  weighted_graph<Word> finish() {
    if (!targets_.empty()) pack();
    out_.packed = packed_entries<Word>(std::move(slices_));
    return std::move(out_);
  }

 private:
  static constexpr std::size_t slice = std::size_t{1} << 14;

  void pack() {
    slices_.emplace_back(targets_, std::span<const Word>(), bits_);
    targets_.clear();
  }

  weighted_graph<Word> out_{};
  std::vector<packed_rows<Word>> slices_{};
  std::vector<Word> targets_{};
  std::size_t entries_ = 0;
  unsigned bits_;
};

/// Can a policy assign a graph of which the undirected rows are at hand, if it is to compress?
template <class Policy>
concept assigns_rows = requires(const Policy& policy, weighted_graph<std::uint32_t> narrow,
                                weighted_graph<std::uint64_t> wide,
                                std::span<const std::uint64_t> types,
                                std::span<typename Policy::part> owner, executor_ref threads) {
  { policy.compress } -> std::convertible_to<bool>;
  { policy.assign_rows(std::move(narrow), types, owner, threads) } -> std::same_as<status>;
  { policy.assign_rows(std::move(wide), types, owner, threads) } -> std::same_as<status>;
};

/// Some nodes of a graph, with new numbers in the same order, and their rows. No neighbor of theirs
/// is left out.
template <class Word>
struct renumbered_rows {
  using node_id = Word;

  const weighted_graph<Word>& graph;
  std::span<const Word> kept{};   // nodes, or empty: all
  std::span<const Word> place{};  // [n] the new number of each, or empty: its own

  std::size_t num_nodes() const noexcept { return kept.empty() ? graph.num_nodes() : kept.size(); }
  template <class AnyNode, class F>
  void for_each_out_edge(AnyNode u, F&& f) const {
    const std::size_t v = kept.empty() ? index(u) : index(kept[index(u)]);
    graph.visit(v, [&](std::size_t to, std::int64_t) {
      f(place.empty() ? static_cast<Word>(to) : place[to], std::uint64_t{0});
    });
  }
};

/// Code the rows of a graph, or where edges have weights pack its entries.
/// @param kept, place  as renumbered_rows; where edges have weights: empty
template <class Word>
void compress(weighted_graph<Word>& g, std::span<const std::type_identity_t<Word>> kept,
              std::span<const std::type_identity_t<Word>> place, executor_ref threads) {
  if (g.num_entries() == 0) return;
  if (g.weights.empty()) {
    g.coded = compressed_csr<Word>(renumbered_rows<Word>{g, kept, place}, threads);
    g.offsets = uninitialized_vector<Word>();
    g.packed = {};
  } else {
    constexpr std::size_t slice = std::size_t{1} << 14;
    const std::size_t entries = g.num_entries();
    std::vector<packed_rows<Word>> slices((entries + slice - 1) / slice);
    const auto bits = static_cast<unsigned>(std::bit_width(g.num_nodes()));
    threads.parallel_for(0, slices.size(), 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        const std::size_t begin = i * slice, size = std::min(slice, entries - begin);
        slices[i] = packed_rows<Word>(std::span<const Word>(g.targets).subspan(begin, size),
                                      std::span<const Word>(g.weights).subspan(begin, size), bits);
      }
    });
    g.packed = packed_entries<Word>(std::move(slices));
  }
  g.drop_entries();
}

/// The rows of some nodes, with the neighbors that are kept.
/// @param nodes  in order
/// @param place  [n] of g, in `nodes`
/// @param keep   is a neighbor one of `nodes`?
template <class Word, class Keep>
weighted_graph<Word> induced_graph(const weighted_graph<Word>& g, std::span<const Word> nodes,
                                   std::span<const Word> place, const Keep& keep,
                                   executor_ref threads) {
  constexpr std::size_t grain = 256;  // so that hubs beside each other are shared
  weighted_graph<Word> out;
  out.rows = g.rows;
  out.loads.assign(nodes.size() * g.rows, g.loads_are_narrow());
  out.offsets.assign(nodes.size() + 1, Word{0});
  threads.parallel_for(0, nodes.size(), grain, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      std::size_t kept = 0;
      g.visit(index(nodes[i]), [&](std::size_t u, std::int64_t) { kept += keep(u) ? 1u : 0u; });
      out.offsets[i + 1] = static_cast<Word>(kept);
      for (std::size_t r = 0; r < g.rows; ++r)
        out.loads.add(i * g.rows + r, g.load(index(nodes[i]), r));
    }
  });
  for (std::size_t i = 0; i < nodes.size(); ++i)
    out.offsets[i + 1] = static_cast<Word>(out.offsets[i + 1] + out.offsets[i]);
  out.targets.resize(index(out.offsets.back()));
  out.weights.resize(out.targets.size());
  threads.parallel_for(0, nodes.size(), grain, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      auto at = index(out.offsets[i]);
      g.visit(index(nodes[i]), [&](std::size_t u, std::int64_t w) {
        if (!keep(u)) return;
        out.targets[at] = place[u];
        out.weights[at++] = static_cast<Word>(w);
      });
    }
  });
  if (!g.fixed.empty()) {
    for (const Word v : nodes) out.fixed.push_back(g.fixed[index(v)]);
  }
  return out;
}

}  // namespace halograph::detail
