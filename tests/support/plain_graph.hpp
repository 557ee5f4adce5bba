// SPDX-License-Identifier: BSL-1.0
// Graphs as edge lists: all tiny ones, and any number of random ones.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/core/random.hpp>
#include <halograph/graph/coo.hpp>

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <span>
#include <utility>
#include <vector>

namespace plain {

struct graph {
  std::size_t nodes = 0;
  std::vector<std::pair<std::size_t, std::size_t>>
      edges{};  // source, target; the ID is the position
};
using owners = std::vector<halograph::part_id>;

inline std::ostream& operator<<(std::ostream& out, const graph& g) {
  out << g.nodes << " nodes,";
  for (const auto& [u, v] : g.edges) out << ' ' << u << "->" << v;
  return out;
}

// The same graph in columns of any width.
template <halograph::id Node, halograph::id Edge = Node>
struct columns {
  std::size_t nodes = 0;
  std::vector<Node> source{}, target{};

  explicit columns(const graph& g) : nodes(g.nodes) {
    for (const auto& [u, v] : g.edges) {
      source.push_back(static_cast<Node>(u));
      target.push_back(static_cast<Node>(v));
    }
  }
  halograph::coo_view<Node, Edge> view() const { return {nodes, source, target}; }
};

// Multi-edges, loops, hubs and isolated nodes all occur.
inline graph random_graph(halograph::random_stream& draw, std::size_t max_nodes = 12) {
  graph g{static_cast<std::size_t>(draw.below(max_nodes + 1)), {}};
  if (g.nodes == 0) return g;
  const auto busy = 1 + draw.below(g.nodes);  // the others are isolated
  const bool hub = draw.below(3) == 0;
  for (auto left = draw.below(3 * g.nodes + 1); left > 0; --left) {
    if (!g.edges.empty() && draw.below(5) == 0) {
      g.edges.push_back(g.edges[static_cast<std::size_t>(draw.below(g.edges.size()))]);
    } else {
      auto u = static_cast<std::size_t>(draw.below(busy)),
           v = static_cast<std::size_t>(draw.below(busy));
      if (hub && draw.below(2) == 0) (draw.below(2) == 0 ? u : v) = 0;
      g.edges.emplace_back(u, v);
    }
  }
  return g;
}

// Parts may be empty.
inline owners random_owners(halograph::random_stream& draw, std::size_t nodes, std::size_t parts) {
  owners owner(nodes);
  for (auto& part : owner) part = static_cast<halograph::part_id>(draw.below(parts));
  return owner;
}

// f(graph, owner) for each graph of up to 3 nodes in which an edge between two nodes occurs at most
// once (up to 2 nodes: at most twice), and each way to split the nodes into groups.
template <class F>
void for_all_tiny_graphs(F&& f) {
  static const std::vector<std::vector<owners>> groupings{
      {{}},
      {{0}},
      {{0, 0}, {0, 1}, {1, 0}},
      {{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {1, 0, 0}, {0, 1, 2}}};
  for (std::size_t nodes = 0; nodes <= 3; ++nodes) {
    const std::size_t pairs = nodes * nodes, copies = nodes == 3 ? 2 : 3;
    std::size_t all = 1;
    for (std::size_t i = 0; i < pairs; ++i) all *= copies;
    for (std::size_t code = 0; code < all; ++code) {
      graph g{nodes, {}};
      std::size_t rest = code;
      for (std::size_t i = 0; i < pairs; ++i, rest /= copies) {
        for (std::size_t k = rest % copies; k > 0; --k) g.edges.emplace_back(i / nodes, i % nodes);
      }
      for (const auto& owner : groupings[nodes]) f(std::as_const(g), owner);
    }
  }
}

}  // namespace plain
