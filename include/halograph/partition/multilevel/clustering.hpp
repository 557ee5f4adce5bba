// SPDX-License-Identifier: BSL-1.0
/// @file clustering.hpp
/// Group the nodes of a graph into clusters of limited weight: coarsening by label propagation.
/// Layer: partition (allocates; no exceptions of its own). Words: README.md.
#pragma once

#include <halograph/core/communicator.hpp>
#include <halograph/core/random.hpp>
#include <halograph/core/status.hpp>
#include <halograph/partition/distributed/remote_values.hpp>
#include <halograph/partition/fixed_point.hpp>
#include <halograph/partition/multilevel/level_graph.hpp>
#include <halograph/partition/multilevel/row_steps.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <tuple>
#include <vector>

namespace halograph::detail {

/// Labels each node with the ID of its cluster's leader. A leader that others have joined stays
/// one; every other node asks to join the cluster to which most of its weight goes, and the rank
/// that holds the leader accepts the heaviest requests first, as long as the cluster has room.
template <communicator C>
class clustering {
 public:
  /// @param level  number of this level, of which random numbers are drawn
  /// @param part   [n] if `in_parts`, else empty
  /// @param in_parts  nodes of different parts stay apart; the same on every rank
  clustering(const multilevel_problem<C>& problem, const level_graph& g, std::uint64_t level,
             std::span<const std::uint64_t> part, bool in_parts)
      : problem_(problem),
        g_(g),
        level_(level),
        part_(part),
        in_parts_(in_parts),
        first_(g.ranges[problem.rank]),
        label_(g.num_nodes()),
        remote_label_(g.remote.nodes().begin(), g.remote.nodes().end()),
        held_(g.loads),
        leads_(g.num_nodes()),
        asks_(g.num_nodes()),
        refused_(g.num_nodes(), no_leader) {
    std::iota(label_.begin(), label_.end(), first_);
    weights_.reserve(g.largest_degree());
  }

  /// Collective. @param label  [n] out: the ID of each node's leader
  status run(std::vector<std::uint64_t>& label) {
    if (const status answer = limit_clusters(); !answer) return answer;
    if (in_parts_) {
      if (const status answer = g_.remote.fetch(
              problem_.ranks, [&](std::size_t v) { return part_[v]; }, remote_part_);
          !answer)
        return answer;
    }
    for (std::uint64_t round = 0; round < 6; ++round) {
      std::array<std::uint64_t, 1> joined{};
      if (const status answer = join_round(round, joined[0]); !answer) return answer;
      if (const status answer = problem_.ranks.sum(joined); !answer) return answer;
      if ((round & 1) == 1 && joined[0] < g_.total_nodes() / 64) break;
    }
    if (const status answer = join_leftovers(); !answer) return answer;
    label = std::move(label_);
    return status::ok;
  }

 private:
  static constexpr std::uint64_t no_leader = ~std::uint64_t{0};

  /// Node `node` asks to join `leader`; ties by random number.
  struct request {
    std::uint64_t leader, weight, tie, node;
    bool operator<(const request& b) const {
      return std::tie(leader, b.weight, tie, node) < std::tie(b.leader, weight, b.tie, b.node);
    }
  };

  /// The limit of each load of a cluster: eight mean nodes, so that levels are not skipped, and at
  /// most a sixteenth of a part.
  status limit_clusters() {
    const std::size_t rows = problem_.rows;
    std::vector<std::uint64_t> loaded(rows);  // nodes with a load in each row
    for (std::size_t i = 0; i < g_.loads.size(); ++i)
      loaded[i % rows] += g_.loads[i] != 0 ? 1u : 0u;
    if (const status answer = problem_.ranks.sum(loaded); !answer) return answer;
    cap_.resize(rows);
    for (std::size_t r = 0; r < rows; ++r) {
      const std::uint64_t total = problem_.totals[r],
                          mean = loaded[r] == 0
                                     ? 0
                                     : total / loaded[r] + (total % loaded[r] != 0 ? 1 : 0);
      cap_[r] = std::max<std::uint64_t>(
          1, std::min(saturating_multiply(8, mean),
                      total / (16 * std::uint64_t{problem_.options.parts})));
    }
    return status::ok;
  }

  std::uint64_t part_of(std::size_t u) const {
    if (!in_parts_) return 0;
    return u < part_.size() ? part_[u] : remote_part_[u - part_.size()];
  }
  bool is_alone(std::size_t v) const { return label_[v] == first_ + v && !leads_[v]; }

  /// The leader in v's part to which most of v's weight goes, and that weight; no_leader where v
  /// has no neighbor in another cluster of its part.
  std::uint64_t favorite(std::size_t v, std::uint64_t salt, std::uint64_t& weight) {
    const std::size_t nodes = g_.num_nodes();
    const std::uint64_t part = part_of(v);
    g_.visit(v, [&](std::size_t u, std::uint64_t w) {
      if (part_of(u) == part) weights_.add(u < nodes ? label_[u] : remote_label_[u - nodes], w);
    });
    std::uint64_t best = no_leader, best_tie = 0, own = 0;
    weight = 0;
    weights_.take([&](std::uint64_t leader, std::uint64_t w) {
      if (leader == label_[v]) own = w;
      if (leader == label_[v] || leader == refused_[v] || w < weight) return;
      const std::uint64_t tie = keyed(salt, leader);
      if (w == weight && (tie < best_tie || (tie == best_tie && leader > best))) return;
      best = leader;
      best_tie = tie;
      weight = w;
    });
    return label_[v] == first_ + v || weight > own ? best : no_leader;
  }

  /// Half of the nodes ask; the others can be joined. @return requests in ascending order
  std::vector<request> make_requests(std::uint64_t round) {
    const std::uint64_t seed = keyed(problem_.options.seed, level_), salt = keyed(seed, round),
                        half_salt = keyed(seed, 64 + round / 2);
    std::vector<request> requests;
    std::fill(asks_.begin(), asks_.end(), false);
    for (std::size_t v = 0; v < g_.num_nodes(); ++v) {
      if (leads_[v] || g_.degree(v) == 0 || (keyed(half_salt, first_ + v) & 1) != (round & 1))
        continue;
      std::uint64_t weight = 0;
      const std::uint64_t leader = favorite(v, mix(salt ^ (first_ + v)), weight);
      if (leader == no_leader) continue;
      asks_[v] = true;
      requests.push_back({leader, weight, keyed(salt, first_ + v), first_ + v});
    }
    std::sort(requests.begin(), requests.end());
    return requests;
  }

  void append_loads(std::vector<std::uint64_t>& out, std::size_t v) const {
    const auto loads = g_.loads.begin() + static_cast<std::ptrdiff_t>(v * problem_.rows);
    out.insert(out.end(), loads, loads + static_cast<std::ptrdiff_t>(problem_.rows));
  }

  /// @param joined  out: nodes that joined a leader of this rank
  status join_round(std::uint64_t round, std::uint64_t& joined) {
    const std::size_t rows = problem_.rows, width = 4 + rows;  // words of a record
    const std::vector<request> requests = make_requests(round);
    // The leader refuses the first request that does not fit and all that follow. Those that follow
    // one which does not even fit with requests of this rank alone are not sent.
    std::vector<std::uint64_t> out, counts(problem_.size), sum(rows);
    std::vector<std::size_t> sent;
    std::size_t to = 0;
    bool full = false;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const request& one = requests[i];
      if (i == 0 || one.leader != requests[i - 1].leader) {
        std::fill(sum.begin(), sum.end(), std::uint64_t{0});
        full = false;
      }
      const auto v = static_cast<std::size_t>(one.node - first_);
      if (full) {
        refused_[v] = one.leader;
        continue;
      }
      for (std::size_t r = 0; r < rows; ++r) {
        sum[r] += g_.loads[v * rows + r];
        full = full || sum[r] > cap_[r];
      }
      while (one.leader >= g_.ranges[to + 1]) ++to;
      ++counts[to];
      sent.push_back(v);
      out.insert(out.end(), {one.leader, one.weight, one.tie, one.node});
      append_loads(out, v);
    }
    std::vector<std::uint64_t> accepted;
    const auto accept = [&](std::span<const std::uint64_t> in, std::span<std::uint64_t> replies) {
      joined = accept_requests(in, replies);
    };
    if (const status answer = ask(width, out, counts, accept, accepted); !answer) return answer;
    std::vector<std::size_t> leavers;  // of other clusters
    for (std::size_t i = 0; i < sent.size(); ++i) {
      const std::size_t v = sent[i];
      if (accepted[i] == 0)
        refused_[v] = out[i * width];
      else if (label_[v] != first_ + v)
        leavers.push_back(v);
    }
    if (const status answer = leave(leavers); !answer) return answer;
    for (std::size_t i = 0; i < sent.size(); ++i) {
      if (accepted[i] != 0) label_[sent[i]] = out[i * width];
    }
    return g_.remote.fetch(problem_.ranks, [&](std::size_t v) { return label_[v]; }, remote_label_);
  }

  /// Take nodes out of the clusters that they are in. Collective.
  status leave(std::vector<std::size_t>& nodes) {
    const std::size_t rows = problem_.rows;
    std::sort(nodes.begin(), nodes.end(), [&](std::size_t a, std::size_t b) {
      return std::tie(label_[a], a) < std::tie(label_[b], b);
    });
    std::vector<std::uint64_t> out, counts(problem_.size), in, in_counts;
    std::size_t to = 0;
    for (const std::size_t v : nodes) {
      while (label_[v] >= g_.ranges[to + 1]) ++to;
      counts[to] += 1 + rows;
      out.push_back(label_[v]);
      append_loads(out, v);
    }
    if (const status answer = exchange_words(problem_.ranks, std::span<const std::uint64_t>(out),
                                             std::span<const std::uint64_t>(counts), in, in_counts);
        !answer)
      return answer;
    for (std::size_t at = 0; at < in.size(); at += 1 + rows) {
      const auto leader = static_cast<std::size_t>(in[at] - first_);
      for (std::size_t r = 0; r < rows; ++r) held_[leader * rows + r] -= in[at + 1 + r];
    }
    return status::ok;
  }

  /// Accept requests for the leaders of this rank, in ascending order, until one does not fit.
  /// @param replies  out: 1 where accepted  @return how many
  std::uint64_t accept_requests(std::span<const std::uint64_t> in,
                                std::span<std::uint64_t> replies) {
    const std::size_t rows = problem_.rows, width = 4 + rows;
    std::vector<std::size_t> order(replies.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto request_at = [&](std::size_t i) {
      return request{in[i * width], in[i * width + 1], in[i * width + 2], in[i * width + 3]};
    };
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return request_at(a) < request_at(b); });
    std::uint64_t accepted = 0;
    bool full = false;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::uint64_t* one = in.data() + order[i] * width;
      const auto leader = static_cast<std::size_t>(one[0] - first_);
      if (i == 0 || one[0] != in[order[i - 1] * width]) full = asks_[leader];
      for (std::size_t r = 0; r < rows && !full; ++r) {
        const std::uint64_t held = held_[leader * rows + r];
        full = one[4 + r] != 0 && (held > cap_[r] || one[4 + r] > cap_[r] - held);
      }
      if (full) continue;
      for (std::size_t r = 0; r < rows; ++r) held_[leader * rows + r] += one[4 + r];
      leads_[leader] = true;
      replies[order[i]] = 1;
      ++accepted;
    }
    return accepted;
  }

  /// Nodes that are still alone join others near them in the numbering that are tied to the same
  /// cluster, or to nothing.
  status join_leftovers() {
    std::array<std::uint64_t, 2> alone{};  // of the nodes with neighbors: clusters, nodes
    for (std::size_t v = 0; v < g_.num_nodes(); ++v) {
      if (g_.degree(v) == 0) continue;
      ++alone[1];
      alone[0] += label_[v] == first_ + v ? 1u : 0u;
    }
    if (const status answer = problem_.ranks.sum(alone); !answer) return answer;
    const bool stalls = alone[0] > alone[1] - alone[1] / 3;
    const std::size_t width = 2 + problem_.rows;
    std::vector<std::uint64_t> out, counts(problem_.size), leaders;
    std::vector<std::size_t> sent;
    std::size_t to = 0;
    for (std::size_t v = 0; v < g_.num_nodes(); ++v) {
      if (!is_alone(v) || (g_.degree(v) != 0 && !stalls)) continue;
      std::uint64_t weight = 0;
      std::uint64_t leader = g_.degree(v) == 0
                                 ? no_leader
                                 : favorite(v, keyed(problem_.options.seed, level_), weight);
      if (leader == no_leader) leader -= part_of(v);  // together with those of its part alone
      const std::uint64_t begin = (first_ + v) >> block << block;
      while (begin >= g_.ranges[to + 1]) ++to;
      ++counts[to];
      sent.push_back(v);
      out.insert(out.end(), {leader, first_ + v});
      append_loads(out, v);
    }
    const auto group = [this](std::span<const std::uint64_t> in, std::span<std::uint64_t> replies) {
      group_leftovers(in, replies);
    };
    if (const status answer = ask(width, out, counts, group, leaders); !answer) return answer;
    for (std::size_t i = 0; i < sent.size(); ++i) label_[sent[i]] = leaders[i];
    return status::ok;
  }

  /// Of the nodes of a block that are tied to the same cluster, the first becomes the leader of as
  /// many as have room. @param replies  out: the leader of each
  void group_leftovers(std::span<const std::uint64_t> in, std::span<std::uint64_t> replies) const {
    const std::size_t rows = problem_.rows, width = 2 + rows;
    std::vector<std::size_t> order(replies.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto key = [&](std::size_t i) {
      const std::uint64_t* one = in.data() + i * width;
      return std::tuple(one[1] >> block, one[0], one[1]);
    };
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
    std::vector<std::uint64_t> sum(rows);
    std::uint64_t leader = no_leader;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::uint64_t* one = in.data() + order[i] * width;
      const std::uint64_t* before = i == 0 ? nullptr : in.data() + order[i - 1] * width;
      bool joins = before != nullptr && before[0] == one[0] &&
                   before[1] >> block == one[1] >> block;
      for (std::size_t r = 0; r < rows; ++r)
        joins = joins && (one[2 + r] == 0 || (sum[r] <= cap_[r] && one[2 + r] <= cap_[r] - sum[r]));
      if (!joins) {
        leader = one[1];
        std::fill(sum.begin(), sum.end(), std::uint64_t{0});
      }
      for (std::size_t r = 0; r < rows; ++r) sum[r] += one[2 + r];
      replies[order[i]] = leader;
    }
  }

  /// Send records of `width` words to other ranks and get one word back for each. Collective.
  /// @param counts  [R] records for each rank
  /// @param serve   serve(records, replies) on the rank that got them
  /// @param out     out: the reply to each record sent
  template <class Serve>
  status ask(std::size_t width, std::span<const std::uint64_t> records,
             std::vector<std::uint64_t> counts, const Serve& serve,
             std::vector<std::uint64_t>& out) const {
    for (auto& count : counts) count *= width;
    std::vector<std::uint64_t> in, in_counts;
    if (const status answer = exchange_words(problem_.ranks, records,
                                             std::span<const std::uint64_t>(counts), in, in_counts);
        !answer)
      return answer;
    std::vector<std::uint64_t> replies(in.size() / width);
    serve(std::span<const std::uint64_t>(in), std::span(replies));
    for (auto& count : counts) count /= width;
    for (auto& count : in_counts) count /= width;
    out.resize(records.size() / width);
    return reply_words(problem_.ranks, std::span<const std::uint64_t>(replies),
                       std::span<const std::uint64_t>(in_counts), std::span(out),
                       std::span<const std::uint64_t>(counts));
  }

  static constexpr unsigned block = 10;  // bits of the IDs that are near each other

  const multilevel_problem<C>& problem_;
  const level_graph& g_;
  std::uint64_t level_;
  std::span<const std::uint64_t> part_;  // [n], or empty
  bool in_parts_;
  std::vector<std::uint64_t> remote_part_{};  // [remote nodes]
  std::uint64_t first_;
  std::vector<std::uint64_t> cap_{};         // [rows] a cluster's limit of each load
  std::vector<std::uint64_t> label_;         // [n]
  std::vector<std::uint64_t> remote_label_;  // [remote nodes]
  std::vector<std::uint64_t> held_;          // [n x rows] loads of the clusters that nodes lead
  std::vector<bool> leads_, asks_;           // [n] has others in its cluster; asks in this round
  std::vector<std::uint64_t> refused_;       // [n] the leader that last refused a node
  key_sums weights_{};
};

}  // namespace halograph::detail
