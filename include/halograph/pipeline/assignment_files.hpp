// SPDX-License-Identifier: BSL-1.0
/// @file assignment_files.hpp
/// Partition assignment folders: the part of each node, one text file per node type.
/// Layer: pipeline. Words: README.md.
///
/// | file | holds |
/// | --- | --- |
/// | `<node type>.txt` | line i: the part of the type's node i, decimal |
/// | `partition_meta.json` | `algo_name`, `num_parts`, `version` "1.0.0"; optional when reading |
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/pipeline/config.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/file.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/text.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

/// What is in an assignment folder.
struct assignment_folder {
  part_id parts = 0;
  std::string algorithm{};       ///< "random", "metis", or "" where no partition_meta.json is
  std::vector<part_id> owner{};  ///< [V] part of each node, homogenised: types laid end to end
  std::string note{};            ///< where no partition_meta.json is: what was taken for the number of parts, and why
};

/// The number of parts and the algorithm from the text of a partition_meta.json.
/// @errors malformed, not_found, unsupported, out_of_range: what is wrong with which key
inline std::pair<part_id, std::string> assignment_meta_from_json(const json::value& root, const std::string& path) {
  const location where{.file = path};
  if (!root.is_object()) raise(errc::malformed, "the document must be an object", where);
  if (const auto* version = root.find("version")) {
    const auto* text = version->if_string();
    if (text == nullptr || *text != "1.0.0") {
      raise(errc::unsupported, "\"version\" is " + (text ? graph_schema::quoted(*text) : json::print(*version, 0).substr(0, 40)) +
                                   "; the only one known is \"1.0.0\"", where);
    }
  }
  const auto* count = root.find("num_parts");
  std::uint64_t parts = 0;
  if (count == nullptr) raise(errc::not_found, "key \"num_parts\" is missing; it must hold the number of parts", where);
  if (!count->to_uint(parts) || parts == 0 || parts >= id_capacity<part_id>()) {
    raise(errc::out_of_range, "\"num_parts\" must be an integer from 1 to " + std::to_string(id_capacity<part_id>() - 1), where);
  }
  const auto* algorithm = root.find("algo_name");
  if (algorithm == nullptr) raise(errc::not_found, "key \"algo_name\" is missing; it must be \"random\" or \"metis\"", where);
  const auto* name = algorithm->if_string();
  if (name == nullptr || (*name != "random" && *name != "metis")) {
    raise(errc::unsupported, "\"algo_name\" is " + (name ? graph_schema::quoted(*name) : std::string("no text")) +
                                 "; it must be \"random\" or \"metis\"", where);
  }
  return {static_cast<part_id>(parts), *name};
}

/// The number of parts of an assignment folder, as far as it is known before the parts are read.
struct resolved_parts {
  std::optional<part_id> parts{};  ///< nothing: the largest part and one, once all are read
  std::string algorithm{};         ///< as in assignment_folder
  std::string note{};              ///< a sentence that a user should hear, where partition_meta.json is missing
};

/// Find the number of parts: partition_meta.json's; without that file the number that was asked for; else one for
/// each machine; else it takes reading all parts.
///
/// @param asked        what the caller asks for (`--num-partitions`)
/// @param machines     lines of the ip config file, where there is one
/// @param open, codec  open and parse partition_meta.json
/// @errors mismatch: partition_meta.json says another number than `asked`; out_of_range: no machines, or too many;
///         those of assignment_meta_from_json
template <file_opener Opener, json_codec Codec>
resolved_parts resolve_num_parts(const std::string& folder, std::optional<part_id> asked, std::optional<std::uint64_t> machines,
                                 const Opener& open, const Codec& codec) {
  resolved_parts out;
  const std::string meta = folder + "/partition_meta.json";
  std::optional<json::value> document;
  try {
    document = read_json(meta, open, codec);
  } catch (const error& problem) {
    if (problem.code() != errc::not_found) throw;  // folders made before DGL 1.0 have none
  }
  if (document) {
    const auto [count, algorithm] = assignment_meta_from_json(*document, meta);
    if (asked && *asked != count) {
      raise(errc::mismatch, "\"num_parts\" is " + std::to_string(count) + ", but " + std::to_string(*asked) +
                                " parts are asked for; both must be the same", {.file = meta});
    }
    out.parts = count;
    out.algorithm = algorithm;
    return out;
  }
  const std::string missing = folder + " has no partition_meta.json; ";
  if (asked) {
    out.parts = asked;
    out.note = missing + "the " + std::to_string(*asked) + " parts that are asked for are taken";
  } else if (machines) {
    if (*machines == 0 || *machines >= id_capacity<part_id>()) {
      raise(errc::out_of_range, "the ip config lists " + std::to_string(*machines) + " machines; they cannot stand for the number of parts");
    }
    out.parts = static_cast<part_id>(*machines);
    out.note = missing + "one part is taken for each of the " + std::to_string(*machines) + " machines of the ip config";
  }
  return out;
}

/// Read an assignment folder and hold it against the graph's node types and counts.
///
/// @param folder       the folder
/// @param schema       whose node types name the files
/// @param node_counts  [T] lines that each file must have; a type without nodes needs no file
/// @param parts        the number of parts, where the caller knows it; else partition_meta.json's; else
///                     the largest part and one
/// @param open, codec  open and parse files; `executor` parses pieces of a file
/// @errors not_found: a file; mismatch: a wrong number of lines, or of parts in partition_meta.json;
///         out_of_range, malformed: a line that is no part (with file and line). "1.0" counts as 1
/// @complexity O(bytes)
template <file_opener Opener, json_codec Codec, executor Executor = sequential>
assignment_folder read_assignment(const std::string& folder, const graph_schema& schema,
                                  std::span<const std::uint64_t> node_counts, std::optional<part_id> parts,
                                  const Opener& open, const Codec& codec, const Executor& executor = {}) {
  assignment_folder out;
  auto known = resolve_num_parts(folder, parts, std::nullopt, open, codec);
  parts = known.parts;
  out.algorithm = std::move(known.algorithm);
  out.note = std::move(known.note);
  const std::int64_t most = static_cast<std::int64_t>(parts.value_or(static_cast<part_id>(id_capacity<part_id>() - 1))) - 1;
  for (std::size_t t = 0; t < schema.num_node_types(); ++t) {
    const std::string file = folder + "/" + schema.node_types()[t] + ".txt";
    std::vector<std::int64_t> column;
    try {
      const file_bytes content = open(file);
      column = read_column(content.bytes, file,
                           {.format = {.delimiter = ' ', .comments = true}, .least = 0, .most = most, .integral_floats = true, .what = "a part"}, executor);
    } catch (const error& problem) {
      if (problem.code() != errc::not_found || node_counts[t] != 0) throw;
    }
    if (column.size() != node_counts[t]) {
      raise(errc::mismatch, "there are " + std::to_string(column.size()) + " lines for " + std::to_string(node_counts[t]) +
                                " nodes of type " + graph_schema::quoted(schema.node_types()[t]) + "; it needs one line each",
            {.file = file, .line = std::min<std::uint64_t>(column.size(), node_counts[t]) + 1});
    }
    out.owner.reserve(out.owner.size() + column.size());
    for (const auto part : column) out.owner.push_back(static_cast<part_id>(part));
  }
  out.parts = parts.value_or(out.owner.empty() ? 1 : *std::max_element(out.owner.begin(), out.owner.end()) + 1);
  if (!parts) {
    out.note = folder + " has no partition_meta.json; the largest part and one, " + std::to_string(out.parts) + ", is taken for the number of parts";
  }
  return out;
}

/// Write an assignment folder: one file per node type and partition_meta.json, in DGL's spelling, a block at a time.
/// The folder must exist (a staged_folder's path, so that all files appear at once).
///
/// @param owner      [V] part of each node, homogenised; each below `parts`
/// @param algorithm  "random" or "metis", all that DGL knows
/// @param further    an object: keys of our own for partition_meta.json, which DGL passes over; or null
/// @return           the names of the files
/// @errors mismatch: owner has not one entry per node; out_of_range: a part; io
template <id Part>
std::vector<std::string> write_assignment(const std::string& folder, const graph_schema& schema,
                                          std::span<const std::uint64_t> node_counts, std::span<const Part> owner,
                                          std::uint64_t parts, const std::string& algorithm, const json::value& further = {}) {
  std::uint64_t nodes = 0;
  for (const auto count : node_counts) nodes += count;
  if (nodes != owner.size()) {
    raise(errc::mismatch, "there are " + std::to_string(owner.size()) + " parts for " + std::to_string(nodes) + " nodes");
  }
  for (std::size_t v = 0; v < owner.size(); ++v) {
    if (index(owner[v]) >= parts) {
      raise(errc::out_of_range, "node " + std::to_string(v) + " has part " + std::to_string(index(owner[v])) +
                                    "; there are " + std::to_string(parts));
    }
  }
  constexpr std::size_t block = std::size_t{1} << 18;
  std::vector<std::string> names;
  std::size_t first = 0;
  for (std::size_t t = 0; t < schema.num_node_types(); ++t) {
    auto column = owner.subspan(first, static_cast<std::size_t>(node_counts[t]));
    first += column.size();
    std::uint64_t bytes = 0;
    for (const Part part : column) {
      bytes += 2;
      for (std::uint64_t left = index(part); left >= 10; left /= 10) ++bytes;
    }
    names.push_back(schema.node_types()[t] + ".txt");
    auto sink = file_sink::create(folder + "/" + names.back(), bytes);
    std::string text;
    for (std::uint64_t at = 0; !column.empty(); at += text.size()) {
      const std::size_t count = std::min(block, column.size());
      text.clear();
      append_column(text, column.first(count));
      sink.require(sink.write_at(at, std::as_bytes(std::span(text))));
      column = column.subspan(count);
    }
    sink.close();
  }
  json::value meta;
  meta.set("algo_name", algorithm).set("num_parts", parts).set("version", "1.0.0");
  if (const auto* more = further.if_object()) {
    for (const auto& [key, value] : *more) meta.set(key, value);
  }
  names.push_back("partition_meta.json");
  const std::string text = json::print(meta);
  auto sink = file_sink::create(folder + "/" + names.back(), text.size());
  sink.require(sink.write_at(0, std::as_bytes(std::span(text))));
  sink.close();
  return names;
}

}  // namespace halograph
