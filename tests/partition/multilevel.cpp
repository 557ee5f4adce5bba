// SPDX-License-Identifier: BSL-1.0
#include "support/few_threads.hpp"

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/core/random.hpp>
#include <halograph/graph/coo.hpp>
#include <halograph/graph/generators.hpp>
#include <halograph/graph/hetero.hpp>
#include <halograph/graph/symmetrize.hpp>
#include <halograph/partition/assign.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/multilevel.hpp>
#include <halograph/partition/multilevel/cluster_sums.hpp>
#include <halograph/partition/multilevel/coarsening.hpp>
#include <halograph/partition/multilevel/flow_refinement.hpp>
#include <halograph/partition/multilevel/initial/bisection.hpp>
#include <halograph/partition/multilevel/initial/gain_queue.hpp>
#include <halograph/partition/multilevel/part_moves.hpp>
#include <halograph/partition/quality.hpp>
#include <halograph/testing/archetypes.hpp>
#include <halograph/testing/laws.hpp>
#include <halograph/testing/small_graphs.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace hg = halograph;

namespace {

using owners = std::vector<hg::part_id>;
using columns = std::vector<std::int64_t>;

static_assert(hg::partitioner<hg::multilevel, hg::archetype::graph>);
static_assert(!hg::partitioner<hg::multilevel, int>, "an int is no graph");
static_assert(hg::takes_constraints<hg::multilevel> && hg::takes_edge_weights<hg::multilevel> &&
              hg::takes_seed<hg::multilevel> && hg::names_parts<hg::multilevel> &&
              hg::takes_tolerance<hg::multilevel> && hg::balances_types<hg::multilevel> &&
              hg::reads_edges<hg::multilevel> && hg::explains_status<hg::multilevel>);
static_assert(hg::name_of_policy<hg::multilevel>() == "multilevel");

using hg::testing::few_threads;

template <class G>
hg::assignment_quality quality_of(const G& g, const owners& owner, std::uint64_t parts) {
  return hg::measure_quality(g, std::span<const hg::part_id>(owner), parts);
}
std::vector<std::uint64_t> sizes(const owners& owner, std::size_t parts) {
  std::vector<std::uint64_t> out(parts);
  for (const auto p : owner) ++out.at(static_cast<std::size_t>(p));
  return out;
}

template <class G>
hg::error error_of(const G& g, const hg::multilevel& policy) {
  try {
    static_cast<void>(hg::assign(g, policy));
  } catch (const hg::error& e) {
    return e;
  }
  ADD_FAILURE() << "nothing was raised";
  return hg::error(hg::error_kind::internal, "nothing was raised");
}

template <class Part>
class multilevel_of : public ::testing::Test {};
using widths = ::testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(multilevel_of, widths);

TYPED_TEST(multilevel_of, keeps_the_laws_on_every_small_graph) {
  for (const auto& g : hg::small_graphs<>()) {
    for (const std::uint64_t parts : {1u, 2u, 3u, 7u}) {
      const hg::basic_multilevel<TypeParam> policy{.parts = parts};
      const auto lawful = hg::laws::partitioner(policy, parts, g);
      EXPECT_TRUE(lawful) << g.name() << ": " << lawful.why;
      EXPECT_EQ(hg::assign(g, policy), hg::assign(g.coo(), policy))
          << g.name() << ": a storage with both directions, and a list";
    }
  }
}

TEST(multilevel, graphs_of_8_and_64_bit_ids_are_cut_alike) {
  const hg::generators::grid g{.width = 10, .height = 12};
  std::vector<std::int8_t> u8, v8;
  std::vector<std::uint64_t> u64, v64;
  hg::for_each_edge(g, [&](auto u, auto v, auto) {
    u8.push_back(static_cast<std::int8_t>(u));
    v8.push_back(static_cast<std::int8_t>(v));
    u64.push_back(static_cast<std::uint64_t>(u));
    v64.push_back(static_cast<std::uint64_t>(v));
  });
  const hg::multilevel policy{.parts = 5};
  EXPECT_EQ(hg::assign(hg::coo_view<std::int8_t>(120, u8, v8), policy),
            hg::assign(hg::coo_view<std::uint64_t>(120, u64, v64), policy));
}

TEST(multilevel, cuts_grids_about_as_well_as_can_be) {
  const hg::generators::grid flat{.width = 64, .height = 64},
      cube{.width = 16, .height = 16, .depth = 16};
  std::uint64_t squares = 0, cubes = 0;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    squares +=
        quality_of(flat, hg::assign(flat, hg::multilevel{.parts = 4, .seed = seed}), 4).edge_cut;
    cubes +=
        quality_of(cube, hg::assign(cube, hg::multilevel{.parts = 8, .seed = seed}), 8).edge_cut;
  }
  EXPECT_LE(squares, 8 * 135u) << "four squares cut 128";
  EXPECT_LE(cubes, 8 * 865u) << "eight cubes cut 768";
}

TEST(multilevel, tells_how_far_it_has_come) {
  const hg::generators::grid g{.width = 120, .height = 100};
  std::vector<std::uint64_t> done;
  std::uint64_t total = 0;
  const hg::progress_callback listen = [&](const hg::progress& at) {
    done.push_back(at.done);
    total = at.total;
  };
  hg::multilevel policy{.parts = 4};
  policy.on_progress = &listen;
  const owners owner = hg::assign(g, policy);
  ASSERT_GE(done.size(), 4u);
  EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
  EXPECT_EQ(done.front(), 0u);
  EXPECT_EQ(done.back(), total);
  EXPECT_EQ(hg::assign(g, hg::multilevel{.parts = 4}), owner);
  // What it throws ends the work, on whatever level.
  for (std::size_t left = 0; left < done.size(); ++left) {
    std::size_t more = left;
    const hg::progress_callback stop = [&](const hg::progress&) {
      if (more-- == 0) hg::raise(hg::error_kind::canceled, "stop");
    };
    policy.on_progress = &stop;
    EXPECT_THROW((void)hg::assign(g, policy), hg::error);
  }
  // Cycles that come after the first, and those that improve a given assignment, count too.
  for (const bool improves : {false, true}) {
    done.clear();
    policy.on_progress = &listen;
    policy.effort.cycles = 2;
    if (improves) policy.from = owner;
    (void)hg::assign(g, policy);
    ASSERT_GE(done.size(), 8u);
    EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
    EXPECT_LE(done.back(), total);
    EXPECT_GE(done.back(), improves ? total / 3 : total);
  }
  // Where parts of like degrees are so good that nothing is uncoarsened, too.
  done.clear();
  hg::multilevel of_hubs{.parts = 4};
  of_hubs.on_progress = &listen;
  (void)hg::assign(hg::generators::rmat{.scale = 12, .edge_factor = 16, .seed = 3}, of_hubs);
  EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
  EXPECT_EQ(done.back(), total);
}

TEST(multilevel, separates_what_is_not_connected) {
  // Six cliques of 20 nodes, numbered alternately.
  std::vector<std::vector<std::uint32_t>> g(120);
  for (std::uint32_t a = 0; a < 120; ++a) {
    for (std::uint32_t b = a + 6; b < 120; b += 6) g[a].push_back(b);
  }
  const owners owner = hg::assign(g, hg::multilevel{.parts = 6});
  EXPECT_EQ(quality_of(g, owner, 6).edge_cut, 0u);
  for (const auto n : sizes(owner, 6)) EXPECT_EQ(n, 20u);
}

TEST(multilevel, a_hub_graph_is_cut_by_its_core) {
  // Power law: parts of like degrees cut far less than parts of close nodes.
  const hg::generators::rmat g{.scale = 12, .edge_factor = 8, .seed = 5};
  const owners owner = hg::assign(g, hg::multilevel{.parts = 4});
  owners by_number(hg::num_nodes(g));
  for (std::size_t v = 0; v < by_number.size(); ++v)
    by_number[v] = static_cast<hg::part_id>(v * 4 / by_number.size());
  EXPECT_LT(2 * quality_of(g, owner, 4).edge_cut, quality_of(g, by_number, 4).edge_cut);
  for (const auto n : sizes(owner, 4)) EXPECT_LE(n, 1054u);
}

TEST(multilevel, cuts_tiny_graphs_no_worse_than_any_assignment_does) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    hg::random_stream random(seed);
    const std::size_t nodes = 4 + random.below(7);
    std::vector<std::vector<std::uint32_t>> g(nodes);
    const std::size_t edges = nodes + random.below(nodes);
    for (std::size_t e = 0; e < edges; ++e)
      g[random.below(nodes)].push_back(static_cast<std::uint32_t>(random.below(nodes)));
    const std::uint64_t most = (nodes + 1) / 2;
    std::uint64_t best = ~std::uint64_t{0};
    for (std::uint32_t mask = 0; mask < 1u << nodes; ++mask) {
      owners owner(nodes);
      for (std::size_t v = 0; v < nodes; ++v) owner[v] = mask >> v & 1;
      const auto held = sizes(owner, 2);
      if (std::max(held[0], held[1]) <= most)
        best = std::min(best, quality_of(g, owner, 2).edge_cut);
    }
    const owners owner = hg::assign(g, hg::multilevel{.parts = 2});
    const auto held = sizes(owner, 2);
    EXPECT_LE(std::max(held[0], held[1]), most) << "seed " << seed;
    EXPECT_EQ(quality_of(g, owner, 2).edge_cut, best) << "seed " << seed;
  }
}

TEST(multilevel, no_part_is_empty_and_small_graphs_are_spread) {
  for (std::uint32_t nodes = 1; nodes < 40; nodes += 3) {
    std::vector<std::vector<std::uint32_t>> star(nodes);
    for (std::uint32_t v = 1; v < nodes; ++v) star[0].push_back(v);
    for (std::uint64_t parts = 1; parts <= nodes + 2; ++parts) {
      const owners owner = hg::assign(star, hg::multilevel{.parts = parts});
      const auto held = sizes(owner, static_cast<std::size_t>(parts));
      const auto filled = std::count_if(held.begin(), held.end(), [](auto n) { return n != 0; });
      EXPECT_EQ(static_cast<std::uint64_t>(filled), std::min<std::uint64_t>(parts, nodes))
          << nodes << " nodes, " << parts << " parts";
    }
  }
}

TEST(multilevel, many_parts_are_within_the_tolerance) {
  const hg::generators::grid g{.width = 64, .height = 48};
  for (const std::uint64_t parts : {64u, 300u, 1024u}) {
    const owners owner = hg::assign(g, hg::multilevel{.parts = parts});
    const std::uint64_t nodes = 64 * 48, mean = (nodes + parts - 1) / parts,
                        most = std::max(mean, nodes * 103 / 100 / parts);
    for (const auto n : sizes(owner, static_cast<std::size_t>(parts))) {
      EXPECT_LE(n, most) << parts;
      EXPECT_GE(n, 1u) << parts;
    }
  }
}

TEST(multilevel, balances_every_constraint_within_its_own_tolerance) {
  const hg::generators::grid g{.width = 60, .height = 50};
  hg::random_stream random(3);
  columns weights(3000);
  std::vector<std::uint32_t> class_of(3000);
  for (std::size_t v = 0; v < 3000; ++v) {
    weights[v] = 1 + static_cast<std::int64_t>(random.below(9));
    class_of[v] = static_cast<std::uint32_t>(random.below(3));
  }
  std::vector<hg::constraint> all{{"weight", weights, 0.02}};
  for (std::uint32_t c = 0; c < 3; ++c)
    all.push_back({"class:" + std::to_string(c),
                   hg::load_view::of_class(3000, 0, 3000, class_of, c, {}), 0.05});
  const hg::multilevel policy{.parts = 6, .constraints = all};
  const owners owner = hg::assign(g, policy);
  for (const auto& line : hg::measure_balance(std::span<const hg::part_id>(owner), 6, all))
    EXPECT_TRUE(line.met) << line.name << ": " << line.imbalance;
  EXPECT_LT(quality_of(g, owner, 6).edge_cut, 900u) << "of 5890";
}

TEST(multilevel, balances_each_node_type_unless_told_not_to) {
  const hg::generators::grid g{.width = 40, .height = 40};
  // The first quarter of the nodes is a type of its own.
  std::vector<std::uint32_t> from[3], to[3];  // 0 to 0, 0 to 1, 1 to 1
  hg::for_each_edge(g, [&](auto u, auto v, auto) {
    const auto a = static_cast<std::uint32_t>(u), b = static_cast<std::uint32_t>(v);
    const std::size_t r = (a >= 400 ? 1u : 0u) + (b >= 400 ? 1u : 0u);
    from[r].push_back(a >= 400 ? a - 400 : a);
    to[r].push_back(b >= 400 ? b - 400 : b);
  });
  const std::vector<std::uint64_t> node_offsets{0, 400, 1600};
  std::vector<std::uint64_t> edge_offsets{0};
  std::vector<hg::relation_view<std::uint32_t>> relations;
  for (std::size_t r = 0; r < 3; ++r) {
    relations.push_back({r == 2 ? 1u : 0u, r == 0 ? 0u : 1u, from[r], to[r]});
    edge_offsets.push_back(edge_offsets.back() + from[r].size());
  }
  const hg::hetero_view<std::uint32_t, std::uint32_t> typed(node_offsets, edge_offsets, relations);
  const auto first_type = [](const owners& owner) {
    std::vector<std::uint64_t> held(4);
    for (std::size_t v = 0; v < 400; ++v) ++held[owner[v]];
    return held;
  };
  for (const auto n : first_type(hg::assign(typed, hg::multilevel{.parts = 4}))) EXPECT_LE(n, 103u);
  const auto free = first_type(
      hg::assign(typed, hg::multilevel{.parts = 4, .balance_types = false}));
  EXPECT_GT(*std::max_element(free.begin(), free.end()), 110u) << "parts of near nodes";
}

TEST(multilevel, edge_weights_decide_what_is_cut) {
  // A ring whose edges weigh 1 every tenth time.
  std::vector<std::vector<std::uint32_t>> ring(100);
  columns weights(100);
  for (std::uint32_t v = 0; v < 100; ++v) {
    ring[v].push_back((v + 1) % 100);
    weights[v] = v % 10 == 9 ? 1 : 1000;
  }
  const owners owner = hg::assign(ring, hg::multilevel{.parts = 5, .edge_weights = weights});
  for (std::uint32_t v = 0; v < 100; ++v) {
    if (v % 10 == 9) continue;
    EXPECT_EQ(owner[v], owner[(v + 1) % 100]) << v;
  }
  for (const auto n : sizes(owner, 5)) EXPECT_EQ(n, 20u);
}

TEST(multilevel, weights_and_loads_up_to_2_to_the_62_do_not_overflow) {
  const std::vector<std::vector<std::uint32_t>> path{{1}, {2}, {3}, {4}, {5}, {}};
  constexpr std::int64_t huge = std::int64_t{1} << 60;
  const columns weights{huge, 1, huge / 2, 1, huge / 4};
  const columns loads{huge, huge, huge, huge, huge, huge};
  const std::vector<hg::constraint> all{{"load", loads}};
  const owners owner = hg::assign(
      path, hg::multilevel{.parts = 3, .constraints = all, .edge_weights = weights});
  EXPECT_EQ(owner[0], owner[1]);
  EXPECT_EQ(owner[2], owner[3]);
  EXPECT_EQ(owner[4], owner[5]);
}

TEST(multilevel, a_node_heavier_than_a_part_gets_one_almost_to_itself) {
  const hg::generators::grid g{.width = 10, .height = 10};
  columns loads(100, 1);
  loads[55] = 1000;
  const std::vector<hg::constraint> all{{"load", loads}};
  const owners owner = hg::assign(g, hg::multilevel{.parts = 4, .constraints = all});
  const auto held = sizes(owner, 4);
  EXPECT_LE(held[owner[55]], 60u);
  for (const auto n : held) EXPECT_GE(n, 1u);
}

TEST(multilevel, the_owners_do_not_depend_on_the_threads) {
  for (const auto effort : {hg::multilevel_effort::fast(), hg::multilevel_effort::balanced(),
                            hg::multilevel_effort::strong()}) {
    const hg::generators::rmat skewed{.scale = 9, .edge_factor = 6, .seed = 4};
    const hg::generators::grid even{.width = 50, .height = 50};
    const hg::multilevel policy{.parts = 7, .effort = effort, .seed = 9};
    for (const std::size_t threads : {2u, 3u}) {
      const few_threads pool{threads};
      EXPECT_EQ(hg::assign(skewed, policy), hg::assign(skewed, policy, pool)) << threads;
      EXPECT_EQ(hg::assign(even, policy), hg::assign(even, policy, pool)) << threads;
    }
  }
  // Large enough for several chunks of nodes to be clustered at a time.
  const hg::generators::grid large{.width = 300, .height = 240};
  const hg::multilevel policy{.parts = 3, .effort = hg::multilevel_effort::fast()};
  EXPECT_EQ(hg::assign(large, policy), hg::assign(large, policy, few_threads{3}));
}

TEST(multilevel, the_seed_and_the_effort_matter) {
  const hg::generators::grid g{.width = 50, .height = 50};
  const owners first = hg::assign(g, hg::multilevel{.parts = 7});
  EXPECT_EQ(first, hg::assign(g, hg::multilevel{.parts = 7}));
  EXPECT_NE(first, hg::assign(g, hg::multilevel{.parts = 7, .seed = 1}));
  const auto cut = [&](hg::multilevel_effort effort) {
    std::uint64_t sum = 0;
    for (std::uint64_t seed = 0; seed < 3; ++seed)
      sum += quality_of(
                 g, hg::assign(g, hg::multilevel{.parts = 7, .effort = effort, .seed = seed}), 7)
                 .edge_cut;
    return sum;
  };
  const auto fast = cut(hg::multilevel_effort::fast()),
             balanced = cut(hg::multilevel_effort::balanced()),
             strong = cut(hg::multilevel_effort::strong());
  EXPECT_LT(balanced, fast);
  EXPECT_LE(strong, balanced);
}

TEST(multilevel, refuses_wrong_values_with_a_sentence) {
  const std::vector<std::vector<std::uint32_t>> g{{1}, {2}, {0}};
  const auto none = error_of(g, {.parts = 0});
  EXPECT_EQ(none.code(), hg::error_kind::invalid_argument);
  EXPECT_NE(std::string(none.what()).find("at least 1"), std::string::npos) << none.what();
  const columns zero{1, 0, 1};
  const auto weightless = error_of(g, {.parts = 2, .edge_weights = zero});
  EXPECT_EQ(weightless.code(), hg::error_kind::invalid_argument);
  EXPECT_NE(std::string(weightless.what()).find("edge weights 1 or more"), std::string::npos);
  const columns two{1, 1};
  EXPECT_EQ(error_of(g, {.parts = 2, .edge_weights = two}).code(), hg::error_kind::mismatch);
  const columns wide(3, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(error_of(g, {.parts = 2, .edge_weights = wide}).code(), hg::error_kind::overflow);
  const std::vector<hg::constraint> heavy{{"load", wide}};
  EXPECT_EQ(error_of(g, {.parts = 2, .constraints = heavy}).code(), hg::error_kind::overflow);
  EXPECT_EQ(error_of(g, {.parts = 2, .tolerance = -1}).code(), hg::error_kind::invalid_argument);
  const std::vector<std::vector<std::uint32_t>> broken{{1}, {7}};
  const auto outside = error_of(broken, {.parts = 2});
  EXPECT_EQ(outside.code(), hg::error_kind::out_of_range);
  EXPECT_NE(std::string(outside.what()).find("edge 1"), std::string::npos) << outside.what();
  std::vector<std::uint8_t> owner(3);
  EXPECT_EQ(hg::basic_multilevel<std::uint8_t>{.parts = 257}.assign(g, owner).code,
            hg::error_kind::overflow);
}

TEST(multilevel_bytes, grows_with_every_count_and_saturates) {
  const auto base = hg::multilevel_bytes(1000, 8000, 1, 4);
  EXPECT_GT(hg::multilevel_bytes(2000, 8000, 1, 4), base);
  EXPECT_GT(hg::multilevel_bytes(1000, 9000, 1, 4), base);
  EXPECT_GT(hg::multilevel_bytes(1000, 8000, 2, 4), base);
  EXPECT_GT(hg::multilevel_bytes(1000, 8000, 1, 400), base);
  EXPECT_EQ(hg::multilevel_bytes(1000, 8000, 0, 4), base);
  EXPECT_LT(hg::multilevel_bytes(1000, 8000, 1, 4, {.compress = true}), base);
  EXPECT_GT(hg::multilevel_bytes(1000, 8000, 1, 4, {.edge_weights = true}), base);
  EXPECT_GT(hg::multilevel_bytes(1000, 8000, 1, 4, {.fixed = true}), base);
  EXPECT_GT(hg::multilevel_bytes(1000, 8000, 1, 4, {.from = true}), base);
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(hg::multilevel_bytes(most, most, most, most), most);
}

// ---- phases

hg::detail::weighted_graph<std::uint32_t> weighted(
    const std::vector<std::vector<std::uint32_t>>& g) {
  const auto both = hg::symmetrize<std::uint32_t>(g);
  hg::detail::weighted_graph<std::uint32_t> out;
  out.offsets = both.offsets;
  out.targets = both.neighbors;
  return out;
}

TEST(gain_queue, gives_the_largest_of_changing_gains) {
  hg::detail::gain_queue queue(200);
  std::vector<std::int64_t> model(200, -1);
  hg::random_stream random(1);
  for (int step = 0; step < 5000; ++step) {
    if (random.below(3) != 0) {
      const std::size_t v = random.below(200);
      model[v] = static_cast<std::int64_t>(random.below(1000));
      queue.put(v, model[v]);
      EXPECT_EQ(queue.gain(v), model[v]);
    } else if (!queue.empty()) {
      EXPECT_EQ(queue.top_gain(), *std::max_element(model.begin(), model.end()));
      EXPECT_EQ(model[queue.top()], queue.top_gain());
      model[queue.top()] = -1;
      const std::size_t v = queue.top();
      queue.pop();
      EXPECT_FALSE(queue.has(v));
    }
  }
}

TEST(cluster_sums, sums_are_those_of_a_map_in_the_order_in_which_keys_came) {
  hg::random_stream random(3);
  hg::detail::cluster_sums<std::uint32_t> sums;
  for (int row = 0; row < 300; ++row) {
    const std::uint64_t count = random.below(row % 3 == 0 ? 400 : 20), keys = 1 + random.below(60);
    // Of few clusters a sum is held for each, of many those that have come.
    const std::uint64_t clusters = row % 2 == 0 ? 64 * keys : std::uint64_t{1} << 20;
    sums.start(count, clusters);
    std::map<std::uint32_t, std::int64_t> wanted;
    std::vector<std::uint32_t> order;
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto key = static_cast<std::uint32_t>(random.below(keys) * 64);
      const auto weight = static_cast<std::int64_t>(1 + random.below(9));
      if (wanted.emplace(key, 0).second) order.push_back(key);
      wanted[key] += weight;
      sums.add(key, weight);
    }
    ASSERT_EQ(sums.size(), order.size());
    std::size_t i = 0;
    sums.visit([&](std::uint32_t cluster, std::int64_t sum) {
      ASSERT_LT(i, order.size());
      EXPECT_EQ(cluster, order[i++]);
      EXPECT_EQ(sum, wanted[cluster]);
      EXPECT_EQ(sums.of(cluster), sum);
    });
    EXPECT_EQ(i, order.size());
    EXPECT_EQ(sums.of(1), 0);
  }
}

TEST(coarsening, clusters_keep_their_caps_and_regions_and_contraction_keeps_weights) {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    // The last graphs have so many nodes that several small chunks choose at once.
    const std::size_t chunk = seed % 2 != 0 ? hg::detail::small_chunk : hg::detail::large_chunk;
    const std::uint32_t nodes = seed < 20 ? 300 : 20'000;
    hg::random_stream random(seed);
    std::vector<std::vector<std::uint32_t>> rows(nodes);
    for (std::uint32_t e = 0; e < 3 * nodes; ++e)
      rows[random.below(nodes)].push_back(static_cast<std::uint32_t>(random.below(nodes)));
    const auto g = weighted(rows);
    std::vector<std::uint32_t> regions(nodes);
    for (auto& one : regions) one = static_cast<std::uint32_t>(random.below(2));
    const std::vector<std::uint64_t> caps{9};
    const auto clusters = [&](hg::executor_ref threads) {
      return hg::detail::label_clustering<std::uint32_t>(g, caps, regions, chunk, seed, threads)
          .run(4);
    };
    const few_threads three{3};
    const auto label = clusters(hg::executor_ref());
    EXPECT_EQ(label, clusters(hg::executor_ref(three)));
    std::vector<std::uint64_t> held(nodes);
    for (std::size_t v = 0; v < nodes; ++v) {
      EXPECT_LE(++held[label[v]], 9u);
      EXPECT_EQ(regions[v], regions[label[v]]);
    }
    std::vector<std::uint32_t> coarse_of;
    const auto coarse = hg::detail::contract_clusters(g, std::span<const std::uint32_t>(label),
                                                      hg::executor_ref(), coarse_of);
    EXPECT_LT(coarse.num_nodes(), nodes / 3 * 2);
    std::uint64_t between = 0, kept = 0, load = 0;
    for (std::size_t v = 0; v < nodes; ++v)
      g.visit(v, [&](std::size_t u, std::int64_t) { between += coarse_of[u] != coarse_of[v]; });
    for (std::size_t c = 0; c < coarse.num_nodes(); ++c) {
      load += coarse.load(c, 0);
      coarse.visit(c, [&](std::size_t d, std::int64_t w) {
        EXPECT_NE(d, c);
        kept += static_cast<std::uint64_t>(w);
      });
    }
    EXPECT_EQ(between, kept);
    EXPECT_EQ(load, nodes);
  }
}

TEST(coarsening, communities_are_found_where_they_are) {
  // Ten cliques of 12 on a ring.
  std::vector<std::vector<std::uint32_t>> rows(120);
  for (std::uint32_t a = 0; a < 120; ++a) {
    for (std::uint32_t b = a + 1; b < (a / 12 + 1) * 12; ++b) rows[a].push_back(b);
    if (a % 12 == 0) rows[a].push_back((a + 13) % 120);
  }
  std::vector<std::uint64_t> entries;
  const auto coming = [&](std::uint64_t most) { entries.push_back(most); };
  const hg::function_ref<void(std::uint64_t)> listener(coming);
  const auto found = hg::detail::find_communities(weighted(rows), 5, 1, hg::executor_ref(),
                                                  &listener);
  // First the edges of the ring alone are between communities.
  EXPECT_EQ(entries, (std::vector<std::uint64_t>{20}));
  for (std::uint32_t v = 0; v < 120; ++v) {
    EXPECT_EQ(found[v], found[v / 12 * 12]);
    if (v < 12) continue;
    EXPECT_NE(found[v], found[v - 12]);
  }
}

TEST(bisection, a_root_is_the_largest_whose_power_is_not_too_large) {
  constexpr std::uint64_t one = std::uint64_t{1} << 32;
  EXPECT_EQ(hg::detail::root_of(one, 5), one);
  EXPECT_EQ(hg::detail::root_of(4 * one, 2), 2 * one);
  EXPECT_EQ(hg::detail::root_of(27 * one, 3), 3 * one);
  EXPECT_NEAR(static_cast<double>(hg::detail::root_of(one + one / 100 * 3, 6)) / one, 1.004938,
              1e-6);
}

TEST(part_moves, rebalancing_takes_what_loses_least_and_says_what_stays_overfull) {
  // Two cliques of 8, joined by one edge; node 7 and 8 at the bridge.
  std::vector<std::vector<std::uint32_t>> rows(16);
  for (std::uint32_t a = 0; a < 16; ++a) {
    for (std::uint32_t b = a + 1; b < (a / 8 + 1) * 8; ++b) rows[a].push_back(b);
  }
  rows[7].push_back(8);
  const auto g = weighted(rows);
  std::vector<std::uint32_t> part(16, 0);
  for (std::size_t v = 9; v < 16; ++v) part[v] = 1;  // 9 and 7
  const std::vector<std::uint64_t> caps{8}, tight{7};
  hg::detail::part_moves<std::uint32_t> moves(g, 2, caps, part, hg::executor_ref());
  EXPECT_EQ(moves.cut(), 7);
  EXPECT_NE(moves.excess(), 0u);
  moves.rebalance(1);
  EXPECT_EQ(moves.excess(), 0u);
  EXPECT_EQ(moves.cut(), 1);
  hg::detail::part_moves<std::uint32_t> hopeless(g, 2, tight, part, hg::executor_ref());
  hopeless.rebalance(1);
  EXPECT_NE(hopeless.excess(), 0u) << "16 nodes, room for 14";
}

TEST(part_moves, the_cut_that_is_kept_up_to_date_is_the_cut) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    hg::random_stream random(seed);
    std::vector<std::vector<std::uint32_t>> rows(500);
    for (std::uint32_t e = 0; e < 1500; ++e)
      rows[random.below(500)].push_back(static_cast<std::uint32_t>(random.below(500)));
    const auto g = weighted(rows);
    std::vector<std::uint32_t> part(500);
    for (auto& p : part) p = static_cast<std::uint32_t>(random.below(seed % 2 == 0 ? 5 : 2));
    const std::vector<std::uint64_t> caps{105};
    hg::detail::part_moves<std::uint32_t> moves(g, 5, caps, part, hg::executor_ref());
    const auto counted = [&] {
      return hg::detail::part_moves<std::uint32_t>(g, 5, caps, part, hg::executor_ref()).cut();
    };
    EXPECT_EQ(moves.cut(), counted());
    moves.rebalance(seed);
    EXPECT_EQ(moves.excess(), 0u);
    EXPECT_EQ(moves.cut(), counted());
    moves.propagate_labels(3);
    EXPECT_EQ(moves.cut(), counted());
    moves.jet(3, 6, seed);
    EXPECT_EQ(moves.cut(), counted());
    hg::detail::flow_refinement<std::uint32_t>(moves, {}).refine();
    EXPECT_EQ(moves.cut(), counted());
    EXPECT_EQ(moves.excess(), 0u);
  }
}

TEST(flow_refinement, spare_rounds_follow_rounds_that_gain) {
  constexpr std::uint32_t side = 24;
  std::vector<std::vector<std::uint32_t>> rows(side * side);
  for (std::uint32_t v = 0; v < side * side; ++v) {
    if (v % side != side - 1) rows[v].push_back(v + 1);
    if (v < side * side - side) rows[v].push_back(v + side);
  }
  const auto g = weighted(rows);
  const std::vector<std::uint64_t> caps{side * side / 4 + 20};
  const auto cut = [&](std::uint64_t seed, const hg::detail::flow_options& options) {
    hg::random_stream random(seed);
    std::vector<std::uint32_t> part(side * side);  // four squares with ragged borders
    for (std::uint32_t v = 0; v < side * side; ++v) {
      const auto x = v % side + random.below(6), y = v / side + random.below(6);
      part[v] = (x < side / 2 + 3 ? 0u : 1u) + (y < side / 2 + 3 ? 0u : 2u);
    }
    hg::detail::part_moves<std::uint32_t> moves(g, 4, caps, part, hg::executor_ref());
    moves.rebalance(seed);
    hg::detail::flow_refinement<std::uint32_t>(moves, options).refine();
    return moves.cut();
  };
  std::int64_t sure = 0, spared = 0, all = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto first = cut(seed, {.rounds = 2, .reach = 1, .region_entries = 60}),
               more = cut(seed,
                          {.rounds = 2, .spare_rounds = ~0u, .reach = 1, .region_entries = 60}),
               every = cut(seed, {.rounds = ~0u, .reach = 1, .region_entries = 60});
    EXPECT_LE(more, first);
    EXPECT_LE(every, more);
    sure += first, spared += more, all += every;
  }
  EXPECT_LT(spared, sure);
  EXPECT_LT(all, spared) << "a round that gains little is the last";
}

TEST(part_moves, jet_leaves_a_local_minimum_and_never_ends_worse) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    hg::random_stream random(seed);
    std::vector<std::vector<std::uint32_t>> rows(400);
    for (std::uint32_t v = 0; v < 400; ++v) {
      if (v % 20 != 19) rows[v].push_back(v + 1);
      if (v < 380) rows[v].push_back(v + 20);
    }
    const auto g = weighted(rows);
    std::vector<std::uint32_t> part(400);
    for (auto& p : part) p = static_cast<std::uint32_t>(random.below(4));
    const std::vector<std::uint64_t> caps{103};
    hg::detail::part_moves<std::uint32_t> moves(g, 4, caps, part, hg::executor_ref());
    moves.rebalance(seed);
    moves.propagate_labels(20);
    const std::int64_t before = moves.cut();
    ASSERT_EQ(moves.excess(), 0u);
    moves.jet(3, 6, seed);
    EXPECT_EQ(moves.excess(), 0u);
    EXPECT_LE(moves.cut(), before);
  }
}

}  // namespace
