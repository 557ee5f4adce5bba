// SPDX-License-Identifier: BSL-1.0
/// @file edge_list.hpp
/// A graph from a text file with one edge per line: read whole, or streamed by pieces of its text.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/executor.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/io/dataset.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/text/blocks.hpp>
#include <halograph/serial/text/cursor.hpp>
#include <halograph/serial/text/edges.hpp>
#include <halograph/serial/text/lines.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace halograph {

/// How an edge list is read.
struct edge_list_options {
  text_format format{.comments = true};           ///< blanks, tabs or commas; # and % comments
  std::optional<std::uint64_t> num_nodes{};       ///< V; by default the largest ID plus one
  bool undirected = false;                        ///< append the reverse of edge i as edge m + i
  edge_weights weights = edge_weights::detected;  ///< what the third column is
};

namespace detail {

/// A file's name without folders and endings: "/data/web.txt.gz" gives "web".
std::string stem_of(const std::string& path);

/// A column of weights as a feature, if there is one.
std::optional<tensor> weight_tensor(weight_column column);

template <class T>
void append_copy_of_itself(std::vector<T>& values) {
  const std::size_t count = values.size();
  values.resize(count * 2);
  std::copy_n(values.begin(), count, values.begin() + static_cast<std::ptrdiff_t>(count));
}

/// Append the reverse of each edge, with its weight.
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

/// Read an edge list: `source target [weight]` per line, IDs from 0, edge e from the e-th record.
/// The graph has the types `_N` and `_N:_E:_N`; a third column becomes the edge feature "weight"
/// (int64, or float64).
///
/// @param path      the file
/// @param open      how to open it (gz_files for .gz, zst_files for .zst)
/// @param executor  parses pieces of the text
/// @errors as read_edges(); out_of_range: an ID not below options.num_nodes, or most_file_ids;
///     overflow: too many nodes or edges for Node or Edge
/// @complexity O(bytes)
template <id Node = std::uint64_t, id Edge = std::uint64_t>
dataset<Node, Edge> read_edge_list(const std::string& path, const edge_list_options& options = {},
                                   const any_file_opener& open = {}, executor_ref executor = {}) {
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

namespace detail {

/// The pieces of an edge list between the places of its index. The piece parsed last is kept.
class edge_list_pieces {
 public:
  edge_list_pieces(file_bytes content, std::string path, const edge_list_options& options,
                   executor_ref executor, std::size_t piece_bytes);

  std::uint64_t nodes() const noexcept { return nodes_; }
  std::uint64_t edges() const noexcept { return index_.records; }
  bool weighted() const noexcept { return weighted_; }
  bool floating() const noexcept { return floating_; }

  /// f(piece, first, last): records [first, last) of a piece, piece after piece, that are edges
  /// `begin` to `end`.
  void each(std::uint64_t begin, std::uint64_t end, bool weights,
            function_ref<void(const edge_text<std::uint64_t>&, std::size_t, std::size_t)> f);

 private:
  const edge_text<std::uint64_t>& piece(std::size_t i, bool weights);

  file_bytes content_;
  std::string path_;
  edge_list_options options_;
  text_index index_;
  std::uint64_t nodes_ = 0;
  bool weighted_ = false, floating_ = false;
  std::size_t kept_ = ~std::size_t{0};
  bool kept_weights_ = false;
  edge_text<std::uint64_t> edges_{};
};

}  // namespace detail

/// Stream the graph that read_edge_list() reads, without holding it. Ignores options.undirected;
/// add_reverse_edges() does the same.
///
/// @param path         the file
/// @param open         how to open it; the stream keeps the bytes
/// @param executor     counts the lines
/// @param piece_bytes  of text that are parsed at once
/// @errors as read_edge_list()
/// @complexity two passes over the text here, and one for each reading; memory of a piece parsed,
///     about 5 times its text
streamed_graph stream_edge_list(const std::string& path, const edge_list_options& options,
                                const any_file_opener& open, executor_ref executor = {},
                                std::size_t piece_bytes = std::size_t{1} << 22);

#if HALOGRAPH_COMPILED
// Instantiated in the compiled library (impl/widths.ipp).
extern template dataset<std::uint32_t, std::uint32_t> read_edge_list<std::uint32_t, std::uint32_t>(
    const std::string&, const edge_list_options&, const any_file_opener&, executor_ref);
extern template dataset<std::uint64_t, std::uint64_t> read_edge_list<std::uint64_t, std::uint64_t>(
    const std::string&, const edge_list_options&, const any_file_opener&, executor_ref);
#endif

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/io/formats/impl/edge_list.ipp>
#endif
