// SPDX-License-Identifier: BSL-1.0
#include <halograph/io/streamed_graph.hpp>

#include <gtest/gtest.h>
#include <support/collect_stream.hpp>
#include <support/small_folder.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace hg = halograph;

namespace {

/// Edges as given, between `nodes` nodes of one type.
hg::streamed_graph pairs(std::uint64_t nodes, std::vector<std::uint64_t> sources,
                         std::vector<std::uint64_t> targets) {
  hg::streamed_graph g;
  g.name = "pairs";
  g.schema = hg::graph_schema::homogeneous();
  g.node_counts = {nodes};
  g.edge_counts = {sources.size()};
  g.read_edges = [sources, targets](hg::type_id, std::uint64_t first, std::uint64_t last,
                                    const hg::edge_block_visitor& visit) {
    for (; first < last; ++first)
      visit(std::span(sources).subspan(static_cast<std::size_t>(first), 1),
            std::span(targets).subspan(static_cast<std::size_t>(first), 1), first);
  };
  return g;
}

template <class Node>
hg::error_kind refusal(const hg::streamed_graph& g) {
  try {
    static_cast<void>(hg::materialize<Node, Node>(g));
  } catch (const hg::error& problem) {
    return problem.code();
  }
  return hg::error_kind::ok;
}

TEST(materialize, loads_what_stream_dataset_streams) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const auto g = hg::stream_dataset(hg::testing::small_dataset(seed, true));
    const auto wide = hg::materialize(g);
    hg::testing::expect_same_graph(g, wide);
    EXPECT_EQ(wide.name, g.name);
    EXPECT_EQ(wide.graph().validate(), hg::status::ok);
    hg::testing::expect_same_graph(g, hg::materialize<std::uint16_t, std::uint16_t>(g));
  }
}

TEST(materialize, takes_narrow_ids_up_to_their_limit) {
  EXPECT_EQ(refusal<std::uint8_t>(pairs(200, {199, 0}, {0, 199})), hg::error_kind::ok);
  EXPECT_EQ(refusal<std::uint8_t>(pairs(300, {0}, {1})), hg::error_kind::overflow);
  const std::vector<std::uint64_t> many(300);
  EXPECT_EQ(refusal<std::uint8_t>(pairs(2, many, many)), hg::error_kind::overflow);
}

TEST(materialize, rejects_edges_that_do_not_fit) {
  EXPECT_EQ(refusal<std::uint64_t>(pairs(3, {0, 3}, {1, 1})), hg::error_kind::out_of_range);
  EXPECT_EQ(refusal<std::uint64_t>(pairs(3, {0, 1}, {1, 7})), hg::error_kind::out_of_range);
  auto fewer = pairs(3, {0}, {1});
  fewer.edge_counts = {2};
  fewer.read_edges = [](hg::type_id, std::uint64_t, std::uint64_t,
                        const hg::edge_block_visitor& visit) {
    const std::array<std::uint64_t, 1> ends{0};
    visit(ends, ends, 0);
  };
  EXPECT_EQ(refusal<std::uint64_t>(fewer), hg::error_kind::mismatch);
}

}  // namespace
