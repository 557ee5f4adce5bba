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
#include <halograph/folder/config.hpp>
#include <halograph/io/chunked/graph.hpp>
#include <halograph/io/chunked/metadata.hpp>
#include <halograph/io/chunked/open.hpp>
#include <halograph/io/dataset.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/npy.hpp>
#include <halograph/serial/table.hpp>
#include <halograph/serial/tensor.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

namespace detail {

/// All edges of a type. Of several errors the first in the order of the edges is raised.
template <id Node, class Graph, executor Executor>
edge_columns<Node> columns_of(const Graph& graph, type_id type, const Executor& executor) {
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
        graph.template read_edges_into<Node>(type, blocks[i].first,
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

/// A feature's rows: arrays as views of what the opener gives, anything else in memory of its own.
template <class Graph>
chunked_tensor tensors_of(const Graph& graph, const chunked_feature& feature) {
  std::vector<tensor> chunks;
  if (feature.list.format == chunk_format::numpy) {
    for (const auto& file : feature.list.files) {
      if (file.rows != 0) chunks.push_back(read_npy(file.kept, file.path));
    }
  }
  if (chunks.empty()) {
    tensor_shape shape{feature.rows};
    shape.insert(shape.end(), feature.row_shape.begin(), feature.row_shape.end());
    auto owned = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(feature.rows) *
                                                          feature.row_bytes());
    graph.read_rows(feature, 0, feature.rows, *owned);
    const std::span<const std::byte> view(*owned);
    chunks.emplace_back(feature.dtype, std::move(shape), view, std::move(owned));
  }
  return chunked_tensor(std::move(chunks));
}

/// A pointer to what the caller owns.
template <class T>
std::shared_ptr<const T> borrowed(const T& value) {
  return {std::shared_ptr<const void>(), &value};
}

/// An opener that is shared among streams, or borrowed.
template <file_opener Opener>
struct shared_opener {
  std::shared_ptr<const Opener> open;
  file_bytes operator()(const std::string& path) const { return (*open)(path); }
  file_bytes lines(const std::string& path, std::size_t longest) const {
    return open_lines(*open, path, longest);
  }
};
template <class Opener>
shared_opener(std::shared_ptr<const Opener>) -> shared_opener<Opener>;

/// A table reader that is shared among streams, or borrowed.
template <table_reader Tables>
struct shared_tables {
  std::shared_ptr<const Tables> tables;
  table_info examine(const std::string& path) const { return tables->examine(path); }
  template <class Sink>
  void read(const std::string& path, const table_info& info, std::uint64_t first,
            std::uint64_t last, Sink&& sink) const {
    tables->read(path, info, first, last, sink);
  }
};
template <class Tables>
shared_tables(std::shared_ptr<const Tables>) -> shared_tables<Tables>;

}  // namespace detail

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
template <id Node = std::uint64_t, id Edge = std::uint64_t, file_opener Opener, json_codec Codec,
          executor Executor = sequential, table_reader Tables = no_tables>
dataset<Node, Edge> read_chunked(const std::string& path, const chunked_options& options,
                                 const Opener& open, const Codec& codec,
                                 const Executor& executor = {}, const Tables& tables = {}) {
  const detail::chunked_place place(path);
  const json::value metadata = read_json(place.file, open, codec);
  const chunked_options kept{.features = options.features, .keep_arrays = true};
  detail::chunked_opener<detail::shared_opener<Opener>, detail::shared_tables<Tables>, Executor>
      opener(metadata, place.file, place.folder, {detail::borrowed(open)},
             {detail::borrowed(tables)}, kept, executor);
  opener.read_names();
  detail::check_node_total<Node>(opener.schema(), opener.node_counts(), place.file);
  const auto graph = opener.read_files();

  dataset<Node, Edge> data;
  data.name = graph.name;
  data.schema = graph.schema;
  data.node_counts = graph.node_counts;
  for (std::size_t t = 0; t < graph.edges.size(); ++t)
    data.edges.push_back(detail::columns_of<Node>(graph, static_cast<type_id>(t), executor));
  for (const auto& one : graph.node_features)
    data.features.nodes.push_back({one.type, one.name, detail::tensors_of(graph, one)});
  for (const auto& one : graph.edge_features)
    data.features.edges.push_back({one.type, one.name, detail::tensors_of(graph, one)});
  data.finish();
  return data;
}

}  // namespace halograph
