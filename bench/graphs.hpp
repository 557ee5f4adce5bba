// SPDX-License-Identifier: BSL-1.0
/// @file graphs.hpp
/// Graphs to measure with, as columns of 32-bit IDs in memory.
/// Part of the benchmarks, not of the library.
#pragma once

#include "yardsticks.hpp"

#include <halograph/core/error.hpp>
#include <halograph/graph/coo.hpp>
#include <halograph/graph/generators.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace halograph::bench {

using narrow_id = std::uint32_t;

/// Columns of edges. If a file has types, they are laid end to end: one graph with global IDs.
struct edge_graph {
  std::string name{};
  std::size_t nodes = 0;
  std::vector<narrow_id> source{};
  std::vector<narrow_id> target{};

  std::size_t edges() const noexcept { return source.size(); }
  coo_view<narrow_id, narrow_id> view() const noexcept { return {nodes, source, target}; }
};

/// R-MAT of 2^scale nodes and 2^scale x degree edges.
inline edge_graph make_rmat(std::uint32_t scale, std::uint64_t degree, std::size_t threads) {
  const generators::rmat g{.scale = scale, .edge_factor = degree, .seed = 1};
  edge_graph out{"rmat " + std::to_string(scale), static_cast<std::size_t>(g.num_nodes()), {}, {}};
  const auto edges = static_cast<std::size_t>(g.num_edges());
  out.source.resize(edges);
  out.target.resize(edges);
  const std::size_t share = (edges + threads - 1) / threads;
  on_threads(threads, [&](std::size_t t) {
    const std::size_t first = std::min(edges, t * share), count = std::min(share, edges - first);
    check(generators::fill(g, first, std::span(out.source).subspan(first, count),
                           std::span(out.target).subspan(first, count)),
          "the generator cannot make these edges");
  });
  return out;
}

}  // namespace halograph::bench
