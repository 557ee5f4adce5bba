// SPDX-License-Identifier: BSL-1.0
/// @file members.hpp
/// The nodes of each part, part by part, ascending.
/// Layer: halo (no allocation, no exceptions). Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace halograph {

/// Entries of `begin` in group_members_into.
constexpr std::size_t member_begin_count(std::size_t parts) noexcept { return parts + 1; }

/// Group nodes by owner.
///
/// @param owner    [V] part of each node, each below `parts`
/// @param parts    P
/// @param begin    [P+1] out, where the members of each part start
/// @param members  [V] out, nodes of part 0 ascending, then of part 1, ...
/// @errors       capacity; overflow: Node cannot number V nodes; out_of_range at v: owner[v] >=
///     parts
/// @complexity   O(V + P) time, O(1) extra space
template <unsigned_id Part, id Node>
constexpr status group_members_into(std::span<const Part> owner, std::size_t parts,
                                    std::span<std::uint64_t> begin, std::span<Node> members) {
  if (owner.size() > id_capacity<Node>()) return status::overflow.at(owner.size());
  if (begin.size() <= parts) return status::capacity.at(std::uint64_t{parts} + 1);
  if (members.size() < owner.size()) return status::capacity.at(owner.size());
  for (std::size_t p = 0; p <= parts; ++p) begin[p] = 0;
  for (std::size_t v = 0; v < owner.size(); ++v) {
    if (owner[v] >= parts) return status::out_of_range.at(v);
    ++begin[index(owner[v])];
  }
  std::uint64_t sum = 0;
  for (std::size_t p = 0; p <= parts; ++p) {
    const std::uint64_t count = begin[p];
    begin[p] = sum;
    sum += count;
  }
  for (std::size_t v = 0; v < owner.size(); ++v) {
    members[static_cast<std::size_t>(begin[index(owner[v])]++)] = static_cast<Node>(v);
  }
  for (std::size_t p = parts; p > 0; --p) begin[p] = begin[p - 1];
  begin[0] = 0;
  return status::ok;
}

}  // namespace halograph
