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

#include <halograph/adapters/metis/bisector.hpp>
#include <halograph/adapters/metis/call.hpp>
#include <halograph/adapters/metis/repair.hpp>
#include <halograph/core/checked_cast.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/large_pages.hpp>
#include <halograph/core/random.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/graph/hetero.hpp>
#include <halograph/graph/symmetrize.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/partitioner.hpp>

#include <metis.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halograph {

/// What METIS minimizes.
enum class objective : std::uint8_t {
  cut,    ///< weight of the pairs that cross parts
  volume  ///< communication volume: for each node its size times the other parts among its
          ///< neighbors
};

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
  using part = Part;
  static constexpr std::string_view name = "metis";

  std::uint64_t parts = 1;
  halograph::objective objective = halograph::objective::cut;
  metis_method method = metis_method::k_way;
  std::uint64_t seed = 4321;                  ///< METIS's default; folded to 31 bits
  std::uint32_t iterations = 10;              ///< of refinement at each level
  std::uint32_t cuts = 1;                     ///< partitions tried; the best is kept
  std::span<const constraint> constraints{};  ///< what to balance
  double tolerance = default_tolerance;       ///< of the number of nodes, without constraints
  /// without constraints: balance each node type of a typed_graph, as DGL does
  bool balance_types = true;
  std::span<const double>
      target_weights{};     ///< [K] or [K x constraints] share of each part, summing to 1
  bool contiguous = false;  ///< each part connected; needs a connected graph
  bool minimize_connectivity = false;            ///< few neighboring parts for each part
  bool count_multiplicity = false;               ///< a pair weighs the number of its edges
  std::span<const std::int64_t> edge_weights{};  ///< [E] by edge ID, >= 1, summed over each pair
  std::span<const std::int64_t>
      node_sizes{};  ///< [V] >= 0, data a node sends to each part that needs it; objective volume
  bool two_hop = true;  ///< match nodes two steps apart when coarsening stalls

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
    const auto& threads = context.threads();
#if defined(__cpp_exceptions)
    try {
      return run_balanced(g, owner, threads);
    } catch (const std::bad_alloc&) {
      return detail::metis_status(errc::memory, detail::metis_reason::no_memory);
    }
#else
    return run_balanced(g, owner, threads);
#endif
  }

  /// The sentence for a status of assign.
  std::string explain(status answer) const {
    using enum detail::metis_reason;
    const auto item = answer.position >> 8;
    const std::string widest = std::to_string(std::numeric_limits<idx_t>::max());
    const std::string cure = sizeof(idx_t) == 4
                                 ? "; a METIS built with 64-bit indices (IDXTYPEWIDTH 64) takes it"
                                 : "";
    const std::string which = item < constraints.size()
                                  ? "constraint \"" +
                                        constraints[static_cast<std::size_t>(item)].name + "\""
                                  : "the number of nodes";
    switch (static_cast<detail::metis_reason>(answer.position & 0xFF)) {
      case none:
        return {};
      case no_parts:
        return "the number of parts is 0; it must be at least 1";
      case part_width:
        return "the number of parts (" + std::to_string(parts) +
               ") does not fit its type; it must be at most " +
               std::to_string(
                   std::min<std::uint64_t>(id_capacity<part>(), std::numeric_limits<idx_t>::max()));
      case owner_size:
        return "the assignment must have exactly one entry for each node";
      case index_width:
        return "the graph's undirected view has more than " + widest +
               " nodes or entries, which this METIS cannot number" + cure;
      case load_size:
        return which + " must give one load for each node";
      case load_negative:
        return which + " gives a negative load; loads must be at least 0";
      case load_sum:
        return "the loads of " + which + " sum to more than " + widest +
               ", which this METIS cannot add" + cure;
      case bad_tolerance:
        return "the tolerance of " + which + " must be a number above 0, such as 0.03";
      case target_size:
        return "there are " + std::to_string(target_weights.size()) +
               " target weights; there must be one for each part (" + std::to_string(parts) +
               "), or one for each part and constraint";
      case target_value:
        return "target weights must be above 0 and sum to 1 over the parts";
      case edge_weight_count:
        return "there are " + std::to_string(edge_weights.size()) +
               " edge weights; every edge needs one";
      case edge_weight_value:
        return "edge " + std::to_string(item) +
               " weighs less than 1; METIS needs weights of at least 1";
      case edge_weight_sum:
        return "the edge weights sum to more than " + widest +
               " (each pair counted in both directions), which this METIS cannot add" + cure;
      case sizes_count:
        return "there are " + std::to_string(node_sizes.size()) +
               " communication sizes; every node needs one";
      case sizes_value:
        return "node " + std::to_string(item) +
               " has a negative communication size; sizes must be at least 0";
      case sizes_sum:
        return "the communication sizes sum to more than " + widest +
               " over the edges, which this METIS cannot add" + cure;
      case bad_iterations:
        return "iterations and cuts must be at least 1 and at most 2147483647";
      case volume_needs_k_way:
        return "objective volume needs method k-way; METIS's recursive method minimizes the cut alone";
      case contiguous_needs_k_way:
        return "contiguous parts need method k-way; METIS's recursive method ignores the option";
      case connectivity_needs_k_way:
        return "minimizing connectivity needs method k-way; METIS's recursive method ignores the option";
      case sizes_need_volume:
        return "communication sizes need objective volume; METIS ignores them when it minimizes the cut";
      case volume_ignores_weights:
        return "objective volume takes no edge weights and no multiplicity; METIS ignores them, and communication sizes are its weights";
      case weights_twice:
        return "edge weights and multiplicity exclude each other: weights are summed over the edges of a pair";
      case not_connected:
        return "contiguous parts need a connected graph; this one has " + std::to_string(item) +
               " components";
      case not_contiguous:
        return "METIS found no contiguous parts: there are " + std::to_string(item) +
               " pieces for " + std::to_string(parts) +
               " parts; fewer parts or a larger tolerance may help";
      case heavy_contiguous:
        return "contiguous parts are impossible while " + which +
               " has a node that outweighs two parts";
      case bad_edge:
        return "edge " + std::to_string(item) + " has an endpoint that is not a node of the graph";
      case refused:
        return "METIS refused its input, though it was checked; please report";
      case no_memory:
        return "not enough memory for METIS; halograph estimate shows how much it needs";
      case failed:
        return "METIS ended with an error, or a signal (SIGTERM, SIGABRT) ended it";
    }
    return {};
  }

 private:
  /// Run with the default constraints where none are given.
  template <graph G, executor Executor>
  status run_balanced(const G& g, std::span<part> owner, const Executor& threads) const {
    if constexpr (typed_graph<G>) {
      const auto offsets = g.node_type_offsets();
      if (balance_types && constraints.empty() && target_weights.empty() && offsets.size() > 2) {
        std::vector<std::string> numbers;
        for (std::size_t t = 0; t + 1 < offsets.size(); ++t) numbers.push_back(std::to_string(t));
        node_classes classes = classes_by_type(offsets, numbers);
        if (classes.names.size() > 1) {
          const balance_set types = balance_like_dgl(g, std::move(classes), false, tolerance);
          basic_metis typed = *this;
          typed.constraints = types.constraints();
          return typed.run(g, owner, threads);
        }
      }
    }
    return run(g, owner, threads);
  }

  using reason = detail::metis_reason;
  static constexpr status refuse(errc code, reason why, std::uint64_t item = 0) noexcept {
    return detail::metis_status(code, why, item);
  }
  static constexpr auto idx_max = static_cast<std::uint64_t>(std::numeric_limits<idx_t>::max());
  static constexpr auto idx_limit = std::numeric_limits<idx_t>::max();

  /// Check what can be checked without the graph.
  status check_options(std::size_t nodes) const {
    if (parts == 0) return refuse(errc::invalid_argument, reason::no_parts);
    if (parts - 1 > id_capacity<part>() - 1 || parts > idx_max)
      return refuse(errc::overflow, reason::part_width);
    constexpr auto most = static_cast<std::uint32_t>(std::numeric_limits<std::int32_t>::max());
    if (iterations == 0 || cuts == 0 || iterations > most || cuts > most) {
      return refuse(errc::invalid_argument, reason::bad_iterations);
    }
    if (method == metis_method::recursive) {
      if (objective != halograph::objective::cut)
        return refuse(errc::invalid_argument, reason::volume_needs_k_way);
      if (contiguous) return refuse(errc::invalid_argument, reason::contiguous_needs_k_way);
      if (minimize_connectivity)
        return refuse(errc::invalid_argument, reason::connectivity_needs_k_way);
    }
    const bool weighed = !edge_weights.empty() || count_multiplicity;
    if (objective == halograph::objective::cut) {
      if (!node_sizes.empty()) return refuse(errc::invalid_argument, reason::sizes_need_volume);
    } else if (weighed) {
      return refuse(errc::invalid_argument, reason::volume_ignores_weights);
    }
    if (!edge_weights.empty() && count_multiplicity)
      return refuse(errc::invalid_argument, reason::weights_twice);
    const std::size_t width = std::max<std::size_t>(1, constraints.size());
    if (!target_weights.empty()) {
      if (target_weights.size() != parts && target_weights.size() != parts * width) {
        return refuse(errc::mismatch, reason::target_size);
      }
      const std::size_t columns = target_weights.size() / static_cast<std::size_t>(parts);
      for (std::size_t c = 0; c < columns; ++c) {
        double sum = 0;
        for (std::size_t p = 0; p < parts; ++p) {
          const double w = target_weights[p * columns + c];
          if (!(w > 0) || static_cast<real_t>(w) <= 0)
            return refuse(errc::invalid_argument, reason::target_value);
          sum += w;
        }
        if (!(std::abs(sum - 1) <= 1e-6))
          return refuse(errc::invalid_argument, reason::target_value);
      }
    }
    if (constraints.empty() && !sound(tolerance)) {
      return refuse(errc::invalid_argument, reason::bad_tolerance, constraints.size());
    }
    for (std::size_t c = 0; c < constraints.size(); ++c) {
      if (!sound(constraints[c].tolerance))
        return refuse(errc::invalid_argument, reason::bad_tolerance, c);
      if (constraints[c].load.size() != nodes) return refuse(errc::mismatch, reason::load_size, c);
    }
    if (!node_sizes.empty() && node_sizes.size() != nodes)
      return refuse(errc::mismatch, reason::sizes_count);
    return status::ok;
  }
  static bool sound(double value) noexcept { return value > 0 && value <= 1e6; }

  /// The sum of a column of loads and its largest entry, checked.
  static status sum_loads(const constraint& c, std::uint64_t item, std::int64_t& total,
                          std::int64_t& largest) {
    total = largest = 0;
    for (std::size_t v = c.load.first(); v < c.load.last(); ++v) {
      const std::int64_t w = c.load[v];
      if (w < 0) return refuse(errc::invalid_argument, reason::load_negative, item);
      if (w > static_cast<std::int64_t>(idx_limit) - total)
        return refuse(errc::overflow, reason::load_sum, item);
      total += w;
      largest = std::max(largest, w);
    }
    return status::ok;
  }

  template <graph G, class PairWeight, executor Executor>
  static status view(const G& g, const PairWeight& weight, detail::metis_input& in,
                     const Executor& threads) {
    return positions_fit<std::uint32_t>(halograph::num_nodes(g), halograph::num_edges(g))
               ? view_at<std::uint32_t>(g, weight, in, threads)
               : view_at<std::uint64_t>(g, weight, in, threads);
  }
  template <id Position, graph G, class PairWeight, executor Executor>
  static status view_at(const G& g, const PairWeight& weight, detail::metis_input& in,
                        const Executor& threads) {
    const std::size_t nodes = halograph::num_nodes(g);
    const auto sizes = symmetrize_size(nodes, halograph::num_edges(g), edge_slices(g, threads));
    // Not zeroed: written before they are read.
    const auto position_memory = std::make_unique_for_overwrite<Position[]>(sizes.positions);
    const auto lower_memory = std::make_unique_for_overwrite<idx_t[]>(sizes.lower);
    const std::span<Position> positions(position_memory.get(), sizes.positions);
    const std::span<idx_t> lower(lower_memory.get(), sizes.lower);
    prefer_large_pages(std::as_writable_bytes(positions));
    prefer_large_pages(std::as_writable_bytes(lower));
    std::vector<std::int64_t> lower_weights(PairWeight::weighs ? sizes.lower : 0);
    std::size_t pairs = 0;
    status answer = collect_pairs(
        g, weight, pair_scratch<idx_t, std::int64_t, Position>{positions, lower, lower_weights},
        pairs, threads);
    if (answer && 2 * pairs > idx_max) return refuse(errc::overflow, reason::index_width);
    if (answer == status::out_of_range)
      return refuse(errc::out_of_range, reason::bad_edge, answer.position);
    if (answer == status::mismatch) return refuse(errc::mismatch, reason::edge_weight_count);
    if (answer == status::overflow) {
      return refuse(errc::overflow,
                    nodes > idx_max ? reason::index_width : reason::edge_weight_sum);
    }
    if (!answer) return answer;
    std::vector<idx_t> pair_weights;
    if constexpr (PairWeight::weighs) {
      std::int64_t total = 0;
      pair_weights.resize(pairs);
      for (std::size_t i = 0; i < pairs; ++i) {
        if (lower_weights[i] > static_cast<std::int64_t>(idx_limit) / 2 - total) {
          return refuse(errc::overflow, reason::edge_weight_sum);
        }
        total += lower_weights[i];
        pair_weights[i] = static_cast<idx_t>(lower_weights[i]);
      }
      std::vector<std::int64_t>().swap(lower_weights);
    }
    in.offsets.resize(nodes + 1);
    resize_in_large_pages(in.neighbors, 2 * pairs);
    if (PairWeight::weighs) resize_in_large_pages(in.pair_weights, 2 * pairs);
    return expand_pairs(nodes, pair_scratch<idx_t, idx_t, Position>{positions, lower, pair_weights},
                        std::span<idx_t>(in.offsets), std::span<idx_t>(in.neighbors),
                        std::span<idx_t>(in.pair_weights), threads);
  }

  template <graph G, executor Executor>
  status run(const G& g, std::span<part> owner, const Executor& threads) const {
    const std::size_t nodes = halograph::num_nodes(g);
    if (owner.size() != nodes) return refuse(errc::mismatch, reason::owner_size);
    if (const status answer = check_options(nodes); !answer) return answer;
    if (nodes > idx_max) return refuse(errc::overflow, reason::index_width);

    // Loads: constraints that load nothing are met by any parts.
    detail::metis_input in;
    std::vector<std::size_t> loaded;
    bool heavy = false;
    std::uint64_t heavy_one = constraints.size();
    for (std::size_t c = 0; c < constraints.size(); ++c) {
      std::int64_t total = 0, largest = 0;
      if (const status answer = sum_loads(constraints[c], c, total, largest); !answer)
        return answer;
      if (total == 0) continue;
      loaded.push_back(c);
      in.allowed.push_back(static_cast<real_t>(1 + constraints[c].tolerance));
      if (!heavy && static_cast<double>(largest) * static_cast<double>(parts) >=
                        2 * static_cast<double>(total)) {
        heavy = true;
        heavy_one = c;
      }
    }
    for (std::size_t e = 0; e < edge_weights.size(); ++e) {
      if (edge_weights[e] < 1) return refuse(errc::invalid_argument, reason::edge_weight_value, e);
    }

    status answer = count_multiplicity      ? view(g, pairs_by_multiplicity{}, in, threads)
                    : !edge_weights.empty() ? view(g, pairs_by_weight{edge_weights}, in, threads)
                                            : view(g, pairs_once{}, in, threads);
    if (!answer) return answer;
    if (!node_sizes.empty()) {
      // METIS weighs the pair {u, v} by 1 + size(u) + size(v) while coarsening.
      std::uint64_t sum = 0;
      in.sizes.resize(nodes);
      for (std::size_t v = 0; v < nodes; ++v) {
        if (node_sizes[v] < 0) return refuse(errc::invalid_argument, reason::sizes_value, v);
        const auto degree = static_cast<std::uint64_t>(in.offsets[v + 1] - in.offsets[v]);
        const auto size = static_cast<std::uint64_t>(node_sizes[v]);
        if (size > idx_max || sum > idx_max ||
            (degree != 0 && size > (idx_max - sum) / (2 * degree + 1))) {
          return refuse(errc::overflow, reason::sizes_sum);
        }
        sum += (2 * degree + 1) * size + degree;
        in.sizes[v] = static_cast<idx_t>(size);
      }
      if (sum > idx_max) return refuse(errc::overflow, reason::sizes_sum);
    }

    if (contiguous && nodes > 0) {
      const std::vector<idx_t> together(nodes, 0);
      if (const auto pieces = detail::count_pieces(in, together); pieces > 1) {
        return refuse(errc::infeasible, reason::not_connected, pieces);
      }
    }
    if (parts == 1 || nodes <= parts) {
      for (std::size_t v = 0; v < nodes; ++v) owner[v] = static_cast<part>(parts == 1 ? 0 : v);
      return status::ok;
    }
    if (heavy && contiguous) return refuse(errc::infeasible, reason::heavy_contiguous, heavy_one);

    const std::size_t width = std::max<std::size_t>(1, loaded.size());
    in.constraints = static_cast<idx_t>(width);
    if (loaded.empty())
      in.allowed.assign(
          1, static_cast<real_t>(1 + (constraints.empty() ? tolerance : default_tolerance)));
    if (!loaded.empty()) {
      in.loads.resize(nodes * width);
      for (std::size_t i = 0; i < width; ++i) {
        const auto& load = constraints[loaded[i]].load;
        for (std::size_t v = load.first(); v < load.last(); ++v)
          in.loads[v * width + i] = static_cast<idx_t>(load[v]);
      }
    }
    if (!target_weights.empty()) {
      const auto count = static_cast<std::size_t>(parts);
      const std::size_t columns = target_weights.size() / count;
      in.targets.resize(count * width);
      for (std::size_t p = 0; p < count; ++p) {
        for (std::size_t i = 0; i < width; ++i) {
          const std::size_t column = columns == 1 ? 0 : loaded.empty() ? 0 : loaded[i];
          in.targets[p * width + i] = static_cast<real_t>(target_weights[p * columns + column]);
        }
      }
    }
    METIS_SetDefaultOptions(in.options.data());
    const auto option = [&](moptions_et which, std::uint64_t value) {
      in.options[static_cast<std::size_t>(which)] = static_cast<idx_t>(value);
    };
    option(METIS_OPTION_NUMBERING, 0);
    option(METIS_OPTION_DBGLVL, 0);
    // GKlib truncates seeds to an int, and METIS reads -1 as its default.
    option(METIS_OPTION_SEED, seed <= 0x7FFFFFFF ? seed : mix(seed) & 0x7FFFFFFF);
    option(METIS_OPTION_NITER, iterations);
    option(METIS_OPTION_NCUTS, cuts);
    option(METIS_OPTION_NO2HOP, two_hop ? 0 : 1);
    if (method == metis_method::k_way && !heavy) {
      option(METIS_OPTION_OBJTYPE,
             objective == halograph::objective::cut ? METIS_OBJTYPE_CUT : METIS_OBJTYPE_VOL);
      option(METIS_OPTION_CONTIG, contiguous ? 1 : 0);
      option(METIS_OPTION_MINCONN, minimize_connectivity ? 1 : 0);
    }

    std::vector<idx_t> found;
    if (heavy) {
      in.sizes.clear();
      answer = detail::metis_bisector(in, found).run(static_cast<std::size_t>(parts));
    } else {
      answer = detail::call_metis(in, method, static_cast<idx_t>(parts), found);
    }
    if (!answer) return answer;
    const std::vector<std::size_t> one_each(static_cast<std::size_t>(parts), 1);
    detail::fill_parts(in, found, one_each);
    if (contiguous) {
      if (const auto pieces = detail::count_pieces(in, found); pieces > parts) {
        return refuse(errc::infeasible, reason::not_contiguous, pieces);
      }
    }
    for (std::size_t v = 0; v < nodes; ++v) owner[v] = static_cast<part>(found[v]);
    return status::ok;
  }
};

using metis = basic_metis<>;

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
