// SPDX-License-Identifier: BSL-1.0
// Any bytes as a Galois, GAP or ParHIP graph or pairs of IDs, as the first byte says: refused, or a
// graph whose edges are in range.
#include <halograph/io/formats/edge_pairs.hpp>
#include <halograph/io/formats/galois.hpp>
#include <halograph/io/formats/gap.hpp>
#include <halograph/io/formats/parhip.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

namespace hg = halograph;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto open = [&](const std::string&) {
    return hg::file_bytes{std::as_bytes(std::span(data + 1, size - 1)), {}};
  };
  try {
    const auto g = data[0] % 5 == 0   ? hg::stream_galois_graph("fuzz", open)
                   : data[0] % 5 == 1 ? hg::stream_gap_graph("fuzz", open)
                   : data[0] % 5 == 2
                       ? hg::stream_parhip_graph("fuzz", open)
                       : hg::stream_edge_pairs("fuzz", data[0] % 5 == 3 ? 4 : 8, {}, open);
    const auto checked = hg::detail::with_checked_edges(g);
    checked.read_edges(0, 0, g.edge_counts[0], [](auto, auto, auto) {});
    for (const auto* features : {&g.node_features, &g.edge_features}) {
      for (const auto& one : *features) static_cast<void>(hg::detail::tensor_of(one));
    }
  } catch (const hg::error& problem) {
    // Endpoints out of range are for the readers to find, with the byte.
    if (!problem.where().byte) std::abort();
  }
  return 0;
}
