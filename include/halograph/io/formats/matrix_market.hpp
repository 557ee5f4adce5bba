// SPDX-License-Identifier: BSL-1.0
/// @file matrix_market.hpp
/// A graph from a sparse matrix in the Matrix Market format, `.mtx`, as the SuiteSparse collection
/// has them.
/// Layer: io. Words: README.md.
///
/// | line | holds |
/// | --- | --- |
/// | first | `%%MatrixMarket matrix coordinate FIELD SYMMETRY` |
/// | begins with % | a comment |
/// | first other | rows, columns, entries |
/// | each after it | row, column [, value]; both count from 1 |
///
/// FIELD is pattern (no values), integer or real; SYMMETRY is general, symmetric or skew-symmetric,
/// where only the entries on and below the diagonal are listed.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/io/dataset.hpp>
#include <halograph/io/formats/arc_lines.hpp>
#include <halograph/io/formats/arc_stream.hpp>
#include <halograph/io/formats/edge_list.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/text/edges.hpp>
#include <halograph/serial/text/lines.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace halograph {

namespace detail {

enum class matrix_field : std::uint8_t { pattern, integer, real };
enum class matrix_symmetry : std::uint8_t { general, symmetric, skew };

/// What precedes the entries.
struct matrix_header {
  matrix_field field = matrix_field::pattern;
  matrix_symmetry symmetry = matrix_symmetry::general;
  arc_lines lines{};
  std::size_t entries_at = 0;  ///< byte of the line after the header
};

/// The types of a matrix' graph, and their nodes.
/// @{
graph_schema matrix_schema(const arc_lines& lines);
std::vector<std::uint64_t> matrix_node_counts(const arc_lines& lines);
/// @}
/// @errors malformed, with the line; unsupported: dense matrices, complex values, hermitian ones
matrix_header read_matrix_header(std::string_view text, const std::string& file);

}  // namespace detail

/// Read a Matrix Market file. Entry (i, j) is an edge from node i - 1 to node j - 1; of a symmetric
/// matrix the mirror images of the entries outside the diagonal follow all others, of a
/// skew-symmetric one with the negated value. Values become the edge feature "weight" (int64 or
/// float64). A square matrix has the types `_N` and `_N:_E:_N`, any other `row`, `column` and
/// `row:entry:column`.
///
/// @param executor    parses pieces of the text
/// @param most_bytes  memory that the edges may take
/// @errors malformed, out_of_range, overflow, truncated and mismatch (the size line is wrong), with
///     the line; unsupported: dense (`array`), complex or hermitian matrices; memory: the edges
///     need more than most_bytes
/// @complexity O(bytes)
/// @source Boisvert, Pozo, Remington: The Matrix Market Exchange Formats, NISTIR 5935, 1996
template <id Node = std::uint64_t, id Edge = std::uint64_t>
dataset<Node, Edge> read_matrix_market(const std::string& path, const any_file_opener& open = {},
                                       executor_ref executor = {},
                                       std::uint64_t most_bytes = ~std::uint64_t{0}) {
  const file_bytes content = open_lines(open, path);
  const std::string_view text = detail::as_text(content.bytes);
  const detail::matrix_header header = detail::read_matrix_header(text, path);
  const auto& lines = header.lines;
  const bool mirrored = header.symmetry != detail::matrix_symmetry::general,
             weighted = header.field != detail::matrix_field::pattern;
  const std::uint64_t bytes_each = 2 * sizeof(Node) + (weighted ? 8 : 0);
  dataset<Node, Edge> data;
  data.name = detail::stem_of(path);
  data.schema = detail::matrix_schema(lines);
  data.node_counts = detail::matrix_node_counts(lines);
  detail::check_node_total<Node>(data.schema, data.node_counts, path);
  const std::string_view body = text.substr(header.entries_at);
  detail::require_text_of(lines, body.size(), 4, path);
  require_room_for_edges(lines.announced, mirrored ? 2 * bytes_each : bytes_each, most_bytes, path);
  edge_text<Node> edges = header.field == detail::matrix_field::pattern
                              ? detail::read_arcs<void, Node>(body, lines, path, executor)
                          : header.field == detail::matrix_field::integer
                              ? detail::read_arcs<std::int64_t, Node>(body, lines, path, executor)
                              : detail::read_arcs<double, Node>(body, lines, path, executor);
  if (mirrored) detail::mirror_entries(edges, header.symmetry == detail::matrix_symmetry::skew);
  data.edges.resize(1);
  detail::put_edges(data, 0, std::move(edges));
  data.finish();
  return data;
}

/// Stream the graph that read_matrix_market() reads, without holding it.
///
/// @param open         how to open the file; the stream keeps the bytes
/// @param executor     parses the text, once
/// @param piece_bytes  of text that are parsed at once
/// @errors as read_matrix_market(), all of them here, but for memory
/// @complexity one pass over the text here, and one for each reading, of a symmetric matrix two;
///     memory of a piece parsed, about 5 times its text
streamed_graph stream_matrix_market(const std::string& path, const any_file_opener& open = {},
                                    executor_ref executor = {},
                                    std::size_t piece_bytes = detail::arc_piece_bytes);

#if HALOGRAPH_COMPILED
// Instantiated in the compiled library (impl/widths.ipp).
extern template dataset<std::uint32_t, std::uint32_t>
read_matrix_market<std::uint32_t, std::uint32_t>(const std::string&, const any_file_opener&,
                                                 executor_ref, std::uint64_t);
extern template dataset<std::uint64_t, std::uint64_t>
read_matrix_market<std::uint64_t, std::uint64_t>(const std::string&, const any_file_opener&,
                                                 executor_ref, std::uint64_t);
#endif

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/io/formats/impl/matrix_market.ipp>
#endif
