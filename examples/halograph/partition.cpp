// SPDX-License-Identifier: BSL-1.0
#include "any_graph.hpp"
#include "estimate_cluster.hpp"
#include "exports.hpp"
#include "flag_values.hpp"
#include "formats.hpp"
#include "inputs.hpp"
#include "keep_input.hpp"
#include "node_orders.hpp"
#include "parallel_methods.hpp"
#include "partition.hpp"
#include "partition_inputs.hpp"
#include "partition_job.hpp"
#include "partition_out_of_core.hpp"
#include "policies.hpp"
#include "progress.hpp"
#include "report.hpp"

#include <halograph/core/error.hpp>
#include <halograph/io/chunked/metadata.hpp>
#include <halograph/io/input_format.hpp>
#include <halograph/io/open_dataset.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/io/write_arrays.hpp>
#include <halograph/io/write_graph.hpp>
#include <halograph/partition/fixed_point.hpp>
#include <halograph/partition/given.hpp>
#include <halograph/partition/multilevel/buffered.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/input_record.hpp>
#include <halograph/serial/files/staged_folder.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/npy.hpp>
#include <halograph/serial/read_json.hpp>
#include <halograph/serial/text/readable.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph::cli {

namespace {

/// Bind the flags. @param methods the words that --method takes  @param estimate_only --out is not
/// needed
void bind_partition_flags(flag_set& app, partition_flags& flags,
                          const std::vector<std::string>& methods, bool estimate_only) {
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
      .one_of(methods);
  app.add_option(
         "--assignment", flags.assignment,
         "folder with one file <node type>.txt of parts (of trainers, with several per machine), or of one node type a text file, a part a line")
      .type_name("PATH");
  app.section("What parts hold");
  add_number(app, "--hops", flags.hops, "depth of the HALO (default: 1)", 0, most_hops);
  app.add_flag("--drop-cut-edges", flags.drop_cut_edges,
               "with 0 hops: leave out edges that cross parts");
  app.section("Method");
  app.add_option("--objective", flags.objective,
                 "what multilevel, metis and --refine minimize: cut or vol (default: cut)")
      .one_of({"cut", "vol"});
  app.add_option(
         "--preset", flags.preset,
         "what multilevel does for fewer cut edges: fast, balanced or strong (default: balanced)")
      .one_of({"fast", "balanced", "strong"});
  app.add_flag("--compress", flags.compress, compress_words);
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

/// Bytes of the features of a chunked graph. @return false: there is one whose size only a reader
/// tells
bool add_chunked_features(const json::value& root, const std::string& folder,
                          const any_file_opener& files, estimate_input& out) {
  for (const char* key : {"node_data", "edge_data"}) {
    const auto* const types = root.find(key);
    if (!types) continue;
    if (!types->if_object()) return false;
    for (const auto& [type, features] : *types->if_object()) {
      if (!features.if_object()) return false;
      for (const auto& [name, entry] : *features.if_object()) {
        const auto list = detail::chunk_list_from(entry, type + "/" + name, folder, folder);
        if (list.format != chunk_format::numpy) return false;
        for (const auto& file : list.files) {
          const auto opened = files(file.path);
          if (!is_npy(opened.bytes)) return false;
          const auto array = view_npy(opened.bytes, file.path);
          out.feature_bytes += element_count(array.shape) * item_bytes(array.type);
        }
      }
    }
  }
  return true;
}

/// Bytes of the features of a folder in the plain form: arrays stay in their files, everything else
/// is held.
/// @return false: there is one whose size only a reader tells
bool add_plain_features(const json::value& root, const std::string& folder,
                        const any_file_opener& files, estimate_input& out) {
  const auto* const nodes = root.find("num_nodes");
  const auto rows_of = [&](const std::string& type, std::uint64_t& rows) {
    const auto* const count = nodes ? nodes->find(type) : nullptr;
    return count && count->to_uint(rows);
  };
  const auto hold = [&](std::uint64_t bytes) {
    out.feature_bytes += bytes;
    out.resident_input_bytes += bytes;
  };
  std::uint64_t rows = 0;
  // Labels are 64-bit; a split is a column and three masks.
  struct column {
    const char* key;
    std::uint64_t bytes;
  };
  for (const column& one : std::array<column, 2>{{{"labels", 8}, {"split", 4}}}) {
    const auto* const types = root.find(one.key);
    if (!types) continue;
    if (!types->if_object()) return false;
    for (const auto& [type, ignored] : *types->if_object()) {
      if (!rows_of(type, rows)) return false;
      hold(rows * one.bytes);
    }
  }
  if (const auto* const features = root.find("features")) {
    if (!features->if_object()) return false;
    for (const auto& [type, entry] : *features->if_object()) {
      const std::string array = path_in(folder, "feat/" + type + ".npy");
      std::uint64_t columns = 0;
      if (is_file(array)) {
        const auto opened = files(array);
        if (!is_npy(opened.bytes)) return false;
        const auto view = view_npy(opened.bytes, array);
        out.feature_bytes += element_count(view.shape) * item_bytes(view.type);
      } else if (const auto* const dim = entry.find("dim");
                 dim && dim->to_uint(columns) && rows_of(type, rows)) {
        hold(detail::saturating(rows, columns));
      } else {
        return false;
      }
    }
  }
  if (const auto* const weighted = root.find("weighted")) {
    const bool* const all = weighted->if_bool();
    if (!all || *all) hold(out.edges * 8);
  }
  return true;
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

input_format format_of(const std::string& path) {
  return recognize_input(path, input_files(), json_codec()).format;
}

bool needs_wide_ids(const estimate_input& counts, const partition_flags& flags) {
  return flags.id_bits == "64" || counts.nodes >= (1ull << 32) || counts.edges >= (1ull << 32);
}

bool is_metis_graph(const std::string& path) {
  return format_of(path) == input_format::metis_graph;
}
bool is_dgl_graph(const std::string& path) { return format_of(path) == input_format::dgl_graph; }

std::optional<estimate_input> quick_counts(const std::string& path) {
  const any_json_codec codec = json_codec();
  const any_file_opener files = folder_files();
  const auto format = format_of(path);
  estimate_input out;
  const auto sum = [](const json::value* counts, std::uint64_t& total, std::uint64_t& types) {
    if (!counts) return false;
    total = types = 0;
    const auto add = [&](const json::value& one) {
      std::uint64_t n = 0;
      if (!one.to_uint(n)) return false;
      total += n;
      ++types;
      return true;
    };
    if (const auto* list = counts->if_array()) {
      for (const auto& one : *list) {
        if (!add(one)) return false;
      }
      return true;
    }
    if (const auto* members = counts->if_object()) {
      for (const auto& one : *members) {
        if (!add(one.second)) return false;
      }
      return true;
    }
    return false;
  };
  if (format == input_format::chunked) {
    const auto root = read_json(is_folder(path) ? path + "/metadata.json" : path, files, codec);
    if (sum(root.find("num_nodes_per_type"), out.nodes, out.node_types) &&
        sum(root.find("num_edges_per_type"), out.edges, out.edge_types) &&
        add_chunked_features(
            root, is_folder(path) ? path : std::filesystem::path(path).parent_path().string(),
            files, out)) {
      return out;
    }
  } else if (format == input_format::plain) {
    const auto root = read_json(is_folder(path) ? path + "/meta.json" : path, files, codec);
    if (sum(root.find("num_nodes"), out.nodes, out.node_types) &&
        sum(root.find("num_edges"), out.edges, out.edge_types) &&
        add_plain_features(
            root, is_folder(path) ? path : std::filesystem::path(path).parent_path().string(),
            files, out)) {
      return out;
    }
  }
  return std::nullopt;
}

namespace {

/// Counts for `estimate`, by reading the input where nothing less tells them.
/// @param flags  in and out: input_weights
estimate_input counts_of(partition_flags& flags, std::size_t threads) {
  if (const auto counts = quick_counts(flags.input); counts && !flags.undirected) return *counts;
  const auto data = load_dataset<std::uint64_t, std::uint64_t>(
      flags.input,
      {.undirected = flags.undirected,
       .num_nodes = flags.sized ? std::optional(flags.num_nodes) : std::nullopt,
       .yaml = yaml_codec()},
      input_files(), json_codec(), make_threads(threads), input_tables());
  note_input_weights(flags, data);
  return counts_of_data(data, flags);
}

}  // namespace

estimate_input decided_counts(const estimate_input& known, std::uint64_t entries,
                              const partition_flags& flags, std::size_t threads, bool wide_ids,
                              std::optional<std::uint64_t> known_constraints) {
  estimate_input counts = known;
  counts.parts = flags.parts;
  counts.hops = flags.hops;
  counts.node_id_bytes = counts.edge_id_bytes = wide_ids ? 8 : 4;
  counts.threads = threads == 0 ? make_threads(0).concurrency() : threads;
  counts.original_ids = flags.store_orig_ids;
  counts.mapping = flags.save_mapping;
  counts.compact_mapping = !flags.no_mapping;
  counts.original_order = flags.node_order == chosen_order::words[0];
  counts.reshuffle = !flags.no_reshuffle;
  counts.formats = *sparse_formats::parse(flags.graph_formats);
  // Balanced by node type, which takes no memory, or by class, and by in-degree of each where
  // asked.
  const bool asked = !flags.balance_ntypes.empty(),
             none = asked && flags.balance_ntypes[0] == "none", classes = asked && !none;
  const std::uint64_t constraints = known_constraints.value_or(
      none ? 1 : std::max<std::uint64_t>(1, counts.node_types) * (flags.balance_edges ? 2 : 1));
  counts.resident_input_bytes += detail::saturating(
      counts.nodes, (flags.balance_edges ? 8u : 0u) + (classes ? 4u : 0u));
  const bool weighs = !edge_weight_feature(flags).empty();
  if (weighs) counts.resident_input_bytes += detail::saturating(counts.edges, 8);
  counts.policy_bytes = classes ? detail::saturating(counts.nodes, 12) : 0;
  // Streams: rows of neighbors, each edge once.
  if (is_streaming(flags.method))
    counts.policy_bytes += counts.nodes * 8 + counts.edges * (wide_ids ? 8 : 4);
  multilevel_inputs given = inputs_of(flags.start, flags.compress);
  given.edge_weights = weighs;
  const auto bytes_of = [&](std::string_view method) {
    // Streams pass on each edge and its reverse.
    return bytes_in_memory(method, counts.nodes, is_streaming(method) ? 2 * counts.edges : entries,
                           constraints, flags.parts * flags.trainers, flags.batch, given);
  };
  counts.policy_bytes += bytes_of(flags.method);
  if (flags.start.refine)
    counts.policy_bytes = std::max(counts.policy_bytes, bytes_of("multilevel"));
  if (flags.start.connected)
    counts.policy_bytes = std::max(counts.policy_bytes,
                                   bytes_to_connect(counts.nodes, counts.edges));
  return counts;
}

namespace {

/// Leave out of an estimate what makes a partition folder.
void without_folder(resource_estimate& all, const estimate_input& counts,
                    const partition_flags& flags) {
  const auto relabels = [](const step_estimate& step) { return step.name == "relabel"; };
  all.steps.erase(std::find_if(all.steps.begin(), all.steps.end(), relabels), all.steps.end());
  // A line for each node; or edges, CSC or CSR, and features, in 8 bytes at most.
  const std::uint64_t digits = std::to_string(flags.parts - 1).size() + 1,
                      arrays = detail::saturating(counts.edges, 40) +
                               detail::saturating(counts.nodes, 24) + counts.feature_bytes,
                      least = flags.to == "parts" ? counts.nodes * 2 : counts.edges * 16,
                      most = flags.to == "parts" ? counts.nodes * digits : arrays;
  // Sorting takes what is free, and less where there is less.
  all.steps.push_back({"write", all.steps.back().memory_bytes, least, most});
  all.peak_bytes = 0;
  for (const auto& step : all.steps) all.peak_bytes = std::max(all.peak_bytes, step.memory_bytes);
  all.disk_bytes_least = least;
  all.disk_bytes_most = most;
}

}  // namespace

resource_estimate estimate_run(const estimate_input& counts, std::uint64_t entries,
                               partition_flags& flags, std::size_t threads, bool wide_ids,
                               std::optional<std::uint64_t> constraints) {
  const auto with = [&](const std::string& method) {
    flags.method = method;
    const auto full = decided_counts(counts, entries, flags, threads, wide_ids, constraints);
    resource_estimate all = estimate_partition(full);
    if (is_export(flags)) without_folder(all, counts, flags);
    flags.out_of_core = false;
    if (!may_run_out_of_core(flags)) return all;
    resource_estimate files = guess_out_of_core(counts, full, flags);
    flags.out_of_core = files.peak_bytes < all.peak_bytes;
    return flags.out_of_core ? files : all;
  };
  if (flags.method != auto_method) return with(flags.method);
  resource_estimate out = with("multilevel");
  std::uint64_t compressed = ~std::uint64_t{0};
  if (may_compress(flags.start)) {
    flags.compress = true;
    compressed = with("multilevel").peak_bytes;
  }
  method_choice chosen = choose_by_memory(out.peak_bytes, compressed,
                                          memory_allowed(flags.memory, false), flags.memory != 0);
  flags.compress = chosen.compress;
  flags.out_of_core = flags.out_of_core && chosen.compress;
  if (chosen.method != flags.method || chosen.compress) out = with(chosen.method);
  flags.method_reason = std::move(chosen.reason);
  return out;
}

namespace {

/// The estimate as a table for people.
std::string estimate_text(const resource_estimate& estimate, bool out_of_core) {
  std::vector<std::vector<std::string>> rows{{"step", "memory", "disk, least", "disk, most"}};
  for (const auto& step : estimate.steps) {
    rows.push_back({step.name, readable::bytes(step.memory_bytes),
                    step.disk_bytes_most ? readable::bytes(step.disk_bytes_least) : "-",
                    step.disk_bytes_most ? readable::bytes(step.disk_bytes_most) : "-"});
  }
  rows.push_back({out_of_core ? "largest" : "largest / sum", readable::bytes(estimate.peak_bytes),
                  readable::bytes(estimate.disk_bytes_least),
                  readable::bytes(estimate.disk_bytes_most)});
  return table(rows);
}

}  // namespace

void check_resources(const resource_estimate& estimate, const partition_flags& flags) {
  if (flags.ignore_memory) return;
  if (flags.memory != 0 && estimate.peak_bytes > flags.memory) {
    throw memory_refusal(
        "this run needs up to " + readable::bytes(estimate.peak_bytes) +
        " of memory, more than --memory " + readable::bytes(flags.memory) +
        (is_streaming(flags.method)
             ? "; allow more, or use fewer threads"
             : "; allow more, use fewer threads, or choose a method that streams (buffered, ldg, fennel)"));
  }
  if (const auto memory = available_memory(); estimate.peak_bytes > memory) {
    throw memory_refusal(
        "this run needs up to " + readable::bytes(estimate.peak_bytes) + " of memory but only " +
        readable::bytes(memory) +
        " are free; free some, use fewer threads, or go on regardless with --ignore-memory");
  }
  if (const auto disk = available_disk(flags.out);
      !flags.out.empty() && estimate.disk_bytes_least > disk) {
    raise(error_kind::io,
          "this run needs at least " + readable::bytes(estimate.disk_bytes_least) +
              " of disk but only " + readable::bytes(disk) +
              " are free; choose another --out, or go on regardless with --ignore-memory",
          {.file = flags.out, .line = {}, .byte = {}});
  }
}

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

void announce(const resource_estimate& estimate, const partition_flags& flags,
              const context& asked) {
  check_resources(estimate, flags);
  if (asked.json) return;
  if (!flags.method_reason.empty())
    note("method " + flags.method + ", because " + flags.method_reason);
  note("this run will take up to " + readable::bytes(estimate.peak_bytes) + " of memory and " +
       readable::bytes(estimate.disk_bytes_least) + " to " +
       readable::bytes(estimate.disk_bytes_most) + " of disk");
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
      // Not as an input of this run, which the folder may not be.
      const folder_access own = known_access(read_files{});
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

bool is_export(const partition_flags& flags) {
  return flags.to == "parts" || is_folder_format(flags.to);
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
    check_resources(estimate_run(*counts, counts->edges, settled, asked.threads,
                                 needs_wide_ids(*counts, flags)),
                    settled);
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
  settle_target(flags);
  settle_method(flags);
  check_partition_flags(flags, false);
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

std::vector<std::string> method_names(const offered_policies& policies) {
  std::vector<std::string> names{std::string(auto_method)};
  for (const auto& one : built_in_policies()) names.emplace_back(one.name);
  names.emplace_back(given::name);
  for (const auto& one : policies.given) {
    if (one.can.cuts_graphs) names.emplace_back(one.name);
  }
  return names;
}

}  // namespace

action add_partition(flag_set& app, const offered_policies& policies) {
  auto flags = std::make_shared<partition_flags>();
  bind_partition_flags(app, *flags, method_names(policies), false);
  return
      [flags, &policies](const context& asked) { return run_partition(*flags, policies, asked); };
}

action add_estimate(flag_set& app, const offered_policies& policies) {
  auto flags = std::make_shared<partition_flags>();
  auto on = std::make_shared<cluster_flags>();
  bind_partition_flags(app, *flags, method_names(policies), true);
  bind_cluster_flags(app, *on);
  return [flags, on, &policies](const context& asked) {
    settle_target(*flags);
    settle_method(*flags);
    check_partition_flags(*flags, true);
    check_cluster_flags(*on, *flags);
    auto counts = on->num_edges ? counts_of_flags(*on, *flags) : counts_of(*flags, asked.threads);
    if (on->machines != 0) {
      if (flags->method == auto_method) flags->method = buffered::name;
      const bool wide = needs_wide_ids(counts, *flags);
      return tell_cluster(decided_counts(counts, 2 * counts.edges, *flags, asked.threads, wide),
                          *on, *flags);
    }
    const auto estimate = estimate_run(counts, 2 * counts.edges, *flags, asked.threads,
                                       needs_wide_ids(counts, *flags));
    if (!asked.json && !flags->method_reason.empty())
      note("method " + flags->method + ", because " + flags->method_reason);
    if (estimate.peak_bytes > memory_allowed(flags->memory, flags->ignore_memory) &&
        may_stream_out_of_core(*flags, policies))
      note("this does not fit in memory: partition would keep the graph in files, in less memory");
    answer done;
    done.details = to_json(estimate);
    done.details.set("method", flags->method);
    done.details.set("available_memory_bytes", available_memory());
    done.text = estimate_text(estimate, flags->out_of_core);
    return done;
  };
}

}  // namespace halograph::cli
