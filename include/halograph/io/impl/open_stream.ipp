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
#include <vector>

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
  out.held_bytes = held_edge_bytes(input.format, out.graph.num_edges(), options.undirected);
  if (out.held_bytes == 0 || input.format == input_format::dgl_graph) return out;
  // Those in arrays are mapped, which is not known here; the weights of edges are counted already.
  const auto add = [&out](const std::vector<streamed_feature>& features) {
    for (const auto& one : features) out.held_bytes += one.rows * one.row_bytes();
  };
  add(out.graph.node_features);
  if (input.format == input_format::node_link || input.format == input_format::graphml)
    add(out.graph.edge_features);
  return out;
}

}  // namespace halograph
