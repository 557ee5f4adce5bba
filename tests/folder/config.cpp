// SPDX-License-Identifier: BSL-1.0
#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/read_config.hpp>

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace {

namespace hg = halograph;

hg::partition_config parse(std::string_view text, std::string path = "folder/graph.json") {
  hg::json::value root;
  EXPECT_TRUE(hg::nlohmann_codec{}.parse(text, root)) << text;
  return hg::config_from_json(root, std::move(path));
}

/// The sentence of the error, or "" where there was none.
std::string refusal(std::string_view text) {
  try {
    parse(text);
  } catch (const hg::error& problem) {
    return problem.what();
  }
  return "";
}

constexpr std::string_view small = R"({
  "graph_name": "g", "num_nodes": 8, "num_edges": 6, "part_method": "metis", "num_parts": 2, "halo_hops": 1,
  "node_map": {"item": [[0, 2], [5, 7]], "user": [[2, 5], [7, 8]]},
  "edge_map": {"user:buys:item": [[0, 4], [4, 6]]},
  "ntypes": {"user": 1, "item": 0}, "etypes": {"user:buys:item": 0},
  "part-0": {"node_feats": "part0/n", "edge_feats": "part0/e", "part_graph": "part0/g"},
  "part-1": {"node_feats": "/abs/n", "edge_feats": "part1/e", "part_graph": "part1/g"}})";

std::string with(std::string_view from, std::string_view to) {
  std::string text(small);
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Config, TypesKeepTheirNumbersAndTheirOrderInTheFile) {
  const auto config = parse(small);
  EXPECT_EQ(config.schema.node_types(), (std::vector<std::string>{"item", "user"}));
  EXPECT_EQ(config.node_types_listed, (std::vector<hg::type_id>{1, 0}));
  EXPECT_EQ(config.node_map[0], (std::vector<hg::id_range>{{0, 2}, {5, 7}}));
  EXPECT_EQ(config.node_map[1], (std::vector<hg::id_range>{{2, 5}, {7, 8}}));
  EXPECT_TRUE(config.reshuffled());
}

TEST(Config, PathsAreRelativeToTheConfigUnlessAbsolute) {
  const auto config = parse(small);
  EXPECT_EQ(config.resolve(config.parts[0].graph), "folder/part0/g");
  EXPECT_EQ(config.resolve(config.parts[1].node_features), "/abs/n");
  EXPECT_EQ(parse(small, "graph.json").resolve("part0/g"), "part0/g");
}

TEST(Config, PrintingAndReadingGivesTheSame) {
  auto config = parse(small);
  config.cut_edges_dropped = 3;
  config.serializer = "native";
  const auto again = parse(hg::json::print(hg::to_json(config)));
  EXPECT_EQ(hg::json::print(hg::to_json(again)), hg::json::print(hg::to_json(config)));
  EXPECT_EQ(again.cut_edges_dropped, 3u);
  EXPECT_EQ(again.serializer, "native");
}

TEST(Config, OldFormOfEndsAloneIsRead) {
  const auto config = parse(
      R"({"graph_name": "g", "num_nodes": 200, "num_edges": 50, "num_parts": 2,
    "node_map": [100, 200], "edge_map": [20, 50], "part-0": {}, "part-1": {}})");
  EXPECT_EQ(config.node_map[0], (std::vector<hg::id_range>{{0, 100}, {100, 200}}));
  EXPECT_EQ(config.edge_map[0], (std::vector<hg::id_range>{{0, 20}, {20, 50}}));
  EXPECT_EQ(config.schema, hg::graph_schema::homogeneous());
}

TEST(Config, RelationNamesOfOneNodeTypeBecomeTriples) {
  const auto config = parse(R"({"graph_name": "g", "num_nodes": 4, "num_edges": 3, "num_parts": 1,
    "node_map": {"user": [[0, 4]]}, "edge_map": {"likes": [[0, 1]], "knows": [[1, 3]]},
    "ntypes": {"user": 0}, "etypes": {"likes": 0, "knows": 1}})");
  EXPECT_EQ(config.schema.edge_types()[1].str(), "user:knows:user");
  EXPECT_TRUE(config.bare_relations.empty());
}

TEST(Config, RelationNamesBetweenSeveralNodeTypesAreKeptForThePartsToResolve) {
  const auto config = parse(R"({"graph_name": "g", "num_nodes": 4, "num_edges": 3, "num_parts": 1,
    "node_map": {"user": [[0, 2]], "item": [[2, 4]]}, "edge_map": {"likes": [[0, 1]], "knows": [[1, 3]]},
    "ntypes": {"user": 0, "item": 1}, "etypes": {"knows": 1, "likes": 0}})");
  EXPECT_EQ(config.bare_relations, (std::vector<std::string>{"likes", "knows"}));
  EXPECT_EQ(config.edge_map[1], (std::vector<hg::id_range>{{1, 3}}));
}

TEST(Config, MapFilesGiveAMapBook) {
  const auto config = parse(R"({"graph_name": "g", "num_nodes": 3, "num_edges": 2, "num_parts": 2,
    "node_map": "node_map.npy", "edge_map": "edge_map.npy", "part-0": {}, "part-1": {}})");
  EXPECT_FALSE(config.reshuffled());
  EXPECT_EQ(config.nodes_per_type, (std::vector<std::uint64_t>{3}));
}

TEST(Config, EveryFaultHasASentenceWithTheFile) {
  const std::pair<std::string, const char*> cases[] = {
      {"[]", "must be a JSON object"},
      {with("\"num_parts\": 2,", ""), "\"num_parts\" is missing"},
      {with("\"num_parts\": 2", "\"num_parts\": 0"), "it must be 1 to"},
      {with("\"num_parts\": 2", "\"num_parts\": 3"), "one range for each of the 3 parts"},
      {with("\"num_nodes\": 8", "\"num_nodes\": -8"), "must be a number, 0 or more"},
      {with("[[0, 2], [5, 7]]", "[[0, 2], [7, 5]]"), "ends before it starts"},
      {with("[[0, 2], [5, 7]]", "[[0, 3], [5, 7]]"), "before the end of what precedes it"},
      {with("[[0, 2], [5, 7]]", "[[0, 2], [5]]"), "pairs [start, end)"},
      {with("[[0, 2], [5, 7]]", "{\"a\": 1}"), "only range maps are supported"},
      {with("\"item\": [[0, 2]", "\"thing\": [[0, 2]"), "does not list"},
      {with("\"user\": 1, \"item\": 0", "\"user\": 1, \"item\": 1"), "each once"},
      {with("\"user\": 1, \"item\": 0", "\"user\": 2, \"item\": 0"), "must be 0 to 1"},
      {with("\"etypes\": {\"user:buys:item\": 0}", "\"etypes\": {\"user:buys:shop\": 0}"),
       "\"shop\""},
      {with("\"etypes\": {\"user:buys:item\": 0}", "\"etypes\": {\"user:buys\": 0}"),
       "source:relation:target"},
      {with("\"halo_hops\": 1", "\"halo_hops\": \"one\""), "halo_hops"},
      {with("\"halo_hops\": 1", "\"halo_hops\": 1048577"),
       "\"halo_hops\" is 1048577; it must be 0 to 1048576"},
      {with("\"halo_hops\": 1", "\"halo_hops\": 18446744073709551615"), "must be 0 to 1048576"},
      {with("\"part0/g\"", "7"), "must be a path"},
      {with("\"halo_hops\": 1,", "\"halo_hops\": 1, \"node_map_dtype\": \"int16\","),
       "\"int32\" or \"int64\""},
  };
  for (const auto& [text, sentence] : cases) {
    const auto said = refusal(text);
    EXPECT_NE(said.find(sentence), std::string::npos) << said << "\nfor " << text;
    EXPECT_EQ(said.rfind("folder/graph.json: ", 0), 0u) << said;
  }
}

TEST(Config, AHugeNumberOfPartsCostsNothing) {
  EXPECT_NE(
      refusal(with("\"num_parts\": 2", "\"num_parts\": 2000000000")).find("one range for each"),
      std::string::npos);
}

}  // namespace
