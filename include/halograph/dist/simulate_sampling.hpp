// SPDX-License-Identifier: BSL-1.0
/// @file simulate_sampling.hpp
/// Simulates sampled training: counts what the trainer of each part would fetch from other parts,
/// and what a cache would save.
/// Layer: dist. Words: README.md.
///
/// Each part's trainer goes through its seeds in a shuffled order, batch by batch. A batch draws
/// neighbors hop by hop, and then needs the feature row of each of its distinct nodes. The costs:
///
/// - *structure*: nodes whose edges another part must draw, 16 bytes each and 16 for each edge that
/// comes back;
/// - *rows*: feature rows of nodes that another part owns, as many bytes as the features have.
///
/// The figures are functions of the folder and the options alone: not of threads, ranks or
/// machines. Over several ranks each works for its parts, and asks the others to draw for theirs.
#pragma once

#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/random.hpp>
#include <halograph/dist/part_sampler.hpp>
#include <halograph/dist/sample_neighbors.hpp>
#include <halograph/dist/simulation.hpp>
#include <halograph/folder/feature_cache.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

namespace detail {

/// An independent seed for each step of nested loops.
constexpr std::uint64_t nested_seed(std::uint64_t seed, std::uint64_t index) noexcept {
  return random_stream::at(seed, index).next();
}

/// A batch that grows hop by hop from its seeds to the nodes whose rows it needs, and its counts.
/// Its memory is reused by the next batch.
struct simulated_batch {
  std::uint64_t seed = 0;
  std::vector<global_id> nodes{}, neighbors{}, next{};
  std::vector<global_id> elsewhere{};  // nodes that other ranks draw for
  std::vector<std::uint32_t> sources{}, table{};
  part_sampler::scratch scratch{};
  std::uint64_t edges = 0;
  std::vector<simulated_type> types{};

  simulated_type& of(const partition_book& book, global_id node) {
    typed_id<global_id> typed{};
    static_cast<void>(book.nodes().to_typed(node, typed));
    return types[typed.type];
  }
  void begin(std::span<const global_id> seeds, std::uint64_t seed_of_batch,
             const std::vector<simulated_type>& blank, const partition_book& book);
  /// Draw a hop as far as this rank can; collect the other nodes in `elsewhere`.
  void draw(const neighbor_sampler& sampler, std::size_t part, sample_options hop,
            std::size_t layer);
  /// The answer of another rank for a node: neighbors and edges.
  void take(const neighbor_sampler& sampler, global_id node, std::span<const global_id> ends);
  /// The nodes of the next hop.
  void compact();
};

/// Check that all ranks have the same options. Collective, inside run_collective(). @errors
/// mismatch
void check_same_simulation(communicator_ref ranks, const simulation_options& options);

/// Every rank's parts, everywhere, and every rank's plan on rank 0. Collective, inside
/// run_collective().
void share_simulation(communicator_ref ranks, simulation& out);

/// The hottest rows that fit, by how often they were fetched, then by ID.
void choose_cached(const std::vector<std::uint32_t>& fetched, std::size_t part,
                   const partition_book& book, std::span<const simulated_type> types,
                   std::uint64_t budget, cache_plan& plan);

}  // namespace detail

/// An upper bound on the bytes that this rank takes to make a sampler of in-edges, to hold seeds
/// and to simulate, besides the graph (dist_graph::memory_bytes()).
/// @param threads  of the executor
/// @complexity     O(nodes + edges) of the rank's parts
std::uint64_t simulation_memory(const dist_graph& g, const simulation_options& options,
                                std::size_t threads);

/// Simulate epochs of sampled training on every part. Collective.
///
/// @param sampler  whose ranks each work for their parts
/// @param seeds    [P] nodes that each part's trainer trains on; its own ones, as a rule. Those of
///     other ranks' parts are not looked at
/// @param options  the same on all ranks
/// @return         figures on every rank; the plan on rank 0
/// @errors         raises, on all ranks, invalid_argument: a batch of no seeds, no epochs, no hops;
///     mismatch: not one list for each part, ranks with other options; out_of_range: a seed;
///     exists: a seed that is there twice; not_found: a feature
/// @complexity     O(edges drawn), with a cache and one epoch those of a second; 4 bytes for each
///     node of the graph, twice, 8 for each seed of a part, and two batches' nodes for each thread
/// @repeatable     yes, for any executor and number of ranks
simulation simulate_sampling(neighbor_sampler& sampler,
                             const std::vector<std::vector<global_id>>& seeds,
                             const simulation_options& options, executor_ref run = {});

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/dist/impl/simulate_sampling.ipp>
#endif
