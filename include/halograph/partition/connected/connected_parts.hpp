// SPDX-License-Identifier: BSL-1.0
/// @file connected_parts.hpp
/// Make parts connected: what is apart from the rest of its part joins a neighboring part.
/// Layer: partition (allocates; no exceptions of its own). Words: README.md.
///
///     hg::chained<hg::metis, hg::connected_parts> connected{.parts = 8};
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/connected/piece_joiner.hpp>
#include <halograph/partition/loads.hpp>
#include <halograph/partition/partitioner.hpp>
#include <halograph/partition/refine.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halograph {

/// Make each part connected: of the components of a part (components.hpp) that have edges to other
/// parts, the one of most load stays; every other one joins the neighboring part to which it has
/// most edges, of those with room, the lightest first; where none has room for all of it, its nodes
/// go to several parts, if all of them find room, or nodes at the border of the neighboring part
/// make room by moving on. What finds none stays where it is, so that no part that keeps its limits
/// comes to exceed them. Whole components of the graph, isolated nodes among them, stay: no part is
/// next to them. Ends with status::ok in any case; count_components() says what is left. No part
/// becomes empty, and no part gets more components.
/// @complexity O(rounds x (V + E) log V) time, at most 16 rounds; memory, of V below 2^32: 13 bytes
///     for each node; where nodes are apart from their parts up to 100 more for each of them, and 4
///     for each end of their edges; where they find no room 20 for each node, and 4 for each end of
///     all edges
/// @repeatable yes, on every machine and for every storage of the same edges
template <unsigned_id Part = part_id>
struct basic_connected_parts {
  using part = Part;                                           ///< see refiner
  static constexpr std::string_view name = "connected_parts";  ///< see named_policy

  std::uint64_t parts = 1;                    ///< how many parts there are
  double tolerance = default_tolerance;       ///< of nodes (of each type), without constraints
  std::span<const constraint> constraints{};  ///< what to balance
  bool balance_types = true;                  ///< without constraints: each node type on its own

  /// @param owner  [V] in and out
  /// @errors invalid_argument: 0 parts, a negative load or tolerance; overflow; mismatch;
  ///     out_of_range: at v, an owner beyond the parts, or at e, an edge endpoint that is not a
  ///     node
  template <graph G>
  status refine(const G& g, std::span<part> owner) const {
    const std::size_t nodes = num_nodes(g);
    if (const status ok = check_parts<part>(parts, nodes, owner); !ok) return ok;
    if (const status sound = check_owners(std::span<const part>(owner), parts); !sound)
      return sound;
    node_loads loads;
    if (const status made = node_loads::make(
            nodes, constraints, detail::types_to_balance(g, balance_types), tolerance, loads);
        !made)
      return made;
    std::vector<std::uint64_t> memory(load_table::words(parts, loads.rows()));
    load_table table;
    if (const status made = load_table::make(loads, parts, memory, table); !made) return made;
    for (std::size_t v = 0; v < nodes; ++v) table.add(v, index(owner[v]));
    return nodes < id_capacity<std::uint32_t>()
               ? detail::piece_joiner<std::uint32_t, part>(owner, table).run(g)
               : detail::piece_joiner<std::uint64_t, part>(owner, table).run(g);
  }

  /// The sentence for a status of refine, or "".
  std::string explain(status answer) const { return detail::explain_refiner(answer, parts); }
};

using connected_parts = basic_connected_parts<>;  ///< of part_id

}  // namespace halograph
