// SPDX-License-Identifier: BSL-1.0
/// @file read_chunked.hpp
/// A graph from DGL's Chunked Graph Format: a metadata.json and the files it lists.
/// Layer: pipeline. Words: README.md.
///
/// | key of metadata.json | meaning |
/// | --- | --- |
/// | `graph_name` | the graph's name; without it, the folder's |
/// | `node_type`, `edge_type` | names, `source:relation:target`; their places are their numbers |
/// | `num_nodes_per_type`, or `num_nodes_per_chunk` | counts by type, or rows of counts to be summed |
/// | `num_edges_per_type`, `num_edges_per_chunk` | the same for edges; optional, checked where there |
/// | `edges` | edge type -> files; csv with any one-character delimiter, or numpy [n, 2] |
/// | `node_data`, `edge_data` | type -> feature -> files; numpy, any rank from 1 |
///
/// A list of files is `{"format": {"name": ..., "delimiter": ...}, "data": [path, ...]}`; paths are absolute or
/// relative to the folder of metadata.json; files are laid end to end, and may be empty.
#pragma once

#include <halograph/core/checked_cast.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/pipeline/config.hpp>
#include <halograph/pipeline/dataset.hpp>
#include <halograph/pipeline/id_converter_from_metadata.hpp>
#include <halograph/pipeline/json_members.hpp>
#include <halograph/pipeline/read_edge_list.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/file.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/npy.hpp>
#include <halograph/serial/tensor.hpp>
#include <halograph/serial/text.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace halograph {

/// What to read of a chunked graph.
struct chunked_options {
  bool features = true;  ///< false: structure alone; feature files are not opened
};

/// Names that a partition's own columns have: a feature called so would be lost or overwrite them.
constexpr bool is_reserved_feature(std::string_view name, bool of_nodes) noexcept {
  return name == "_ID" || name == (of_nodes ? "inner_node" : "inner_edge");
}

namespace detail {

/// Refuse names that could be paths, and reserved ones. @errors invalid_argument
inline void check_feature_name(std::string_view name, bool of_nodes, const std::string& file) {
  if (!is_safe_name(name)) {
    raise(errc::invalid_argument, "feature name " + graph_schema::quoted(name) +
                                      " must be 1 to 200 bytes without '/' and control characters", {.file = file});
  }
  if (is_reserved_feature(name, of_nodes)) {
    raise(errc::invalid_argument, "feature name " + graph_schema::quoted(name) +
                                      " is reserved for the partitions' own columns; it must be another", {.file = file});
  }
}

/// Raise overflow as early as the counts are known, so that nothing is read in vain.
template <id Node>
void check_node_total(std::span<const std::uint64_t> counts, const std::string& file) {
  std::uint64_t total = 0;
  for (const auto count : counts) {
    if (count > id_capacity<Node>() - total) {
      raise(errc::overflow, "the graph has more nodes than a node ID of " + std::to_string(sizeof(Node) * 8) +
                                " bits can number (" + std::to_string(id_capacity<Node>()) + "); read it with a wider one",
            {.file = file});
    }
    total += count;
  }
}

inline std::string folder_name(const std::string& path) {
  const std::filesystem::path folder(path);
  return folder.has_filename() ? folder.filename().string() : folder.parent_path().filename().string();
}

inline bool is_folder(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

/// The files of one entry of metadata.json.
struct chunk_files {
  std::string format{};
  text_format text{};
  std::vector<std::string> paths{};
};

inline std::string resolved(const std::string& folder, const std::string& path) {
  return path.starts_with('/') || folder.empty() ? path : folder + "/" + path;
}

inline chunk_files chunk_files_of(const json::value& entry, const std::string& of, const std::string& folder,
                                  const std::string& file) {
  static_cast<void>(as_object(entry, of, file));
  chunk_files out;
  out.text.comments = true;  // DGL's guide shows its files with a heading; no other line could begin with #
  const json::value& format = required_member(entry, "format", file);
  static_cast<void>(as_object(format, "format", file));
  out.format = as_string(required_member(format, "name", file), "name", file);
  if (const auto* delimiter = format.find("delimiter"); delimiter != nullptr && out.format == "csv") {
    const auto& text = as_string(*delimiter, "delimiter", file);
    if (text.size() != 1 || text[0] == '\0') {
      raise(errc::unsupported, "\"delimiter\" of " + graph_schema::quoted(of) + " is " + graph_schema::quoted(text) +
                                   "; it must be one character", {.file = file});
    }
    out.text.delimiter = text[0];
  }
  for (const auto& path : as_array(required_member(entry, "data", file), "data", file)) {
    out.paths.push_back(resolved(folder, as_string(path, "data", file)));
  }
  return out;
}

[[noreturn]] inline void raise_format(const chunk_files& files, const std::string& of, const char* known,
                                      const std::string& file) {
  raise(errc::unsupported,
        files.format == "parquet"
            ? "the files of " + graph_schema::quoted(of) + " are in Parquet, which needs a Parquet library that this reader "
                                                           "does not have; convert them to " + known
            : "the files of " + graph_schema::quoted(of) + " are in format " + graph_schema::quoted(files.format) +
                  "; it must be " + known,
        {.file = file});
}

/// The number of the line that holds record n (from 0), or of the line behind the last.
inline std::uint64_t line_of_record(std::string_view text, std::uint64_t n) noexcept {
  text_cursor cursor(text.data(), text.data() + text.size(), {});
  std::uint64_t line = 1;
  for (; !cursor.done(); cursor.next_line(), ++line) {
    cursor.skip_blanks();
    if (!cursor.at_line_end() && n-- == 0) return line;
  }
  return line;
}

/// Columns of an integer array [n, 2]. @errors malformed, out_of_range at the row (as the line, from 1)
template <id Node>
edge_text<Node> edges_from_array(const tensor& array, std::uint64_t sources, std::uint64_t targets, const std::string& file) {
  edge_text<Node> out;
  if (element_count(array.shape()) == 0) return out;
  if (array.rank() != 2 || array.shape()[1] != 2 || !is_integer(array.type()) || array.type() == dtype::boolean) {
    raise(errc::malformed, "an array of shape " + to_string(array.shape()) + " and dtype " + std::string(name(array.type())) +
                               " holds no edges; it must be (n, 2) integers", {.file = file});
  }
  const auto count = static_cast<std::size_t>(array.rows());
  out.source.resize(count);
  out.target.resize(count);
  for (std::size_t e = 0; e < count; ++e) {
    for (const std::size_t end : {0u, 1u}) {
      // Beyond 63 bits an unsigned number reads as negative: out of range either way.
      const std::int64_t value = array.integer(2 * e + end);
      const std::uint64_t limit = end == 0 ? sources : targets;
      if (value < 0 || static_cast<std::uint64_t>(value) >= limit) {
        raise(errc::out_of_range, "row " + std::to_string(e) + " has " + (end == 0 ? "source " : "target ") + std::to_string(value) +
                                      (limit == 0 ? "; its type has no nodes"
                                                  : "; it must be an integer from 0 to " + std::to_string(limit - 1)),
              {.file = file});
      }
      (end == 0 ? out.source : out.target)[e] = static_cast<Node>(value);
    }
  }
  return out;
}

template <class T>
void append_to(std::vector<T>& all, std::vector<T>&& more) {
  if (all.empty()) all = std::move(more);
  else all.insert(all.end(), more.begin(), more.end());
}

/// The chunks of one feature, checked against each other and against the number of rows.
template <file_opener Opener>
chunked_tensor read_feature_files(const chunk_files& files, const std::string& of, std::uint64_t rows, const char* rows_of,
                                  const std::string& file, const Opener& open) {
  if (files.format != "numpy") raise_format(files, of, "\"numpy\"", file);
  if (files.paths.empty()) {
    raise(errc::malformed, "the list of files of feature " + graph_schema::quoted(of) + " is empty; leave the feature out instead",
          {.file = file});
  }
  std::vector<tensor> chunks;
  std::uint64_t total = 0;
  for (const auto& path : files.paths) {
    tensor chunk = read_npy(open(path), path);
    if (chunk.rank() == 0) {
      raise(errc::malformed, "an array without dimensions has no rows; a feature needs at least one dimension", {.file = path});
    }
    const bool alike = chunks.empty() || (chunk.type() == chunks[0].type() &&
                                          std::ranges::equal(chunk.row_shape(), chunks[0].row_shape()));
    if (!alike && chunk.rows() != 0 && chunks[0].rows() != 0) {
      raise(errc::mismatch, "chunk of dtype " + std::string(name(chunk.type())) + " and shape " + to_string(chunk.shape()) +
                                " does not continue one of dtype " + std::string(name(chunks[0].type())) + " and shape " +
                                to_string(chunks[0].shape()) + "; all but the first extent must be equal", {.file = path});
    }
    if (chunk.rows() > rows - total) {
      raise(errc::mismatch, "feature " + graph_schema::quoted(of) + " has row " + std::to_string(rows) + " here; it must have " +
                                std::to_string(rows) + " rows in all, one for each " + rows_of, {.file = path});
    }
    total += chunk.rows();
    // An empty chunk may be of any dtype and shape: there was nothing to take them from.
    if (chunks.empty()) chunks.push_back(std::move(chunk));
    else if (chunks[0].rows() == 0) chunks[0] = std::move(chunk);
    else if (chunk.rows() != 0) chunks.push_back(std::move(chunk));
  }
  if (total != rows) {
    raise(errc::mismatch, "feature " + graph_schema::quoted(of) + " ends here after " + std::to_string(total) + " rows; it must have " +
                              std::to_string(rows) + ", one for each " + rows_of, {.file = files.paths.back()});
  }
  return chunked_tensor(std::move(chunks));
}

template <id Node, id Edge, file_opener Opener, executor Executor>
class chunked_reader {
 public:
  chunked_reader(const json::value& metadata, const std::string& file, const std::string& folder, const Opener& open,
                 const Executor& executor)
      : metadata_(metadata), file_(file), folder_(folder), open_(open), executor_(executor) {}

  dataset<Node, Edge> read(const chunked_options& options) {
    if (!metadata_.is_object()) raise(errc::malformed, "the document must be an object", {.file = file_});
    const auto* const name = metadata_.find("graph_name");
    data_.name = name != nullptr ? as_string(*name, "graph_name", file_) : folder_name(folder_);
    try {
      data_.schema = schema_from_metadata(metadata_, {.file = file_});
    } catch (const error& problem) {
      if (!problem.where().file.empty()) throw;
      raise(problem.code(), problem.message(), {.file = file_});
    }
    data_.node_counts = metadata_counts(metadata_, "num_nodes_per_type", "num_nodes_per_chunk",
                                        data_.schema.num_node_types(), {.file = file_});
    check_node_total<Node>(data_.node_counts, file_);
    read_edges_of_all_types();
    if (options.features) {
      read_features("node_data", true);
      read_features("edge_data", false);
    }
    data_.finish();
    return std::move(data_);
  }

 private:
  void read_edges_of_all_types() {
    const std::size_t types = data_.schema.num_edge_types();
    std::optional<std::vector<std::uint64_t>> counts;
    if (metadata_.find("num_edges_per_type") || metadata_.find("num_edges_per_chunk")) {
      counts = metadata_counts(metadata_, "num_edges_per_type", "num_edges_per_chunk", types, {.file = file_});
    }
    const json::value& edges = required_member(metadata_, "edges", file_);
    for (const auto& [key, entry] : as_object(edges, "edges", file_)) {
      static_cast<void>(entry);
      if (const auto type = canonical_etype::parse(key); !type || !data_.schema.edge_type(*type)) {
        raise(errc::not_found, "\"edges\" has files of " + graph_schema::quoted(key) + ", which \"edge_type\" does not list",
              {.file = file_});
      }
    }
    data_.edges.resize(types);
    for (std::size_t t = 0; t < types; ++t) {
      const auto type = static_cast<type_id>(t);
      const std::string key = data_.schema.edge_type_name(type).str();
      const auto* const entry = edges.find(key);
      if (entry == nullptr) {
        if (counts && (*counts)[t] == 0) continue;
        raise(errc::not_found, "\"edges\" has no files of " + graph_schema::quoted(key) + "; every edge type needs them", {.file = file_});
      }
      read_edges_of(type, chunk_files_of(*entry, key, folder_, file_), key,
                    counts ? std::optional((*counts)[t]) : std::nullopt);
    }
  }

  void read_edges_of(type_id type, const chunk_files& files, const std::string& key, std::optional<std::uint64_t> count) {
    if (files.format != "csv" && files.format != "numpy") raise_format(files, key, "\"csv\" or \"numpy\"", file_);
    const edge_text_options text{.format = files.text,
                                 .source_count = data_.node_counts[data_.schema.source_type(type)],
                                 .target_count = data_.node_counts[data_.schema.target_type(type)]};
    const std::vector<std::uint64_t> chunk_counts = edge_chunk_counts(type, files.paths.size());
    auto& columns = data_.edges[type];
    for (std::size_t i = 0; i < files.paths.size(); ++i) {
      const auto& path = files.paths[i];
      const file_bytes content = open_(path);
      edge_text<Node> edges = files.format == "csv"
                                  ? read_edges<Node>(content.bytes, path, text, executor_)
                                  : edges_from_array<Node>(read_npy(content, path), text.source_count, text.target_count, path);
      const std::uint64_t here = edges.source.size(), before = columns.source.size();
      const auto disagree = [&](std::uint64_t announced, const char* in) {
        std::optional<std::uint64_t> line;
        if (files.format == "csv") line = line_of_record(as_text(content.bytes), std::min(here, announced));
        raise(errc::mismatch, "the file has " + std::to_string(here) + " edges of " + graph_schema::quoted(key) + " where " +
                                  std::to_string(announced) + " are " + in, {.file = path, .line = line});
      };
      if (!chunk_counts.empty() && here != chunk_counts[i]) disagree(chunk_counts[i], "announced by \"num_edges_per_chunk\"");
      if (count && (here > *count - before || (i + 1 == files.paths.size() && here != *count - before))) {
        disagree(*count - before, ("left of the " + std::to_string(*count) + " announced").c_str());
      }
      append_to(columns.source, std::move(edges.source));
      append_to(columns.target, std::move(edges.target));
    }
    if (count && columns.source.size() != *count) {
      raise(errc::mismatch, graph_schema::quoted(key) + " has " + std::to_string(columns.source.size()) + " edges in its files, but " +
                                std::to_string(*count) + " are announced", {.file = file_});
    }
  }

  /// The counts of the chunks of an edge type, where there is one for each file; else none.
  std::vector<std::uint64_t> edge_chunk_counts(type_id type, std::size_t files) const {
    const auto* const rows = metadata_.find("num_edges_per_chunk");
    if (rows == nullptr) return {};
    const auto& all = as_array(*rows, "num_edges_per_chunk", file_);
    if (all.size() != data_.schema.num_edge_types()) {
      raise(errc::mismatch, "\"num_edges_per_chunk\" has " + std::to_string(all.size()) + " rows for " +
                                std::to_string(data_.schema.num_edge_types()) + " edge types", {.file = file_});
    }
    const auto& row = as_array(all[type], "num_edges_per_chunk", file_);
    if (row.size() != files) return {};
    std::vector<std::uint64_t> counts;
    for (const auto& count : row) counts.push_back(as_count(count, "num_edges_per_chunk", file_));
    return counts;
  }

  void read_features(const char* key, bool of_nodes) {
    const json::object* const types = optional_object(metadata_, key, file_);
    if (types == nullptr) return;
    for (const auto& [type_name, entries] : *types) {
      type_id type = 0;
      if (of_nodes) {
        const auto found = data_.schema.node_type(type_name);
        if (!found) {
          raise(errc::not_found, "\"node_data\" has features of " + graph_schema::quoted(type_name) + ", which \"node_type\" does not list",
                {.file = file_});
        }
        type = *found;
      } else {
        try {
          type = data_.schema.resolve_edge_type(type_name);
        } catch (const error& problem) {
          raise(problem.code(), "\"edge_data\": " + problem.message(), {.file = file_});
        }
      }
      const std::uint64_t rows = of_nodes ? data_.node_counts[type] : data_.edges[type].source.size();
      auto& all = of_nodes ? data_.features.nodes : data_.features.edges;
      for (const auto& member : as_object(entries, type_name, file_)) {
        const std::string& feature_name = member.first;
        check_feature_name(feature_name, of_nodes, file_);
        const std::string label = type_name + "/" + feature_name;
        if (std::any_of(all.begin(), all.end(), [&](const auto& f) { return f.type == type && f.name == feature_name; })) {
          raise(errc::exists, "feature " + graph_schema::quoted(label) + " is listed twice; names must differ", {.file = file_});
        }
        all.push_back({type, feature_name,
                       read_feature_files(chunk_files_of(member.second, label, folder_, file_), label, rows,
                                          of_nodes ? "node" : "edge", file_, open_)});
      }
    }
  }

  const json::value& metadata_;
  const std::string& file_;
  const std::string& folder_;
  const Opener& open_;
  const Executor& executor_;
  dataset<Node, Edge> data_{};
};

}  // namespace detail

/// Read a chunked graph. Feature rows stay where the opener puts them: with mapped_files they are not read
/// before they are used.
///
/// @param path      the folder, or its metadata.json under any name
/// @param open      how to open files
/// @param codec     parses JSON
/// @param executor  parses pieces of the edge files
/// @errors what is wrong with which key, or with which file and line: not_found, malformed, mismatch (counts),
///         out_of_range (IDs), unsupported (Parquet, other formats), invalid_argument (names that could be
///         paths, reserved feature names), overflow (Node or Edge is too narrow)
/// @complexity O(bytes of metadata and edges)
template <id Node = std::uint64_t, id Edge = std::uint64_t, file_opener Opener, json_codec Codec, executor Executor = sequential>
dataset<Node, Edge> read_chunked(const std::string& path, const chunked_options& options, const Opener& open,
                                 const Codec& codec, const Executor& executor = {}) {
  const bool folder = detail::is_folder(path);
  const std::string file = folder ? path + "/metadata.json" : path;
  const std::string base = folder ? path : std::filesystem::path(path).parent_path().string();
  const json::value metadata = read_json(file, open, codec);
  return detail::chunked_reader<Node, Edge, Opener, Executor>(metadata, file, base, open, executor).read(options);
}

}  // namespace halograph
