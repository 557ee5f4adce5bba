// SPDX-License-Identifier: BSL-1.0
#include <halograph/graph/build.hpp>
#include <halograph/halo/cut_edges.hpp>
#include <halograph/halo/members.hpp>

#include <gtest/gtest.h>
#include <support/plain_graph.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

namespace hg = halograph;

namespace {

template <class Id>
class cut_edges_of_ids : public testing::Test {};
using id_types = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                                std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(cut_edges_of_ids, id_types);

TYPED_TEST(cut_edges_of_ids, are_rows_of_their_sources_by_part_target_and_edge) {
  hg::random_stream draw(8);
  for (int round = 0; round < 80; ++round) {
    const auto g = plain::random_graph(draw, 20);
    const auto parts = static_cast<std::size_t>(1 + draw.below(5));
    const auto owner = plain::random_owners(draw, g.nodes, parts);
    const auto rows = hg::build_csc<TypeParam, TypeParam>(plain::columns<TypeParam>(g).view());
    const std::span<const hg::part_id> owners(owner);
    std::vector<std::uint64_t> begin(parts + 1);
    std::vector<TypeParam> members(g.nodes);
    ASSERT_EQ(hg::group_members_into(owners, parts, std::span(begin), std::span(members)),
              hg::status::ok);

    // (part of source, source, part of target, target, edge)
    std::vector<std::array<std::size_t, 5>> want;
    for (std::size_t e = 0; e < g.edges.size(); ++e) {
      const auto [u, v] = g.edges[e];
      if (owner[u] != owner[v]) want.push_back({owner[u], u, owner[v], v, e});
    }
    std::sort(want.begin(), want.end());

    const auto count = static_cast<std::size_t>(hg::count_cut_edges(rows.view(), owners));
    ASSERT_EQ(count, want.size());
    std::vector<TypeParam> cursor(g.nodes), offsets(hg::cut_offsets_count(g.nodes)), targets(count),
        edges(count);
    ASSERT_EQ(hg::group_cut_edges_into(rows.view(), owners, std::span<const TypeParam>(members),
                                       std::span(cursor), std::span(offsets), std::span(targets),
                                       std::span(edges)),
              hg::status::ok);
    std::size_t at = 0;
    for (std::size_t rank = 0; rank < g.nodes; ++rank) {
      ASSERT_EQ(hg::index(offsets[rank]), at);
      for (; at < hg::index(offsets[rank + 1]); ++at) {
        ASSERT_EQ(want[at][1], hg::index(members[rank]));
        ASSERT_EQ(want[at][3], hg::index(targets[at]));
        ASSERT_EQ(want[at][4], hg::index(edges[at]));
      }
    }
    ASSERT_EQ(at, count);
  }
}

struct memory {
  std::array<std::int8_t, 4> cursor{};
  std::array<std::int8_t, 5> offsets{};
  std::array<std::int8_t, 4> targets{};
  std::array<std::int8_t, 4> edges{};
};

TEST(cut_edges, report_what_is_too_small_or_out_of_range) {
  // 0 -> 1, 1 -> 2, 2 -> 3, all cut
  const std::array<std::int8_t, 5> offsets{0, 0, 1, 2, 3};
  std::array<std::int8_t, 3> sources{0, 1, 2};
  const hg::csc_view<std::int8_t, std::int8_t> rows(offsets, sources);
  const std::array<std::uint8_t, 4> owner{0, 1, 0, 1};
  const std::array<std::int8_t, 4> members{0, 2, 1, 3};
  memory m;
  const auto run = [&](std::size_t owners, std::size_t cursors, std::size_t ends,
                       std::size_t rooms) {
    return hg::group_cut_edges_into(
        rows, std::span<const std::uint8_t>(owner).first(owners),
        std::span<const std::int8_t>(members), std::span(m.cursor).first(cursors),
        std::span(m.offsets).first(ends), std::span(m.targets).first(rooms),
        std::span<std::int8_t>(m.edges));
  };
  EXPECT_EQ(run(4, 4, 5, 3), hg::status::ok);
  EXPECT_EQ(run(3, 4, 5, 3), hg::status::mismatch);
  EXPECT_EQ(run(4, 3, 5, 3), hg::status::capacity);
  EXPECT_EQ(run(4, 4, 4, 3), hg::status::capacity);
  EXPECT_EQ(run(4, 4, 4, 3).position, 5u);
  EXPECT_EQ(run(4, 4, 5, 2), hg::status::capacity);
  EXPECT_EQ(run(4, 4, 5, 2).position, 3u);
  for (const std::int8_t bad :
       {std::int8_t{-1}, std::int8_t{-128}, std::int8_t{4}, std::int8_t{127}}) {
    sources[1] = bad;
    EXPECT_EQ(run(4, 4, 5, 3), hg::status::out_of_range);
    EXPECT_EQ(run(4, 4, 5, 3).position, 1u);
    EXPECT_EQ(hg::count_cut_edges(rows, std::span<const std::uint8_t>(owner)), 2u);
  }
}

TEST(cut_edges, report_which_argument_does_not_fit) {
  // 0 -> 1 and 1 -> 0, both cut
  const std::array<std::uint16_t, 3> offsets{0, 1, 2};
  const std::array<std::uint8_t, 2> sources{1, 0}, owner{0, 1};
  const auto run = [&](std::vector<std::uint16_t> names, std::vector<std::uint8_t> members,
                       std::size_t rooms) {
    std::vector<std::int8_t> cursor(2), rows_of(3), edges(2);
    std::vector<std::uint8_t> targets(2);
    return hg::group_cut_edges_into(
        hg::csc_view<std::uint8_t, std::uint16_t>(offsets, sources, names),
        std::span<const std::uint8_t>(owner), std::span<const std::uint8_t>(members),
        std::span(cursor), std::span(rows_of), std::span(targets), std::span(edges).first(rooms));
  };
  EXPECT_EQ(run({5, 6}, {0, 1}, 2), hg::status::ok);
  EXPECT_EQ(run({5, 6}, {0}, 2), hg::status::capacity.at(2));
  EXPECT_EQ(run({5, 6}, {0, 1}, 1), hg::status::capacity.at(2));
  EXPECT_EQ(run({5, 6}, {0, 2}, 2), hg::status::out_of_range.at(1));
  EXPECT_EQ(run({5, 127}, {0, 1}, 2), hg::status::ok);
  EXPECT_EQ(run({5, 128}, {0, 1}, 2), hg::status::overflow.at(128));
  EXPECT_EQ(run({200, 128}, {0, 1}, 2), hg::status::overflow.at(200)) << "the first";
}

TEST(cut_edges, report_the_first_of_several_sources_out_of_range) {
  const std::array<std::uint8_t, 3> offsets{0, 1, 3}, sources{1, 2, 9};
  const std::array<std::uint8_t, 2> owner{0, 1}, members{0, 1};
  std::vector<std::uint8_t> cursor(2), rows_of(3), targets(3), edges(3);
  EXPECT_EQ(hg::group_cut_edges_into(hg::csc_view<std::uint8_t, std::uint8_t>(offsets, sources),
                                     std::span<const std::uint8_t>(owner),
                                     std::span<const std::uint8_t>(members), std::span(cursor),
                                     std::span(rows_of), std::span(targets), std::span(edges)),
            hg::status::out_of_range.at(1));
}

// 127 cut edges fit signed 8-bit offsets, 128 do not.
TEST(cut_edges, are_rejected_if_the_edge_type_cannot_count_them) {
  for (const std::size_t count : {127u, 128u}) {
    const std::array<std::uint16_t, 3> offsets{0, 0, static_cast<std::uint16_t>(count)};
    const std::vector<std::uint8_t> sources(count, 0);
    // All edges are called 0, so that only their number can be wrong.
    const std::vector<std::uint16_t> names(count, 0);
    const hg::csc_view<std::uint8_t, std::uint16_t> rows(offsets, sources, names);
    const std::array<std::uint8_t, 2> owner{0, 1}, members{0, 1};
    std::array<std::int8_t, 2> cursor{};
    std::array<std::int8_t, 3> rows_of{};
    std::vector<std::uint8_t> targets(count);
    std::vector<std::int8_t> edges(count);
    const auto answer = hg::group_cut_edges_into(
        rows, std::span<const std::uint8_t>(owner), std::span<const std::uint8_t>(members),
        std::span<std::int8_t>(cursor), std::span<std::int8_t>(rows_of), std::span(targets),
        std::span(edges));
    EXPECT_EQ(answer, count == 127 ? hg::status::ok : hg::status::overflow);
    if (count == 127)
      EXPECT_EQ(rows_of, (std::array<std::int8_t, 3>{0, 127, 127}));
    else
      EXPECT_EQ(answer.position, 128u);
  }
}

TEST(cut_edges, are_rejected_if_a_node_type_cannot_number_the_nodes) {
  const std::vector<std::uint8_t> owner(300), offsets(301);  // and no edge
  const auto run = [&](auto graph_node, auto member) {
    std::vector<decltype(member)> members(300), targets;
    std::vector<std::uint8_t> cursor(300), rows_of(301), edges;
    return hg::group_cut_edges_into(hg::csc_view<decltype(graph_node), std::uint8_t>(offsets, {}),
                                    std::span<const std::uint8_t>(owner),
                                    std::span<const decltype(member)>(members), std::span(cursor),
                                    std::span(rows_of), std::span(targets), std::span(edges));
  };
  EXPECT_EQ(run(std::uint16_t{}, std::uint16_t{}), hg::status::ok);
  EXPECT_EQ(run(std::uint8_t{}, std::uint16_t{}), hg::status::overflow);
  EXPECT_EQ(run(std::uint16_t{}, std::uint8_t{}), hg::status::overflow);
  EXPECT_EQ(run(std::uint16_t{}, std::uint8_t{}).position, 300u);
}

}  // namespace
