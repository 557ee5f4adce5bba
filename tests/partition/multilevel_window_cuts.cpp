// SPDX-License-Identifier: BSL-1.0
// partition/multilevel/initial/window_cuts.hpp, and what it brings to the parts of a grid.
#include "support/few_threads.hpp"
#include "support/flat_threads.hpp"

#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/random.hpp>
#include <halograph/graph/symmetrize.hpp>
#include <halograph/partition/assign.hpp>
#include <halograph/partition/multilevel.hpp>
#include <halograph/partition/multilevel/initial/bisection.hpp>
#include <halograph/partition/multilevel/initial/window_cuts.hpp>
#include <halograph/partition/multilevel/part_moves.hpp>
#include <halograph/partition/quality.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

namespace hg = halograph;

namespace {

using lists = std::vector<std::vector<std::uint32_t>>;
using word = std::uint64_t;
using graph = hg::detail::weighted_graph<word>;
using parts_of = std::vector<std::uint32_t>;
using caps_of = std::vector<std::uint64_t>;
using moves_of = hg::detail::part_moves<word>;

using hg::testing::few_threads;

graph weighted(const lists& rows) {
  const auto both = hg::symmetrize<word>(rows);
  graph out;
  out.offsets = both.offsets;
  out.targets = both.neighbors;
  out.weights.assign(out.targets.size(), 1);
  return out;
}

/// `copies` grids of side x side, without an edge between them.
lists grids(std::uint32_t side, std::uint32_t copies) {
  const std::uint32_t nodes = side * side;
  lists rows(std::size_t{nodes} * copies);
  for (std::uint32_t v = 0; v < rows.size(); ++v) {
    if (v % side + 1 < side) rows[v].push_back(v + 1);
    if (v % nodes + side < nodes) rows[v].push_back(v + side);
  }
  return rows;
}

void no_refinement(moves_of&, std::uint64_t) {}

/// Steps of windows of 2, 3, 4, 2, ... parts.
parts_of cut_anew(const graph& g, const caps_of& caps, std::uint32_t parts, parts_of part,
                  std::uint32_t steps, hg::executor_ref threads = {}) {
  const hg::detail::window_cuts<word> windows(g, caps, parts, {}, threads);
  for (std::uint32_t i = 0; i < steps; ++i) windows.step(part, 2 + i % 3, i, no_refinement);
  return part;
}

std::vector<std::uint64_t> loads_of(const graph& g, const parts_of& part, std::uint32_t parts) {
  std::vector<std::uint64_t> loads(parts);
  for (std::size_t v = 0; v < part.size(); ++v) loads[part[v]] += g.load(v, 0);
  return loads;
}

std::int64_t cut_of(const graph& g, parts_of part, std::uint32_t parts) {
  const caps_of caps{~std::uint64_t{0}};
  return moves_of(g, parts, caps, part, {}).cut();
}

std::uint64_t cut_by(const lists& rows, const hg::multilevel& policy) {
  const auto found = hg::assign(rows, policy);
  return hg::measure_quality(rows, std::span<const hg::part_id>(found), policy.parts).edge_cut;
}

TEST(window_cuts, find_squares_where_parts_were_stripes) {
  // Stripes of one row each cut 15 x 16 = 240 edges, four by four squares 96.
  const graph g = weighted(grids(16, 1));
  parts_of stripes(256);
  for (std::uint32_t v = 0; v < 256; ++v) stripes[v] = v / 16;
  const caps_of caps{17};
  const parts_of part = cut_anew(g, caps, 16, stripes, 30);
  EXPECT_EQ(cut_of(g, stripes, 16), 240);
  EXPECT_LE(cut_of(g, part, 16), 125);
  for (const std::uint64_t load : loads_of(g, part, 16)) EXPECT_LE(load, 17u);
}

TEST(window_cuts, parts_change_only_where_less_is_cut) {
  const graph g = weighted(grids(12, 1));
  hg::random_stream random(3);
  parts_of part(144);
  for (auto& one : part) one = static_cast<std::uint32_t>(random.below(6));
  const caps_of caps{30};
  const hg::detail::window_cuts<word> windows(g, caps, 6, {}, {});
  unsigned kept = 0, improved = 0;
  for (std::uint32_t i = 0; i < 40; ++i) {
    const parts_of before = part;
    const bool any = windows.step(part, 2 + i % 3, i, no_refinement);
    if (any) {
      ++improved;
      EXPECT_LT(cut_of(g, part, 6), cut_of(g, before, 6)) << i;
    } else {
      ++kept;
      EXPECT_EQ(part, before) << i;
    }
  }
  EXPECT_GT(improved, 3u);
  EXPECT_GT(kept, 3u);
}

TEST(window_cuts, have_no_more_parts_than_asked_for) {
  // All touch each other: with windows of two one of three keeps its nodes, with three none need.
  const graph g = weighted(grids(12, 1));
  hg::random_stream random(5);
  parts_of before(144);
  for (auto& one : before) one = static_cast<std::uint32_t>(random.below(3));
  const caps_of caps{60};
  const hg::detail::window_cuts<word> windows(g, caps, 3, {}, {});
  const auto changed = [&](std::uint32_t size, std::uint64_t seed) {
    parts_of part = before;
    windows.step(part, size, seed, no_refinement);
    std::set<std::uint32_t> found;
    for (std::size_t v = 0; v < part.size(); ++v) {
      if (part[v] != before[v]) found.insert({part[v], before[v]});
    }
    return found.size();
  };
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    EXPECT_EQ(changed(2, seed), 2u) << seed;
    EXPECT_EQ(changed(3, seed), 3u) << seed;
  }
}

TEST(window_cuts, keep_fixed_nodes_and_the_limits_of_each_part) {
  graph g = weighted(grids(12, 1));
  const caps_of caps{80, 20, 30, 40};
  parts_of part(144);
  for (std::uint32_t v = 0; v < 144; ++v) part[v] = v % 12 < 6 ? 0 : v % 3 + 1;
  g.fixed.assign(144, hg::detail::no_part);
  for (const std::uint32_t v : {0u, 11u, 71u, 143u}) g.fixed[v] = part[v];
  const std::int64_t before = cut_of(g, part, 4);
  const parts_of found = cut_anew(g, caps, 4, part, 30);
  EXPECT_LT(cut_of(g, found, 4), before / 2);
  for (const std::uint32_t v : {0u, 11u, 71u, 143u}) EXPECT_EQ(found[v], part[v]) << v;
  const auto loads = loads_of(g, found, 4);
  for (std::size_t p = 0; p < 4; ++p) EXPECT_LE(loads[p], caps[p]) << p;
}

TEST(window_cuts, new_parts_beyond_their_limits_are_not_taken) {
  const graph g = weighted(grids(8, 1));
  parts_of part(64);
  for (std::uint32_t v = 0; v < 64; ++v) part[v] = v % 4;
  EXPECT_NE(cut_anew(g, {17}, 4, part, 6), part);
  EXPECT_EQ(cut_anew(g, {15}, 4, part, 6), part);
}

TEST(window_cuts, parts_that_touch_nothing_stay) {
  const graph g = weighted(grids(4, 6));
  parts_of part(96);
  for (std::uint32_t v = 0; v < 96; ++v) part[v] = v / 16;
  EXPECT_EQ(cut_anew(g, {16}, 6, part, 6), part);
  const graph empty = weighted(lists(5));
  EXPECT_EQ(cut_anew(empty, {5}, 3, {0, 1, 2, 0, 1}, 6), (parts_of{0, 1, 2, 0, 1}));
}

TEST(window_cuts, threads_change_nothing) {
  const graph g = weighted(grids(24, 1));
  parts_of part(576);
  for (std::uint32_t v = 0; v < 576; ++v) part[v] = v / 36;
  const parts_of one = cut_anew(g, {40}, 16, part, 9);
  EXPECT_NE(one, part);
  for (const std::size_t count : {std::size_t{2}, std::size_t{3}}) {
    const few_threads threads{count};
    EXPECT_EQ(cut_anew(g, {40}, 16, part, 9, threads), one) << count;
  }
}

TEST(window_cuts, start_no_loop_within_a_loop) {
  const graph g = weighted(grids(24, 1));
  for (const std::uint32_t parts : {3u, 16u}) {  // one window, and several
    parts_of part(576);
    for (std::uint32_t v = 0; v < 576; ++v) part[v] = v * parts / 576;
    const hg::testing::flat_threads threads(2);
    EXPECT_EQ(cut_anew(g, {200}, parts, part, 9, threads), cut_anew(g, {200}, parts, part, 9));
  }
}

TEST(window_cuts, multilevel_cuts_less_with_them) {
  std::uint64_t with = 0, without = 0;
  const lists grid = grids(100, 1);
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    hg::multilevel policy{.parts = 24, .seed = seed};
    with += cut_by(grid, policy);
    policy.effort.window_steps = 0;
    without += cut_by(grid, policy);
  }
  EXPECT_LT(with, without);
}

}  // namespace
