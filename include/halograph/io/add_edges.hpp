// SPDX-License-Identifier: BSL-1.0
/// @file add_edges.hpp
/// Append edges to a streamed graph: the reverse of each edge, or a self-loop at each node.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/checked_cast.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/search.hpp>
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

namespace halograph {

namespace detail {

/// A feature whose rows after its own come from elsewhere. @param rest  rest(first, last, out) with
/// rows from 0
template <class Rest>
streamed_feature continued(streamed_feature feature, std::uint64_t rows, Rest rest) {
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

/// The bits of the number 1 in a dtype; add_self_loops() fills features with it.
inline std::uint64_t bits_of_one(dtype type) noexcept {
  switch (type) {
    case dtype::float16:
      return 0x3C00;
    case dtype::bfloat16:
      return 0x3F80;
    case dtype::float32:
      return std::bit_cast<std::uint32_t>(1.0f);
    case dtype::float64:
      return std::bit_cast<std::uint64_t>(1.0);
    default:
      return 1;
  }
}

/// A set of nodes that finds its i-th member.
class node_set {
 public:
  explicit node_set(std::uint64_t nodes)
      : nodes_(nodes), words_(static_cast<std::size_t>(nodes / 64 + 1)) {}
  void insert(std::uint64_t v) noexcept {
    words_[static_cast<std::size_t>(v / 64)] |= std::uint64_t{1} << (v % 64);
  }
  bool contains(std::uint64_t v) const noexcept {
    return (words_[static_cast<std::size_t>(v / 64)] >> (v % 64) & 1) != 0;
  }

  /// Count the nodes that are not members. Must be called before missing().
  std::uint64_t seal() {
    std::uint64_t count = 0;
    for (std::uint64_t v = 0; v < nodes_; v += stride) {
      before_.push_back(count);
      for (std::uint64_t w = v; w < std::min(v + stride, nodes_); w += 64) count += missing_in(w);
    }
    return count;
  }
  /// f(v) for nodes [first, last) of those that are not members, in order.
  template <class Function>
  void missing(std::uint64_t first, std::uint64_t last, Function&& f) const {
    if (first >= last) return;
    const auto block = count_not_above<std::uint64_t>(before_, first) - 1;
    std::uint64_t rank = before_[block];
    for (std::uint64_t v = block * stride; v < nodes_ && rank < last; v += 64) {
      const std::uint64_t here = missing_in(v);
      if (rank + here > first) {
        std::uint64_t at = rank;
        for (std::uint64_t u = v; u < std::min(v + 64, nodes_); ++u) {
          if (contains(u)) continue;
          if (at >= first && at < last) f(u);
          ++at;
        }
      }
      rank += here;
    }
  }

 private:
  static constexpr std::uint64_t stride = 1 << 16;
  /// How many of the 64 nodes from v on are not members.
  std::uint64_t missing_in(std::uint64_t v) const noexcept {
    const std::uint64_t here = std::min<std::uint64_t>(64, nodes_ - v);
    return here -
           static_cast<std::uint64_t>(std::popcount(words_[static_cast<std::size_t>(v / 64)]));
  }

  std::uint64_t nodes_;
  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> before_{};
};

inline std::uint64_t doubled_count(std::uint64_t count) {
  std::uint64_t out = 0;
  check(multiply_into(count, std::uint64_t{2}, out),
        "the graph with its reverse edges has more than 2^64 edges");
  return out;
}

}  // namespace detail

/// Add the reverse of each edge, self-loops included.
///
/// An edge type within one node type grows: the reverse of edge i is edge m + i. One between two
/// node types gets a type of its own, `target:rev_relation:source`, after all others; its edge i
/// is the reverse of edge i. Features of edges are those of the edges reversed. (DGL's AddReverse
/// makes the same edges and types.)
/// @errors exists: the schema has the new type already; overflow
inline streamed_graph add_reverse_edges(streamed_graph g) {
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
          errc::exists,
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

/// Add a self-loop at each node that has none, in every edge type within one node type: after all
/// other edges, by ascending node. Features of the new edges are filled with ones. (DGL's
/// AddSelfLoop makes the same graph, but renumbers existing loops.)
/// @complexity one pass over those edge types, a bit for each node
inline streamed_graph add_self_loops(streamed_graph g) {
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
