// SPDX-License-Identifier: BSL-1.0
#include "support/collect_stream.hpp"

#include <halograph/io/normalize.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace {

namespace hg = halograph;
using hg::testing::rows_of;

template <class T>
hg::streamed_graph with_feature(std::vector<T> values, std::uint64_t columns,
                                hg::dtype type = hg::dtype_of<T>()) {
  hg::streamed_graph g;
  g.schema = hg::graph_schema::homogeneous();
  const std::uint64_t rows = values.size() / columns;
  g.node_counts = {rows};
  g.edge_counts = {0};
  g.node_features.push_back(hg::stream_feature(
      0, "x",
      hg::tensor::from(std::move(values),
                       columns == 1 ? hg::tensor_shape{rows} : hg::tensor_shape{rows, columns},
                       type)));
  return g;
}

template <class T>
std::vector<float> scaled(std::vector<T> values, std::uint64_t columns, hg::normalization how,
                          hg::dtype type = hg::dtype_of<T>()) {
  const auto g = hg::normalize(with_feature(std::move(values), columns, type), {{"x", how}});
  EXPECT_EQ(g.node_features.at(0).element, hg::dtype::float32);
  return rows_of(g.node_features.at(0)).template values<float>();
}

void expect_refused(hg::streamed_graph g, const std::vector<hg::feature_normalization>& asked,
                    hg::error_kind code, std::string_view words) {
  try {
    const auto out = hg::normalize(std::move(g), asked);
    static_cast<void>(rows_of(out.node_features.at(0)));
    FAIL() << "no error with " << words;
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.code(), code) << problem.what();
    EXPECT_NE(problem.message().find(words), std::string::npos) << problem.what();
  }
}

TEST(normalize, rows_get_length_one_and_zeros_stay) {
  EXPECT_EQ(scaled<float>({3, 4, 0, 0, -6, 8}, 2, hg::normalization::l2),
            (std::vector<float>{0.6f, 0.8f, 0, 0, -0.6f, 0.8f}));
  EXPECT_EQ(scaled<std::int16_t>({5, 12}, 2, hg::normalization::l2),
            (std::vector<float>{5 / 13.0f, 12 / 13.0f}));
  // Squares of these leave the range of double.
  EXPECT_EQ(scaled<double>({3e200, 4e200, 3e-200, 4e-200}, 2, hg::normalization::l2),
            (std::vector<float>{0.6f, 0.8f, 0.6f, 0.8f}));
}

TEST(normalize, columns_get_the_range_from_zero_to_one) {
  EXPECT_EQ(scaled<std::int64_t>({-2, 7, 0, 7, 2, 7}, 2, hg::normalization::minmax),
            (std::vector<float>{0, 0, 0.5f, 0, 1, 0}));
  EXPECT_EQ(scaled<std::uint8_t>({0, 255, 51}, 1, hg::normalization::minmax),
            (std::vector<float>{0, 1, 0.2f}));
}

TEST(normalize, columns_get_mean_zero_and_deviation_one) {
  EXPECT_EQ(scaled<double>({1, 0.1, 3, 0.1}, 2, hg::normalization::standard),
            (std::vector<float>{-1, 0, 1, 0}));
  // A large mean must not swallow the spread, nor a constant column become noise.
  std::vector<double> values;
  for (int i = 0; i < 1000; ++i) {
    values.push_back(1e9 + (i % 2));
    values.push_back(0.1);
  }
  const auto out = scaled(values, 2, hg::normalization::standard);
  for (std::size_t i = 0; i < out.size(); i += 2) {
    ASSERT_EQ(out[i], (i / 2) % 2 == 0 ? -1.0f : 1.0f);
    ASSERT_EQ(out[i + 1], 0.0f);
  }
}

TEST(normalize, every_dtype_is_understood) {
  EXPECT_EQ(scaled<std::uint16_t>({0x3C00, 0x4000, 0x4200}, 1, hg::normalization::minmax,
                                  hg::dtype::float16),
            (std::vector<float>{0, 0.5f, 1}));
  EXPECT_EQ(scaled<std::uint16_t>({0x3F80, 0x4000, 0x4040}, 1, hg::normalization::minmax,
                                  hg::dtype::bfloat16),
            (std::vector<float>{0, 0.5f, 1}));
  EXPECT_EQ(scaled<std::uint8_t>({0, 1, 1}, 1, hg::normalization::minmax, hg::dtype::boolean),
            (std::vector<float>{0, 1, 1}));
  const std::vector<float> half{0, 0.5f, 1};
  EXPECT_EQ(scaled<std::int8_t>({-1, 0, 1}, 1, hg::normalization::minmax), half);
  EXPECT_EQ(scaled<std::uint16_t>({0, 1, 2}, 1, hg::normalization::minmax), half);
  EXPECT_EQ(scaled<std::int32_t>({0, 1, 2}, 1, hg::normalization::minmax), half);
  EXPECT_EQ(scaled<std::uint32_t>({0, 1u << 31, 1u << 31}, 1, hg::normalization::minmax),
            (std::vector<float>{0, 1, 1}));
  EXPECT_EQ(scaled<std::uint64_t>({0, 1, 2}, 1, hg::normalization::minmax), half);
}

TEST(normalize, no_rows_are_no_trouble) {
  for (const auto how :
       {hg::normalization::l2, hg::normalization::minmax, hg::normalization::standard}) {
    EXPECT_TRUE(scaled<float>({}, 2, how).empty());
  }
}

TEST(normalize, what_cannot_be_scaled_is_refused_with_its_row) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  constexpr double inf = std::numeric_limits<double>::infinity();
  for (const auto how :
       {hg::normalization::l2, hg::normalization::minmax, hg::normalization::standard}) {
    expect_refused(with_feature<float>({1, 2, 3, nan}, 2), {{"x", how}},
                   hg::error_kind::out_of_range, "not a number in row 1, column 1");
    expect_refused(with_feature<double>({1, 2, -inf, 4}, 2), {{"_N/x", how}},
                   hg::error_kind::out_of_range, "infinite in row 1, column 0");
  }
  expect_refused(with_feature<float>({1, 2}, 1), {{"x", hg::normalization::l2}},
                 hg::error_kind::invalid_argument, "only its sign");
  expect_refused(with_feature<float>({1, 2}, 1), {{"y", hg::normalization::minmax}},
                 hg::error_kind::not_found, "\"_N/x\"");
  expect_refused(with_feature<float>({1, 2}, 1),
                 {{"x", hg::normalization::minmax}, {"_N/x", hg::normalization::minmax}},
                 hg::error_kind::invalid_argument, "twice");
  expect_refused(with_feature<double>({-1.7e308, 1.7e308}, 1), {{"x", hg::normalization::minmax}},
                 hg::error_kind::overflow, "too large");
  auto two = with_feature<float>({1, 2}, 1);
  two.edge_features.push_back(two.node_features[0]);
  expect_refused(std::move(two), {{"x", hg::normalization::minmax}},
                 hg::error_kind::invalid_argument, "\"_N:_E:_N/x\"");
}

TEST(normalize, names_are_words) {
  for (const auto how :
       {hg::normalization::l2, hg::normalization::minmax, hg::normalization::standard}) {
    EXPECT_EQ(hg::normalization_named(hg::name(how)), how);
  }
  EXPECT_FALSE(hg::normalization_named("l1"));
}

}  // namespace
