// SPDX-License-Identifier: BSL-1.0
/// @file coarsening.hpp
/// Make a graph smaller: clusters of its nodes become the nodes of a coarser graph.
/// Layer: partition (allocates; no exceptions of its own). Words: README.md.
#pragma once

#include <halograph/core/executor.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/random.hpp>
#include <halograph/partition/fixed_point.hpp>
#include <halograph/partition/multilevel/cluster_sums.hpp>
#include <halograph/partition/multilevel/row_steps.hpp>
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

/// Nodes from `from` to `to`, those of few neighbors first, in random order as far as the caches
/// allow: blocks of neighbors in the numbering stay together.
template <class Word>
void list_few_first(const weighted_graph<Word>& g, std::size_t from, std::size_t to,
                    std::uint64_t seed, std::vector<Word>& out) {
  constexpr std::size_t block = 64, buckets = 66;
  const auto bucket = [&](std::size_t v) {
    return static_cast<std::size_t>(std::bit_width(g.degree(v)));
  };
  std::array<std::size_t, buckets + 1> first{};
  for (std::size_t v = from; v < to; ++v) ++first[bucket(v) + 1];
  for (std::size_t b = 0; b < buckets; ++b) first[b + 1] += first[b];
  std::vector<Word> sorted(to - from), blocks;
  auto next = first;
  for (std::size_t v = from; v < to; ++v) sorted[next[bucket(v)]++] = static_cast<Word>(v);
  out.clear();
  random_stream random(seed);
  for (std::size_t b = 0; b < buckets; ++b) {
    blocks.resize((first[b + 1] - first[b] + block - 1) / block);
    std::iota(blocks.begin(), blocks.end(), Word{0});
    shuffle(std::span<Word>(blocks), random);
    for (const Word one : blocks) {
      const std::size_t begin = first[b] + static_cast<std::size_t>(one) * block,
                        end = std::min(begin + block, first[b + 1]), place = out.size();
      out.insert(out.end(), sorted.begin() + static_cast<std::ptrdiff_t>(begin),
                 sorted.begin() + static_cast<std::ptrdiff_t>(end));
      shuffle(std::span<Word>(out).subspan(place), random);
    }
  }
}

/// Nodes of a chunk of chunked_visits. Small chunks let threads share smaller graphs, but cost cut
/// with several loads, and on roads and meshes, where neighbors in the numbering swap places.
inline constexpr std::size_t large_chunk = 2048, small_chunk = 512;

/// Rounds in which nodes choose clusters. Nodes are visited in chunks of the numbering, some chunks
/// at a time: what a node of another chunk has chosen since is not seen, so that the result does
/// not depend on the threads. Then those that may move do, one by one.
template <class Word>
class chunked_visits {
 public:
  /// Nodes that one thread visits.
  struct chunk {
    std::size_t first = 0, size = 0;
    bool has(std::size_t v) const noexcept { return v - first < size; }
  };

  /// @param label  [n] the cluster of each node; changed by `move` of visit() alone
  /// @param size   nodes of a chunk, about; fewer where rows are long
  chunked_visits(const weighted_graph<Word>& g, const std::vector<Word>& label, std::size_t size,
                 executor_ref threads)
      : g_(g), label_(label), threads_(threads), wish_(label) {
    const std::size_t nodes = g.num_nodes();
    if (g.num_entries() / dense >= nodes) size = std::min<std::size_t>(size, 256);
    // As much work in each, however many neighbors its nodes have.
    const std::size_t chunks = (nodes + size - 1) / size;
    const auto work_before = [&](std::size_t v) { return 8 * v + g.row_begin(v); };
    for (std::size_t i = 0, first = 0, last = 0; i < chunks; ++i, first = last) {
      const std::uint64_t most = multiply_divide(work_before(nodes), i + 1, chunks);
      std::size_t beyond = nodes;
      while (last < beyond) {
        const std::size_t middle = last + (beyond - last) / 2;
        if (work_before(middle + 1) <= most)
          last = middle + 1;
        else
          beyond = middle;
      }
      chunks_.push_back({first, last - first});
    }
  }

  /// The cluster of u, as a node of a chunk sees it.
  Word seen(std::size_t u, chunk near) const noexcept { return near.has(u) ? wish_[u] : label_[u]; }

  /// @param wish  (node, chunk, cluster_sums) -> Word; called by several threads
  /// @param move  (node, Word) -> bool: did it move?
  /// @return how many moved
  template <class Wish, class Move>
  std::size_t visit(std::uint64_t seed, const Wish& wish, const Move& move) {
    const std::size_t chunks = chunks_.size(),
                      together = std::clamp<std::size_t>(std::bit_floor(chunks / 16), 1, 16);
    std::vector<Word> order(chunks);
    std::iota(order.begin(), order.end(), Word{0});
    random_stream random(seed);
    shuffle(std::span<Word>(order), random);
    std::vector<std::vector<Word>> orders(together);
    std::vector<Word> refused;
    cluster_sums<Word> own_sums;
    std::size_t moved = 0;
    // A node by itself, that sees where all others are now.
    const auto visit_alone = [&](std::size_t v) {
      const Word to = wish(v, chunk{}, own_sums);
      if (to != label_[v] && move(v, to)) ++moved;
      wish_[v] = label_[v];
    };
    for (std::size_t begin = 0; begin < chunks; begin += together) {
      const std::size_t end = std::min(chunks, begin + together);
      threads_.parallel_for(begin, end, 1, [&](std::size_t first, std::size_t last) {
        cluster_sums<Word> sums;
        for (std::size_t i = first; i < last; ++i) {
          const chunk near = chunks_[index(order[i])];
          list_few_first(g_, near.first, near.first + near.size, keyed(seed, order[i]),
                         orders[i - begin]);
          if (together == 1) continue;
          for (const Word v : orders[i - begin]) wish_[index(v)] = wish(index(v), near, sums);
          std::erase_if(orders[i - begin],
                        [&](Word v) { return wish_[index(v)] == label_[index(v)]; });
        }
      });
      refused.clear();
      for (std::size_t i = begin; i < end; ++i) {
        for (const Word node : orders[i - begin]) {
          const auto v = static_cast<std::size_t>(node);
          if (together == 1) {
            visit_alone(v);
          } else if (move(v, wish_[v])) {
            ++moved;
          } else {
            refused.push_back(node);
          }
        }
      }
      // They choose again, seeing where all others are now.
      threads_.parallel_for(0, refused.size(), 16, [&](std::size_t first, std::size_t last) {
        cluster_sums<Word> sums;
        for (std::size_t i = first; i < last; ++i) {
          const std::size_t v = index(refused[i]);
          wish_[v] = wish(v, chunk{}, sums);
        }
      });
      for (const Word node : refused) {
        const std::size_t v = index(node);
        if (wish_[v] == label_[v]) continue;
        if (move(v, wish_[v]))
          ++moved;
        else
          visit_alone(v);
      }
    }
    return moved;
  }

 private:
  /// Neighbors of a mean node from which chunks are small: a coarse graph of few nodes has much
  /// work for several threads then.
  static constexpr std::size_t dense = 32;

  const weighted_graph<Word>& g_;
  const std::vector<Word>& label_;
  executor_ref threads_;
  std::vector<chunk> chunks_{};
  std::vector<Word> wish_;  // [n] the label, or what a node of a chunk at work would have
};

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
  /// @param chunk_size  large_chunk or small_chunk
  label_clustering(const weighted_graph<Word>& g, std::span<const std::uint64_t> caps,
                   std::span<const Word> regions, std::size_t chunk_size, std::uint64_t seed,
                   executor_ref threads)
      : g_(g),
        caps_(caps),
        regions_(regions),
        chunk_size_(chunk_size),
        seed_(seed),
        threads_(threads),
        label_(g.num_nodes()),
        favorite_(g.num_nodes()),
        members_(g.num_nodes(), Word{1}),
        clusters_(g.num_nodes()) {
    std::iota(label_.begin(), label_.end(), Word{0});
    std::iota(favorite_.begin(), favorite_.end(), Word{0});
    if (g.weighs_one()) return;
    held_.assign(g.num_nodes() * g.rows, g.loads_are_narrow());
    for (std::size_t v = 0; v < g.num_nodes(); ++v) {
      for (std::size_t r = 0; r < g.rows; ++r) held_.set(v * g.rows + r, g.load(v, r));
    }
  }

  /// @return [n] the cluster of each node, named by one of its nodes
  std::vector<Word> run(unsigned rounds) {
    chunked_visits<Word> visits(g_, label_, chunk_size_, threads_);
    for (unsigned round = 0; round < rounds; ++round) {
      const std::size_t moved = visits.visit(
          keyed(seed_, round),
          [&](std::size_t v, chunk near, cluster_sums<Word>& sums) {
            return wish(v, near, visits, round, sums);
          },
          [&](std::size_t v, Word to) {
            if (members_[index(to)] == 0 || !fits(v, static_cast<std::size_t>(to))) return false;
            join(v, static_cast<std::size_t>(to));
            return true;
          });
      if (moved < g_.num_nodes() / 100) break;
    }
    if (clusters_ > g_.num_nodes() / 2) join_over_two_hops();
    return std::move(label_);
  }

 private:
  using chunk = typename chunked_visits<Word>::chunk;
  static constexpr Word none = static_cast<Word>(~Word{0});

  bool same_region(std::size_t u, std::size_t v) const {
    return regions_.empty() || regions_[u] == regions_[v];
  }
  bool fits(std::size_t v, std::size_t cluster) const {
    for (std::size_t r = 0; r < g_.rows; ++r) {
      const std::uint64_t load = g_.load(v, r),
                          held = held_.empty() ? members_[cluster] : held_[cluster * g_.rows + r];
      if (load != 0 && (held > caps_[r] || load > caps_[r] - held)) return false;
    }
    return true;
  }
  void join(std::size_t v, std::size_t cluster) {
    const auto own = static_cast<std::size_t>(label_[v]);
    for (std::size_t r = 0; r < g_.rows && !held_.empty(); ++r) {
      held_.subtract(own * g_.rows + r, g_.load(v, r));
      held_.add(cluster * g_.rows + r, g_.load(v, r));
    }
    if (--members_[own] == 0) --clusters_;
    ++members_[cluster];
    label_[v] = static_cast<Word>(cluster);
  }

  /// The cluster that v would join.
  Word wish(std::size_t v, chunk near, const chunked_visits<Word>& visits, unsigned round,
            cluster_sums<Word>& sums) {
    sums.start(g_.degree(v), g_.num_nodes());
    g_.visit(v, [&](std::size_t u, std::int64_t w) {
      if (same_region(u, v)) sums.add(visits.seen(u, near), w);
    });
    const Word own = label_[v];
    Word best = own, favorite = own;
    std::int64_t most = -1, favored = -1;
    std::uint64_t best_tie = 0;
    const std::uint64_t salt = keyed(seed_ + round, v);
    sums.visit([&](Word c, std::int64_t sum) {
      if (sum > favored) {
        favored = sum;
        favorite = c;
      }
      if (sum < most || (c != own && !fits(v, static_cast<std::size_t>(c)))) return;
      const std::uint64_t tie = mix(salt ^ c);
      if (sum == most && tie <= best_tie) return;
      best = c;
      most = sum;
      best_tie = tie;
    });
    favorite_[v] = favorite;
    return best;
  }

  void join_over_two_hops() {
    std::vector<Word> waiting(g_.num_nodes(), none);
    std::vector<Word> order;
    list_few_first(g_, 0, g_.num_nodes(), seed_, order);
    for (const Word node : order) {
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
  std::size_t chunk_size_;
  std::uint64_t seed_;
  executor_ref threads_;
  std::vector<Word> label_, favorite_;  // [n]
  std::vector<Word> members_;           // [n] nodes of the cluster that is named so
  load_array held_{};                   // [n x rows] loads of that cluster, or empty: members
  std::size_t clusters_;
};

/// The graph whose nodes are the clusters of g, with packed entries.
/// @param label      [n] the cluster of each node, named by a node
/// @param coarse_of  [n] out: the coarser graph's node of each node
/// @complexity O(n + m) time; memory of three words for each node besides the result
template <class Word>
weighted_graph<Word> contract_packed(const weighted_graph<Word>& g, std::span<const Word> label,
                                     executor_ref threads, std::vector<Word>& coarse_of) {
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
  // Members of cluster c lie from first[c] to first[c + 1], once each has been placed.
  std::vector<Word> first(coarse_nodes + 2), members = std::move(number);
  for (std::size_t v = 0; v < nodes; ++v) ++first[index(coarse_of[v]) + 2];
  for (std::size_t c = 0; c <= coarse_nodes; ++c)
    first[c + 1] = static_cast<Word>(first[c + 1] + first[c]);
  weighted_graph<Word> coarser;
  coarser.rows = rows;
  coarser.loads.assign(coarse_nodes * rows, g.loads_are_narrow());
  // Until they are summed, the entries of each row's members.
  coarser.offsets.assign(coarse_nodes + 1, Word{0});
  for (std::size_t v = 0; v < nodes; ++v) {
    const std::size_t c = index(coarse_of[v]);
    members[index(first[c + 1]++)] = static_cast<Word>(v);
    coarser.offsets[c + 1] += static_cast<Word>(g.degree(v));
  }
  // Rows of about as many entries.
  constexpr std::size_t slice = std::size_t{1} << 14;
  std::vector<std::size_t> slices(1);
  for (std::size_t c = 0, entries = 0; c < coarse_nodes; ++c) {
    entries += index(coarser.offsets[c + 1]);
    if (entries < slice) continue;
    slices.push_back(c + 1);
    entries = 0;
  }
  if (slices.back() != coarse_nodes) slices.push_back(coarse_nodes);
  std::vector<packed_rows<Word>> packed(slices.size() - 1);
  const auto target_bits = static_cast<unsigned>(std::bit_width(coarse_nodes));
  threads.parallel_for(0, packed.size(), 1, [&](std::size_t from, std::size_t to) {
    cluster_sums<Word> sums;
    std::vector<Word> targets, weights;
    for (std::size_t s = from; s < to; ++s) {
      targets.clear();
      weights.clear();
      for (std::size_t c = slices[s]; c < slices[s + 1]; ++c) {
        sums.start(std::min(index(coarser.offsets[c + 1]), coarse_nodes), coarse_nodes);
        for (std::size_t i = index(first[c]); i < first[c + 1]; ++i) {
          const std::size_t v = index(members[i]);
          for (std::size_t r = 0; r < rows; ++r) coarser.loads.add(c * rows + r, g.load(v, r));
          g.visit(v, [&](std::size_t u, std::int64_t w) {
            if (const Word d = coarse_of[u]; d != c) sums.add(d, w);
          });
        }
        if (targets.capacity() < targets.size() + sums.size()) {
          // Rows of a slice have about so many entries, or one of them has more.
          const std::size_t room = std::max(std::min(slice, g.num_entries()),
                                            targets.size() + sums.size());
          targets.reserve(room);
          weights.reserve(room);
        }
        sums.visit([&](Word d, std::int64_t sum) {
          targets.push_back(d);
          weights.push_back(static_cast<Word>(sum));
        });
        coarser.offsets[c + 1] = static_cast<Word>(sums.size());
      }
      packed[s] = packed_rows<Word>(targets, weights, target_bits);
    }
  });
  for (std::size_t c = 0; c < coarse_nodes; ++c)
    coarser.offsets[c + 1] = static_cast<Word>(coarser.offsets[c + 1] + coarser.offsets[c]);
  coarser.packed = packed_entries<Word>(std::move(packed));
  return coarser;
}

/// The same with plain entries.
template <class Word>
weighted_graph<Word> contract_clusters(const weighted_graph<Word>& g, std::span<const Word> label,
                                       executor_ref threads, std::vector<Word>& coarse_of) {
  weighted_graph<Word> out = contract_packed(g, label, threads, coarse_of);
  out.unpack(threads, true);
  return out;
}

/// Entries that lead from a cluster to another: as many as the coarser graph has, or more.
/// @param label  [n] the cluster of each node
/// @complexity O(n + m) time
template <class Word>
std::uint64_t count_crossing(const weighted_graph<Word>& g, std::span<const Word> label,
                             executor_ref threads) {
  return static_cast<std::uint64_t>(sum_of_nodes(g.num_nodes(), threads, [&](std::size_t v) {
    std::int64_t crossing = 0;
    g.visit(v, [&](std::size_t u, std::int64_t) { crossing += label[u] != label[v] ? 1 : 0; });
    return crossing;
  }));
}

/// Communities: groups of nodes with more weight inside than the degrees explain (modularity).
/// @param coming  null, or told of each coarser graph how many entries it will have at most, before
/// it is made
/// @return [n] the community of each node
/// @complexity O(n + m) time for each round of each level
/// @source Blondel, Guillaume, Lambiotte & Lefebvre, "Fast unfolding of communities in large
///     networks", J. Stat. Mech. P10008, 2008; before coarsening: Heuer & Schlag, "Improving
///     coarsening schemes for hypergraph partitioning by exploiting community structure", SEA 2017
template <class Word>
std::vector<Word> find_communities(const weighted_graph<Word>& finest, unsigned rounds,
                                   std::uint64_t seed, executor_ref threads,
                                   const function_ref<void(std::uint64_t)>* coming) {
  std::vector<Word> out(finest.num_nodes());
  std::iota(out.begin(), out.end(), Word{0});
  std::vector<std::uint64_t> volume(finest.num_nodes());  // weighted degree, loops included
  std::uint64_t total = 0;
  for (std::size_t v = 0; v < finest.num_nodes(); ++v) {
    volume[v] = static_cast<std::uint64_t>(finest.weighted_degree(v));
    total += volume[v];
  }
  if (total == 0) return out;
  const bool one_load = finest.rows == 1;             // with several loads, fewer rounds cost cut
  const unsigned digits = total >> 48 == 0 ? 10 : 0;  // after the point, of what is expected
  weighted_graph<Word> held;
  const weighted_graph<Word>* g = &finest;
  for (std::uint64_t level = 0; level < 10; ++level) {
    const std::size_t nodes = g->num_nodes();
    std::vector<Word> label(nodes);
    std::iota(label.begin(), label.end(), Word{0});
    chunked_visits<Word> visits(*g, label, one_load ? small_chunk : large_chunk, threads);
    std::vector<std::uint64_t> volumes = volume;
    bool any = false;
    for (unsigned round = 0; round < rounds; ++round) {
      const std::uint64_t salt = keyed(seed, (level << 8) + round);
      const auto wish = [&](std::size_t v, typename chunked_visits<Word>::chunk near,
                            cluster_sums<Word>& sums) {
        sums.start(g->degree(v), g->num_nodes());
        g->visit(v, [&](std::size_t u, std::int64_t w) { sums.add(visits.seen(u, near), w); });
        const Word own = label[v];
        const auto expected = [&](std::uint64_t others) {
          return static_cast<std::int64_t>(multiply_divide(volume[v] << digits, others, total));
        };
        Word to = own;
        std::int64_t most = (sums.of(own) << digits) - expected(volumes[index(own)] - volume[v]);
        std::uint64_t tie = 0;
        sums.visit([&](Word c, std::int64_t sum) {
          if (c == own) return;
          const std::int64_t gain = (sum << digits) - expected(volumes[index(c)]);
          if (gain < most || (gain == most && to == own)) return;
          const std::uint64_t draw = keyed(salt, (std::uint64_t{v} << 20) ^ c);
          if (gain == most && draw <= tie) return;
          most = gain;
          to = c;
          tie = draw;
        });
        return to;
      };
      const std::size_t moved = visits.visit(salt, wish, [&](std::size_t v, Word to) {
        volumes[index(label[v])] -= volume[v];
        volumes[index(to)] += volume[v];
        label[v] = to;
        return true;
      });
      any = any || moved != 0;
      if (moved < nodes / (one_load ? 16 : 100)) break;
    }
    if (!any) break;
    if (coming != nullptr) (*coming)(count_crossing(*g, std::span<const Word>(label), threads));
    std::vector<Word> coarse_of;
    weighted_graph<Word> coarser = contract_packed(*g, std::span<const Word>(label), threads,
                                                   coarse_of);
    if (!finest.is_compressed()) coarser.unpack(threads, true);
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
