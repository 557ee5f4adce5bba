// SPDX-License-Identifier: BSL-1.0
/// @file open_stream.ipp
/// Bodies of the plain functions of io/open_stream.hpp.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/executor.hpp>
#include <halograph/io/graph_source.hpp>
#include <halograph/io/input_format.hpp>
#include <halograph/io/open_stream.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/table.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace halograph {

HALOGRAPH_INLINE opened_stream open_stream(const recognized_input& input,
                                           const input_options& options, any_file_opener open,
                                           const any_json_codec& codec, const format_list& formats,
                                           any_table_reader tables, executor_ref executor) {
  const detail::input_context in{input,   options,           std::move(open), codec,
                                 formats, std::move(tables), executor};
  opened_stream out;
  out.graph = detail::stream_input(in);
  out.format = name(input.format);
  // IDs and weights; a DGL graph may have to be held, too. Appending reverses copies the columns.
  const bool held = input.format == input_format::plain ||
                    input.format == input_format::metis_graph ||
                    input.format == input_format::dgl_graph ||
                    input.format == input_format::node_link ||
                    input.format == input_format::graphml;
  if (const std::uint64_t each = options.undirected ? 36 : 24; held)
    out.held_bytes = std::min(out.graph.num_edges(), ~std::uint64_t{0} / each) * each;
  return out;
}

}  // namespace halograph
