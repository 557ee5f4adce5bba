// SPDX-License-Identifier: BSL-1.0
/// @file distributed.hpp
/// Partition a graph that is spread over ranks: each rank holds a range of the nodes and their
/// rows.
/// Layer: partition (allocates what ranks exchange; no exceptions of its own). Words: README.md.
///
/// Rank r of R holds nodes ranges[r] to ranges[r + 1] - 1 and, of each, the IDs of its neighbors:
/// the form that ParMETIS and PT-Scotch take. The graph is undirected: a pair of neighbors is
/// in both rows, with the same weight; repeated pairs add up.
///
///     // on every rank
///     const hg::distributed_label_propagation policy{.parts = 8};
///     std::vector<hg::part_id> owner(mine.num_nodes());
///     const hg::status answer = hg::assign_into(mine, policy, owner, ranks);
///     hg::distributed_quality quality;
///     hg::measure_distributed(ranks, mine, std::span<const hg::part_id>(owner), 8, quality);
#pragma once

#include <halograph/core/communicator.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/random.hpp>
#include <halograph/core/status.hpp>
#include <halograph/core/unmet.hpp>
#include <halograph/partition/assign_context.hpp>
#include <halograph/partition/distributed/remote_values.hpp>
#include <halograph/partition/partitioner.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace halograph {

/// One rank's rows of an undirected graph of N nodes over R ranks. Views the caller's arrays.
template <id Node = std::uint64_t, id Offset = std::uint64_t>
struct distributed_graph_view {
  using node_id = Node;   ///< numbers all nodes
  using offset = Offset;  ///< counts neighbors of the rank

  std::span<const std::uint64_t> ranges{};  ///< [R+1] rising from 0 to N, the same on every rank
  std::span<const Offset> offsets{};  ///< [n+1] where the row of each node begins, from 0 to m
  std::span<const Node> neighbors{};  ///< [m] IDs, 0 to N-1, row by row; no loops
  std::span<const std::int64_t>
      node_weights{};           ///< [n x constraints] node by node, none negative, or empty: 1 each
  std::size_t constraints = 1;  ///< loads to balance, the same on every rank
  std::span<const std::int64_t> edge_weights{};  ///< [m] 1 or more, or empty: 1 each

  /// The nodes of this rank: n.
  constexpr std::size_t num_nodes() const noexcept {
    return offsets.empty() ? 0 : offsets.size() - 1;
  }
  /// The nodes of all ranks: N.
  constexpr std::uint64_t num_nodes_everywhere() const noexcept {
    return ranges.empty() ? 0 : ranges.back();
  }
  /// @{
  /// Where row v is in neighbors and edge_weights. @pre v < num_nodes()
  constexpr std::size_t row_begin(std::size_t v) const noexcept { return index(offsets[v]); }
  constexpr std::size_t row_end(std::size_t v) const noexcept { return index(offsets[v + 1]); }
  /// @}
  /// Load of this rank's node v in constraint c.
  constexpr std::uint64_t load(std::size_t v, std::size_t c) const noexcept {
    return node_weights.empty() ? 1 : static_cast<std::uint64_t>(node_weights[v * constraints + c]);
  }
  /// Weight of the edge to neighbors[i].
  constexpr std::uint64_t weight(std::size_t i) const noexcept {
    return edge_weights.empty() ? 1 : static_cast<std::uint64_t>(edge_weights[i]);
  }
};

namespace detail {
template <class P, class C, class Graph>
concept assigns_on_ranks = requires(const P& policy, const C& ranks, const Graph& local,
                                    std::span<typename P::part> owner) {
  { policy.assign(ranks, local, owner) } -> std::same_as<status>;
};
}  // namespace detail

/// Gives each node of a graph a part, each rank those of its own range. Collective. Laws
/// (testing/laws.hpp): on status::ok every entry of `owner` was written and is below the number of
/// parts; every rank gets the same status; the same graph, ranges and policy give the same owners.
/// `owner` is [n]; another size on any rank is status::mismatch on all.
template <class P, class C, class Graph = distributed_graph_view<>>
concept distributed_partitioner =
    (detail::names_part<P> ||
     unmet<"distributed_partitioner: P::part must name an unsigned integer">()) &&
    (detail::assigns_on_ranks<P, C, Graph> ||
     unmet<
         "distributed_partitioner: needs status assign(const C& ranks, const Graph& local, span<part> owner) const">());

/// Run a distributed partitioner: policy.assign over the ranks of the context. Collective.
/// @param local    this rank's rows of the graph
/// @param owner    [n] out, part of each node of this rank
/// @param context  ranks, or an assign_context over them
/// @errors         what the policy answers, the same on every rank
template <id Node, id Offset, class P, detail::makes_assign_context Context>
status assign_into(const distributed_graph_view<Node, Offset>& local, const P& policy,
                   std::span<typename P::part> owner, const Context& context) {
  const auto resources = detail::assign_context_of(context);
  static_assert(distributed_partitioner<P, std::remove_cvref_t<decltype(resources.ranks())>,
                                        distributed_graph_view<Node, Offset>>);
  return policy.assign(resources.ranks(), local, owner);
}

namespace detail {

/// A digest of a policy's options.
inline std::uint64_t asked_of(std::initializer_list<std::uint64_t> options, double tolerance,
                              std::span<const double> tolerances = {}) noexcept {
  std::uint64_t digest = std::bit_cast<std::uint64_t>(tolerance);
  for (const auto one : options) digest = keyed(digest, one);
  for (const auto one : tolerances) digest = keyed(digest, std::bit_cast<std::uint64_t>(one));
  return digest;
}

/// Assign nodes where nothing is to be decided: one part, or at most as many nodes as parts.
/// @return whether that was so
template <unsigned_id Part>
constexpr bool assign_few_nodes(std::uint64_t parts, std::span<const std::uint64_t> ranges,
                                std::size_t rank, std::span<Part> owner) noexcept {
  if (parts != 1 && ranges.back() > parts) return false;
  for (std::size_t v = 0; v < owner.size(); ++v)
    owner[v] = static_cast<Part>(parts == 1 ? 0 : ranges[rank] + v);
  return true;
}

/// Check the rows of one rank. What must be the same on every rank goes into `same`, what must sum
/// to 0 over all ranks into `zero`, and sums that must stay below 2^63 into `sums`, [constraints +
/// 1].
template <id Node, id Offset>
status check_rows(const distributed_graph_view<Node, Offset>& local, std::size_t rank,
                  std::size_t size, std::uint64_t& same, std::uint64_t& zero,
                  std::span<std::uint64_t> sums) {
  same = keyed(1, local.constraints);
  zero = 0;
  std::fill(sums.begin(), sums.end(), std::uint64_t{0});
  for (const std::uint64_t begin : local.ranges) same = keyed(same, begin);
  const auto& ranges = local.ranges;
  if (ranges.size() != size + 1 || ranges[0] != 0 ||
      !std::is_sorted(ranges.begin(), ranges.end()) || local.constraints == 0)
    return status::mismatch;
  const std::size_t nodes = local.num_nodes();
  const std::uint64_t first = ranges[rank], everywhere = ranges[size];
  if (nodes != ranges[rank + 1] - first) return status::mismatch;
  if (everywhere > id_capacity<Node>()) return status::overflow.at(everywhere);
  const std::size_t entries = local.neighbors.size();
  if (!local.offsets.empty() && index(local.offsets[0]) != 0) return status::malformed.at(0);
  for (std::size_t v = 0; v < nodes; ++v) {
    if (local.row_end(v) < local.row_begin(v) || local.row_end(v) > entries)
      return status::malformed.at(v);
  }
  if (entries != (nodes == 0 ? 0 : local.row_end(nodes - 1))) return status::malformed.at(nodes);
  if (!local.node_weights.empty() && local.node_weights.size() / local.constraints != nodes)
    return status::mismatch;
  if (!local.node_weights.empty() && local.node_weights.size() % local.constraints != 0)
    return status::mismatch;
  if (!local.edge_weights.empty() && local.edge_weights.size() != entries) return status::mismatch;
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  for (std::size_t i = 0; i < local.node_weights.size(); ++i) {
    if (local.node_weights[i] < 0) return status::invalid_argument.at(i);
    auto& sum = sums[i % local.constraints];
    sum += static_cast<std::uint64_t>(local.node_weights[i]);
    if (sum > most) return status::overflow.at(i);
  }
  if (local.node_weights.empty()) std::fill(sums.begin(), sums.end() - 1, std::uint64_t{nodes});
  for (std::size_t v = 0; v < nodes; ++v) {
    const std::uint64_t own = first + v;
    for (std::size_t i = local.row_begin(v); i < local.row_end(v); ++i) {
      if (!std::in_range<std::uint64_t>(local.neighbors[i])) return status::out_of_range.at(i);
      const auto u = static_cast<std::uint64_t>(local.neighbors[i]);
      if (u >= everywhere) return status::out_of_range.at(i);
      if (u == own || (!local.edge_weights.empty() && local.edge_weights[i] < 1))
        return status::invalid_argument.at(i);
      sums.back() += local.weight(i);
      if (sums.back() > most) return status::overflow.at(i);
      // Each pair, once from either side: what one side adds the other subtracts.
      const std::uint64_t pair = local.weight(i) *
                                 keyed(keyed(2, std::min(u, own)), std::max(u, own));
      zero += own < u ? pair : 0 - pair;
    }
  }
  return status::ok;
}

}  // namespace detail

/// Check that the pieces of a graph fit together. Collective; the same status on every rank, that
/// of the lowest rank that finds an error.
/// @param asked  a digest of whatever else must be the same on all ranks: of a policy's options
/// @errors  mismatch: `asked` differs, ranges are not those of every rank, do not rise from 0, or
///     arrays do not have their lengths; malformed at v: row v; malformed at 2^64 - 1: the rows
///     are not symmetric; out_of_range at i: entry i is not a node; invalid_argument at i: entry i
///     is a loop or weighs less than 1, or node weight i is negative; overflow: weights sum to
///     2^63, or Node cannot number the nodes
/// @complexity O(n + m); symmetry is answer by a sum of 64-bit hashes over all pairs
template <communicator C, id Node, id Offset>
status check_distributed_graph(const C& ranks, const distributed_graph_view<Node, Offset>& local,
                               std::uint64_t asked = 0) {
  std::uint64_t same = 0, zero = 0;
  std::vector<std::uint64_t> sums(local.constraints + 1);
  const auto size = static_cast<std::uint64_t>(ranks.size());
  const status seen = detail::check_rows(local, static_cast<std::size_t>(ranks.rank()),
                                         static_cast<std::size_t>(size), same, zero, sums);
  same = detail::keyed(same, asked);
  std::array<std::uint64_t, 2> hashes{same, zero};
  if (const status answer = ranks.sum(hashes); !answer) return answer;
  std::uint64_t first_same = same;
  {
    std::array<std::byte, 8> first{};
    for (unsigned i = 0; i < 8; ++i) first[i] = static_cast<std::byte>(same >> (8 * i));
    if (const status answer = ranks.broadcast(first, 0); !answer) return answer;
    first_same = 0;
    for (unsigned i = 0; i < 8; ++i)
      first_same |= std::to_integer<std::uint64_t>(first[i]) << (8 * i);
  }
  status mine = seen;
  if (mine && same != first_same) mine = status::mismatch;
  if (const status all = agree(ranks, mine); !all) return all;
  if (hashes[1] != 0) return status::malformed.at(~std::uint64_t{0});
  // Halves, so that the sum over all ranks cannot overflow.
  std::vector<std::uint64_t> halves(2 * sums.size());
  for (std::size_t c = 0; c < sums.size(); ++c) {
    halves[2 * c] = sums[c] >> 31;
    halves[2 * c + 1] = sums[c] & 0x7FFFFFFFu;
  }
  if (const status answer = ranks.sum(halves); !answer) return answer;
  for (std::size_t c = 0; c < sums.size(); ++c) {
    if (halves[2 * c] + (halves[2 * c + 1] >> 31) >= (std::uint64_t{1} << 32))
      return status::overflow.at(c);
  }
  return status::ok;
}

/// The sentence for a status of check_distributed_graph, or "".
inline std::string explain_distributed_graph(status answer) {
  const std::string at = std::to_string(answer.position);
  switch (answer.code) {
    case error_kind::mismatch:
      return "the ranks' options and ranges of nodes must be the same everywhere, ranges must rise from 0, and every array must have the length that follows from them";
    case error_kind::malformed:
      return answer.position == ~std::uint64_t{0}
                 ? "the rows are not symmetric; each pair of neighbors must be in both rows, with the same weight"
                 : "the offsets of row " + at + " must rise from 0 to the number of neighbors";
    case error_kind::out_of_range:
      return "neighbor " + at + " of a rank is not a node of the graph";
    case error_kind::invalid_argument:
      return "neighbor " + at +
             " of a rank is the node itself or weighs less than 1, or node weight " + at +
             " is negative";
    case error_kind::overflow:
      return "the weights sum to more than 2^63, or their type cannot number the nodes";
    default:
      return {};
  }
}

/// What an assignment of a distributed graph costs. The same on every rank.
struct distributed_quality {
  std::uint64_t edge_cut = 0;  ///< weight of the pairs whose endpoints have different owners
  std::uint64_t communication_volume = 0;   ///< (node, other part among its neighbors) pairs
  std::vector<std::uint64_t> part_nodes{};  ///< [K]
  std::vector<std::uint64_t> loads{};       ///< [constraints x K] each part's sum of node weights
};

/// Measure an assignment. Collective.
/// @param local  as check_distributed_graph accepts it
/// @param owner  [n] part of each node of this rank, each below parts
/// @errors  mismatch: owner is not [n]; out_of_range at v: no such part; the same on every rank
/// @complexity O(n + m + K) time and memory, and one exchange of the owners of neighbors
template <communicator C, id Node, id Offset, unsigned_id Part>
status measure_distributed(const C& ranks, const distributed_graph_view<Node, Offset>& local,
                           std::span<const Part> owner, std::uint64_t parts,
                           distributed_quality& out) {
  out = {};
  const std::size_t nodes = local.num_nodes(), count = static_cast<std::size_t>(parts);
  status mine = owner.size() != nodes ? status::mismatch.at(nodes) : check_owners(owner, parts);
  if (const status all = agree(ranks, mine); !all) return all;
  const auto rank = static_cast<std::size_t>(ranks.rank());
  const std::uint64_t first = local.ranges[rank], last = local.ranges[rank + 1];
  detail::remote_values remote;
  if (const status made = remote.make(ranks, local.ranges,
                                      detail::remote_nodes(local.neighbors, first, last));
      !made)
    return made;
  const auto owner_of = [&](std::size_t v) { return static_cast<std::uint64_t>(owner[v]); };
  std::vector<std::uint64_t> remote_owner;
  if (const status answer = remote.fetch(ranks, owner_of, remote_owner); !answer) return answer;
  // Edge cut and volume, then nodes, then loads.
  std::vector<std::uint64_t> sums(2 + count * (1 + local.constraints));
  std::vector<std::uint64_t> seen(count, ~std::uint64_t{0});
  for (std::size_t v = 0; v < nodes; ++v) {
    const auto own = static_cast<std::size_t>(owner[v]);
    seen[own] = v;
    for (std::size_t i = local.row_begin(v); i < local.row_end(v); ++i) {
      const auto u = static_cast<std::uint64_t>(local.neighbors[i]);
      const auto p = static_cast<std::size_t>(remote.value_of(u, owner_of, remote_owner));
      if (p == own) continue;
      sums[0] += local.weight(i);
      if (seen[p] != v) ++sums[1];
      seen[p] = v;
    }
    ++sums[2 + own];
    for (std::size_t c = 0; c < local.constraints; ++c)
      sums[2 + count * (1 + c) + own] += local.load(v, c);
  }
  if (const status answer = ranks.sum(sums); !answer) return answer;
  out.edge_cut = sums[0] / 2;
  out.communication_volume = sums[1];
  out.part_nodes.assign(sums.begin() + 2, sums.begin() + 2 + static_cast<std::ptrdiff_t>(count));
  out.loads.assign(sums.begin() + 2 + static_cast<std::ptrdiff_t>(count), sums.end());
  return status::ok;
}

}  // namespace halograph
