// SPDX-License-Identifier: BSL-1.0
/// @file start.hpp
/// Dispatch, first phase: check the job, split the memory budget and open the staging folder.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/comm/alltoallv.hpp>
#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/folder/ip_config.hpp>
#include <halograph/io/chunked/digest.hpp>
#include <halograph/pipeline/job_checks.hpp>
#include <halograph/pipeline/out_of_core/budget.hpp>
#include <halograph/pipeline/out_of_core/resume.hpp>
#include <halograph/serial/files/input_record.hpp>
#include <halograph/serial/files/output_guard.hpp>
#include <halograph/serial/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace halograph::detail {

/// Ranks with different jobs would wait for each other, or mix what they write.
/// @errors mismatch, on all ranks: their inputs or options differ
template <class Job>
void require_same_job(const Job& job) {
  if (!job.several_ranks()) return;
  require_same_input(job.ranks, job.input);
  json::value said = describe_request(job);
  said.set("part_method", job.options.part_method).set("resume", job.options.resume);
  std::string addresses;
  for (const auto& one : job.options.machines) addresses += one.address + "\n";
  said.set("addresses", addresses);
  require_same(job.ranks, json::print(said, 0), "dispatches with other options than",
               "they must be the same on all ranks");
}

/// @errors those of check_job() and check_machines(); invalid_argument: options contradict each
///     other, or the target would replace the input; overflow: IDs are too narrow
template <class Job>
void check_dispatch(Job& job) {
  const auto& options = job.options;
  if (auto warning = check_job({.graph_name = job.name,
                                .parts = job.parts,
                                .hops = options.hops,
                                .formats = options.formats});
      !warning.empty())
    job.result.notes.push_back(std::move(warning));
  if (!options.machines.empty()) check_machines(options.machines, job.parts, {});
  if (!options.machines.empty() && options.own_folders)
    raise(errc::invalid_argument,
          "ranks that write folders of their own leave nothing to copy to machines; "
          "request only one of the two");
  if (options.halo == dispatch_halo::in && job.name == "metadata")
    raise(errc::invalid_argument,
          "with in-edges only, \"metadata.json\" is the name of a second config; "
          "the graph must have another name");
  reject_output_over_input(job.target.path, job.assignment);
  keep_files_of(job.target.path, job.input);
  const std::uint64_t nodes = job.num_nodes(), edges = job.num_edges();
  if (nodes >= id_capacity<typename Job::node>() || edges >= id_capacity<typename Job::edge>()) {
    raise(errc::overflow, "the graph has " + std::to_string(nodes) + " nodes and " +
                              std::to_string(edges) +
                              " edges, more than its IDs can number; use wider IDs");
  }
}

/// What the memory of a job is computed from.
template <class Job>
dispatch_counts counts_of(const Job& job) {
  const auto& input = job.input;
  dispatch_counts out;
  out.nodes = job.num_nodes();
  out.edges = job.num_edges();
  out.node_types = input.node_counts.size();
  out.edge_types = input.edge_counts.size();
  out.parts = job.parts;
  out.threads = std::max<std::size_t>(job.run.concurrency(), 1);
  out.ranks = job.ranks.size();
  out.hops = job.options.hops;
  out.node_id_bytes = sizeof(typename Job::node);
  out.edge_id_bytes = sizeof(typename Job::edge);
  out.node_features = input.node_features.size();
  out.edge_features = input.edge_features.size();
  for (const auto& one : input.node_features)
    out.node_row_bytes = std::max<std::uint64_t>(out.node_row_bytes, one.row_bytes());
  for (const auto& one : input.edge_features) {
    out.edge_row_bytes = std::max<std::uint64_t>(out.edge_row_bytes, one.row_bytes());
    out.edge_feature_bytes = std::max<std::uint64_t>(out.edge_feature_bytes,
                                                     one.row_bytes() * one.rows);
  }
  return out;
}

/// Split the budget among buffers. Rounds of an exchange must have the same size on all ranks.
template <class Job>
void split_budget(Job& job) {
  auto& buffers = job.buffers;
  buffers = job.result.need.buffers;
  job.slots = 2 * std::max<std::size_t>(job.run.concurrency(), 1);
  if (job.several_ranks()) {
    buffers.exchange_bytes = all_reduce_min(job.ranks, buffers.exchange_bytes);
    buffers.block_edges = all_reduce_min(job.ranks, buffers.block_edges);
    job.slots = static_cast<std::size_t>(all_reduce_min(job.ranks, job.slots));
  }
  // A small graph needs no larger blocks.
  buffers.block_edges = std::min<std::uint64_t>(
      buffers.block_edges, job.num_edges() / (job.slots * job.ranks.size()) + 64);
}

/// The first phase.
template <class Job>
void start_dispatch(Job& job) {
  run_collective(job.ranks, [&] {
    require_same_job(job);
    check_dispatch(job);
    job.result.need = plan_dispatch_memory(counts_of(job), job.options.memory_bytes);
    if (job.options.on_need) job.options.on_need(job.result.need);
    require_budget(job.result.need);
  });
  split_budget(job);
  open_stages(job);
}

}  // namespace halograph::detail
