// SPDX-License-Identifier: BSL-1.0
/// @file read_edge_list.hpp
/// A graph from a text file with one edge a line.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/io/dataset.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/text/cursor.hpp>
#include <halograph/serial/text/edges.hpp>
#include <halograph/serial/text/lines.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace halograph {

/// How to understand an edge list.
struct edge_list_options {
  text_format format{.comments = true};      ///< blanks, tabs or commas; # and % comments
  std::optional<std::uint64_t> num_nodes{};  ///< V; without it the largest ID and one
  bool undirected = false;                   ///< append the reverse of edge i as edge m + i
  edge_weights weights = edge_weights::detected;
};

namespace detail {

/// A file's name without folders and endings: "/data/web.txt.gz" gives "web".
inline std::string stem_of(const std::string& path) {
  const std::filesystem::path file(path);
  std::filesystem::path name = file.filename();
  if (name.empty()) name = file.parent_path().filename();
  if (name.extension() == ".gz") name = name.stem();
  return name.has_extension() && !name.stem().empty() ? name.stem().string() : name.string();
}

/// A column of weights as a feature, if there is one.
inline std::optional<tensor> weight_tensor(weight_column column) {
  if (auto* integers = std::get_if<std::vector<std::int64_t>>(&column))
    return tensor::from(std::move(*integers));
  if (auto* floats = std::get_if<std::vector<double>>(&column))
    return tensor::from(std::move(*floats));
  return std::nullopt;
}

template <class T>
void append_copy_of_itself(std::vector<T>& values) {
  const std::size_t count = values.size();
  values.resize(count * 2);
  std::copy_n(values.begin(), count, values.begin() + static_cast<std::ptrdiff_t>(count));
}

/// Append the reverse of each edge, weights along.
template <id Node>
void append_reverses(edge_text<Node>& edges) {
  const std::size_t count = edges.source.size();
  const auto middle = static_cast<std::ptrdiff_t>(count);
  edges.source.resize(count * 2);
  edges.target.resize(count * 2);
  std::copy_n(edges.target.begin(), count, edges.source.begin() + middle);
  std::copy_n(edges.source.begin(), count, edges.target.begin() + middle);
  if (auto* integers = std::get_if<std::vector<std::int64_t>>(&edges.weight))
    append_copy_of_itself(*integers);
  if (auto* floats = std::get_if<std::vector<double>>(&edges.weight))
    append_copy_of_itself(*floats);
}

/// Put the edges of one type into a dataset, weights as the edge feature "weight".
template <id Node, id Edge>
void put_edges(dataset<Node, Edge>& data, type_id type, edge_text<Node> edges) {
  data.edges[type].source = std::move(edges.source);
  data.edges[type].target = std::move(edges.target);
  if (auto weight = weight_tensor(std::move(edges.weight))) {
    data.features.edges.push_back({type, "weight", chunked_tensor(std::move(*weight))});
    data.edge_weight_feature = "weight";
  }
}

}  // namespace detail

/// Read an edge list: `source target [weight]` a line, IDs from 0, edge e from the e-th record. The
/// graph has the types `_N` and `_N:_E:_N`; a third column becomes the edge feature "weight"
/// (int64, or float64).
///
/// @param path      the file
/// @param open      how to open it (gz_files for .gz)
/// @param executor  parses pieces of the text
/// @errors as read_edges(); out_of_range: an ID not below options.num_nodes, or most_file_ids;
///     overflow: too many nodes or edges for Node or Edge
/// @complexity O(bytes)
template <id Node = std::uint64_t, id Edge = std::uint64_t, file_opener Opener = read_files,
          executor Executor = sequential>
dataset<Node, Edge> read_edge_list(const std::string& path, const edge_list_options& options = {},
                                   const Opener& open = {}, const Executor& executor = {}) {
  edge_text_options text{.format = options.format, .weights = options.weights};
  text.source_count = text.target_count = options.num_nodes.value_or(most_file_ids);
  dataset<Node, Edge> data;
  data.name = detail::stem_of(path);
  data.schema = graph_schema::homogeneous();
  edge_text<Node> edges = read_edges<Node>(open_lines(open, path).bytes, path, text, executor);
  std::uint64_t nodes = options.num_nodes.value_or(0);
  if (!options.num_nodes && !edges.source.empty()) {
    nodes = std::uint64_t{1} +
            std::max(index(*std::max_element(edges.source.begin(), edges.source.end())),
                     index(*std::max_element(edges.target.begin(), edges.target.end())));
  }
  if (options.undirected) detail::append_reverses(edges);
  data.node_counts = {nodes};
  data.edges.resize(1);
  detail::put_edges(data, 0, std::move(edges));
  data.finish();
  return data;
}

}  // namespace halograph
