// SPDX-License-Identifier: BSL-1.0
#include <halograph/core/error.hpp>
#include <halograph/serial/json.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace json = halograph::json;
namespace hg = halograph;

namespace {

TEST(json_value, integers_are_equal_whatever_type_they_came_in) {
  EXPECT_EQ(json::value(1u), json::value(1));
  EXPECT_EQ(json::value(std::uint8_t{7}), json::value(std::int64_t{7}));
  EXPECT_EQ(json::value(std::uint64_t{0}), json::value(std::int8_t{0}));
  EXPECT_NE(json::value(1u), json::value(2));
  EXPECT_NE(json::value(std::numeric_limits<std::uint64_t>::max()), json::value(-1));
  EXPECT_NE(json::value(1), json::value(1.0));
  EXPECT_NE(json::value(1), json::value(true));
}

TEST(json_value, numbers_are_taken_where_they_fit) {
  std::uint64_t u = 0;
  std::int64_t i = 0;
  double d = 0;
  const json::value most(std::numeric_limits<std::uint64_t>::max()), edge(std::uint64_t{1} << 63),
      negative(-3), half(0.5);
  EXPECT_TRUE(most.to_uint(u) && u == std::numeric_limits<std::uint64_t>::max());
  EXPECT_FALSE(most.to_int(i) || edge.to_int(i) || negative.to_uint(u) || half.to_int(i) ||
               half.to_uint(u));
  EXPECT_TRUE(json::value((std::uint64_t{1} << 63) - 1).to_int(i) &&
              i == std::numeric_limits<std::int64_t>::max());
  EXPECT_TRUE(negative.to_int(i) && i == -3);
  EXPECT_TRUE(most.to_double(d) && negative.to_double(d) && d == -3.0 && half.to_double(d) &&
              d == 0.5);
  EXPECT_FALSE(json::value("1").to_double(d));
  EXPECT_TRUE(most.is_integer() && negative.is_integer() && half.is_number() && !half.is_integer());
}

TEST(json_value, grows_from_null_and_finds_the_last_of_equal_keys) {
  json::value root;
  EXPECT_TRUE(root.is_null());
  root.set("a", 1).set("b", json::value().push(1).push("x")).set("a", 2);
  ASSERT_TRUE(root.is_object());
  EXPECT_EQ(*root.find("a"), json::value(2));
  EXPECT_EQ(root.find("b")->if_array()->size(), 2u);
  EXPECT_EQ(root.find("c"), nullptr);
  EXPECT_EQ(json::value(3).find("a"), nullptr);
}

TEST(json_value, refuses_members_and_elements_where_none_can_be) {
  const auto code = [](auto f) {
    try {
      f();
    } catch (const hg::error& problem) {
      EXPECT_NE(std::string(problem.what()).find("null"), std::string::npos);
      return problem.code();
    }
    return hg::error_kind::ok;
  };
  EXPECT_EQ(code([] { json::value(3).set("a", 1); }), hg::error_kind::invalid_argument);
  EXPECT_EQ(code([] { json::value(json::array{}).set("a", 1); }), hg::error_kind::invalid_argument);
  EXPECT_EQ(code([] { json::value("text").push(1); }), hg::error_kind::invalid_argument);
  EXPECT_EQ(code([] { json::value(json::object{}).push(1); }), hg::error_kind::invalid_argument);
}

TEST(json_print, writes_pythons_form) {
  json::value root;
  root.set("name", "x")
      .set("row", json::value().push(1).push(-2).push(2.5))
      .set("none", json::value())
      .set("yes", true);
  root.set("empty", json::array{}).set("nothing", json::object{});
  EXPECT_EQ(
      json::print(root, 4),
      "{\n    \"name\": \"x\",\n    \"row\": [\n        1,\n        -2,\n        2.5\n    ],\n    \"none\": null,\n"
      "    \"yes\": true,\n    \"empty\": [],\n    \"nothing\": {}\n}");
  EXPECT_EQ(
      json::print(root, 0),
      "{\"name\": \"x\", \"row\": [1, -2, 2.5], \"none\": null, \"yes\": true, \"empty\": [], \"nothing\": {}}");
  EXPECT_EQ(json::print(2.0, 0), "2.0");
  EXPECT_EQ(json::print(std::numeric_limits<std::uint64_t>::max(), 0), "18446744073709551615");
  EXPECT_EQ(json::print(std::numeric_limits<std::int64_t>::min(), 0), "-9223372036854775808");
  // Neither is JSON.
  EXPECT_EQ(json::print(std::numeric_limits<double>::infinity(), 0), "null");
  EXPECT_EQ(json::print(std::numeric_limits<double>::quiet_NaN(), 0), "null");
}

TEST(json_print, escapes_to_ascii_and_is_json_whatever_the_bytes) {
  EXPECT_EQ(json::print("\"\\\b\f\n\r\t\x01\x7F", 0), "\"\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u007f\"");
  EXPECT_EQ(json::print("caf\xC3\xA9 \xE7\xB4\xA0 \xF0\x9F\x90\xA7", 0),
            "\"caf\\u00e9 \\u7d20 \\ud83d\\udc27\"");
  EXPECT_EQ(json::print("a\xFF\xC3", 0), "\"a\\ufffd\\ufffd\"");
  EXPECT_EQ(json::print("\xED\xA0\x80", 0), "\"\\ufffd\\ufffd\\ufffd\"");
}

TEST(json_value, equals_its_copy_and_no_other_value) {
  const std::uint64_t large = std::uint64_t{1} << 63;
  const json::value none = json::array{}, one_element = json::array{1}, a1 = json::object{{"a", 1}},
                    a2 = json::object{{"a", 2}}, b1 = json::object{{"b", 1}};
  const std::vector<json::value> values{nullptr,     false, true, 1,  2,   large,
                                        large + 1,   0.5,   1.5,  "", "a", none,
                                        one_element, a1,    a2,   b1};
  for (const json::value& one : values) {
    const json::value copy = one;
    for (const json::value& other : values)
      EXPECT_EQ(copy == other, &one == &other) << json::print(one) << ", " << json::print(other);
  }
}

TEST(json_print, one_line_of_null_is_nothing) {
  EXPECT_EQ(json::one_line(nullptr), "");
  EXPECT_EQ(json::one_line(json::array{nullptr, false}), "[null, false]");
}

}  // namespace
