// SPDX-License-Identifier: BSL-1.0
// Multilevel partitioning where something is given: fixed nodes, assignments to improve, part
// weights.
#include "support/few_threads.hpp"

#include <halograph/core/random.hpp>
#include <halograph/graph/generators.hpp>
#include <halograph/partition/assign.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/chained.hpp>
#include <halograph/partition/hash.hpp>
#include <halograph/partition/multilevel.hpp>
#include <halograph/partition/multilevel/fixed_nodes.hpp>
#include <halograph/partition/multilevel/flow_refinement.hpp>
#include <halograph/partition/multilevel/part_moves.hpp>
#include <halograph/partition/multilevel/warm_start.hpp>
#include <halograph/partition/quality.hpp>
#include <halograph/partition/refine.hpp>
#include <halograph/testing/archetypes.hpp>
#include <halograph/testing/check.hpp>
#include <halograph/testing/small_graphs.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace hg = halograph;

namespace {

using owners = std::vector<hg::part_id>;
using columns = std::vector<std::int64_t>;

constexpr hg::part_id none = hg::multilevel::no_part;

using hg::testing::few_threads;

std::vector<std::uint64_t> sizes(const owners& owner, std::size_t parts) {
  std::vector<std::uint64_t> out(parts);
  for (const auto p : owner) ++out[p];
  return out;
}

template <class G>
std::uint64_t cut_of(const G& g, const owners& owner, std::size_t parts) {
  return hg::measure_quality(g, std::span<const hg::part_id>(owner), parts).edge_cut;
}

/// A share of the nodes of an assignment; the others have none.
owners some_of(const owners& owner, std::uint64_t percent, std::uint64_t seed) {
  owners out = owner;
  hg::random_stream random(seed);
  for (auto& p : out) p = random.below(100) < percent ? p : none;
  return out;
}

template <class G>
hg::error error_of(const G& g, const hg::multilevel& policy) {
  try {
    (void)hg::assign(g, policy);
  } catch (const hg::error& problem) {
    return problem;
  }
  return hg::error(hg::error_kind::internal, "no error");
}

TEST(fixed_nodes, stay_whatever_the_graph_and_the_effort) {
  const auto check = [](const auto& g, std::uint64_t parts, const std::string& what) {
    const std::size_t nodes = hg::num_nodes(g);
    owners fixed(nodes, none);
    hg::random_stream random(parts);
    for (auto& p : fixed) {
      if (random.below(3) == 0) p = static_cast<hg::part_id>(random.below(parts));
    }
    for (const auto effort : {hg::multilevel_effort::fast(), hg::multilevel_effort::balanced(),
                              hg::multilevel_effort::strong()}) {
      const hg::multilevel policy{.parts = parts, .effort = effort, .seed = 4, .fixed = fixed};
      const owners owner = hg::assign(g, policy);
      for (std::size_t v = 0; v < nodes; ++v) {
        ASSERT_LT(owner[v], parts);
        ASSERT_TRUE(fixed[v] == none || owner[v] == fixed[v]) << what << ", node " << v;
      }
      const auto held = sizes(owner, static_cast<std::size_t>(parts));
      const std::uint64_t mean = (nodes + parts - 1) / parts;
      EXPECT_LE(*std::max_element(held.begin(), held.end()),
                std::max(mean, nodes * 103 / 100 / parts))
          << what;
      EXPECT_EQ(owner, hg::assign(g, policy, few_threads{3})) << what;
    }
  };
  check(hg::generators::grid{.width = 60, .height = 50}, 5, "grid");
  check(hg::generators::rmat{.scale = 11, .edge_factor = 6, .seed = 4}, 7, "rmat");
  check(std::vector<std::vector<std::uint32_t>>(900), 4, "no edges");
}

TEST(fixed_nodes, pull_their_neighbors) {
  // A path whose ends are in parts 1 and 0, and whose middle is in part 2.
  std::vector<std::vector<std::uint32_t>> path(300);
  for (std::uint32_t v = 0; v + 1 < 300; ++v) path[v].push_back(v + 1);
  owners fixed(300, none);
  fixed[0] = 1;
  fixed[150] = 2;
  fixed[299] = 0;
  const owners owner = hg::assign(path, hg::multilevel{.parts = 3, .fixed = fixed});
  EXPECT_LE(cut_of(path, owner, 3), 4u) << "two cuts suffice";
  EXPECT_EQ(owner[40], 1u);
  EXPECT_EQ(owner[140], 2u);
  EXPECT_EQ(owner[260], 0u);
}

TEST(fixed_nodes, the_others_are_placed_around_them_with_few_cut_edges) {
  const hg::generators::grid g{.width = 80, .height = 60};
  const owners whole = hg::assign(g, hg::multilevel{.parts = 6});
  for (const std::uint64_t percent : {2u, 50u, 95u}) {
    const owners fixed = some_of(whole, percent, percent);
    const owners owner = hg::assign(g, hg::multilevel{.parts = 6, .fixed = fixed});
    EXPECT_LE(cut_of(g, owner, 6), cut_of(g, whole, 6) * 11 / 10) << percent;
  }
}

TEST(fixed_nodes, count_for_every_constraint) {
  const hg::generators::grid g{.width = 50, .height = 40};
  columns weights(2000), rare(2000);
  hg::random_stream random(3);
  for (std::size_t v = 0; v < 2000; ++v) {
    weights[v] = 1 + static_cast<std::int64_t>(random.below(9));
    rare[v] = random.below(4) == 0 ? 1 : 0;
  }
  const std::vector<hg::constraint> all{{"weight", weights, 0.03}, {"rare", rare, 0.05}};
  owners fixed(2000, none);
  for (std::size_t v = 0; v < 300; ++v) fixed[v] = static_cast<hg::part_id>(v % 3);  // of 4 parts
  const owners owner = hg::assign(g,
                                  hg::multilevel{.parts = 4, .constraints = all, .fixed = fixed});
  for (std::size_t v = 0; v < 300; ++v) ASSERT_EQ(owner[v], fixed[v]);
  for (const auto& line : hg::measure_balance(std::span<const hg::part_id>(owner), 4, all))
    EXPECT_TRUE(line.met) << line.name << ": " << line.imbalance;
}

TEST(fixed_nodes, may_overfill_a_part_which_then_gets_no_others) {
  const hg::generators::grid g{.width = 20, .height = 20};
  owners fixed(400, none);
  std::fill(fixed.begin(), fixed.begin() + 250, hg::part_id{2});
  const owners owner = hg::assign(g, hg::multilevel{.parts = 3, .fixed = fixed});
  EXPECT_EQ(sizes(owner, 3)[2], 250u);
  EXPECT_GE(sizes(owner, 3)[0], 60u);
  EXPECT_GE(sizes(owner, 3)[1], 60u);
}

TEST(fixed_nodes, few_nodes_and_all_nodes) {
  const std::vector<std::vector<std::uint32_t>> g{{1}, {2}, {3}, {}};
  const owners two{none, 4, 0, none}, all{1, 1, 0, 1};
  const owners spread = hg::assign(g, hg::multilevel{.parts = 5, .fixed = two});
  EXPECT_EQ(spread, (owners{1, 4, 0, 2}));
  EXPECT_EQ(hg::assign(g, hg::multilevel{.parts = 2, .fixed = all}), all);
  EXPECT_EQ(hg::assign(g, hg::multilevel{.parts = 3, .fixed = all}), all) << "part 2 stays empty";
  const owners alone{none, none, none, none};
  EXPECT_EQ(hg::assign(g, hg::multilevel{.parts = 2, .fixed = alone}),
            hg::assign(g, hg::multilevel{.parts = 2}));
}

TEST(fixed_nodes, wrong_parts_are_refused_with_a_sentence) {
  const std::vector<std::vector<std::uint32_t>> g{{1}, {2}, {0}};
  const owners wide{0, 1, 2}, few{0, 1};
  const auto outside = error_of(g, {.parts = 2, .fixed = wide});
  EXPECT_EQ(outside.code(), hg::error_kind::out_of_range);
  EXPECT_NE(std::string(outside.what()).find("fixed names part 2 for node 2"), std::string::npos)
      << outside.what();
  EXPECT_EQ(error_of(g, {.parts = 2, .fixed = few}).code(), hg::error_kind::mismatch);
  const std::vector<std::uint8_t> narrow{0, 1, 2};
  std::vector<std::uint8_t> owner(3);
  const hg::basic_multilevel<std::uint8_t> most{.parts = 256, .fixed = narrow};
  EXPECT_EQ(most.assign(g, owner).code, hg::error_kind::overflow) << "part 255 means none";
}

TEST(fixed_nodes, are_moved_by_no_phase) {
  // A path whose nodes lie in parts 0 and 1 by turns, too many of them in part 0; every fourth node
  // is fixed.
  hg::detail::weighted_graph<std::uint32_t> g;
  constexpr std::uint32_t nodes = 120;
  for (std::uint32_t v = 0; v < nodes; ++v) {
    if (v != 0) g.targets.push_back(v - 1);
    if (v + 1 < nodes) g.targets.push_back(v + 1);
    g.offsets.push_back(static_cast<std::uint32_t>(g.targets.size()));
  }
  std::vector<std::uint32_t> start(nodes);
  for (std::uint32_t v = 0; v < nodes; ++v) start[v] = v % 3 == 1 ? 1 : 0;
  g.fixed.assign(nodes, hg::detail::no_part);
  for (std::uint32_t v = 0; v < nodes; v += 4) g.fixed[v] = start[v];
  const std::vector<std::uint64_t> caps{62};
  const auto check = [&](const std::string& phase, const auto& run) {
    std::vector<std::uint32_t> part = start;
    hg::detail::part_moves<std::uint32_t> moves(g, 2, caps, part, hg::executor_ref());
    run(moves);
    EXPECT_NE(part, start) << phase;
    for (std::uint32_t v = 0; v < nodes; v += 4) EXPECT_EQ(part[v], start[v]) << phase << " " << v;
  };
  check("rebalance", [](auto& moves) { moves.rebalance(1); });
  check("propagate_labels", [](auto& moves) { moves.propagate_labels(9); });
  check("jet", [](auto& moves) { moves.jet(3, 6, 1); });
  check("flows", [](auto& moves) {
    moves.rebalance(1);
    hg::detail::flow_refinement<std::uint32_t>(moves, {}).refine();
  });
}

TEST(fixed_nodes, are_joined_to_one_of_each_part) {
  // A square with one diagonal; 0 and 2 are in part 7, 3 in part 1.
  hg::detail::weighted_graph<std::uint32_t> g;
  g.offsets = {0, 3, 5, 8, 10};
  g.targets = {1, 2, 3, 0, 2, 0, 1, 3, 0, 2};
  const std::vector<std::uint32_t> fixed{7, hg::detail::no_part, 7, 1};
  std::vector<std::uint32_t> joined_of;
  const auto joined = hg::detail::join_fixed_nodes(g, fixed, joined_of);
  EXPECT_EQ(joined_of, (std::vector<std::uint32_t>{2, 0, 2, 1}));
  EXPECT_EQ(joined.fixed, (std::vector<std::uint32_t>{hg::detail::no_part, 1, 7}));
  EXPECT_EQ(joined.offsets, (hg::uninitialized_vector<std::uint32_t>{0, 1, 1, 2}));
  EXPECT_EQ(joined.targets, (hg::uninitialized_vector<std::uint32_t>{2, 0}));
  EXPECT_EQ(joined.weights, (hg::uninitialized_vector<std::uint32_t>{2, 2}));
  ASSERT_EQ(joined.loads.size(), 3u);
  for (std::size_t v = 0; v < 3; ++v) EXPECT_EQ(joined.loads[v], v == 2 ? 2u : 1u);
}

TEST(fixed_nodes, are_never_moved_into_empty_parts_nor_is_a_part_emptied_again) {
  // 14 nodes in part 0, of which one may move; two in part 1 that may; none in parts 2 and 3.
  std::vector<std::uint32_t> degrees(16, 2), owner(16, 0), stays(16, 0);
  stays[5] = stays[14] = stays[15] = hg::detail::no_part;
  owner[14] = owner[15] = 1;
  degrees[5] = 1;
  // Node 5 is taken first, as its part has many. Then only part 1 can give, though it has few:
  // whatever part 5 is in now must not.
  hg::detail::fill_empty_parts(std::span<const std::uint32_t>(degrees), 4, stays, {}, 0, owner);
  std::vector<std::uint32_t> expected(16, 0);
  expected[5] = 3;
  expected[14] = 2;
  expected[15] = 1;
  EXPECT_EQ(owner, expected);
}

TEST(fixed_nodes, know_whether_a_part_is_empty) {
  const std::vector<std::uint32_t> owner{2, 0, 2, 1, 0};
  EXPECT_FALSE(hg::detail::has_empty_part(owner, 3));
  EXPECT_TRUE(hg::detail::has_empty_part(owner, 4));
  EXPECT_TRUE(hg::detail::has_empty_part(std::span(owner).first(3), 3));
  EXPECT_TRUE(hg::detail::has_empty_part({}, 1));
}

// ---- assignments to improve

static_assert(hg::refiner<hg::multilevel_refinement, hg::archetype::graph>);
// Its members are those of multilevel, with the same defaults.
static_assert(hg::multilevel_refinement{}.parts == hg::multilevel{}.parts &&
              hg::multilevel_refinement{}.objective == hg::multilevel{}.objective &&
              hg::multilevel_refinement{}.seed == hg::multilevel{}.seed &&
              hg::multilevel_refinement{}.tolerance == hg::multilevel{}.tolerance &&
              hg::multilevel_refinement{}.balance_types == hg::multilevel{}.balance_types &&
              hg::multilevel_refinement{}.max_moved == hg::multilevel{}.max_moved);
static_assert(
    hg::partitioner<hg::chained<hg::hash_parts, hg::multilevel_refinement>, hg::archetype::graph>);

std::uint64_t moved_between(const owners& before, const owners& after) {
  std::uint64_t count = 0;
  for (std::size_t v = 0; v < before.size(); ++v)
    count += before[v] != none && before[v] != after[v] ? 1u : 0u;
  return count;
}
/// A share of the nodes get random parts.
owners shaken(owners owner, std::uint64_t parts, std::uint64_t percent) {
  hg::random_stream random(percent);
  for (auto& p : owner) {
    if (random.below(100) < percent) p = static_cast<hg::part_id>(random.below(parts));
  }
  return owner;
}

TEST(warm_start, a_good_assignment_hardly_moves_and_a_shaken_one_is_repaired) {
  const hg::generators::grid g{.width = 80, .height = 60};
  const owners good = hg::assign(g, hg::multilevel{.parts = 6});
  const owners again = hg::assign(g, hg::multilevel{.parts = 6, .from = good});
  EXPECT_LE(cut_of(g, again, 6), cut_of(g, good, 6));
  EXPECT_LT(moved_between(good, again), 480u);
  const owners bad = shaken(good, 6, 10),
               repaired = hg::assign(g, hg::multilevel{.parts = 6, .from = bad});
  EXPECT_GT(cut_of(g, bad, 6), 1000u);
  EXPECT_LE(cut_of(g, repaired, 6), cut_of(g, good, 6) * 11 / 10);
  EXPECT_LT(moved_between(good, repaired), 700u);
}

TEST(warm_start, no_more_nodes_move_than_may) {
  const auto check = [](const auto& g, std::uint64_t parts, const std::string& what) {
    const std::size_t nodes = hg::num_nodes(g);
    const owners before = shaken(hg::assign(g, hg::multilevel{.parts = parts}), parts, 20);
    std::uint64_t last = cut_of(g, before, static_cast<std::size_t>(parts));
    const std::uint64_t first = last;
    for (const std::size_t share : {1000u, 100u, 20u, 4u}) {
      const std::uint64_t most = nodes / share;
      const hg::multilevel policy{.parts = parts, .from = before, .max_moved = most};
      const owners after = hg::assign(g, policy);
      EXPECT_LE(moved_between(before, after), most) << what;
      const std::uint64_t cut = cut_of(g, after, static_cast<std::size_t>(parts));
      EXPECT_LE(cut, last + last / 50) << what << ", 1 of " << share;
      last = cut;
      const few_threads pool{3};
      EXPECT_EQ(after, hg::assign(g, policy, pool)) << what;
    }
    EXPECT_LT(last, first * 3 / 4) << what;
    EXPECT_EQ(before, hg::assign(g, hg::multilevel{.parts = parts, .from = before, .max_moved = 0}))
        << what;
  };
  check(hg::generators::grid{.width = 60, .height = 50}, 5, "grid");
  check(hg::generators::rmat{.scale = 11, .edge_factor = 4, .seed = 4}, 4, "rmat");
}

TEST(warm_start, new_nodes_go_where_their_neighbors_are) {
  const hg::generators::grid g{.width = 60, .height = 60};
  const owners whole = hg::assign(g, hg::multilevel{.parts = 5});
  owners before = some_of(whole, 90, 1);
  before.back() = none;
  const owners after = hg::assign(g, hg::multilevel{.parts = 5, .from = before});
  EXPECT_LE(cut_of(g, after, 5), cut_of(g, whole, 5) * 11 / 10);
  EXPECT_LT(moved_between(before, after), 360u);
  const owners held = hg::assign(g, hg::multilevel{.parts = 5, .from = before, .max_moved = 0});
  EXPECT_EQ(moved_between(before, held), 0u);
  EXPECT_LE(cut_of(g, held, 5), cut_of(g, whole, 5) * 11 / 10);
}

TEST(warm_start, balance_is_repaired_as_far_as_nodes_may_move) {
  const hg::generators::grid g{.width = 40, .height = 40};
  owners before(1600);
  for (std::size_t v = 0; v < 1600; ++v) before[v] = v % 40 < 26 ? 0 : 1;  // 1040 and 560
  const auto after = [&](std::uint64_t most) {
    const owners owner = hg::assign(g,
                                    hg::multilevel{.parts = 2, .from = before, .max_moved = most});
    EXPECT_LE(moved_between(before, owner), most);
    return sizes(owner, 2)[0];
  };
  EXPECT_LE(after(2000), 824u);
  EXPECT_LE(after(240), 824u);
  EXPECT_EQ(after(100), 940u);
  EXPECT_EQ(after(0), 1040u);
}

TEST(warm_start, parts_may_be_added_and_none_is_empty) {
  const hg::generators::grid g{.width = 40, .height = 40};
  const owners four = hg::assign(g, hg::multilevel{.parts = 4}),
               six = hg::assign(g, hg::multilevel{.parts = 6, .from = four});
  const auto held = sizes(six, 6);
  EXPECT_LE(*std::max_element(held.begin(), held.end()), 274u);
  EXPECT_GE(*std::min_element(held.begin(), held.end()), 1u);
  const owners tight = hg::assign(g, hg::multilevel{.parts = 6, .from = four, .max_moved = 1});
  EXPECT_LE(moved_between(four, tight), 1u);
}

TEST(warm_start, nodes_without_neighbors_stay_where_they_are_unless_there_is_no_room) {
  std::vector<std::vector<std::uint32_t>> g(6000);
  for (std::uint32_t v = 0; v < 2000; ++v) g[v].push_back((v + 1) % 2000);
  owners before(6000);
  for (std::size_t v = 0; v < 6000; ++v) before[v] = static_cast<hg::part_id>(v % 3);
  const owners after = hg::assign(g, hg::multilevel{.parts = 3, .from = before});
  std::size_t stayed = 0;
  for (std::size_t v = 2000; v < 6000; ++v) stayed += after[v] == before[v] ? 1u : 0u;
  EXPECT_GT(stayed, 3400u);
  EXPECT_LT(cut_of(g, after, 3), 700u) << "of 2000";
  for (const auto n : sizes(after, 3)) EXPECT_LE(n, 2060u);
  std::fill(before.begin() + 2000, before.end(), hg::part_id{1});
  for (const auto n : sizes(hg::assign(g, hg::multilevel{.parts = 3, .from = before}), 3))
    EXPECT_LE(n, 2060u);
}

TEST(warm_start, fixed_nodes_move_to_their_parts_and_count_for_no_bound) {
  const hg::generators::grid g{.width = 40, .height = 30};
  const owners before = hg::assign(g, hg::multilevel{.parts = 3});
  owners fixed(1200, none);
  for (std::size_t v = 0; v < 30; ++v) fixed[40 * v] = 2;
  const owners after = hg::assign(
      g, hg::multilevel{.parts = 3, .fixed = fixed, .from = before, .max_moved = 20});
  std::uint64_t moved = 0;
  for (std::size_t v = 0; v < 1200; ++v) {
    ASSERT_TRUE(fixed[v] == none || after[v] == fixed[v]);
    moved += fixed[v] == none && after[v] != before[v] ? 1u : 0u;
  }
  EXPECT_LE(moved, 20u);
}

TEST(warm_start, small_graphs_and_wrong_parts) {
  const std::vector<std::vector<std::uint32_t>> g{{1}, {2}, {3}, {}};
  const owners before{3, 3, none, 0}, wide{0, 9, 1, 1}, few{0};
  EXPECT_EQ(hg::assign(g, hg::multilevel{.parts = 5, .from = before}), (owners{3, 1, 2, 0}));
  EXPECT_EQ(hg::assign(g, hg::multilevel{.parts = 5, .from = before, .max_moved = 0}),
            (owners{3, 3, 1, 0}));
  const auto outside = error_of(g, {.parts = 2, .from = wide});
  EXPECT_EQ(outside.code(), hg::error_kind::out_of_range);
  EXPECT_NE(std::string(outside.what()).find("from names part 9 for node 1"), std::string::npos)
      << outside.what();
  EXPECT_EQ(error_of(g, {.parts = 2, .from = few}).code(), hg::error_kind::mismatch);
}

TEST(warm_start, nodes_return_that_need_not_be_away_and_those_that_must) {
  // A path; nodes 3 to 6 came from part 0 to 1, nodes 8 and 9 from 1 to 0.
  hg::detail::weighted_graph<std::uint32_t> g;
  for (std::uint32_t v = 0; v < 12; ++v) {
    if (v != 0) g.targets.push_back(v - 1);
    if (v != 11) g.targets.push_back(v + 1);
    g.offsets.push_back(static_cast<std::uint32_t>(g.targets.size()));
  }
  const std::vector<std::uint32_t> home{0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1},
      start{0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 1, 1};
  const auto after = [&](std::uint64_t cap, std::uint64_t most) {
    std::vector<std::uint32_t> part = start;
    const std::vector<std::uint64_t> caps{cap};
    hg::detail::part_moves<std::uint32_t> moves(g, 2, caps, part, hg::executor_ref());
    hg::detail::send_home(moves, std::span<const std::uint32_t>(home), most);
    return hg::detail::count_away(part, home);
  };
  EXPECT_EQ(hg::detail::count_away(start, home), 6u);
  EXPECT_EQ(after(8, 12), 0u) << "no return costs anything";
  EXPECT_GE(after(6, 12), 1u) << "part 0 has room for 6";
  EXPECT_EQ(after(6, 0), 0u) << "room or not";
}

TEST(multilevel_refinement, keeps_the_laws_of_refiners) {
  EXPECT_EQ(hg::laws::check_refiner(hg::multilevel_refinement{}).why, "");
}

TEST(multilevel_refinement, improves_what_any_partitioner_made) {
  const hg::generators::grid g{.width = 50, .height = 50};
  const owners first = hg::assign(g, hg::hash_parts{.parts = 4});
  const few_threads pool{2};
  const hg::chained<hg::hash_parts, hg::multilevel_refinement> both{.parts = 4};
  const owners refined = hg::assign(g, both, pool);
  EXPECT_LT(cut_of(g, refined, 4), cut_of(g, first, 4) / 2);
  EXPECT_EQ(refined, hg::assign(g, both));
  for (const auto n : sizes(refined, 4)) EXPECT_LE(n, 643u);
  owners owner = first;
  const hg::multilevel_refinement few{.parts = 4, .max_moved = 50};
  EXPECT_TRUE(few.refine(g, std::span<hg::part_id>(owner)));
  EXPECT_LE(moved_between(first, owner), 50u);
  EXPECT_LT(cut_of(g, owner, 4), cut_of(g, first, 4));
  owner[7] = 9;
  const hg::status bad = few.refine(g, std::span<hg::part_id>(owner));
  EXPECT_EQ(bad, hg::status::out_of_range.at(7));
  EXPECT_NE(few.explain(bad).find("node 7 has a part that is not below 4"), std::string::npos);
}

// ---- parts that are meant to differ

TEST(part_weights, give_each_part_its_share) {
  const auto check = [](const auto& g, const std::vector<double>& weights,
                        const std::string& what) {
    const std::uint64_t nodes = hg::num_nodes(g);
    double sum = 0;
    for (const double w : weights) sum += w;
    for (const auto effort : {hg::multilevel_effort::fast(), hg::multilevel_effort::balanced(),
                              hg::multilevel_effort::strong()}) {
      const hg::multilevel policy{
          .parts = weights.size(), .effort = effort, .part_weights = weights};
      const owners owner = hg::assign(g, policy);
      const auto held = sizes(owner, weights.size());
      for (std::size_t p = 0; p < weights.size(); ++p) {
        const double share = static_cast<double>(nodes) * weights[p] / sum;
        EXPECT_LE(static_cast<double>(held[p]), std::max(share + 1, share * 1.03)) << what << p;
        EXPECT_GE(held[p], 1u) << what << p;
      }
      const few_threads pool{3};
      EXPECT_EQ(owner, hg::assign(g, policy, pool)) << what;
    }
  };
  check(hg::generators::grid{.width = 60, .height = 50}, {2, 1, 1}, "grid ");
  check(hg::generators::grid{.width = 60, .height = 50}, {1, 0.25, 1, 3, 0.5, 8, 1}, "grid ");
  check(hg::generators::rmat{.scale = 11, .edge_factor = 6, .seed = 4}, {1, 2, 3, 4}, "rmat ");
  check(std::vector<std::vector<std::uint32_t>>(900), {5, 1, 3}, "no edges ");
}

TEST(part_weights, cut_few_edges) {
  const hg::generators::grid g{.width = 60, .height = 20};
  const std::vector<double> weights{3, 1};
  const owners owner = hg::assign(g, hg::multilevel{.parts = 2, .part_weights = weights});
  EXPECT_LE(cut_of(g, owner, 2), 22u);
  EXPECT_GT(sizes(owner, 2)[0], 2 * sizes(owner, 2)[1]);
}

TEST(part_weights, of_the_same_size_change_nothing) {
  const hg::generators::grid g{.width = 40, .height = 30};
  const std::vector<double> weights(5, 0.2);
  EXPECT_EQ(hg::assign(g, hg::multilevel{.parts = 5, .part_weights = weights}),
            hg::assign(g, hg::multilevel{.parts = 5}));
}

TEST(part_weights, may_differ_by_constraint) {
  const hg::generators::grid g{.width = 60, .height = 50};
  columns rare(3000), all_nodes(3000, 1);
  hg::random_stream random(3);
  for (auto& one : rare) one = random.below(3) == 0 ? 1 : 0;
  const std::vector<hg::constraint> all{{"nodes", all_nodes, 0.03}, {"rare", rare, 0.05}};
  const std::vector<double> weights{1, 2, 1, 1, 2, 1};  // of 3 parts
  const owners owner = hg::assign(
      g, hg::multilevel{.parts = 3, .constraints = all, .part_weights = weights});
  const auto lines = hg::measure_balance(std::span<const hg::part_id>(owner), 3, all, weights);
  for (const auto& line : lines) EXPECT_TRUE(line.met) << line.name << ": " << line.imbalance;
  const auto alike = hg::measure_balance(std::span<const hg::part_id>(owner), 3, all);
  EXPECT_FALSE(alike[0].met);
  EXPECT_GT(alike[0].imbalance, 0.4);
}

TEST(part_weights, hold_for_fixed_nodes_and_assignments_to_improve) {
  const hg::generators::grid g{.width = 40, .height = 40};
  const std::vector<double> weights{3, 1, 1};
  const owners even = hg::assign(g, hg::multilevel{.parts = 3}),
               after = hg::assign(
                   g, hg::multilevel{.parts = 3, .from = even, .part_weights = weights});
  EXPECT_LE(sizes(after, 3)[0], 988u);
  EXPECT_GE(sizes(after, 3)[0], 940u);
  owners fixed(1600, none);
  for (std::size_t v = 0; v < 300; ++v) fixed[v] = 1;
  const owners around = hg::assign(
      g, hg::multilevel{.parts = 3, .fixed = fixed, .part_weights = weights});
  EXPECT_LE(sizes(around, 3)[0], 988u);
  EXPECT_LE(sizes(around, 3)[1], 329u);
  owners refined = even;
  const hg::multilevel_refinement again{.parts = 3, .part_weights = weights};
  EXPECT_TRUE(again.refine(g, std::span<hg::part_id>(refined)));
  EXPECT_EQ(refined, after);
}

TEST(part_weights, wrong_ones_are_refused_with_a_sentence) {
  const std::vector<std::vector<std::uint32_t>> g{{1}, {2}, {0}};
  const std::vector<double> zero{1, 0}, huge{1, 2e6}, three{1, 1, 2},
      odd{1, std::numeric_limits<double>::quiet_NaN()};
  for (const auto* weights : {&zero, &huge, &odd}) {
    const auto refused = error_of(g, {.parts = 2, .part_weights = *weights});
    EXPECT_EQ(refused.code(), hg::error_kind::invalid_argument);
    EXPECT_NE(std::string(refused.what()).find("part weights above 0"), std::string::npos);
  }
  EXPECT_EQ(error_of(g, {.parts = 2, .part_weights = three}).code(), hg::error_kind::mismatch);
}

// ---- parts in any integer type

template <class Id>
std::vector<Id> narrowed(const owners& all) {
  std::vector<Id> out;
  for (const auto p : all) out.push_back(p == none ? static_cast<Id>(-1) : static_cast<Id>(p));
  return out;
}

TEST(given_parts, may_be_of_any_integer_type) {
  const hg::generators::grid g{.width = 30, .height = 20};
  owners fixed(600, none), from(600);
  for (std::size_t v = 0; v < 600; v += 7) fixed[v] = static_cast<hg::part_id>(v % 3);
  for (std::size_t v = 0; v < 600; ++v)
    from[v] = v % 5 == 0 ? none : static_cast<hg::part_id>(v / 200);
  const hg::multilevel policy{.parts = 3, .fixed = fixed, .from = from};
  const owners expected = hg::assign(g, policy);
  const auto check = [&]<class Id>(Id) {
    const auto some = narrowed<Id>(fixed), before = narrowed<Id>(from);
    EXPECT_EQ(hg::assign(g, hg::multilevel{.parts = 3, .fixed = some, .from = before}), expected);
  };
  check(std::int8_t{});
  check(std::uint8_t{});
  check(std::int32_t{});
  check(std::int64_t{});
  check(std::uint64_t{});

  const std::vector<std::int64_t> wide(600, 4);
  EXPECT_STREQ(error_of(g, {.parts = 3, .from = wide}).what(),
               "from names part 4 for node 0; parts are numbered 0 to 2");
}

TEST(refine, takes_owners_of_any_integer_type) {
  const hg::generators::grid g{.width = 30, .height = 20};
  owners expected(600);
  for (std::size_t v = 0; v < 600; ++v) expected[v] = static_cast<hg::part_id>(v % 3);
  auto bytes = narrowed<std::int8_t>(expected);
  auto words = narrowed<std::int64_t>(expected);
  const owners before = expected;
  const hg::multilevel_refinement policy{.parts = 3};
  hg::refine(g, policy, expected);
  EXPECT_LT(cut_of(g, expected, 3), cut_of(g, before, 3));
  hg::refine(g, policy, bytes);
  hg::refine(g, policy, std::span(words));
  EXPECT_EQ(owners(bytes.begin(), bytes.end()), expected);
  EXPECT_EQ(owners(words.begin(), words.end()), expected);

  words[5] = -2;
  const auto unchanged = words;
  const auto sentence = [&](auto& all) -> std::string {
    try {
      hg::refine(g, policy, all);
    } catch (const hg::error& problem) {
      return problem.what();
    }
    return {};
  };
  EXPECT_NE(sentence(words).find("node 5 is assigned to part -2; parts are numbered from 0"),
            std::string::npos);
  EXPECT_EQ(words, unchanged);
  bytes[5] = 3;
  EXPECT_NE(sentence(bytes).find("node 5 has a part that is not below 3"), std::string::npos);
}

}  // namespace
