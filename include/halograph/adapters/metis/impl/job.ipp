// SPDX-License-Identifier: BSL-1.0
/// @file job.ipp
/// Bodies of the plain functions of adapters/metis/job.hpp.
/// Layer: adapters. Words: README.md.
#pragma once

#include <halograph/adapters/metis/bisector.hpp>
#include <halograph/adapters/metis/call.hpp>
#include <halograph/adapters/metis/job.hpp>
#include <halograph/adapters/metis/repair.hpp>
#include <halograph/core/random.hpp>
#include <halograph/core/status.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/streaming.hpp>

#include <metis.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_HOSTED_INLINE status metis_job::begin(std::size_t nodes, std::size_t owners,
                                                metis_input& in) {
  if (owners != nodes) return refuse(error_kind::mismatch, reason::owner_size);
  if (const status answer = check_options(nodes); !answer) return answer;
  if (nodes > idx_max) return refuse(error_kind::overflow, reason::index_width);

  // Loads: constraints that load nothing are met by any parts.
  heavy_one = constraints.size();
  for (std::size_t c = 0; c < constraints.size(); ++c) {
    std::int64_t total = 0, largest = 0;
    if (const status answer = sum_loads(constraints[c], c, total, largest); !answer) return answer;
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
    if (edge_weights[e] < 1)
      return refuse(error_kind::invalid_argument, reason::edge_weight_value, e);
  }
  return status::ok;
}

HALOGRAPH_HOSTED_INLINE status metis_job::finish(metis_input& in, std::vector<idx_t>& found) const {
  const std::size_t nodes = in.num_nodes();
  if (!node_sizes.empty()) {
    // METIS weighs the pair {u, v} by 1 + size(u) + size(v) while coarsening.
    std::uint64_t sum = 0;
    in.sizes.resize(nodes);
    for (std::size_t v = 0; v < nodes; ++v) {
      if (node_sizes[v] < 0) return refuse(error_kind::invalid_argument, reason::sizes_value, v);
      const auto degree = static_cast<std::uint64_t>(in.offsets[v + 1] - in.offsets[v]);
      const auto size = static_cast<std::uint64_t>(node_sizes[v]);
      if (size > idx_max || sum > idx_max ||
          (degree != 0 && size > (idx_max - sum) / (2 * degree + 1))) {
        return refuse(error_kind::overflow, reason::sizes_sum);
      }
      sum += (2 * degree + 1) * size + degree;
      in.sizes[v] = static_cast<idx_t>(size);
    }
    if (sum > idx_max) return refuse(error_kind::overflow, reason::sizes_sum);
  }

  if (contiguous && nodes > 0) {
    const std::vector<idx_t> together(nodes, 0);
    if (const auto pieces = count_pieces(in, together); pieces > 1) {
      return refuse(error_kind::infeasible, reason::not_connected, pieces);
    }
  }
  if (parts == 1 || nodes <= parts) {
    found.assign(nodes, 0);
    if (parts != 1) std::iota(found.begin(), found.end(), 0);
    return status::ok;
  }
  if (heavy && contiguous)
    return refuse(error_kind::infeasible, reason::heavy_contiguous, heavy_one);

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
  if (random_matching) option(METIS_OPTION_CTYPE, METIS_CTYPE_RM);
  if (random_start) option(METIS_OPTION_IPTYPE, METIS_IPTYPE_RANDOM);
  if (method == metis_method::k_way && !heavy) {
    option(METIS_OPTION_OBJTYPE,
           objective == halograph::objective::cut ? METIS_OBJTYPE_CUT : METIS_OBJTYPE_VOL);
    option(METIS_OPTION_CONTIG, contiguous ? 1 : 0);
    option(METIS_OPTION_MINCONN, minimize_connectivity ? 1 : 0);
  }

  status answer = status::ok;
  if (heavy) {
    in.sizes.clear();
    answer = metis_bisector(in, found).run(static_cast<std::size_t>(parts));
  } else {
    answer = call_metis(in, method, static_cast<idx_t>(parts), found);
  }
  if (!answer) return answer;
  const std::vector<std::size_t> one_each(static_cast<std::size_t>(parts), 1);
  fill_parts(in, found, one_each);
  if (contiguous) {
    if (const auto pieces = count_pieces(in, found); pieces > parts) {
      return refuse(error_kind::infeasible, reason::not_contiguous, pieces);
    }
  }
  return status::ok;
}

HALOGRAPH_HOSTED_INLINE std::string metis_job::explain(status answer) const {
  using enum metis_reason;
  const auto item = answer.position >> 8;
  const std::string widest = std::to_string(std::numeric_limits<idx_t>::max());
  const std::string cure = sizeof(idx_t) == 4
                               ? "; a METIS built with 64-bit indices (IDXTYPEWIDTH 64) takes it"
                               : "";
  const std::string which = item < constraints.size()
                                ? "constraint \"" +
                                      constraints[static_cast<std::size_t>(item)].name + "\""
                                : "the number of nodes";
  switch (static_cast<metis_reason>(answer.position & 0xFF)) {
    case none:
      return {};
    case no_parts:
      return "the number of parts is 0; it must be at least 1";
    case part_width:
      return "the number of parts (" + std::to_string(parts) +
             ") does not fit its type; it must be at most " +
             std::to_string(
                 std::min<std::uint64_t>(part_capacity, std::numeric_limits<idx_t>::max()));
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
    case random_start_needs_recursive:
      return "a random start needs method recursive; METIS's k-way method bisects for its first parts";
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
      return "METIS found no contiguous parts: there are " + std::to_string(item) + " pieces for " +
             std::to_string(parts) + " parts; fewer parts or a larger tolerance may help";
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

HALOGRAPH_HOSTED_INLINE status metis_job::check_options(std::size_t nodes) const {
  if (parts == 0) return refuse(error_kind::invalid_argument, reason::no_parts);
  if (parts - 1 > part_capacity - 1 || parts > idx_max)
    return refuse(error_kind::overflow, reason::part_width);
  constexpr auto most = static_cast<std::uint32_t>(std::numeric_limits<std::int32_t>::max());
  if (iterations == 0 || cuts == 0 || iterations > most || cuts > most) {
    return refuse(error_kind::invalid_argument, reason::bad_iterations);
  }
  if (method == metis_method::recursive) {
    if (objective != halograph::objective::cut)
      return refuse(error_kind::invalid_argument, reason::volume_needs_k_way);
    if (contiguous) return refuse(error_kind::invalid_argument, reason::contiguous_needs_k_way);
    if (minimize_connectivity)
      return refuse(error_kind::invalid_argument, reason::connectivity_needs_k_way);
  } else if (random_start) {
    return refuse(error_kind::invalid_argument, reason::random_start_needs_recursive);
  }
  const bool weighed = !edge_weights.empty() || count_multiplicity;
  if (objective == halograph::objective::cut) {
    if (!node_sizes.empty()) return refuse(error_kind::invalid_argument, reason::sizes_need_volume);
  } else if (weighed) {
    return refuse(error_kind::invalid_argument, reason::volume_ignores_weights);
  }
  if (!edge_weights.empty() && count_multiplicity)
    return refuse(error_kind::invalid_argument, reason::weights_twice);
  const std::size_t width = std::max<std::size_t>(1, constraints.size());
  if (!target_weights.empty()) {
    if (target_weights.size() != parts && target_weights.size() != parts * width) {
      return refuse(error_kind::mismatch, reason::target_size);
    }
    const std::size_t columns = target_weights.size() / static_cast<std::size_t>(parts);
    for (std::size_t c = 0; c < columns; ++c) {
      double sum = 0;
      for (std::size_t p = 0; p < parts; ++p) {
        const double w = target_weights[p * columns + c];
        if (!(w > 0) || static_cast<real_t>(w) <= 0)
          return refuse(error_kind::invalid_argument, reason::target_value);
        sum += w;
      }
      if (!(std::abs(sum - 1) <= 1e-6))
        return refuse(error_kind::invalid_argument, reason::target_value);
    }
  }
  if (constraints.empty() && !sound(tolerance)) {
    return refuse(error_kind::invalid_argument, reason::bad_tolerance, constraints.size());
  }
  for (std::size_t c = 0; c < constraints.size(); ++c) {
    if (!sound(constraints[c].tolerance))
      return refuse(error_kind::invalid_argument, reason::bad_tolerance, c);
    if (constraints[c].load.size() != nodes)
      return refuse(error_kind::mismatch, reason::load_size, c);
  }
  if (!node_sizes.empty() && node_sizes.size() != nodes)
    return refuse(error_kind::mismatch, reason::sizes_count);
  return status::ok;
}

HALOGRAPH_HOSTED_INLINE status metis_job::sum_loads(const constraint& c, std::uint64_t item,
                                                    std::int64_t& total, std::int64_t& largest) {
  total = largest = 0;
  for (std::size_t v = c.load.first(); v < c.load.last(); ++v) {
    const std::int64_t w = c.load[v];
    if (w < 0) return refuse(error_kind::invalid_argument, reason::load_negative, item);
    if (w > static_cast<std::int64_t>(idx_limit) - total)
      return refuse(error_kind::overflow, reason::load_sum, item);
    total += w;
    largest = std::max(largest, w);
  }
  return status::ok;
}

HALOGRAPH_HOSTED_INLINE balance_set metis_type_balance(std::span<const std::uint64_t> offsets,
                                                       std::size_t nodes, double tolerance) {
  std::vector<std::string> numbers;
  for (std::size_t t = 0; t + 1 < offsets.size(); ++t) numbers.push_back(std::to_string(t));
  node_classes classes = classes_by_type(offsets, std::span<const std::string>(numbers));
  if (classes.names.size() < 2) return {};
  return balance_like_dgl(nodes_alone{nodes}, std::move(classes), false, tolerance);
}

}  // namespace halograph::detail
