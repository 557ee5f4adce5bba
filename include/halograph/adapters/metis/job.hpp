// SPDX-License-Identifier: BSL-1.0
/// @file job.hpp
/// One assignment by METIS, whatever the types of the graph and of its parts: checks, loads, pairs
/// and the call.
/// Layer: adapters (METIS). Words: README.md.
#pragma once

#include <halograph/adapters/metis/call.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/large_pages.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/symmetrize.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/multilevel/effort.hpp>

#include <metis.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

namespace detail {

/// The options of basic_metis, with what is found out while they are met.
struct metis_job {
  std::uint64_t parts = 1;
  std::uint64_t part_capacity = 0;  ///< how many parts their type can name
  halograph::objective objective = halograph::objective::cut;
  metis_method method = metis_method::k_way;
  std::uint64_t seed = 0;
  std::uint32_t iterations = 10;
  std::uint32_t cuts = 1;
  std::span<const constraint> constraints{};
  double tolerance = default_tolerance;
  std::span<const double> target_weights{};
  bool contiguous = false;
  bool minimize_connectivity = false;
  bool count_multiplicity = false;
  std::span<const std::int64_t> edge_weights{};
  std::span<const std::int64_t> node_sizes{};
  bool two_hop = true;
  bool random_matching = false;
  bool random_start = false;

  // Found by begin().
  std::vector<std::size_t> loaded{};  ///< constraints that load something
  bool heavy = false;                 ///< does a node outweigh two parts?
  std::uint64_t heavy_one = 0;        ///< by this constraint

  using reason = metis_reason;

  /// Do pairs have weights?
  bool weighed() const noexcept { return !edge_weights.empty() || count_multiplicity; }

  /// Check the options and sum the loads. @param owners  entries of the assignment
  status begin(std::size_t nodes, std::size_t owners, metis_input& in);

  /// Run METIS on the pairs. @param found  [V] out: the part of each node
  status finish(metis_input& in, std::vector<idx_t>& found) const;

  /// The sentence for a status of assign.
  std::string explain(status answer) const;

  static constexpr status refuse(error_kind code, reason why, std::uint64_t item = 0) noexcept {
    return metis_status(code, why, item);
  }
  static constexpr auto idx_max = static_cast<std::uint64_t>(std::numeric_limits<idx_t>::max());
  static constexpr auto idx_limit = std::numeric_limits<idx_t>::max();

  /// Check what can be checked without the graph.
  status check_options(std::size_t nodes) const;
  static bool sound(double value) noexcept { return value > 0 && value <= 1e6; }

  /// The sum of a column of loads and its largest entry, checked.
  static status sum_loads(const constraint& c, std::uint64_t item, std::int64_t& total,
                          std::int64_t& largest);
};

/// The number of edges of a pair, or the sum of their weights where there are some.
struct metis_edge_weights {
  static constexpr bool weighs = true;
  std::span<const std::int64_t> weights{};  ///< [E] by edge ID, or empty: 1 each
  constexpr std::int64_t operator()(std::size_t e) const noexcept {
    return weights.empty() ? 1 : weights[e];
  }
  constexpr status check(std::size_t e) const noexcept {
    return weights.empty() ? status::ok : pairs_by_weight{weights}.check(e);
  }
};

/// The pairs of a graph on their way to METIS's arrays.
template <id Position>
class metis_pairs {
 public:
  /// @param slices  edge_slices() of the graph
  metis_pairs(std::size_t nodes, std::size_t edges, std::size_t slices, bool weighed)
      : nodes_(nodes), weighed_(weighed), sizes_(symmetrize_size(nodes, edges, slices)) {
    // Not zeroed: written before they are read.
    positions_ = std::make_unique_for_overwrite<Position[]>(sizes_.positions);
    lower_ = std::make_unique_for_overwrite<idx_t[]>(sizes_.lower);
    prefer_large_pages(std::as_writable_bytes(positions()));
    prefer_large_pages(std::as_writable_bytes(lower()));
    lower_weights_.resize(weighed ? sizes_.lower : 0);
  }
  /// For collect_pairs.
  pair_scratch<idx_t, std::int64_t, Position> scratch() {
    return {positions(), lower(), lower_weights_};
  }
  /// Make METIS's arrays. @param answer, pairs  of collect_pairs
  status expand(status answer, std::size_t pairs, metis_input& in, executor_ref threads) {
    using reason = metis_reason;
    constexpr idx_t limit = std::numeric_limits<idx_t>::max();
    constexpr auto most = static_cast<std::uint64_t>(limit);
    if (answer && 2 * pairs > most) return metis_status(error_kind::overflow, reason::index_width);
    if (answer == status::out_of_range)
      return metis_status(error_kind::out_of_range, reason::bad_edge, answer.position);
    if (answer == status::mismatch)
      return metis_status(error_kind::mismatch, reason::edge_weight_count);
    if (answer == status::overflow) {
      return metis_status(error_kind::overflow,
                          nodes_ > most ? reason::index_width : reason::edge_weight_sum);
    }
    if (!answer) return answer;
    std::vector<idx_t> pair_weights;
    if (weighed_) {
      std::int64_t total = 0;
      pair_weights.resize(pairs);
      for (std::size_t i = 0; i < pairs; ++i) {
        if (lower_weights_[i] > static_cast<std::int64_t>(limit) / 2 - total)
          return metis_status(error_kind::overflow, reason::edge_weight_sum);
        total += lower_weights_[i];
        pair_weights[i] = static_cast<idx_t>(lower_weights_[i]);
      }
      std::vector<std::int64_t>().swap(lower_weights_);
    }
    in.offsets.resize(nodes_ + 1);
    resize_in_large_pages(in.neighbors, 2 * pairs);
    if (weighed_) resize_in_large_pages(in.pair_weights, 2 * pairs);
    return expand_pairs(nodes_,
                        pair_scratch<idx_t, idx_t, Position>{positions(), lower(), pair_weights},
                        std::span<idx_t>(in.offsets), std::span<idx_t>(in.neighbors),
                        std::span<idx_t>(in.pair_weights), threads);
  }

 private:
  std::span<Position> positions() const noexcept { return {positions_.get(), sizes_.positions}; }
  std::span<idx_t> lower() const noexcept { return {lower_.get(), sizes_.lower}; }

  std::size_t nodes_;
  bool weighed_;
  symmetrize_sizes sizes_;
  std::unique_ptr<Position[]> positions_{};
  std::unique_ptr<idx_t[]> lower_{};
  std::vector<std::int64_t> lower_weights_{};
};

/// What is balanced without constraints: the nodes of each type, where several types have nodes.
/// @param offsets  [T+1]
balance_set metis_type_balance(std::span<const std::uint64_t> offsets, std::size_t nodes,
                               double tolerance);

}  // namespace detail

}  // namespace halograph

#if !HALOGRAPH_COMPILED_HOSTED
#include <halograph/adapters/metis/impl/job.ipp>
#endif
