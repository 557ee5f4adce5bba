// SPDX-License-Identifier: BSL-1.0
// halograph convert INPUT --out FILE: a graph in a format of other programs.
#include "any_graph.hpp"
#include "command.hpp"
#include "flag_values.hpp"
#include "formats.hpp"
#include "inputs.hpp"
#include "keep_input.hpp"
#include "progress.hpp"

#include <halograph/folder/assignment_files.hpp>
#include <halograph/folder/original_ids.hpp>
#include <halograph/io/input_format.hpp>
#include <halograph/io/open_stream.hpp>
#include <halograph/io/write_graph.hpp>
#include <halograph/serial/files/input_record.hpp>
#include <halograph/serial/files/staged_files.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

namespace halograph::cli {

namespace {

struct conversion_flags {
  std::string input{}, out{}, to{}, weights = "weight";
  reading_flags reading{};
  bool weights_given = false, no_weights = false, ignore_memory = false;
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

/// Does a name end in .part.K, as METIS names the parts of a graph?
bool is_part_file(const std::string& path) {
  const std::filesystem::path name = std::filesystem::path(path).filename();
  return name.stem().extension() == ".part" && whole_number(name.extension().string().substr(1));
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

/// Not a pair taken apart: Clang 14's lambdas cannot capture its names.
struct output_place {
  std::string folder;
  std::string name;
};

/// @errors usage_error
output_place place_of_output(const std::string& path) {
  const std::filesystem::path file(path);
  const std::string name = file.filename().string();
  if (name.empty() || name == "." || name == "..") throw usage_error("--out must name a file");
  std::error_code unknown;
  if (std::filesystem::symlink_status(file, unknown).type() !=
      std::filesystem::file_type::not_found)
    raise(error_kind::exists, "there is something under this name; name a file that does not exist",
          {.file = path, .line = {}, .byte = {}});
  const std::string folder = file.parent_path().string();
  return {folder.empty() ? "." : folder, name};
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
  staged_files staged(place.folder, "convert");
  const auto owner = step("open", [&] { return load_owners(config, files, known_formats()); });
  const std::uint64_t bytes = step(
      "write", [&] { return write_part_file(staged.path() + "/" + place.name, owner); });
  staged.add(place.name);
  settle_inputs(files);
  note(staged.commit());
  answer done;
  done.details.set("out", given.out)
      .set("input_format", name(input.format))
      .set("format", "parts")
      .set("nodes", owner.size())
      .set("parts", config.num_parts)
      .set("bytes", bytes)
      .set("notes", json::array{});
  done.text = given.out + ": the parts of " + counted(owner.size(), "node") + ", from 0 to " +
              std::to_string(config.num_parts - 1) + ", " + human_bytes(bytes) + "\n";
  return done;
}

answer run_conversion(const conversion_flags& given, const context& asked) {
  if (given.to == "parts" || (given.to.empty() && is_part_file(given.out)))
    return write_parts(given);
  write_graph_options options;
  options.format = target_format(given);
  options.weights = given.no_weights ? "" : given.weights;
  const output_place place = place_of_output(given.out);
  staged_files staged(place.folder, "convert");
  const any_file_opener files = files_with_scratch(staged.path());
  const any_json_codec codec = json_codec();
  const std::uint64_t memory = given.ignore_memory ? std::numeric_limits<std::uint64_t>::max()
                                                   : available_memory();
  input_options reading;
  reading.num_nodes = given.reading.num_nodes;
  reading.undirected = given.reading.undirected;
  reading.scratch = staged.path();
  reading.most_bytes = memory;
  reading.on_progress = show_progress();
  const opened_stream opened = step("open", [&] {
    return open_stream(recognize_input(given.input, files, codec), reading, files, codec,
                       known_formats(), input_tables(), make_threads(asked.threads));
  });
  const auto& features = opened.graph.edge_features;
  if (given.weights_given &&
      std::none_of(features.begin(), features.end(),
                   [&](const streamed_feature& one) { return one.name == given.weights; })) {
    raise(error_kind::not_found,
          "--weights " + given.weights + " names no edge feature of this graph",
          {.file = given.input, .line = {}, .byte = {}});
  }
  options.most_bytes = given.ignore_memory ? memory : available_memory();
  const written_graph made = step("write", [&] {
    return write_graph(opened.graph, staged.path() + "/" + place.name, options);
  });
  staged.add(place.name);
  settle_inputs(files);
  note(staged.commit());
  answer done;
  json::value notes{json::array{}};
  for (const auto* all : {&opened.graph.notes, &made.notes}) {
    for (const auto& sentence : *all) {
      notes.push(sentence);
      note(sentence);
    }
  }
  done.details.set("out", given.out)
      .set("input_format", opened.format)
      .set("format", name_of(options.format))
      .set("nodes", made.nodes)
      .set("edges", made.edges)
      .set("weighted", made.weighted)
      .set("bytes", made.bytes)
      .set("notes", std::move(notes));
  done.text = given.out + ": " + name_of(options.format) + " of " + counted(made.nodes, "node") +
              " and " + counted(made.edges, "edge") + (made.weighted ? " with weights" : "") +
              ", " + human_bytes(made.bytes) + "\n";
  return done;
}

}  // namespace

action add_convert(flag_set& app) {
  auto given = std::make_shared<conversion_flags>();
  app.example("halograph convert papers/ -o papers.graph", "a METIS graph");
  app.example("halograph convert web.mtx -o web.gr", "a Galois graph of a Matrix Market file");
  app.example("halograph convert parts/ -o papers.graph.part.8",
              "the part of each node, as gpmetis writes it");
  app.footer(
      "Edge lists and Matrix Market files keep the order of the edges. Galois graphs are sorted by\n"
      "source. METIS graphs are undirected: edges between two nodes become one, whose weight is the\n"
      "larger of the sums of either direction.\n"
      "The parts of a partition folder (to FILE.part.K) are a line for each node, by original ID.\n"
      "The parts that ParMETIS wrote are converted by halograph parmetis convert.");
  app.add_option("--input", given->input,
                 "the graph: a file or folder that partition, assign or chunk take as --input")
      .required();
  app.add_option("--out", given->out, "the file to write; it must not exist").required();
  app.add_option(
         "--to", given->to,
         "edge-list, matrix-market, galois, metis or parts (default: by the ending of --out)")
      .one_of({"edge-list", "matrix-market", "galois", "metis", "parts"});
  const bound_flag weights = app.add_option(
      "--weights", given->weights, "edge feature that becomes the weights (default: weight)");
  app.add_flag("--no-weights", given->no_weights, "write no weights").excludes(weights);
  bind_reading_flags(app, given->reading);
  app.add_flag("--ignore-memory", given->ignore_memory, "continue even if memory will not suffice");
  return [given, weights](const context& asked) {
    given->weights_given = weights.count() != 0;
    return run_conversion(*given, asked);
  };
}

}  // namespace halograph::cli
