// SPDX-License-Identifier: BSL-1.0
/// @file read.hpp
/// A graph in memory from DGL's Chunked Graph Format: a metadata.json and the files it lists.
/// Layer: io. Words: README.md.
///
/// The keys and formats stand atop chunked_graph.hpp, which reads larger graphs than memory holds.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/large_pages.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/io/chunked/graph.hpp>
#include <halograph/io/chunked/metadata.hpp>
#include <halograph/io/chunked/open.hpp>
#include <halograph/io/dataset.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/read_json.hpp>
#include <halograph/serial/table.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

namespace detail {

/// All edges of a type. Of several errors the first in the order of the edges is raised.
template <id Node>
edge_columns<Node> columns_of(const chunked_graph& graph, type_id type, executor_ref executor) {
  const auto count = static_cast<std::size_t>(graph.edge_counts[type]);
  edge_columns<Node> columns;
  resize_in_large_pages(columns.source, count);
  resize_in_large_pages(columns.target, count);
  const std::vector<edge_block> blocks = graph.edge_blocks(type);
  std::vector<std::optional<error>> problems(blocks.size());
  executor.parallel_for(0, blocks.size(), 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const auto begin = static_cast<std::size_t>(blocks[i].first),
                 size = static_cast<std::size_t>(blocks[i].last - blocks[i].first);
      try {
        graph.read_edges_into<Node>(type, blocks[i].first,
                                    std::span(columns.source).subspan(begin, size),
                                    std::span(columns.target).subspan(begin, size));
      } catch (const error& problem) {
        problems[i] = problem;
        return;
      }
    }
  });
  for (const auto& problem : problems) {
    if (problem) raise(*problem);
  }
  return columns;
}

}  // namespace detail

/// All features of a graph, whose edges are not read. Rows of .npy files stay where the opener put
/// them if the graph keeps these open (chunked_options::keep_arrays), others are read into memory.
/// @errors those of chunked_graph::read_rows()   @complexity O(bytes of what is read)
feature_set read_features(const chunked_graph& graph);

/// Read a chunked graph. Rows of .npy features stay where the opener puts them: with mapped_files
/// they are not read before they are used.
///
/// @param path      the folder, or its metadata.json under any name
/// @param open      how to open files
/// @param codec     parses JSON
/// @param executor  parses pieces of the edge files
/// @param tables    reads Parquet files; no_tables refuses them
/// @errors those of open_chunked() and chunked_graph; out_of_range (IDs), overflow (Node or Edge is
///     too narrow)
/// @complexity O(bytes of metadata and edges)
template <id Node = std::uint64_t, id Edge = std::uint64_t>
dataset<Node, Edge> read_chunked(const std::string& path, const chunked_options& options,
                                 const any_file_opener& open, const any_json_codec& codec,
                                 executor_ref executor = {}, const any_table_reader& tables = {}) {
  const detail::chunked_place place(path);
  const json::value metadata = read_json(place.file, open, codec);
  const chunked_options kept{.features = options.features, .keep_arrays = true};
  detail::chunked_opener opener(metadata, place.file, place.folder, open, tables, kept, executor);
  opener.read_names();
  detail::check_node_total<Node>(opener.schema(), opener.node_counts(), place.file);
  const chunked_graph graph = opener.read_files();

  dataset<Node, Edge> data;
  data.name = graph.name;
  data.schema = graph.schema;
  data.node_counts = graph.node_counts;
  for (std::size_t t = 0; t < graph.edges.size(); ++t)
    data.edges.push_back(detail::columns_of<Node>(graph, static_cast<type_id>(t), executor));
  data.features = read_features(graph);
  data.finish();
  return data;
}

#if HALOGRAPH_COMPILED
// Instantiated in the compiled library (impl/widths.ipp).
extern template dataset<std::uint32_t, std::uint32_t> read_chunked<std::uint32_t, std::uint32_t>(
    const std::string&, const chunked_options&, const any_file_opener&, const any_json_codec&,
    executor_ref, const any_table_reader&);
extern template dataset<std::uint64_t, std::uint64_t> read_chunked<std::uint64_t, std::uint64_t>(
    const std::string&, const chunked_options&, const any_file_opener&, const any_json_codec&,
    executor_ref, const any_table_reader&);
#endif

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/io/chunked/impl/read.ipp>
#endif
