// SPDX-License-Identifier: BSL-1.0
/// @file add_edges.ipp
/// Bodies of the plain functions of io/add_edges.hpp.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/checked_cast.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/io/add_edges.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE streamed_feature continued(streamed_feature feature, std::uint64_t rows,
                                            decltype(streamed_feature::read) rest) {
  const std::uint64_t own = feature.rows;
  const std::size_t width = feature.row_bytes();
  feature.rows = rows;
  feature.read = [own, width, head = std::move(feature.read), rest = std::move(rest)](
                     std::uint64_t first, std::uint64_t last, std::span<std::byte> out) {
    const std::uint64_t split = std::clamp(own, first, last);
    const auto front = out.first(static_cast<std::size_t>(split - first) * width);
    if (split != first) head(first, split, front);
    if (split != last) rest(split - own, last - own, out.subspan(front.size()));
  };
  return feature;
}

HALOGRAPH_INLINE std::uint64_t node_set::seal() {
  std::uint64_t count = 0;
  for (std::uint64_t v = 0; v < nodes_; v += stride) {
    before_.push_back(count);
    for (std::uint64_t w = v; w < std::min(v + stride, nodes_); w += 64) count += missing_in(w);
  }
  return count;
}

HALOGRAPH_INLINE std::uint64_t doubled_count(std::uint64_t count) {
  std::uint64_t out = 0;
  check(multiply_into(count, std::uint64_t{2}, out),
        "the graph with its reverse edges has more than 2^64 edges");
  return out;
}

}  // namespace halograph::detail

namespace halograph {

HALOGRAPH_INLINE streamed_graph add_reverse_edges(streamed_graph g) {
  struct origin {
    std::uint64_t count = 0;  // of edges read forwards
    type_id reversed = 0;     // whose reverses follow
  };
  std::vector<origin> origins;
  const std::size_t types = g.schema.num_edge_types(), features = g.edge_features.size();
  for (std::size_t r = 0; r < types; ++r)
    origins.push_back({g.edge_counts[r], static_cast<type_id>(r)});
  for (std::size_t r = 0; r < types; ++r) {
    const auto type = static_cast<type_id>(r);
    if (g.schema.source_type(type) == g.schema.target_type(type)) {
      g.edge_counts[r] = detail::doubled_count(g.edge_counts[r]);
      for (std::size_t i = 0; i < features; ++i) {
        if (g.edge_features[i].type != type) continue;
        const auto again = g.edge_features[i].read;
        g.edge_features[i] = detail::continued(std::move(g.edge_features[i]), g.edge_counts[r],
                                               again);
      }
      continue;
    }
    const canonical_etype name = g.schema.edge_type_name(type);
    const canonical_etype reverse{name.target, "rev_" + name.relation, name.source};
    if (g.schema.edge_type(reverse)) {
      raise(
          error_kind::exists,
          "the graph has edge type " + graph_schema::quoted(reverse.str()) +
              " already, which is the type that its reverse edges would get; add no reverse edges, or remove that type");
    }
    const type_id added = g.schema.add_edge_type(reverse);
    g.edge_counts.push_back(origins[r].count);
    origins.push_back({0, type});
    for (std::size_t i = 0; i < features; ++i) {
      if (g.edge_features[i].type != type) continue;
      auto copy = g.edge_features[i];
      copy.type = added;
      g.edge_features.push_back(std::move(copy));
    }
  }
  g.read_edges = [origins, inner = std::move(g.read_edges)](type_id r, std::uint64_t first,
                                                            std::uint64_t last,
                                                            const edge_block_visitor& visit) {
    const auto [count, reversed] = origins[r];
    const std::uint64_t split = std::clamp(count, first, last);
    if (first != split) inner(r, first, split, visit);
    if (split == last) return;
    const std::uint64_t shift = count;
    inner(reversed, split - shift, last - shift, [&](auto sources, auto targets, std::uint64_t at) {
      visit(targets, sources, at + shift);
    });
  };
  return g;
}

HALOGRAPH_INLINE streamed_graph add_self_loops(streamed_graph g) {
  struct loops {
    std::uint64_t from = std::numeric_limits<std::uint64_t>::max();
    std::shared_ptr<const detail::node_set> with{};
  };
  std::vector<loops> added(g.schema.num_edge_types());
  for (std::size_t r = 0; r < added.size(); ++r) {
    const auto type = static_cast<type_id>(r);
    if (g.schema.source_type(type) != g.schema.target_type(type)) continue;
    const std::uint64_t nodes = g.node_counts[g.schema.source_type(type)];
    auto with = std::make_shared<detail::node_set>(nodes);
    g.read_edges(type, 0, g.edge_counts[r], [&](auto sources, auto targets, std::uint64_t) {
      for (std::size_t i = 0; i < sources.size(); ++i) {
        if (sources[i] == targets[i] && sources[i] < nodes) with->insert(sources[i]);
      }
    });
    std::uint64_t count = 0;
    check(add_into(g.edge_counts[r], with->seal(), count),
          "the graph with its self-loops has more than 2^64 edges");
    added[r] = {g.edge_counts[r], std::move(with)};
    g.edge_counts[r] = count;
    for (auto& feature : g.edge_features) {
      if (feature.type != type) continue;
      const std::uint64_t one = detail::bits_of_one(feature.element);
      const std::size_t width = item_bytes(feature.element);
      feature = detail::continued(
          std::move(feature), count,
          [one, width](std::uint64_t, std::uint64_t, std::span<std::byte> out) {
            for (std::size_t i = 0; i < out.size(); i += width) {
              for (std::size_t b = 0; b < width; ++b) {
                const std::size_t place = std::endian::native == std::endian::little
                                              ? b
                                              : width - 1 - b;
                out[i + place] = static_cast<std::byte>(one >> (8 * b));
              }
            }
          });
    }
  }
  g.read_edges = [added, inner = std::move(g.read_edges)](type_id r, std::uint64_t first,
                                                          std::uint64_t last,
                                                          const edge_block_visitor& visit) {
    const std::uint64_t split = std::clamp(added[r].from, first, last);
    if (first != split) inner(r, first, split, visit);
    if (split == last) return;
    std::vector<std::uint64_t> nodes;
    for (std::uint64_t at = split; at < last; at += nodes.size()) {
      nodes.clear();
      const std::uint64_t rank = at - added[r].from;
      added[r].with->missing(rank, rank + std::min(edges_per_block, last - at),
                             [&](std::uint64_t v) { nodes.push_back(v); });
      visit(nodes, nodes, at);
    }
  };
  return g;
}

}  // namespace halograph
