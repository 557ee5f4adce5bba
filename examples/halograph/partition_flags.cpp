// SPDX-License-Identifier: BSL-1.0
#include "any_graph.hpp"
#include "exports.hpp"
#include "flag_values.hpp"
#include "keep_input.hpp"
#include "node_orders.hpp"
#include "parallel_methods.hpp"
#include "partition_flags.hpp"
#include "usage_error.hpp"

#include <halograph/io/write_graph.hpp>
#include <halograph/partition/given.hpp>
#include <halograph/serial/text/readable.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace halograph::cli {

namespace {

/// The words that --method takes.
std::vector<std::string> method_names(const offered_policies& policies) {
  std::vector<std::string> names{std::string(auto_method)};
  for (const auto& one : built_in_policies()) names.emplace_back(one.name);
  names.emplace_back(given::name);
  for (const auto& one : policies.given) {
    if (one.can.cuts_graphs) names.emplace_back(one.name);
  }
  return names;
}

/// Settle what is written, by the name of the output where --to does not say it. @errors
/// usage_error
void settle_target(partition_flags& flags) {
  const auto named = flags.out.empty() ? std::nullopt : parts_in_name(flags.out);
  if (flags.to.empty()) {
    if (!named && output_format_of(flags.out)) {
      throw usage_error(
          "--out " + flags.out +
          " has the ending of a graph's file, which holds no parts; name a folder or FILE.part.K, or name the format with --to (halograph convert writes graphs)");
    }
    flags.to = named ? "parts" : "dgl";
  }
  const std::uint64_t wanted = named.value_or(flags.parts);
  if (flags.to == "parts" && wanted != flags.parts) {
    throw usage_error("--out " + flags.out + " is the name of " + counted(wanted, "part") +
                      ", but --parts is " + std::to_string(flags.parts));
  }
}

/// Flags that say what is in a partition folder. @errors usage_error: they go with nothing else
void check_export_flags(const partition_flags& flags) {
  struct folder_flag {
    const char* name;
    bool given;
  };
  for (const folder_flag& one :
       std::array<folder_flag, 11>{{{"--hops", flags.hops != 1},
                                    {"--drop-cut-edges", flags.drop_cut_edges},
                                    {"--trainers-per-machine", flags.trainers != 1},
                                    {"--report", !flags.report.empty()},
                                    {"--node-order", flags.node_order != "original"},
                                    {"--graph-formats", flags.graph_formats != "coo"},
                                    {"--file-names", flags.file_names != "guide"},
                                    {"--save-mapping", flags.save_mapping},
                                    {"--no-mapping", flags.no_mapping},
                                    {"--store-orig-ids", flags.store_orig_ids},
                                    {"--no-reshuffle", flags.no_reshuffle}}}) {
    if (one.given) {
      throw usage_error(std::string(one.name) +
                        " goes with --to dgl and --to native, but --to is " + flags.to);
    }
  }
}

/// Contradictions and values that the command line alone shows to be wrong. @errors usage_error
void check_partition_flags(const partition_flags& flags, bool estimate_only) {
  if (!sparse_formats::parse(flags.graph_formats)) {
    throw usage_error("--graph-formats " + flags.graph_formats +
                      " must be coo, csr, csc, or several with commas between");
  }
  if (is_export(flags)) check_export_flags(flags);
  if ((flags.method == "given") != !flags.assignment.empty()) {
    throw usage_error(flags.assignment.empty() ? "--method given needs --assignment PATH"
                                               : "--assignment goes with --method given");
  }
  if (flags.drop_cut_edges && flags.hops != 0)
    throw usage_error("--drop-cut-edges goes with --hops 0");
  if (flags.objective != "cut" && flags.method != "metis" && flags.method != "multilevel" &&
      !flags.start.refine)
    throw usage_error("--objective goes with --method multilevel or metis, or --refine");
  if (const auto sentence = missing_for(flags.method); !sentence.empty())
    raise(error_kind::unsupported, sentence);
  // auto: such flags have chosen multilevel.
  check_start_flags(flags.start, flags.method, flags.parts);
  if (!flags.start.part_weights.empty() && flags.trainers != 1)
    throw usage_error("--part-weights does not go with several trainers per machine");
  if (flags.batch != 0 && flags.method != "buffered")
    throw usage_error("--batch goes with --method buffered");
  if (flags.preset != "balanced" && flags.method != "multilevel" && !flags.start.refine)
    throw usage_error("--preset goes with --method multilevel");
  check_compress(flags.compress, flags.method, flags.start);
  if (flags.stream_order != "natural" && !is_streaming(flags.method))
    throw usage_error("--stream-order goes with --method ldg, fennel or buffered");
  if (flags.node_order != "original" && flags.no_reshuffle)
    throw usage_error("--node-order renumbers nodes, which --no-reshuffle forbids");
  if (flags.parts > 2147483647 / flags.trainers)
    throw usage_error("parts times trainers per machine must be at most 2147483647");
  for (const auto& asked : flags.balance_ntypes) {
    if (asked == "none" && flags.balance_ntypes.size() > 1)
      throw usage_error("--balance-ntypes none excludes any other");
  }
  for (const auto& asked : flags.tolerance) {
    const auto equals = asked.rfind('=');
    const std::string number = asked.substr(equals == std::string::npos ? 0 : equals + 1);
    const auto value = finite_number(number);
    if (!value || !(*value > 0) || *value > static_cast<double>(most_tolerance) || equals == 0) {
      throw usage_error("--tolerance " + asked +
                        " must be X or NAME=X with X a number above 0, up to " +
                        std::to_string(most_tolerance) + ", such as 0.05");
    }
  }
  if (!estimate_only && flags.out.empty()) throw usage_error("--out must name a folder");
  if (!estimate_only) {
    guard_inputs(flags.out, {flags.input, flags.assignment, flags.start.from, flags.start.fixed});
    for (const auto* given : {&flags.assignment, &flags.start.from, &flags.start.fixed}) {
      if (!given->empty()) require_assignment(*given);
    }
  }
}

/// Settle what auto means where another flag says it.
void settle_method(partition_flags& flags) {
  method_choice chosen = choose_by_flags(
      flags.method, flags.objective == "vol", !flags.start.metis.empty(),
      flags.preset != "balanced"                                    ? "--preset"
      : flags.compress                                              ? "--compress"
      : !flags.edge_weights.empty() && flags.edge_weights != "none" ? "--edge-weights"
                                                                    : decides_method(flags.start));
  flags.method = std::move(chosen.method);
  flags.method_reason = std::move(chosen.reason);
}

}  // namespace

void bind_partition_flags(flag_set& app, partition_flags& flags, const offered_policies& policies,
                          bool estimate_only) {
  if (estimate_only) {
    app.example("halograph estimate papers/ -k 8", "what the same partition would take");
    app.example(
        "halograph estimate --num-nodes 3000000000 --num-edges 100000000000 -k 64 --machines 16 -j 32",
        "what a graph that is not there yet would take on 16 machines of 32 threads");
  } else {
    app.example("halograph partition papers/ -k 8 -o parts/",
                "8 parts, few cut edges, 1 hop of halo, DGL's files");
    app.example(
        "halograph partition edges.txt -k 4 -o parts/ -m metis --tolerance 0.01 --undirected",
        "an edge list, by METIS, with parts that differ by 1 %");
    app.footer(
        "parts writes a line with the part of each node; graphbolt, parquet and pyg what halograph convert writes, where\n"
        "graphbolt and parquet have the part as the node feature part. None of them holds a HALO or new IDs.");
  }
  app.section("Input and output");
  const bound_flag input = app.add_option("--input,--in-dir", flags.input,
                                          std::string("the graph: ") + graph_formats +
                                              "; or a JSON specification of tables")
                               .type_name("PATH");
  if (!estimate_only) input.required();
  app.add_option("--name,--graph-name", flags.name,
                 "the graph's name, which names the config (default: the input's)")
      .graph_name();
  add_number(app, "--parts,--num-partitions,--num-parts", flags.parts, "number of parts", 1,
             most_parts)
      .required();
  const bound_flag out =
      app.add_option(
             "--out,--out-dir", flags.out,
             "the folder to make or, if it is a result of ours, to replace; or FILE.part.K, the parts as METIS writes them")
          .type_name("PATH");
  if (!estimate_only) out.required();
  app.section("Method");
  app.add_option(
         "--method,--part-method", flags.method,
         "how nodes are assigned; auto: multilevel if it fits in memory, compressed if need be, else buffered (default: auto)")
      .one_of(method_names(policies));
  app.add_option(
         "--assignment", flags.assignment,
         "folder with one file <node type>.txt of parts (of trainers, with several per machine), or of one node type a text file, a part a line")
      .type_name("PATH");
  app.section("What parts hold");
  add_number(app, "--hops", flags.hops, "depth of the HALO (default: 1)", 0, most_hops);
  app.add_flag("--drop-cut-edges", flags.drop_cut_edges,
               "with 0 hops: leave out edges that cross parts");
  app.section("Method");
  bind_goal_flags(app, flags.objective, flags.preset, flags.compress);
  add_number(app, "--batch", flags.batch,
             "buffered: edges between clusters that are held at once (default: 524,288)", 1,
             std::uint64_t{1} << 60);
  bind_start_flags(app, flags.start);
  app.section("Balance");
  app.add_option("--balance-ntypes", flags.balance_ntypes,
                 "TYPE:FEATURE, a folder of class files, or none (default: by node type)")
      .type_name("FEATURE");
  app.add_flag("--balance-edges", flags.balance_edges, "balance in-degrees too, per class");
  app.add_option("--tolerance", flags.tolerance,
                 "allowed imbalance: X for all constraints, NAME=X for one (default: 0.03)")
      .type_name("[NAME=]X");
  app.section("Method");
  app.add_option("--edge-weights", flags.edge_weights,
                 "integer edge feature that metis and multilevel weigh edges by")
      .type_name("FEATURE");
  app.section("Balance");
  add_number(app, "--trainers-per-machine,--num-trainers-per-machine", flags.trainers,
             "parts are cut into this many trainers each (default: 1)", 1, std::uint64_t{1} << 20);
  app.section("Method");
  const bound_flag seed = add_number(app, "--seed", flags.seed,
                                     "seed of the method (default: the method's own)");
  app.add_option(
         "--stream-order", flags.stream_order,
         "ldg, fennel and buffered: nodes come by ID (natural) or in a seeded order (shuffled) (default: natural)")
      .one_of({"natural", "shuffled"});
  app.section("What is written");
  app.add_option("--report", flags.report,
                 "write a page for browsers, as report --html does, with the run's time and memory")
      .type_name("FILE.html");
  app.add_option(
         "--node-order", flags.node_order,
         "inside each part and type: by original ID (original), most edges first (degree), or as a walk meets them (bfs) (default: original)")
      .one_of(std::vector<std::string>(chosen_order::words.begin(), chosen_order::words.end()));
  app.add_option("--graph-formats", flags.graph_formats,
                 "coo, csr, csc, with commas between (default: coo)")
      .type_name("LIST");
  app.add_option(
         "--to,--serializer", flags.to,
         "a folder of partitions, dgl or native; or without one parts (to FILE.part.K), graphbolt, parquet or pyg (default: by the ending of --out, else dgl)")
      .one_of({"dgl", "native", "parts", "graphbolt", "parquet", "pyg"});
  app.add_option("--file-names", flags.file_names,
                 "guide: node_feats.dgl; dgl: node_feat.dgl (default: guide)")
      .one_of({"guide", "dgl"});
  const bound_flag mapping = app.add_flag(
      "--save-mapping", flags.save_mapping,
      "write orig_nids and orig_eids into every part: the original IDs of edges, too");
  app.add_flag(
         "--no-mapping", flags.no_mapping,
         "leave out the small file from which the original IDs of nodes follow: owners.npy, or original_nodes.npy")
      .excludes(mapping);
  app.add_flag("--store-orig-ids", flags.store_orig_ids,
               "store orig_id columns in the part graphs");
  app.add_flag("--no-reshuffle", flags.no_reshuffle, "keep original IDs (deprecated)");
  app.section("Memory and disk");
  app.add_option("--id-bits", flags.id_bits,
                 "width of IDs in memory: auto, 32 or 64 (default: auto)")
      .one_of({"auto", "32", "64"});
  app.section("Input and output");
  const bound_flag nodes = add_number(
      app, "--num-nodes", flags.num_nodes,
      "edge lists: number of nodes (default: the largest ID plus one)", 0, most_file_ids);
  app.add_flag("--undirected", flags.undirected, "append the reverse of edge i as edge m + i");
  app.section("Memory and disk");
  add_size(
      app, "--memory", flags.memory,
      "memory budget, such as 4GiB; a run that needs more is refused, auto decides by it (default: what is free)");
  app.add_flag("--ignore-memory", flags.ignore_memory,
               "go on even where memory or disk will not suffice");
  app.parse_complete_callback([&flags, seed, nodes] {
    flags.seeded = seed.count() != 0;
    flags.sized = nodes.count() != 0;
  });
}

bool is_export(const partition_flags& flags) {
  return flags.to == "parts" || is_folder_format(flags.to);
}

void settle_partition_flags(partition_flags& flags, bool estimate_only) {
  settle_target(flags);
  settle_method(flags);
  check_partition_flags(flags, estimate_only);
}

}  // namespace halograph::cli
