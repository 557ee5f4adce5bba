// SPDX-License-Identifier: BSL-1.0
#include <halograph/core/executor.hpp>
#include <halograph/core/random.hpp>
#include <halograph/relabel/relabel_nodes.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

namespace hg = halograph;

namespace {

template <class Node>
class relabel_nodes_of_ids : public testing::Test {};
using id_types = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                                std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(relabel_nodes_of_ids, id_types);

TYPED_TEST(relabel_nodes_of_ids, sorts_by_part_type_and_original_id) {
  hg::random_stream draw(3);
  for (int round = 0; round < 200; ++round) {
    const auto parts = static_cast<std::size_t>(1 + draw.below(5)),
               types = static_cast<std::size_t>(1 + draw.below(4));
    std::vector<std::uint64_t> offsets{0};
    for (std::size_t t = 0; t < types; ++t) offsets.push_back(offsets.back() + draw.below(9));
    const auto nodes = static_cast<std::size_t>(offsets.back());
    std::vector<std::uint16_t> owner(nodes);
    for (auto& part : owner) part = static_cast<std::uint16_t>(draw.below(parts));

    std::vector<std::tuple<std::size_t, std::size_t, std::size_t>> order;  // part, type, node
    for (std::size_t t = 0; t < types; ++t) {
      for (auto v = offsets[t]; v < offsets[t + 1]; ++v) order.emplace_back(owner[v], t, v);
    }
    std::sort(order.begin(), order.end());

    std::vector<std::uint64_t> bounds(hg::relabel_bounds_count(parts, types), 77);
    std::vector<TypeParam> old_node(nodes), new_node(nodes);
    ASSERT_EQ(hg::relabel_nodes_into(std::span<const std::uint16_t>(owner),
                                     std::span<const std::uint64_t>(offsets), parts,
                                     std::span(bounds), std::span(old_node), std::span(new_node)),
              hg::status::ok);
    for (std::size_t i = 0; i < nodes; ++i) {
      const auto [part, type, v] = order[i];
      ASSERT_EQ(hg::index(old_node[i]), v);
      ASSERT_EQ(hg::index(new_node[v]), i);
      ASSERT_GE(i, bounds[part * types + type]);
      ASSERT_LT(i, bounds[part * types + type + 1]);
    }
    ASSERT_EQ(bounds.front(), 0u);
    ASSERT_EQ(bounds.back(), nodes);
    ASSERT_TRUE(std::is_sorted(bounds.begin(), bounds.end()));
    // The inverse is not computed where nobody wants it.
    std::vector<TypeParam> again(nodes);
    ASSERT_EQ(hg::relabel_nodes_into(std::span<const std::uint16_t>(owner),
                                     std::span<const std::uint64_t>(offsets), parts,
                                     std::span(bounds), std::span(again)),
              hg::status::ok);
    ASSERT_EQ(again, old_node);
    // Nor does it matter how many ranges of nodes are sorted at once.
    const auto pieces = static_cast<std::size_t>(1 + draw.below(5));
    std::vector<std::uint64_t> counts(hg::relabel_counts_count(parts, types, pieces)),
        own(bounds.size(), 77);
    std::vector<TypeParam> old_too(nodes), new_too(nodes);
    ASSERT_EQ(hg::relabel_nodes_into(std::span<const std::uint16_t>(owner),
                                     std::span<const std::uint64_t>(offsets), parts, std::span(own),
                                     std::span(old_too), std::span(new_too), pieces,
                                     std::span(counts), hg::sequential{}),
              hg::status::ok);
    ASSERT_EQ(own, bounds);
    ASSERT_EQ(old_too, old_node);
    ASSERT_EQ(new_too, new_node);
  }
}

TEST(relabel_nodes, names_the_first_node_out_of_range_in_any_piece) {
  const std::vector<std::uint8_t> owner{0, 1, 2, 1, 9};
  const std::array<std::uint64_t, 2> offsets{0, 5};
  std::array<std::uint64_t, 3> bounds{};
  std::array<std::uint32_t, 5> old_node{}, new_node{};
  for (const std::size_t pieces : {1u, 2u, 5u, 7u}) {
    std::vector<std::uint64_t> counts(hg::relabel_counts_count(2, 1, pieces));
    const auto answer = hg::relabel_nodes_into(
        std::span<const std::uint8_t>(owner), std::span<const std::uint64_t>(offsets), 2,
        std::span<std::uint64_t>(bounds), std::span<std::uint32_t>(old_node),
        std::span<std::uint32_t>(new_node), pieces, std::span(counts), hg::sequential{});
    EXPECT_EQ(answer, hg::status::out_of_range) << pieces;
    EXPECT_EQ(answer.position, 2u) << pieces;
  }
}

TEST(relabel_nodes, too_few_counts_are_left_alone) {
  const std::vector<std::uint8_t> owner{1, 0, 1, 0, 1};
  const std::array<std::uint64_t, 2> offsets{0, 5};
  std::array<std::uint64_t, 3> bounds{};
  std::array<std::uint32_t, 5> old_node{};
  const std::size_t suffice = hg::relabel_counts_count(2, 1, 4);
  std::vector<std::uint64_t> counts(suffice, 77);
  const auto run = [&](std::size_t given) {
    return hg::relabel_nodes_into(
        std::span<const std::uint8_t>(owner), std::span<const std::uint64_t>(offsets), 2,
        std::span<std::uint64_t>(bounds), std::span<std::uint32_t>(old_node),
        std::span<std::uint32_t>(), 4, std::span(counts).first(given), hg::sequential{});
  };
  EXPECT_EQ(run(suffice - 1), hg::status::ok);
  EXPECT_EQ(counts, std::vector<std::uint64_t>(suffice, 77));
  EXPECT_EQ(bounds, (std::array<std::uint64_t, 3>{0, 2, 5}));
  EXPECT_EQ(old_node, (std::array<std::uint32_t, 5>{1, 3, 0, 2, 4}));
  EXPECT_EQ(run(suffice), hg::status::ok);
  EXPECT_NE(counts, std::vector<std::uint64_t>(suffice, 77));
  EXPECT_EQ(old_node, (std::array<std::uint32_t, 5>{1, 3, 0, 2, 4}));
}

TYPED_TEST(relabel_nodes_of_ids, rejects_more_nodes_than_the_type_can_number) {
  if constexpr (sizeof(TypeParam) == 1) {
    const auto limit = static_cast<std::size_t>(hg::id_capacity<TypeParam>());
    for (const std::size_t nodes : {limit, limit + 1}) {
      std::vector<std::uint8_t> owner(nodes);
      owner[0] = 1;
      const std::array<std::uint64_t, 2> offsets{0, nodes};
      std::array<std::uint64_t, 3> bounds{};
      std::vector<TypeParam> old_node(nodes);
      const auto answer = hg::relabel_nodes_into(
          std::span<const std::uint8_t>(owner), std::span<const std::uint64_t>(offsets), 2,
          std::span<std::uint64_t>(bounds), std::span(old_node));
      EXPECT_EQ(answer, nodes == limit ? hg::status::ok : hg::status::overflow);
      if (nodes == limit)
        EXPECT_EQ(hg::index(old_node[limit - 2]), limit - 1);
      else
        EXPECT_EQ(answer.position, nodes);
    }
  }
}

// Two types A and B, three parts that own A: 1, 0, 1 and B: 0, 2, 0: an empty cell is [x, x] where
// the cell before it ends.
TEST(relabel_nodes, empty_cells_begin_at_the_end_of_the_cell_before) {
  const std::array<std::uint8_t, 4> owner{0, 2, 1, 1};
  const std::array<std::uint64_t, 3> offsets{0, 2, 4};
  std::array<std::uint64_t, 7> bounds{};
  std::array<std::uint32_t, 4> old_node{};
  ASSERT_EQ(hg::relabel_nodes_into(
                std::span<const std::uint8_t>(owner), std::span<const std::uint64_t>(offsets), 3,
                std::span<std::uint64_t>(bounds), std::span<std::uint32_t>(old_node)),
            hg::status::ok);
  // A [0,1],[1,1],[3,4], B [1,1],[1,3],[4,4]
  EXPECT_EQ(bounds, (std::array<std::uint64_t, 7>{0, 1, 1, 1, 3, 4, 4}));
  EXPECT_EQ(old_node, (std::array<std::uint32_t, 4>{0, 2, 3, 1}));
}

TEST(relabel_nodes, of_one_part_renumbers_nothing) {
  const std::vector<std::uint8_t> owner(5);
  const std::array<std::uint64_t, 4> offsets{0, 2, 2, 5};
  std::array<std::uint64_t, 4> bounds{};
  std::array<std::uint8_t, 5> old_node{};
  ASSERT_EQ(hg::relabel_nodes_into(
                std::span<const std::uint8_t>(owner), std::span<const std::uint64_t>(offsets), 1,
                std::span<std::uint64_t>(bounds), std::span<std::uint8_t>(old_node)),
            hg::status::ok);
  EXPECT_EQ(bounds, (std::array<std::uint64_t, 4>{0, 2, 2, 5}));
  EXPECT_EQ(old_node, (std::array<std::uint8_t, 5>{0, 1, 2, 3, 4}));
}

TEST(relabel_nodes, of_no_nodes) {
  std::array<std::uint64_t, 1> bounds{9};
  const std::array<std::uint64_t, 1> offsets{0};
  EXPECT_EQ(hg::relabel_nodes_into(std::span<const std::uint8_t>{},
                                   std::span<const std::uint64_t>(offsets), 0,
                                   std::span<std::uint64_t>(bounds), std::span<std::uint8_t>{}),
            hg::status::ok);
  EXPECT_EQ(bounds[0], 0u);
}

TEST(relabel_nodes, reports_what_is_too_small_or_out_of_range) {
  const std::array<std::uint8_t, 3> owner{0, 1, 2};
  std::array<std::uint64_t, 4> bounds{};
  std::array<std::int16_t, 3> old_node{}, new_node{};
  const auto run = [&](std::vector<std::uint64_t> offsets, std::size_t parts, std::size_t cells,
                       std::size_t olds, std::size_t news) {
    return hg::relabel_nodes_into(std::span<const std::uint8_t>(owner),
                                  std::span<const std::uint64_t>(offsets), parts,
                                  std::span(bounds).first(cells), std::span(old_node).first(olds),
                                  std::span(new_node).first(news));
  };
  EXPECT_EQ(run({0, 3}, 3, 4, 3, 3), hg::status::ok);
  EXPECT_EQ(run({0, 3}, 3, 4, 3, 0), hg::status::ok);
  EXPECT_EQ(run({0, 3}, 3, 3, 3, 3), hg::status::capacity);
  EXPECT_EQ(run({0, 3}, 3, 3, 3, 3).position, 4u);
  EXPECT_EQ(run({0, 3}, 3, 0, 3, 3), hg::status::capacity);
  EXPECT_EQ(run({0, 3}, 3, 4, 2, 3), hg::status::capacity);
  EXPECT_EQ(run({0, 3}, 3, 4, 3, 2), hg::status::capacity);
  EXPECT_EQ(run({0, 3}, 2, 4, 3, 3), hg::status::out_of_range);
  EXPECT_EQ(run({0, 3}, 2, 4, 3, 3).position, 2u);
  EXPECT_EQ(run({0, 3}, 0, 4, 3, 3), hg::status::out_of_range);
  // parts x types wraps to 0 in 64 bits.
  EXPECT_EQ(run({0, 1, 2, 3, 3}, static_cast<std::size_t>(1) << 62, 4, 3, 3), hg::status::capacity);
  for (const std::vector<std::uint64_t>& bad :
       {std::vector<std::uint64_t>{}, {0}, {1, 3}, {0, 2}, {0, 4}, {0, 2, 1, 3}, {3, 0}}) {
    EXPECT_EQ(run(bad, 1, 4, 3, 3), hg::status::mismatch) << testing::PrintToString(bad);
  }
}

}  // namespace
