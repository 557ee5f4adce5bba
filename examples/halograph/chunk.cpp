// SPDX-License-Identifier: BSL-1.0
// halograph chunk --input PATH | --tables SPEC.json --out DIR: a chunked graph of any graph,
// without holding it.
#include "command.hpp"
#include "flag_values.hpp"
#include "formats.hpp"
#include "inputs.hpp"
#include "keep_input.hpp"

#include <halograph/io/add_edges.hpp>
#include <halograph/io/chunked/chunk.hpp>
#include <halograph/io/normalize.hpp>
#include <halograph/io/open_stream.hpp>
#include <halograph/serial/files/staged_folder.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/text/readable.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

namespace halograph::cli {

namespace {

struct chunk_flags {
  std::string input{}, tables{}, out{}, name{}, format = "csv", feature_format = "numpy",
                                                delimiter = " ", triples = "train";
  std::vector<std::string> normalize{}, chunks{};
  std::optional<std::uint64_t> num_nodes{}, graph{};
  std::uint64_t memory = std::uint64_t{1} << 30;
  bool reverse_edges = false, self_loops = false, absolute_paths = false, vector_rows = false,
       no_features = false, triples_given = false;
};

/// "user/age=minmax". @errors usage_error
feature_normalization parse_normalization(const std::string& text) {
  const auto equals = text.rfind('=');
  const auto how = equals == std::string::npos ? std::nullopt
                                               : normalization_named(text.substr(equals + 1));
  if (!how || equals == 0)
    throw usage_error("--normalize " + text +
                      " must be FEATURE=l2, FEATURE=minmax or FEATURE=standard");
  return {text.substr(0, equals), *how};
}

/// Contradictions that the command line alone shows. @errors usage_error
void check_flags(const chunk_flags& given, std::size_t delimiters) {
  if (given.input.empty() == given.tables.empty())
    throw usage_error("the graph comes from --input or from --tables; give one of them");
  if (given.out.empty()) throw usage_error("--out must name a folder");
  guard_inputs(given.out, {given.input, given.tables});
  if (given.delimiter.size() != 1)
    throw usage_error("--delimiter must be one character, or \"tab\"");
  if (delimiters != 0 && given.format != "csv")
    throw usage_error("--delimiter goes with --format csv");
  if (given.vector_rows && given.feature_format != "parquet")
    throw usage_error("--vector-rows goes with --feature-format parquet");
  if (given.no_features && !given.normalize.empty())
    throw usage_error("--no-features leaves nothing to --normalize");
  if (!given.tables.empty() &&
      (given.num_nodes || given.graph || given.triples_given || given.no_features)) {
    throw usage_error(
        "--num-nodes, --graph, --triples and --no-features go with --input; the specification of --tables says what there is");
  }
  for (const auto& one : given.normalize) static_cast<void>(parse_normalization(one));
}

chunk_format format_named(const std::string& text) {
  return text == "csv"     ? chunk_format::csv
         : text == "numpy" ? chunk_format::numpy
                           : chunk_format::parquet;
}

/// "8", "node_data=4", "edges/user:buys:item=2" into the options. @errors usage_error
void parse_chunks(const std::string& text, chunk_options& options) {
  const auto equals = text.rfind('=');
  const std::string number = text.substr(equals == std::string::npos ? 0 : equals + 1);
  const auto chunks = whole_number(number);
  if (!chunks || *chunks == 0 || *chunks > 1'000'000 || equals == 0) {
    throw usage_error(
        "--num-chunks " + text +
        " must be N or PLACE=N with N from 1 to 1000000, such as 8 or node_data/paper=4");
  }
  if (equals == std::string::npos)
    options.chunks = *chunks;
  else
    options.chunks_of.emplace_back(text.substr(0, equals), *chunks);
}

}  // namespace

action add_chunk(flag_set& app) {
  auto given = std::make_shared<chunk_flags>();
  app.example("halograph chunk edges.txt -o graph/", "a chunked graph of an edge list");
  app.example("halograph chunk --tables tables.json -o graph/ --num-chunks 4",
              "of tables with text keys, in 4 files of each kind");
  app.footer(
      std::string("--input takes ") + graph_formats +
      ". --tables takes a specification of csv or Parquet files whose keys may be any text or integers:\n\n"
      "  {\"nodes\": {\"user\": {\"files\": [\"users.csv\"], \"key\": \"id\", \"features\": {\"age\": {\"columns\": \"age\"}}},\n"
      "             \"item\": {\"keys\": \"integer\"}},\n"
      "   \"edges\": {\"user:buys:item\": {\"files\": [\"buys.csv.gz\"], \"source\": \"user\",\n"
      "                               \"target\": \"item\"}}}\n\n"
      "IDs are the order of the rows of the node files; of a type without files, the keys that edges name, ascending. Which ID a key\n"
      "got stays in node_keys/TYPE.keys.\n\n"
      "--reverse-edges  within a node type the reverse of edge i becomes edge m + i; between types a type target:rev_REL:source\n"
      "                 is added; features go along\n"
      "--self-loops     a loop at each node that has none, in edge types within a node type, behind all other edges; its\n"
      "                 features are ones\n"
      "--normalize      l2: rows to length 1; minmax: columns to 0..1; standard: columns to mean 0, deviation 1; float32\n\n"
      "The graph is read and written block by block. The same input and flags give the same bytes, whatever --memory and --threads.");
  app.section("Input and output");
  app.add_option("--input,--in-dir", given->input, "the graph").type_name("PATH");
  app.add_option("--tables", given->tables, "or tables of nodes and edges: their specification")
      .type_name("SPEC.json");
  app.add_option("--out,--out-dir", given->out,
                 "the folder to make or, if it is a result of ours, to replace")
      .required()
      .type_name("DIR");
  app.add_option("--name,--graph-name", given->name, "the graph's name (default: the input's)")
      .graph_name();
  app.section("Files");
  app.add_option(
      "--num-chunks,--chunks", given->chunks,
      "files for each edge type and feature: N, or PLACE=N for edges, node_data, edge_data, or a type or feature there, such as node_data/paper/feat=8 (default: 1)");
  app.add_option("--format,--edge-format", given->format,
                 "edges: csv, numpy or parquet (default: csv, which all DGL tools read)")
      .one_of({"csv", "numpy", "parquet"});
  const bound_flag delimiter = app.add_option(
      "--delimiter", given->delimiter,
      "csv: the character between source and target, or \"tab\" (default: a blank, which DGL needs)");
  delimiter.transform([](const std::string& text) {
    return text == "tab" || text == "\\t" ? std::string("\t") : text;
  });
  app.add_option("--feature-format", given->feature_format,
                 "features: numpy or parquet (default: numpy)")
      .one_of({"numpy", "parquet"});
  app.add_flag("--vector-rows", given->vector_rows,
               "parquet features: one column of lists, not one for each number");
  app.add_flag("--absolute-paths", given->absolute_paths,
               "name files by absolute paths in metadata.json (DGL 0.9.1 needs them)");
  app.section("What the graph holds");
  app.add_flag("--reverse-edges", given->reverse_edges, "add the reverse of each edge");
  app.add_flag("--self-loops", given->self_loops, "add a self-loop at each node");
  app.add_option(
      "--normalize", given->normalize,
      "scale a feature: [TYPE/]FEATURE=l2, minmax or standard; may be given several times");
  app.add_flag("--no-features", given->no_features, "structure alone");
  app.section("Reading");
  add_number(app, "--num-nodes", given->num_nodes,
             "edge lists: number of nodes (default: the largest ID plus one)", 0, most_file_ids);
  const bound_flag triples = app.add_option(
      "--triples", given->triples,
      "folders with meta.json and triples: which are the graph (default: train)");
  add_number(app, "--graph", given->graph, ".dgl: which graph of the file, from 0 (default: 0)");
  app.section("Resources");
  add_size(
      app, "--memory", given->memory,
      "to sort keys and edges with, such as 4GiB (default: 1GiB); what does not fit goes to temporary files in the output's file system");
  return [given, delimiter, triples](const context& asked) {
    given->triples_given = triples.count() != 0;
    check_flags(*given, delimiter.count());
    chunk_options options;
    for (const auto& one : given->chunks) parse_chunks(one, options);
    if (!has_tables() && (given->format == "parquet" || given->feature_format == "parquet")) {
      raise(
          error_kind::unsupported,
          "Parquet needs a library that is not built in; build with the component \"duckdb\", or use numpy");
    }
    staged_folder staged(given->out);
    const any_file_opener files = files_with_scratch(staged.path());
    const any_json_codec codec = json_codec();
    input_options reading;
    reading.features = !given->no_features;
    reading.num_nodes = given->num_nodes;
    reading.triples = given->triples;
    reading.graph = given->graph.value_or(0);
    reading.scratch = staged.path();
    reading.memory = given->memory;
    reading.most_bytes = available_memory();
    reading.dictionaries = staged.path() + "/node_keys";
    reading.on_progress = show_progress();
    reading.yaml = yaml_codec();
    opened_stream opened = step("open", [&] {
      const recognized_input input = given->tables.empty()
                                         ? recognize_input(given->input, files, codec)
                                         : recognized_input{input_format::tables, given->tables};
      return open_stream(input, reading, files, codec, known_formats(), input_tables(),
                         make_threads(asked.threads));
    });
    streamed_graph& graph = opened.graph;
    if (given->reverse_edges) graph = add_reverse_edges(std::move(graph));
    if (given->self_loops)
      graph = step("find loops", [&] { return add_self_loops(std::move(graph)); });
    if (!given->normalize.empty()) {
      std::vector<feature_normalization> asked_for;
      for (const auto& one : given->normalize) asked_for.push_back(parse_normalization(one));
      graph = normalize(std::move(graph), asked_for, show_progress());
    }
    options.name = given->name;
    options.edges = format_named(given->format);
    options.delimiter = given->delimiter[0];
    options.features = format_named(given->feature_format);
    options.vector_rows = given->vector_rows;
    options.absolute_paths = given->absolute_paths;
    options.on_progress = show_progress();
    // What Parquet packs cannot be told beforehand; its library says where the disk is full.
    if (const auto need = chunked_bytes(graph, write_options_of(options)),
        free = available_disk(given->out);
        need > free && given->format != "parquet" && given->feature_format != "parquet") {
      raise(error_kind::io,
            "up to " + readable::bytes(need) + " would be written, but " + readable::bytes(free) +
                " are free; choose another place",
            {.file = given->out, .line = {}, .byte = {}});
    }
    const chunk_result made = write_chunks(graph, staged, options, output_tables(),
                                           make_threads(asked.threads));
    json::value normalized{json::array{}}, chunks_of{json::object{}};
    for (const auto& [place, chunks] : options.chunks_of) chunks_of.set(place, chunks);
    for (const auto& one : given->normalize) normalized.push(one);
    // Without the places: the same graph is the same bytes wherever it lies.
    step("finish", [&] {
      settle_inputs(files);
      note(staged.commit(json::one_line(json::object{
          {"command", "chunk"},
          {"input", opened.format},
          {"name", given->name},
          {"chunks", options.chunks},
          {"chunks_of", std::move(chunks_of)},
          {"format", given->format},
          {"delimiter", given->delimiter},
          {"feature_format", given->feature_format},
          {"vector_rows", given->vector_rows},
          {"absolute_paths", given->absolute_paths},
          {"reverse_edges", given->reverse_edges},
          {"self_loops", given->self_loops},
          {"normalize", std::move(normalized)},
          {"features", !given->no_features},
          {"num_nodes", given->num_nodes ? json::value(*given->num_nodes) : json::value()}})));
    });

    answer done;
    json::value node_types{json::object{}}, edge_types{json::object{}}, notes{json::array{}},
        features{json::array{}};
    std::vector<std::vector<std::string>> rows{{"type", "count", "features"}};
    const auto describe = [&](const std::vector<streamed_feature>& all, std::size_t type,
                              const std::string& label) {
      std::string text;
      for (const auto& one : all) {
        if (one.type != type) continue;
        json::value shape{json::array{one.rows}};
        for (const auto extent : one.row_shape) shape.push(extent);
        features.push(json::object{{"type", label},
                                   {"name", one.name},
                                   {"dtype", name(one.element)},
                                   {"shape", std::move(shape)}});
        text += (text.empty() ? "" : ", ") + one.name;
      }
      return text.empty() ? std::string("-") : text;
    };
    for (std::size_t t = 0; t < graph.node_counts.size(); ++t) {
      const auto& type = graph.schema.node_types()[t];
      node_types.set(type, graph.node_counts[t]);
      rows.push_back(
          {type, std::to_string(graph.node_counts[t]), describe(graph.node_features, t, type)});
    }
    for (std::size_t r = 0; r < graph.edge_counts.size(); ++r) {
      const std::string type = graph.schema.edge_types()[r].str();
      edge_types.set(type, graph.edge_counts[r]);
      rows.push_back(
          {type, std::to_string(graph.edge_counts[r]), describe(graph.edge_features, r, type)});
    }
    for (const auto& sentence : made.notes) {
      notes.push(sentence);
      note(sentence);
    }
    done.details.set("out", given->out);
    done.details.set("input_format", opened.format);
    done.details.set(
        "graph",
        json::object{{"nodes", graph.num_nodes()},
                     {"edges", graph.num_edges()},
                     {"types", json::object{{"nodes", node_types}, {"edges", edge_types}}}});
    done.details.set("features", std::move(features));
    done.details.set("chunks", options.chunks);
    done.details.set("files", made.files.size());
    done.details.set("bytes", made.bytes);
    done.details.set("notes", std::move(notes));
    done.text = given->out + ": " + counted(graph.num_nodes(), "node") + ", " +
                counted(graph.num_edges(), "edge") + " (" + opened.format + "), " +
                readable::bytes(made.bytes) + " in " + counted(made.files.size(), "file") + "\n\n" +
                table(rows);
    return done;
  };
}

}  // namespace halograph::cli
