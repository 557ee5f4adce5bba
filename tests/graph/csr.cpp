// SPDX-License-Identifier: BSL-1.0
#include <halograph/graph/csr.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace hg = halograph;

namespace {

using id_types = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                                std::int64_t, std::uint64_t>;

template <class T>
std::vector<T> bad_ids(std::size_t size) {
  std::vector<T> bad{static_cast<T>(size), std::numeric_limits<T>::max()};
  if constexpr (std::is_signed_v<T>) bad.insert(bad.end(), {T{-1}, std::numeric_limits<T>::min()});
  return bad;
}

template <class T>
class rows_of_ids : public testing::Test {};
TYPED_TEST_SUITE(rows_of_ids, id_types);

TYPED_TEST(rows_of_ids, show_neighbours_and_edge_ids) {
  const std::vector<TypeParam> offsets{0, 2, 2, 3}, neighbours{1, 2, 0}, names{2, 0, 1};
  const hg::csr_view<TypeParam, TypeParam> named(offsets, neighbours, names), plain(offsets, neighbours);
  const hg::csc_view<TypeParam, TypeParam> columns(offsets, neighbours, names);
  const auto row = [](const auto& g, std::uint32_t v) {
    std::vector<TypeParam> flat;
    const auto take = [&](TypeParam u, TypeParam e) { flat.insert(flat.end(), {u, e}); };
    if constexpr (requires { g.for_each_out_edge(v, take); }) g.for_each_out_edge(v, take);
    else g.for_each_in_edge(v, take);
    return flat;
  };
  EXPECT_EQ(row(named, 0), (std::vector<TypeParam>{1, 2, 2, 0}));
  EXPECT_EQ(row(plain, 0), (std::vector<TypeParam>{1, 0, 2, 1}));
  EXPECT_EQ(row(columns, 2), (std::vector<TypeParam>{0, 1}));
  EXPECT_TRUE(row(columns, 1).empty());
  EXPECT_EQ(named.edge_at(0), 2);
  EXPECT_EQ(plain.edge_at(2), 2);
  for (const auto& g : {named, plain}) EXPECT_EQ(g.validate(), hg::status::ok);
}

TYPED_TEST(rows_of_ids, say_what_is_wrong_with_them) {
  using vec = std::vector<TypeParam>;
  const auto check = [](const vec& offsets, const vec& neighbours, const vec& names = {}) {
    return hg::csc_view<TypeParam, TypeParam>(offsets, neighbours, names).validate();
  };
  const auto is = [](hg::status got, hg::status want, std::uint64_t where) {
    EXPECT_EQ(got, want);
    EXPECT_EQ(got.position, where);
  };
  EXPECT_EQ(check({}, {}), hg::status::ok);
  EXPECT_EQ(check({0}, {}), hg::status::ok);
  EXPECT_EQ(check({}, {0}), hg::status::mismatch);
  is(check({1, 1}, {0}), hg::status::malformed, 0);
  is(check({0, 2, 1, 2}, {0, 0}), hg::status::malformed, 1);
  is(check({0, 1}, {0, 0}), hg::status::malformed, 1);
  is(check({0, 3}, {0, 0}), hg::status::malformed, 1);
  is(check({0, 2}, {0, 0}, {0}), hg::status::mismatch, 1);
  for (const TypeParam bad : bad_ids<TypeParam>(2)) {
    is(check({0, 1, 2}, {0, bad}), hg::status::out_of_range, 1);
    is(check({0, 1, 2}, {0, 1}, {0, bad}), hg::status::out_of_range, 1);
  }
  for (const TypeParam bad : bad_ids<TypeParam>(3)) EXPECT_EQ(check({0, bad, 2}, {0, 1}), hg::status::malformed);
}

TEST(rows, of_more_nodes_than_the_type_can_name_overflow) {
  const std::vector<std::uint16_t> offsets(130, 0), one_less(129, 0);
  EXPECT_EQ((hg::csr_view<std::int8_t, std::uint16_t>(one_less, {}).validate()), hg::status::ok);
  EXPECT_EQ((hg::csr_view<std::int8_t, std::uint16_t>(offsets, {}).validate()), hg::status::overflow);
}

}  // namespace
