// SPDX-License-Identifier: BSL-1.0
#include <halograph/graph/csr.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
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
class rows_of_ids : public testing::Test {};
TYPED_TEST_SUITE(rows_of_ids, id_types);

TYPED_TEST(rows_of_ids, show_neighbors_and_edge_ids) {
  const std::vector<TypeParam> offsets{0, 2, 2, 3}, neighbors{1, 2, 0}, names{2, 0, 1};
  const hg::csr_view<TypeParam, TypeParam> named(offsets, neighbors, names),
      plain(offsets, neighbors);
  const hg::csc_view<TypeParam, TypeParam> columns(offsets, neighbors, names);
  const auto row = [](const auto& g, std::uint32_t v) {
    std::vector<TypeParam> flat;
    const auto take = [&](TypeParam u, TypeParam e) { flat.insert(flat.end(), {u, e}); };
    if constexpr (requires { g.for_each_out_edge(v, take); })
      g.for_each_out_edge(v, take);
    else
      g.for_each_in_edge(v, take);
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
  const auto check = [](const vec& offsets, const vec& neighbors, const vec& names = {}) {
    return hg::csc_view<TypeParam, TypeParam>(offsets, neighbors, names).validate();
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
  for (const TypeParam bad : bad_ids<TypeParam>(3))
    EXPECT_EQ(check({0, bad, 2}, {0, 1}), hg::status::malformed);
}

// Every array in a width of its own, as engines keep them: offsets, targets, edge IDs.
template <class Offset, class Node, class Edge>
struct widths {
  using offset = Offset;
  using node = Node;
  using edge = Edge;
};
template <class Widths>
class arrays_of_an_engine : public testing::Test {};
using mixed_widths = testing::Types<widths<std::int32_t, std::int32_t, std::int64_t>,
                                    widths<std::int64_t, std::uint16_t, std::uint32_t>,
                                    widths<std::uint8_t, std::int64_t, std::int8_t>>;
TYPED_TEST_SUITE(arrays_of_an_engine, mixed_widths);

TYPED_TEST(arrays_of_an_engine, are_a_graph_without_a_copy) {
  using offset = typename TypeParam::offset;
  using node = typename TypeParam::node;
  using edge = typename TypeParam::edge;
  const std::vector<offset> offsets{0, 2, 2, 3};
  const std::vector<node> targets{1, 2, 0};
  const std::vector<edge> names{2, 0, 1};
  const hg::csr_view rows(offsets, targets, names);
  const hg::csc_view columns{std::span(offsets), targets};
  const hg::csr_view from_pointers(std::size_t{3}, offsets.data(), std::size_t{3}, targets.data(),
                                   names.data());
  const hg::csc_view from_pointers_too(std::size_t{3}, offsets.data(), std::size_t{3},
                                       targets.data());
  static_assert(std::is_same_v<decltype(rows), const hg::csr_view<node, edge, offset>>);
  static_assert(std::is_same_v<decltype(columns), const hg::csc_view<node, offset, offset>>);
  static_assert(std::is_same_v<decltype(from_pointers), decltype(rows)>);
  static_assert(std::is_same_v<decltype(from_pointers_too), decltype(columns)>);
  static_assert(hg::out_adjacency<hg::csr_view<node, edge, offset>> &&
                hg::in_adjacency<hg::csc_view<node, edge, offset>>);
  static_assert(std::is_same_v<hg::edge_id_t<decltype(rows)>, edge> &&
                std::is_same_v<hg::node_id_t<decltype(rows)>, node>);
  EXPECT_EQ(rows.validate(), hg::status::ok);
  EXPECT_EQ(columns.validate(), hg::status::ok);
  EXPECT_EQ(from_pointers.offsets().data(), offsets.data()) << "nothing is copied";
  EXPECT_EQ(from_pointers.neighbors().data(), targets.data());
  EXPECT_EQ(from_pointers.edges().data(), names.data());
  EXPECT_TRUE(from_pointers_too.edges().empty());
  std::vector<std::int64_t> seen;
  const auto take = [&](node v, auto e) {
    seen.insert(seen.end(), {static_cast<std::int64_t>(v), static_cast<std::int64_t>(e)});
  };
  rows.for_each_out_edge(0, take);
  from_pointers.for_each_out_edge(2, take);
  from_pointers_too.for_each_in_edge(0, take);
  EXPECT_EQ(seen, (std::vector<std::int64_t>{1, 2, 2, 0, 0, 1, 1, 0, 2, 1}));
  EXPECT_EQ(hg::num_nodes(from_pointers), 3u);
  EXPECT_EQ(hg::num_edges(from_pointers), 3u);
}

TEST(arrays_of_an_engine, without_nodes_are_a_graph_too) {
  const std::int32_t zero = 0;
  const hg::csr_view empty(std::size_t{0}, &zero, std::size_t{0},
                           static_cast<const std::int32_t*>(nullptr));
  EXPECT_EQ(empty.validate(), hg::status::ok);
  EXPECT_EQ(hg::num_nodes(empty), 0u);
}

TEST(rows, of_more_edges_than_the_type_can_name_overflow) {
  const std::vector<std::uint16_t> offsets{0, 129};
  const std::vector<std::uint8_t> targets(129, 0);
  EXPECT_EQ((hg::csr_view<std::uint8_t, std::int8_t, std::uint16_t>(offsets, targets).validate()),
            hg::status::overflow);
  EXPECT_EQ((hg::csr_view<std::uint8_t, std::uint8_t, std::uint16_t>(offsets, targets).validate()),
            hg::status::ok);
}

TEST(rows, of_more_nodes_than_the_type_can_name_overflow) {
  const std::vector<std::uint16_t> offsets(130, 0), one_less(129, 0);
  EXPECT_EQ((hg::csr_view<std::int8_t, std::uint16_t>(one_less, {}).validate()), hg::status::ok);
  EXPECT_EQ((hg::csr_view<std::int8_t, std::uint16_t>(offsets, {}).validate()),
            hg::status::overflow);
}

}  // namespace
