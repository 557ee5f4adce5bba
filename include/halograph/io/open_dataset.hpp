// SPDX-License-Identifier: BSL-1.0
/// @file open_dataset.hpp
/// A graph from a path, whatever it is: a chunked graph, the plain form, a DGL graph, a METIS graph
/// or an edge list.
/// Layer: io. Words: README.md.
///
/// | path | read as |
/// | --- | --- |
/// | folder with `metadata.json`; that file | chunked graph |
/// | folder with `meta.json`; that file | plain form |
/// | `*.dgl` | DGL graph, the first of the file unless another is asked for |
/// | `*.graph`, `*.mgraph`, also `.gz` | METIS graph |
/// | `*.txt`, `*.csv`, `*.tsv`, `*.edges`, `*.el`, also `.gz` | edge list |
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/io/chunked/read.hpp>
#include <halograph/io/dataset.hpp>
#include <halograph/io/formats/dgl.hpp>
#include <halograph/io/formats/edge_list.hpp>
#include <halograph/io/formats/metis.hpp>
#include <halograph/io/formats/plain.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/table.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace halograph {

/// What a path leads to.
enum class input_format : std::uint8_t { chunked, plain, dgl_graph, metis_graph, edge_list };

/// "chunked graph", "plain form", "DGL graph", "METIS graph", "edge list".
constexpr std::string_view name(input_format format) noexcept {
  switch (format) {
    case input_format::chunked:
      return "chunked graph";
    case input_format::plain:
      return "plain form";
    case input_format::dgl_graph:
      return "DGL graph";
    case input_format::metis_graph:
      return "METIS graph";
    case input_format::edge_list:
      return "edge list";
  }
  return "unknown";
}

/// Options of all formats; one that a format has no use for is refused there.
struct dataset_options {
  bool features = true;     ///< false: structure alone, feature files are not opened
  bool undirected = false;  ///< edge list, plain form: append the reverse of edge i as m + i
  std::optional<std::uint64_t>
      num_nodes{};                ///< edge list: V, where it is more than the largest ID and one
  std::string triples = "train";  ///< plain form: which triples file is the graph
  std::uint64_t graph = 0;        ///< DGL graph: which one of the file
  std::uint64_t most_bytes = ~std::uint64_t{
      0};  ///< METIS graph, plain form: memory that edges may take while they are read
};

/// Refuse what a format has no use for.
/// @param format  its name, or that of a format of streams   @param sized  a number of nodes is
///     given @errors invalid_argument
inline void check_input_options(std::string_view format, bool sized, bool undirected,
                                const std::string& path) {
  const bool edge_list = format == name(input_format::edge_list);
  if (sized && !edge_list) {
    raise(errc::invalid_argument,
          "a " + std::string(format) +
              " says itself how many nodes it has; a number of nodes is for edge lists",
          {.file = path});
  }
  if (undirected && !edge_list && format != name(input_format::plain)) {
    raise(errc::invalid_argument,
          "reverse edges can be appended to edge lists and the plain form, not to a " +
              std::string(format),
          {.file = path});
  }
}

/// Say what a path leads to, by its name and, of a folder, by what it holds.
/// @errors not_found: nothing there, or a folder that holds none of the files looked for;
///     unsupported: a file whose name says nothing
inline input_format recognize_input(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code problem;
  const fs::file_status status = fs::status(path, problem);
  if (status.type() == fs::file_type::none) raise_io(path, "examine", problem.value());
  if (status.type() == fs::file_type::not_found)
    raise(errc::not_found, "there is nothing under this name", {.file = path});
  if (status.type() == fs::file_type::directory) {
    if (fs::exists(path + "/metadata.json", problem)) return input_format::chunked;
    if (fs::exists(path + "/meta.json", problem)) return input_format::plain;
    raise(
        errc::not_found,
        "the folder holds neither metadata.json, which a chunked graph has, nor meta.json, which the plain form has",
        {.file = path});
  }
  fs::path file(path);
  if (file.filename() == "meta.json") return input_format::plain;
  if (file.extension() == ".json") return input_format::chunked;
  if (file.extension() == ".dgl") return input_format::dgl_graph;
  if (file.extension() == ".gz") file = file.stem();
  const std::string ending = file.extension().string();
  if (ending == ".graph" || ending == ".mgraph") return input_format::metis_graph;
  for (const std::string_view known : {".txt", ".csv", ".tsv", ".edges", ".el"}) {
    if (ending == known) return input_format::edge_list;
  }
  raise(
      errc::unsupported,
      "nothing is known of files ending in " + graph_schema::quoted(ending) +
          "; it must be a folder with metadata.json or meta.json, a DGL graph (.dgl), a METIS graph (.graph, .mgraph) or an edge "
          "list (.txt, .csv, .tsv, .edges, .el), the last two also with .gz behind",
      {.file = path});
}

/// Read a graph of any known format.
///
/// @param path      what recognize_input() knows
/// @param open      how to open files; gz_files<mapped_files> knows most
/// @param codec     parses JSON
/// @param executor  parses pieces of text files
/// @param tables    reads the Parquet files of chunked graphs; no_tables refuses them
/// @errors those of recognize_input() and of the format's reader; invalid_argument: an option that
///     the format has no use for; overflow: Node or Edge is too narrow, and a wider one may do
template <id Node = std::uint64_t, id Edge = std::uint64_t, file_opener Opener, json_codec Codec,
          executor Executor = sequential, table_reader Tables = no_tables>
dataset<Node, Edge> load_dataset(const std::string& path, const dataset_options& options,
                                 const Opener& open, const Codec& codec,
                                 const Executor& executor = {}, const Tables& tables = {}) {
  const input_format format = recognize_input(path);
  check_input_options(name(format), options.num_nodes.has_value(), options.undirected, path);
  switch (format) {
    case input_format::chunked:
      return read_chunked<Node, Edge>(path, {.features = options.features}, open, codec, executor,
                                      tables);
    case input_format::plain:
      return read_plain<Node, Edge>(path,
                                    {.undirected = options.undirected,
                                     .features = options.features,
                                     .triples = options.triples,
                                     .most_bytes = options.most_bytes},
                                    open, codec, executor);
    case input_format::dgl_graph:
      return read_dgl_graph<Node, Edge>(
          path, {.graph = options.graph, .features = options.features}, open);
    case input_format::metis_graph:
      return read_metis_graph<Node, Edge>(path, open, executor, options.most_bytes);
    case input_format::edge_list:
      break;
  }
  return read_edge_list<Node, Edge>(
      path, {.num_nodes = options.num_nodes, .undirected = options.undirected}, open, executor);
}

}  // namespace halograph
