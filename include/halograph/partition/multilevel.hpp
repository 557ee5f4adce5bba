// SPDX-License-Identifier: BSL-1.0
/// @file multilevel.hpp
/// Partition a graph in memory with few cut edges, any number of loads balanced, without a library.
/// Layer: partition (allocates; no exceptions of its own). Words: README.md.
#pragma once

#include <halograph/core/executor.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/id_row.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/graph/edge_slices.hpp>
#include <halograph/graph/hetero.hpp>
#include <halograph/graph/symmetrize.hpp>
#include <halograph/partition/assign_context.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/loads.hpp>
#include <halograph/partition/multilevel/effort.hpp>
#include <halograph/partition/multilevel/weighted_graph.hpp>
#include <halograph/partition/partitioner.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halograph {

namespace detail {

/// Sum of all weights, both directions of each pair, that a graph may have.
inline constexpr std::uint64_t most_pair_weight = std::uint64_t{1} << 62;

/// Sum of node sizes times degrees that a graph may have.
inline constexpr std::uint64_t most_sent = std::uint64_t{1} << 51;

/// Cut a graph of all nodes into parts. @param owner  [V] out
/// @complexity that of k_way_partition; memory besides
status assign_k_way(weighted_graph<std::uint32_t> g, const node_loads& loads,
                    const k_way_options& options, executor_ref threads,
                    std::vector<std::uint32_t>& owner);
status assign_k_way(weighted_graph<std::uint64_t> g, const node_loads& loads,
                    const k_way_options& options, executor_ref threads,
                    std::vector<std::uint32_t>& owner);

/// The undirected view of a graph, packed: some rows at a time, for each of which all edges are
/// visited again.
/// @errors out_of_range at e: an endpoint of edge e is not a node
/// @complexity O(V + E) time, ten visits of the edges; memory besides the result: a word for each
///     node and a quarter of one for each edge
template <graph G, class Word>
status pack_undirected(const G& g, weighted_graph<Word>& out) {
  const std::size_t nodes = num_nodes(g);
  // Where each node's neighbors begin, each counted as often as it is listed.
  std::vector<Word> begin(nodes + 1);
  status answer = status::ok;
  visit_slice(g, 0, 1, [&](auto u, auto v, auto e) {
    if (index(u) >= nodes || index(v) >= nodes) {
      if (answer) answer = status::out_of_range.at(index(e));
    } else if (index(u) != index(v)) {
      ++begin[index(u) + 1];
      ++begin[index(v) + 1];
    }
  });
  if (!answer) return answer;
  for (std::size_t v = 0; v < nodes; ++v) begin[v + 1] = static_cast<Word>(begin[v + 1] + begin[v]);
  const std::size_t most = index(begin[nodes]) / 8 + 1;
  row_packer<Word> rows(nodes);
  std::vector<Word> next, neighbors;
  for (std::size_t first = 0, last = 0; first < nodes; first = last) {
    for (last = first + 1; last < nodes && begin[last + 1] - begin[first] <= most;) ++last;
    next.assign(begin.begin() + static_cast<std::ptrdiff_t>(first),
                begin.begin() + static_cast<std::ptrdiff_t>(last));
    neighbors.resize(index(begin[last]) - index(begin[first]));
    const auto put = [&](std::size_t from, std::size_t to) {
      if (from - first < last - first)
        neighbors[index(next[from - first]++) - index(begin[first])] = static_cast<Word>(to);
    };
    visit_slice(g, 0, 1, [&](auto u, auto v, auto) {
      if (index(u) == index(v)) return;
      put(index(u), index(v));
      put(index(v), index(u));
    });
    for (std::size_t v = first; v < last; ++v) {
      const auto row = std::span(neighbors).subspan(index(begin[v]) - index(begin[first]),
                                                    index(begin[v + 1]) - index(begin[v]));
      std::sort(row.begin(), row.end());
      const auto end = std::unique(row.begin(), row.end());
      rows.push(row.first(static_cast<std::size_t>(end - row.begin())));
    }
  }
  out = rows.finish();
  return status::ok;
}

/// The sentence for a status of basic_multilevel, or "".
std::string explain_multilevel(status answer, std::uint64_t parts, std::uint64_t part_capacity);

/// Does entry v of a row name a part below `parts`, or none: `none`, a negative number, or the
/// largest number of an unsigned type?
bool is_part_or_none(const any_id_row& row, std::size_t v, std::uint64_t parts,
                     std::uint64_t none) noexcept;

/// The parts that a row names, or no_part. @param out  [V], or empty where the row is
/// @errors mismatch at V; overflow: a part would be `none`; out_of_range at v: no part
status read_parts(const any_id_row& row, std::size_t nodes, std::uint64_t parts, std::uint64_t none,
                  std::vector<std::uint32_t>& out);

/// The sentence for node v, of which a member names a part that is not below `parts`.
std::string explain_part(std::string_view member, std::size_t v, const any_id_row& row,
                         std::uint64_t parts);

/// The sentence for out_of_range of basic_multilevel_refinement.
std::string explain_owner(status answer, std::uint64_t parts);

/// Part weights as integers. @param out  [K] or [K x rows], or empty where all are the same
/// @errors mismatch at K: other numbers of weights; invalid_argument at i: the i-th is not above 0
///     or more than 2^20; overflow: they sum to 2^31 or more
status read_shares(std::span<const double> part_weights, std::uint64_t parts, std::size_t rows,
                   std::vector<std::uint64_t>& out);

/// The sum of the weights of all edges. @errors invalid_argument at e: a weight is below 1;
/// overflow at e: the sum exceeds 2^63 - 1
status sum_edge_weights(std::span<const std::int64_t> weights, std::uint64_t& total);

/// Weights of which both directions sum to at most most_pair_weight: those given, or where their
/// sum is larger an eighth of each, rounded down and at least 1. Empty: those given will do.
/// @param total  their sum
std::vector<std::int64_t> lighter_edges(std::span<const std::int64_t> weights, std::uint64_t total);

}  // namespace detail

/// A multilevel partitioner: clusters of nodes become the nodes of a coarser graph until it is
/// small, which is cut by bisection after bisection; on the way back nodes move to where they cut
/// fewer edges, many at a time, and minimum cuts are found between parts where degrees are low.
///
///     auto owner = hg::assign(g, hg::multilevel{.parts = 8});
///     auto fewer = hg::assign(g, hg::multilevel{.parts = 8, .effort =
///     hg::multilevel_effort::strong()});
///
/// It gets the undirected view of the graph (graph/symmetrize.hpp): loops dropped, each pair of
/// neighbors once, weighing 1 or the sum of the weights of its edges.
///
/// Loads: without `constraints` the number of nodes is balanced within `tolerance`, of each node
/// type where there are several (`balance_types`). With them, each constraint within its own. Where
/// nodes weigh 1 in one constraint that is always met; with heavier nodes, or several loads at
/// odds, measure_balance() gives the result. No part is empty where V >= K; where V <= K, node v
/// gets part v.
///
/// Nodes that are `fixed` get the part that is given; the others go around them. Parts that fixed
/// nodes overfill stay so, and parts may be empty where too few nodes are free.
///
/// Parts may be meant to differ, as machines do: `part_weights`. A part's limit is then its share
/// of each load instead of the mean.
///
/// An assignment that exists can be improved, after the graph has changed or another partitioner
/// has made it: `from`. New nodes go where their neighbors are, and of the others at most
/// `max_moved` move; a part keeps its limits where that allows it.
///
///     hg::multilevel{.parts = 8, .from = before, .max_moved = before.size() / 20}
///
/// Parts that cut few edges send little data, too. Where only that counts, ask for it: `objective`.
/// Nodes then move for less volume at the end, which cuts more edges.
///
///     hg::multilevel{.parts = 8, .objective = hg::objective::volume}
///
/// @complexity  about O((V + E) log K) time, objective volume up to ten times that; memory:
/// multilevel_bytes()
/// @repeatable  yes, on every machine, for any number of threads and every storage of the same
/// edges
/// @source Karypis & Kumar, SIAM J. Sci. Comput. 20(1), 1998 (the scheme); each phase has its own
template <unsigned_id Part = part_id>
struct basic_multilevel {
  using part = Part;                                      ///< see partitioner
  static constexpr std::string_view name = "multilevel";  ///< see named_policy

  /// In `fixed`: the node may get any part. In `from`: the node is new. Of other types, any
  /// negative number and the largest number of an unsigned type mean the same.
  static constexpr Part no_part = std::numeric_limits<Part>::max();

  std::uint64_t parts = 1;                                     ///< how many parts to make
  halograph::objective objective = halograph::objective::cut;  ///< what to minimize
  multilevel_effort effort{};                    ///< how much is done for fewer cut edges
  std::uint64_t seed = 0;                        ///< equal seeds give equal parts
  std::span<const constraint> constraints{};     ///< what to balance
  double tolerance = default_tolerance;          ///< of the number of nodes, without constraints
  bool balance_types = true;                     ///< without constraints: each node type on its own
  std::span<const std::int64_t> edge_weights{};  ///< [E] by edge ID, >= 1, summed over each pair
  /// [V] >= 0, data a node sends to each other part among its neighbors, or empty: 1 each; for
  /// objective volume
  std::span<const std::int64_t> node_sizes{};
  any_id_row fixed{};  ///< [V] the part that a node must get, or no_part; of any integer type
  /// [V] the part that a node has, to be improved, or no_part; of any integer type
  any_id_row from{};
  /// With `from`: how many of the nodes that have a part may get another, fixed ones not counted.
  std::uint64_t max_moved = std::numeric_limits<std::uint64_t>::max();
  /// [K] what each part is to hold relative to the others, above 0 and up to 2^20; or
  /// [K x constraints], of each constraint on its own; or empty: the same
  std::span<const double> part_weights{};
  /// Told how far it has come after each level, on the caller's thread; null: nobody is. With
  /// `from` the work may end early. What it throws ends the assignment.
  const progress_callback* on_progress = nullptr;
  /// Told how many bytes assigning takes at most: until it is told again, and the last time, once
  /// the first coarser graph is known, in all, which is less than multilevel_bytes() where nodes
  /// have clusters. Not told of a graph that is cut as it is, nor with `from`, `fixed` or objective
  /// volume. null: nobody is. What it throws ends the assignment.
  const memory_callback* on_bytes = nullptr;
  /// Keep the undirected view compressed, and each coarser graph, and decode rows whenever they are
  /// visited: the same parts in less memory and more time (multilevel_bytes(), bench/README.md).
  bool compress = false;

  /// @errors invalid_argument: 0 parts, a load, a tolerance, a size or a weight that is negative, a
  ///     weight of 0; overflow: Part is too narrow, or loads or weights sum to too much; mismatch;
  ///     out_of_range: an edge without a node, a part that is not below `parts`:
  ///     explain() has the sentence of each
  template <graph G>
  status assign(const G& g, std::span<part> owner) const {
    return assign(g, owner, assign_context());
  }
  /// The same on the context's threads.
  template <graph G, class Context>
  status assign(const G& g, std::span<part> owner, const Context& context) const {
    return run(g, owner, context.threads());
  }

  /// The same of a graph whose undirected view is at hand. @pre edge_weights is empty
  /// @param rows   both directions of each pair of neighbors, without loops
  /// @param types  where the nodes of each type begin, [T+1], or empty
  template <class Word>
  status assign_rows(detail::weighted_graph<Word> rows, std::span<const std::uint64_t> types,
                     std::span<part> owner, executor_ref threads = {}) const {
    checked asked;
    if (const status sound = check(rows.num_nodes(), types, owner, asked); !sound) return sound;
    return cut(std::move(rows), std::move(asked), 0, owner, threads);
  }

  /// The sentence for a status of assign, or "".
  std::string explain(status answer) const {
    if (const auto v = static_cast<std::size_t>(answer.position); answer == status::out_of_range) {
      if (v < fixed.size() && !detail::is_part_or_none(fixed, v, parts, no_part))
        return detail::explain_part("fixed", v, fixed, parts);
      if (v < from.size() && !detail::is_part_or_none(from, v, parts, no_part))
        return detail::explain_part("from", v, from, parts);
    }
    return detail::explain_multilevel(answer, parts, id_capacity<part>());
  }

 private:
  /// @param out  [V], or empty where none is given
  status read_parts(const any_id_row& some, std::size_t nodes,
                    std::vector<std::uint32_t>& out) const {
    return detail::read_parts(some, nodes, parts, no_part, out);
  }

  /// What is asked for, once it has been checked.
  struct checked {
    std::vector<std::uint32_t> stays{}, before{};
    node_loads loads{};
    std::vector<std::uint64_t> shares{};
  };
  /// @param types  where the nodes of each type begin, or empty
  status check(std::size_t nodes, std::span<const std::uint64_t> types, std::span<const part> owner,
               checked& out) const {
    if (const status fits = check_parts<part>(parts, nodes, owner); !fits) return fits;
    if (parts >= 0xFFFFFFFFu) return status::overflow.at(parts);
    if (const status sound = read_parts(fixed, nodes, out.stays); !sound) return sound;
    if (const status sound = read_parts(from, nodes, out.before); !sound) return sound;
    if (!balance_types || !constraints.empty()) types = {};
    if (const status made = node_loads::make(nodes, constraints, types, tolerance, out.loads);
        !made)
      return made;
    return detail::read_shares(part_weights, parts, out.loads.rows(), out.shares);
  }
  /// @param built  bytes that were taken to make the graph
  template <class Word>
  status cut(detail::weighted_graph<Word> all, checked&& asked, std::uint64_t built,
             std::span<part> owner, executor_ref threads) const {
    const auto tell = [&](std::uint64_t done, std::uint64_t total) {
      (*on_progress)({"assign", done, total, "edges"});
    };
    const function_ref<void(std::uint64_t, std::uint64_t)> listener(tell);
    const auto tell_bytes = [&](std::uint64_t bytes, bool in_all) {
      (*on_bytes)(std::max(built, bytes), in_all);
    };
    const function_ref<void(std::uint64_t, bool)> bytes_listener(tell_bytes);
    std::span<const std::int64_t> sizes;
    if (objective == halograph::objective::volume) sizes = node_sizes;
    all.fixed = std::move(asked.stays);
    std::vector<std::uint32_t> found;
    if (const status answer = detail::assign_k_way(
            std::move(all), asked.loads,
            {static_cast<std::uint32_t>(parts), seed, effort, asked.shares, asked.before, max_moved,
             objective, sizes, on_progress != nullptr ? &listener : nullptr, compress,
             on_bytes != nullptr ? &bytes_listener : nullptr},
            threads, found);
        !answer)
      return answer;
    for (std::size_t v = 0; v < owner.size(); ++v) owner[v] = static_cast<part>(found[v]);
    return status::ok;
  }

  template <graph G>
  status run(const G& g, std::span<part> owner, executor_ref threads) const {
    const std::size_t nodes = num_nodes(g);
    std::span<const std::uint64_t> types;
    if constexpr (typed_graph<G>) types = g.node_type_offsets();
    checked asked;
    if (const status sound = check(nodes, types, owner, asked); !sound) return sound;
    std::uint64_t weight = num_edges(g);
    if (const status sound = detail::sum_edge_weights(edge_weights, weight);
        !edge_weights.empty() && !sound)
      return sound;
    const auto build = [&]<class Word>(Word) {
      detail::weighted_graph<Word> all;
      std::uint64_t built = 0;
      if (const status made = collect(g, weight, threads, all, built); !made) return made;
      return cut(std::move(all), std::move(asked), built, owner, threads);
    };
    // No edge weighs less than 1.
    return detail::counts_in_32_bits(nodes, weight) ? build(std::uint32_t{})
                                                    : build(std::uint64_t{});
  }

  /// @param built  out: bytes that were taken
  template <graph G, class Word>
  status collect(const G& g, std::uint64_t weight, executor_ref threads,
                 detail::weighted_graph<Word>& out, std::uint64_t& built) const {
    constexpr std::uint64_t small = std::uint64_t{1} << 18;  // what does not grow with the graph
    const std::uint64_t nodes = num_nodes(g), edges = num_edges(g);
    if (compress && edge_weights.empty()) {
      const status made = detail::pack_undirected(g, out);
      built = small + out.memory_bytes() + sizeof(Word) * (2 * nodes + edges / 4);
      return made;
    }
    symmetric_graph<Word, Word> both;
    const std::vector<std::int64_t> lighter = detail::lighter_edges(edge_weights, weight);
    const pairs_by_weight weights{lighter.empty() ? edge_weights
                                                  : std::span<const std::int64_t>(lighter)};
    const status made = edge_weights.empty()
                            ? detail::symmetrize_with<Word>(g, pairs_once{}, both, threads)
                            : detail::symmetrize_with<Word>(g, weights, both, threads);
    if (!made) return made;
    out.offsets = std::move(both.offsets);
    out.targets = std::move(both.neighbors);
    out.weights = std::move(both.weights);
    const auto sizes = symmetrize_size(num_nodes(g), num_edges(g), edge_slices(g, threads));
    built = small + out.memory_bytes() + sizeof(std::int64_t) * std::uint64_t{lighter.size()} +
            sizeof(Word) * (std::uint64_t{sizes.positions} +
                            (out.weights.empty() ? 1 : 2) * std::uint64_t{sizes.lower});
    return status::ok;
  }
};

using multilevel = basic_multilevel<>;  ///< of part_id

/// The refinement of basic_multilevel alone: improves any assignment, and never makes it worse. (Of
/// edge weights that sum to more than 2^61, eighths are compared.)
///
///     hg::chained<hg::fennel, hg::multilevel_refinement> both{.parts = 8};
///
/// @complexity  about O(V + E) time, for each of effort.cycles + 1 cycles; memory:
/// multilevel_bytes()
/// @repeatable  as basic_multilevel
template <unsigned_id Part = part_id>
struct basic_multilevel_refinement {
  using part = Part;                                                 ///< see refiner
  static constexpr std::string_view name = "multilevel_refinement";  ///< see named_policy
  /// @{
  /// As that of basic_multilevel.
  static constexpr Part no_part = basic_multilevel<Part>::no_part;

  std::uint64_t parts = 1;
  halograph::objective objective = halograph::objective::cut;
  multilevel_effort effort{};
  std::uint64_t seed = 0;
  std::span<const constraint> constraints{};
  double tolerance = default_tolerance;
  bool balance_types = true;
  std::span<const std::int64_t> edge_weights{};
  std::span<const std::int64_t> node_sizes{};
  any_id_row fixed{};
  std::uint64_t max_moved = std::numeric_limits<std::uint64_t>::max();
  std::span<const double> part_weights{};
  bool compress = false;
  /// @}

  /// @param owner  [V] in and out
  /// @errors those of basic_multilevel::assign; out_of_range at v: node v's part is not below
  ///     `parts`
  template <graph G>
  status refine(const G& g, std::span<part> owner) const {
    return refine(g, owner, assign_context());
  }
  /// The same on the context's threads.
  template <graph G, class Context>
  status refine(const G& g, std::span<part> owner, const Context& context) const {
    if (const status fits = check_parts<part>(parts, num_nodes(g), std::span<const part>(owner));
        !fits)
      return fits;
    if (const status sound = check_owners(std::span<const part>(owner), parts); !sound)
      return sound;
    auto whole = partitioner();
    whole.from = owner;
    return whole.assign(g, owner, context);
  }

  /// The sentence for a status of refine, or "".
  std::string explain(status answer) const {
    const auto v = static_cast<std::size_t>(answer.position);
    const bool of_fixed = v < fixed.size() && !detail::is_part_or_none(fixed, v, parts, no_part);
    return answer == status::out_of_range && !of_fixed ? detail::explain_owner(answer, parts)
                                                       : partitioner().explain(answer);
  }

 private:
  basic_multilevel<Part> partitioner() const {
    return {.parts = parts,
            .objective = objective,
            .effort = effort,
            .seed = seed,
            .constraints = constraints,
            .tolerance = tolerance,
            .balance_types = balance_types,
            .edge_weights = edge_weights,
            .node_sizes = node_sizes,
            .fixed = fixed,
            .from = {},
            .max_moved = max_moved,
            .part_weights = part_weights,
            .compress = compress};
  }
};

using multilevel_refinement = basic_multilevel_refinement<>;  ///< of part_id

/// Estimated bytes that assigning takes at its peak, the undirected view included: an upper bound
/// fitted to measured peaks (bench/README.md).
/// @param nodes        V
/// @param entries      entries of the undirected view, at most 2E
/// @param constraints  how many are balanced; 0 counts as 1
/// @param parts        K
/// @param given        what else multilevel is given
/// @complexity O(1); saturates at 2^64 - 1
std::uint64_t multilevel_bytes(std::uint64_t nodes, std::uint64_t entries,
                               std::uint64_t constraints, std::uint64_t parts,
                               const multilevel_inputs& given = {}) noexcept;

/// Bytes that basic_multilevel takes, at most, before it tells on_bytes of more for the first time:
/// to make the undirected view. Of a graph that is compressed and for what on_bytes is not told of:
/// multilevel_bytes().
/// @param edges    E
/// @param threads  of the context
/// @complexity O(1); saturates at 2^64 - 1
std::uint64_t multilevel_first_bytes(std::uint64_t nodes, std::uint64_t edges,
                                     std::uint64_t entries, std::uint64_t constraints,
                                     std::uint64_t parts, std::size_t threads,
                                     const multilevel_inputs& given = {}) noexcept;

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/partition/impl/multilevel.ipp>
#endif
