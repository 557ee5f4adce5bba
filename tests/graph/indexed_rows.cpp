// SPDX-License-Identifier: BSL-1.0
#include <halograph/graph/indexed_rows.hpp>
#include <halograph/partition/assign.hpp>
#include <halograph/testing/laws.hpp>
#include <halograph/testing/small_graphs.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <forward_list>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace hg = halograph;

namespace {

template <class Rows>
void expect_walkable(const hg::small_graph<>& g, const Rows& rows) {
  const hg::indexed_rows<Rows> view(rows);
  static_assert(hg::out_adjacency<hg::indexed_rows<Rows>>);
  EXPECT_EQ(view.num_nodes(), g.num_nodes()) << g.name();
  EXPECT_EQ(view.num_edges(), g.num_edges()) << g.name();
  EXPECT_TRUE(hg::laws::graph(view)) << g.name();
}

TEST(indexed_rows, walk_from_a_node_along_the_edges_that_the_rows_number) {
  for (const auto& g : hg::small_graphs<>()) {
    std::vector<std::vector<std::uint64_t>> plain(g.num_nodes());
    std::vector<std::forward_list<std::pair<std::uint16_t, float>>> weighted(g.num_nodes());
    for (std::size_t e = 0; e < g.num_edges(); ++e) {
      plain[hg::index(g.source()[e])].push_back(g.target()[e]);
      weighted[hg::index(g.source()[e])].emplace_front(static_cast<std::uint16_t>(g.target()[e]),
                                                       1.0f);
    }
    expect_walkable(g, plain);
    expect_walkable(g, weighted);
  }
}

/// Puts each node into the part after that of the last node that leads to it: needs out-edges.
struct walker {
  using part = std::uint16_t;
  std::uint64_t parts = 1;
  template <hg::out_adjacency Graph>
  hg::status assign(const Graph& g, std::span<part> owner) const {
    for (auto& p : owner) p = 0;
    for (std::size_t u = 0; u < owner.size(); ++u) {
      hg::for_each_out_edge(g, u, [&](auto v, auto e) {
        owner[hg::index(v)] = static_cast<part>((hg::index(e) + 1) % parts);
      });
    }
    return hg::status::ok;
  }
};

TEST(indexed_rows, assign_makes_them_for_policies_that_walk) {
  const std::vector<std::vector<int>> rows{{1, 2}, {}, {0, 3}, {}};
  static_assert(!hg::partitioner<walker, std::vector<std::vector<int>>>);
  EXPECT_EQ(hg::assign(rows, walker{5}), (std::vector<std::uint16_t>{3, 1, 2, 4}));
}

}  // namespace
