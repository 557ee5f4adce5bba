// SPDX-License-Identifier: BSL-1.0
/// @file open.hpp
/// Open a chunked graph: read its metadata and compare it with the files that it names.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/io/chunked/graph.hpp>
#include <halograph/io/chunked/metadata.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/folder_entries.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/table.hpp>
#include <halograph/serial/text/lines.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

namespace detail {

/// Opens the files of a chunked graph and compares them with its metadata.
class chunked_opener {
 public:
  chunked_opener(const json::value& metadata, const std::string& file, const std::string& folder,
                 any_file_opener open, any_table_reader tables, const chunked_options& options,
                 executor_ref executor)
      : metadata_(metadata),
        file_(file),
        folder_(folder),
        options_(options),
        executor_(executor),
        graph_(std::move(open), std::move(tables)) {}

  /// Names and node counts.
  void read_names();
  const graph_schema& schema() const noexcept { return graph_.schema; }
  const std::vector<std::uint64_t>& node_counts() const noexcept { return graph_.node_counts; }

  /// Everything else.
  chunked_graph read_files();

 private:
  void open_edges();

  void open_edges_of(type_id type, const std::string& key, std::optional<std::uint64_t> count);

  /// Fill in a file's rows. @return its bytes, where the format is text
  file_bytes count_edges(const chunk_list& list, chunk_file& file);

  /// The counts of the chunks of an edge type, where there is one for each file; else none.
  std::vector<std::uint64_t> edge_chunk_counts(type_id type, std::size_t files) const;

  void open_features(const char* key, bool of_nodes);

  /// Examine the files of a feature and check them against each other and the number of rows.
  void open_feature(chunked_feature& feature, const std::string& label, const char* rows_of);

  /// Fill in the shape of a file's rows. @return their dtype
  dtype examine_feature(const chunk_list& list, chunk_file& file);

  dtype examine_table(chunk_file& file);

  const json::value& metadata_;
  const std::string& file_;
  const std::string& folder_;
  const chunked_options& options_;
  executor_ref executor_;
  chunked_graph graph_;
};

/// Where a chunked graph is: its metadata.json and the folder that paths are relative to.
struct chunked_place {
  explicit chunked_place(const std::string& path)
      : file(is_folder(path) ? path + "/metadata.json" : path),
        folder(is_folder(path) ? path : std::filesystem::path(path).parent_path().string()) {}
  std::string file;
  std::string folder;
};

}  // namespace detail

/// Open a chunked graph: read its metadata, look into its files, count the lines of its text files,
/// and compare.
///
/// @param path      the folder, or its metadata.json under any name
/// @param open      how to open files; kept by the graph
/// @param codec     parses JSON
/// @param tables    reads Parquet files; no_tables refuses them; kept by the graph
/// @param executor  counts the lines of pieces of text
/// @errors what is wrong with which key, or with which file and line: not_found, malformed,
///     mismatch (counts, shapes), unsupported (other formats, a missing library), invalid_argument
///     (names that could be paths, reserved feature names), overflow
/// @complexity O(bytes of metadata and text, and headers of the other files)
chunked_graph open_chunked(const std::string& path, any_file_opener open,
                           const any_json_codec& codec, any_table_reader tables = {},
                           const chunked_options& options = {}, executor_ref executor = {});

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/io/chunked/impl/open.ipp>
#endif
