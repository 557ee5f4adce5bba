// SPDX-License-Identifier: BSL-1.0
// Every query of DGL's partition book, for every ID of every golden folder, answered by ours.
#include <halograph/book/range_book.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace hg = halograph;
namespace fs = std::filesystem;
using nlohmann::json;

namespace {

using ids = std::vector<std::int64_t>;

json parse(const fs::path& file) {
  std::ifstream in(file);
  return json::parse(in);
}

// Folders with a config and what DGL answers from it.
std::vector<fs::path> cases() {
  std::vector<fs::path> found;
  for (const char* kind : {"partition", "dispatch"}) {
    for (const auto& entry :
         fs::directory_iterator(fs::path(HALOGRAPH_SHARED_DIR) / "golden" / kind)) {
      if (fs::exists(entry.path() / "expected" / "partition_book.json") &&
          fs::exists(entry.path() / "dgl")) {
        found.push_back(entry.path());
      }
    }
  }
  return found;
}

json config_of(const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(folder / "dgl")) {
    if (entry.path().extension() == ".json") return parse(entry.path());
  }
  return {};
}

// Names in the order of their numbers.
std::vector<std::string> by_number(const json& types) {
  std::vector<std::string> names(types.size());
  for (const auto& [name, number] : types.items()) names.at(number.get<std::size_t>()) = name;
  return names;
}
hg::range_table table(const json& map, const std::vector<std::string>& names) {
  hg::range_table result;
  for (const auto& name : names) {
    auto& row = result.emplace_back();
    for (const auto& range : map.at(name))
      row.push_back({range.at(0).get<std::uint64_t>(), range.at(1).get<std::uint64_t>()});
  }
  return result;
}

hg::partition_book load(const json& config, hg::part_id part) {
  hg::graph_schema schema;
  const auto ntypes = by_number(config.at("ntypes")), etypes = by_number(config.at("etypes"));
  for (const auto& name : ntypes) schema.add_node_type(name);
  for (const auto& name : etypes) schema.add_edge_type(*hg::canonical_etype::parse(name));
  return {schema,
          config.at("num_parts").get<std::size_t>(),
          table(config.at("node_map"), ntypes),
          table(config.at("edge_map"), etypes),
          {.partid = part, .rule = hg::range_rule::ascending}};
}

ids all_below(const json& count) {
  ids result(count.get<std::size_t>());
  std::iota(result.begin(), result.end(), 0);
  return result;
}
template <class Answer>
ids widened(const Answer& answer) {
  return ids(answer.begin(), answer.end());
}

class golden_book : public testing::TestWithParam<fs::path> {};

TEST_P(golden_book, answers_every_query_of_every_id_as_dgl_does) {
  const json config = config_of(GetParam()),
             want = parse(GetParam() / "expected" / "partition_book.json");
  const auto book = load(config, 0);
  const json &nodes = want.at("nodes"), &edges = want.at("edges");
  EXPECT_EQ(book.num_partitions(), want.at("num_parts"));
  EXPECT_EQ(book.num_nodes(), nodes.at("num"));
  EXPECT_EQ(book.num_edges(), edges.at("num"));

  const ids all_nodes = all_below(nodes.at("num")), all_edges = all_below(edges.at("num"));
  const json &node_homo = nodes.at("homo"), &edge_homo = edges.at("homo");
  EXPECT_EQ(widened(book.nid2partid(all_nodes)), node_homo.at("nid2partid").get<ids>());
  EXPECT_EQ(widened(book.eid2partid(all_edges)), edge_homo.at("eid2partid").get<ids>());
  const auto node_types = book.map_to_per_ntype(all_nodes);
  const auto edge_types = book.map_to_per_etype(all_edges);
  EXPECT_EQ(widened(node_types.types), node_homo.at("type_id").get<ids>());
  EXPECT_EQ(node_types.ids, node_homo.at("per_type_id").get<ids>());
  EXPECT_EQ(widened(edge_types.types), edge_homo.at("type_id").get<ids>());
  EXPECT_EQ(edge_types.ids, edge_homo.at("per_type_id").get<ids>());
  for (const std::int64_t n : all_nodes) {
    ASSERT_EQ(book.nid2partid(n), node_homo.at("nid2partid").at(static_cast<std::size_t>(n)));
    ASSERT_EQ(book.map_to_per_ntype(n).id,
              node_homo.at("per_type_id").at(static_cast<std::size_t>(n)));
  }

  for (const auto& [type, answers] : nodes.at("per_type").items()) {
    const ids typed = all_below(answers.at("num"));
    if (type != "_N") {
      EXPECT_EQ(book.num_nodes(type), answers.at("num")) << type;
    }
    EXPECT_EQ(widened(book.nid2partid(typed, type)), answers.at("nid2partid").get<ids>()) << type;
    EXPECT_EQ(book.map_to_homo_nid(typed, type), answers.at("homo_nid").get<ids>()) << type;
  }
  for (const auto& [type, answers] : edges.at("per_type").items()) {
    const ids typed = all_below(answers.at("num"));
    EXPECT_EQ(book.num_edges(type), answers.at("num")) << type;
    EXPECT_EQ(widened(book.eid2partid(typed, type)), answers.at("eid2partid").get<ids>()) << type;
    EXPECT_EQ(book.map_to_homo_eid(typed, type), answers.at("homo_eid").get<ids>()) << type;
  }

  ASSERT_EQ(want.at("parts").size(), book.num_partitions());
  for (const json& part : want.at("parts")) {
    const auto p = part.at("part").get<hg::part_id>();
    const auto own = load(config, p);
    const auto metadata = own.metadata().at(p);
    EXPECT_EQ(metadata.machine_id, part.at("metadata").at("machine_id"));
    EXPECT_EQ(metadata.num_nodes, part.at("metadata").at("num_nodes"));
    EXPECT_EQ(metadata.num_edges, part.at("metadata").at("num_edges"));
    EXPECT_EQ(widened(own.local_ntype_offset()), part.at("local_ntype_offset").get<ids>());
    EXPECT_EQ(widened(own.local_etype_offset()), part.at("local_etype_offset").get<ids>());
    EXPECT_EQ(own.partid2nids(p), part.at("nids").get<ids>());
    EXPECT_EQ(own.partid2eids(p), part.at("eids").get<ids>());
    EXPECT_EQ(own.nid2localnid(own.partid2nids(p), p), part.at("nid2localnid").get<ids>());
    EXPECT_EQ(own.eid2localeid(own.partid2eids(p), p), part.at("eid2localeid").get<ids>());
    for (const auto& [type, list] : part.at("nids_per_type").items()) {
      EXPECT_EQ(own.partid2nids(p, type), list.get<ids>()) << type;
      EXPECT_EQ(own.nid2localnid(own.partid2nids(p, type), p, type),
                part.at("nid2localnid_per_type").at(type).get<ids>())
          << type;
    }
    for (const auto& [type, list] : part.at("eids_per_type").items()) {
      EXPECT_EQ(own.partid2eids(p, type), list.get<ids>()) << type;
      EXPECT_EQ(own.eid2localeid(own.partid2eids(p, type), p, type),
                part.at("eid2localeid_per_type").at(type).get<ids>())
          << type;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(golden, golden_book, testing::ValuesIn(cases()), [](const auto& one) {
  return one.param.parent_path().filename().string() + "_" + one.param.filename().string();
});

}  // namespace
