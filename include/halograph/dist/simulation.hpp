// SPDX-License-Identifier: BSL-1.0
/// @file simulation.hpp
/// The results of a simulation of sampling, and their JSON document.
/// Layer: dist. Words: README.md.
#pragma once

#include <halograph/core/linkage.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/dist/sample_neighbors.hpp>
#include <halograph/folder/feature_cache.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

/// Options of a simulation.
struct simulation_options {
  std::vector<std::uint64_t> fanout{
      10, 10};  ///< hop by hop from the seeds, for every edge type; all_neighbors takes all
  std::uint64_t batch = 1024;  ///< seeds of a batch
  std::uint64_t epochs = 1;    ///< how often all seeds are used
  bool replace = false;        ///< draw with replacement
  std::uint64_t seed = 0;      ///< of the batches' order and of the draws
  /// Bytes of feature rows that each part may keep of others. Which rows to keep is learned from
  /// all epochs but the last, and what they save is measured in the last. A single epoch is
  /// measured, and one more is drawn to learn from, which no other figure counts.
  std::uint64_t cache_bytes = 0;
  std::vector<std::string>
      features{};  ///< "type/name" of the node features that are fetched; empty: all
  progress_callback on_progress{};  ///< told of each epoch of each part
};

/// Counts of one part's trainer for nodes of one type, over all epochs.
struct simulated_type {
  std::uint64_t row_bytes = 0;    ///< of the features fetched
  std::uint64_t seeds = 0;        ///< in all batches
  std::uint64_t input_nodes = 0;  ///< distinct nodes of each batch, summed
  std::uint64_t remote_rows = 0;  ///< of those, nodes of other parts
  sampling_counters structure{};  ///< nodes that edges were drawn for

  /// Bytes of features that came from other parts.
  std::uint64_t remote_row_bytes() const noexcept { return remote_rows * row_bytes; }
};

/// The content of a cache, and what it saves in the last epoch, which was not used to choose it.
struct simulated_cache {
  std::uint64_t rows = 0;          ///< kept
  std::uint64_t bytes = 0;         ///< kept
  std::uint64_t remote_rows = 0;   ///< fetched without it
  std::uint64_t remote_bytes = 0;  ///< fetched without it
  std::uint64_t saved_rows = 0;    ///< of those, found in it
  std::uint64_t saved_bytes = 0;   ///< of those, found in it
};

/// Counts of one part's trainer.
struct simulated_part {
  std::uint64_t batches = 0;            ///< in all epochs
  std::uint64_t edges = 0;              ///< drawn
  std::vector<simulated_type> types{};  ///< [T]
  simulated_cache cache{};              ///< empty without a budget

  /// The sum of a figure over the types.
  template <class Figure>
  std::uint64_t sum(Figure&& figure) const {
    std::uint64_t all = 0;
    for (const auto& type : types) all += figure(type);
    return all;
  }
  /// Seeds of all types.
  std::uint64_t seeds() const {
    return sum([](const auto& t) { return t.seeds; });
  }
  /// Distinct nodes of each batch, summed over batches and types.
  std::uint64_t input_nodes() const {
    return sum([](const auto& t) { return t.input_nodes; });
  }
  /// Of those, nodes of other parts.
  std::uint64_t remote_rows() const {
    return sum([](const auto& t) { return t.remote_rows; });
  }
  /// Bytes of features that came from other parts.
  std::uint64_t remote_row_bytes() const {
    return sum([](const auto& t) { return t.remote_row_bytes(); });
  }
  /// Nodes whose edges other parts drew.
  std::uint64_t remote_requests() const {
    return sum([](const auto& t) { return t.structure.remote; });
  }
  /// Bytes that those requests and their answers took.
  std::uint64_t structure_bytes() const {
    return sum([](const auto& t) { return t.structure.remote_bytes(); });
  }
};

/// The result of simulate_sampling().
struct simulation {
  simulation_options options{};  ///< what it was made with
  /// samples of a node do not depend on how the graph was cut (original IDs are known)
  bool same_for_any_parts = false;
  std::vector<simulated_part> parts{};  ///< [P]
  cache_plan plan{};  ///< rows that each part should keep, on rank 0; empty without a budget
};

/// The figures as a document: totals and means per batch for the folder, each part and each node
/// type.
json::value to_json(const simulation& found, const graph_schema& schema);

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/dist/impl/simulation.ipp>
#endif
