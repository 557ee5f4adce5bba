// SPDX-License-Identifier: BSL-1.0
// ParMETIS's files as DGL's user guide shows them: the schema of OGBN-MAG, the node file of its toy
// graph, the chain.
#include "support/temporary_folder.hpp"

#include <halograph/adapters/metis.hpp>
#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/folder/targets.hpp>
#include <halograph/parmetis/convert.hpp>
#include <halograph/parmetis/export.hpp>
#include <halograph/parmetis/partition.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace hg = halograph;
using namespace hg::testing;

namespace {

const hg::read_files open{};
const hg::nlohmann_codec codec{};

std::string fixture(const std::string& name) {
  return std::string(HALOGRAPH_GUIDE_FIXTURES) + "/" + name;
}

TEST(guide_parmetis, schema_of_ogbn_mag_is_understood) {
  const auto schema = hg::read_parmetis_schema(fixture("parmetis/mag.json"), open, codec);
  EXPECT_EQ(schema.node_types,
            (std::vector<std::string>{"author", "field_of_study", "institution", "paper"}));
  EXPECT_EQ(schema.num_nodes(), 1939743u);
  EXPECT_EQ(
      schema.edge_names,
      (std::vector<std::string>{"affiliated_with", "writes", "rev-has_topic", "rev-affiliated_with",
                                "cites", "has_topic", "rev-cites", "rev-writes"}));
  EXPECT_EQ(schema.edge_ranges[4], (hg::id_range{16738734, 22155005}));
  EXPECT_EQ(schema.node_types[schema.node_type(1203353)], "institution");
  EXPECT_EQ(schema.node_types[schema.node_type(1203354)], "paper");
  // What we print of it is understood the same.
  EXPECT_EQ(hg::parmetis_schema_from_json(hg::to_json(schema), "again"), schema);
}

/// The types and relations of OGBN-MAG, a few nodes of each, all edges of a pattern.
hg::dataset<> small_mag() {
  const auto printed = hg::read_parmetis_schema(fixture("parmetis/mag.json"), open, codec);
  hg::dataset<> data;
  data.name = "mag";
  for (const auto& type : printed.node_types) data.schema.add_node_type(type);
  data.node_counts = {40, 12, 5, 60};
  const auto relate = [&](const char* source, const char* relation, const char* target,
                          std::uint64_t edges, std::uint64_t step) {
    data.schema.add_edge_type({source, relation, target});
    auto& columns = data.edges.emplace_back();
    const auto sources = data.node_counts[*data.schema.node_type(source)],
               targets = data.node_counts[*data.schema.node_type(target)];
    for (std::uint64_t e = 0; e < edges; ++e) {
      columns.source.push_back(e * step % sources);
      columns.target.push_back((e * e + step) % targets);
    }
  };
  relate("author", "affiliated_with", "institution", 50, 3);
  relate("author", "writes", "paper", 120, 7);
  relate("field_of_study", "rev-has_topic", "paper", 70, 5);
  relate("institution", "rev-affiliated_with", "author", 50, 2);
  relate("paper", "cites", "paper", 200, 11);
  relate("paper", "has_topic", "field_of_study", 70, 13);
  relate("paper", "rev-cites", "paper", 200, 17);
  relate("paper", "rev-writes", "author", 120, 1);
  for (std::size_t r = 0; r < printed.edge_names.size(); ++r)
    EXPECT_EQ(data.schema.edge_types()[r].relation, printed.edge_names[r]);
  data.finish();
  return data;
}

TEST(guide_parmetis, export_partition_and_convert_give_what_partition_graph_gives) {
  const temporary_folder place;
  const auto data = small_mag();
  hg::parmetis_export_result exported;
  {
    hg::staged_folder staged(place("files"));
    exported = hg::export_parmetis(data, staged,
                                   {.graph_name = "mag",
                                    .weights = {},
                                    .node_attributes = false,
                                    .edge_attributes = false,
                                    .on_progress = {}});
    staged.commit();
  }
  EXPECT_EQ(exported.stats.weights, 4u);  // the guide's: one for each node type
  EXPECT_GT(exported.duplicates, 0u);
  auto graph = hg::read_parmetis_graph<std::uint32_t>(place("files"), "mag", open);
  const auto balance = graph.take_weights(0.02);
  const hg::metis policy{.parts = 3, .constraints = balance.constraints()};
  const auto owner = hg::assign(graph.graph(), policy);
  {
    hg::staged_folder staged(place("parts"));
    hg::write_parmetis_parts(graph, std::span<const hg::part_id>(owner), 3, staged);
    staged.commit();
  }
  // With the keys that DGL's own schema has, and no more.
  auto schema = exported.schema;
  for (auto& type : schema.edge_types) type.reset();
  hg::parmetis_parts_options reading;
  reading.parts = 3;
  reading.weights = 4;
  reading.removed_edges = place("files/mag_removed_edges.txt");
  const auto in = hg::read_parmetis_parts(place("parts"), "mag", schema, reading, open);
  EXPECT_EQ(in.restored, exported.loops + exported.duplicates);
  EXPECT_EQ(in.data.schema, data.schema);
  hg::partition_options options;
  options.graph_name = "mag";
  options.store_original_ids = true;
  options.part_method = "metis";
  hg::convert_parmetis(in, 3, hg::dgl_folder{.path = place("converted")}, options);
  hg::partition_graph(data, hg::given{.parts = 3, .owners = owner},
                      hg::dgl_folder{.path = place("direct")}, options);
  const auto files = hg::read_manifest(place("direct")).value().files;
  for (const auto& file : files) {
    EXPECT_EQ(content_of(place("converted/" + file.path)), content_of(place("direct/" + file.path)))
        << file.path;
  }
}

TEST(guide_parmetis, the_toy_graph_weighs_one_type_in_each_column) {
  const temporary_folder place;
  place.write("xxx_nodes.txt", content_of(fixture("xxx_nodes.txt")));
  place.write("xxx_edges.txt", "0 3 0 0\n1 4 1 0\n2 5 2 0\n3 1 0 1\n6 2 1 1\n");
  place.write("xxx_stats.txt", "7 5 2\n");
  auto graph = hg::read_parmetis_graph<std::uint32_t>(place(), "xxx", open);
  EXPECT_EQ(graph.weights,
            (std::vector<std::vector<std::int64_t>>{{1, 1, 1, 0, 0, 0, 0}, {0, 0, 0, 1, 1, 1, 1}}));
  EXPECT_EQ(graph.type_begin, (std::vector<std::uint64_t>{0, 3, 7}));
}

}  // namespace
