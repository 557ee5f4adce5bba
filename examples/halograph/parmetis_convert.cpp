// SPDX-License-Identifier: BSL-1.0
// halograph parmetis convert: the parts that ParMETIS wrote as text, as a partition folder. Flags
// as DGL's convert_partition.py.
#include "command.hpp"
#include "dispatch.hpp"
#include "flag_values.hpp"
#include "inputs.hpp"
#include "keep_input.hpp"
#include "ranks.hpp"

#include <halograph/comm/collective_errors.hpp>
#include <halograph/folder/quality_report.hpp>
#include <halograph/folder/targets.hpp>
#include <halograph/io/chunked/open.hpp>
#include <halograph/parmetis/convert.hpp>
#include <halograph/parmetis/convert_ranks.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/fixed_point.hpp>
#include <halograph/pipeline/out_of_core/budget.hpp>
#include <halograph/pipeline/out_of_core/dispatch.hpp>
#include <halograph/serial/files/folder_entries.hpp>
#include <halograph/serial/files/staged_folder.hpp>
#include <halograph/serial/text/readable.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace halograph::cli {

namespace {

struct convert_flags {
  std::string input{}, graph{}, schema{}, out{}, removed{}, workspace{}, node_type{}, edge_type{};
  std::string file_names = "guide", serializer = "dgl", formats = "coo", halo = "full";
  std::uint64_t parts = 0, weights = 0, memory = std::uint64_t{4} << 30;
  unsigned hops = 1;
  bool save_mapping = false, no_mapping = false, ignore_disk = false;
};

/// The dtype that a flag names; nothing for "auto": the schema or the columns decide.
/// @errors usage_error
std::optional<dtype> named_dtype(const std::string& text, const char* flag) {
  if (text.empty() || text == "auto") return std::nullopt;
  if (text == "float") return dtype::float32;
  if (text == "double") return dtype::float64;
  if (text == "half") return dtype::float16;
  if (text == "int") return dtype::int32;
  if (text == "long") return dtype::int64;
  if (const auto known = dtype_named(text)) return known;
  throw usage_error(
      std::string(flag) +
      " must be auto, or a dtype: int8 to uint64, float16, float32, float64, bfloat16, bool");
}

parmetis_parts_options how_to_read(const convert_flags& given) {
  parmetis_parts_options reading;
  reading.parts = given.parts;
  reading.weights = given.weights;
  reading.removed_edges = given.removed.empty() ? ""
                          : is_file(path_in(given.input, given.removed))
                              ? path_in(given.input, given.removed)
                              : given.removed;
  reading.node_attributes = !given.node_type.empty();
  reading.edge_attributes = !given.edge_type.empty();
  reading.node_attribute_type = named_dtype(given.node_type, "--node-attr-dtype");
  reading.edge_attribute_type = named_dtype(given.edge_type, "--edge-attr-dtype");
  reading.on_progress = show_progress();
  return reading;
}

/// The output path without a trailing '/', so that names beside it can be derived from it.
/// @errors usage_error
std::string folder_named(const std::string& path) {
  try {
    staged_folder::require_name(path);
  } catch (const error& problem) {
    throw usage_error("--output: " + std::string(problem.what()));
  }
  auto folder = std::filesystem::path(path).lexically_normal();
  if (folder.filename().empty()) folder = folder.parent_path();
  return folder.string();
}

/// Where several ranks sort edges: hidden, because nothing there is ever published.
std::string place_of_chunks(const convert_flags& given) {
  const std::filesystem::path out(given.out);
  const auto folder = given.workspace.empty() ? out.parent_path()
                                              : std::filesystem::path(given.workspace);
  const std::string name = given.workspace.empty() ? out.filename().string() : given.graph;
  return (folder / ("." + name + ".halograph-chunks")).string();
}

/// While it lives, a signal that ends the run removes a folder, even where the launcher gives the
/// ranks no time to synchronize.
class removed_on_signals {
 public:
  explicit removed_on_signals(const std::string& folder) {
    clean_on_signals([folder] { detail::remove_tree(folder); });
  }
  removed_on_signals(const removed_on_signals&) = delete;
  removed_on_signals& operator=(const removed_on_signals&) = delete;
  ~removed_on_signals() { clean_on_signals({}); }
};

/// Remove what a killed run on several ranks left there, unless another run is using it.
void remove_stale_chunks(const convert_flags& given) {
  const std::filesystem::path place = place_of_chunks(given);
  std::error_code unknown;
  if (!std::filesystem::exists(
          place.parent_path() / ("." + place.filename().string() + ".halograph-tmp"), unknown))
    return;
  try {
    staged_folder stale(place.string(), leftovers::keep);
    stale.start_over();
    stale.let_go();
  } catch (const error& problem) {
    note(place.string() +
         " cannot be cleared of leftovers of an earlier run: " + problem.message());
  }
}

/// Reject a budget that is too small even for the nodes; the number of edges is only known from the
/// files.
/// @errors memory: with the smallest that suffices for what the schema counts
void require_memory(const convert_flags& given, const parmetis_schema& schema,
                    std::uint64_t threads, std::uint64_t ranks) {
  dispatch_counts counts;
  counts.nodes = schema.num_nodes();
  counts.node_types = schema.node_types.size();
  counts.edge_types = schema.edge_names.size();
  counts.parts = given.parts;
  counts.threads = threads;
  counts.ranks = ranks;
  counts.hops = given.hops;
  if (plan_dispatch_memory(counts, given.memory).least_bytes <= given.memory) return;
  for (const auto& ids : schema.edge_ranges) counts.edges += ids.size();
  require_budget(plan_dispatch_memory(counts, given.memory));
}

/// Reject a disk that is too small for the edges alone; the size of attributes is only known from
/// the files.
/// @errors io
void require_disk_for_edges(const convert_flags& given, const parmetis_schema& schema) {
  std::uint64_t edges = 0;
  for (const auto& ids : schema.edge_ranges) edges = detail::saturating_sum(edges, ids.size());
  const auto place = place_of_chunks(given);
  if (const auto need = detail::saturating(edges, 16), disk = available_disk(place); need > disk) {
    raise(error_kind::io,
          "sorting " + std::to_string(edges) + " edges takes " + readable::bytes(need) +
              " of disk but only " + readable::bytes(disk) +
              " are free; choose another --workspace, or continue anyway with --ignore-disk",
          {.file = place});
  }
}

/// The balance of the parts' nodes.
void judge_nodes(quality_report& report) {
  spread nodes{0, 0, report.parts.size(), 1};
  for (const auto& part : report.parts) {
    const auto load = static_cast<std::int64_t>(part.inner_nodes);
    nodes.total += load;
    nodes.largest = std::max(nodes.largest, load);
  }
  report.balance.push_back({"nodes", default_tolerance, nodes.imbalance(),
                            nodes.met(default_tolerance), nodes.least_imbalance()});
}

/// Everything that decides the bytes of the result; no paths.
json::value describe(const convert_flags& given) {
  json::value out = json::object{{"command", "convert"},
                                 {"name", given.graph},
                                 {"parts", given.parts},
                                 {"hops", given.hops},
                                 {"halo", given.halo},
                                 {"removed_edges", !given.removed.empty()},
                                 {"node_attr_dtype", given.node_type},
                                 {"edge_attr_dtype", given.edge_type},
                                 {"graph_formats", given.formats},
                                 {"serializer", given.serializer},
                                 {"file_names", given.file_names},
                                 {"save_mapping", given.save_mapping}};
  if (given.no_mapping) out.set("no_mapping", true);
  return out;
}

/// Convert on one rank, in memory.
template <id ID>
answer convert_at(const convert_flags& given, const parmetis_schema& schema, const context& asked) {
  const auto threads = make_threads(asked.threads);
  const auto in = read_parmetis_parts<ID, ID>(given.input, given.graph, schema, how_to_read(given),
                                              input_files(), threads);

  partition_options options;
  options.graph_name = given.graph;
  options.hops = given.hops;
  options.closing_out_edges = given.halo == "full";
  options.store_original_ids = true;
  options.save_mapping = given.save_mapping;
  options.compact_mapping = !given.no_mapping;
  options.formats = *sparse_formats::parse(given.formats);
  options.on_progress = show_progress();
  options.command = describe(given);
  options.executor = threads;
  const auto names = given.file_names == "dgl" ? dgl_file_names::dgl : dgl_file_names::guide;
  const any_target target = given.serializer == "native"
                                ? any_target(settled<native_folder>{{.path = given.out}})
                                : any_target(
                                      settled<dgl_folder>{{.path = given.out, .names = names}});
  const auto made = convert_parmetis(in, given.parts, target, options);
  for (const auto& sentence : in.data.notes) note(sentence);
  for (const auto& sentence : made.notes) note(sentence);
  answer done;
  done.details.set("config", made.config.path)
      .set("restored_edges", in.restored)
      .set("missing_edges", in.missing);
  const json::value report = to_json(made.report);
  for (const auto& [key, value] : *report.if_object()) done.details.set(key, value);
  done.text = to_text(made.report) + "\n" +
              (given.removed.empty() ? ""
                                     : std::to_string(in.restored) + " removed edges restored; ") +
              "the partitions are in " + made.config.path + "\n";
  return done;
}

/// Convert on several ranks: sort the rows into chunks beside the result, and dispatch those.
answer convert_on(const convert_flags& given, const context& asked, communicator_ref ranks) {
  const auto threads = make_threads(asked.threads);
  const any_file_opener files = input_files();
  parmetis_schema schema;
  std::optional<staged_folder> workspace;
  std::optional<removed_on_signals> cleaned;
  std::string chunks;
  run_collective(ranks, [&] {
    schema = step("read", [&] { return read_parmetis_schema(given.schema, files, json_codec()); });
    require_memory(given, schema, threads.concurrency(), ranks.size());
    if (ranks.rank() == 0) {
      staged_folder::require_replaceable(given.out);
      if (!given.ignore_disk) require_disk_for_edges(given, schema);
      workspace.emplace(place_of_chunks(given));
      chunks = workspace->path();
      cleaned.emplace(chunks);
    }
    broadcast_text(ranks, chunks, 0);
  });
  const forgotten_place forgotten(new std::string(chunks));  // before the workspace goes
  inputs_of_this_run()->allow_own(chunks);
  const auto read = write_parmetis_chunks(given.input, given.graph, schema, how_to_read(given),
                                          chunks, files, threads, ranks);
  chunked_graph input;
  run_collective(ranks, [&] {
    const uncounted_bytes headers;
    input = open_chunked(chunks, files, json_codec(), input_tables(), {}, threads);
  });

  dispatch_options options;
  options.graph_name = given.graph;
  options.hops = given.hops;
  options.halo = given.halo == "full" ? dispatch_halo::full : dispatch_halo::in_as_found;
  options.store_original_ids = true;
  options.save_original_nodes = options.save_original_edges = given.save_mapping;
  options.compact_mapping = !given.no_mapping;
  options.formats = *sparse_formats::parse(given.formats);
  options.part_method = "metis";
  options.memory_bytes = given.memory;
  options.keep_complete = false;  // the chunks are removed with this run
  options.on_progress = show_progress();
  options.command = describe(given);
  options.on_need = [&](const dispatch_need& need) {
    report_need(need, given.out, need.ranks, given.ignore_disk, asked.json);
  };
  const any_target target = folder_target(given.out, given.serializer == "native",
                                          given.file_names);
  auto made = dispatch_into(input, chunks + "/assignment", static_cast<part_id>(given.parts),
                            target, false, options, threads, ranks);
  for (const auto& sentence : read.notes) note(sentence);
  for (const auto& sentence : made.notes) note(sentence);
  answer done;
  done.details.set("config", made.config.path)
      .set("restored_edges", read.restored)
      .set("missing_edges", read.missing);
  judge_nodes(made.report);
  const json::value report = to_json(made.report);
  for (const char* key :
       {"graph", "parts", "directed_cut", "replication_factor", "balance", "steps", "peak_bytes"})
    done.details.set(key, *report.find(key));
  done.text = grouped(made.report.directed_cut) + " of " + counted(made.report.edges, "edge") +
              " cross parts\n" +
              (given.removed.empty() ? ""
                                     : counted(read.restored, "removed edge") + " restored; ") +
              "the partitions are in " + made.config.path + "\n";
  return done;
}

}  // namespace

action add_parmetis_convert(flag_set& app) {
  auto given = std::make_shared<convert_flags>();
  app.example(
      "halograph parmetis convert -i out/ --name g --schema g.json --num-node-weights 2 -k 8 -o p/",
      "the files that ParMETIS wrote for 8 parts");
  app.example(
      "mpirun -n 4 halograph parmetis convert -i out --name g --schema s --num-node-weights 2 -k 8 -o p/",
      "the same on 4 ranks");
  app.footer(
      "One rank holds the graph of all parts in memory. Under mpirun the ranks share the files and the parts, none holds the whole\n"
      "graph, and the bytes are the same; all ranks must see --input-dir, --output and --workspace. Their --json has no edge_cut\n"
      "and no communication_volume, which need the whole graph: halograph report computes them from the result.\n"
      "Attributes become features: as the schema of halograph parmetis export describes them, else one feature \"feat\" for each\n"
      "type, int64 if all its columns are integers, float64 otherwise; a dtype in place of auto overrides that.");
  app.add_option("--input-dir,--in-dir", given->input,
                 "folder of p000-X_nodes.txt, p000-X_edges.txt and so on, three digits or more")
      .required();
  app.add_option("--graph-name,--name", given->graph, "X").required().graph_name();
  app.add_option("--schema", given->schema,
                 "JSON of the ID ranges of node types (\"nid\") and edge types (\"eid\")")
      .required();
  add_number(app, "--num-parts,--parts,--num-partitions", given->parts, "number of parts", 1,
             most_parts)
      .required();
  add_number(app, "--num-node-weights", given->weights, "weight columns of the node files", 0, 256)
      .required();
  app.add_option(
      "--workspace", given->workspace,
      "under mpirun: folder for sorting edges (default: beside --output); one rank writes no temporary files");
  add_size(app, "--memory", given->memory,
           "under mpirun: memory budget of each rank while it writes parts (default: 4GiB)");
  app.add_flag("--ignore-disk", given->ignore_disk,
               "under mpirun: continue even if the disk will not suffice");
  app.add_option("--node-attr-dtype", given->node_type,
                 "read node attributes: auto, or their dtype");
  app.add_option("--edge-attr-dtype", given->edge_type,
                 "read edge attributes: auto, or their dtype");
  app.add_option("--output,--out,--out-dir", given->out,
                 "the folder to make or, if it is a result of ours, to replace")
      .required();
  app.add_option("--removed-edges", given->removed,
                 "file of the removed edges, in --input-dir or elsewhere: all are restored");
  add_number(app, "--hops", given->hops, "depth of the HALO (default: 1)", 1, most_hops);
  app.add_option(
         "--halo", given->halo,
         "full: with out-edges of inner nodes, as partition does; in: in-edges only, as DGL's script does (default: full)")
      .one_of({"full", "in"});
  app.add_option("--graph-formats", given->formats,
                 "coo, csr, csc, with commas between (default: coo)");
  app.add_option("--serializer", given->serializer, "dgl or native (default: dgl)")
      .one_of({"dgl", "native"});
  app.add_option("--file-names", given->file_names,
                 "guide: node_feats.dgl; dgl: node_feat.dgl (default: guide)")
      .one_of({"guide", "dgl"});
  const bound_flag mapping = app.add_flag("--save-mapping", given->save_mapping,
                                          "write orig_nids and orig_eids into every part");
  app.add_flag("--no-mapping", given->no_mapping,
               "leave out owners.npy, the small file with the part of each node")
      .excludes(mapping);
  return [given](const context& asked) {
    if (!is_safe_name(given->graph) || given->graph[0] == '.')
      throw usage_error("--graph-name is a prefix of file names; it must not be a path");
    static_cast<void>(named_dtype(given->node_type, "--node-attr-dtype"));
    static_cast<void>(named_dtype(given->edge_type, "--edge-attr-dtype"));
    if (!sparse_formats::parse(given->formats))
      throw usage_error("--graph-formats must name coo, csr or csc, separated by commas");
    if (given->memory == 0) throw usage_error("--memory must be more than 0, such as 4GiB");
    given->out = folder_named(given->out);
    guard_inputs(given->out, {given->input, given->schema, how_to_read(*given).removed_edges});
    if (is_inside(given->out, given->workspace))
      throw usage_error("--workspace " + given->workspace +
                        " is inside --output, which is replaced as a whole; choose another folder");
    return with_ranks([&](communicator_ref ranks) {
      if (ranks.size() > 1) return convert_on(*given, asked, ranks);
      staged_folder::require_replaceable(given->out);
      remove_stale_chunks(*given);
      const auto schema = step(
          "read", [&] { return read_parmetis_schema(given->schema, input_files(), json_codec()); });
      try {
        return convert_at<std::uint32_t>(*given, schema, asked);
      } catch (const error& problem) {
        if (problem.code() != error_kind::overflow) throw;
        return convert_at<std::uint64_t>(*given, schema, asked);
      }
    });
  };
}

}  // namespace halograph::cli
