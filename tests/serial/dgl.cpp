// SPDX-License-Identifier: BSL-1.0
#include <halograph/serial/dgl.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace hg = halograph;
using hg::column;

namespace {

using bytes = std::vector<std::byte>;

hg::part_plan plan(hg::sparse_formats formats) {
  hg::part_plan part;
  part.parts = 2;
  part.nodes = part.edges = 3;
  part.inner_nodes = part.inner_edges = 2;
  part.types = part.part_ids = part.original_ids = part.mapping = true;
  part.formats = formats;
  part.node_features = {{"user/w", hg::dtype::float32, {2, 2}}, {"item/mask", hg::dtype::boolean, {0}}};
  part.edge_features = {{"user:buys:item/n", hg::dtype::int16, {2}}};
  part.original_nodes = {{"user", 2}, {"item", 0}};
  part.original_edges = {{"user:buys:item", 2}};
  return part;
}

template <class T>
hg::tensor col(std::vector<T> values) {
  return hg::tensor::from(std::move(values));
}

/// Edges 2->0, 0->1, 1->2; narrow integers, which writing must widen.
hg::tensor data_of(const hg::section& target) {
  switch (target.what) {
    case column::coo_source: case column::csc_sources: return col<std::int8_t>({2, 0, 1});
    case column::coo_target: return col<std::int8_t>({0, 1, 2});
    case column::csr_targets: case column::csr_edges: return col<std::uint16_t>({1, 2, 0});
    case column::csr_offsets: case column::csc_offsets: return col<std::uint32_t>({0, 1, 2, 3});
    case column::csc_edges: return col<std::int64_t>({0, 1, 2});
    case column::node_id: return col<std::int32_t>({0, 1, 4});
    case column::inner_node: case column::inner_edge: return col<std::uint8_t>({1, 1, 0});
    case column::node_part: return col<std::uint32_t>({0, 0, 1});
    case column::node_type: return col<std::uint8_t>({0, 0, 1});
    case column::node_original: return col<std::int32_t>({3, 5, 7});
    case column::edge_id: return col<std::int32_t>({0, 1, 5});
    case column::edge_type: return col<std::uint8_t>({0, 0, 0});
    case column::edge_original: return col<std::int32_t>({8, 9, 10});
    case column::node_feature:
      return target.item == 0 ? hg::tensor::from(std::vector<float>{1, 2, 3, 4}, {2, 2}) : hg::tensor::from(std::vector<std::uint8_t>{}, {0}, hg::dtype::boolean);
    case column::edge_feature: return col<std::int16_t>({-1, 1});
    case column::original_nodes: return target.item == 0 ? col<std::int32_t>({3, 5}) : col<std::int32_t>({});
    case column::original_edges: return col<std::int32_t>({8, 9});
  }
  return {};
}

std::map<std::string, bytes> written(const hg::part_layout& layout) {
  std::map<std::string, bytes> files;
  for (const auto& file : layout.files) {
    hg::memory_sink sink;
    hg::save(file, sink, data_of);
    files[file.name] = {sink.bytes().begin(), sink.bytes().end()};
    EXPECT_EQ(sink.bytes().size(), file.bytes) << file.name;
  }
  return files;
}

}  // namespace

TEST(dgl_serializer, gives_back_the_part_in_every_combination_of_formats) {
  const hg::dgl_serializer dgl;
  for (std::uint8_t bits = 1; bits < 8; ++bits) {
    const auto layout = dgl.layout(plan({bits}));
    auto files = written(layout);
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
    EXPECT_EQ(dgl.read_features({files[layout.edge_feature_file], nullptr}, "e")[0].value, col<std::int16_t>({-1, 1}));
    const auto mapping = dgl.read_features({files[layout.original_nodes_file], nullptr}, "o");
    EXPECT_EQ(mapping[0].name, "item");
    EXPECT_EQ(mapping[1].value, col<std::int64_t>({3, 5}));
    EXPECT_EQ(dgl.read_features({files[layout.original_edges_file], nullptr}, "o")[0].value, col<std::int64_t>({8, 9}));
  }
}

TEST(dgl_serializer, leaves_nothing_but_reserved_bytes_uncovered) {
  const auto layout = hg::dgl_serializer{}.layout(plan(hg::sparse_formats::all()));
  for (const auto& file : layout.files) {
    EXPECT_EQ(hg::check_layout(file), hg::status::ok);
    std::uint64_t covered = 0;
    for (const auto& one : file.literals) covered += one.bytes.size();
    for (const auto& one : file.sections) covered += one.bytes();
    EXPECT_EQ(covered + (file.name == layout.graph_file ? 4096 - 32 : 0), file.bytes) << file.name;
  }
}

TEST(dgl_serializer, has_each_column_once_and_only_those_asked_for) {
  const auto columns = [](const hg::part_plan& part) {
    std::multiset<std::pair<column, std::size_t>> found;
    for (const auto& file : hg::dgl_serializer{}.layout(part).files) {
      for (const auto& one : file.sections) found.emplace(one.what, one.item);
    }
    return found;
  };
  const auto all = columns(plan(hg::sparse_formats::all()));
  EXPECT_EQ(all.size(), 17u + 2 + 1 + 2 + 1);
  EXPECT_EQ(std::set(all.begin(), all.end()).size(), all.size());
  hg::part_plan bare;
  bare.nodes = 1;
  EXPECT_EQ(columns(bare), (std::multiset<std::pair<column, std::size_t>>{
                               {column::coo_source, 0}, {column::coo_target, 0}, {column::node_id, 0}, {column::inner_node, 0},
                               {column::edge_id, 0}, {column::inner_edge, 0}}));
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
  hg::part_plan part;
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
}
