// SPDX-License-Identifier: BSL-1.0
#include "any_graph.hpp"
#include "assign_kinds.hpp"
#include "dispatch.hpp"
#include "flag_values.hpp"
#include "formats.hpp"
#include "inputs.hpp"
#include "keep_input.hpp"
#include "partition_job.hpp"
#include "partition_out_of_core.hpp"
#include "progress.hpp"
#include "starting_parts.hpp"

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/folder/access.hpp>
#include <halograph/folder/quality_report.hpp>
#include <halograph/folder/report.hpp>
#include <halograph/io/chunked/copy.hpp>
#include <halograph/io/chunked/graph.hpp>
#include <halograph/io/input_format.hpp>
#include <halograph/io/open_stream.hpp>
#include <halograph/partition/fixed_point.hpp>
#include <halograph/partition/multilevel.hpp>
#include <halograph/partition/multilevel/buffered.hpp>
#include <halograph/partition/quality.hpp>
#include <halograph/pipeline/out_of_core/assign.hpp>
#include <halograph/pipeline/out_of_core/dispatch.hpp>
#include <halograph/serial/files/lock.hpp>
#include <halograph/serial/files/manifest.hpp>
#include <halograph/serial/files/staged_folder.hpp>
#include <halograph/serial/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace halograph::cli {

namespace {

/// Is the balance that the flags ask for one that assign knows? It balances the nodes wherever it
/// balances edges.
bool balances_like_assign(const partition_flags& flags) {
  const bool by_type = flags.balance_ntypes.empty(),
             none = flags.balance_ntypes.size() == 1 && flags.balance_ntypes[0] == "none";
  return (by_type || none) && !flags.balance_edges &&
         std::none_of(flags.tolerance.begin(), flags.tolerance.end(),
                      [](const std::string& one) { return one.find('=') != std::string::npos; });
}

/// Are parts written in a way that dispatch knows, of nodes that weigh the same?
bool can_dispatch(const partition_flags& flags) {
  const std::size_t name =
      std::filesystem::path(detail::places_beside(flags.out).assignment).filename().string().size();
  return flags.trainers == 1 && flags.node_order == "original" && !flags.no_reshuffle &&
         !flags.weighs_nodes && edge_weight_feature(flags).empty() && balances_like_assign(flags) &&
         !is_export(flags) && name <= staged_folder::longest_name;
}

/// The folder of the parts between assign and dispatch, beside the result: locked once it is made,
/// and removed with this object.
class assignment_between {
 public:
  explicit assignment_between(const std::string& target)
      : parents_(missing_parents(target)), path_(detail::places_beside(target).assignment) {}
  assignment_between(const assignment_between&) = delete;
  assignment_between& operator=(const assignment_between&) = delete;
  ~assignment_between() {
    if (!lock_) return;
    inputs_.reset();
    detail::remove_made(path_);
  }

  const std::string& path() const noexcept { return path_; }
  /// It was made by a command. @errors busy: and replaced since, by another run
  void keep(const std::string& command) {
    auto lock = detail::lock_folder(path_);
    if (const auto made = read_manifest(path_); !made || made->command != command) {
      raise(error_kind::busy,
            "another run has written its own assignment here; wait for it, or choose another "
            "output",
            {.file = path_});
    }
    lock_ = std::move(lock);
    inputs_of_this_run()->allow_own(path_);
  }

 private:
  parents_to_make parents_;
  std::string path_;
  forgotten_place inputs_{new std::string(path_)};
  std::optional<detail::held_lock> lock_{};
};

dispatch_options how_to_dispatch(const partition_flags& flags, const std::string& name) {
  dispatch_options out;
  out.graph_name = flags.name.empty() ? name : flags.name;
  out.hops = flags.hops;
  out.drop_cut_edges = flags.drop_cut_edges;
  out.store_original_ids = flags.store_orig_ids;
  out.save_original_nodes = out.save_original_edges = flags.save_mapping;
  out.compact_mapping = !flags.no_mapping;
  out.formats = *sparse_formats::parse(flags.graph_formats);
  out.part_method = flags.method;
  out.command = describe_command(flags, out.graph_name);
  out.keep_complete = false;
  return out;
}

assign_balance balance_of(const partition_flags& flags) {
  return {.types = flags.balance_ntypes.empty()};
}

/// Memory of the policy, or of the measures that follow it. @param counts  with what flags decide
std::uint64_t policy_bytes_of(const estimate_input& counts) {
  return std::max(counts.policy_bytes, detail::bytes_to_measure(counts));
}

/// What assign takes. @param facts  of the method
assign_need need_to_assign(const estimate_input& counts, const partition_flags& flags,
                           detail::policy_facts facts) {
  assign_options options;
  options.memory_bytes = flags.memory;
  options.policy_bytes = policy_bytes_of(counts);
  options.balance = balance_of(flags);
  facts.parts = flags.parts;
  facts.part_bytes = sizeof(part_id);
  return detail::estimate_by(facts, counts.nodes, counts.edges,
                             static_cast<std::size_t>(counts.node_types), options, 1,
                             static_cast<std::size_t>(counts.threads));
}

/// What dispatch may take: what was given, or what assign takes anyway and at least a part of what
/// is free.
std::uint64_t budget_of_dispatch(const assign_need& need, const partition_flags& flags) {
  if (flags.memory != 0) return flags.memory;
  constexpr std::uint64_t much = std::uint64_t{1} << 30;
  return flags.compress ? need.memory_bytes
                        : std::max(need.memory_bytes, std::min(much, available_memory() / 2));
}

/// What assign and dispatch take.
resource_estimate estimate_both(const assign_need& need, const estimate_input& counts,
                                dispatch_counts dispatched, const partition_flags& flags) {
  dispatched.node_id_bytes = counts.node_id_bytes;
  dispatched.edge_id_bytes = counts.edge_id_bytes;
  const std::uint64_t budget = budget_of_dispatch(need, flags),
                      least = plan_dispatch_memory(dispatched, budget).least_bytes;
  const dispatch_need parts = plan_dispatch_memory(dispatched, std::max(budget, least));
  const resource_estimate in_memory = estimate_partition(counts);
  resource_estimate out;
  const bool fits = flags.memory == 0 || need.memory_bytes <= flags.memory;
  out.steps = {{"assign", fits ? need.memory_bytes : need.least_memory_bytes, need.disk_bytes,
                need.disk_bytes},
               {"dispatch", parts.bytes, in_memory.disk_bytes_least,
                detail::saturating_sum(in_memory.disk_bytes_most, parts.scratch_disk_bytes)}};
  // What assign sorts in files is gone when dispatch begins.
  for (const step_estimate& one : out.steps) {
    out.peak_bytes = std::max(out.peak_bytes, one.memory_bytes);
    out.disk_bytes_least = std::max(out.disk_bytes_least, one.disk_bytes_least);
    out.disk_bytes_most = std::max(out.disk_bytes_most, one.disk_bytes_most);
  }
  return out;
}

/// Add the copy of an input, which stays on the disk all the time.
void add_copy(std::uint64_t memory_bytes, std::uint64_t disk_bytes, resource_estimate& out) {
  out.steps.insert(out.steps.begin(), {"copy", memory_bytes, disk_bytes, disk_bytes});
  out.peak_bytes = std::max(out.peak_bytes, memory_bytes);
  out.disk_bytes_least = detail::saturating_sum(out.disk_bytes_least, disk_bytes);
  out.disk_bytes_most = detail::saturating_sum(out.disk_bytes_most, disk_bytes);
}

void add_copy_of(const any_graph& opened, resource_estimate& out) {
  if (opened.copy) add_copy(opened.copy_memory_bytes, opened.copy->bytes(), out);
}

/// What assign and dispatch have done, as one job.
partition_result joined(const assign_result& assigned, const assignment_quality& quality,
                        dispatch_result made) {
  partition_result out;
  out.config = std::move(made.config);
  out.report = std::move(made.report);
  out.notes = std::move(made.notes);
  out.report.edge_cut = quality.edge_cut;
  out.report.communication_volume = quality.communication_volume;
  out.report.balance = assigned.report.balance;
  out.report.steps.insert(out.report.steps.begin(), assigned.report.steps.begin(),
                          assigned.report.steps.end());
  return out;
}

/// What a method that holds no edges does not know, counted in the folder.
/// @param most_bytes  of memory; a note says where that is too little
folder_report count_in_folder(const std::string& path, std::uint64_t most_bytes,
                              executor_ref threads, const progress_callback& shown) {
  const folder_access own = known_access(own_files());
  const progress_callback measuring = [&](progress one) {
    one.step = "measure";
    shown(one);
  };
  try {
    return report_folder(open_partition(path, own.files), own,
                         {.on_progress = measuring, .most_bytes = most_bytes}, threads);
  } catch (const error& problem) {
    if (problem.code() != error_kind::memory) throw;
    folder_report unknown;
    unknown.cut_known = false;
    unknown.notes = {std::string("edge cut and communication volume are unknown: ") +
                     problem.what()};
    return unknown;
  }
}

/// Add to the report of a run what was counted in its folder.
void add_counted(const folder_report& counted, quality_report& report) {
  report.edge_cut = counted.report.edge_cut;
  report.communication_volume = counted.report.communication_volume;
  for (step_report one : counted.report.steps) {
    one.name = "measure";
    report.steps.push_back(std::move(one));
  }
}

estimate_input counts_of(const chunked_graph& graph) {
  estimate_input out;
  out.nodes = graph.num_nodes();
  out.edges = graph.num_edges();
  out.node_types = graph.node_counts.size();
  out.edge_types = graph.edge_counts.size();
  for (const auto* const all : {&graph.node_features, &graph.edge_features}) {
    for (const auto& one : *all) out.feature_bytes += one.rows * one.row_bytes();
  }
  return out;
}

}  // namespace

bool may_run_out_of_core(const partition_flags& flags) {
  return flags.method == multilevel::name && flags.compress && can_dispatch(flags);
}

bool may_stream_out_of_core(const partition_flags& flags, const offered_policies& policies) {
  const policy_entry* const by = policies.find(
      flags.method == auto_method ? buffered::name : std::string_view(flags.method));
  const start_flags& start = flags.start;
  return by != nullptr && (by->can.streams || !by->can.reads_edges) && !start.improves() &&
         start.fixed.empty() && start.part_weights.empty() && flags.balance_ntypes.empty() &&
         can_dispatch(flags) && (flags.input.empty() || !is_metis_graph(flags.input));
}

namespace {

/// What dispatch computes its memory from, before the input was opened: all features are taken for
/// one of the nodes.
dispatch_counts guess_dispatch_counts(const estimate_input& counts) {
  dispatch_counts out;
  out.nodes = counts.nodes;
  out.edges = counts.edges;
  out.node_types = counts.node_types;
  out.edge_types = counts.edge_types;
  out.parts = counts.parts;
  out.threads = counts.threads;
  out.hops = counts.hops;
  out.other_formats = counts.formats.has(sparse_format::csr) ||
                      counts.formats.has(sparse_format::csc);
  if (counts.feature_bytes == 0) return out;
  out.node_features = 1;
  out.node_row_bytes = counts.feature_bytes / std::max<std::uint64_t>(counts.nodes, 1);
  return out;
}

/// What multilevel takes that sees the graph compressed.
resource_estimate estimate_out_of_core(const estimate_input& counts,
                                       const dispatch_counts& dispatched,
                                       const partition_flags& flags) {
  detail::policy_facts facts;
  facts.access = edge_access::loaded;
  facts.compresses = true;
  return estimate_both(need_to_assign(counts, flags, std::move(facts)), counts, dispatched, flags);
}

}  // namespace

resource_estimate guess_out_of_core(const estimate_input& known, const estimate_input& decided,
                                    const partition_flags& flags) {
  resource_estimate out = estimate_out_of_core(decided, guess_dispatch_counts(decided), flags);
  if (flags.input.empty()) return out;
  const input_format format = format_of(flags.input);
  if (format == input_format::chunked) return out;
  const std::uint64_t held = detail::saturating_sum(
      held_edge_bytes(format, known.edges, flags.undirected), known.resident_input_bytes);
  add_copy(detail::saturating_sum(copy_block_bytes, held),
           detail::saturating(known.edges, 16, known.feature_bytes), out);
  return out;
}

std::optional<answer> partition_out_of_core(const partition_flags& given,
                                            const offered_policies& policies, const context& asked,
                                            bool decided, const estimate_input* known) {
  partition_flags flags = given;
  const any_graph_options reading{
      .reading = {.num_nodes = flags.sized ? std::optional(flags.num_nodes) : std::nullopt,
                  .undirected = flags.undirected},
      .memory_bytes = flags.memory,
      .ignore_room = flags.ignore_memory,
      .json = asked.json};
  const communicator_ref alone;
  const auto opened = open_any_graph(flags.input, flags.out, reading, asked.threads, alone);
  const chunked_graph& graph = opened.graph;
  const auto threads = make_threads(asked.threads);

  const estimate_input counts = counts_of(graph);
  const bool wide = needs_wide_ids(counts, flags);
  const dispatch_counts dispatched = detail::count_for_dispatch(
      graph, flags.parts, how_to_dispatch(flags, graph.name), threads.concurrency());
  const bool loads = flags.method == auto_method || flags.method == multilevel::name;
  const std::uint64_t entries = loads ? undirected_entries(graph, asked.threads, alone)
                                      : 2 * counts.edges;
  if (loads && !decided) {
    static_cast<void>(
        estimate_run(known != nullptr ? *known : counts, entries, flags, asked.threads, wide));
    if (!flags.out_of_core) return std::nullopt;
  }
  const estimate_input all = decided_counts(counts, entries, flags, asked.threads, wide);
  const auto need_if = [&](std::uint64_t policy_bytes) {
    estimate_input with = all;
    with.policy_bytes = policy_bytes;
    resource_estimate out = estimate_out_of_core(with, dispatched, flags);
    add_copy_of(opened, out);
    return out;
  };
  resource_estimate estimate;
  if (loads) {
    estimate = need_if(all.policy_bytes);
    announce(estimate, estimate.peak_bytes, flags, asked);
  }
  reported_memory reported([&](std::uint64_t bytes) { return need_if(bytes).peak_bytes; },
                           limits_of(flags, 0, asked));
  const memory_callback on_bytes = std::ref(reported);

  policy_inputs in = inputs_of(flags);
  const auto start = starting_parts::read(flags.start, graph.schema, graph.node_counts, flags.parts,
                                          threads);
  start.tell(in);
  double tolerance = default_tolerance;
  if (!flags.tolerance.empty()) tolerance = finite_number(flags.tolerance.back()).value();
  in.tolerance = tolerance;
  const progress_callback progress_shown = show_progress();
  in.on_progress = &progress_shown;
  if (tells_memory(flags)) in.on_bytes = &on_bytes;
  const auto policy = make_policy(flags, policies, in, {});
  const bool streams = policies.find(flags.method)->can.streams;
  note_overfull(start, flags.parts, tolerance);
  if (!loads) {
    estimate = estimate_both(
        need_to_assign(all, flags,
                       facts_of(*policy, streams ? edge_access::streamed : edge_access::none)),
        all, dispatched, flags);
    add_copy_of(opened, estimate);
    announce(estimate, estimate.peak_bytes, flags, asked);
    if (!asked.json) note("the graph does not fit in memory and stays in files");
  }
  dispatch_options options = how_to_dispatch(flags, graph.name);

  assign_options assigning;
  assigning.memory_bytes = flags.ignore_memory ? 0 : flags.memory;
  if (loads) assigning.policy_bytes = policy_bytes_of(all);
  assigning.balance = balance_of(flags);
  assigning.measure_cut = false;
  assigning.method = flags.method;
  assigning.on_progress = progress_shown;
  starting_parts::moves moves;
  const row_sizes no_sizes;
  std::vector<part_connection> connections;
  assignment_quality quality;
  const refinement after{.parts = flags.parts,
                         .part_weights = in.part_weights,
                         .fixed = in.fixed,
                         .connections = &connections};
  assigning.command = options.command;
  assigning.command.set("input", flags.input);
  assignment_between parts(flags.out);
  const assign_job job{.graph = graph,
                       .policy = *policy,
                       .target = parts.path(),
                       .options = assigning,
                       .threads = threads,
                       .ranks = alone,
                       .after = after,
                       .start = &start,
                       .moves = &moves,
                       .features = &no_sizes,
                       .quality = &quality};
  const assign_result assigned = loads     ? assign_loaded(job)
                                 : streams ? assign_streamed(job)
                                           : assign_without_edges(job);
  parts.keep(json::one_line(assigning.command));

  const auto reported_bytes = reported.policy_bytes();
  const std::uint64_t needed = reported_bytes ? need_if(*reported_bytes).peak_bytes
                                              : estimate.peak_bytes;
  options.memory_bytes = flags.ignore_memory ? std::max(needed, flags.memory) : needed;
  options.on_progress = progress_shown;
  partition_result result = joined(
      assigned, quality,
      dispatch_into(graph, parts.path(), static_cast<part_id>(flags.parts),
                    folder_target(flags.out, flags.to == "native", flags.file_names),
                    flags.id_bits == "64", options, threads, alone));
  moves.correct(result.report.balance);
  folder_report counted;  // with a cut that is known, if the method loads the graph
  if (!loads) {
    counted = count_in_folder(result.config.path, options.memory_bytes, threads, progress_shown);
    add_counted(counted, result.report);
  }
  answer done = tell_partition(result, counted.notes, estimate, flags, counted.cut_known);
  tell_need(needed, estimate.peak_bytes, done);
  done.details.set("copy", opened.describe_copy());
  tell_moves(moves, true, done);
  tell_connections(connections, flags.start, done);
  if (!counted.components.empty()) tell_components(counted, done);
  return done;
}

}  // namespace halograph::cli
