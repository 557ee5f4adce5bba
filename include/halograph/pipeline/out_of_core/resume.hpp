// SPDX-License-Identifier: BSL-1.0
/// @file resume.hpp
/// Decides what a resumed dispatch skips: which stages an earlier run of the same job completed.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/comm/alltoallv.hpp>
#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/version.hpp>
#include <halograph/folder/assignment_files.hpp>
#include <halograph/pipeline/out_of_core/options.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/files/checkpoint.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/staged_folder.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/serializer.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace halograph::detail {

/// The completed stages of a run. A stage counts as completed only if all ranks completed it, and
/// rerunning a stage invalidates every later stage.
template <communicator Ranks>
class stage_progress {
 public:
  explicit stage_progress(const Ranks& ranks) : ranks_(ranks) {}

  /// Begin the list of this rank, or read the one that an earlier run left. As stage_list.
  void open(const std::string& staging, const std::string& job, bool resume,
            const std::function<void()>& start_over) {
    list_.emplace(staging, job, resume, ranks_.rank(), ranks_.size(), start_over);
  }
  bool is_open() const noexcept { return list_.has_value(); }
  bool empty() const noexcept { return !list_ || list_->empty(); }

  /// The record of a stage that an earlier run completed; null: the stage has to run. Collective.
  const stage_record* completed(const std::string& name) {
    if (rerun_from_here_) return nullptr;
    const stage_record* found = nullptr;
    run_collective(ranks_, [&] { found = list_->completed(name); });
    if (ranks_.size() > 1 && all_reduce_min(ranks_, found != nullptr ? 1 : 0) == 0) found = nullptr;
    if (found == nullptr)
      rerun_from_here_ = true;
    else
      resumed_.push_back(name);
    return found;
  }
  /// As completed(), for a stage that writes rows into the files of parts: a part that was written
  /// again after the stage has lost its rows. Collective. @param parts  of this rank
  const stage_record* completed_after_parts(const std::string& name, id_range parts) {
    const auto* const found = completed(name);
    if (found == nullptr) return nullptr;
    bool after = true;
    for (auto p = parts.begin; p < parts.end; ++p)
      after = after && !list_->is_later(part_stage(p), name);
    if (ranks_.size() > 1) after = all_reduce_min(ranks_, after ? 1 : 0) != 0;
    if (after) return found;
    rerun_from_here_ = true;
    return nullptr;
  }
  /// The record of a part that an earlier run wrote; null: the part has to be written.
  const stage_record* completed_part(std::uint64_t part) {
    const auto* const found = rerun_from_here_ ? nullptr : list_->completed(part_stage(part));
    if (found != nullptr) resumed_.push_back(found->name);
    return found;
  }
  /// A part was written: every later stage has to run.
  void rerun_from_here() noexcept { rerun_from_here_ = true; }

  const stage_record& complete(stage_record stage) { return list_->complete(std::move(stage)); }
  /// The record of a stage that was completed in this run.
  const stage_record& record_of(const std::string& name) const {
    return *list_->completed_before(name);
  }
  /// The stages and parts that an earlier run had completed.
  const std::vector<std::string>& resumed() const noexcept { return resumed_; }

  static std::string part_stage(std::uint64_t part) { return "part" + std::to_string(part); }

 private:
  const Ranks& ranks_;
  std::optional<stage_list> list_{};
  bool rerun_from_here_ = false;  // a stage has run on any rank
  std::vector<std::string> resumed_{};
};

/// The names that a format gives to the files of a part.
inline std::string names_of_files(const part_layout& layout) {
  std::string out;
  for (const auto& file : layout.files) out += (out.empty() ? "" : ",") + file.name;
  return out;
}

/// The options of a job that decide its result.
template <class Job>
json::value describe_request(const Job& job) {
  const auto& options = job.options;
  part_description sample;
  sample.mapping = true;
  return json::object{
      {"version", HALOGRAPH_VERSION_STRING},
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
      {"serializer", job.target.serializer},
      {"layout", names_of_files(job.target.layout(sample))},
      {"id_bytes", std::uint64_t{sizeof(typename Job::node) * 16 + sizeof(typename Job::edge)}}};
}

/// All that decides the result of a job, on one line: options, counts, and the sizes and times of
/// the input files. A run of another job cannot be resumed.
template <class Job>
std::string describe_job(const Job& job) {
  const auto& input = job.input;
  const auto& node_types = input.schema.node_types();
  json::value inputs{json::array{}}, nodes{json::array{}}, edges{json::array{}};
  const auto add = [&](const std::string& path) {
    const auto file = identify(path);
    inputs.push(json::object{
        {"path", path},
        {"bytes", file ? file->bytes : 0},
        {"time", file ? std::to_string(file->seconds) + ":" + std::to_string(file->nanoseconds)
                      : std::string()}});
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
  out.set("nodes", std::move(nodes))
      .set("edges", std::move(edges))
      .set("inputs", std::move(inputs));
  return json::print(out, 0);
}

/// Open the staging folder and the list of completed stages: a resumed run keeps what an earlier
/// run left, any other starts over. Collective.
template <class Job>
void open_stages(Job& job) {
  auto& output = job.output;
  output.open(job.options.resume ? leftovers::keep : leftovers::remove);
  const auto start_over = [&] {
    if (!output.start_over()) return;
    job.result.notes.push_back("there is nothing to resume: " + output.path() +
                               " held no list of completed stages, so its files were removed and "
                               "this run starts over");
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

/// Decide, after a run has failed, whether its completed stages are kept.
///
/// Running out of memory or disk space, or being canceled, may succeed later: what is complete is
/// kept if all ranks have completed something. Any other failure is due to the input or the options
/// and would happen again.
/// @errors raises `problem`, and says whether the run can be resumed
template <class Job>
[[noreturn]] void end_failed(Job& job, const error& problem) {
  const bool may_succeed = job.options.keep_complete &&
                           (problem.code() == errc::io || problem.code() == errc::memory ||
                            problem.code() == errc::canceled);
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

}  // namespace halograph::detail
