// SPDX-License-Identifier: BSL-1.0
#include <halograph/core/executor.hpp>
#include <halograph/core/random.hpp>
#include <halograph/graph/build.hpp>
#include <halograph/halo/cut_lists.hpp>
#include <halograph/halo/expand.hpp>
#include <halograph/pipeline/local_ids.hpp>
#include <halograph/pipeline/part_columns.hpp>

#include <gtest/gtest.h>
#include <support/halo_model.hpp>
#include <support/plain_graph.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory_resource>
#include <vector>

namespace hg = halograph;

namespace {

using columns = hg::part_columns<std::int32_t, std::int32_t>;

hg::partition_plan<std::int32_t, std::int32_t> plan_of(const plain::graph& g,
                                                       const plain::owners& owner,
                                                       std::size_t parts) {
  return hg::make_partition_plan<std::int32_t, std::int32_t>(plain::columns<std::int32_t>(g).view(),
                                                             owner, parts, {}, hg::sequential{});
}

TEST(part_columns, count_halo_nodes_by_hop_as_the_format_describes) {
  hg::random_stream draw(12);
  for (int round = 0; round < 100; ++round) {
    const auto g = plain::random_graph(draw);
    const auto parts = static_cast<std::size_t>(2 + draw.below(3));
    const auto owner = plain::random_owners(draw, g.nodes, parts);
    const auto plan = plan_of(g, owner, parts);
    columns part(plan);
    for (const unsigned hops : {1u, 2u, 3u, 20u}) {
      for (std::size_t p = 0; p < parts; ++p) {
        part.expand(p, {.hops = hops});
        auto want = plain::expand(g, owner, p, hops, true);
        want.per_hop.resize(std::min<std::size_t>(hops, g.nodes));
        EXPECT_EQ(part.report().halo_nodes_per_hop,
                  std::vector<std::uint64_t>(want.per_hop.begin(), want.per_hop.end()));
        EXPECT_EQ(part.report().halo_nodes, want.nodes.size() - want.inner_nodes);
      }
    }
  }
}

TEST(part_columns, hold_the_same_however_local_ids_are_found) {
  hg::random_stream draw(13);
  for (int round = 0; round < 60; ++round) {
    const auto g = plain::random_graph(draw);
    const auto parts = static_cast<std::size_t>(2 + draw.below(3));
    const auto plan = plan_of(g, plain::random_owners(draw, g.nodes, parts), parts);
    columns table(plan);
    auto* const memory = std::pmr::get_default_resource();
    columns hash(plan.view(), memory, memory, hg::local_lookup::hash);
    for (const auto order : {hg::halo_order::discovered, hg::halo_order::ascending}) {
      for (unsigned hops = 1; hops < 4; ++hops) {
        for (std::size_t p = 0; p < parts; ++p) {
          table.expand(p, {.hops = hops}, order);
          hash.expand(p, {.hops = hops}, order);
          ASSERT_EQ(hash.num_nodes(), table.num_nodes());
          ASSERT_EQ(hash.num_edges(), table.num_edges());
          for (std::size_t v = 0; v < table.num_nodes(); ++v)
            EXPECT_EQ(hash.new_node(v), table.new_node(v));
          std::vector<std::int64_t> got(table.num_edges()), wanted(got.size());
          for (const auto column :
               {&columns::sources_into, &columns::targets_into, &columns::new_edges_into}) {
            (hash.*column)(0, got);
            (table.*column)(0, wanted);
            EXPECT_EQ(got, wanted);
          }
        }
      }
    }
  }
}

TEST(part_columns, any_number_of_hops_needs_at_most_a_count_per_node) {
  const auto plan = plan_of({4, {{0, 1}, {1, 2}, {2, 3}}}, {0, 0, 0, 1}, 2);
  columns part(plan);
  part.expand(1, {.hops = std::numeric_limits<unsigned>::max()});
  EXPECT_EQ(part.report().halo_nodes_per_hop, (std::vector<std::uint64_t>{1, 1, 1, 0}));
  const auto nothing = plan_of({0, {}}, {}, 2);
  columns empty(nothing);
  empty.expand(0, {.hops = 7});
  EXPECT_TRUE(empty.report().halo_nodes_per_hop.empty());
}

}  // namespace
