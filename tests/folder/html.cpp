// SPDX-License-Identifier: BSL-1.0
#include "support/sha256.hpp"

#include <halograph/folder/html.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <span>
#include <string>

namespace {

namespace html = halograph::detail::html;

TEST(html, text_stays_text) {
  EXPECT_EQ(html::html_text("paper:cites:paper"), "paper:cites:paper");
  EXPECT_EQ(html::html_text("</script><b a='1' b=\"2\">&amp;"),
            "&#60;/script&#62;&#60;b a=&#39;1&#39; b=&#34;2&#34;&#62;&#38;amp;");
  EXPECT_EQ(html::html_text("Größe 数"), "Größe 数");
  // Broken UTF-8, control characters, and those that are invisible or turn text around.
  EXPECT_EQ(html::html_text("a\xFF\x01"), "a\\xff\\x01");
  EXPECT_EQ(html::html_text("\xE2\x80\xAE\xE2\x80\x8B\xEF\xBF\xBF"),
            "\\xe2\\x80\\xae\\xe2\\x80\\x8b\\xef\\xbf\\xbf");
  EXPECT_EQ(html::html_text(std::string(100, 'x')), std::string(100, 'x'));
  EXPECT_EQ(html::html_text(std::string(5000, 'x')), std::string(100, 'x') + "…");
  EXPECT_EQ(html::html_name("<"), "<bdi>&#60;</bdi>");
}

TEST(html, of_nothing_there_is_no_share) {
  EXPECT_EQ(html::share_of(1, 0), 0.0);
  EXPECT_EQ(html::share_of(1, 4), 0.25);
}

TEST(html, bars_have_a_segment_for_each_length) {
  const std::array<double, 3> lengths{1, 0, 3};
  const auto drawn = html::bar(lengths, 8);
  EXPECT_NE(drawn.find("class=\"s0\" x=\"0.00%\" width=\"12.50%\""), std::string::npos) << drawn;
  EXPECT_EQ(drawn.find("class=\"s1\""), std::string::npos);
  EXPECT_NE(drawn.find("class=\"s2\" x=\"12.50%\" width=\"37.50%\""), std::string::npos) << drawn;
  EXPECT_NE(drawn.find("aria-hidden=\"true\""), std::string::npos);
  // Nothing to divide by, and more than the whole.
  EXPECT_EQ(html::bar(lengths, 0).find("12.50"), std::string::npos);
  EXPECT_NE(html::bar(lengths, 2).find("x=\"50.00%\" width=\"50.00%\""), std::string::npos);
  EXPECT_NE(html::bar(lengths, 8, 2).find("class=\"tick\" x=\"25.00%\""), std::string::npos);
}

/// base64 of the bytes that hexadecimal digits stand for.
std::string base64(const std::string& hex) {
  constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bits, out;
  for (const char c : hex) {
    const int value = c <= '9' ? c - '0' : c - 'a' + 10;
    for (int i = 3; i >= 0; --i) bits += (value >> i) % 2 != 0 ? '1' : '0';
  }
  while (bits.size() % 6 != 0) bits += '0';
  for (std::size_t i = 0; i < bits.size(); i += 6)
    out += digits[std::stoul(bits.substr(i, 6), nullptr, 2)];
  while (out.size() % 4 != 0) out += '=';
  return out;
}

TEST(html, the_hash_is_that_of_the_script) {
  EXPECT_EQ(html::page_script_hash(),
            base64(halograph::testing::sha256(std::as_bytes(std::span(html::page_script())))));
}

TEST(html, style_and_script_fetch_nothing) {
  for (const auto text : {html::page_style(), html::page_script()}) {
    for (const auto* const word : {"http", "@import", "fetch", "src=", "</"})
      EXPECT_EQ(text.find(word), std::string::npos) << word;
    std::size_t outside = 0;
    for (auto at = text.find("url("); at != std::string::npos; at = text.find("url(", at + 1))
      outside += text[at + 4] != '#' ? 1u : 0u;
    EXPECT_EQ(outside, 0u);
  }
}

}  // namespace
