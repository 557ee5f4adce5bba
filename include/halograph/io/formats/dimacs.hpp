// SPDX-License-Identifier: BSL-1.0
/// @file dimacs.hpp
/// A graph from the text format of the 9th DIMACS challenge (shortest paths), `.gr`.
/// Layer: io. Words: README.md.
///
/// | line | holds |
/// | --- | --- |
/// | begins with c | a comment |
/// | `p sp N M` | once, before all arcs: nodes and arcs |
/// | `a U V W` | an arc with its weight, an integer; nodes count from 1 |
///
/// Galois's binary graphs have the same ending; recognize_input() tells them apart by their first
/// bytes.
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

namespace halograph {

namespace detail {

/// The counts of a DIMACS graph and where its arcs begin. @errors malformed, unsupported, truncated
std::pair<arc_lines, std::size_t> read_dimacs_header(std::string_view text,
                                                     const std::string& file);

}  // namespace detail

/// Read a DIMACS graph: edge e is the e-th arc, its weight the edge feature "weight" (int64).
///
/// @param executor    parses pieces of the text
/// @param most_bytes  memory that the edges may take
/// @errors malformed, out_of_range, overflow, truncated and mismatch (the problem line is wrong),
///     with the line; unsupported: a problem other than sp; memory: the edges need more than
///     most_bytes
/// @complexity O(bytes)
/// @source 9th DIMACS Implementation Challenge, "Challenge Benchmarks: file formats", 2006
template <id Node = std::uint64_t, id Edge = std::uint64_t>
dataset<Node, Edge> read_dimacs_graph(const std::string& path, const any_file_opener& open = {},
                                      executor_ref executor = {},
                                      std::uint64_t most_bytes = ~std::uint64_t{0}) {
  const file_bytes content = open_lines(open, path);
  const std::string_view text = detail::as_text(content.bytes);
  const auto [lines, arcs_at] = detail::read_dimacs_header(text, path);
  dataset<Node, Edge> data;
  data.name = detail::stem_of(path);
  data.schema = graph_schema::homogeneous();
  data.node_counts = {lines.sources};
  detail::check_node_total<Node>(data.schema, data.node_counts, path);
  const std::string_view body = text.substr(arcs_at);
  detail::require_text_of(lines, body.size(), 8, path);
  require_room_for_edges(lines.announced, 2 * sizeof(Node) + 8, most_bytes, path);
  data.edges.resize(1);
  detail::put_edges(data, 0, detail::read_arcs<std::int64_t, Node>(body, lines, path, executor));
  data.finish();
  return data;
}

/// Stream the graph that read_dimacs_graph() reads, without holding it.
///
/// @param open         how to open the file; the stream keeps the bytes
/// @param executor     parses the text, once
/// @param piece_bytes  of text that are parsed at once
/// @errors as read_dimacs_graph(), all of them here, but for memory
/// @complexity one pass over the text here, and one for each reading; memory of a piece parsed,
///     about 5 times its text
streamed_graph stream_dimacs_graph(const std::string& path, const any_file_opener& open = {},
                                   executor_ref executor = {},
                                   std::size_t piece_bytes = detail::arc_piece_bytes);

#if HALOGRAPH_COMPILED
// Instantiated in the compiled library (impl/widths.ipp).
extern template dataset<std::uint32_t, std::uint32_t>
read_dimacs_graph<std::uint32_t, std::uint32_t>(const std::string&, const any_file_opener&,
                                                executor_ref, std::uint64_t);
extern template dataset<std::uint64_t, std::uint64_t>
read_dimacs_graph<std::uint64_t, std::uint64_t>(const std::string&, const any_file_opener&,
                                                executor_ref, std::uint64_t);
#endif

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/io/formats/impl/dimacs.ipp>
#endif
