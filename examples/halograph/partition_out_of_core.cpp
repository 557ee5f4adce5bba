// SPDX-License-Identifier: BSL-1.0
#include "any_graph.hpp"
#include "assign_kinds.hpp"
#include "dispatch.hpp"
#include "flag_values.hpp"
#include "inputs.hpp"
#include "keep_input.hpp"
#include "partition_job.hpp"
#include "partition_out_of_core.hpp"
#include "progress.hpp"
#include "starting_parts.hpp"

#include <halograph/core/error.hpp>
#include <halograph/io/chunked/copy.hpp>
#include <halograph/io/chunked/graph.hpp>
#include <halograph/partition/fixed_point.hpp>
#include <halograph/partition/multilevel.hpp>
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

assign_need need_to_assign(const estimate_input& counts, const partition_flags& flags) {
  assign_options options;
  options.memory_bytes = flags.memory;
  options.policy_bytes = policy_bytes_of(counts);
  options.balance = balance_of(flags);
  detail::policy_facts facts;
  facts.access = edge_access::loaded;
  facts.parts = flags.parts;
  facts.part_bytes = sizeof(part_id);
  facts.compresses = true;
  return detail::estimate_by(facts, counts.nodes, counts.edges,
                             static_cast<std::size_t>(counts.node_types), options, 1,
                             static_cast<std::size_t>(counts.threads));
}

/// What dispatch may take: what was given, or what assign takes anyway.
std::uint64_t budget_of_dispatch(const assign_need& need, const partition_flags& flags) {
  return flags.memory != 0 ? flags.memory : need.memory_bytes;
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
  const std::size_t name =
      std::filesystem::path(detail::places_beside(flags.out).assignment).filename().string().size();
  return flags.method == multilevel::name && flags.compress && flags.trainers == 1 &&
         flags.node_order == "original" && !flags.no_reshuffle && !flags.weighs_nodes &&
         edge_weight_feature(flags).empty() && balances_like_assign(flags) && !is_export(flags) &&
         name <= staged_folder::longest_name;
}

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
  out.node_features = out.edge_features = 8;
  out.node_row_bytes = counts.feature_bytes / std::max<std::uint64_t>(counts.nodes, 1);
  out.edge_row_bytes = counts.feature_bytes / std::max<std::uint64_t>(counts.edges, 1);
  out.edge_feature_bytes = counts.feature_bytes;
  return out;
}

resource_estimate estimate_out_of_core(const estimate_input& counts,
                                       const dispatch_counts& dispatched,
                                       const partition_flags& flags) {
  const assign_need need = need_to_assign(counts, flags);
  dispatch_counts sized = dispatched;
  sized.node_id_bytes = counts.node_id_bytes;
  sized.edge_id_bytes = counts.edge_id_bytes;
  const dispatch_need parts = plan_dispatch_memory(sized, budget_of_dispatch(need, flags));
  const resource_estimate in_memory = estimate_partition(counts);
  resource_estimate out;
  out.steps = {{"assign", need.memory_bytes, need.disk_bytes, need.disk_bytes},
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

std::optional<answer> partition_out_of_core(const partition_flags& given,
                                            const offered_policies& policies, const context& asked,
                                            bool decided) {
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
  dispatch_options options = how_to_dispatch(flags, graph.name);

  const estimate_input counts = counts_of(graph);
  const bool wide = needs_wide_ids(counts, flags);
  const dispatch_counts dispatched = detail::count_for_dispatch(graph, flags.parts, options,
                                                                threads.concurrency());
  const std::uint64_t entries = undirected_entries(graph, asked.threads, alone);
  const resource_estimate estimate = estimate_run(counts, entries, flags, asked.threads, wide,
                                                  std::nullopt, &dispatched);
  if (!flags.out_of_core && !decided) return std::nullopt;
  announce(estimate, flags, asked);

  policy_inputs in = inputs_of(flags);
  const auto start = starting_parts::read(flags.start, graph.schema, graph.node_counts, flags.parts,
                                          threads);
  start.tell(in);
  double tolerance = default_tolerance;
  if (!flags.tolerance.empty()) tolerance = finite_number(flags.tolerance.back()).value();
  in.tolerance = tolerance;
  const progress_callback progress_shown = show_progress();
  in.on_progress = &progress_shown;
  const auto policy = make_policy(flags, policies, in, {});
  note_overfull(start, flags.parts, tolerance);

  assign_options assigning;
  assigning.memory_bytes = flags.ignore_memory ? 0 : flags.memory;
  assigning.policy_bytes = policy_bytes_of(
      decided_counts(counts, entries, flags, asked.threads, wide));
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
  assign_result assigned = assign_loaded({.graph = graph,
                                          .policy = *policy,
                                          .target = parts.path(),
                                          .options = assigning,
                                          .threads = threads,
                                          .ranks = alone,
                                          .after = after,
                                          .start = &start,
                                          .moves = &moves,
                                          .features = &no_sizes,
                                          .quality = &quality});
  parts.keep(json::one_line(assigning.command));

  options.memory_bytes = flags.ignore_memory ? std::max(estimate.peak_bytes, flags.memory)
                                             : estimate.peak_bytes;
  options.on_progress = progress_shown;
  dispatch_result made = dispatch_into(
      graph, parts.path(), static_cast<part_id>(flags.parts),
      folder_target(flags.out, flags.to == "native", flags.file_names), flags.id_bits == "64",
      options, threads, alone);

  partition_result result;
  result.config = std::move(made.config);
  result.report = std::move(made.report);
  result.notes = std::move(made.notes);
  result.report.edge_cut = quality.edge_cut;
  result.report.communication_volume = quality.communication_volume;
  result.report.balance = std::move(assigned.report.balance);
  auto& steps = result.report.steps;
  steps.insert(steps.begin(), assigned.report.steps.begin(), assigned.report.steps.end());
  moves.correct(result.report.balance);
  answer done = tell_partition(result, {}, estimate, flags);
  done.details.set("copy", opened.describe_copy());
  tell_moves(moves, true, done);
  tell_connections(connections, flags.start, done);
  return done;
}

}  // namespace halograph::cli
