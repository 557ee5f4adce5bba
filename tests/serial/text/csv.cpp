// SPDX-License-Identifier: BSL-1.0
#include "support/temporary_folder.hpp"

#include <halograph/core/random.hpp>
#include <halograph/serial/text/csv.hpp>

#include <gtest/gtest.h>
#include <support/words.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace {

namespace hg = halograph;
using hg::testing::bytes_of;
using hg::testing::refusal_of;
using table = std::vector<std::vector<std::string>>;

table parse(std::string_view text, hg::csv_format format = {}) {
  hg::csv_reader reader(bytes_of(text), format, "t.csv");
  table out;
  while (reader.next()) {
    auto& row = out.emplace_back();
    for (std::size_t i = 0; i < reader.size(); ++i) row.emplace_back(reader[i]);
    EXPECT_EQ(reader.records(), out.size());
  }
  return out;
}

void expect_refused(std::string_view text, std::uint64_t line, std::string_view words,
                    hg::csv_format format = {}) {
  try {
    parse(text, format);
    FAIL() << "accepted " << text;
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.code(), hg::error_kind::malformed);
    EXPECT_EQ(problem.where().file, "t.csv");
    EXPECT_EQ(problem.where().line, line) << text;
    EXPECT_NE(problem.message().find(words), std::string::npos) << problem.what();
  }
}

TEST(csv, fields_stand_between_delimiters_and_records_on_lines) {
  EXPECT_EQ(parse("a,b\n1,2\n"), (table{{"a", "b"}, {"1", "2"}}));
  EXPECT_EQ(parse("a,b\r\n1,2"), (table{{"a", "b"}, {"1", "2"}}));
  EXPECT_EQ(parse("\xEF\xBB\xBF"
                  "a\n\n\r\nb\n"),
            (table{{"a"}, {"b"}}));
  EXPECT_EQ(parse(",\n x ,,\n"), (table{{"", ""}, {" x ", "", ""}}));
  EXPECT_EQ(parse("a\rb,c\r"), (table{{"a\rb", "c"}}));
  EXPECT_EQ(parse("a|b\tc", {.delimiter = '|'}), (table{{"a", "b\tc"}}));
  EXPECT_EQ(parse("a,"), (table{{"a", ""}}));
  EXPECT_EQ(parse(std::string_view("a\0b,c", 5), {.quote = '\0'}),
            (table{{std::string("a\0b", 3), "c"}}));
  EXPECT_EQ(parse(""), table{});
  EXPECT_EQ(parse("\xEF\xBB\xBF"), table{});
}

TEST(csv, quotes_hold_delimiters_line_ends_and_themselves) {
  EXPECT_EQ(parse("\"a,b\",\"c\nd\",\"e\"\"f\"\"\"\n\"\",x"),
            (table{{"a,b", "c\nd", "e\"f\""}, {"", "x"}}));
  EXPECT_EQ(parse("\"\"\r\n\"\"\"\"\r\n"), (table{{""}, {"\""}}));
  EXPECT_EQ(parse("\"a\""), (table{{"a"}}));
  EXPECT_EQ(parse("'a;b';\"c\"", {.delimiter = ';', .quote = '\''}), (table{{"a;b", "\"c\""}}));
  EXPECT_EQ(parse("5\"\t\"x", {.delimiter = '\t', .quote = '\0'}), (table{{"5\"", "\"x"}}));
}

TEST(csv, records_end) {
  expect_refused("a,b\n" + std::string(hg::csv_reader::most_fields + 1, ','), 2, "fields");
  std::string text = "a\n";
  for (int i = 0; i < 3; ++i) text += std::string(hg::csv_reader::longest_field, 'x') + ',';
  expect_refused(text, 2, "bytes");
}

TEST(csv, what_is_written_is_read_back) {
  hg::random_stream stream(5);
  for (int round = 0; round < 300; ++round) {
    table expected;
    std::string text;
    const auto rows = stream.below(5), columns = 1 + stream.below(4);
    for (std::uint64_t r = 0; r < rows; ++r) {
      auto& row = expected.emplace_back();
      for (std::uint64_t c = 0; c < columns; ++c) {
        std::string field;
        for (auto n = stream.below(6); n > 0; --n) field += "a,\"\n\r\xFF "[stream.below(7)];
        if (c != 0) text += ',';
        hg::append_csv_field(text, field);
        row.push_back(field);
      }
      text += stream.below(2) == 0 ? "\n" : "\r\n";
    }
    ASSERT_EQ(parse(text), expected) << text;
  }
}

TEST(csv, lines_are_counted_through_quoted_line_ends) {
  hg::csv_reader reader(bytes_of("h\n\"a\nb\r\nc\"\n\nd\n"), {}, "t.csv");
  std::vector<std::uint64_t> lines;
  while (reader.next()) lines.push_back(reader.line());
  EXPECT_EQ(lines, (std::vector<std::uint64_t>{1, 2, 6}));
}

TEST(csv, quotes_that_do_not_fit_are_refused_with_their_line) {
  expect_refused("a\n\"b\nc\n", 2, "before its closing");
  expect_refused("a\n\n\"b\"c\n", 3, "continues after");
  expect_refused("a,b\n1,5\" disk\n", 2, "does not begin with one");
  expect_refused("\"" + std::string(hg::csv_reader::longest_field + 2, 'x') + "\"", 1, "bytes");
  expect_refused("\"" + std::string(hg::csv_reader::longest_field + 2, 'x') + std::string(100, 'y'),
                 1, "bytes");
  expect_refused("a,\"", 1, "before its closing");
}

TEST(csv, delimiters_and_quotes_differ_and_end_no_line) {
  for (const hg::csv_format format : {hg::csv_format{.delimiter = '"'},
                                      {.delimiter = '\0'},
                                      {.delimiter = '\n'},
                                      {.delimiter = '\r'},
                                      {.quote = '\n'},
                                      {.quote = '\r'},
                                      {.quote = ','}})
    EXPECT_EQ(refusal_of([&] { return parse("a", format); }).code(),
              hg::error_kind::invalid_argument);
}

TEST(csv, fields_are_written_as_they_are_where_nothing_is_quoted) {
  std::string text;
  hg::append_csv_field(text, "a,\"b", {.quote = '\0'});
  EXPECT_EQ(text, "a,\"b");
}

}  // namespace
