// SPDX-License-Identifier: BSL-1.0
// Chapter 8: several processes, each with its own parts.
// needs: hosted, component mpi
#include <halograph/adapters/mpi.hpp>
#include <halograph/comm/collective_errors.hpp>
#include <halograph/graph/generators.hpp>
#include <halograph/hosted.hpp>
#include <halograph/hosted/dist.hpp>
#include <halograph/partition/multilevel.hpp>
#include <halograph/pipeline/partition_graph.hpp>

#include <cstddef>
#include <cstdint>
#include <iostream>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace hg = halograph;

int main() {
  const hg::mpi_session session;
  const hg::mpi_ranks ranks;

  // The first rank partitions; an error there is thrown on all ranks.
  hg::run_collective(ranks, [&] {
    if (ranks.rank() != 0) return;
    const hg::generators::grid grid{.width = 30, .height = 20};
    std::vector<float> number(600);
    std::iota(number.begin(), number.end(), 0.0F);
    hg::feature_set features;
    features.nodes.push_back({0, "number", hg::tensor::from(std::move(number))});
    hg::partition_graph(grid, hg::multilevel{.parts = 4}, hg::native_folder{"grid.parts"},
                        {.graph_name = "grid", .features = features});
  });

  // Every rank opens its share of the parts and can read every row.
  const auto g = hg::open_dist_graph(ranks, "grid.parts/grid.json");
  const auto number = g.nodes().data("number");
  std::vector<std::int64_t> ids(100);  // new IDs, of all parts
  std::iota(ids.begin(), ids.end(), static_cast<std::int64_t>(ranks.rank()) * 100);
  std::vector<float> rows(ids.size());
  number.gather(ids, std::as_writable_bytes(std::span(rows)));

  float sum = 0;
  for (const float row : rows) sum += row;
  std::vector<float> sums(ranks.size());
  hg::check(
      ranks.all_gather(std::as_bytes(std::span(&sum, 1)), std::as_writable_bytes(std::span(sums))),
      "ranks cannot exchange sums");
  if (ranks.rank() == 0) {
    std::cout << g.num_nodes() << " nodes in " << g.num_parts() << " parts\n";
    std::cout << "the first 100 rows add up to " << sums[0] << '\n';
  }
}
