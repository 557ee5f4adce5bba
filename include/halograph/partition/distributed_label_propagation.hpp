// SPDX-License-Identifier: BSL-1.0
/// @file distributed_label_propagation.hpp
/// Partition a graph over any number of ranks with few cut edges, several loads balanced, the same
/// result for any number of them.
/// Layer: partition (allocates what ranks exchange; no exceptions of its own). Words: README.md.
#pragma once

#include <halograph/core/communicator.hpp>
#include <halograph/core/fixed_point.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/random.hpp>
#include <halograph/core/search.hpp>
#include <halograph/core/status.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/distributed.hpp>
#include <halograph/partition/initial_partition.hpp>
#include <halograph/partition/loads.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace halograph {

namespace detail {

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

/// Numbers that take 4 bytes each, or 8 bytes each once one of them needs more than 32 bits.
class packed_words {
 public:
  class iterator {
   public:
    iterator(const packed_words& words, std::size_t i) : words_(&words), i_(i) {}
    std::uint64_t operator*() const { return (*words_)[i_]; }
    iterator& operator++() {
      ++i_;
      return *this;
    }
    bool operator==(const iterator& other) const { return i_ == other.i_; }

   private:
    const packed_words* words_;
    std::size_t i_;
  };

  std::size_t size() const noexcept { return is_wide_ ? wide_.size() : narrow_.size(); }
  bool empty() const noexcept { return size() == 0; }
  std::uint64_t operator[](std::size_t i) const noexcept {
    return is_wide_ ? wide_[i] : narrow_[i];
  }
  iterator begin() const { return {*this, 0}; }
  iterator end() const { return {*this, size()}; }

  void reserve(std::size_t most) {
    if (is_wide_)
      wide_.reserve(most);
    else
      narrow_.reserve(most);
  }
  void push_back(std::uint64_t x) {
    if (!is_wide_ && x >> 32 != 0) widen();
    if (is_wide_)
      wide_.push_back(x);
    else
      narrow_.push_back(static_cast<std::uint32_t>(x));
  }
  void set(std::size_t i, std::uint64_t x) {
    if (!is_wide_ && x >> 32 != 0) widen();
    if (is_wide_)
      wide_[i] = x;
    else
      narrow_[i] = static_cast<std::uint32_t>(x);
  }

 private:
  void widen() {
    wide_.reserve(narrow_.capacity());
    wide_.assign(narrow_.begin(), narrow_.end());
    narrow_ = {};
    is_wide_ = true;
  }

  std::vector<std::uint32_t> narrow_{};
  std::vector<std::uint64_t> wide_{};
  bool is_wide_ = false;
};

/// One rank's piece of a graph on the way from fine to coarse.
struct distributed_level {
  std::vector<std::uint64_t> ranges{};    // [R+1]
  std::vector<std::uint64_t> offsets{0};  // [n+1]
  packed_words targets{};  // [m] below n: of this rank; else n + place among others.wanted()
  packed_words weights{};  // [m], or empty: 1 each
  std::vector<std::uint64_t> loads{};      // [n x rows]; the last row counts the nodes of the graph
  std::vector<std::uint64_t> coarse_of{};  // [n] the node of the next level
  node_pull others{};

  std::size_t num_nodes() const noexcept { return offsets.size() - 1; }
  std::uint64_t everywhere() const noexcept { return ranges.back(); }
  template <class F>
  void visit(std::size_t v, F&& f) const {
    for (auto i = static_cast<std::size_t>(offsets[v]); i < offsets[v + 1]; ++i)
      f(static_cast<std::size_t>(targets[i]), weights.empty() ? 1 : weights[i]);
  }
  std::size_t degree(std::size_t v) const noexcept {
    return static_cast<std::size_t>(offsets[v + 1] - offsets[v]);
  }
  std::size_t largest_degree() const noexcept {
    std::size_t most = 0;
    for (std::size_t v = 0; v < num_nodes(); ++v) most = std::max(most, degree(v));
    return most;
  }
};

/// Coarsen by clusters, cut the coarsest graph, go back and refine. All decisions are made of
/// numbers that are the same everywhere, or of what is said of a node, whoever holds it: no result
/// depends on who holds what.
template <communicator C>
class distributed_multilevel {
 public:
  struct options {
    std::uint32_t parts = 1;
    std::uint64_t seed = 0;
    std::uint32_t rounds = 0;
    std::uint64_t coarsest = 0;          // nodes below which the graph is held whole
    std::uint64_t coarsest_entries = 0;  // beyond these it is not
  };
  /// Nor with more nodes than this, unless it is asked for.
  static constexpr std::uint64_t most_held_whole = std::uint64_t{1} << 18;
  /// @param caps  [rows - 1] what a part may hold   @param rows  loads, and the number of nodes
  distributed_multilevel(const C& ranks, const options& asked, std::vector<std::uint64_t> caps)
      : ranks_(ranks),
        rank_(static_cast<std::size_t>(ranks.rank())),
        size_(static_cast<std::size_t>(ranks.size())),
        asked_(asked),
        caps_(std::move(caps)),
        rows_(caps_.size() + 1) {
    caps_.push_back(~std::uint64_t{0});
  }

  status run(distributed_level finest, std::vector<std::uint64_t>& owner) {
    std::vector<distributed_level> levels;
    levels.push_back(std::move(finest));
    totals_.assign(rows_, 0);
    for (std::size_t i = 0; i < levels[0].loads.size(); ++i)
      totals_[i % rows_] += levels[0].loads[i];
    if (const status told = ranks_.sum(totals_); !told) return told;
    const std::uint64_t enough = std::max<std::uint64_t>(
        asked_.coarsest, std::min(most_held_whole, 64 * std::uint64_t{asked_.parts}));
    for (;;) {
      // One that is small and dense is coarsened on, as far as parts allow.
      std::uint64_t entries = 0;
      if (const status told = entries_everywhere(levels.back(), entries); !told) return told;
      if (levels.back().everywhere() <= enough && entries <= asked_.coarsest_entries) break;
      std::vector<std::uint64_t> label;
      if (const status told = cluster(levels.back(), levels.size(), label); !told) return told;
      distributed_level coarser;
      if (const status told = contract(levels.back(), label, coarser); !told) return told;
      const std::uint64_t before = levels.back().everywhere(), after = coarser.everywhere();
      if (after < 2 * std::uint64_t{asked_.parts} || after > before - before / 16 ||
          after == before)
        break;
      levels.push_back(std::move(coarser));
    }
    const bool coarsened = levels.size() > 1;
    if (const status told = begin(levels.back(), owner); !told) return told;
    if (const status told = refine(levels.back(), levels.size(), owner); !told) return told;
    while (levels.size() > 1) {
      std::vector<std::uint64_t> coarse = std::move(owner);
      levels.pop_back();
      const auto& fine = levels.back();
      // The coarser level's ranges are gone with it, but not its owners' places.
      if (const status told = project(fine, coarse, owner); !told) return told;
      if (const status told = refine(fine, levels.size(), owner); !told) return told;
    }
    // Where clusters do not suit the graph, something simple may be close, and better once it is
    // refined.
    for (const bool by_degree : {true, false}) {
      if (!coarsened) break;
      std::uint64_t best = 0, other = 0;
      if (const status told = measure(levels[0], owner, best); !told) return told;
      const bool sound = !any_overfull(), filled = no_part_is_empty();
      std::vector<std::uint64_t> stripes;
      if (const status told = in_stripes(levels[0], by_degree, stripes); !told) return told;
      if (const status told = measure(levels[0], stripes, other); !told) return told;
      if (other / 4 * 3 > best || (filled && !no_part_is_empty())) continue;
      if (const status told = refine(levels[0], 1, stripes); !told) return told;
      if (const status told = measure(levels[0], stripes, other); !told) return told;
      if (other < best && (!any_overfull() || !sound)) owner = std::move(stripes);
    }
    return status::ok;
  }

 private:
  // ---- clusters
  // ----------------------------------------------------------------------------------

  /// Give each node the ID of a node that leads its cluster. A node that leads stays; one that is
  /// alone asks to join the cluster most of its weight goes to, and whoever holds that leader lets
  /// in the most tied first, as far as it has room.
  status cluster(const distributed_level& g, std::uint64_t level,
                 std::vector<std::uint64_t>& label) {
    const std::size_t nodes = g.num_nodes();
    const std::uint64_t first = g.ranges[rank_];
    std::vector<std::uint64_t> cap;
    if (const status told = cluster_caps(g, cap); !told) return told;
    label.resize(nodes);
    for (std::size_t v = 0; v < nodes; ++v) label[v] = first + v;
    std::vector<std::uint64_t> theirs(g.others.wanted().begin(), g.others.wanted().end());
    std::vector<std::uint64_t> held = g.loads;
    std::vector<bool> leads(nodes), asks(nodes);
    key_sums pull;
    pull.reserve(g.largest_degree());
    constexpr std::uint64_t nobody = ~std::uint64_t{0};
    const auto favorite = [&](std::size_t v, std::uint64_t salt, std::uint64_t& weight) {
      g.visit(v, [&](std::size_t u, std::uint64_t w) {
        pull.add(u < nodes ? label[u] : theirs[u - nodes], w);
      });
      std::uint64_t best = nobody, best_tie = 0;
      weight = 0;
      pull.take([&](std::uint64_t leader, std::uint64_t w) {
        if (leader == first + v || w < weight) return;
        const std::uint64_t tie = keyed(salt, leader);
        if (w == weight && (tie < best_tie || (tie == best_tie && leader > best))) return;
        best = leader;
        best_tie = tie;
        weight = w;
      });
      return best;
    };

    struct wish {
      std::uint64_t leader, weight, tie, node;
      bool operator<(const wish& b) const {
        return std::tie(leader, b.weight, tie, node) < std::tie(b.leader, weight, b.tie, b.node);
      }
    };
    const std::size_t width = 4 + rows_;
    for (std::uint64_t round = 0; round < 6; ++round) {
      const std::uint64_t salt = keyed(keyed(asked_.seed, level), round),
                          half_salt = keyed(keyed(asked_.seed, level), 64 + round / 2);
      std::vector<wish> wishes;
      std::fill(asks.begin(), asks.end(), false);
      for (std::size_t v = 0; v < nodes; ++v) {
        // Half of them at a time: those that ask cannot be joined.
        if (label[v] != first + v || leads[v] || g.degree(v) == 0 ||
            (keyed(half_salt, first + v) & 1) != (round & 1))
          continue;
        std::uint64_t weight = 0;
        const std::uint64_t leader = favorite(v, mix(salt ^ (first + v)), weight);
        if (leader == nobody) continue;
        asks[v] = true;
        wishes.push_back({leader, weight, keyed(salt, first + v), first + v});
      }
      std::sort(wishes.begin(), wishes.end());
      // Behind the first that does not even fit with those of this rank alone none need be sent:
      // the leader refuses that one and, whoever sends them, all behind it.
      std::vector<std::uint64_t> out, counts(size_), sum(rows_);
      std::vector<std::size_t> sent;
      std::size_t to = 0;
      for (std::size_t i = 0, full = 0; i < wishes.size(); ++i) {
        const auto& one = wishes[i];
        if (i == 0 || one.leader != wishes[i - 1].leader) {
          std::fill(sum.begin(), sum.end(), std::uint64_t{0});
          full = 0;
        }
        if (full != 0) continue;
        const auto v = static_cast<std::size_t>(one.node - first);
        for (std::size_t r = 0; r < rows_; ++r) {
          sum[r] += g.loads[v * rows_ + r];
          full += sum[r] > cap[r] ? 1u : 0u;
        }
        while (one.leader >= g.ranges[to + 1]) ++to;
        counts[to] += width;
        sent.push_back(v);
        out.insert(out.end(), {one.leader, one.weight, one.tie, one.node});
        for (std::size_t r = 0; r < rows_; ++r) out.push_back(g.loads[v * rows_ + r]);
      }
      std::vector<std::uint64_t> in, in_counts;
      if (const status told = exchange_words(ranks_, std::span<const std::uint64_t>(out),
                                             std::span<const std::uint64_t>(counts), in, in_counts);
          !told)
        return told;
      std::vector<std::size_t> order(in.size() / width);
      for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
      const auto asked = [&](std::size_t i) {
        return wish{in[i * width], in[i * width + 1], in[i * width + 2], in[i * width + 3]};
      };
      std::sort(order.begin(), order.end(),
                [&](std::size_t a, std::size_t b) { return asked(a) < asked(b); });
      std::vector<std::uint64_t> answers(order.size());
      std::uint64_t joined = 0;
      bool full = false;
      for (std::size_t i = 0; i < order.size(); ++i) {
        const std::uint64_t* one = in.data() + order[i] * width;
        const auto leader = static_cast<std::size_t>(one[0] - first);
        if (i == 0 || one[0] != in[order[i - 1] * width]) full = asks[leader];
        for (std::size_t r = 0; r < rows_ && !full; ++r) {
          full = one[4 + r] != 0 && (held[leader * rows_ + r] > cap[r] ||
                                     one[4 + r] > cap[r] - held[leader * rows_ + r]);
        }
        if (full) continue;
        for (std::size_t r = 0; r < rows_; ++r) held[leader * rows_ + r] += one[4 + r];
        leads[leader] = true;
        answers[order[i]] = 1;
        ++joined;
      }
      for (auto& count : counts) count /= width;
      for (auto& count : in_counts) count /= width;
      std::vector<std::uint64_t> got(sent.size());
      if (const status told = answer_words(ranks_, std::span<const std::uint64_t>(answers),
                                           std::span<const std::uint64_t>(in_counts),
                                           std::span(got), std::span<const std::uint64_t>(counts));
          !told)
        return told;
      for (std::size_t i = 0; i < sent.size(); ++i) {
        if (got[i] != 0) label[sent[i]] = out[i * width];
      }
      if (const status told = g.others.pull(
              ranks_, [&](std::size_t v) { return label[v]; }, theirs);
          !told)
        return told;
      std::array<std::uint64_t, 1> all{joined};
      if (const status told = ranks_.sum(all); !told) return told;
      if ((round & 1) == 1 && all[0] < g.everywhere() / 64) break;
    }

    // What is still alone: together with others that are tied to the same cluster, or to nothing,
    // and near by number.
    std::array<std::uint64_t, 2> alone{};  // of those with neighbors: clusters, nodes
    for (std::size_t v = 0; v < nodes; ++v) {
      if (g.degree(v) == 0) continue;
      ++alone[1];
      alone[0] += label[v] == first + v ? 1u : 0u;
    }
    if (const status told = ranks_.sum(alone); !told) return told;
    const bool stalls = alone[0] > alone[1] - alone[1] / 3;
    const std::size_t short_width = 2 + rows_;
    constexpr unsigned block = 10;
    std::vector<std::uint64_t> out, counts(size_), in, in_counts;
    std::vector<std::size_t> sent;
    std::size_t to = 0;
    for (std::size_t v = 0; v < nodes; ++v) {
      if (label[v] != first + v || leads[v] || (g.degree(v) != 0 && !stalls)) continue;
      std::uint64_t weight = 0;
      const std::uint64_t leader = g.degree(v) == 0
                                       ? nobody
                                       : favorite(v, keyed(asked_.seed, level), weight);
      const std::uint64_t begin = (first + v) >> block << block;
      while (begin >= g.ranges[to + 1]) ++to;
      counts[to] += short_width;
      sent.push_back(v);
      out.insert(out.end(), {leader, first + v});
      for (std::size_t r = 0; r < rows_; ++r) out.push_back(g.loads[v * rows_ + r]);
    }
    if (const status told = exchange_words(ranks_, std::span<const std::uint64_t>(out),
                                           std::span<const std::uint64_t>(counts), in, in_counts);
        !told)
      return told;
    std::vector<std::size_t> order(in.size() / short_width);
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    const auto key = [&](std::size_t i) {
      const std::uint64_t* one = in.data() + i * short_width;
      return std::tuple(one[1] >> block, one[0], one[1]);
    };
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
    std::vector<std::uint64_t> answers(order.size()), sum(rows_);
    std::uint64_t leader = nobody;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::uint64_t* one = in.data() + order[i] * short_width;
      const std::uint64_t* before = i == 0 ? nullptr : in.data() + order[i - 1] * short_width;
      bool joins = before != nullptr && before[0] == one[0] &&
                   before[1] >> block == one[1] >> block;
      for (std::size_t r = 0; r < rows_; ++r)
        joins = joins && (one[2 + r] == 0 || (sum[r] <= cap[r] && one[2 + r] <= cap[r] - sum[r]));
      if (!joins) {
        leader = one[1];
        std::fill(sum.begin(), sum.end(), std::uint64_t{0});
      }
      for (std::size_t r = 0; r < rows_; ++r) sum[r] += one[2 + r];
      answers[order[i]] = leader;
    }
    for (auto& count : counts) count /= short_width;
    for (auto& count : in_counts) count /= short_width;
    std::vector<std::uint64_t> got(sent.size());
    if (const status told = answer_words(ranks_, std::span<const std::uint64_t>(answers),
                                         std::span<const std::uint64_t>(in_counts), std::span(got),
                                         std::span<const std::uint64_t>(counts));
        !told)
      return told;
    for (std::size_t i = 0; i < sent.size(); ++i) label[sent[i]] = got[i];
    return status::ok;
  }

  /// What a cluster may hold: eight nodes of the mean at most, so that levels are not skipped, and
  /// a sixteenth of a part.
  status cluster_caps(const distributed_level& g, std::vector<std::uint64_t>& cap) const {
    std::vector<std::uint64_t> weighed(rows_);
    for (std::size_t i = 0; i < g.loads.size(); ++i)
      weighed[i % rows_] += g.loads[i] != 0 ? 1u : 0u;
    if (const status told = ranks_.sum(weighed); !told) return told;
    cap.resize(rows_);
    for (std::size_t r = 0; r < rows_; ++r) {
      const std::uint64_t mean = weighed[r] == 0 ? 0
                                                 : totals_[r] / weighed[r] +
                                                       (totals_[r] % weighed[r] != 0 ? 1 : 0);
      cap[r] = std::max<std::uint64_t>(
          1,
          std::min(saturating_multiply(8, mean), totals_[r] / (16 * std::uint64_t{asked_.parts})));
    }
    return status::ok;
  }

  // ---- levels
  // ------------------------------------------------------------------------------------

  /// A node for each cluster, numbered in the order of those that lead; held by whoever holds the
  /// leader.
  status contract(distributed_level& g, std::span<const std::uint64_t> label,
                  distributed_level& out) {
    const std::size_t nodes = g.num_nodes();
    const std::uint64_t first = g.ranges[rank_], last = g.ranges[rank_ + 1];
    std::vector<std::uint64_t> number(nodes), all;
    std::uint64_t leaders = 0;
    for (std::size_t v = 0; v < nodes; ++v) {
      number[v] = leaders;
      leaders += label[v] == first + v ? 1u : 0u;
    }
    const std::array<std::uint64_t, 1> mine{leaders};
    if (const status told = gather_words(ranks_, std::span<const std::uint64_t>(mine), all); !told)
      return told;
    out.ranges.assign(size_ + 1, 0);
    for (std::size_t r = 0; r < size_; ++r) out.ranges[r + 1] = out.ranges[r] + all[r];
    const std::uint64_t coarse_first = out.ranges[rank_], coarse_last = out.ranges[rank_ + 1];
    for (auto& n : number) n += coarse_first;
    std::vector<std::uint64_t> theirs;
    {
      node_pull asked;
      if (const status told = asked.make(ranks_, g.ranges, remote_nodes(label, first, last)); !told)
        return told;
      theirs.resize(asked.wanted().size());
      if (const status told = asked.pull(
              ranks_, [&](std::size_t v) { return number[v]; }, theirs);
          !told)
        return told;
      g.coarse_of.resize(nodes);
      for (std::size_t v = 0; v < nodes; ++v) {
        const std::uint64_t leader = label[v];
        g.coarse_of[v] = leader >= first && leader < last
                             ? number[static_cast<std::size_t>(leader - first)]
                             : theirs[asked.place_of(leader)];
      }
    }
    theirs.resize(g.others.wanted().size());
    if (const status told = g.others.pull(
            ranks_, [&](std::size_t v) { return g.coarse_of[v]; }, theirs);
        !told)
      return told;

    // Rows go to their ranks as records: node, entries, loads, then (neighbor, weight) each.
    std::vector<std::size_t> order(nodes);
    for (std::size_t v = 0; v < nodes; ++v) order[v] = v;
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return std::tie(g.coarse_of[a], a) < std::tie(g.coarse_of[b], b);
    });
    std::vector<std::uint64_t> words, counts(size_);
    key_sums sums;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> row;
    // The sums become a row of the coarser graph.
    const auto append_row = [&] {
      row.clear();
      sums.take([&](std::uint64_t other, std::uint64_t w) { row.emplace_back(other, w); });
      std::sort(row.begin(), row.end());
      for (const auto& [other, w] : row) {
        out.targets.push_back(other);
        out.weights.push_back(w);
      }
      out.offsets.push_back(out.targets.size());
    };
    // One rank sends nothing: its rows are final, and they come in order. Reserved memory is not
    // touched before it is used.
    const bool alone = size_ == 1;
    if (alone) {
      out.loads.assign(static_cast<std::size_t>(coarse_last - coarse_first) * rows_, 0);
      out.targets.reserve(g.targets.size());
      out.weights.reserve(g.targets.size());
    } else {
      words.reserve(2 * g.targets.size() + (2 + rows_) * nodes);
    }
    std::size_t to = 0;
    for (std::size_t i = 0; i < nodes;) {
      const std::uint64_t coarse = g.coarse_of[order[i]];
      std::size_t end = i, entries = 0;
      for (; end < nodes && g.coarse_of[order[end]] == coarse; ++end)
        entries += g.degree(order[end]);
      sums.reserve(entries);
      const std::size_t begin = words.size();
      if (!alone) words.resize(begin + 2 + rows_);
      std::uint64_t* const loads = alone
                                       ? out.loads.data() +
                                             static_cast<std::size_t>(coarse - coarse_first) * rows_
                                       : words.data() + begin + 2;
      for (; i < end; ++i) {
        const std::size_t v = order[i];
        for (std::size_t r = 0; r < rows_; ++r) loads[r] += g.loads[v * rows_ + r];
        g.visit(v, [&](std::size_t u, std::uint64_t w) {
          const std::uint64_t other = u < nodes ? g.coarse_of[u] : theirs[u - nodes];
          if (other != coarse) sums.add(other, w);
        });
      }
      if (alone) {
        append_row();
        continue;
      }
      words[begin] = coarse;
      words[begin + 1] = sums.size();
      sums.take(
          [&](std::uint64_t other, std::uint64_t w) { words.insert(words.end(), {other, w}); });
      while (coarse >= out.ranges[to + 1]) ++to;
      counts[to] += words.size() - begin;
    }
    if (alone) return localise(out);
    order = {};
    std::vector<std::uint64_t> in, in_counts;
    if (const status told = exchange_words(ranks_, std::span<const std::uint64_t>(words),
                                           std::span<const std::uint64_t>(counts), in, in_counts);
        !told)
      return told;
    words = {};
    out.targets.reserve(in.size() / 2);
    out.weights.reserve(in.size() / 2);
    const auto coarse_nodes = static_cast<std::size_t>(coarse_last - coarse_first);
    std::vector<std::pair<std::uint64_t, std::size_t>> records;  // node, place
    for (std::size_t at = 0; at < in.size();
         at += 2 + rows_ + 2 * static_cast<std::size_t>(in[at + 1]))
      records.emplace_back(in[at], at);
    std::sort(records.begin(), records.end());
    out.loads.assign(coarse_nodes * rows_, 0);
    for (std::size_t i = 0; i < records.size();) {
      const std::uint64_t coarse = records[i].first;
      const auto place = static_cast<std::size_t>(coarse - coarse_first);
      std::size_t end = i, entries = 0;
      for (; end < records.size() && records[end].first == coarse; ++end)
        entries += static_cast<std::size_t>(in[records[end].second + 1]);
      sums.reserve(entries);
      for (; i < end; ++i) {
        const std::uint64_t* one = in.data() + records[i].second;
        for (std::size_t r = 0; r < rows_; ++r) out.loads[place * rows_ + r] += one[2 + r];
        for (std::size_t e = 0; e < one[1]; ++e)
          sums.add(one[2 + rows_ + 2 * e], one[3 + rows_ + 2 * e]);
      }
      append_row();
    }
    in = {};
    return localise(out);
  }

  /// IDs of neighbors become places.
  status localise(distributed_level& g) {
    const std::uint64_t first = g.ranges[rank_], last = g.ranges[rank_ + 1], nodes = last - first;
    if (const status told = g.others.make(ranks_, g.ranges, remote_nodes(g.targets, first, last));
        !told)
      return told;
    for (std::size_t i = 0; i < g.targets.size(); ++i) {
      const std::uint64_t u = g.targets[i];
      g.targets.set(i, u >= first && u < last ? u - first : nodes + g.others.place_of(u));
    }
    return status::ok;
  }

  /// Owners of the clusters become owners of their nodes.
  status project(const distributed_level& fine, std::span<const std::uint64_t> coarse,
                 std::vector<std::uint64_t>& owner) {
    std::vector<std::uint64_t> all, ranges(size_ + 1);
    const std::array<std::uint64_t, 1> mine{coarse.size()};
    if (const status told = gather_words(ranks_, std::span<const std::uint64_t>(mine), all); !told)
      return told;
    for (std::size_t r = 0; r < size_; ++r) ranges[r + 1] = ranges[r] + all[r];
    const std::uint64_t first = ranges[rank_], last = ranges[rank_ + 1];
    node_pull asked;
    if (const status told = asked.make(ranks_, ranges, remote_nodes(fine.coarse_of, first, last));
        !told)
      return told;
    std::vector<std::uint64_t> theirs(asked.wanted().size());
    if (const status told = asked.pull(
            ranks_, [&](std::size_t v) { return coarse[v]; }, theirs);
        !told)
      return told;
    owner.resize(fine.num_nodes());
    for (std::size_t v = 0; v < owner.size(); ++v) {
      const std::uint64_t c = fine.coarse_of[v];
      owner[v] = c >= first && c < last ? coarse[static_cast<std::size_t>(c - first)]
                                        : theirs[asked.place_of(c)];
    }
    return status::ok;
  }

  // ---- the first assignment
  // ----------------------------------------------------------------------

  status begin(const distributed_level& g, std::vector<std::uint64_t>& owner) {
    // Where clusters stall (of a graph that has none) what is left may be as large as the graph: no
    // rank holds that.
    std::uint64_t entries = 0;
    if (const status told = entries_everywhere(g, entries); !told) return told;
    if (g.everywhere() > std::max(most_held_whole, asked_.coarsest) ||
        entries > asked_.coarsest_entries)
      return in_stripes(g, false, owner);
    whole_graph whole;
    if (const status told = gather(g, whole); !told) return told;
    // Each rank tries some; the best of all is taken.
    const std::uint64_t tries = std::clamp<std::uint64_t>((std::uint64_t{1} << 16) / g.everywhere(),
                                                          2, 8);
    std::array<std::uint64_t, 3> best{~std::uint64_t{0}, ~std::uint64_t{0},
                                      ~std::uint64_t{0}};  // beyond, cut, try
    std::vector<std::uint32_t> best_owner;
    const auto caps = std::span<const std::uint64_t>(caps_).first(rows_ - 1);
    for (std::uint64_t t = rank_; t < tries; t += size_) {
      // Halves of halves suit meshes; graphs with a dense core, nodes placed one by one.
      const std::uint64_t seed = keyed(asked_.seed, t);
      auto made = t % 2 == 0 ? recursive_bisection(caps, seed, 3).run(whole, asked_.parts)
                             : greedy_parts(whole, caps, asked_.parts, seed, t % 4 == 1);
      polish_parts(whole, caps, asked_.parts, seed, made);
      const auto [beyond, cut] = cost(whole, made);
      if (const std::array<std::uint64_t, 3> one{beyond, cut, t}; one < best) {
        best = one;
        best_owner = std::move(made);
      }
    }
    std::vector<std::uint64_t> all;
    if (const status told = gather_words(ranks_, std::span<const std::uint64_t>(best), all); !told)
      return told;
    std::size_t winner = 0;
    for (std::size_t r = 1; r < size_; ++r) {
      if (std::lexicographical_compare(all.begin() + static_cast<std::ptrdiff_t>(3 * r),
                                       all.begin() + static_cast<std::ptrdiff_t>(3 * r + 3),
                                       all.begin() + static_cast<std::ptrdiff_t>(3 * winner),
                                       all.begin() + static_cast<std::ptrdiff_t>(3 * winner + 3))) {
        winner = r;
      }
    }
    best_owner.resize(whole.num_nodes());
    if (const status told = ranks_.broadcast(std::as_writable_bytes(std::span(best_owner)), winner);
        !told)
      return told;
    const auto first = static_cast<std::ptrdiff_t>(g.ranges[rank_]),
               last = static_cast<std::ptrdiff_t>(g.ranges[rank_ + 1]);
    owner.assign(best_owner.begin() + first, best_owner.begin() + last);
    return status::ok;
  }

  status entries_everywhere(const distributed_level& g, std::uint64_t& entries) const {
    std::array<std::uint64_t, 1> sum{g.targets.size()};
    if (const status told = ranks_.sum(sum); !told) return told;
    entries = sum[0];
    return status::ok;
  }

  /// The whole graph on every rank: only of the coarsest.
  status gather(const distributed_level& g, whole_graph& out) const {
    const std::size_t nodes = g.num_nodes(), rows = rows_ - 1;
    const std::uint64_t first = g.ranges[rank_];
    std::vector<std::uint64_t> mine, lengths, piece;
    mine.reserve(nodes * (1 + rows) + 2 * g.targets.size());
    for (std::size_t v = 0; v < nodes; ++v) {
      mine.push_back(g.degree(v));
      for (std::size_t r = 0; r < rows; ++r) mine.push_back(g.loads[v * rows_ + r]);
      g.visit(v, [&](std::size_t u, std::uint64_t w) {
        mine.insert(mine.end(), {u < nodes ? first + u : g.others.wanted()[u - nodes], w});
      });
    }
    const std::array<std::uint64_t, 1> length{mine.size()};
    if (const status told = gather_words(ranks_, std::span<const std::uint64_t>(length), lengths);
        !told)
      return told;
    out.rows = rows;
    std::uint64_t words = 0;
    for (const auto one : lengths) words += one;
    out.neighbors.reserve(static_cast<std::size_t>(words / 2));
    out.weights.reserve(static_cast<std::size_t>(words / 2));
    for (std::size_t root = 0; root < size_; ++root) {
      if (root == rank_)
        piece = std::move(mine);
      else
        piece.assign(static_cast<std::size_t>(lengths[root]), 0);
      if (const status told = ranks_.broadcast(std::as_writable_bytes(std::span(piece)), root);
          !told)
        return told;
      for (std::size_t at = 0; at < piece.size();) {
        const auto degree = static_cast<std::size_t>(piece[at++]);
        for (std::size_t r = 0; r < rows; ++r) out.loads.push_back(piece[at++]);
        for (std::size_t e = 0; e < degree; ++e, at += 2) {
          out.neighbors.push_back(static_cast<std::uint32_t>(piece[at]));
          out.weights.push_back(piece[at + 1]);
        }
        out.offsets.push_back(out.neighbors.size());
      }
    }
    return status::ok;
  }

  std::pair<std::uint64_t, std::uint64_t> cost(const whole_graph& g,
                                               std::span<const std::uint32_t> owner) const {
    std::vector<std::uint64_t> load(std::size_t{asked_.parts} * g.rows);
    std::uint64_t cut = 0, beyond = 0;
    for (std::size_t v = 0; v < g.num_nodes(); ++v) {
      for (std::size_t r = 0; r < g.rows; ++r)
        load[owner[v] * g.rows + r] += g.loads[v * g.rows + r];
      g.visit(
          v, [&](std::size_t u, std::uint64_t w) { cut += u < v && owner[u] != owner[v] ? w : 0; });
    }
    // Granules of the coarsest graph: small excesses are mended on the way back.
    for (std::size_t i = 0; i < load.size(); ++i) {
      const std::uint64_t cap = caps_[i % g.rows], rough = cap + cap / 16;
      if (load[i] > rough)
        beyond += 1 + multiply_divide(load[i] - rough, std::uint64_t{1} << 20,
                                      std::max<std::uint64_t>(1, totals_[i % g.rows]));
    }
    return {beyond, cut};
  }

  /// An even share of what nodes weigh to each part, in the order of their IDs, or of their degrees
  /// and then their IDs: the first follows a numbering that has sense (of a crawl, of a road map),
  /// the second keeps the core of a graph together.
  status in_stripes(const distributed_level& g, bool by_degree,
                    std::vector<std::uint64_t>& owner) const {
    const auto main_row = [&](std::size_t v) {
      std::size_t r = 0;
      while (r + 1 < rows_ && g.loads[v * rows_ + r] == 0) ++r;
      return r;
    };
    // Degrees below 16 are a class each, above them eighths of powers of two; the largest first.
    constexpr std::size_t most = 512;
    const std::size_t count = by_degree ? most : 1;
    const auto class_of_node = [&](std::size_t v) {
      if (!by_degree) return std::size_t{0};
      const std::uint64_t degree = g.degree(v);
      const auto width = static_cast<unsigned>(std::bit_width(degree));
      const auto steep = degree < 16 ? static_cast<std::size_t>(degree)
                                     : (width - 3) * std::size_t{8} +
                                           static_cast<std::size_t>(degree >> (width - 4));
      return most - 1 - std::min(steep, most - 1);
    };
    std::vector<std::uint64_t> mine(count * rows_), all, total(rows_), before(count * rows_);
    for (std::size_t v = 0; v < g.num_nodes(); ++v)
      mine[class_of_node(v) * rows_ + main_row(v)] += g.loads[v * rows_ + main_row(v)];
    if (const status told = gather_words(ranks_, std::span<const std::uint64_t>(mine), all); !told)
      return told;
    for (std::size_t i = 0; i < count * rows_; ++i) {
      before[i] = total[i % rows_];
      for (std::size_t r = 0; r < size_; ++r) {
        total[i % rows_] += all[r * count * rows_ + i];
        if (r < rank_) before[i] += all[r * count * rows_ + i];
      }
    }
    owner.resize(g.num_nodes());
    for (std::size_t v = 0; v < owner.size(); ++v) {
      const std::size_t r = main_row(v);
      auto& passed = before[class_of_node(v) * rows_ + r];
      owner[v] = std::min<std::uint64_t>(
          asked_.parts - 1,
          multiply_divide(passed, asked_.parts, std::max<std::uint64_t>(1, total[r])));
      passed += g.loads[v * rows_ + r];
    }
    return status::ok;
  }

  // ---- refinement
  // --------------------------------------------------------------------------------

  struct move {
    std::size_t node;
    std::uint32_t to, gain_class, draw;
  };
  static constexpr std::uint32_t classes = 32, draws = 64;
  static constexpr std::uint64_t steps =
      4;  // a round: so many shares of the nodes, one after the other

  /// From most gained to most lost, by powers of two.
  static constexpr std::uint32_t class_of(std::int64_t gain) noexcept {
    const auto width = static_cast<std::uint32_t>(std::bit_width(
        gain < 0 ? 0 - static_cast<std::uint64_t>(gain) : static_cast<std::uint64_t>(gain)));
    return gain >= 0 ? 16 - std::min<std::uint32_t>(16, width)
                     : 16 + std::min<std::uint32_t>(15, width);
  }

  std::uint64_t& load(std::size_t part, std::size_t r) { return loads_[part * rows_ + r]; }
  std::uint64_t room(std::size_t part, std::size_t r) {
    return caps_[r] - std::min(caps_[r], load(part, r));
  }
  bool fits(const distributed_level& g, std::size_t v, std::size_t part) {
    for (std::size_t r = 0; r < rows_; ++r) {
      if (g.loads[v * rows_ + r] > room(part, r) && g.loads[v * rows_ + r] != 0) return false;
    }
    return true;
  }
  bool overfull(const distributed_level& g, std::size_t v, std::size_t part) {
    for (std::size_t r = 0; r < rows_; ++r) {
      if (g.loads[v * rows_ + r] != 0 && load(part, r) > caps_[r]) return true;
    }
    return false;
  }
  bool no_part_is_empty() const {
    return std::find(sizes_.begin(), sizes_.end(), std::uint64_t{0}) == sizes_.end();
  }
  bool any_overfull() const {
    for (std::size_t i = 0; i < loads_.size(); ++i) {
      if (loads_[i] > caps_[i % rows_]) return true;
    }
    return false;
  }

  /// What the parts hold beyond their caps, of each load in parts of 2^40 of all there is.
  std::uint64_t beyond() const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < loads_.size(); ++i) {
      const std::uint64_t cap = caps_[i % rows_];
      if (loads_[i] > cap)
        sum += 1 + multiply_divide(loads_[i] - cap, std::uint64_t{1} << 40,
                                   std::max<std::uint64_t>(1, totals_[i % rows_]));
    }
    return sum;
  }

  /// Of the moves that all ranks wish for, keep the best of each part: into it as long as `limit`
  /// holds them (reach == false), or out of it until they come to `limit`. Ranks learn of each
  /// other's moves in sums over classes of gain, then over random draws within the class in which
  /// the limit is met.
  status select(const distributed_level& g, std::span<const std::uint64_t> owner,
                std::vector<move>& moves, std::span<const std::uint64_t> limit, bool reach) {
    const std::size_t parts = asked_.parts;
    const auto group = [&](const move& m) {
      return reach ? static_cast<std::size_t>(owner[m.node]) : std::size_t{m.to};
    };
    std::vector<std::uint64_t> sums(parts * rows_ * classes), reached(parts * rows_);
    for (const move& m : moves) {
      for (std::size_t r = 0; r < rows_; ++r)
        sums[(group(m) * rows_ + r) * classes + m.gain_class] += g.loads[m.node * rows_ + r];
    }
    if (const status told = ranks_.sum(sums); !told) return told;
    // Everything of the classes (draws) before the threshold is kept.
    const auto threshold = [&](std::size_t part, std::span<const std::uint64_t> by,
                               std::uint32_t count, std::size_t begin) {
      bool enough = reach;
      for (std::size_t r = 0; r < rows_ && enough; ++r)
        enough = reached[part * rows_ + r] >= limit[part * rows_ + r];
      if (enough) return std::uint32_t{0};
      for (std::uint32_t c = 0; c < count; ++c) {
        bool holds = true, there = true;
        for (std::size_t r = 0; r < rows_; ++r) {
          const std::uint64_t then = reached[part * rows_ + r] + by[begin + r * count + c];
          holds = holds && then <= limit[part * rows_ + r];
          there = there && then >= limit[part * rows_ + r];
        }
        if (reach ? there : !holds) return c;
        for (std::size_t r = 0; r < rows_; ++r)
          reached[part * rows_ + r] += by[begin + r * count + c];
      }
      return count;
    };
    std::vector<std::uint32_t> at_class(parts), at_draw(parts);
    bool cut = false;
    for (std::size_t p = 0; p < parts; ++p) {
      bool nothing = reach;
      for (std::size_t r = 0; r < rows_; ++r) nothing = nothing && limit[p * rows_ + r] == 0;
      at_class[p] = nothing ? classes : threshold(p, sums, classes, p * rows_ * classes);
      if (nothing) at_draw[p] = ~std::uint32_t{0};  // none at all
      cut = cut || (at_class[p] < classes && !nothing);
    }
    if (cut) {
      sums.assign(parts * rows_ * draws, 0);
      for (const move& m : moves) {
        if (m.gain_class != at_class[group(m)]) continue;
        for (std::size_t r = 0; r < rows_; ++r)
          sums[(group(m) * rows_ + r) * draws + m.draw] += g.loads[m.node * rows_ + r];
      }
      if (const status told = ranks_.sum(sums); !told) return told;
      for (std::size_t p = 0; p < parts; ++p) {
        if (at_class[p] == classes) continue;
        at_draw[p] = threshold(p, sums, draws, p * rows_ * draws) +
                     (reach ? 1 : 0);  // the one that reaches the limit too
      }
    }
    std::erase_if(moves, [&](const move& m) {
      const std::size_t p = group(m);
      if (at_draw[p] == ~std::uint32_t{0}) return true;
      return m.gain_class > at_class[p] || (m.gain_class == at_class[p] && m.draw >= at_draw[p]);
    });
    return status::ok;
  }

  /// One share of the nodes, all at once. @param repair  out of parts that hold too much, whatever
  /// it costs
  /// @param moved  out, how many did, everywhere
  status step(const distributed_level& g, std::vector<std::uint64_t>& owner, std::uint64_t salt,
              std::uint64_t share, bool repair, std::uint64_t& moved) {
    const std::size_t nodes = g.num_nodes(), parts = asked_.parts;
    const std::uint64_t first = g.ranges[rank_];
    std::vector<std::uint64_t> leaving(parts);
    std::vector<std::vector<std::uint64_t>>
        rooms;  // sums of the rooms of parts, to draw a part by its room
    if (repair) {
      rooms.assign(rows_ - 1, std::vector<std::uint64_t>(parts + 1));
      for (std::size_t r = 0; r + 1 < rows_; ++r) {
        for (std::size_t p = 0; p < parts; ++p) rooms[r][p + 1] = rooms[r][p] + room(p, r);
      }
    }
    std::vector<move> moves;
    for (std::size_t v = 0; v < nodes; ++v) {
      const std::uint64_t name = first + v, draw = keyed(salt, name);
      const auto own = static_cast<std::size_t>(owner[v]);
      if (draw % steps != share || (repair ? !overfull(g, v, own) : g.degree(v) == 0)) continue;
      touched_.clear();
      g.visit(v, [&](std::size_t u, std::uint64_t w) {
        const auto p = static_cast<std::size_t>(u < nodes ? owner[u] : theirs_[u - nodes]);
        if (pull_[p] == 0) touched_.push_back(p);
        pull_[p] += w;
      });
      std::size_t best = parts;
      for (const std::size_t p : touched_) {
        if (p == own || (!repair && pull_[p] <= pull_[own])) continue;
        if (best != parts && (pull_[p] < pull_[best] ||
                              (pull_[p] == pull_[best] && keyed(draw, p) <= keyed(draw, best))))
          continue;
        if (!repair || fits(g, v, p)) best = p;
      }
      const std::uint64_t there = best == parts ? 0 : pull_[best], here = pull_[own];
      for (const std::size_t p : touched_) pull_[p] = 0;
      if (best == parts && repair) {
        std::size_t row = 0;
        while (row + 2 < rows_ && (g.loads[v * rows_ + row] == 0 || load(own, row) <= caps_[row]))
          ++row;
        random_stream stream(draw);
        for (int attempt = 0; attempt < 4 && best == parts && rooms[row][parts] != 0; ++attempt) {
          const std::uint64_t at = stream.below(rooms[row][parts]);
          const auto p = range_of<std::uint64_t>(rooms[row], at);
          if (p != own && fits(g, v, p)) best = p;
        }
      }
      if (best == parts) continue;
      ++leaving[own];
      moves.push_back({v, static_cast<std::uint32_t>(best),
                       class_of(static_cast<std::int64_t>(there - here)),
                       static_cast<std::uint32_t>((draw >> 32) % draws)});
    }
    moved = 0;
    if (const status told = ranks_.sum(leaving); !told) return told;
    if (std::all_of(leaving.begin(), leaving.end(), [](std::uint64_t count) { return count == 0; }))
      return status::ok;
    // No part is emptied.
    std::erase_if(moves, [&](const move& m) {
      return leaving[static_cast<std::size_t>(owner[m.node])] >=
             sizes_[static_cast<std::size_t>(owner[m.node])];
    });
    std::vector<std::uint64_t> limit(parts * rows_), out(parts * rows_);
    if (repair) {
      for (std::size_t i = 0; i < limit.size(); ++i)
        limit[i] = loads_[i] - std::min(loads_[i], caps_[i % rows_]);
      if (const status told = select(g, owner, moves, limit, true); !told) return told;
    }
    // What leaves a part makes room in it, if it does leave: moves that were not let in let fewer
    // in elsewhere.
    for (int pass = 0; pass < (repair ? 1 : 3); ++pass) {
      std::fill(out.begin(), out.end(), std::uint64_t{0});
      if (!repair) {
        for (const move& m : moves) {
          for (std::size_t r = 0; r < rows_; ++r)
            out[static_cast<std::size_t>(owner[m.node]) * rows_ + r] += g.loads[m.node * rows_ + r];
        }
        if (const status told = ranks_.sum(out); !told) return told;
      }
      for (std::size_t i = 0; i < limit.size(); ++i) {
        const std::uint64_t kept = loads_[i] - out[i], cap = caps_[i % rows_];
        limit[i] = cap - std::min(cap, kept);
      }
      if (const status told = select(g, owner, moves, limit, false); !told) return told;
    }
    std::vector<std::uint64_t> change(parts * (rows_ + 1) + 1);
    for (const move& m : moves) {
      const auto from = static_cast<std::size_t>(owner[m.node]);
      for (std::size_t r = 0; r < rows_; ++r) {
        change[from * rows_ + r] -= g.loads[m.node * rows_ + r];
        change[m.to * rows_ + r] += g.loads[m.node * rows_ + r];
      }
      --change[parts * rows_ + from];
      ++change[parts * rows_ + m.to];
      owner[m.node] = m.to;
    }
    change.back() = moves.size();
    if (const status told = ranks_.sum(change); !told) return told;
    for (std::size_t i = 0; i < loads_.size(); ++i) loads_[i] += change[i];
    for (std::size_t p = 0; p < parts; ++p) sizes_[p] += change[parts * rows_ + p];
    moved = change.back();
    return moved == 0 ? status::ok
                      : g.others.pull(ranks_, [&](std::size_t v) { return owner[v]; }, theirs_);
  }

  /// What every part holds, and what the assignment cuts.
  status measure(const distributed_level& g, std::span<const std::uint64_t> owner,
                 std::uint64_t& cut) {
    const std::size_t nodes = g.num_nodes(), parts = asked_.parts;
    theirs_.resize(g.others.wanted().size());
    if (const status told = g.others.pull(
            ranks_, [&](std::size_t v) { return owner[v]; }, theirs_);
        !told)
      return told;
    std::vector<std::uint64_t> sums(parts * (rows_ + 1) + 1);
    for (std::size_t v = 0; v < nodes; ++v) {
      const auto own = static_cast<std::size_t>(owner[v]);
      for (std::size_t r = 0; r < rows_; ++r) sums[own * rows_ + r] += g.loads[v * rows_ + r];
      ++sums[parts * rows_ + own];
      g.visit(v, [&](std::size_t u, std::uint64_t w) {
        sums.back() += (u < nodes ? owner[u] : theirs_[u - nodes]) != own ? w : 0;
      });
    }
    if (const status told = ranks_.sum(sums); !told) return told;
    loads_.assign(sums.begin(), sums.begin() + static_cast<std::ptrdiff_t>(parts * rows_));
    sizes_.assign(sums.begin() + static_cast<std::ptrdiff_t>(parts * rows_), sums.end() - 1);
    cut = sums.back();
    return status::ok;
  }

  status refine(const distributed_level& g, std::uint64_t level,
                std::vector<std::uint64_t>& owner) {
    pull_.assign(asked_.parts, 0);
    std::uint64_t cut = 0, salt = keyed(keyed(asked_.seed, ~level), 0);
    if (const status told = measure(g, owner, cut); !told) return told;
    if (const status told = mend(g, owner, salt); !told) return told;
    if (const status told = measure(g, owner, cut); !told) return told;
    for (std::uint32_t round = 0; round < asked_.rounds && cut != 0; ++round) {
      const std::vector<std::uint64_t> before = owner;
      const bool sound = !any_overfull();
      std::uint64_t moved = 0;
      salt = mix(salt);
      for (std::uint64_t share = 0; share < steps; ++share) {
        std::uint64_t some = 0;
        if (const status told = step(g, owner, salt, share, false, some); !told) return told;
        moved += some;
      }
      if (moved == 0) break;
      if (const status told = mend(g, owner, salt); !told) return told;
      const std::uint64_t cut_before = cut;
      if (const status told = measure(g, owner, cut); !told) return told;
      if (cut > cut_before || (sound && any_overfull())) {
        owner = before;
        return status::ok;
      }
      if (cut_before - cut < cut_before / 512) break;
    }
    return status::ok;
  }

  /// Out of parts that hold too much, until none does or nothing helps.
  status mend(const distributed_level& g, std::vector<std::uint64_t>& owner, std::uint64_t& salt) {
    std::uint64_t least = beyond(), still = 0;
    for (std::uint64_t i = 0; i < 256 && still < 4 * steps && least != 0; ++i) {
      std::uint64_t moved = 0;
      if (i % steps == 0) salt = mix(salt);
      if (const status told = step(g, owner, salt, i % steps, true, moved); !told) return told;
      const std::uint64_t now = beyond();
      still = now < least ? 0 : still + 1;
      least = std::min(least, now);
    }
    return status::ok;
  }

  const C& ranks_;
  std::size_t rank_, size_;
  options asked_;
  std::vector<std::uint64_t> caps_;
  std::size_t rows_;
  std::vector<std::uint64_t> totals_{};
  std::vector<std::uint64_t> loads_{}, sizes_{}, theirs_{}, pull_{};
  std::vector<std::size_t> touched_{};
};

}  // namespace detail

/// Multilevel size-constrained label propagation over ranks: nodes join the cluster most of their
/// weight goes to, clusters become the nodes of a coarser graph until it is small, that is cut by
/// recursive bisection, and on the way back nodes move to the part that holds most of their
/// neighbors, where that has room.
///
///     hg::distributed_label_propagation policy{.parts = 8, .tolerance = 0.02};
///     std::vector<hg::part_id> owner(mine.num_nodes());
///     const hg::status answer = policy.assign(ranks, mine, owner);
///
/// Every constraint of the graph is balanced on its own, within its tolerance. Where nodes weigh 1
/// in one constraint that is always met; a node heavier than a part may hold, or several weights at
/// odds, may leave more: measure_distributed() says what came out. No part is empty where N >= K;
/// where N <= K, node v gets part v.
///
/// @complexity  O(n + m) time and memory on each rank for its share (the pieces of coarser graphs
///     included), sums of K x constraints x 64 words, and the coarsest graph on every rank: of
///     max(`coarsest`, 64 K) nodes where clusters are found, never of more than 2^18 (or
///     `coarsest`) nodes or `coarsest_entries` neighbors; a larger one is cut by its numbering,
///     then refined
/// @repeatable  the same owners for any number of ranks and any ranges, on every machine
/// @source Raghavan, Albert & Kumara, Phys. Rev. E 76, 2007; Meyerhenke, Sanders & Schulz,
///     "Parallel graph partitioning for complex networks", IEEE TPDS 28(9), 2017; synchronous moves
///     selected by gain: Gottesbueren & Hamann, "Deterministic parallel hypergraph partitioning",
///     Euro-Par 2022
template <unsigned_id Part = part_id>
struct basic_distributed_label_propagation {
  using part = Part;
  static constexpr std::string_view name = "label_propagation";

  std::uint64_t parts = 1;
  double tolerance = default_tolerance;  ///< of every constraint
  std::span<const double> tolerances{};  ///< [constraints] of each, or empty: `tolerance`
  std::uint64_t seed = 0;
  std::uint32_t rounds = 12;      ///< of refinement at each level, at most
  std::uint64_t coarsest = 2048;  ///< nodes of the coarsest graph, about
  std::uint64_t coarsest_entries = std::uint64_t{1}
                                   << 23;  ///< neighbors in its rows, at most: about 50 bytes each

  /// Collective. @param local  this rank's piece   @param owner  [n] out
  /// @errors  the same on every rank: those of check_distributed_graph; invalid_argument: 0 parts,
  ///     a tolerance that is negative or no number; overflow: Part is too narrow, or there are 2^32
  ///     parts; mismatch: owner is not [n]
  template <communicator C, id Node, id Offset>
  status assign(const C& ranks, const distributed_graph_view<Node, Offset>& local,
                std::span<part> owner) const {
    if (const status sound = check_distributed_graph(
            ranks, local,
            detail::asked_of({parts, seed, rounds, coarsest, coarsest_entries}, tolerance,
                             tolerances));
        !sound)
      return sound;
    const std::size_t nodes = local.num_nodes();
    if (const status all = agree(ranks, check(nodes, local.constraints, owner)); !all) return all;
    const auto rank = static_cast<std::size_t>(ranks.rank());
    const std::uint64_t first = local.ranges[rank], last = local.ranges[rank + 1];
    if (detail::assign_few_nodes(parts, local.ranges, rank, owner)) return status::ok;
    const std::size_t rows = local.constraints;
    detail::distributed_level level;
    level.ranges.assign(local.ranges.begin(), local.ranges.end());
    if (nodes != 0) level.offsets.assign(local.offsets.begin(), local.offsets.end());
    level.loads.reserve(nodes * (rows + 1));
    std::vector<std::uint64_t> total(rows);
    for (std::size_t v = 0; v < nodes; ++v) {
      for (std::size_t c = 0; c < rows; ++c) {
        level.loads.push_back(local.load(v, c));
        total[c] += local.load(v, c);
      }
      level.loads.push_back(1);
    }
    if (const status told = ranks.sum(total); !told) return told;
    std::vector<std::uint64_t> caps(rows);
    for (std::size_t c = 0; c < rows; ++c) {
      node_loads one;
      if (const status made = node_loads::make(0, {}, {},
                                               tolerances.empty() ? tolerance : tolerances[c], one);
          !made)
        return made;
      caps[c] = one.cap(0, total[c], parts);
    }
    if (const status made = level.others.make(ranks, local.ranges,
                                              detail::remote_nodes(local.neighbors, first, last));
        !made)
      return made;
    level.targets.reserve(local.neighbors.size());
    for (const auto neighbor : local.neighbors) {
      const auto u = static_cast<std::uint64_t>(neighbor);
      level.targets.push_back(u >= first && u < last ? u - first
                                                     : nodes + level.others.place_of(u));
    }
    level.weights.reserve(local.edge_weights.size());
    for (const auto weight : local.edge_weights)
      level.weights.push_back(static_cast<std::uint64_t>(weight));
    std::vector<std::uint64_t> found;
    detail::distributed_multilevel<C> work(
        ranks, {static_cast<std::uint32_t>(parts), seed, rounds, coarsest, coarsest_entries},
        std::move(caps));
    if (const status made = work.run(std::move(level), found); !made) return made;
    for (std::size_t v = 0; v < nodes; ++v) owner[v] = static_cast<part>(found[v]);
    return status::ok;
  }

  /// The sentence for a status of assign, or "".
  std::string explain(status answer) const {
    if (answer == status::invalid_argument && parts != 0 && sound_tolerances())
      return explain_distributed_graph(answer);
    if (answer == status::invalid_argument)
      return "the number of parts must be at least 1, and tolerances numbers of 0 or more";
    if (answer == status::overflow && parts > id_capacity<part>())
      return "the number of parts (" + std::to_string(parts) + ") does not fit its type";
    return explain_distributed_graph(answer);
  }

 private:
  constexpr bool sound_tolerances() const {
    bool sound = tolerance >= 0;
    for (const double one : tolerances) sound = sound && one >= 0;
    return sound;
  }
  constexpr status check(std::size_t nodes, std::size_t constraints,
                         std::span<const part> owner) const {
    if (const status fits = check_parts<part>(parts, nodes, owner); !fits) return fits;
    if (parts > 0xFFFFFFFFu) return status::overflow.at(parts);
    if (!tolerances.empty() && tolerances.size() != constraints)
      return status::mismatch.at(constraints);
    return sound_tolerances() ? status::ok : status::invalid_argument;
  }
};

using distributed_label_propagation = basic_distributed_label_propagation<>;

/// About what distributed_label_propagation takes on each of so many ranks, besides the rows that
/// it is handed, where the ranks share nodes and neighbors evenly. Bytes; saturates. Measured on
/// one rank with 16 parts (rmat scales 14 to 20, a grid, a star, random neighbors): the peak was
/// 0.3 to 0.8 times this.
/// @param entries  neighbors in all rows of all ranks
/// @complexity     O(1)
constexpr std::uint64_t distributed_label_propagation_bytes(
    std::uint64_t nodes, std::uint64_t entries, std::size_t constraints, std::uint64_t parts,
    std::size_t ranks,
    std::uint64_t coarsest_entries = distributed_label_propagation{}.coarsest_entries) noexcept {
  // Rows of all graphs, and of several ranks those on their way from one to another; what is known
  // of a node; sums over parts; the coarsest graph. Numbers take 4 bytes each up to 2^32.
  const std::uint64_t rows = std::uint64_t{constraints} + 1;
  // A coarser graph keeps most of its neighbors where degrees follow a power law, and each
  // doubling of the nodes adds one.
  const auto doublings = static_cast<std::uint64_t>(std::bit_width(nodes));
  const std::uint64_t per_entry = 16 +
                                  4 * std::max<std::uint64_t>(6,
                                                              doublings > 10 ? doublings - 10 : 0) +
                                  (ranks > 1 ? 24 : 0);
  const std::array<std::uint64_t, 4> all{
      saturating_multiply(entries / ranks + (entries % ranks != 0 ? 1 : 0), per_entry),
      saturating_multiply(nodes / ranks + (nodes % ranks != 0 ? 1 : 0), 100 + 40 * rows),
      saturating_multiply(parts, saturating_multiply(rows, 2048)),
      saturating_multiply(std::min(entries, coarsest_entries), 24)};
  std::uint64_t sum = 0;
  for (const std::uint64_t one : all) sum = one > ~sum ? ~std::uint64_t{0} : sum + one;
  return sum;
}

}  // namespace halograph
