// SPDX-License-Identifier: BSL-1.0
#include "support/small_folder.hpp"
#include "support/temporary_folder.hpp"

#include <halograph/folder/graph_drawing.hpp>
#include <halograph/folder/report.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace {

namespace hg = halograph;
using namespace hg::testing;

hg::graph_drawing drawing_of(const hg::dataset<>& data, hg::part_id parts, std::uint64_t seed) {
  const temporary_folder place;
  small_partition(data, place("out"), parts, seed,
                  {.reshuffle = false});  // global IDs stay those of the input
  return hg::report_folder(config_of(place("out")), test_access{}, {.figures = true})
      .figures->drawing;
}

std::set<std::pair<std::uint64_t, std::uint64_t>> pairs_of(const hg::dataset<>& data) {
  std::set<std::pair<std::uint64_t, std::uint64_t>> out;
  data.graph().for_each_edge([&](std::uint64_t u, std::uint64_t v, std::uint64_t) {
    if (u != v) out.emplace(std::min(u, v), std::max(u, v));
  });
  return out;
}

double distance(const hg::graph_drawing& drawing, std::size_t a, std::size_t b) {
  const double x = drawing.nodes[a].x - drawing.nodes[b].x,
               y = drawing.nodes[a].y - drawing.nodes[b].y;
  return x * x + y * y;
}

TEST(graph_drawing, small_graphs_are_drawn_whole) {
  const auto data = small_dataset(3, true, 40, 60);
  const auto owner = drawn_owners(data.num_nodes(), 3, 3);
  const auto drawing = drawing_of(data, 3, 3);
  EXPECT_TRUE(drawing.all_nodes && drawing.all_edges);
  ASSERT_EQ(drawing.nodes.size(), owner.size());
  std::set<std::pair<std::uint64_t, std::uint64_t>> drawn(drawing.edges.begin(),
                                                          drawing.edges.end());
  EXPECT_EQ(drawn, pairs_of(data));
  EXPECT_EQ(drawn.size(), drawing.edges.size());
  for (std::size_t v = 0; v < owner.size(); ++v) {
    EXPECT_EQ(drawing.nodes[v].id, v);
    EXPECT_EQ(drawing.nodes[v].part, owner[v]);
    EXPECT_GE(std::min(drawing.nodes[v].x, drawing.nodes[v].y), 0);
    EXPECT_LE(std::max(drawing.nodes[v].x, drawing.nodes[v].y), hg::graph_drawing::side);
  }
}

TEST(graph_drawing, large_graphs_are_drawn_as_a_sample_of_each_part) {
  const auto data = small_dataset(4, false, 6000, 30000);
  const auto owner = drawn_owners(6000, 3, 4);
  const auto drawing = drawing_of(data, 3, 4);
  EXPECT_FALSE(drawing.all_nodes);
  ASSERT_EQ(drawing.nodes.size(), hg::graph_drawing::most_nodes);
  EXPECT_LE(drawing.edges.size(), hg::graph_drawing::most_edges);
  std::vector<std::size_t> share(3);
  std::set<std::uint64_t> ids;
  for (const auto& node : drawing.nodes) {
    EXPECT_EQ(node.part, owner[static_cast<std::size_t>(node.id)]);
    ++share[node.part];
    ids.insert(node.id);
  }
  EXPECT_EQ(ids.size(), drawing.nodes.size());
  EXPECT_LE(*std::max_element(share.begin(), share.end()),
            *std::min_element(share.begin(), share.end()) + 1);
  // The edges are some of the graph's between the drawn nodes; of parts at random two in three are
  // between parts.
  const auto all = pairs_of(data);
  std::size_t crossing = 0, possible = 0;
  for (const auto& [a, b] : all) possible += ids.contains(a) && ids.contains(b) ? 1u : 0u;
  for (const auto& [a, b] : drawing.edges) {
    const auto u = drawing.nodes[a].id, v = drawing.nodes[b].id;
    EXPECT_TRUE(all.contains({std::min(u, v), std::max(u, v)}));
    crossing += drawing.nodes[a].part != drawing.nodes[b].part ? 1u : 0u;
  }
  EXPECT_GT(drawing.edges.size(), possible * 8 / 10);
  EXPECT_GT(crossing, drawing.edges.size() / 2);
}

TEST(graph_drawing, too_many_edges_are_a_sample_that_parts_do_not_change) {
  const auto data = small_dataset(5, false, 300, 40000);
  const auto two = drawing_of(data, 2, 1), three = drawing_of(data, 3, 2);
  EXPECT_FALSE(two.all_edges);
  EXPECT_EQ(two.edges.size(), hg::graph_drawing::most_edges);
  EXPECT_EQ(two.edges, three.edges);
}

TEST(graph_drawing, neighbors_are_near_each_other) {
  // A path: the farther apart on it, the farther apart on paper.
  hg::graph_drawing drawing;
  drawing.nodes.resize(200);
  for (std::uint32_t v = 0; v + 1 < 200; ++v) drawing.edges.emplace_back(v, v + 1);
  hg::place_nodes(drawing);
  double near = 0, far = 0;
  for (std::size_t v = 0; v < 100; ++v) {
    near += distance(drawing, v, v + 1);
    far += distance(drawing, v, v + 100);
  }
  EXPECT_LT(near * 100, far);
  // Two cliques with an edge between them.
  drawing = {};
  drawing.nodes.resize(40);
  for (std::uint32_t v = 0; v < 40; ++v) {
    for (std::uint32_t u = v + 1; u < 40; ++u) {
      if (u / 20 == v / 20 || (v == 0 && u == 39)) drawing.edges.emplace_back(v, u);
    }
  }
  hg::place_nodes(drawing);
  double inside = 0, between = 1e18;
  for (std::size_t v = 0; v < 20; ++v) {
    for (std::size_t u = 0; u < 20; ++u) {
      inside = std::max(inside, distance(drawing, v, u));
      between = std::min(between, distance(drawing, v, 20 + u));
    }
  }
  EXPECT_LT(distance(drawing, 1, 2), distance(drawing, 1, 22));
  EXPECT_LT(inside / 4, between);
}

TEST(graph_drawing, graphs_without_edges_or_nodes_have_positions_too) {
  hg::graph_drawing drawing;
  hg::place_nodes(drawing);
  drawing.nodes.resize(1);
  hg::place_nodes(drawing);
  drawing.nodes.resize(hg::graph_drawing::most_nodes);
  for (const bool edges : {false, true}) {
    if (edges) drawing.edges.emplace_back(7, 9);
    hg::place_nodes(drawing);
    std::set<std::pair<std::int32_t, std::int32_t>> places;
    for (const auto& node : drawing.nodes) {
      places.emplace(node.x, node.y);
      EXPECT_LE(std::max(node.x, node.y), hg::graph_drawing::side);
      EXPECT_GE(std::min(node.x, node.y), 0);
    }
    EXPECT_EQ(places.size(), drawing.nodes.size());
  }
}

TEST(graph_drawing, one_graph_looks_the_same_however_it_is_partitioned) {
  const auto data = small_dataset(6, true, 40, 60);
  std::vector<hg::graph_drawing> drawings;
  for (const hg::part_id parts : {2u, 5u}) {
    const temporary_folder place;
    small_partition(data, place("out"), parts, parts);
    drawings.push_back(hg::report_folder(config_of(place("out")), test_access{}, {.figures = true})
                           .figures->drawing);
  }
  drawings.push_back(drawing_of(data, 3, 1));  // of original IDs
  for (const auto& other : drawings) {
    EXPECT_EQ(other.edges, drawings[0].edges);
    ASSERT_EQ(other.nodes.size(), drawings[0].nodes.size());
    for (std::size_t v = 0; v < other.nodes.size(); ++v) {
      EXPECT_EQ(other.nodes[v].x, drawings[0].nodes[v].x);
      EXPECT_EQ(other.nodes[v].y, drawings[0].nodes[v].y);
    }
  }
  // Parts are still those of the nodes.
  const auto owner = drawn_owners(data.num_nodes(), 5, 5);
  for (std::size_t v = 0; v < owner.size(); ++v) EXPECT_EQ(drawings[1].nodes[v].part, owner[v]);
}

TEST(graph_drawing, positions_are_the_same_on_every_machine) {
  hg::graph_drawing drawing;
  drawing.nodes.resize(60);
  for (std::uint32_t v = 1; v < 60; ++v) drawing.edges.emplace_back(v / 2, v);
  hg::place_nodes(drawing);
  std::uint64_t sum = 0;
  for (const auto& node : drawing.nodes)
    sum = sum * 31 + static_cast<std::uint64_t>(node.x) * 10007 +
          static_cast<std::uint64_t>(node.y);
  EXPECT_EQ(sum, 6919161111230154798u);
}

}  // namespace
