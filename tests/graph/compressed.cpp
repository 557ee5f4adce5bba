// SPDX-License-Identifier: BSL-1.0
#include "support/few_threads.hpp"

#include <halograph/core/random.hpp>
#include <halograph/graph/build.hpp>
#include <halograph/graph/compressed.hpp>
#include <halograph/graph/csr.hpp>
#include <halograph/graph/generators.hpp>
#include <halograph/graph/symmetrize.hpp>
#include <halograph/halo/expand.hpp>
#include <halograph/partition/assign.hpp>
#include <halograph/partition/fennel.hpp>
#include <halograph/testing/laws.hpp>
#include <halograph/testing/small_graphs.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace hg = halograph;

namespace {

static_assert(hg::out_adjacency<hg::compressed_csr<>> && hg::edge_list<hg::compressed_csr<>>);
static_assert(hg::in_adjacency<hg::compressed_csc<>> && hg::edge_list<hg::compressed_csc<>>);
static_assert(!hg::in_adjacency<hg::compressed_csr<>> && !hg::out_adjacency<hg::compressed_csc<>>);

/// Rows of out-neighbors in any order.
template <class Node>
struct rows {
  using node_id = Node;
  std::vector<std::vector<Node>> all{};
  std::size_t num_nodes() const { return all.size(); }
  template <class AnyNode, class F>
  void for_each_out_edge(AnyNode u, F&& f) const {
    std::uint64_t e = 0;  // IDs are not read
    for (const Node v : all[hg::index(u)]) f(v, e++);
  }
};

/// The naive model: the sorted rows, one after the other.
template <class Node, class Graph>
void expect_rows(const std::vector<std::vector<Node>>& wanted, const Graph& g) {
  std::uint64_t edge = 0;
  for (std::size_t u = 0; u < wanted.size(); ++u) {
    auto row = wanted[u];
    std::sort(row.begin(), row.end());
    ASSERT_EQ(g.degree(u), row.size()) << "row " << u;
    std::vector<Node> found;
    hg::for_each_out_edge(g, u, [&](Node v, std::uint64_t e) {
      found.push_back(v);
      EXPECT_EQ(e, edge++) << "row " << u;
    });
    ASSERT_EQ(found, row) << "row " << u;
    EXPECT_EQ(g.row_begin(u), edge - row.size());
    // A few at a time, however many fit.
    for (const std::size_t room : {std::size_t{4}, std::size_t{64}}) {
      std::vector<Node> some(room), again;
      auto reader = g.read_row(u);
      while (const std::size_t count = reader.next(std::span<Node>(some)))
        again.insert(again.end(), some.begin(), some.begin() + static_cast<std::ptrdiff_t>(count));
      ASSERT_EQ(again, row) << "row " << u;
    }
  }
  EXPECT_EQ(g.row_begin(wanted.size()), edge);
  EXPECT_EQ(g.num_nodes(), wanted.size());
  EXPECT_EQ(g.num_edges(), edge);
}

template <class Node>
class compressed_width : public ::testing::Test {};
using widths = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                                std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(compressed_width, widths);

TYPED_TEST(compressed_width, equals_the_naive_model_on_random_multigraphs) {
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    hg::random_stream stream(seed);
    const std::size_t nodes = sizeof(TypeParam) > 1 && seed == 0 ? 9000 : 1 + stream.below(120);
    rows<TypeParam> g{std::vector<std::vector<TypeParam>>(nodes)};
    for (auto& row : g.all) {
      row.resize(stream.below(8) == 0 ? stream.below(700) : stream.below(9));
      for (auto& v : row) v = static_cast<TypeParam>(stream.below(nodes));
      if (stream.below(3) == 0) std::sort(row.begin(), row.end());
    }
    SCOPED_TRACE(seed);
    expect_rows(g.all, hg::compressed_csr<TypeParam>(g));
  }
}

TYPED_TEST(compressed_width, follows_the_laws_of_graphs) {
  for (const auto& g : hg::small_graphs<TypeParam>()) {
    EXPECT_TRUE(hg::laws::graph(hg::compressed_csr<TypeParam>(g))) << g.name();
    EXPECT_TRUE(hg::laws::graph(hg::compressed_csc<TypeParam>(g))) << g.name();
  }
}

/// The same out-neighbors of node 5 and of the last node.
struct sparse {
  using node_id = std::uint32_t;
  std::size_t nodes;
  std::vector<std::uint32_t> targets;
  std::size_t num_nodes() const { return nodes; }
  template <class F>
  void for_each_out_edge(std::size_t u, F&& f) const {
    if (u != 5 && u + 1 != nodes) return;
    for (const std::uint32_t v : targets) f(v, std::uint64_t{0});
  }
};

TEST(compressed, holds_distances_of_every_width) {
  const std::size_t nodes = (std::size_t{1} << 24) + 70'010;
  std::vector<std::uint32_t> targets{0, 1, 2, 3, 4, 4, 200, 70'000, 70'001};
  targets.push_back((1u << 24) + 70'003);
  targets.push_back(static_cast<std::uint32_t>(nodes - 1));
  const hg::compressed_csr<> g(sparse{nodes, targets});
  for (const std::size_t u : {std::size_t{5}, nodes - 1}) {
    std::vector<std::uint32_t> found;
    g.for_each_out_edge(u, [&](std::uint32_t v, std::uint64_t) { found.push_back(v); });
    EXPECT_EQ(found, targets) << u;
  }
  EXPECT_EQ(g.degree(nodes - 2), 0u);
  EXPECT_EQ(g.num_edges(), 2 * targets.size());
}

TEST(compressed, chooses_the_widths_that_take_fewest_bytes) {
  const auto widths_of = [](std::array<std::uint64_t, 9> counts) {
    const auto best = hg::detail::number_widths::best_of(counts);
    return std::vector<std::size_t>{best.width(0), best.width(1), best.width(2), best.width(3)};
  };
  using list = std::vector<std::size_t>;
  EXPECT_EQ(widths_of({}), (list{0, 1, 2, 3}));
  EXPECT_EQ(widths_of({5, 5, 5, 5, 0, 0, 0, 0, 0}), (list{0, 1, 2, 3}));
  EXPECT_EQ(widths_of({9, 9, 9, 1, 1, 0, 0, 0, 0}), (list{0, 1, 2, 4}));
  EXPECT_EQ(widths_of({0, 9, 9, 9, 1, 0, 0, 0, 0}), (list{1, 2, 3, 4}));
  EXPECT_EQ(widths_of({1, 0, 9, 9, 0, 9, 0, 0, 1}), (list{2, 3, 5, 8}));
}

TEST(compressed, is_the_same_for_any_threads) {
  const hg::generators::rmat make{.scale = 13, .edge_factor = 8, .seed = 4};
  std::vector<std::uint32_t> source(make.num_edges()), target(source.size());
  ASSERT_EQ(hg::generators::fill(make, 0, std::span(source), std::span(target)), hg::status::ok);
  const hg::coo_view<std::uint32_t> g(std::size_t{1} << 13, source, target);
  const auto both = hg::symmetrize<std::uint32_t>(g);
  const hg::compressed_csr<> one(both), three(both, hg::testing::few_threads{3});
  EXPECT_EQ(one.memory_bytes(), three.memory_bytes());
  EXPECT_EQ(one.num_edges(), both.num_edges());
  for (std::size_t u = 0; u < both.num_nodes(); ++u) {
    std::vector<std::uint32_t> a, b, c;
    one.for_each_out_edge(u, [&](auto v, auto) { a.push_back(v); });
    three.for_each_out_edge(u, [&](auto v, auto) { b.push_back(v); });
    both.for_each_out_edge(u, [&](auto v, auto) { c.push_back(v); });
    ASSERT_EQ(a, c) << u;
    ASSERT_EQ(b, c) << u;
  }
  // Distances of two bytes for most, where a CSR takes four.
  EXPECT_LT(one.memory_bytes(), both.num_edges() * 9 / 4 + both.num_nodes() * 8 + 64);
}

TEST(compressed, neighbors_that_follow_each_other_take_two_bits) {
  rows<std::uint32_t> g{std::vector<std::vector<std::uint32_t>>(4096)};
  for (auto& row : g.all) {
    for (std::uint32_t v = 100; v < 300; ++v) row.push_back(v);
  }
  const hg::compressed_csr<> packed(g);
  EXPECT_LT(packed.memory_bytes(), 4096u * (200 / 4 + 8 + 3) + 64);
  expect_rows(g.all, packed);
}

TEST(compressed, policies_and_halos_take_it_like_any_other_graph) {
  const hg::generators::rmat make{.scale = 9, .edge_factor = 6, .seed = 2};
  std::vector<std::uint32_t> source(make.num_edges()), target(source.size());
  ASSERT_EQ(hg::generators::fill(make, 0, std::span(source), std::span(target)), hg::status::ok);
  const hg::coo_view<std::uint32_t> g(std::size_t{1} << 9, source, target);
  const auto both = hg::symmetrize<std::uint32_t>(g);
  const hg::compressed_csr<> packed(both);
  EXPECT_EQ(hg::assign(packed, hg::fennel{.parts = 4}), hg::assign(both, hg::fennel{.parts = 4}));
  const auto csc = hg::build_csc<std::uint32_t, std::uint32_t>(g);
  const hg::compressed_csc<> in(csc.view());
  const auto owner = hg::assign(both, hg::fennel{.parts = 4});
  const auto sorted = [](auto nodes) {
    std::sort(nodes.begin(), nodes.end());
    return nodes;
  };
  EXPECT_EQ(sorted(hg::expand_halo(in, owner, 1, {.hops = 2}).nodes),
            sorted(hg::expand_halo(csc.view(), owner, 1, {.hops = 2}).nodes));
}

template <class Graph>
std::string error_of(const Graph& g) {
  try {
    hg::compressed_csr<std::uint8_t> made(g);
  } catch (const hg::error& problem) {
    return problem.what();
  }
  return "";
}

TEST(compressed, refuses_what_is_no_graph) {
  rows<std::uint16_t> g{std::vector<std::vector<std::uint16_t>>(3)};
  g.all[1] = {2, 3};
  EXPECT_EQ(error_of(g),
            "node 1 has a neighbor outside the 3 nodes of the graph; IDs must be 0 to 2");
  g.all.resize(257);
  EXPECT_EQ(error_of(g), "the graph has 257 nodes, more than 8-bit IDs can number; use wider ones");
}

/// Lists one neighbor more each time.
struct fickle {
  mutable std::size_t visits = 0;
  static std::size_t num_nodes() { return 4; }
  template <class F>
  void for_each_out_edge(std::size_t, F&& f) const {
    for (std::size_t i = 0, end = ++visits; i < end; ++i) f(std::uint32_t{1}, std::uint64_t{0});
  }
};

TEST(compressed, refuses_a_graph_that_changes) {
  EXPECT_EQ(error_of(fickle{}),
            "the graph lists other edges when it is visited again; it must list the same each "
            "time");
}

}  // namespace
