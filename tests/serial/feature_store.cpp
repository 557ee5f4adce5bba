// SPDX-License-Identifier: BSL-1.0
#include <halograph/core/error.hpp>
#include <halograph/core/random.hpp>
#include <halograph/serial/feature_store.hpp>
#include <halograph/testing/archetypes.hpp>
#include <halograph/testing/laws.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace hg = halograph;

namespace {

static_assert(hg::feature_store<hg::archetype::feature_store> &&
              hg::feature_store<hg::chunked_tensor> && hg::feature_store<hg::tensor>);
static_assert(!hg::feature_store<hg::near_miss::feature_store_without_shape>);
static_assert(!hg::feature_store<hg::near_miss::feature_store_without_gather>);
static_assert(std::is_constructible_v<hg::feature_set_ref, const hg::feature_set&> &&
                  !std::is_constructible_v<hg::feature_set_ref, hg::feature_set>,
              "temporaries are rejected");

TEST(is_reserved_feature, is_true_for_columns_that_partitions_have) {
  for (const bool of_nodes : {true, false}) {
    EXPECT_TRUE(hg::is_reserved_feature("_ID", of_nodes));
    EXPECT_EQ(hg::is_reserved_feature("inner_node", of_nodes), of_nodes);
    EXPECT_EQ(hg::is_reserved_feature("inner_edge", of_nodes), !of_nodes);
    EXPECT_FALSE(hg::is_reserved_feature("feat", of_nodes));
  }
}

TEST(feature_set_ref, reads_the_rows_of_the_set_that_it_refers_to) {
  hg::basic_feature_set<hg::archetype::feature_store> set;
  set.nodes.push_back({1, "nodes", hg::archetype::feature_store(5)});
  set.edges.push_back({3, "both", hg::archetype::feature_store(4)});
  const hg::feature_set_ref ref = set;
  ASSERT_EQ(ref.nodes.size(), 1u);
  EXPECT_EQ(ref.nodes[0].type, 1u);
  EXPECT_EQ(ref.nodes[0].name, "nodes");
  EXPECT_EQ(ref.nodes[0].rows.rows(), 5u);
  ASSERT_EQ(ref.edges.size(), 1u);
  EXPECT_EQ(ref.edges[0].type, 3u);
  EXPECT_EQ(ref.edges[0].name, "both");
  const hg::archetype::feature_store& rows = set.edges[0].rows;
  const hg::feature_store_ref& same = ref.edges[0].rows;
  EXPECT_EQ(same.type(), rows.type());
  EXPECT_EQ(same.rows(), 4u);
  EXPECT_TRUE(std::ranges::equal(same.row_shape(), rows.row_shape()));
  const std::array<std::uint64_t, 2> ids{2, 0};
  std::vector<std::byte> one(64), two(64);
  EXPECT_EQ(rows.gather(std::span<const std::uint64_t>(ids), std::span(one)), hg::status::ok);
  EXPECT_EQ(same.gather(std::span<const std::uint64_t>(ids), std::span(two)), hg::status::ok);
  EXPECT_EQ(one, two);
}

TEST(chunked_tensor, gathers_as_the_whole_would) {
  hg::random_stream draw(6);
  for (int round = 0; round < 100; ++round) {
    std::vector<hg::tensor> chunks;
    std::vector<std::int16_t> all;
    const auto width = static_cast<std::size_t>(1 + draw.below(3));
    for (auto more = 1 + draw.below(4); more > 0; --more) {
      std::vector<std::int16_t> values(static_cast<std::size_t>(draw.below(5)) *
                                       width);  // empty chunks too
      for (auto& value : values) all.push_back(value = static_cast<std::int16_t>(draw.below(1000)));
      const std::uint64_t rows = values.size() / width;
      chunks.push_back(hg::tensor::from(std::move(values), {rows, width}));
    }
    const hg::chunked_tensor store(std::move(chunks));
    const auto whole = hg::tensor::from(all, {all.size() / width, width});
    ASSERT_EQ(store.rows(), whole.rows());
    ASSERT_EQ(store.row_bytes(), whole.row_bytes());
    if (whole.rows() == 0) continue;
    std::vector<std::uint32_t> ids(7);
    for (auto& one : ids) one = static_cast<std::uint32_t>(draw.below(whole.rows()));
    std::vector<std::byte> got(ids.size() * store.row_bytes()), want(got.size());
    ASSERT_EQ(store.gather(std::span<const std::uint32_t>(ids), std::span(got)), hg::status::ok);
    ASSERT_EQ(whole.gather(std::span<const std::uint32_t>(ids), std::span(want)), hg::status::ok);
    ASSERT_EQ(got, want);
    const auto verdict = hg::laws::feature_store(store);
    ASSERT_TRUE(verdict) << verdict.why;
    ids[3] = static_cast<std::uint32_t>(whole.rows());
    const auto beyond = store.gather(std::span<const std::uint32_t>(ids), std::span(got));
    ASSERT_EQ(beyond, hg::status::out_of_range);
    ASSERT_EQ(beyond.position, 3u);
    ASSERT_EQ(
        store.gather(std::span<const std::uint32_t>(ids), std::span(got).first(got.size() - 1)),
        hg::status::capacity);
  }
}

TEST(chunked_tensor, of_no_chunk_and_of_one) {
  const hg::chunked_tensor none;
  EXPECT_EQ(none.rows(), 0u);
  const std::array<std::uint8_t, 1> id{0};
  std::array<std::byte, 8> out{};
  EXPECT_EQ(none.gather(std::span<const std::uint8_t>(id), out), hg::status::out_of_range);
  const hg::chunked_tensor one(hg::tensor::from(std::vector<std::int64_t>{5}));
  EXPECT_EQ(one.rows(), 1u);
  EXPECT_EQ(one.gather(std::span<const std::uint8_t>(id), out), hg::status::ok);
  EXPECT_EQ(static_cast<int>(out[0]), 5);
}

TEST(chunked_tensor, refuses_chunks_that_do_not_continue_each_other) {
  const auto sentence = [](hg::tensor a, hg::tensor b) {
    try {
      hg::chunked_tensor(std::vector<hg::tensor>{std::move(a), std::move(b)});
    } catch (const hg::error& problem) {
      EXPECT_EQ(problem.code(), hg::error_kind::mismatch);
      return std::string(problem.what());
    }
    return std::string();
  };
  using floats = std::vector<float>;
  const auto row = [](std::size_t n, hg::tensor_shape shape) {
    return hg::tensor::from(floats(n), std::move(shape));
  };
  EXPECT_EQ(sentence(row(2, {1, 2}), row(4, {2, 2})), "");
  EXPECT_NE(sentence(row(2, {1, 2}), row(3, {1, 3}))
                .find("chunk 1 of a feature has dtype float32 and shape (1, 3)"),
            std::string::npos);
  EXPECT_NE(sentence(row(2, {2}), row(2, {2, 1})), "");
  EXPECT_NE(sentence(row(2, {2}), hg::tensor::from(std::vector<double>(2))), "");
  EXPECT_NE(sentence(row(1, {}), row(1, {})), "");
}

TEST(chunked_tensor, refuses_more_rows_than_can_be_counted) {
  // Rows of no values: 2^63 of them take no memory.
  const hg::tensor many(hg::dtype::uint8, {std::uint64_t{1} << 63, 0}, {});
  try {
    hg::chunked_tensor(std::vector<hg::tensor>{many, many});
    FAIL();
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.code(), hg::error_kind::overflow);
  }
}

}  // namespace
