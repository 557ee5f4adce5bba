// SPDX-License-Identifier: BSL-1.0
/// @file block.hpp
/// Sampled edges, compacted for a layer of a network: destination nodes first, every source once.
/// Layer: dist (to_block_into: no allocation, no exceptions). Words: README.md.
///
///     auto frontier = hg::sample_neighbors(sampler, seeds, {10});
///     auto block = hg::to_block(frontier);
///     auto typed = hg::map_to_types(block, book);   // typed IDs and type numbers
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/random.hpp>
#include <halograph/core/status.hpp>
#include <halograph/schema/id_converter.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

/// Edges drawn for some nodes, in global IDs: a row for each requested node, in the order of the
/// request. A row is ordered by edge type, then by edge ID; with replacement, it may contain an
/// edge several times.
struct sampled_edges {
  std::vector<std::int64_t> seeds{};      ///< [n] the requested nodes
  std::vector<std::uint64_t> offsets{0};  ///< [n+1] row i is [offsets[i], offsets[i+1])
  std::vector<std::int64_t> neighbors{};  ///< [m] the other end of each edge
  std::vector<std::int64_t> edges{};      ///< [m] global IDs

  /// Number of drawn edges.
  std::size_t num_edges() const noexcept { return edges.size(); }
  friend bool operator==(const sampled_edges&, const sampled_edges&) = default;
};

/// A bipartite graph from sources to destinations, in local IDs: what DGL calls a block.
struct block {
  std::uint64_t num_dst = 0;  ///< the first of `nodes` are the destinations
  std::vector<std::int64_t>
      nodes{};  ///< [sources] global IDs: destinations as given, then other sources by first use
  std::vector<std::uint64_t> offsets{0};  ///< [num_dst+1] edges of a destination
  std::vector<std::uint32_t> sources{};   ///< [m] positions in `nodes`
  std::vector<std::int64_t> edges{};      ///< [m] global IDs

  /// Number of sources; the destinations are the first of them.
  std::size_t num_src() const noexcept { return nodes.size(); }
  /// Number of edges.
  std::size_t num_edges() const noexcept { return edges.size(); }
  /// [num_dst] global IDs of the destinations.
  std::span<const std::int64_t> dst_nodes() const noexcept {
    return std::span(nodes).first(static_cast<std::size_t>(num_dst));
  }
  /// [num_src()] global IDs of the sources.
  std::span<const std::int64_t> src_nodes() const noexcept { return nodes; }
  friend bool operator==(const block&, const block&) = default;
};

/// Entries of the table that to_block_into needs for n destinations and m edges: a power of two.
constexpr std::size_t block_table_size(std::size_t destinations, std::size_t edges) noexcept {
  return std::bit_ceil(2 * (destinations + edges) + 1);
}

/// Compact edges.
///
/// @param seeds       [n] destinations, each once
/// @param neighbors  [m] sources of the edges
/// @param nodes       [n + m] out, the first `count` of it: destinations, then each other source
///     once, in the order of its first edge
/// @param count       out, number of sources: n to n + m
/// @param sources     [m] out, the position of each edge's source in `nodes`
/// @param table       [block_table_size(n, m)] scratch
/// @errors            capacity: a span is too small; overflow: 2^32 - 1 sources or more;
///     invalid_argument at i: seeds[i] occurs twice
/// @complexity        expected O(n + m)
/// @repeatable        yes
template <id Node>
constexpr status to_block_into(std::span<const Node> seeds, std::span<const Node> neighbors,
                               std::span<Node> nodes, std::size_t& count,
                               std::span<std::uint32_t> sources,
                               std::span<std::uint32_t> table) noexcept {
  constexpr auto none = std::numeric_limits<std::uint32_t>::max();
  count = 0;
  const std::size_t slots = block_table_size(seeds.size(), neighbors.size());
  if (seeds.size() >= none || neighbors.size() >= none - seeds.size())
    return status::overflow.at(neighbors.size());
  if (table.size() < slots) return status::capacity.at(slots);
  if (nodes.size() < seeds.size() + neighbors.size())
    return status::capacity.at(seeds.size() + neighbors.size());
  if (sources.size() < neighbors.size()) return status::capacity.at(neighbors.size());
  std::fill_n(table.begin(), slots, none);
  // Linear probing from a scrambled ID: new IDs form ranges, and no input can make them collide.
  const auto place = [&](Node v) {
    auto slot = static_cast<std::size_t>(mix(static_cast<std::uint64_t>(v))) & (slots - 1);
    while (table[slot] != none && nodes[table[slot]] != v) slot = (slot + 1) & (slots - 1);
    return slot;
  };
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    const std::size_t slot = place(seeds[i]);
    if (table[slot] != none) return status::invalid_argument.at(i);
    table[slot] = static_cast<std::uint32_t>(count);
    nodes[count++] = seeds[i];
  }
  for (std::size_t e = 0; e < neighbors.size(); ++e) {
    const std::size_t slot = place(neighbors[e]);
    if (table[slot] == none) {
      table[slot] = static_cast<std::uint32_t>(count);
      nodes[count++] = neighbors[e];
    }
    sources[e] = table[slot];
  }
  return status::ok;
}

/// The same, returning a container. `table` may be kept from call to call.
/// @errors raises invalid_argument: a destination occurs twice; overflow; mismatch: rows and
///     edges disagree
block to_block(sampled_edges frontier, std::vector<std::uint32_t>& table);
/// The same with a table of its own.
inline block to_block(sampled_edges frontier) {
  std::vector<std::uint32_t> table;
  return to_block(std::move(frontier), table);
}

/// A block's nodes and edges by their types: type numbers and typed IDs.
template <class Node, class Edge>
struct block_types {
  typed_ids<Node> src{};    ///< [sources]; the first num_dst are the destinations
  typed_ids<Edge> edges{};  ///< [m]
};

/// Convert all global IDs of a block at once: map_to_per_ntype and map_to_per_etype of DGL's
/// example.
/// @param book  a named_book: partition_book, map_partition_book, or that of a dist_graph
/// @errors      raises out_of_range: an ID that the book does not know
template <class Book>
block_types<typename Book::node_id, typename Book::edge_id> map_to_types(const block& one,
                                                                         const Book& book) {
  return {book.map_to_per_ntype(one.nodes), book.map_to_per_etype(one.edges)};
}

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/dist/impl/block.ipp>
#endif
