// SPDX-License-Identifier: BSL-1.0
// slow: 20 s to compile, every step on every archetype
// The whole job and everything that reads its folders, run on archetypes of all they take:
// graphs, partitioners, orders, feature stores, targets, serializers, executors, openers and
// codecs. tests/structure/algorithms.cpp checks that no algorithm is missing.
#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/folder/amend.hpp>
#include <halograph/folder/feature_cache.hpp>
#include <halograph/folder/load.hpp>
#include <halograph/folder/node_mapping.hpp>
#include <halograph/folder/original_ids.hpp>
#include <halograph/folder/read_config.hpp>
#include <halograph/folder/report.hpp>
#include <halograph/folder/restore.hpp>
#include <halograph/folder/targets.hpp>
#include <halograph/io/formats/partition.hpp>
#include <halograph/io/open_stream.hpp>
#include <halograph/pipeline/attach_features.hpp>
#include <halograph/pipeline/partition_graph.hpp>
#include <halograph/serial/files/input_record.hpp>
#include <halograph/serial/read_json.hpp>
#include <halograph/testing/archetypes.hpp>
#include <halograph/verify/verify.hpp>

#include <gtest/gtest.h>
#include <support/npy.hpp>
#include <support/temporary_folder.hpp>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace hg = halograph;
namespace archetype = halograph::archetype;
using hg::testing::temporary_folder;

namespace {

const std::vector<archetype::ends<std::int8_t>> edges{{0, 1}, {1, 2}, {2, 3}, {3, 0}, {2, 2}};

archetype::able_partitioner two_parts() {
  archetype::able_partitioner policy(0);
  policy.parts = 2;
  return policy;
}
hg::basic_feature_set<archetype::feature_store> pairs() {
  hg::basic_feature_set<archetype::feature_store> set;
  set.nodes.push_back({0, "pair", archetype::feature_store(4)});
  set.edges.push_back({0, "both", archetype::feature_store(5)});
  return set;
}
hg::dataset<std::int8_t, std::uint16_t> same_graph() {
  hg::dataset<std::int8_t, std::uint16_t> out;
  out.schema = hg::graph_schema::homogeneous();
  out.node_counts = {4};
  out.edges.push_back({{0, 1, 2, 3, 2}, {1, 2, 3, 0, 2}});
  out.finish();
  return out;
}
const archetype::executor pool(0);
hg::any_json_codec make_codec() {
  return archetype::json_codec([](std::string_view text, hg::json::value& out) {
    return hg::nlohmann_codec{}.parse(text, out);
  });
}
hg::any_file_opener make_opener() {
  return archetype::file_opener([](const std::string& path) { return hg::read_files{}(path); });
}
const hg::any_json_codec codec = make_codec();
const hg::any_file_opener disk = make_opener();

hg::format_list formats() {
  return hg::format_set<archetype::serializer>(archetype::serializer(0));
}
hg::folder_access access() { return hg::folder_access(make_opener(), make_codec(), formats()); }

TEST(on_targets, every_way_to_partition_a_graph) {
  archetype::files one, third;
  const archetype::graph graph(4, edges);
  const auto policy = two_parts();
  const auto features = pairs();
  const hg::basic_partition_options<archetype::node_order> options{
      .features = features,
      .save_mapping = true,
      .executor = pool,
      .order = archetype::node_order(0)};
  hg::partition_graph(graph, policy, hg::any_target(archetype::partition_target(one)), options);
  EXPECT_TRUE(one.committed);
  EXPECT_GE(one.content.size(), 10u);
  hg::partition_graph(same_graph(), policy, hg::any_target(archetype::partition_target(third)),
                      options);
  EXPECT_EQ(one.content.at("part1/graph.hgp"), third.content.at("part1/graph.hgp"));
}

struct folder_of_a_graph : testing::Test {
  temporary_folder place{};
  std::string path = place("cut");
  hg::partition_config config{};
  hg::format_list known = formats();

  void SetUp() override {
    const hg::any_target target = hg::format_folder<archetype::serializer>{
        path, archetype::serializer(0)};
    const auto features = pairs();
    hg::partition_graph(archetype::graph(4, edges), two_parts(), target,
                        {.features = features, .save_mapping = true, .executor = pool});
    config = hg::read_config(path + "/graph.json", disk, codec);
  }
};

TEST_F(folder_of_a_graph, is_read_part_by_part) {
  EXPECT_EQ(hg::open_config(path + "/graph.json", access()).num_nodes, 4u);
  EXPECT_TRUE(hg::read_json(path + "/graph.json", disk, codec).is_object());
  const auto part = hg::load_partition(path + "/graph.json", 1, access());
  EXPECT_EQ(part.graph.nodes, 4u);
  EXPECT_EQ(part.node_features.size(), 1u);
  EXPECT_EQ(hg::load_partition_graph(config, 1, disk, known).edges, 5u);
  EXPECT_EQ(hg::load_partition_feats(config, 1, disk, known).nodes.size(), 1u);
  const std::string file = config.resolve(config.parts[1].node_features);
  EXPECT_EQ(hg::any_serializer(archetype::serializer(0))
                .read_features(disk(file), file, hg::column::node_feature)
                .size(),
            1u);
  hg::resolve_relations(config, disk, known);
  const auto book = hg::load_partition_book(config, 1, disk);
  EXPECT_EQ(std::get<hg::partition_book>(book).num_nodes(), 4u);
  const hg::entity_type nodes{hg::entity::node, 0};
  EXPECT_EQ(hg::load_original_ids(config, 1, nodes, disk, known),
            (std::vector<std::uint64_t>{0, 1, 2, 3}));
}

TEST_F(folder_of_a_graph, is_judged) {
  EXPECT_EQ(hg::report_folder(config, access()).report.edge_cut, 0u);
  const auto alone = hg::verify_partition(path + "/graph.json", access());
  EXPECT_TRUE(alone.ok()) << (alone.findings.empty() ? "" : alone.findings[0].sentence);
  const auto against = hg::verify_partition(path + "/graph.json", same_graph(), access());
  EXPECT_EQ(against.nodes, 4u);
}

TEST_F(folder_of_a_graph, is_amended_and_recorded) {
  EXPECT_EQ(hg::read_node_mapping(config, disk)->rows(), 4u);
  EXPECT_EQ(hg::recognize_input(path + "/graph.json", disk, codec).format,
            hg::input_format::partition);
  const hg::recorded_files<hg::any_file_opener> recorded{.inner = disk};
  EXPECT_GT(recorded(path + "/graph.json").bytes.size(), 0u);
  recorded.settle();
  EXPECT_EQ(hg::put_into_folder(config, "words.txt", "two words", {}, disk), "");
  EXPECT_EQ(hg::testing::content_of(path + "/words.txt"), "two words");
  EXPECT_EQ(
      hg::amend_folder(
          config, {}, {}, [](hg::staged_folder&, std::set<std::string>&) { return false; }, disk),
      "");
}

TEST_F(folder_of_a_graph, is_streamed_restored_and_added_to) {
  const auto stream = hg::stream_partition(config, {}, disk, known);
  EXPECT_EQ(stream.node_counts, (std::vector<std::uint64_t>{4}));

  place.write("rows.npy", hg::testing::npy<std::int16_t>("<i2", "(4,)", {5, 6, 7, 8}));
  place.write("none.npy", hg::testing::npy<std::int16_t>("<i2", "(0,)", {}));
  const auto restored = hg::restore_rows(
      config, {hg::entity::node, 0},
      [&](std::size_t part) { return place(part == 1 ? "rows.npy" : "none.npy"); },
      place("restored.npy"), access());
  EXPECT_EQ(restored.shape, (hg::tensor_shape{4}));
  EXPECT_EQ(hg::testing::content_of(place("restored.npy")),
            hg::testing::content_of(place("rows.npy")));

  hg::basic_feature_set<archetype::feature_store> more;
  more.nodes.push_back({0, "again", archetype::feature_store(4)});
  EXPECT_EQ(hg::attach_features(config, more, access()).added.size(), 1u);
  EXPECT_EQ(hg::load_partition_feats(config, 1, disk, known).nodes.size(), 2u);

  hg::write_cache_plan({{0, 2, 1}}, place("plan.npy"));
  EXPECT_EQ(
      hg::attach_cache(config, hg::read_cache_plan(place("plan.npy"), config, disk), access()).rows,
      1u);
  EXPECT_EQ(hg::load_cached_features(config, 0, disk, known).size(), 3u);
  EXPECT_FALSE(hg::read_simulation(config, disk, codec));
}

}  // namespace
