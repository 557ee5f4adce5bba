// SPDX-License-Identifier: BSL-1.0
#include <halograph/adapters/nlohmann_json.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

namespace hg = halograph;
namespace json = halograph::json;

namespace {

json::value parsed(std::string_view text) {
  json::value out;
  EXPECT_EQ(hg::nlohmann_codec{}.parse(text, out), hg::status::ok) << text;
  return out;
}

TEST(nlohmann_codec, keeps_the_order_of_keys) {
  const auto document = parsed(R"({"b": 1, "a": {"z": [], "y": {}}, "c": [1, [2], {"d": null}]})");
  EXPECT_EQ(json::print(document, 0),
            R"({"b": 1, "a": {"z": [], "y": {}}, "c": [1, [2], {"d": null}]})");
}

TEST(nlohmann_codec, finds_the_last_of_equal_keys) {
  const auto document = parsed(R"({"k": 1, "k": 2})");
  ASSERT_NE(document.find("k"), nullptr);
  EXPECT_EQ(*document.find("k"), json::value(std::uint64_t{2}));
}

TEST(nlohmann_codec, keeps_integers_of_64_bits) {
  const auto document = parsed(
      "[18446744073709551615, -9223372036854775808, 0, 1.0, 18446744073709551616]");
  const auto& elements = *document.if_array();
  std::uint64_t big = 0;
  std::int64_t small = 0;
  EXPECT_TRUE(elements[0].to_uint(big));
  EXPECT_EQ(big, std::numeric_limits<std::uint64_t>::max());
  EXPECT_TRUE(elements[1].to_int(small));
  EXPECT_EQ(small, std::numeric_limits<std::int64_t>::min());
  EXPECT_TRUE(elements[2].is_integer());
  EXPECT_FALSE(elements[3].is_integer());
  EXPECT_FALSE(elements[4].is_integer());
}

TEST(nlohmann_codec, unescapes_strings) {
  EXPECT_EQ(*parsed(R"("\u00e9\ud83d\ude00\n\/")").if_string(), "\xC3\xA9\xF0\x9F\x98\x80\n/");
}

TEST(nlohmann_codec, says_at_which_byte_the_text_stops_being_json) {
  struct {
    std::string text;
    std::uint64_t byte;
  } cases[] = {{"", 0},      {"{", 1},        {"[1, x]", 4}, {"{\"a\": 1,}", 8},
               {"[1] 2", 4}, {"[1] // no", 4}};
  for (const auto& c : cases) {
    json::value out = 7;
    const auto answer = hg::nlohmann_codec{}.parse(c.text, out);
    EXPECT_EQ(answer, hg::status::malformed) << c.text;
    EXPECT_EQ(answer.position, c.byte) << c.text;
    EXPECT_TRUE(out.is_null()) << c.text;
  }
}

TEST(nlohmann_codec, refuses_what_json_is_not) {
  for (const std::string text : {"NaN", "Infinity", "'a'", "01", "+1", ".5", "1.", "1e", "nul",
                                 "\"\t\"", "\"\xFF\"", "\"\\ud800\"", "1e999", "{1: 2}", "[1,]"}) {
    json::value out;
    EXPECT_EQ(hg::nlohmann_codec{}.parse(text, out), hg::status::malformed) << text;
  }
}

TEST(nlohmann_codec, bounds_the_nesting) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  json::value out;
  EXPECT_EQ(hg::nlohmann_codec{}.parse(nested(hg::nlohmann_codec::max_depth), out), hg::status::ok);
  EXPECT_EQ(hg::nlohmann_codec{}.parse(nested(hg::nlohmann_codec::max_depth + 1), out),
            hg::status::unsupported);
  EXPECT_EQ(hg::nlohmann_codec{}.parse(std::string(10'000'000, '['), out), hg::status::unsupported);
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  EXPECT_EQ(hg::nlohmann_codec{}.parse(objects, out), hg::status::unsupported);
}

}  // namespace
