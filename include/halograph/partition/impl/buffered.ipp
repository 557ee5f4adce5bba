// SPDX-License-Identifier: BSL-1.0
/// @file buffered.ipp
/// Bodies of the plain functions of partition/multilevel/buffered.hpp.
/// Layer: partition. Words: README.md.
#pragma once

#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/random.hpp>
#include <halograph/partition/fixed_point.hpp>
#include <halograph/partition/loads.hpp>
#include <halograph/partition/multilevel.hpp>
#include <halograph/partition/multilevel/buffered.hpp>
#include <halograph/partition/multilevel/coarsening.hpp>
#include <halograph/partition/multilevel/effort.hpp>
#include <halograph/partition/multilevel/k_way.hpp>
#include <halograph/partition/multilevel/part_moves.hpp>
#include <halograph/partition/multilevel/weighted_graph.hpp>
#include <halograph/partition/streaming.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace halograph {

namespace detail {

/// @tparam Word  counts nodes, entries and the sum of all weights
template <class Word>
class held_clusters_of final : public held_clusters {
 public:
  held_clusters_of(const stream_shape& shape, const node_loads& loads, const held_options& options)
      : loads_(loads),
        options_(options),
        limit_(std::max(options.batch, shape.nodes)),
        cluster_of_(static_cast<std::size_t>(shape.nodes), none) {
    g_.rows = loads.rows();
    totals_.resize(g_.rows);
    for (std::size_t r = 0; r < g_.rows; ++r) totals_[r] = loads.total(r).total;
  }

  void see(std::size_t u) override {
    const Word c = cluster_of_[u];
    if (seen_[index(c)]++ == 0) touched_.push_back(c);
    ++edges_;
  }

  bool add(std::size_t v, executor_ref threads) override {
    if (edges_ > most_edges) return false;
    std::sort(touched_.begin(), touched_.end());
    for (const Word c : touched_) {
      new_targets_.push_back(c);
      new_weights_.push_back(seen_[index(c)]);
      seen_[index(c)] = 0;
    }
    touched_.clear();
    new_ends_.push_back(static_cast<Word>(new_targets_.size()));
    cluster_of_[v] = static_cast<Word>(seen_.size());
    seen_.push_back(0);
    if (!loads_.weighs_one()) {
      const std::size_t at = new_loads_.size();
      new_loads_.resize(at + g_.rows);
      loads_.visit(v, [&](std::size_t r, std::uint64_t load) { new_loads_[at + r] = load; });
    }
    return g_.num_entries() + 2 * new_targets_.size() <= limit_ || compact(threads);
  }

  bool cut(std::uint64_t excess, std::uint64_t cut, executor_ref threads) override {
    join_new_nodes();
    const std::size_t parts = options_.parts;
    std::vector<std::uint64_t> memory(load_table::words(parts, g_.rows)), caps(g_.rows);
    load_table table;
    if (!load_table::make(loads_, parts, memory, table)) return false;
    for (std::size_t r = 0; r < g_.rows; ++r) caps[r] = table.cap(r);

    // Nodes without neighbors come last: they go where there is room.
    std::vector<Word> place = drop_single_nodes();
    std::vector<std::uint32_t> part =
        k_way_partition<Word>(g_, caps, {options_.parts, options_.seed, options_.effort, {}},
                              threads)
            .run();
    if (part_moves<Word> moves(g_, options_.parts, caps, part, threads);
        excess == 0 && static_cast<std::uint64_t>(moves.cut()) >= cut)
      return false;
    g_ = {};
    for (std::size_t v = 0; v < cluster_of_.size(); ++v) {
      if (cluster_of_[v] == none || place[index(cluster_of_[v])] == none) continue;
      cluster_of_[v] = static_cast<Word>(part[index(place[index(cluster_of_[v])])]);
      table.add(v, index(cluster_of_[v]));
      place_done(v);
    }
    for (std::size_t v = 0; v < cluster_of_.size(); ++v) {
      if (cluster_of_[v] == none || is_done(v)) continue;
      std::size_t to = table.lightest(table.main_row(v));
      if (!table.fits(v, to)) to = table.least_bad(v);
      cluster_of_[v] = static_cast<Word>(to);
      table.add(v, to);
    }
    empty_overfull(table);
    fill_empty();
    return excess != 0 ? excess_of(table) <= excess : excess_of(table) == 0;
  }

  std::uint32_t part(std::size_t v) const override {
    return static_cast<std::uint32_t>(cluster_of_[v]);
  }

 private:
  static constexpr Word none = static_cast<Word>(~Word{0});
  static constexpr std::uint64_t most_edges = std::numeric_limits<Word>::max() / 4;

  void place_done(std::size_t v) { done_[v] = true; }
  bool is_done(std::size_t v) const { return done_[v]; }

  /// Add the rows of the new nodes to the held graph, in both directions.
  void join_new_nodes() {
    const std::size_t before = g_.num_nodes(), nodes = seen_.size();
    weighted_graph<Word> all;
    all.rows = g_.rows;
    all.offsets.assign(nodes + 1, 0);
    for (std::size_t c = 0; c < before; ++c) all.offsets[c + 1] = static_cast<Word>(g_.degree(c));
    for (std::size_t i = 0, e = 0; i < new_ends_.size(); ++i) {
      for (; e < index(new_ends_[i]); ++e) {
        ++all.offsets[before + i + 1];
        ++all.offsets[index(new_targets_[e]) + 1];
      }
    }
    for (std::size_t c = 0; c < nodes; ++c)
      all.offsets[c + 1] = static_cast<Word>(all.offsets[c + 1] + all.offsets[c]);
    std::vector<Word> next(all.offsets.begin(), all.offsets.end() - 1);
    all.targets.resize(index(all.offsets.back()));
    all.weights.resize(index(all.offsets.back()));
    const auto put = [&](std::size_t from, std::size_t to, Word weight) {
      const std::size_t at = index(next[from]++);
      all.targets[at] = static_cast<Word>(to);
      all.weights[at] = weight;
    };
    for (std::size_t c = 0; c < before; ++c)
      g_.visit(c, [&](std::size_t d, std::int64_t w) { put(c, d, static_cast<Word>(w)); });
    for (std::size_t i = 0, e = 0; i < new_ends_.size(); ++i) {
      for (; e < index(new_ends_[i]); ++e) {
        put(before + i, index(new_targets_[e]), new_weights_[e]);
        put(index(new_targets_[e]), before + i, new_weights_[e]);
      }
    }
    all.loads = std::move(g_.loads);
    if (loads_.weighs_one())
      all.loads.resize(nodes, 1);
    else
      all.loads.insert(all.loads.end(), new_loads_.begin(), new_loads_.end());
    new_ends_.clear();
    new_targets_.clear();
    new_weights_.clear();
    new_loads_.clear();
    g_ = std::move(all);
  }

  /// Join clusters until half of the entries are left. @return false: that cannot be done
  bool compact(executor_ref threads) {
    join_new_nodes();
    // Clusters may grow to a fraction of all, the smaller the better.
    const std::uint64_t parts = options_.parts, largest = 32 * parts,
                        smallest = 4 * std::max<std::uint64_t>(2000, 60 * parts);
    std::uint64_t fraction = std::max(largest,
                                      std::min<std::uint64_t>(smallest, cluster_of_.size() / 8));
    std::vector<std::uint64_t> caps(g_.rows);
    do {
      for (std::size_t r = 0; r < g_.rows; ++r)
        caps[r] = std::max<std::uint64_t>(1, totals_[r] / fraction);
      const std::vector<Word> label = label_clustering<Word>(g_, caps, std::span<const Word>(),
                                                             keyed(options_.seed, rounds_++),
                                                             threads)
                                          .run(3);
      std::vector<Word> coarse_of;
      weighted_graph<Word> coarser = contract_clusters(g_, std::span<const Word>(label), threads,
                                                       coarse_of);
      threads.parallel_for(0, cluster_of_.size(), std::size_t{1} << 14,
                           [&](std::size_t first, std::size_t last) {
                             for (std::size_t v = first; v < last; ++v) {
                               Word& c = cluster_of_[v];
                               if (c != none) c = coarse_of[index(c)];
                             }
                           });
      const bool slow = coarser.num_entries() > g_.num_entries() - g_.num_entries() / 10;
      g_ = std::move(coarser);
      if (!holds_together()) return false;
      if (slow) fraction /= 2;
    } while (g_.num_entries() > limit_ / 2 && fraction >= largest);
    seen_.assign(g_.num_nodes(), 0);
    return g_.num_entries() <= limit_ / 2;
  }
  /// Is at least one in twenty of the edges so far within clusters?
  bool holds_together() const {
    std::uint64_t between = 0;
    for (const Word weight : g_.weights) between += weight;
    return between / 2 <= edges_ - edges_ / 20;
  }

  /// Take clusters of one node without neighbors out of the held graph. @return [clusters] the node
  /// of the graph that is left, or none
  std::vector<Word> drop_single_nodes() {
    const std::size_t clusters = g_.num_nodes();
    std::vector<Word> members(clusters);
    for (const Word c : cluster_of_) {
      if (c != none) ++members[index(c)];
    }
    std::size_t kept = 0;
    for (std::size_t c = 0; c < clusters; ++c) {
      if (g_.degree(c) == 0 && members[c] <= 1) {
        members[c] = none;
        continue;
      }
      g_.offsets[kept + 1] = g_.offsets[c + 1];
      for (std::size_t r = 0; r < g_.rows; ++r)
        g_.loads[kept * g_.rows + r] = g_.loads[c * g_.rows + r];
      members[c] = static_cast<Word>(kept++);
    }
    g_.offsets.resize(kept + 1);
    g_.loads.resize(kept * g_.rows);
    for (Word& target : g_.targets) target = members[index(target)];
    done_.assign(cluster_of_.size(), false);
    return members;
  }

  /// Move nodes out of parts above their limits, where others have room.
  void empty_overfull(load_table& table) {
    for (std::size_t v = cluster_of_.size(); v-- > 0;) {
      if (cluster_of_[v] == none) continue;
      const std::size_t from = index(cluster_of_[v]);
      bool relieves = false;
      loads_.visit(v, [&](std::size_t r, std::uint64_t) {
        relieves = relieves || table.load(r, from) > table.cap(r);
      });
      if (!relieves) continue;
      const std::size_t to = table.lightest(table.main_row(v));
      if (to == from || !table.fits(v, to)) continue;
      table.remove(v, from);
      table.add(v, to);
      cluster_of_[v] = static_cast<Word>(to);
    }
  }
  /// Give parts without nodes one each, of the parts that have most.
  void fill_empty() {
    std::vector<std::size_t> sizes(options_.parts);
    for (const Word p : cluster_of_) {
      if (p != none) ++sizes[index(p)];
    }
    std::vector<std::size_t> empty;
    for (std::size_t p = sizes.size(); p-- > 0;) {
      if (sizes[p] == 0) empty.push_back(p);
    }
    const std::size_t mean = cluster_of_.size() / options_.parts;
    for (const std::size_t least : {std::max<std::size_t>(1, mean / 2), std::size_t{1}}) {
      for (std::size_t v = cluster_of_.size(); v-- > 0 && !empty.empty();) {
        if (cluster_of_[v] == none || sizes[index(cluster_of_[v])] <= least) continue;
        --sizes[index(cluster_of_[v])];
        cluster_of_[v] = static_cast<Word>(empty.back());
        ++sizes[empty.back()];
        empty.pop_back();
      }
    }
  }

  node_loads loads_;
  held_options options_;
  std::uint64_t limit_;                  // of entries
  std::vector<std::uint64_t> totals_{};  // [rows]
  std::vector<Word> cluster_of_;         // [V] or none; after cut() the part
  std::vector<bool> done_{};             // [V] cluster_of_ is the part
  weighted_graph<Word> g_{};             // of the clusters, without the new nodes
  std::vector<Word> new_ends_{};         // of the rows of new nodes
  std::vector<Word> new_targets_{}, new_weights_{};
  std::vector<std::uint64_t> new_loads_{};  // [new nodes x rows], where they are not all 1
  std::vector<Word> seen_{}, touched_{};    // [clusters] edges of the next node; those above 0
  std::uint64_t edges_ = 0, rounds_ = 0;
};

HALOGRAPH_INLINE std::unique_ptr<held_clusters> hold_clusters(const stream_shape& shape,
                                                              const node_loads& loads,
                                                              const held_options& options) {
  constexpr std::uint64_t narrow = std::uint64_t{1} << 30;
  if (shape.nodes < narrow && shape.edges < narrow && options.batch < narrow)
    return std::make_unique<held_clusters_of<std::uint32_t>>(shape, loads, options);
  return std::make_unique<held_clusters_of<std::uint64_t>>(shape, loads, options);
}

HALOGRAPH_INLINE std::uint64_t excess_of(const load_table& table) {
  std::uint64_t sum = 0;
  for (std::size_t r = 0; r < table.rows(); ++r) {
    for (std::size_t p = 0; p < table.parts(); ++p) {
      if (table.load(r, p) > table.cap(r))
        sum = saturating_sum(sum, table.load(r, p) - table.cap(r));
    }
  }
  return sum;
}

}  // namespace detail

HALOGRAPH_INLINE std::uint64_t buffered_bytes(std::uint64_t nodes, std::uint64_t edges,
                                              std::uint64_t batch, std::uint64_t constraints,
                                              std::uint64_t parts) noexcept {
  const std::uint64_t entries = std::min(std::max(batch, nodes), saturating_multiply(2, edges)),
                      word = std::max({nodes, edges, batch}) < std::uint64_t{1} << 30 ? 4 : 8;
  // Of a node its cluster and another part, of a part its loads, and what cutting the held graph
  // takes.
  return detail::saturating_sum(saturating_multiply(nodes, 2 * word + 4),
                                multilevel_bytes(nodes, entries, constraints, parts));
}

}  // namespace halograph
