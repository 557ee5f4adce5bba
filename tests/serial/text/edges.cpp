// SPDX-License-Identifier: BSL-1.0
#include <halograph/serial/text/edges.hpp>

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
#include <utility>
#include <variant>
#include <vector>

namespace hg = halograph;

namespace {

std::span<const std::byte> bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

using pairs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

template <class Node = std::uint64_t>
pairs edges(std::string_view text, const hg::edge_text_options& options = {}) {
  const auto read = hg::read_edges<Node>(bytes(text), "f.txt", options);
  EXPECT_EQ(read.source.size(), read.target.size());
  pairs out;
  for (std::size_t e = 0; e < read.source.size(); ++e)
    out.emplace_back(hg::index(read.source[e]), hg::index(read.target[e]));
  return out;
}

template <class Node = std::uint64_t>
hg::error refusal(std::string_view text, const hg::edge_text_options& options = {}) {
  try {
    static_cast<void>(hg::read_edges<Node>(bytes(text), "f.txt", options));
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.where().file, "f.txt");
    return problem;
  }
  return hg::error(hg::error_kind::ok, "it was taken");
}

/// Hands out pieces to threads, and claims to be wider than it is, so that small texts are cut too.
using threads = hg::testing::piece_threads;

using long_text = hg::testing::long_text;

TEST(read_edges, takes_blanks_tabs_and_commas) {
  const pairs expected{{1, 2}, {30, 40}};
  for (const char* text :
       {"1 2\n30 40\n", "1\t2\n30\t40", "1,2\n30,40\n", "1, 2\r\n30 ,40\r\n",
        "  1   2  \n\n 30 \t 40\n\n",
        "\xEF\xBB\xBF"
        "1 2\n30 40\n",
        "+1 2\n030 00000000000000000000000040\n", "1 2 x\n30 40 y z\n", "\r\n1 2\n \t \n30 40"}) {
    EXPECT_EQ(edges(text), expected) << text;
  }
}

TEST(read_edges, takes_a_text_without_edges) {
  for (const char* text : {"", "\n", "\r\n\r\n", "   ", "\n\n\n"})
    EXPECT_TRUE(edges(text).empty()) << text;
  EXPECT_TRUE(edges("# nothing\n%\n", {.format = {.comments = true}}).empty());
}

TEST(read_edges, lines_without_a_record_take_no_memory) {
  const std::string blank(100'000, '\n'), blanks = "  \t \n", remark = "# far off\n";
  std::string text = remark + blank + "0 1\n" + blank;
  for (int i = 0; i < 1000; ++i) text += blanks + remark;
  text += "1 2 3\n" + blank + "2 0 4";
  const auto read = hg::read_edges(bytes(text), "f.txt", {.format = {.comments = true}});
  EXPECT_EQ(read.source, (std::vector<std::uint64_t>{0, 1, 2}));
  EXPECT_EQ(read.source.capacity(), 3u);
  EXPECT_EQ(read.target.capacity(), 3u);
}

TEST(read_edges, passes_over_comments_where_asked) {
  EXPECT_EQ(edges("# 9 9\n1 2 # why\n  % 8 8\n3 4\n#", {.format = {.comments = true}}),
            (pairs{{1, 2}, {3, 4}}));
  EXPECT_EQ(refusal("# 9 9\n1 2\n").code(), hg::error_kind::malformed);
}

TEST(read_edges, takes_one_given_delimiter_alone) {
  EXPECT_EQ(edges("1;2\n3 ; 4\n", {.format = {.delimiter = ';'}}), (pairs{{1, 2}, {3, 4}}));
  EXPECT_EQ(edges("1  2\n3\t4\n", {.format = {.delimiter = ' '}}), (pairs{{1, 2}, {3, 4}}));
  EXPECT_EQ(edges("1|2|7\n", {.format = {.delimiter = '|'}}), (pairs{{1, 2}}));
  for (const char* text : {"1 2\n", "1,2\n", "1;;2\n", ";1;2\n"}) {
    EXPECT_EQ(refusal(text, {.format = {.delimiter = ';'}}).code(), hg::error_kind::malformed)
        << text;
  }
  EXPECT_EQ(refusal("1,2\n", {.format = {.delimiter = ' '}}).code(), hg::error_kind::malformed);
  EXPECT_THROW(static_cast<void>(edges("1 2", {.format = {.delimiter = '3'}})), hg::error);
}

TEST(read_edges, says_line_and_column_of_what_is_wrong) {
  struct {
    const char* text;
    hg::error_kind code;
    std::uint64_t line;
    const char* words;
  } cases[] = {{"1 2\nsrc,dst\n", hg::error_kind::malformed, 2,
                "column 1 is \"src\"; it must be a source node ID"},
               {"1 2\n\n\n3\n", hg::error_kind::malformed, 4, "there is no column 2"},
               {"1,\n", hg::error_kind::malformed, 1, "there is no column 2"},
               {"1,,2\n", hg::error_kind::malformed, 1, "column 2 is \",2\""},
               {"1 -2\n", hg::error_kind::out_of_range, 1, "column 2 is \"-2\""},
               {"0 1\n0 5\n", hg::error_kind::out_of_range, 2, "from 0 to 4"},
               {"0 1\r\n9 0\r\n", hg::error_kind::out_of_range, 2, "from 0 to 8"},
               {"0 99999999999999999999\n", hg::error_kind::out_of_range, 1, "from 0 to 4"},
               {"1.5 2\n", hg::error_kind::malformed, 1, "\"1.5\""},
               {"1 2e3\n", hg::error_kind::malformed, 1, "\"2e3\""},
               {"1 0x2\n", hg::error_kind::malformed, 1, "\"0x2\""},
               {"1\r2\n", hg::error_kind::malformed, 1, "column 1"},
               {"1 2\n3 \x01\n", hg::error_kind::malformed, 2, "\\x01"}};
  for (const auto& c : cases) {
    const auto problem = refusal(c.text, {.source_count = 9, .target_count = 5});
    EXPECT_EQ(problem.code(), c.code) << c.text;
    EXPECT_EQ(problem.where().line, c.line) << c.text;
    EXPECT_NE(std::string(problem.what()).find(c.words), std::string::npos) << problem.what();
  }
  EXPECT_NE(std::string(refusal("0 0", {.source_count = 0}).what()).find("there are none"),
            std::string::npos);
}

template <class Node>
class read_edges_of : public testing::Test {};
using widths = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                              std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(read_edges_of, widths);

TYPED_TEST(read_edges_of, holds_the_largest_id_and_refuses_the_next_as_overflow) {
  const std::uint64_t top = hg::id_capacity<TypeParam>() -
                            1;  // of 64 bits unsigned, 2^64 - 1 is left out
  EXPECT_EQ(edges<TypeParam>("0 " + std::to_string(top)), (pairs{{0, top}}));
  const auto problem = refusal<TypeParam>("0 0\n" + std::to_string(top + 1) + " 0\n");
  EXPECT_EQ(problem.code(), hg::error_kind::overflow);
  EXPECT_EQ(problem.where().line, 2u);
}

TEST(read_edges, detects_weights_from_the_first_record) {
  const auto weights = [](std::string_view text) {
    return hg::read_edges(bytes(text), "f",
                          {.format = {.comments = true}, .weights = hg::edge_weights::detected})
        .weight;
  };
  EXPECT_EQ(weights("0 1\n1 2 # 5\n"), hg::weight_column{});
  EXPECT_EQ(
      weights("# x\n0 1 7\n1 2 -9223372036854775808 zzz\n"),
      (hg::weight_column{std::vector<std::int64_t>{7, std::numeric_limits<std::int64_t>::min()}}));
  EXPECT_EQ(weights("0 1 7\n1 2 .5\n0 0 -1e2\n0 0 1e-999\n"),
            (hg::weight_column{std::vector<double>{7, 0.5, -100, 0}}));
  EXPECT_EQ(weights("0 1 7\n1 2 9223372036854775808\n"),
            (hg::weight_column{std::vector<double>{7, 9223372036854775808.0}}));
}

TEST(read_edges, refuses_weights_here_and_there) {
  const hg::edge_text_options detect{.weights = hg::edge_weights::detected};
  EXPECT_EQ(refusal("0 1\n1 2 3\n", detect).where().line, 2u);
  EXPECT_EQ(refusal("0 1 3\n1 2\n", detect).where().line, 2u);
  EXPECT_EQ(refusal("0 1\n", {.weights = hg::edge_weights::required}).code(),
            hg::error_kind::malformed);
  for (const char* text :
       {"0 1 x\n", "0 1 nan\n", "0 1 inf\n", "0 1 1e999\n", "0 1 0x3\n", "0 1 --3\n"}) {
    EXPECT_NE(refusal(text, detect).code(), hg::error_kind::ok) << text;
  }
  EXPECT_NE(std::string(refusal("0 1 1\n0 1 x\n", detect).what()).find("line 2: column 3 is \"x\""),
            std::string::npos);
}

TEST(read_edges, gives_the_same_for_any_number_of_pieces) {
  std::mt19937 random(7);
  std::string text;
  pairs expected;
  while (text.size() < 5'000'000) {
    switch (random() % 16) {
      case 0:
        text += "# a comment of some length\n";
        break;
      case 1:
        text += "\n";
        break;
      default: {
        const std::uint64_t u = random() >> random() % 32, v = random();
        expected.emplace_back(u, v);
        text += std::to_string(u) + (random() % 2 ? " " : ",") + std::to_string(v) +
                (random() % 8 ? "\n" : "\r\n");
      }
    }
  }
  const hg::edge_text_options options{.format = {.comments = true}};
  EXPECT_EQ(edges(text, options), expected);
  const threads three;
  const auto read = hg::read_edges(bytes(text), "f", options, three);
  pairs parallel;
  for (std::size_t e = 0; e < read.source.size(); ++e)
    parallel.emplace_back(read.source[e], read.target[e]);
  EXPECT_EQ(parallel, expected);
}

TEST(read_edges, names_the_first_fault_for_any_number_of_pieces) {
  std::string text;
  for (int i = 0; i < 700'000; ++i) text += i % 200'001 == 200'000 ? "7 x\n" : "12 345\n";
  for (const std::size_t count : {1u, 2u, 5u}) {
    const threads run{count};
    try {
      static_cast<void>(hg::read_edges(bytes(text), "f", {}, run));
      FAIL();
    } catch (const hg::error& problem) {
      EXPECT_EQ(problem.where().line, 200'001u);
    }
  }
}

TEST(read_edges, agrees_with_a_naive_reader_on_numbers_of_all_lengths) {
  std::mt19937_64 random(3);
  std::string text;
  pairs expected;
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t u = random() >> random() % 64, v = (random() >> 1) >> random() % 63;
    if (u == ~std::uint64_t{0}) continue;
    expected.emplace_back(u, v);
    text += std::to_string(u) + ' ' + std::to_string(v) + '\n';
  }
  EXPECT_EQ(edges(text), expected);
}

TEST(read_edges, reads_plain_lines_and_others_side_by_side) {
  const threads two{2};
  for (const char separator : {' ', ',', ';', '|'}) {
    const long_text model(static_cast<std::uint64_t>(separator), separator, false);
    const std::string text = model.text();
    const hg::text_format format{
        .delimiter = separator == ' ' || separator == ',' ? '\0' : separator, .comments = true};
    EXPECT_EQ(edges(text, {.format = format}), model.expected) << separator;
    const auto apart = hg::read_edges(bytes(text), "f", {.format = format}, two);
    EXPECT_EQ(apart.source, hg::read_edges(bytes(text), "f", {.format = format}).source)
        << separator;
  }
  const long_text model(7, ' ', true);
  const auto read = hg::read_edges(
      bytes(model.text()), "f",
      {.format = {.comments = true}, .weights = hg::edge_weights::detected}, two);
  EXPECT_EQ(std::get<std::vector<std::int64_t>>(read.weight), model.weight);
  EXPECT_EQ(read.target.size(), model.expected.size());
  EXPECT_EQ(read.target.back(), model.expected.back().second);
}

TEST(read_edges, names_the_line_of_a_fault_among_plain_lines) {
  const threads two{2};
  const long_text model(1, ' ', false);
  for (const std::size_t place :
       {std::size_t{0}, std::size_t{100}, model.lines.size() / 2 + 10, model.lines.size() - 1}) {
    for (const char* fault :
         {"1\n", "1 -2\n", "1 x\n", "1 18446744073709551616\n", "1x 2\n", "1,\n"}) {
      long_text broken = model;
      broken.lines[place] = fault;
      broken.lines.back() = "x\n";  // not the first one, but for the last place
      if (place + 1 == broken.lines.size()) broken.lines[place] = fault;
      const std::string text = broken.text();
      const auto alone = refusal(text, {.format = {.comments = true}});
      EXPECT_EQ(alone.where().line, place + 1) << fault;
      try {
        static_cast<void>(
            hg::read_edges(bytes(text), "f.txt", {.format = {.comments = true}}, two));
        ADD_FAILURE();
      } catch (const hg::error& problem) {
        EXPECT_EQ(problem.message(), alone.message());
        EXPECT_EQ(problem.where().line, place + 1);
      }
    }
  }
}

TEST(read_edges, reads_long_lines_with_and_without_an_end) {
  const std::string words(200, 'x'), page(600'000, 'x');
  for (const std::string& text :
       {"1 2 " + words, "1 2 " + words + "\n", "1 2 " + page, std::string("1 2\r")})
    EXPECT_EQ(edges(text), (pairs{{1, 2}})) << text.size();
}

TEST(read_edges, weights_on_plain_lines_are_checked_as_on_others) {
  std::string plain;
  for (int i = 0; i < 50; ++i) plain += "1 2 3\n";
  const hg::edge_text_options detect{.weights = hg::edge_weights::detected};
  const auto weight = [&](const std::string& line) {
    return hg::read_edges(bytes(plain + line + plain), "f", detect).weight;
  };
  EXPECT_EQ(std::get<std::vector<std::int64_t>>(weight("1 2 -9223372036854775808\n"))[50],
            std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(std::get<std::vector<double>>(weight("1 2 18446744073709551615\n"))[50],
            18446744073709551615.0);
  EXPECT_EQ(refusal(plain + "1 2 x\n" + plain, detect).where().line, 51u);
  EXPECT_EQ(refusal(plain + "1 2\n" + plain, detect).where().line, 51u);
  EXPECT_NE(refusal(plain + "1 x 3\n" + plain, detect).message().find("column 2"),
            std::string::npos);
}

TEST(read_edges, detects_weights_after_a_byte_order_mark_and_blank_lines) {
  const hg::edge_text_options detect{.weights = hg::edge_weights::detected};
  const auto weighted = [&](std::string_view text) {
    return hg::read_edges(bytes(text), "f", detect).weight.index() != 0;
  };
  EXPECT_TRUE(weighted("\xEF\xBB\xBF\n  \n1 2 3\n"));
  EXPECT_FALSE(weighted("\xEF\xBB\xBF"));
  for (const char* text : {"x 2 3\n", "1\n", "1 x 3\n"})
    EXPECT_EQ(refusal(text, detect).where().line, 1u) << text;
}

TEST(read_edges, quotes_the_column_up_to_its_end) {
  const auto quoted = [](std::string_view text, char delimiter) {
    const std::string message = refusal(text, {.format = {.delimiter = delimiter}}).message();
    const auto open = message.find('"');
    return message.substr(open, message.find('"', open + 1) - open + 1);
  };
  EXPECT_EQ(quoted("1 x", '\0'), "\"x\"");
  EXPECT_EQ(quoted("1 x\ty", '\0'), "\"x\"");
  EXPECT_EQ(quoted("1 " + std::string(99, 'x'), '\0').size(), 62u);
  EXPECT_EQ(quoted("1\tx\ty", '\t'), "\"x\"");
  EXPECT_EQ(quoted("1;x y;z", ';'), "\"x y\"");
}

TEST(read_edges, refuses_delimiters_that_may_be_part_of_a_number_or_begin_a_comment) {
  const auto code = [](char delimiter, bool comments) {
    const hg::edge_text_options options{.format = {.delimiter = delimiter, .comments = comments}};
    return hg::testing::refusal_of([&] { return hg::read_edges(bytes(""), "f", options); }).code();
  };
  for (const char delimiter : std::string("059-+.eE\n\r"))
    EXPECT_EQ(code(delimiter, false), hg::error_kind::invalid_argument) << delimiter;
  for (const char delimiter : {'#', '%'}) {
    EXPECT_EQ(code(delimiter, true), hg::error_kind::invalid_argument) << delimiter;
    EXPECT_EQ(code(delimiter, false), hg::error_kind::ok) << delimiter;
  }
}

TEST(read_edges, never_reads_beyond_the_text) {
  const std::string text = "123 4567\n89 12345678\n# 1\n 5,6 7\r\n";
  for (std::size_t size = 0; size <= text.size(); ++size) {
    const std::vector<char> exact(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(size));
    try {
      static_cast<void>(
          hg::read_edges(std::as_bytes(std::span(exact)), "f",
                         {.format = {.comments = true}, .weights = hg::edge_weights::detected}));
    } catch (const hg::error&) {
    }
  }
}

}  // namespace
