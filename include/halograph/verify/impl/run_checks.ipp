// SPDX-License-Identifier: BSL-1.0
/// @file run_checks.ipp
/// Bodies of the plain functions of verify/run_checks.hpp.
/// Layer: verify. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/folder/load.hpp>
#include <halograph/partition/fixed_point.hpp>
#include <halograph/serial/text/readable.hpp>
#include <halograph/verify/findings.hpp>
#include <halograph/verify/options.hpp>
#include <halograph/verify/run_checks.hpp>
#include <halograph/verify/state.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE bool plausible(const verify_context& state, finding_list& findings) {
  std::uint64_t bytes = 0;
  for (std::size_t p = 0; p < state.config.num_parts; ++p) {
    try {
      bytes += state.files(state.config.resolve(paths_of(state.config, p).graph)).bytes.size();
    } catch (const error& problem) {
      findings.done(check_kind::structure);
      findings.add(check_kind::structure, state.config.path, problem);
    }
  }
  if (state.nodes.size() <= bytes && state.edges.size() <= bytes) return true;
  findings.note(concat({"nothing else is checked, because the parts' graph files have ", bytes,
                        " bytes for the config's ", state.nodes.size(), " nodes and ",
                        state.edges.size(), " edges"}));
  if (findings.count() == 0) {
    findings.add(check_kind::book, state.config.path,
                 concat({"the ranges hold ", state.nodes.size(), " nodes and ", state.edges.size(),
                         " edges, but the parts' graph files have ", bytes, " bytes"}));
  }
  return false;
}

HALOGRAPH_INLINE std::uint64_t verify_memory(std::uint64_t nodes, std::uint64_t edges,
                                             std::uint64_t id_bytes, std::uint64_t running,
                                             std::uint64_t originals, bool keeps_edges) {
  constexpr std::uint64_t base = 32u << 20;  // the process, its libraries and buffers
  // While parts are checked: the ends of edges; of each part the IDs of its HALO nodes, in a vector
  // that grows and sorted. Across parts: edges by target, edges that cross parts; for each part
  // that is checked distance and mark of all nodes, and in vectors that grow those that are reached
  // and those that are expected.
  const std::uint64_t ends = keeps_edges ? 2 * id_bytes : 0,
                      in_parts = saturating(edges, ends, saturating(nodes, 32 * running)),
                      across = keeps_edges
                                   ? saturating(
                                         edges, 2 * ends,
                                         saturating(nodes, id_bytes + (7 * id_bytes + 1) * running))
                                   : 0;
  // Assigned parts, owners, and marks of what has been seen.
  return saturating_sum(
      base,
      saturating(originals, id_bytes,
                 saturating(nodes, 9, saturating_sum(edges / 8, std::max(in_parts, across)))));
}

HALOGRAPH_INLINE void require_memory(const verify_context& state, verification& out,
                                     std::uint64_t bytes) {
  out.memory_bytes = bytes;
  if (bytes <= state.options.most_bytes) return;
  raise(error_kind::memory,
        concat({"verifying this folder needs up to ", readable::bytes(bytes), " of memory, but ",
                readable::bytes(state.options.most_bytes),
                " are available; allow more, or verify one part at a time"}),
        {.file = state.config.path});
}

}  // namespace halograph::detail
