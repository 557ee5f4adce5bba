// SPDX-License-Identifier: BSL-1.0
#include <halograph/schema/schema.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hg = halograph;

namespace {

template <class F>
hg::error raised(F&& f) {
  try {
    f();
  } catch (const hg::error& problem) {
    return problem;
  }
  return hg::error(hg::error_kind::ok, "nothing was raised");
}

hg::graph_schema movies() {
  hg::graph_schema schema;
  schema.add_node_type("user");
  schema.add_node_type("movie");
  schema.add_edge_type({"user", "rates", "movie"});
  schema.add_edge_type({"user", "follows", "user"});
  schema.add_edge_type({"movie", "follows", "movie"});
  return schema;
}

TEST(canonical_etype, is_three_fields_between_colons) {
  const auto type = hg::canonical_etype::parse("a:b:c");
  ASSERT_TRUE(type);
  EXPECT_EQ(*type, (hg::canonical_etype{"a", "b", "c"}));
  EXPECT_EQ(type->str(), "a:b:c");
  for (const auto* bad : {"", "a", "a:b", "a:b:c:d", ":b:c", "a::c", "a:b:", "::", ":::"})
    EXPECT_FALSE(hg::canonical_etype::parse(bad)) << bad;
}

TEST(is_safe_name, takes_words_of_any_language) {
  for (const auto* good : {"_N", "node type", "...", "a.b", "caf\xC3\xA9", "\xE7\xB4\xA0",
                           "\xF0\x9F\x90\xA7", "a:b", "\xC2\xA0"}) {
    EXPECT_TRUE(hg::is_safe_name(good)) << good;
  }
  EXPECT_TRUE(hg::is_safe_name(std::string(200, 'x')));
}

TEST(is_safe_name, rejects_paths_control_characters_and_invalid_utf8) {
  for (const auto* bad :
       {"", ".", "..", "a/b", "/", "..\\x", "a\nb", "\x1B[31m", "\x7F", "\xC2\x80",
        "\xC2\x9B"
        "31m",
        "\xC2\x9F", "\xFF", "a\x80", "\xC3", "\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80"}) {
    EXPECT_FALSE(hg::is_safe_name(bad)) << hg::graph_schema::quoted(bad);
  }
  EXPECT_FALSE(hg::is_safe_name(std::string(201, 'x')));
  EXPECT_FALSE(hg::is_safe_name(std::string_view("a\0b", 3)));
  static_assert(hg::is_safe_name("node") && !hg::is_safe_name("no/de"));
}

TEST(quoted, shows_names_and_escapes_control_characters) {
  const auto quoted = hg::graph_schema::quoted;
  EXPECT_EQ(quoted("user"), "\"user\"");
  EXPECT_EQ(quoted("caf\xC3\xA9"), "\"caf\xC3\xA9\"");
  EXPECT_EQ(quoted("\x1B[2J\n"), "\"\\x1b[2J\\x0a\"");
  EXPECT_EQ(quoted("\xC2\x9B"
                   "2J"),
            "\"\\xc2\\x9b2J\"");
  EXPECT_EQ(quoted("a\xFF\xC3"), "\"a\\xff\\xc3\"");
  EXPECT_EQ(quoted(std::string(100, 'x')), "\"" + std::string(100, 'x') + "\"");
  EXPECT_EQ(quoted(std::string(101, 'x')), "\"" + std::string(100, 'x') + "...\"");
  // A character is never cut in two.
  EXPECT_EQ(quoted(std::string(99, 'x') + "\xC3\xA9" + "y"),
            "\"" + std::string(99, 'x') + "\xC3\xA9...\"");
}

TEST(graph_schema, numbers_types_in_the_order_of_insertion) {
  const auto schema = movies();
  EXPECT_EQ(schema.num_node_types(), 2u);
  EXPECT_EQ(schema.num_edge_types(), 3u);
  EXPECT_EQ(schema.node_type("movie"), 1u);
  EXPECT_FALSE(schema.node_type("genre"));
  EXPECT_EQ(schema.edge_type({"user", "follows", "user"}), 1u);
  EXPECT_FALSE(schema.edge_type({"user", "follows", "movie"}));
  EXPECT_EQ(schema.node_type_name(0), "user");
  EXPECT_EQ(schema.edge_type_name(0).str(), "user:rates:movie");
  EXPECT_EQ(schema.source_type(0), 0u);
  EXPECT_EQ(schema.target_type(0), 1u);
  EXPECT_FALSE(schema.is_homogeneous());
  EXPECT_EQ(schema, movies());
  const auto plain = hg::graph_schema::homogeneous();
  EXPECT_TRUE(plain.is_homogeneous());
  EXPECT_EQ(plain.edge_types()[0].str(), "_N:_E:_N");
}

TEST(graph_schema, resolves_relations_that_are_unique) {
  const auto schema = movies();
  EXPECT_EQ(schema.resolve_edge_type("rates"), 0u);
  EXPECT_EQ(schema.resolve_edge_type("movie:follows:movie"), 2u);
  const auto ambiguous = raised([&] { schema.resolve_edge_type("follows"); });
  EXPECT_EQ(ambiguous.code(), hg::error_kind::invalid_argument);
  EXPECT_NE(std::string(ambiguous.what()).find("user:follows:user, movie:follows:movie"),
            std::string::npos);
  for (const auto* missing : {"likes", "", "user:likes:movie"}) {
    EXPECT_EQ(raised([&] { schema.resolve_edge_type(missing); }).code(), hg::error_kind::not_found)
        << missing;
  }
}

TEST(graph_schema, lists_the_first_ten_types_of_an_ambiguous_relation) {
  hg::graph_schema schema;
  for (int t = 0; t < 12; ++t) {
    const auto name = "t" + std::to_string(t);
    schema.add_node_type(name);
    schema.add_edge_type({name, "to", name});
  }
  EXPECT_EQ(raised([&] { (void)schema.resolve_edge_type("to"); }).what(),
            std::string("relation \"to\" is ambiguous; name one of t0:to:t0, t1:to:t1, t2:to:t2, "
                        "t3:to:t3, t4:to:t4, t5:to:t5, t6:to:t6, t7:to:t7, t8:to:t8, t9:to:t9 and "
                        "2 more"));
}

// Looking each one up by comparing it with all others would take minutes.
TEST(graph_schema, finds_each_of_many_types) {
  constexpr std::uint32_t count = 20'000;  // names in an order that is not theirs
  const auto name_of = [](std::uint32_t t) { return std::to_string(t * 7919u % 20'011u); };
  hg::graph_schema schema;
  schema.add_node_type("n");
  for (std::uint32_t t = 0; t < count; ++t) {
    schema.add_node_type(name_of(t));
    schema.add_edge_type({"n", name_of(t), t % 2 == 0 ? "n" : "0"});
  }
  for (std::uint32_t t = 0; t < count; ++t) {
    ASSERT_EQ(schema.node_type(name_of(t)), t + 1);
    ASSERT_EQ(schema.edge_type({"n", name_of(t), t % 2 == 0 ? "n" : "0"}), t);
    ASSERT_FALSE(schema.edge_type({"n", name_of(t), t % 2 == 0 ? "0" : "n"}));
  }
  EXPECT_FALSE(schema.node_type(""));
  EXPECT_FALSE(schema.node_type(name_of(count)));
  EXPECT_EQ(raised([&] { schema.add_node_type(name_of(count / 2)); }).code(),
            hg::error_kind::exists);
  const hg::graph_schema copy = schema;
  EXPECT_EQ(copy, schema);
  EXPECT_EQ(copy.node_type(name_of(7)), 8u);
}

TEST(graph_schema, rejects_invalid_types) {
  auto schema = movies();
  EXPECT_EQ(raised([&] { schema.add_node_type("user"); }).code(), hg::error_kind::exists);
  EXPECT_EQ(raised([&] { schema.add_edge_type({"user", "rates", "movie"}); }).code(),
            hg::error_kind::exists);
  EXPECT_EQ(raised([&] { schema.add_edge_type({"user", "rates", "genre"}); }).code(),
            hg::error_kind::not_found);
  for (const auto* bad : {"", "a:b", "../x", "a\nb", "\xFF"}) {
    EXPECT_EQ(raised([&] { schema.add_node_type(bad); }).code(), hg::error_kind::invalid_argument);
    EXPECT_EQ(raised([&] { schema.add_edge_type({"user", bad, "movie"}); }).code(),
              hg::error_kind::invalid_argument);
  }
  EXPECT_EQ(schema, movies());
}

TEST(graph_schema, unknown_type_numbers_are_out_of_range) {
  const auto schema = movies();
  const auto problem = raised([&] { static_cast<void>(schema.node_type_name(2)); });
  EXPECT_EQ(problem.code(), hg::error_kind::out_of_range);
  EXPECT_STREQ(problem.what(), "node type 2 does not exist; there are 2, numbered from 0");
  EXPECT_EQ(raised([&] { static_cast<void>(schema.edge_type_name(3)); }).code(),
            hg::error_kind::out_of_range);
  EXPECT_EQ(raised([&] { static_cast<void>(schema.source_type(3)); }).code(),
            hg::error_kind::out_of_range);
  EXPECT_EQ(
      raised([&] { static_cast<void>(schema.target_type(static_cast<hg::type_id>(-1))); }).code(),
      hg::error_kind::out_of_range);
}

TEST(check_graph_size, requires_a_node_type_and_ids_that_int64_holds) {
  using counts = std::vector<std::uint64_t>;
  const auto code = [](const hg::graph_schema& schema, const counts& nodes, const counts& edges) {
    return raised([&] { hg::check_graph_size(schema, nodes, edges, {.file = "f"}); }).code();
  };
  const std::uint64_t most = hg::most_file_ids;
  EXPECT_EQ(code({}, {}, {}), hg::error_kind::malformed);
  EXPECT_EQ(code(movies(), {0, 0}, {}), hg::error_kind::ok);
  EXPECT_EQ(code(movies(), {most - 1, 1}, {1, most - 1}), hg::error_kind::ok);
  EXPECT_EQ(code(movies(), {most, 1}, {}), hg::error_kind::out_of_range);
  EXPECT_EQ(code(movies(), {1, 1}, {most, 1}), hg::error_kind::out_of_range);
  EXPECT_EQ(code(movies(), {~std::uint64_t{0}, 1}, {}), hg::error_kind::out_of_range);
}

}  // namespace
