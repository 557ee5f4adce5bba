// SPDX-License-Identifier: BSL-1.0
#include <halograph/serial/text/columns.hpp>

#include <gtest/gtest.h>
#include <support/long_text.hpp>
#include <support/piece_threads.hpp>
#include <support/words.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hg = halograph;

namespace {

std::span<const std::byte> bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

/// Hands out pieces to threads, and claims to be wider than it is, so that small texts are cut too.
using threads = hg::testing::piece_threads;

using long_text = hg::testing::long_text;

std::vector<std::int64_t> column(std::string_view text,
                                 const hg::column_text_options& options = {}) {
  return hg::read_column(bytes(text), "f.txt", options);
}
hg::error column_refusal(std::string_view text, const hg::column_text_options& options = {}) {
  try {
    static_cast<void>(column(text, options));
  } catch (const hg::error& problem) {
    return problem;
  }
  return hg::error(hg::error_kind::ok, "it was taken");
}

TEST(read_column, lines_without_a_record_take_no_memory) {
  const std::string blank(100'000, '\n');
  EXPECT_EQ(hg::read_column(bytes(blank + "7\n" + blank + "-8"), "f.txt").capacity(), 2u);
}

TEST(read_column, takes_the_first_column) {
  EXPECT_EQ(column("3\n-1\n0 9 9\n\n9223372036854775807"),
            (std::vector<std::int64_t>{3, -1, 0, std::numeric_limits<std::int64_t>::max()}));
  EXPECT_TRUE(column("").empty());
  // A view that ends where a line of the text around it does.
  EXPECT_EQ(column(std::string_view("7\n8\n9\n").substr(0, 3)), (std::vector<std::int64_t>{7, 8}));
}

TEST(read_column, takes_integers_in_floating_notation_where_asked) {
  EXPECT_EQ(column("1.0\n2\n3.000000e+00\n-0.0\n", {.integral_floats = true}),
            (std::vector<std::int64_t>{1, 2, 3, 0}));
  EXPECT_EQ(column_refusal("1.0\n").code(), hg::error_kind::malformed);
  EXPECT_EQ(column_refusal("1.5\n", {.integral_floats = true}).code(), hg::error_kind::malformed);
  EXPECT_EQ(column_refusal("1e300\n", {.integral_floats = true}).code(), hg::error_kind::malformed);
}

TEST(read_column, says_what_a_value_must_be) {
  const hg::column_text_options part{.least = 0, .most = 3, .what = "a part"};
  EXPECT_EQ(column("0\n3\n", part), (std::vector<std::int64_t>{0, 3}));
  for (const char* text : {"0\n4\n", "0\n-1\n", "0\n99999999999999999999999\n"}) {
    const auto problem = column_refusal(text, part);
    EXPECT_EQ(problem.code(), hg::error_kind::out_of_range) << text;
    EXPECT_EQ(problem.where().line, 2u);
    EXPECT_NE(problem.message().find("it must be a part from 0 to 3"), std::string::npos)
        << problem.what();
  }
  EXPECT_EQ(column_refusal("1 2\n", {.no_more_columns = true}).code(), hg::error_kind::malformed);
  EXPECT_EQ(
      column_refusal("1 # 2\n", {.format = {.comments = true}, .no_more_columns = true}).code(),
      hg::error_kind::ok);
}

TEST(read_columns, takes_as_many_as_are_asked_for) {
  using table = std::vector<std::vector<std::int64_t>>;
  EXPECT_EQ(hg::read_columns(bytes("1 2 3 x\n\n-4,5,6\n"), "f", 3),
            (table{{1, -4}, {2, 5}, {3, 6}}));
  EXPECT_EQ(hg::read_columns(bytes(""), "f", 2), (table{{}, {}}));
  for (const char* text : {"1 2 3\n1 2\n", "1 2 3\n1 2 x\n"}) {
    try {
      static_cast<void>(hg::read_columns(bytes(text), "f", 3));
      ADD_FAILURE();
    } catch (const hg::error& problem) {
      EXPECT_EQ(problem.where().line, 2u);
      EXPECT_NE(problem.message().find("column 3"), std::string::npos);
    }
  }
  for (const char* text : {"1", "1\n", "1 2\n", "1 2"}) {
    EXPECT_THROW(static_cast<void>(hg::read_columns(bytes(text), "f", 3)), hg::error) << text;
  }
  EXPECT_THROW(static_cast<void>(hg::read_columns(bytes("1"), "f", 0)), hg::error);
}

TEST(read_column, narrows_checked) {
  EXPECT_EQ(hg::read_column<std::int8_t>(bytes("127\n-128\n"), "f"),
            (std::vector<std::int8_t>{127, -128}));
  EXPECT_THROW(static_cast<void>(hg::read_column<std::int8_t>(bytes("128\n"), "f")), hg::error);
}

TEST(read_columns, reads_plain_lines_and_others_side_by_side) {
  const long_text model(3, ',', true);
  std::string text;
  std::vector<std::int64_t> first;
  std::mt19937_64 random(5);
  for (const std::int64_t w : model.weight) {
    first.push_back(w);
    text += std::to_string(w) + (random() % 50 ? "," : " , ") + std::to_string(~w) +
            (random() % 9 ? "\n" : ",7 words\r\n");
  }
  const threads two{2};
  const auto columns = hg::read_columns(bytes(text), "f", 2, {}, two);
  EXPECT_EQ(columns[0], first);
  for (std::size_t i = 0; i < first.size(); ++i) ASSERT_EQ(columns[1][i], ~first[i]) << i;
  EXPECT_EQ(hg::read_column(bytes(text), "f"), first);
}

TEST(read_columns, refuses_values_on_plain_lines_as_on_others) {
  const std::string plain = [] {
    std::string lines;
    for (int i = 0; i < 50; ++i) lines += "1 2\n";
    return lines;
  }();
  const auto refusal = [&](const char* line, const hg::column_text_options& options) {
    return hg::testing::refusal_of(
        [&] { return hg::read_columns(bytes(line + plain), "f", 2, options); });
  };
  const hg::column_text_options small{.most = 9};
  EXPECT_EQ(refusal("1 9\n", small).code(), hg::error_kind::ok);
  EXPECT_EQ(refusal("1 10\n", small).code(), hg::error_kind::out_of_range);
  EXPECT_EQ(refusal("1 9223372036854775808\n", {}).code(), hg::error_kind::out_of_range);
  EXPECT_EQ(refusal("1;2\n", {}).code(), hg::error_kind::malformed);
  EXPECT_EQ(refusal("1 -1\n", {.least = 0}).code(), hg::error_kind::out_of_range);
  // Few bytes follow the first column of a long line.
  EXPECT_EQ(hg::read_columns(bytes("1234567 2" + std::string(90, ' ') + "\n"), "f", 2)[1],
            (std::vector<std::int64_t>{2}));
}

TEST(read_column, names_the_values_that_would_be_right) {
  const auto words = [](const hg::column_text_options& options) {
    return column_refusal("x\n", options).message();
  };
  EXPECT_NE(words({.least = 0, .most = -1, .what = "a part"}).find("of which there are none"),
            std::string::npos);
  EXPECT_NE(words({.most = 9}).find("from -9223372036854775808 to 9"), std::string::npos);
  EXPECT_NE(words({.least = 2}).find("from 2 to 9223372036854775807"), std::string::npos);
  EXPECT_EQ(words({}).find("from"), std::string::npos);
  EXPECT_EQ(words({.integral_floats = true}), words({}));
}

}  // namespace
