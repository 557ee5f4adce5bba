// SPDX-License-Identifier: BSL-1.0
#include <halograph/core/random.hpp>
#include <halograph/serial/text/blocks.hpp>

#include <gtest/gtest.h>
#include <support/temporary_folder.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hg = halograph;
using hg::testing::bytes_of;

namespace {

constexpr hg::text_format commented{.comments = true};

/// Lines of all kinds: records, blanks, comments, both line ends, the last with or without one.
std::string random_text(hg::random_stream& random, std::vector<std::uint64_t>& line_of_record) {
  static const char* const lines[] = {"1 2", "34 5 6", " 7 8",  "\t9 10", "+3 4",
                                      "",    "  ",     "# 5 6", " % x",   " \t "};
  std::string text = random.below(4) == 0 ? "\xEF\xBB\xBF" : "";
  const auto count = random.below(60);
  const std::uint64_t kinds = random.below(2) == 0 ? 2 : 10;
  for (std::uint64_t line = 1; line <= count; ++line) {
    const auto kind = random.below(kinds);
    text += lines[kind];
    if (kind < 5) line_of_record.push_back(line);
    if (line < count || random.below(2) == 0) text += random.below(4) == 0 ? "\r\n" : "\n";
  }
  return text;
}

TEST(index_text, no_piece_begins_with_a_mark_that_a_text_may_begin_with) {
  // read_edges() would pass over it there, and count one line less than the index.
  const std::string text = "0 1\n1 2\n\xEF\xBB\xBF# not a comment\n2 3\n3 4\n";
  for (std::size_t step = 1; step < 20; ++step) {
    const auto index = hg::index_text(bytes_of(text), commented, hg::sequential{}, step);
    for (const auto& place : index.places)
      EXPECT_FALSE(
          std::string_view(text).substr(static_cast<std::size_t>(place.byte)).starts_with("\xEF"))
          << step;
  }
}

TEST(text_index, counts_records_and_finds_each_whatever_the_step) {
  hg::random_stream random(1);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::uint64_t> lines;
    const std::string text = random_text(random, lines);
    const auto whole = hg::read_edges<std::uint64_t>(bytes_of(text), "t", {.format = commented});
    for (const std::size_t step : {1u, 5u, 40u, 1000u}) {
      const auto index = hg::index_text(bytes_of(text), commented, hg::sequential{}, step);
      ASSERT_EQ(index.records, lines.size()) << text;
      EXPECT_EQ(index.bytes, text.size());
      for (std::uint64_t first = 0; first <= lines.size(); ++first) {
        const auto& place = index.before(first);
        ASSERT_LE(place.record, first);
        hg::text_records records(bytes_of(text), place, commented, "t");
        records.skip(first - place.record);
        std::vector<std::uint64_t> source(lines.size() - first + 3), target(source.size());
        const auto count = records.read_edges<std::uint64_t>({.format = commented}, source, target);
        ASSERT_EQ(count, lines.size() - first);
        for (std::size_t i = 0; i < count; ++i) {
          ASSERT_EQ(source[i], whole.source[first + i]);
          ASSERT_EQ(target[i], whole.target[first + i]);
        }
      }
    }
  }
}

TEST(text_records, say_the_line_from_any_place) {
  const std::string text = "1 2\n\n# no\n3 4\n5 x\n";
  const std::string file = "f";
  for (const std::size_t step : {1u, 4u, 9u, 100u}) {
    const auto index = hg::index_text(bytes_of(text), commented, hg::sequential{}, step);
    hg::text_records records(bytes_of(text), index.before(1), commented, file);
    std::vector<std::uint8_t> a(9), b(9);
    try {
      static_cast<void>(records.read_edges<std::uint8_t>({.format = commented}, a, b));
      FAIL();
    } catch (const hg::error& problem) {
      EXPECT_EQ(problem.where().line, 5u);
      EXPECT_EQ(problem.code(), hg::error_kind::malformed);
    }
  }
}

TEST(index_text, has_positions_that_are_near_but_not_many) {
  std::string lines;
  while (lines.size() < std::size_t{1} << 20) lines += "12 345678\n";
  const auto of_lines = hg::index_text(bytes_of(lines));
  ASSERT_EQ(of_lines.places.size(), 4u);
  for (std::size_t i = 1; i < of_lines.places.size(); ++i) {
    const auto apart = of_lines.places[i].byte - of_lines.places[i - 1].byte;
    EXPECT_GT(apart, (std::size_t{1} << 18) - 11);
    EXPECT_LT(apart, (std::size_t{1} << 18) + 11);
  }
  for (const std::size_t bytes :
       {std::size_t{0}, std::size_t{1} << 20, std::size_t{1} << 31, ~std::size_t{0}}) {
    const std::size_t step = hg::index_step(bytes);
    EXPECT_GE(step, std::size_t{1} << 18);
    EXPECT_LE(bytes / step, std::size_t{1} << 16);
  }
}

TEST(text_records, read_rows_of_numbers) {
  const std::string text = "1;-2;3\r\n4;5;6.5\n";
  const hg::text_format format{.delimiter = ';'};
  const std::string file = "f";
  const auto index = hg::index_text(bytes_of(text), format);
  hg::text_records records(bytes_of(text), index.before(0), format, file);
  EXPECT_EQ(records.count_columns(), 3u);
  EXPECT_FALSE(records.all_integers());
  std::vector<double> values(6);
  EXPECT_EQ(records.read_rows<double>(3, std::span(values)), 2u);
  EXPECT_EQ(values, (std::vector<double>{1, -2, 3, 4, 5, 6.5}));
  EXPECT_EQ(records.read_rows<double>(3, std::span(values)), 0u);

  const std::string ints = "1\n-9223372036854775808\n";
  hg::text_records whole(bytes_of(ints), {}, {}, file);
  EXPECT_TRUE(whole.all_integers());
  std::vector<std::int64_t> column(2);
  EXPECT_EQ(whole.read_rows<std::int64_t>(1, std::span(column)), 2u);
  EXPECT_EQ(column[1], std::numeric_limits<std::int64_t>::min());
}

TEST(text_records, refuse_rows_of_another_length) {
  const std::string file = "f";
  for (const std::string text : {"1 2\n3\n", "1 2\n3 4 5\n", "1 2\n3 nan\n"}) {
    hg::text_records records(bytes_of(text), {}, {}, file);
    std::vector<double> values(4);
    try {
      static_cast<void>(records.read_rows<double>(2, std::span(values)));
      ADD_FAILURE() << text;
    } catch (const hg::error& problem) {
      EXPECT_EQ(problem.code(), hg::error_kind::malformed);
      EXPECT_EQ(problem.where().line, 2u) << text;
    }
  }
}

TEST(text_records, name_the_number_of_columns_that_a_row_has) {
  const std::string file = "f";
  const auto refusal = [&](std::string_view text, std::size_t columns) {
    hg::text_records records(bytes_of(text), {}, {}, file);
    std::vector<std::int64_t> values(columns);
    try {
      static_cast<void>(records.read_rows<std::int64_t>(columns, std::span(values)));
    } catch (const hg::error& problem) {
      return problem.message();
    }
    return std::string("it was taken");
  };
  EXPECT_NE(refusal("1 2\n", 1).find("holds 1 64-bit integer and nothing else"), std::string::npos);
  EXPECT_NE(refusal("1 2 3\n", 2).find("holds 2 64-bit integers and nothing else"),
            std::string::npos);
}

TEST(text_records, stop_after_the_rows_that_were_requested) {
  // Long enough for lines to be read without a cursor; the last request ends among them, too.
  std::string text;
  for (int i = 0; i < 200; ++i)
    text += std::to_string(i) + " " + std::to_string(i + 1) + (i % 50 == 7 ? " # x\n" : "\n");
  text.insert(text.size() - 1, " " + std::string(100, 'x'));
  const std::string file = "f";
  hg::text_records records(bytes_of(text), {}, commented, file);
  std::uint64_t next = 0;
  for (const std::size_t count : {1u, 6u, 1u, 1u, 50u, 142u, 1u}) {
    std::vector<std::uint64_t> source(count), target(count);
    const auto read = records.read_edges<std::uint64_t>({.format = commented}, source, target);
    ASSERT_EQ(read, std::min<std::uint64_t>(count, 200 - next));
    for (std::size_t i = 0; i < read; ++i, ++next) {
      ASSERT_EQ(source[i], next);
      ASSERT_EQ(target[i], next + 1);
    }
  }
}

TEST(text_records, of_a_text_without_records_have_no_columns) {
  const std::string file = "f";
  for (const char* text : {"", "\n", "# 1\n\n  \n"}) {
    hg::text_records records(bytes_of(text), {}, commented, file);
    records.skip(3);
    EXPECT_EQ(records.count_columns(), 0u) << text;
    EXPECT_TRUE(records.all_integers()) << text;
  }
  const std::string mixed = "1 2\n\n# x\n3 4.5\n";
  EXPECT_FALSE(hg::text_records(bytes_of(mixed), {}, commented, file).all_integers());
}

TEST(line_of_record, skips_lines_without_a_record) {
  const std::string_view text = "1\n\n# 2\n  \n3\n";
  EXPECT_EQ(hg::detail::line_of_record(text, 0, commented), 1u);
  EXPECT_EQ(hg::detail::line_of_record(text, 1, commented), 5u);
  EXPECT_EQ(hg::detail::line_of_record(text, 2, commented), 6u);
}

}  // namespace
