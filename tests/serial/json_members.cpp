// SPDX-License-Identifier: BSL-1.0
#include <halograph/core/error.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/json_members.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace hg = halograph;
namespace json = halograph::json;

namespace {

/// The sentence of a refusal; "" where there is none.
template <class Call>
std::string refusal(hg::error_kind kind, Call call) {
  try {
    call();
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.code(), kind);
    EXPECT_EQ(problem.where().file, "f.json");
    return problem.message();
  }
  return "";
}

const json::value document = json::object{{"members", json::object{{"a", 1}}},
                                          {"list", json::array{1, 2}},
                                          {"text", "x"},
                                          {"count", 3},
                                          {"none", nullptr}};

TEST(json_members, are_given_by_key_and_kind) {
  const auto at = [](const char* key) -> const json::value& {
    return hg::detail::required_member(document, key, "f.json");
  };
  EXPECT_EQ(hg::detail::as_object(at("members"), "members", "f.json").size(), 1u);
  EXPECT_EQ(hg::detail::as_array(at("list"), "list", "f.json").size(), 2u);
  EXPECT_EQ(hg::detail::as_string(at("text"), "text", "f.json"), "x");
  EXPECT_EQ(hg::detail::as_count(at("count"), "count", "f.json"), 3u);
}

TEST(json_members, that_are_missing_or_of_another_kind_are_named) {
  EXPECT_EQ(refusal(hg::error_kind::not_found,
                    [] { hg::detail::required_member(document, "parts", "f.json"); }),
            "key \"parts\" is missing");
  const json::value text = "x", negative = -1;
  const auto message = [](auto call) { return refusal(hg::error_kind::malformed, call); };
  EXPECT_EQ(message([&] { hg::detail::as_object(text, "k", "f.json"); }),
            "\"k\" must be an object");
  EXPECT_EQ(message([&] { hg::detail::as_array(text, "k", "f.json"); }), "\"k\" must be a list");
  EXPECT_EQ(message([&] { hg::detail::as_string(negative, "k", "f.json"); }),
            "\"k\" must be a string");
  EXPECT_EQ(message([&] { hg::detail::as_count(negative, "k", "f.json"); }),
            "\"k\" must be an integer from 0 on");
}

TEST(json_members, of_an_optional_object_may_be_missing_or_null) {
  using hg::detail::optional_object;
  EXPECT_EQ(optional_object(document, "parts", "f.json"), nullptr);
  EXPECT_EQ(optional_object(document, "none", "f.json"), nullptr);
  EXPECT_EQ(optional_object(document, "members", "f.json"), document.find("members")->if_object());
  EXPECT_EQ(refusal(hg::error_kind::malformed, [] { optional_object(document, "list", "f.json"); }),
            "\"list\" must be an object");
}

}  // namespace
