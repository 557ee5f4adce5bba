// SPDX-License-Identifier: BSL-1.0
// partition/multilevel/initial/annealing.hpp, and what it brings where several loads are balanced.
#include "support/few_threads.hpp"

#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/random.hpp>
#include <halograph/graph/symmetrize.hpp>
#include <halograph/partition/assign.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/multilevel.hpp>
#include <halograph/partition/multilevel/initial/annealing.hpp>
#include <halograph/partition/multilevel/part_moves.hpp>
#include <halograph/partition/quality.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hg = halograph;

namespace {

using lists = std::vector<std::vector<std::uint32_t>>;
using graph = hg::detail::weighted_graph<std::uint64_t>;
using parts_of = std::vector<std::uint32_t>;
using moves_of = hg::detail::part_moves<std::uint64_t>;

using hg::testing::few_threads;

graph weighted(const lists& rows, std::uint64_t weight = 1) {
  const auto both = hg::symmetrize<std::uint64_t>(rows);
  graph out;
  out.offsets = both.offsets;
  out.targets = both.neighbors;
  out.weights.assign(out.targets.size(), weight);
  return out;
}

/// Cliques of `size` nodes in a ring, each joined to the next by one edge.
lists ring_of_cliques(std::uint32_t cliques, std::uint32_t size) {
  lists rows(std::size_t{cliques} * size);
  const std::uint32_t nodes = cliques * size;
  for (std::uint32_t a = 0; a < nodes; ++a) {
    for (std::uint32_t b = a + 1; b < (a / size + 1) * size; ++b) rows[a].push_back(b);
    if (a % size == size - 1) rows[a].push_back((a + 1) % nodes);
  }
  return rows;
}

graph random_graph(std::size_t nodes, std::size_t pairs, std::size_t rows, std::uint64_t seed) {
  hg::random_stream random(seed);
  lists all(nodes);
  for (std::size_t e = 0; e < nodes * pairs; ++e)
    all[random.below(nodes)].push_back(static_cast<std::uint32_t>(random.below(nodes)));
  graph out = weighted(all);
  out.rows = rows;
  for (std::size_t i = 0; i < nodes * rows; ++i) out.loads.push_back(random.below(4));
  return out;
}

TEST(annealing, exchanges_nodes_between_parts_that_are_full) {
  // Four cliques of 6, each a part but for one node that is exchanged with the next but one, and
  // two classes of which each part may hold three: nothing fits anywhere.
  graph g = weighted(ring_of_cliques(4, 6));
  g.rows = 2;
  for (std::uint16_t v = 0; v < 24; ++v) g.classes.push_back(v % 2);
  g.class_rows = 2;
  const std::vector<std::uint64_t> caps{3, 3};
  parts_of start(24);
  for (std::uint32_t v = 0; v < 24; ++v) start[v] = v / 6;
  std::swap(start[2], start[14]);
  std::swap(start[9], start[21]);
  parts_of part = start;
  moves_of moves(g, 4, caps, part, {});
  moves.propagate_labels(5);
  EXPECT_EQ(part, start) << "moves that fit lead nowhere";
  hg::detail::annealing<std::uint64_t>(moves).run({1, 200'000});
  EXPECT_EQ(moves.excess(), 0u);
  EXPECT_EQ(moves.cut(), 4) << "the ring alone";
  EXPECT_EQ(moves_of(g, 4, caps, part, {}).cut(), 4) << "counted";
}

TEST(annealing, never_ends_worse_and_counts_right) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const std::uint32_t parts = seed % 2 == 0 ? 3 : 7;
    const std::size_t rows = 1 + seed % 3;
    const graph g = random_graph(150, 3, rows, seed);
    std::vector<std::uint64_t> caps = g.total_loads();
    for (auto& cap : caps) cap = cap / parts + cap / parts / 20;
    parts_of part(150);
    hg::random_stream random(seed);
    for (auto& p : part) p = static_cast<std::uint32_t>(random.below(parts));
    moves_of moves(g, parts, caps, part, {});
    if (seed % 4 < 2) moves.rebalance(seed);
    const auto excess = moves.excess();
    const auto cut = moves.cut();
    parts_of again = part;
    hg::detail::annealing<std::uint64_t>(moves).run({seed, 50'000});
    EXPECT_TRUE(moves.excess() < excess || (moves.excess() == excess && moves.cut() < cut))
        << "seed " << seed;
    moves_of counted(g, parts, caps, part, {});
    EXPECT_EQ(moves.cut(), counted.cut());
    EXPECT_EQ(moves.excess(), counted.excess());
    moves_of second(g, parts, caps, again, {});
    hg::detail::annealing<std::uint64_t>(second).run({seed, 50'000});
    EXPECT_EQ(again, part) << "the same again";
  }
}

TEST(annealing, does_as_well_where_weights_are_huge) {
  // 2^52 for each edge: compared in units of what all weigh. Three would do, of which the start is
  // far.
  const lists rows = ring_of_cliques(6, 5);
  const std::vector<std::uint64_t> caps{10, 10};
  parts_of small(30), large;
  for (std::uint32_t v = 0; v < 30; ++v) small[v] = v % 3;
  large = small;
  const auto anneal = [&](std::uint64_t weight, parts_of& part) {
    graph g = weighted(rows, weight);
    g.rows = 2;
    for (std::uint64_t v = 0; v < 60; ++v) g.loads.push_back(v % 2 == 0 ? 1 : weight / 4);
    const std::vector<std::uint64_t> limits{10, 10 * (weight / 4)};
    moves_of moves(g, 3, limits, part, {});
    hg::detail::annealing<std::uint64_t>(moves).run({3, 100'000});
    EXPECT_EQ(moves.excess(), 0u);
    return moves.cut() / static_cast<std::int64_t>(weight);
  };
  EXPECT_LE(anneal(4, small), 6);
  EXPECT_LE(anneal(std::uint64_t{1} << 52, large), 6);
}

TEST(annealing, leaves_fixed_nodes_and_keeps_the_limits_of_each_part) {
  graph g = weighted(ring_of_cliques(4, 6));
  g.rows = 2;
  for (std::uint16_t v = 0; v < 24; ++v) g.classes.push_back(v % 2);
  g.class_rows = 2;
  g.fixed.assign(24, hg::detail::no_part);
  g.fixed[1] = 1;  // without the rest of its clique
  g.fixed[0] = g.fixed[2] = 0;
  const std::vector<std::uint64_t> caps{9, 9, 3, 4};
  parts_of part(24, 0);
  for (std::uint32_t v = 12; v < 18; ++v) part[v] = 1;
  part[1] = 1;
  moves_of moves(g, 2, caps, part, {});
  hg::detail::annealing<std::uint64_t>(moves).run({1, 200'000});
  EXPECT_EQ(part[1], 1u);
  EXPECT_EQ(moves.excess(), 0u);
  EXPECT_EQ(moves.cut(), 2 + 5);
}

TEST(annealing, needs_neither_nodes_nor_edges_nor_a_second_part) {
  graph empty;
  empty.rows = 2;
  const std::vector<std::uint64_t> caps{2, 2};
  parts_of none, one(4, 0), two{0, 0, 0, 0};
  moves_of nothing(empty, 2, caps, none, {});
  hg::detail::annealing<std::uint64_t>(nothing).run({1, 1000});
  graph apart = weighted(lists(4));
  apart.rows = 2;
  apart.classes = {0, 1, 0, 1};
  apart.class_rows = 2;
  moves_of single(apart, 1, caps, one, {});
  hg::detail::annealing<std::uint64_t>(single).run({1, 1000});
  EXPECT_EQ(one, parts_of(4, 0));
  const std::vector<std::uint64_t> tight{1, 1};
  moves_of pair(apart, 2, tight, two, {});
  hg::detail::annealing<std::uint64_t>(pair).run({1, 1000});
  EXPECT_EQ(pair.excess(), 0u);
}

/// Sites of a web: some dense, most of them sparse, each a ring of pages that link to those after
/// them, joined by a few edges.
lists web_of_sites(std::uint64_t seed) {
  hg::random_stream random(seed);
  lists rows;
  for (std::uint32_t site = 0; site < 60; ++site) {
    const auto first = static_cast<std::uint32_t>(rows.size());
    const std::uint32_t nodes = 40 + static_cast<std::uint32_t>(random.below(100)),
                        links = site < 12 ? 25 : 1 + site % 3;
    rows.resize(first + nodes);
    for (std::uint32_t v = 0; v < nodes; ++v) {
      for (std::uint32_t e = 1; e <= links; ++e) rows[first + v].push_back(first + (v + e) % nodes);
      if (v % 16 == 0)
        rows[first + v].push_back(static_cast<std::uint32_t>(random.below(first + nodes)));
    }
  }
  return rows;
}

TEST(annealing, cuts_fewer_edges_where_nodes_and_degrees_are_balanced) {
  std::uint64_t with = 0, without = 0;
  for (std::uint64_t seed = 0; seed < 2; ++seed) {
    const lists g = web_of_sites(seed);
    const auto both = hg::symmetrize<std::uint32_t>(g);
    std::vector<std::int64_t> ones(g.size(), 1), degrees(g.size());
    for (std::size_t v = 0; v < g.size(); ++v)
      degrees[v] = static_cast<std::int64_t>(both.offsets[v + 1] - both.offsets[v]);
    const std::vector<hg::constraint> all{{"nodes", ones, 0.03}, {"degrees", degrees, 0.03}};
    hg::multilevel policy{.parts = 8, .seed = seed, .constraints = all};
    const auto owner = hg::assign(g, policy);
    if (seed == 0) {
      EXPECT_EQ(hg::assign(g, policy, few_threads{3}), owner);
    }
    for (const auto& load : {ones, degrees}) {
      std::vector<std::int64_t> held(8);
      for (std::size_t v = 0; v < g.size(); ++v) held[owner[v]] += load[v];
      std::int64_t total = 0;
      for (const auto one : held) total += one;
      EXPECT_LE(*std::max_element(held.begin(), held.end()) * 800, total * 103 + 800);
    }
    const auto cut = [&](const std::vector<hg::part_id>& found) {
      return hg::measure_quality(g, std::span<const hg::part_id>(found), 8).edge_cut;
    };
    with += cut(owner);
    policy.effort.annealing = 0;
    without += cut(hg::assign(g, policy));
  }
  EXPECT_LT(with * 100, without * 97) << with << " of " << without;
}

}  // namespace
