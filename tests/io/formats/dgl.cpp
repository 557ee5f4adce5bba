// SPDX-License-Identifier: BSL-1.0
#include <halograph/io/formats/dgl.hpp>

#include <gtest/gtest.h>
#include <support/collect_stream.hpp>
#include <support/temporary_folder.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace hg = halograph;
using hg::testing::temporary_folder;

namespace {

using ids = std::vector<std::uint64_t>;

hg::tensor column(std::vector<std::int64_t> values) { return hg::tensor::from(std::move(values)); }

/// Edges 0 -> 1, 2 -> 0, 0 -> 0 between 3 users and 2 items, stored as asked, and items by users.
hg::dgl::graph_data shop(int format) {
  hg::dgl::graph_data graph;
  graph.node_types = {{"user", 3, {{"age", column({20, 30, 40})}, {"_ID", column({0, 1, 2})}}},
                      {"item", 2, {}}};
  hg::dgl::relation_data buys;
  buys.name = "buys";
  buys.target = 1;
  buys.edges = 3;
  if (format == 0) buys.coo = hg::coo_columns{column({0, 2, 0}), column({1, 0, 0})};
  if (format == 1)
    buys.csr = hg::compressed_columns{column({0, 2, 2, 3}), column({1, 0, 0}), column({0, 2, 1})};
  if (format == 2)
    buys.csc = hg::compressed_columns{column({0, 2, 3}), column({2, 0, 0}), column({1, 2, 0})};
  buys.columns = {{"w", column({7, 8, 9})}, {"part_id", column({0, 0, 0})}};
  hg::dgl::relation_data by;
  by.name = "by";
  by.source = 1;
  by.edges = 1;
  by.csr = hg::compressed_columns{column({0, 0, 1}), column({2}), column({})};
  graph.relations = {buys, by};
  return graph;
}

std::string write(const temporary_folder& folder, std::vector<hg::dgl::graph_data> graphs) {
  hg::memory_sink sink;
  hg::dgl::write_graphs(sink, {std::move(graphs), {}});
  return folder.write("shop.dgl",
                      {reinterpret_cast<const char*>(sink.bytes().data()), sink.bytes().size()});
}

TEST(read_dgl_graph, numbers_edges_as_dgl_does_in_every_format) {
  for (const int format : {0, 1, 2}) {
    const temporary_folder folder;
    const auto data = hg::read_dgl_graph<std::uint16_t, std::uint16_t>(
        write(folder, {shop(format)}));
    EXPECT_EQ(data.name, "shop");
    ASSERT_EQ(data.schema.num_edge_types(), 2u);
    EXPECT_EQ(data.schema.edge_types()[1].str(), "item:by:user");
    EXPECT_EQ(data.node_counts, (ids{3, 2}));
    EXPECT_EQ(data.edges[0].source, (std::vector<std::uint16_t>{0, 2, 0})) << format;
    EXPECT_EQ(data.edges[0].target, (std::vector<std::uint16_t>{1, 0, 0})) << format;
    EXPECT_EQ(data.edges[1].source, (std::vector<std::uint16_t>{1}));
    EXPECT_EQ(data.edges[1].target, (std::vector<std::uint16_t>{2}));
    EXPECT_EQ(data.graph().validate(), hg::status::ok);
  }
}

TEST(read_dgl_graph, makes_features_of_columns_but_reserved_ones) {
  const temporary_folder folder;
  const auto path = write(folder, {shop(0)});
  const auto data = hg::read_dgl_graph(path);
  ASSERT_EQ(data.features.nodes.size(), 1u);
  EXPECT_EQ(data.features.nodes[0].rows.chunks()[0], column({20, 30, 40}));
  EXPECT_NE(data.edge_feature(0, "w"), nullptr);
  EXPECT_NE(data.edge_feature(0, "part_id"), nullptr);
  EXPECT_EQ(data.notes.size(), 1u);
  EXPECT_TRUE(hg::read_dgl_graph(path, {.features = false}).features.edges.empty());
}

TEST(read_dgl_graph, takes_the_graph_asked_for) {
  const temporary_folder folder;
  hg::dgl::graph_data lone;
  lone.node_types = {{"_N", 5, {}}};
  const auto path = write(folder, {shop(0), lone});
  EXPECT_EQ(hg::read_dgl_graph(path, {.graph = 1}).num_nodes(), 5u);
  EXPECT_THROW(static_cast<void>(hg::read_dgl_graph(path, {.graph = 2})), hg::error);
}

TEST(read_dgl_graph, refuses_names_that_could_be_paths_and_narrow_ids) {
  const temporary_folder folder;
  auto graph = shop(0);
  graph.node_types[0].name = "a/b";
  EXPECT_THROW(static_cast<void>(hg::read_dgl_graph(write(folder, {graph}))), hg::error);
  graph = shop(0);
  graph.node_types[0].columns[0].name = "../x";
  EXPECT_THROW(static_cast<void>(hg::read_dgl_graph(write(folder, {graph}))), hg::error);
  hg::dgl::graph_data large;
  large.node_types = {{"_N", 300, {}}};
  try {
    static_cast<void>(hg::read_dgl_graph<std::uint8_t, std::uint8_t>(write(folder, {large})));
    FAIL();
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.code(), hg::error_kind::overflow);
  }
}

hg::tensor column32(std::vector<std::int32_t> values) {
  return hg::tensor::from(std::move(values));
}

TEST(stream_dgl_graph, is_the_graph_that_is_read_whole) {
  for (const bool pairs : {true, false}) {
    hg::dgl::graph_data graph;
    graph.node_types = {
        {"user", 3, {{"age", column32({20, 30, 40})}, {"_ID", column32({0, 1, 2})}}},
        {"item", 2, {}}};
    hg::dgl::relation_data buys, by;
    buys.name = "buys";
    buys.target = 1;
    buys.edges = 3;
    buys.coo = hg::coo_columns{column32({0, 2, 0}), column32({1, 0, 0})};
    buys.columns = {{"w", column32({7, 8, 9})}};
    by.name = "by";
    by.source = 1;
    by.edges = 1;
    if (pairs)
      by.coo = hg::coo_columns{column32({1}), column32({2})};
    else
      by.csr = hg::compressed_columns{column32({0, 0, 1}), column32({2}), column32({})};
    graph.relations = {buys, by};
    hg::memory_sink sink;
    hg::dgl::write_graphs(sink, {{graph}, {}});
    const temporary_folder place;
    const auto path = place.write("shop.dgl", hg::testing::text_of(sink.bytes()));
    const auto g = hg::stream_dgl_graph(path);
    hg::validate(g);
    const auto data = hg::read_dgl_graph(path);
    hg::testing::expect_same_graph(g, data);
    EXPECT_EQ(g.name, "shop");
    EXPECT_EQ(g.notes, data.notes);
    EXPECT_TRUE(hg::stream_dgl_graph(path, {.features = false}).edge_features.empty());
  }
}

}  // namespace
