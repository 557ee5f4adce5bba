// SPDX-License-Identifier: BSL-1.0
/// @file write_graph.hpp
/// Writes a streamed graph in a format of other programs: METIS, Matrix Market, Galois, edge list.
/// Layer: io. Words: README.md.
///
/// | format | edges | weights | memory |
/// | --- | --- | --- | --- |
/// | edge list | as they are, in their order | third column | blocks |
/// | Matrix Market | entry (u + 1, v + 1), general, in their order | integer or real values | blocks |
/// | Galois | by source, else in their order; version 1, from 2^32 nodes on version 2 | integers, 8 bytes | 8 bytes per node; 8 or 16 per edge |
/// | METIS | undirected: both directions, duplicates merged, no self-loops | positive integers | 8 bytes per node; 16 or 32 per edge |
///
/// Features other than the weight, and names of types, have no place in these formats.
#pragma once

#include <halograph/core/linkage.hpp>
#include <halograph/io/streamed_graph.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace halograph {

/// The formats that write_graph() writes.
enum class output_format : std::uint8_t { edge_list, matrix_market, galois, metis_graph };

/// The format named "edge-list", "matrix-market", "galois" or "metis".
std::optional<output_format> output_format_named(std::string_view name) noexcept;
/// The format that a file's ending names: `.txt`, `.el`, `.wel`, `.edges`, `.tsv`; `.mtx`; `.gr`;
/// `.graph`.
std::optional<output_format> output_format_of(const std::string& path);

/// How write_graph() writes.
struct write_graph_options {
  output_format format = output_format::edge_list;  ///< of the file, whatever its name ends in
  std::string weights = "weight";  ///< the edge feature that becomes the weights; "": none
  std::uint64_t most_bytes = ~std::uint64_t{0};  ///< of memory that sorting edges may take
};

/// What was written.
struct written_graph {
  /// nodes of the graph, all types together
  std::uint64_t nodes = 0, edges = 0;  ///< as the file counts them
  bool weighted = false;               ///< does each edge have a weight in the file?
  std::uint64_t bytes = 0;             ///< size of the file
  std::vector<std::string> notes{};    ///< what the format had no place for
};

/// Write a graph of one edge type into one file, which other programs and recognize_input() read.
///
/// A METIS graph is undirected: edges of both directions between two nodes become one, whose weight
/// is the larger of the sums of either direction, so that what read_metis_graph() reads comes out
/// as it was. Two node types are written as one by Matrix Market alone, as rows and columns.
/// @param path  created, or emptied; a failure leaves an incomplete file, which is why the program
///     writes it into a staging folder first
/// @errors unsupported: several edge types, two node types, weights that the format has no place
///     for (also METIS: below 1); memory: sorting needs more than most_bytes; io; those of the
///     stream
/// @complexity O(nodes + edges), METIS: O(edges log degree)
written_graph write_graph(const streamed_graph& g, const std::string& path,
                          const write_graph_options& options);

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/io/impl/write_graph.ipp>
#endif
