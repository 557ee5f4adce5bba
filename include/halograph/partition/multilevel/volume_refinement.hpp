// SPDX-License-Identifier: BSL-1.0
/// @file volume_refinement.hpp
/// Improve an assignment by moving nodes so that less data is sent between parts.
/// Layer: partition (allocates; no exceptions of its own). Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/partition/multilevel/initial/gain_queue.hpp>
#include <halograph/partition/multilevel/part_moves.hpp>
#include <halograph/partition/multilevel/row_steps.hpp>
#include <halograph/partition/multilevel/weighted_graph.hpp>

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace halograph::detail {

/// How many neighbors each node has in each part. Memory O(n + m), whatever the number of parts: a
/// row is as long as the node's degree or the number of parts.
template <class Word>
class neighbor_parts {
 public:
  template <class PartOf>
  neighbor_parts(const weighted_graph<Word>& g, std::uint32_t parts, const PartOf& part_of)
      : parts_(parts), begin_(g.num_nodes() + 1), used_(g.num_nodes()) {
    for (std::size_t v = 0; v < g.num_nodes(); ++v)
      begin_[v + 1] = static_cast<Word>(index(begin_[v]) +
                                        std::min<std::size_t>(g.degree(v), parts));
    rows_.resize(index(begin_.back()));
    for (std::size_t v = 0; v < g.num_nodes(); ++v) {
      if (is_table(v)) used_[v] = parts;
      g.visit(v, [&](std::size_t u, std::int64_t) { add(v, part_of(u)); });
    }
  }

  /// f(part, neighbors there) for each part with neighbors of v.
  template <class F>
  void visit(std::size_t v, F&& f) const {
    const entry* const row = rows_.data() + index(begin_[v]);
    if (is_table(v)) {
      for (std::uint32_t p = 0; p < parts_; ++p) {
        if (row[p].count != 0) f(p, row[p].count);
      }
    } else {
      for (std::uint32_t i = 0; i < used_[v]; ++i) f(row[i].part, row[i].count);
    }
  }
  void add(std::size_t v, std::uint32_t p) {
    entry* const row = rows_.data() + index(begin_[v]);
    if (is_table(v)) {
      ++row[p].count;
      return;
    }
    std::uint32_t i = 0;
    while (i < used_[v] && row[i].part != p) ++i;
    if (i == used_[v]) row[used_[v]++] = {p, 0};
    ++row[i].count;
  }
  void remove(std::size_t v, std::uint32_t p) {
    entry* const row = rows_.data() + index(begin_[v]);
    if (is_table(v)) {
      --row[p].count;
      return;
    }
    std::uint32_t i = 0;
    while (row[i].part != p) ++i;
    if (--row[i].count == 0) row[i] = row[--used_[v]];
  }

 private:
  struct entry {
    std::uint32_t part = 0;
    Word count = 0;
  };
  /// Does v's row have a place for each part?
  bool is_table(std::size_t v) const { return index(begin_[v + 1] - begin_[v]) == parts_; }

  std::uint32_t parts_;
  std::vector<Word> begin_;          // [n+1] of rows
  std::vector<std::uint32_t> used_;  // [n] entries of a row
  std::vector<entry> rows_{};
};

/// Nodes that are in a part already, and how many of them may be in another in the end.
struct bounded_moves {
  std::span<const std::uint32_t> home{};  // [n] a part or no_part, or empty: none is bound
  std::uint64_t most = 0;
};

/// Moves of nodes for less communication volume: the sum over nodes of their size, once for each
/// other part among their neighbors.
/// @source after Fiduccia & Mattheyses (DAC 1982): the best prefix of a row of moves is kept
template <class Word>
class volume_refinement {
 public:
  /// @param sizes     [n] >= 0, or empty: 1 each. Times degrees they sum to 2^51 at most.
  /// @param patience  moves without success, in half percents of the nodes, until a pass stops
  volume_refinement(part_moves<Word>& moves, std::span<const std::int64_t> sizes,
                    const bounded_moves& bound, unsigned patience)
      : moves_(moves),
        g_(moves.graph()),
        sizes_(sizes),
        bound_(bound),
        patience_(std::max<std::size_t>(200, moves.graph().num_nodes() / 200 * patience)),
        near_(moves.graph(), moves.parts(), [&](std::size_t v) { return moves.part(v); }),
        saved_(moves.parts()) {
    for (std::size_t v = 0; v < bound_.home.size(); ++v) away_ += is_away(v, moves_.part(v));
  }

  /// Passes in which nodes move one by one, those first that save most, until a pass saves less
  /// than a thousandth. @return the volume that is left
  /// @complexity of a pass: O(n + m) times the parts near a node; the result does not depend on the
  /// threads
  std::int64_t refine() {
    constexpr unsigned most_passes = 10;
    std::int64_t left = volume();
    for (unsigned pass = 0; pass < most_passes; ++pass) {
      const std::int64_t less = run_pass();
      left -= less;
      if (less <= left / 1000) break;
    }
    return left;
  }
  /// @complexity O(n + m)
  std::int64_t volume() const {
    std::int64_t sum = 0;
    for (std::size_t v = 0; v < g_.num_nodes(); ++v)
      near_.visit(v, [&](std::uint32_t p, Word) { sum += p != moves_.part(v) ? size(v) : 0; });
    return sum;
  }

 private:
  /// What a move saves: volume, and of like volumes cut edges.
  struct savings {
    std::int64_t volume = 0, cut = 0;
    auto operator<=>(const savings&) const = default;
    savings operator+(const savings& other) const {
      return {volume + other.volume, cut + other.cut};
    }
    /// As one number for the queue.
    std::int64_t rank() const {
      constexpr std::int64_t scale = 1024;
      return volume * scale + std::clamp<std::int64_t>(cut, 1 - scale / 2, scale / 2 - 1);
    }
  };
  struct choice {
    savings gain{};
    std::uint32_t to = no_part;
  };
  // A hub is looked at again once so large a share of its neighbors has moved: each time would cost
  // most of a pass, and never would lose what hubs bring.
  static constexpr std::size_t hub_share = 128;
  static constexpr std::size_t grain = 1024;

  std::int64_t size(std::size_t v) const { return sizes_.empty() ? 1 : sizes_[v]; }
  bool is_away(std::size_t v, std::uint32_t p) const {
    return !bound_.home.empty() && bound_.home[v] != no_part && bound_.home[v] != p &&
           !moves_.is_fixed(v);
  }
  /// Would the move put one node too many into another part than it had?
  bool exceeds_bound(std::size_t v, std::uint32_t to) const {
    return away_ >= bound_.most && is_away(v, to) && !is_away(v, moves_.part(v));
  }

  /// The part with room to which v's move saves most.
  choice best_move(std::size_t v, part_sums& saved) const {
    const std::uint32_t own = moves_.part(v);
    bool inside = true;
    std::int64_t in_own = 0;
    near_.visit(v, [&](std::uint32_t p, Word count) {
      inside = inside && p == own;
      if (p == own) in_own = static_cast<std::int64_t>(count);
    });
    if (inside) return {};
    // A neighbor has v's data, or sends its own to v's part, as before if its part or one of its
    // other neighbors is there.
    std::int64_t change = in_own == 0 ? size(v) : 0;
    saved.collect([&](const auto& add) {
      g_.visit(v, [&](std::size_t u, std::int64_t) {
        const std::uint32_t there = moves_.part(u);
        const std::int64_t one = size(u);
        bool listed = false;
        change -= one;
        near_.visit(u, [&](std::uint32_t p, Word count) {
          if (p == own && count == 1 && there != own) change += one;
          listed = listed || p == there;
          add(p, one);
        });
        if (!listed) add(there, one);
      });
    });
    choice out;
    near_.visit(v, [&](std::uint32_t p, Word count) {
      if (p == own || !moves_.fits(v, p)) return;
      const savings gain{change + saved[p], static_cast<std::int64_t>(count) - in_own};
      if (out.to == no_part || gain > out.gain || (gain == out.gain && p < out.to)) out = {gain, p};
    });
    return out;
  }
  void move(std::size_t v, std::uint32_t to) {
    const std::uint32_t from = moves_.part(v);
    g_.visit(v, [&](std::size_t u, std::int64_t) {
      near_.remove(u, from);
      near_.add(u, to);
    });
    away_ += is_away(v, to);
    away_ -= is_away(v, from);
    moves_.move(v, to);
  }
  void find_first_moves(gain_queue& queue) const {
    const std::size_t nodes = g_.num_nodes();
    constexpr std::int64_t none = std::numeric_limits<std::int64_t>::min();
    std::vector<std::int64_t> ranks(nodes, none);
    moves_.threads().parallel_for(0, nodes, grain, [&](std::size_t first, std::size_t last) {
      part_sums saved(moves_.parts());
      for (std::size_t v = first; v < last; ++v) {
        if (moves_.is_fixed(v)) continue;
        if (const choice found = best_move(v, saved); found.to != no_part)
          ranks[v] = found.gain.rank();
      }
    });
    queue.reserve(nodes - static_cast<std::size_t>(std::count(ranks.begin(), ranks.end(), none)));
    for (std::size_t v = 0; v < nodes; ++v) {
      if (ranks[v] != none) queue.put(v, ranks[v]);
    }
  }

  /// @return by how much the volume is less
  std::int64_t run_pass() {
    const std::size_t nodes = g_.num_nodes();
    gain_queue queue(nodes);
    find_first_moves(queue);
    std::vector<std::uint8_t> moved(nodes);
    std::vector<Word> changes(nodes);  // among the neighbors, since a node was looked at
    std::vector<std::pair<std::size_t, std::uint32_t>> made;  // node, the part that it left
    savings sum, best;
    std::size_t kept = 0;
    while (!queue.empty() && made.size() - kept <= patience_) {
      const std::size_t v = queue.top();
      const choice found = best_move(v, saved_);
      if (found.to == no_part || exceeds_bound(v, found.to)) {
        queue.pop();
        continue;
      }
      if (found.gain.rank() < queue.top_gain()) {
        queue.put(v, found.gain.rank());
        if (queue.top() != v) continue;
      }
      queue.pop();
      moved[v] = 1;
      made.emplace_back(v, moves_.part(v));
      move(v, found.to);
      sum = sum + found.gain;
      if (sum > best) {
        best = sum;
        kept = made.size();
      }
      g_.visit(v, [&](std::size_t u, std::int64_t) {
        if (moved[u] != 0 || moves_.is_fixed(u) || ++changes[u] < g_.degree(u) / hub_share) return;
        changes[u] = 0;
        if (const choice now = best_move(u, saved_); now.to != no_part)
          queue.put(u, now.gain.rank());
      });
    }
    for (; made.size() > kept; made.pop_back()) move(made.back().first, made.back().second);
    return best.volume;
  }

  part_moves<Word>& moves_;
  const weighted_graph<Word>& g_;
  std::span<const std::int64_t> sizes_;
  bounded_moves bound_;
  std::size_t patience_;
  neighbor_parts<Word> near_;
  part_sums saved_;
  std::uint64_t away_ = 0;
};

}  // namespace halograph::detail
