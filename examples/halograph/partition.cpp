// SPDX-License-Identifier: BSL-1.0
#include "exports.hpp"
#include "flag_values.hpp"
#include "formats.hpp"
#include "inputs.hpp"
#include "keep_input.hpp"
#include "node_orders.hpp"
#include "partition.hpp"
#include "partition_flags.hpp"
#include "partition_inputs.hpp"
#include "partition_job.hpp"
#include "partition_out_of_core.hpp"
#include "policies.hpp"
#include "report.hpp"

#include <halograph/core/error.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/io/write_arrays.hpp>
#include <halograph/partition/given.hpp>
#include <halograph/partition/multilevel/buffered.hpp>
#include <halograph/serial/files/input_record.hpp>
#include <halograph/serial/files/staged_folder.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/text/readable.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph::cli {

json::value describe_command(const partition_flags& flags, const std::string& name) {
  json::value tolerance{json::array{}}, balance{json::array{}};
  for (const auto& one : flags.tolerance) tolerance.push(one);
  for (const auto& one : flags.balance_ntypes)
    balance.push(is_folder(one) ? std::string("folder") : one);
  json::value out = json::object{{"command", "partition"},
                                 {"name", name},
                                 {"parts", flags.parts},
                                 {"method", flags.method},
                                 {"hops", flags.hops},
                                 {"objective", flags.objective},
                                 {"seed", flags.seeded ? json::value(flags.seed) : json::value()},
                                 {"trainers_per_machine", flags.trainers},
                                 {"drop_cut_edges", flags.drop_cut_edges},
                                 {"balance_ntypes", std::move(balance)},
                                 {"balance_edges", flags.balance_edges},
                                 {"tolerance", std::move(tolerance)},
                                 {"edge_weights", flags.edge_weights},
                                 {"undirected", flags.undirected},
                                 {"graph_formats", flags.graph_formats},
                                 {"serializer", flags.to},
                                 {"file_names", flags.file_names},
                                 {"save_mapping", flags.save_mapping},
                                 {"store_orig_ids", flags.store_orig_ids},
                                 {"reshuffle", !flags.no_reshuffle}};
  if (flags.preset != "balanced") out.set("preset", flags.preset);
  if (flags.node_order != "original") out.set("node_order", flags.node_order);
  describe(flags.start, out);
  if (flags.no_mapping) out.set("no_mapping", true);
  if (flags.stream_order != "natural") out.set("stream_order", flags.stream_order);
  if (flags.sized) out.set("num_nodes", flags.num_nodes);
  return out;
}

policy_inputs inputs_of(const partition_flags& flags) {
  policy_inputs in;
  in.parts = flags.parts * flags.trainers;
  if (flags.seeded) in.seed = flags.seed;
  in.volume = flags.objective == "vol";
  in.metis_options = flags.start.metis;
  in.preset = flags.preset;
  in.edge_weights_asked = !flags.edge_weights.empty() && flags.edge_weights != "none";
  in.shuffled = flags.stream_order == "shuffled";
  in.batch = flags.batch;
  in.compress = flags.compress;
  return in;
}

std::unique_ptr<chosen_policy> make_policy(const partition_flags& flags,
                                           const offered_policies& policies, policy_inputs in,
                                           const std::vector<part_id>& given_owner) {
  if (flags.method == given::name) return given_parts(in.parts, given_owner);
  const policy_entry* const entry = policies.find(flags.method);
  if (entry == nullptr || !entry->can.cuts_graphs)
    raise(error_kind::internal, "no policy has the name " + flags.method);
  if (flags.method == "random") in.edge_weights_asked = false;
  auto policy = entry->make();
  policy->configure(in, flags.method);
  return policy;
}

basic_partition_options<chosen_order> how_to_partition(const partition_flags& flags,
                                                       const std::string& name,
                                                       const std::string& made_by,
                                                       json::value assigned_by,
                                                       const balance_set& balance) {
  basic_partition_options<chosen_order> options;
  options.graph_name = flags.name.empty() ? name : flags.name;
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
  options.order = chosen_order::named(flags.node_order);
  return options;
}

any_target target_of(const partition_flags& flags) {
  if (flags.to == "native") return settled<native_folder>{{.path = flags.out}};
  const auto names = flags.file_names == "dgl" ? dgl_file_names::dgl : dgl_file_names::guide;
  return settled<dgl_folder>{{.path = flags.out, .names = names}};
}

answer tell_partition(const partition_result& made, const std::vector<std::string>& notes,
                      const resource_estimate& estimate, const partition_flags& flags,
                      bool cut_known) {
  for (const auto& sentence : notes) note(sentence);
  for (const auto& sentence : made.notes) note(sentence);
  answer done;
  done.details.set("config", made.config.path).set("method", flags.method);
  if (!flags.method_reason.empty()) done.details.set("method_reason", flags.method_reason);
  done.details.set("estimate", to_json(estimate));
  const json::value report = to_json(made.report);
  for (const auto& [key, value] : *report.if_object()) done.details.set(key, value);
  if (!cut_known)
    done.details.set("edge_cut", json::value()).set("communication_volume", json::value());
  done.text = to_text(made.report, cut_known) + "\nthe partitions are in " + made.config.path +
              "\n";
  if (!flags.report.empty()) {
    step("write page", [&] {
      const folder_access own = known_access(own_files());
      const auto config = open_partition(made.config.path, own.files);
      reported_folder page = page_entry(config, own, {}, executor_ref());
      page.found.report = made.report;
      page.found.cut_known = cut_known;
      page.found.notes = made.notes;
      page.steps = made.report.steps;
      write_page(std::span(&page, 1), flags.report);
    });
    done.details.set("report", flags.report);
    done.text += "the page is in " + flags.report + "\n";
  }
  note_unmet(made.report.balance, flags.method, true);
  done.next = how_to_load(made.config.path, flags.to == "native");
  return done;
}

reported_memory::limits limits_of(const partition_flags& flags, std::uint64_t first_bytes,
                                  const context& asked) {
  return {.first_bytes = first_bytes,
          .budget = flags.ignore_memory ? 0
                    : flags.memory != 0 ? flags.memory
                                        : available_memory(),
          .given = flags.memory != 0,
          .may_compress = !flags.compress,
          .quiet = asked.json};
}

void tell_need(std::uint64_t bytes, std::uint64_t at_start, answer& done) {
  done.details.set("need",
                   json::object{{"memory_bytes", bytes}, {"memory_bytes_at_start", at_start}});
}

void require_exportable(const graph_schema& schema, const feature_set& features,
                        const partition_flags& flags) {
  if (flags.to == "graphbolt" || flags.to == "parquet")
    require_no_part_feature(schema, features.nodes);
  if (flags.to != "parts" || schema.num_node_types() == 1) return;
  raise(error_kind::unsupported,
        "the graph has " + std::to_string(schema.num_node_types()) +
            " node types, but a file of parts has a line for each node of one type; halograph "
            "assign writes a file for each type",
        {.file = flags.input, .line = {}, .byte = {}});
}

answer export_partition(streamed_graph g, std::span<const part_id> owner, quality_report report,
                        const std::vector<std::string>& notes, const resource_estimate& estimate,
                        const partition_flags& flags) {
  if (!flags.name.empty()) g.name = flags.name;
  std::vector<std::vector<std::uint64_t>> nodes(static_cast<std::size_t>(flags.parts),
                                                std::vector<std::uint64_t>(g.node_counts.size()));
  std::size_t v = 0;
  for (std::size_t t = 0; t < g.node_counts.size(); ++t) {
    report.node_types.emplace_back(g.schema.node_types()[t], g.node_counts[t]);
    for (std::uint64_t i = 0; i < g.node_counts[t]; ++i) ++nodes[owner[v++]][t];
  }
  for (std::size_t r = 0; r < g.edge_counts.size(); ++r)
    report.edge_types.emplace_back(g.schema.edge_types()[r].str(), g.edge_counts[r]);
  report.nodes = g.num_nodes();
  report.edges = g.num_edges();
  written_arrays made;
  begin_step("write");
  if (flags.to == "parts") {
    made.files = 1;
    made.bytes = export_parts(place_of_output(flags.out), owner,
                              [] { inputs_of_this_run()->settle(); });
  } else {
    if (flags.to != "pyg") add_parts_as_feature(g, owner);
    staged_folder staged(flags.out);
    made = export_folder(flags.to, g, owner, static_cast<part_id>(flags.parts), staged,
                         memory_allowed(flags.memory, flags.ignore_memory));
    inputs_of_this_run()->settle();
    note(staged.commit(json::one_line(describe_command(flags, g.name))));
  }
  answer done;
  const json::value members = to_json(report);
  done.details.set("out", flags.out)
      .set("format", flags.to)
      .set("num_parts", flags.parts)
      .set("method", flags.method);
  if (!flags.method_reason.empty()) done.details.set("method_reason", flags.method_reason);
  done.details.set("estimate", to_json(estimate));
  tell_owned_nodes(report, nodes, done);
  for (const char* const key :
       {"graph", "edge_cut", "directed_cut", "communication_volume", "balance"})
    done.details.set(key, *members.find(key));
  json::value said{json::array{}};
  for (const auto& sentence : notes) {
    said.push(sentence);
    note(sentence);
  }
  done.details.set("files", made.files).set("bytes", made.bytes).set("notes", std::move(said));
  done.text += "\nedge cut " + grouped(report.edge_cut) + ", communication volume " +
               grouped(report.communication_volume) + "\n";
  done.text += flags.to == "parts"
                   ? "the part of each node is in " + flags.out + "\n"
                   : "the " + std::string(words_of_folder_format(flags.to)) + " is in " +
                         flags.out + ", " + readable::bytes(made.bytes) + " in " +
                         counted(made.files, "file") + "\n";
  note_unmet(report.balance, flags.method, true);
  return done;
}

namespace {

/// The job in memory, or in files where a compressed graph takes less memory there.
/// @errors memory: it does not fit
answer partition_if_it_fits(const partition_flags& flags, const offered_policies& policies,
                            const context& asked) {
  if (const auto counts = quick_counts(flags.input)) {
    partition_flags settled = flags;  // the method is decided once the graph is known
    // Each edge may have its reverse; whether it does is known once they have been read.
    const bool wide = needs_wide_ids(*counts, flags);
    const auto all = estimate_run(*counts, counts->edges, settled, asked.threads, wide);
    const partition_need need(all.peak_bytes, *counts, counts->edges, settled, asked.threads, wide);
    check_resources(all, need.first_peak(), settled);
    if (settled.out_of_core) {
      if (auto done = partition_out_of_core(flags, policies, asked, false, &*counts))
        return std::move(*done);
    }
  } else if (may_run_out_of_core(flags) && !is_metis_graph(flags.input)) {
    // Of METIS graphs it is not known yet whether they have weights.
    if (auto done = partition_out_of_core(flags, policies, asked, false)) return std::move(*done);
  }
  if (flags.id_bits == "64") return partition_at<std::uint64_t>(flags, policies, asked);
  if (flags.id_bits == "32") return partition_at<std::uint32_t>(flags, policies, asked);
  try {
    return partition_at<std::uint32_t>(flags, policies, asked);
  } catch (const error& problem) {
    // The graph is larger than 32 bits can number: once more, wider.
    if (problem.code() != error_kind::overflow) throw;
  }
  return partition_at<std::uint64_t>(flags, policies, asked);
}

answer run_partition(partition_flags flags, const offered_policies& policies,
                     const context& asked) {
  settle_partition_flags(flags, false);
  require_writer_of(flags.to);
  if (flags.to == "parts")
    static_cast<void>(place_of_output(flags.out));
  else
    staged_folder::require_replaceable(flags.out);
  if (!flags.report.empty()) guard_page(flags.report, flags.out, "--report");
  try {
    return partition_if_it_fits(flags, policies, asked);
  } catch (const memory_refusal&) {
    if (!may_stream_out_of_core(flags, policies)) throw;
  }
  if (flags.method == auto_method) {
    flags.method = buffered::name;
    flags.method_reason = "the graph does not fit in memory";
  }
  return partition_out_of_core(flags, policies, asked, true).value();
}

}  // namespace

action add_partition(flag_set& app, const offered_policies& policies) {
  auto flags = std::make_shared<partition_flags>();
  bind_partition_flags(app, *flags, policies, false);
  return
      [flags, &policies](const context& asked) { return run_partition(*flags, policies, asked); };
}

}  // namespace halograph::cli
