// SPDX-License-Identifier: BSL-1.0
/// @file label_propagation.hpp
/// Partition a graph over any number of ranks with few cut edges, several loads balanced, the same
/// result for any number of them.
/// Layer: partition (allocates what ranks exchange; no exceptions of its own). Words: README.md.
#pragma once

#include <halograph/core/communicator.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/core/random.hpp>
#include <halograph/core/search.hpp>
#include <halograph/core/status.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/distributed.hpp>
#include <halograph/partition/distributed/remote_values.hpp>
#include <halograph/partition/fixed_point.hpp>
#include <halograph/partition/loads.hpp>
#include <halograph/partition/multilevel.hpp>
#include <halograph/partition/multilevel/effort.hpp>
#include <halograph/partition/multilevel/multilevel.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace halograph {

namespace detail {

/// The rows that a rank has of the graph, as gather_graph() reads them.
template <id Node, id Offset>
struct rows_of_piece {
  const distributed_graph_view<Node, Offset>& local;

  std::span<const std::uint64_t> ranges() const noexcept { return local.ranges; }
  std::size_t num_nodes() const noexcept { return local.num_nodes(); }
  std::size_t num_entries() const noexcept { return local.neighbors.size(); }
  std::size_t num_loads() const noexcept { return local.constraints; }
  bool has_weights() const noexcept { return !local.edge_weights.empty(); }
  std::uint64_t degree(std::size_t v) const noexcept {
    return local.row_end(v) - local.row_begin(v);
  }
  std::uint64_t load(std::size_t v, std::size_t r) const noexcept { return local.load(v, r); }
  std::uint64_t neighbor(std::size_t e) const noexcept {
    return static_cast<std::uint64_t>(local.neighbors[e]);
  }
  std::uint64_t weight(std::size_t e) const noexcept { return local.weight(e); }
};

}  // namespace detail

/// The sibling of multilevel over ranks: nodes join the cluster most of their weight goes to,
/// clusters become the nodes of a coarser graph until one rank can hold it whole, which multilevel
/// cuts; on the way back nodes move to the part that holds most of their neighbors, where that has
/// room, and then many at once, as Jet does.
///
///     hg::distributed_label_propagation policy{.parts = 8, .tolerance = 0.02};
///     std::vector<hg::part_id> owner(mine.num_nodes());
///     const hg::status answer = hg::assign_into(mine, policy, owner, ranks);
///
/// A graph of at most `coarsest_entries` is held whole from the start: the result is then that of
/// multilevel. Minimum cuts between parts are found only in what is held whole.
///
/// Every constraint of the graph is balanced on its own, within its tolerance. Where nodes weigh 1
/// in one constraint that is always met; a node heavier than a part may hold, or several weights at
/// odds, may leave more: measure_distributed() gives the result. No part is empty where N >= K;
/// where N <= K, node v gets part v.
///
/// @complexity  O(n + m) time and memory on each rank for its share (the pieces of coarser graphs
///     included), sums of K x constraints x 128 words, and on the first rank a graph of
///     `coarsest_entries` neighbors and nodes at most, partitioned by multilevel; where clusters
///     are found no more before it is that small, it is cut by its numbering, then refined
/// @repeatable  the same owners for any number of ranks and any ranges, on every machine
/// @source Raghavan, Albert & Kumara, Phys. Rev. E 76, 2007; Meyerhenke, Sanders & Schulz,
///     "Parallel graph partitioning for complex networks", IEEE TPDS 28(9), 2017; synchronous moves
///     selected by gain: Gottesbueren & Hamann, "Deterministic parallel hypergraph partitioning",
///     Euro-Par 2022; Gilbert, Madduri, Boman & Rajamanickam, "Jet: Multilevel graph partitioning
///     on GPUs", SIAM J. Sci. Comput. 46(5), 2024
template <unsigned_id Part = part_id>
struct basic_distributed_label_propagation {
  using part = Part;                                             ///< see distributed_partitioner
  static constexpr std::string_view name = "label_propagation";  ///< see named_policy

  std::uint64_t parts = 1;               ///< how many parts to make
  double tolerance = default_tolerance;  ///< of every constraint
  std::span<const double> tolerances{};  ///< [constraints] of each, or empty: `tolerance`
  std::uint64_t seed = 0;                ///< equal seeds give equal parts
  multilevel_effort effort{};            ///< how much is done for fewer cut edges
  /// Neighbors in all rows of the graph that the first rank partitions alone, and its nodes, at
  /// most: about 50 bytes each.
  std::uint64_t coarsest_entries = std::uint64_t{1} << 23;
  /// As that of basic_multilevel, on the first rank, of a graph that it holds whole from the start.
  const memory_callback* on_bytes = nullptr;

  /// Collective. @param local  this rank's piece   @param owner  [n] out
  /// @errors  the same on every rank: those of check_distributed_graph; invalid_argument: 0 parts,
  ///     a tolerance that is negative or NaN; overflow: Part is too narrow, or there are 2^32
  ///     parts; mismatch: owner is not [n]
  template <communicator C, id Node, id Offset>
  status assign(const C& ranks, const distributed_graph_view<Node, Offset>& local,
                std::span<part> owner) const {
    if (const status sound = check_distributed_graph(
            ranks, local,
            detail::asked_of(
                {parts, seed, coarsest_entries, effort.community_rounds, effort.first_cuts,
                 effort.first_partitions, effort.jet_patience, effort.flow_rounds,
                 effort.flow_reach, effort.cycles, effort.annealing, effort.label_rounds,
                 effort.spare_partitions, effort.window_steps, effort.spare_flow_rounds},
                tolerance, tolerances));
        !sound)
      return sound;
    const std::size_t nodes = local.num_nodes(), rows = local.constraints;
    if (const status all = agree(ranks, check(nodes, rows, owner)); !all) return all;
    if (detail::assign_few_nodes(parts, local.ranges, static_cast<std::size_t>(ranks.rank()),
                                 owner))
      return status::ok;
    std::vector<std::uint64_t> total(rows), caps(rows);
    std::vector<double> allowed(tolerances.begin(), tolerances.end());
    allowed.resize(rows, tolerance);
    for (std::size_t v = 0; v < nodes; ++v) {
      for (std::size_t c = 0; c < rows; ++c) total[c] += local.load(v, c);
    }
    if (const status answer = ranks.sum(total); !answer) return answer;
    for (std::size_t c = 0; c < rows; ++c) {
      node_loads one;
      if (const status made = node_loads::make(0, {}, {}, allowed[c], one); !made) return made;
      caps[c] = one.cap(0, total[c], parts);
    }
    detail::multilevel_options options{static_cast<std::uint32_t>(parts),
                                       seed,
                                       effort,
                                       coarsest_entries,
                                       std::move(allowed),
                                       nullptr};
    std::vector<std::uint64_t> found;
    const detail::rows_of_piece<Node, Offset> pieces{local};
    detail::level_totals totals;
    if (const status answer = detail::sum_rows(ranks, pieces, totals); !answer) return answer;
    if (detail::fits_first_rank(options, totals, local.num_nodes_everywhere())) {
      const auto tell_bytes = [&](std::uint64_t bytes, bool in_all) { (*on_bytes)(bytes, in_all); };
      const function_ref<void(std::uint64_t, bool)> listener(tell_bytes);
      if (on_bytes != nullptr) options.on_bytes = &listener;
      if (const status answer = detail::assign_on_first_rank(ranks, options, pieces, totals, found);
          !answer)
        return answer;
    } else {
      detail::multilevel_problem<C> problem(ranks, options, std::move(caps));
      detail::level_graph finest;
      if (const status made = make_level(ranks, local, finest); !made) return made;
      if (const status answer = detail::partition_multilevel(problem, std::move(finest), found);
          !answer)
        return answer;
    }
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
    if (answer == status::overflow)
      return "the weights of nodes sum to 2^63 or more, those of edges to more than 2^62, or their type cannot number the nodes";
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

using distributed_label_propagation = basic_distributed_label_propagation<>;  ///< of part_id

/// Estimated bytes that distributed_label_propagation takes on the first of `ranks` ranks besides
/// its input, where the ranks share nodes and neighbors evenly; the others take no more. Saturates.
/// Measured on one rank with 16 parts (rmat scales 14 to 20, a road network, a star): the peak was
/// 0.3 to 0.9 times this.
/// @param entries       neighbors in all rows of all ranks
/// @param constraints   0: nodes weigh 1 each
/// @param edge_weights  are there any? Coarser graphs have them in any case
/// @complexity          O(1)
inline std::uint64_t distributed_label_propagation_bytes(
    std::uint64_t nodes, std::uint64_t entries, std::size_t constraints, std::uint64_t parts,
    std::size_t ranks,
    std::uint64_t coarsest_entries = distributed_label_propagation{}.coarsest_entries,
    bool edge_weights = true) noexcept {
  const auto sum_of = [](std::initializer_list<std::uint64_t> all) {
    std::uint64_t sum = 0;
    for (const std::uint64_t one : all) sum = detail::saturating_sum(sum, one);
    return sum;
  };
  if (std::max(nodes, entries) <= coarsest_entries) {
    // The first rank gathers all rows and loads, into what multilevel cuts.
    const std::uint64_t loads = constraints == 1 ? 16 : 8 * std::uint64_t{constraints};
    return sum_of(
        {saturating_multiply(nodes, loads),
         multilevel_bytes(nodes, entries, constraints, parts, {.edge_weights = edge_weights})});
  }
  // Rows of all levels; those in transit between several ranks or, later, what the first rank holds
  // whole; arrays of nodes; sums over parts. Numbers take 4 bytes each up to 2^32.
  const std::uint64_t rows = std::max<std::uint64_t>(1, constraints) + 1;
  // A coarser graph keeps most of its neighbors where degrees follow a power law, and each
  // doubling of the nodes adds one.
  const auto doublings = static_cast<std::uint64_t>(std::bit_width(nodes));
  const std::uint64_t levels = std::max<std::uint64_t>(6, doublings > 12 ? doublings - 12 : 0),
                      own_entries = entries / ranks + (entries % ranks != 0 ? 1 : 0),
                      coarsest = std::min(entries, coarsest_entries);
  const std::uint64_t held_whole = multilevel_bytes(std::min(nodes, coarsest_entries), coarsest,
                                                    constraints, parts, {.edge_weights = true});
  return sum_of({saturating_multiply(own_entries, 16 + 3 * levels),
                 std::max(held_whole, ranks == 1 ? 0 : saturating_multiply(own_entries, 24)),
                 saturating_multiply(nodes / ranks + (nodes % ranks != 0 ? 1 : 0), 100 + 40 * rows),
                 saturating_multiply(parts, saturating_multiply(rows, 2048))});
}

/// The same of what it takes before it tells on_bytes of more, where the first rank holds the graph
/// whole: all rows and loads, gathered. Of larger graphs: 0, since it tells nothing before all.
/// @complexity  O(1)
inline std::uint64_t distributed_label_propagation_first_bytes(
    std::uint64_t nodes, std::uint64_t entries, std::size_t constraints,
    std::uint64_t coarsest_entries = distributed_label_propagation{}.coarsest_entries) noexcept {
  if (std::max(nodes, entries) > coarsest_entries) return 0;
  return detail::saturating_sum(saturating_multiply(entries, 4),
                                saturating_multiply(nodes, 12 + 8 * std::uint64_t{constraints}));
}

}  // namespace halograph
