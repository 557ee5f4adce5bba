// SPDX-License-Identifier: BSL-1.0
/// @file assign_need.hpp
/// What assigning a chunked graph is asked for, and the memory and disk space that it needs.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/comm/checked_communicator.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/fixed_point.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/io/chunked/share.hpp>
#include <halograph/io/chunked/stream.hpp>
#include <halograph/partition/distributed.hpp>
#include <halograph/partition/partitioner.hpp>
#include <halograph/partition/streaming.hpp>
#include <halograph/serial/json.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace halograph {

/// How a partitioner reads the edges of a chunked graph.
enum class edge_access : std::uint8_t {
  none,      ///< it does not
  streamed,  ///< one node and its neighbors at a time
  loaded,    ///< all of them, in memory
  shared     ///< each rank those with an endpoint among its nodes
};
constexpr std::string_view name(edge_access access) noexcept {
  constexpr std::array<std::string_view, 4> names{"none", "streamed", "loaded", "shared"};
  return names[static_cast<std::size_t>(access)];
}

/// What an assignment requires besides the input; memory is that of each rank.
struct assign_need {
  edge_access edges = edge_access::none;
  /// Upper bound. With shared edges it is approximate: a node may have more than a rank's share.
  std::uint64_t memory_bytes = 0;
  std::uint64_t least_memory_bytes = 0;  ///< the smallest budget that suffices
  std::uint64_t disk_bytes = 0;          ///< of scratch files, upper bound
  /// of the result's files, lower bound: a digit and a line end for each node
  std::uint64_t result_bytes = 0;
};

/// How to assign.
struct assign_options {
  std::uint64_t memory_bytes = 0;  ///< budget; 0: no more than is needed
  std::uint64_t policy_bytes = 0;  ///< memory of a partitioner besides loaded or shared edges
                                   ///< (metis_bytes; of each rank)
  /// Balancing edges requires a policy that takes constraints or is distributed; balancing all
  /// types together requires one that is distributed or has a member balance_types, or balanced
  /// edges.
  assign_balance balance{};
  /// memory that the caller needs for the result; counted in assign_need
  std::uint64_t caller_bytes = 0;
  bool measure_cut = true;  ///< read the edges again and count those that cross parts
  std::string method{};     ///< partition_meta.json's "method"; "": the policy's name
  json::value settings{};   ///< its "options": what else decides the result; null: none
  json::value command{};    ///< how the result was made, for the manifest
  /// called before any edge is read; may throw to refuse
  std::function<void(const assign_need&)> on_need{};
  progress_callback on_progress{};
};

namespace detail {

/// Can a policy assign nodes on ranks that each have the rows of their own? It communicates through
/// checked_communicator, so that it may run out of memory.
template <class Policy, class Ranks>
concept shares_edges =
    names_part<Policy> &&
    assigns_on_ranks<Policy, checked_communicator<Ranks>, distributed_graph_view<std::uint32_t>> &&
    assigns_on_ranks<Policy, checked_communicator<Ranks>, distributed_graph_view<std::uint64_t>>;

template <class Policy, class Ranks>
constexpr edge_access access_of() noexcept {
  if (!reads_edges<Policy>) return edge_access::none;
  if (shares_edges<Policy, Ranks>) return edge_access::shared;
  return streaming_partitioner<Policy> ? edge_access::streamed : edge_access::loaded;
}

}  // namespace detail

/// What it takes to assign a graph of so many nodes and edges.
/// @param ranks  the ranks that share the work
/// @complexity   O(1)
template <class Policy, communicator Ranks = single_rank>
assign_need estimate_assign(const Policy& policy, std::uint64_t nodes, std::uint64_t edges,
                            std::size_t node_types, const assign_options& options = {},
                            const Ranks& ranks = {}) {
  constexpr edge_access access = detail::access_of<Policy, Ranks>();
  using detail::saturating;
  using detail::saturating_sum;
  // The process, blocks of edges, blocks of text.
  constexpr std::uint64_t base = std::uint64_t{32} << 20, least_window = std::uint64_t{1} << 20;
  assign_need out;
  out.edges = access;
  out.result_bytes = saturating(nodes, 2);
  const std::uint64_t owners = saturating(nodes, sizeof(typename Policy::part));
  const std::size_t constraints = (options.balance.types ? node_types : 1) *
                                  (options.balance.edges ? 2 : 1);
  // Nodes and edges by part and type, and a copy in the result: a vector for each part.
  const std::uint64_t answer = saturating_sum(
      saturating(static_cast<std::uint64_t>(policy.parts), 24 * std::uint64_t{node_types} + 40),
      options.caller_bytes);
  out.least_memory_bytes = out.memory_bytes = saturating_sum(saturating_sum(base, answer), owners);
  if constexpr (access == edge_access::shared) {
    // First endpoints that are exchanged, with rows and loads; after that the policy's memory.
    const std::uint64_t node_bytes = nodes <= detail::most_shared_nodes<std::uint32_t> ? 4 : 8;
    std::uint64_t most = 0;
    for (const auto& [own_nodes, ends] : largest_shares(nodes, edges, ranks.size())) {
      const std::uint64_t kept = saturating_sum(
          saturating(own_nodes,
                     sizeof(typename Policy::part) + 8 * (constraints == 1 ? 1 : 1 + constraints)),
          saturating(ends, node_bytes));
      most = std::max(most, saturating_sum(kept, std::max(saturating(ends, 2 * node_bytes),
                                                          options.policy_bytes)));
    }
    out.memory_bytes = saturating_sum(
        saturating_sum(saturating_sum(base, answer), node_exchange_bytes), most);
    out.least_memory_bytes = out.memory_bytes;
    return out;
  }
  if (options.balance.edges)
    out.least_memory_bytes = out.memory_bytes = saturating_sum(
        out.memory_bytes, saturating(nodes, 8));  // in-degrees, of which constraints are views
  if constexpr (access == edge_access::streamed) {
    std::vector<std::uint64_t> offsets(node_types + 1);
    const auto words = static_cast<std::uint64_t>(
        policy.stream_scratch_size({.nodes = nodes, .edges = edges, .node_type_offsets = offsets}));
    const std::uint64_t fixed = saturating_sum(
        saturating_sum(out.memory_bytes, saturating(words, 8)), neighbor_stream_buffer_bytes);
    // Of at least 64 windows, the offsets of one are in memory in any case.
    const std::uint64_t offsets_bytes = nodes / 8;
    const std::uint64_t window = std::max(std::uint64_t{32} << 20, nodes);
    out.least_memory_bytes = saturating_sum(fixed, saturating_sum(least_window, offsets_bytes));
    out.memory_bytes = saturating_sum(fixed, saturating_sum(window, offsets_bytes));
    if (options.memory_bytes >= out.least_memory_bytes)
      out.memory_bytes = std::min(out.memory_bytes, options.memory_bytes);
    out.disk_bytes = neighbor_stream_disk_bytes(nodes, edges);
  } else if constexpr (access == edge_access::loaded) {
    const std::uint64_t node_bytes = nodes <= std::uint64_t{1} << 32 ? 4 : 8;
    out.memory_bytes = saturating_sum(
        saturating_sum(out.memory_bytes, saturating(edges, 2 * node_bytes)), options.policy_bytes);
    out.least_memory_bytes = out.memory_bytes;
  }
  return out;
}

}  // namespace halograph
