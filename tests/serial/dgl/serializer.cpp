// SPDX-License-Identifier: BSL-1.0
#include <halograph/serial/dgl/graph.hpp>
#include <halograph/serial/dgl/graph_data.hpp>
#include <halograph/serial/dgl/serializer.hpp>

#include <gtest/gtest.h>
#include <support/part_files.hpp>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace hg = halograph;
using hg::column;
using hg::testing::small_part;

namespace {

template <class T>
hg::tensor col(std::vector<T> values) {
  return hg::tensor::from(std::move(values));
}

}  // namespace

TEST(dgl_serializer, gives_back_the_part_in_every_combination_of_formats) {
  const hg::dgl_serializer dgl;
  for (std::uint8_t bits = 1; bits < 8; ++bits) {
    const auto layout = dgl.layout(small_part({bits}));
    auto files = hg::testing::small_part_files(layout);
    ASSERT_EQ(files.size(), 5u);
    const auto part = dgl.read_structure({files[layout.graph_file], nullptr}, "graph.dgl");
    EXPECT_EQ(part.nodes, 3u);
    EXPECT_EQ(part.edges, 3u);
    EXPECT_EQ(part.coo.has_value(), (bits & 1) != 0);
    EXPECT_EQ(part.csr.has_value(), (bits & 2) != 0);
    EXPECT_EQ(part.csc.has_value(), (bits & 4) != 0);
    std::map<std::string, hg::tensor> nodes, edges;
    for (const auto& one : part.node_columns) nodes[one.name] = one.value;
    for (const auto& one : part.edge_columns) edges[one.name] = one.value;
    EXPECT_EQ(nodes.size(), 5u);
    EXPECT_EQ(edges.size(), 4u);
    EXPECT_EQ(nodes["_ID"], col<std::int64_t>({0, 1, 4}));
    EXPECT_EQ(nodes["inner_node"], col<std::uint8_t>({1, 1, 0}));
    EXPECT_EQ(nodes["part_id"], col<std::int64_t>({0, 0, 1}));
    EXPECT_EQ(nodes["_TYPE"], col<std::int32_t>({0, 0, 1}));
    EXPECT_EQ(nodes["orig_id"], col<std::int64_t>({3, 5, 7}));
    EXPECT_EQ(edges["_ID"], col<std::int64_t>({0, 1, 5}));
    EXPECT_EQ(edges["inner_edge"], col<std::uint8_t>({1, 1, 0}));
    EXPECT_EQ(edges["_TYPE"], col<std::int32_t>({0, 0, 0}));
    EXPECT_EQ(edges["orig_id"], col<std::int64_t>({8, 9, 10}));

    const auto features = dgl.read_features({files[layout.node_feature_file], nullptr}, "n");
    ASSERT_EQ(features.size(), 2u);
    EXPECT_EQ(features[0].name, "item/mask");
    EXPECT_EQ(features[0].value.type(), hg::dtype::uint8);
    EXPECT_EQ(features[1].value, hg::tensor::from(std::vector<float>{1, 2, 3, 4}, {2, 2}));
    EXPECT_EQ(dgl.read_features({files[layout.edge_feature_file], nullptr}, "e")[0].value,
              col<std::int16_t>({-1, 1}));
    const auto mapping = dgl.read_features({files[layout.original_nodes_file], nullptr}, "o");
    EXPECT_EQ(mapping[0].name, "item");
    EXPECT_EQ(mapping[1].value, col<std::int64_t>({3, 5}));
    EXPECT_EQ(dgl.read_features({files[layout.original_edges_file], nullptr}, "o")[0].value,
              col<std::int64_t>({8, 9}));
  }
}

TEST(dgl_serializer, leaves_nothing_but_reserved_bytes_uncovered) {
  const auto layout = hg::dgl_serializer{}.layout(small_part(hg::sparse_formats::all()));
  for (const auto& file : layout.files) {
    EXPECT_EQ(hg::check_layout(file), hg::status::ok);
    std::uint64_t covered = 0;
    for (const auto& one : file.literals) covered += one.bytes.size();
    for (const auto& one : file.sections) covered += one.bytes();
    EXPECT_EQ(covered + (file.name == layout.graph_file ? 4096 - 32 : 0), file.bytes) << file.name;
  }
}

TEST(dgl_serializer, has_each_column_once_and_only_those_asked_for) {
  const auto columns = [](const hg::part_description& part) {
    std::multiset<std::pair<column, std::size_t>> found;
    for (const auto& file : hg::dgl_serializer{}.layout(part).files) {
      for (const auto& one : file.sections) found.emplace(one.what, one.item);
    }
    return found;
  };
  const auto all = columns(small_part(hg::sparse_formats::all()));
  EXPECT_EQ(all.size(), 17u + 2 + 1 + 2 + 1);
  EXPECT_EQ(std::set(all.begin(), all.end()).size(), all.size());
  hg::part_description bare;
  bare.nodes = 1;
  EXPECT_EQ(columns(bare),
            (std::multiset<std::pair<column, std::size_t>>{{column::coo_source, 0},
                                                           {column::coo_target, 0},
                                                           {column::node_id, 0},
                                                           {column::inner_node, 0},
                                                           {column::edge_id, 0},
                                                           {column::inner_edge, 0}}));
}

TEST(dgl_serializer, names_feature_files_as_the_guide_or_as_dgl) {
  EXPECT_EQ(hg::dgl_serializer{}.layout({}).node_feature_file, "node_feats.dgl");
  EXPECT_EQ(hg::dgl_serializer{}.layout({}).edge_feature_file, "edge_feats.dgl");
  const hg::dgl_serializer dgl{.file_names = hg::dgl_file_names::dgl};
  EXPECT_EQ(dgl.layout({}).node_feature_file, "node_feat.dgl");
  EXPECT_EQ(dgl.layout({}).edge_feature_file, "edge_feat.dgl");
  EXPECT_EQ(dgl.layout({}).files.size(), 3u) << "no mapping unless asked for";
}

TEST(dgl_serializer, refuses_plans_that_no_file_can_hold) {
  hg::part_description part;
  part.formats = hg::sparse_formats::none();
  EXPECT_THROW(hg::dgl_serializer{}.layout(part), hg::error);
  part = {};
  part.nodes = std::uint64_t{1} << 61;
  EXPECT_THROW(hg::dgl_serializer{}.layout(part), hg::error);
  part = {};
  part.node_features = {{"_N/x", hg::dtype::int8, {}}};
  EXPECT_THROW(hg::dgl_serializer{}.layout(part), hg::error);
  part.node_features = {{"_N/x", hg::dtype::int8, {0}}, {"_N/x", hg::dtype::int8, {0}}};
  EXPECT_THROW(hg::dgl_serializer{}.layout(part), hg::error);
}

TEST(dgl_serializer, wants_one_graph_of_one_type) {
  const auto refused = [](const hg::dgl::graph_file& content) {
    hg::memory_sink sink;
    hg::dgl::write_graphs(sink, content);
    EXPECT_THROW(hg::dgl_serializer{}.read_structure({sink.bytes(), nullptr}, "g"), hg::error);
  };
  refused({});
  refused({{hg::dgl::graph_data{}}, {}});
  refused({{hg::dgl::graph_data{}, hg::dgl::graph_data{}}, {}});
  refused({{hg::dgl::graph_data{{{"_N", 1, {}}}, {}}}, {}});
}
