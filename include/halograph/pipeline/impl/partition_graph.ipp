// SPDX-License-Identifier: BSL-1.0
/// @file partition_graph.ipp
/// Bodies of the plain functions of pipeline/partition_graph.hpp.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/pipeline/partition_graph.hpp>
#include <halograph/schema/schema.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE void check_types(const graph_schema& schema, bool typed, std::size_t node_types,
                                  std::size_t edge_types) {
  if (schema.num_node_types() == node_types && schema.num_edge_types() == edge_types) return;
  if (!typed) {
    raise(error_kind::mismatch,
          "the schema names several types but the graph has no types; give a typed_graph");
  }
  raise(error_kind::mismatch,
        concat({"the schema names ", schema.num_node_types(), " node types and ",
                schema.num_edge_types(), " edge types, the graph has others; they must agree"}));
}

}  // namespace halograph::detail
