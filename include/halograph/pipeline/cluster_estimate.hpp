// SPDX-License-Identifier: BSL-1.0
/// @file cluster_estimate.hpp
/// The time, traffic, memory and disk space of assign and dispatch on several machines, from counts
/// alone.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/core/linkage.hpp>
#include <halograph/pipeline/estimate.hpp>
#include <halograph/pipeline/out_of_core/assign_need.hpp>
#include <halograph/pipeline/out_of_core/budget.hpp>
#include <halograph/serial/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace halograph {

/// Machines that are all alike. Rates are of each machine.
struct cluster {
  std::uint64_t machines = 1;               ///< with a rank each
  std::uint64_t threads = 1;                ///< of each rank
  std::uint64_t memory_bytes = 4ull << 30;  ///< budget of each rank
  double disk_bytes_per_second = 1e9;       ///< read and written, together
  double net_bytes_per_second = 1e9;        ///< in each direction
  double speed = 1;  ///< of a thread, relative to the one that cluster_costs were measured on
};

/// What a unit of work takes a thread: with T threads serial_ns + parallel_ns / T.
struct unit_cost {
  double serial_ns = 0;    ///< nanoseconds that further threads do not share
  double parallel_ns = 0;  ///< nanoseconds that they share
};

/// What each step takes the processors, copies to and from the page cache included. Defaults:
/// bench/cluster_costs.sh, of which bench/README.md tells the machine and how well they predict.
struct cluster_costs {
  unit_cost assign_edge{42, 18};     ///< buffered streaming, an edge of the graph
  unit_cost assign_node{35, 0};      ///< and a node
  unit_cost node{19, 0};             ///< dispatch: a node, twice on several ranks
  unit_cost edge{3, 19};             ///< sorted into buckets
  unit_cost row{2, 19};              ///< sorted into rows
  unit_cost cut_edge{4, 23};         ///< listed for the other part
  unit_cost stored_edge{12, 10};     ///< laid out and written, HALO included
  unit_cost feature_byte{0.4, 0.3};  ///< copied to its part
};

/// What a cluster is asked to do.
struct cluster_job {
  /// counts, parts, hops, features, formats; its ID widths are those in memory and scratch files
  estimate_input graph{};
  assign_need assignment{};  ///< of estimate_assign() for the method, which one machine runs
  std::uint64_t input_id_bytes = 8;  ///< of each end of an edge in the input's files
  /// of all edges, those between parts; a report of a smaller graph of that kind tells
  double cut_share = 0.35;
  /// parts that hold a node, on average (the report's replication factor)
  double replication = 3;
};

/// One step on a cluster. Bytes are of all machines together.
struct cluster_step {
  std::string name{};               ///< such as "rows"
  std::uint64_t machines = 1;       ///< that share it
  std::uint64_t read_bytes = 0;     ///< from disks
  std::uint64_t written_bytes = 0;  ///< to disks
  std::uint64_t sent_bytes = 0;     ///< from one machine to another
  double processor_seconds = 0;     ///< wall time that processors would take alone
  double disk_seconds = 0;          ///< and disks
  double net_seconds = 0;           ///< and the network
  /// if they wait for each other
  double seconds() const noexcept { return processor_seconds + disk_seconds + net_seconds; }
};

/// All steps, and what each machine must have.
struct cluster_estimate {
  std::vector<cluster_step> steps{};           ///< in the order in which they run
  double seconds = 0;                          ///< their sum
  double processor_seconds = 0;                ///< of it
  double disk_seconds = 0;                     ///< of it
  double net_seconds = 0;                      ///< of it
  std::uint64_t assign_memory_bytes = 0;       ///< least, of the machine that assigns
  std::uint64_t dispatch_memory_bytes = 0;     ///< least, of each machine
  std::uint64_t disk_bytes = 0;                ///< of each: input, scratch files, result
  std::uint64_t result_bytes = 0;              ///< of all machines
  std::vector<std::string> assumptions{};      ///< a sentence each
  std::vector<std::string> recommendations{};  ///< what to buy, a sentence each; the best first
};

/// Estimate assign, which runs on one machine, and dispatch, which runs on all.
///
/// The traffic of each step follows from its algorithm; processors' times are costs per unit that
/// were measured. Processors, disks and the network are taken to wait for each other, and work to
/// be shared evenly: the first makes estimates too long, the second too short.
/// @complexity O(1)
cluster_estimate estimate_cluster(const cluster_job& job, const cluster& on,
                                  const cluster_costs& costs = {});

/// The estimate as JSON: all members by their names.
json::value to_json(const cluster_estimate& estimate);

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/pipeline/impl/cluster_estimate.ipp>
#endif
