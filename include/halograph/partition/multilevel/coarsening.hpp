// SPDX-License-Identifier: BSL-1.0
/// @file coarsening.hpp
/// Make a graph smaller: clusters of its nodes become the nodes of a coarser graph.
/// Layer: partition (allocates; no exceptions of its own). Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/core/random.hpp>
#include <halograph/partition/fixed_point.hpp>
#include <halograph/partition/multilevel/weighted_graph.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace halograph::detail {

/// All nodes, those of few neighbors first, in random order as far as the caches allow: blocks of
/// neighbors in the numbering stay together.
template <class Word>
std::vector<Word> nodes_by_degree(const weighted_graph<Word>& g, std::uint64_t seed) {
  constexpr std::size_t block = 64, buckets = 66;
  const std::size_t nodes = g.num_nodes();
  const auto bucket = [&](std::size_t v) {
    return static_cast<std::size_t>(std::bit_width(g.degree(v)));
  };
  std::array<std::size_t, buckets + 1> first{};
  for (std::size_t v = 0; v < nodes; ++v) ++first[bucket(v) + 1];
  for (std::size_t b = 0; b < buckets; ++b) first[b + 1] += first[b];
  std::vector<Word> sorted(nodes), out;
  out.reserve(nodes);
  auto next = first;
  for (std::size_t v = 0; v < nodes; ++v) sorted[next[bucket(v)]++] = static_cast<Word>(v);
  random_stream random(seed);
  std::vector<Word> blocks;
  for (std::size_t b = 0; b < buckets; ++b) {
    blocks.resize((first[b + 1] - first[b] + block - 1) / block);
    std::iota(blocks.begin(), blocks.end(), Word{0});
    shuffle(std::span<Word>(blocks), random);
    for (const Word one : blocks) {
      const std::size_t from = first[b] + static_cast<std::size_t>(one) * block,
                        to = std::min(from + block, first[b + 1]), place = out.size();
      out.insert(out.end(), sorted.begin() + static_cast<std::ptrdiff_t>(from),
                 sorted.begin() + static_cast<std::ptrdiff_t>(to));
      shuffle(std::span<Word>(out).subspan(place), random);
    }
  }
  return out;
}

/// Clusters of nodes by label propagation: each node joins the neighboring cluster to which most of
/// its weight goes, where that has room.
///
/// Where that leaves most nodes alone, as around the hubs of power-law graphs, nodes that would
/// have joined the same cluster are joined to each other (two hops).
/// @complexity O(n + m) time for each round, O(n x rows) memory
/// @source Raghavan, Albert & Kumara, Phys. Rev. E 76, 2007; Meyerhenke, Sanders & Schulz,
///     "Partitioning complex networks via size-constrained clustering", SEA 2014
template <class Word>
class label_clustering {
 public:
  /// @param caps     [rows] a cluster's limit of each load
  /// @param regions  [n], or empty: nodes of different regions are not joined
  label_clustering(const weighted_graph<Word>& g, std::span<const std::uint64_t> caps,
                   std::span<const Word> regions, std::uint64_t seed)
      : g_(g),
        caps_(caps),
        regions_(regions),
        seed_(seed),
        order_(nodes_by_degree(g, seed)),
        label_(g.num_nodes()),
        favorite_(g.num_nodes()),
        members_(g.num_nodes(), Word{1}),
        sums_(g.num_nodes()),
        clusters_(g.num_nodes()) {
    std::iota(label_.begin(), label_.end(), Word{0});
    favorite_ = label_;
    if (g.loads.empty())
      held_.assign(g.num_nodes(), 1);
    else
      held_ = g.loads;
  }

  /// @return [n] the cluster of each node, named by one of its nodes
  std::vector<Word> run(unsigned rounds) {
    for (unsigned round = 0; round < rounds; ++round) {
      std::size_t moved = 0;
      for (const Word v : order_) moved += visit(static_cast<std::size_t>(v), round) ? 1u : 0u;
      if (moved < g_.num_nodes() / 100) break;
    }
    if (clusters_ > g_.num_nodes() / 2) join_over_two_hops();
    return std::move(label_);
  }

 private:
  static constexpr Word none = static_cast<Word>(~Word{0});

  bool same_region(std::size_t u, std::size_t v) const {
    return regions_.empty() || regions_[u] == regions_[v];
  }
  bool fits(std::size_t v, std::size_t cluster) const {
    for (std::size_t r = 0; r < g_.rows; ++r) {
      const std::uint64_t load = g_.load(v, r), held = held_[cluster * g_.rows + r];
      if (load != 0 && (held > caps_[r] || load > caps_[r] - held)) return false;
    }
    return true;
  }
  void join(std::size_t v, std::size_t cluster) {
    const auto own = static_cast<std::size_t>(label_[v]);
    for (std::size_t r = 0; r < g_.rows; ++r) {
      held_[own * g_.rows + r] -= g_.load(v, r);
      held_[cluster * g_.rows + r] += g_.load(v, r);
    }
    if (--members_[own] == 0) --clusters_;
    ++members_[cluster];
    label_[v] = static_cast<Word>(cluster);
  }

  /// @return did v move?
  bool visit(std::size_t v, unsigned round) {
    touched_.clear();
    g_.visit(v, [&](std::size_t u, std::int64_t w) {
      if (!same_region(u, v)) return;
      const Word c = label_[u];
      if (sums_[index(c)] == 0) touched_.push_back(c);
      sums_[index(c)] += w;
    });
    const Word own = label_[v];
    Word best = own, favorite = own;
    std::int64_t most = -1, favored = -1;
    std::uint64_t best_tie = 0;
    const std::uint64_t salt = keyed(seed_ + round, v);
    for (const Word c : touched_) {
      const std::int64_t sum = sums_[index(c)];
      sums_[index(c)] = 0;
      if (sum > favored) {
        favored = sum;
        favorite = c;
      }
      if (sum < most || (c != own && !fits(v, static_cast<std::size_t>(c)))) continue;
      const std::uint64_t tie = mix(salt ^ c);
      if (sum == most && tie <= best_tie) continue;
      best = c;
      most = sum;
      best_tie = tie;
    }
    favorite_[v] = favorite;
    if (best == own) return false;
    join(v, static_cast<std::size_t>(best));
    return true;
  }

  void join_over_two_hops() {
    std::vector<Word> waiting(g_.num_nodes(), none);
    for (const Word node : order_) {
      const auto v = static_cast<std::size_t>(node);
      const Word own = label_[v], favorite = favorite_[v];
      if (members_[index(own)] != 1 || favorite == own) continue;
      Word& other = waiting[index(favorite)];
      if (other != none && other != own && same_region(static_cast<std::size_t>(other), v) &&
          members_[index(other)] != 0 && fits(v, static_cast<std::size_t>(other))) {
        join(v, static_cast<std::size_t>(other));
        other = none;
      } else {
        other = own;
      }
    }
  }

  const weighted_graph<Word>& g_;
  std::span<const std::uint64_t> caps_;
  std::span<const Word> regions_;
  std::uint64_t seed_;
  std::vector<Word> order_, label_, favorite_;  // [n]
  std::vector<Word> members_;                   // [n] nodes of the cluster that is named so
  std::vector<std::uint64_t> held_{};           // [n x rows] loads of that cluster
  std::vector<std::int64_t> sums_;              // [n] weights by cluster, of one row
  std::vector<Word> touched_{};
  std::size_t clusters_;
};

/// The graph whose nodes are the clusters of g.
/// @param label      [n] the cluster of each node, named by a node
/// @param coarse_of  [n] out: the coarser graph's node of each node
/// @complexity O(n + m) time, m entries of memory at most
template <class Word>
weighted_graph<Word> contract_clusters(const weighted_graph<Word>& g, std::span<const Word> label,
                                       std::vector<Word>& coarse_of) {
  constexpr Word none = static_cast<Word>(~Word{0});
  const std::size_t nodes = g.num_nodes(), rows = g.rows;
  std::vector<Word> number(nodes, none);
  coarse_of.resize(nodes);
  std::size_t coarse_nodes = 0;
  for (std::size_t v = 0; v < nodes; ++v) {
    Word& one = number[index(label[v])];
    if (one == none) one = static_cast<Word>(coarse_nodes++);
    coarse_of[v] = one;
  }
  std::vector<Word> first(coarse_nodes + 1), members = std::move(number);
  for (std::size_t v = 0; v < nodes; ++v) ++first[static_cast<std::size_t>(coarse_of[v]) + 1];
  for (std::size_t c = 0; c < coarse_nodes; ++c)
    first[c + 1] = static_cast<Word>(first[c + 1] + first[c]);
  std::vector<Word> next(first.begin(), first.end() - 1);
  for (std::size_t v = 0; v < nodes; ++v)
    members[index(next[index(coarse_of[v])]++)] = static_cast<Word>(v);

  weighted_graph<Word> out;
  out.rows = rows;
  out.offsets.resize(coarse_nodes + 1);
  out.loads.assign(coarse_nodes * rows, 0);
  out.targets.reserve(g.num_entries());  // memory that is not written is not taken
  out.weights.reserve(g.num_entries());
  std::vector<Word> place(coarse_nodes, none);  // of a neighbor in the row that is being written
  for (std::size_t c = 0; c < coarse_nodes; ++c) {
    const std::size_t begin = out.targets.size();
    for (auto i = static_cast<std::size_t>(first[c]); i < first[c + 1]; ++i) {
      const auto v = static_cast<std::size_t>(members[i]);
      for (std::size_t r = 0; r < rows; ++r) out.loads[c * rows + r] += g.load(v, r);
      g.visit(v, [&](std::size_t u, std::int64_t w) {
        const Word d = coarse_of[u];
        if (d == c) return;
        if (const Word at = place[index(d)]; at != none && at >= begin) {
          out.weights[index(at)] = static_cast<Word>(out.weights[index(at)] + static_cast<Word>(w));
        } else {
          place[index(d)] = static_cast<Word>(out.targets.size());
          out.targets.push_back(d);
          out.weights.push_back(static_cast<Word>(w));
        }
      });
    }
    out.offsets[c + 1] = static_cast<Word>(out.targets.size());
  }
  out.targets.shrink_to_fit();
  out.weights.shrink_to_fit();
  return out;
}

/// Communities: groups of nodes with more weight inside than the degrees explain (modularity).
/// @return [n] the community of each node
/// @complexity O(n + m) time for each round of each level
/// @source Blondel, Guillaume, Lambiotte & Lefebvre, "Fast unfolding of communities in large
///     networks", J. Stat. Mech. P10008, 2008; before coarsening: Heuer & Schlag, "Improving
///     coarsening schemes for hypergraph partitioning by exploiting community structure", SEA 2017
template <class Word>
std::vector<Word> find_communities(const weighted_graph<Word>& finest, unsigned rounds,
                                   std::uint64_t seed) {
  std::vector<Word> out(finest.num_nodes());
  std::iota(out.begin(), out.end(), Word{0});
  std::vector<std::uint64_t> volume(finest.num_nodes());  // weighted degree, loops included
  std::uint64_t total = 0;
  for (std::size_t v = 0; v < finest.num_nodes(); ++v) {
    volume[v] = static_cast<std::uint64_t>(finest.weighted_degree(v));
    total += volume[v];
  }
  if (total == 0) return out;
  const unsigned digits = total >> 48 == 0 ? 10 : 0;  // after the point, of what is expected
  weighted_graph<Word> held;
  const weighted_graph<Word>* g = &finest;
  for (std::uint64_t level = 0; level < 10; ++level) {
    const std::size_t nodes = g->num_nodes();
    const std::vector<Word> order = nodes_by_degree(*g, keyed(seed, level));
    std::vector<Word> label(nodes), touched;
    std::iota(label.begin(), label.end(), Word{0});
    std::vector<std::uint64_t> volumes = volume;
    std::vector<std::int64_t> sums(nodes);
    bool any = false;
    for (unsigned round = 0; round < rounds; ++round) {
      std::size_t moved = 0;
      const std::uint64_t salt = keyed(seed, (level << 8) + round);
      for (const Word v : order) {
        touched.clear();
        g->visit(static_cast<std::size_t>(v), [&](std::size_t u, std::int64_t w) {
          const Word c = label[u];
          if (sums[index(c)] == 0) touched.push_back(c);
          sums[index(c)] += w;
        });
        const Word own = label[index(v)];
        const auto expected = [&](std::uint64_t others) {
          return static_cast<std::int64_t>(
              multiply_divide(volume[index(v)] << digits, others, total));
        };
        Word to = own;
        std::int64_t most = (sums[index(own)] << digits) -
                            expected(volumes[index(own)] - volume[index(v)]);
        std::uint64_t tie = 0;
        for (const Word c : touched) {
          if (c == own) continue;
          const std::int64_t gain = (sums[index(c)] << digits) - expected(volumes[index(c)]);
          if (gain < most || (gain == most && to == own)) continue;
          const std::uint64_t draw = keyed(salt, (std::uint64_t{v} << 20) ^ c);
          if (gain == most && draw <= tie) continue;
          most = gain;
          to = c;
          tie = draw;
        }
        for (const Word c : touched) sums[index(c)] = 0;
        if (to == own) continue;
        volumes[index(own)] -= volume[index(v)];
        volumes[index(to)] += volume[index(v)];
        label[index(v)] = to;
        ++moved;
      }
      any = any || moved != 0;
      if (moved < nodes / 100) break;
    }
    if (!any) break;
    std::vector<Word> coarse_of;
    weighted_graph<Word> coarser = contract_clusters(*g, std::span<const Word>(label), coarse_of);
    for (Word& one : out) one = coarse_of[index(one)];
    std::vector<std::uint64_t> coarser_volume(coarser.num_nodes());
    for (std::size_t v = 0; v < nodes; ++v) coarser_volume[index(coarse_of[v])] += volume[v];
    volume = std::move(coarser_volume);
    const bool stalls = coarser.num_nodes() > nodes - nodes / 100;
    held = std::move(coarser);
    g = &held;
    if (stalls) break;
  }
  return out;
}

}  // namespace halograph::detail
