// SPDX-License-Identifier: BSL-1.0
#include <halograph/graph/generators.hpp>
#include <halograph/graph/hetero.hpp>
#include <halograph/testing/laws.hpp>

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace hg = halograph;
namespace generators = halograph::generators;

static_assert(hg::edge_list<generators::rmat> && hg::edge_list<generators::uniform> &&
              hg::edge_list<generators::grid>);
static_assert(hg::edge_list<generators::reversed<generators::path>> &&
              hg::edge_list<generators::academic>);
static_assert(hg::typed_graph<generators::academic>);
// Usable where nothing runs yet.
static_assert(generators::grid{.width = 3, .height = 2}.edge(6) == generators::ends{2, 5});

namespace {

template <class Graph>
std::uint64_t digest(const Graph& g) {
  std::uint64_t answer = hg::mix(hg::num_nodes(g));
  hg::for_each_edge(g, [&](auto u, auto v, auto e) {
    answer = hg::mix(answer ^ hg::mix(u) ^ hg::mix(v * 3 + 1)) + e;
  });
  return answer;
}

std::vector<generators::ends> all(const auto& g) {
  std::vector<generators::ends> edges;
  hg::for_each_edge(g, [&](auto u, auto v, auto) { edges.push_back({u, v}); });
  return edges;
}

TEST(generators, obey_the_law_of_graphs) {
  const auto lawful = [](const auto& g) {
    EXPECT_EQ(g.validate(), hg::status::ok);
    const auto verdict = hg::laws::graph(g);
    EXPECT_TRUE(verdict) << verdict.why;
  };
  for (const std::uint64_t n : {0u, 1u, 2u, 3u, 10u}) {
    lawful(generators::path{n});
    lawful(generators::cycle{n});
    lawful(generators::star{n});
    lawful(generators::complete{n});
    lawful(generators::reversed<generators::complete>{{n}});
    lawful(generators::uniform{.nodes = n, .edges = n * 3, .seed = n});
    lawful(generators::academic({.papers = n}));
    lawful(generators::academic(
        {.papers = n, .authors = 2, .institutions = 5, .authors_per_paper = 0}));
    for (const std::uint64_t m : {0u, 1u, 4u}) {
      lawful(generators::grid{n, m});
      lawful(generators::grid{n, m, 3});
    }
  }
  for (const std::uint32_t scale : {0u, 1u, 5u}) lawful(generators::rmat{.scale = scale});
}

TEST(generators, draw_the_shapes_they_are_named_after) {
  using list = std::vector<generators::ends>;
  EXPECT_EQ(all(generators::path{3}), (list{{0, 1}, {1, 2}}));
  EXPECT_EQ(all(generators::cycle{3}), (list{{0, 1}, {1, 2}, {2, 0}}));
  EXPECT_EQ(all(generators::star{3}), (list{{1, 0}, {2, 0}}));
  EXPECT_EQ(all(generators::complete{3}), (list{{0, 1}, {0, 2}, {1, 0}, {1, 2}, {2, 0}, {2, 1}}));
  EXPECT_EQ(all(generators::grid{.width = 2, .height = 2}), (list{{0, 1}, {2, 3}, {0, 2}, {1, 3}}));
  EXPECT_EQ(all(generators::reversed<generators::path>{{3}}),
            (list{{0, 1}, {1, 2}, {1, 0}, {2, 1}}));
}

TEST(grid_generator, joins_exactly_the_pairs_that_differ_by_one_in_one_coordinate) {
  const generators::grid g{.width = 4, .height = 3, .depth = 2};
  std::set<std::pair<std::uint64_t, std::uint64_t>> expected, found;
  for (std::uint64_t u = 0; u < 24; ++u) {
    for (std::uint64_t v = u + 1; v < 24; ++v) {
      const auto apart = [](std::uint64_t a, std::uint64_t b) { return a > b ? a - b : b - a; };
      if (apart(u % 4, v % 4) + apart(u / 4 % 3, v / 4 % 3) + apart(u / 12, v / 12) == 1)
        expected.insert({u, v});
    }
  }
  for (const auto& [u, v] : all(g)) found.insert({u, v});
  EXPECT_EQ(found, expected);
  EXPECT_EQ(g.num_edges(), expected.size());
}

// Pinned: a change here changes every data set made from a seed.
TEST(generators, give_the_same_bytes_on_every_compiler) {
  EXPECT_EQ(digest(generators::rmat{.scale = 10, .edge_factor = 8, .seed = 1}),
            6729561981316512246ull);
  EXPECT_EQ(digest(generators::rmat{.scale = 10, .edge_factor = 8, .seed = 2}),
            14317980163491458566ull);
  EXPECT_EQ(digest(generators::uniform{.nodes = 100, .edges = 1000, .seed = 1}),
            10272464986613599992ull);
  EXPECT_EQ(digest(generators::grid{.width = 20, .height = 30, .depth = 4}),
            11025046151030476100ull);
  EXPECT_EQ(digest(generators::academic({.papers = 200, .seed = 1})), 393835031231404329ull);
}

TEST(rmat_generator, fills_the_quadrants_by_the_given_probabilities) {
  // One level: the quadrant is the edge.
  const generators::rmat g{.scale = 1, .edge_factor = 50000, .seed = 5};
  std::array<double, 4> count{};
  hg::for_each_edge(g, [&](auto u, auto v, auto) { count[u * 2 + v] += 1; });
  const double edges = 100000;
  EXPECT_NEAR(count[0] / edges, 0.57, 0.01);
  EXPECT_NEAR(count[1] / edges, 0.19, 0.01);
  EXPECT_NEAR(count[2] / edges, 0.19, 0.01);
  EXPECT_NEAR(count[3] / edges, 0.05, 0.01);
  // All mass in one quadrant: one edge only, whatever the depth.
  hg::for_each_edge(generators::rmat{.scale = 7, .a = 0, .b = 0, .c = 0xFFFFFFFFu, .seed = 5},
                    [&](auto u, auto v, auto) {
                      EXPECT_EQ(u, 127u);
                      EXPECT_EQ(v, 0u);
                    });
}

TEST(academic_generator, has_hubs_and_isolated_nodes_and_cites_the_past) {
  const generators::academic g({.papers = 5000, .seed = 3});
  EXPECT_EQ(g.num_nodes(generators::academic::author), 5000u);
  EXPECT_EQ(g.num_nodes(generators::academic::institution), 51u);
  std::vector<unsigned> cited(5000), authors(5000);
  for (std::uint64_t i = 0; i < g.num_edges(generators::academic::cites); ++i) {
    const auto [later, earlier] = g.edge(generators::academic::cites, i);
    ASSERT_LT(earlier, later);
    ++cited[earlier];
  }
  for (std::uint64_t i = 0; i < g.num_edges(generators::academic::writes); ++i)
    ++authors[g.edge(generators::academic::writes, i).target];
  EXPECT_EQ(std::count(authors.begin(), authors.end(), 0u), 0);
  EXPECT_GT(*std::max_element(cited.begin(), cited.end()), 1000u);
  EXPECT_GT(std::count(cited.begin(), cited.end(), 0u), 100);
}

template <class Id>
class filled_columns : public testing::Test {};
using ids = testing::Types<std::int8_t, std::uint16_t, std::int32_t, std::uint64_t>;
TYPED_TEST_SUITE(filled_columns, ids);

TYPED_TEST(filled_columns, are_the_edges_piece_by_piece) {
  const generators::uniform g{.nodes = 128, .edges = 500, .seed = 9};
  std::vector<TypeParam> source(500), target(500);
  for (std::size_t first = 0; first < 500; first += 77) {
    const std::size_t count = std::min<std::size_t>(77, 500 - first);
    ASSERT_EQ(generators::fill(g, first, std::span(source).subspan(first, count),
                               std::span(target).subspan(first, count)),
              hg::status::ok);
  }
  hg::for_each_edge(g, [&](auto u, auto v, auto e) {
    EXPECT_EQ(hg::index(source[e]), u);
    EXPECT_EQ(hg::index(target[e]), v);
  });
}

TYPED_TEST(filled_columns, are_refused_where_they_cannot_hold_the_edges) {
  std::vector<TypeParam> source(3), target(3);
  const auto fill = [&](const auto& g, std::uint64_t first, std::size_t sources = 3) {
    return generators::fill(g, first, std::span(source).first(sources), std::span(target));
  };
  EXPECT_EQ(fill(generators::path{10}, 6), hg::status::ok);
  EXPECT_EQ(fill(generators::path{10}, 7), hg::status::out_of_range);
  EXPECT_EQ(fill(generators::path{10}, ~std::uint64_t{0}), hg::status::out_of_range);
  EXPECT_EQ(fill(generators::path{10}, 0, 2), hg::status::mismatch);
  const auto capacity = hg::id_capacity<TypeParam>();
  if (capacity < 1u << 20) {
    EXPECT_EQ(fill(generators::path{capacity}, 0), hg::status::ok);
    EXPECT_EQ(fill(generators::path{capacity + 1}, 0), hg::status::overflow);
  }
}

TEST(generators, reject_sizes_and_probabilities_out_of_range) {
  EXPECT_EQ(generators::rmat{.scale = 63}.validate(), hg::status::overflow);
  EXPECT_EQ(generators::rmat{.scale = 4000000000u}.validate(), hg::status::overflow);
  EXPECT_EQ((generators::rmat{.scale = 62, .edge_factor = 16}.validate()), hg::status::overflow);
  EXPECT_EQ((generators::rmat{.a = 0xFFFFFFFFu, .b = 2}.validate()), hg::status::invalid_argument);
  EXPECT_EQ((generators::uniform{.nodes = 0, .edges = 1}.validate()), hg::status::invalid_argument);
  EXPECT_EQ((generators::grid{1ull << 40, 1ull << 40}.validate()), hg::status::overflow);
  EXPECT_EQ(generators::complete{1ull << 40}.validate(), hg::status::overflow);
  EXPECT_EQ(generators::reversed<generators::path>{{(1ull << 62) + 2}}.validate(),
            hg::status::overflow);
  EXPECT_EQ(generators::academic({.papers = 1ull << 61}).validate(), hg::status::overflow);
  EXPECT_EQ(generators::academic({.papers = ~0ull, .authors = ~0ull}).validate(),
            hg::status::overflow);
}

}  // namespace
