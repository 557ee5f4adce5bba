// SPDX-License-Identifier: BSL-1.0
/// @file gap.ipp
/// Bodies of the plain functions of io/formats/gap.hpp.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/io/formats/binary_rows.hpp>
#include <halograph/io/formats/gap.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace halograph {

HALOGRAPH_INLINE streamed_graph stream_gap_graph(const std::string& path,
                                                 const any_file_opener& open) {
  detail::binary_rows rows;
  rows.path = path;
  rows.content = open(path);
  const auto bytes = rows.content.bytes;
  if (bytes.empty() || std::to_integer<unsigned>(bytes[0]) > 1) {
    raise(error_kind::malformed,
          "a GAP graph must begin with a byte 0 (undirected) or 1 (directed)",
          {.file = path, .line = {}, .byte = 0});
  }
  const std::uint64_t copies = bytes[0] == std::byte{1} ? 2 : 1;
  detail::binary_sections in(bytes, path, 1);
  rows.edges = in.take_number("the number of edges");
  rows.nodes = in.take_number("the number of nodes");
  if (rows.nodes == ~std::uint64_t{0}) {
    raise(error_kind::malformed, "the number of nodes is negative",
          {.file = path, .line = {}, .byte = 9});
  }
  rows.offsets = in.take(rows.nodes + 1, 8, "the offsets of the rows");
  const std::uint64_t begin = in.at();
  rows.neighbors = in.take(rows.edges, 4, "the neighbors");
  // Both counts are now known to be far below 2^63 / 8.
  const std::uint64_t index = 8 * (rows.nodes + 1);
  const auto total = [&](unsigned entry) { return 17 + copies * (index + entry * rows.edges); };
  if (bytes.size() == total(8)) {
    rows.neighbors = {begin, rows.edges, 4, 8, false};
    if (rows.edges != 0) rows.edge_weights = {begin + 4, rows.edges, 4, 8, true};
  } else if (bytes.size() != total(4)) {
    raise(error_kind::malformed,
          "the file has " + std::to_string(bytes.size()) + " bytes; its header announces " +
              std::to_string(total(4)) + ", or with weights " + std::to_string(total(8)),
          {.file = path, .line = {}, .byte = begin});
  }
  return detail::stream_binary_rows(std::move(rows));
}

}  // namespace halograph
