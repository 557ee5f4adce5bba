// SPDX-License-Identifier: BSL-1.0
// What is drawn from a part does not depend on the order in which its file lists a node's edges.
#include <halograph/dist/part_sampler.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace hg = halograph;
using int64s = std::vector<std::int64_t>;
using drawn = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// Four nodes and six edges, in the order of targets: 1,2,3 -> 0; 0,2 -> 1; 1 -> 3.
/// @param neighbors, edges  the rows of the csc
hg::part_graph one_part(int64s neighbors, int64s edges) {
  hg::partition_config config;
  config.path = "g.json";
  config.num_nodes = 4;
  config.num_edges = 6;
  config.num_parts = 1;
  config.schema = hg::graph_schema::homogeneous();
  config.parts = {{.graph = "graph"}};
  const std::vector<std::uint64_t> nodes_of{0, 4}, edges_of{0, 6};
  const auto book = std::make_shared<const hg::partition_book>(config.schema, 1, nodes_of,
                                                               edges_of);
  hg::loaded_structure graph;
  graph.nodes = 4;
  graph.edges = 6;
  graph.csc = hg::compressed_columns{hg::tensor::from(int64s{0, 3, 5, 5, 6}),
                                     hg::tensor::from(std::move(neighbors)),
                                     hg::tensor::from(std::move(edges))};
  const auto column = [](const char* name, int64s values) {
    return hg::named_tensor{name, hg::tensor::from(std::move(values))};
  };
  graph.node_columns = {column("_ID", {0, 1, 2, 3}), column("inner_node", {1, 1, 1, 1})};
  graph.edge_columns = {column("_ID", {0, 1, 2, 3, 4, 5}),
                        column("inner_edge", {1, 1, 1, 1, 1, 1})};
  return hg::part_graph(config, 0, std::move(graph), book);
}

std::vector<drawn> draw_all(const hg::part_sampler& from, bool replace) {
  std::vector<drawn> out;
  hg::part_sampler::scratch memory;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    for (std::size_t v = 0; v < 4; ++v) {
      auto& row = out.emplace_back();
      const auto count = from.draw(v, {.fanout = {2}, .replace = replace, .seed = seed}, memory,
                                   [&](std::int64_t u, std::int64_t e) { row.emplace_back(u, e); });
      EXPECT_EQ(count, row.size());
    }
  }
  return out;
}

TEST(part_sampler, the_order_of_a_file_makes_no_difference) {
  const auto sorted = one_part({1, 2, 3, 0, 2, 1}, {0, 1, 2, 3, 4, 5}),
             mixed = one_part({3, 1, 2, 2, 0, 1}, {2, 0, 1, 4, 3, 5});
  for (const auto direction : {hg::edge_direction::in, hg::edge_direction::out}) {
    hg::part_sampler one(sorted, direction, {}), other(mixed, direction, {});
    for (const bool replace : {false, true})
      EXPECT_EQ(draw_all(one, replace), draw_all(other, replace));
    const auto weights = hg::tensor::from(std::vector<float>{0.5f, 0, 2, 1, 7, 1e-30f});
    const auto unweighted = draw_all(one, true);
    one.weigh(weights);
    other.weigh(weights);
    EXPECT_NE(draw_all(one, true), unweighted);
    for (const bool replace : {false, true}) {
      const auto by_weight = draw_all(one, replace);
      EXPECT_EQ(by_weight, draw_all(other, replace));
      for (const auto& row : by_weight) {
        for (const auto& [u, e] : row) EXPECT_NE(e, 1);  // the edge of weight 0
      }
    }
  }
}

TEST(part_sampler, original_ids_name_the_random_numbers) {
  const auto part = one_part({1, 2, 3, 0, 2, 1}, {0, 1, 2, 3, 4, 5});
  const hg::part_sampler own(part, hg::edge_direction::in, {}),
      same(part, hg::edge_direction::in, {0, 1, 2, 3}),
      other(part, hg::edge_direction::in, {3, 2, 1, 0});
  EXPECT_EQ(draw_all(own, true), draw_all(same, true));
  EXPECT_NE(draw_all(own, true), draw_all(other, true));
  EXPECT_EQ(other.key_of(0), 3u);
  EXPECT_EQ(own.row_of(3), 3u);
  EXPECT_FALSE(own.row_of(4));
}

TEST(part_sampler, refuses_what_cannot_be_drawn_by) {
  const auto part = one_part({1, 2, 3, 0, 2, 1}, {0, 1, 2, 3, 4, 5});
  hg::part_sampler from(part, hg::edge_direction::in, {});
  const auto says = [&](const std::string& words, hg::tensor weights) {
    std::string said;
    try {
      from.weigh(weights);
    } catch (const hg::error& problem) {
      said = problem.what();
    }
    EXPECT_NE(said.find(words), std::string::npos) << said;
  };
  says("the weight of edge 4 is negative",
       hg::tensor::from(std::vector<std::int8_t>{1, 1, 1, 1, -1, 1}));
  says("one number for each of the 6 edges", hg::tensor::from(std::vector<double>{1, 1}));
  // -1 in 16 bits of either kind, beside 1.
  says("the weight of edge 2 is negative",
       hg::tensor::from(std::vector<std::uint16_t>{0x3C00, 0, 0xBC00, 0, 0, 0}, {6},
                        hg::dtype::float16));
  says("the weight of edge 3 is negative",
       hg::tensor::from(std::vector<std::uint16_t>{0x3F80, 0, 0, 0xBF80, 0, 0}, {6},
                        hg::dtype::bfloat16));
  EXPECT_THROW(hg::part_sampler(part, hg::edge_direction::in, {1, 2}), hg::error);
}

TEST(part_sampler, weights_of_16_bits_draw_as_the_same_numbers_in_32) {
  const auto part = one_part({1, 2, 3, 0, 2, 1}, {0, 1, 2, 3, 4, 5});
  const auto draws = [&](hg::tensor weights) {
    hg::part_sampler from(part, hg::edge_direction::in, {});
    from.weigh(weights);
    return draw_all(from, true);
  };
  const auto narrow = hg::tensor::from(
      std::vector<std::uint16_t>{0x3C00, 0x4000, 0, 0x4200, 0x3800, 0x3C00}, {6},
      hg::dtype::float16);
  const auto brain = hg::tensor::from(
      std::vector<std::uint16_t>{0x3F80, 0x4000, 0, 0x4040, 0x3F00, 0x3F80}, {6},
      hg::dtype::bfloat16);
  const auto wide = draws(hg::tensor::from(std::vector<float>{1, 2, 0, 3, 0.5f, 1}));
  EXPECT_EQ(draws(narrow), wide);
  EXPECT_EQ(draws(brain), wide);
}

}  // namespace
