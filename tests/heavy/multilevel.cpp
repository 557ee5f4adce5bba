// SPDX-License-Identifier: BSL-1.0
// Multilevel on a grid of a million nodes: cuts near the best that is known.
#include <halograph/graph/generators.hpp>
#include <halograph/partition/assign.hpp>
#include <halograph/partition/multilevel.hpp>
#include <halograph/partition/quality.hpp>

#include <gtest/gtest.h>

#include <span>

namespace hg = halograph;

namespace {

TEST(multilevel_on_grids, cuts_a_large_one_into_cubes) {
  const hg::generators::grid g{.width = 100, .height = 100, .depth = 100};
  const auto owner = hg::assign(g, hg::multilevel{.parts = 8});
  EXPECT_LE(hg::measure_quality(g, std::span<const hg::part_id>(owner), 8, {}).edge_cut, 31'800u)
      << "eight cubes cut 30,000; METIS 35,344";
}

}  // namespace
