// SPDX-License-Identifier: BSL-1.0
/// @file write.hpp
/// Write a graph in DGL's Chunked Graph Format: metadata.json, and edges and features in files of
/// their own.
/// Layer: io. Words: README.md.
///
/// | file | holds |
/// | --- | --- |
/// | `metadata.json` | names, counts by type and by chunk, lists of files |
/// | `edge_index/<source:relation:target><i>.txt` | chunk i: `source target` a line, one delimiter between |
/// | `edge_index/<source:relation:target><i>.npy` | instead, where asked for: int64 [n, 2] |
/// | `edge_index/<source:relation:target><i>.parquet` | or two columns of int64, `src` and `dst` |
/// | `node_data/<type>/<feature>-<i>.npy`, `edge_data/<source:relation:target>/<feature>-<i>.npy` | rows of chunk i |
/// | the same with `.parquet` | a column for each number of a row, called 0, 1, ..., and the shape in the metadata; or, where asked for, one column of lists called `vector` |
///
/// Of n items and c chunks, chunk i has n div c, and one more if i < n mod c. Where two files of
/// edges would be called alike, as chunk 10 of `a:r:b` and chunk 0 of `a:r:b1`, `-` stands before
/// the number of all of them.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/graph/hetero.hpp>
#include <halograph/io/chunked/metadata.hpp>
#include <halograph/io/dataset.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/bytes.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/feature_store.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/layout_writer.hpp>
#include <halograph/serial/table.hpp>
#include <halograph/serial/tensor.hpp>
#include <halograph/serial/text/edges.hpp>
#include <halograph/serial/text/numbers.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace halograph {

struct manifest_entry;
class staged_folder;

/// How edges are written: csv, which all of DGL's tools read; numpy, faster, read by halograph and
/// by DGL's ParMETIS preprocessing; parquet, read by DGL's tools since 1.0.
using edge_file_format = chunk_format;

/// How write_chunked() writes.
struct write_chunked_options {
  std::uint64_t chunks = 1;  ///< files for each edge type and feature, 1 to 1000000
  /// Other numbers of chunks: of "edges", "node_data" or "edge_data", of a type there
  /// ("edges/user:buys:item", "node_data/user") or of a feature ("node_data/user/age"); the longest
  /// name counts.
  std::vector<std::pair<std::string, std::uint64_t>> chunks_of{};
  edge_file_format edges = edge_file_format::csv;  ///< of the files of edges
  char delimiter = ' ';                            ///< csv; DGL's dispatch reads no other
  chunk_format features = chunk_format::numpy;     ///< numpy or parquet
  /// parquet features: one column of lists, not one column for each number
  bool vector_rows = false;
  std::string absolute{};  ///< the final place of the folder, with which paths begin; empty: paths
                           ///< are relative
  std::string step = "write";       ///< the name of the step, for on_progress
  progress_callback on_progress{};  ///< called with edges, then rows written; empty: no reports
};

namespace detail {

/// The number of chunks at a place: its own, or that of the nearest place that contains it.
std::uint64_t chunks_at(const write_chunked_options& options, std::string_view place);

/// Decimal digits of the largest ID below `count`.
constexpr std::uint64_t digits_below(std::uint64_t count) noexcept {
  std::uint64_t digits = 1;
  for (std::uint64_t rest = count > 1 ? count - 1 : 0; rest >= 10; rest /= 10) ++digits;
  return digits;
}

/// Split consecutive rows into columns.
template <std::size_t Width>
void split_rows(const std::byte* from, std::size_t rows,
                std::span<const std::span<std::byte>> columns) noexcept {
  for (std::size_t row = 0; row < rows; ++row) {
    for (const auto& column : columns) {
      std::memcpy(column.data() + row * Width, from, Width);
      from += Width;
    }
  }
}

/// Writes the chunks of a streamed graph.
class chunked_writer {
 public:
  /// @param staged  the staging folder whose path `folder` is; null: a plain folder
  chunked_writer(const streamed_graph& graph, const std::string& folder, staged_folder* staged,
                 const write_chunked_options& options, const any_table_writer& tables,
                 executor_ref executor);

  void run();

 private:
  /// Check the numbers of chunks, and that their places exist.
  void check_chunks() const;

  /// The separator between an edge type and a chunk's number.
  const char* edge_separator() const;

  /// First item of a chunk.
  static std::uint64_t begin(std::uint64_t items, std::uint64_t chunk,
                             std::uint64_t chunks) noexcept {
    return items / chunks * chunk + std::min(chunk, items % chunks);
  }
  static json::value counts(std::uint64_t items, std::uint64_t chunks);
  void progressed(std::string_view step, std::uint64_t done, std::uint64_t total,
                  std::string_view unit) const {
    if (options_.on_progress) options_.on_progress({step, done, total, unit});
  }

  std::string path_of(const std::string& name) const { return folder_ + "/" + name; }
  /// A new file. @param bytes  its size, or file_sink::grows
  any_sink create(const std::string& name, std::uint64_t bytes);

  /// f(first, last, name) for each chunk. @return the list of files
  json::value write(std::uint64_t items, std::uint64_t chunks, const std::string& prefix,
                    chunk_format format, const char* text_ending,
                    function_ref<void(std::uint64_t, std::uint64_t, const std::string&)> f);

  json::value write_edges(type_id r, const std::string& type);
  using id_block = std::span<const std::uint64_t>;
  /// f(sources, targets) for edges [first, last) of r, block by block.
  void each_block(type_id r, std::uint64_t first, std::uint64_t last,
                  function_ref<void(id_block, id_block)> f);
  void write_text(type_id r, std::uint64_t first, std::uint64_t last, const std::string& name);
  void write_array(type_id r, std::uint64_t first, std::uint64_t last, const std::string& name);
  void write_table(type_id r, std::uint64_t first, std::uint64_t last, const std::string& name);

  void write_features(const std::vector<streamed_feature>& all, bool of_nodes, json::value& data);
  static tensor_shape shape_of(const streamed_feature& rows, std::uint64_t count) {
    tensor_shape shape{count};
    shape.insert(shape.end(), rows.row_shape.begin(), rows.row_shape.end());
    return shape;
  }
  void write_rows(const streamed_feature& rows, std::uint64_t first, std::uint64_t last,
                  const std::string& name);
  void write_row_table(const streamed_feature& rows, std::uint64_t first, std::uint64_t last,
                       const std::string& name);

  const streamed_graph& graph_;
  const std::string& folder_;
  staged_folder* staged_;
  const write_chunked_options& options_;
  any_table_writer tables_;
  executor_ref executor_;
  const char* between_ = "";
  std::uint64_t edges_done_ = 0, rows_ = 0, rows_done_ = 0;
};

}  // namespace detail

/// The most bytes that write_chunked() will write, Parquet uncompressed; 2^64 - 1 stands for
/// anything larger.
std::uint64_t chunked_bytes(const streamed_graph& graph, const write_chunked_options& options);

/// Write a streamed graph as a chunked graph. metadata.json, which has the counts by type and by
/// chunk, is written last: a folder without it is incomplete. Existing files of these names are
/// replaced, others are kept.
///
/// @param folder  created if missing
/// @param tables  writes Parquet files; no_tables refuses them
/// @param executor  makes text of numbers; the bytes do not depend on it
/// @errors mismatch: sizes disagree with the schema, or blocks do not follow each other;
///     invalid_argument: no chunks, a name that could be a path or is reserved, a delimiter that
///     can be part of a number; io; unsupported: a dtype that .npy does not support (bfloat16) or
///     that the library for tables cannot write
/// @complexity O(bytes written); memory: 4 MiB, or a row where it is larger, and what the library
///     for tables takes
inline void write_chunked(const streamed_graph& graph, const std::string& folder,
                          const write_chunked_options& options = {},
                          const any_table_writer& tables = {}, executor_ref executor = {}) {
  detail::chunked_writer(graph, folder, nullptr, options, tables, executor).run();
}

/// Write a streamed graph as files of a staging folder; the caller commits. Edges and features are
/// digested while they are written, unless they go to Parquet files. All files of the folder become
/// its own. @return these, as staged_folder::add_all() does
/// @errors as above, and those of staged_folder::create()
std::vector<manifest_entry> write_chunked(const streamed_graph& graph, staged_folder& staged,
                                          const write_chunked_options& options = {},
                                          const any_table_writer& tables = {},
                                          executor_ref executor = {});

/// Write columns and features as a chunked graph.
///
/// @param schema       the types
/// @param node_counts  [T] nodes of each type
/// @param relations    [R] edges of each type, typed IDs
/// @param features     rows by typed ID
/// @param name         the graph's name
/// @errors as above
template <id Node, feature_store Store>
void write_chunked(const graph_schema& schema, std::span<const std::uint64_t> node_counts,
                   std::span<const relation_view<Node>> relations,
                   const basic_feature_set<Store>& features, const std::string& name,
                   const std::string& folder, const write_chunked_options& options = {},
                   const any_table_writer& tables = {}, executor_ref executor = {}) {
  streamed_graph graph;
  graph.name = name;
  graph.schema = schema;
  graph.node_counts.assign(node_counts.begin(), node_counts.end());
  for (const auto& relation : relations) {
    if (relation.source.size() != relation.target.size()) {
      raise(error_kind::mismatch, "there are " + std::to_string(relation.source.size()) +
                                      " sources and " + std::to_string(relation.target.size()) +
                                      " targets of one edge type; each edge has one of each");
    }
    graph.edge_counts.push_back(relation.source.size());
  }
  graph.read_edges = [relations](type_id r, std::uint64_t first, std::uint64_t last,
                                 const edge_block_visitor& visit) {
    detail::visit_columns(relations[r].source, relations[r].target, first, last, visit);
  };
  graph.node_features = detail::stream_features(features.nodes);
  graph.edge_features = detail::stream_features(features.edges);
  write_chunked(graph, folder, options, tables, executor);
}

/// Write a dataset as a chunked graph. Node weights and sizes that are not features (METIS's)
/// cannot be stored and are omitted.
template <id Node, id Edge>
void write_chunked(const dataset<Node, Edge>& data, const std::string& folder,
                   const write_chunked_options& options = {}, const any_table_writer& tables = {},
                   executor_ref executor = {}) {
  const auto graph = data.graph();
  write_chunked<Node>(data.schema, data.node_counts, graph.relations(), data.features, data.name,
                      folder, options, tables, executor);
}

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/io/chunked/impl/write.ipp>
#endif
