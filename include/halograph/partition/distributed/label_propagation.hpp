// SPDX-License-Identifier: BSL-1.0
/// @file label_propagation.hpp
/// Partition a graph over any number of ranks with few cut edges, several loads balanced, the same
/// result for any number of them.
/// Layer: partition (allocates what ranks exchange; no exceptions of its own). Words: README.md.
#pragma once

#include <halograph/core/communicator.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/random.hpp>
#include <halograph/core/search.hpp>
#include <halograph/core/status.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/distributed.hpp>
#include <halograph/partition/distributed/remote_values.hpp>
#include <halograph/partition/fixed_point.hpp>
#include <halograph/partition/loads.hpp>
#include <halograph/partition/multilevel/multilevel.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace halograph {

/// Multilevel size-constrained label propagation over ranks: nodes join the cluster most of their
/// weight goes to, clusters become the nodes of a coarser graph until it is small, which recursive
/// bisection cuts, and on the way back nodes move to the part that holds most of their neighbors,
/// where that has room.
///
///     hg::distributed_label_propagation policy{.parts = 8, .tolerance = 0.02};
///     std::vector<hg::part_id> owner(mine.num_nodes());
///     const hg::status answer = hg::assign_into(mine, policy, owner, ranks);
///
/// Every constraint of the graph is balanced on its own, within its tolerance. Where nodes weigh 1
/// in one constraint that is always met; a node heavier than a part may hold, or several weights at
/// odds, may leave more: measure_distributed() gives the result. No part is empty where N >= K;
/// where N <= K, node v gets part v.
///
/// @complexity  O(n + m) time and memory on each rank for its share (the pieces of coarser graphs
///     included), sums of K x constraints x 64 words, and the coarsest graph on every rank: of
///     max(`coarsest`, 64 K) nodes where clusters are found, never of more than 2^18 (or
///     `coarsest`) nodes or `coarsest_entries` neighbors; a larger one is cut by its numbering,
///     then refined
/// @repeatable  the same owners for any number of ranks and any ranges, on every machine
/// @source Raghavan, Albert & Kumara, Phys. Rev. E 76, 2007; Meyerhenke, Sanders & Schulz,
///     "Parallel graph partitioning for complex networks", IEEE TPDS 28(9), 2017; synchronous moves
///     selected by gain: Gottesbueren & Hamann, "Deterministic parallel hypergraph partitioning",
///     Euro-Par 2022
template <unsigned_id Part = part_id>
struct basic_distributed_label_propagation {
  using part = Part;
  static constexpr std::string_view name = "label_propagation";

  std::uint64_t parts = 1;
  double tolerance = default_tolerance;  ///< of every constraint
  std::span<const double> tolerances{};  ///< [constraints] of each, or empty: `tolerance`
  std::uint64_t seed = 0;
  std::uint32_t rounds = 12;      ///< of refinement at each level, at most
  std::uint64_t coarsest = 2048;  ///< nodes of the coarsest graph, about
  std::uint64_t coarsest_entries = std::uint64_t{1}
                                   << 23;  ///< neighbors in its rows, at most: about 50 bytes each

  /// Collective. @param local  this rank's piece   @param owner  [n] out
  /// @errors  the same on every rank: those of check_distributed_graph; invalid_argument: 0 parts,
  ///     a tolerance that is negative or NaN; overflow: Part is too narrow, or there are 2^32
  ///     parts; mismatch: owner is not [n]
  template <communicator C, id Node, id Offset>
  status assign(const C& ranks, const distributed_graph_view<Node, Offset>& local,
                std::span<part> owner) const {
    if (const status sound = check_distributed_graph(
            ranks, local,
            detail::asked_of({parts, seed, rounds, coarsest, coarsest_entries}, tolerance,
                             tolerances));
        !sound)
      return sound;
    const std::size_t nodes = local.num_nodes(), rows = local.constraints;
    if (const status all = agree(ranks, check(nodes, rows, owner)); !all) return all;
    if (detail::assign_few_nodes(parts, local.ranges, static_cast<std::size_t>(ranks.rank()),
                                 owner))
      return status::ok;
    std::vector<std::uint64_t> total(rows), caps(rows);
    for (std::size_t v = 0; v < nodes; ++v) {
      for (std::size_t c = 0; c < rows; ++c) total[c] += local.load(v, c);
    }
    if (const status answer = ranks.sum(total); !answer) return answer;
    for (std::size_t c = 0; c < rows; ++c) {
      node_loads one;
      if (const status made = node_loads::make(0, {}, {},
                                               tolerances.empty() ? tolerance : tolerances[c], one);
          !made)
        return made;
      caps[c] = one.cap(0, total[c], parts);
    }
    detail::multilevel_problem<C> problem(
        ranks, {static_cast<std::uint32_t>(parts), seed, rounds, coarsest, coarsest_entries},
        std::move(caps));
    detail::level_graph finest;
    if (const status made = make_level(ranks, local, finest); !made) return made;
    std::vector<std::uint64_t> found;
    if (const status answer = detail::partition_multilevel(problem, std::move(finest), found);
        !answer)
      return answer;
    for (std::size_t v = 0; v < nodes; ++v) owner[v] = static_cast<part>(found[v]);
    return status::ok;
  }

  /// The sentence for a status of assign, or "".
  std::string explain(status answer) const {
    if (answer == status::invalid_argument && parts != 0 && sound_tolerances())
      return explain_distributed_graph(answer);
    if (answer == status::invalid_argument)
      return "the number of parts must be at least 1, and tolerances must be 0 or more";
    if (answer == status::overflow && parts > id_capacity<part>())
      return "the number of parts (" + std::to_string(parts) + ") does not fit its type";
    return explain_distributed_graph(answer);
  }

 private:
  template <communicator C, id Node, id Offset>
  static status make_level(const C& ranks, const distributed_graph_view<Node, Offset>& local,
                           detail::level_graph& out) {
    const auto rank = static_cast<std::size_t>(ranks.rank());
    const std::uint64_t first = local.ranges[rank], last = local.ranges[rank + 1];
    const std::size_t nodes = local.num_nodes();
    out.ranges.assign(local.ranges.begin(), local.ranges.end());
    if (nodes != 0) out.offsets.assign(local.offsets.begin(), local.offsets.end());
    out.loads.reserve(nodes * (local.constraints + 1));
    for (std::size_t v = 0; v < nodes; ++v) {
      for (std::size_t c = 0; c < local.constraints; ++c) out.loads.push_back(local.load(v, c));
      out.loads.push_back(1);
    }
    if (const status made = out.remote.make(ranks, local.ranges,
                                            detail::remote_nodes(local.neighbors, first, last));
        !made)
      return made;
    out.targets.reserve(local.neighbors.size());
    for (const auto neighbor : local.neighbors) {
      const auto u = static_cast<std::uint64_t>(neighbor);
      out.targets.push_back(u >= first && u < last ? u - first : nodes + out.remote.position_of(u));
    }
    out.weights.reserve(local.edge_weights.size());
    for (const auto weight : local.edge_weights)
      out.weights.push_back(static_cast<std::uint64_t>(weight));
    return status::ok;
  }

  constexpr bool sound_tolerances() const {
    bool sound = tolerance >= 0;
    for (const double one : tolerances) sound = sound && one >= 0;
    return sound;
  }
  constexpr status check(std::size_t nodes, std::size_t constraints,
                         std::span<const part> owner) const {
    if (const status fits = check_parts<part>(parts, nodes, owner); !fits) return fits;
    if (parts > 0xFFFFFFFFu) return status::overflow.at(parts);
    if (!tolerances.empty() && tolerances.size() != constraints)
      return status::mismatch.at(constraints);
    return sound_tolerances() ? status::ok : status::invalid_argument;
  }
};

using distributed_label_propagation = basic_distributed_label_propagation<>;

/// Estimated bytes that distributed_label_propagation takes on each of `ranks` ranks besides its
/// input, where the ranks share nodes and neighbors evenly. Saturates. Measured on
/// one rank with 16 parts (rmat scales 14 to 20, a grid, a star, random neighbors): the peak was
/// 0.3 to 0.8 times this.
/// @param entries  neighbors in all rows of all ranks
/// @complexity     O(1)
constexpr std::uint64_t distributed_label_propagation_bytes(
    std::uint64_t nodes, std::uint64_t entries, std::size_t constraints, std::uint64_t parts,
    std::size_t ranks,
    std::uint64_t coarsest_entries = distributed_label_propagation{}.coarsest_entries) noexcept {
  // Rows of all levels, and of several ranks those in transit; arrays of nodes; sums over parts;
  // the coarsest graph. Numbers take 4 bytes each up to 2^32.
  const std::uint64_t rows = std::uint64_t{constraints} + 1;
  // A coarser graph keeps most of its neighbors where degrees follow a power law, and each
  // doubling of the nodes adds one.
  const auto doublings = static_cast<std::uint64_t>(std::bit_width(nodes));
  const std::uint64_t per_entry = 16 +
                                  4 * std::max<std::uint64_t>(6,
                                                              doublings > 10 ? doublings - 10 : 0) +
                                  (ranks > 1 ? 24 : 0);
  const std::array<std::uint64_t, 4> all{
      saturating_multiply(entries / ranks + (entries % ranks != 0 ? 1 : 0), per_entry),
      saturating_multiply(nodes / ranks + (nodes % ranks != 0 ? 1 : 0), 100 + 40 * rows),
      saturating_multiply(parts, saturating_multiply(rows, 2048)),
      saturating_multiply(std::min(entries, coarsest_entries), 24)};
  std::uint64_t sum = 0;
  for (const std::uint64_t one : all) sum = one > ~sum ? ~std::uint64_t{0} : sum + one;
  return sum;
}

}  // namespace halograph
