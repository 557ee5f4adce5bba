// SPDX-License-Identifier: BSL-1.0
/// @file parhip.ipp
/// Bodies of the plain functions of io/formats/parhip.hpp.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/io/formats/binary_rows.hpp>
#include <halograph/io/formats/parhip.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace halograph {

HALOGRAPH_INLINE streamed_graph stream_parhip_graph(const std::string& path,
                                                    const any_file_opener& open) {
  detail::binary_rows rows;
  rows.path = path;
  rows.content = open(path);
  detail::binary_sections in(rows.content.bytes, path);
  const std::uint64_t version = in.take_number("the version");
  if (version >= 64) {
    raise(error_kind::unsupported,
          "the version is " + std::to_string(version) + "; it must be below 64, such as 3",
          {.file = path, .line = {}, .byte = 0});
  }
  const auto width = [&](unsigned bit) { return (version & bit) != 0 ? 4u : 8u; };
  rows.nodes = in.take_number("the number of nodes");
  rows.edges = in.take_number("the number of edges");
  if (rows.nodes == ~std::uint64_t{0}) {
    raise(error_kind::malformed, "the number of nodes is 2^64 - 1; no file holds as many",
          {.file = path, .line = {}, .byte = 8});
  }
  rows.offsets = in.take(rows.nodes + 1, width(4), "the offsets of the rows");
  rows.first_offset = in.at();
  rows.offset_unit = width(8);
  rows.neighbors = in.take(rows.edges, width(8), "the neighbors");
  if ((version & 2) == 0) rows.node_weights = in.take(rows.nodes, width(16), "the node weights");
  if ((version & 1) == 0) rows.edge_weights = in.take(rows.edges, width(32), "the edge weights");
  in.finish();
  return detail::stream_binary_rows(std::move(rows));
}

}  // namespace halograph
