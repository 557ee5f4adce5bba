// SPDX-License-Identifier: BSL-1.0
// Sampling over MPI's ranks: what the whole graph says, as tests/dist asks of threads.
#include <halograph/adapters/mpi.hpp>
#include <halograph/dist/sample_neighbors.hpp>

#include <gtest/gtest.h>
#include <support/dist_model.hpp>

#include <cstdint>
#include <vector>

namespace {

namespace hg = halograph;
namespace ht = halograph::testing;

TEST(sample_neighbors, draws_what_the_whole_graph_says) {
  const hg::mpi_ranks ranks;
  for (const auto& made :
       {ht::dist_case(true, 1, 3, 1, false), ht::dist_case(true, 2, 4, 2, true)}) {
    const auto g = made.open(ranks);
    hg::neighbor_sampler sampler(g, made.folder, ht::dist_formats{});
    ASSERT_TRUE(sampler.knows_original_ids());
    const auto& all = made.model;
    std::vector<std::int64_t> mine;
    for (std::size_t v = ranks.rank(); v < all.old_node.size(); v += ranks.size())
      mine.push_back(static_cast<std::int64_t>(v));
    const auto drawn = hg::sample_neighbors(sampler, mine, {.fanout = {2}, .seed = 3});
    for (std::size_t i = 0; i < mine.size(); ++i) {
      const std::size_t node = all.old_node[static_cast<std::size_t>(mine[i])];
      std::vector<std::int64_t> expected, found;
      for (std::size_t r = 0; r < made.edge_of.size(); ++r) {
        std::vector<std::int64_t> row;
        for (std::size_t e = 0; e < all.old_edge.size(); ++e) {
          if (all.edge_type[all.old_edge[e]] == r && all.target[all.old_edge[e]] == node)
            row.push_back(static_cast<std::int64_t>(e));
        }
        std::vector<std::uint64_t> at(
            static_cast<std::size_t>(hg::draw_count(row.size(), 2, false)));
        const auto stream = hg::draw_stream(3, r, 0, node - all.node_base[all.node_type[node]]);
        ASSERT_TRUE(hg::draw_uniform_into(stream, row.size(), 2, false, at));
        for (const auto k : at) expected.push_back(row[static_cast<std::size_t>(k)]);
      }
      for (auto k = drawn.offsets[i]; k < drawn.offsets[i + 1]; ++k) {
        found.push_back(drawn.edges[static_cast<std::size_t>(k)]);
        const auto source = all.source[all.old_edge[static_cast<std::size_t>(
            drawn.edges[static_cast<std::size_t>(k)])]];
        EXPECT_EQ(drawn.neighbors[static_cast<std::size_t>(k)],
                  static_cast<std::int64_t>(all.new_node[source]));
      }
      EXPECT_EQ(found, expected) << "node " << mine[i];
    }
  }
}

}  // namespace
