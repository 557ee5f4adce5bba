// SPDX-License-Identifier: BSL-1.0
// HALO expansion as the description of the format defines it, step by step, with sets.
#pragma once

#include <support/plain_graph.hpp>

#include <algorithm>
#include <cstddef>
#include <set>
#include <tuple>
#include <vector>

namespace plain {

struct expansion {
  std::vector<std::size_t> nodes{};  // inner ascending, then HALO in the order of discovery
  std::size_t inner_nodes = 0;
  std::multiset<std::size_t> inner_edges{}, other_edges{};
  std::vector<std::size_t> per_hop{};  // [hops] found by hop; the closing step with hop 1
  std::size_t left_out = 0;            // 0 hops: edges into the part from outside
};

inline expansion expand(const graph& g, const owners& owner, std::size_t part, std::size_t hops,
                        bool closing) {
  expansion out;
  std::set<std::size_t> seen;
  for (std::size_t v = 0; v < g.nodes; ++v) {
    if (owner[v] == part) out.nodes.push_back(v), seen.insert(v);
  }
  const std::set<std::size_t> inner(seen);
  out.inner_nodes = inner.size();
  out.per_hop.assign(hops, 0);
  const auto in_edges = [&](std::size_t v) {
    std::vector<std::size_t> row;
    for (std::size_t e = 0; e < g.edges.size(); ++e) {
      if (g.edges[e].second == v) row.push_back(e);
    }
    return row;
  };
  const auto find = [&](std::size_t v, std::size_t hop, std::vector<std::size_t>* layer) {
    if (!seen.insert(v).second) return;
    out.nodes.push_back(v);
    ++out.per_hop[hop - 1];
    if (layer) layer->push_back(v);
  };
  // 1. In-edges of the part.
  std::vector<std::size_t> layer;
  for (const auto v : inner) {
    for (const auto e : in_edges(v)) {
      const auto u = g.edges[e].first;
      if (inner.count(u) == 0 && hops == 0) {
        ++out.left_out;
        continue;
      }
      out.inner_edges.insert(e);
      if (hops > 0) find(u, 1, &layer);
    }
  }
  // 2. In-edges of the nodes found last, without those from inner nodes, which step 3 supplies.
  for (std::size_t hop = 2; hop <= hops; ++hop) {
    std::vector<std::size_t> next;
    for (const auto v : layer) {
      for (const auto e : in_edges(v)) {
        const auto u = g.edges[e].first;
        if (closing && inner.count(u) != 0) continue;
        out.other_edges.insert(e);
        find(u, hop, &next);
      }
    }
    layer = next;
  }
  // 3. Out-edges of the part, by (destination's global ID, edge); global IDs go by part, then
  // original ID.
  if (hops > 0 && closing) {
    for (const auto u : inner) {
      std::vector<std::tuple<std::size_t, std::size_t, std::size_t>> row;
      for (std::size_t e = 0; e < g.edges.size(); ++e) {
        const auto w = g.edges[e].second;
        if (g.edges[e].first == u && inner.count(w) == 0) row.emplace_back(owner[w], w, e);
      }
      std::sort(row.begin(), row.end());
      for (const auto& [p, w, e] : row) {
        out.other_edges.insert(e);
        find(w, 1, nullptr);
      }
    }
  }
  return out;
}

}  // namespace plain
