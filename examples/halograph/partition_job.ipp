// SPDX-License-Identifier: BSL-1.0
// The body of partition_job.hpp, for the two files that compile it.
#pragma once

#include "flag_values.hpp"
#include "formats.hpp"
#include "inputs.hpp"
#include "keep_input.hpp"
#include "node_orders.hpp"
#include "partition_job.hpp"
#include "partition_out_of_core.hpp"
#include "progress.hpp"

#include <halograph/core/checked_cast.hpp>
#include <halograph/core/error.hpp>
#include <halograph/folder/assignment_files.hpp>
#include <halograph/graph/symmetrize.hpp>
#include <halograph/io/open_dataset.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/partition/assign.hpp>
#include <halograph/partition/given.hpp>
#include <halograph/partition/placement/new_nodes.hpp>
#include <halograph/pipeline/estimate.hpp>
#include <halograph/pipeline/measure.hpp>
#include <halograph/pipeline/partition_graph.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph::cli {

/// Any policy, behind one type.
struct job_policy {
  using part = part_id;
  std::uint64_t parts = 1;
  const chosen_policy* by = nullptr;
  executor_ref threads{};
  refinement after{};
  const starting_parts* start = nullptr;
  const row_sizes* features = nullptr;
  starting_parts::moves* moves = nullptr;  // out

  /// The policy for new nodes, if it is used.
  std::optional<new_nodes> placement() const {
    if (!start->are_placed_in_one_pass(after.preset, after.objective)) return std::nullopt;
    return new_nodes{.parts = static_cast<part_id>(parts),
                     .fixed = start->owner,
                     .constraints = after.constraints,
                     .edge_weights = after.edge_weights};
  }

  template <id ID>
  status assign(const hetero_view<ID, ID>& g, std::span<part_id> owner) const {
    const auto place = placement();
    if (const status answer = place ? place->assign(g, owner) : by->assign(g, owner, threads);
        !answer)
      return answer;
    const status answer = after.refine(g, owner, threads);
    if (answer) *moves = start->count(owner, g, *features, after.constraints);
    return answer;
  }
  std::string explain(status answer) const {
    const auto place = placement();
    return place ? place->explain(answer) : after.explain(answer, *by);
  }
};

template <id ID>
answer partition_at(partition_flags flags, const offered_policies& policies, const context& asked) {
  const any_file_opener files = input_files();
  const any_json_codec codec = json_codec();
  const auto threads = make_threads(asked.threads);
  const auto progress_shown = show_progress();
  partition_result result;
  step_clock clock(result.report, progress_shown);
  std::optional<dataset<ID, ID>> loaded;
  clock.run("read", [&] {
    loaded.emplace(load_dataset<ID, ID>(
        flags.input,
        {.undirected = flags.undirected,
         .num_nodes = flags.sized ? std::optional(flags.num_nodes) : std::nullopt,
         .most_bytes = memory_allowed(flags.memory, flags.ignore_memory),
         .scratch = existing_folder_of(flags.out),
         .yaml = yaml_codec()},
        files, codec, threads, input_tables(), known_formats()));
  });
  auto& data = *loaded;

  const auto balance = make_balance(data, flags, files);
  note_input_weights(flags, data);
  const auto counts = counts_of_data(data, flags);
  const std::uint64_t entries = most_undirected_entries(data.graph(), threads);
  const auto estimate = estimate_run(counts, entries, flags, asked.threads, sizeof(ID) > 4,
                                     balance.constraints().size());
  if (flags.out_of_core) {
    loaded.reset();
    if (auto done = partition_out_of_core(flags, policies, asked, true)) return std::move(*done);
  }
  const partition_need need(estimate.peak_bytes, counts, entries, flags, asked.threads,
                            sizeof(ID) > 4, balance.constraints().size());
  reported_memory reported([&](std::uint64_t bytes) { return need.peak(bytes); },
                           limits_of(flags, need.first_bytes(), asked));
  const memory_callback on_bytes = std::ref(reported);
  announce(estimate, need.first_peak(), flags, asked);
  const auto tell_what_was_needed = [&](answer& done) {
    const auto bytes = reported.policy_bytes();
    tell_need(bytes ? need.peak(*bytes) : estimate.peak_bytes, estimate.peak_bytes, done);
  };

  std::vector<part_id> given_owner;
  json::value assigned_by;  // what else partition_meta.json says
  std::string made_by;      // as partition_meta.json names it, and dispatch with it
  policy_inputs in = inputs_of(flags);
  if (!flags.assignment.empty()) {
    auto given = read_assignment(flags.assignment, data.schema, data.node_counts,
                                 checked_cast<part_id>(in.parts, "the number of parts"), files,
                                 codec, threads);
    given_owner = std::move(given.owner);
    made_by = std::move(given.algorithm);
    assigned_by = std::move(given.made_by);
  }
  const auto weights = edge_weights_of(data, flags);
  in.constraints = balance.constraints();
  in.edge_weights = weights;
  in.node_sizes = data.node_sizes;
  in.on_progress = &progress_shown;
  if (tells_memory(flags)) in.on_bytes = &on_bytes;
  const auto start = starting_parts::read(flags.start, data.schema, data.node_counts, in.parts,
                                          threads);
  start.tell(in);
  row_sizes features{std::vector<std::uint64_t>(data.schema.num_node_types()),
                     std::vector<std::uint64_t>(data.schema.num_edge_types())};
  for (const auto& one : data.features.nodes) features.nodes[one.type] += one.rows.row_bytes();
  for (const auto& one : data.features.edges) features.edges[one.type] += one.rows.row_bytes();
  starting_parts::moves moves;
  const auto made_policy = make_policy(flags, policies, in, given_owner);
  job_policy policy{made_policy->parts(), made_policy.get(), threads};
  std::vector<part_connection> connections;
  policy.after = {.asked = flags.start.refine,
                  .connected = flags.start.connected,
                  .parts = in.parts,
                  .seed = flags.seed,
                  .preset = flags.preset,
                  .objective = objective_of(flags.objective),
                  .constraints = in.constraints,
                  .edge_weights = in.edge_weights,
                  .node_sizes = in.node_sizes,
                  .part_weights = in.part_weights,
                  .fixed = start.fixed,
                  .connections = &connections};
  policy.start = &start;
  policy.features = &features;
  policy.moves = &moves;

  for (const auto& one : balance.constraints()) {
    if (one.name == "nodes") note_overfull(start, in.parts, one.tolerance);
  }
  if (is_export(flags)) {
    const auto g = data.graph();
    require_exportable(data.schema, data.features, flags);
    std::vector<part_id> owner;
    clock.run("assign", [&] { owner = assign(g, policy, threads); });
    clock.run("measure", [&] {
      measure_into(result.report, g, std::span<const part_id>(owner), flags.parts,
                   balance.constraints(), threads);
    });
    moves.correct(result.report.balance);
    answer done = export_partition(stream_graph(g, data.schema, data.features, data.name), owner,
                                   std::move(result.report), data.notes, estimate, flags);
    tell_what_was_needed(done);
    tell_moves(moves, true, done);
    tell_connections(connections, flags.start, done);
    return done;
  }
  auto options = how_to_partition(flags, data.name, made_by, std::move(assigned_by), balance);
  options.on_progress = progress_shown;
  options.executor = threads;
  auto made = partition_graph(data, policy, target_of(flags), options);
  made.report.steps.insert(made.report.steps.begin(), result.report.steps.begin(),
                           result.report.steps.end());
  moves.correct(made.report.balance);
  answer done = tell_partition(made, data.notes, estimate, flags);
  tell_what_was_needed(done);
  tell_moves(moves, true, done);
  tell_connections(connections, flags.start, done);
  return done;
}

}  // namespace halograph::cli
