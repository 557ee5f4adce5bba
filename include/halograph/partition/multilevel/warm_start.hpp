// SPDX-License-Identifier: BSL-1.0
/// @file warm_start.hpp
/// Improve an assignment that exists without moving more nodes than is allowed.
/// Layer: partition (allocates; no exceptions of its own). Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/partition/multilevel/initial/gain_queue.hpp>
#include <halograph/partition/multilevel/part_moves.hpp>
#include <halograph/partition/multilevel/weighted_graph.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace halograph::detail {

/// Nodes that are not in the part that they had. @param home  [n] that part, or no_part
inline std::uint64_t count_away(std::span<const std::uint32_t> part,
                                std::span<const std::uint32_t> home) {
  std::uint64_t count = 0;
  for (std::size_t v = 0; v < part.size(); ++v)
    count += home[v] != no_part && part[v] != home[v] ? 1u : 0u;
  return count;
}

/// Move nodes back to the parts that they had: all whose return cuts no more edges, and then those
/// that cost least, until at most `most` are away. Parts keep their limits except where more nodes
/// would be away otherwise.
/// @param home  [n] the part that a node had, or no_part
/// @complexity O(n + m log n)
template <class Word>
void send_home(part_moves<Word>& moves, std::span<const std::uint32_t> home, std::uint64_t most) {
  const weighted_graph<Word>& g = moves.graph();
  const auto gain_of = [&](std::size_t v) {
    const std::uint32_t own = moves.part(v), to = home[v];
    std::int64_t sum = 0;
    g.visit(v, [&](std::size_t u, std::int64_t w) {
      const std::uint32_t p = moves.part(u);
      sum += p == to ? w : p == own ? -w : 0;
    });
    return sum;
  };
  gain_queue away(g.num_nodes());
  std::uint64_t count = 0;
  for (std::size_t v = 0; v < g.num_nodes(); ++v) {
    if (home[v] == no_part || moves.part(v) == home[v] || moves.is_fixed(v)) continue;
    away.put(v, gain_of(v));
    ++count;
  }
  std::vector<std::size_t> waiting;  // for room
  bool room_or_not = false, any = false;
  constexpr unsigned passes = 16;
  for (unsigned pass = 0;;) {
    if (away.empty() || (count <= most && away.top_gain() < 0)) {
      if (waiting.empty() || (count <= most && (!any || pass >= passes))) break;
      room_or_not = !any || pass >= passes;
      for (const std::size_t v : waiting) away.put(v, gain_of(v));
      waiting.clear();
      any = false;
      ++pass;
      continue;
    }
    const std::size_t v = away.top();
    const std::uint32_t left = moves.part(v), to = home[v];
    away.pop();
    if (!(room_or_not && count > most) && !moves.fits(v, to)) {
      waiting.push_back(v);
      continue;
    }
    moves.move(v, to);
    --count;
    any = true;
    g.visit(v, [&](std::size_t u, std::int64_t w) {
      if (!away.has(u)) return;
      const std::uint32_t own = moves.part(u), there = home[u];
      std::int64_t gain = away.gain(u);
      if (there == to) gain += w;
      if (own == to) gain -= w;
      if (there == left) gain -= w;
      if (own == left) gain += w;
      away.put(u, gain);
    });
  }
}

/// Join nodes without neighbors to clusters, as far as caps and regions allow, so that graphs with
/// many of them become smaller, too.
/// @param caps     [rows] a cluster's limit of each load
/// @param regions  [n] nodes of different regions are not joined
/// @param label    [n] the cluster of each node, named by one of its nodes; in and out
template <class Word>
void join_isolated(const weighted_graph<Word>& g, std::span<const std::uint64_t> caps,
                   std::span<const Word> regions, std::span<Word> label) {
  const std::size_t rows = g.rows;
  std::vector<std::pair<Word, Word>> alone;  // (region, node)
  for (std::size_t v = 0; v < g.num_nodes(); ++v) {
    if (g.degree(v) == 0 && !g.is_fixed(v)) alone.emplace_back(regions[v], static_cast<Word>(v));
  }
  std::sort(alone.begin(), alone.end());
  std::vector<std::uint64_t> held(rows);
  for (std::size_t i = 0, first = 0; i < alone.size(); ++i) {
    const auto v = index(alone[i].second);
    bool fits = i != first && alone[i].first == alone[first].first;
    for (std::size_t r = 0; r < rows; ++r)
      fits = fits && held[r] <= caps[r] && g.load(v, r) <= caps[r] - held[r];
    if (!fits) {
      first = i;
      held.assign(rows, 0);
    }
    for (std::size_t r = 0; r < rows; ++r) held[r] += g.load(v, r);
    label[v] = alone[first].second;
  }
}

}  // namespace halograph::detail
