// SPDX-License-Identifier: BSL-1.0
/// @file edge_pairs.ipp
/// Bodies of the plain functions of io/formats/edge_pairs.hpp.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/io/formats/binary_rows.hpp>
#include <halograph/io/formats/edge_list.hpp>
#include <halograph/io/formats/edge_pairs.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/files/unpacked.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace halograph {

HALOGRAPH_INLINE unsigned pair_id_bytes(const std::string& path) {
  return unpacked_name(path).ends_with(".bin32") ? 4 : 8;
}

HALOGRAPH_INLINE streamed_graph stream_edge_pairs(const std::string& path, unsigned id_bytes,
                                                  std::optional<std::uint64_t> given_nodes,
                                                  const any_file_opener& open) {
  const file_bytes content = open(path);
  const std::uint64_t edges = content.bytes.size() / (2 * id_bytes);
  if (content.bytes.size() % (2 * id_bytes) != 0) {
    raise(error_kind::truncated,
          "the file ends within a pair; it must hold pairs of IDs of " + std::to_string(id_bytes) +
              " bytes each",
          {.file = path, .line = {}, .byte = edges * 2 * id_bytes});
  }
  const detail::binary_column ids{0, 2 * edges, id_bytes, id_bytes, false};
  const std::uint64_t limit = std::min(given_nodes.value_or(most_file_ids), most_file_ids);
  std::uint64_t nodes = 0;
  for (std::uint64_t i = 0; i < ids.count; ++i) {
    const std::uint64_t v = detail::word_at(content.bytes, ids, i);
    if (v >= limit) {
      raise(error_kind::out_of_range,
            "node ID " + std::to_string(v) + " is found; it must be below " + std::to_string(limit),
            {.file = path, .line = {}, .byte = i * id_bytes});
    }
    nodes = std::max(nodes, v + 1);
  }
  streamed_graph out;
  out.name = detail::stem_of(path);
  out.schema = graph_schema::homogeneous();
  out.node_counts = {given_nodes.value_or(nodes)};
  out.edge_counts = {edges};
  out.read_edges = [content, ids](type_id, std::uint64_t first, std::uint64_t last,
                                  const edge_block_visitor& visit) {
    std::vector<std::uint64_t> source, target;
    for (; first < last; first += source.size()) {
      const auto count = static_cast<std::size_t>(std::min(edges_per_block, last - first));
      source.resize(count);
      target.resize(count);
      for (std::size_t i = 0; i < count; ++i) {
        source[i] = detail::word_at(content.bytes, ids, 2 * (first + i));
        target[i] = detail::word_at(content.bytes, ids, 2 * (first + i) + 1);
      }
      visit(source, target, first);
    }
  };
  return out;
}

}  // namespace halograph
