// SPDX-License-Identifier: BSL-1.0
#include <halograph/adapters/yaml_cpp.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace {

namespace hg = halograph;

std::string parsed(std::string_view text) {
  hg::json::value out;
  const hg::status answer = hg::yaml_cpp_codec{}.parse(text, out);
  EXPECT_EQ(answer, hg::status::ok) << answer.position;
  return hg::json::print(out, 0);
}

/// @param position  nothing where yaml-cpp does not say it
void expect_refused(const std::string& text, hg::status code,
                    std::optional<std::uint64_t> position) {
  SCOPED_TRACE(text.substr(0, 40));
  hg::json::value out = 1;
  const hg::status answer = hg::yaml_cpp_codec{}.parse(text, out);
  EXPECT_EQ(answer, code) << hg::name(answer.code);
  EXPECT_EQ(answer.position, position.value_or(answer.position));
  EXPECT_TRUE(out.is_null());
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

TEST(yaml_cpp_codec, scalars_stay_the_text_that_they_are) {
  EXPECT_EQ(parsed("a: 007\nb: no\nc: 'x: y'\nd: \"\\u00e4\"\ne: 1.50\nf: true\n"),
            R"({"a": "007", "b": "no", "c": "x: y", "d": "\u00e4", "e": "1.50", "f": "true"})");
  EXPECT_EQ(parsed("a:\nb: ~\nc: ''\n"), R"({"a": null, "b": null, "c": ""})");
}

TEST(yaml_cpp_codec, containers_of_both_styles) {
  EXPECT_EQ(parsed("a:\n  - x\n  - {k: v, l: [1, [2]]}\nb: {}\nc: []\n"),
            R"({"a": ["x", {"k": "v", "l": ["1", ["2"]]}], "b": {}, "c": []})");
  EXPECT_EQ(parsed("- a\n-\n  - b\n"), R"(["a", ["b"]])");
  EXPECT_EQ(parsed(""), "null");
  EXPECT_EQ(parsed("# nothing\n"), "null");
  EXPECT_EQ(parsed("--- \nx: y\n...\n"), R"({"x": "y"})");
}

TEST(yaml_cpp_codec, refuses_what_is_not_one_document) {
  using hg::status;
  expect_refused("a: [1\n", status::malformed, 6);
  expect_refused("a: 1\na: 2\n", status::malformed, 5);
  expect_refused("a: 1\n---\nb: 2\n", status::malformed, 14);
  expect_refused(std::string("a: b\0c", 6), status::malformed, 4);
}

TEST(yaml_cpp_codec, refuses_what_small_documents_need_not) {
  using hg::status;
  // Nine levels of nine aliases each would be 9^9 values.
  std::string bomb = "a: &a [x]\n";
  for (char c = 'b'; c <= 'j'; ++c)
    bomb += std::string(1, c) + ": &" + c + " [" +
            repeated("*" + std::string(1, char(c - 1)) + ",", 9) + "]\n";
  expect_refused(bomb, status::unsupported, bomb.find('*'));
  expect_refused("a: &a {x: y}\nb: {<<: *a}\n", status::unsupported, 21);
  expect_refused("? [a]\n: b\n", status::unsupported, 2);
  expect_refused("? ~\n: b\n", status::unsupported, 2);
  const std::size_t depth = hg::yaml_cpp_codec::max_depth;
  EXPECT_EQ(parsed(repeated("- ", depth) + "x").size(), 2 * depth + 3);
  expect_refused(repeated("- ", depth + 1) + "x", status::unsupported, 2 * depth);
  expect_refused(repeated("[", 900000), status::unsupported, std::nullopt);
  expect_refused(repeated("{a: ", 200000), status::unsupported, std::nullopt);
  std::string keys;
  for (int i = 0; i < 1001; ++i) keys += "k" + std::to_string(i) + ":\n";
  expect_refused(keys, status::unsupported, keys.rfind('k'));
  expect_refused(std::string(hg::yaml_cpp_codec::max_bytes + 1, 'x'), status::overflow, 0);
}

}  // namespace
