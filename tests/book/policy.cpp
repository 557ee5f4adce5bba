// SPDX-License-Identifier: BSL-1.0
#include <halograph/book/map_book.hpp>
#include <halograph/book/policy.hpp>
#include <halograph/book/range_book.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace hg = halograph;

namespace {

using hg::error_kind;

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

// DGL's own example: two node types of one range, one edge type.
hg::partition_book two_types() {
  hg::graph_schema schema;
  schema.add_node_type("node1");
  schema.add_node_type("node2");
  schema.add_edge_type({"node1", "edge1", "node2"});
  const std::vector<hg::id_range> halves{{0, 1000}, {1000, 2000}};
  return {schema,
          2,
          hg::range_table{halves, halves},
          hg::range_table{{{0, 5000}, {5000, 10000}}},
          {.partid = 1}};
}
std::vector<std::int64_t> counted(std::int64_t first, std::int64_t last) {
  std::vector<std::int64_t> ids(static_cast<std::size_t>(last - first));
  std::iota(ids.begin(), ids.end(), first);
  return ids;
}

TEST(policy_name, texts_round_trip) {
  for (const char* text : {"node~user", "node~_N", "edge~user:likes:item", "edge~_N:_E:_N"}) {
    EXPECT_EQ(hg::policy_name::parse(text).policy_str(), text);
  }
  EXPECT_EQ(hg::policy_name::parse("node"), hg::policy_name::node("_N"));
  EXPECT_EQ(hg::policy_name::parse("edge~a:b:c").etype(), (hg::canonical_etype{"a", "b", "c"}));
  EXPECT_EQ(hg::policy_name::edge().type_name(), "_N:_E:_N");
}

TEST(policy_name, rejects_other_texts) {
  for (const char* text : {"", "edge", "edge~likes", "edge~a:b", "edge~a:b:c:d", "nodes~user",
                           "node~", "node~a~b", "~", "Node~user", "node~../x", "edge~a::c"}) {
    EXPECT_EQ(raised([&] { hg::policy_name::parse(text); }).first, error_kind::malformed) << text;
  }
  EXPECT_EQ(raised([] { hg::policy_name::edge({"a", "b:c", "d"}); }).first,
            error_kind::invalid_argument);
  EXPECT_EQ(raised([] { hg::policy_name::node("a~b"); }).first, error_kind::invalid_argument);
}

TEST(data_name, texts_round_trip) {
  const auto node = hg::data_name::parse("node~user~feat");
  EXPECT_TRUE(node.is_node());
  EXPECT_FALSE(node.is_edge());
  EXPECT_EQ(node.get_type(), "user");
  EXPECT_EQ(node.get_name(), "feat");
  const auto edge = hg::data_name::parse("edge~user:likes:item~w");
  EXPECT_TRUE(edge.is_edge());
  EXPECT_EQ(edge.get_type(), "user:likes:item");
  EXPECT_EQ(edge.policy().etype(), (hg::canonical_etype{"user", "likes", "item"}));
  EXPECT_EQ(edge.str(), "edge~user:likes:item~w");
}

TEST(data_name, needs_three_fields_and_triples_for_edges) {
  for (const char* text :
       {"node~user", "node", "", "node~user~a~b", "edge~likes~w", "graph~user~feat"}) {
    EXPECT_EQ(raised([&] { hg::data_name::parse(text); }).first, error_kind::malformed) << text;
  }
  EXPECT_EQ(raised([] { hg::data_name::parse("node~user~"); }).first, error_kind::invalid_argument);
  EXPECT_EQ(raised([] { hg::data_name(hg::policy_name::node(), "a~b"); }).first,
            error_kind::invalid_argument);
}

TEST(partition_policy, of_a_node_type) {
  const auto book = two_types();
  const hg::partition_policy policy("node~node1", book);
  EXPECT_EQ(policy.policy_str(), "node~node1");
  EXPECT_EQ(policy.type_name(), "node1");
  EXPECT_EQ(policy.partid(), 1u);
  EXPECT_TRUE(policy.is_node());
  EXPECT_TRUE(policy.get_data_name("x").is_node());
  EXPECT_EQ(policy.get_data_name("x").str(), "node~node1~x");
  EXPECT_EQ(policy.to_local(counted(1000, 2000)), counted(0, 1000));
  EXPECT_EQ(policy.to_partid(counted(1000, 2000)), std::vector<hg::part_id>(1000, 1));
  EXPECT_EQ(policy.to_local(1999), 999);
  EXPECT_EQ(policy.get_part_size(), 1000u);
  EXPECT_EQ(policy.get_size(), 2000u);
}

TEST(partition_policy, of_an_edge_type) {
  const auto book = two_types();
  const hg::partition_policy policy(hg::policy_name::edge({"node1", "edge1", "node2"}), book);
  EXPECT_EQ(policy.policy_str(), "edge~node1:edge1:node2");
  EXPECT_FALSE(policy.is_node());
  EXPECT_EQ(policy.to_local(counted(5000, 10000)), counted(0, 5000));
  EXPECT_EQ(policy.to_partid(counted(5000, 10000)), std::vector<hg::part_id>(5000, 1));
  EXPECT_EQ(policy.get_part_size(), 5000u);
  EXPECT_EQ(policy.get_size(), 10000u);
}

TEST(partition_policy, of_one_part_is_the_identity) {
  const std::vector<std::uint64_t> nodes{0, 6}, edges{0, 7};
  const hg::partition_book book(hg::graph_schema::homogeneous(), 1, nodes, edges);
  const hg::partition_policy node("node~_N", book), edge("edge~_N:_E:_N", book);
  EXPECT_EQ(node.type_name(), "_N");
  EXPECT_EQ(node.to_local(counted(0, 6)), counted(0, 6));
  EXPECT_EQ(edge.to_local(counted(0, 7)), counted(0, 7));
  EXPECT_EQ(node.to_partid(counted(0, 6)), std::vector<hg::part_id>(6, 0));
  EXPECT_EQ(node.get_part_size(), 6u);
  EXPECT_EQ(edge.get_part_size(), 7u);
}

TEST(partition_policy, default_names_mean_all_types) {
  const auto book = two_types();
  EXPECT_EQ(hg::partition_policy(hg::policy_name::edge(), book).get_part_size(), 5000u);
  EXPECT_EQ(hg::partition_policy(hg::policy_name::node(), book).get_size(), 2000u);
}

TEST(partition_policy, unknown_types_and_rows_of_other_parts_are_rejected) {
  const auto book = two_types();
  EXPECT_EQ(raised([&] { hg::partition_policy("node~node3", book); }).first, error_kind::not_found);
  EXPECT_EQ(raised([&] { hg::partition_policy("edge~node1:edge1:node1", book); }).first,
            error_kind::not_found);
  const hg::partition_policy policy("node~node1", book);
  EXPECT_EQ(raised([&] { policy.to_local(999); }).first, error_kind::out_of_range);
  EXPECT_EQ(raised([&] { policy.to_partid(2000); }).first, error_kind::out_of_range);
}

TEST(partition_policy, works_on_a_book_of_maps) {
  const std::vector<std::uint64_t> nodes{4}, edges{2};
  const hg::map_partition_book book(hg::graph_schema::homogeneous(), 2, {1, 0, 1, 0}, {0, 0}, nodes,
                                    edges, 1);
  const hg::partition_policy policy("node", book);
  EXPECT_EQ(policy.to_local(std::vector{2, 0}), (std::vector<std::int64_t>{1, 0}));
  EXPECT_EQ(policy.get_part_size(), 2u);
}

TEST(infer_policy, finds_the_one_type_of_that_size) {
  const auto book = two_types();
  EXPECT_EQ(hg::infer_policy(10000, book).policy_str(), "edge~node1:edge1:node2");
}

TEST(infer_policy, several_types_of_that_size_are_named) {
  const auto book = two_types();
  const auto [code, text] = raised([&] { hg::infer_policy(2000, book); });
  EXPECT_EQ(code, error_kind::invalid_argument);
  EXPECT_TRUE(mentions(text, "node~node1") && mentions(text, "node~node2")) << text;
  const auto [none, size] = raised([&] { hg::infer_policy(3, book); });
  EXPECT_EQ(none, error_kind::not_found);
  EXPECT_TRUE(mentions(size, "3")) << size;
}

}  // namespace
