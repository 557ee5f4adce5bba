// SPDX-License-Identifier: BSL-1.0
// multilevel at its limits: weights and loads up to 2^62, thousands of parts, graphs of odd shapes.
#include <halograph/core/status.hpp>
#include <halograph/graph/generators.hpp>
#include <halograph/partition/assign.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/multilevel.hpp>
#include <halograph/partition/multilevel/effort.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace hg = halograph;

namespace {

using rows = std::vector<std::vector<std::uint32_t>>;
using owners = std::vector<hg::part_id>;
constexpr std::int64_t heavy = std::int64_t{1} << 62;

/// Two cliques, and an edge between their first nodes, which comes last.
rows two_cliques(std::uint32_t size) {
  rows g(2 * size);
  for (std::uint32_t v = 0; v < 2 * size; ++v) {
    for (std::uint32_t u = v + 1; u < v / size * size + size; ++u) g[v].push_back(u);
  }
  g[0].push_back(size);
  return g;
}

/// No part is empty, and the number of nodes is within 3 %.
void expect_even(const owners& owner, std::uint64_t parts) {
  std::vector<std::uint64_t> held(static_cast<std::size_t>(parts));
  for (const auto p : owner) ++held.at(p);
  const auto [least, most] = std::minmax_element(held.begin(), held.end());
  EXPECT_GT(*least, 0u);
  EXPECT_LE(*most, hg::part_limit(owner.size(), 1, parts, 0.03));
}

TEST(multilevel_limits, edges_may_weigh_2_to_the_62) {
  const rows g = two_cliques(6);
  std::size_t count = 0;
  for (const auto& row : g) count += row.size();
  // All others 2^50, but the edge between the cliques, the last of row 0.
  for (const bool at_end : {false, true}) {
    std::vector<std::int64_t> weights(count, std::int64_t{1} << 50);
    weights[at_end ? count - 1 : 0] = heavy;
    weights[5] = 1;
    const owners owner = hg::assign(g, hg::multilevel{.parts = 2, .edge_weights = weights});
    for (std::size_t v = 0; v < 12; ++v) EXPECT_EQ(owner[v], owner[v / 6 * 6]) << v;
    EXPECT_NE(owner[0], owner[6]);
    // A heavy edge between the cliques is not cut: one node or more changes sides.
    weights[5] = heavy - (std::int64_t{1} << 56);
    const owners joined = hg::assign(g, hg::multilevel{.parts = 2, .edge_weights = weights});
    EXPECT_EQ(joined[0], joined[6]);
    expect_even(joined, 2);
  }
}

TEST(multilevel_limits, weights_sum_to_less_than_2_to_the_63) {
  const rows path{{1}, {2}, {3}, {}};
  const std::vector<std::int64_t> most{heavy, heavy - 2, 1}, more{heavy, heavy - 1, 1};
  owners owner(4);
  const hg::multilevel fits{.parts = 2, .edge_weights = most},
      exceeds{.parts = 2, .edge_weights = more};
  EXPECT_EQ(hg::assign_into(path, fits, std::span<hg::part_id>(owner)), hg::status::ok);
  const hg::status answer = hg::assign_into(path, exceeds, std::span<hg::part_id>(owner));
  EXPECT_EQ(answer, hg::status::overflow);
  EXPECT_EQ(answer.position, 2u);
  EXPECT_NE(exceeds.explain(answer).find("edge weights to at most 2^63 - 1"), std::string::npos);
}

TEST(multilevel_limits, loads_may_be_2_to_the_62) {
  const rows g = two_cliques(8);
  // 2^62 in one node, and as much in all others together.
  std::vector<std::int64_t> load(16, heavy / 16);
  load[3] = heavy;
  const std::vector<hg::constraint> one{{"load", load, 0.03}};
  const owners owner = hg::assign(g, hg::multilevel{.parts = 2, .constraints = one});
  const auto lines = hg::measure_balance(owner, 2, one);
  EXPECT_TRUE(lines[0].met) << lines[0].imbalance;
  for (std::size_t v = 0; v < 16; ++v) EXPECT_EQ(owner[v] == owner[3], v == 3) << v;
  load[4] = heavy;
  owners out(16);
  const std::vector<hg::constraint> beyond{{"load", load, 0.03}};
  const hg::multilevel exceeds{.parts = 2, .constraints = beyond};
  const hg::status answer = hg::assign_into(g, exceeds, std::span<hg::part_id>(out));
  EXPECT_EQ(answer, hg::status::overflow);
  EXPECT_NE(exceeds.explain(answer).find("2^63 - 1"), std::string::npos);
}

TEST(multilevel_limits, a_grid_has_4096_parts) {
  const owners owner = hg::assign(
      hg::generators::grid{.width = 96, .height = 64},
      hg::multilevel{.parts = 4096, .effort = hg::multilevel_effort::fast()});
  ASSERT_EQ(owner.size(), 96u * 64);
  expect_even(owner, 4096);
}

TEST(multilevel_limits, graphs_without_edges_are_shared_evenly) {
  for (const std::uint64_t parts : {2u, 63u, 4096u}) {
    const owners owner = hg::assign(rows(10000), hg::multilevel{.parts = parts});
    expect_even(owner, parts);
  }
}

TEST(multilevel_limits, cliques_are_shared_evenly) {
  for (const std::uint64_t parts : {2u, 7u, 64u, 150u}) {
    rows g(150);
    for (std::uint32_t v = 0; v < 150; ++v) {
      for (std::uint32_t u = 0; u < v; ++u) g[v].push_back(u);
    }
    expect_even(hg::assign(g, hg::multilevel{.parts = parts}), parts);
  }
}

TEST(multilevel_limits, stars_have_many_parts) {
  for (const std::uint64_t parts : {2u, 100u, 4096u}) {
    rows g(5001);
    for (std::uint32_t v = 1; v < 5001; ++v) g[0].push_back(v);
    expect_even(
        hg::assign(g, hg::multilevel{.parts = parts, .effort = hg::multilevel_effort::fast()}),
        parts);
  }
}

}  // namespace
