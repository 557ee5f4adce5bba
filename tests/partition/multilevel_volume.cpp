// SPDX-License-Identifier: BSL-1.0
// partition/multilevel/volume_refinement.hpp, and objective volume of the policies.
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/random.hpp>
#include <halograph/graph/generators.hpp>
#include <halograph/partition/assign.hpp>
#include <halograph/partition/multilevel.hpp>
#include <halograph/partition/multilevel/part_moves.hpp>
#include <halograph/partition/multilevel/volume_refinement.hpp>
#include <halograph/partition/quality.hpp>
#include <halograph/testing/archetypes.hpp>
#include <halograph/testing/laws.hpp>
#include <halograph/testing/small_graphs.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace hg = halograph;

namespace {

using owners = std::vector<hg::part_id>;
using graph = hg::detail::weighted_graph<std::uint32_t>;

std::uint64_t volume_of(const auto& g, const owners& owner, std::uint64_t parts) {
  return hg::measure_quality(g, std::span<const hg::part_id>(owner), parts).communication_volume;
}

/// @param pairs  of each node on average
graph random_graph(std::size_t nodes, std::size_t pairs, std::uint64_t seed) {
  hg::random_stream stream(seed);
  std::vector<std::set<std::size_t>> rows(nodes);
  for (std::size_t i = 0; i < nodes * pairs; ++i) {
    // Squares make hubs.
    const auto u = static_cast<std::size_t>(stream.below(nodes)),
               v = static_cast<std::size_t>(stream.below(nodes)) *
                   static_cast<std::size_t>(stream.below(nodes)) / nodes;
    if (u == v) continue;
    rows[u].insert(v);
    rows[v].insert(u);
  }
  graph out;
  for (const auto& row : rows) {
    for (const std::size_t u : row) out.targets.push_back(static_cast<std::uint32_t>(u));
    out.offsets.push_back(static_cast<std::uint32_t>(out.targets.size()));
  }
  return out;
}
std::int64_t naive_volume(const graph& g, std::span<const std::uint32_t> part,
                          std::span<const std::int64_t> sizes) {
  std::int64_t sum = 0;
  for (std::size_t v = 0; v < g.num_nodes(); ++v) {
    std::set<std::uint32_t> others;
    g.visit(v, [&](std::size_t u, std::int64_t) { others.insert(part[u]); });
    others.erase(part[v]);
    sum += static_cast<std::int64_t>(others.size()) * (sizes.empty() ? 1 : sizes[v]);
  }
  return sum;
}

TEST(volume_refinement, agrees_with_a_naive_model_and_keeps_every_bound) {
  bool moved_any = false, bound_held = false;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    hg::random_stream stream(seed);
    const std::size_t nodes = 5 + seed % 50;
    graph g = random_graph(nodes, 1 + seed % 5, seed);
    const auto parts = static_cast<std::uint32_t>(2 + seed % 9);  // rows as tables and as lists
    std::vector<std::uint32_t> before(nodes);
    for (auto& p : before) p = static_cast<std::uint32_t>(stream.below(parts));
    std::vector<std::int64_t> sizes;
    for (std::size_t v = 0; seed % 3 == 1 && v < nodes; ++v)
      sizes.push_back(static_cast<std::int64_t>(stream.below(5)));
    if (seed % 4 == 3) {
      g.fixed.assign(nodes, hg::detail::no_part);
      for (std::size_t v = 0; v < nodes; v += 3) g.fixed[v] = before[v];
    }
    const std::vector<std::uint64_t> caps{nodes / parts + 3};
    std::vector<std::uint32_t> part = before;
    hg::detail::part_moves<std::uint32_t> moves(g, parts, caps, part, {});
    const std::uint64_t excess = moves.excess();
    hg::detail::bounded_moves bound;
    if (seed % 5 == 4) bound = {before, seed % 7};
    hg::detail::volume_refinement<std::uint32_t> refinement(moves, sizes, bound, 2);
    const std::int64_t first = naive_volume(g, before, sizes);
    EXPECT_EQ(refinement.volume(), first) << seed;
    const std::int64_t last = refinement.refine();
    EXPECT_EQ(last, naive_volume(g, part, sizes)) << seed;
    EXPECT_EQ(last, refinement.volume()) << seed;
    EXPECT_LE(last, first) << seed;
    EXPECT_LE(moves.excess(), excess) << seed;
    std::uint64_t away = 0;
    for (std::size_t v = 0; v < nodes; ++v) {
      away += part[v] != before[v] ? 1u : 0u;
      if (g.is_fixed(v)) {
        EXPECT_EQ(part[v], before[v]) << seed;
      }
    }
    if (!bound.home.empty()) {
      EXPECT_LE(away, bound.most) << seed;
      bound_held = bound_held || (away == bound.most && away != 0);
    }
    moved_any = moved_any || last < first;
  }
  EXPECT_TRUE(moved_any);
  EXPECT_TRUE(bound_held);
}

TEST(volume_refinement, moves_a_hub_that_one_part_needs) {
  // A star whose leaves are all in part 1: each leaf sends to the hub's part, and the hub to
  // theirs.
  graph star;
  for (std::uint32_t leaf = 1; leaf <= 6; ++leaf) star.targets.push_back(leaf);
  star.offsets.push_back(6);
  for (std::uint32_t leaf = 1; leaf <= 6; ++leaf) {
    star.targets.push_back(0);
    star.offsets.push_back(6 + leaf);
  }
  std::vector<std::uint32_t> part{0, 1, 1, 1, 1, 1, 1};
  const std::vector<std::uint64_t> caps{7};
  hg::detail::part_moves<std::uint32_t> moves(star, 2, caps, part, {});
  hg::detail::volume_refinement<std::uint32_t> refinement(moves, {}, {}, 1);
  EXPECT_EQ(refinement.volume(), 7);
  EXPECT_EQ(refinement.refine(), 0);
  EXPECT_EQ(part, std::vector<std::uint32_t>(7, 1));
}

TEST(objective_volume, sends_less_than_what_cuts_fewest_edges) {
  const hg::generators::rmat g{.scale = 11, .edge_factor = 8, .seed = 5};
  for (const std::uint64_t parts : {2u, 8u, 40u}) {
    hg::multilevel policy{.parts = parts};
    const owners cut = hg::assign(g, policy);
    policy.objective = hg::objective::volume;
    const owners sent = hg::assign(g, policy);
    EXPECT_LT(volume_of(g, sent, parts), volume_of(g, cut, parts)) << parts;
    std::vector<std::uint64_t> sizes(parts);
    for (const auto p : sent) ++sizes.at(static_cast<std::size_t>(p));
    const std::uint64_t even = 2048 / parts;
    EXPECT_LE(*std::max_element(sizes.begin(), sizes.end()),
              even + std::max<std::uint64_t>(1, even * 3 / 100))
        << parts;
    EXPECT_EQ(sent, hg::assign(g, policy, hg::archetype::executor(0))) << parts;
  }
}

template <class Part>
class objective_volume_of : public ::testing::Test {};
using widths = ::testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(objective_volume_of, widths);

TYPED_TEST(objective_volume_of, keeps_the_laws_on_every_small_graph) {
  for (const auto& g : hg::small_graphs<>()) {
    for (const std::uint64_t parts : {1u, 2u, 3u, 7u}) {
      const auto lawful = hg::laws::partitioner(
          hg::basic_multilevel<TypeParam>{.parts = parts, .objective = hg::objective::volume},
          parts, g);
      EXPECT_TRUE(lawful) << g.name() << ": " << lawful.why;
    }
  }
}

TEST(objective_volume, is_never_worse_than_the_assignment_it_improves) {
  const hg::generators::rmat g{.scale = 9, .edge_factor = 8, .seed = 2};
  owners before(512);
  for (std::size_t v = 0; v < before.size(); ++v) before[v] = static_cast<hg::part_id>(v % 4);
  const hg::multilevel best{.parts = 4, .objective = hg::objective::volume};
  for (const owners& start : {before, hg::assign(g, best)}) {
    owners owner = start;
    const hg::multilevel_refinement again{.parts = 4, .objective = hg::objective::volume};
    ASSERT_TRUE(again.refine(g, std::span<hg::part_id>(owner)));
    EXPECT_LE(volume_of(g, owner, 4), volume_of(g, start, 4));
  }
  hg::multilevel few = best;
  few.from = before;
  few.max_moved = 9;
  const owners owner = hg::assign(g, few);
  std::uint64_t away = 0;
  for (std::size_t v = 0; v < owner.size(); ++v) away += owner[v] != before[v] ? 1u : 0u;
  EXPECT_LE(away, 9u);
  EXPECT_LT(volume_of(g, owner, 4), volume_of(g, before, 4));
}

TEST(objective_volume, spares_the_nodes_whose_data_is_large) {
  const hg::generators::rmat g{.scale = 9, .edge_factor = 8, .seed = 4};
  std::vector<std::int64_t> sizes(512, 1);
  for (std::size_t v = 0; v < sizes.size(); v += 5) sizes[v] = 1000;
  const auto sent = [&](std::span<const std::int64_t> counted) {
    const owners owner = hg::assign(
        g, hg::multilevel{.parts = 4, .objective = hg::objective::volume, .node_sizes = counted});
    std::vector<std::set<hg::part_id>> near(512);
    hg::for_each_edge(g, [&](auto u, auto v, auto) {
      near[u].insert(owner[v]);
      near[v].insert(owner[u]);
    });
    std::int64_t sum = 0;
    for (std::size_t v = 0; v < near.size(); ++v) {
      near[v].erase(owner[v]);
      sum += sizes[v] * static_cast<std::int64_t>(near[v].size());
    }
    return sum;
  };
  EXPECT_LT(sent(sizes), sent({}));
}

TEST(objective_volume, refuses_wrong_sizes_with_a_sentence) {
  const hg::generators::grid g{.width = 6, .height = 5};
  const auto refused = [&](std::vector<std::int64_t> sizes) {
    const hg::multilevel policy{
        .parts = 3, .objective = hg::objective::volume, .node_sizes = sizes};
    owners owner(30);
    const hg::status answer = policy.assign(g, std::span<hg::part_id>(owner));
    return std::pair(answer, policy.explain(answer));
  };
  std::vector<std::int64_t> sizes(30, 1);
  EXPECT_TRUE(refused(sizes).first);
  sizes[7] = -1;
  EXPECT_EQ(refused(sizes).first, hg::status::invalid_argument.at(7));
  EXPECT_NE(refused(sizes).second.find("node sizes must be 0 or more"), std::string::npos);
  sizes[7] = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(refused(sizes).first, hg::status::overflow.at(7));
  EXPECT_NE(refused(sizes).second.find("at most 2^51"), std::string::npos);
  sizes.pop_back();
  EXPECT_EQ(refused(sizes).first, hg::status::mismatch.at(30));
  EXPECT_NE(refused(sizes).second.find("sizes must be given for each node"), std::string::npos);
}

}  // namespace
