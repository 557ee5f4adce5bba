// SPDX-License-Identifier: BSL-1.0
/// @file fixed_nodes.hpp
/// Nodes that must stay in a part, as one node for each part; and no part without nodes.
/// Layer: partition (allocates; no exceptions of its own). Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/partition/multilevel/weighted_graph.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace halograph::detail {

/// Has any part more than one fixed node? @complexity O(n)
template <class Word>
bool shares_fixed_parts(const weighted_graph<Word>& g) {
  std::vector<std::uint8_t> seen;
  for (const std::uint32_t p : g.fixed) {
    if (p == no_part) continue;
    if (p >= seen.size()) seen.resize(std::size_t{p} + 1);
    if (seen[p] != 0) return true;
    seen[p] = 1;
  }
  return false;
}

/// The graph of the free nodes and of one node for each part that has fixed nodes. The free nodes
/// come first, in their order, then the others by part, without edges between them.
/// @param fixed      [n] the part that a node must stay in, or no_part
/// @param joined_of  [n] out: the result's node of each node
/// @complexity O(n + the neighbors of free nodes) time and memory, besides loads
/// @source Faraj & Schulz, "Buffered streaming graph partitioning", ACM JEA 27, 2022
template <class Word>
weighted_graph<Word> join_fixed_nodes(const weighted_graph<Word>& g,
                                      std::span<const std::uint32_t> fixed,
                                      std::vector<Word>& joined_of) {
  constexpr Word none = static_cast<Word>(~Word{0});
  const std::size_t nodes = g.num_nodes(), rows = g.rows;
  weighted_graph<Word> out;
  out.rows = rows;
  joined_of.resize(nodes);
  std::vector<Word> node_of;  // [K] the node of a part
  std::size_t free = 0;
  for (std::size_t v = 0; v < nodes; ++v) {
    if (fixed[v] == no_part) {
      joined_of[v] = static_cast<Word>(free++);
      continue;
    }
    if (fixed[v] >= node_of.size()) node_of.resize(std::size_t{fixed[v]} + 1, none);
    node_of[fixed[v]] = 0;
  }
  out.fixed.assign(free, no_part);
  for (std::size_t p = 0; p < node_of.size(); ++p) {
    if (node_of[p] == none) continue;
    node_of[p] = static_cast<Word>(out.fixed.size());
    out.fixed.push_back(static_cast<std::uint32_t>(p));
  }
  const std::size_t all = out.fixed.size();
  out.loads.assign(all * rows, g.loads_are_narrow());
  for (std::size_t v = 0; v < nodes; ++v) {
    if (fixed[v] != no_part) joined_of[v] = node_of[fixed[v]];
    for (std::size_t r = 0; r < rows; ++r)
      out.loads.add(index(joined_of[v]) * rows + r, g.load(v, r));
  }
  std::vector<Word> place(all - free, none);  // of a joined node in the row that is being written
  std::vector<Word> degree(all - free);
  out.offsets.reserve(all + 1);
  for (std::size_t v = 0; v < nodes; ++v) {
    if (fixed[v] != no_part) continue;
    const std::size_t begin = out.targets.size();
    g.visit(v, [&](std::size_t u, std::int64_t w) {
      if (fixed[u] != no_part) {
        Word& at = place[index(joined_of[u]) - free];
        if (at != none && at >= begin) {
          out.weights[index(at)] = static_cast<Word>(out.weights[index(at)] + static_cast<Word>(w));
          return;
        }
        at = static_cast<Word>(out.targets.size());
        ++degree[index(joined_of[u]) - free];
      }
      out.targets.push_back(joined_of[u]);
      out.weights.push_back(static_cast<Word>(w));
    });
    out.offsets.push_back(static_cast<Word>(out.targets.size()));
  }
  std::vector<Word> next(degree.size());
  for (std::size_t i = 0; i < degree.size(); ++i) {
    next[i] = out.offsets.back();
    out.offsets.push_back(static_cast<Word>(out.offsets.back() + degree[i]));
  }
  out.targets.resize(index(out.offsets.back()));
  out.weights.resize(out.targets.size());
  for (std::size_t v = 0; v < free; ++v) {
    for (std::size_t e = index(out.offsets[v]); e < out.offsets[v + 1]; ++e) {
      if (index(out.targets[e]) < free) continue;
      const std::size_t at = index(next[index(out.targets[e]) - free]++);
      out.targets[at] = static_cast<Word>(v);
      out.weights[at] = out.weights[e];
    }
  }
  return out;
}

/// Give each fixed node a region of its own, so that it is joined with no other.
/// @param regions  [n], or empty: all nodes are of one; in and out
template <class Word>
void keep_fixed_apart(const weighted_graph<Word>& g, std::vector<Word>& regions) {
  if (g.fixed.empty()) return;
  if (regions.empty()) regions.assign(g.num_nodes(), 0);
  Word region = static_cast<Word>(~Word{0});
  for (std::size_t v = 0; v < g.num_nodes(); ++v) {
    if (g.is_fixed(v)) regions[v] = region--;
  }
}

/// Fix the nodes of a coarser graph like those that they stand for.
template <class Word>
void carry_fixed(const weighted_graph<Word>& g, std::span<const Word> coarse_of,
                 weighted_graph<Word>& coarser) {
  if (g.fixed.empty()) return;
  coarser.fixed.assign(coarser.num_nodes(), no_part);
  for (std::size_t v = 0; v < g.num_nodes(); ++v) {
    if (g.is_fixed(v)) coarser.fixed[index(coarse_of[v])] = g.fixed[v];
  }
}

/// Is there a part without nodes? @complexity O(n + K), or until all parts have been seen
inline bool has_empty_part(std::span<const std::uint32_t> owner, std::uint32_t parts) {
  std::vector<bool> seen(parts);
  std::uint32_t left = parts;
  for (std::size_t v = 0; v < owner.size() && left != 0; ++v) {
    if (seen[owner[v]]) continue;
    seen[owner[v]] = true;
    --left;
  }
  return left != 0;
}

/// Give parts without nodes one each, from parts that have many, nodes of few neighbors first.
/// @param stays      [V] nodes with a part there are not taken, or empty: any may be
/// @param home, may  so many of the nodes that are in their part there, where there is one, are
/// taken
template <class Word>
void fill_empty_parts(std::span<const Word> degrees, std::uint32_t parts,
                      std::span<const std::uint32_t> stays, std::span<const std::uint32_t> home,
                      std::uint64_t may, std::span<std::uint32_t> owner) {
  std::vector<std::size_t> sizes(parts);
  for (const std::uint32_t p : owner) ++sizes[p];
  std::vector<std::uint32_t> empty;
  for (std::uint32_t p = 0; p < parts; ++p) {
    if (sizes[p] == 0) empty.push_back(p);
  }
  if (empty.empty()) return;
  std::vector<std::size_t> order(owner.size());
  for (std::size_t v = 0; v < order.size(); ++v) order[v] = v;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return degrees[a] != degrees[b] ? degrees[a] < degrees[b] : a < b;
  });
  for (const std::size_t least :
       {std::max<std::size_t>(1, owner.size() / parts / 2), std::size_t{1}}) {
    for (const std::size_t v : order) {
      if (empty.empty()) return;
      if (sizes[owner[v]] <= least || (!stays.empty() && stays[v] != no_part)) continue;
      if (!home.empty() && home[v] == owner[v] && may-- == 0) return;
      --sizes[owner[v]];
      owner[v] = empty.back();
      ++sizes[owner[v]];
      empty.pop_back();
    }
  }
}

/// Give each node its part in `stays`, and each other node a part that has none, as long as there
/// are such.
inline void spread_nodes(std::span<const std::uint32_t> stays, std::uint32_t parts,
                         std::span<std::uint32_t> owner) {
  std::vector<std::uint32_t> taken;
  for (std::size_t v = 0; v < stays.size(); ++v) {
    if (stays[v] != no_part) taken.push_back(stays[v]);
  }
  std::sort(taken.begin(), taken.end());
  std::uint32_t next = 0;
  for (std::size_t v = 0; v < owner.size(); ++v) {
    if (!stays.empty() && stays[v] != no_part) {
      owner[v] = stays[v];
      continue;
    }
    while (std::binary_search(taken.begin(), taken.end(), next)) ++next;
    owner[v] = next < parts ? next++ : 0;
  }
}

}  // namespace halograph::detail
