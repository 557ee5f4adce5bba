// SPDX-License-Identifier: BSL-1.0
/// @file export.ipp
/// Bodies of the plain functions of parmetis/export.hpp.
/// Layer: parmetis. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/graph/build.hpp>
#include <halograph/parmetis/export.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/pipeline/partition_graph.hpp>
#include <halograph/schema/schema.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE std::vector<const constraint*> weight_columns(std::span<const constraint> wanted,
                                                               std::size_t nodes,
                                                               std::vector<std::string>& notes) {
  std::vector<const constraint*> out;
  for (const auto& one : wanted) {
    if (one.load.size() != nodes) {
      raise(errc::mismatch, "constraint " + graph_schema::quoted(one.name) + " has " +
                                std::to_string(one.load.size()) + " loads for " +
                                std::to_string(nodes) + " nodes; there must be one for each");
    }
    std::int64_t sum = 0;
    for (std::size_t v = 0; v < nodes; ++v) {
      if (one.load[v] < 0) {
        raise(errc::invalid_argument,
              "constraint " + graph_schema::quoted(one.name) + " gives node " + std::to_string(v) +
                  " the load " + std::to_string(one.load[v]) + "; loads must be at least 0");
      }
      if (one.load[v] > std::numeric_limits<std::int64_t>::max() - sum) {
        raise(errc::overflow, "the loads of constraint " + graph_schema::quoted(one.name) +
                                  " sum to more than 2^63 - 1, which overflows in any ParMETIS");
      }
      sum += one.load[v];
    }
    if (sum == 0) {
      notes.push_back(
          "constraint " + graph_schema::quoted(one.name) +
          " is 0 for every node; ParMETIS cannot balance it, so it gets no weight column");
      continue;
    }
    if (sum > std::numeric_limits<std::int32_t>::max()) {
      notes.push_back(
          "the loads of constraint " + graph_schema::quoted(one.name) + " sum to " +
          std::to_string(sum) +
          ", which a ParMETIS built with 32-bit indices cannot add; use one built with 64-bit ones");
    }
    out.push_back(&one);
  }
  return out;
}

}  // namespace halograph::detail
