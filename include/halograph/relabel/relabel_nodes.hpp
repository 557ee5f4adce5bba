// SPDX-License-Identifier: BSL-1.0
/// @file relabel_nodes.hpp
/// Number nodes anew so that each (part, type) owns one contiguous range.
/// Layer: relabel (no allocation, no exceptions). Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace halograph {

/// Entries of the bounds of P parts and T node (or edge) types: cell (p, t) starts at bounds[p*T+t].
constexpr std::size_t relabel_bounds_count(std::size_t parts, std::size_t types) noexcept { return parts * types + 1; }

namespace detail {
/// 0 first, `end` last, never less than before; at least one entry.
constexpr bool are_offsets(std::span<const std::uint64_t> offsets, std::uint64_t end) noexcept {
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != end) return false;
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    if (offsets[i] < offsets[i - 1]) return false;
  }
  return true;
}

/// Have `bounds` room for the cells of P parts and T types? Without overflow in P*T.
constexpr bool bounds_suffice(std::size_t bounds, std::size_t parts, std::size_t types) noexcept {
  return bounds != 0 && (types == 0 || parts <= (bounds - 1) / types);
}
}  // namespace detail

/// Sort nodes by (part, type, original ID).
///
/// @param owner         [V] part of each node in homogenised original IDs
/// @param type_begin  [T+1] first homogenised ID of each node type; last: V
/// @param parts         P
/// @param bounds        [P*T+1] out: new IDs of cell (p, t) are [bounds[p*T+t], bounds[p*T+t+1]);
///                      an empty cell is [x, x] at its place
/// @param old_of_new    [V] out
/// @param new_of_old    [V] out, or empty: not wanted
/// @errors       capacity; mismatch: type_begin do not rise from 0 to V; overflow: Node cannot name V nodes;
///               out_of_range at v: owner[v] >= P
/// @complexity   O(V + P*T) time, O(1) extra space
/// @repeatable   yes
template <unsigned_id Part, id Node>
constexpr status relabel_nodes_into(std::span<const Part> owner, std::span<const std::uint64_t> type_begin,
                                    std::size_t parts, std::span<std::uint64_t> bounds, std::span<Node> old_of_new,
                                    std::span<Node> new_of_old = {}) {
  const std::size_t nodes = owner.size();
  if (!detail::are_offsets(type_begin, nodes)) return status::mismatch.at(nodes);
  const std::size_t types = type_begin.size() - 1, cells = parts * types;
  if (nodes > id_capacity<Node>()) return status::overflow.at(nodes);
  if (!detail::bounds_suffice(bounds.size(), parts, types)) return status::capacity.at(std::uint64_t{cells} + 1);
  if (old_of_new.size() < nodes || (!new_of_old.empty() && new_of_old.size() < nodes)) return status::capacity.at(nodes);

  for (std::size_t cell = 0; cell <= cells; ++cell) bounds[cell] = 0;
  for (std::size_t t = 0; t < types; ++t) {
    for (auto v = static_cast<std::size_t>(type_begin[t]); v < type_begin[t + 1]; ++v) {
      if (owner[v] >= parts) return status::out_of_range.at(v);
      ++bounds[index(owner[v]) * types + t];
    }
  }
  std::uint64_t sum = 0;
  for (std::size_t cell = 0; cell <= cells; ++cell) {
    const std::uint64_t count = bounds[cell];
    bounds[cell] = sum;
    sum += count;
  }
  for (std::size_t t = 0; t < types; ++t) {
    for (auto v = static_cast<std::size_t>(type_begin[t]); v < type_begin[t + 1]; ++v) {
      const auto fresh = static_cast<std::size_t>(bounds[index(owner[v]) * types + t]++);
      old_of_new[fresh] = static_cast<Node>(v);
      if (!new_of_old.empty()) new_of_old[v] = static_cast<Node>(fresh);
    }
  }
  for (std::size_t cell = cells; cell > 0; --cell) bounds[cell] = bounds[cell - 1];
  bounds[0] = 0;
  return status::ok;
}

}  // namespace halograph
