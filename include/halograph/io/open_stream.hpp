// SPDX-License-Identifier: BSL-1.0
/// @file open_stream.hpp
/// Open a graph of any known format as a stream.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/executor.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/folder/access.hpp>
#include <halograph/io/graph_source.hpp>
#include <halograph/io/input_format.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/table.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace halograph {

/// A stream and the format that it is read from.
struct opened_stream {
  streamed_graph graph{};  ///< reads from the input, which must not change
  std::string format{};    ///< name(input_format)
  /// upper bound of the bytes that the input took while it was read; 0 where it is not held
  std::uint64_t held_bytes = 0;
};

/// What the edges of an input take while it is read, at most, in bytes; 0 where they are not held.
/// @param undirected  is the reverse of each edge appended?
constexpr std::uint64_t held_edge_bytes(input_format format, std::uint64_t edges,
                                        bool undirected) noexcept {
  // IDs and weights; a DGL graph may have to be held, too. Appending reverses copies the columns.
  const std::uint64_t each = undirected ? 36 : 24;
  const bool held = format == input_format::plain || format == input_format::metis_graph ||
                    format == input_format::dgl_graph || format == input_format::node_link ||
                    format == input_format::graphml;
  return held ? std::min(edges, ~std::uint64_t{0} / each) * each : 0;
}

/// Open an input whose format is known as a stream.
///
/// METIS, node-link and GraphML graphs, the plain form, and DGL graphs without pairs are held in
/// memory, 16 bytes for each edge and 8 for its weight, and features in text; all others are read
/// on request.
/// @param input     as recognize_input() determines it
/// @param open      how to open files; gz_files<mapped_files> opens most; moved into the stream
/// @param codec     parses JSON
/// @param formats   those that partition folders may be in
/// @param tables    reads Parquet; moved into the stream
/// @param executor  parses pieces of text
/// @errors those of check_input_options() and of the format's reader
opened_stream open_stream(const recognized_input& input, const input_options& options,
                          any_file_opener open, const any_json_codec& codec,
                          const format_list& formats, any_table_reader tables = {},
                          executor_ref executor = {});

/// Open a graph of any known format as a stream.
/// @param path  what recognize_input() takes; for the others see above
/// @errors those of recognize_input(), check_input_options() and of the format's reader
inline opened_stream open_stream(const std::string& path, const input_options& options,
                                 any_file_opener open, const any_json_codec& codec,
                                 const format_list& formats, any_table_reader tables = {},
                                 executor_ref executor = {}) {
  const auto input = recognize_input(path, open, codec);
  return open_stream(input, options, std::move(open), codec, formats, std::move(tables), executor);
}

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/io/impl/open_stream.ipp>
#endif
