// SPDX-License-Identifier: BSL-1.0
/// @file graph_drawing.ipp
/// Bodies of the plain functions of folder/graph_drawing.hpp.
/// Layer: folder. Words: README.md.
#pragma once

#include <halograph/core/random.hpp>
#include <halograph/folder/graph_drawing.hpp>
#include <halograph/partition/fixed_point.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace halograph::detail {

using drawn_edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// A position while forces move it; neighbors want to be `unit` apart.
struct moving_point {
  static constexpr std::int64_t unit = 1 << 10;
  /// No force moves a node farther, so that products fit.
  static constexpr std::int64_t limit = std::int64_t{1} << 21;

  std::int64_t x = 0, y = 0;
};

HALOGRAPH_INLINE std::int64_t length_of(std::int64_t x, std::int64_t y) {
  return static_cast<std::int64_t>(square_root(static_cast<std::uint64_t>(x * x + y * y)));
}

/// Each node with a neighbor, or a node left over with the pair of a neighbor.
/// @return [nodes] the coarse node of each, numbered by first member
HALOGRAPH_INLINE std::vector<std::uint32_t> match_neighbors(std::size_t nodes,
                                                            const drawn_edges& edges) {
  constexpr auto none = static_cast<std::uint32_t>(-1);
  std::vector<std::vector<std::uint32_t>> neighbors(nodes);
  for (const auto& [u, v] : edges) {
    neighbors[u].push_back(v);
    neighbors[v].push_back(u);
  }
  std::vector<std::uint32_t> coarse(nodes, none), size(nodes);
  const auto count = static_cast<std::uint32_t>(nodes);
  for (std::uint32_t v = 0; v < count; ++v) {
    if (coarse[v] != none) continue;
    std::uint32_t best = none;
    for (const auto u : neighbors[v]) {
      if (coarse[u] == none && u != v &&
          (best == none || neighbors[u].size() < neighbors[best].size()))
        best = u;
    }
    if (best == none) continue;
    coarse[v] = coarse[best] = v;
    size[v] = 2;
  }
  for (std::uint32_t v = 0; v < count; ++v) {
    if (coarse[v] != none) continue;
    coarse[v] = v;
    for (const auto u : neighbors[v]) {
      const auto pair = coarse[u];
      if (pair == none || pair == v || size[pair] >= 4) continue;
      coarse[v] = pair;
      ++size[pair];
      break;
    }
  }
  std::vector<std::uint32_t> number(nodes, none);
  std::uint32_t next = 0;
  for (auto& of : coarse) {
    if (number[of] == none) number[of] = next++;
    of = number[of];
  }
  return coarse;
}

/// Move nodes by forces: neighbors attract each other, all nodes repel each other, and the center
/// attracts them a little, so that components stay together.
HALOGRAPH_INLINE void move_nodes(std::vector<moving_point>& at, const drawn_edges& edges,
                                 std::int64_t rounds) {
  constexpr std::int64_t unit = moving_point::unit, limit = moving_point::limit;
  std::vector<moving_point> force(at.size());
  // Neighbors of hubs would be drawn into one heap.
  std::vector<std::int64_t> degree(at.size());
  for (const auto& [u, v] : edges) {
    ++degree[u];
    ++degree[v];
  }
  const std::int64_t radius = unit * static_cast<std::int64_t>(square_root(at.size()) + 1);
  for (std::int64_t round = 0; round < rounds; ++round) {
    for (std::size_t v = 0; v < at.size(); ++v) force[v] = {-at[v].x / 2, -at[v].y / 2};
    for (std::size_t u = 0; u < at.size(); ++u) {
      moving_point sum = force[u];
      for (std::size_t v = u + 1; v < at.size(); ++v) {
        const std::int64_t x = at[u].x - at[v].x, y = at[u].y - at[v].y;
        const std::int64_t weight = ((unit * unit) << 16) / (x * x + y * y + 1);
        const std::int64_t dx = (x * weight) >> 16, dy = (y * weight) >> 16;
        sum.x += dx;
        sum.y += dy;
        force[v].x -= dx;
        force[v].y -= dy;
      }
      force[u] = sum;
    }
    for (const auto& [u, v] : edges) {
      const std::int64_t x = at[v].x - at[u].x, y = at[v].y - at[u].y;
      const std::int64_t far = length_of(x, y);
      const std::int64_t least = std::min(degree[u], degree[v]);
      const std::int64_t dx = x * far / (unit * (1 + least / 8)),
                         dy = y * far / (unit * (1 + least / 8));
      force[u].x += dx;
      force[u].y += dy;
      force[v].x -= dx;
      force[v].y -= dy;
    }
    const std::int64_t step = std::max(unit / 16, radius / 8 * (rounds - round) / rounds);
    for (std::size_t v = 0; v < at.size(); ++v) {
      auto [x, y] = force[v];
      x = std::clamp(x, -limit * 64, limit * 64);
      y = std::clamp(y, -limit * 64, limit * 64);
      const std::int64_t far = length_of(x, y);
      if (far > step) {
        x = x * step / far;
        y = y * step / far;
      }
      at[v].x = std::clamp(at[v].x + x, -limit, limit);
      at[v].y = std::clamp(at[v].y + y, -limit, limit);
    }
  }
}

/// Positions of a graph, from those of a coarser one.
HALOGRAPH_INLINE std::vector<moving_point> positions_of(std::size_t nodes, const drawn_edges& edges,
                                                        std::uint64_t level) {
  constexpr std::size_t coarsest = 24;
  std::vector<moving_point> at(nodes);
  random_stream stream = random_stream::at(0x64726177, level);
  const auto drawn = [&](std::int64_t width) {
    return static_cast<std::int64_t>(stream.below(static_cast<std::uint64_t>(2 * width + 1))) -
           width;
  };
  if (nodes > coarsest) {
    const auto coarse = match_neighbors(nodes, edges);
    const std::size_t fewer = *std::max_element(coarse.begin(), coarse.end()) + std::size_t{1};
    if (fewer <= nodes - nodes / 20) {
      drawn_edges between;
      for (const auto& [u, v] : edges) {
        if (coarse[u] != coarse[v])
          between.emplace_back(std::min(coarse[u], coarse[v]), std::max(coarse[u], coarse[v]));
      }
      std::sort(between.begin(), between.end());
      between.erase(std::unique(between.begin(), between.end()), between.end());
      const auto from = positions_of(fewer, between, level + 1);
      // The area grows as the number of nodes.
      const auto wider = static_cast<std::int64_t>(square_root(nodes * 65536 / fewer));
      for (std::size_t v = 0; v < nodes; ++v) {
        at[v] = {from[coarse[v]].x * wider / 256 + drawn(moving_point::unit / 4),
                 from[coarse[v]].y * wider / 256 + drawn(moving_point::unit / 4)};
      }
      move_nodes(at, edges, nodes > 400 ? 30 : 60);
      return at;
    }
  }
  const std::int64_t width = moving_point::unit * static_cast<std::int64_t>(square_root(nodes) + 1);
  for (auto& one : at) {
    one.x = drawn(width);
    one.y = drawn(width);
  }
  move_nodes(at, edges, 150);
  return at;
}

}  // namespace halograph::detail

namespace halograph {

HALOGRAPH_INLINE void place_nodes(graph_drawing& drawing) {
  constexpr std::int64_t side = graph_drawing::side;
  constexpr auto alone = static_cast<std::uint32_t>(-1);
  // Those with edges, numbered without the others.
  std::vector<std::uint32_t> number(drawing.nodes.size(), alone);
  for (const auto& [u, v] : drawing.edges) number[u] = number[v] = 0;
  std::uint32_t connected = 0;
  for (auto& one : number) {
    if (one != alone) one = connected++;
  }
  detail::drawn_edges edges;
  for (const auto& [u, v] : drawing.edges) edges.emplace_back(number[u], number[v]);

  // The rows of the others take at most a quarter of the side.
  const auto rest = static_cast<std::int64_t>(drawing.nodes.size() - connected);
  std::int64_t in_row = 60;
  while (connected != 0 && (rest + in_row - 1) / in_row * 4 > in_row) in_row += 20;
  const std::int64_t rows = (rest + in_row - 1) / in_row, step = side / in_row;
  const std::int64_t height = connected == 0 ? 0 : side - (rows + (rows == 0 ? 0 : 2)) * step;
  std::int64_t next = 0;
  for (std::size_t v = 0; v < number.size(); ++v) {
    if (number[v] != alone) continue;
    drawing.nodes[v].x = static_cast<std::int32_t>((next % in_row) * step + step / 2);
    drawing.nodes[v].y = static_cast<std::int32_t>(
        std::min(side, height + (connected == 0 ? 0 : 2 * step) + next / in_row * step));
    ++next;
  }
  if (connected == 0) return;

  const auto at = detail::positions_of(connected, edges, 0);
  auto low = at[0], high = at[0];
  for (const auto& one : at) {
    low = {std::min(low.x, one.x), std::min(low.y, one.y)};
    high = {std::max(high.x, one.x), std::max(high.y, one.y)};
  }
  const std::int64_t width = std::max({high.x - low.x, high.y - low.y, std::int64_t{1}});
  const auto scaled = [&](std::int64_t value, std::int64_t from, std::int64_t to) {
    return (2 * value - from - to + width) * height / (2 * width);
  };
  for (std::size_t v = 0; v < number.size(); ++v) {
    if (number[v] == alone) continue;
    const auto& place = at[number[v]];
    drawing.nodes[v].x = static_cast<std::int32_t>(scaled(place.x, low.x, high.x) +
                                                   (side - height) / 2);
    drawing.nodes[v].y = static_cast<std::int32_t>(scaled(place.y, low.y, high.y));
  }
}

}  // namespace halograph

namespace halograph::detail {

HALOGRAPH_INLINE drawing_sampler::drawing_sampler(std::uint64_t nodes, std::size_t parts)
    : parts_(parts) {
  out_.all_nodes = nodes <= graph_drawing::most_nodes;
  if (out_.all_nodes) out_.nodes.resize(static_cast<std::size_t>(nodes));
}

HALOGRAPH_INLINE void drawing_sampler::add(std::uint64_t a, std::uint64_t b) {
  if (a == b) return;
  const auto from = static_cast<std::uint32_t>(std::min(a, b)),
             to = static_cast<std::uint32_t>(std::max(a, b));
  edges_.push_back({mix(std::uint64_t{from} << 32 | to), from, to});
  if (edges_.size() >= 4 * graph_drawing::most_edges) keep_some();
}

HALOGRAPH_INLINE void drawing_sampler::keep_some() {
  // mix() is a bijection: equal only for the same edge.
  std::sort(edges_.begin(), edges_.end(),
            [](const auto& a, const auto& b) { return a.order < b.order; });
  edges_.erase(std::unique(edges_.begin(), edges_.end(),
                           [](const auto& a, const auto& b) { return a.order == b.order; }),
               edges_.end());
  if (edges_.size() <= graph_drawing::most_edges) return;
  edges_.resize(graph_drawing::most_edges);
  out_.all_edges = false;
}

/// @return [n] position of each node of the part in the drawing, or 2^32 - 1
HALOGRAPH_INLINE std::vector<std::uint32_t> drawing_sampler::choose(
    std::size_t p, std::span<const std::uint64_t> global, const std::vector<bool>& inner,
    const edge_list& edges) {
  constexpr auto none = static_cast<std::uint32_t>(-1);
  constexpr std::size_t most_found = 6;  // by one node, so that a hub does not fill the drawing
  const std::size_t n = global.size();
  std::vector<std::uint32_t> index(n, none), neighbors, queue;
  std::vector<std::uint64_t> offsets(n + 1);
  for (std::size_t v = 0; v < n; ++v) {
    if (const auto found = chosen_.find(global[v]); found != chosen_.end())
      index[v] = found->second;
  }
  constexpr std::size_t most = graph_drawing::most_nodes;
  std::size_t left = most / parts_ + (p < most % parts_ ? 1 : 0);
  const auto take = [&](std::size_t v) {
    if (left == 0 || index[v] != none) return;
    index[v] = static_cast<std::uint32_t>(out_.nodes.size());
    chosen_.emplace(global[v], index[v]);
    out_.nodes.push_back({global[v], static_cast<std::uint32_t>(p), 0, 0});
    queue.push_back(static_cast<std::uint32_t>(v));
    --left;
  };
  // First a few that chosen nodes of other parts are neighbors of.
  const std::size_t kept_back = left - left / 4;
  const auto meet = [&](std::size_t v) {
    if (left > kept_back) take(v);
  };
  for (std::size_t v = 0; v < n && left > kept_back; ++v) {
    if (inner[v] && later_.contains(global[v])) meet(v);
  }
  edges([&](std::size_t u, std::size_t v) {
    if (inner[v] && inner[u]) {
      // At most most_found of each are of use; the others would only take memory.
      if (offsets[u] < 4 * most_found) ++offsets[u];
      if (offsets[v] < 4 * most_found) ++offsets[v];
    } else if (inner[v] && index[u] != none) {
      meet(v);
    }
  });
  std::uint64_t sum = 0;
  for (auto& offset : offsets) sum += std::exchange(offset, sum);
  neighbors.resize(static_cast<std::size_t>(sum));
  std::vector<std::uint32_t> used(n);
  edges([&](std::size_t u, std::size_t v) {
    if (!inner[u] || !inner[v]) return;
    if (used[u] < offsets[u + 1] - offsets[u])
      neighbors[static_cast<std::size_t>(offsets[u]) + used[u]++] = static_cast<std::uint32_t>(v);
    if (used[v] < offsets[v + 1] - offsets[v])
      neighbors[static_cast<std::size_t>(offsets[v]) + used[v]++] = static_cast<std::uint32_t>(u);
  });
  std::size_t lowest = 0;
  for (std::size_t next = 0; left != 0; ++next) {
    while (next == queue.size() && lowest < n) {
      if (inner[lowest]) take(lowest);
      ++lowest;
    }
    if (next == queue.size()) break;
    const std::size_t v = queue[next];
    std::size_t found = 0;
    for (auto i = offsets[v]; i < offsets[v + 1] && found < most_found; ++i) {
      const auto u = neighbors[static_cast<std::size_t>(i)];
      if (index[u] != none) continue;
      take(u);
      ++found;
    }
  }
  return index;
}

HALOGRAPH_INLINE void drawing_sampler::part(std::size_t p, std::span<const std::uint64_t> global,
                                            const std::vector<bool>& inner, edge_list edges) {
  if (out_.all_nodes) {
    for (std::size_t v = 0; v < global.size(); ++v) {
      if (inner[v])
        out_.nodes[static_cast<std::size_t>(global[v])] = {global[v], static_cast<std::uint32_t>(p),
                                                           0, 0};
    }
    edges([&](std::size_t u, std::size_t v) {
      if (inner[v]) add(global[u], global[v]);
    });
    return;
  }
  constexpr auto none = static_cast<std::uint32_t>(-1);
  constexpr std::size_t most_later = 16;  // per node
  const auto index = choose(p, global, inner, edges);
  std::unordered_map<std::size_t, std::size_t> waiting;
  edges([&](std::size_t u, std::size_t v) {
    if (!inner[v] || index[v] == none) return;
    if (index[u] != none)
      add(index[u], index[v]);
    else if (!inner[u] && waiting[v]++ < most_later)
      later_.emplace(global[u], index[v]);
  });
  for (std::size_t v = 0; v < global.size(); ++v) {
    if (!inner[v] || index[v] == none) continue;
    const auto [first, last] = later_.equal_range(global[v]);
    for (auto edge = first; edge != last; ++edge) add(index[v], edge->second);
  }
}

HALOGRAPH_INLINE void drawing_sampler::renumber(std::span<const std::uint64_t> original) {
  auto& nodes = out_.nodes;
  std::vector<bool> seen(nodes.size());
  for (const auto id : original) {
    if (id >= nodes.size() || seen[static_cast<std::size_t>(id)]) return;
    seen[static_cast<std::size_t>(id)] = true;
  }
  std::vector<graph_drawing::node> ordered(nodes.size());
  for (std::size_t v = 0; v < nodes.size(); ++v)
    ordered[static_cast<std::size_t>(original[v])] = nodes[v];
  nodes = std::move(ordered);
  for (auto& edge : edges_) {
    const auto a = static_cast<std::uint32_t>(original[edge.from]),
               b = static_cast<std::uint32_t>(original[edge.to]);
    edge.from = std::min(a, b);
    edge.to = std::max(a, b);
  }
}

HALOGRAPH_INLINE graph_drawing drawing_sampler::finish(std::span<const std::uint64_t> original) {
  keep_some();
  if (out_.all_nodes && original.size() == out_.nodes.size()) renumber(original);
  for (const auto& edge : edges_) out_.edges.emplace_back(edge.from, edge.to);
  std::sort(out_.edges.begin(), out_.edges.end());
  place_nodes(out_);
  return std::move(out_);
}

}  // namespace halograph::detail
