// SPDX-License-Identifier: BSL-1.0
/// @file galois.ipp
/// Bodies of the plain functions of io/formats/galois.hpp.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/io/formats/binary_rows.hpp>
#include <halograph/io/formats/galois.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace halograph {

HALOGRAPH_INLINE streamed_graph stream_galois_graph(const std::string& path,
                                                    const any_file_opener& open) {
  detail::binary_rows rows;
  rows.path = path;
  rows.content = open(path);
  detail::binary_sections in(rows.content.bytes, path);
  const std::uint64_t version = in.take_number("the version");
  if (version != 1 && version != 2) {
    raise(error_kind::unsupported,
          "the version is " + std::to_string(version) + "; it must be 1 or 2",
          {.file = path, .line = {}, .byte = 0});
  }
  const std::uint64_t data = in.take_number("the size of an edge's data");
  if (data != 0 && data != 4 && data != 8) {
    raise(error_kind::unsupported,
          "the data of an edge take " + std::to_string(data) + " bytes; they must take 0, 4 or 8",
          {.file = path, .line = {}, .byte = 8});
  }
  rows.nodes = in.take_number("the number of nodes");
  rows.edges = in.take_number("the number of edges");
  rows.offsets = in.take(rows.nodes, 8, "the offsets of the rows");
  rows.neighbors = in.take(rows.edges, version == 1 ? 4 : 8, "the neighbors");
  if (data != 0) {
    in.align(8);
    rows.edge_weights = in.take(rows.edges, static_cast<unsigned>(data), "the data of edges");
  } else if (in.at() != rows.content.bytes.size()) {
    in.align(8);  // writers differ in whether they fill up a file without data
  }
  in.finish();
  return detail::stream_binary_rows(std::move(rows));
}

}  // namespace halograph
