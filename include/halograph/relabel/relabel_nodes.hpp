// SPDX-License-Identifier: BSL-1.0
/// @file relabel_nodes.hpp
/// Number nodes anew so that each (part, type) owns one contiguous range.
/// Layer: relabel (no allocation, no exceptions). Words: README.md.
#pragma once

#include <halograph/core/block_range.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace halograph {

/// Entries of the bounds of P parts and T node (or edge) types: cell (p, t) starts at
/// bounds[p*T+t].
constexpr std::size_t relabel_bounds_count(std::size_t parts, std::size_t types) noexcept {
  return parts * types + 1;
}

namespace detail {
/// Ascending from 0 to `end`; at least one entry.
constexpr bool are_offsets(std::span<const std::uint64_t> offsets, std::uint64_t end) noexcept {
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != end) return false;
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    if (offsets[i] < offsets[i - 1]) return false;
  }
  return true;
}

/// Does `bounds` have room for the cells of P parts and T types? P*T may overflow.
constexpr bool bounds_suffice(std::size_t bounds, std::size_t parts, std::size_t types) noexcept {
  return bounds != 0 && (types == 0 || parts <= (bounds - 1) / types);
}
}  // namespace detail

/// Words of scratch with which `pieces` ranges of nodes are sorted at once: a count per cell, and
/// one for the first node out of range.
constexpr std::size_t relabel_counts_count(std::size_t parts, std::size_t types,
                                           std::size_t pieces) noexcept {
  return pieces * (parts * types + 1);
}

/// Sort nodes by (part, type, original ID).
///
/// @param owner       [V] part of each node by global original ID
/// @param type_begin  [T+1] first global ID of each node type; last: V
/// @param parts       P
/// @param bounds      [P*T+1] out: new IDs of cell (p, t) are [bounds[p*T+t], bounds[p*T+t+1]);
///                    an empty cell is [x, x] at its place
/// @param old_of_new  [V] out
/// @param new_of_old  [V] out, or empty: not wanted
/// @param pieces      ranges of nodes that are sorted at once; 1 where `counts` are too few
/// @param counts      [relabel_counts_count(P, T, pieces)] scratch, or empty for 1 piece
/// @param run         where pieces run; same result anywhere
/// @errors       capacity; mismatch: type_begin does not ascend from 0 to V; overflow: Node cannot
///     number V nodes; out_of_range at v: owner[v] >= P, the first such node
/// @complexity   O(V + pieces x P*T) time, O(1) extra space
/// @repeatable   yes: the same for any number of pieces
template <unsigned_id Part, id Node, executor Executor = sequential>
constexpr status relabel_nodes_into(std::span<const Part> owner,
                                    std::span<const std::uint64_t> type_begin, std::size_t parts,
                                    std::span<std::uint64_t> bounds, std::span<Node> old_of_new,
                                    std::span<Node> new_of_old = {}, std::size_t pieces = 1,
                                    std::span<std::uint64_t> counts = {},
                                    const Executor& run = {}) {
  const std::size_t nodes = owner.size();
  if (!detail::are_offsets(type_begin, nodes)) return status::mismatch.at(nodes);
  const std::size_t types = type_begin.size() - 1, cells = parts * types, width = cells + 1;
  if (nodes > id_capacity<Node>()) return status::overflow.at(nodes);
  if (!detail::bounds_suffice(bounds.size(), parts, types))
    return status::capacity.at(std::uint64_t{cells} + 1);
  if (old_of_new.size() < nodes || (!new_of_old.empty() && new_of_old.size() < nodes))
    return status::capacity.at(nodes);
  const bool in_bounds = pieces < 2 || counts.size() / width < pieces;
  if (in_bounds) {  // one piece needs no counts but the bounds
    pieces = 1;
    counts = bounds.first(width);
  }
  // f(v, type) for the nodes of a piece.
  const auto visit = [&](std::size_t piece, auto&& f) {
    const id_range share = block_range(nodes, piece, pieces);
    for (std::size_t t = 0; t < types; ++t) {
      const auto end = static_cast<std::size_t>(std::min(share.end, type_begin[t + 1]));
      for (auto v = static_cast<std::size_t>(std::max(share.begin, type_begin[t])); v < end; ++v)
        f(v, t);
    }
  };
  // The word after a piece's cells: 1 + the first node whose part is out of range.
  run.parallel_for(0, pieces, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t piece = first; piece < last; ++piece) {
      std::uint64_t* const count = counts.data() + piece * width;
      std::fill_n(count, cells, std::uint64_t{0});
      std::uint64_t wrong = 0;
      visit(piece, [&](std::size_t v, std::size_t t) {
        if (owner[v] < parts)
          ++count[index(owner[v]) * types + t];
        else if (wrong == 0)
          wrong = v + 1;
      });
      count[cells] = wrong;
    }
  });
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    if (const std::uint64_t wrong = counts[piece * width + cells]; wrong != 0)
      return status::out_of_range.at(wrong - 1);
  }
  std::uint64_t sum = 0;
  for (std::size_t cell = 0; cell < cells; ++cell) {
    for (std::size_t piece = 0; piece < pieces; ++piece)
      sum += std::exchange(counts[piece * width + cell], sum);
    bounds[cell] = counts[cell];
  }
  bounds[cells] = sum;
  run.parallel_for(0, pieces, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t piece = first; piece < last; ++piece) {
      std::uint64_t* const next = counts.data() + piece * width;
      visit(piece, [&](std::size_t v, std::size_t t) {
        const std::uint64_t fresh = next[index(owner[v]) * types + t]++;
        old_of_new[static_cast<std::size_t>(fresh)] = static_cast<Node>(v);
        if (!new_of_old.empty()) new_of_old[v] = static_cast<Node>(fresh);
      });
    }
  });
  if (in_bounds) {  // they have moved to the ends of their cells
    for (std::size_t cell = cells; cell > 0; --cell) bounds[cell] = bounds[cell - 1];
    bounds[0] = 0;
  }
  return status::ok;
}

}  // namespace halograph
