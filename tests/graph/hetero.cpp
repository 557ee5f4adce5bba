// SPDX-License-Identifier: BSL-1.0
#include <halograph/graph/hetero.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
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
class hetero_of_ids : public testing::Test {};
TYPED_TEST_SUITE(hetero_of_ids, id_types);

// Types of 2, 0 and 3 nodes; two relations, one of them empty.
template <class T>
struct two_relations {
  std::vector<std::uint64_t> nodes{0, 2, 2, 5}, edges{0, 3, 3};
  std::vector<T> source{0, 1, 1}, target{2, 0, 1}, none{};
  std::vector<hg::relation_view<T>> relations{{0, 2, source, target}, {1, 1, none, none}};
  hg::hetero_view<T, T> view() const { return {nodes, edges, relations}; }
};

TYPED_TEST(hetero_of_ids, lays_types_end_to_end) {
  const two_relations<TypeParam> g;
  std::vector<TypeParam> flat;
  g.view().for_each_edge(
      [&](TypeParam u, TypeParam v, TypeParam e) { flat.insert(flat.end(), {u, v, e}); });
  EXPECT_EQ(flat, (std::vector<TypeParam>{0, 4, 0, 1, 2, 1, 1, 3, 2}));
  EXPECT_EQ(g.view().num_nodes(), 5u);
  EXPECT_EQ(g.view().num_edges(), 3u);
  EXPECT_EQ(g.view().num_node_types(), 3u);
  EXPECT_EQ(g.view().num_edge_types(), 2u);
  EXPECT_EQ(g.view().validate(), hg::status::ok);
}

TYPED_TEST(hetero_of_ids, refuses_typed_ids_beyond_their_type) {
  for (const std::size_t limit : {2u, 3u}) {
    for (const TypeParam bad : bad_ids<TypeParam>(limit)) {
      two_relations<TypeParam> g;
      (limit == 2 ? g.source : g.target)[2] = bad;
      EXPECT_EQ(g.view().validate(), hg::status::out_of_range);
      EXPECT_EQ(g.view().validate().position, 2u);
      // What validate() refuses can still be walked: the sum is no overflow.
      g.view().for_each_edge([](auto, auto, auto) {});
    }
  }
}

TYPED_TEST(hetero_of_ids, names_as_many_nodes_as_its_type_can) {
  if constexpr (sizeof(TypeParam) == 1) {
    const auto limit = hg::id_capacity<TypeParam>();
    const std::vector<std::uint64_t> fits{0, 1, limit}, too_many{0, 1, limit + 1}, none{0};
    EXPECT_EQ((hg::hetero_view<TypeParam, TypeParam>(fits, none, {}).validate()), hg::status::ok);
    EXPECT_EQ((hg::hetero_view<TypeParam, TypeParam>(too_many, none, {}).validate()),
              hg::status::overflow);
  }
}

TEST(hetero, says_which_relation_or_type_does_not_fit) {
  using graph = two_relations<std::int32_t>;
  const auto check = [](auto change) {
    graph g;
    change(g);
    return g.view().validate();
  };
  const auto is = [](hg::status got, hg::status want, std::uint64_t where) {
    EXPECT_EQ(got, want);
    EXPECT_EQ(got.position, where);
  };
  is(check([](graph& g) { g.relations[0].source_type = 3; }), hg::status::mismatch, 0);
  is(check([](graph& g) { g.relations[1].target_type = 3; }), hg::status::mismatch, 1);
  is(check([](graph& g) { g.relations[0].source = g.relations[0].source.first(2); }),
     hg::status::mismatch, 0);
  is(check([](graph& g) { g.edges = {0, 2, 3}; }), hg::status::mismatch, 0);
  is(check([](graph& g) { g.edges = {0, 3, 2}; }), hg::status::mismatch, 1);
  is(check([](graph& g) { g.edges = {0, 3}; }), hg::status::mismatch, 2);
  is(check([](graph& g) { g.edges = {1, 4, 4}; }), hg::status::malformed, 0);
  is(check([](graph& g) { g.nodes = {1, 2, 2, 5}; }), hg::status::malformed, 0);
  is(check([](graph& g) { g.nodes = {0, 2, 1, 5}; }), hg::status::malformed, 1);
}

}  // namespace
