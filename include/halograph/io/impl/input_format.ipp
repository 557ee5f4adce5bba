// SPDX-License-Identifier: BSL-1.0
/// @file input_format.ipp
/// Bodies of the plain functions of io/input_format.hpp.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/io/formats/documents/graphml.hpp>
#include <halograph/io/formats/documents/node_link.hpp>
#include <halograph/io/formats/graphar/infos.hpp>
#include <halograph/io/formats/ogb.hpp>
#include <halograph/io/input_format.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/bytes.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/folder_entries.hpp>
#include <halograph/serial/files/unpacked.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/read_json.hpp>
#include <halograph/serial/text/lines.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

HALOGRAPH_INLINE void check_input_options(input_format format, bool sized, bool undirected,
                                          const std::string& path) {
  const bool list = format == input_format::edge_list || format == input_format::edge_pairs;
  if (sized && !list) {
    raise(error_kind::invalid_argument,
          "the number of nodes can be set for edge lists only; this input (" +
              std::string(name(format)) + ") determines it itself",
          {.file = path});
  }
  if (undirected && !list && format != input_format::plain) {
    raise(error_kind::invalid_argument,
          "reverse edges can be appended to edge lists and the plain form only; this input is of "
          "another format (" +
              std::string(name(format)) + ")",
          {.file = path});
  }
}

}  // namespace halograph

namespace halograph::detail {

HALOGRAPH_INLINE input_format format_of_json(const std::string& file, const any_file_opener& open,
                                             const any_json_codec& codec) {
  try {
    if (is_node_link(as_text(open(file).bytes))) return input_format::node_link;
    const json::value root = read_json(file, open, codec);
    if (root.find("num_parts") != nullptr && root.find("node_map") != nullptr)
      return input_format::partition;
    const auto* const nodes = root.find("nodes");
    const auto* const edges = root.find("edges");
    if (nodes != nullptr && nodes->is_object() && edges != nullptr && edges->is_object() &&
        root.find("node_type") == nullptr)
      return input_format::tables;
  } catch (const error& problem) {
    if (problem.code() == error_kind::memory) throw;
  }
  return input_format::chunked;
}

/// Does a file begin with the version of Galois's format, as 8 bytes?
HALOGRAPH_INLINE bool is_galois(std::span<const std::byte> bytes) noexcept {
  if (bytes.size() < 8) return false;
  const auto version = load_le<std::uint64_t>(bytes.data());
  return version == 1 || version == 2;
}

/// The format that the first bytes of a file of any name tell.
HALOGRAPH_INLINE std::optional<input_format> format_of_content(std::span<const std::byte> bytes) {
  const std::string_view text = as_text(bytes);
  if (is_node_link(text)) return input_format::node_link;
  if (text.starts_with('{')) return input_format::chunked;  // metadata may have any name
  if (is_graphml(text)) return input_format::graphml;
  if (text.starts_with("%%MatrixMarket")) return input_format::matrix_market;
  if (text.starts_with("AdjacencyGraph") || text.starts_with("WeightedAdjacencyGraph"))
    return input_format::adjacency;
  return std::nullopt;
}

/// The format that an extension names, that of a compressed file left out.
HALOGRAPH_INLINE std::optional<input_format> format_of_extension(std::string_view ending) {
  struct known {
    std::string_view ending;
    input_format format;
  };
  constexpr known all[] = {
      {".graph", input_format::metis_graph}, {".mgraph", input_format::metis_graph},
      {".txt", input_format::edge_list},     {".csv", input_format::edge_list},
      {".tsv", input_format::edge_list},     {".edges", input_format::edge_list},
      {".el", input_format::edge_list},      {".wel", input_format::edge_list},
      {".mtx", input_format::matrix_market}, {".sg", input_format::gap},
      {".wsg", input_format::gap},           {".bin32", input_format::edge_pairs},
      {".bin64", input_format::edge_pairs},  {".adj", input_format::adjacency},
      {".parhip", input_format::parhip},     {".bgf", input_format::parhip},
      {".graphml", input_format::graphml}};
  for (const auto& one : all) {
    if (one.ending == ending) return one.format;
  }
  return std::nullopt;
}

HALOGRAPH_INLINE recognized_input recognize_folder(const std::string& path,
                                                   const any_file_opener& open,
                                                   const any_json_codec& codec) {
  namespace fs = std::filesystem;
  const std::string metadata = path + "/metadata.json";
  const bool has_metadata = detail::is_there(metadata);
  if (has_metadata && format_of_json(metadata, open, codec) != input_format::partition)
    return {input_format::chunked, path};
  if (detail::is_there(path + "/meta.json")) return {input_format::plain, path};
  std::vector<std::string> configs, graphs;
  for (const auto& name : detail::names_in(path)) {
    const fs::path file = fs::path(path) / name;
    if (is_graphar_name(name) && detail::is_file(file.string())) graphs.push_back(file.string());
    if (file.extension() == ".json" && name != "metadata.json" && detail::is_file(file.string()) &&
        format_of_json(file.string(), open, codec) == input_format::partition)
      configs.push_back(file.string());
  }
  if (configs.size() > 1) {
    raise(error_kind::invalid_argument,
          "the folder holds several partitioned graphs; name the config of one, such as " +
              configs[0],
          {.file = path});
  }
  if (!configs.empty()) return {input_format::partition, configs[0]};
  // DGL's pipeline calls the config metadata.json; ours writes it beside the other.
  if (has_metadata) return {input_format::partition, metadata};
  if (graphs.size() > 1) {
    raise(error_kind::invalid_argument,
          "the folder holds several GraphAr graphs; name the information file of one, such as " +
              graphs[0],
          {.file = path});
  }
  if (!graphs.empty()) return {input_format::graphar, graphs[0]};
  if (is_ogb_folder(path)) return {input_format::ogb, path};
  raise(
      error_kind::not_found,
      "the folder holds no graph; it must hold metadata.json (a chunked graph), meta.json (the "
      "plain form), the config of a partition folder (<name>.json), <name>.graph.yml (GraphAr), or "
      "edge_index.npy (OGB's layout)",
      {.file = path});
}

}  // namespace halograph::detail

namespace halograph {

HALOGRAPH_INLINE recognized_input recognize_input(const std::string& path,
                                                  const any_file_opener& open,
                                                  const any_json_codec& codec) {
  namespace fs = std::filesystem;
  const auto kind = detail::entry_at(path);
  if (!kind) raise(error_kind::not_found, "no such file or folder", {.file = path});
  if (*kind == detail::entry_kind::folder) return detail::recognize_folder(path, open, codec);
  const fs::path file(path);
  if (file.filename() == "meta.json") return {input_format::plain, path};
  if (file.extension() == ".dgl") return {input_format::dgl_graph, path};
  if (is_graphar_name(file.filename().string())) return {input_format::graphar, path};
  const std::string ending = fs::path(unpacked_name(path)).extension().string();
  if (ending == ".json") return {detail::format_of_json(path, open, codec), path};
  if (const auto format = detail::format_of_extension(ending)) return {*format, path};
  const file_bytes content = open(path);
  if (ending == ".gr") {
    return {detail::is_galois(content.bytes) ? input_format::galois : input_format::dimacs, path};
  }
  if (const auto format = detail::format_of_content(content.bytes)) return {*format, path};
  raise(
      error_kind::unsupported,
      "unrecognized file extension " + graph_schema::quoted(ending) +
          "; it must be a folder with metadata.json or meta.json, an OGB or partition folder, a "
          "DGL graph (.dgl), a METIS graph (.graph, .mgraph), an edge list (.txt, .csv, .tsv, "
          ".edges, .el, .wel; binary: .bin32, .bin64), a Matrix Market file (.mtx), a Galois or "
          "DIMACS graph (.gr), a GAP graph (.sg, .wsg), a Ligra graph (.adj), a ParHIP graph "
          "(.parhip, .bgf), GraphML (.graphml), all but the first three also with .gz or .zst appended, a GraphAr data set (.graph.yml), or a JSON file",
      {.file = path});
}

}  // namespace halograph
