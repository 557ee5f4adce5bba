// SPDX-License-Identifier: BSL-1.0
/// @file assign_need.ipp
/// Bodies of the plain functions of pipeline/out_of_core/assign_need.hpp.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/io/chunked/share.hpp>
#include <halograph/io/chunked/stream.hpp>
#include <halograph/partition/fixed_point.hpp>
#include <halograph/pipeline/out_of_core/assign_need.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace halograph::detail {

/// Of rows that a neighbor stream sorts at once, if it has a window of twice as much.
constexpr std::uint64_t bytes_of_all_rows(std::uint64_t nodes, std::uint64_t entries) noexcept {
  return saturating(entries, nodes <= std::uint64_t{1} << 32 ? 4 : 8, saturating(nodes, 8));
}

/// The need of a partitioner that says how much more than the least it takes once it has begun.
HALOGRAPH_INLINE void keep_budget(const assign_options& options, std::uint64_t most,
                                  std::uint64_t least, assign_need& out) noexcept {
  out.least_memory_bytes = least;
  out.memory_bytes = options.memory_bytes < least ? most : std::min(most, options.memory_bytes);
}

HALOGRAPH_INLINE assign_need estimate_by(const policy_facts& policy, std::uint64_t nodes,
                                         std::uint64_t edges, std::size_t node_types,
                                         const assign_options& options, std::size_t ranks,
                                         std::size_t threads) {
  const edge_access access = policy.access;
  const std::uint64_t least_policy_bytes = options.least_policy_bytes == 0
                                               ? options.policy_bytes
                                               : options.least_policy_bytes;
  constexpr std::uint64_t mib = std::uint64_t{1} << 20, least_window = mib;
  // The process, and blocks of edges and of text, of each thread its own.
  const std::uint64_t base = saturating(threads, 4 * mib, 8 * mib);
  assign_need out;
  out.edges = access;
  out.result_bytes = saturating(nodes, 2);
  const std::uint64_t owners = saturating(nodes, policy.part_bytes);
  const std::size_t constraints = (options.balance.types ? node_types : 1) *
                                  (options.balance.edges ? 2 : 1);
  // Nodes and edges by part and type, and a copy in the result: a vector for each part.
  const std::uint64_t answer = saturating_sum(
      saturating(policy.parts, 24 * std::uint64_t{node_types} + 40), options.caller_bytes);
  out.least_memory_bytes = out.memory_bytes = saturating_sum(saturating_sum(base, answer), owners);
  if (access == edge_access::shared) {
    // First endpoints that are exchanged, with rows and loads; after that the policy's memory.
    const std::uint64_t node_bytes = nodes <= most_shared_nodes<std::uint32_t> ? 4 : 8;
    const auto with = [&](std::uint64_t policy_bytes) {
      std::uint64_t most = 0;
      for (const auto& [own_nodes, ends] : largest_shares(nodes, edges, ranks)) {
        const std::uint64_t kept = saturating_sum(
            saturating(own_nodes, policy.part_bytes + 8 * (constraints == 1 ? 1 : 1 + constraints)),
            saturating(ends, node_bytes));
        most = std::max(
            most, saturating_sum(kept, std::max(saturating(ends, 2 * node_bytes), policy_bytes)));
      }
      return saturating_sum(
          saturating_sum(saturating_sum(base, answer), ranks == 1 ? 0 : node_exchange_bytes), most);
    };
    keep_budget(options, with(options.policy_bytes), with(least_policy_bytes), out);
    return out;
  }
  if (options.balance.edges)
    out.least_memory_bytes = out.memory_bytes = saturating_sum(
        out.memory_bytes, saturating(nodes, 8));  // in-degrees, of which constraints are views
  // Rows are sorted a window at a time; a window for all of them needs few buffers. Of at least 64
  // windows, the offsets of one are in memory in any case.
  constexpr std::uint64_t few_buffers = 2 * mib;
  const std::uint64_t most_window = std::max(32 * mib, nodes), offsets_bytes = nodes / 8;
  if (access == edge_access::streamed) {
    const std::uint64_t whole = bytes_of_all_rows(nodes, edges);
    std::vector<std::uint64_t> offsets(node_types + 1);
    const std::uint64_t words = policy.stream_words(
        {.nodes = nodes, .edges = edges, .node_type_offsets = offsets});
    const std::uint64_t fixed = saturating_sum(
        saturating_sum(out.memory_bytes, saturating(words, 8)), offsets_bytes);
    const std::uint64_t at_once = saturating_sum(fixed, few_buffers + whole),
                        by_windows = saturating_sum(fixed,
                                                    neighbor_stream_buffer_bytes + least_window);
    const bool fits = whole <= most_window / 2;
    out.least_memory_bytes = fits ? std::min(at_once, by_windows) : by_windows;
    if (fits && (options.memory_bytes == 0 || at_once <= options.memory_bytes)) {
      out.memory_bytes = at_once;
      out.window_bytes = 2 * whole;
    } else {
      out.memory_bytes = saturating_sum(by_windows, most_window - least_window);
      if (options.memory_bytes >= by_windows)
        out.memory_bytes = std::min(out.memory_bytes, options.memory_bytes);
      out.window_bytes = out.memory_bytes - by_windows + least_window;
    }
    out.disk_bytes = neighbor_stream_disk_bytes(nodes, edges);
  } else if (access == edge_access::scanned) {
    out.memory_bytes = saturating_sum(out.memory_bytes, options.policy_bytes);
    out.least_memory_bytes = out.memory_bytes;
  } else if (access == edge_access::loaded && policy.compresses) {
    // Rows come through a stream of both directions, and are packed; then the policy has them.
    const std::uint64_t ends = saturating(edges, 2), kept = out.memory_bytes,
                        rows = saturating_sum(saturating_sum(kept, offsets_bytes),
                                              packed_rows_bytes(nodes, ends)),
                        whole = bytes_of_all_rows(nodes, ends);
    out.memory_bytes = saturating_sum(kept, options.policy_bytes);
    const std::uint64_t room = std::max(options.memory_bytes, out.memory_bytes),
                        streamed = saturating_sum(rows, neighbor_stream_buffer_bytes),
                        at_once = saturating_sum(rows, few_buffers + whole);
    const bool fits = whole <= most_window / 2 &&
                      at_once <= std::max(room, saturating_sum(streamed, least_window));
    out.least_memory_bytes = std::max(out.memory_bytes,
                                      fits ? at_once : saturating_sum(streamed, least_window));
    out.window_bytes = fits ? 2 * whole
                            : std::clamp(room > streamed ? room - streamed : 0, least_window,
                                         most_window);
    out.memory_bytes = std::max(out.memory_bytes,
                                fits ? at_once : saturating_sum(streamed, out.window_bytes));
    out.disk_bytes = neighbor_stream_disk_bytes(nodes, ends);
  } else if (access == edge_access::loaded) {
    const std::uint64_t node_bytes = nodes <= std::uint64_t{1} << 32 ? 4 : 8;
    const std::uint64_t kept = saturating_sum(out.memory_bytes, saturating(edges, 2 * node_bytes));
    keep_budget(options, saturating_sum(kept, options.policy_bytes),
                saturating_sum(kept, least_policy_bytes), out);
  }
  return out;
}

}  // namespace halograph::detail
