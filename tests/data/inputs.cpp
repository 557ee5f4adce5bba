// SPDX-License-Identifier: BSL-1.0
// Every real graph loads with the counts that its folder's README states.
#include <halograph/adapters/boost_interprocess.hpp>
#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/adapters/zlib.hpp>
#include <halograph/io/open_dataset.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <set>
#include <string>
#include <utility>

namespace hg = halograph;

namespace {

struct real_graph {
  const char* name;
  std::uint64_t nodes;
  std::uint64_t edges;  // as listed; of METIS graphs twice the number of edges
  std::size_t node_types = 1;
  std::size_t edge_types = 1;
  std::size_t loops = 0;

  friend void PrintTo(const real_graph& g, std::ostream* out) { *out << g.name; }
};

hg::dataset<std::uint32_t, std::uint32_t> load(const std::string& path,
                                               const hg::input_options& options = {}) {
  return hg::load_dataset<std::uint32_t, std::uint32_t>(
      std::string(HALOGRAPH_SHARED_DIR) + "/data/" + path, options,
      hg::gz_files<hg::mapped_files>{}, hg::nlohmann_codec{});
}

class real_graphs : public testing::TestWithParam<real_graph> {};

TEST_P(real_graphs, load_with_their_counts) {
  const auto& expected = GetParam();
  const auto data = load(expected.name);
  EXPECT_EQ(data.name, expected.name);
  EXPECT_EQ(data.num_nodes(), expected.nodes);
  EXPECT_EQ(data.num_edges(), expected.edges);
  EXPECT_EQ(data.schema.num_node_types(), expected.node_types);
  EXPECT_EQ(data.schema.num_edge_types(), expected.edge_types);
  EXPECT_EQ(data.graph().validate(), hg::status::ok);
  std::size_t loops = 0;
  data.graph().for_each_edge([&](auto u, auto v, auto) { loops += u == v; });
  EXPECT_EQ(loops, expected.loops);
}

INSTANTIATE_TEST_SUITE_P(data, real_graphs,
                         testing::Values(real_graph{"karate", 34, 78},
                                         real_graph{"lesmis", 77, 254},
                                         real_graph{"cora", 2708, 5278},
                                         real_graph{"citeseer", 3327, 4552},
                                         real_graph{"facebook-pages", 22470, 170823},
                                         real_graph{"github-social", 37700, 289003},
                                         real_graph{"mesh-4elt", 15606, 2 * 45878},
                                         real_graph{"mesh-wing", 62032, 2 * 121544},
                                         real_graph{"road-fla", 1070376, 1343951},
                                         real_graph{"web-cnr2000", 325557, 3216152, 1, 1, 87442},
                                         real_graph{"openflights", 82022, 330871, 5, 7, 1},
                                         real_graph{"oewn", 428674, 614997, 6, 53}),
                         [](const auto& graph) {
                           std::string name = graph.param.name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

std::uint64_t ones(const hg::feature<>* mask) {
  std::uint64_t count = 0;
  for (const auto& chunk : mask->rows.chunks()) {
    for (const auto b : chunk.bytes()) count += b == std::byte{1};
  }
  return count;
}

TEST(real_graphs, cora_has_features_labels_and_the_standard_split) {
  const auto data = load("cora");
  ASSERT_NE(data.node_feature(0, "feat"), nullptr);
  EXPECT_EQ(data.node_feature(0, "feat")->rows.chunks()[0].shape(), (hg::tensor_shape{2708, 1433}));
  EXPECT_EQ(ones(data.node_feature(0, "feat")), 49216u);
  EXPECT_EQ(ones(data.node_feature(0, "train_mask")), 140u);
  EXPECT_EQ(ones(data.node_feature(0, "val_mask")), 500u);
  EXPECT_EQ(ones(data.node_feature(0, "test_mask")), 1000u);
  EXPECT_EQ(data.node_feature(0, "label")->rows.type(), hg::dtype::int64);
}

TEST(real_graphs, citeseer_and_facebook_have_sparse_features) {
  EXPECT_EQ(ones(load("citeseer").node_feature(0, "feat")), 105165u);
  const auto facebook = load("facebook-pages");
  EXPECT_EQ(ones(facebook.node_feature(0, "feat")), 314583u);
  EXPECT_EQ(facebook.node_feature(0, "feat")->rows.chunks()[0].shape(),
            (hg::tensor_shape{22470, 4714}));
}

TEST(real_graphs, lesmis_and_openflights_have_weights) {
  const auto lesmis = load("lesmis");
  EXPECT_EQ(lesmis.edge_weight_feature, "weight");
  EXPECT_EQ(lesmis.edge_feature(0, "weight")->rows.type(), hg::dtype::int64);
  const auto flights = load("openflights");
  EXPECT_EQ(flights.node_counts, (std::vector<std::uint64_t>{7698, 6162, 279, 220, 67663}));
  const auto type = flights.schema.resolve_edge_type("flight");
  ASSERT_NE(flights.edge_feature(type, "weight"), nullptr);
  EXPECT_EQ(flights.edge_feature(type, "weight")->rows.rows(), 36907u);
  EXPECT_EQ(flights.node_feature(0, "feat")->rows.type(), hg::dtype::float32);
}

TEST(real_graphs, fb15k_has_an_edge_type_for_each_relation) {
  const auto data = load("fb15k-237");
  EXPECT_EQ(data.num_nodes(), 14541u);
  EXPECT_EQ(data.num_edges(), 272115u);
  EXPECT_EQ(data.schema.num_edge_types(), 237u);
  EXPECT_EQ(data.schema.edge_types()[0].relation, "location.country.form_of_government");
  EXPECT_EQ(data.graph().validate(), hg::status::ok);
  // Of all three files together, the README counts pairs and loops.
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
  std::size_t edges = 0, loops = 0;
  for (const char* triples : {"train", "valid", "test"}) {
    load("fb15k-237", {.triples = triples}).graph().for_each_edge([&](auto u, auto v, auto) {
      pairs.emplace(u, v);
      ++edges;
      loops += u == v;
    });
  }
  EXPECT_EQ(edges, 310116u);
  EXPECT_EQ(pairs.size(), 283868u);
  EXPECT_EQ(loops, 1806u);
}

TEST(real_graphs, undirected_ones_get_their_reverses_where_asked) {
  EXPECT_EQ(load("karate", {.undirected = true}).num_edges(), 156u);
  EXPECT_THROW(static_cast<void>(load("web-cnr2000", {.undirected = true})), hg::error);
}

TEST(real_graphs, metis_test_graph_has_two_constraints) {
  const auto data = load("mesh-4elt/test.mgraph");
  EXPECT_EQ(data.num_nodes(), 766u);
  EXPECT_EQ(data.num_edges(), 2u * 1314);
  ASSERT_EQ(data.node_weights.size(), 2u);
  EXPECT_EQ(data.node_weights[1][2], 4);
  EXPECT_TRUE(data.notes.empty());
}

}  // namespace
