// SPDX-License-Identifier: BSL-1.0
/// @file part_moves.hpp
/// Improve an assignment to parts by moving nodes.
/// Layer: partition (allocates; no exceptions of its own). Words: README.md.
///
/// | improves by | what it does |
/// | --- | --- |
/// | `rebalance` | moves nodes out of overfull parts, those first that cost least |
/// | `propagate_labels` | moves nodes to the part of most of their neighbors, where that has room |
/// | `jet` | moves many nodes at once, room or not, then rebalances; keeps the best it has seen |
#pragma once

#include <halograph/core/executor.hpp>
#include <halograph/core/large_pages.hpp>
#include <halograph/core/random.hpp>
#include <halograph/partition/fixed_point.hpp>
#include <halograph/partition/multilevel/initial/bisection.hpp>
#include <halograph/partition/multilevel/row_steps.hpp>
#include <halograph/partition/multilevel/weighted_graph.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace halograph::detail {

/// An assignment, the loads of its parts, and how to improve it.
template <class Word>
class part_moves {
 public:
  /// @param caps  [rows] a part's limit of each load, or [K x rows], each part's
  /// @param part  [n] the part of each node, below `parts`; those of fixed nodes stay
  part_moves(const weighted_graph<Word>& g, std::uint32_t parts,
             std::span<const std::uint64_t> caps, std::span<std::uint32_t> part,
             executor_ref threads)
      : g_(g),
        parts_(parts),
        caps_(caps),
        stride_(cap_stride(caps, g.rows)),
        part_(part),
        threads_(threads),
        loads_(std::size_t{parts} * g.rows),
        sums_(parts),
        fixed_(g.fixed) {
    // Each piece of the nodes has its own sums, as long as these are few beside the nodes.
    const std::size_t nodes = g.num_nodes(),
                      pieces = std::clamp<std::size_t>(
                          nodes / (128 * fine_grain + 16 * loads_.size()), 1,
                          std::max<std::size_t>(1, 2 * threads.concurrency()));
    std::vector<std::uint64_t> sums(pieces * loads_.size());
    threads.parallel_for(0, pieces, 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        const auto held = std::span(sums).subspan(i * loads_.size(), loads_.size());
        for (std::size_t v = i * nodes / pieces; v < (i + 1) * nodes / pieces; ++v) {
          for (std::size_t r = 0; r < g.rows; ++r) held[part[v] * g.rows + r] += g.load(v, r);
        }
      }
    });
    for (std::size_t i = 0; i < sums.size(); ++i) loads_[i % loads_.size()] += sums[i];
  }

  const weighted_graph<Word>& graph() const noexcept { return g_; }
  std::uint32_t parts() const noexcept { return parts_; }
  executor_ref threads() const noexcept { return threads_; }
  std::uint32_t part(std::size_t v) const noexcept { return part_[v]; }
  std::uint64_t load(std::size_t p, std::size_t row) const noexcept {
    return loads_[p * g_.rows + row];
  }
  bool is_fixed(std::size_t v) const noexcept { return !fixed_.empty() && fixed_[v] != no_part; }
  /// From now on these nodes are fixed, and no others. @param fixed  [n] a part or no_part
  void fix(std::span<const std::uint32_t> fixed) noexcept { fixed_ = fixed; }
  std::uint64_t cap(std::size_t p, std::size_t row) const noexcept {
    return caps_[p * stride_ + row];
  }

  /// Weight of the edges between parts. @complexity O(n + m), or O(1) where it is known
  std::int64_t cut() {
    if (cut_ < 0) {
      const auto cut_at = [&](std::size_t v) {
        std::int64_t sum = 0;
        g_.visit(v, [&](std::size_t u, std::int64_t w) { sum += part_[u] != part_[v] ? w : 0; });
        return sum;
      };
      cut_ = sum_of_nodes(g_.num_nodes(), threads_, cut_at) / 2;
    }
    return cut_;
  }
  /// Has part p room for v?
  bool fits(std::size_t v, std::size_t p) const {
    for (std::size_t r = 0; r < g_.rows; ++r) {
      const std::uint64_t weight = g_.load(v, r), held = load(p, r);
      if (weight != 0 && (held > cap(p, r) || weight > cap(p, r) - held)) return false;
    }
    return true;
  }
  bool overfull(std::size_t p) const {
    for (std::size_t r = 0; r < g_.rows; ++r) {
      if (load(p, r) > cap(p, r)) return true;
    }
    return false;
  }
  /// What the parts hold beyond their limits, as a sum of shares. @complexity O(K x rows)
  std::uint64_t excess() const {
    std::uint64_t sum = 0;
    for (std::size_t p = 0; p < parts_; ++p) sum = saturating_sum(sum, excess_of_part(p));
    return sum;
  }
  void move(std::size_t v, std::uint32_t to) {
    cut_ = -1;
    place(v, to);
  }
  /// @param gain  what the cut loses by it
  void move(std::size_t v, std::uint32_t to, std::int64_t gain) {
    if (cut_ >= 0) cut_ -= gain;
    place(v, to);
  }

  /// How full a part is; comparable between parts. @complexity O(rows)
  std::uint64_t fullness(std::size_t p) const {
    if (g_.rows == 1 && stride_ == 0) return load(p, 0);
    std::uint64_t most = 0;
    for (std::size_t r = 0; r < g_.rows; ++r)
      most = std::max(most, share_of(load(p, r), cap(p, r)));
    return most;
  }

  /// Move nodes out of overfull parts until none is, those first that lose least for what they
  /// weigh. Where no part has room for what is left, some stay overfull.
  /// @complexity O(n + m + moves log n); with several loads also K for each node that no
  /// neighbor's part has room for
  void rebalance(std::uint64_t seed) {
    std::vector<std::uint8_t> full(parts_);
    for (unsigned round = 0; round < 4; ++round) {
      bool any = false;
      for (std::size_t p = 0; p < parts_; ++p) {
        full[p] = overfull(p) ? 1 : 0;
        any = any || full[p] != 0;
      }
      if (!any) return;
      candidate_queues queues = list_candidates(full, keyed(seed, round));
      least_of_parts emptiest;
      for (candidate one; queues.take(one);) {
        const auto v = static_cast<std::size_t>(one.node);
        const std::uint32_t from = part_[v];
        std::uint32_t to = best_move(v, sums_).to;
        if (to == no_part) to = emptiest_that_fits(v, emptiest);
        if (to == no_part) continue;
        move(v, to, sums_[to] - sums_[from]);
        emptiest.update(*this, from);
        emptiest.update(*this, to);
        if (!overfull(from)) queues.drop_part();
      }
    }
  }

  /// Rounds of moves that gain, or that gain nothing and even the loads out.
  /// @complexity O(n + m) for the first round; later ones visit nodes near those that moved
  void propagate_labels(unsigned rounds) {
    const std::size_t nodes = g_.num_nodes();
    constexpr std::size_t piece = 128, pieces = 128;  // that are asked at a time
    std::vector<std::uint8_t> active(nodes, 1);
    std::array<std::vector<choice>, pieces> wishes{};
    for (unsigned round = 0; round < rounds; ++round) {
      std::size_t moved = 0;
      for (std::size_t begin = 0; begin < nodes; begin += pieces * piece) {
        // Those that a neighbor's move has woken are asked once more, with all others of their
        // kind.
        for (int turn = 0; turn < 2; ++turn) {
          const std::size_t asked = std::min(pieces, (nodes - begin + piece - 1) / piece);
          threads_.parallel_for(0, asked, 1, [&](std::size_t first, std::size_t last) {
            part_sums sums(parts_);
            for (std::size_t i = first; i < last; ++i) {
              wishes[i].clear();
              const std::size_t end = std::min(nodes, begin + (i + 1) * piece);
              for (std::size_t v = begin + i * piece; v < end; ++v) {
                if (active[v] == 0) continue;
                active[v] = 0;
                if (is_fixed(v)) continue;
                if (const choice found = best_move(v, sums); found.to != no_part)
                  wishes[i].push_back(found);
              }
            }
          });
          for (std::size_t i = 0; i < asked; ++i) {
            for (choice found : wishes[i]) {
              const auto v = static_cast<std::size_t>(found.node);
              if (active[v] != 0) continue;
              if (!fits(v, found.to)) found = best_move(v, sums_);
              if (found.to == no_part || found.gain < 0 ||
                  (found.gain == 0 && fullness(found.to) >= fullness(part_[v])))
                continue;
              move(v, found.to, found.gain);
              ++moved;
              g_.visit(v, [&](std::size_t u, std::int64_t) { active[u] = 1; });
            }
          }
        }
      }
      if (moved <= nodes / 1000) break;
    }
  }

  /// Rounds in which all nodes that may gain move at once, whatever room there is, and overfull
  /// parts then give nodes away. Keeps the best assignment it has seen, balance before cut.
  /// @param boldness  quarters of a node's weight in its own part that a move may lose
  /// @param patience  rounds that bring less than a thousandth of the cut, until it stops
  /// @complexity O(n + m) for each round; the result does not depend on the threads
  /// @source Gilbert, Madduri, Boman & Rajamanickam, "Jet: Multilevel graph partitioning on GPUs",
  ///     SIAM J. Sci. Comput. 46(5), 2024
  void jet(unsigned boldness, unsigned patience, std::uint64_t seed) {
    const std::size_t nodes = g_.num_nodes();
    std::vector<std::uint32_t> to(nodes, no_part);
    std::vector<std::int64_t> gain(nodes);
    std::vector<std::uint8_t> moved(nodes);  // in the last round
    std::vector<std::uint8_t> any_moved((nodes + fine_grain - 1) / fine_grain);  // of a piece
    std::vector<std::uint32_t> best(part_.begin(), part_.end());
    std::uint64_t best_excess = excess();
    std::int64_t best_cut = cut();
    const std::uint64_t all_loads = std::accumulate(
        loads_.begin(), loads_.end(), std::uint64_t{0},
        [](std::uint64_t a, std::uint64_t b) { return saturating_sum(a, b); });
    for (std::uint64_t idle = 0, round = 0; idle < patience; ++round) {
      const std::uint64_t salt = keyed(seed, round);
      threads_.parallel_for(0, nodes, fine_grain, [&](std::size_t first, std::size_t last) {
        part_sums sums(parts_);
        for (std::size_t v = first; v < last; ++v)
          to[v] = wish(v, boldness, salt, moved, sums, gain);
      });
      threads_.parallel_for(0, any_moved.size(), 1, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
          std::uint8_t any = 0;
          for (std::size_t v = i * fine_grain; v < std::min(nodes, (i + 1) * fine_grain); ++v) {
            moved[v] = to[v] != no_part && gain_after_others(v, to, gain) >= 0 ? 1 : 0;
            any |= moved[v];
          }
          any_moved[i] = any;
        }
      });
      const auto part_then = [&](std::size_t v) { return moved[v] != 0 ? to[v] : part_[v]; };
      const std::int64_t change = sum_of_nodes(g_.num_nodes(), threads_, [&](std::size_t v) {
        std::int64_t sum = 0;
        if (moved[v] == 0) return sum;
        g_.visit(v, [&](std::size_t u, std::int64_t w) {
          // An edge whose ends both move is seen twice, others once.
          const std::int64_t twice = moved[u] != 0 ? w : 2 * w;
          sum += (part_then(u) != to[v] ? twice : 0) - (part_[u] != part_[v] ? twice : 0);
        });
        return sum;
      });
      bool any = false;
      const std::int64_t cut_then = cut() + change / 2;
      for (std::size_t i = 0; i < any_moved.size(); ++i) {
        if (any_moved[i] == 0) continue;
        any = true;
        for (std::size_t v = i * fine_grain; v < std::min(nodes, (i + 1) * fine_grain); ++v) {
          if (moved[v] != 0) place(v, to[v]);
        }
      }
      cut_ = cut_then;
      if (!any) break;
      std::uint64_t now_excess = excess();
      const bool crowded = now_excess > all_loads / 2;
      if (now_excess != 0) {
        rebalance(salt);
        now_excess = excess();
      }
      const std::int64_t now_cut = cut();
      const bool better = now_excess < best_excess ||
                          (now_excess == best_excess && now_cut < best_cut);
      const bool much = now_excess < best_excess || now_cut < best_cut - best_cut / 1000;
      idle = better && much ? 0 : idle + 1;
      // Where hubs draw most nodes into a few parts, bold rounds undo each other.
      if (!better && crowded && boldness > 1) break;
      if (!better) continue;
      best_excess = now_excess;
      best_cut = now_cut;
      std::copy(part_.begin(), part_.end(), best.begin());
    }
    for (std::size_t v = 0; v < nodes; ++v) {
      if (part_[v] != best[v]) place(v, best[v]);
    }
    cut_ = best_cut;
  }

 private:
  struct choice {
    std::int64_t gain = 0;
    Word node = 0;
    std::uint32_t to = no_part;
  };
  /// A node of an overfull part, and what moving it out gains for what it weighs.
  struct candidate {
    std::int64_t rate;
    Word node;
  };
  /// The candidates of a part, in order as far as they have been needed.
  class candidate_queue {
   public:
    candidate_queue(std::span<candidate> nodes, std::uint64_t salt) : nodes_(nodes), salt_(salt) {}
    bool empty() const noexcept { return next_ == nodes_.size(); }
    /// The next. @pre not empty, and order() was called
    const candidate& front() const noexcept { return nodes_[next_]; }
    void pop() {
      if (++next_ == ordered_) order(ordered_);
    }
    /// Put the first `count` of those that are not in order yet in order.
    void order(std::size_t count) {
      const auto at = [&](std::size_t i) {
        return nodes_.begin() + static_cast<std::ptrdiff_t>(i);
      };
      const auto before = [this](const candidate& a, const candidate& b) {
        return goes_before(a, b, salt_);
      };
      const std::size_t end = ordered_ + std::min(count, nodes_.size() - ordered_);
      if (end != nodes_.size()) std::nth_element(at(ordered_), at(end), nodes_.end(), before);
      std::sort(at(ordered_), at(end), before);
      ordered_ = end;
    }
    /// The highest rate first; of equal ones by random number.
    static bool goes_before(const candidate& a, const candidate& b, std::uint64_t salt) noexcept {
      if (a.rate != b.rate) return a.rate > b.rate;
      const std::uint64_t tie = keyed(salt, a.node), other = keyed(salt, b.node);
      return tie != other ? tie < other : a.node < b.node;
    }

   private:
    std::span<candidate> nodes_;
    std::uint64_t salt_;
    std::size_t next_ = 0, ordered_ = 0;
  };
  /// The candidates of all parts.
  class candidate_queues {
   public:
    /// @param nodes   those of part p from ends[p - 1] to ends[p]
    /// @param needed  [K] how many of each may be taken; a guess
    candidate_queues(uninitialized_vector<candidate> nodes, std::span<const std::size_t> ends,
                     std::span<const std::size_t> needed, std::uint64_t salt, executor_ref threads)
        : nodes_(std::move(nodes)), salt_(salt) {
      for (std::size_t p = 0; p < ends.size(); ++p) {
        const std::size_t first = p == 0 ? 0 : ends[p - 1];
        queues_.emplace_back(std::span(nodes_).subspan(first, ends[p] - first), salt);
      }
      threads.parallel_for(0, queues_.size(), 1, [&](std::size_t first, std::size_t last) {
        for (std::size_t p = first; p < last; ++p) queues_[p].order(needed[p]);
      });
      for (std::size_t p = 0; p < queues_.size(); ++p) {
        if (!queues_[p].empty()) heap_.push_back(static_cast<std::uint32_t>(p));
      }
      std::make_heap(heap_.begin(), heap_.end(), later());
    }
    /// Take the first of all. @return was there one? @complexity O(log n)
    bool take(candidate& out) {
      if (taken_) {
        if (queues_[heap_.back()].empty())
          heap_.pop_back();
        else
          std::push_heap(heap_.begin(), heap_.end(), later());
      }
      taken_ = !heap_.empty();
      if (!taken_) return false;
      std::pop_heap(heap_.begin(), heap_.end(), later());
      candidate_queue& queue = queues_[heap_.back()];
      out = queue.front();
      queue.pop();
      return true;
    }
    /// Take no more of the part that the last one taken is in.
    void drop_part() {
      heap_.pop_back();
      taken_ = false;
    }

   private:
    auto later() const {
      return [this](std::uint32_t a, std::uint32_t b) {
        return candidate_queue::goes_before(queues_[b].front(), queues_[a].front(), salt_);
      };
    }
    uninitialized_vector<candidate> nodes_;
    std::uint64_t salt_;
    std::vector<candidate_queue> queues_{};  // [K]
    std::vector<std::uint32_t> heap_{};      // parts that have candidates
    bool taken_ = false;                     // from the part at its end, just now
  };

  /// The nodes that moving out would help. @param full  [K] is the part overfull?
  candidate_queues list_candidates(std::span<const std::uint8_t> full, std::uint64_t salt) const {
    const std::size_t nodes = g_.num_nodes();
    const auto relief_of = [&](std::size_t v) {
      return full[part_[v]] == 0 || is_fixed(v) ? 0 : relief_by(v);
    };
    std::vector<std::size_t> next(parts_), needed(parts_);
    std::vector<std::uint64_t> relief(parts_);
    for (std::size_t v = 0; v < nodes; ++v) {
      const std::uint64_t own = relief_of(v);
      if (own == 0) continue;
      ++needed[part_[v]];
      relief[part_[v]] = saturating_sum(relief[part_[v]], own);
    }
    std::size_t count = 0;
    for (std::size_t p = 0; p < parts_; ++p) {
      next[p] = count;
      count += needed[p];
      // As if they were of about the same weight.
      needed[p] = 16 + static_cast<std::size_t>(
                           multiply_divide(needed[p], std::min(excess_of_part(p), relief[p]),
                                           std::max<std::uint64_t>(1, relief[p])));
    }
    uninitialized_vector<candidate> found(count);
    for (std::size_t v = 0; v < nodes; ++v) {
      if (relief_of(v) != 0) found[next[part_[v]]++].node = static_cast<Word>(v);
    }
    threads_.parallel_for(0, count, fine_grain, [&](std::size_t first, std::size_t last) {
      part_sums sums(parts_);
      for (std::size_t i = first; i < last; ++i) {
        const auto v = static_cast<std::size_t>(found[i].node);
        found[i].rate = rate(v, relief_by(v), full, sums);
      }
    });
    return {std::move(found), next, needed, salt, threads_};
  }

  std::uint64_t excess_of_part(std::size_t p) const {
    return excess_of(std::span(loads_).subspan(p * g_.rows, g_.rows),
                     caps_.subspan(p * stride_, g_.rows));
  }
  void place(std::size_t v, std::uint32_t to) {
    const std::size_t from = part_[v];
    for (std::size_t r = 0; r < g_.rows; ++r) {
      loads_[from * g_.rows + r] -= g_.load(v, r);
      loads_[to * g_.rows + r] += g_.load(v, r);
    }
    part_[v] = to;
  }

  /// The neighboring part with room that gains most; of equal ones the emptier.
  choice best_move(std::size_t v, part_sums& sums) const {
    sums.collect(g_, part_, v);
    const std::uint32_t own = part_[v];
    choice out;
    std::int64_t most = -1;
    std::uint64_t filled = 0;
    for (const std::uint32_t p : sums.touched()) {
      if (p == own || sums[p] < most || !fits(v, p)) continue;
      const std::uint64_t full = fullness(p);
      if (sums[p] == most && full >= filled) continue;
      most = sums[p];
      filled = full;
      out = {most - sums[own], static_cast<Word>(v), p};
    }
    return out;
  }
  /// Parts by how full they are, made when first asked for.
  class least_of_parts {
   public:
    /// The emptiest part; of equal ones the lowest. @complexity O(1), the first time O(K)
    std::uint32_t top(const part_moves& all) {
      if (tree_.empty()) {
        leaves_ = std::bit_ceil(std::size_t{all.parts_});
        tree_.assign(2 * leaves_, {~std::uint64_t{0}, no_part});
        for (std::uint32_t p = 0; p < all.parts_; ++p) tree_[leaves_ + p] = {all.fullness(p), p};
        for (std::size_t i = leaves_; i-- > 1;) tree_[i] = std::min(tree_[2 * i], tree_[2 * i + 1]);
      }
      return tree_[1].second;
    }
    /// @complexity O(log K)
    void update(const part_moves& all, std::uint32_t p) {
      if (tree_.empty()) return;
      std::size_t i = leaves_ + p;
      tree_[i].first = all.fullness(p);
      while ((i /= 2) != 0) tree_[i] = std::min(tree_[2 * i], tree_[2 * i + 1]);
    }

   private:
    std::vector<std::pair<std::uint64_t, std::uint32_t>> tree_{};  // [2 x leaves], or empty
    std::size_t leaves_ = 0;
  };

  std::uint32_t emptiest_that_fits(std::size_t v, least_of_parts& emptiest) const {
    if (g_.rows == 1 && stride_ == 0) {
      const std::uint32_t top = emptiest.top(*this);
      return top != part_[v] && fits(v, top) ? top : no_part;
    }
    std::uint32_t out = no_part;
    std::uint64_t least = 0;
    for (std::uint32_t p = 0; p < parts_; ++p) {
      if (p == part_[v] || !fits(v, p)) continue;
      const std::uint64_t full = fullness(p);
      if (out != no_part && full >= least) continue;
      out = p;
      least = full;
    }
    return out;
  }
  /// The share of v's loads in the rows in which its part is overfull.
  std::uint64_t relief_by(std::size_t v) const {
    std::uint64_t sum = 0;
    for (std::size_t r = 0; r < g_.rows; ++r) {
      const std::uint64_t weight = g_.load(v, r);
      if (const std::uint64_t most = cap(part_[v], r); weight != 0 && load(part_[v], r) > most)
        sum = saturating_sum(sum, std::max<std::uint64_t>(1, share_of(weight, most)));
    }
    return sum;
  }
  /// What moving v out gains for what it weighs.
  std::int64_t rate(std::size_t v, std::uint64_t relief, std::span<const std::uint8_t> full,
                    part_sums& sums) const {
    sums.collect(g_, part_, v);
    std::int64_t most = 0;
    for (const std::uint32_t p : sums.touched()) {
      if (full[p] == 0 && sums[p] > most && fits(v, p)) most = sums[p];
    }
    const std::int64_t gain = most - sums[part_[v]];
    constexpr auto limit = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (gain > 0)
      return static_cast<std::int64_t>(
          std::min(limit, saturating_multiply(static_cast<std::uint64_t>(gain), relief)));
    return -static_cast<std::int64_t>(std::min(
        limit, multiply_divide(static_cast<std::uint64_t>(-gain), std::uint64_t{1} << 20, relief)));
  }
  /// Where v would move in this round, if anywhere.
  std::uint32_t wish(std::size_t v, unsigned boldness, std::uint64_t salt,
                     std::span<const std::uint8_t> moved, part_sums& sums,
                     std::span<std::int64_t> gain) const {
    const std::uint32_t own = part_[v];
    if (moved[v] != 0 || is_fixed(v)) return no_part;
    if (g_.all_neighbors(v, [&](std::size_t u) { return part_[u] == own; })) return no_part;
    sums.collect(g_, part_, v);
    const jet_wish out = jet_wish_of(sums, own, v, boldness, salt);
    gain[v] = out.gain;
    return out.to;
  }
  /// What v's move gains once the neighbors that gain more have moved.
  std::int64_t gain_after_others(std::size_t v, std::span<const std::uint32_t> to,
                                 std::span<const std::int64_t> gain) const {
    const jet_wish wish{to[v], gain[v]};
    std::int64_t sum = 0;
    g_.visit(v, [&](std::size_t u, std::int64_t w) {
      sum += jet_gain_after(v, wish, part_[v], u, to[u], [&] { return gain[u]; }, part_[u], w);
    });
    return sum;
  }
  const weighted_graph<Word>& g_;
  std::uint32_t parts_;
  std::span<const std::uint64_t> caps_;
  std::size_t stride_;  // of the limits of a part; 0: they are those of all
  std::span<std::uint32_t> part_;
  executor_ref threads_;
  std::vector<std::uint64_t> loads_;  // [K x rows]
  part_sums sums_;
  std::span<const std::uint32_t> fixed_;  // [n], or empty
  std::int64_t cut_ = -1;                 // or -1: not known
};

}  // namespace halograph::detail
