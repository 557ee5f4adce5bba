// SPDX-License-Identifier: BSL-1.0
/// @file ldg.hpp
/// Place each node where most of its neighbours are, parts that fill up counting less: linear deterministic greedy.
/// Layer: partition (span core: no allocation, no exceptions). Words: README.md.
#pragma once

#include <halograph/core/fixed_point.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/greedy_stream.hpp>
#include <halograph/partition/loads.hpp>
#include <halograph/partition/streaming.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halograph {

/// neighbours x (1 - load / cap): the score of LDG, in units of 2^-31.
struct ldg_rule {
  static constexpr std::uint64_t whole = std::uint64_t{1} << 31;

  /// How full: load / cap.
  constexpr std::uint64_t burden(const load_table& table, std::size_t row, std::size_t part) const noexcept {
    const std::uint64_t cap = table.cap(row), load = table.load(row, part);
    if (load >= cap) return whole;
    // The quotient of the leading 32 bits.
    const auto width = static_cast<unsigned>(std::bit_width(cap));
    const unsigned shift = width > 32 ? width - 32 : 0;
    return whole - (((cap - load) >> shift) << 31) / (cap >> shift);
  }
  constexpr std::uint64_t weigh(const load_table&, std::size_t, std::uint64_t, std::uint64_t burden) const noexcept { return burden; }
  constexpr std::int64_t score(std::uint64_t neighbours, std::uint64_t weighed) const noexcept {
    return static_cast<std::int64_t>(std::min<std::uint64_t>(neighbours, 0xFFFFFFFFu) * (whole - weighed));
  }
};

/// Linear deterministic greedy: each node goes to the part with the largest neighbours x (1 - load / cap) among those
/// with room; the cap is (1 + tolerance) x mean. Nodes without neighbours fill the lightest part.
/// One pass over the nodes, each decided at once; then it stays. A neighbour counts once for each edge, in either
/// direction; loops count for nothing. Without constraints each node type of a typed_graph is balanced on its own
/// (`balance_types`). `parts` must be below the largest Part.
///
/// Decisions are made in integers. Every row of loads stays within its cap while nodes weigh 1 in one row, as they do
/// without constraints; with weights, as far as the last nodes leave it possible.
/// @complexity O(V log K + E) time; stream: O(rows x K) words; assign: rows of neighbours besides (streaming_words)
/// @repeatable yes, on every machine and for every storage of the same edges
/// @source Stanton & Kliot, "Streaming graph partitioning for large distributed graphs", KDD 2012 (linear deterministic greedy)
template <unsigned_id Part = part_id>
struct basic_ldg {
  using part = Part;
  using stream = greedy_stream<Part, ldg_rule>;
  static constexpr std::string_view name = "ldg";

  std::uint64_t parts = 1;
  double tolerance = default_tolerance;           ///< of nodes (of each type), without constraints
  std::span<const constraint> constraints{};      ///< what to balance
  bool balance_types = true;                      ///< without constraints: balance each node type on its own
  stream_order order = stream_order::natural;     ///< in which assign pushes the nodes
  std::uint64_t seed = 0;                         ///< of the order, where it is shuffled

  /// Words of memory of a stream. @complexity O(1)
  constexpr std::size_t stream_words(const stream_shape& shape) const noexcept {
    return stream::words(parts, node_loads::rows(constraints.size(), balance_types ? shape.node_type_offsets.size() : 0));
  }

  /// @param owner   [V] out: of nodes that have not arrived stream::nobody
  /// @param memory  [stream_words(shape)]
  /// @errors invalid_argument: 0 parts, a negative load or tolerance; overflow: Part cannot name parts + 1 values, or a
  ///         constraint's loads sum to 2^63; mismatch at V: owner or a constraint is not [V]; capacity
  constexpr status begin(const stream_shape& shape, std::span<part> owner, std::span<std::uint64_t> memory, stream& out) const {
    if (owner.size() != shape.nodes) return status::mismatch.at(shape.nodes);
    node_loads loads;
    const auto types = balance_types ? shape.node_type_offsets : std::span<const std::uint64_t>();
    if (const status made = node_loads::make(shape.nodes, constraints, types, tolerance, loads); !made) return made;
    return greedy_stream<Part, ldg_rule>::begin({}, loads, parts, owner, memory, out);
  }

  /// Words of memory that assign needs for g. @complexity that of num_edges(g)
  template <graph G>
  constexpr std::size_t assign_words(const G& g) const {
    return streaming_words<G>(*this, shape_of(g));
  }

  /// @param memory [assign_words(g)]
  /// @errors those of begin; out_of_range: an edge has an end that is no node
  template <graph G>
  constexpr status assign(const G& g, std::span<part> owner, std::span<std::uint64_t> memory) const {
    return assign_by_streaming(*this, g, shape_of(g), owner, memory);
  }

  /// The same in memory of its own. @errors memory
  template <graph G>
  constexpr status assign(const G& g, std::span<part> owner) const {
    if (const status ok = check_parts<part>(parts, num_nodes(g), owner); !ok) return ok;
    std::vector<std::uint64_t> memory(assign_words(g));
    return assign(g, owner, std::span<std::uint64_t>(memory));
  }

  /// The sentence for what assign or begin answered.
  std::string explain(status answer) const { return explain_greedy_stream<Part>(answer, parts); }
};

using ldg = basic_ldg<>;

}  // namespace halograph
