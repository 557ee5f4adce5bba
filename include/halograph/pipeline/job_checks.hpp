// SPDX-License-Identifier: BSL-1.0
/// @file job_checks.hpp
/// Checks of what a partitioning job asks for, the same for partition_graph and dispatch.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/relabel/order.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/serializer.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace halograph {

/// The largest number of parts that a job may make: part IDs are signed 32-bit in DGL's files.
inline constexpr std::uint64_t max_parts = 0x7FFFFFFF;

/// What a job asks for, as far as it can be checked before the graph is read.
struct job_request {
  std::string_view graph_name{};
  std::uint64_t parts = 1;  ///< of all trainers together
  std::uint64_t trainers_per_machine = 1;
  std::uint64_t hops = 1;
  sparse_formats formats{};
  bool reshuffle = true;
  std::string_view node_order = original_order::name;
};

/// Check the number of parts that a partitioner or an assignment makes.
/// @errors invalid_argument: it is 0, more than max_parts or not a multiple of the trainers per
///     machine
inline void check_num_parts(std::uint64_t parts, std::uint64_t trainers_per_machine = 1) {
  if (parts == 0 || parts > max_parts) {
    raise(errc::invalid_argument, "the number of parts must be from 1 to " +
                                      std::to_string(max_parts) + ", not " + std::to_string(parts));
  }
  if (parts % trainers_per_machine != 0) {
    raise(errc::invalid_argument, "the number of parts must be a multiple of the " +
                                      std::to_string(trainers_per_machine) +
                                      " trainers per machine, not " + std::to_string(parts));
  }
}

/// Check what a job asks for.
/// @return a warning about the graph's name, or ""
/// @errors invalid_argument: the name, the formats, the order or the number of parts or trainers;
///     out_of_range: too many hops
inline std::string check_job(const job_request& asked) {
  std::string warning = check_graph_name(asked.graph_name);
  if (asked.hops > max_halo_hops) {
    raise(errc::out_of_range, std::to_string(asked.hops) +
                                  " hops are more than any graph needs; ask for at most " +
                                  std::to_string(max_halo_hops));
  }
  if (asked.trainers_per_machine == 0)
    raise(errc::invalid_argument, "trainers per machine must be 1 or more");
  if (asked.formats.empty()) {
    raise(errc::invalid_argument,
          "no sparse format is requested; name at least one of coo, csr, csc");
  }
  if (!asked.reshuffle && asked.node_order != original_order::name) {
    raise(errc::invalid_argument,
          "nodes cannot keep their original IDs (reshuffle off) and be put in another order; "
          "request only one of the two");
  }
  check_num_parts(asked.parts, asked.trainers_per_machine);
  return warning;
}

/// Check that a job may leave out the edges that it would have to leave out: with 0 hops no part
/// can keep a cut edge.
/// @errors cut_edges: there are cut edges, and the job does not ask to drop them
inline void check_cut_edges(std::uint64_t cut_edges, std::uint64_t hops, bool drop_cut_edges) {
  if (hops != 0 || cut_edges == 0 || drop_cut_edges) return;
  raise(errc::cut_edges, "0 hops cannot keep the " + std::to_string(cut_edges) +
                             " edges that cross parts; ask for 1 hop or more, or drop them");
}

}  // namespace halograph
