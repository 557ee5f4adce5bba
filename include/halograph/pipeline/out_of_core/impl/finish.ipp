// SPDX-License-Identifier: BSL-1.0
/// @file finish.ipp
/// Bodies of the plain functions of pipeline/out_of_core/finish.hpp.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/comm/alltoallv.hpp>
#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/copy_script.hpp>
#include <halograph/pipeline/out_of_core/finish.hpp>
#include <halograph/pipeline/out_of_core/job.hpp>
#include <halograph/pipeline/out_of_core/options.hpp>
#include <halograph/pipeline/partition_graph.hpp>
#include <halograph/serial/files/checkpoint.hpp>
#include <halograph/serial/files/input_record.hpp>
#include <halograph/serial/files/manifest.hpp>
#include <halograph/serial/json.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE json::value made_by(const dispatch_state& job) {
  json::value out = job.options.command;
  if (job.several_ranks() && job.options.own_folders &&
      (out.is_null() || out.if_object() != nullptr))
    out.set("assignment", hexadecimal(job.assignment_digest));
  return out;
}

HALOGRAPH_INLINE void write_config(dispatch_state& job) {
  auto& output = job.output;
  const std::string text = json::print(to_json(job.result.config));
  std::vector<std::string> shared{job.name + ".json"};
  if (job.options.halo == dispatch_halo::in) shared.push_back("metadata.json");
  for (const auto& file : shared) output.write_text(file, text);
  if (job.options.machines.empty()) return;
  if (job.writes_mapping()) shared.push_back(job.mapping_name());
  shared.push_back(std::string(manifest_name));
  const std::string script(copy_script_name), path = concat({output.path(), "/", script});
  output.write_text(script, copy_script(job.options.machines, job.parts, shared));
  using std::filesystem::perms;
  std::error_code problem;
  std::filesystem::permissions(path, perms::owner_exec | perms::group_exec | perms::others_exec,
                               std::filesystem::perm_options::add, problem);
  if (problem) raise_io(path, "make executable", problem.value());
}

HALOGRAPH_INLINE void finish_dispatch(dispatch_state& job, std::uint64_t cut_edges,
                                      function_ref<void()> remove_arrays) {
  const auto& options = job.options;
  auto& config = job.result.config;
  auto& report = job.result.report;
  config.graph_name = job.name;
  config.halo_hops = options.hops;
  config.part_method = !options.part_method.empty()        ? options.part_method
                       : options.halo == dispatch_halo::in ? "metis"
                                                           : "given";
  config.serializer = std::string(job.target.format().name());
  report.directed_cut = cut_edges;
  auto& notes = job.result.notes;
  if (auto sentence = sum_up_parts(report); !sentence.empty()) notes.push_back(std::move(sentence));
  job.measure_memory();
  job.result.peak_anonymous_bytes = job.several_ranks() ? all_reduce_max(job.ranks, job.peak.load())
                                                        : job.peak.load();
  job.result.resumed = job.stages.resumed();
  job.output.collect_entries();
  // The commit removes what is left of scratch files, which must not be open on any rank then.
  remove_arrays();
  run_collective(job.ranks, [&] {
    settle_inputs(job.input);
    if (job.output.owns_folder()) write_config(job);
  });
  run_collective(job.ranks, [&] {
    if (auto note = job.output.commit(json::one_line(made_by(job))); !note.empty())
      notes.push_back(std::move(note));
  });
  config.path = concat({job.target.path(), "/", job.name, ".json"});
}

}  // namespace halograph::detail
