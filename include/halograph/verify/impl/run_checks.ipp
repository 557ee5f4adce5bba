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
#include <halograph/verify/spaces.hpp>
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

HALOGRAPH_INLINE bool ends_are_in_parts(const verify_context& state, verify_sizes& sizes) {
  bool pairs = !state.edges.mapped();
  for (std::size_t p = 0; p < state.config.num_parts; ++p) {
    open_part part;
    if (state.options.part.value_or(p) != p || !open(state, p, part, reading::columns)) continue;
    sizes.halo_edges = saturating_sum(
        sizes.halo_edges, part.graph.edges - std::min(part.graph.edges, state.edges.count(p)));
    if (part.graph.coo) continue;
    pairs = false;
    sizes.paired_edges = std::max(sizes.paired_edges, part.graph.edges);
  }
  return pairs;
}

HALOGRAPH_INLINE std::uint64_t verify_memory(const verify_sizes& of) {
  constexpr std::uint64_t base = 8u << 20;  // the process, its libraries and buffers
  const std::uint64_t id = of.id_bytes;
  // While parts are checked: the ends of edges; of each part the IDs of its HALO nodes, twice.
  // Across parts: edges by target, edges that cross parts; for each part that is checked distance
  // and mark of all nodes, and those that are reached.
  const bool in_memory = of.ends == ends_kept::in_memory,
             lists_in_edges = in_memory || (of.ends == ends_kept::in_parts && of.hops > 1);
  const std::uint64_t kept = in_memory ? 2 * id : 0,
                      in_parts = saturating(of.edges, kept,
                                            saturating(of.nodes, 2 * id * of.running)),
                      across = of.ends == ends_kept::nowhere
                                   ? 0
                                   : saturating(
                                         of.edges,
                                         kept + (in_memory ? id : 0) + (lists_in_edges ? id : 0),
                                         saturating(of.nodes, (lists_in_edges ? id : 0) +
                                                                  (2 * id + 1) * of.running));
  // Original IDs are read a block at a time, before.
  const std::uint64_t block =
      of.originals == 0
          ? 0
          : saturating(std::min<std::uint64_t>(std::max(of.nodes, of.edges), id_block), id);
  // Columns of all parts.
  const std::uint64_t open_parts = of.ends == ends_kept::in_parts ? saturating(of.parts, 2048) : 0;
  // Original IDs, parts one by one, marks of what has been seen, and pairs made of rows.
  const std::uint64_t always = saturating(
      of.originals, id,
      saturating(of.owners, sizeof(part_id),
                 saturating(of.paired_edges, 16 * of.running,
                            saturating_sum(base, of.nodes / 8 + of.edges / 8))));
  return saturating_sum(saturating_sum(always, open_parts), std::max({in_parts, across, block}));
}

HALOGRAPH_INLINE void require_memory(verify_context& state, verification& out, verify_sizes of) {
  const std::uint64_t most = state.options.most_bytes;
  if (state.nodes.mapped()) of.owners = saturating_sum(of.owners, of.nodes);
  if (state.edges.mapped()) of.owners = saturating_sum(of.owners, of.edges);
  if (!state.options.assignment.empty()) of.owners = saturating_sum(of.owners, of.nodes);
  const std::uint64_t running = of.running;
  of.running = 1;
  out.least_bytes = verify_memory(of);
  of.running = running;
  while (of.running > 1 && verify_memory(of) > most) --of.running;
  const std::uint64_t need = verify_memory(of);
  if (need > most) {
    raise(
        error_kind::memory,
        concat({"verifying this folder needs up to ", readable::bytes(need), " of memory, but ",
                readable::bytes(most), " are available; allow more, or verify one part at a time"}),
        {.file = state.config.path});
  }
  state.running = static_cast<std::size_t>(std::max<std::uint64_t>(1, of.running));
  // Edges that cross parts are listed if there is room.
  state.cut_list_bytes = of.ends == ends_kept::in_parts
                             ? std::min(most - need,
                                        saturating(std::min(of.edges, of.halo_edges), of.id_bytes))
                             : 0;
  out.memory_bytes = saturating_sum(need, state.cut_list_bytes);
}

}  // namespace halograph::detail
