// SPDX-License-Identifier: BSL-1.0
/// @file chunk.hpp
/// Write any graph and its features as a chunked graph, block by block, without holding it.
/// Layer: io. Words: README.md.
///
/// The files are those of write.hpp, and a manifest; the folder appears whole or not at all.
/// open_stream.hpp makes a stream of any input; add_edges.hpp and normalize.hpp transform it.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/io/chunked/graph.hpp>
#include <halograph/io/chunked/metadata.hpp>
#include <halograph/io/chunked/write.hpp>
#include <halograph/io/dataset.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/feature_store.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/manifest.hpp>
#include <halograph/serial/files/staged_folder.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/table.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
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
      chunks_of{};  ///< other numbers, by place: as write_chunked_options
  chunk_format edges = chunk_format::csv;
  char delimiter = ' ';  ///< csv; DGL's dispatch reads no other than the blank
  chunk_format features = chunk_format::numpy;  ///< numpy or parquet
  bool vector_rows = false;     ///< parquet features: one column of lists, not one for each number
  bool absolute_paths = false;  ///< in metadata.json; else relative to its folder
  json::value command{};        ///< how the result was made, for the manifest
  progress_callback on_progress{};
};

/// What was written.
struct chunk_result {
  std::vector<std::string> files{};  ///< relative to the folder, in order
  std::uint64_t bytes = 0;           ///< of them all
  std::vector<std::string> notes{};  ///< messages for the user
};

/// The writer's options; the caller, who knows the target, sets `absolute`.
inline write_chunked_options write_options_of(const chunk_options& options) {
  write_chunked_options out;
  out.chunks = options.chunks;
  out.chunks_of = options.chunks_of;
  out.edges = options.edges;
  out.delimiter = options.delimiter;
  out.features = options.features;
  out.vector_rows = options.vector_rows;
  out.on_progress = options.on_progress;
  return out;
}

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
template <table_writer Tables = no_tables, executor Executor = sequential>
chunk_result write_chunks(const streamed_graph& g, staged_folder& staged,
                          const chunk_options& options = {}, const Tables& tables = {},
                          const Executor& executor = {}) {
  streamed_graph checked = detail::with_checked_edges(g);
  if (!options.name.empty()) checked.name = options.name;
  validate(checked);
  write_chunked_options how = write_options_of(options);
  if (options.absolute_paths)
    how.absolute = detail::absolute_path(staged.target()).lexically_normal().string();
  write_chunked(checked, staged.path(), how, tables, executor);

  chunk_result out;
  for (auto& file : staged.add_all()) {
    out.bytes += file.bytes;
    out.files.push_back(std::move(file.path));
  }
  out.notes = g.notes;
  for (std::size_t r = 0; r < g.edge_counts.size() && options.edges == chunk_format::csv; ++r) {
    const std::string type = g.schema.edge_types()[r].str();
    if (g.edge_counts[r] >= detail::chunks_at(how, "edges/" + type)) continue;
    out.notes.push_back(
        "edge type " + graph_schema::quoted(type) + " has " + std::to_string(g.edge_counts[r]) +
        " edges, fewer than chunks; files without edges are fine here, but DGL's tools up to 2.4 fail on them");
    break;  // one such type suffices
  }
  if (options.edges == chunk_format::csv && options.delimiter != ' ') {
    out.notes.push_back("edges are separated by " +
                        graph_schema::quoted(std::string(1, options.delimiter)) +
                        "; DGL's dispatch splits at single blanks whatever metadata.json says");
  }
  if (options.edges == chunk_format::numpy) {
    out.notes.push_back(
        "edges are numpy arrays, which halograph and DGL's ParMETIS tools read, but DGL's dispatch does not");
  }
  return out;
}

/// Make a chunked graph of a stream. It appears whole or not at all.
///
/// @param target  the folder to be; a result of ours there is replaced
/// @errors as write_chunks() and staged_folder
template <table_writer Tables = no_tables, executor Executor = sequential>
chunk_result chunk_graph(const streamed_graph& g, const std::string& target,
                         const chunk_options& options = {}, const Tables& tables = {},
                         const Executor& executor = {}) {
  staged_folder staged(target);
  chunk_result out = write_chunks(g, staged, options, tables, executor);
  if (auto note = staged.commit(command_text(options.command)); !note.empty())
    out.notes.push_back(std::move(note));
  return out;
}

/// Make a chunked graph of a graph in memory and its features, rows by typed ID.
/// @errors as stream_graph() and chunk_graph() of a stream
template <graph Graph, feature_store Store, table_writer Tables = no_tables,
          executor Executor = sequential>
chunk_result chunk_graph(const Graph& g, const graph_schema& schema,
                         const basic_feature_set<Store>& features, const std::string& target,
                         const chunk_options& options = {}, const Tables& tables = {},
                         const Executor& executor = {}) {
  return chunk_graph(
      stream_graph(g, schema, features, options.name.empty() ? "graph" : options.name), target,
      options, tables, executor);
}

/// The same of a graph without types.
template <graph Graph, feature_store Store, table_writer Tables = no_tables,
          executor Executor = sequential>
chunk_result chunk_graph(const Graph& g, const basic_feature_set<Store>& features,
                         const std::string& target, const chunk_options& options = {},
                         const Tables& tables = {}, const Executor& executor = {}) {
  return chunk_graph(g, graph_schema::homogeneous(), features, target, options, tables, executor);
}

/// The same of a dataset as it was read.
template <id Node, id Edge, table_writer Tables = no_tables, executor Executor = sequential>
chunk_result chunk_graph(const dataset<Node, Edge>& data, const std::string& target,
                         const chunk_options& options = {}, const Tables& tables = {},
                         const Executor& executor = {}) {
  streamed_graph g = stream_graph(data.graph(), data.schema, data.features, data.name);
  g.notes = data.notes;
  return chunk_graph(g, target, options, tables, executor);
}

/// A chunked graph as a stream, for example to be chunked again in another format. It is moved into
/// the stream.
template <file_opener Opener, table_reader Tables>
streamed_graph stream_graph(chunked_graph<Opener, Tables> chunked) {
  auto owner = std::make_shared<const chunked_graph<Opener, Tables>>(std::move(chunked));
  streamed_graph out;
  out.name = owner->name;
  out.schema = owner->schema;
  out.node_counts = owner->node_counts;
  out.edge_counts = owner->edge_counts;
  out.read_edges = [owner](type_id r, std::uint64_t first, std::uint64_t last,
                           const edge_block_visitor& visit) {
    owner->template read_edges<std::uint64_t>(r, first, last,
                                              static_cast<std::size_t>(edges_per_block), visit);
  };
  const auto features = [&](const std::vector<chunked_feature>& all,
                            std::vector<streamed_feature>& to) {
    for (const auto& one : all) {
      to.push_back(
          {one.type, one.name, one.dtype, one.row_shape, one.rows,
           [owner, &one](std::uint64_t first, std::uint64_t last, std::span<std::byte> bytes) {
             owner->read_rows(one, first, last, bytes);
           }});
    }
  };
  features(owner->node_features, out.node_features);
  features(owner->edge_features, out.edge_features);
  return out;
}

}  // namespace halograph
