// SPDX-License-Identifier: BSL-1.0
/// @file job_checks.hpp
/// Checks of what a partitioning job asks for, the same for partition_graph and dispatch.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/relabel/order.hpp>
#include <halograph/serial/layout.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace halograph {

/// The largest number of parts that a job may make: part IDs are signed 32-bit in DGL's files.
inline constexpr std::uint64_t max_parts = 0x7FFFFFFF;

/// What a job asks for, as far as it can be checked before the graph is read.
struct job_request {
  std::string_view graph_name{};                       ///< becomes a file's name
  std::uint64_t parts = 1;                             ///< of all trainers together
  std::uint64_t trainers_per_machine = 1;              ///< divides `parts`
  std::uint64_t hops = 1;                              ///< HALO depth
  sparse_formats formats{};                            ///< to store in the part graphs
  bool reshuffle = true;                               ///< renumber nodes and edges
  std::string_view node_order = original_order::name;  ///< inside each part and type
};

/// Check the number of parts that a partitioner or an assignment makes.
/// @errors invalid_argument: it is 0, more than max_parts or not a multiple of the trainers per
///     machine
void check_num_parts(std::uint64_t parts, std::uint64_t trainers_per_machine = 1);

/// Check what a job asks for.
/// @return a warning about the graph's name, or ""
/// @errors invalid_argument: the name, the formats, the order or the number of parts or trainers;
///     out_of_range: too many hops
std::string check_job(const job_request& asked);

/// Check that a job may leave out the edges that it would have to leave out: with 0 hops no part
/// can keep a cut edge.
/// @errors cut_edges: there are cut edges, and the job does not ask to drop them
inline void check_cut_edges(std::uint64_t cut_edges, std::uint64_t hops, bool drop_cut_edges) {
  if (hops != 0 || cut_edges == 0 || drop_cut_edges) return;
  raise(error_kind::cut_edges,
        concat({"0 hops cannot keep the ", cut_edges,
                " edges that cross parts; ask for 1 hop or more, or drop them"}));
}

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/pipeline/impl/job_checks.ipp>
#endif
