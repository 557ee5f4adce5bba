// SPDX-License-Identifier: BSL-1.0
#include "support/collect_stream.hpp"
#include "support/temporary_folder.hpp"

#include <halograph/io/formats/stream_dgl_graph.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace {

namespace hg = halograph;
using hg::testing::temporary_folder;

hg::tensor column(std::vector<std::int32_t> values) { return hg::tensor::from(std::move(values)); }

TEST(stream_dgl_graph, is_the_graph_that_is_read_whole) {
  for (const bool pairs : {true, false}) {
    hg::dgl::graph_data graph;
    graph.node_types = {{"user", 3, {{"age", column({20, 30, 40})}, {"_ID", column({0, 1, 2})}}},
                        {"item", 2, {}}};
    hg::dgl::relation_data buys, by;
    buys.name = "buys";
    buys.target = 1;
    buys.edges = 3;
    buys.coo = hg::coo_columns{column({0, 2, 0}), column({1, 0, 0})};
    buys.columns = {{"w", column({7, 8, 9})}};
    by.name = "by";
    by.source = 1;
    by.edges = 1;
    if (pairs)
      by.coo = hg::coo_columns{column({1}), column({2})};
    else
      by.csr = hg::compressed_columns{column({0, 0, 1}), column({2}), column({})};
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
