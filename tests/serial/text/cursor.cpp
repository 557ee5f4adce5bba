// SPDX-License-Identifier: BSL-1.0
#include <halograph/serial/text/cursor.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hg = halograph;
using hg::detail::text_fault;

namespace {

hg::detail::text_cursor cursor_of(std::string_view text, hg::text_format format = {}) {
  return {text.data(), text.data() + text.size(), format};
}

TEST(text_cursor, signed_numbers_have_at_most_one_sign_and_fit_into_64_bits) {
  struct {
    const char* text;
    text_fault fault;
    std::int64_t value;
  } const cases[] = {
      {"7", text_fault::none, 7},
      {"-7", text_fault::none, -7},
      {"+7", text_fault::none, 7},
      {"-9223372036854775808", text_fault::none, INT64_MIN},
      {"-9223372036854775809", text_fault::overflow, 0},
      {"9223372036854775808", text_fault::overflow, 0},
      {"", text_fault::not_a_number, 0},
      {"-", text_fault::not_a_number, 0},
      {"--7", text_fault::not_a_number, 0},
      {"-+7", text_fault::not_a_number, 0},
      {"+-7", text_fault::not_a_number, 0},
  };
  for (const auto& [text, fault, value] : cases) {
    auto cursor = cursor_of(text);
    const char* const begin = cursor.at();
    std::int64_t read = 0;
    EXPECT_EQ(cursor.signed_number(read), fault) << text;
    EXPECT_EQ(read, value) << text;
    EXPECT_EQ(cursor.at() == begin, fault != text_fault::none) << text;
  }
}

TEST(text_cursor, unsigned_numbers_report_a_minus_only_before_a_digit) {
  for (const auto& [text, fault] :
       {std::pair{"", text_fault::not_a_number}, std::pair{"+", text_fault::not_a_number},
        std::pair{"-", text_fault::not_a_number}, std::pair{"-x", text_fault::not_a_number},
        std::pair{"x7", text_fault::not_a_number}, std::pair{"-7", text_fault::negative}}) {
    std::uint64_t ignored = 0;
    EXPECT_EQ(cursor_of(text).unsigned_number(ignored), fault) << text;
  }
}

TEST(text_cursor, floating_numbers_beyond_the_range_of_double_are_zero_or_refused) {
  const std::string zeros(400, '0');
  const std::pair<std::string, std::optional<double>> cases[] = {
      {"+1.5", 1.5},
      {"-1e-999", 0.0},
      {"1e-999", 0.0},
      {"0." + zeros + "1", 0.0},
      {"0." + zeros, 0.0},
      {"", std::nullopt},
      {"+", std::nullopt},
      {"+-1", std::nullopt},
      {"1E999", std::nullopt},
      {"1e+999", std::nullopt},
      {"1" + zeros, std::nullopt},
      {"1" + zeros + ".5", std::nullopt},
      {"1.5x", std::nullopt},
      {"inf", std::nullopt},
  };
  for (const auto& [text, expected] : cases) {
    double value = -1;
    const auto fault = cursor_of(text).floating_number(value);
    EXPECT_EQ(fault == text_fault::none, expected.has_value()) << text;
    if (expected) {
      EXPECT_EQ(value, *expected) << text;
    }
  }
}

TEST(text_cursor, lines_end_with_a_carriage_return_only_before_a_newline_or_the_end) {
  EXPECT_TRUE(cursor_of("").at_line_end());
  EXPECT_TRUE(cursor_of("\r").at_line_end());
  EXPECT_TRUE(cursor_of("\r\n").at_line_end());
  EXPECT_FALSE(cursor_of("\rx").at_line_end());
  // With so many bytes after it the number is read 8 bytes at a time.
  const std::string more(30, '0');
  std::uint64_t value = 0;
  EXPECT_EQ(cursor_of("12\r\n" + more).unsigned_number(value), text_fault::none);
  EXPECT_EQ(value, 12u);
  EXPECT_EQ(cursor_of("12\r" + more).unsigned_number(value), text_fault::not_a_number);
}

TEST(text_cursor, columns_follow_separators) {
  struct {
    const char* text;
    char delimiter;
    bool follows;
    const char* rest;
  } const cases[] = {
      {" 2", '\0', true, "2"},     {" , 2", '\0', true, "2"}, {",", '\0', false, ""},
      {"\t2", '\t', true, "2"},    {" \t2", '\t', true, "2"}, {" ; 2", ';', true, "2"},
      {"\t\n", '\t', false, "\n"}, {"x", ';', true, "x"},
  };
  for (const auto& c : cases) {
    auto cursor = cursor_of(c.text, {.delimiter = c.delimiter});
    EXPECT_EQ(cursor.next_column(), c.follows) << c.text;
    EXPECT_EQ(std::string(cursor.at(), cursor.end()), c.rest) << c.text;
  }
}

TEST(text_cursor, the_separator_of_a_line_follows_its_first_number) {
  EXPECT_EQ(cursor_of("12,3").separator_of_line(), ',');
  EXPECT_EQ(cursor_of("-12\t3").separator_of_line(), '\t');
  EXPECT_EQ(cursor_of("x,3").separator_of_line(), ' ');
  EXPECT_EQ(cursor_of("").separator_of_line(), ' ');
  EXPECT_EQ(cursor_of("12").separator_of_line(), ' ');
  EXPECT_EQ(cursor_of("12", {.delimiter = ';'}).separator_of_line(), ';');
}

}  // namespace
