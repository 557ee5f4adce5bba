// SPDX-License-Identifier: BSL-1.0
#include <halograph/core/error.hpp>
#include <halograph/core/status.hpp>

#include <gtest/gtest.h>

#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace hg = halograph;

namespace {

static_assert(sizeof(hg::status) == 16 && std::is_trivially_copyable_v<hg::status>);
static_assert(hg::status::ok && !hg::status::capacity && !hg::status::internal);
static_assert(hg::status{} == hg::status::ok);

TEST(status, has_a_position_that_equality_ignores) {
  constexpr hg::status answer = hg::status::out_of_range.at(7);
  static_assert(answer.position == 7 && answer == hg::status::out_of_range &&
                answer.code == hg::error_kind::out_of_range);
  static_assert(answer != hg::status::overflow);
}

TEST(error_kind, every_code_has_its_own_name) {
  using enum hg::error_kind;
  const std::pair<hg::error_kind, std::string_view> as_printed[] = {
      {ok, "ok"},
      {capacity, "capacity"},
      {invalid_argument, "invalid_argument"},
      {out_of_range, "out_of_range"},
      {mismatch, "mismatch"},
      {overflow, "overflow"},
      {infeasible, "infeasible"},
      {cut_edges, "cut_edges"},
      {malformed, "malformed"},
      {truncated, "truncated"},
      {unsupported, "unsupported"},
      {not_found, "not_found"},
      {exists, "exists"},
      {busy, "busy"},
      {io, "io"},
      {memory, "memory"},
      {canceled, "canceled"},
      {internal, "internal"}};
  for (const auto& [code, word] : as_printed) EXPECT_EQ(hg::name(code), word);
  std::set<std::string_view> words;
  const int last = static_cast<int>(hg::error_kind::internal);
  for (int code = 0; code <= last; ++code)
    words.insert(hg::name(static_cast<hg::error_kind>(code)));
  EXPECT_EQ(words.size(), static_cast<std::size_t>(last) + 1);
  EXPECT_EQ(words.count("unknown"), 0u);
  EXPECT_EQ(hg::name(static_cast<hg::error_kind>(last + 1)), "unknown");
  EXPECT_EQ(std::size(as_printed), words.size());
}

TEST(error, puts_the_position_in_front_of_the_sentence) {
  const hg::error all(hg::error_kind::malformed, "a comma is missing", {"a.json", 3, 41});
  EXPECT_STREQ(all.what(), "a.json, line 3, byte 41: a comma is missing");
  EXPECT_EQ(all.message(), "a comma is missing");
  EXPECT_EQ(all.code(), hg::error_kind::malformed);
  EXPECT_EQ(all.where().line, 3u);
  EXPECT_STREQ(hg::error(hg::error_kind::io, "gone", {.file = "x"}).what(), "x: gone");
  EXPECT_STREQ(hg::error(hg::error_kind::io, "gone").what(), "gone");
}

TEST(error, is_one_line_whatever_a_file_holds_or_is_called) {
  const hg::error hostile(hg::error_kind::malformed, "no type \"\x1b[2J\nok\x7f\" \u00e9",
                          {.file = "a\nb", .line = 3, .byte = {}});
  EXPECT_STREQ(hostile.what(), "a\\x0ab, line 3: no type \"\\x1b[2J\\x0aok\\x7f\" \u00e9");
  EXPECT_EQ(hostile.message(), "no type \"\\x1b[2J\\x0aok\\x7f\" \u00e9");
  EXPECT_EQ(hostile.where().file, "a\nb");
  const std::string nul("a\0b", 3);
  EXPECT_STREQ(hg::error(hg::error_kind::io, nul).what(), "a\\x00b");
}

TEST(error, is_what_raise_throws_and_check_makes_of_a_status) {
  EXPECT_THROW(hg::raise(hg::error_kind::busy, "later"), hg::error);
  EXPECT_NO_THROW(hg::check(hg::status::ok, "never seen"));
  try {
    hg::check(hg::status::overflow.at(5), "too much");
    FAIL();
  } catch (const std::exception& problem) {
    EXPECT_STREQ(problem.what(), "too much");
    EXPECT_EQ(dynamic_cast<const hg::error&>(problem).code(), hg::error_kind::overflow);
  }
}

}  // namespace
