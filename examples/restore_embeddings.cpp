// SPDX-License-Identifier: BSL-1.0
// What a trainer computed part by part, restored to the order of the input with the mapping that
// partition_graph returns; load_original_ids() gets it from the folder's owners.npy.
#include <halograph/folder/targets.hpp>
#include <halograph/halograph.hpp>

#include <cstdint>
#include <iostream>
#include <vector>

namespace hg = halograph;

int main() {
  const std::vector<std::vector<std::uint32_t>> links{{1, 2}, {2}, {3}, {0}, {5}, {4}};
  const auto made = hg::partition_graph(links, hg::random_parts{.parts = 2, .seed = 7},
                                        hg::dgl_folder{"restore_embeddings.parts"},
                                        {.graph_name = "g", .return_mapping = true});
  const auto& original = made.node_mapping[0];  // [new ID] -> original ID

  // Each part computes rows of two numbers for the nodes that it owns, in its own order: here, the
  // node's original ID and its square.
  std::vector<float> rows;
  for (const auto id : original) {
    rows.push_back(static_cast<float>(id));
    rows.push_back(static_cast<float>(id * id));
  }
  std::vector<float> restored(rows.size());
  if (hg::unshuffle(original, rows, restored) != hg::status::ok) return 1;

  for (std::size_t v = 0; v < links.size(); ++v) {
    std::cout << "node " << v << ": " << restored[2 * v] << ", " << restored[2 * v + 1] << '\n';
    if (restored[2 * v] != static_cast<float>(v)) return 1;
  }
}
