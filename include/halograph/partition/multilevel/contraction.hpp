// SPDX-License-Identifier: BSL-1.0
/// @file contraction.hpp
/// Make the clusters of a graph the nodes of a coarser one, and take owners back to the finer one.
/// Layer: partition (allocates; no exceptions of its own). Words: README.md.
#pragma once

#include <halograph/core/communicator.hpp>
#include <halograph/core/offsets.hpp>
#include <halograph/core/status.hpp>
#include <halograph/partition/distributed/remote_values.hpp>
#include <halograph/partition/multilevel/level_graph.hpp>
#include <halograph/partition/multilevel/row_steps.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace halograph::detail {

/// Offsets of shares of which each rank knows its own size. Collective.
template <communicator C>
status gather_ranges(const multilevel_problem<C>& problem, std::uint64_t mine,
                     std::vector<std::uint64_t>& ranges) {
  std::vector<std::uint64_t> all;
  const std::array<std::uint64_t, 1> size{mine};
  if (const status answer = gather_words(problem.ranks, std::span<const std::uint64_t>(size), all);
      !answer)
    return answer;
  ranges = offsets_of(all);
  return status::ok;
}

/// Number the clusters in the order of their leaders' IDs; the rank of the leader holds the new
/// node. Collective.
/// @param label  [n] the leader of each node
/// @param g      out: coarse_of   @param out  out: ranges
template <communicator C>
status number_clusters(const multilevel_problem<C>& problem, level_graph& g,
                       std::span<const std::uint64_t> label, level_graph& out) {
  const std::size_t nodes = g.num_nodes();
  const std::uint64_t first = g.ranges[problem.rank], last = g.ranges[problem.rank + 1];
  std::vector<std::uint64_t> number(nodes), fetched;
  std::uint64_t leaders = 0;
  for (std::size_t v = 0; v < nodes; ++v) {
    number[v] = leaders;
    leaders += label[v] == first + v ? 1u : 0u;
  }
  if (const status answer = gather_ranges(problem, leaders, out.ranges); !answer) return answer;
  for (auto& n : number) n += out.ranges[problem.rank];
  remote_values numbers;
  if (const status answer = numbers.make(problem.ranks, g.ranges, remote_nodes(label, first, last));
      !answer)
    return answer;
  const auto number_of = [&](std::size_t v) { return number[v]; };
  if (const status answer = numbers.fetch(problem.ranks, number_of, fetched); !answer)
    return answer;
  g.coarse_of.resize(nodes);
  for (std::size_t v = 0; v < nodes; ++v)
    g.coarse_of[v] = numbers.value_of(label[v], number_of, fetched);
  return status::ok;
}

/// Replace the IDs of targets by positions. Collective.
template <communicator C>
status localize_targets(const multilevel_problem<C>& problem, level_graph& g) {
  const std::uint64_t first = g.ranges[problem.rank], last = g.ranges[problem.rank + 1],
                      nodes = last - first;
  if (const status answer = g.remote.make(problem.ranks, g.ranges,
                                          remote_nodes(g.targets, first, last));
      !answer)
    return answer;
  for (std::size_t i = 0; i < g.targets.size(); ++i) {
    const std::uint64_t u = g.targets[i];
    g.targets.set(i, u >= first && u < last ? u - first : nodes + g.remote.position_of(u));
  }
  return status::ok;
}

/// The graph of clusters: loads and weights of pairs add up, pairs within a cluster are left out.
/// Collective.
/// @param g      out: coarse_of
/// @param label  [n] the leader of each node's cluster, a node of the same cluster
template <communicator C>
status contract(const multilevel_problem<C>& problem, level_graph& g,
                std::span<const std::uint64_t> label, level_graph& out) {
  const std::size_t nodes = g.num_nodes(), rows = problem.rows;
  if (const status answer = number_clusters(problem, g, label, out); !answer) return answer;
  const std::uint64_t coarse_first = out.ranges[problem.rank],
                      coarse_last = out.ranges[problem.rank + 1];
  std::vector<std::uint64_t> remote_coarse;
  if (const status answer = g.remote.fetch(
          problem.ranks, [&](std::size_t v) { return g.coarse_of[v]; }, remote_coarse);
      !answer)
    return answer;

  // Rows go to their ranks as records: node, entries, loads, then (neighbor, weight) each.
  std::vector<std::size_t> order(nodes);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tie(g.coarse_of[a], a) < std::tie(g.coarse_of[b], b);
  });
  std::vector<std::uint64_t> words, counts(problem.size);
  key_sums sums;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> row;
  const auto append_row = [&] {
    row.clear();
    sums.take([&](std::uint64_t other, std::uint64_t w) { row.emplace_back(other, w); });
    std::sort(row.begin(), row.end());
    for (const auto& [other, w] : row) {
      out.targets.push_back(other);
      out.weights.push_back(w);
    }
    out.offsets.push_back(out.targets.size());
  };
  // One rank sends nothing: its rows are final, and they come in order. Reserved memory is not
  // touched before it is used.
  const bool alone = problem.size == 1;
  const std::size_t coarse_loads = static_cast<std::size_t>(coarse_last - coarse_first) * rows;
  if (alone) {
    out.loads.assign(coarse_loads, 0);
    out.targets.reserve(g.targets.size());
    out.weights.reserve(g.targets.size());
  } else {
    words.reserve(2 * g.targets.size() + (2 + rows) * nodes);
  }
  std::size_t to = 0;
  for (std::size_t i = 0; i < nodes;) {
    const std::uint64_t coarse = g.coarse_of[order[i]];
    std::size_t end = i, entries = 0;
    for (; end < nodes && g.coarse_of[order[end]] == coarse; ++end) entries += g.degree(order[end]);
    sums.reserve(entries);
    const std::size_t begin = words.size();
    if (!alone) words.resize(begin + 2 + rows);
    std::uint64_t* const loads = alone ? out.loads.data() +
                                             static_cast<std::size_t>(coarse - coarse_first) * rows
                                       : words.data() + begin + 2;
    for (; i < end; ++i) {
      const std::size_t v = order[i];
      for (std::size_t r = 0; r < rows; ++r) loads[r] += g.loads[v * rows + r];
      g.visit(v, [&](std::size_t u, std::uint64_t w) {
        const std::uint64_t other = u < nodes ? g.coarse_of[u] : remote_coarse[u - nodes];
        if (other != coarse) sums.add(other, w);
      });
    }
    if (alone) {
      append_row();
      continue;
    }
    words[begin] = coarse;
    words[begin + 1] = sums.size();
    sums.take([&](std::uint64_t other, std::uint64_t w) { words.insert(words.end(), {other, w}); });
    while (coarse >= out.ranges[to + 1]) ++to;
    counts[to] += words.size() - begin;
  }
  if (alone) return localize_targets(problem, out);
  order = std::vector<std::size_t>();
  std::vector<std::uint64_t> in, in_counts;
  if (const status answer = exchange_words(problem.ranks, std::span<const std::uint64_t>(words),
                                           std::span<const std::uint64_t>(counts), in, in_counts);
      !answer)
    return answer;
  words = std::vector<std::uint64_t>();
  out.loads.assign(coarse_loads, 0);
  out.targets.reserve(in.size() / 2);
  out.weights.reserve(in.size() / 2);
  std::vector<std::pair<std::uint64_t, std::size_t>> records;  // node, place
  for (std::size_t at = 0; at < in.size();
       at += 2 + rows + 2 * static_cast<std::size_t>(in[at + 1]))
    records.emplace_back(in[at], at);
  std::sort(records.begin(), records.end());
  for (std::size_t i = 0; i < records.size();) {
    const std::uint64_t coarse = records[i].first;
    const auto place = static_cast<std::size_t>(coarse - coarse_first);
    std::size_t end = i, entries = 0;
    for (; end < records.size() && records[end].first == coarse; ++end)
      entries += static_cast<std::size_t>(in[records[end].second + 1]);
    sums.reserve(entries);
    for (; i < end; ++i) {
      const std::uint64_t* one = in.data() + records[i].second;
      for (std::size_t r = 0; r < rows; ++r) out.loads[place * rows + r] += one[2 + r];
      for (std::size_t e = 0; e < one[1]; ++e)
        sums.add(one[2 + rows + 2 * e], one[3 + rows + 2 * e]);
    }
    append_row();
  }
  in = std::vector<std::uint64_t>();
  return localize_targets(problem, out);
}

/// Give each node the owner of its cluster. Collective.
/// @param coarse  owners of this rank's nodes of the coarser graph
template <communicator C>
status project(const multilevel_problem<C>& problem, const level_graph& fine,
               std::span<const std::uint64_t> coarse, std::vector<std::uint64_t>& owner) {
  std::vector<std::uint64_t> ranges, fetched;
  if (const status answer = gather_ranges(problem, coarse.size(), ranges); !answer) return answer;
  remote_values owners;
  if (const status answer = owners.make(
          problem.ranks, ranges,
          remote_nodes(fine.coarse_of, ranges[problem.rank], ranges[problem.rank + 1]));
      !answer)
    return answer;
  const auto owner_of = [&](std::size_t v) { return coarse[v]; };
  if (const status answer = owners.fetch(problem.ranks, owner_of, fetched); !answer) return answer;
  owner.resize(fine.num_nodes());
  for (std::size_t v = 0; v < owner.size(); ++v)
    owner[v] = owners.value_of(fine.coarse_of[v], owner_of, fetched);
  return status::ok;
}

}  // namespace halograph::detail
