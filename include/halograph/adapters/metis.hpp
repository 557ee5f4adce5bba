// SPDX-License-Identifier: BSL-1.0
/// @file metis.hpp
/// Partition with METIS: few cut edges or little communication, loads balanced.
/// Layer: adapters (METIS). Words: README.md.
///
/// What METIS 5.1 does, measured on Debian's 5.1.0 (32-bit indices), and what this header does
/// about it:
///
/// | METIS | here |
/// | --- | --- |
/// | divides by zero with 1 part | 1 part is answered without METIS |
/// | sums weights in its index type without a check | sums are checked; the refusal names the 64-bit build |
/// | leaves parts empty in 42 % of grids of up to 12 x 12 nodes (only below about 5 nodes a part) | empty parts are filled, one node each, from the heaviest part |
/// | prints to the terminal when a node outweighs a few parts (seen from 2.0 times a part's mean) | such loads are bisected step by step by METIS's two-way call, which never prints |
/// | prints its complaints about arguments | arguments are checked before the call |
/// | seeds and draws from libc's rand() | calls are serialized by a mutex; rand()'s state is disturbed, and a program drawing from rand() meanwhile disturbs the result |
/// | replaces the handlers of SIGABRT and SIGTERM during a call | nothing: a SIGTERM then ends the call as status internal |
/// | ignores some combinations of options | they are rejected |
#pragma once

#if !__has_include(<metis.h>)
#error "halograph/adapters/metis.hpp needs METIS: install libmetis-dev, or leave this header out"
#else

#include <halograph/adapters/metis/call.hpp>
#include <halograph/adapters/metis/job.hpp>
#include <halograph/core/checked_cast.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/graph/symmetrize.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/partitioner.hpp>

#include <metis.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halograph {

/// METIS as a partitioner.
///
///     auto owner = hg::assign(g, hg::metis{.parts = 8, .objective = hg::objective::cut});
///
/// It gets the undirected view of the graph (graph/symmetrize.hpp): loops dropped, each pair
/// of neighbors once, and counted once unless `edge_weights` or `count_multiplicity` change
/// that. The caller's graph stays as it is.
///
/// Loads: without `constraints` the number of nodes is balanced within `tolerance`, of each node
/// type where there are several (`balance_types`). With them, each constraint within its own; those
/// whose loads are all 0 are left out. METIS treats a tolerance as a goal: measure_balance() gives
/// the result.
///
/// No part is empty where V >= K. Where V <= K node v gets part v. Where a node's load is at least
/// twice the mean load of a part (see the table above), the parts are made by repeated bisection
/// for few cut edges, whatever the objective.
///
/// @complexity  METIS's: about O((V + E) log K); memory: metis_bytes()
/// @repeatable  for one METIS library on one libc, if nothing else draws from rand() during the
///     call; the random numbers are libc's, so that other machines may give other parts
///
/// Thread safety: any number of threads may call; one runs METIS at a time.
///
/// @source G. Karypis & V. Kumar, SIAM J. Sci. Comput. 20(1), 1998; METIS 5.1 manual
template <unsigned_id Part = part_id>
struct basic_metis {
  using part = Part;                                 ///< see partitioner
  static constexpr std::string_view name = "metis";  ///< see named_policy

  std::uint64_t parts = 1;  ///< how many parts to make
  /// what to minimize; volume needs method k_way
  halograph::objective objective = halograph::objective::cut;
  metis_method method = metis_method::k_way;  ///< how METIS gets to K parts
  std::uint64_t seed = 4321;                  ///< METIS's default; folded to 31 bits
  std::uint32_t iterations = 10;              ///< of refinement at each level
  std::uint32_t cuts = 1;                     ///< partitions tried; the best is kept
  std::span<const constraint> constraints{};  ///< what to balance
  double tolerance = default_tolerance;       ///< of the number of nodes, without constraints
  /// without constraints: balance each node type of a typed_graph, as DGL does, each by the
  /// target weights
  bool balance_types = true;
  std::span<const double>
      target_weights{};     ///< [K] or [K x constraints] share of each part, summing to 1
  bool contiguous = false;  ///< each part connected; needs a connected graph
  bool minimize_connectivity = false;            ///< few neighboring parts for each part
  bool count_multiplicity = false;               ///< a pair weighs the number of its edges
  std::span<const std::int64_t> edge_weights{};  ///< [E] by edge ID, >= 1, summed over each pair
  std::span<const std::int64_t>
      node_sizes{};  ///< [V] >= 0, data a node sends to each part that needs it; objective volume
  bool two_hop = true;           ///< match nodes two steps apart when coarsening stalls
  bool random_matching = false;  ///< coarsen by random pairs, not by heavy ones first
  bool random_start = false;     ///< bisect the coarsest graph at random; needs method recursive

  /// What DGL asks for: one refinement iteration, tolerance 0.03, METIS's default seed. See
  /// missing_for_dgl().
  static constexpr basic_metis dgl(std::uint64_t parts,
                                   halograph::objective minimize = halograph::objective::cut) {
    basic_metis out;
    out.parts = parts;
    out.objective = minimize;
    out.iterations = 1;
    return out;
  }
  /// For graphs with a few very large nodes (web, social): recursive bisection, the best of four
  /// tries.
  ///
  /// Pairs cut, communication volume and seconds against the defaults at K = 8 (g++ 12 -O2,
  /// METIS 5.1.0, two shared cores): github-social 120777, 74467, 6.0 against 126054, 77448, 4.3;
  /// web-cnr2000 5235, 5586, 29 against 5830, 6102, 5.0; facebook-pages 16762, 13976, 1.7 against
  /// 17248, 14663, 0.5. Less of both, for one and a half to six times the time. Where only the
  /// volume counts, objective volume sends less still (63715, 5261, 13173) but cuts more (168798,
  /// 5952, 23692).
  static constexpr basic_metis power_law(std::uint64_t parts) {
    basic_metis out;
    out.parts = parts;
    out.method = metis_method::recursive;
    out.cuts = 4;
    return out;
  }
  /// Options that DGL sets and METIS before 5.2 does not have. A view of a constant.
  static constexpr std::string_view missing_for_dgl() noexcept {
    return "METIS 5.1 has no options NIPARTS, DROPEDGES and ONDISK, which DGL sets to 1; repeated edges are "
           "merged here, whereas DGL passes them on";
  }

  /// @errors invalid_argument, overflow, mismatch, infeasible, out_of_range (an edge without a
  ///     node), memory, internal: explain() has the sentence of each
  template <graph G>
  status assign(const G& g, std::span<part> owner) const {
    return assign(g, owner, assign_context());
  }
  /// The same; the undirected view is made on the context's threads. METIS itself has one.
  template <graph G, class Context>
  status assign(const G& g, std::span<part> owner, const Context& context) const {
#if defined(__cpp_exceptions)
    try {
      return run(g, owner, context.threads());
    } catch (const std::bad_alloc&) {
      return detail::metis_status(error_kind::memory, detail::metis_reason::no_memory);
    }
#else
    return run(g, owner, context.threads());
#endif
  }

  /// The sentence for a status of assign.
  std::string explain(status answer) const { return job().explain(answer); }

 private:
  detail::metis_job job() const {
    return {parts,
            id_capacity<part>(),
            objective,
            method,
            seed,
            iterations,
            cuts,
            constraints,
            tolerance,
            target_weights,
            contiguous,
            minimize_connectivity,
            count_multiplicity,
            edge_weights,
            node_sizes,
            two_hop,
            random_matching,
            random_start,
            {},
            false,
            0};
  }

  template <graph G>
  status run(const G& g, std::span<part> owner, executor_ref threads) const {
    const std::size_t nodes = halograph::num_nodes(g);
    detail::metis_job job = this->job();
    balance_set types;
    if constexpr (typed_graph<G>) {
      const std::span<const std::uint64_t> offsets(g.node_type_offsets());
      if (balance_types && constraints.empty() && offsets.size() > 2) {
        types = detail::metis_type_balance(offsets, nodes, tolerance);
        job.constraints = types.constraints();
      }
    }
    detail::metis_input in;
    if (const status answer = job.begin(nodes, owner.size(), in); !answer) return answer;
    if (const status answer = positions_fit<std::uint32_t>(nodes, halograph::num_edges(g))
                                  ? collect<std::uint32_t>(g, job, in, threads)
                                  : collect<std::uint64_t>(g, job, in, threads);
        !answer)
      return answer;
    std::vector<idx_t> found;
    if (const status answer = job.finish(in, found); !answer) return answer;
    for (std::size_t v = 0; v < nodes; ++v) owner[v] = static_cast<part>(found[v]);
    return status::ok;
  }
  /// Put the pairs of a graph into METIS's arrays.
  template <id Position, graph G>
  static status collect(const G& g, const detail::metis_job& job, detail::metis_input& in,
                        executor_ref threads) {
    detail::metis_pairs<Position> pairs(halograph::num_nodes(g), halograph::num_edges(g),
                                        edge_slices(g, threads), job.weighed());
    std::size_t count = 0;
    const status answer = job.weighed()
                              ? collect_pairs(g, detail::metis_edge_weights{job.edge_weights},
                                              pairs.scratch(), count, threads)
                              : collect_pairs(g, pairs_once{}, pairs.scratch(), count, threads);
    return pairs.expand(answer, count, in, threads);
  }
};

using metis = basic_metis<>;  ///< of part_id

/// Bytes that assigning takes at its peak, the undirected view included: an upper bound fitted to
/// measured peaks. Measured on rmat graphs of scales 16 to 21, a grid, typed graphs with 4 to 100
/// constraints, and real graphs (bench/README.md), with 2 to 16 parts and 32-bit indices: the peak
/// was 0.4 to 0.95 times this.
/// @param nodes        V
/// @param entries      entries of the undirected view, at most 2E
/// @param constraints  how many are balanced; 0 counts as 1
/// @param parts        K
/// @complexity O(1); saturates at 2^64 - 1
constexpr std::uint64_t metis_bytes(std::uint64_t nodes, std::uint64_t entries,
                                    std::uint64_t constraints, std::uint64_t parts) noexcept {
  const std::uint64_t width = std::max<std::uint64_t>(1, constraints);
  const auto sum = [](std::uint64_t a, std::uint64_t b) {
    std::uint64_t out = 0;
    return add_into(a, b, out) ? out : ~std::uint64_t{0};
  };
  const auto product = [](std::uint64_t a, std::uint64_t b) {
    std::uint64_t out = 0;
    return multiply_into(a, b, out) ? out : ~std::uint64_t{0};
  };
  // Coarser graphs of power-law graphs keep most of their entries, two words each, and each
  // doubling of the nodes adds a level.
  const auto doublings = static_cast<std::uint64_t>(std::bit_width(nodes == 0 ? 0 : nodes - 1));
  const std::uint64_t per_entry = 14 + 2 * (doublings > 17 ? doublings - 17 : 0);
  // Of each further constraint a column in the graph and in its copies, and two queues of the
  // bisection.
  const auto words = sum(
      sum(product(per_entry, entries), product(nodes, sum(14, product(7, width - 1)))),
      product(16, product(parts, width)));
  return sum(product(sizeof(idx_t), words), std::uint64_t{1} << 18);
}

}  // namespace halograph

#endif
