// SPDX-License-Identifier: BSL-1.0
/// @file initial_partition.hpp
/// Cut a small weighted graph into K parts, on one rank.
/// Layer: partition (allocates; no exceptions of its own). Words: README.md.
#pragma once

#include <halograph/core/random.hpp>
#include <halograph/partition/fixed_point.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <queue>
#include <span>
#include <utility>
#include <vector>

namespace halograph::detail {

/// An undirected graph in the memory of one rank: n nodes of several loads each, weighted pairs in
/// both rows, no loops.
struct whole_graph {
  std::size_t rows = 1;                    // loads of a node
  std::vector<std::uint64_t> offsets{0};   // [n+1]
  std::vector<std::uint32_t> neighbors{};  // [m]
  std::vector<std::uint64_t> weights{};    // [m]
  std::vector<std::uint64_t> loads{};      // [n x rows]

  std::size_t num_nodes() const noexcept { return offsets.size() - 1; }
  template <class F>
  void visit(std::size_t v, F&& f) const {
    for (auto i = static_cast<std::size_t>(offsets[v]); i < offsets[v + 1]; ++i)
      f(static_cast<std::size_t>(neighbors[i]), weights[i]);
  }
};

/// Halves of given sizes with few pairs between them: grown around a node, then improved move by
/// move.
/// @source B. W. Kernighan & S. Lin, Bell System Technical Journal 49(2), 1970; C. M. Fiduccia & R.
///     M. Mattheyses, DAC 1982; graph growing: G. Karypis & V. Kumar, SIAM J. Sci. Comput. 20(1),
///     1998
class bisection {
 public:
  /// @param cap    [2 x rows] limit of each half   @param share [rows] what half 1 should hold
  bisection(const whole_graph& g, std::span<const std::uint64_t> cap,
            std::span<const std::uint64_t> share)
      : g_(g),
        cap_(cap),
        share_(share),
        side_(g.num_nodes()),
        gain_(g.num_nodes()),
        load_(2 * g.rows),
        total_(g.rows) {
    for (std::size_t v = 0; v < g.num_nodes(); ++v) {
      for (std::size_t r = 0; r < g.rows; ++r) total_[r] += g.loads[v * g.rows + r];
    }
  }

  /// The best of several tries: the least beyond the caps, then the least cut.
  std::vector<std::uint8_t> run(std::uint64_t seed, std::size_t tries) {
    std::vector<std::uint8_t> best;
    std::pair<std::uint64_t, std::uint64_t> best_cost{~std::uint64_t{0}, ~std::uint64_t{0}};
    for (std::size_t t = 0; t < tries; ++t) {
      random_stream draws = random_stream::at(seed, t);
      grow(draws);
      measure();
      for (int pass = 0; pass < 8 && improve(draws.next()); ++pass) {
      }
      if (const std::pair cost{beyond(), cut_}; t == 0 || cost < best_cost) {
        best_cost = cost;
        best = side_;
      }
    }
    return best;
  }

 private:
  using entry =
      std::pair<std::int64_t, std::uint64_t>;  // gain, then a random number above the node's

  std::uint64_t load_of(std::size_t v, std::size_t r) const { return g_.loads[v * g_.rows + r]; }
  static std::uint64_t tie(std::uint64_t salt, std::size_t v) { return (mix(v ^ salt) << 32) | v; }

  void grow(random_stream& draws) {
    const std::size_t nodes = g_.num_nodes();
    std::fill(side_.begin(), side_.end(), std::uint8_t{0});
    std::vector<std::uint32_t> order(nodes);
    std::iota(order.begin(), order.end(), std::uint32_t{0});
    shuffle(std::span(order), draws);
    std::vector<std::uint64_t> held(g_.rows);
    std::vector<std::int64_t> pull(
        nodes);  // twice what ties it to the half that grows, less what ties it at all
    for (std::size_t v = 0; v < nodes; ++v)
      g_.visit(v, [&](std::size_t, std::uint64_t w) { pull[v] -= static_cast<std::int64_t>(w); });
    std::priority_queue<entry> front;
    const std::uint64_t salt = draws.next();
    std::size_t next = 0;
    std::vector<bool> passed(nodes);
    for (;;) {
      std::size_t v = nodes;
      while (!front.empty() && v == nodes) {
        const auto [value, name] = front.top();
        front.pop();
        const auto u = static_cast<std::size_t>(name & 0xFFFFFFFFu);
        if (side_[u] == 0 && !passed[u] && value == pull[u]) v = u;
      }
      while (v == nodes && next < nodes) {
        if (side_[order[next]] == 0 && !passed[order[next]]) v = order[next];
        ++next;
      }
      if (v == nodes) return;
      bool wanted = false, fits = true, open = false;
      for (std::size_t r = 0; r < g_.rows; ++r) {
        open = open || held[r] < share_[r];
        if (load_of(v, r) == 0) continue;
        wanted = wanted || held[r] < share_[r];
        fits = fits && held[r] < share_[r] &&
               load_of(v, r) <= cap_[g_.rows + r] - std::min(cap_[g_.rows + r], held[r]);
      }
      if (!open) return;
      if (!wanted || !fits) {
        passed[v] = true;
        continue;
      }
      side_[v] = 1;
      for (std::size_t r = 0; r < g_.rows; ++r) held[r] += load_of(v, r);
      g_.visit(v, [&](std::size_t u, std::uint64_t w) {
        if (side_[u] != 0) return;
        pull[u] += 2 * static_cast<std::int64_t>(w);
        front.emplace(pull[u], tie(salt, u));
      });
    }
  }

  void measure() {
    std::fill(load_.begin(), load_.end(), std::uint64_t{0});
    cut_ = 0;
    for (std::size_t v = 0; v < g_.num_nodes(); ++v) {
      for (std::size_t r = 0; r < g_.rows; ++r) load_[side_[v] * g_.rows + r] += load_of(v, r);
      gain_[v] = 0;
      g_.visit(v, [&](std::size_t u, std::uint64_t w) {
        gain_[v] += side_[u] == side_[v] ? -static_cast<std::int64_t>(w)
                                         : static_cast<std::int64_t>(w);
        if (u < v && side_[u] != side_[v]) cut_ += w;
      });
    }
  }

  /// What the halves hold beyond their limits, each load as a fraction of 2^20 of its total.
  std::uint64_t beyond() const {
    std::uint64_t sum = 0;
    for (std::size_t s = 0; s < 2; ++s) {
      for (std::size_t r = 0; r < g_.rows; ++r) {
        const std::uint64_t load = load_[s * g_.rows + r], cap = cap_[s * g_.rows + r];
        if (load > cap) sum += 1 + multiply_divide(load - cap, std::uint64_t{1} << 20, total_[r]);
      }
    }
    return sum;
  }
  void shift(std::size_t v, std::size_t from) {
    for (std::size_t r = 0; r < g_.rows; ++r) {
      load_[from * g_.rows + r] -= load_of(v, r);
      load_[(1 - from) * g_.rows + r] += load_of(v, r);
    }
  }
  void flip(std::size_t v) {
    shift(v, side_[v]);
    cut_ = static_cast<std::uint64_t>(static_cast<std::int64_t>(cut_) - gain_[v]);
    side_[v] = static_cast<std::uint8_t>(1 - side_[v]);
    gain_[v] = -gain_[v];
    g_.visit(v, [&](std::size_t u, std::uint64_t w) {
      gain_[u] += (side_[u] == side_[v] ? -2 : 2) * static_cast<std::int64_t>(w);
    });
  }

  /// One pass: each node moves once at most, the best moves first; back to the best state that was
  /// seen.
  bool improve(std::uint64_t salt) {
    const std::size_t nodes = g_.num_nodes();
    std::array<std::priority_queue<entry>, 2> waiting;
    std::vector<bool> moved(nodes);
    const std::uint64_t at_first = beyond();
    for (std::size_t v = 0; v < nodes; ++v) {
      bool boundary = at_first != 0;
      if (!boundary)
        g_.visit(
            v, [&](std::size_t u, std::uint64_t) { boundary = boundary || side_[u] != side_[v]; });
      if (boundary) waiting[side_[v]].emplace(gain_[v], tie(salt, v));
    }
    std::vector<std::size_t> log;
    std::size_t best = 0;
    const std::pair start{at_first, cut_};
    auto best_cost = start;
    std::uint64_t over = at_first;
    const std::size_t patience = std::max<std::size_t>(64, nodes / 16);
    while (log.size() - best < patience) {
      std::array<std::size_t, 2> top{nodes, nodes};
      for (std::size_t s = 0; s < 2; ++s) {
        while (!waiting[s].empty()) {
          const auto [value, name] = waiting[s].top();
          const auto v = static_cast<std::size_t>(name & 0xFFFFFFFFu);
          if (!moved[v] && side_[v] == s && value == gain_[v]) {
            shift(v, s);
            const std::uint64_t then = beyond();
            shift(v, 1 - s);
            if (then <= over) {
              top[s] = v;
              break;
            }
          }
          waiting[s].pop();
        }
      }
      if (top[0] == nodes && top[1] == nodes) break;
      const std::size_t s = top[0] == nodes                       ? 1
                            : top[1] == nodes                     ? 0
                            : waiting[0].top() > waiting[1].top() ? 0
                                                                  : 1;
      const std::size_t v = top[s];
      waiting[s].pop();
      moved[v] = true;
      flip(v);
      over = beyond();
      log.push_back(v);
      g_.visit(v, [&](std::size_t u, std::uint64_t) {
        if (!moved[u]) waiting[side_[u]].emplace(gain_[u], tie(salt, u));
      });
      if (const std::pair cost{over, cut_}; cost < best_cost) {
        best_cost = cost;
        best = log.size();
      }
    }
    while (log.size() > best) {
      flip(log.back());
      log.pop_back();
    }
    return best_cost < start;
  }

  const whole_graph& g_;
  std::span<const std::uint64_t> cap_, share_;
  std::vector<std::uint8_t> side_;
  std::vector<std::int64_t> gain_;
  std::vector<std::uint64_t> load_, total_;
  std::uint64_t cut_ = 0;
};

/// K parts by recursive bisection. Every part gets a node. @pre K <= n < 2^32
class recursive_bisection {
 public:
  /// @param cap  [rows] limit of a part
  recursive_bisection(std::span<const std::uint64_t> cap, std::uint64_t seed, std::size_t tries)
      : cap_(cap), seed_(seed), tries_(tries) {}

  std::vector<std::uint32_t> run(const whole_graph& g, std::uint32_t parts) {
    std::vector<std::uint32_t> owner(g.num_nodes());
    std::vector<std::uint32_t> all(g.num_nodes());
    std::iota(all.begin(), all.end(), std::uint32_t{0});
    split(g, all, 0, parts, owner);
    return owner;
  }

 private:
  void split(const whole_graph& g, std::span<const std::uint32_t> names, std::uint32_t first,
             std::uint32_t parts, std::vector<std::uint32_t>& owner) {
    const std::size_t nodes = g.num_nodes();
    if (parts == 1) {
      for (const auto v : names) owner[v] = first;
      return;
    }
    const std::array<std::uint32_t, 2> share{parts - parts / 2, parts / 2};
    std::vector<std::uint64_t> total(g.rows), cap(2 * g.rows), half(g.rows);
    for (std::size_t i = 0; i < g.loads.size(); ++i) total[i % g.rows] += g.loads[i];
    const auto levels = static_cast<std::uint64_t>(std::bit_width(parts - 1));
    for (std::size_t r = 0; r < g.rows; ++r) {
      half[r] = multiply_divide(total[r], share[1], parts);
      // What the K limits allow beyond the total is divided evenly among the levels below.
      const std::uint64_t room = saturating_multiply(cap_[r], parts);
      const std::uint64_t spare = room > total[r] ? (room - total[r]) / levels : 0;
      for (std::size_t s = 0; s < 2; ++s) {
        const std::uint64_t mine = s == 1 ? half[r] : total[r] - half[r],
                            more = multiply_divide(spare, share[s], parts);
        cap[s * g.rows + r] = more > ~std::uint64_t{0} - mine - 1 ? ~std::uint64_t{0}
                                                                  : mine + more + 1;
      }
    }
    auto side = bisection(g, cap, half).run(keyed(first, parts), tries_);
    std::array<std::size_t, 2> count{};
    for (const auto s : side) ++count[s];
    for (std::size_t v = 0; v < nodes; ++v) {
      const std::size_t other = 1u - side[v];
      if (count[other] >= share[other]) continue;
      --count[side[v]];
      ++count[other];
      side[v] = static_cast<std::uint8_t>(other);
    }
    std::vector<std::uint32_t> place(nodes);
    for (std::size_t s = 0; s < 2; ++s) {
      whole_graph piece;
      std::vector<std::uint32_t> inside;
      piece.rows = g.rows;
      for (std::size_t v = 0; v < nodes; ++v) {
        if (side[v] != s) continue;
        place[v] = static_cast<std::uint32_t>(inside.size());
        inside.push_back(names[v]);
        for (std::size_t r = 0; r < g.rows; ++r) piece.loads.push_back(g.loads[v * g.rows + r]);
      }
      for (std::size_t v = 0; v < nodes; ++v) {
        if (side[v] != s) continue;
        g.visit(v, [&](std::size_t u, std::uint64_t w) {
          if (side[u] != s) return;
          piece.neighbors.push_back(place[u]);
          piece.weights.push_back(w);
        });
        piece.offsets.push_back(piece.neighbors.size());
      }
      split(piece, inside, s == 0 ? first : first + share[0], share[s], owner);
    }
  }
  std::uint64_t keyed(std::uint64_t first, std::uint64_t parts) const {
    return mix(mix(seed_ + first) ^ parts);
  }

  std::span<const std::uint64_t> cap_;
  std::uint64_t seed_;
  std::size_t tries_;
};

/// Assign nodes in turn, each to the part with most of its weight less what the part's load costs,
/// as Fennel does for a stream.
/// @param by_degree  the most tied nodes first, else in random order
/// @source Tsourakakis, Gkantsidis, Radunovic & Vojnovic, WSDM 2014; fennel.hpp has the cost
inline std::vector<std::uint32_t> greedy_parts(const whole_graph& g,
                                               std::span<const std::uint64_t> cap,
                                               std::uint32_t parts, std::uint64_t seed,
                                               bool by_degree) {
  const std::size_t nodes = g.num_nodes(), rows = g.rows;
  std::vector<std::uint64_t> total(rows), load(parts * rows), degree(nodes), pull(parts),
      burden(parts * rows);
  std::uint64_t weight = 0;
  for (std::size_t v = 0; v < nodes; ++v) {
    for (std::size_t r = 0; r < rows; ++r) total[r] += g.loads[v * rows + r];
    g.visit(v, [&](std::size_t, std::uint64_t w) { degree[v] += w; });
    weight += degree[v];
  }
  std::vector<std::uint32_t> order(nodes), owner(nodes, parts);
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  random_stream draws(seed);
  shuffle(std::span(order), draws);
  if (by_degree)
    std::stable_sort(order.begin(), order.end(),
                     [&](auto a, auto b) { return degree[a] > degree[b]; });
  for (const std::uint32_t v : order) {
    std::fill(pull.begin(), pull.end(), std::uint64_t{0});
    g.visit(v, [&](std::size_t u, std::uint64_t w) {
      if (owner[u] != parts) pull[owner[u]] += w;
    });
    std::uint32_t best = parts;
    std::int64_t best_score = 0;
    std::uint64_t best_held = 0;
    for (std::uint32_t p = 0; p < parts; ++p) {
      std::uint64_t worst = 0, held = 0, cost = 0;
      for (std::size_t r = 0; r < rows; ++r) {
        const std::uint64_t one = g.loads[v * rows + r], has = load[p * rows + r];
        if (one == 0) continue;
        if (one > cap[r] || has > cap[r] - one)
          worst = std::max(
              worst, 1 + multiply_divide(has + one, 1024, std::max<std::uint64_t>(1, cap[r])));
        held += multiply_divide(has, std::uint64_t{1} << 20, std::max<std::uint64_t>(1, total[r]));
        cost = std::max(
            cost, multiply_divide(
                      multiply_divide(3 * weight, one, 4 * std::max<std::uint64_t>(1, total[r])),
                      burden[p * rows + r], 4096));
      }
      const std::int64_t score =
          worst != 0 ? -(std::int64_t{1} << 60) -
                           static_cast<std::int64_t>(std::min<std::uint64_t>(worst, 1u << 30))
                     : static_cast<std::int64_t>(std::min(pull[p], std::uint64_t{1} << 58)) -
                           static_cast<std::int64_t>(std::min(cost, std::uint64_t{1} << 58));
      if (best == parts || score > best_score || (score == best_score && held < best_held)) {
        best = p;
        best_score = score;
        best_held = held;
      }
    }
    owner[v] = best;
    for (std::size_t r = 0; r < rows; ++r) {
      load[best * rows + r] += g.loads[v * rows + r];
      // The square root of the load relative to the mean, in units of 2^-12.
      const std::uint64_t relative = multiply_divide(
          load[best * rows + r], std::uint64_t{parts} << 24, std::max<std::uint64_t>(1, total[r]));
      burden[best * rows + r] = square_root(relative);
    }
  }
  return owner;
}

/// Move nodes in random order, each to the part with most of its weight among those with room,
/// round after round; no part loses its last node.
inline void polish_parts(const whole_graph& g, std::span<const std::uint64_t> cap,
                         std::uint32_t parts, std::uint64_t seed,
                         std::vector<std::uint32_t>& owner) {
  const std::size_t nodes = g.num_nodes(), rows = g.rows;
  std::vector<std::uint64_t> load(parts * rows), count(parts), pull(parts);
  for (std::size_t v = 0; v < nodes; ++v) {
    ++count[owner[v]];
    for (std::size_t r = 0; r < rows; ++r) load[owner[v] * rows + r] += g.loads[v * rows + r];
  }
  std::vector<std::uint32_t> order(nodes), touched;
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  random_stream draws(seed);
  for (int round = 0; round < 16; ++round) {
    shuffle(std::span(order), draws);
    std::size_t moved = 0;
    for (const std::uint32_t v : order) {
      const std::uint32_t own = owner[v];
      if (count[own] == 1) continue;
      touched.clear();
      g.visit(v, [&](std::size_t u, std::uint64_t w) {
        if (pull[owner[u]] == 0) touched.push_back(owner[u]);
        pull[owner[u]] += w;
      });
      bool heavy = false;
      for (std::size_t r = 0; r < rows; ++r)
        heavy = heavy || (g.loads[v * rows + r] != 0 && load[own * rows + r] > cap[r]);
      std::uint32_t best = own;
      for (const std::uint32_t p : touched) {
        if (p == own || (pull[p] < pull[best] && !(heavy && best == own)) ||
            (pull[p] == pull[best] && (best != own || !heavy) && p > best))
          continue;
        bool fits = true;
        bool lighter = pull[p] > pull[own] || heavy;
        for (std::size_t r = 0; r < rows; ++r) {
          const std::uint64_t one = g.loads[v * rows + r];
          if (one == 0) continue;
          fits = fits && one <= cap[r] && load[p * rows + r] <= cap[r] - one;
          lighter = lighter || load[p * rows + r] + one < load[own * rows + r];
        }
        if (fits && lighter) best = p;
      }
      for (const std::uint32_t p : touched) pull[p] = 0;
      if (best == own) continue;
      for (std::size_t r = 0; r < rows; ++r) {
        load[own * rows + r] -= g.loads[v * rows + r];
        load[best * rows + r] += g.loads[v * rows + r];
      }
      --count[own];
      ++count[best];
      owner[v] = best;
      ++moved;
    }
    if (moved <= nodes / 1024) break;
  }
}

}  // namespace halograph::detail
