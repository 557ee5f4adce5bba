// SPDX-License-Identifier: BSL-1.0
// Connected components of parts: counted, and joined.
#include <halograph/core/random.hpp>
#include <halograph/graph/generators.hpp>
#include <halograph/partition/assign.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/chained.hpp>
#include <halograph/partition/connected/components.hpp>
#include <halograph/partition/connected/connected_parts.hpp>
#include <halograph/partition/hash.hpp>
#include <halograph/testing/archetypes.hpp>
#include <halograph/testing/check.hpp>
#include <halograph/testing/small_graphs.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace hg = halograph;

namespace {

using owners = std::vector<hg::part_id>;
using edges = std::vector<std::pair<std::size_t, std::size_t>>;

static_assert(hg::refiner<hg::connected_parts, hg::archetype::graph>);

template <class G>
edges edges_of(const G& g) {
  edges out;
  hg::visit_edges(g, [&](auto u, auto v, auto) { out.emplace_back(hg::index(u), hg::index(v)); });
  return out;
}

/// The component of each node, by spreading the lowest node until nothing changes.
template <class Keep>
std::vector<std::size_t> spread(std::size_t nodes, const edges& all, const Keep& keep) {
  std::vector<std::size_t> lowest(nodes);
  for (std::size_t v = 0; v < nodes; ++v) lowest[v] = v;
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [u, v] : all) {
      if (lowest[u] == lowest[v] || !keep(u, v)) continue;
      lowest[u] = lowest[v] = std::min(lowest[u], lowest[v]);
      changed = true;
    }
  }
  return lowest;
}

/// The definition: components of a part, and those that are components of the graph.
template <class Owners>
std::vector<hg::part_connection> model(std::size_t nodes, const edges& all, const Owners& owner,
                                       std::size_t parts) {
  const auto inside = spread(nodes, all,
                             [&](std::size_t u, std::size_t v) { return owner[u] == owner[v]; }),
             whole = spread(nodes, all, [](std::size_t, std::size_t) { return true; });
  std::vector<hg::part_connection> out(parts);
  for (std::size_t v = 0; v < nodes; ++v) {
    if (inside[v] != v) continue;
    ++out[owner[v]].components;
    bool all_inside = true;
    for (std::size_t u = 0; u < nodes; ++u)
      all_inside = all_inside && (whole[u] != whole[v] || inside[u] == v);
    out[owner[v]].whole += all_inside ? 1u : 0u;
  }
  return out;
}

std::uint64_t avoidable(const std::vector<hg::part_connection>& all) {
  std::uint64_t out = 0;
  for (const auto& one : all) out += one.avoidable();
  return out;
}

hg::generators::uniform sparse(std::uint64_t seed) {
  return {.nodes = 24, .edges = 10 + seed % 30, .seed = seed};
}

TEST(count_components, is_what_the_definition_says) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto g = sparse(seed);
    const std::size_t parts = 1 + seed % 5;
    owners owner(g.num_nodes());
    hg::random_stream random(seed);
    for (auto& p : owner) p = static_cast<hg::part_id>(random.below(parts));
    const auto expected = model(g.num_nodes(), edges_of(g), owner, parts);
    EXPECT_EQ(hg::count_components(g, std::span<const hg::part_id>(owner), parts), expected);
    seen.insert(avoidable(expected));
    std::vector<std::int8_t> narrow(g.num_nodes());
    std::vector<hg::part_connection> found(parts);
    EXPECT_EQ(hg::count_components_into(g, std::span<const hg::part_id>(owner), std::span(narrow),
                                        std::span(found)),
              hg::status::ok);
    EXPECT_EQ(found, expected);
  }
  EXPECT_GE(seen.size(), 5u);
}

TEST(count_components, knows_what_can_be_joined) {
  // A path of six nodes by turns in two parts, and an isolated node in each.
  const auto g = hg::small_graph<>("path", 8, {{0, 1}, {2, 1}, {2, 3}, {3, 4}, {4, 5}, {5, 5}});
  const owners owner{0, 1, 0, 1, 0, 1, 0, 1};
  const auto found = hg::count_components(g, std::span<const hg::part_id>(owner), 3);
  EXPECT_EQ(hg::count_components(g, std::vector<std::int8_t>(owner.begin(), owner.end()), 3),
            found);
  EXPECT_EQ(found, (std::vector<hg::part_connection>{{4, 1}, {4, 1}, {0, 0}}));
  EXPECT_EQ(found[0].avoidable(), 2u);
  EXPECT_EQ(found[2].avoidable(), 0u);
}

TEST(count_components, rejects_what_is_wrong) {
  const auto g = hg::small_graph<>("pair", 3, {{0, 1}});
  std::array<hg::part_connection, 2> out{};
  std::array<std::uint32_t, 3> scratch{};
  const auto count = [&](owners owner, std::size_t words) {
    return hg::count_components_into(g, std::span<const hg::part_id>(owner),
                                     std::span(scratch).first(words), std::span(out));
  };
  EXPECT_EQ(count({0, 1, 1}, 3), hg::status::ok);
  EXPECT_EQ(count({0, 1}, 3), hg::status::mismatch.at(3));
  EXPECT_EQ(count({0, 1, 2}, 3), hg::status::out_of_range.at(2));
  EXPECT_EQ(count({0, 1, 1}, 2), hg::status::capacity.at(3));
  const owners two{0, 1};
  EXPECT_THROW(hg::count_components(g, std::span<const hg::part_id>(two), 2), hg::error);
  // 128 nodes: one more than an int8_t can tell apart from "leaves its part"
  const auto path = hg::generators::path{.nodes = 128};
  const owners zero(128);
  std::vector<std::int8_t> narrow(128);
  EXPECT_EQ(hg::count_components_into(path, std::span<const hg::part_id>(zero), std::span(narrow),
                                      std::span(out)),
            hg::status::overflow.at(128));
}

TEST(connected_parts, keeps_the_laws_of_refiners) {
  EXPECT_EQ(hg::laws::check_refiner(hg::connected_parts{}).why, "");
  EXPECT_EQ(hg::laws::check_refiner(hg::basic_connected_parts<std::uint8_t>{.tolerance = 9}).why,
            "");
}

TEST(connected_parts, joins_everything_that_has_room) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const auto g = sparse(seed);
    const std::uint64_t parts = 1 + seed % 5;
    auto owner = hg::assign(g, hg::hash_parts{.parts = parts, .seed = seed});
    const auto filled = std::set(owner.begin(), owner.end());
    ASSERT_EQ((hg::connected_parts{.parts = parts, .tolerance = 100}.refine(
                  g, std::span<hg::part_id>(owner))),
              hg::status::ok);
    EXPECT_EQ(std::set(owner.begin(), owner.end()), filled) << "a part became empty";
    EXPECT_EQ(avoidable(model(g.num_nodes(), edges_of(g), owner, parts)), 0u) << seed;
  }
}

TEST(connected_parts, keeps_limits_and_never_makes_more_components) {
  std::uint64_t joined = 0, left = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const auto g = sparse(seed);
    const std::uint64_t parts = 2 + seed % 3;
    auto owner = hg::assign(g, hg::hash_parts{.parts = parts, .seed = seed});
    const auto old = owner;
    std::vector<std::int64_t> weights(g.num_nodes());
    hg::random_stream random(seed);
    for (auto& weight : weights) weight = static_cast<std::int64_t>(random.below(5));
    const std::vector<hg::constraint> both{{"nodes", hg::load_view::ones(g.num_nodes()), 0.4},
                                           {"weights", weights, 0.5}};
    ASSERT_EQ((hg::connected_parts{.parts = parts, .constraints = both}.refine(
                  g, std::span<hg::part_id>(owner))),
              hg::status::ok);
    const auto before = model(g.num_nodes(), edges_of(g), old, parts),
               after = model(g.num_nodes(), edges_of(g), owner, parts);
    const auto was = hg::measure_balance(std::span<const hg::part_id>(old), parts, both),
               is = hg::measure_balance(std::span<const hg::part_id>(owner), parts, both);
    for (std::size_t i = 0; i < both.size(); ++i)
      EXPECT_TRUE(is[i].met || is[i].imbalance <= was[i].imbalance + 1e-9 || !was[i].met) << seed;
    EXPECT_LE(avoidable(after), avoidable(before));
    for (std::size_t p = 0; p < parts; ++p)
      EXPECT_LE(after[p].components - after[p].whole, before[p].components - before[p].whole);
    joined += avoidable(before) - avoidable(after);
    left += avoidable(after);
  }
  EXPECT_GT(joined, 500u);
  EXPECT_GT(left, 0u);
}

TEST(connected_parts, moves_to_the_part_with_most_edges_or_to_several) {
  // Node 6 of part 0 has one edge to part 1 and two to part 2.
  const auto g = hg::small_graph<>(
      "seven", 7, {{0, 1}, {2, 3}, {4, 5}, {1, 2}, {6, 2}, {6, 4}, {5, 6}, {3, 4}});
  owners owner{0, 0, 1, 1, 2, 2, 0};
  ASSERT_EQ((hg::connected_parts{.parts = 3, .tolerance = 1}.refine(g, std::span(owner))),
            hg::status::ok);
  EXPECT_EQ(owner, (owners{0, 0, 1, 1, 2, 2, 2}));
  // Without room there, the next best; without any room, nowhere.
  const std::vector<std::int64_t> weights{1, 1, 1, 1, 3, 3, 1};
  const std::vector<hg::constraint> heavy{{"weight", weights, 0.1}};
  owner = {0, 0, 1, 1, 2, 2, 0};
  ASSERT_EQ((hg::connected_parts{.parts = 3, .constraints = heavy}.refine(g, std::span(owner))),
            hg::status::ok);
  EXPECT_EQ(owner, (owners{0, 0, 1, 1, 2, 2, 1}));
  const std::vector<std::int64_t> full{1, 1, 3, 3, 3, 3, 6};
  const std::vector<hg::constraint> none{{"weight", full, 0.1}};
  owner = {0, 0, 1, 1, 2, 2, 0};
  ASSERT_EQ((hg::connected_parts{.parts = 3, .constraints = none}.refine(g, std::span(owner))),
            hg::status::ok);
  EXPECT_EQ(owner[0], 0u);
  // 0 1 2 3 | 4 5 | 6 7 8 9 | 10 ... 14: of the middle, each node finds room on its side.
  const hg::generators::path path{.nodes = 15};
  owner = {1, 1, 1, 1, 0, 0, 2, 2, 2, 2, 0, 0, 0, 0, 0};
  ASSERT_EQ((hg::connected_parts{.parts = 3, .tolerance = 0}.refine(path, std::span(owner))),
            hg::status::ok);
  EXPECT_EQ(owner, (owners{1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 0, 0, 0, 0, 0}));
  // With room for one of the two only, both stay.
  owner = {1, 1, 1, 1, 0, 0, 2, 2, 2, 2, 2, 0, 0, 0, 0};
  const owners before = owner;
  ASSERT_EQ((hg::connected_parts{.parts = 3, .tolerance = 0}.refine(path, std::span(owner))),
            hg::status::ok);
  EXPECT_EQ(owner, before);
}

TEST(connected_parts, lets_the_border_make_room) {
  // Stripes of a grid, exactly even, where two parts each have nodes inside the other.
  const hg::generators::grid grid{.width = 10, .height = 8};
  owners owner(80);
  for (std::size_t v = 0; v < 80; ++v) owner[v] = static_cast<hg::part_id>(v / 40);
  for (const std::size_t v : {12u, 15u, 18u}) owner[v] = 1;
  for (const std::size_t v : {61u, 64u, 67u}) owner[v] = 0;
  ASSERT_EQ(avoidable(hg::count_components(grid, std::span<const hg::part_id>(owner), 2)), 6u);
  ASSERT_EQ((hg::connected_parts{.parts = 2, .tolerance = 0}.refine(grid, std::span(owner))),
            hg::status::ok);
  EXPECT_EQ(hg::count_components(grid, std::span<const hg::part_id>(owner), 2),
            (std::vector<hg::part_connection>{{1, 0}, {1, 0}}));
  EXPECT_EQ(std::count(owner.begin(), owner.end(), 0u), 40);
}

TEST(connected_parts, joins_long_chains_in_few_rounds) {
  const auto path = hg::generators::path{.nodes = 200000};
  auto owner = hg::assign(path, hg::hash_parts{.parts = 8});
  ASSERT_EQ((hg::connected_parts{.parts = 8, .tolerance = 100}.refine(path, std::span(owner))),
            hg::status::ok);
  EXPECT_EQ(avoidable(hg::count_components(path, std::span<const hg::part_id>(owner), 8)), 0u);
}

TEST(connected_parts, follows_any_partitioner) {
  const auto grid = hg::generators::grid{.width = 12, .height = 9};
  using policy = hg::chained<hg::hash_parts, hg::connected_parts>;
  const auto owner = hg::assign(grid, policy{.parts = 4, .second = {.tolerance = 3}});
  const auto found = hg::count_components(grid, std::span<const hg::part_id>(owner), 4);
  for (const auto& one : found) EXPECT_EQ(one, (hg::part_connection{1, 0}));
  EXPECT_EQ(policy::name, "hash+connected_parts");
}

}  // namespace
