// SPDX-License-Identifier: BSL-1.0
/// @file flow_refinement.hpp
/// Improve an assignment by minimum cuts between pairs of parts.
/// Layer: partition (allocates; no exceptions of its own). Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/core/large_pages.hpp>
#include <halograph/core/offsets.hpp>
#include <halograph/core/random.hpp>
#include <halograph/partition/fixed_point.hpp>
#include <halograph/partition/multilevel/part_moves.hpp>
#include <halograph/partition/multilevel/weighted_graph.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace halograph::detail {

struct flow_options {
  unsigned rounds = 3;                 // over all pairs of parts that share edges
  unsigned spare_rounds = 0;           // more, while each gains a quarter of what the first did
  std::uint64_t reach = 4;             // how far a region goes, in tolerances beyond the mean
  std::size_t region_entries = 20000;  // neighbors in the rows of one side of a region, at most
};

/// A node with neighbors in another part.
template <class Word>
struct border_node {
  std::uint32_t low, high;  // its part and the other, the lower number first
  Word node;
  auto operator<=>(const border_node&) const = default;
};

/// The nodes near the border of two parts, as a network whose minimum cuts are found by one flow
/// that grows: as long as a minimum cut leaves a part overfull, the lighter side is given a node of
/// the other and the flow is continued.
/// @complexity O(region x (rounds of Dinic's algorithm + nodes given)); memory O(region)
/// @source Dinic, Soviet Math. Doklady 11, 1970; Hamann & Strasser, "Graph bisection with Pareto
///     optimization", ACM JEA 23, 2018 (FlowCutter)
template <class Word>
class pair_cut {
 public:
  pair_cut(const part_moves<Word>& moves, const flow_options& options)
      : moves_(moves), g_(moves.graph()), options_(options), slots_(1024) {}

  /// @param a,b    the parts
  /// @param seeds  nodes at their border
  /// @param most_entries  neighbors in the rows of one side of the region, about at most
  /// @return by how much the moves of visit_moves() lessen the cut; 0: there are none
  std::int64_t find(std::uint32_t a, std::uint32_t b, std::span<const border_node<Word>> seeds,
                    std::size_t most_entries) {
    both_[0] = a;
    both_[1] = b;
    region_.clear();
    side_.clear();
    distance_.clear();
    for (std::size_t s = 0; s < 2; ++s) collect_side(s, seeds, most_entries);
    gain_ = region_.empty() ? 0 : solve();
    std::fill(slots_.begin(), slots_.end(), 0);
    // Other pairs wait for their turn to move: only what visit_moves() needs stays.
    arcs_ = std::vector<arc>();
    places_ = std::vector<std::uint32_t>();
    return gain_;
  }
  /// f(node, part) for each move that was found.
  template <class F>
  void visit_moves(F&& f) const {
    if (gain_ <= 0) return;
    for (std::size_t i = 0; i < size(); ++i) {
      const bool is_a = at_source_ ? (reached_[i] & source) != 0 : (reached_[i] & sink) == 0;
      const std::uint32_t to = both_[is_a ? 0 : 1];
      if (const auto v = static_cast<std::size_t>(region_[i]); moves_.part(v) != to) f(v, to);
    }
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  // What a node of the network belongs to or is reached from.
  static constexpr std::uint8_t source = 1, sink = 2;

  struct arc {
    std::uint32_t to, back;  // node; the arc in the other direction
    std::int64_t room;
  };

  /// The slot of a node, or the free one where it belongs.
  std::size_t slot_of(Word v) const noexcept {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = static_cast<std::size_t>(mix(v)) & mask;
    while (slots_[at] != 0 && region_[slots_[at] - 1] != v) at = (at + 1) & mask;
    return at;
  }
  /// The place of a node in the region, or none.
  std::uint32_t place_of(std::size_t v) const noexcept {
    return slots_[slot_of(static_cast<Word>(v))] - 1;
  }
  void add_to_region(Word v) {
    region_.push_back(v);
    if (4 * region_.size() > slots_.size()) {
      slots_.assign(2 * slots_.size(), 0);
      for (std::size_t i = 0; i < region_.size(); ++i)
        slots_[slot_of(region_[i])] = static_cast<std::uint32_t>(i + 1);
    } else {
      slots_[slot_of(v)] = static_cast<std::uint32_t>(region_.size());
    }
  }

  /// What the second of two parts holds when both are as full.
  static std::uint64_t even_load(std::uint64_t first, std::uint64_t second, std::uint64_t first_cap,
                                 std::uint64_t second_cap) {
    if (first_cap == second_cap) return first / 2 + second / 2;
    return multiply_divide(first + second, second_cap, saturating_sum(first_cap, second_cap));
  }

  /// The nodes of a side near the border, as many as the other part may take.
  void collect_side(std::size_t s, std::span<const border_node<Word>> seeds,
                    std::size_t most_entries) {
    const std::size_t rows = g_.rows;
    const std::uint32_t own = both_[s], other = both_[1 - s];
    std::vector<std::uint64_t> room(rows);
    for (std::size_t r = 0; r < rows; ++r) {
      const std::uint64_t cap = moves_.cap(other, r),
                          mean = even_load(moves_.load(own, r), moves_.load(other, r),
                                           moves_.cap(own, r), cap),
                          held = moves_.load(own, r), slack = cap > mean ? cap - mean : 0,
                          most = saturating(options_.reach, slack, mean),
                          taken = moves_.load(other, r);
      room[r] = std::min(most > taken ? most - taken : 0, held - held / 10);
    }
    std::size_t entries = 0;
    const auto take = [&](Word v, std::uint32_t distance) {
      if (place_of(index(v)) != none || moves_.is_fixed(index(v))) return;
      for (std::size_t r = 0; r < rows; ++r) {
        if (g_.load(index(v), r) > room[r]) return;
      }
      for (std::size_t r = 0; r < rows; ++r) room[r] -= g_.load(index(v), r);
      add_to_region(v);
      side_.push_back(static_cast<std::uint8_t>(s));
      distance_.push_back(distance);
      entries += g_.degree(index(v)) + 1;
    };
    const std::size_t first = region_.size();
    for (const auto& [low, high, v] : seeds) {
      if (entries > most_entries) break;
      if (moves_.part(index(v)) != own) continue;
      bool borders = false;
      g_.visit(index(v),
               [&](std::size_t u, std::int64_t) { borders = borders || moves_.part(u) == other; });
      if (borders) take(v, 0);
    }
    for (std::size_t i = first; i < region_.size() && entries <= most_entries; ++i) {
      const std::uint32_t distance = distance_[i] + 1;
      g_.visit(static_cast<std::size_t>(region_[i]), [&](std::size_t u, std::int64_t) {
        if (moves_.part(u) == own) take(static_cast<Word>(u), distance);
      });
    }
  }

  /// Number of nodes in the region; two more stand for the rest of both parts.
  std::size_t size() const noexcept { return region_.size(); }

  /// @return the weight of the edges of the region that are cut now
  std::int64_t make_network() {
    const std::size_t n = size();
    std::vector<std::int64_t> rest[2] = {std::vector<std::int64_t>(n),
                                         std::vector<std::int64_t>(n)};
    start_.assign(n + 3, 0);
    places_.clear();
    std::int64_t cut = 0;
    for (std::size_t i = 0; i < n; ++i) {
      std::uint32_t count = 0;
      g_.visit(static_cast<std::size_t>(region_[i]), [&](std::size_t u, std::int64_t w) {
        const std::uint32_t p = moves_.part(u);
        if (p != both_[0] && p != both_[1]) return;
        const std::uint8_t s = p == both_[1] ? 1 : 0;
        const std::uint32_t j = place_of(u);
        places_.push_back(j);
        if (s != side_[i] && (j == none || s == 1)) cut += w;
        if (j != none)
          ++count;
        else
          rest[s][i] += w;
      });
      for (std::size_t s = 0; s < 2; ++s) {
        if (rest[s][i] == 0) continue;
        ++count;
        ++start_[n + s + 1];
      }
      start_[i + 1] = count;
    }
    for (std::size_t i = 0; i < n + 2; ++i) start_[i + 1] += start_[i];
    arcs_.resize(start_[n + 2]);
    next_.assign(start_.begin(), start_.end() - 1);
    const auto join = [&](std::size_t i, std::size_t j, std::int64_t room) {
      const std::uint32_t x = next_[i]++, y = next_[j]++;
      arcs_[x] = {static_cast<std::uint32_t>(j), y, room};
      arcs_[y] = {static_cast<std::uint32_t>(i), x, room};
    };
    std::size_t seen = 0;
    for (std::size_t i = 0; i < n; ++i) {
      g_.visit(static_cast<std::size_t>(region_[i]), [&](std::size_t u, std::int64_t w) {
        const std::uint32_t p = moves_.part(u);
        if (p != both_[0] && p != both_[1]) return;
        if (const std::uint32_t j = places_[seen++]; j != none && j > i) join(i, j, w);
      });
      for (std::size_t s = 0; s < 2; ++s) {
        if (rest[s][i] != 0) join(i, n + s, rest[s][i]);
      }
    }
    fixed_.assign(n + 2, 0);
    reached_.assign(n + 2, 0);
    for (std::size_t s = 0; s < 2; ++s) {
      ends_[s].clear();
      next_to_[s].clear();
      fix(s, n + s);
    }
    return cut;
  }

  std::int64_t solve() {
    const std::size_t n = size(), rows = g_.rows;
    const std::int64_t cut = make_network();
    std::vector<std::uint64_t> outside(2 * rows), all(rows);
    for (std::size_t s = 0; s < 2; ++s) {
      for (std::size_t r = 0; r < rows; ++r) outside[s * rows + r] = moves_.load(both_[s], r);
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t r = 0; r < rows; ++r) {
        const std::uint64_t load = g_.load(static_cast<std::size_t>(region_[i]), r);
        outside[side_[i] * rows + r] -= load;
        all[r] += load;
      }
    }
    std::int64_t flow = 0;
    std::vector<std::uint64_t> reached(2 * rows);
    constexpr unsigned most_steps = 80;
    bool opened = true;
    for (unsigned step = 0; step < most_steps; ++step) {
      if (opened) {
        // Only then may there be more flow.
        flow += continue_flow(cut - flow);
        if (flow >= cut) return 0;
        std::fill(reached_.begin(), reached_.end(), std::uint8_t{0});
        std::fill(reached.begin(), reached.end(), 0);
        for (std::size_t s = 0; s < 2; ++s) reach_from(s, 0, reached);
      }
      // Cut next to what the source reaches, or next to what reaches the sink.
      std::uint64_t full[2] = {}, light[2] = {};
      bool sound[2] = {true, true};
      for (std::size_t s = 0; s < 2; ++s) {
        for (std::size_t r = 0; r < rows; ++r) {
          const std::uint64_t near = outside[s * rows + r] + reached[s * rows + r],
                              far = outside[(1 - s) * rows + r] + all[r] - reached[s * rows + r];
          const std::uint64_t own = moves_.cap(both_[s], r), other = moves_.cap(both_[1 - s], r);
          sound[s] = sound[s] && near <= own && far <= other;
          full[s] = std::max({full[s], share_of(near, own), share_of(far, other)});
          light[s] = std::max(light[s], share_of(near, own));
        }
      }
      if (sound[0] || sound[1]) {
        at_source_ = sound[0] && (!sound[1] || full[0] <= full[1]);
        return cut - flow;
      }
      const std::size_t s = light[0] <= light[1] ? 0 : 1, ends = ends_[s].size();
      if (!enlarge(s, step)) return 0;
      const std::uint8_t other = s == 0 ? sink : source;
      opened = false;
      for (std::size_t i = ends; i < ends_[s].size(); ++i)
        opened = opened || (reached_[ends_[s][i]] & other) != 0;
      if (!opened) reach_from(s, ends, reached);
    }
    return 0;
  }

  /// Make a node an end of a side.
  void fix(std::size_t s, std::size_t v) {
    fixed_[v] = s == 0 ? source : sink;
    ends_[s].push_back(static_cast<std::uint32_t>(v));
    for (std::uint32_t e = start_[v]; e < start_[v + 1]; ++e) {
      if (fixed_[arcs_[e].to] == 0) next_to_[s].push_back(arcs_[e].to);
    }
  }

  /// Give a side what it reaches and a few nodes next to that, first those that open no new way
  /// between source and sink. @return are there any?
  bool enlarge(std::size_t s, unsigned step) {
    const std::uint8_t own = s == 0 ? source : sink, other = s == 0 ? sink : source;
    for (std::size_t i = 0; i < size(); ++i) {
      if ((reached_[i] & own) != 0 && fixed_[i] == 0) fix(s, i);
    }
    std::vector<std::uint32_t>& near = next_to_[s];
    std::sort(near.begin(), near.end());
    near.erase(std::unique(near.begin(), near.end()), near.end());
    std::erase_if(near, [&](std::uint32_t v) { return fixed_[v] != 0; });
    if (near.empty()) return false;
    // (opens a way?, near to the border on the far side or far from it on the own side, node)
    std::vector<std::pair<std::int64_t, std::uint32_t>> found;
    constexpr std::int64_t opens = std::int64_t{1} << 40;
    for (const std::uint32_t v : near) {
      const std::int64_t distance = distance_[v];
      found.emplace_back(
          ((reached_[v] & other) != 0 ? opens : 0) + (side_[v] == s ? -distance - 1 : distance), v);
    }
    const std::size_t many = std::min(found.size(), std::size_t{1} << std::min(16u, step / 4));
    std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(many),
                      found.end());
    const bool all_open = found[0].first >= opens / 2;
    for (std::size_t i = 0; i < many && (found[i].first >= opens / 2) == all_open; ++i)
      fix(s, found[i].second);
    return true;
  }

  /// Send more flow from the source to the sink. @param limit  more than this is enough
  std::int64_t continue_flow(std::int64_t limit) {
    const std::size_t n = size() + 2;
    std::int64_t sent = 0;
    for (;;) {
      // Levels count from the sink, so that paths from the source do not stray.
      level_.assign(n, none);
      queue_ = ends_[1];
      for (const std::uint32_t t : queue_) level_[t] = 0;
      std::uint32_t last = none;  // the level of the nearest end
      for (std::size_t i = 0; i < queue_.size() && level_[queue_[i]] < last; ++i) {
        const std::uint32_t v = queue_[i];
        for (std::uint32_t e = start_[v]; e < start_[v + 1]; ++e) {
          const arc& one = arcs_[e];
          if (level_[one.to] != none || arcs_[one.back].room == 0) continue;
          level_[one.to] = level_[v] + 1;
          if (fixed_[one.to] == source)
            last = level_[one.to];
          else
            queue_.push_back(one.to);
        }
      }
      if (last == none) return sent;
      next_.assign(start_.begin(), start_.begin() + static_cast<std::ptrdiff_t>(n));
      for (const std::uint32_t s : ends_[0]) {
        if (level_[s] == last) sent += send_from(s, limit - sent);
        if (sent > limit) return sent;
      }
    }
  }
  /// What the level graph lets through from an end. @param limit  more than this is enough
  std::int64_t send_from(std::uint32_t from, std::int64_t limit) {
    std::int64_t sent = 0;
    path_.clear();
    std::uint32_t v = from;
    for (;;) {
      if (fixed_[v] == sink) {
        std::int64_t least = std::numeric_limits<std::int64_t>::max();
        for (const std::uint32_t e : path_) least = std::min(least, arcs_[e].room);
        std::size_t full = path_.size();
        for (std::size_t i = path_.size(); i-- > 0;) {
          arc& one = arcs_[path_[i]];
          one.room -= least;
          arcs_[one.back].room += least;
          if (one.room == 0) full = i;
        }
        sent += least;
        if (sent > limit) return sent;
        // Go on before the first arc that is full.
        v = arcs_[arcs_[path_[full]].back].to;
        path_.resize(full);
      }
      std::uint32_t& e = next_[v];
      while (e < start_[v + 1] && (arcs_[e].room == 0 || level_[arcs_[e].to] + 1 != level_[v])) ++e;
      if (e < start_[v + 1]) {
        path_.push_back(e);
        v = arcs_[e].to;
      } else {
        if (path_.empty()) return sent;
        v = arcs_[arcs_[path_.back()].back].to;
        path_.pop_back();
        ++next_[v];
      }
    }
  }

  /// Mark what ends of a side reach, or are reached from, and add its loads.
  /// @param first  the first of these ends: all before it are marked, and what they reach
  void reach_from(std::size_t s, std::size_t first, std::vector<std::uint64_t>& loads) {
    const std::uint8_t mark = s == 0 ? source : sink;
    const std::size_t rows = g_.rows;
    const auto add = [&](std::uint32_t v) {
      reached_[v] |= mark;
      queue_.push_back(v);
      if (v >= size()) return;
      for (std::size_t r = 0; r < rows; ++r)
        loads[s * rows + r] += g_.load(static_cast<std::size_t>(region_[v]), r);
    };
    queue_.clear();
    for (std::size_t i = first; i < ends_[s].size(); ++i) {
      if ((reached_[ends_[s][i]] & mark) == 0) add(ends_[s][i]);
    }
    for (std::size_t i = 0; i < queue_.size(); ++i) {
      const std::uint32_t v = queue_[i];
      for (std::uint32_t e = start_[v]; e < start_[v + 1]; ++e) {
        const arc& one = arcs_[e];
        const std::int64_t room = s == 0 ? one.room : arcs_[one.back].room;
        if (room != 0 && (reached_[one.to] & mark) == 0) add(one.to);
      }
    }
  }

  const part_moves<Word>& moves_;
  const weighted_graph<Word>& g_;
  flow_options options_;
  std::uint32_t both_[2] = {0, 0};  // the parts a and b
  std::vector<Word> region_{};
  std::vector<std::uint32_t> slots_;       // place in the region + 1, by node; or 0
  std::vector<std::uint8_t> side_{};       // [region] 0: of part a
  std::vector<std::uint32_t> distance_{};  // [region] from the border
  // The network: nodes of the region, then the rest of a (source) and of b (sink).
  std::vector<std::uint32_t> start_{};
  std::vector<arc> arcs_{};
  std::vector<std::uint8_t> fixed_{}, reached_{};  // marks: source, sink
  std::vector<std::uint32_t> ends_[2]{};           // nodes fixed as source and as sink
  std::vector<std::uint32_t> next_to_[2]{};        // nodes beside them; fixed ones and copies, too
  std::vector<std::uint32_t> places_{};            // of the neighbors of the region's nodes
  std::vector<std::uint32_t> level_{}, queue_{}, next_{}, path_{};
  std::int64_t gain_ = 0;
  bool at_source_ = false;  // are the nodes that the source reaches part a, or all but those that
                            // reach the sink?
};

/// Minimum cuts between all pairs of parts that share edges, several at a time: pairs without a
/// common part do not touch each other.
/// @complexity that of pair_cut for each pair and round; the result does not depend on the threads
/// @source Sanders & Schulz, "Engineering multilevel graph partitioning algorithms", ESA 2011;
///     Gottesbueren, Hamann & Wagner, "Evaluation of a flow-based hypergraph bipartitioning
///     algorithm", ESA 2019
template <class Word>
class flow_refinement {
 public:
  flow_refinement(part_moves<Word>& moves, const flow_options& options)
      : moves_(moves), g_(moves.graph()), options_(options) {}

  void refine() {
    const std::uint32_t parts = moves_.parts();
    std::vector<std::uint8_t> active(parts, 1), next(parts), busy(parts);
    std::vector<pair_cut<Word>> cuts(together, pair_cut<Word>(moves_, options_));
    std::int64_t enough = 0;  // a spare round follows one that gained so much
    for (unsigned round = 0;
         round < options_.rounds || round - options_.rounds < options_.spare_rounds; ++round) {
      std::vector<border> waiting;
      const uninitialized_vector<border_node<Word>> nodes = list_borders(active, waiting);
      // All regions together are a few times the graph, however many pairs of parts share edges.
      const std::size_t most_entries = std::min(
          options_.region_entries,
          static_cast<std::size_t>(options_.reach) * g_.num_entries() / (2 * waiting.size() + 1));
      std::fill(next.begin(), next.end(), std::uint8_t{0});
      std::int64_t gained = 0;
      while (!waiting.empty()) {
        std::vector<border> now, later;
        std::fill(busy.begin(), busy.end(), std::uint8_t{0});
        // Only the end of a long list is touched.
        for (std::size_t seen = 0; seen < window && now.size() < together && !waiting.empty();
             ++seen) {
          const border one = waiting.back();
          waiting.pop_back();
          if (busy[one.a] != 0 || busy[one.b] != 0) {
            later.push_back(one);
          } else {
            busy[one.a] = busy[one.b] = 1;
            now.push_back(one);
          }
        }
        waiting.insert(waiting.end(), later.rbegin(), later.rend());
        moves_.threads().parallel_for(0, now.size(), 1, [&](std::size_t first, std::size_t last) {
          for (std::size_t i = first; i < last; ++i)
            now[i].gain = cuts[i].find(now[i].a, now[i].b,
                                       std::span(nodes).subspan(now[i].first, now[i].count),
                                       most_entries);
        });
        for (std::size_t i = 0; i < now.size(); ++i) {
          if (now[i].gain <= 0) continue;
          next[now[i].a] = next[now[i].b] = 1;
          gained += now[i].gain;
          cuts[i].visit_moves([&](std::size_t v, std::uint32_t to) { moves_.move(v, to); });
        }
      }
      active = next;
      if (round == 0) enough = gained / 4;
      if (gained == 0 || (round + 1 >= options_.rounds && gained < enough)) break;
    }
  }

 private:
  static constexpr std::size_t together = 16;
  static constexpr std::size_t window = 1024;  // pairs among which they are chosen

  struct border {
    std::uint32_t a, b;
    std::size_t first, count;  // nodes
    std::int64_t gain = 0;
  };

  /// The pairs of parts that share edges, where one of the two is active, the last one first; none
  /// where most edges are cut: their nodes would take more memory than the graph, and there are no
  /// small cuts to be found.
  /// @return the nodes at their borders
  uninitialized_vector<border_node<Word>> list_borders(std::span<const std::uint8_t> active,
                                                       std::vector<border>& out) {
    const std::uint32_t parts = moves_.parts();
    constexpr std::size_t block = std::size_t{1} << 12;
    std::vector<std::uint64_t> counts((g_.num_nodes() + block - 1) / block);
    const auto visit_borders = [&](const auto& f) {
      moves_.threads().parallel_for(0, counts.size(), 1, [&](std::size_t first, std::size_t last) {
        std::vector<std::uint32_t> seen;
        for (std::size_t v = first * block; v < std::min(g_.num_nodes(), last * block); ++v) {
          const std::uint32_t p = moves_.part(v);
          seen.clear();
          g_.visit(v, [&](std::size_t u, std::int64_t) {
            const std::uint32_t q = moves_.part(u);
            if (q == p || (active[p] == 0 && active[q] == 0)) return;
            if (std::find(seen.begin(), seen.end(), q) == seen.end()) seen.push_back(q);
          });
          f(v, p, std::span<const std::uint32_t>(seen));
        }
      });
    };
    visit_borders([&](std::size_t v, std::uint32_t, std::span<const std::uint32_t> others) {
      counts[v / block] += others.size();
    });
    std::vector<std::uint64_t> next = offsets_of(counts);
    if (next.back() > g_.num_entries() / 2) return {};
    uninitialized_vector<border_node<Word>> nodes(static_cast<std::size_t>(next.back()));
    visit_borders([&](std::size_t v, std::uint32_t p, std::span<const std::uint32_t> others) {
      for (const std::uint32_t q : others)
        nodes[static_cast<std::size_t>(next[v / block]++)] = {std::min(p, q), std::max(p, q),
                                                              static_cast<Word>(v)};
    });
    const std::span<border_node<Word>> found(nodes);
    std::sort(found.begin(), found.end());
    for (std::size_t i = 0; i < found.size(); ++i) {
      const border_node<Word>& one = found[i];
      if (i == 0 || one.low != found[i - 1].low || one.high != found[i - 1].high)
        out.push_back({one.low, one.high, i, 0});
      ++out.back().count;
    }
    // Pairs whose numbers add up to the same have no part in common: they lie side by side.
    if (out.size() > window)
      std::stable_sort(out.begin(), out.end(), [&](const border& x, const border& y) {
        return (std::uint64_t{x.a} + x.b) % parts < (std::uint64_t{y.a} + y.b) % parts;
      });
    std::reverse(out.begin(), out.end());
    return nodes;
  }

  part_moves<Word>& moves_;
  const weighted_graph<Word>& g_;
  flow_options options_;
};

}  // namespace halograph::detail
