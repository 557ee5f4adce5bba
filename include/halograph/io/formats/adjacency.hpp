// SPDX-License-Identifier: BSL-1.0
/// @file adjacency.hpp
/// A graph from the text format of PBBS, Ligra and GBBS, `.adj`.
/// Layer: io. Words: README.md.
///
/// | number | is |
/// | --- | --- |
/// | | the word `AdjacencyGraph` or `WeightedAdjacencyGraph` |
/// | first, second | nodes n, edges m |
/// | next n | where the row of each node begins |
/// | next m | neighbors |
/// | next m | weighted: weights |
///
/// Blanks and line ends stand between numbers; writers put each on a line.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/io/dataset.hpp>
#include <halograph/io/formats/edge_list.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/text/cursor.hpp>
#include <halograph/serial/text/edges.hpp>
#include <halograph/serial/text/lines.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

namespace detail {

/// Reads the numbers of a Ligra graph one after the other.
class adjacency_text {
 public:
  /// Read the first line and both counts.
  /// @errors malformed, truncated: the text is too short for as many numbers
  adjacency_text(std::string_view text, const std::string& file);

  std::uint64_t nodes() const noexcept { return nodes_; }
  std::uint64_t edges() const noexcept { return edges_; }
  bool weighted() const noexcept { return weighted_; }

  /// The next number. @errors malformed, overflow, truncated; out_of_range: it is not below limit
  std::uint64_t number(const char* what, std::uint64_t limit);
  /// The offset of node v, or, of v = nodes(), the number of edges.
  /// @param before  the offset of the node before   @errors malformed: it is below `before`
  std::uint64_t offset(std::uint64_t v, std::uint64_t before);
  /// The next weight. @param integer  out: is it an integer of 64 bits?
  /// @param value  out: that integer   @errors malformed, truncated
  double weight(bool& integer, std::int64_t& value);
  /// The position of the next number.
  struct place {
    text_cursor cursor;
    std::uint64_t line = 1;
  };
  place here() const noexcept { return {cursor_, line_}; }
  void go_to(const place& one) noexcept {
    cursor_ = one.cursor;
    line_ = one.line;
  }
  /// All weights: integers, or floating-point numbers if one of them is not an integer.
  weight_column weights();
  /// @errors malformed: another number follows
  void finish();
  [[noreturn]] void fail(error_kind code, std::string sentence) const;

 private:
  bool next();
  double finite_weight();

  const std::string& file_;
  text_cursor cursor_;
  std::uint64_t line_ = 1;
  std::uint64_t nodes_ = 0, edges_ = 0;
  bool weighted_ = false;
};

/// The numbers of a Ligra graph; every step-th position is kept, so that ranges can be read again.
class adjacency_places {
 public:
  /// Read all numbers once. @param step  numbers between two places
  /// @errors those of read_adjacency_graph()
  adjacency_places(file_bytes content, std::string path, std::uint64_t step);

  std::uint64_t nodes() const noexcept { return text_.nodes(); }
  std::uint64_t edges() const noexcept { return text_.edges(); }
  bool weighted() const noexcept { return text_.weighted(); }
  bool floating() const noexcept { return floating_; }

  void read_edges(std::uint64_t first, std::uint64_t last, const edge_block_visitor& visit);
  /// f(weight as it is if an integer, as a number), of edges [first, last).
  void read_weights(std::uint64_t first, std::uint64_t last,
                    function_ref<void(std::int64_t, double)> f);

 private:
  file_bytes content_;
  std::string path_;
  std::uint64_t step_;
  adjacency_text text_;
  bool floating_ = false;
  std::vector<adjacency_text::place> offsets_{}, targets_{}, weights_{};
  std::vector<std::uint64_t> begins_{};  // the offset of the node of each place
};

}  // namespace detail

/// Read a Ligra graph. Edge i is entry i of the rows; weights are the edge feature "weight" (int64,
/// or float64 if one is not an integer).
///
/// @param most_bytes  memory that the edges may take
/// @errors malformed, out_of_range, overflow, truncated, with the line; memory: the edges need more
///     than most_bytes
/// @complexity O(bytes)
/// @source Shun, Blelloch: Ligra, PPoPP 2013; the README of jshun/ligra
template <id Node = std::uint64_t, id Edge = std::uint64_t>
dataset<Node, Edge> read_adjacency_graph(const std::string& path, const any_file_opener& open = {},
                                         std::uint64_t most_bytes = ~std::uint64_t{0}) {
  const file_bytes content = open(path);
  detail::adjacency_text in(detail::as_text(content.bytes), path);
  dataset<Node, Edge> data;
  data.name = detail::stem_of(path);
  data.schema = graph_schema::homogeneous();
  data.node_counts = {in.nodes()};
  detail::check_node_total<Node>(data.schema, data.node_counts, path);
  require_room_for_edges(in.edges(), 2 * sizeof(Node) + (in.weighted() ? 8 : 0), most_bytes, path);
  edge_text<Node> edges;
  edges.source.resize(static_cast<std::size_t>(in.edges()));
  edges.target.resize(static_cast<std::size_t>(in.edges()));
  std::uint64_t begin = 0;
  for (std::uint64_t v = 0; v <= in.nodes(); ++v) {
    for (const std::uint64_t end = in.offset(v, begin); begin < end; ++begin)
      edges.source[static_cast<std::size_t>(begin)] = static_cast<Node>(v - 1);
  }
  for (auto& target : edges.target) target = static_cast<Node>(in.number("a neighbor", in.nodes()));
  if (in.weighted()) edges.weight = in.weights();
  in.finish();
  data.edges.resize(1);
  detail::put_edges(data, 0, std::move(edges));
  data.finish();
  return data;
}

/// Stream the graph that read_adjacency_graph() reads, without holding it.
///
/// @param open  how to open the file; the stream keeps the bytes
/// @param step  numbers between two places that are noted, 32 bytes each
/// @errors as read_adjacency_graph(), all of them here, but for memory
/// @complexity one pass over the text here; for each reading of a range at most `step` numbers more
///     than are asked for
streamed_graph stream_adjacency_graph(const std::string& path, const any_file_opener& open = {},
                                      std::uint64_t step = std::uint64_t{1} << 14);

#if HALOGRAPH_COMPILED
// Instantiated in the compiled library (impl/widths.ipp).
extern template dataset<std::uint32_t, std::uint32_t>
read_adjacency_graph<std::uint32_t, std::uint32_t>(const std::string&, const any_file_opener&,
                                                   std::uint64_t);
extern template dataset<std::uint64_t, std::uint64_t>
read_adjacency_graph<std::uint64_t, std::uint64_t>(const std::string&, const any_file_opener&,
                                                   std::uint64_t);
#endif

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/io/formats/impl/adjacency.ipp>
#endif
