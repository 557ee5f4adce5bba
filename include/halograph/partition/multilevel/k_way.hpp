// SPDX-License-Identifier: BSL-1.0
/// @file k_way.hpp
/// Partition a graph in memory: coarsen, cut the coarsest graph, refine level by level.
/// Layer: partition (allocates; no exceptions of its own). Words: README.md.
///
/// | phase | header |
/// | --- | --- |
/// | fixed nodes, joined to one of each part | `fixed_nodes.hpp` |
/// | clusters of nodes, the coarser graph, communities | `coarsening.hpp` |
/// | the coarsest graph cut by bisection after bisection | `initial/bisection.hpp` |
/// | parts of it that touch each other cut anew | `initial/window_cuts.hpp` |
/// | with several loads, random moves in it | `initial/annealing.hpp` |
/// | moves of nodes on each level | `part_moves.hpp` |
/// | minimum cuts between parts, where degrees are low | `flow_refinement.hpp` |
/// | an assignment that exists, improved | `warm_start.hpp` |
/// | moves for less communication volume, at the end | `volume_refinement.hpp` |
#pragma once

#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/radix_sort.hpp>
#include <halograph/core/random.hpp>
#include <halograph/partition/fixed_point.hpp>
#include <halograph/partition/multilevel/coarsening.hpp>
#include <halograph/partition/multilevel/effort.hpp>
#include <halograph/partition/multilevel/fixed_nodes.hpp>
#include <halograph/partition/multilevel/flow_refinement.hpp>
#include <halograph/partition/multilevel/initial/annealing.hpp>
#include <halograph/partition/multilevel/initial/bisection.hpp>
#include <halograph/partition/multilevel/initial/window_cuts.hpp>
#include <halograph/partition/multilevel/k_way_memory.hpp>
#include <halograph/partition/multilevel/part_moves.hpp>
#include <halograph/partition/multilevel/row_steps.hpp>
#include <halograph/partition/multilevel/volume_refinement.hpp>
#include <halograph/partition/multilevel/warm_start.hpp>
#include <halograph/partition/multilevel/weighted_graph.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace halograph::detail {

/// One call of the partitioner. Fixed nodes of the graph stay in their parts; each part's are
/// joined first unless they are one.
/// @repeatable  the result depends on the graph, the limits and the options, not on the threads
template <class Word>
class k_way_partition {
 public:
  /// @param caps  [rows] a part's limit of each load, or [K x rows], each part's
  k_way_partition(const weighted_graph<Word>& finest, std::span<const std::uint64_t> caps,
                  const k_way_options& options, executor_ref threads)
      : finest_(finest),
        caps_(caps),
        options_(options),
        threads_(threads),
        totals_(finest.free_loads()),
        largest_degree_(largest_free_degree(finest)),
        skewed_(is_skewed(finest, largest_degree_)) {}

  /// @return [n] the part of each node
  /// @complexity about O((n + m) log K) time; memory of a few times the graph
  std::vector<std::uint32_t> run() {
    if (finest_.num_nodes() == 0) return {};
    std::vector<std::uint32_t> part = run_for_cut();
    if (options_.minimize == objective::cut) return part;
    const quality found = refine_volume(part);
    if (options_.from.empty()) return part;
    // What cuts fewer edges may send more.
    std::vector<std::uint32_t> before(options_.from.begin(), options_.from.end());
    for (std::size_t v = 0; v < before.size(); ++v) {
      if (finest_.is_fixed(v)) before[v] = finest_.fixed[v];
      if (before[v] == no_part) return part;
    }
    return refine_volume(before) < found ? before : part;
  }

 private:
  std::vector<std::uint32_t> run_for_cut() {
    if (shares_fixed_parts(finest_)) return run_joined();
    if (!options_.from.empty()) return improve();
    tell_bytes(0, 0, false);
    std::vector<Word> regions;
    if (skewed_ && options_.effort.community_rounds != 0) {
      const auto coming = [&](std::uint64_t entries) {
        if (entries <= community_entries_) return;
        community_entries_ = entries;
        tell_bytes(0, 0, false);
      };
      const function_ref<void(std::uint64_t)> listener(coming);
      regions = find_communities(finest_, options_.effort.community_rounds, options_.seed, threads_,
                                 options_.on_bytes != nullptr ? &listener : nullptr);
    }
    std::vector<std::uint32_t> part;
    hierarchy levels = coarsen(std::move(regions), 0);
    part = cut_coarsest(levels.coarsest(finest_));
    if (skewed_ && finest_.rows == 1 && finest_.fixed.empty())
      uncoarsen_or_take_stripes(std::move(levels), part);
    else
      uncoarsen(std::move(levels), part, 0);
    for (unsigned cycle = 1; cycle <= options_.effort.cycles; ++cycle) repeat(part, cycle);
    return part;
  }

  /// The coarser graphs, and how they came from each other. All but the coarsest are packed; where
  /// the finest is compressed they stay so.
  struct hierarchy {
    std::vector<weighted_graph<Word>> graphs{};  // without the finest
    std::vector<std::vector<Word>> coarse_of{};  // [levels][n] the node of the next graph

    const weighted_graph<Word>& coarsest(const weighted_graph<Word>& finest) const {
      return graphs.empty() ? finest : graphs.back();
    }
  };
  /// How good an assignment is.
  struct quality {
    std::uint64_t excess;
    std::int64_t cut;  // or volume
    auto operator<=>(const quality&) const = default;
  };

  using moves = part_moves<Word>;

  std::vector<std::uint32_t> run_joined() const {
    std::vector<Word> joined_of;
    weighted_graph<Word> joined = join_fixed_nodes(finest_, finest_.fixed, joined_of);
    std::vector<std::uint32_t> from;
    if (!options_.from.empty()) {
      from = joined.fixed;
      for (std::size_t v = 0; v < joined_of.size(); ++v) {
        if (!finest_.is_fixed(v)) from[index(joined_of[v])] = options_.from[v];
      }
    }
    return run_on(std::move(joined), joined_of, from);
  }
  /// Partition a graph that stands for the finest. @return [n]
  std::vector<std::uint32_t> run_on(weighted_graph<Word> g, std::span<const Word> node_of,
                                    std::span<const std::uint32_t> from) const {
    if (finest_.is_compressed()) compress(g, {}, {}, threads_);
    k_way_options options = options_;
    options.from = from;
    options.minimize = objective::cut;
    if (!options_.from.empty()) options.on_progress = nullptr;  // a small part of the work
    const std::vector<std::uint32_t> found = k_way_partition(g, caps_, options, threads_).run();
    std::vector<std::uint32_t> part(node_of.size());
    for (std::size_t v = 0; v < part.size(); ++v) part[v] = found[index(node_of[v])];
    return part;
  }

  /// Place the nodes that have no part yet, with all others fixed; then improve the whole.
  std::vector<std::uint32_t> improve() const {
    std::vector<std::uint32_t> home(options_.from.begin(), options_.from.end());
    for (std::size_t v = 0; v < home.size(); ++v) {
      if (finest_.is_fixed(v)) home[v] = finest_.fixed[v];
    }
    std::vector<std::uint32_t> start = home;
    if (std::find(home.begin(), home.end(), no_part) != home.end()) {
      std::vector<Word> joined_of;
      weighted_graph<Word> joined = join_fixed_nodes<Word>(finest_, home, joined_of);
      start = run_on(std::move(joined), joined_of, {});
    }
    const quality first = measure(finest_, start);
    std::vector<std::uint32_t> part = start;
    {
      // Nodes that lie scattered in foreign parts would keep clusters small.
      moves now(finest_, options_.parts, caps_, part, threads_);
      now.rebalance(keyed(options_.seed, 11));
      now.propagate_labels(8);
    }
    if (measure(finest_, part) > first) part = start;
    // Again as long as a cycle brings much: better parts give better clusters.
    quality last = first;
    for (unsigned cycle = 1; cycle <= most_cycles; ++cycle) {
      repeat(part, cycle);
      const quality now = measure(finest_, part);
      if (cycle > options_.effort.cycles && now.cut > last.cut - last.cut / 8) break;
      last = now;
    }
    bound_moves(part, home);
    return measure(finest_, part) < first ? part : start;
  }
  /// Send nodes home that need not have moved, and those that must not; then let the others that
  /// are away, and new ones, find better places.
  void bound_moves(std::span<std::uint32_t> part, std::span<const std::uint32_t> home) const {
    const bool too_many = count_away(part, home) > options_.max_moved;
    moves now(finest_, options_.parts, caps_, part, threads_);
    send_home(now, home, options_.max_moved);
    if (!too_many) return;
    std::vector<std::uint32_t> stays(home.begin(), home.end());
    for (std::size_t v = 0; v < stays.size(); ++v) {
      if (part[v] != home[v]) stays[v] = no_part;
    }
    now.fix(stays);
    const std::uint64_t salt = keyed(options_.seed, 13);
    now.rebalance(salt);
    now.propagate_labels(3);
    now.jet(1, options_.effort.jet_patience, salt);
    send_home(now, home, options_.max_moved);
  }
  static std::size_t largest_free_degree(const weighted_graph<Word>& g) {
    std::size_t largest = 0;
    for (std::size_t v = 0; v < g.num_nodes(); ++v)
      largest = std::max(largest, g.is_fixed(v) ? 0 : g.degree(v));
    return largest;
  }
  static bool is_skewed(const weighted_graph<Word>& g, std::size_t largest) {
    return g.num_nodes() != 0 && largest / 10 > g.num_entries() / g.num_nodes();
  }
  /// Tell how much memory is taken, as far as it is known.
  /// @param in_all  is the first coarser graph known?
  void tell_bytes(std::uint64_t coarse_nodes, std::uint64_t coarse_entries, bool in_all) const {
    if (options_.on_bytes == nullptr) return;
    const k_way_memory taken = k_way_bytes({.nodes = finest_.num_nodes(),
                                            .finest_bytes = finest_.memory_bytes(),
                                            .largest_degree = largest_degree_,
                                            .community_entries = community_entries_,
                                            .coarse_nodes = coarse_nodes,
                                            .coarse_entries = coarse_entries,
                                            .rows = finest_.rows,
                                            .load_bytes = finest_.loads_are_narrow() ? 4u : 8u,
                                            .parts = options_.parts,
                                            .word_bytes = sizeof(Word),
                                            .skewed = skewed_,
                                            .compressed = finest_.is_compressed(),
                                            .repeats = options_.effort.cycles != 0});
    (*options_.on_bytes)(in_all ? taken.all : taken.first, in_all);
  }
  quality refine_volume(std::span<std::uint32_t> part) const {
    moves now(finest_, options_.parts, caps_, part, threads_);
    volume_refinement<Word> refinement(now, options_.sizes, {options_.from, options_.max_moved},
                                       options_.effort.jet_patience);
    const std::int64_t volume = refinement.refine();
    return {now.excess(), volume};
  }
  quality measure(const weighted_graph<Word>& g, std::span<std::uint32_t> part) const {
    moves now(g, options_.parts, caps_, part, threads_);
    return {now.excess(), now.cut()};
  }

  /// The load of a cluster that the smallest part has room for several of, where parts differ.
  std::uint64_t most_of_cluster(std::size_t row, std::size_t enough) const {
    const std::size_t rows = finest_.rows;
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    if (caps_.size() == rows) return least;
    for (std::size_t i = row; i < caps_.size(); i += rows) least = std::min(least, caps_[i]);
    return std::max(least / 8, totals_[row] / enough / 16);
  }

  /// Half of the work of a cycle is to coarsen, half to refine; either takes about as long as the
  /// graph of the level has entries.
  /// @param cycle  0: the first one, without a given assignment
  /// @param done   entries that need no more work in it, of twice those of the finest
  void report(std::uint64_t cycle, std::size_t done) const {
    if (options_.on_progress == nullptr) return;
    const bool improves = !options_.from.empty();
    const std::uint64_t all = 2 * std::uint64_t{finest_.num_entries()},
                        cycles = improves ? most_cycles : 1 + options_.effort.cycles;
    (*options_.on_progress)((improves ? cycle - 1 : cycle) * all + done, cycles * all);
  }

  /// @param regions  [n], or empty: nodes of different regions stay apart
  hierarchy coarsen(std::vector<Word> regions, std::uint64_t salt) const {
    const auto enough = static_cast<std::size_t>(coarsest_nodes(options_.parts));
    std::vector<std::uint64_t> caps(totals_);
    for (std::size_t r = 0; r < caps.size(); ++r)
      caps[r] = std::max<std::uint64_t>(1, std::min(caps[r] / enough, most_of_cluster(r, enough)));
    keep_fixed_apart(finest_, regions);
    const std::size_t chunk = skewed_ && finest_.rows == 1 ? small_chunk : large_chunk;
    hierarchy out;
    for (std::uint64_t level = 0;; ++level) {
      const weighted_graph<Word>& g = out.coarsest(finest_);
      const std::size_t nodes = g.num_nodes();
      report(salt, finest_.num_entries() - g.num_entries());
      if (nodes <= enough) break;
      std::vector<Word> label = label_clustering<Word>(g, caps, regions, chunk,
                                                       keyed(options_.seed, (salt << 8) + level),
                                                       threads_)
                                    .run(options_.effort.label_rounds);
      if (!options_.from.empty())
        join_isolated(g, std::span<const std::uint64_t>(caps), std::span<const Word>(regions),
                      std::span<Word>(label));
      const bool tells = options_.on_bytes != nullptr && salt == 0 && level == 0;
      if (tells) tell_bytes(0, count_crossing(g, std::span<const Word>(label), threads_), false);
      std::vector<Word> coarse_of;
      weighted_graph<Word> coarser = contract_packed(g, std::span<const Word>(label), threads_,
                                                     coarse_of);
      label = std::vector<Word>();  // not = {}, which would keep the memory
      if (tells) tell_bytes(coarser.num_nodes(), coarser.num_entries(), true);
      // A level that keeps most nodes and nearly all entries costs more than it brings.
      if (coarser.num_nodes() > nodes - nodes / 20 ||
          (coarser.num_nodes() > nodes - nodes / 3 &&
           coarser.num_entries() > g.num_entries() - g.num_entries() / 20))
        break;
      carry_fixed(g, std::span<const Word>(coarse_of), coarser);
      if (!regions.empty()) {
        std::vector<Word> coarser_regions(coarser.num_nodes());
        for (std::size_t v = 0; v < nodes; ++v) coarser_regions[index(coarse_of[v])] = regions[v];
        regions = std::move(coarser_regions);
      }
      if (!out.graphs.empty()) out.graphs.back().drop_entries();
      out.graphs.push_back(std::move(coarser));
      if (!finest_.is_compressed()) out.graphs.back().unpack(threads_, false);
      out.coarse_of.push_back(std::move(coarse_of));
    }
    if (!out.graphs.empty() && !finest_.is_compressed()) out.graphs.back().packed = {};
    return out;
  }

  std::vector<std::uint32_t> cut_coarsest(const weighted_graph<Word>& g) const {
    const bool anneals = g.rows > 1 && options_.effort.annealing != 0;
    const unsigned count = first_partitions_of(g, anneals);
    std::vector<std::uint64_t> seeds(count);
    for (unsigned i = 0; i < count; ++i) seeds[i] = keyed(options_.seed, 1000 + i);
    const bisection_options cuts = cuts_of(g);
    // Each is cut out of copies of the graph: so many at a time that these stay small beside the
    // finest graph.
    const std::size_t together = std::max<std::size_t>(
        1, finest_.num_entries() / (2 * g.num_entries() + 16 * g.num_nodes() + 1));
    std::vector<std::uint32_t> best;
    quality best_quality{};
    for (std::size_t begin = 0; begin < count; begin += together) {
      const auto some = std::span<const std::uint64_t>(seeds).subspan(
          begin, std::min(together, count - begin));
      auto all = bisect_recursively<Word>(g, caps_, options_.parts, cuts, some, threads_);
      std::vector<quality> found(all.size());
      // Random moves read the same rows again and again: they are decoded once.
      const bool unpacks = anneals && g.is_compressed() && !g.packed.empty();
      weighted_graph<Word> plain;
      if (unpacks) {
        plain = g;
        plain.unpack(threads_, true);
      }
      const auto improve_one = [&](std::size_t i, executor_ref threads) {
        moves now(unpacks ? plain : g, options_.parts, caps_, all[i], threads);
        now.rebalance(some[i]);
        if (anneals) annealing<Word>(now).run({keyed(some[i], 1), annealing_tries(g)});
        now.propagate_labels(3);
        if (!anneals && count > 1) move_by_gain(now, 3, some[i]);
        found[i] = {now.excess(), now.cut()};
      };
      if (anneals) {
        threads_.parallel_for(0, all.size(), 1, [&](std::size_t first, std::size_t last) {
          const sequential one;
          for (std::size_t i = first; i < last; ++i) improve_one(i, executor_ref(one));
        });
      } else {
        for (std::size_t i = 0; i < all.size(); ++i) improve_one(i, threads_);
      }
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (best.empty() || found[i] < best_quality) {
          best_quality = found[i];
          best = std::move(all[i]);
        }
      }
    }
    if (!anneals) cut_windows(g, best, best_quality);
    return best;
  }
  /// With one load, starting from a smaller graph cuts as little in half the time; with several
  /// loads, a graph of few nodes cannot be cut within all limits.
  bisection_options cuts_of(const weighted_graph<Word>& g) const {
    bisection_options cuts;
    cuts.tries = options_.effort.first_cuts;
    if (g.rows == 1) cuts.coarsest = 60;
    return cuts;
  }
  /// Cut neighboring parts of the coarsest graph anew, two to four at a time, as long as the cut
  /// improves and this takes little of the time.
  void cut_windows(const weighted_graph<Word>& g, std::vector<std::uint32_t>& best,
                   quality best_quality) const {
    constexpr std::uint32_t least = 2, sizes = 3;
    const std::uint64_t steps = window_steps_of(g);
    if (options_.parts <= least || steps == 0) return;
    const window_cuts<Word> windows(g, caps_, options_.parts, cuts_of(g), threads_);
    const auto improve = [&](moves& now, std::uint64_t seed) {
      now.rebalance(seed);
      now.propagate_labels(3);
      move_by_gain(now, 3, seed);
    };
    std::vector<std::uint32_t> part = best;
    bool changed = false;
    for (std::uint32_t step = 0, idle = 0; step < steps && idle < 4 * sizes; ++step) {
      const std::uint64_t seed = keyed(options_.seed, 2000 + step);
      const std::uint32_t size = least + step % sizes;
      const bool any = windows.step(part, std::min(size, options_.parts), seed, improve);
      idle = any ? 0 : idle + 1;
      changed = changed || any;
      if (!changed || (size != least + sizes - 1 && step + 1 != steps)) continue;
      changed = false;
      moves now(g, options_.parts, caps_, part, threads_);
      move_by_gain(now, 3, seed);
      if (const quality found{now.excess(), now.cut()}; found < best_quality) {
        best_quality = found;
        best = part;
      }
    }
  }
  /// How many partitions of the coarsest graph are made, of which the best is refined.
  unsigned first_partitions_of(const weighted_graph<Word>& g, bool anneals) const {
    // A graph with many edges is cut once; more often if that takes little of all the time, which
    // is the case if the finest graph has many times the edges. Luck decides over small cuts.
    constexpr unsigned annealed = 2;
    if (g.num_entries() > many_entries) return 1;
    if (anneals) return std::max(annealed, options_.effort.first_partitions);
    const std::uint64_t little = std::min<std::uint64_t>(options_.effort.spare_partitions,
                                                         spare_partitions_of(g));
    return std::max({1u, options_.effort.first_partitions, static_cast<unsigned>(little)});
  }
  std::uint64_t window_steps_of(const weighted_graph<Word>& g) const {
    const std::uint64_t most = options_.effort.window_steps;
    if (g.num_entries() > std::min(many_entries, finest_.num_entries() / 2)) return 0;
    return std::clamp(most / 5 * spare_partitions_of(g), most / 5, most);
  }
  /// How many partitions of the coarsest graph take little of all the time.
  std::uint64_t spare_partitions_of(const weighted_graph<Word>& g) const {
    return 2 * std::uint64_t{finest_.num_entries()} /
           ((std::uint64_t{g.num_entries()} + 1) * options_.parts);
  }
  /// Many for each node of the coarsest graph, but not more than the finest is worth.
  std::uint64_t annealing_tries(const weighted_graph<Word>& g) const {
    constexpr std::uint64_t of_node = 1500, most = std::uint64_t{1} << 24;
    return std::min({of_node * g.num_nodes(),
                     std::uint64_t{options_.effort.annealing} * finest_.num_entries(), most});
  }

  void refine(const weighted_graph<Word>& g, bool is_finest, std::span<std::uint32_t> part,
              std::uint64_t salt) const {
    moves now(g, options_.parts, caps_, part, threads_);
    now.rebalance(salt);
    now.propagate_labels(options_.effort.label_rounds + 1);
    move_by_gain(now, is_finest ? 1 : 3, salt);
  }
  /// Jet, and minimum cuts where degrees are low.
  void move_by_gain(moves& now, unsigned boldness, std::uint64_t salt) const {
    now.jet(boldness, options_.effort.jet_patience, salt);
    constexpr std::size_t low_degree = 12;
    const weighted_graph<Word>& g = now.graph();
    if (options_.effort.flow_rounds != 0 && g.num_entries() <= low_degree * g.num_nodes())
      flow_refinement<Word>(now, {.rounds = options_.effort.flow_rounds,
                                  .spare_rounds = options_.effort.spare_flow_rounds,
                                  .reach = options_.effort.flow_reach})
          .refine();
  }

  /// Refine the coarsest graph's assignment, then that of each finer graph.
  void uncoarsen(hierarchy levels, std::vector<std::uint32_t>& part, std::uint64_t salt) const {
    for (std::size_t level = levels.graphs.size();; --level) {
      refine(levels.coarsest(finest_), level == 0, part,
             keyed(options_.seed, (salt << 8) + 100 + level));
      report(salt, finest_.num_entries() + levels.coarsest(finest_).num_entries());
      if (level == 0) break;
      levels.graphs.pop_back();
      const std::vector<Word>& coarse_of = levels.coarse_of.back();
      std::vector<std::uint32_t> finer(coarse_of.size());
      constexpr std::size_t grain = std::size_t{1} << 14;
      threads_.parallel_for(0, finer.size(), grain, [&](std::size_t first, std::size_t last) {
        for (std::size_t v = first; v < last; ++v) finer[v] = part[index(coarse_of[v])];
      });
      part = std::move(finer);
      levels.coarse_of.pop_back();
      if (level > 1 && !finest_.is_compressed()) levels.graphs.back().unpack(threads_, true);
    }
  }

  /// Where few nodes have most of the edges, parts of nodes of like degrees may cut less than any
  /// clusters do: the core of the graph in few parts, what hangs on it in others. Where they cut
  /// far less than the parts of the coarsest graph do, and refinement hardly improves them, they
  /// are the result: uncoarsening would end in parts like them.
  void uncoarsen_or_take_stripes(hierarchy levels, std::vector<std::uint32_t>& part) const {
    std::vector<std::uint32_t> stripes = cut_in_stripes();
    const std::int64_t coarsest = measure(levels.coarsest(finest_), part).cut;
    moves now(finest_, options_.parts, caps_, stripes, threads_);
    quality best{now.excess(), now.cut()};
    const bool early = best.cut < coarsest;
    if (early) {
      const std::int64_t first = best.cut;
      best = refine_stripes(now, nullptr);
      if (best.excess == 0 && best.cut < coarsest - coarsest / 5 && best.cut > first - first / 32) {
        part = std::move(stripes);
        report(0, 2 * finest_.num_entries());
        return;
      }
    }
    uncoarsen(std::move(levels), part, 0);
    const quality found = measure(finest_, part);
    if (!early) {
      if (best.cut / 4 > found.cut / 3) return;  // refinement does not bring that much
      best = refine_stripes(now, &found);
    }
    if (best < found) part = std::move(stripes);
  }
  /// @param found  the quality of other parts, or nullptr: what stays much worse is not refined
  ///     further
  quality refine_stripes(moves& now, const quality* found) const {
    now.rebalance(options_.seed);
    now.propagate_labels(5);
    if (found == nullptr ||
        quality{now.excess(), now.cut()} < quality{found->excess, found->cut + found->cut / 10})
      now.jet(1, options_.effort.jet_patience, keyed(options_.seed, 7));
    return {now.excess(), now.cut()};
  }
  /// Parts of nodes of like degrees, the highest first. @return [n]
  std::vector<std::uint32_t> cut_in_stripes() const {
    const std::size_t nodes = finest_.num_nodes();
    std::vector<std::uint64_t> density(nodes);
    threads_.parallel_for(0, nodes, fine_grain, [&](std::size_t first, std::size_t last) {
      for (std::size_t v = first; v < last; ++v) {
        const auto degree = static_cast<std::uint64_t>(finest_.weighted_degree(v));
        density[v] = finest_.weighs_one() ? degree : share_of(degree, finest_.load(v, 0));
      }
    });
    const std::uint64_t most_dense = *std::max_element(density.begin(), density.end());
    std::vector<Word> order(nodes), scratch(nodes);
    std::iota(order.begin(), order.end(), Word{0});
    radix_sort(
        std::span(order), std::span(scratch),
        [&](Word v) { return most_dense - density[index(v)]; }, most_dense);
    scratch = std::vector<Word>();
    density = std::vector<std::uint64_t>();
    const std::uint64_t room = sum_caps(caps_, 1, 0, 0, options_.parts);
    const auto most_of = [&](std::uint32_t p) {
      const std::uint64_t cap = caps_[caps_.size() == 1 ? 0 : p],
                          even = caps_.size() == 1 ? totals_[0] / options_.parts
                                                   : multiply_divide(totals_[0], cap, room);
      return totals_[0] < room - room / 10 ? cap : std::min(even + 1, cap);
    };
    std::vector<std::uint32_t> stripes(nodes);
    std::uint64_t held = 0;
    std::uint32_t stripe = 0;
    for (const Word v : order) {
      const std::uint64_t load = finest_.load(static_cast<std::size_t>(v), 0);
      const std::uint64_t most = most_of(stripe);
      if (held != 0 && (held > most || load > most - held) && stripe + 1 < options_.parts) {
        ++stripe;
        held = 0;
      }
      held += load;
      stripes[index(v)] = stripe;
    }
    return stripes;
  }

  /// Coarsen again without joining nodes of different parts, and refine level by level.
  void repeat(std::vector<std::uint32_t>& part, unsigned cycle) const {
    hierarchy levels = coarsen(std::vector<Word>(part.begin(), part.end()), cycle);
    std::vector<std::uint32_t> found = part;
    for (const auto& coarse_of : levels.coarse_of) {
      std::vector<std::uint32_t> coarser(
          static_cast<std::size_t>(*std::max_element(coarse_of.begin(), coarse_of.end())) + 1);
      for (std::size_t v = 0; v < coarse_of.size(); ++v) coarser[index(coarse_of[v])] = found[v];
      found = std::move(coarser);
    }
    uncoarsen(std::move(levels), found, cycle);
    if (measure(finest_, found) < measure(finest_, part)) part = std::move(found);
  }

  static constexpr std::size_t many_entries = std::size_t{1} << 21;  // in the coarsest graph
  static constexpr unsigned most_cycles = 6;  // that improve a given assignment

  const weighted_graph<Word>& finest_;
  std::span<const std::uint64_t> caps_;
  k_way_options options_;
  executor_ref threads_;
  std::vector<std::uint64_t> totals_;  // [rows] loads of the nodes that may move
  std::size_t largest_degree_;         // of the nodes that may move
  bool skewed_;
  std::uint64_t community_entries_ = 0;  // of the largest graph of communities
};

}  // namespace halograph::detail
