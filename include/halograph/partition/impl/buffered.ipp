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

/// Entries and clusters that are held at most: enough for some clusters of each part.
constexpr std::uint64_t least_held(std::uint64_t batch, std::uint64_t parts) noexcept {
  return std::max({batch, std::uint64_t{1024}, saturating_multiply(256, parts)});
}

/// @tparam Word  counts nodes, entries and the sum of all weights, with a bit to spare
template <class Word>
class held_clusters_of final : public held_clusters {
 public:
  held_clusters_of(const stream_shape& shape, const node_loads& loads, const held_options& options)
      : loads_(loads),
        options_(options),
        limit_(least_held(options.batch, options.parts)),
        link_(static_cast<std::size_t>(shape.nodes), none) {
    g_.rows = loads.rows();
    totals_.resize(g_.rows);
    for (std::size_t r = 0; r < g_.rows; ++r) totals_[r] = loads.total(r).total;
  }

  void fetch(std::span<const std::uint64_t> soon) const noexcept override {
    for (const std::uint64_t u : soon) {
      if (u < link_.size()) __builtin_prefetch(link_.data() + u);
    }
  }

  void see(std::size_t u) override {
    const Word c = cluster_of(u);
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
    link_[v] = named(names_.size());
    names_.push_back(static_cast<Word>(v));
    seen_.push_back(0);
    return (g_.num_entries() + 2 * new_targets_.size() <= limit_ && names_.size() <= limit_) ||
           compact(threads);
  }

  bool cut(std::uint64_t excess, std::uint64_t cut, executor_ref threads) override {
    join_new_nodes();
    const std::size_t parts = options_.parts;
    std::vector<std::uint64_t> memory(load_table::words(parts, g_.rows)), caps(g_.rows);
    load_table table;
    if (!load_table::make(loads_, parts, memory, table)) return false;
    for (std::size_t r = 0; r < g_.rows; ++r) caps[r] = table.cap(r);

    // Nodes without neighbors come last: they go where there is room.
    const std::vector<Word> place = drop_loose_nodes();
    std::vector<std::uint32_t> part =
        k_way_partition<Word>(g_, caps, {options_.parts, options_.seed, options_.effort, {}},
                              threads)
            .run();
    if (part_moves<Word> moves(g_, options_.parts, caps, part, threads);
        excess == 0 && static_cast<std::uint64_t>(moves.cut()) + dropped_ >= cut)
      return false;
    g_ = {};
    // From here on links lead to clusters at once, then are parts.
    for (std::size_t v = 0; v < link_.size(); ++v) {
      if (link_[v] != none) link_[v] = named(index(cluster_of(v)));
    }
    const auto settle = [&](std::size_t v, std::size_t p) {
      link_[v] = static_cast<Word>(p);
      table.add(v, p);
    };
    for (Word& at : link_) {
      if (at == none) continue;
      if (const Word g = place[index(at & ~name_bit)]; g != none)
        settle(static_cast<std::size_t>(&at - link_.data()), part[index(g)]);
    }
    for (std::size_t v = 0; v < link_.size(); ++v) {
      if (link_[v] == none || (link_[v] & name_bit) == 0) continue;
      settle(v, table.best_place(v));
    }
    empty_overfull(table);
    fill_empty();
    return excess != 0 ? excess_of(table) <= excess : excess_of(table) == 0;
  }

  std::uint32_t part(std::size_t v) const override { return static_cast<std::uint32_t>(link_[v]); }

 private:
  static constexpr Word none = static_cast<Word>(~Word{0}),
                        name_bit = static_cast<Word>(Word{1} << (8 * sizeof(Word) - 1));
  static constexpr std::uint64_t most_edges = std::numeric_limits<Word>::max() / 4;

  static constexpr Word named(std::size_t cluster) noexcept {
    return static_cast<Word>(name_bit | static_cast<Word>(cluster));
  }
  /// A cluster is named by a node of it, which knows its number; the links of its other nodes lead
  /// to that node, so that joining clusters costs nothing for their nodes. @complexity O(log V)
  /// amortized
  Word cluster_of(std::size_t v) {
    for (;;) {
      const Word up = link_[v];
      if ((up & name_bit) != 0) return static_cast<Word>(up & ~name_bit);
      const Word above = link_[index(up)];
      if ((above & name_bit) != 0) return static_cast<Word>(above & ~name_bit);
      link_[v] = above;
      v = index(above);
    }
  }

  /// Add the rows of the new nodes to the held graph, in both directions.
  void join_new_nodes() {
    const std::size_t before = g_.num_nodes(), nodes = names_.size();
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
    all.loads.resize(nodes * g_.rows);
    for (std::size_t c = before; c < nodes; ++c) {
      loads_.visit(index(names_[c]), [&](std::size_t r, std::uint64_t load) {
        all.loads.set(c * g_.rows + r, load);
      });
    }
    loose_.resize(nodes, 1);
    new_ends_.clear();
    new_targets_.clear();
    new_weights_.clear();
    g_ = std::move(all);
  }

  /// Join clusters until half of the entries are left, and half as many clusters as there may be;
  /// where clusters would grow too large for that, drop light edges.
  /// @return false: that cannot be done
  bool compact(executor_ref threads) {
    join_new_nodes();
    // Clusters may grow to a fraction of all, the smaller the better.
    const std::uint64_t parts = options_.parts, largest = 32 * parts,
                        smallest = 4 * std::max<std::uint64_t>(2000, 60 * parts), goal = limit_ / 2;
    std::uint64_t fraction = std::max(largest, std::min<std::uint64_t>(smallest, link_.size() / 8));
    std::vector<std::uint64_t> caps(g_.rows);
    do {
      for (std::size_t r = 0; r < g_.rows; ++r)
        caps[r] = std::max<std::uint64_t>(1, totals_[r] / fraction);
      std::vector<Word> label = label_clustering<Word>(g_, caps, std::span<const Word>(),
                                                       large_chunk, keyed(options_.seed, rounds_++),
                                                       threads)
                                    .run(3);
      if (g_.num_nodes() > goal) join_lone_clusters(caps, label);
      std::vector<Word> coarse_of;
      weighted_graph<Word> coarser = contract_clusters(g_, std::span<const Word>(label), threads,
                                                       coarse_of);
      const bool slow = coarser.num_entries() + coarser.num_nodes() >
                        (g_.num_entries() + g_.num_nodes()) / 10 * 9;
      rename(coarse_of, coarser.num_nodes());
      g_ = std::move(coarser);
      if (!holds_together()) return false;
      if (slow) fraction /= 2;
    } while ((g_.num_entries() > goal || g_.num_nodes() > goal) && fraction >= largest);
    if (g_.num_nodes() > goal) return false;
    if (g_.num_entries() > goal) drop_lightest_edges(static_cast<std::size_t>(goal));
    seen_.assign(g_.num_nodes(), 0);
    return true;
  }
  /// Is at least one in twenty of the edges so far within clusters?
  bool holds_together() const {
    std::uint64_t between = 0;
    for (const Word weight : g_.weights) between += weight;
    return between / 2 <= edges_ - dropped_ - edges_ / 20;
  }
  /// Keep so many entries, those that weigh most. @pre there are more
  void drop_lightest_edges(std::size_t keep) {
    const auto rank = [&](std::size_t c, std::size_t e) {
      const auto d = static_cast<std::size_t>(g_.targets[e]);
      const std::uint64_t weight = std::min<std::uint64_t>(g_.weights[e], 0xFFFFFFFFu);
      return weight << 32 | keyed(std::min(c, d), std::max(c, d)) >> 32;
    };
    std::vector<std::uint64_t> ranks;
    ranks.reserve(g_.num_entries());
    for (std::size_t c = 0, e = 0; c < g_.num_nodes(); ++c) {
      for (; e < index(g_.offsets[c + 1]); ++e) ranks.push_back(rank(c, e));
    }
    const auto last = ranks.end() - static_cast<std::ptrdiff_t>(keep + 1);
    std::nth_element(ranks.begin(), last, ranks.end());
    const std::uint64_t bar = *last;  // of both directions of an edge, so that both go
    std::size_t kept = 0;
    std::uint64_t dropped = 0;
    for (std::size_t c = 0, e = 0; c < g_.num_nodes(); ++c) {
      for (const std::size_t end = index(g_.offsets[c + 1]); e < end; ++e) {
        if (rank(c, e) <= bar) {
          dropped += g_.weights[e];
          continue;
        }
        g_.targets[kept] = g_.targets[e];
        g_.weights[kept++] = g_.weights[e];
      }
      g_.offsets[c + 1] = static_cast<Word>(kept);
    }
    g_.targets.resize(kept);
    g_.weights.resize(kept);
    dropped_ += dropped / 2;
    std::fill(loose_.begin(), loose_.end(), std::uint8_t{0});
  }
  /// Clusters without neighbors join each other, in the order of their numbers.
  void join_lone_clusters(std::span<const std::uint64_t> caps, std::span<Word> label) const {
    std::vector<std::uint64_t> sums(g_.rows);
    Word open = none;
    for (std::size_t c = 0; c < label.size(); ++c) {
      if (g_.degree(c) != 0) continue;
      bool fits = open != none;
      for (std::size_t r = 0; fits && r < g_.rows; ++r) {
        const std::uint64_t load = g_.load(c, r);
        fits = load == 0 || (sums[r] <= caps[r] && load <= caps[r] - sums[r]);
      }
      if (!fits) {
        open = static_cast<Word>(c);
        std::fill(sums.begin(), sums.end(), std::uint64_t{0});
      }
      label[c] = open;
      for (std::size_t r = 0; r < g_.rows; ++r) sums[r] += g_.load(c, r);
    }
  }
  /// Give the clusters that have been joined their numbers. @complexity O(clusters)
  void rename(std::span<const Word> coarse_of, std::size_t clusters) {
    std::vector<Word> names(clusters, none);
    std::vector<std::uint8_t> loose(clusters, 1);
    for (std::size_t c = 0; c < coarse_of.size(); ++c) {
      const std::size_t d = index(coarse_of[c]);
      if (g_.degree(c) != 0 || loose_[c] == 0) loose[d] = 0;
      if (names[d] == none) {
        names[d] = names_[c];
        link_[index(names_[c])] = named(d);
      } else {
        link_[index(names_[c])] = names[d];
      }
    }
    names_ = std::move(names);
    loose_ = std::move(loose);
  }

  /// Take clusters without any edge out of the held graph. @return [clusters] the node of the graph
  /// that is left, or none
  std::vector<Word> drop_loose_nodes() {
    const std::size_t clusters = g_.num_nodes();
    std::vector<Word> place(clusters, none);
    std::size_t kept = 0;
    for (std::size_t c = 0; c < clusters; ++c) {
      if (g_.degree(c) == 0 && loose_[c] != 0) continue;
      g_.offsets[kept + 1] = g_.offsets[c + 1];
      for (std::size_t r = 0; r < g_.rows; ++r)
        g_.loads.set(kept * g_.rows + r, g_.loads[c * g_.rows + r]);
      place[c] = static_cast<Word>(kept++);
    }
    g_.offsets.resize(kept + 1);
    g_.loads.resize(kept * g_.rows);
    for (Word& target : g_.targets) target = place[index(target)];
    return place;
  }

  /// Move nodes out of parts above their limits, where others have room.
  void empty_overfull(load_table& table) {
    for (std::size_t v = link_.size(); v-- > 0;) {
      if (link_[v] == none) continue;
      const std::size_t from = index(link_[v]);
      bool relieves = false;
      loads_.visit(v, [&](std::size_t r, std::uint64_t) {
        relieves = relieves || table.load(r, from) > table.cap(r);
      });
      if (!relieves) continue;
      const std::size_t to = table.lightest(table.main_row(v));
      if (to == from || !table.fits(v, to)) continue;
      table.remove(v, from);
      table.add(v, to);
      link_[v] = static_cast<Word>(to);
    }
  }
  /// Give parts without nodes one each, of the parts that have most.
  void fill_empty() {
    std::vector<std::size_t> sizes(options_.parts);
    for (const Word p : link_) {
      if (p != none) ++sizes[index(p)];
    }
    std::vector<std::size_t> empty;
    for (std::size_t p = sizes.size(); p-- > 0;) {
      if (sizes[p] == 0) empty.push_back(p);
    }
    const std::size_t mean = link_.size() / options_.parts;
    for (const std::size_t least : {std::max<std::size_t>(1, mean / 2), std::size_t{1}}) {
      for (std::size_t v = link_.size(); v-- > 0 && !empty.empty();) {
        if (link_[v] == none || sizes[index(link_[v])] <= least) continue;
        --sizes[index(link_[v])];
        link_[v] = static_cast<Word>(empty.back());
        ++sizes[empty.back()];
        empty.pop_back();
      }
    }
  }

  node_loads loads_;
  held_options options_;
  std::uint64_t limit_;                  // of entries, and of clusters
  std::vector<std::uint64_t> totals_{};  // [rows]
  // [V] none; name_bit and the number of the cluster; or another node of it; after cut() the part
  std::vector<Word> link_;
  weighted_graph<Word> g_{};           // of the clusters, without the new nodes
  std::vector<Word> names_{};          // [clusters] a node of each, the new nodes included
  std::vector<std::uint8_t> loose_{};  // [clusters] no edge between its nodes
  std::vector<Word> new_ends_{};       // of the rows of new nodes
  std::vector<Word> new_targets_{}, new_weights_{};
  std::vector<Word> seen_{}, touched_{};  // [clusters] edges of the next node; those above 0
  std::uint64_t edges_ = 0, rounds_ = 0;
  std::uint64_t dropped_ = 0;  // weight of edges that were dropped: they may be cut
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
  batch = detail::least_held(batch, parts);
  const std::uint64_t entries = std::min(batch, saturating_multiply(2, edges)),
                      clusters = std::min(batch, nodes),
                      word = std::max({nodes, edges, batch}) < std::uint64_t{1} << 30 ? 4 : 8;
  // Of a node its link and its other part, the edges that are new, and what cutting the held graph
  // takes.
  std::uint64_t sum = multilevel_bytes(clusters, entries, constraints, parts,
                                       {.edge_weights = true});
  for (const std::uint64_t part :
       {saturating_multiply(nodes, word + 4), saturating_multiply(entries, 2 * word)})
    sum = detail::saturating_sum(sum, part);
  return sum;
}

}  // namespace halograph
