// SPDX-License-Identifier: BSL-1.0
#include <halograph/schema/id_converter.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace hg = halograph;

namespace {

using hg::error_kind;
using hg::status;

template <class Call>
std::pair<error_kind, std::string> raised(Call&& call) {
  try {
    call();
  } catch (const hg::error& problem) {
    return {problem.code(), problem.what()};
  }
  return {error_kind::ok, ""};
}
bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

hg::graph_schema shop() {
  hg::graph_schema schema;
  schema.add_node_type("none");
  schema.add_node_type("user");
  schema.add_node_type("nobody");
  schema.add_node_type("item");
  schema.add_edge_type({"user", "likes", "item"});
  schema.add_edge_type({"user", "blocks", "user"});
  schema.add_edge_type({"user", "likes", "user"});
  return schema;
}
hg::IDConverter converter() { return {shop(), std::vector{0, 3, 0, 2}, std::vector{4, 0, 1}}; }

TEST(id_converter, names_and_numbers_of_types) {
  const auto ids = converter();
  EXPECT_EQ(ids.ntype2id("item"), 3u);
  EXPECT_EQ(ids.id2ntype(1), "user");
  EXPECT_EQ(ids.etype2id("user:likes:user"), 2u);
  EXPECT_EQ(ids.etype2id(hg::canonical_etype{"user", "likes", "item"}), 0u);
  EXPECT_EQ(ids.etype2id("blocks"), 1u);
  EXPECT_EQ(ids.id2etype(2).str(), "user:likes:user");
  for (int t = 0; t < 3; ++t) EXPECT_EQ(ids.etype2id(ids.id2etype(t)), static_cast<hg::type_id>(t));
}

TEST(id_converter, unknown_and_ambiguous_types_are_named) {
  const auto ids = converter();
  auto [code, text] = raised([&] { ids.ntype2id("shop"); });
  EXPECT_EQ(code, error_kind::not_found);
  EXPECT_TRUE(mentions(text, "\"shop\"")) << text;
  EXPECT_EQ(raised([&] { ids.etype2id("user:likes:nobody"); }).first, error_kind::not_found);
  EXPECT_EQ(raised([&] { ids.etype2id(hg::canonical_etype{"item", "likes", "user"}); }).first,
            error_kind::not_found);
  const auto [second, likes] = raised([&] { ids.etype2id("likes"); });
  EXPECT_EQ(second, error_kind::invalid_argument);
  EXPECT_TRUE(mentions(likes, "user:likes:item") && mentions(likes, "user:likes:user")) << likes;
  const auto [third, number] = raised([&] { ids.id2ntype(4); });
  EXPECT_EQ(third, error_kind::not_found);
  EXPECT_TRUE(mentions(number, "[0, 4)")) << number;
  EXPECT_EQ(raised([&] { ids.id2etype(-1); }).first, error_kind::not_found);
}

TEST(id_converter, first_and_last_ids_of_types_around_empty_ones) {
  const auto ids = converter();
  EXPECT_EQ(ids.nid_het2hom("user", 0), 0u);
  EXPECT_EQ(ids.nid_het2hom("user", 2), 2u);
  EXPECT_EQ(ids.nid_het2hom("item", 0), 3u);
  EXPECT_EQ(ids.nid_het2hom(3, 1), 4u);
  EXPECT_EQ(ids.nid_hom2het(0), (hg::typed_id<>{1, 0}));
  EXPECT_EQ(ids.nid_hom2het(2), (hg::typed_id<>{1, 2}));
  EXPECT_EQ(ids.nid_hom2het(3), (hg::typed_id<>{3, 0}));
  EXPECT_EQ(ids.nid_hom2het(4), (hg::typed_id<>{3, 1}));
  EXPECT_EQ(ids.eid_hom2het(3), (hg::typed_id<>{0, 3}));
  EXPECT_EQ(ids.eid_hom2het(4), (hg::typed_id<>{2, 0}));
  EXPECT_EQ(ids.eid_het2hom("user:likes:user", 0), 4u);
  EXPECT_EQ(ids.eid_het2hom(hg::canonical_etype{"user", "likes", "item"}, 3), 3u);
}

TEST(id_converter, out_of_range_says_the_valid_range) {
  const auto ids = converter();
  auto [code, text] = raised([&] { ids.nid_het2hom("user", 3); });
  EXPECT_EQ(code, error_kind::out_of_range);
  EXPECT_TRUE(mentions(text, "node ID 3") && mentions(text, "\"user\"") && mentions(text, "[0, 3)"))
      << text;
  std::tie(code, text) = raised([&] { ids.nid_het2hom("none", 0); });
  EXPECT_TRUE(mentions(text, "[0, 0)")) << text;
  std::tie(code, text) = raised([&] { ids.nid_hom2het(-1); });
  EXPECT_EQ(code, error_kind::out_of_range);
  EXPECT_TRUE(mentions(text, "-1") && mentions(text, "[0, 5)")) << text;
  std::tie(code, text) = raised([&] { ids.eid_hom2het(5); });
  EXPECT_TRUE(mentions(text, "edge ID 5") && mentions(text, "[0, 5)")) << text;
  std::tie(code, text) = raised([&] { ids.eid_het2hom("blocks", std::vector{0}); });
  EXPECT_TRUE(mentions(text, "\"user:blocks:user\"") && mentions(text, "[0, 0)") &&
              mentions(text, "position 0"))
      << text;
  std::tie(code, text) = raised([&] { ids.nid_hom2het(std::vector{4, 5}); });
  EXPECT_TRUE(mentions(text, "ID 5") && mentions(text, "position 1")) << text;
}

TEST(id_converter, batches_in_containers_and_in_the_callers_memory) {
  const auto ids = converter();
  const auto typed = ids.nid_hom2het(std::vector{4, 0, 3});
  EXPECT_EQ(typed.types, (std::vector<hg::type_id>{3, 1, 3}));
  EXPECT_EQ(typed.ids, (std::vector<std::uint64_t>{1, 0, 0}));
  EXPECT_EQ(ids.nid_het2hom("item", std::vector{1, 0}), (std::vector<std::uint64_t>{4, 3}));
  EXPECT_EQ(ids.eid_het2hom(0, std::vector{3, 0}), (std::vector<std::uint64_t>{3, 0}));
  std::vector<std::uint8_t> types(2);
  std::vector<std::uint64_t> out(2);
  static_assert(noexcept(ids.eid_hom2het(out, types, out)));
  ASSERT_EQ(ids.eid_hom2het(std::vector{4, 1}, types, out), status::ok);
  EXPECT_EQ(types, (std::vector<std::uint8_t>{2, 0}));
  EXPECT_EQ(out, (std::vector<std::uint64_t>{0, 1}));
  // In place.
  ASSERT_EQ(ids.eid_het2hom(0, out, out), status::ok);
  EXPECT_EQ(out, (std::vector<std::uint64_t>{0, 1}));
  EXPECT_EQ(ids.nid_het2hom(1, std::vector{3, 0}, out), status::out_of_range);
  std::uint64_t one = 7;
  EXPECT_EQ(ids.nid_het2hom(hg::type_id{9}, 0, one), (status{error_kind::not_found, 9}));
  EXPECT_EQ(one, 7u);
  hg::typed_id<> answer;
  ASSERT_EQ(ids.nid_hom2het(4, answer), status::ok);
  EXPECT_EQ(answer, (hg::typed_id<>{3, 1}));
}

TEST(id_converter, counts_must_match_the_schema_and_fit_the_ids) {
  EXPECT_EQ(
      raised([] { hg::id_converter(shop(), std::vector{1, 2, 3}, std::vector{1, 2, 3}); }).first,
      error_kind::mismatch);
  EXPECT_EQ(raised([] {
              hg::id_converter(shop(), std::vector{1, 2, 3, -4}, std::vector{1, 2, 3});
            }).first,
            error_kind::invalid_argument);
  using small = hg::basic_id_converter<std::uint8_t, std::int8_t>;
  EXPECT_EQ(raised([] { small(shop(), std::vector{0, 200, 0, 57}, std::vector{1, 2, 3}); }).first,
            error_kind::overflow);
  EXPECT_EQ(
      raised([] { small(shop(), std::vector{0, 200, 0, 56}, std::vector{100, 2, 27}); }).first,
      error_kind::overflow);
  const small ids(shop(), std::vector{0, 200, 0, 56}, std::vector{100, 2, 26});
  EXPECT_EQ(ids.nid_hom2het(255).id, 55u);
  EXPECT_EQ(ids.eid_hom2het(127).id, 25);
}

}  // namespace
