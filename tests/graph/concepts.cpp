// SPDX-License-Identifier: BSL-1.0
#include <halograph/graph/concepts.hpp>
#include <halograph/graph/coo.hpp>
#include <halograph/graph/csr.hpp>
#include <halograph/graph/hetero.hpp>
#include <halograph/testing/archetypes.hpp>
#include <halograph/testing/laws.hpp>
#include <halograph/testing/small_graphs.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <deque>
#include <forward_list>
#include <list>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace hg = halograph;

namespace {

using edges_seen = std::vector<std::tuple<std::size_t, std::size_t, std::size_t>>;
template <class Graph>
edges_seen seen(const Graph& g) {
  edges_seen out;
  hg::visit_edges(g, [&](auto u, auto v, auto e) {
    out.emplace_back(hg::index(u), hg::index(v), hg::index(e));
  });
  return out;
}

// --- who is what
namespace of = hg::archetype;
static_assert(hg::edge_list<of::edge_list<>> && !hg::in_adjacency<of::edge_list<>> &&
              !hg::out_adjacency<of::edge_list<>>);
static_assert(hg::in_adjacency<of::in_adjacency<>> && !hg::edge_list<of::in_adjacency<>> &&
              !hg::out_adjacency<of::in_adjacency<>>);
static_assert(hg::out_adjacency<of::out_adjacency<>> && !hg::edge_list<of::out_adjacency<>> &&
              !hg::in_adjacency<of::out_adjacency<>>);
static_assert(hg::graph<of::edge_list<>> && hg::graph<of::in_adjacency<>> &&
              hg::graph<of::out_adjacency<>>);
static_assert(!hg::graph<hg::near_miss::graph_without_nodes>);
static_assert(!hg::graph<hg::near_miss::graph_without_edges>);
static_assert(!hg::graph<hg::near_miss::graph_of_characters>);
static_assert(!hg::graph<hg::near_miss::graph_not_const>);
static_assert(!hg::graph<int> && !hg::graph<std::vector<int>> &&
              !hg::graph<std::vector<std::vector<char>>>);
static_assert(hg::edge_list<hg::coo_view<>> && hg::out_adjacency<hg::csr_view<>> &&
              hg::in_adjacency<hg::csc_view<>>);
static_assert(hg::typed_graph<hg::hetero_view<>> && !hg::typed_graph<hg::coo_view<>>);

using rows = std::vector<std::vector<std::int16_t>>;
using pair_of_spans = std::pair<std::span<const std::uint32_t>, std::span<const std::uint8_t>>;
static_assert(hg::edge_list<rows> && hg::edge_list<std::deque<std::list<std::uint8_t>>>);
static_assert(hg::edge_list<pair_of_spans> && hg::out_adjacency<pair_of_spans> &&
              !hg::in_adjacency<pair_of_spans>);
static_assert(std::same_as<hg::node_id_t<rows>, std::int16_t> &&
              std::same_as<hg::edge_id_t<rows>, std::uint64_t>);
static_assert(std::same_as<hg::node_id_t<pair_of_spans>, std::uint8_t> &&
              std::same_as<hg::edge_id_t<pair_of_spans>, std::uint32_t>);
static_assert(
    std::same_as<hg::node_id_t<const hg::coo_view<std::int8_t, std::uint16_t>&>, std::int8_t>);

// --- a type of somebody else's
namespace engine {
struct mesh {
  std::vector<std::pair<short, short>> links;
  short size;
};
int num_nodes(const mesh& m) { return m.size; }
template <class F>
void for_each_edge(const mesh& m, F&& f) {
  unsigned e = 0;
  for (const auto& [a, b] : m.links) f(a, b, e++);
}
}  // namespace engine
}  // namespace
template <>
struct halograph::graph_traits<engine::mesh> {
  using node_id = short;
  using edge_id = unsigned;
};
namespace {

TEST(graph_concepts, a_foreign_type_joins_with_two_functions_and_a_trait) {
  static_assert(hg::edge_list<engine::mesh>);
  static_assert(std::same_as<hg::node_id_t<engine::mesh>, short>);
  const engine::mesh mesh{{{0, 1}, {2, 0}}, 3};
  EXPECT_EQ(hg::num_nodes(mesh), 3u);
  EXPECT_EQ(hg::num_edges(mesh), 2u);
  EXPECT_EQ(seen(mesh), (edges_seen{{0, 1, 0}, {2, 0, 1}}));
  EXPECT_TRUE(hg::laws::graph(mesh));
}

TEST(graph_concepts, rows_of_containers_list_out_neighbors_and_number_edges_row_by_row) {
  const rows g{{1, 2}, {}, {0, 0}};
  EXPECT_EQ(hg::num_nodes(g), 3u);
  EXPECT_EQ(hg::num_edges(g), 4u);
  EXPECT_EQ(seen(g), (edges_seen{{0, 1, 0}, {0, 2, 1}, {2, 0, 2}, {2, 0, 3}}));
  const std::deque<std::list<std::uint8_t>> lists{{1}, {0}};
  EXPECT_EQ(seen(lists), (edges_seen{{0, 1, 0}, {1, 0, 1}}));
  EXPECT_EQ(hg::num_nodes(rows{}), 0u);
  EXPECT_EQ(hg::num_edges(rows{}), 0u);
  EXPECT_TRUE(hg::laws::graph(g));
}

TEST(graph_concepts, rows_may_list_pairs_of_a_target_and_something_else) {
  using weighted = std::vector<std::forward_list<std::pair<std::int16_t, double>>>;
  static_assert(std::same_as<hg::node_id_t<weighted>, std::int16_t>);
  const weighted g{{{1, .5}, {2, 0}}, {}, {{0, 1}}};
  EXPECT_EQ(hg::num_nodes(g), 3u);
  EXPECT_EQ(hg::num_edges(g), 3u);
  EXPECT_EQ(seen(g), (edges_seen{{0, 1, 0}, {0, 2, 1}, {2, 0, 2}}));
  EXPECT_TRUE(hg::laws::graph(g));
  using maps = std::vector<std::map<short, double>>;
  static_assert(std::same_as<hg::node_id_t<maps>, short>);
  EXPECT_EQ(seen(maps{{{1, .5}, {0, 2}}, {}}), (edges_seen{{0, 0, 0}, {0, 1, 1}}));
  static_assert(!hg::graph<std::vector<std::vector<std::pair<double, int>>>>);
  static_assert(!hg::graph<std::vector<std::pair<int, int>>>, "says nothing of its nodes");
}

TEST(graph_concepts, a_pair_of_spans_is_csr) {
  const std::array<std::uint32_t, 4> offsets{0, 2, 2, 3};
  const std::array<std::uint8_t, 3> targets{1, 2, 0};
  const pair_of_spans g{offsets, targets};
  EXPECT_EQ(hg::num_nodes(g), 3u);
  EXPECT_EQ(hg::num_edges(g), 3u);
  EXPECT_EQ(seen(g), (edges_seen{{0, 1, 0}, {0, 2, 1}, {2, 0, 2}}));
  std::vector<std::size_t> out_of_0;
  hg::for_each_out_edge(g, std::uint8_t{0}, [&](auto v, auto e) {
    out_of_0.insert(out_of_0.end(), {hg::index(v), hg::index(e)});
  });
  EXPECT_EQ(out_of_0, (std::vector<std::size_t>{1, 0, 2, 1}));
  EXPECT_TRUE(hg::laws::graph(g));
  EXPECT_EQ(hg::num_nodes(pair_of_spans{}), 0u);
  EXPECT_EQ(seen(pair_of_spans{}), edges_seen{});
}

TEST(graph_concepts, rows_of_neighbors_need_no_edge_ids) {
  for (const auto& g : hg::small_graphs<std::int8_t>()) {
    std::vector<of::ends<std::int8_t>> ends;
    for (std::size_t e = 0; e < g.num_edges(); ++e) ends.push_back({g.source()[e], g.target()[e]});
    const of::in_neighbors<> in(g.num_nodes(), ends);
    const of::out_neighbors<> out(g.num_nodes(), ends);
    // Row by row, in a row as the storage lists it, and numbered in this order.
    auto by_target = ends, by_source = ends;
    std::stable_sort(by_target.begin(), by_target.end(),
                     [](const auto& a, const auto& b) { return a.target < b.target; });
    std::stable_sort(by_source.begin(), by_source.end(),
                     [](const auto& a, const auto& b) { return a.source < b.source; });
    const auto numbered = [](const auto& all) {
      edges_seen wanted;
      for (const auto& [u, v] : all) wanted.emplace_back(hg::index(u), hg::index(v), wanted.size());
      return wanted;
    };
    EXPECT_EQ(seen(in), numbered(by_target)) << g.name();
    EXPECT_EQ(seen(out), numbered(by_source)) << g.name();
    EXPECT_EQ(hg::num_edges(in), g.num_edges()) << g.name();
    EXPECT_TRUE(hg::laws::graph(in)) << g.name();
    EXPECT_TRUE(hg::laws::graph(out)) << g.name();
  }
}

TEST(graph_concepts, every_way_to_the_edges_shows_the_same_edges) {
  for (const auto& g : hg::small_graphs<std::int8_t>()) {
    std::vector<of::ends<std::int8_t>> ends;
    for (std::size_t e = 0; e < g.num_edges(); ++e) ends.push_back({g.source()[e], g.target()[e]});
    const of::edge_list<> by_edge(g.num_nodes(), ends);
    const of::in_adjacency<> by_target(g.num_nodes(), ends);
    const of::out_adjacency<> by_source(g.num_nodes(), ends);
    EXPECT_EQ(hg::num_edges(by_edge), g.num_edges()) << g.name();
    EXPECT_EQ(hg::num_edges(by_target), g.num_edges()) << g.name();
    EXPECT_EQ(hg::num_edges(by_source), g.num_edges()) << g.name();
    auto want = seen(by_edge), in = seen(by_target), out = seen(by_source);
    std::sort(want.begin(), want.end());
    std::sort(in.begin(), in.end());
    std::sort(out.begin(), out.end());
    EXPECT_EQ(in, want) << g.name();
    EXPECT_EQ(out, want) << g.name();
  }
}

}  // namespace
