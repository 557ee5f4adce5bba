// SPDX-License-Identifier: BSL-1.0
/// @file open_stream.hpp
/// A graph of any known format as a stream.
/// Layer: io. Words: README.md.
///
/// | path | read as |
/// | --- | --- |
/// | folder with `metadata.json` or `<name>.json` that lists parts; such a file | partition folder |
/// | folder with `edge_index.npy`, or with folders `<source>___<relation>___<target>` that have one; also in its `processed/` | OGB's raw layout |
/// | all else | open_dataset.hpp |
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/load.hpp>
#include <halograph/io/add_edges.hpp>
#include <halograph/io/chunked/chunk.hpp>
#include <halograph/io/chunked/open.hpp>
#include <halograph/io/formats/dgl.hpp>
#include <halograph/io/formats/edge_list.hpp>
#include <halograph/io/formats/ogb.hpp>
#include <halograph/io/formats/partition.hpp>
#include <halograph/io/open_dataset.hpp>
#include <halograph/io/streamed_graph.hpp>
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
#include <utility>
#include <vector>

namespace halograph {

/// Options of all formats; one that a format has no use for is refused there.
struct stream_options {
  bool features = true;
  bool undirected = false;  ///< edge list, plain form: append the reverse of edge i as m + i
  std::optional<std::uint64_t>
      num_nodes{};                ///< edge list: V, where it is more than the largest ID and one
  std::string triples = "train";  ///< plain form: which triples file is the graph
  std::uint64_t graph = 0;        ///< DGL graph: which one of the file
  std::string scratch{};          ///< partition folder: where temporary files go
  std::uint64_t memory = std::uint64_t{1} << 28;  ///< partition folder: bytes to sort edges with
  std::uint64_t most_held_bytes = ~std::uint64_t{
      0};  ///< memory that edges may take where they must be held; more is refused
  progress_callback on_progress{};
};

/// A stream and what it was made of: "chunked graph", "partition folder", ...
struct opened_stream {
  streamed_graph graph{};
  std::string format{};
  /// memory that edges have taken at most while they were read, where they are held
  std::uint64_t held_bytes = 0;
};

namespace detail {

/// Is this document the config of a partition folder?
inline bool lists_parts(const json::value& root) {
  return root.find("num_parts") != nullptr && root.find("node_map") != nullptr;
}

/// Is this file the config of a partition folder? One that cannot be read is not: a reader of its
/// format says what is wrong.
template <file_opener Opener, json_codec Codec>
bool is_partition_config(const std::string& file, const Opener& open, const Codec& codec) {
  try {
    return lists_parts(read_json(file, open, codec));
  } catch (const error& wrong) {
    if (wrong.code() == errc::memory) throw;
    return false;
  }
}

/// The config of the partition folder that a path leads to; nothing where it leads to none.
/// @errors invalid_argument: the folder has several
template <file_opener Opener, json_codec Codec>
std::optional<std::string> partition_config_at(const std::string& path, const Opener& open,
                                               const Codec& codec) {
  namespace fs = std::filesystem;
  std::error_code problem;
  const auto is_config = [&](const std::string& file) {
    return is_partition_config(file, open, codec);
  };
  if (fs::is_regular_file(path, problem))
    return fs::path(path).extension() == ".json" && is_config(path) ? std::optional(path)
                                                                    : std::nullopt;
  if (!fs::is_directory(path, problem)) return std::nullopt;
  const std::string pipeline = path + "/metadata.json";
  std::vector<std::string> found;
  const auto is_file = [](const fs::directory_entry& entry) {
    std::error_code unknown;  // a link that leads nowhere is no file of a graph
    return entry.is_regular_file(unknown);
  };
  for (fs::directory_iterator at(path, problem), end; !problem && at != end;
       at.increment(problem)) {
    if (at->path().extension() == ".json" && at->path().filename() != "metadata.json" &&
        is_file(*at) && is_config(at->path().string()))
      found.push_back(at->path().string());
  }
  if (found.size() > 1) {
    std::sort(found.begin(), found.end());
    raise(
        errc::invalid_argument,
        "the folder holds several partitioned graphs; name the config of one, such as " + found[0],
        {.file = path});
  }
  // DGL's pipeline calls the config metadata.json; ours writes it beside the other.
  if (found.empty() && fs::is_regular_file(pipeline, problem) && is_config(pipeline))
    found.push_back(pipeline);
  return found.empty() ? std::nullopt : std::optional(found[0]);
}

}  // namespace detail

/// Does a path lead to a chunked graph: a folder with its metadata.json, or that file under any
/// name?
/// @errors those of recognize_input(), where there is nothing or a file that is none
template <file_opener Opener, json_codec Codec>
bool is_chunked_graph(const std::string& path, const Opener& open, const Codec& codec) {
  std::error_code problem;
  if (std::filesystem::is_directory(path, problem)) {
    const std::string metadata = path + "/metadata.json";
    return std::filesystem::exists(metadata, problem) &&
           !detail::is_partition_config(metadata, open, codec);
  }
  try {
    return recognize_input(path) == input_format::chunked &&
           !detail::is_partition_config(path, open, codec);
  } catch (const error& wrong) {
    if (wrong.code() != errc::unsupported) throw;
    const file_bytes content = open(path);  // a name that says nothing
    if (content.bytes.empty() || content.bytes[0] != std::byte{'{'}) throw;
    return true;
  }
}

/// Open a graph of any known format as a stream.
///
/// METIS graphs, the plain form, and DGL graphs without pairs are held in memory, 16 bytes for each
/// edge; all others are read as they are asked for.
/// @param open      how to open files; gz_files<mapped_files> knows most; moved into the stream
/// @param codec     parses JSON
/// @param formats   those that partition folders may be in
/// @param tables    reads Parquet; moved into the stream
/// @param executor  parses pieces of text
/// @errors those of the format's reader; invalid_argument: an option that the format has no use for
template <file_opener Opener, json_codec Codec, class Formats, table_reader Tables = no_tables,
          executor Executor = sequential>
opened_stream open_stream(const std::string& path, const stream_options& options, Opener open,
                          const Codec& codec, const Formats& formats, Tables tables = {},
                          const Executor& executor = {}) {
  const bool sized = options.num_nodes.has_value();
  if (const auto file = detail::partition_config_at(path, open, codec)) {
    check_input_options("partition folder", sized, options.undirected, path);
    partition_config config = read_config(*file, open, codec);
    resolve_relations(config, open, formats);
    return {stream_partition(config,
                             {.features = options.features,
                              .scratch = options.scratch,
                              .memory = options.memory,
                              .on_progress = options.on_progress},
                             open, formats),
            "partition folder"};
  }
  std::error_code problem;
  if (std::filesystem::is_directory(path, problem) &&
      !std::filesystem::exists(path + "/metadata.json", problem) &&
      !std::filesystem::exists(path + "/meta.json", problem)) {
    if (!is_ogb_folder(path)) {
      raise(
          errc::not_found,
          "the folder holds no graph; it must hold metadata.json (a chunked graph), meta.json (the plain form), the config of a "
          "partition folder (<name>.json), or edge_index.npy (OGB's layout)",
          {.file = path, .line = {}, .byte = {}});
    }
    check_input_options("folder of arrays", sized, options.undirected, path);
    auto graph = stream_ogb(path, open, codec);
    if (!options.features) graph.node_features.clear(), graph.edge_features.clear();
    return {std::move(graph), "OGB folder"};
  }
  const input_format format = recognize_input(path);
  check_input_options(name(format), sized, options.undirected, path);
  opened_stream out;
  out.format = name(format);
  switch (format) {
    case input_format::chunked:
      out.graph = stream_graph(open_chunked(path, std::move(open), codec, std::move(tables),
                                            {.features = options.features}, executor));
      break;
    case input_format::dgl_graph:
      out.graph = stream_dgl_graph(path,
                                   {.graph = options.graph,
                                    .features = options.features,
                                    .most_bytes = options.most_held_bytes},
                                   open);
      break;
    case input_format::edge_list:
      out.graph = stream_edge_list(path, {.num_nodes = options.num_nodes}, open, executor);
      if (options.undirected) out.graph = add_reverse_edges(std::move(out.graph));
      break;
    case input_format::plain:
    case input_format::metis_graph:
      out.graph = stream_dataset(
          load_dataset<std::uint64_t, std::uint64_t>(path,
                                                     {.features = options.features,
                                                      .undirected = options.undirected,
                                                      .triples = options.triples,
                                                      .most_bytes = options.most_held_bytes},
                                                     open, codec, executor));
      break;
  }
  // IDs and weights; a DGL graph may have to be held, too. Appended reverses grew columns that were
  // there.
  const bool held = format == input_format::plain || format == input_format::metis_graph ||
                    format == input_format::dgl_graph;
  if (const std::uint64_t each = options.undirected ? 36 : 24; held)
    out.held_bytes = std::min(out.graph.num_edges(), ~std::uint64_t{0} / each) * each;
  return out;
}

}  // namespace halograph
