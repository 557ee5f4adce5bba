// SPDX-License-Identifier: BSL-1.0
#include <halograph/core/error.hpp>
#include <halograph/graph/build.hpp>
#include <halograph/graph/coo.hpp>
#include <halograph/testing/archetypes.hpp>

#include <gtest/gtest.h>
#include <support/plain_graph.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace hg = halograph;

namespace {

template <class Id>
class build_csc_of_ids : public testing::Test {};
using id_types = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                                std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(build_csc_of_ids, id_types);

TYPED_TEST(build_csc_of_ids, groups_edges_by_target_and_keeps_their_order) {
  hg::random_stream draw(31);
  for (int round = 0; round < 200; ++round) {
    const auto g = plain::random_graph(draw, 20);
    std::vector<std::tuple<std::size_t, std::size_t, std::size_t>> order;  // target, edge, source
    for (std::size_t e = 0; e < g.edges.size(); ++e)
      order.emplace_back(g.edges[e].second, e, g.edges[e].first);
    std::sort(order.begin(), order.end());
    const plain::columns<TypeParam> columns(g);
    const auto rows = hg::build_csc<TypeParam, TypeParam>(columns.view());
    ASSERT_EQ(rows.view().validate(), hg::status::ok);
    ASSERT_EQ(rows.offsets.size(), hg::csc_offsets_count(g.nodes));
    ASSERT_EQ(rows.sources.size(), g.edges.size());
    std::size_t at = 0;
    for (std::size_t v = 0; v < g.nodes; ++v) {
      ASSERT_EQ(hg::index(rows.offsets[v]), at);
      for (; at < hg::index(rows.offsets[v + 1]); ++at) {
        ASSERT_EQ(order[at], std::tuple(v, hg::index(rows.edges[at]), hg::index(rows.sources[at])));
      }
    }
    ASSERT_EQ(at, g.edges.size());
    ASSERT_EQ(hg::index(rows.positions().edge_at(at / 2)), at / 2);
  }
}

// A type of capacity C: C nodes; C - 1 edges, for the last offset must fit as well.
TYPED_TEST(build_csc_of_ids, reaches_the_last_id_and_refuses_the_next) {
  if constexpr (sizeof(TypeParam) == 1) {
    const auto capacity = static_cast<std::size_t>(hg::id_capacity<TypeParam>());
    const auto build = [](std::size_t nodes, std::size_t edges) {
      const std::vector<std::uint16_t> source(edges, 0),
          target(edges, static_cast<std::uint16_t>(nodes - 1));
      std::vector<TypeParam> offsets(nodes + 1), sources(edges), names(edges);
      const auto answer = hg::build_csc_into(
          hg::coo_view<std::uint16_t, std::uint16_t>(nodes, source, target), std::span(offsets),
          std::span(sources), std::span(names));
      EXPECT_TRUE(!answer ||
                  (hg::csc_view<TypeParam, TypeParam>(offsets, sources, names).validate()));
      return answer;
    };
    EXPECT_EQ(build(capacity, capacity - 1), hg::status::ok);
    EXPECT_EQ(build(capacity + 1, 1), hg::status::overflow);
    EXPECT_EQ(build(1, capacity), hg::status::overflow);
    EXPECT_EQ(build(1, 3 * capacity), hg::status::overflow);
  }
}

TYPED_TEST(build_csc_of_ids, names_the_edge_whose_endpoint_is_not_a_node) {
  for (const int bad : {3, 127, -1, -128}) {
    if (bad < 0 && !std::is_signed_v<TypeParam>) continue;
    for (const bool at_source : {true, false}) {
      plain::columns<TypeParam> columns({3, {{0, 1}, {1, 2}, {2, 0}}});
      (at_source ? columns.source : columns.target)[2] = static_cast<TypeParam>(bad);
      std::array<std::uint32_t, 4> offsets{};
      std::array<std::uint32_t, 3> sources{}, names{};
      const auto answer = hg::build_csc_into(columns.view(), std::span<std::uint32_t>(offsets),
                                             std::span<std::uint32_t>(sources),
                                             std::span<std::uint32_t>(names));
      EXPECT_EQ(answer, hg::status::out_of_range);
      EXPECT_EQ(answer.position, 2u);
    }
  }
}

TEST(build_csc, says_how_much_memory_suffices) {
  const plain::columns<std::uint8_t> columns({3, {{0, 1}, {1, 2}}});
  std::array<std::int32_t, 4> offsets{};
  std::array<std::int32_t, 2> sources{}, names{};
  const auto run = [&](std::size_t a, std::size_t b, std::size_t c) {
    return hg::build_csc_into(columns.view(), std::span(offsets).first(a),
                              std::span(sources).first(b), std::span(names).first(c));
  };
  EXPECT_EQ(run(4, 2, 2), hg::status::ok);
  EXPECT_EQ(run(3, 2, 2), hg::status::capacity);
  EXPECT_EQ(run(3, 2, 2).position, 4u);
  EXPECT_EQ(run(4, 1, 2), hg::status::capacity);
  EXPECT_EQ(run(4, 2, 1), hg::status::capacity);
  EXPECT_EQ(run(4, 2, 1).position, 2u);
}

/// Pieces of one, the last first.
struct backwards {
  static constexpr std::size_t concurrency() noexcept { return 3; }
  template <class Body>
  void parallel_for(std::size_t first, std::size_t last, std::size_t, Body&& body) const {
    while (last-- > first) body(last, last + 1);
  }
};

TEST(build_csc, is_the_same_from_any_number_of_slices_in_any_order) {
  std::vector<std::uint32_t> source, target;
  for (std::uint32_t e = 0; e < 100; ++e) {
    source.push_back(e * e % 7);
    target.push_back((e * 5 + e / 9) % 7);
  }
  const hg::coo_view<std::uint32_t, std::uint32_t> g(7, source, target);
  const auto expected = hg::build_csc<std::uint16_t, std::uint8_t>(g);
  for (const std::size_t slices : std::array<std::size_t, 4>{1, 2, 5, 16}) {
    std::vector<std::uint8_t> offsets(8), edges(100), scratch(slices * 7);
    std::vector<std::uint16_t> sources(100);
    ASSERT_EQ(hg::build_csc_into(g, std::span(offsets), std::span(sources), std::span(edges),
                                 std::span(scratch), backwards{}),
              hg::status::ok);
    EXPECT_EQ(offsets, expected.offsets) << slices;
    EXPECT_EQ(sources, expected.sources) << slices;
    EXPECT_EQ(edges, expected.edges) << slices;
  }
  target[20] = target[80] = 7;
  std::vector<std::uint8_t> offsets(8), edges(100), scratch(28);
  std::vector<std::uint16_t> sources(100);
  const auto refused = hg::build_csc_into(g, std::span(offsets), std::span(sources),
                                          std::span(edges), std::span(scratch), backwards{});
  EXPECT_EQ(refused, hg::status::out_of_range);
  EXPECT_EQ(refused.position, 20u);
}

TEST(build_csc, large_graphs_are_built_by_all_threads) {
  std::vector<std::uint32_t> source(70000), target(70000);
  for (std::uint32_t e = 0; e < 70000; ++e) {
    source[e] = e * 7919 % 300;
    target[e] = e * 104729 % 300;
  }
  const hg::coo_view<std::uint32_t, std::uint32_t> g(300, source, target);
  const auto one = hg::build_csc<std::uint32_t, std::uint32_t>(g),
             many = hg::build_csc<std::uint32_t, std::uint32_t>(g, backwards{});
  EXPECT_EQ(one.offsets, many.offsets);
  EXPECT_EQ(one.sources, many.sources);
  EXPECT_EQ(one.edges, many.edges);
}

TEST(build_csc, takes_graphs_that_know_their_edges_by_node_only) {
  using ends = hg::archetype::ends<std::int8_t>;
  const std::array<ends, 3> edges{ends{0, 1}, {2, 1}, {1, 0}};
  const auto check = [](const auto& g) {
    const auto rows = hg::build_csc<std::uint8_t, std::uint8_t>(g);
    EXPECT_EQ(rows.offsets, (std::vector<std::uint8_t>{0, 1, 3, 3}));
    EXPECT_EQ(rows.sources, (std::vector<std::uint8_t>{1, 0, 2}));
    EXPECT_EQ(rows.edges, (std::vector<std::uint8_t>{2, 0, 1}));
  };
  check(hg::archetype::edge_list<>(3, edges));
  check(hg::archetype::in_adjacency<>(3, edges));
  check(hg::archetype::out_adjacency<>(3, edges));
}

TEST(build_csc, rows_ascend_in_edge_ids_whatever_the_order_of_the_storage) {
  // 0: 1 -> 2, 1: 0 -> 2, 2: 1 -> 0, 3: 0 -> 2, stored by source: edge 1 comes before edge 0.
  const std::vector<std::uint32_t> offsets{0, 2, 4, 4}, targets{2, 2, 2, 0}, names{3, 1, 0, 2};
  const auto rows = hg::build_csc<std::uint32_t, std::uint32_t>(
      hg::csr_view<std::uint32_t, std::uint32_t>(offsets, targets, names));
  EXPECT_EQ(rows.edges, (std::vector<std::uint32_t>{2, 0, 1, 3}));
  EXPECT_EQ(rows.sources, (std::vector<std::uint32_t>{1, 1, 0, 0}));
}

// Says fewer edges than it has.
struct liar {
  std::size_t num_nodes() const { return 2; }
  std::size_t num_edges() const { return 1; }
  template <class F>
  void for_each_edge(F&& f) const {
    f(0u, 1u, 0u);
    f(1u, 0u, 1u);
  }
};

template <class F>
hg::error raised(F&& f) {
  try {
    f();
  } catch (const hg::error& problem) {
    return problem;
  }
  return hg::error(hg::error_kind::ok, "nothing was raised");
}

TEST(build_csc, refusals_name_what_is_wrong_and_what_would_be_right) {
  const auto lie = raised([] { hg::build_csc<std::uint32_t, std::uint32_t>(liar{}); });
  EXPECT_EQ(lie.code(), hg::error_kind::mismatch);
  EXPECT_NE(std::string(lie.what()).find("hands out 2 edges but says that it has 1"),
            std::string::npos)
      << lie.what();
  plain::columns<std::int16_t> columns({3, {{0, 1}, {1, 2}}});
  columns.target[1] = -5;
  const auto end = raised([&] { hg::build_csc<std::int16_t, std::int16_t>(columns.view()); });
  EXPECT_EQ(end.code(), hg::error_kind::out_of_range);
  EXPECT_NE(std::string(end.what())
                .find("edge 1 has an end outside the 3 nodes of the graph; IDs must be 0 to 2"),
            std::string::npos);
  // Refused before memory is asked for.
  const auto nodes = raised([] {
    hg::build_csc<std::uint8_t, std::uint8_t>(hg::coo_view<>(std::size_t{1} << 60, {}, {}));
  });
  EXPECT_EQ(nodes.code(), hg::error_kind::overflow);
}

TEST(build_csc, goes_through_buckets_where_nodes_are_many_to_the_same_rows) {
  const std::size_t nodes = hg::least_bucketed_nodes + 3, count = nodes + 100;
  std::vector<std::uint32_t> source(count), target(count);
  for (std::size_t e = 0; e < count; ++e) {
    source[e] = static_cast<std::uint32_t>(e * 7919 % nodes);
    target[e] = static_cast<std::uint32_t>(e % 3 == 0 ? nodes - 1 - e % 5 : e * 104729 % nodes);
  }
  const hg::coo_view<std::uint32_t, std::uint32_t> g(nodes, source, target);
  std::vector<std::uint32_t> offsets(nodes + 1), sources(count), edges(count);
  ASSERT_EQ(hg::build_csc_into(g, std::span(offsets), std::span(sources), std::span(edges)),
            hg::status::ok);
  const auto check = [&](const auto& rows) {
    EXPECT_EQ(rows.offsets, offsets);
    EXPECT_EQ(rows.sources, sources);
    EXPECT_EQ(rows.edges, edges);
  };
  check(hg::build_csc<std::uint32_t, std::uint32_t>(g));
  check(hg::build_csc<std::uint32_t, std::uint32_t>(g, backwards{}));
  target[77] = static_cast<std::uint32_t>(nodes);
  target[count - 1] = static_cast<std::uint32_t>(nodes + 1);  // in the last piece, too
  for (const auto& refused :
       {raised([&] { hg::build_csc<std::uint32_t, std::uint32_t>(g); }),
        raised([&] { hg::build_csc<std::uint32_t, std::uint32_t>(g, backwards{}); })}) {
    EXPECT_EQ(refused.code(), hg::error_kind::out_of_range);
    EXPECT_NE(std::string(refused.what()).find("edge 77 "), std::string::npos) << refused.what();
  }
}

/// A ring of many nodes; one edge has an ID of the caller's choice.
struct oddly_named_ring {
  std::int64_t odd;
  std::size_t num_nodes() const { return hg::least_bucketed_nodes; }
  std::size_t num_edges() const { return hg::least_bucketed_nodes; }
  template <class F>
  void for_each_edge(F&& f) const {
    const auto nodes = static_cast<std::uint32_t>(num_nodes());
    for (std::uint32_t v = 0; v < nodes; ++v) f(v, (v + 1) % nodes, v == 5 ? odd : std::int64_t{v});
  }
};

TEST(build_csc, edge_ids_that_do_not_fit_are_refused_in_buckets_too) {
  EXPECT_NO_THROW((hg::build_csc<std::uint32_t, std::uint32_t>(oddly_named_ring{5})));
  for (const std::int64_t odd : {std::int64_t{-1}, std::numeric_limits<std::int64_t>::max(),
                                 std::numeric_limits<std::int64_t>::min(), std::int64_t{1} << 32}) {
    const auto refused = raised(
        [&] { hg::build_csc<std::uint32_t, std::uint32_t>(oddly_named_ring{odd}); });
    EXPECT_EQ(refused.code(), hg::error_kind::overflow) << odd << ": " << refused.what();
  }
}

}  // namespace
