// SPDX-License-Identifier: BSL-1.0
// Any bytes as a Matrix Market file, a DIMACS or a Ligra graph, as the first byte says: refused, or
// a graph whose edges are in range. Streamed in small pieces it is the same, or refused, too.
#include <halograph/io/formats/adjacency.hpp>
#include <halograph/io/formats/dimacs.hpp>
#include <halograph/io/formats/matrix_market.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hg = halograph;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto open = [&](const std::string&) {
    return hg::file_bytes{std::as_bytes(std::span(data + 1, size - 1)), {}};
  };
  using id = std::uint32_t;
  std::optional<hg::dataset<id, id>> loaded;
  bool too_wide = false;
  try {
    loaded = data[0] % 3 == 0   ? hg::read_matrix_market<id, id>("fuzz", open)
             : data[0] % 3 == 1 ? hg::read_dimacs_graph<id, id>("fuzz", open)
                                : hg::read_adjacency_graph<id, id>("fuzz", open);
    if (loaded->graph().validate() != hg::status::ok) std::abort();
  } catch (const hg::error& problem) {
    too_wide = problem.code() == hg::error_kind::overflow;  // for 32-bit IDs
  }
  std::optional<hg::streamed_graph> streamed;
  const std::size_t piece = 1 + data[0] / 3;
  try {
    streamed = data[0] % 3 == 0   ? hg::stream_matrix_market("fuzz", open, {}, piece)
               : data[0] % 3 == 1 ? hg::stream_dimacs_graph("fuzz", open, {}, piece)
                                  : hg::stream_adjacency_graph("fuzz", open, piece);
  } catch (const hg::error&) {
  }
  if (streamed.has_value() != loaded.has_value() && !too_wide) std::abort();
  if (!streamed || !loaded) return 0;
  const auto& edges = loaded->edges[0];
  if (streamed->edge_counts[0] != edges.source.size() ||
      streamed->node_counts != loaded->node_counts)
    std::abort();
  streamed->read_edges(0, 0, edges.source.size(),
                       [&](std::span<const std::uint64_t> from, std::span<const std::uint64_t> to,
                           std::uint64_t first) {
                         for (std::size_t i = 0; i < from.size(); ++i) {
                           const auto at = static_cast<std::size_t>(first) + i;
                           if (from[i] != edges.source[at] || to[i] != edges.target[at])
                             std::abort();
                         }
                       });
  if (streamed->edge_features.size() != loaded->features.edges.size()) std::abort();
  for (const auto& one : streamed->edge_features) {
    std::vector<std::byte> rows(edges.source.size() * 8), wanted(rows.size());
    one.read(0, edges.source.size(), rows);
    std::vector<std::uint64_t> ids(edges.source.size());
    std::iota(ids.begin(), ids.end(), std::uint64_t{0});
    const auto& held = loaded->features.edges[0].rows;
    if (held.type() != one.element || !held.gather(std::span<const std::uint64_t>(ids), wanted) ||
        rows != wanted)
      std::abort();
  }
  return 0;
}
