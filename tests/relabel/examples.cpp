// SPDX-License-Identifier: BSL-1.0
// The worked examples of the format's description: assignment -> new IDs -> each part with its
// HALO, exactly as DGL writes them.
#include <halograph/graph/build.hpp>
#include <halograph/graph/hetero.hpp>
#include <halograph/halo/expand.hpp>
#include <halograph/relabel/relabeling.hpp>
#include <halograph/relabel/unshuffle.hpp>

#include <gtest/gtest.h>
#include <support/plain_graph.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

namespace hg = halograph;

namespace {

using numbers = std::vector<std::uint64_t>;
using pairs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

// A part in new IDs, local edges in the order of its files: inner ones by new ID, then the rest by
// new ID.
struct part_in_new_ids {
  numbers nodes{}, edge_ids{}, inner{};
  pairs edges{};
};

template <class Graph>
part_in_new_ids part_of(const Graph& g, const plain::owners& owner, std::size_t part,
                        unsigned hops) {
  const auto plan = hg::relabel(g, owner);
  const auto found = hg::expand_halo(g, owner, part, {.hops = hops});
  part_in_new_ids out;
  for (const auto v : found.nodes) out.nodes.push_back(plan.new_node[hg::index(v)]);
  std::vector<std::tuple<bool, std::uint64_t, std::size_t>> order;  // outside, new ID, place
  for (std::size_t i = 0; i < found.edges.size(); ++i) {
    order.emplace_back(i >= found.inner_edges, plan.new_edge[hg::index(found.edges[i])], i);
  }
  std::sort(order.begin(), order.end());
  for (const auto& [outside, e, i] : order) {
    out.edges.emplace_back(found.sources[i], found.targets[i]);
    out.edge_ids.push_back(e);
    out.inner.push_back(outside ? 0 : 1);
  }
  return out;
}

void expect_part(const part_in_new_ids& got, const numbers& nodes, const pairs& edges,
                 const numbers& ids, std::size_t inner) {
  EXPECT_EQ(got.nodes, nodes);
  EXPECT_EQ(got.edges, edges);
  EXPECT_EQ(got.edge_ids, ids);
  numbers flags(ids.size(), 0);
  std::fill_n(flags.begin(), inner, 1u);
  EXPECT_EQ(got.inner, flags);
}

TEST(example_of_a_path, is_what_dgl_makes_of_it) {
  const plain::columns<std::uint64_t> path({6, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}}});
  const plain::owners owner{0, 0, 1, 1, 0, 0};
  const auto plan = hg::relabel(path.view(), owner);
  EXPECT_EQ(plan.old_node, (numbers{0, 1, 4, 5, 2, 3}));
  EXPECT_EQ(plan.old_edge, (numbers{0, 3, 4, 1, 2}));
  EXPECT_EQ(plan.node_bounds, (numbers{0, 4, 6}));
  EXPECT_EQ(plan.edge_bounds, (numbers{0, 3, 5}));
  const auto g = path.view();
  expect_part(part_of(g, owner, 0, 1), {0, 1, 2, 3, 5, 4}, {{0, 1}, {4, 2}, {2, 3}, {1, 5}},
              {0, 1, 2, 3}, 3);
  expect_part(part_of(g, owner, 1, 1), {4, 5, 1, 2}, {{2, 0}, {0, 1}, {1, 3}}, {3, 4, 1}, 2);
  expect_part(part_of(g, owner, 0, 2), {0, 1, 2, 3, 5, 4}, {{0, 1}, {4, 2}, {2, 3}, {1, 5}, {5, 4}},
              {0, 1, 2, 3, 4}, 3);
  expect_part(part_of(g, owner, 1, 2), {4, 5, 1, 0, 2}, {{2, 0}, {0, 1}, {3, 2}, {1, 4}},
              {3, 4, 0, 1}, 2);
}

const plain::graph multigraph{
    6, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 0}, {0, 3}, {3, 0}, {3, 0}}};
const plain::owners multigraph_owner{0, 0, 0, 1, 0, 1};

TEST(example_of_a_multigraph, is_what_dgl_makes_of_it) {
  const plain::columns<std::uint64_t> columns(multigraph);
  const auto g = columns.view();
  const auto plan = hg::relabel(g, multigraph_owner);
  EXPECT_EQ(plan.node_bounds, (numbers{0, 4, 6}));
  EXPECT_EQ(plan.edge_bounds, (numbers{0, 6, 9}));
  EXPECT_EQ(plan.old_node, (numbers{0, 1, 2, 4, 3, 5}));
  EXPECT_EQ(plan.old_edge, (numbers{5, 7, 8, 0, 1, 3, 2, 6, 4}));
  expect_part(part_of(g, multigraph_owner, 0, 1), {0, 1, 2, 3, 5, 4},
              {{4, 0}, {5, 0}, {5, 0}, {0, 1}, {1, 2}, {5, 3}, {2, 5}, {0, 5}, {3, 4}},
              {0, 1, 2, 3, 4, 5, 6, 7, 8}, 6);
  expect_part(part_of(g, multigraph_owner, 1, 1), {4, 5, 2, 0, 3},
              {{2, 0}, {3, 0}, {4, 1}, {1, 3}, {0, 3}, {0, 3}, {0, 4}}, {6, 7, 8, 0, 1, 2, 5}, 3);
}

TEST(example_of_a_multigraph, rows_follow_their_nodes_and_edges_and_come_back) {
  const auto plan = hg::relabel(plain::columns<std::uint64_t>(multigraph).view(), multigraph_owner);
  numbers x(6), w(9), new_x, new_w;
  for (std::size_t i = 0; i < 6; ++i) x[i] = 10 * i;
  for (std::size_t i = 0; i < 9; ++i) w[i] = 100 * i;
  for (const auto v : plan.old_node) new_x.push_back(x[v]);
  for (const auto e : plan.old_edge) new_w.push_back(w[e]);
  EXPECT_EQ(new_x, (numbers{0, 10, 20, 40, 30, 50}));
  EXPECT_EQ(new_w, (numbers{500, 700, 800, 0, 100, 300, 200, 600, 400}));
  numbers back_x(6), back_w(9);
  ASSERT_EQ(hg::unshuffle(plan.old_node, new_x, back_x), hg::status::ok);
  ASSERT_EQ(hg::unshuffle(plan.old_edge, new_w, back_w), hg::status::ok);
  EXPECT_EQ(back_x, x);
  EXPECT_EQ(back_w, w);
}

TEST(example_of_two_node_types, is_what_dgl_makes_of_it) {
  // i (3), u (4); i:rb:u, u:b:i, u:f:u
  const numbers nodes{0, 3, 7}, edges{0, 5, 10, 14};
  const numbers rb_u{0, 1, 2, 2, 1}, rb_v{0, 1, 2, 3, 3}, b_u{0, 1, 2, 3, 3}, b_v{0, 1, 2, 2, 1},
      f_u{0, 1, 2, 3}, f_v{1, 2, 3, 0};
  const std::array<hg::relation_view<>, 3> relations{hg::relation_view<>{0, 1, rb_u, rb_v},
                                                     hg::relation_view<>{1, 0, b_u, b_v},
                                                     hg::relation_view<>{1, 1, f_u, f_v}};
  const hg::hetero_view<> g(nodes, edges, relations);
  ASSERT_EQ(g.validate(), hg::status::ok);
  const plain::owners owner{1, 0, 1, 0, 0, 0, 0};
  const auto plan = hg::relabel(g, owner);
  const auto ranges = [&](std::size_t type) {
    return std::array{plan.nodes(0, type), plan.nodes(1, type)};
  };
  using two = std::array<hg::id_range, 2>;
  EXPECT_EQ(ranges(0), (two{hg::id_range{0, 1}, {5, 7}}));
  EXPECT_EQ(ranges(1), (two{hg::id_range{1, 5}, {7, 7}}));
  const auto edge_ranges = [&](std::size_t type) {
    return std::array{plan.edges(0, type), plan.edges(1, type)};
  };
  EXPECT_EQ(edge_ranges(0), (two{hg::id_range{0, 5}, {11, 11}}));
  EXPECT_EQ(edge_ranges(1), (two{hg::id_range{5, 7}, {11, 14}}));
  EXPECT_EQ(edge_ranges(2), (two{hg::id_range{7, 11}, {14, 14}}));
  // Mappings per type: the original typed IDs, in the order of new ones.
  const auto mapping = [](const numbers& old, const two& cells, std::uint64_t base) {
    numbers typed;
    for (const auto& cell : cells) {
      for (auto i = cell.begin; i < cell.end; ++i) typed.push_back(old[i] - base);
    }
    return typed;
  };
  EXPECT_EQ(mapping(plan.old_node, ranges(0), 0), (numbers{1, 0, 2}));
  EXPECT_EQ(mapping(plan.old_node, ranges(1), 3), (numbers{0, 1, 2, 3}));
  EXPECT_EQ(mapping(plan.old_edge, edge_ranges(0), 0), (numbers{0, 1, 2, 3, 4}));
  EXPECT_EQ(mapping(plan.old_edge, edge_ranges(1), 5), (numbers{1, 4, 0, 2, 3}));
  EXPECT_EQ(mapping(plan.old_edge, edge_ranges(2), 10), (numbers{3, 0, 1, 2}));

  expect_part(part_of(g, owner, 0, 1), {0, 1, 2, 3, 4, 5, 6},
              {{5, 1},
               {0, 2},
               {6, 3},
               {6, 4},
               {0, 4},
               {2, 0},
               {4, 0},
               {4, 1},
               {1, 2},
               {2, 3},
               {3, 4},
               {1, 5},
               {3, 6},
               {4, 6}},
              {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}, 11);
  expect_part(part_of(g, owner, 1, 1), {5, 6, 1, 3, 4},
              {{2, 0}, {3, 1}, {4, 1}, {0, 2}, {1, 3}, {1, 4}}, {11, 12, 13, 0, 2, 3}, 3);
}

}  // namespace
