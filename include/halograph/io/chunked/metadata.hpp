// SPDX-License-Identifier: BSL-1.0
/// @file metadata.hpp
/// The metadata.json of a chunked graph: its keys, the lists of files that it names, and how it is
/// written.
/// Layer: io. Words: README.md.
///
/// | key of metadata.json | meaning |
/// | --- | --- |
/// | `graph_name` | the graph's name; without it, the folder's |
/// | `node_type`, `edge_type` | names, `source:relation:target`; their places are their numbers |
/// | `num_nodes_per_type`, or `num_nodes_per_chunk` | counts by type, or rows of counts to be summed |
/// | `num_edges_per_type`, `num_edges_per_chunk` | the same for edges; optional, checked where there |
/// | `edges` | edge type -> files; csv, numpy [n, 2], or parquet with two columns |
/// | `node_data`, `edge_data` | type -> feature -> files; numpy of any rank from 1, csv, or parquet |
///
/// A list of files is `{"format": {"name": ..., "delimiter": ...}, "data": [path, ...]}`; paths are
/// absolute or relative to the folder of metadata.json; files are laid end to end, and may be
/// empty.
///
/// | format | dtype and shape of a feature |
/// | --- | --- |
/// | numpy | the array's |
/// | csv | [n, columns], int64, or float64 if any number is not an integer |
/// | parquet, one column of lists | [n, length of the lists] |
/// | parquet, columns of numbers | [n, columns], of the dtype that holds them all |
/// | parquet with `shape` in its metadata | that shape |
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/serial/bytes.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/table.hpp>
#include <halograph/serial/tensor.hpp>
#include <halograph/serial/text/blocks.hpp>
#include <halograph/serial/text/cursor.hpp>

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

/// What to read of a chunked graph.
struct chunked_options {
  bool features = true;  ///< false: structure alone; feature files are not opened
  /// keep .npy features open, for an opener that would read or inflate them twice
  bool keep_arrays = false;
};

/// The formats of a chunked graph's files.
enum class chunk_format : std::uint8_t { csv, numpy, parquet };

/// The name in metadata.json.
constexpr std::string_view name(chunk_format format) noexcept {
  return format == chunk_format::csv ? "csv" : format == chunk_format::numpy ? "numpy" : "parquet";
}

/// One file of a chunked graph.
struct chunk_file {
  std::string path{};       ///< with which the file can be opened
  std::uint64_t first = 0;  ///< of the type: ID of its first edge, or first row
  std::uint64_t rows = 0;   ///< edges or rows in the file
  text_index text{};        ///< csv: where its lines are
  table_info table{};       ///< parquet
  tensor_shape shape{};     ///< features: of this file's rows, the first extent being `rows`
  file_bytes kept{};        ///< numpy, with chunked_options::keep_arrays
};

/// The files of one edge type or feature, in order.
struct chunk_list {
  chunk_format format = chunk_format::csv;  ///< of all files
  text_format text{};                       ///< csv: delimiter and comments
  std::vector<chunk_file> files{};          ///< laid end to end

  /// Edges or rows of all files; 0 before the files have been opened.
  std::uint64_t rows() const noexcept {
    return files.empty() ? 0 : files.back().first + files.back().rows;
  }
};

/// One feature of a chunked graph.
struct chunked_feature {
  type_id type = 0;                                    ///< node type or edge type
  std::string name{};                                  ///< of the feature
  halograph::dtype dtype = halograph::dtype::float32;  ///< as in the input: bool stays bool
  tensor_shape row_shape{};                            ///< of one row; empty: one number each
  std::uint64_t rows = 0;                              ///< as many as the type has nodes or edges
  chunk_list list{};                                   ///< its files

  /// Bytes of one row in memory.
  std::size_t row_bytes() const noexcept {
    return static_cast<std::size_t>(element_count(row_shape)) * item_bytes(dtype);
  }
};

/// Edges [first, last) of a type that lie together in one file: a piece of work.
struct edge_block {
  std::uint64_t first = 0;  ///< typed ID of its first edge
  std::uint64_t last = 0;   ///< typed ID of its last edge, plus one
};

namespace detail {

/// Reject names that could be paths, and reserved names. @errors invalid_argument
void check_feature_name(std::string_view name, bool of_nodes, const std::string& file);

inline std::string folder_name(const std::string& path) {
  const std::filesystem::path folder(path);
  return folder.has_filename() ? folder.filename().string()
                               : folder.parent_path().filename().string();
}

/// A delimiter of one character, or in a common notation for blanks: "  ", "\s+", ", ".
inline std::optional<char> delimiter_from(std::string_view text) noexcept {
  if (text == "\\s+") return ' ';
  if (text.size() == 1 && text[0] != '\0') return text[0];
  while (text.size() > 1 && text.front() == ' ') text.remove_prefix(1);
  while (text.size() > 1 && text.back() == ' ') text.remove_suffix(1);
  return text.size() == 1 && text[0] != '\0' ? std::optional(text[0]) : std::nullopt;
}

/// A list of files as metadata.json has it; the files are not opened.
chunk_list chunk_list_from(const json::value& entry, const std::string& of,
                           const std::string& folder, const std::string& file);

/// The lists of a metadata.json.
struct chunked_metadata {
  std::string name{};
  json::value node_type{}, edge_type{};           // names, in the order of their numbers
  json::value edges{}, node_data{}, edge_data{};  // type -> files
  json::value nodes_per_type{}, edges_per_type{}, nodes_per_chunk{}, edges_per_chunk{};
};

/// Write metadata.json, with keys in the order of DGL's tool. Write it last: it makes the folder a
/// graph.
void write_metadata(const std::string& folder, chunked_metadata lists);

}  // namespace detail

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/io/chunked/impl/metadata.ipp>
#endif
