// SPDX-License-Identifier: BSL-1.0
/// @file graph_change.ipp
/// Bodies of the plain functions of io/graph_change.hpp.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/io/graph_change.hpp>
#include <halograph/schema/schema.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace halograph::detail {

HALOGRAPH_INLINE void check_change(std::size_t node_types, std::size_t edge_types,
                                   std::size_t new_nodes, std::size_t added, std::size_t removed) {
  if ((new_nodes == 0 || new_nodes == node_types) && (added == 0 || added == edge_types) &&
      (removed == 0 || removed == edge_types))
    return;
  raise(error_kind::mismatch, "the graph has " + std::to_string(node_types) + " node types and " +
                                  std::to_string(edge_types) +
                                  " edge types; a change needs a list for each of them, or none");
}

HALOGRAPH_INLINE void raise_no_such_node(const graph_schema& schema, type_id type, std::size_t edge,
                                         std::uint64_t node, std::uint64_t nodes) {
  raise(error_kind::out_of_range,
        "added edge " + std::to_string(edge) + " ends in node " + std::to_string(node) +
            " of type " + graph_schema::quoted(schema.node_type_name(type)) + ", which has " +
            std::to_string(nodes) + " nodes with the new ones; add more nodes");
}

HALOGRAPH_INLINE void raise_no_such_edge(const graph_schema& schema, type_id type, std::size_t edge,
                                         std::uint64_t source, std::uint64_t target) {
  raise(error_kind::not_found, "removed edge " + std::to_string(edge) + ", " +
                                   std::to_string(source) + " to " + std::to_string(target) +
                                   ", is not in the graph's edges of type " +
                                   graph_schema::quoted(schema.edge_type_name(type).str()) +
                                   ", or not as often as it is to be removed");
}

}  // namespace halograph::detail
