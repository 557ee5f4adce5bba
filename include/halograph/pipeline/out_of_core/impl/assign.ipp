// SPDX-License-Identifier: BSL-1.0
/// @file assign.ipp
/// Bodies of the plain functions of pipeline/out_of_core/assign.hpp.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/io/chunked/graph.hpp>
#include <halograph/io/chunked/stream.hpp>
#include <halograph/pipeline/out_of_core/assign.hpp>
#include <halograph/pipeline/out_of_core/assign_job.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE void check_assignment(const chunked_graph& graph, std::size_t owners,
                                       std::uint64_t node_capacity, std::uint64_t edge_capacity) {
  const std::uint64_t nodes = graph.num_nodes(), edges = graph.num_edges();
  if (owners != nodes)
    raise(error_kind::mismatch,
          concat({"an assignment of ", nodes, " nodes must have exactly one part for each"}));
  if (nodes > node_capacity || edges > edge_capacity) {
    raise(error_kind::overflow,
          concat({nodes, " nodes and ", edges, " edges do not fit the ID types; use wider IDs"}));
  }
}

}  // namespace halograph::detail
