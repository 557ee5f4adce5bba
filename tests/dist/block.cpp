// SPDX-License-Identifier: BSL-1.0
#include <halograph/book/range_book.hpp>
#include <halograph/core/random.hpp>
#include <halograph/dist/block.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace hg = halograph;

namespace {

using ids = std::vector<std::int64_t>;
using numbers = std::vector<std::uint64_t>;

hg::sampled_edges random_frontier(std::uint64_t seed) {
  hg::random_stream stream(seed);
  hg::sampled_edges frontier;
  for (std::int64_t v = 0; v < 20; ++v) {
    if (stream.below(2) == 0) frontier.seeds.push_back(1000 + 7 * v);
  }
  for (std::size_t i = 0; i < frontier.seeds.size(); ++i) {
    for (auto k = stream.below(5); k > 0; --k) {
      frontier.neighbors.push_back(static_cast<std::int64_t>(1000 + stream.below(140)));
      frontier.edges.push_back(static_cast<std::int64_t>(5000 + frontier.edges.size()));
    }
    frontier.offsets.push_back(frontier.edges.size());
  }
  return frontier;
}

TEST(to_block, puts_destinations_first_and_each_other_source_once_as_it_comes) {
  std::vector<std::uint32_t> table;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto frontier = random_frontier(seed);
    const auto made = hg::to_block(frontier, table);
    ids expected = frontier.seeds;
    for (const auto u : frontier.neighbors) {
      if (std::find(expected.begin(), expected.end(), u) == expected.end()) expected.push_back(u);
    }
    EXPECT_EQ(made.nodes, expected);
    EXPECT_EQ(ids(made.dst_nodes().begin(), made.dst_nodes().end()), frontier.seeds);
    ASSERT_EQ(made.sources.size(), frontier.neighbors.size());
    for (std::size_t e = 0; e < made.sources.size(); ++e)
      EXPECT_EQ(made.src_nodes()[made.sources[e]], frontier.neighbors[e]);
    EXPECT_EQ(made.edges, frontier.edges);
    EXPECT_EQ(made.offsets, frontier.offsets);
    EXPECT_EQ(made, hg::to_block(frontier));
  }
}

TEST(to_block, of_nothing_is_a_block_of_nothing) {
  const auto made = hg::to_block({});
  EXPECT_EQ(made.num_src(), 0u);
  EXPECT_EQ(made.num_edges(), 0u);
  EXPECT_EQ(made.offsets, numbers{0});
}

TEST(to_block, refuses_a_destination_given_twice_and_rows_that_do_not_fit) {
  const auto sentence = [](hg::sampled_edges frontier) {
    try {
      hg::to_block(std::move(frontier));
    } catch (const hg::error& problem) {
      return std::string(problem.what());
    }
    return std::string("taken");
  };
  EXPECT_NE(sentence({{4, 9, 4}, {0, 0, 0, 0}, {}, {}}).find("node 4 occurs twice"),
            std::string::npos);
  EXPECT_NE(sentence({{4}, {0, 2}, {1}, {1}}).find("one more offset than nodes"),
            std::string::npos);
  EXPECT_NE(sentence({{4}, {0, 1}, {1}, {}}).find("a neighbor for each edge"), std::string::npos);
}

constexpr bool compacts_in_constexpr() {
  const std::uint8_t seeds[]{200, 3}, neighbors[]{3, 9, 200, 9};
  std::uint8_t nodes[6]{};
  std::uint32_t sources[4]{}, table[hg::block_table_size(2, 4)]{};
  std::size_t count = 0;
  using bytes = std::span<const std::uint8_t>;
  if (!hg::to_block_into(bytes(seeds), bytes(neighbors), std::span<std::uint8_t>(nodes), count,
                         std::span<std::uint32_t>(sources), std::span<std::uint32_t>(table))) {
    return false;
  }
  return count == 3 && nodes[2] == 9 && sources[0] == 1 && sources[1] == 2 && sources[2] == 0 &&
         sources[3] == 2;
}
static_assert(compacts_in_constexpr());

TEST(to_block, says_what_memory_is_too_small) {
  const ids seeds{1}, neighbors{2, 3};
  ids nodes(3);
  std::vector<std::uint32_t> sources(2), table(hg::block_table_size(1, 2));
  std::size_t count = 0;
  const auto with = [&](std::size_t n, std::size_t m, std::size_t slots) {
    return hg::to_block_into(std::span<const std::int64_t>(seeds),
                             std::span<const std::int64_t>(neighbors), std::span(nodes).first(n),
                             count, std::span(sources).first(m), std::span(table).first(slots));
  };
  EXPECT_EQ(with(3, 2, table.size()), hg::status::ok);
  EXPECT_EQ(with(2, 2, table.size()).position, 3u);
  EXPECT_EQ(with(3, 1, table.size()).position, 2u);
  EXPECT_EQ(with(3, 2, table.size() - 1).position, table.size());
}

TEST(map_to_types, converts_nodes_and_edges_in_one_call) {
  hg::graph_schema schema;
  schema.add_node_type("user");
  schema.add_node_type("item");
  schema.add_edge_type({"user", "buys", "item"});
  const numbers nodes{0, 3, 5, 7, 8},
      edges{0, 4, 6};  // (part, type): users 0-2, items 3-4, users 5-6, item 7
  const hg::partition_book book(schema, 2, nodes, edges);
  const hg::block one{1, {7, 5, 1}, {0, 2}, {1, 2}, {4, 5}};
  const auto typed = hg::map_to_types(one, book);
  EXPECT_EQ(typed.src.types, (std::vector<hg::type_id>{1, 0, 0}));
  EXPECT_EQ(typed.src.ids, (std::vector<std::int64_t>{2, 3, 1}));
  EXPECT_EQ(typed.edges.ids, (std::vector<std::int64_t>{4, 5}));
}

}  // namespace
