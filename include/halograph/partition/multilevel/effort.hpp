// SPDX-License-Identifier: BSL-1.0
/// @file effort.hpp
/// What a multilevel partitioner is asked to do, and how much for it.
/// Layer: partition (no allocation, no exceptions). Words: README.md.
#pragma once

#include <halograph/core/function_ref.hpp>

#include <cstdint>
#include <limits>
#include <span>

namespace halograph {

/// What a partitioner minimizes.
enum class objective : std::uint8_t {
  cut,    ///< weight of the pairs that cross parts
  volume  ///< communication volume: for each node its size times the other parts among its
          ///< neighbors
};

/// How much a multilevel partitioner does for fewer cut edges.
struct multilevel_effort {
  unsigned community_rounds = 5;  ///< of communities before coarsening, where degrees are skewed
  unsigned first_cuts = 24;       ///< tried in each bisection of the coarsest graph
  unsigned first_partitions = 1;  ///< of the coarsest graph, at least
  unsigned jet_patience = 2;      ///< rounds of moves without success on each level
  unsigned flow_rounds = 2;       ///< of minimum cuts between parts, where degrees are low
  std::uint32_t flow_reach = 4;   ///< how far they reach, in tolerances
  unsigned cycles = 0;            ///< coarsened and refined again, so many times
  /// With several loads: random moves tried in the coarsest graph for each neighbor in a row of the
  /// finest, at most
  unsigned annealing = 8;
  unsigned label_rounds = 2;  ///< in which nodes join clusters, on each level; parts get one more
  /// First partitions where they take little of all the time, at most.
  unsigned spare_partitions = 32;
  /// Steps in which neighboring parts of the coarsest graph are cut anew, at most; a fifth as many
  /// where they take much of the time.
  unsigned window_steps = 20;
  /// Further rounds of minimum cuts, at most, while each gains a quarter of what the first did.
  unsigned spare_flow_rounds = 3;

  /// Without flows: about half of the time of `balanced`.
  static constexpr multilevel_effort fast() { return {0, 6, 1, 1, 0, 1, 0, 1, 1, 4, 10, 0}; }
  /// The default.
  static constexpr multilevel_effort balanced() { return {}; }
  /// Fewest cut edges, for about three times the time of `balanced`.
  static constexpr multilevel_effort strong() { return {5, 32, 6, 12, 5, 8, 1, 16, 2, 32, 80, 0}; }
};

/// What basic_multilevel is given besides a graph, as far as it takes memory.
struct multilevel_inputs {
  bool compress = false;  ///< rows are to be compressed, and at hand as assign_rows() takes them
  bool edge_weights = false;  ///< edges have weights
  bool fixed = false;         ///< some nodes have a part that they must get
  bool from = false;          ///< there is an assignment to improve
  bool repeats = false;       ///< effort.cycles is not 0
  bool volume = false;        ///< the objective is volume
};

namespace detail {

struct k_way_options {
  std::uint32_t parts = 1;
  std::uint64_t seed = 0;
  multilevel_effort effort{};
  std::span<const std::uint64_t> shares{};  // [K], or [K x rows], of each part; or empty: all alike
  std::span<const std::uint32_t> from{};    // [n] the part that a node has or no_part, or empty
  std::uint64_t max_moved = std::numeric_limits<std::uint64_t>::max();  // of those that have one
  objective minimize = objective::cut;
  std::span<const std::int64_t> sizes{};  // [n] of the data of a node, or empty: 1 each
  const function_ref<void(std::uint64_t done, std::uint64_t total)>* on_progress = nullptr;
  bool compress = false;  // rows are coded or packed, and decoded whenever they are visited
  // As basic_multilevel::on_bytes.
  const function_ref<void(std::uint64_t bytes, bool in_all)>* on_bytes = nullptr;
};

}  // namespace detail

}  // namespace halograph
