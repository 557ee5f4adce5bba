// SPDX-License-Identifier: BSL-1.0
#include <halograph/core/error.hpp>
#include <halograph/graph/build.hpp>
#include <halograph/graph/coo.hpp>
#include <halograph/graph/csr.hpp>
#include <halograph/graph/edge_ids.hpp>
#include <halograph/testing/archetypes.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace hg = halograph;

namespace {

template <class Edge, class Word>
hg::status checked(const std::vector<Edge>& edges, std::size_t words) {
  std::vector<Word> seen(words, static_cast<Word>(~Word{0}));
  return hg::check_edge_ids(std::span<const Edge>(edges), std::span(seen));
}

static_assert(hg::seen_edges_count<std::uint64_t>(0) == 0 &&
              hg::seen_edges_count<std::uint64_t>(64) == 1 &&
              hg::seen_edges_count<std::uint8_t>(17) == 3 &&
              hg::seen_edges_count<std::int16_t>(16) == 1);

template <class Word>
class edge_ids_of_words : public testing::Test {};
using words = testing::Types<std::int8_t, std::uint8_t, std::int32_t, std::uint64_t>;
TYPED_TEST_SUITE(edge_ids_of_words, words);

TYPED_TEST(edge_ids_of_words, are_0_to_e_each_once) {
  for (const std::size_t count : {0u, 1u, 7u, 8u, 9u, 64u, 100u}) {
    std::vector<std::int8_t> edges(count);
    for (std::size_t i = 0; i < count; ++i) edges[i] = static_cast<std::int8_t>(count - 1 - i);
    const std::size_t enough = hg::seen_edges_count<TypeParam>(count);
    EXPECT_EQ((checked<std::int8_t, TypeParam>(edges, enough)), hg::status::ok) << count;
    if (count == 0) continue;
    const auto little = checked<std::int8_t, TypeParam>(edges, enough - 1);
    EXPECT_EQ(little, hg::status::capacity);
    EXPECT_EQ(little.position, enough);
    for (std::size_t i = 0; i < count; ++i) {
      auto wrong = edges;
      wrong[i] = static_cast<std::int8_t>(count);
      const auto beyond = checked<std::int8_t, TypeParam>(wrong, enough);
      EXPECT_EQ(beyond, hg::status::out_of_range);
      EXPECT_EQ(beyond.position, i);
      wrong[i] = -1;
      EXPECT_EQ((checked<std::int8_t, TypeParam>(wrong, enough)), hg::status::out_of_range);
      if (i == 0) continue;
      wrong[i] = wrong[i - 1];
      const auto twice = checked<std::int8_t, TypeParam>(wrong, enough);
      EXPECT_EQ(twice, hg::status::mismatch);
      EXPECT_EQ(twice.position, i);
    }
  }
}

// Edge IDs that restart in each row: 0 -> 1, 0 -> 2, 1 -> 2, 2 -> 0.
struct restarts {
  std::vector<std::vector<std::uint32_t>> rows{{1, 2}, {2}, {0}};
  std::uint32_t first = 0;
  std::size_t num_nodes() const { return rows.size(); }
  void for_each_out_edge(auto u, auto f) const {
    std::uint32_t e = first;
    for (const auto v : rows[hg::index(u)]) f(v, e++);
  }
};

hg::error raised(const std::function<void()>& f) {
  try {
    f();
  } catch (const hg::error& problem) {
    return problem;
  }
  return hg::error(hg::error_kind::ok, "nothing was raised");
}

TEST(edge_ids, refusals_name_the_edges_and_what_would_be_right) {
  const auto twice = raised([] { hg::build_csc<std::uint32_t, std::uint32_t>(restarts{}); });
  EXPECT_EQ(twice.code(), hg::error_kind::mismatch);
  EXPECT_STREQ(
      twice.what(),
      "edges 2 -> 0 and 0 -> 1 both have ID 0; edge IDs must be 0 to 3, each given to one edge. A graph without edge "
      "IDs can give for_each_in_neighbor or for_each_out_neighbor instead");
  const auto beyond = raised(
      [] { hg::build_csc<std::uint32_t, std::uint32_t>(restarts{.first = 4}); });
  EXPECT_EQ(beyond.code(), hg::error_kind::out_of_range);
  EXPECT_EQ(std::string(beyond.what())
                .find("edge 2 -> 0 has ID 4; edge IDs must be 0 to 3, each given to one edge"),
            0u)
      << beyond.what();
}

TEST(edge_ids, need_no_check_where_edges_are_numbered_by_position) {
  using hg::detail::edge_id_is_position;
  const std::array<std::uint32_t, 2> offsets{0, 1};
  const std::array<std::uint32_t, 1> ends{0}, edges{0};
  EXPECT_TRUE(edge_id_is_position(hg::csr_view(offsets, ends)));
  EXPECT_FALSE(edge_id_is_position(hg::csr_view(offsets, ends, edges)));
  EXPECT_TRUE(edge_id_is_position(hg::coo_view<>()));
  EXPECT_TRUE(edge_id_is_position(std::vector<std::vector<int>>{}));
  EXPECT_TRUE(edge_id_is_position(hg::archetype::in_neighbors<>(0, {})));
  EXPECT_FALSE(edge_id_is_position(hg::archetype::edge_list<>(0, {})));
  EXPECT_FALSE(edge_id_is_position(restarts{}));
}

}  // namespace
