// SPDX-License-Identifier: BSL-1.0
// halograph dispatch --in-dir PATH --partitions-dir DIR --out-dir DIR: step 2 of the chunked
// pipeline.
#include "any_graph.hpp"
#include "command.hpp"
#include "dispatch.hpp"
#include "flag_values.hpp"
#include "inputs.hpp"
#include "keep_input.hpp"
#include "progress.hpp"
#include "ranks.hpp"

#include <halograph/comm/collective_errors.hpp>
#include <halograph/folder/assignment_files.hpp>
#include <halograph/folder/copy_script.hpp>
#include <halograph/folder/ip_config.hpp>
#include <halograph/folder/targets.hpp>
#include <halograph/io/chunked/graph.hpp>
#include <halograph/pipeline/out_of_core/dispatch.hpp>
#include <halograph/serial/text/readable.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace halograph::cli {

namespace {

struct dispatch_flags {
  std::string input{}, partitions{}, out{}, machines{}, name{};
  reading_flags reading{};
  std::string metadata = "metadata.json", halo = "full", graph_formats = "coo", serializer = "dgl",
              file_names{}, id_bits = "auto";
  std::uint64_t parts = 0, memory = std::uint64_t{4} << 30;
  unsigned hops = 1;
  bool save_nodes = false, save_edges = false, no_mapping = false, store_orig_ids = false,
       drop_cut_edges = false, resume = false, ignore_disk = false, local_output = false;
  bool counted = false, graphbolt = false;
  // Flags of DGL's launcher, which are ignored.
  std::string log_level{}, python_path{};
  std::uint64_t master_port = 0, ssh_port = 0, timeout = 0;
};

/// The path to open: the metadata file of a chunked graph, which may have another name, or the
/// folder of any other input.
std::string input_path(const dispatch_flags& given) {
  const std::string metadata = given.input + "/" + given.metadata;
  return is_folder(given.input) && (given.metadata != "metadata.json" || is_file(metadata))
             ? metadata
             : given.input;
}

/// What decides the bytes of the result, and no paths.
json::value describe(const dispatch_flags& given, const std::string& name, part_id parts,
                     const std::string& method, const json::value& assigned_by) {
  json::value out = json::object{{"command", "dispatch"},
                                 {"name", name},
                                 {"parts", std::uint64_t{parts}},
                                 {"method", method},
                                 {"seed", json::value()},
                                 {"hops", std::uint64_t{given.hops}},
                                 {"halo", given.halo},
                                 {"drop_cut_edges", given.drop_cut_edges},
                                 {"graph_formats", given.graph_formats},
                                 {"serializer", given.serializer},
                                 {"file_names", given.file_names},
                                 {"save_orig_nids", given.save_nodes},
                                 {"save_orig_eids", given.save_edges},
                                 {"store_orig_ids", given.store_orig_ids}};
  if (given.no_mapping) out.set("no_mapping", true);
  if (!assigned_by.is_null()) out.set("assigned_by", assigned_by);
  describe(given.reading, out);
  return out;
}

dispatch_result run(const dispatch_flags& given, const context& asked, part_id& parts,
                    std::vector<machine>& machines, json::value& copied, communicator_ref ranks) {
  const any_file_opener files = input_files();
  const any_json_codec codec = json_codec();
  const auto threads = make_threads(asked.threads);
  resolved_parts known;
  run_collective(ranks, [&] {
    require_assignment(given.partitions);
    if (!given.machines.empty()) machines = read_ip_config(given.machines, files);
    known = resolve_num_parts(
        given.partitions,
        given.counted ? std::optional(static_cast<part_id>(given.parts)) : std::nullopt,
        given.machines.empty() ? std::nullopt : std::optional<std::uint64_t>(machines.size()),
        files, codec);
  });
  any_graph_options reading;
  reading.reading = given.reading;
  reading.memory_bytes = given.memory;
  reading.resume = given.resume;
  reading.ignore_room = given.ignore_disk;
  reading.own_folders = given.local_output;
  reading.json = asked.json;
  const auto opened = open_any_graph(input_path(given), given.out, reading, asked.threads, ranks);
  const auto& input = opened.graph;
  copied = opened.describe_copy();
  run_collective(ranks, [&] {
    parts = known.parts ? *known.parts
                        : count_parts_assigned(given.partitions, input.schema, input.node_counts,
                                               files, threads);
  });
  if (!known.note.empty()) note(known.note);
  if (!known.parts) {
    note(without_num_parts(given.partitions) + "the largest part plus one, " +
         std::to_string(parts) + ", is used as the number of parts");
  }
  run_collective(ranks, [&] {
    if (!given.machines.empty()) check_machines(machines, parts, given.machines);
  });

  dispatch_options options;
  options.graph_name = given.name;
  options.hops = given.hops;
  options.halo = given.halo == "in" ? dispatch_halo::in : dispatch_halo::full;
  options.drop_cut_edges = given.drop_cut_edges;
  options.store_original_ids = given.store_orig_ids;
  options.save_original_nodes = given.save_nodes;
  options.save_original_edges = given.save_edges;
  options.compact_mapping = !given.no_mapping;
  options.formats = *sparse_formats::parse(given.graph_formats);
  options.part_method = options.halo == dispatch_halo::in ? "" : known.algorithm;
  options.memory_bytes = given.memory;
  options.resume = given.resume;
  options.own_folders = given.local_output;
  options.machines = machines;
  options.command = describe(given, given.name.empty() ? input.name : given.name, parts,
                             known.algorithm.empty() ? "given" : known.algorithm, known.made_by);
  options.on_need = [&](const dispatch_need& need) {
    report_need(need, given.out, given.local_output ? std::uint64_t{launched().nearby} : need.ranks,
                given.ignore_disk, asked.json);
  };
  options.on_progress = show_progress();
  const any_target target = folder_target(given.out, given.serializer == "native",
                                          given.file_names);
  return dispatch_into(input, given.partitions, parts, target, given.id_bits == "64", options,
                       threads, ranks);
}

answer answer_of(const dispatch_flags& given, const context& asked, communicator_ref ranks) {
  part_id count = 0;
  std::vector<machine> machines;
  json::value copied;
  const auto made = run(given, asked, count, machines, copied, ranks);
  for (const auto& sentence : made.notes) note(sentence);
  answer done;
  const json::value report = to_json(made.report);
  done.details.set("config", made.config.path);
  done.details.set("need", to_json(made.need)).set("copy", std::move(copied));
  done.details.set("peak_anonymous_bytes", made.peak_anonymous_bytes);
  for (const char* key : {"graph", "parts", "directed_cut", "replication_factor"})
    done.details.set(key, *report.find(key));
  json::value resumed{json::array{}};
  for (const auto& stage : made.resumed) resumed.push(stage);
  done.details.set("resumed", std::move(resumed));
  if (!machines.empty()) {
    json::value hosts{json::array{}};
    const auto shares = parts_of_machines(machines.size(), count);
    for (std::size_t m = 0; m < machines.size(); ++m) {
      json::value share{json::array{}};
      for (const auto p : shares[m]) share.push(p);
      hosts.push(json::object{{"address", machines[m].address}, {"parts", std::move(share)}});
    }
    done.details.set("machines", std::move(hosts));
  }
  std::vector<std::vector<std::string>> rows{
      {"part", "inner nodes", "halo nodes", "inner edges", "halo edges"}};
  for (std::size_t p = 0; p < made.report.parts.size() && p < 64; ++p) {
    const auto& part = made.report.parts[p];
    rows.push_back({std::to_string(p), std::to_string(part.inner_nodes),
                    std::to_string(part.halo_nodes), std::to_string(part.inner_edges),
                    std::to_string(part.halo_edges)});
  }
  done.text = table(rows);
  if (made.report.parts.size() > 64)
    done.text += "... and " + counted(made.report.parts.size() - 64, "more part") + "\n";
  done.text += "\n" + grouped(made.report.directed_cut) + " of " +
               counted(made.report.edges, "edge") + " cross parts\n";
  if (made.peak_anonymous_bytes != 0) {
    done.text += readable::bytes(made.peak_anonymous_bytes) + " of anonymous memory at most" +
                 (ranks.size() == 1 ? ""
                                    : " on each of " + std::to_string(ranks.size()) + " ranks") +
                 "; the steps below also count pages of files\n";
  }
  if (!made.resumed.empty())
    done.text += counted(made.resumed.size(), "stage or part was", "stages and parts were") +
                 " completed by an earlier run\n";
  if (!machines.empty())
    done.text += "to copy each machine its parts, run " + given.out + "/" +
                 std::string(copy_script_name) + " FOLDER\n";
  done.text += "the partitions are in " + made.config.path + "\n";
  done.next = how_to_load(made.config.path, given.serializer == "native");
  return done;
}

}  // namespace

void report_need(const dispatch_need& need, const std::string& out, std::uint64_t sharing,
                 bool ignore_disk, bool json) {
  if (!json) {
    const auto largest = std::max_element(
        need.stages.begin(), need.stages.end(),
        [](const auto& a, const auto& b) { return a.bytes < b.bytes; });
    note((need.ranks == 1
              ? std::string("this run will take up to ")
              : "each of the " + std::to_string(need.ranks) + " ranks will take up to ") +
         readable::bytes(need.bytes) +
         (largest == need.stages.end() ? std::string()
                                       : ", in step " + std::string(largest->name) + ",") +
         " of a budget of " + readable::bytes(need.budget_bytes) + "; --memory " +
         budget_text(need.least_bytes) + " would suffice; and up to " +
         readable::bytes(need.scratch_disk_bytes) + " of disk space besides the result");
  }
  if (ignore_disk || need.least_bytes > need.budget_bytes) return;
  if (const auto disk = available_disk(out); need.scratch_disk_bytes > disk / sharing) {
    raise(error_kind::io,
          "this run needs up to " + readable::bytes(need.scratch_disk_bytes) +
              (sharing == 1 ? "" : " for each of " + std::to_string(sharing) + " ranks") +
              " of disk space besides the result but only " + readable::bytes(disk) +
              " are free; choose another place for the result, or continue with --ignore-disk",
          {.file = out});
  }
}

any_target folder_target(const std::string& path, bool native, const std::string& names) {
  if (native) return native_folder{.path = path};
  return dgl_folder{.path = path,
                    .names = names == "dgl" ? dgl_file_names::dgl : dgl_file_names::guide};
}

dispatch_result dispatch_into(const chunked_graph& input, const std::string& assignment,
                              part_id parts, const any_target& target, bool wide,
                              const dispatch_options& options, executor_ref threads,
                              communicator_ref ranks) {
  if (wide)
    return dispatch_at<std::uint64_t, std::uint64_t>(input, assignment, parts, target, options,
                                                     threads, ranks);
  return dispatch(input, assignment, parts, target, options, threads, ranks);
}

action add_dispatch(flag_set& app) {
  auto given = std::make_shared<dispatch_flags>();
  app.example("halograph dispatch papers/ --assignment owners/ -o parts/",
              "write the parts that assign has chosen");
  app.example("mpirun -n 4 halograph dispatch papers/ --assignment owners/ -o parts/ --memory 8GiB",
              "on 4 ranks, each within 8 GiB");
  app.footer(
      "Under mpirun the ranks share the chunks and the parts and write the same bytes, each within --memory. Rank r of R writes\n"
      "the parts from K r / R to K (r + 1) / R. All ranks must see the input and, without --local-output, the same --out-dir.");
  app.section("Input and output");
  app.add_option("--in-dir,--input", given->input, any_graph_words).required().type_name("PATH");
  bind_reading_flags(app, given->reading);
  app.add_option("--metadata-filename", given->metadata,
                 "the metadata file of a chunked graph inside --in-dir (default: metadata.json)")
      .type_name("FILE");
  app.add_option(
         "--partitions-dir,--partitions,--assignment", given->partitions,
         "the part of each node: a folder with <node type>.txt and partition_meta.json; for one node type also a text file, one part per line")
      .required()
      .type_name("PATH");
  app.add_option("--out-dir,--out", given->out,
                 "the folder to create; an earlier result is replaced")
      .required()
      .type_name("DIR");
  app.add_option(
         "--ip-config", given->machines,
         "machines, one `address [port]` per line; adds a script that copies each machine its parts")
      .type_name("FILE");
  const bound_flag parts = add_number(app, "--num-partitions,--num-parts,--parts", given->parts,
                                      "number of parts, if there is no partition_meta.json", 1,
                                      most_parts);
  app.add_option("--name,--graph-name", given->name,
                 "the graph's name, which names the config (default: the input's)")
      .graph_name();
  app.section("What parts hold");
  add_number(app, "--hops", given->hops, "depth of the HALO (default: 1)", 0, most_hops);
  app.add_option("--halo", given->halo,
                 "full: as partition; in: in-edges only, as DGL's pipeline (default: full)")
      .one_of({"full", "in"});
  app.add_flag("--drop-cut-edges", given->drop_cut_edges,
               "with 0 hops: leave out edges that cross parts");
  app.section("What is written");
  const bound_flag node_ids = app.add_flag("--save-orig-nids", given->save_nodes,
                                           "write orig_nids into every part");
  const bound_flag edge_ids = app.add_flag("--save-orig-eids", given->save_edges,
                                           "write orig_eids into every part");
  app.add_flag(
         "--no-mapping", given->no_mapping,
         "do not write owners.npy, the small file from which original node IDs can be computed")
      .excludes(node_ids)
      .excludes(edge_ids);
  app.add_flag("--store-orig-ids", given->store_orig_ids,
               "store orig_id columns in the part graphs");
  app.add_option("--graph-formats", given->graph_formats,
                 "coo, csr, csc, separated by commas (default: coo)")
      .type_name("LIST");
  app.add_option("--serializer", given->serializer, "dgl or native (default: dgl)")
      .one_of({"dgl", "native"});
  app.add_option("--file-names", given->file_names,
                 "guide: node_feats.dgl; dgl: node_feat.dgl (default: guide; with --halo in: dgl)")
      .one_of({"guide", "dgl"});
  app.section("Memory, disk and ranks");
  add_size(app, "--memory", given->memory,
           "memory budget of each rank, exceeded by at most " +
               readable::bytes(dispatch_slack_bytes) + " (default: 4GiB)");
  app.add_flag("--resume", given->resume,
               "resume a run of the same job that was killed or ran out of memory or disk space");
  app.add_flag(
      "--local-output", given->local_output,
      "under mpirun: each rank writes its parts and a config into --out-dir on its own machine");
  app.add_flag("--ignore-disk", given->ignore_disk, "continue even if the disk may be too small");
  app.add_option("--id-bits", given->id_bits,
                 "width of IDs in memory and scratch files: auto or 64 (default: auto)")
      .one_of({"auto", "64"});
  app.section("Flags of DGL's launcher, ignored");
  add_number(app, "--master-port", given->master_port, "ignored", 1, 65535);
  add_number(app, "--ssh-port", given->ssh_port, "ignored", 1, 65535);
  app.add_option("--log-level", given->log_level, "ignored");
  app.add_option("--python-path", given->python_path, "ignored");
  add_number(app, "--process-group-timeout", given->timeout, "ignored");
  app.add_flag("--use-graphbolt,--store-inner-node,--store-inner-edge,--store-eids",
               given->graphbolt, "rejected: GraphBolt's files are not written")
      .group("");
  return [given, parts](const context& asked) {
    given->counted = parts.count() != 0;
    if (given->file_names.empty()) given->file_names = given->halo == "in" ? "dgl" : "guide";
    if (given->graphbolt)
      throw usage_error(
          "GraphBolt's files are not written: leave out --use-graphbolt, --store-inner-node, --store-inner-edge and --store-eids; DGL can convert the result");
    if (!sparse_formats::parse(given->graph_formats))
      throw usage_error("--graph-formats " + given->graph_formats +
                        " must be coo, csr, csc, or several separated by commas");
    if (given->drop_cut_edges && given->hops != 0)
      throw usage_error("--drop-cut-edges requires --hops 0");
    if (given->local_output && !given->machines.empty())
      throw usage_error(
          "--local-output leaves nothing to copy to the machines of --ip-config; give only one of them");
    guard_inputs(given->out, {given->input, given->partitions});
    return with_ranks([&](communicator_ref ranks) { return answer_of(*given, asked, ranks); });
  };
}

}  // namespace halograph::cli
