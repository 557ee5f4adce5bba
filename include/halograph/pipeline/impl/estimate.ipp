// SPDX-License-Identifier: BSL-1.0
/// @file estimate.ipp
/// Bodies of the plain functions of pipeline/estimate.hpp.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/partition/fixed_point.hpp>
#include <halograph/partition/quality.hpp>
#include <halograph/pipeline/estimate.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/layout.hpp>
#include <halograph/serial/serializer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

namespace detail {

HALOGRAPH_INLINE stored_bytes stored_bytes_of(const estimate_input& in) {
  const std::uint64_t parts = std::max<std::uint64_t>(1, in.parts);
  const bool typed = parts == 1 || in.node_types > 1 || in.edge_types > 1;
  const auto formats = std::uint64_t{in.formats.has(sparse_format::csr)} +
                       std::uint64_t{in.formats.has(sparse_format::csc)};
  stored_bytes out;
  out.node = 8 + 1 + (parts > 1 ? 8u : 0u) + (typed ? 4u : 0u) + (in.original_ids ? 8u : 0u) +
             8 * formats;
  out.edge = (in.formats.has(sparse_format::coo) ? 16u : 0u) + 16 * formats + 8 + 1 +
             (typed ? 4u : 0u) + (in.original_ids ? 8u : 0u);
  // The compact mapping: the part of each node, or in another order its original ID.
  const std::uint64_t mapped = in.original_order ? parts - 1
                                                 : std::max<std::uint64_t>(in.nodes, 1) - 1;
  out.mapping = !in.compact_mapping || !in.reshuffle || (in.original_order && parts == 1) ? 0
                : mapped <= 0xFF                                                          ? 1
                : mapped <= 0xFFFF                                                        ? 2
                : mapped <= 0xFFFFFFFF                                                    ? 4
                                                                                          : 8;
  const auto headers = saturating(parts, 16384 + 256 * (in.node_types + in.edge_types), 4096);
  out.once = saturating_sum(
      saturating_sum(in.feature_bytes, headers),
      saturating(in.mapping ? 8 : 0, saturating_sum(in.nodes, in.edges),
                 in.reshuffle ? 0 : saturating(saturating_sum(in.nodes, in.edges), 8)));
  return out;
}

HALOGRAPH_INLINE std::uint64_t bytes_to_measure(const estimate_input& in) {
  return bytes_to_count_crossing(in.nodes, in.edges, in.parts, in.threads, in.node_id_bytes);
}

}  // namespace detail

HALOGRAPH_INLINE resource_estimate estimate_partition(const estimate_input& in) {
  using detail::saturating;
  using detail::saturating_sum;
  const std::uint64_t n = in.nodes, m = in.edges, a = in.node_id_bytes, b = in.edge_id_bytes;
  const std::uint64_t parts = std::max<std::uint64_t>(1, in.parts),
                      threads = std::max<std::uint64_t>(1, in.threads),
                      running = std::min(parts, threads);
  // The process itself, its libraries and blocks that threads read and write through.
  const std::uint64_t base = saturating(std::min<std::uint64_t>(threads, 4096), 2u << 20, 6u << 20);
  // The edges; the part of each node, and another number for it where parts were given.
  const auto input = saturating_sum(saturating(m, 2 * a, saturating(n, 8, base)),
                                    in.resident_input_bytes);

  resource_estimate out;
  const auto add = [&](const char* name, std::uint64_t memory, std::uint64_t least = 0,
                       std::uint64_t most = 0) {
    memory = saturating_sum(memory, memory / 24);  // what allocators keep between pieces
    out.steps.push_back({name, memory, least, most});
    out.peak_bytes = std::max(out.peak_bytes, memory);
    out.disk_bytes_least = saturating_sum(out.disk_bytes_least, least);
    out.disk_bytes_most = saturating_sum(out.disk_bytes_most, most);
  };
  add("read", input);
  add("assign", saturating_sum(input, in.policy_bytes));
  if (in.measure_quality) add("measure", saturating_sum(input, detail::bytes_to_measure(in)));
  // What partition_plan holds. Original IDs of edges are kept where something needs them, new ones
  // where they are not the edges' positions; every edge may be cut.
  const bool by_position = in.reshuffle && parts > 1 && in.edge_types <= 1 && in.hops != 0,
             keeps_ids = !by_position || in.original_ids || in.mapping || in.return_mapping ||
                         in.feature_bytes != 0;
  const std::uint64_t row = a + (keeps_ids ? b : 0), cut = parts > 1 ? 2 * a + b : 0,
                      plan = row + cut + (by_position ? 0 : b);
  // While rows are made each edge is held twice, and before that, in another order of nodes, in
  // rows by original ID.
  const std::uint64_t sorted = row + 2 * a + (keeps_ids ? b : 0);
  add("relabel", saturating(m, std::max(plan, sorted) + (in.original_order ? 0 : a + b),
                            saturating(n, 2 * a + b + (in.original_order ? 0 : a + 8 + b), input)));
  // A part: local IDs of all nodes; its HALO, while that is sorted, and once more the nodes whose
  // in-edges it follows; the edges in the order of their IDs, where positions are not; rows in
  // other formats. Parts may differ in size.
  const std::uint64_t share = in.hops > 1 ? m : std::min(m, saturating(m, 2) / parts),
                      others = n - n / parts,
                      halo = in.hops == 0   ? 0
                             : in.hops == 1 ? std::min(others, share)
                                            : others;
  const bool compressed = in.formats.has(sparse_format::csr) || in.formats.has(sparse_format::csc);
  const auto of_edges = saturating(
      std::max(saturating(share, running), m / 2), by_position ? 0 : 2 * (a + b),
      compressed ? saturating(std::max(saturating(share, running), m), 2 * (a + b)) : 0);
  const auto of_nodes = saturating(
      running, saturating(halo, (in.hops > 1 ? 6 : 4) * a,
                          saturating(n, a, saturating(n / parts, compressed ? 16 : 0, 1u << 19))));
  const auto mapping = in.return_mapping ? saturating(n, 8, saturating(m, 8)) : 0;
  const auto held = saturating_sum(saturating_sum(of_edges, of_nodes), mapping);

  const auto [node_row, edge_row, mapped_row, once] = detail::stored_bytes_of(in);
  const auto least = saturating_sum(once,
                                    saturating(n, node_row + mapped_row, saturating(m, edge_row)));
  // One hop: an edge is held by the parts of both ends. More hops: by any part.
  const std::uint64_t copies = in.hops == 0   ? 1
                               : in.hops == 1 ? std::min<std::uint64_t>(parts, 2)
                                              : parts;
  const std::uint64_t halo_nodes = in.hops == 0 ? n
                                                : std::min(saturating(n, parts),
                                                           in.hops == 1 ? saturating(m, 2, n)
                                                                        : saturating(n, parts));
  const auto most = saturating_sum(
      once, saturating(halo_nodes, node_row,
                       saturating(saturating(m, edge_row), copies, saturating(n, mapped_row))));
  add("write", saturating(m, plan, saturating(n, a + b, saturating_sum(input, held))), least, most);
  return out;
}

HALOGRAPH_INLINE json::value to_json(const resource_estimate& estimate) {
  json::value steps{json::array{}};
  for (const auto& step : estimate.steps) {
    steps.push(json::object{{"name", step.name},
                            {"memory_bytes", step.memory_bytes},
                            {"disk_bytes_least", step.disk_bytes_least},
                            {"disk_bytes_most", step.disk_bytes_most}});
  }
  return json::object{{"steps", std::move(steps)},
                      {"peak_bytes", estimate.peak_bytes},
                      {"disk_bytes_least", estimate.disk_bytes_least},
                      {"disk_bytes_most", estimate.disk_bytes_most}};
}

}  // namespace halograph
