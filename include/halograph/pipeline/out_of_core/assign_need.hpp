// SPDX-License-Identifier: BSL-1.0
/// @file assign_need.hpp
/// What assigning a chunked graph is asked for, and the memory and disk space that it needs.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/comm/checked_communicator.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/core/status.hpp>
#include <halograph/io/chunked/share.hpp>
#include <halograph/io/chunked/stream.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/distributed.hpp>
#include <halograph/partition/multilevel/weighted_graph.hpp>
#include <halograph/partition/partitioner.hpp>
#include <halograph/partition/streaming.hpp>
#include <halograph/serial/json.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halograph {

/// How a partitioner reads the edges of a chunked graph.
enum class edge_access : std::uint8_t {
  none,      ///< it does not
  scanned,   ///< each once, in any order; it keeps those that it needs
  streamed,  ///< one node and its neighbors at a time
  loaded,    ///< all of them, in memory
  shared     ///< each rank those with an endpoint among its nodes
};
/// The access as reports name it.
constexpr std::string_view name(edge_access access) noexcept {
  constexpr std::array<std::string_view, 5> names{"none", "scanned", "streamed", "loaded",
                                                  "shared"};
  return names[static_cast<std::size_t>(access)];
}

/// What an assignment requires besides the input; memory is that of each rank.
struct assign_need {
  edge_access edges = edge_access::none;  ///< how the policy reads edges
  /// Upper bound. With shared edges it is approximate: a node may have more than a rank's share.
  /// With scanned edges, too: how many are kept is not known before.
  std::uint64_t memory_bytes = 0;
  std::uint64_t least_memory_bytes = 0;  ///< the smallest budget that suffices
  std::uint64_t window_bytes = 0;        ///< of it, for rows that are sorted at once
  std::uint64_t disk_bytes = 0;          ///< of scratch files, upper bound
  /// of the result's files, lower bound: a digit and a line end for each node
  std::uint64_t result_bytes = 0;
};

/// How to assign.
struct assign_options {
  std::uint64_t memory_bytes = 0;  ///< budget; 0: no more than is needed
  std::uint64_t policy_bytes = 0;  ///< memory of a partitioner besides loaded or shared edges
                                   ///< (metis_bytes; of each rank), or of one that scans them
  /// What a partitioner of loaded or shared edges takes before it says how much more it takes
  /// (memory_callback), where that is less; 0: policy_bytes. A budget from there on is accepted,
  /// and whoever listens to the partitioner keeps it.
  std::uint64_t least_policy_bytes = 0;
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
  progress_callback on_progress{};  ///< told of each step
};

namespace detail {

/// Can a policy assign nodes on ranks that each have the rows of their own? It communicates through
/// checked_communicator, so that it may run out of memory.
template <class Policy, class Ranks>
concept shares_edges =
    names_part<Policy> &&
    assigns_on_ranks<Policy, checked_communicator<Ranks>, distributed_graph_view<std::uint32_t>> &&
    assigns_on_ranks<Policy, checked_communicator<Ranks>, distributed_graph_view<std::uint64_t>>;

/// Does a policy look at each edge once and keep what it needs? (partition/placement/new_nodes.hpp)
template <class Policy>
concept scans_edges = names_part<Policy> &&
                      requires(const Policy& policy, const stream_shape& shape,
                               std::span<typename Policy::part> owner, typename Policy::scan& scan,
                               std::uint64_t v) {
                        { policy.begin_scan(shape, owner, scan) } -> std::same_as<status>;
                        { scan.touches(v, v) } -> std::same_as<bool>;
                        { scan.add(v, v) } -> std::same_as<status>;
                        { scan.finish() } -> std::same_as<status>;
                      };

template <class Policy, class Ranks>
constexpr edge_access access_of() noexcept {
  if (!reads_edges<Policy>) return edge_access::none;
  if (scans_edges<Policy>) return edge_access::scanned;
  if (shares_edges<Policy, Ranks>) return edge_access::shared;
  return streaming_partitioner<Policy> ? edge_access::streamed : edge_access::loaded;
}

/// Can constraints be given to a copy of a policy?
template <class Policy>
concept lends_constraints = takes_constraints<Policy> && std::copy_constructible<Policy>;

/// What an assignment has to know of a policy.
struct policy_facts {
  edge_access access = edge_access::none;
  std::uint64_t parts = 1;
  std::uint64_t part_bytes = 0;  ///< of the part of a node
  std::string_view name{};
  double tolerance = default_tolerance;
  std::optional<std::uint64_t> seed{};
  bool lends_constraints = false;
  bool compresses = false;  ///< where edges are loaded: as undirected rows, packed
  /// Words of memory, where it is a streaming_partitioner.
  std::function<std::uint64_t(const stream_shape&)> stream_words{};
};

/// @param policy  must outlive the result
template <class Policy, class Ranks>
policy_facts facts_of(const Policy& policy) {
  policy_facts out;
  out.access = access_of<Policy, Ranks>();
  out.parts = static_cast<std::uint64_t>(policy.parts);
  out.part_bytes = sizeof(typename Policy::part);
  out.name = name_of_policy<Policy>();
  if constexpr (takes_tolerance<Policy>) out.tolerance = static_cast<double>(policy.tolerance);
  if constexpr (takes_seed<Policy>) out.seed = static_cast<std::uint64_t>(policy.seed);
  out.lends_constraints = lends_constraints<Policy>;
  if constexpr (assigns_rows<Policy>) out.compresses = policy.compress;
  if constexpr (streaming_partitioner<Policy>) {
    out.stream_words = [&policy](const stream_shape& shape) {
      const auto words = static_cast<std::uint64_t>(policy.stream_scratch_size(shape));
      if constexpr (requires { policy.stream_bytes(shape); })
        return saturating_sum(words, static_cast<std::uint64_t>(policy.stream_bytes(shape)) / 8);
      else
        return words;
    };
  }
  return out;
}

/// estimate_assign() for any policy and any number of ranks.
/// @param threads  of a rank
assign_need estimate_by(const policy_facts& policy, std::uint64_t nodes, std::uint64_t edges,
                        std::size_t node_types, const assign_options& options, std::size_t ranks,
                        std::size_t threads);
}  // namespace detail

/// What it takes to assign a graph of so many nodes and edges.
/// @param ranks    the ranks that share the work
/// @param threads  of each
/// @complexity     O(1)
template <class Policy, communicator Ranks = single_rank>
assign_need estimate_assign(const Policy& policy, std::uint64_t nodes, std::uint64_t edges,
                            std::size_t node_types, const assign_options& options = {},
                            const Ranks& ranks = {}, std::size_t threads = 1) {
  return detail::estimate_by(detail::facts_of<Policy, Ranks>(policy), nodes, edges, node_types,
                             options, ranks.size(), threads);
}

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/pipeline/out_of_core/impl/assign_need.ipp>
#endif
