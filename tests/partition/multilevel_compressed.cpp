// SPDX-License-Identifier: BSL-1.0
// Multilevel partitioning of compressed rows: the same parts. (multilevel_memory.cpp: in less
// memory.)
#include "support/few_threads.hpp"

#include <halograph/core/executor.hpp>
#include <halograph/core/random.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/coo.hpp>
#include <halograph/graph/generators.hpp>
#include <halograph/graph/symmetrize.hpp>
#include <halograph/partition/assign.hpp>
#include <halograph/partition/assign_context.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/multilevel.hpp>
#include <halograph/partition/multilevel/weighted_graph.hpp>
#include <halograph/testing/small_graphs.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace hg = halograph;

namespace {

using hg::testing::few_threads;
using owners = std::vector<hg::part_id>;

/// Any directed multigraph with loops, of which the first node has many neighbors.
struct random_graph {
  std::size_t nodes;
  std::vector<std::uint32_t> source{}, target{};

  random_graph(std::size_t count, std::size_t edges, std::uint64_t seed) : nodes(count) {
    hg::random_stream random(seed);
    for (std::size_t e = 0; e < edges; ++e) {
      source.push_back(static_cast<std::uint32_t>(e % 9 == 0 ? 0 : random.below(nodes)));
      // Neighbors of all distances, and some nodes without any.
      target.push_back(static_cast<std::uint32_t>(
          e % 3 == 0 ? random.below(nodes / 2 + 1)
                     : std::min<std::size_t>(nodes / 2, source.back() + random.below(4))));
    }
  }
  hg::coo_view<std::uint32_t> view() const { return {nodes, source, target}; }
};

template <class G>
void expect_same_parts(const G& g, hg::multilevel policy, const std::string& what) {
  const few_threads threads;
  owners plain(hg::num_nodes(g)), compressed(plain);
  ASSERT_EQ(policy.assign(g, std::span(plain), hg::assign_context(threads)), hg::status::ok);
  policy.compress = true;
  ASSERT_EQ(policy.assign(g, std::span(compressed), hg::assign_context(threads)), hg::status::ok);
  EXPECT_EQ(compressed, plain) << what;
}

TEST(multilevel_compressed, gives_the_same_parts_whatever_is_asked_for) {
  const random_graph random(4500, 14000, 1);
  const auto g = random.view();
  hg::random_stream draw(3);
  owners fixed(g.num_nodes(), hg::multilevel::no_part), from(fixed);
  std::vector<std::int64_t> loads(g.num_nodes()), sizes(g.num_nodes()), weights(g.num_edges());
  for (std::size_t v = 0; v < fixed.size(); ++v) {
    if (draw.below(9) == 0) fixed[v] = static_cast<hg::part_id>(draw.below(5));
    if (draw.below(9) != 0) from[v] = static_cast<hg::part_id>(draw.below(5));
    loads[v] = static_cast<std::int64_t>(draw.below(4));
    sizes[v] = static_cast<std::int64_t>(1 + draw.below(8));
  }
  for (auto& w : weights) w = static_cast<std::int64_t>(1 + draw.below(1u << draw.below(20)));
  const std::vector<hg::constraint> balance{{"", loads, 0.1}};
  expect_same_parts(g, {.parts = 5}, "default");
  owners many(g.num_nodes()), one(many);
  const hg::multilevel policy{.parts = 5, .compress = true};
  const few_threads threads;
  ASSERT_EQ(policy.assign(g, std::span(many), hg::assign_context(threads)), hg::status::ok);
  ASSERT_EQ(policy.assign(g, std::span(one)), hg::status::ok);
  EXPECT_EQ(many, one) << "threads";
  expect_same_parts(g, {.parts = 40}, "many parts");
  expect_same_parts(g, {.parts = 5, .effort = hg::multilevel_effort::fast()}, "fast");
  expect_same_parts(g, {.parts = 5, .effort = hg::multilevel_effort::strong()}, "strong");
  expect_same_parts(g, {.parts = 5, .objective = hg::objective::volume, .node_sizes = sizes},
                    "volume");
  expect_same_parts(g, {.parts = 5, .constraints = balance}, "loads");
  expect_same_parts(g, {.parts = 5, .edge_weights = weights}, "edge weights");
  expect_same_parts(g, {.parts = 5, .fixed = fixed}, "fixed");
  expect_same_parts(g, {.parts = 5, .from = from, .max_moved = 200}, "from");
  // Few neighbors each: minimum cuts are looked for.
  expect_same_parts(hg::generators::grid{.width = 70, .height = 70}, {.parts = 6}, "grid");
  expect_same_parts(hg::generators::rmat{.scale = 12, .edge_factor = 6, .seed = 4},
                    {.parts = 7, .seed = 2}, "rmat");
}

TEST(multilevel_compressed, knows_small_graphs_of_every_kind) {
  for (const auto& g : hg::small_graphs<std::uint32_t>()) {
    for (const std::uint64_t parts : {1u, 2u, 3u, 50u})
      expect_same_parts(g, {.parts = parts}, g.name() + " in " + std::to_string(parts));
  }
}

TEST(multilevel_compressed, keeps_fixed_nodes_where_there_are_no_edges) {
  const std::vector<std::vector<std::uint32_t>> g(900);
  owners fixed(900, hg::multilevel::no_part);
  for (std::size_t v = 0; v < 900; v += 7) fixed[v] = static_cast<hg::part_id>(v % 4);
  expect_same_parts(g, {.parts = 4, .fixed = fixed}, "no edges");
}

TEST(multilevel_compressed, balances_several_loads_where_it_anneals) {
  const random_graph random(5000, 20000, 8);
  const auto g = random.view();
  std::vector<std::int64_t> a(g.num_nodes()), b(g.num_nodes());
  for (std::size_t v = 0; v < a.size(); ++v) (v % 3 == 0 ? a : b)[v] = 1;
  const std::vector<hg::constraint> both{{"", a, 0.05}, {"", b, 0.05}};
  expect_same_parts(g, {.parts = 4, .constraints = both}, "two classes");
  // No coarser graph: the first partition is annealed on the rows themselves.
  const random_graph little(1500, 6000, 9);
  const std::vector<std::int64_t> few(a.begin(), a.begin() + 1500),
      rest(b.begin(), b.begin() + 1500);
  const std::vector<hg::constraint> small{{"", few, 0.05}, {"", rest, 0.05}};
  expect_same_parts(little.view(), {.parts = 4, .constraints = small}, "two classes, small");
}

TEST(multilevel_compressed, names_the_first_bad_edge) {
  const std::vector<std::uint32_t> source{0, 1, 7, 9}, target{1, 2, 0, 0};
  const hg::coo_view<std::uint32_t> g(3, source, target);
  owners owner(3);
  hg::multilevel policy{.parts = 2, .compress = true};
  const hg::status answer = policy.assign(g, std::span(owner));
  EXPECT_EQ(answer, hg::status::out_of_range);
  EXPECT_EQ(answer.position, 2u);
}

/// Rows as they may be handed over: packed, plain or coded.
TEST(multilevel_compressed, takes_rows_in_any_form) {
  const hg::generators::rmat edges{.scale = 12, .edge_factor = 4, .seed = 5};
  hg::symmetric_graph<std::uint32_t, std::int64_t> both;
  ASSERT_EQ(hg::symmetrize_into(edges, hg::pairs_once{}, both), hg::status::ok);
  owners wanted(both.num_nodes()), found(wanted);
  ASSERT_EQ((hg::multilevel{.parts = 6}.assign(both, std::span(wanted))), hg::status::ok);
  const auto check = [&]<class Word>(Word, bool compress) {
    hg::detail::row_packer<Word> packer(both.num_nodes());
    hg::detail::weighted_graph<Word> plain;
    for (std::size_t v = 0; v < both.num_nodes(); ++v) {
      std::vector<Word> row;
      both.for_each_out_edge(v, [&](auto u, auto) { row.push_back(static_cast<Word>(u)); });
      packer.push(row);
      plain.targets.insert(plain.targets.end(), row.begin(), row.end());
      plain.offsets.push_back(static_cast<Word>(plain.targets.size()));
    }
    const hg::multilevel policy{.parts = 6, .compress = compress};
    hg::detail::weighted_graph<Word> packed = packer.finish(), coded = packed;
    EXPECT_TRUE(packed.is_compressed());
    EXPECT_EQ(packed.num_entries(), plain.num_entries());
    hg::detail::compress(coded, {}, {}, hg::executor_ref());
    EXPECT_TRUE(coded.offsets.empty());
    for (std::size_t v = 0; v < both.num_nodes(); ++v) {
      EXPECT_EQ(coded.degree(v), plain.degree(v));
      EXPECT_EQ(coded.row_begin(v), plain.row_begin(v));
      for (std::size_t i = 0; i < plain.degree(v); ++i) {
        ASSERT_EQ(packed.neighbor(v, i), plain.neighbor(v, i));
        ASSERT_EQ(coded.neighbor(v, i), plain.neighbor(v, i));
      }
    }
    for (auto* rows : {&packed, &coded, &plain}) {
      std::fill(found.begin(), found.end(), hg::part_id{9});
      EXPECT_EQ(policy.assign_rows(std::move(*rows), {}, std::span(found)), hg::status::ok);
      EXPECT_EQ(found, wanted);
    }
  };
  check(std::uint32_t{}, true);
  check(std::uint64_t{}, true);
  check(std::uint32_t{}, false);
}

}  // namespace
