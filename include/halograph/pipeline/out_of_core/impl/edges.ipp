// SPDX-License-Identifier: BSL-1.0
/// @file edges.ipp
/// Bodies of the plain functions of pipeline/out_of_core/edges.hpp.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/comm/alltoallv.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/io/chunked/graph.hpp>
#include <halograph/pipeline/out_of_core/edges.hpp>
#include <halograph/schema/schema.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE std::vector<edge_piece> edge_pieces(const chunked_graph& input,
                                                     std::uint64_t block) {
  std::vector<edge_piece> out;
  std::uint64_t base = 0;
  for (std::size_t r = 0; r < input.edge_counts.size(); ++r) {
    const auto type = static_cast<type_id>(r);
    std::uint64_t seen = 0;
    for (const edge_block& piece : input.edge_blocks(type)) {
      for (std::uint64_t at = piece.first; at < piece.last; at += block)
        out.push_back({type, at, std::min<std::uint64_t>(at + block, piece.last), base});
      seen += piece.last - piece.first;
    }
    if (seen != input.edge_counts[r]) {
      raise(error_kind::internal,
            concat({"edges of type ", graph_schema::quoted(input.schema.edge_types()[r].str()),
                    " were lost: ", seen, " of ", input.edge_counts[r], " are in blocks"}));
    }
    base += seen;
  }
  return out;
}

}  // namespace halograph::detail
