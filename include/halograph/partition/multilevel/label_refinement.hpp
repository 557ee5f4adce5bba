// SPDX-License-Identifier: BSL-1.0
/// @file label_refinement.hpp
/// Refine an assignment over ranks by synchronous moves: fewer cut edges, parts within their
/// limits.
/// Layer: partition (allocates; no exceptions of its own). Words: README.md.
#pragma once

#include <halograph/core/communicator.hpp>
#include <halograph/core/random.hpp>
#include <halograph/core/search.hpp>
#include <halograph/core/status.hpp>
#include <halograph/partition/fixed_point.hpp>
#include <halograph/partition/multilevel/level_graph.hpp>
#include <halograph/partition/multilevel/row_steps.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace halograph::detail {

/// Moves nodes between parts: every rank proposes moves of a share of its nodes, and the best that
/// fit the limits are kept; then as Jet does, many at once, and overfull parts repaired. All
/// decisions are functions of numbers that every rank has, or of the node alone, so that the result
/// does not depend on which rank holds which nodes.
template <communicator C>
class label_refinement {
 public:
  explicit label_refinement(const multilevel_problem<C>& problem)
      : problem_(problem), weight_to_(problem.options.parts) {}

  /// Sum up the loads of the parts, and the weight of the pairs that the assignment cuts.
  /// Collective.
  status measure(const level_graph& g, std::span<const std::uint64_t> owner, std::uint64_t& cut) {
    const std::size_t nodes = g.num_nodes(), parts = problem_.options.parts;
    if (const status answer = g.remote.fetch(
            problem_.ranks, [&](std::size_t v) { return owner[v]; }, remote_owner_);
        !answer)
      return answer;
    std::vector<std::uint64_t> sums(parts * (problem_.rows + 1) + 1);
    for (std::size_t v = 0; v < nodes; ++v) {
      const auto own = static_cast<std::size_t>(owner[v]);
      for (std::size_t r = 0; r < problem_.rows; ++r)
        sums[own * problem_.rows + r] += g.loads[v * problem_.rows + r];
      ++sums[parts * problem_.rows + own];
      g.visit(v, [&](std::size_t u, std::uint64_t w) {
        sums.back() += (u < nodes ? owner[u] : remote_owner_[u - nodes]) != own ? w : 0;
      });
    }
    if (const status answer = problem_.ranks.sum(sums); !answer) return answer;
    loads_.assign(sums.begin(), sums.begin() + static_cast<std::ptrdiff_t>(parts * problem_.rows));
    sizes_.assign(sums.begin() + static_cast<std::ptrdiff_t>(parts * problem_.rows),
                  sums.end() - 1);
    cut = sums.back();
    return status::ok;
  }

  /// Refine the assignment of one level. Collective.
  /// @param level  1: the finest
  status refine(const level_graph& g, std::uint64_t level, std::vector<std::uint64_t>& owner) {
    std::uint64_t cut = 0, salt = keyed(keyed(problem_.options.seed, ~level), 0);
    if (const status answer = measure_repaired(g, salt, owner, cut); !answer) return answer;
    if (const status answer = propagate_labels(g, salt, owner, cut); !answer) return answer;
    return jet(g, level == 1 ? 1 : 3, keyed(salt, level), owner, cut);
  }

  /// Does every part hold a node? @pre measure()
  bool no_part_is_empty() const {
    return std::find(sizes_.begin(), sizes_.end(), std::uint64_t{0}) == sizes_.end();
  }
  /// Does any part exceed a limit? @pre measure()
  bool any_overfull() const {
    for (std::size_t i = 0; i < loads_.size(); ++i) {
      if (loads_[i] > problem_.caps[i % problem_.rows]) return true;
    }
    return false;
  }

 private:
  /// As measure(), after overfull parts have given nodes away. Collective.
  status measure_repaired(const level_graph& g, std::uint64_t& salt,
                          std::vector<std::uint64_t>& owner, std::uint64_t& cut) {
    if (const status answer = measure(g, owner, cut); !answer) return answer;
    if (excess() == 0) return status::ok;
    if (const status answer = repair(g, owner, salt); !answer) return answer;
    return measure(g, owner, cut);
  }

  /// Move nodes to the part of most of their neighbors, where that has room. Collective.
  /// @pre measure()  @param cut  as measured; out: so again
  status propagate_labels(const level_graph& g, std::uint64_t& salt,
                          std::vector<std::uint64_t>& owner, std::uint64_t& cut) {
    constexpr int rounds = 3;
    for (int round = 0; round < rounds && cut != 0; ++round) {
      const std::vector<std::uint64_t> before = owner;
      const bool sound = !any_overfull();
      std::uint64_t moved = 0;
      salt = mix(salt);
      for (std::uint64_t share = 0; share < shares; ++share) {
        std::uint64_t some = 0;
        if (const status answer = move_share(g, owner, salt, share, false, some); !answer)
          return answer;
        moved += some;
      }
      if (moved == 0) break;
      if (const status answer = repair(g, owner, salt); !answer) return answer;
      const std::uint64_t cut_before = cut;
      if (const status answer = measure(g, owner, cut); !answer) return answer;
      if (cut > cut_before || (sound && any_overfull())) {
        owner = before;
        return measure(g, owner, cut);
      }
    }
    return status::ok;
  }

  /// As part_moves::jet. Collective.
  /// @param boldness  quarters of a node's weight in its own part that a move may lose
  /// @pre measure()  @param cut  as measured
  status jet(const level_graph& g, unsigned boldness, std::uint64_t seed,
             std::vector<std::uint64_t>& owner, std::uint64_t cut) {
    const std::size_t nodes = g.num_nodes();
    const std::uint64_t first = g.ranges[problem_.rank];
    const std::span<const std::uint64_t> remote = g.remote.nodes();
    const auto part_of = [&](std::size_t u) {
      return static_cast<std::uint32_t>(u < nodes ? owner[u] : remote_owner_[u - nodes]);
    };
    std::uint64_t best_cut = cut, best_excess = excess();
    bool best_filled = no_part_is_empty();
    std::vector<std::uint64_t> best = owner, remote_to, remote_gain;
    std::vector<jet_wish> wishes(nodes);
    std::vector<std::uint8_t> moved(nodes);  // in the last round
    part_sums sums(problem_.options.parts);
    for (std::uint64_t idle = 0, round = 0; idle < problem_.options.effort.jet_patience; ++round) {
      std::uint64_t salt = keyed(seed, round);
      for (std::size_t v = 0; v < nodes; ++v) {
        wishes[v] = {};
        if (moved[v] != 0) continue;
        const std::uint32_t own = part_of(v);
        bool inside = true;
        sums.collect([&](const auto& add) {
          g.visit(v, [&](std::size_t u, std::uint64_t w) {
            const std::uint32_t p = part_of(u);
            inside = inside && p == own;
            add(p, static_cast<std::int64_t>(w));
          });
        });
        if (!inside) wishes[v] = jet_wish_of(sums, own, first + v, boldness, salt);
      }
      const auto to_of = [&](std::size_t v) { return std::uint64_t{wishes[v].to}; };
      const auto gain_of = [&](std::size_t v) {
        return static_cast<std::uint64_t>(wishes[v].gain);
      };
      if (const status answer = g.remote.fetch(problem_.ranks, to_of, remote_to); !answer)
        return answer;
      if (const status answer = g.remote.fetch(problem_.ranks, gain_of, remote_gain); !answer)
        return answer;
      std::array<std::uint64_t, 1> any{};
      for (std::size_t v = 0; v < nodes; ++v) {
        moved[v] = 0;
        if (wishes[v].to == no_part) continue;
        std::int64_t gain = 0;
        g.visit(v, [&](std::size_t u, std::uint64_t w) {
          const bool here = u < nodes;
          gain += jet_gain_after(
              first + v, wishes[v], part_of(v), here ? first + u : remote[u - nodes],
              here ? wishes[u].to : static_cast<std::uint32_t>(remote_to[u - nodes]),
              [&] {
                return here ? wishes[u].gain : static_cast<std::int64_t>(remote_gain[u - nodes]);
              },
              part_of(u), static_cast<std::int64_t>(w));
        });
        moved[v] = gain >= 0 ? 1 : 0;
        any[0] += moved[v];
      }
      for (std::size_t v = 0; v < nodes; ++v) {
        if (moved[v] != 0) owner[v] = wishes[v].to;
      }
      if (const status answer = problem_.ranks.sum(any); !answer) return answer;
      if (any[0] == 0) break;
      if (const status answer = measure_repaired(g, salt, owner, cut); !answer) return answer;
      const std::uint64_t now = excess();
      const bool filled = no_part_is_empty(),
                 better = filled >= best_filled &&
                          (now < best_excess || (now == best_excess && cut < best_cut)),
                 much = now < best_excess || cut < best_cut - best_cut / 1000;
      idle = better && much ? 0 : idle + 1;
      if (!better) continue;
      best_excess = now;
      best_cut = cut;
      best_filled = filled;
      best = owner;
    }
    owner = std::move(best);
    return status::ok;
  }

  /// Node `node` moves to part `to`; the best class of gain goes first, then the lowest draw.
  struct move {
    std::size_t node;
    std::uint32_t to, gain_class, draw;
  };
  static constexpr std::uint32_t classes = 128, draws = 64;
  static constexpr std::uint64_t shares = 4;  // of the nodes, moved one after the other in a round

  /// Classes of gain by powers of two, then of loss by quarters of them.
  static constexpr std::uint32_t class_of(std::int64_t gain) noexcept {
    const std::uint64_t size = gain < 0 ? 0 - static_cast<std::uint64_t>(gain)
                                        : static_cast<std::uint64_t>(gain);
    const auto width = static_cast<std::uint32_t>(std::bit_width(size));
    if (gain >= 0) return 16 - std::min<std::uint32_t>(16, width);
    const std::uint32_t steep = width < 3
                                    ? static_cast<std::uint32_t>(size)
                                    : 4 * (width - 2) +
                                          static_cast<std::uint32_t>((size >> (width - 3)) & 3);
    return std::min(classes - 1, 16 + steep);
  }
  /// Gain for what v weighs in the loads of which its part holds too much: that of a mean node.
  std::int64_t rate_of(const level_graph& g, std::size_t v, std::size_t own, std::int64_t gain) {
    std::uint64_t relief = 0, mean = 0;
    for (std::size_t r = 0; r + 1 < problem_.rows; ++r) {
      const std::uint64_t weight = g.loads[v * problem_.rows + r], cap = problem_.caps[r];
      if (weight == 0 || load(own, r) <= cap) continue;
      const auto share = [&](std::uint64_t x) {
        return std::max<std::uint64_t>(1, multiply_divide(x, std::uint64_t{1} << 32, cap + 1));
      };
      relief = saturating_sum(relief, share(weight));
      mean = std::max(mean,
                      share(std::max<std::uint64_t>(1, problem_.totals[r] / g.total_nodes())));
    }
    if (relief == 0) return gain;
    constexpr auto most = std::uint64_t{1} << 62;
    if (gain >= 0)
      return static_cast<std::int64_t>(
          std::min(most, multiply_divide(static_cast<std::uint64_t>(gain), relief, mean)));
    const std::uint64_t loss = 0 - static_cast<std::uint64_t>(gain);
    return -static_cast<std::int64_t>(
        std::clamp<std::uint64_t>(multiply_divide(loss, mean, relief), 1, most));
  }

  std::uint64_t& load(std::size_t part, std::size_t r) { return loads_[part * problem_.rows + r]; }
  std::uint64_t room(std::size_t part, std::size_t r) {
    return problem_.caps[r] - std::min(problem_.caps[r], load(part, r));
  }
  bool fits(const level_graph& g, std::size_t v, std::size_t part) {
    for (std::size_t r = 0; r < problem_.rows; ++r) {
      if (g.loads[v * problem_.rows + r] > room(part, r) && g.loads[v * problem_.rows + r] != 0)
        return false;
    }
    return true;
  }
  bool overfull(const level_graph& g, std::size_t v, std::size_t part) {
    for (std::size_t r = 0; r < problem_.rows; ++r) {
      if (g.loads[v * problem_.rows + r] != 0 && load(part, r) > problem_.caps[r]) return true;
    }
    return false;
  }

  /// What the parts hold beyond their limits, each load as a fraction of 2^40 of its total.
  std::uint64_t excess() const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < loads_.size(); ++i) {
      const std::uint64_t cap = problem_.caps[i % problem_.rows];
      if (loads_[i] > cap)
        sum += 1 + multiply_divide(loads_[i] - cap, std::uint64_t{1} << 40,
                                   std::max<std::uint64_t>(1, problem_.totals[i % problem_.rows]));
    }
    return sum;
  }

  /// The moves that this rank's nodes of a share want; to repair, of all nodes in overfull parts.
  std::vector<move> propose(const level_graph& g, std::span<const std::uint64_t> owner,
                            std::uint64_t salt, std::uint64_t share, bool repair) {
    const std::size_t nodes = g.num_nodes(), parts = problem_.options.parts;
    const std::uint64_t first = g.ranges[problem_.rank];
    std::vector<std::vector<std::uint64_t>> rooms;  // prefix sums, to draw a part by its room
    if (repair) {
      rooms.assign(problem_.rows - 1, std::vector<std::uint64_t>(parts + 1));
      for (std::size_t r = 0; r + 1 < problem_.rows; ++r) {
        for (std::size_t p = 0; p < parts; ++p) rooms[r][p + 1] = rooms[r][p] + room(p, r);
      }
    }
    std::vector<move> moves;
    for (std::size_t v = 0; v < nodes; ++v) {
      const std::uint64_t name = first + v, draw = keyed(salt, name);
      const auto own = static_cast<std::size_t>(owner[v]);
      if (repair ? !overfull(g, v, own) : draw % shares != share || g.degree(v) == 0) continue;
      touched_.clear();
      g.visit(v, [&](std::size_t u, std::uint64_t w) {
        const auto p = static_cast<std::size_t>(u < nodes ? owner[u] : remote_owner_[u - nodes]);
        if (weight_to_[p] == 0) touched_.push_back(p);
        weight_to_[p] += w;
      });
      std::size_t best = parts;
      for (const std::size_t p : touched_) {
        if (p == own || (!repair && weight_to_[p] <= weight_to_[own])) continue;
        if (best != parts &&
            (weight_to_[p] < weight_to_[best] ||
             (weight_to_[p] == weight_to_[best] && keyed(draw, p) <= keyed(draw, best))))
          continue;
        if (!repair || fits(g, v, p)) best = p;
      }
      const std::uint64_t there = best == parts ? 0 : weight_to_[best], here = weight_to_[own];
      for (const std::size_t p : touched_) weight_to_[p] = 0;
      if (best == parts && repair) {
        std::size_t row = 0;
        while (row + 2 < problem_.rows &&
               (g.loads[v * problem_.rows + row] == 0 || load(own, row) <= problem_.caps[row]))
          ++row;
        random_stream stream(draw);
        for (int attempt = 0; attempt < 4 && best == parts && rooms[row][parts] != 0; ++attempt) {
          const std::uint64_t at = stream.below(rooms[row][parts]);
          const auto p = range_of<std::uint64_t>(rooms[row], at);
          if (p != own && fits(g, v, p)) best = p;
        }
      }
      if (best == parts) continue;
      const auto gain = static_cast<std::int64_t>(there - here);
      moves.push_back({v, static_cast<std::uint32_t>(best),
                       class_of(repair ? rate_of(g, v, own, gain) : gain),
                       static_cast<std::uint32_t>((draw >> 32) % draws)});
    }
    return moves;
  }

  /// Keep the best moves of each part: the moves into it that `limit` [parts x rows] has room for
  /// (reach == false), or as many moves out of it as reach `limit`. Ranks learn of each other's
  /// moves as sums over classes of gain, then over the draws within the class in which the limit is
  /// met. Collective.
  status keep_best(const level_graph& g, std::span<const std::uint64_t> owner,
                   std::vector<move>& moves, std::span<const std::uint64_t> limit, bool reach) {
    const std::size_t parts = problem_.options.parts;
    const auto group = [&](const move& m) {
      return reach ? static_cast<std::size_t>(owner[m.node]) : std::size_t{m.to};
    };
    std::vector<std::uint64_t> sums(parts * problem_.rows * classes),
        reached(parts * problem_.rows);
    for (const move& m : moves) {
      for (std::size_t r = 0; r < problem_.rows; ++r)
        sums[(group(m) * problem_.rows + r) * classes + m.gain_class] +=
            g.loads[m.node * problem_.rows + r];
    }
    if (const status answer = problem_.ranks.sum(sums); !answer) return answer;
    // Everything of the classes (draws) before the threshold is kept.
    const auto threshold = [&](std::size_t part, std::span<const std::uint64_t> by,
                               std::uint32_t count, std::size_t begin) {
      bool enough = reach;
      for (std::size_t r = 0; r < problem_.rows && enough; ++r)
        enough = reached[part * problem_.rows + r] >= limit[part * problem_.rows + r];
      if (enough) return std::uint32_t{0};
      for (std::uint32_t c = 0; c < count; ++c) {
        bool fits_limit = true, reaches = true;
        for (std::size_t r = 0; r < problem_.rows; ++r) {
          const std::uint64_t then = reached[part * problem_.rows + r] + by[begin + r * count + c];
          fits_limit = fits_limit && then <= limit[part * problem_.rows + r];
          reaches = reaches && then >= limit[part * problem_.rows + r];
        }
        if (reach ? reaches : !fits_limit) return c;
        for (std::size_t r = 0; r < problem_.rows; ++r)
          reached[part * problem_.rows + r] += by[begin + r * count + c];
      }
      return count;
    };
    std::vector<std::uint32_t> at_class(parts), at_draw(parts);
    bool cut = false;
    for (std::size_t p = 0; p < parts; ++p) {
      bool nothing = reach;
      for (std::size_t r = 0; r < problem_.rows; ++r)
        nothing = nothing && limit[p * problem_.rows + r] == 0;
      at_class[p] = nothing ? classes : threshold(p, sums, classes, p * problem_.rows * classes);
      if (nothing) at_draw[p] = ~std::uint32_t{0};  // none at all
      cut = cut || (at_class[p] < classes && !nothing);
    }
    if (cut) {
      sums.assign(parts * problem_.rows * draws, 0);
      for (const move& m : moves) {
        if (m.gain_class != at_class[group(m)]) continue;
        for (std::size_t r = 0; r < problem_.rows; ++r)
          sums[(group(m) * problem_.rows + r) * draws + m.draw] +=
              g.loads[m.node * problem_.rows + r];
      }
      if (const status answer = problem_.ranks.sum(sums); !answer) return answer;
      for (std::size_t p = 0; p < parts; ++p) {
        if (at_class[p] == classes) continue;
        at_draw[p] = threshold(p, sums, draws, p * problem_.rows * draws) +
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

  /// Move one share of the nodes. Collective.
  /// @param repair  move nodes out of parts that exceed their limits, whatever it costs
  /// @param moved   out: nodes that moved, on all ranks
  status move_share(const level_graph& g, std::vector<std::uint64_t>& owner, std::uint64_t salt,
                    std::uint64_t share, bool repair, std::uint64_t& moved) {
    const std::size_t parts = problem_.options.parts;
    std::vector<move> moves = propose(g, owner, salt, share, repair);
    std::vector<std::uint64_t> limit(parts * problem_.rows), out(parts * problem_.rows);
    moved = 0;
    if (repair) {
      for (std::size_t i = 0; i < limit.size(); ++i)
        limit[i] = loads_[i] - std::min(loads_[i], problem_.caps[i % problem_.rows]);
      if (const status answer = keep_best(g, owner, moves, limit, true); !answer) return answer;
    }
    std::vector<std::uint64_t> leaving(parts);
    for (const move& m : moves) ++leaving[static_cast<std::size_t>(owner[m.node])];
    if (const status answer = problem_.ranks.sum(leaving); !answer) return answer;
    if (std::all_of(leaving.begin(), leaving.end(), [](std::uint64_t count) { return count == 0; }))
      return status::ok;
    // No part loses its last node.
    std::erase_if(moves, [&](const move& m) {
      return leaving[static_cast<std::size_t>(owner[m.node])] >=
             sizes_[static_cast<std::size_t>(owner[m.node])];
    });
    // Nodes that leave a part make room in it. Moves that were rejected do not, so that fewer fit
    // elsewhere.
    for (int pass = 0; pass < (repair ? 1 : 3); ++pass) {
      std::fill(out.begin(), out.end(), std::uint64_t{0});
      if (!repair) {
        for (const move& m : moves) {
          for (std::size_t r = 0; r < problem_.rows; ++r)
            out[static_cast<std::size_t>(owner[m.node]) * problem_.rows + r] +=
                g.loads[m.node * problem_.rows + r];
        }
        if (const status answer = problem_.ranks.sum(out); !answer) return answer;
      }
      for (std::size_t i = 0; i < limit.size(); ++i) {
        const std::uint64_t kept = loads_[i] - out[i], cap = problem_.caps[i % problem_.rows];
        limit[i] = cap - std::min(cap, kept);
      }
      if (const status answer = keep_best(g, owner, moves, limit, false); !answer) return answer;
    }
    std::vector<std::uint64_t> change(parts * (problem_.rows + 1) + 1);
    for (const move& m : moves) {
      const auto from = static_cast<std::size_t>(owner[m.node]);
      for (std::size_t r = 0; r < problem_.rows; ++r) {
        change[from * problem_.rows + r] -= g.loads[m.node * problem_.rows + r];
        change[m.to * problem_.rows + r] += g.loads[m.node * problem_.rows + r];
      }
      --change[parts * problem_.rows + from];
      ++change[parts * problem_.rows + m.to];
      owner[m.node] = m.to;
    }
    change.back() = moves.size();
    if (const status answer = problem_.ranks.sum(change); !answer) return answer;
    for (std::size_t i = 0; i < loads_.size(); ++i) loads_[i] += change[i];
    for (std::size_t p = 0; p < parts; ++p) sizes_[p] += change[parts * problem_.rows + p];
    moved = change.back();
    return moved == 0 ? status::ok
                      : g.remote.fetch(
                            problem_.ranks, [&](std::size_t v) { return owner[v]; }, remote_owner_);
  }

  /// Move nodes out of parts that exceed their limits, until none does or nothing helps.
  status repair(const level_graph& g, std::vector<std::uint64_t>& owner, std::uint64_t& salt) {
    std::uint64_t least = excess(), stalled = 0;
    for (std::uint64_t i = 0; i < 256 && stalled < shares && least != 0; ++i) {
      std::uint64_t moved = 0;
      salt = mix(salt);
      if (const status answer = move_share(g, owner, salt, 0, true, moved); !answer) return answer;
      const std::uint64_t now = excess();
      stalled = now < least ? 0 : stalled + 1;
      least = std::min(least, now);
    }
    return status::ok;
  }

  const multilevel_problem<C>& problem_;
  std::vector<std::uint64_t> loads_{}, sizes_{};  // [parts x rows], [parts] as measured
  std::vector<std::uint64_t> remote_owner_{};     // [remote nodes]
  std::vector<std::uint64_t> weight_to_;          // [parts] of a node's neighbors, 0 between nodes
  std::vector<std::size_t> touched_{};            // parts of a node's neighbors
};

}  // namespace halograph::detail
