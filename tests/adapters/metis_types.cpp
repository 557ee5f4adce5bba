// SPDX-License-Identifier: BSL-1.0
#include <halograph/adapters/metis.hpp>
#include <halograph/graph/hetero.hpp>
#include <halograph/partition/assign.hpp>
#include <halograph/partition/balance.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

namespace {

namespace hg = halograph;

/// Two node types that sit far apart: 60 papers in one ring, 60 authors in another, one bridge.
struct two_rings {
  std::vector<std::uint32_t> from, to;
  std::array<std::uint32_t, 1> bridge_from{0}, bridge_to{0};
  std::array<std::uint64_t, 3> nodes{0, 60, 120};
  std::array<std::uint64_t, 4> edges{0, 60, 120, 121};
  std::vector<hg::relation_view<std::uint32_t>> relations{};

  two_rings() {
    for (std::uint32_t v = 0; v < 60; ++v) {
      from.push_back(v);
      to.push_back((v + 1) % 60);
    }
    relations = {{0, 0, from, to}, {1, 1, from, to}, {0, 1, bridge_from, bridge_to}};
  }
  hg::hetero_view<std::uint32_t, std::uint32_t> view() const { return {nodes, edges, relations}; }
};

std::array<int, 2> papers_per_part(const std::vector<hg::part_id>& owner) {
  std::array<int, 2> count{};
  for (std::size_t v = 0; v < 60; ++v) ++count[owner[v]];
  return count;
}

TEST(MetisTypes, EachNodeTypeIsBalancedUnlessTheCallerSaysOtherwise) {
  const two_rings graph;
  const auto balanced = papers_per_part(hg::assign(graph.view(), hg::metis{.parts = 2}));
  EXPECT_EQ(balanced, (std::array<int, 2>{30, 30}));
  // Left to itself METIS cuts the bridge alone: all papers in one part.
  const auto free = papers_per_part(
      hg::assign(graph.view(), hg::metis{.parts = 2, .balance_types = false}));
  EXPECT_EQ(free[0] * free[1], 0);
}

TEST(MetisTypes, EachNodeTypeIsSharedOutByTheTargets) {
  const two_rings graph;
  const std::array<double, 2> targets{0.25, 0.75};
  const auto count = papers_per_part(
      hg::assign(graph.view(), hg::metis{.parts = 2, .target_weights = targets}));
  EXPECT_NEAR(count[0], 15, 2);
}

TEST(MetisTypes, EmptyTypesAreNoConstraint) {
  two_rings graph;
  const std::array<std::uint64_t, 5> nodes{0, 0, 60, 120, 120};
  graph.relations = {{1, 1, graph.from, graph.to},
                     {2, 2, graph.from, graph.to},
                     {1, 2, graph.bridge_from, graph.bridge_to}};
  const hg::hetero_view<std::uint32_t, std::uint32_t> view(nodes, graph.edges, graph.relations);
  EXPECT_EQ(papers_per_part(hg::assign(view, hg::metis{.parts = 2})), (std::array<int, 2>{30, 30}));
}

}  // namespace
