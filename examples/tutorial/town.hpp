// SPDX-License-Identifier: BSL-1.0
/// @file town.hpp
/// The graph type of chapters 1 to 5: a town as an engine of its own might store it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace town {

/// Crossings in a rectangle; neighbors are linked both ways.
struct graph {
  using node_id = std::uint32_t;
  using edge_id = std::uint32_t;
  struct street {
    std::uint32_t from, number;
  };
  std::uint32_t columns = 0, rows = 0;
  std::vector<std::vector<street>> into{};  // by crossing
};

// A graph is a type with these two functions.
inline std::size_t num_nodes(const graph& g) { return g.into.size(); }
void for_each_in_edge(const graph& g, std::uint32_t v, auto f) {
  for (const auto& street : g.into[v]) f(street.from, street.number);
}

inline graph build(std::uint32_t columns, std::uint32_t rows) {
  graph g{columns, rows, std::vector<std::vector<graph::street>>(columns * rows)};
  std::uint32_t number = 0;
  const auto link = [&](std::uint32_t a, std::uint32_t b) {
    g.into[b].push_back({a, number++});
    g.into[a].push_back({b, number++});
  };
  for (std::uint32_t v = 0; v < columns * rows; ++v) {
    if (v % columns + 1 < columns) link(v, v + 1);
    if (v + columns < columns * rows) link(v, v + columns);
  }
  return g;
}

}  // namespace town
