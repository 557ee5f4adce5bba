// SPDX-License-Identifier: BSL-1.0
#include "support/collect_stream.hpp"
#include "support/small_folder.hpp"

#include <halograph/graph/generators.hpp>
#include <halograph/io/add_edges.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <set>
#include <string>
#include <vector>

namespace {

namespace hg = halograph;
using hg::testing::edge_pairs;
using hg::testing::edges_of;
using hg::testing::feature_of;
using hg::testing::rows_of;
using hg::testing::small_dataset;

TEST(streamed_graph, is_the_graph_that_was_given) {
  for (const bool typed : {false, true}) {
    hg::testing::expect_same_graph(hg::stream_dataset(small_dataset(1, typed)),
                                   small_dataset(1, typed));
  }
  auto g = hg::stream_dataset(small_dataset(1, true));
  hg::validate(g);
  g.node_features[1].name = "a/b";
  EXPECT_THROW(hg::validate(g), hg::error);
  g.node_features[1].name = "x";
  g.node_features[1].type = 0;
  EXPECT_THROW(hg::validate(g), hg::error);
}

TEST(streamed_graph, any_storage_is_numbered_by_its_edge_ids) {
  const std::vector<std::vector<std::uint8_t>> neighbors{
      {1, 2}, {}, {0, 2}};  // node v's in- or out-neighbors
  const auto g = hg::stream_graph(neighbors, hg::graph_schema::homogeneous(), hg::feature_set{},
                                  "lists");
  edge_pairs expected(4);
  hg::visit_edges(neighbors,
                  [&](auto u, auto v, auto e) { expected[static_cast<std::size_t>(e)] = {u, v}; });
  EXPECT_EQ(edges_of(g, 0), expected);
  EXPECT_EQ(g.node_counts, std::vector<std::uint64_t>{3});
}

TEST(add_reverse_edges, within_a_type_the_reverse_of_edge_i_is_edge_m_plus_i) {
  const auto data = small_dataset(2, false);
  const auto g = hg::add_reverse_edges(hg::stream_dataset(small_dataset(2, false)));
  EXPECT_EQ(g.schema, data.schema);
  const auto edges = edges_of(g, 0);
  ASSERT_EQ(edges.size(), 120u);
  for (std::size_t e = 0; e < 60; ++e) {
    EXPECT_EQ(edges[e], std::pair(data.edges[0].source[e], data.edges[0].target[e]));
    EXPECT_EQ(edges[60 + e], std::pair(data.edges[0].target[e], data.edges[0].source[e]));
  }
  const auto w = rows_of(feature_of(g.edge_features, 0, "w"));
  ASSERT_EQ(w.rows(), 120u);
  for (std::size_t e = 0; e < 120; ++e)
    EXPECT_EQ(w.integer(e), static_cast<std::int64_t>(10 * (e % 60)));
}

TEST(add_reverse_edges, between_types_they_are_a_type_of_their_own) {
  const auto data = small_dataset(3, true);
  const auto g = hg::add_reverse_edges(hg::stream_dataset(small_dataset(3, true)));
  std::vector<std::string> names;
  for (const auto& type : g.schema.edge_types()) names.push_back(type.str());
  EXPECT_EQ(names,
            (std::vector<std::string>{"user:buys:item", "item:bought_by:user", "user:knows:user",
                                      "item:rev_buys:user", "user:rev_bought_by:item"}));
  EXPECT_EQ(g.edge_counts, (std::vector<std::uint64_t>{60, 60, 120, 60, 60}));
  const auto reversed = edges_of(g, 3);
  for (std::size_t e = 0; e < 60; ++e)
    EXPECT_EQ(reversed[e], std::pair(data.edges[0].target[e], data.edges[0].source[e]));
  EXPECT_EQ(edges_of(g, 1).size(), 60u);
  EXPECT_EQ(rows_of(feature_of(g.edge_features, 3, "w")),
            rows_of(feature_of(g.edge_features, 0, "w")));
  EXPECT_EQ(rows_of(feature_of(g.edge_features, 2, "w")).rows(), 120u);
  hg::validate(g);
  try {
    static_cast<void>(hg::add_reverse_edges(g));
    FAIL() << "reversed twice";
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.code(), hg::error_kind::exists);
    EXPECT_NE(problem.message().find("rev_buys"), std::string::npos);
  }
}

TEST(add_self_loops, each_node_has_one_and_edges_keep_their_numbers) {
  for (const std::uint64_t nodes : {1u, 30u, 64u, 200u}) {
    const auto data = small_dataset(nodes, true, nodes < 2 ? 2 : nodes, 60);
    const auto g = hg::add_self_loops(
        hg::stream_dataset(small_dataset(nodes, true, nodes < 2 ? 2 : nodes, 60)));
    EXPECT_EQ(g.edge_counts[0], 60u);
    EXPECT_EQ(g.edge_counts[1], 60u);
    const auto edges = edges_of(g, 2);
    std::set<std::uint64_t> had;
    edge_pairs expected;
    for (std::size_t e = 0; e < 60; ++e) {
      expected.emplace_back(data.edges[2].source[e], data.edges[2].target[e]);
      if (expected[e].first == expected[e].second) had.insert(expected[e].first);
    }
    for (std::uint64_t v = 0; v < data.node_counts[0]; ++v) {
      if (had.count(v) == 0) expected.emplace_back(v, v);
    }
    EXPECT_EQ(edges, expected);
    const auto w = rows_of(feature_of(g.edge_features, 2, "w"));
    ASSERT_EQ(w.rows(), expected.size());
    for (std::size_t e = 60; e < expected.size(); ++e) EXPECT_EQ(w.integer(e), 1);
    EXPECT_EQ(w.integer(59), 590);
  }
}

TEST(add_self_loops, of_many_nodes_any_range_is_found) {
  // More nodes than a block of the set, with loops at every third.
  constexpr std::uint64_t nodes = 200'000;
  hg::dataset<> data;
  data.schema = hg::graph_schema::homogeneous();
  data.node_counts = {nodes};
  data.edges.resize(1);
  std::vector<std::uint64_t> missing;
  for (std::uint64_t v = 0; v < nodes; ++v) {
    if (v % 3 == 0) {
      data.edges[0].source.push_back(v);
      data.edges[0].target.push_back(v);
    } else {
      missing.push_back(v);
    }
  }
  const std::uint64_t had = data.edges[0].source.size();
  data.finish();
  const auto g = hg::add_self_loops(hg::stream_dataset(std::move(data)));
  ASSERT_EQ(g.edge_counts[0], nodes);
  for (const std::uint64_t rank : {0u, 1u, 43689u, 43690u, 43691u, 65536u, 133332u}) {
    EXPECT_EQ(edges_of(g, 0, had + rank, had + rank + 1).at(0).first, missing[rank]);
  }
  EXPECT_EQ(edges_of(g, 0, had, nodes).size(), missing.size());
}

TEST(add_self_loops, ones_are_ones_in_every_dtype) {
  for (int i = 0; i <= static_cast<int>(hg::dtype::bfloat16); ++i) {
    const auto type = static_cast<hg::dtype>(i);
    hg::dataset<> data;
    data.schema = hg::graph_schema::homogeneous();
    data.node_counts = {2};
    data.edges.push_back({{0}, {1}});
    std::vector<std::byte> zeros(2 * hg::item_bytes(type));
    data.features.edges.push_back({0, "w", hg::tensor(type, {1, 2}, zeros)});
    data.finish();
    const auto g = hg::add_self_loops(hg::stream_dataset(std::move(data)));
    const auto w = rows_of(g.edge_features.at(0));
    ASSERT_EQ(w.rows(), 3u);
    if (hg::is_integer(type)) {
      EXPECT_EQ(w.integer(1), 0);
      EXPECT_EQ(w.integer(2), 1);
      EXPECT_EQ(w.integer(5), 1);
    } else if (type == hg::dtype::float32) {
      EXPECT_EQ(w.values<float>(), (std::vector<float>{0, 0, 1, 1, 1, 1}));
    } else if (type == hg::dtype::float64) {
      EXPECT_EQ(w.values<double>(), (std::vector<double>{0, 0, 1, 1, 1, 1}));
    } else {
      std::uint16_t bits = 0;
      std::memcpy(&bits, w.bytes().data() + 4, 2);
      EXPECT_EQ(bits, type == hg::dtype::float16 ? 0x3C00 : 0x3F80);
    }
  }
}

}  // namespace
