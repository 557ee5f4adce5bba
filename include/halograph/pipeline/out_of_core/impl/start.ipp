// SPDX-License-Identifier: BSL-1.0
/// @file start.ipp
/// Bodies of the plain functions of pipeline/out_of_core/start.hpp.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/comm/alltoallv.hpp>
#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/core/version.hpp>
#include <halograph/folder/assignment_files.hpp>
#include <halograph/folder/copy_script.hpp>
#include <halograph/folder/ip_config.hpp>
#include <halograph/io/chunked/digest.hpp>
#include <halograph/pipeline/job_checks.hpp>
#include <halograph/pipeline/out_of_core/budget.hpp>
#include <halograph/pipeline/out_of_core/job.hpp>
#include <halograph/pipeline/out_of_core/options.hpp>
#include <halograph/pipeline/out_of_core/resume.hpp>
#include <halograph/pipeline/out_of_core/start.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/input_record.hpp>
#include <halograph/serial/files/output_guard.hpp>
#include <halograph/serial/files/staged_folder.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/serializer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace halograph::detail {

HALOGRAPH_INLINE json::value describe_request(const dispatch_state& job) {
  const auto& options = job.options;
  part_description sample;
  sample.mapping = true;
  return json::object{{"version", HALOGRAPH_VERSION_STRING},
                      {"name", job.name},
                      {"parts", std::uint64_t{job.parts}},
                      {"hops", std::uint64_t{options.hops}},
                      {"halo", options.halo == dispatch_halo::full ? "full"
                               : options.halo == dispatch_halo::in ? "in"
                                                                   : "in_as_found"},
                      {"drop_cut_edges", options.drop_cut_edges},
                      {"store_original_ids", options.store_original_ids},
                      {"save_original_nodes", options.save_original_nodes},
                      {"save_original_edges", options.save_original_edges},
                      {"compact_mapping", options.compact_mapping},
                      {"formats", options.formats.str()},
                      {"machines", std::uint64_t{options.machines.size()}},
                      {"own_folders", options.own_folders && job.several_ranks()},
                      {"serializer", std::string(job.target.format().name())},
                      {"layout", names_of_files(job.layout_of(sample))},
                      {"id_bytes", job.node_id_bytes * 16 + job.edge_id_bytes}};
}

HALOGRAPH_INLINE std::string describe_job(const dispatch_state& job) {
  const auto& input = job.input;
  const auto& node_types = input.schema.node_types();
  json::value inputs{json::array{}}, nodes{json::array{}}, edges{json::array{}};
  const auto add = [&](const std::string& path) {
    const auto file = identify(path);
    inputs.push(json::object{
        {"path", path},
        {"bytes", file ? file->bytes : 0},
        {"time", file ? concat({file->seconds, ":", file->nanoseconds}) : std::string()}});
  };
  for (std::size_t t = 0; t < input.node_counts.size(); ++t)
    add(assignment_file(job.assignment, node_types, t));
  for (const auto& list : input.edges) {
    for (const auto& file : list.files) add(file.path);
  }
  for (const auto* all : {&input.node_features, &input.edge_features}) {
    for (const auto& one : *all) {
      inputs.push(json::object{{"type", std::uint64_t{one.type}},
                               {"feature", one.name},
                               {"dtype", std::string(name(one.dtype))},
                               {"row", to_string(one.row_shape)}});
      for (const auto& file : one.list.files) add(file.path);
    }
  }
  for (std::size_t t = 0; t < input.node_counts.size(); ++t)
    nodes.push(json::object{{"name", node_types[t]}, {"count", input.node_counts[t]}});
  for (std::size_t r = 0; r < input.edge_counts.size(); ++r)
    edges.push(json::object{{"name", input.schema.edge_types()[r].str()},
                            {"count", input.edge_counts[r]}});
  json::value out = describe_request(job);
  // Grows where scratch files change, so that a run does not go on with those of an earlier
  // version.
  out.set("scratch_files", 4);
  out.set("nodes", std::move(nodes))
      .set("edges", std::move(edges))
      .set("inputs", std::move(inputs));
  return json::print(out, 0);
}

HALOGRAPH_INLINE void open_stages(dispatch_state& job) {
  auto& output = job.output;
  output.open(job.options.resume ? leftovers::keep : leftovers::remove);
  const auto start_over = [&] {
    if (!output.start_over()) return;
    job.result.notes.push_back(
        concat({"there is nothing to resume: ", output.path(), " held no list of completed stages",
                job.several_ranks() ? concat({" of ", job.ranks.size(), " ranks"})
                                    : std::string(" of one process"),
                ", so its files were removed and this run starts over"}));
  };
  const auto open = [&] {
    job.stages.open(output.path(), describe_job(job), job.options.resume, start_over);
  };
  // The first rank finds out whether there is something to resume before any other leaves a file.
  run_collective(job.ranks, [&] {
    if (job.ranks.rank() == 0) open();
  });
  run_collective(job.ranks, [&] {
    if (!job.stages.is_open()) open();
    output.make_scratch_folder();
    job.scratch.emplace(output.scratch(), ~std::uint64_t{0});
    output.keep();
  });
}

HALOGRAPH_INLINE void end_failed(dispatch_state& job, const error& problem) {
  const bool may_succeed = job.options.keep_complete && (problem.code() == error_kind::io ||
                                                         problem.code() == error_kind::memory ||
                                                         problem.code() == error_kind::canceled);
  const bool joint = dynamic_cast<const joint_error*>(&problem) != nullptr;
  bool begun = !job.stages.empty() && !job.output.in_place();
  // A target that was refused before the list was opened keeps what an earlier run left.
  if (job.stages.is_open() && (!may_succeed || !begun)) job.output.let_go();
  if (joint) begun = !ask_ranks(job.ranks, !begun, false).first;
  if (!may_succeed || !begun) throw;
  const std::string message = problem.message() +
                              "; completed stages are kept, and a run with resume continues there";
  if (joint) throw joint_error(problem.code(), message, problem.where());
  raise(problem.code(), message, problem.where());
}

HALOGRAPH_INLINE void require_same_job(const dispatch_state& job) {
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

HALOGRAPH_INLINE void check_dispatch(dispatch_state& job) {
  const auto& options = job.options;
  if (auto warning = check_job({.graph_name = job.name,
                                .parts = job.parts,
                                .hops = options.hops,
                                .formats = options.formats});
      !warning.empty())
    job.result.notes.push_back(std::move(warning));
  if (!options.machines.empty()) check_machines(options.machines, job.parts, {});
  if (!options.machines.empty() && options.own_folders)
    raise(error_kind::invalid_argument,
          "ranks that write folders of their own leave nothing to copy to machines; "
          "request only one of the two");
  if (options.halo == dispatch_halo::in && job.name == "metadata")
    raise(error_kind::invalid_argument,
          "with in-edges only, \"metadata.json\" is the name of a second config; "
          "the graph must have another name");
  reject_output_over_input(job.target.path(), job.assignment);
  keep_files_of(job.target.path(), job.input);
  const std::uint64_t nodes = job.num_nodes(), edges = job.num_edges();
  if (nodes >= job.node_capacity || edges >= job.edge_capacity) {
    raise(error_kind::overflow, concat({"the graph has ", nodes, " nodes and ", edges,
                                        " edges, more than its IDs can number; use wider IDs"}));
  }
}

HALOGRAPH_INLINE dispatch_counts count_for_dispatch(const chunked_graph& input, std::uint64_t parts,
                                                    const dispatch_options& options,
                                                    std::size_t threads) {
  dispatch_counts out;
  out.nodes = input.num_nodes();
  out.edges = input.num_edges();
  out.node_types = input.node_counts.size();
  out.edge_types = input.edge_counts.size();
  out.parts = parts;
  out.threads = std::max<std::size_t>(threads, 1);
  out.hops = options.hops;
  out.other_formats = options.formats.has(sparse_format::csr) ||
                      options.formats.has(sparse_format::csc);
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

HALOGRAPH_INLINE dispatch_counts counts_of(const dispatch_state& job) {
  dispatch_counts out = count_for_dispatch(job.input, job.parts, job.options,
                                           job.run.concurrency());
  out.ranks = job.ranks.size();
  out.all_original_nodes = job.keeps_all_original_nodes();
  out.node_id_bytes = job.node_id_bytes;
  out.edge_id_bytes = job.edge_id_bytes;
  return out;
}

HALOGRAPH_INLINE void split_budget(dispatch_state& job) {
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

HALOGRAPH_INLINE void start_dispatch(dispatch_state& job) {
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
