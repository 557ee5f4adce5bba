// SPDX-License-Identifier: BSL-1.0
// partition/multilevel/initial/bisection.hpp: many parts, by several threads.
#include "support/few_threads.hpp"
#include "support/flat_threads.hpp"

#include <halograph/core/executor.hpp>
#include <halograph/core/random.hpp>
#include <halograph/graph/symmetrize.hpp>
#include <halograph/partition/multilevel/initial/bisection.hpp>
#include <halograph/partition/multilevel/weighted_graph.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace hg = halograph;

namespace {

using hg::testing::few_threads;
using hg::testing::flat_threads;
using word = std::uint32_t;
using graph = hg::detail::weighted_graph<word>;

/// A few nodes that nearly all touch each other, and many that touch one or two of these: the core
/// has most of the entries, however often what hangs on it has been cut off.
graph core_and_fringe(std::uint32_t core, std::uint32_t nodes) {
  hg::random_stream random(3);
  std::vector<std::vector<word>> rows(nodes);
  for (word v = 1; v < nodes; ++v) {
    const std::size_t count = v < core ? v : 1 + random.below(2);
    for (std::size_t i = 0; i < count; ++i)
      rows[v].push_back(v < core ? static_cast<word>(i) : static_cast<word>(random.below(core)));
  }
  const auto both = hg::symmetrize<word>(rows);
  graph out;
  out.offsets = both.offsets;
  out.targets = both.neighbors;
  out.weights.assign(out.targets.size(), 1);
  for (std::size_t e = 0; e < out.weights.size(); ++e) out.weights[e] = 1 + out.targets[e] % 3;
  return out;
}

TEST(bisect_recursively, gives_the_same_parts_by_any_number_of_threads_without_nested_loops) {
  const graph g = core_and_fringe(60, 900);
  const std::vector<std::uint64_t> caps{40};
  const std::vector<std::uint64_t> seeds{1, 2};
  const auto alone = hg::detail::bisect_recursively<word>(g, caps, 32, {}, seeds, {});
  ASSERT_EQ(alone.size(), 2u);
  for (const auto& part : alone) {
    std::vector<std::size_t> held(32);
    for (const std::uint32_t p : part) ++held.at(p);
    EXPECT_GT(*std::min_element(held.begin(), held.end()), 0u);
  }
  EXPECT_NE(alone[0], alone[1]);
  for (const std::size_t count : {std::size_t{2}, std::size_t{3}, std::size_t{16}}) {
    const flat_threads threads(count);
    EXPECT_EQ(hg::detail::bisect_recursively<word>(g, caps, 32, {}, seeds, threads), alone)
        << count;
    const std::span<const std::uint64_t> first(seeds.data(), 1);
    EXPECT_EQ(hg::detail::bisect_recursively<word>(g, caps, 32, {}, first, threads)[0], alone[0])
        << count;
  }
}

TEST(bisect_recursively, accepts_a_graph_without_edges_and_one_of_no_nodes) {
  graph none;
  none.offsets.assign(11, 0);
  const std::vector<std::uint64_t> caps{3};
  const std::vector<std::uint64_t> seeds{5};
  const few_threads three{3};
  const auto found = hg::detail::bisect_recursively<word>(none, caps, 4, {}, seeds, three);
  std::vector<std::size_t> held(4);
  for (const std::uint32_t p : found[0]) ++held.at(p);
  for (const std::size_t count : held) EXPECT_LE(count, 3u);
  none.offsets.assign(1, 0);
  EXPECT_TRUE(hg::detail::bisect_recursively<word>(none, caps, 4, {}, seeds, {})[0].empty());
}

TEST(induced_graph, has_the_kept_entries_loads_and_fixed_nodes_in_order) {
  graph g = core_and_fringe(40, 700);
  g.loads.assign(0, true);
  for (std::size_t v = 0; v < g.num_nodes(); ++v) {
    g.loads.push_back(v % 7);
    g.fixed.push_back(v % 5 == 0 ? static_cast<std::uint32_t>(v % 3) : hg::detail::no_part);
  }
  std::vector<word> nodes, place(g.num_nodes());
  const auto keep = [](std::size_t v) { return v % 3 != 1; };
  for (std::size_t v = 0; v < g.num_nodes(); ++v) {
    if (!keep(v)) continue;
    place[v] = static_cast<word>(nodes.size());
    nodes.push_back(static_cast<word>(v));
  }
  for (const std::size_t count : {std::size_t{1}, std::size_t{3}}) {
    const few_threads threads{count};
    const graph found = hg::detail::induced_graph<word>(g, nodes, place, keep, threads);
    ASSERT_EQ(found.num_nodes(), nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      std::vector<std::pair<std::size_t, std::int64_t>> wanted, row;
      g.visit(nodes[i], [&](std::size_t u, std::int64_t w) {
        if (keep(u)) wanted.emplace_back(place[u], w);
      });
      found.visit(i, [&](std::size_t u, std::int64_t w) { row.emplace_back(u, w); });
      ASSERT_EQ(row, wanted) << i;
      ASSERT_EQ(found.load(i, 0), nodes[i] % 7) << i;
      ASSERT_EQ(found.fixed[i], g.fixed[nodes[i]]) << i;
    }
  }
}

}  // namespace
