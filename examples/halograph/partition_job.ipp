// SPDX-License-Identifier: BSL-1.0
// The body of partition_job.hpp, for the two files that compile it.
#pragma once

#include "flag_values.hpp"
#include "formats.hpp"
#include "inputs.hpp"
#include "keep_input.hpp"
#include "node_orders.hpp"
#include "partition_job.hpp"
#include "progress.hpp"

#include <halograph/core/checked_cast.hpp>
#include <halograph/core/error.hpp>
#include <halograph/folder/assignment_files.hpp>
#include <halograph/folder/targets.hpp>
#include <halograph/io/open_dataset.hpp>
#include <halograph/partition/given.hpp>
#include <halograph/pipeline/estimate.hpp>
#include <halograph/pipeline/partition_graph.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph::cli {

namespace {

/// Any policy, behind one type.
struct partition_policy {
  using part = part_id;
  std::uint64_t parts = 1;
  const chosen_policy* by = nullptr;
  executor_ref threads{};

  template <id ID>
  status assign(const hetero_view<ID, ID>& g, std::span<part_id> owner) const {
    return by->assign(g, owner, threads);
  }
  std::string explain(status answer) const { return by->explain(answer); }
};

/// The policy that --method names, with its options set.
std::unique_ptr<chosen_policy> make_policy(const partition_flags& flags,
                                           const offered_policies& policies, policy_inputs in,
                                           const std::vector<part_id>& given_owner) {
  if (flags.method == given::name) return given_parts(in.parts, given_owner);
  const policy_entry* const entry = policies.find(flags.method);
  if (entry == nullptr || !entry->can.cuts_graphs)
    raise(errc::internal, "no policy has the name " + flags.method);
  if (flags.method == "random") in.edge_weights_asked = false;
  auto policy = entry->make();
  policy->configure(in, flags.method);
  return policy;
}

}  // namespace

template <id ID>
answer partition_at(const partition_flags& flags, const offered_policies& policies,
                    const context& asked) {
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
         .scratch = existing_folder_of(flags.out)},
        files, codec, threads, input_tables(), known_formats()));
  });
  auto& data = *loaded;
  const bool metis_input = is_metis_graph(flags.input);

  const auto balance = make_balance(data, flags, files);
  auto counts = counts_of_data(data, flags);
  if (metis_input && !data.edge_weight_feature.empty())
    counts.resident_input_bytes += 8 * counts.edges;
  apply_flags(counts, flags, asked.threads, sizeof(ID) > 4, balance.constraints().size());
  const auto estimate = estimate_partition(counts);
  if (!asked.json)
    note("this run will take up to " + human_bytes(estimate.peak_bytes) + " of memory and " +
         human_bytes(estimate.disk_bytes_least) + " to " + human_bytes(estimate.disk_bytes_most) +
         " of disk");
  check_resources(estimate, flags);

  std::vector<part_id> given_owner;
  json::value assigned_by;  // what else partition_meta.json says
  std::string made_by;      // as partition_meta.json names it, and dispatch with it
  policy_inputs in;
  in.parts = flags.parts * flags.trainers;
  if (flags.seeded) in.seed = flags.seed;
  if (!flags.assignment.empty()) {
    auto given = read_assignment(flags.assignment, data.schema, data.node_counts,
                                 checked_cast<part_id>(in.parts, "the number of parts"), files,
                                 codec, threads);
    given_owner = std::move(given.owner);
    made_by = std::move(given.algorithm);
    assigned_by = std::move(given.made_by);
  }
  const auto weights = edge_weights_of(data, flags, metis_input);
  in.constraints = balance.constraints();
  in.edge_weights = weights;
  in.node_sizes = data.node_sizes;
  in.volume = flags.objective == "vol";
  in.edge_weights_asked = !flags.edge_weights.empty() && flags.edge_weights != "none";
  in.shuffled = flags.stream_order == "shuffled";
  const auto made_policy = make_policy(flags, policies, in, given_owner);
  const partition_policy policy{made_policy->parts(), made_policy.get(), threads};

  basic_partition_options<chosen_order> options;
  options.graph_name = flags.name.empty() ? data.name : flags.name;
  options.hops = flags.hops;
  options.drop_cut_edges = flags.drop_cut_edges;
  options.reshuffle = !flags.no_reshuffle;
  options.store_original_ids = flags.store_orig_ids;
  options.save_mapping = flags.save_mapping;
  options.compact_mapping = !flags.no_mapping;
  options.trainers_per_machine = static_cast<std::size_t>(flags.trainers);
  options.formats = *sparse_formats::parse(flags.graph_formats);
  options.part_method = made_by.empty() ? flags.method : made_by;
  options.balance = balance.constraints();
  options.command = describe_command(flags, options.graph_name);
  if (!assigned_by.is_null()) options.command.set("assigned_by", std::move(assigned_by));
  options.on_progress = progress_shown;
  options.executor = threads;
  options.order = chosen_order::named(flags.node_order);
  const auto file_names = flags.file_names == "dgl" ? dgl_file_names::dgl : dgl_file_names::guide;
  auto made = partition_graph(
      data, policy,
      flags.serializer == "native"
          ? any_target(settled<native_folder>{{.path = flags.out}})
          : any_target(settled<dgl_folder>{{.path = flags.out, .names = file_names}}),
      options);
  made.report.steps.insert(made.report.steps.begin(), result.report.steps.begin(),
                           result.report.steps.end());

  for (const auto& sentence : data.notes) note(sentence);
  for (const auto& sentence : made.notes) note(sentence);
  answer done;
  done.details.set("config", made.config.path);
  done.details.set("estimate", to_json(estimate));
  const json::value report = to_json(made.report);
  for (const auto& [key, value] : *report.if_object()) done.details.set(key, value);
  done.text = to_text(made.report) + "\nthe partitions are in " + made.config.path + "\n";
  for (const auto& one : made.report.balance) {
    if (!one.met)
      note("constraint " + one.name + " is not met: imbalance " + std::to_string(one.imbalance) +
           ", tolerance " + std::to_string(one.tolerance));
  }
  return done;
}

}  // namespace halograph::cli
