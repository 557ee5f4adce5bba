// SPDX-License-Identifier: BSL-1.0
// halograph convert INPUT --out PATH: a graph in a format of other programs.
#include "any_graph.hpp"
#include "command.hpp"
#include "exports.hpp"
#include "flag_values.hpp"
#include "formats.hpp"
#include "inputs.hpp"
#include "keep_input.hpp"
#include "progress.hpp"

#include <halograph/core/checked_cast.hpp>
#include <halograph/folder/assignment_files.hpp>
#include <halograph/folder/original_ids.hpp>
#include <halograph/io/input_format.hpp>
#include <halograph/io/open_stream.hpp>
#include <halograph/io/write_arrays.hpp>
#include <halograph/io/write_graph.hpp>
#include <halograph/serial/files/input_record.hpp>
#include <halograph/serial/files/staged_files.hpp>
#include <halograph/serial/files/staged_folder.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/text/readable.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace halograph::cli {

namespace {

struct conversion_flags {
  std::string input{}, out{}, to{}, assignment{}, weights = "weight";
  reading_flags reading{};
  bool weights_given = false, no_weights = false, ignore_memory = false;
  std::uint64_t memory = 0;
};

const char* name_of(output_format format) {
  switch (format) {
    case output_format::edge_list:
      return "edge list";
    case output_format::matrix_market:
      return "Matrix Market file";
    case output_format::galois:
      return "Galois graph";
    case output_format::metis_graph:
      return "METIS graph";
  }
  return "";
}

bool goes_to_parts(const conversion_flags& given) {
  return given.to == "parts" || (given.to.empty() && parts_in_name(given.out));
}

/// @errors usage_error
output_format target_format(const conversion_flags& given) {
  const auto format = given.to.empty() ? output_format_of(given.out)
                                       : output_format_named(given.to);
  if (!format)
    throw usage_error(
        "the ending of --out names no format (.txt, .el, .wel, .edges, .tsv, .mtx, .gr, .graph, .part.K); "
        "name one with --to");
  return *format;
}

/// The parts of the nodes of a partition folder, as METIS writes them.
answer write_parts(const conversion_flags& given) {
  const output_place place = place_of_output(given.out);
  guard_inputs(given.out, {given.input});
  const any_file_opener files = folder_files();
  const recognized_input input = recognize_input(given.input, files, json_codec());
  if (input.format != input_format::partition) {
    raise(error_kind::unsupported,
          "this is a " + std::string(name(input.format)) +
              "; --to parts takes a partition folder, and halograph assign makes parts of a graph",
          {.file = given.input, .line = {}, .byte = {}});
  }
  const partition_config config = open_partition(input.path, files);
  if (config.schema.num_node_types() != 1) {
    raise(error_kind::unsupported,
          "the graph has " + std::to_string(config.schema.num_node_types()) +
              " node types, but a file of parts has a line for each node of one type",
          {.file = given.input, .line = {}, .byte = {}});
  }
  const auto owner = step("open", [&] { return load_owners(config, files, known_formats()); });
  const std::uint64_t bytes = step(
      "write", [&] { return export_parts(place, owner, [&] { settle_inputs(files); }); });
  answer done;
  done.details.set("out", given.out)
      .set("input_format", name(input.format))
      .set("format", "parts")
      .set("nodes", owner.size())
      .set("parts", config.num_parts)
      .set("bytes", bytes)
      .set("notes", json::array{});
  done.text = given.out + ": the parts of " + counted(owner.size(), "node") + ", from 0 to " +
              std::to_string(config.num_parts - 1) + ", " + readable::bytes(bytes) + "\n";
  return done;
}

/// The graph, opened in the way of the flags.
opened_stream open_graph(const conversion_flags& given, const recognized_input& input,
                         const std::string& scratch, const any_file_opener& files,
                         std::size_t threads) {
  input_options reading;
  reading.num_nodes = given.reading.num_nodes;
  reading.undirected = given.reading.undirected;
  reading.scratch = scratch;
  reading.most_bytes = memory_allowed(given.memory, given.ignore_memory);
  reading.on_progress = show_progress();
  reading.yaml = yaml_codec();
  return open_stream(input, reading, files, json_codec(), known_formats(), input_tables(),
                     make_threads(threads));
}

/// Notes of the graph and others, shown and listed.
json::value list_notes(const std::vector<std::string>& first,
                       const std::vector<std::string>& second) {
  json::value notes{json::array{}};
  for (const auto* all : {&first, &second}) {
    for (const auto& sentence : *all) {
      notes.push(sentence);
      note(sentence);
    }
  }
  return notes;
}

/// The part of each node, for the layout of PyTorch Geometric.
assignment_folder parts_of(const conversion_flags& given, const recognized_input& input,
                           const streamed_graph& graph, const any_file_opener& files,
                           std::size_t threads) {
  if (!given.assignment.empty()) {
    require_assignment(given.assignment);
    return read_assignment(given.assignment, graph.schema, graph.node_counts, {}, files,
                           json_codec(), make_threads(threads));
  }
  const partition_config config = open_partition(input.path, files);
  assignment_folder out;
  out.parts = checked_cast<part_id>(config.num_parts);
  out.owner = load_owners(config, files, known_formats());
  return out;
}

/// A folder of arrays: GraphBolt's data set, or the partition layout of PyTorch Geometric.
answer write_export_folder(const conversion_flags& given, const context& asked) {
  // A folder may be named with a slash at its end.
  static_cast<void>(place_of_output(given.out.substr(0, given.out.find_last_not_of('/') + 1)));
  guard_inputs(given.out, {given.input, given.assignment});
  require_writer_of(given.to);
  const bool pyg = given.to == "pyg";
  staged_folder staged(given.out);
  const any_file_opener files = files_with_scratch(staged.path());
  const recognized_input input = recognize_input(given.input, files, json_codec());
  if (pyg && given.assignment.empty() && input.format != input_format::partition) {
    raise(error_kind::unsupported,
          "this is a " + std::string(name(input.format)) +
              "; --to pyg takes a partition folder, or any graph with --assignment",
          {.file = given.input, .line = {}, .byte = {}});
  }
  const opened_stream opened = step(
      "open", [&] { return open_graph(given, input, staged.path(), files, asked.threads); });
  assignment_folder parts;
  if (pyg) {
    parts = step("parts",
                 [&] { return parts_of(given, input, opened.graph, files, asked.threads); });
  }
  const written_arrays made = step("write", [&] {
    return export_folder(given.to, opened.graph, parts.owner, parts.parts, staged,
                         memory_allowed(given.memory, given.ignore_memory));
  });
  settle_inputs(files);
  note(staged.commit(json::one_line(
      json::object{{"command", "convert"}, {"input", opened.format}, {"to", given.to}})));
  const std::string format = words_of_folder_format(given.to);
  answer done;
  done.details.set("out", given.out).set("input_format", opened.format).set("format", format);
  if (pyg) done.details.set("parts", parts.parts);
  std::vector<std::string> more;
  if (!parts.note.empty()) more.push_back(parts.note);
  done.details.set("nodes", opened.graph.num_nodes())
      .set("edges", opened.graph.num_edges())
      .set("files", made.files)
      .set("bytes", made.bytes)
      .set("notes", list_notes(opened.graph.notes, more));
  done.text = given.out + ": " + format + " of " + counted(opened.graph.num_nodes(), "node") +
              " and " + counted(opened.graph.num_edges(), "edge") +
              (pyg ? " in " + counted(parts.parts, "part") : std::string()) + ", " +
              readable::bytes(made.bytes) + " in " + counted(made.files, "file") + "\n";
  return done;
}

/// Flags that go with other formats. @errors usage_error
void check_flags(const conversion_flags& given) {
  const bool arrays = is_folder_format(given.to), parts = goes_to_parts(given);
  if ((arrays || parts) && (given.weights_given || given.no_weights))
    throw usage_error("--weights and --no-weights go with formats of one file for a graph; " +
                      std::string(parts ? "parts have none" : "folders hold all features"));
  if (!given.assignment.empty() && given.to != "pyg")
    throw usage_error("--assignment goes with --to pyg");
}

answer run_conversion(const conversion_flags& given, const context& asked) {
  check_flags(given);
  if (goes_to_parts(given)) return write_parts(given);
  if (is_folder_format(given.to)) return write_export_folder(given, asked);
  write_graph_options options;
  options.format = target_format(given);
  options.weights = given.no_weights ? "" : given.weights;
  const output_place place = place_of_output(given.out);
  staged_files staged(place.folder, "convert");
  const any_file_opener files = files_with_scratch(staged.path());
  const opened_stream opened = step("open", [&] {
    return open_graph(given, recognize_input(given.input, files, json_codec()), staged.path(),
                      files, asked.threads);
  });
  const auto& features = opened.graph.edge_features;
  if (given.weights_given &&
      std::none_of(features.begin(), features.end(),
                   [&](const streamed_feature& one) { return one.name == given.weights; })) {
    raise(error_kind::not_found,
          "--weights " + given.weights + " names no edge feature of this graph",
          {.file = given.input, .line = {}, .byte = {}});
  }
  options.most_bytes = memory_allowed(given.memory, given.ignore_memory);
  const written_graph made = step("write", [&] {
    return write_graph(opened.graph, staged.path() + "/" + place.name, options);
  });
  staged.add(place.name);
  settle_inputs(files);
  note(staged.commit());
  answer done;
  done.details.set("out", given.out)
      .set("input_format", opened.format)
      .set("format", name_of(options.format))
      .set("nodes", made.nodes)
      .set("edges", made.edges)
      .set("weighted", made.weighted)
      .set("bytes", made.bytes)
      .set("notes", list_notes(opened.graph.notes, made.notes));
  done.text = given.out + ": " + name_of(options.format) + " of " + counted(made.nodes, "node") +
              " and " + counted(made.edges, "edge") + (made.weighted ? " with weights" : "") +
              ", " + readable::bytes(made.bytes) + "\n";
  return done;
}

}  // namespace

action add_convert(flag_set& app) {
  auto given = std::make_shared<conversion_flags>();
  app.example("halograph convert papers/ -o papers.graph", "a METIS graph");
  app.example("halograph convert parts/ --to pyg -o pyg/",
              "a partition folder in the layout of PyTorch Geometric");
  app.footer(
      "Edge lists and Matrix Market files keep the order of the edges. Galois graphs are sorted by\n"
      "source. METIS graphs are undirected: edges between two nodes become one, whose weight is the\n"
      "larger of the sums of either direction.\n"
      "The parts of a partition folder (to FILE.part.K) are a line for each node, by original ID.\n"
      "graphbolt and pyg are folders of .npy arrays with all types and features; what loads them and\n"
      "how is in the reference of the program. parquet is a folder with a table for each node type and\n"
      "edge type, and tables.json, by which halograph reads them.\n"
      "The parts that ParMETIS wrote are converted by halograph parmetis convert.");
  app.section("Input and output");
  app.add_option("--input", given->input,
                 "the graph: a file or folder that partition, assign or chunk take as --input")
      .required();
  app.add_option("--out", given->out, "the file or folder to write; it must not exist")
      .required()
      .type_name("FILE|DIR");
  app.add_option(
         "--to", given->to,
         "edge-list, matrix-market, galois, metis, parts, graphbolt, parquet or pyg (default: by the ending of --out)")
      .one_of({"edge-list", "matrix-market", "galois", "metis", "parts", "graphbolt", "parquet",
               "pyg"});
  app.section("What is written");
  app.add_option("--assignment,--partitions", given->assignment,
                 "pyg: the part of each node, where --input is not a partition folder")
      .type_name("PATH");
  const bound_flag weights = app.add_option(
      "--weights", given->weights, "edge feature that becomes the weights (default: weight)");
  app.add_flag("--no-weights", given->no_weights, "write no weights").excludes(weights);
  app.section("Reading");
  bind_reading_flags(app, given->reading);
  app.section("Resources");
  add_size(app, "--memory", given->memory, "memory budget, such as 4GiB (default: what is free)");
  app.add_flag("--ignore-memory", given->ignore_memory, "continue even if memory will not suffice");
  return [given, weights](const context& asked) {
    given->weights_given = weights.count() != 0;
    return run_conversion(*given, asked);
  };
}

}  // namespace halograph::cli
