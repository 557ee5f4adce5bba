// SPDX-License-Identifier: BSL-1.0
/// @file chunk.hpp
/// Write any graph and its features as a chunked graph, block by block, without holding it.
/// Layer: io. Words: README.md.
///
/// The files are those of write.hpp, and a manifest; the folder appears whole or not at all.
/// open_stream.hpp makes a stream of any input; add_edges.hpp and normalize.hpp transform it.
#pragma once

#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/io/chunked/graph.hpp>
#include <halograph/io/chunked/metadata.hpp>
#include <halograph/io/chunked/write.hpp>
#include <halograph/io/dataset.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/feature_store.hpp>
#include <halograph/serial/files/staged_folder.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/table.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

/// How a chunked graph is written.
struct chunk_options {
  std::string name{};        ///< the graph's name; "": the stream's own
  std::uint64_t chunks = 1;  ///< files for each edge type and feature
  std::vector<std::pair<std::string, std::uint64_t>>
      chunks_of{};                         ///< other numbers, by place: as write_chunked_options
  chunk_format edges = chunk_format::csv;  ///< of the files of edges
  char delimiter = ' ';                    ///< csv; DGL's dispatch reads no other than the blank
  chunk_format features = chunk_format::numpy;  ///< numpy or parquet
  bool vector_rows = false;     ///< parquet features: one column of lists, not one for each number
  bool absolute_paths = false;  ///< in metadata.json; else relative to its folder
  json::value command{};        ///< how the result was made, for the manifest
  progress_callback on_progress{};  ///< called with edges, then rows written; empty: no reports
};

/// What was written.
struct chunk_result {
  std::vector<std::string> files{};  ///< relative to the folder, in order
  std::uint64_t bytes = 0;           ///< of them all
  std::vector<std::string> notes{};  ///< messages for the user
};

/// The writer's options; the caller, who knows the target, sets `absolute`.
write_chunked_options write_options_of(const chunk_options& options);

/// Write a stream into a staging folder, as files of it; the caller commits.
///
/// @param staged  takes the files, and those that were put into its path before (dictionaries of
///     keys)
/// @param tables  writes Parquet, where asked for   @param executor  makes text of numbers; the
///     bytes do not depend on it
/// @errors mismatch, invalid_argument: names, sizes and options that do not fit; out_of_range: an
///     edge whose endpoint is not a node; those of the stream's source; unsupported: a dtype that
///     the format does not support; io
/// @complexity O(bytes read and written); memory of a block of edges and one of rows, and what the
///     source takes
chunk_result write_chunks(const streamed_graph& g, staged_folder& staged,
                          const chunk_options& options = {}, const any_table_writer& tables = {},
                          executor_ref executor = {});

/// Make a chunked graph of a stream. It appears whole or not at all.
///
/// @param target  the folder to be; a result of ours there is replaced
/// @errors as write_chunks() and staged_folder
chunk_result chunk_graph(const streamed_graph& g, const std::string& target,
                         const chunk_options& options = {}, const any_table_writer& tables = {},
                         executor_ref executor = {});

/// Make a chunked graph of a graph in memory and its features, rows by typed ID.
/// @errors as stream_graph() and chunk_graph() of a stream
template <graph Graph, feature_store Store>
chunk_result chunk_graph(const Graph& g, const graph_schema& schema,
                         const basic_feature_set<Store>& features, const std::string& target,
                         const chunk_options& options = {}, const any_table_writer& tables = {},
                         executor_ref executor = {}) {
  return chunk_graph(
      stream_graph(g, schema, features, options.name.empty() ? "graph" : options.name), target,
      options, tables, executor);
}

/// The same of a graph without types.
template <graph Graph, feature_store Store>
chunk_result chunk_graph(const Graph& g, const basic_feature_set<Store>& features,
                         const std::string& target, const chunk_options& options = {},
                         const any_table_writer& tables = {}, executor_ref executor = {}) {
  return chunk_graph(g, graph_schema::homogeneous(), features, target, options, tables, executor);
}

/// The same of a dataset as it was read.
template <id Node, id Edge>
chunk_result chunk_graph(const dataset<Node, Edge>& data, const std::string& target,
                         const chunk_options& options = {}, const any_table_writer& tables = {},
                         executor_ref executor = {}) {
  streamed_graph g = stream_graph(data.graph(), data.schema, data.features, data.name);
  g.notes = data.notes;
  return chunk_graph(g, target, options, tables, executor);
}

/// A chunked graph as a stream, for example to be chunked again in another format. It is moved into
/// the stream.
streamed_graph stream_graph(chunked_graph chunked);

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/io/chunked/impl/chunk.ipp>
#endif
