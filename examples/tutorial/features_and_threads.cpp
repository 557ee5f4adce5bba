// SPDX-License-Identifier: BSL-1.0
// Chapter 3: rows of numbers for each node, your own threads, and files.
// needs: hosted
#include "town.hpp"

#include <halograph/halograph.hpp>
#include <halograph/hosted.hpp>
#include <halograph/partition/multilevel.hpp>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <iostream>
#include <mutex>
#include <thread>
#include <vector>

namespace hg = halograph;

/// Runs a loop in pieces, each on a thread of its own; an engine would hand them to its pool.
struct threads {
  std::size_t count = 2;

  std::size_t concurrency() const { return count; }
  void parallel_for(std::size_t first, std::size_t last, std::size_t grain, auto&& body) const {
    if (first >= last) return;
    const std::size_t most = (last - first) / std::max<std::size_t>(1, grain);
    const std::size_t pieces = std::clamp<std::size_t>(most, 1, count);
    std::exception_ptr failure;
    std::mutex lock;
    const auto run = [&](std::size_t i) {
      try {
        const auto piece = hg::block_range(last - first, i, pieces);
        body(first + static_cast<std::size_t>(piece.begin),
             first + static_cast<std::size_t>(piece.end));
      } catch (...) {
        const std::lock_guard guard(lock);
        failure = std::current_exception();
      }
    };
    std::vector<std::thread> running;
    for (std::size_t i = 1; i < pieces; ++i) running.emplace_back(run, i);
    run(0);
    for (auto& thread : running) thread.join();
    if (failure) std::rethrow_exception(failure);
  }
};
static_assert(hg::executor<threads>);

int main() {
  const auto town = town::build(60, 40);
  std::vector<float> place;  // two numbers for each crossing: its column and its row
  for (std::size_t v = 0; v < num_nodes(town); ++v) {
    place.push_back(static_cast<float>(v % town.columns));
    place.push_back(static_cast<float>(v / town.columns));
  }
  hg::feature_set features;
  features.nodes.push_back({0, "place", hg::tensor::from(std::move(place), {num_nodes(town), 2})});

  const threads four{.count = 4};
  const auto made = hg::partition_graph(
      town, hg::multilevel{.parts = 8}, hg::dgl_folder{"town.parts"},
      {.graph_name = "town", .hops = 2, .features = features, .executor = four});
  std::cout << "edge cut " << made.report.edge_cut << ", stored nodes per node "
            << made.report.replication_factor << '\n';

  const auto rows = hg::load_partition_feats("town.parts/town.json", 3).nodes.at(0);
  std::cout << "part 3: " << rows.value.rows() << " rows of " << rows.name << '\n';
}
