// SPDX-License-Identifier: BSL-1.0
#include <halograph/graph/build.hpp>
#include <halograph/graph/coo.hpp>
#include <halograph/graph/csr.hpp>
#include <halograph/graph/neighbors.hpp>
#include <halograph/testing/archetypes.hpp>
#include <halograph/testing/small_graphs.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace hg = halograph;

namespace {

using rows = std::vector<std::vector<std::uint64_t>>;

struct backwards {
  std::uint64_t nodes;
  std::uint64_t operator()(std::uint64_t v) const { return nodes - v; }
};

template <class Graph, class Which>
rows rows_of(const Graph& g, const Which& which) {
  const std::size_t nodes = hg::num_nodes(g);
  std::vector<std::uint64_t> memory(
      hg::neighbor_rows<Graph>::words(nodes, hg::num_edges(g), Which::both_ends), 77);
  hg::neighbor_rows<Graph> made;
  EXPECT_EQ(hg::neighbor_rows<Graph>::build(g, which, memory, made), hg::status::ok);
  rows out(nodes);
  for (std::size_t v = 0; v < nodes; ++v) {
    made.visit(v, [&](auto u) { out[v].push_back(hg::index(u)); });
    std::sort(out[v].begin(), out[v].end());
  }
  return out;
}

/// What rows must hold, from the edges.
template <class Keep>
rows expected(const hg::small_graph<>& g, const Keep& keep) {
  rows out(g.num_nodes());
  g.for_each_edge([&](auto u, auto v, auto) {
    if (u == v) return;
    if (keep(v, u)) out[v].push_back(u);
    if (keep(u, v)) out[u].push_back(v);
  });
  for (auto& row : out) std::sort(row.begin(), row.end());
  return out;
}

TEST(neighbor_rows, are_the_same_for_every_storage) {
  for (const auto& g : hg::small_graphs<>()) {
    const auto all = expected(g, [](auto, auto) { return true; });
    EXPECT_EQ(rows_of(g, hg::every_neighbor{}), all) << g.name();
    EXPECT_EQ(rows_of(g.coo(), hg::every_neighbor{}), all) << g.name();
    const auto by_target = hg::build_csc<std::uint32_t, std::uint32_t>(g);
    EXPECT_EQ(rows_of(by_target.view(), hg::every_neighbor{}), all) << g.name();
    EXPECT_EQ(rows_of(g.coo(), hg::earlier_neighbors<hg::by_id>{}),
              expected(g, [](auto v, auto u) { return u < v; }))
        << g.name();
    EXPECT_EQ(rows_of(by_target.view(), hg::earlier_neighbors<backwards>{{g.num_nodes()}}),
              expected(g, [](auto v, auto u) { return u > v; }))
        << g.name();
  }
}

TEST(neighbor_rows, of_a_storage_with_both_directions_need_no_memory) {
  static_assert(hg::neighbor_rows<hg::small_graph<>>::words(1000, 1000, true) == 0);
  static_assert(hg::neighbor_rows<hg::coo_view<>>::words(10, 7, false) == 11 + 4);
  static_assert(hg::neighbor_rows<hg::coo_view<>>::words(10, 7, true) == 11 + 7);
}

TEST(neighbor_rows, reject_too_little_memory_and_bad_endpoints) {
  using list = hg::archetype::graph;
  const hg::archetype::ends<std::int8_t> edges[]{{0, 1}, {1, 2}, {2, 0}};
  const list g(3, edges);
  hg::neighbor_rows<list> made;
  std::vector<std::uint64_t> memory(6);
  const auto build = [&](const list& graph, std::size_t words) {
    return hg::neighbor_rows<list>::build(graph, hg::earlier_neighbors<hg::by_id>{},
                                          std::span(memory).first(words), made);
  };
  for (const std::size_t words : {0u, 3u, 5u}) {
    EXPECT_EQ(build(g, words), hg::status::capacity);
    EXPECT_EQ(build(g, words).position, 6u);
  }
  EXPECT_EQ(build(g, 6), hg::status::ok);
  const list outside(2, edges);
  EXPECT_EQ(build(outside, 6), hg::status::out_of_range);
  EXPECT_EQ(build(outside, 6).position, 1u);
}

TEST(packed_ids, hold_two_to_a_word_where_32_bits_suffice) {
  for (const std::uint64_t limit : {std::uint64_t{1} << 32, (std::uint64_t{1} << 32) + 1}) {
    const std::size_t words = hg::detail::packed_ids::words(limit, 5);
    EXPECT_EQ(words, limit == std::uint64_t{1} << 32 ? 3u : 5u);
    std::vector<std::uint64_t> memory(words, ~std::uint64_t{0});
    hg::detail::packed_ids ids(limit, memory);
    for (std::size_t i = 0; i < 5; ++i) ids.set(i, limit - 1 - i);
    ids.set(2, 7);
    for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(ids.get(i), i == 2 ? 7 : limit - 1 - i);
  }
}

}  // namespace
