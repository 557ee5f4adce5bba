// SPDX-License-Identifier: BSL-1.0
/// @file repair.hpp
/// Repair what METIS leaves: parts without nodes, parts in several pieces.
/// Layer: adapters (METIS). Words: README.md.
#pragma once

#include <halograph/adapters/metis/call.hpp>
#include <halograph/core/linkage.hpp>

#include <metis.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace halograph {

namespace detail {

/// The pull of a node towards part p: the weight of its pairs that stay inside.
std::int64_t inner_weight(const metis_input& in, std::span<const idx_t> owner, std::size_t v,
                          idx_t p);

/// Give every part at least needed[p] nodes. Takes one node at a time from the part that can spare
/// one and is loaded most for its target (by its worst constraint, then by nodes, then the lowest
/// number), and there the node that is tied least to its part, then the lowest ID.
/// @return how many nodes moved  @complexity O(V + moves x (K + nodes and pairs of the giving
///     part))
std::size_t fill_parts(const metis_input& in, std::span<idx_t> owner,
                       std::span<const std::size_t> needed);

/// How many pieces the nodes fall into when only pairs within one owner join them.
std::size_t count_pieces(const metis_input& in, std::span<const idx_t> owner);

}  // namespace detail

}  // namespace halograph

#if !HALOGRAPH_COMPILED_HOSTED
#include <halograph/adapters/metis/impl/repair.ipp>
#endif
