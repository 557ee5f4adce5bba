// SPDX-License-Identifier: BSL-1.0
#include <halograph/core/utf8.hpp>

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace hg = halograph;

namespace {

std::string encode(char32_t c) {
  const auto tail = [](char32_t bits) { return static_cast<char>(0x80u | (bits & 0x3Fu)); };
  if (c < 0x80) return {static_cast<char>(c)};
  if (c < 0x800) return {static_cast<char>(0xC0u | (c >> 6)), tail(c)};
  if (c < 0x10000) return {static_cast<char>(0xE0u | (c >> 12)), tail(c >> 6), tail(c)};
  return {static_cast<char>(0xF0u | (c >> 18)), tail(c >> 12), tail(c >> 6), tail(c)};
}

TEST(utf8, reads_every_character_of_unicode) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    const bool surrogate = c >= 0xD800 && c < 0xE000;
    const std::string text = encode(c);
    const auto got = hg::first_utf8(text + "x");
    ASSERT_EQ(got.bytes, surrogate ? 0 : text.size()) << static_cast<unsigned>(c);
    if (surrogate) continue;
    ASSERT_EQ(got.value, c);
    for (std::size_t cut = 0; cut < text.size(); ++cut)
      ASSERT_EQ(hg::first_utf8(std::string_view(text).substr(0, cut)).bytes, 0u);
  }
}

TEST(utf8, rejects_invalid_bytes) {
  for (const char* bad :
       {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC2", "\xC2\x41", "\xE0\x80\x80", "\xE0\x9F\xBF",
        "\xED\xA0\x80", "\xED\xBF\xBF", "\xF0\x80\x80\x80", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80",
        "\xF5\x80\x80\x80", "\xFE", "\xFF", "\xE2\x82\x41", "\xF0\x9F\x98\x41"}) {
    EXPECT_EQ(hg::first_utf8(bad).bytes, 0u) << bad;
  }
  EXPECT_EQ(hg::first_utf8("").bytes, 0u);
}

TEST(utf8, knows_both_rows_of_control_characters) {
  static_assert(hg::is_control(0) && hg::is_control(0x1F) && !hg::is_control(0x20) &&
                !hg::is_control(0x7E));
  static_assert(hg::is_control(0x7F) && hg::is_control(0x80) && hg::is_control(0x9F) &&
                !hg::is_control(0xA0));
  static_assert(hg::first_utf8("\xC3\xA9t").value == 0xE9);
}

}  // namespace
