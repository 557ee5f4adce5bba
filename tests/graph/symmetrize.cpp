// SPDX-License-Identifier: BSL-1.0
#include "support/few_threads.hpp"

#include <halograph/core/large_pages.hpp>
#include <halograph/core/random.hpp>
#include <halograph/graph/coo.hpp>
#include <halograph/graph/symmetrize.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace hg = halograph;

namespace {

template <class Node>
struct columns {
  std::size_t nodes = 0;
  std::vector<Node> source{}, target{};
  hg::coo_view<Node, std::uint64_t> view() const { return {nodes, source, target}; }
};

template <class Node>
columns<Node> random_columns(std::uint64_t seed, std::size_t nodes, std::size_t edges) {
  columns<Node> out{nodes};
  hg::random_stream stream(seed);
  for (std::size_t e = 0; e < edges; ++e) {
    out.source.push_back(static_cast<Node>(stream.below(nodes)));
    out.target.push_back(static_cast<Node>(stream.below(nodes)));
  }
  return out;
}

/// The naive model: a map of unordered pairs.
template <class Node, class Index>
hg::symmetric_graph<Index> model(const columns<Node>& g, const std::vector<std::int64_t>& weights) {
  std::map<std::pair<std::size_t, std::size_t>, std::int64_t> both;
  for (std::size_t e = 0; e < g.source.size(); ++e) {
    const auto u = static_cast<std::size_t>(g.source[e]), v = static_cast<std::size_t>(g.target[e]);
    if (u == v) continue;
    both[{u, v}] += weights[e];
    both[{v, u}] += weights[e];
  }
  hg::symmetric_graph<Index> out;
  out.offsets.assign(g.nodes + 1, 0);
  for (const auto& [pair, weight] : both) {
    for (std::size_t v = pair.first + 1; v <= g.nodes; ++v) ++out.offsets[v];
    out.neighbors.push_back(static_cast<Index>(pair.second));
    out.weights.push_back(weight);
  }
  return out;
}

template <class Id>
class symmetrize_width : public ::testing::Test {};
using widths = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint32_t,
                                std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(symmetrize_width, widths);

TYPED_TEST(symmetrize_width, equals_the_naive_model_on_random_multigraphs) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const std::size_t nodes = 1 + seed % 11, edges = (seed * 7) % 50;
    const auto g = random_columns<TypeParam>(seed, nodes, edges);
    std::vector<std::int64_t> weights(edges);
    hg::random_stream stream(seed + 1000);
    for (auto& w : weights) w = static_cast<std::int64_t>(stream.below(9)) - 2;

    const auto summed = hg::symmetrize<TypeParam>(g.view(), hg::pairs_by_weight{weights});
    const auto counted = hg::symmetrize<TypeParam>(g.view(), hg::pairs_by_multiplicity{});
    const auto once = hg::symmetrize<TypeParam>(g.view());
    const auto expected = model<TypeParam, TypeParam>(g, weights);
    const auto multiplicity = model<TypeParam, TypeParam>(g, std::vector<std::int64_t>(edges, 1));
    ASSERT_EQ(summed.offsets, expected.offsets) << "seed " << seed;
    ASSERT_EQ(summed.neighbors, expected.neighbors) << "seed " << seed;
    ASSERT_EQ(summed.weights, expected.weights) << "seed " << seed;
    ASSERT_EQ(counted.neighbors, expected.neighbors);
    ASSERT_EQ(counted.weights, multiplicity.weights);
    ASSERT_EQ(once.offsets, expected.offsets);
    ASSERT_EQ(once.neighbors, expected.neighbors);
    ASSERT_TRUE(once.weights.empty());
    ASSERT_EQ(once.num_pairs() * 2, once.num_edges());
  }
}

TEST(symmetrize, empty_graphs_and_lone_nodes_have_empty_rows) {
  const auto none = hg::symmetrize<std::int32_t>(hg::coo_view<>(0, {}, {}));
  EXPECT_EQ(none.offsets, hg::uninitialized_vector<std::int32_t>{0});
  const auto lone = hg::symmetrize<std::int32_t>(hg::coo_view<>(3, {}, {}));
  EXPECT_EQ(lone.offsets, (hg::uninitialized_vector<std::int32_t>{0, 0, 0, 0}));
}

TEST(symmetrize, drops_loops_and_merges_both_directions) {
  const std::array<std::uint8_t, 6> source{0, 0, 1, 2, 2, 0}, target{1, 1, 0, 2, 0, 1};
  const auto g = hg::symmetrize<std::int16_t>(hg::coo_view<std::uint8_t>(3, source, target),
                                              hg::pairs_by_multiplicity{});
  EXPECT_EQ(g.offsets, (hg::uninitialized_vector<std::int16_t>{0, 2, 3, 4}));
  EXPECT_EQ(g.neighbors, (hg::uninitialized_vector<std::int16_t>{1, 2, 0, 0}));
  EXPECT_EQ(g.weights, (hg::uninitialized_vector<std::int64_t>{4, 1, 4, 1}));
}

TEST(symmetrize, takes_containers_as_graphs) {
  const std::vector<std::vector<std::uint16_t>> rows{{2, 1}, {2}, {}};
  const auto g = hg::symmetrize<std::uint8_t>(rows);
  EXPECT_EQ(g.neighbors, (hg::uninitialized_vector<std::uint8_t>{1, 2, 0, 2, 0, 1}));
}

template <class F>
std::string sentence_of(F&& f, hg::error_kind expected) {
  try {
    f();
  } catch (const hg::error& e) {
    EXPECT_EQ(e.code(), expected) << e.what();
    return e.what();
  }
  ADD_FAILURE() << "nothing was raised";
  return {};
}

TEST(symmetrize, neighbors_are_rows_along_which_any_policy_walks_both_ways) {
  const std::vector<std::vector<int>> g{{1, 2, 0}, {2, 0}, {}, {}};
  const auto rows = hg::neighbors(g);
  static_assert(hg::out_adjacency<decltype(hg::neighbors(g))>);
  std::vector<std::vector<std::uint64_t>> found(4);
  for (std::size_t u = 0; u < 4; ++u)
    hg::for_each_out_edge(rows, u, [&](auto v, auto) { found[u].push_back(v); });
  EXPECT_EQ(found, (std::vector<std::vector<std::uint64_t>>{{1, 2}, {0, 2}, {0, 1}, {}}));
  EXPECT_THROW(hg::neighbors(std::vector<std::vector<int>>{{1}}), hg::error);
}

TEST(symmetrize, rejects_endpoints_that_are_not_nodes) {
  const std::array<std::int32_t, 2> source{0, 1}, target{1, -1}, beyond{1, 2};
  EXPECT_EQ(sentence_of([&] { hg::symmetrize(hg::coo_view<std::int32_t>(2, source, target)); },
                        hg::error_kind::out_of_range),
            "edge 1 has an endpoint that is not a node of the graph");
  sentence_of([&] { hg::symmetrize(hg::coo_view<std::int32_t>(2, source, beyond)); },
              hg::error_kind::out_of_range);
}

// Edges that are others each time they are listed.
struct fickle_graph {
  using node_id = std::uint32_t;
  using edge_id = std::uint32_t;
  std::size_t* visits;
  friend std::size_t num_nodes(const fickle_graph&) { return 8; }
  friend void for_each_edge(const fickle_graph& g, auto f) {
    const std::uint32_t shift = static_cast<std::uint32_t>((*g.visits)++);
    for (std::uint32_t e = 0; e < 4 - std::min(shift, 3u); ++e) f(e, e + 4, e);
  }
};

TEST(symmetrize, refuses_a_graph_that_lists_fewer_edges_when_visited_again) {
  std::size_t visits = 0;
  std::vector<std::uint32_t> positions(100), lower(4, 0xFFFFFFFF);
  std::size_t pairs = 0;
  const hg::status answer = hg::collect_pairs(
      fickle_graph{&visits}, hg::pairs_once{},
      hg::pair_scratch<std::uint32_t, std::int64_t, std::uint32_t>{positions, lower, {}}, pairs);
  EXPECT_EQ(answer, hg::status::malformed);
  EXPECT_NE(hg::explain_symmetrize<std::uint32_t>(answer).find("visited again"), std::string::npos);
}

TEST(symmetrize, refuses_too_few_weights) {
  const std::array<std::int32_t, 2> source{0, 1}, target{1, 0};
  const std::array<std::int64_t, 1> weights{1};
  EXPECT_EQ(sentence_of(
                [&] {
                  hg::symmetrize(hg::coo_view<std::int32_t>(2, source, target),
                                 hg::pairs_by_weight{weights});
                },
                hg::error_kind::mismatch),
            "there are weights for 1 edges only; every edge needs one");
}

TEST(symmetrize, refuses_what_its_width_cannot_hold) {
  // 12 nodes all joined: 132 entries, more than an int8_t offset can say.
  columns<std::int16_t> clique{12};
  for (std::int16_t u = 0; u < 12; ++u) {
    for (std::int16_t v = 0; v < u; ++v) {
      clique.source.push_back(u);
      clique.target.push_back(v);
    }
  }
  sentence_of([&] { hg::symmetrize<std::int8_t>(clique.view()); }, hg::error_kind::overflow);
  EXPECT_EQ(hg::symmetrize<std::uint8_t>(clique.view()).num_edges(), 132u);
  sentence_of([] { hg::symmetrize<std::int8_t>(hg::coo_view<>(129, {}, {})); },
              hg::error_kind::overflow);
  // Weights: 100 + 100 fits no int8_t, and a weight of 200 alone does not either.
  const std::array<std::uint8_t, 2> source{0, 1}, target{1, 0};
  const std::array<std::int64_t, 2> hundred{100, 100}, alone{200, 0};
  const hg::coo_view<std::uint8_t> pair(2, source, target);
  sentence_of(
      [&] { hg::symmetrize<std::uint8_t, std::int8_t>(pair, hg::pairs_by_weight{hundred}); },
      hg::error_kind::overflow);
  sentence_of([&] { hg::symmetrize<std::uint8_t, std::int8_t>(pair, hg::pairs_by_weight{alone}); },
              hg::error_kind::overflow);
}

/// A thread for each index, the last first.
struct many_threads {
  static constexpr std::size_t concurrency() noexcept { return 5; }
  template <class Body>
  void parallel_for(std::size_t first, std::size_t last, std::size_t, Body&& body) const {
    std::vector<std::thread> threads;
    for (std::size_t i = last; i-- > first;) threads.emplace_back([&body, i] { body(i, i + 1); });
    for (auto& thread : threads) thread.join();
  }
};

TEST(symmetrize, any_number_of_slices_gives_the_same_rows) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    hg::random_stream stream(seed);
    const std::size_t nodes = 1 + stream.below(40), edges = stream.below(200);
    const auto g = random_columns<std::uint32_t>(seed, nodes, edges);
    std::vector<std::int64_t> weights;
    for (std::size_t e = 0; e < edges; ++e)
      weights.push_back(static_cast<std::int64_t>(stream.below(9)) - 4);
    const auto expected = model<std::uint32_t, std::uint16_t>(g, weights);
    for (const std::size_t slices : std::array<std::size_t, 4>{1, 2, 3, 16}) {
      const auto sizes = hg::symmetrize_size(nodes, edges, slices);
      hg::uninitialized_vector<std::uint16_t> positions(sizes.positions), lower(edges),
          offsets(nodes + 1), neighbors(expected.neighbors.size());
      hg::uninitialized_vector<std::int64_t> lower_weights(edges), out_weights(neighbors.size());
      std::size_t pairs = 0;
      const hg::pair_scratch<std::uint16_t, std::int64_t, std::uint16_t> scratch{positions, lower,
                                                                                 lower_weights};
      ASSERT_EQ(
          hg::collect_pairs(g.view(), hg::pairs_by_weight{weights}, scratch, pairs, many_threads{}),
          hg::status::ok);
      ASSERT_EQ(2 * pairs, neighbors.size());
      ASSERT_EQ(hg::expand_pairs(nodes, scratch, std::span(offsets), std::span(neighbors),
                                 std::span(out_weights), many_threads{}),
                hg::status::ok);
      EXPECT_EQ(offsets, expected.offsets) << seed << ", " << slices;
      EXPECT_EQ(neighbors, expected.neighbors) << seed << ", " << slices;
      EXPECT_EQ(out_weights, expected.weights) << seed << ", " << slices;
    }
  }
}

TEST(symmetrize, of_several_bad_edges_the_first_is_named_by_any_number_of_slices) {
  auto g = random_columns<std::uint32_t>(1, 9, 90);
  g.target[70] = 9;
  g.source[33] = 11;
  for (const std::size_t slices : std::array<std::size_t, 3>{1, 2, 7}) {
    std::vector<std::size_t> positions(hg::symmetrize_size(9, 90, slices).positions);
    std::vector<std::uint32_t> lower(90);
    std::size_t pairs = 0;
    const auto answer = hg::collect_pairs(g.view(), hg::pairs_once{},
                                          hg::pair_scratch<std::uint32_t>{positions, lower, {}},
                                          pairs, many_threads{});
    EXPECT_EQ(answer, hg::status::out_of_range);
    EXPECT_EQ(answer.position, 33u) << slices;
  }
}

TEST(symmetrize, large_graphs_are_made_by_all_threads) {
  const auto g = random_columns<std::uint32_t>(3, 500, 70000);
  const auto one = hg::symmetrize<std::uint32_t>(g.view(), hg::pairs_by_multiplicity{});
  const auto many = hg::symmetrize<std::uint32_t>(g.view(), hg::pairs_by_multiplicity{},
                                                  many_threads{});
  EXPECT_EQ(hg::edge_slices(g.view(), many_threads{}), 5u);
  EXPECT_EQ(one.offsets, many.offsets);
  EXPECT_EQ(one.neighbors, many.neighbors);
  EXPECT_EQ(one.weights, many.weights);
}

TEST(symmetrize, says_how_much_memory_suffices) {
  const std::array<std::uint8_t, 3> source{0, 1, 2}, target{1, 0, 2};
  const hg::coo_view<std::uint8_t, std::uint8_t> g(3, source, target);
  std::array<std::size_t, hg::symmetrize_size(3, 0).positions> positions{};
  std::array<std::uint8_t, 2> lower{};
  std::array<std::uint8_t, 4> offsets{};
  std::array<std::uint8_t, 2> neighbors{};
  std::size_t pairs = 9;
  using scratch = hg::pair_scratch<std::uint8_t, std::int64_t>;
  const auto few = hg::collect_pairs(
      g, hg::pairs_once{}, scratch{std::span(positions).first(positions.size() - 1), lower, {}},
      pairs);
  EXPECT_EQ(few, hg::status::capacity);
  EXPECT_EQ(few.position, positions.size());
  const auto low = hg::collect_pairs(g, hg::pairs_once{},
                                     scratch{positions, std::span(lower).first(1), {}}, pairs);
  EXPECT_EQ(low, hg::status::capacity);
  EXPECT_EQ(low.position, 2u) << "the loop needs no room";
  const scratch enough{positions, lower, {}};
  ASSERT_EQ(hg::collect_pairs(g, hg::pairs_once{}, enough, pairs), hg::status::ok);
  EXPECT_EQ(pairs, 1u);
  const auto narrow = hg::expand_pairs(3, enough, std::span<std::uint8_t>(offsets),
                                       std::span<std::uint8_t>(neighbors).first(1),
                                       std::span<std::int64_t>());
  EXPECT_EQ(narrow, hg::status::capacity);
  EXPECT_EQ(narrow.position, 2u);
  ASSERT_EQ(hg::expand_pairs(3, enough, std::span<std::uint8_t>(offsets),
                             std::span<std::uint8_t>(neighbors), std::span<std::int64_t>()),
            hg::status::ok);
  EXPECT_EQ(offsets, (std::array<std::uint8_t, 4>{0, 1, 2, 2}));
  EXPECT_EQ(neighbors, (std::array<std::uint8_t, 2>{1, 0}));
}

TEST(symmetrize, knows_how_many_entries_there_may_be) {
  const auto entries = [](const auto& g, auto&&... run) {
    const std::uint64_t most = hg::most_undirected_entries(g.view(), run...);
    const auto made = hg::symmetrize(g.view());
    EXPECT_LE(made.neighbors.size(), most);
    return most;
  };
  using graph = columns<std::uint32_t>;
  EXPECT_EQ(entries(graph{3}), 0u);
  EXPECT_EQ(entries(graph{3, {0, 1}, {1, 2}}), 4u);
  EXPECT_EQ(entries(graph{3, {0, 1, 1}, {1, 2, 1}}), 4u) << "without the loop";
  EXPECT_EQ(entries(graph{3, {0, 1, 1, 2, 2}, {1, 0, 2, 1, 2}}), 4u);
  EXPECT_EQ(entries(graph{3, {0, 1, 1, 2}, {1, 0, 2, 0}}), 8u) << "2 to 0, not to 1";
  EXPECT_EQ(entries(graph{3, {0, 1, 0}, {1, 0, 1}}), 6u) << "one direction twice";
  EXPECT_EQ(entries(graph{3, {0, 1, 0, 1}, {1, 0, 1, 0}}), 4u) << "both twice";
  // Large, in slices: each edge of a random graph and its reverse, anywhere in the list.
  const auto one_way = random_columns<std::uint32_t>(7, 1000, 100'000);
  auto both = one_way;
  for (std::size_t e = one_way.source.size(); e-- > 0;) {
    both.source.push_back(one_way.target[e]);
    both.target.push_back(one_way.source[e]);
  }
  std::uint64_t loops = 0;
  for (std::size_t e = 0; e < one_way.source.size(); ++e)
    loops += one_way.source[e] == one_way.target[e] ? 1u : 0u;
  const hg::testing::few_threads threads;
  EXPECT_EQ(entries(one_way, threads), std::uint64_t{200'000} - 2 * loops);
  EXPECT_EQ(entries(both), std::uint64_t{200'000} - 2 * loops);
  EXPECT_EQ(entries(both, threads), std::uint64_t{200'000} - 2 * loops);
  both.target.back() = (both.target.back() + 1) % 1000;
  EXPECT_GT(entries(both, threads), 390'000u);
}

TEST(symmetrize, runs_in_constant_expressions) {
  constexpr auto neighbors = [] {
    std::array<std::uint8_t, 3> source{2, 1, 0}, target{0, 2, 1};
    std::array<std::size_t, hg::symmetrize_size(3, 0).positions> positions{};
    std::array<std::uint8_t, 3> lower{};
    std::array<std::uint8_t, 4> offsets{};
    std::array<std::uint8_t, 6> out{};
    std::size_t pairs = 0;
    const hg::coo_view<std::uint8_t, std::uint8_t> g(3, source, target);
    const hg::pair_scratch<std::uint8_t, std::int64_t> scratch{positions, lower, {}};
    if (!hg::collect_pairs(g, hg::pairs_once{}, scratch, pairs)) return out;
    if (!hg::expand_pairs(3, scratch, std::span<std::uint8_t>(offsets),
                          std::span<std::uint8_t>(out), std::span<std::int64_t>())) {
      return std::array<std::uint8_t, 6>{};
    }
    return out;
  }();
  static_assert(neighbors == std::array<std::uint8_t, 6>{1, 2, 0, 2, 0, 1});
  EXPECT_EQ(neighbors.size(), 6u);
}

}  // namespace
