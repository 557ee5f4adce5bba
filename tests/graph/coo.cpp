// SPDX-License-Identifier: BSL-1.0
#include <halograph/graph/coo.hpp>
#include <halograph/testing/laws.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace hg = halograph;

namespace {

using id_types = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                                std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;

template <class T>
std::vector<T> bad_ids(std::size_t size) {
  std::vector<T> bad{static_cast<T>(size), std::numeric_limits<T>::max()};
  if constexpr (std::is_signed_v<T>) bad.insert(bad.end(), {T{-1}, std::numeric_limits<T>::min()});
  return bad;
}

template <class T>
class coo_of_ids : public testing::Test {};
TYPED_TEST_SUITE(coo_of_ids, id_types);

TYPED_TEST(coo_of_ids, shows_its_columns_and_rejects_endpoints_that_are_not_nodes) {
  std::vector<TypeParam> source{0, 2, 2}, target{1, 0, 2};
  const hg::coo_view<TypeParam, TypeParam> g(3, source, target);
  std::vector<TypeParam> flat;
  g.for_each_edge(
      [&](TypeParam u, TypeParam v, TypeParam e) { flat.insert(flat.end(), {u, v, e}); });
  EXPECT_EQ(flat, (std::vector<TypeParam>{0, 1, 0, 2, 0, 1, 2, 2, 2}));
  EXPECT_EQ(g.num_nodes(), 3u);
  EXPECT_EQ(g.num_edges(), 3u);
  EXPECT_EQ(g.validate(), hg::status::ok);
  for (auto* column : {&source, &target}) {
    for (const TypeParam bad : bad_ids<TypeParam>(3)) {
      const TypeParam good = (*column)[1];
      (*column)[1] = bad;
      EXPECT_EQ(g.validate(), hg::status::out_of_range);
      EXPECT_EQ(g.validate().position, 1u);
      (*column)[1] = good;
    }
  }
}

TYPED_TEST(coo_of_ids, names_as_many_nodes_and_edges_as_its_types_can) {
  if constexpr (sizeof(TypeParam) == 1) {
    const auto limit = static_cast<std::size_t>(hg::id_capacity<TypeParam>());
    const std::vector<TypeParam> zeros(limit + 1);
    const std::span<const TypeParam> all(zeros), last(all.first(limit));
    EXPECT_EQ((hg::coo_view<TypeParam, TypeParam>(limit, last, last).validate()), hg::status::ok);
    EXPECT_EQ((hg::coo_view<TypeParam, TypeParam>(limit, all, all).validate()),
              hg::status::overflow);
    EXPECT_EQ((hg::coo_view<TypeParam, TypeParam>(limit + 1, last, last).validate()),
              hg::status::overflow);
  }
}

TEST(coo, rejects_columns_of_two_lengths_and_accepts_no_edges) {
  const std::array<std::uint8_t, 2> column{0, 0};
  const hg::coo_view<std::uint8_t> uneven(1, column,
                                          std::span<const std::uint8_t>(column).first(1));
  EXPECT_EQ(uneven.validate(), hg::status::mismatch);
  EXPECT_EQ(hg::coo_view<>{}.validate(), hg::status::ok);
}

TYPED_TEST(coo_of_ids, edge_pairs_show_their_edges_and_reject_endpoints_that_are_not_nodes) {
  std::vector<std::pair<TypeParam, TypeParam>> edges{{0, 1}, {2, 0}, {2, 2}};
  const hg::edge_pairs g(3, edges);
  static_assert(std::is_same_v<hg::node_id_t<decltype(g)>, TypeParam>);
  EXPECT_TRUE(hg::laws::graph(g));
  EXPECT_EQ(g.num_edges(), 3u);
  std::vector<std::uint64_t> flat;
  g.for_each_edge(
      [&](auto u, auto v, auto e) { flat.insert(flat.end(), {hg::index(u), hg::index(v), e}); });
  EXPECT_EQ(flat, (std::vector<std::uint64_t>{0, 1, 0, 2, 0, 1, 2, 2, 2}));
  EXPECT_EQ(g.validate(), hg::status::ok);
  for (const TypeParam bad : bad_ids<TypeParam>(3)) {
    edges[1] = {bad, TypeParam{0}};
    EXPECT_EQ(g.validate(), hg::status::out_of_range);
    EXPECT_EQ(g.validate().position, 1u);
    edges[1] = {TypeParam{0}, bad};
    EXPECT_EQ(g.validate(), hg::status::out_of_range);
  }
  if constexpr (sizeof(TypeParam) < 8) {
    const auto many = static_cast<std::size_t>(hg::id_capacity<TypeParam>()) + 1;
    EXPECT_EQ(hg::edge_pairs<TypeParam>(many, {}).validate(), hg::status::overflow);
  }
}

}  // namespace
