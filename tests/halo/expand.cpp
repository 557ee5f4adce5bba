// SPDX-License-Identifier: BSL-1.0
#include <halograph/core/error.hpp>
#include <halograph/graph/build.hpp>
#include <halograph/halo/expand.hpp>
#include <halograph/testing/archetypes.hpp>

#include <gtest/gtest.h>
#include <support/halo_model.hpp>
#include <support/plain_graph.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace hg = halograph;

namespace {

// Everything that a result says, against the model and against itself.
template <class Node, class Edge>
void compare(const hg::halo<Node, Edge>& got, const plain::expansion& want, const plain::graph& g) {
  std::vector<std::size_t> nodes;
  for (const auto v : got.nodes) nodes.push_back(hg::index(v));
  ASSERT_EQ(nodes, want.nodes);
  ASSERT_EQ(got.inner_nodes, want.inner_nodes);
  ASSERT_EQ(got.inner_edges, want.inner_edges.size());
  ASSERT_EQ(got.edges.size(), want.inner_edges.size() + want.other_edges.size());
  ASSERT_EQ(got.sources.size(), got.edges.size());
  ASSERT_EQ(got.targets.size(), got.edges.size());
  std::multiset<std::size_t> inner, others;
  for (std::size_t i = 0; i < got.edges.size(); ++i) {
    const auto e = hg::index(got.edges[i]);
    ASSERT_LT(e, g.edges.size());
    (i < got.inner_edges ? inner : others).insert(e);
    ASSERT_EQ(nodes[got.sources[i]], g.edges[e].first);
    ASSERT_EQ(nodes[got.targets[i]], g.edges[e].second);
  }
  ASSERT_EQ(inner, want.inner_edges);
  ASSERT_EQ(others, want.other_edges);
  // [min(hops, V)] counts; no later hop finds anything.
  ASSERT_EQ(got.nodes_per_hop.size(), std::min(want.per_hop.size(), g.nodes));
  for (std::size_t k = 0; k < want.per_hop.size(); ++k) {
    ASSERT_EQ(k < got.nodes_per_hop.size() ? got.nodes_per_hop[k] : 0, want.per_hop[k])
        << "hop " << k + 1;
  }
}

template <class Graph>
void compare_all_parts(const Graph& rows, const plain::graph& g, const plain::owners& owner,
                       std::size_t parts, unsigned max_hops) {
  hg::halo_expander<Graph> expander(rows, std::span<const hg::part_id>(owner), parts);
  ASSERT_EQ(expander.num_parts(), parts);
  for (unsigned hops = 0; hops <= max_hops; ++hops) {
    for (const bool closing : {true, false}) {
      for (std::size_t part = 0; part < parts; ++part) {
        SCOPED_TRACE(testing::Message()
                     << g << "; owners " << testing::PrintToString(owner) << "; part " << part
                     << ", " << hops << " hops, closing " << closing);
        const auto want = plain::expand(g, owner, part, hops, closing);
        compare(expander.expand(part, {hops, closing, true}), want, g);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(halo, of_every_tiny_graph_is_what_the_format_describes) {
  plain::for_all_tiny_graphs([](const plain::graph& g, const plain::owners& owner) {
    if (testing::Test::HasFatalFailure()) return;
    const plain::columns<std::int8_t, std::uint16_t> columns(g);
    const auto rows = hg::build_csc<std::int8_t, std::uint16_t>(columns.view());
    const auto view = rows.view();
    compare_all_parts(
        view, g, owner,
        g.nodes == 0 ? 1 : std::size_t{*std::max_element(owner.begin(), owner.end())} + 1, 3);
  });
}

template <class Id>
class halo_of_ids : public testing::Test {};
using id_types = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                                std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(halo_of_ids, id_types);

TYPED_TEST(halo_of_ids, of_random_graphs_is_what_the_format_describes) {
  hg::random_stream draw(41);
  for (int round = 0; round < 60; ++round) {
    const auto g = plain::random_graph(draw);
    const auto parts = static_cast<std::size_t>(1 + draw.below(5));
    const auto owner = plain::random_owners(draw, g.nodes, parts);
    const plain::columns<TypeParam> columns(g);
    const auto rows = hg::build_csc<TypeParam, TypeParam>(columns.view());
    const auto view = rows.view();
    compare_all_parts(view, g, owner, parts, 4);
    if (this->HasFatalFailure()) return;
  }
}

// A signed node ID 0..127 and an unsigned one 0..255: the largest graphs that 8 bits can name.
TYPED_TEST(halo_of_ids, reach_their_last_value) {
  const std::size_t nodes = std::min<std::uint64_t>(hg::id_capacity<TypeParam>(), 300);
  plain::graph path{nodes, {}};
  for (std::size_t v = 1; v < nodes; ++v) path.edges.emplace_back(v - 1, v);
  plain::owners owner(nodes, 0);
  owner.back() = 1;
  const plain::columns<TypeParam> columns(path);
  const auto rows = hg::build_csc<TypeParam, TypeParam>(columns.view());
  const auto view = rows.view();
  hg::halo_expander<decltype(view)> expander(view, std::span<const hg::part_id>(owner));
  const auto last = expander.expand(1, {.hops = 500});
  ASSERT_EQ(last.nodes.size(), nodes);
  EXPECT_EQ(hg::index(last.nodes.front()), nodes - 1);
  EXPECT_EQ(hg::index(last.nodes.back()), 0u);
  EXPECT_EQ(last.nodes_per_hop.size(), nodes);
  EXPECT_EQ(last.nodes_per_hop[0], 1u);
  EXPECT_EQ(last.nodes_per_hop[nodes - 2], 1u);
  EXPECT_EQ(last.nodes_per_hop[nodes - 1], 0u);
  const auto first = expander.expand(0);
  EXPECT_EQ(first.inner_nodes, nodes - 1);
  ASSERT_EQ(first.nodes.size(), nodes);
  EXPECT_EQ(hg::index(first.nodes.back()), nodes - 1);
}

TEST(halo, works_on_minimal_graphs_with_in_edges_and_on_minimal_edge_lists) {
  using ends = hg::archetype::ends<std::int8_t>;
  const std::array<ends, 5> edges{ends{0, 1}, {1, 2}, {2, 3}, {3, 0}, {3, 3}};
  const plain::graph g{4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {3, 3}}};
  const std::array<std::uint8_t, 4> owner{0, 0, 1, 1};
  const hg::archetype::in_adjacency<> by_target(4, edges);
  const hg::archetype::edge_list<> by_edge(4, edges);
  const hg::archetype::out_adjacency<> by_source(4, edges);
  const auto want = plain::expand(g, {0, 0, 1, 1}, 1, 2, true);
  compare(hg::expand_halo(by_target, owner, 1, {.hops = 2}), want, g);
  compare(hg::expand_halo(by_edge, owner, 1, {.hops = 2}), want, g);
  compare(hg::expand_halo(by_source, owner, 1, {.hops = 2}), want, g);
}

// Another engine's graph: it joins with two functions beside the type.
namespace engine {
struct web {
  std::vector<std::vector<int>> cited_by;  // sources of each target
};
std::size_t num_nodes(const web& g) { return g.cited_by.size(); }
template <class Node, class F>
void for_each_in_edge(const web& g, Node v, F&& f) {
  int e = 0;
  for (std::size_t t = 0; t < static_cast<std::size_t>(v); ++t)
    e += static_cast<int>(g.cited_by[t].size());
  for (const int u : g.cited_by[static_cast<std::size_t>(v)]) f(u, e++);
}
}  // namespace engine

TEST(halo, an_engines_graph_needs_two_functions) {
  const engine::web web{{{2}, {0, 0}, {1}, {}}};
  const plain::graph g{4, {{2, 0}, {0, 1}, {0, 1}, {1, 2}}};
  const std::vector<std::uint16_t> owner{0, 1, 1, 0};
  for (std::size_t part = 0; part < 2; ++part) {
    compare(hg::expand_halo(web, owner, part), plain::expand(g, {0, 1, 1, 0}, part, 1, true), g);
  }
}

TEST(halo, standard_containers_are_graphs) {
  const std::vector<std::vector<std::uint32_t>> rows{{1, 2}, {2}, {0, 0}, {}};  // out-neighbors
  const plain::graph g{4, {{0, 1}, {0, 2}, {1, 2}, {2, 0}, {2, 0}}};
  const std::vector<std::uint64_t> offsets{0, 2, 3, 5, 5};
  const std::vector<std::uint16_t> targets{1, 2, 2, 0, 0};
  const std::pair csr{std::span<const std::uint64_t>(offsets),
                      std::span<const std::uint16_t>(targets)};
  const std::vector<std::uint8_t> owner{0, 1, 0, 1};
  for (std::size_t part = 0; part < 2; ++part) {
    const auto want = plain::expand(g, {0, 1, 0, 1}, part, 1, true);
    compare(hg::expand_halo(rows, owner, part), want, g);
    compare(hg::expand_halo(csr, owner, part), want, g);
  }
}

TEST(halo, any_number_of_hops_ends_and_needs_at_most_a_count_per_node) {
  const plain::graph ring{5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}}};
  const plain::columns<std::uint32_t> columns(ring);
  const std::vector<std::uint32_t> owner{0, 1, 1, 1, 1};
  const auto got = hg::expand_halo(columns.view(), owner, 0,
                                   {.hops = std::numeric_limits<unsigned>::max()});
  EXPECT_EQ(got.nodes, (std::vector<std::uint32_t>{0, 4, 3, 2, 1}));
  EXPECT_EQ(got.nodes_per_hop, (std::vector<std::uint64_t>{1, 1, 1, 1, 0}));
}

template <class F>
hg::error raised(F&& f) {
  try {
    f();
  } catch (const hg::error& problem) {
    return problem;
  }
  return hg::error(hg::error_kind::ok, "nothing was raised");
}

TEST(halo, zero_hops_count_the_edges_that_they_would_lose) {
  const plain::columns<std::uint32_t> columns({4, {{0, 1}, {2, 1}, {3, 1}, {1, 3}}});
  const std::vector<std::uint32_t> owner{0, 0, 1, 1};
  const auto problem = raised([&] { hg::expand_halo(columns.view(), owner, 0, {.hops = 0}); });
  EXPECT_EQ(problem.code(), hg::error_kind::cut_edges);
  EXPECT_NE(std::string(problem.what()).find("the 2 edges that enter part 0"), std::string::npos)
      << problem.what();
  const auto dropped = hg::expand_halo(columns.view(), owner, 0,
                                       {.hops = 0, .drop_cut_edges = true});
  EXPECT_EQ(dropped.nodes, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(dropped.edges, (std::vector<std::uint32_t>{0}));
  EXPECT_TRUE(dropped.nodes_per_hop.empty());
  // Without cut edges there is nothing to lose.
  EXPECT_EQ(
      hg::expand_halo(columns.view(), std::vector<std::uint8_t>(4), 0, {.hops = 0}).edges.size(),
      4u);
}

TEST(halo, errors_name_what_is_wrong_and_what_would_be_right) {
  const plain::columns<std::int16_t> good({3, {{0, 1}, {1, 2}}});
  const std::vector<std::uint32_t> owner{0, 1, 0};
  const auto no_part = raised([&] { hg::expand_halo(good.view(), owner, 2); });
  EXPECT_EQ(no_part.code(), hg::error_kind::out_of_range);
  EXPECT_NE(std::string(no_part.what()).find("part 2 does not exist; parts are 0 to 1"),
            std::string::npos);
  const auto short_owner = raised(
      [&] { hg::expand_halo(good.view(), std::vector<std::uint32_t>{0, 1}, 0); });
  EXPECT_EQ(short_owner.code(), hg::error_kind::mismatch);
  EXPECT_NE(std::string(short_owner.what()).find("2 nodes, the graph has 3"), std::string::npos);
  const auto wide_owner = raised(
      [&] { hg::expand_halo(good.view(), std::vector<std::uint64_t>{0, 1ull << 40, 0}, 0); });
  EXPECT_EQ(wide_owner.code(), hg::error_kind::overflow);
  using view = hg::csc_view<std::int16_t, std::int16_t>;
  const std::vector<std::int16_t> offsets{0, 0, 1, 2}, sources{-1, 7};
  const view bad(offsets, sources);
  const auto bad_end = raised([&] { hg::expand_halo(bad, owner, 0); });
  EXPECT_EQ(bad_end.code(), hg::error_kind::out_of_range);
  EXPECT_NE(std::string(bad_end.what())
                .find("edge 0 has a source outside the 3 nodes of the graph; IDs must be 0 to 2"),
            std::string::npos)
      << bad_end.what();
  const auto parts = raised(
      [&] { hg::halo_expander<view>(bad, std::span<const std::uint32_t>(owner), 1); });
  EXPECT_EQ(parts.code(), hg::error_kind::out_of_range);
  EXPECT_NE(std::string(parts.what()).find("node 1 is assigned to part 1; parts must be 0 to 0"),
            std::string::npos);
}

TEST(halo, an_empty_graph_has_one_empty_expansion_per_part) {
  const hg::coo_view<> nothing;
  EXPECT_EQ(raised([&] { hg::expand_halo(nothing, std::vector<std::uint8_t>{}, 0); }).code(),
            hg::error_kind::out_of_range);
  const hg::csc_view<> rows;
  hg::halo_expander<hg::csc_view<>> expander(rows, std::span<const std::uint8_t>{}, 2);
  const auto got = expander.expand(1, {.hops = 3});
  EXPECT_TRUE(got.nodes.empty() && got.edges.empty() && got.nodes_per_hop.empty());
}

TEST(halo, local_ids_have_the_width_of_the_graphs_node_ids_or_the_callers) {
  const std::vector<std::uint32_t> offsets{0, 1, 2, 3};
  const std::vector<std::uint16_t> sources{2, 0, 1};  // a ring
  const hg::csc_view<std::uint16_t, std::uint32_t> ring(offsets, sources);
  const std::vector<std::uint8_t> owner{0, 0, 1};
  const auto part = hg::expand_halo(ring, owner, 1);
  static_assert(std::is_same_v<decltype(part.sources), std::vector<std::uint16_t>>);
  EXPECT_EQ(part.nodes, (std::vector<std::uint16_t>{2, 1, 0}));
  EXPECT_EQ(part.sources, (std::vector<std::uint16_t>{1, 0}));
  EXPECT_EQ(part.targets, (std::vector<std::uint16_t>{0, 2}));
  hg::halo_expander<decltype(ring), std::uint8_t> narrow(ring, std::span(owner));
  EXPECT_EQ(narrow.expand(1).targets, (std::vector<std::uint8_t>{0, 2}));
  const std::vector<std::uint16_t> no_edges(301), none;
  const hg::csc_view<std::uint16_t, std::uint16_t> wide(no_edges, none);
  const std::vector<std::uint8_t> alone(300);
  try {
    hg::halo_expander<decltype(wide), std::uint8_t>(wide, std::span(alone));
    ADD_FAILURE() << "300 nodes fit into 8 bits";
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.code(), hg::error_kind::overflow);
  }
  const hg::csc_view<std::uint8_t, std::uint16_t> unnamed(no_edges, {});
  const auto problem = raised(
      [&] { hg::halo_expander<decltype(unnamed), std::uint16_t>(unnamed, std::span(alone)); });
  EXPECT_EQ(problem.message(),
            "the graph has more nodes than its node IDs can number; use wider ones");
}

TEST(halo, owners_are_of_any_integer_type) {
  const std::vector<std::vector<int>> ring{{1}, {2}, {3}, {0}};
  const auto want = hg::expand_halo(ring, std::vector<hg::part_id>{0, 0, 1, 1}, 1);
  const auto same = [&](auto part) {
    const std::array<decltype(part), 4> owner{0, 0, 1, 1};
    EXPECT_EQ(hg::expand_halo(ring, owner, 1).nodes, want.nodes) << sizeof(part);
  };
  same(std::int8_t{});
  same(short{});
  same(int{});
  same(std::int64_t{});
  same(std::uint64_t{});
  for (const auto bad : std::array<std::int8_t, 3>{-1, -128, 2}) {
    const std::vector<std::int8_t> owner{0, 0, bad, 1};
    const auto columns = hg::build_csc<int, std::uint64_t>(ring);
    const auto rows = columns.view();
    const auto problem = raised([&] { hg::halo_expander<decltype(rows)>(rows, owner, 2); });
    EXPECT_EQ(problem.code(), hg::error_kind::out_of_range);
    EXPECT_EQ(problem.message(),
              "node 2 is assigned to part " + std::to_string(bad) +
                  (bad < 0 ? "; parts are numbered from 0" : "; parts must be 0 to 1"));
  }
}

}  // namespace
