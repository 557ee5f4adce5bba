// SPDX-License-Identifier: BSL-1.0
#include <halograph/folder/id_converter_from_metadata.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace hg = halograph;
namespace json = halograph::json;

namespace {

using hg::error_kind;

json::value names() {
  json::value doc;
  doc.set("node_type", json::array{"author", "paper"});
  doc.set("edge_type", json::array{"author:writes:paper", "paper:cites:paper"});
  return doc;
}
json::value per_type() {
  auto doc = names();
  doc.set("num_nodes_per_type", json::array{7, 9});
  doc.set("num_edges_per_type", json::array{20, 0});
  return doc;
}

template <class Call>
std::pair<error_kind, std::string> raised(Call&& call) {
  try {
    call();
  } catch (const hg::error& problem) {
    return {problem.code(), problem.what()};
  }
  return {error_kind::ok, ""};
}

TEST(id_converter_from_metadata, takes_counts_per_type) {
  const auto ids = hg::id_converter_from_metadata(per_type());
  EXPECT_EQ(ids.nid_hom2het(7), (hg::typed_id<>{1, 0}));
  EXPECT_EQ(ids.eid_hom2het(19), (hg::typed_id<>{0, 19}));
  EXPECT_EQ(ids.nodes().size(), 16u);
}

TEST(schema_from_metadata, refuses_a_graph_without_node_types) {
  json::value doc;
  doc.set("node_type", json::array{});
  doc.set("edge_type", json::array{});
  EXPECT_EQ(raised([&] { hg::schema_from_metadata(doc, {.file = "m.json"}); }),
            (std::pair{error_kind::malformed,
                       std::string(
                           "m.json: \"node_type\" is empty; a graph has at least one node type")}));
}

TEST(id_converter_from_metadata, sums_counts_per_chunk_where_there_are_no_others) {
  auto doc = names();
  doc.set("num_nodes_per_chunk", json::array{json::array{3, 4}, json::array{4, 5}});
  doc.set("num_edges_per_chunk", json::array{json::array{10, 10}, json::array{0, 0}});
  const auto ids = hg::id_converter_from_metadata(doc);
  EXPECT_EQ(ids.nid_het2hom("paper", 0), 7u);
  EXPECT_EQ(ids.edges().size(), 20u);
}

TEST(id_converter_from_metadata, prefers_counts_per_type) {
  auto doc = per_type();
  doc.set("num_nodes_per_chunk", json::array{json::array{1}, json::array{1}});
  EXPECT_EQ(hg::id_converter_from_metadata(doc).nodes().size(), 16u);
}

TEST(id_converter_from_metadata, refuses_what_is_missing_or_wrong_and_says_the_file) {
  const auto refused = [](json::value doc) {
    const auto [code,
                text] = raised([&] { hg::id_converter_from_metadata(doc, {.file = "m.json"}); });
    EXPECT_EQ(text.rfind("m.json: ", 0), 0u) << text;
    return code;
  };
  EXPECT_EQ(refused({}), error_kind::not_found);
  EXPECT_EQ(refused(names()), error_kind::not_found);
  EXPECT_EQ(refused(json::array{}), error_kind::not_found);
  const auto with = [](const char* key, json::value v) {
    return per_type().set(key, std::move(v));
  };
  EXPECT_EQ(refused(with("node_type", "author")), error_kind::malformed);
  EXPECT_EQ(refused(with("node_type", json::array{1, 2})), error_kind::malformed);
  EXPECT_EQ(refused(with("node_type", json::array{"author", "author"})), error_kind::exists);
  EXPECT_EQ(refused(with("node_type", json::array{"../x", "paper"})), error_kind::invalid_argument);
  EXPECT_EQ(refused(with("edge_type", json::array{"writes", "paper:cites:paper"})),
            error_kind::malformed);
  EXPECT_EQ(refused(with("edge_type", json::array{"author:writes:book", "paper:cites:paper"})),
            error_kind::not_found);
  EXPECT_EQ(refused(with("num_nodes_per_type", json::array{7})), error_kind::mismatch);
  EXPECT_EQ(refused(with("num_nodes_per_type", json::array{7, -9})), error_kind::malformed);
  EXPECT_EQ(refused(with("num_nodes_per_type", json::array{7, 9.0})), error_kind::malformed);
  EXPECT_EQ(refused(with("num_nodes_per_type", json::array{7, ~std::uint64_t{0}})),
            error_kind::overflow);
  auto chunks = names();
  chunks.set("num_edges_per_type", json::array{1, 1});
  chunks.set("num_nodes_per_chunk",
             json::array{json::array{~std::uint64_t{0}, 1}, json::array{1, 1}});
  EXPECT_EQ(refused(chunks), error_kind::overflow);
  auto flat = names();
  flat.set("num_nodes_per_chunk", json::array{3, 4});
  EXPECT_EQ(refused(flat), error_kind::malformed);
}

}  // namespace
