// SPDX-License-Identifier: BSL-1.0
/// @file annealing.hpp
/// Improve an assignment of a small graph to several loads' limits by random moves, some of which
/// lose.
/// Layer: partition (allocates; no exceptions of its own). Words: README.md.
#pragma once

#include <halograph/core/random.hpp>
#include <halograph/partition/fixed_point.hpp>
#include <halograph/partition/multilevel/part_moves.hpp>
#include <halograph/partition/multilevel/weighted_graph.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace halograph::detail {

struct annealing_options {
  std::uint64_t seed = 0;
  std::uint64_t tries = 0;  // moves that are looked at
};

/// Random moves of nodes at the border of their parts. A move that loses is made, too, the more
/// rarely the more it loses and the later it comes. What parts hold beyond their limits costs like
/// cut edges, ever more of them: where parts are full of several loads, hardly any move fits, and
/// the way to better parts leads through overfull ones.
/// @complexity O(tries x mean degree) time, one thread; memory O(n x rows + K x rows)
/// @source Kirkpatrick, Gelatt & Vecchi, "Optimization by simulated annealing", Science 220, 1983;
///     Johnson, Aragon, McGeoch & Schevon, Operations Research 37(6), 1989 (for graphs in two
///     parts, with a price on imbalance)
template <class Word>
class annealing {
 public:
  explicit annealing(part_moves<Word>& moves)
      : moves_(moves), g_(moves.graph()), outside_(g_.num_nodes()), place_(g_.num_nodes(), none) {
    std::uint64_t weight = 0;
    for (std::size_t v = 0; v < g_.num_nodes(); ++v) {
      weight = saturating_sum(weight, static_cast<std::uint64_t>(g_.weighted_degree(v)));
      count_outside(v);
    }
    constexpr unsigned most_bits = 28;  // so that products of prices and shares need 64
    const auto bits = static_cast<unsigned>(std::bit_width(weight));
    shift_ = bits <= most_bits ? 0 : bits - most_bits;
    weight_ = weight >> shift_;
    read_loads();
  }

  /// Keeps the best assignment that it has seen, balance before cut.
  void run(const annealing_options& options) {
    const std::size_t nodes = g_.num_nodes();
    if (nodes == 0 || moves_.parts() < 2 || options.tries < steps) return;
    best_.resize(nodes);
    best_cut_ = -1;
    keep_if_better();
    random_stream random(options.seed);
    // A third of what a node weighs, in units of 2^-16.
    temperature_ = (weight_ << 16) / nodes / 3;
    for (unsigned step = 0; step < steps; ++step) {
      price_ = static_cast<std::int64_t>(
          weight_ / 2 * (first_price * (steps - 1 - step) + last_price * step) / (steps - 1));
      for (std::uint64_t i = 0; i < options.tries / steps; ++i) try_move(i % 16 == 0, random);
      // At higher temperatures the cut is not worth keeping.
      if (step >= steps / 2) keep_if_better();
      temperature_ -= temperature_ / 20;
    }
    if (moves_.excess() != 0) {
      moves_.rebalance(options.seed);
      keep_if_better();
    }
    for (std::size_t v = 0; v < nodes; ++v) {
      if (moves_.part(v) != best_[v]) moves_.move(v, best_[v]);
    }
  }

 private:
  static constexpr Word none = static_cast<Word>(~Word{0});
  static constexpr unsigned steps = 96, first_price = 1, last_price = 4;
  static constexpr unsigned share_bits = 30;  // a load as a share of the load of all nodes

  void read_loads() {
    const std::size_t rows = g_.rows, nodes = g_.num_nodes();
    const std::vector<std::uint64_t> totals = g_.total_loads();
    const auto share = [&](std::uint64_t load, std::size_t r) {
      const std::uint64_t whole = std::max<std::uint64_t>(1, totals[r]);
      return static_cast<std::int64_t>(
          multiply_divide(std::min(load, whole), std::uint64_t{1} << share_bits, whole));
    };
    shares_.resize(nodes * rows);
    beyond_.resize(moves_.parts() * rows);
    for (std::size_t p = 0; p < moves_.parts(); ++p) {
      for (std::size_t r = 0; r < rows; ++r) beyond_[p * rows + r] = -share(moves_.cap(p, r), r);
    }
    for (std::size_t v = 0; v < nodes; ++v) {
      for (std::size_t r = 0; r < rows; ++r) {
        shares_[v * rows + r] = share(g_.load(v, r), r);
        beyond_[moves_.part(v) * rows + r] += shares_[v * rows + r];
      }
    }
  }

  void keep_if_better() {
    const std::uint64_t excess = moves_.excess();
    const std::int64_t cut = moves_.cut();
    if (best_cut_ >= 0 && (excess > best_excess_ || (excess == best_excess_ && cut >= best_cut_)))
      return;
    best_excess_ = excess;
    best_cut_ = cut;
    for (std::size_t v = 0; v < best_.size(); ++v) best_[v] = moves_.part(v);
  }

  /// @param far  any node to any part, as what is inside of a part must get out, too; otherwise a
  ///     node at the border to a part beyond it
  void try_move(bool far, random_stream& random) {
    std::size_t v = 0;
    std::uint32_t to = 0;
    if (far || border_.empty()) {
      v = static_cast<std::size_t>(random.below(g_.num_nodes()));
      to = static_cast<std::uint32_t>(random.below(moves_.parts()));
    } else {
      v = static_cast<std::size_t>(border_[static_cast<std::size_t>(random.below(border_.size()))]);
      to = part_beyond(v, random);
    }
    const std::uint32_t own = moves_.part(v);
    if (to == own || moves_.is_fixed(v)) return;
    std::int64_t gain = 0;
    g_.visit(v, [&](std::size_t u, std::int64_t w) {
      const std::uint32_t p = moves_.part(u);
      gain += p == to ? w : p == own ? -w : 0;
    });
    const std::int64_t scaled = gain < 0 ? -(-gain >> shift_) : gain >> shift_;
    const std::int64_t loss = price_of_move(v, own, to) - scaled;
    if (loss <= 0 || accepts(static_cast<std::uint64_t>(loss), random.next()))
      move(v, own, to, gain);
  }
  /// The part of a neighbor; the node's own where none of some is elsewhere.
  std::uint32_t part_beyond(std::size_t v, random_stream& random) const {
    constexpr unsigned most = 8;
    const std::size_t degree = g_.degree(v);
    auto at = static_cast<std::size_t>(random.below(degree));
    std::uint32_t found = moves_.part(v);
    for (unsigned i = 0; i < most && found == moves_.part(v); ++i) {
      found = moves_.part(g_.neighbor(v, at));
      at = at + 1 == degree ? 0 : at + 1;
    }
    return found;
  }
  /// What more both parts hold beyond their limits once v has moved, in cut edges.
  std::int64_t price_of_move(std::size_t v, std::uint32_t own, std::uint32_t to) const {
    const auto above = [](std::int64_t x) { return std::max<std::int64_t>(0, x); };
    const std::size_t rows = g_.rows;
    std::int64_t more = 0;
    for (std::size_t r = 0; r < rows; ++r) {
      const std::int64_t share = shares_[v * rows + r], here = beyond_[own * rows + r],
                         there = beyond_[to * rows + r];
      more += above(there + share) - above(there) + above(here - share) - above(here);
    }
    // Shares sum to at most 1 in each row, and losses are compared below 2^40.
    const std::int64_t whole = more >> share_bits,
                       rest = more & ((std::int64_t{1} << share_bits) - 1);
    return whole * price_ + (rest * price_ >> share_bits);
  }
  /// Is the loss at most the temperature times an exponentially distributed random number?
  bool accepts(std::uint64_t loss, std::uint64_t draw) const {
    // The logarithm of the draw, in units of ln 2 / 256; between powers of two a straight line.
    const auto zeros = static_cast<unsigned>(std::countl_zero(draw | 1));
    const std::uint64_t fraction = ((draw << zeros) << 1) >> 56,
                        exponent = ((std::uint64_t{zeros} + 1) << 8) - fraction;
    constexpr std::uint64_t ln2 = 45;  // / 64
    return loss <= ((temperature_ * exponent) >> 12) * ln2 / 64 >> 12;
  }
  void move(std::size_t v, std::uint32_t own, std::uint32_t to, std::int64_t gain) {
    const std::size_t rows = g_.rows;
    moves_.move(v, to, gain);
    for (std::size_t r = 0; r < rows; ++r) {
      beyond_[own * rows + r] -= shares_[v * rows + r];
      beyond_[to * rows + r] += shares_[v * rows + r];
    }
    count_outside(v);
    g_.visit(v, [&](std::size_t u, std::int64_t) {
      const std::uint32_t p = moves_.part(u);
      if (p == own && outside_[u]++ == 0) enter(u);
      if (p == to && --outside_[u] == 0) leave(u);
    });
  }

  /// Count v's neighbors in other parts anew, and put it on the border or take it off.
  void count_outside(std::size_t v) {
    Word count = 0;
    g_.visit(v, [&](std::size_t u, std::int64_t) {
      if (moves_.part(u) != moves_.part(v)) ++count;
    });
    outside_[v] = count;
    if (count == 0 && place_[v] != none) leave(v);
    if (count != 0 && place_[v] == none) enter(v);
  }
  void enter(std::size_t v) {
    place_[v] = static_cast<Word>(border_.size());
    border_.push_back(static_cast<Word>(v));
  }
  void leave(std::size_t v) {
    const Word last = border_.back();
    border_[static_cast<std::size_t>(place_[v])] = last;
    place_[static_cast<std::size_t>(last)] = place_[v];
    border_.pop_back();
    place_[v] = none;
  }

  part_moves<Word>& moves_;
  const weighted_graph<Word>& g_;
  std::vector<Word> outside_;           // [n] neighbors in other parts
  std::vector<Word> place_;             // [n] in `border_`, or none
  std::vector<Word> border_{};          // nodes that have such neighbors
  std::vector<std::int64_t> shares_{};  // [n x rows] loads
  std::vector<std::int64_t> beyond_{};  // [K x rows] what parts hold beyond their limits
  std::uint64_t weight_ = 0;            // of all entries, in units of 2^shift_, below 2^28
  unsigned shift_ = 0;
  std::uint64_t temperature_ = 0;  // losses that are as likely as not, about; in units of 2^-16
  std::int64_t price_ = 0;         // of all of a load, in cut edges
  std::vector<std::uint32_t> best_{};
  std::uint64_t best_excess_ = 0;
  std::int64_t best_cut_ = -1;
};

}  // namespace halograph::detail
