// SPDX-License-Identifier: BSL-1.0
/// @file bisection.hpp
/// Cut a small graph in two, again and again, until there are enough parts.
/// Layer: partition (allocates; no exceptions of its own). Words: README.md.
#pragma once

#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/random.hpp>
#include <halograph/partition/fixed_point.hpp>
#include <halograph/partition/multilevel/coarsening.hpp>
#include <halograph/partition/multilevel/fixed_nodes.hpp>
#include <halograph/partition/multilevel/initial/gain_queue.hpp>
#include <halograph/partition/multilevel/row_steps.hpp>
#include <halograph/partition/multilevel/weighted_graph.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace halograph::detail {

/// `load` as a share of `whole`, in units of 2^-20.
constexpr std::uint64_t share_of(std::uint64_t load, std::uint64_t whole) noexcept {
  return multiply_divide(load, std::uint64_t{1} << 20, std::max<std::uint64_t>(1, whole));
}

/// What exceeds the caps, as a sum of shares; 0 where nothing does.
inline std::uint64_t excess_of(std::span<const std::uint64_t> loads,
                               std::span<const std::uint64_t> caps) noexcept {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    if (loads[i] > caps[i])
      sum = saturating_sum(sum, std::max<std::uint64_t>(1, share_of(loads[i] - caps[i], caps[i])));
  }
  return sum;
}

/// The limits of both sides of a cut.
struct side_limits {
  std::vector<std::uint64_t> goals{};  // [2 x rows]
  std::vector<std::uint64_t> caps{};   // [2 x rows]
};

/// How good a cut is: less excess is better, then fewer cut edges, then loads nearer to the goals.
struct cut_quality {
  std::uint64_t excess = ~std::uint64_t{0};
  std::int64_t cut = 0;
  std::uint64_t off = 0;
  auto operator<=>(const cut_quality&) const = default;
};

/// Improve a cut in two: move the node that gains most, whatever it gains, each node once in a
/// pass, and keep the best cut on the way.
/// @complexity O(m log n) for each pass
/// @source Fiduccia & Mattheyses, "A linear-time heuristic for improving network partitions",
///     DAC 1982
template <class Word>
class two_way_cut {
 public:
  two_way_cut(const weighted_graph<Word>& g, const side_limits& limits,
              std::vector<std::uint8_t>& side, executor_ref threads = {})
      : g_(g),
        limits_(limits),
        side_(side),
        loads_(2 * g.rows),
        gain_(g.num_nodes()),
        locked_(g.num_nodes()),
        queues_{gain_queue(g.num_nodes()), gain_queue(g.num_nodes())} {
    for (std::size_t v = 0; v < g.num_nodes(); ++v) {
      for (std::size_t r = 0; r < g.rows; ++r) loads_[side[v] * g.rows + r] += g.load(v, r);
    }
    const auto cut_at = [&](std::size_t v) {
      std::int64_t cut = 0, kept = 0;
      g.visit(v, [&](std::size_t u, std::int64_t w) { (side[u] != side[v] ? cut : kept) += w; });
      gain_[v] = cut - kept;
      return cut;
    };
    cut_ = sum_of_nodes(g.num_nodes(), threads, cut_at) / 2;
  }

  cut_quality quality() const {
    cut_quality out{excess_of(loads_, limits_.caps), cut_, 0};
    for (std::size_t i = 0; i < loads_.size(); ++i)
      out.off = std::max(out.off, share_of(loads_[i], limits_.caps[i]));
    return out;
  }
  /// @param patience  moves without a better cut that end a pass
  void refine(std::uint64_t seed, unsigned passes, std::size_t patience) {
    for (unsigned i = 0; i < passes && pass(keyed(seed, i), patience); ++i) {
    }
  }

 private:
  bool overfull(std::size_t side) const {
    for (std::size_t r = 0; r < g_.rows; ++r) {
      if (loads_[side * g_.rows + r] > limits_.caps[side * g_.rows + r]) return true;
    }
    return false;
  }
  bool fits(std::size_t v, std::size_t side) const {
    for (std::size_t r = 0; r < g_.rows; ++r) {
      const std::uint64_t load = g_.load(v, r), held = loads_[side * g_.rows + r],
                          cap = limits_.caps[side * g_.rows + r];
      if (load != 0 && (held > cap || load > cap - held)) return false;
    }
    return true;
  }
  /// Does v weigh something of which its side has too much?
  bool relieves(std::size_t v, std::size_t side) const {
    for (std::size_t r = 0; r < g_.rows; ++r) {
      if (loads_[side * g_.rows + r] > limits_.caps[side * g_.rows + r] && g_.load(v, r) != 0)
        return true;
    }
    return false;
  }
  void move(std::size_t v, bool queue) {
    const std::size_t from = side_[v], to = 1 - from;
    for (std::size_t r = 0; r < g_.rows; ++r) {
      loads_[from * g_.rows + r] -= g_.load(v, r);
      loads_[to * g_.rows + r] += g_.load(v, r);
    }
    side_[v] = static_cast<std::uint8_t>(to);
    cut_ -= gain_[v];
    gain_[v] = -gain_[v];
    g_.visit(v, [&](std::size_t u, std::int64_t w) {
      gain_[u] += side_[u] == to ? -2 * w : 2 * w;
      if (queue && !locked_[u]) queues_[side_[u]].put(u, gain_[u]);
    });
  }
  /// The side from which the next node comes; 2: from none.
  std::size_t next_side() const {
    const bool full[2] = {overfull(0), overfull(1)};
    if (full[0] != full[1]) {
      const std::size_t side = full[0] ? 0 : 1;
      return queues_[side].empty() ? 2 : side;
    }
    if (queues_[0].empty() || queues_[1].empty())
      return !queues_[0].empty() ? 0 : !queues_[1].empty() ? 1 : 2;
    const std::int64_t a = queues_[0].top_gain(), b = queues_[1].top_gain();
    if (a != b) return a > b ? 0 : 1;
    return share_of(loads_[0], limits_.caps[0]) >= share_of(loads_[g_.rows], limits_.caps[g_.rows])
               ? 0
               : 1;
  }

  /// @return is the cut better now?
  bool pass(std::uint64_t seed, std::size_t patience) {
    const std::size_t nodes = g_.num_nodes();
    for (auto& queue : queues_) queue.clear();
    for (std::size_t v = 0; v < nodes; ++v) locked_[v] = g_.is_fixed(v) ? 1 : 0;
    const cut_quality before = quality();
    const std::size_t shift = nodes == 0 ? 0 : static_cast<std::size_t>(seed % nodes);
    for (std::size_t i = 0; i < nodes; ++i) {
      const std::size_t v = i + shift < nodes ? i + shift : i + shift - nodes;
      if (!locked_[v] && (before.excess != 0 || gain_[v] > -g_.weighted_degree(v)))
        queues_[side_[v]].put(v, gain_[v]);
    }
    cut_quality best = before;
    std::vector<Word> moved;
    std::size_t best_at = 0;
    for (std::size_t idle = 0; idle <= patience;) {
      const std::size_t from = next_side();
      if (from == 2) break;
      const std::size_t v = queues_[from].top();
      queues_[from].pop();
      locked_[v] = 1;
      if (overfull(0) || overfull(1) ? !relieves(v, from) : !fits(v, 1 - from)) continue;
      moved.push_back(static_cast<Word>(v));
      move(v, true);
      ++idle;
      if (const cut_quality now = quality(); now < best) {
        best = now;
        best_at = moved.size();
        idle = 0;
      }
    }
    for (; moved.size() > best_at; moved.pop_back())
      move(static_cast<std::size_t>(moved.back()), false);
    return best.excess < before.excess || best.cut < before.cut;
  }

  const weighted_graph<Word>& g_;
  const side_limits& limits_;
  std::vector<std::uint8_t>& side_;
  std::vector<std::uint64_t> loads_;  // [2 x rows]
  std::vector<std::int64_t> gain_;    // [n] of moving to the other side
  std::vector<std::uint8_t> locked_;  // [n]
  std::array<gain_queue, 2> queues_;
  std::int64_t cut_ = 0;
};

/// In which order side 0 takes nodes.
enum class growth : std::uint8_t { greedy, breadth_first, random, dense_first, sparse_first };

/// Let side 0 take nodes in some order, and keep the best cut on the way. Nodes that are fixed to
/// side 0 or 1 are there from the start.
/// @complexity O(m log n)
/// @source greedy growing: Karypis & Kumar, SIAM J. Sci. Comput. 20(1), 1998
template <class Word>
class growing_cut {
 public:
  growing_cut(const weighted_graph<Word>& g, const side_limits& limits,
              std::vector<std::uint8_t>& side)
      : g_(g), limits_(limits), side_(side), loads_(2 * g.rows) {
    side.assign(g.num_nodes(), 1);
    const std::vector<std::uint64_t> all = g.total_loads();
    std::copy(all.begin(), all.end(), loads_.begin() + static_cast<std::ptrdiff_t>(g.rows));
    for (std::size_t v = 0; !g.fixed.empty() && v < g.num_nodes(); ++v) {
      if (g.fixed[v] == 0) take(v);
    }
    best_ = {};
    judge();
  }

  void run(growth order, std::uint64_t seed) {
    if (order == growth::greedy || order == growth::breadth_first)
      grow(order == growth::greedy, seed);
    else
      take_in_order(order, seed);
    for (std::size_t i = best_at_; i < taken_.size(); ++i) side_[index(taken_[i])] = 1;
  }

 private:
  bool fits(std::size_t v) const {
    for (std::size_t r = 0; r < g_.rows; ++r) {
      if (g_.load(v, r) != 0 &&
          (loads_[r] > limits_.caps[r] || g_.load(v, r) > limits_.caps[r] - loads_[r]))
        return false;
    }
    return true;
  }
  bool full() const {
    for (std::size_t r = 0; r < g_.rows; ++r) {
      if (loads_[r] < limits_.caps[r]) return false;
    }
    return true;
  }
  void judge() {
    cut_quality now{excess_of(loads_, limits_.caps), cut_, 0};
    if (now.excess > best_.excess) return;
    for (std::size_t r = 0; r < g_.rows; ++r) {
      const std::uint64_t goal = limits_.goals[r], load = loads_[r];
      now.off = saturating_sum(now.off, share_of(load > goal ? load - goal : goal - load, goal));
    }
    if (now < best_) {
      best_ = now;
      best_at_ = taken_.size();
    }
  }
  void take(std::size_t v) {
    side_[v] = 0;
    taken_.push_back(static_cast<Word>(v));
    for (std::size_t r = 0; r < g_.rows; ++r) {
      loads_[r] += g_.load(v, r);
      loads_[g_.rows + r] -= g_.load(v, r);
    }
    g_.visit(v, [&](std::size_t u, std::int64_t w) { cut_ += side_[u] == 0 ? -w : w; });
    judge();
  }
  void take_in_order(growth order, std::uint64_t seed) {
    std::vector<std::pair<std::uint64_t, Word>> nodes(g_.num_nodes());
    random_stream random(seed);
    for (std::size_t v = 0; v < nodes.size(); ++v) {
      std::uint64_t key = random.next();
      if (order != growth::random) {
        std::uint64_t load = 0;
        for (std::size_t r = 0; r < g_.rows; ++r) load = saturating_sum(load, g_.load(v, r));
        const std::uint64_t density = share_of(static_cast<std::uint64_t>(g_.weighted_degree(v)),
                                               load);
        key = order == growth::sparse_first ? density : ~density;
      }
      nodes[v] = {key, static_cast<Word>(v)};
    }
    std::sort(nodes.begin(), nodes.end());
    for (const auto& [key, v] : nodes) {
      if (full()) break;
      if (!g_.is_fixed(index(v)) && fits(index(v))) take(index(v));
    }
  }
  void grow(bool greedy, std::uint64_t seed) {
    const std::size_t nodes = g_.num_nodes();
    if (nodes == 0) return;
    gain_queue queue(nodes);
    std::vector<std::uint8_t> seen(nodes);
    std::int64_t clock = 0;
    std::size_t next = static_cast<std::size_t>(random_stream(seed).below(nodes));
    const auto enqueue = [&](std::size_t u) {
      seen[u] = 1;
      std::int64_t gain = 0;
      if (greedy)
        g_.visit(u, [&](std::size_t x, std::int64_t y) { gain += side_[x] == 0 ? y : -y; });
      queue.put(u, greedy ? gain : --clock);
    };
    for (std::size_t v = 0; v < nodes; ++v) seen[v] = g_.is_fixed(v) ? 1 : 0;
    for (const Word v : taken_) {
      g_.visit(index(v), [&](std::size_t u, std::int64_t) {
        if (!seen[u]) enqueue(u);
      });
    }
    for (std::size_t scanned = 0; !full();) {
      if (queue.empty()) {
        for (; scanned < nodes && seen[next]; ++scanned) next = next + 1 == nodes ? 0 : next + 1;
        if (scanned == nodes) break;
        seen[next] = 1;
        queue.put(next, 0);
      }
      const std::size_t v = queue.top();
      queue.pop();
      if (!fits(v)) continue;
      take(v);
      g_.visit(v, [&](std::size_t u, std::int64_t w) {
        if (side_[u] == 0) return;
        if (!seen[u])
          enqueue(u);
        else if (greedy && queue.has(u))
          queue.put(u, queue.gain(u) + 2 * w);
      });
    }
  }

  const weighted_graph<Word>& g_;
  const side_limits& limits_;
  std::vector<std::uint8_t>& side_;
  std::vector<std::uint64_t> loads_;  // [2 x rows]
  std::vector<Word> taken_{};
  std::int64_t cut_ = 0;
  cut_quality best_{};
  std::size_t best_at_ = 0;
};

struct bisection_options {
  std::uint64_t seed = 0;
  unsigned tries = 12;         // first cuts, each of its own
  unsigned passes = 6;         // of refinement, at most
  std::size_t coarsest = 120;  // nodes of the graph that is cut first
};

/// Cut a graph in two: coarsen it, try several cuts, refine the best. `fixed` names sides.
template <class Word>
void bisect(const weighted_graph<Word>& g, const side_limits& limits,
            const bisection_options& options, executor_ref threads,
            std::vector<std::uint8_t>& side) {
  const std::size_t nodes = g.num_nodes(), rows = g.rows;
  if (nodes > options.coarsest) {
    std::vector<std::uint64_t> caps = g.free_loads();
    for (std::size_t r = 0; r < rows; ++r) {
      std::uint64_t largest = 1;
      for (std::size_t v = 0; v < nodes; ++v)
        largest = std::max(largest, g.is_fixed(v) ? 0 : g.load(v, r));
      const std::uint64_t mean = caps[r] / options.coarsest;
      caps[r] = std::max(largest, std::min(mean + mean / 2, limits.caps[r] / 4));
    }
    std::vector<Word> regions, coarse_of;
    keep_fixed_apart(g, regions);
    const std::vector<Word> label = label_clustering<Word>(g, caps, regions, large_chunk,
                                                           keyed(options.seed, nodes), threads)
                                        .run(2);
    weighted_graph<Word> coarser = contract_clusters(g, std::span<const Word>(label), threads,
                                                     coarse_of);
    carry_fixed(g, std::span<const Word>(coarse_of), coarser);
    if (coarser.num_nodes() < nodes - nodes / 20) {
      std::vector<std::uint8_t> found;
      bisect(coarser, limits, options, threads, found);
      side.resize(nodes);
      for (std::size_t v = 0; v < nodes; ++v) side[v] = found[index(coarse_of[v])];
      two_way_cut<Word>(g, limits, side, threads)
          .refine(options.seed, options.passes, std::clamp<std::size_t>(nodes / 10, 50, 350));
      return;
    }
  }
  // A graph with many edges gets fewer tries.
  constexpr std::size_t enough_entries = std::size_t{1} << 22;
  const std::size_t tries = std::clamp<std::size_t>(enough_entries / (g.num_entries() + 1), 3,
                                                    std::max(3u, options.tries));
  side.assign(nodes, 0);
  if (nodes == 0) return;
  std::vector<std::vector<std::uint8_t>> sides(tries);
  std::vector<cut_quality> found(tries);
  threads.parallel_for(0, tries, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t t = first; t < last; ++t) {
      const growth order = t == 0       ? growth::dense_first
                           : t == 1     ? growth::sparse_first
                           : t % 4 == 3 ? growth::random
                           : t % 4 == 1 ? growth::breadth_first
                                        : growth::greedy;
      growing_cut<Word>(g, limits, sides[t]).run(order, keyed(options.seed, t));
      two_way_cut<Word> cut(g, limits, sides[t]);
      cut.refine(keyed(options.seed, t), options.passes, std::max<std::size_t>(50, nodes / 4));
      found[t] = cut.quality();
    }
  });
  side = std::move(sides[static_cast<std::size_t>(std::min_element(found.begin(), found.end()) -
                                                  found.begin())]);
}

/// The largest x, in units of 2^-32, whose power is at most `value`. @pre value >= 1, power >= 1
constexpr std::uint64_t root_of(std::uint64_t value, unsigned power) noexcept {
  constexpr std::uint64_t one = std::uint64_t{1} << 32;
  std::uint64_t low = one, high = value;
  while (low < high) {
    const std::uint64_t middle = high - (high - low) / 2;
    std::uint64_t product = middle;
    for (unsigned i = 1; i < power && product <= value; ++i)
      product = multiply_divide(product, middle, one);
    if (product <= value)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

/// Where the limits of part p begin: at p x stride. @param caps  [rows] of all parts, or [K x rows]
inline std::size_t cap_stride(std::span<const std::uint64_t> caps, std::size_t rows) noexcept {
  return caps.size() == rows ? 0 : rows;
}

/// The sum of the limits of some parts, in one row; saturates.
inline std::uint64_t sum_caps(std::span<const std::uint64_t> caps, std::size_t rows,
                              std::size_t row, std::uint64_t first, std::uint64_t parts) noexcept {
  if (cap_stride(caps, rows) == 0) return saturating_multiply(caps[row], parts);
  std::uint64_t sum = 0;
  for (std::uint64_t p = first; p < first + parts; ++p)
    sum = saturating_sum(sum, caps[static_cast<std::size_t>(p) * rows + row]);
  return sum;
}

/// The limits of two sides that become `parts` parts; what parts may hold above their mean is
/// spread evenly over the bisections to come.
/// @param caps   [rows] a part's limit of each load, or [K x rows], each part's
/// @param total  [rows] loads of all nodes
/// @param first  the number of the first part
inline side_limits limits_of_sides(std::span<const std::uint64_t> caps,
                                   std::span<const std::uint64_t> total, std::uint64_t parts,
                                   std::uint64_t first = 0) {
  const std::size_t rows = total.size();
  const std::uint64_t halves[2] = {(parts + 1) / 2, parts / 2};
  side_limits out{std::vector<std::uint64_t>(2 * rows), std::vector<std::uint64_t>(2 * rows)};
  for (std::size_t r = 0; r < rows; ++r) {
    const std::uint64_t room = sum_caps(caps, rows, r, first, parts),
                        most = std::max(room, total[r]),
                        ratio = total[r] == 0
                                    ? std::uint64_t{1} << 32
                                    : std::min(
                                          multiply_divide(most, std::uint64_t{1} << 32, total[r]),
                                          std::uint64_t{1} << 40),
                        slack = root_of(ratio, static_cast<unsigned>(std::bit_width(parts - 1)));
    for (std::size_t s = 0; s < 2; ++s) {
      const std::uint64_t goal =
          caps.size() == rows
              ? multiply_divide(total[r], halves[s], parts)
              : multiply_divide(total[r], sum_caps(caps, rows, r, first + s * halves[0], halves[s]),
                                std::max<std::uint64_t>(1, room));
      out.goals[s * rows + r] = goal;
      out.caps[s * rows + r] = std::max(goal + 1,
                                        multiply_divide(goal, slack, std::uint64_t{1} << 32));
    }
  }
  return out;
}

/// A graph that becomes parts `first` to `first + parts`, of which `fixed` names some.
template <class Word>
struct bisection_job {
  weighted_graph<Word> graph{};
  std::vector<Word> nodes{};  // [n] their places in the result
  std::uint32_t first = 0;
  std::uint64_t parts = 1;
  std::size_t result = 0;
};

/// Cut the graph of a job in two.
/// @param side  [n] out
template <class Word>
void cut_in_two(const weighted_graph<Word>& g, const bisection_job<Word>& job,
                std::span<const std::uint64_t> caps, const bisection_options& options,
                executor_ref threads, std::vector<std::uint8_t>& side) {
  const side_limits limits = limits_of_sides(caps, g.total_loads(), job.parts, job.first);
  if (g.fixed.empty()) {
    bisect(g, limits, options, threads, side);
    return;
  }
  const std::uint64_t left = (job.parts + 1) / 2;
  std::vector<std::uint32_t> sides(g.fixed);
  for (auto& one : sides) one = one == no_part ? no_part : one - job.first < left ? 0 : 1;
  std::vector<Word> joined_of;
  std::vector<std::uint8_t> found;
  bisect(join_fixed_nodes<Word>(g, sides, joined_of), limits, options, threads, found);
  side.resize(g.num_nodes());
  for (std::size_t v = 0; v < side.size(); ++v) side[v] = found[index(joined_of[v])];
}

/// The two halves of a job, once cut. Those of one part are done.
template <class Word>
std::vector<bisection_job<Word>> halves_of(const weighted_graph<Word>& g,
                                           const bisection_job<Word>& job,
                                           std::span<const std::uint8_t> side, executor_ref threads,
                                           std::span<std::uint32_t> part) {
  std::array<bisection_job<Word>, 2> halves{};
  std::vector<Word> place(g.num_nodes());
  const std::uint64_t left = (job.parts + 1) / 2;
  for (std::size_t s = 0; s < 2; ++s) {
    bisection_job<Word>& half = halves[s];
    half.first = s == 0 ? job.first : job.first + static_cast<std::uint32_t>(left);
    half.parts = s == 0 ? left : job.parts - left;
    half.result = job.result;
    for (std::size_t v = 0; v < g.num_nodes(); ++v) {
      if (side[v] != s) continue;
      place[v] = static_cast<Word>(half.nodes.size());
      half.nodes.push_back(static_cast<Word>(v));
    }
    if (half.parts != 1)
      half.graph = induced_graph<Word>(
          g, half.nodes, place, [&](std::size_t u) { return side[u] == s; }, threads);
    if (!job.nodes.empty()) {
      for (Word& v : half.nodes) v = job.nodes[index(v)];
    }
    if (half.parts != 1) continue;
    for (const Word v : half.nodes) part[index(v)] = half.first;
  }
  std::vector<bisection_job<Word>> out;
  for (auto& half : halves) {
    if (half.parts != 1 && !half.nodes.empty()) out.push_back(std::move(half));
  }
  return out;
}

/// Cut a graph into parts by bisection after bisection, once for each seed.
/// @param caps   [rows] a part's limit of each load, or [K x rows], each part's
/// @return [seeds][n] of each node its part
/// @complexity O((n + m) log parts) for each try; what is not within each other is cut by several
///     threads
template <class Word>
std::vector<std::vector<std::uint32_t>> bisect_recursively(
    const weighted_graph<Word>& g, std::span<const std::uint64_t> caps, std::uint32_t parts,
    const bisection_options& options, std::span<const std::uint64_t> seeds, executor_ref threads) {
  std::vector<std::vector<std::uint32_t>> out(seeds.size(),
                                              std::vector<std::uint32_t>(g.num_nodes()));
  if (parts == 1 || g.num_nodes() == 0) return out;
  std::vector<bisection_job<Word>> jobs(seeds.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    jobs[i].parts = parts;
    jobs[i].result = i;
  }
  const auto graph_of = [&](const bisection_job<Word>& job) -> const weighted_graph<Word>& {
    return job.nodes.empty() ? g : job.graph;
  };
  const auto cut = [&](const bisection_job<Word>& job, executor_ref inner) {
    bisection_options own = options;
    own.seed = keyed(seeds[job.result], (std::uint64_t{job.first} << 32) + job.parts);
    std::vector<std::uint8_t> side;
    cut_in_two(graph_of(job), job, caps, own, inner, side);
    return halves_of<Word>(graph_of(job), job, side, inner, out[job.result]);
  };
  while (!jobs.empty()) {
    std::sort(jobs.begin(), jobs.end(), [&](const auto& a, const auto& b) {
      return graph_of(a).num_entries() > graph_of(b).num_entries();
    });
    std::uint64_t entries = 0;
    for (const auto& job : jobs) entries += graph_of(job).num_entries();
    // Threads would wait for the one that cuts a graph much larger than the others, as the core of
    // a graph with hubs is: all of them cut it together, and the others later.
    const std::uint64_t share = entries / std::max<std::size_t>(2, threads.concurrency() / 2);
    const bool together = graph_of(jobs[0]).num_entries() > share;
    const std::size_t count = together ? 1 : jobs.size();
    std::vector<std::vector<bisection_job<Word>>> halves(count);
    if (together) {
      halves[0] = cut(std::exchange(jobs[0], {}), threads);
    } else {
      const sequential one;
      threads.parallel_for(0, count, 1, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i)
          halves[i] = cut(std::exchange(jobs[i], {}), executor_ref(one));
      });
    }
    jobs.erase(jobs.begin(), jobs.begin() + static_cast<std::ptrdiff_t>(count));
    for (auto& some : halves) {
      for (auto& half : some) jobs.push_back(std::move(half));
    }
  }
  return out;
}

}  // namespace halograph::detail
