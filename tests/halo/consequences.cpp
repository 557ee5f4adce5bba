// SPDX-License-Identifier: BSL-1.0
// What must follow from the rules of expansion, whatever the graph: laws that name no step of it.
#include <halograph/graph/build.hpp>
#include <halograph/halo/expand.hpp>
#include <halograph/relabel/relabeling.hpp>

#include <gtest/gtest.h>
#include <support/plain_graph.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace hg = halograph;

namespace {

using found = hg::halo<std::uint32_t, std::uint32_t>;

struct world {
  plain::graph g;
  plain::owners owner;
  std::size_t parts;

  std::vector<found> expand(const hg::halo_options& options) const {
    const auto rows = hg::build_csc<std::uint32_t, std::uint32_t>(
        plain::columns<std::uint32_t>(g).view());
    const auto view = rows.view();
    hg::halo_expander<decltype(view)> expander(view, std::span<const hg::part_id>(owner), parts);
    std::vector<found> all;
    for (std::size_t p = 0; p < parts; ++p) all.push_back(expander.expand(p, options));
    return all;
  }
};

template <class F>
void for_random_worlds(std::uint64_t seed, F&& f) {
  hg::random_stream draw(seed);
  for (int round = 0; round < 150; ++round) {
    world one{plain::random_graph(draw, 30), {}, static_cast<std::size_t>(1 + draw.below(5))};
    one.owner = plain::random_owners(draw, one.g.nodes, one.parts);
    SCOPED_TRACE(testing::Message() << one.g << "; owners " << testing::PrintToString(one.owner));
    f(std::as_const(one));
    if (testing::Test::HasFailure()) return;
  }
}

TEST(halo_law, an_inner_node_keeps_all_its_in_edges_and_out_edges) {
  for_random_worlds(1, [](const world& w) {
    for (const unsigned hops : {1u, 2u, 4u}) {
      const auto all = w.expand({.hops = hops});
      for (std::size_t p = 0; p < w.parts; ++p) {
        const std::multiset<std::uint32_t> here(all[p].edges.begin(), all[p].edges.end());
        for (std::uint32_t e = 0; e < w.g.edges.size(); ++e) {
          const auto [u, v] = w.g.edges[e];
          EXPECT_LE(here.count(e), 1u) << "edge " << e;
          EXPECT_TRUE(here.count(e) == 1 || (w.owner[u] != p && w.owner[v] != p)) << "edge " << e;
        }
      }
    }
  });
}

TEST(halo_law, inner_nodes_and_inner_edges_of_all_parts_cover_the_graph_once) {
  for_random_worlds(2, [](const world& w) {
    for (const unsigned hops : {1u, 3u}) {
      std::multiset<std::uint32_t> nodes, edges;
      const auto all = w.expand({.hops = hops});
      for (std::size_t p = 0; p < w.parts; ++p) {
        nodes.insert(all[p].nodes.begin(),
                     all[p].nodes.begin() + static_cast<std::ptrdiff_t>(all[p].inner_nodes));
        edges.insert(all[p].edges.begin(),
                     all[p].edges.begin() + static_cast<std::ptrdiff_t>(all[p].inner_edges));
        EXPECT_EQ(all[p].inner_nodes,
                  static_cast<std::size_t>(std::count(w.owner.begin(), w.owner.end(), p)));
        for (std::size_t i = 0; i < all[p].nodes.size(); ++i)
          EXPECT_EQ(w.owner[all[p].nodes[i]] == p, i < all[p].inner_nodes);
        for (std::size_t i = 0; i < all[p].edges.size(); ++i)
          EXPECT_EQ(all[p].targets[i] < all[p].inner_nodes, i < all[p].inner_edges);
      }
      EXPECT_EQ(nodes.size(), w.g.nodes);
      EXPECT_EQ(std::set<std::uint32_t>(nodes.begin(), nodes.end()).size(), w.g.nodes);
      EXPECT_EQ(edges.size(), w.g.edges.size());
      EXPECT_EQ(std::set<std::uint32_t>(edges.begin(), edges.end()).size(), w.g.edges.size());
    }
  });
}

// In-hops from a part, breadth first, by repeated relaxation.
std::vector<std::size_t> in_hops(const world& w, std::size_t part) {
  std::vector<std::size_t> hop(w.g.nodes, 1000);
  for (std::size_t v = 0; v < w.g.nodes; ++v) {
    if (w.owner[v] == part) hop[v] = 0;
  }
  for (std::size_t round = 0; round < w.g.nodes; ++round) {
    for (const auto& [u, v] : w.g.edges) hop[u] = std::min(hop[u], hop[v] + 1);
  }
  return hop;
}

TEST(halo_law, edges_among_halo_nodes_are_those_into_nodes_of_fewer_hops) {
  for_random_worlds(3, [](const world& w) {
    for (const unsigned hops : {1u, 2u, 3u}) {
      const auto all = w.expand({.hops = hops});
      for (std::size_t p = 0; p < w.parts; ++p) {
        const auto hop = in_hops(w, p);
        std::set<std::uint32_t> got, want;
        for (std::size_t i = 0; i < all[p].edges.size(); ++i) {
          if (all[p].sources[i] >= all[p].inner_nodes && all[p].targets[i] >= all[p].inner_nodes)
            got.insert(all[p].edges[i]);
        }
        for (std::uint32_t e = 0; e < w.g.edges.size(); ++e) {
          const auto [u, v] = w.g.edges[e];
          if (w.owner[u] != p && w.owner[v] != p && hop[v] < hops) want.insert(e);
        }
        EXPECT_EQ(got, want);
        EXPECT_TRUE(hops > 1 || got.empty());
      }
    }
  });
}

TEST(halo_law, without_the_closing_step_a_part_is_the_in_neighborhood_of_k_hops) {
  for_random_worlds(4, [](const world& w) {
    for (const unsigned hops : {1u, 2u, 3u}) {
      const auto all = w.expand({.hops = hops, .closing_out_edges = false});
      for (std::size_t p = 0; p < w.parts; ++p) {
        const auto hop = in_hops(w, p);
        std::set<std::uint32_t> nodes, edges;
        for (std::uint32_t v = 0; v < w.g.nodes; ++v) {
          if (hop[v] <= hops) nodes.insert(v);
        }
        for (std::uint32_t e = 0; e < w.g.edges.size(); ++e) {
          if (hop[w.g.edges[e].second] < hops) edges.insert(e);
        }
        EXPECT_EQ(std::set<std::uint32_t>(all[p].nodes.begin(), all[p].nodes.end()), nodes);
        EXPECT_EQ(std::set<std::uint32_t>(all[p].edges.begin(), all[p].edges.end()), edges);
        EXPECT_EQ(all[p].edges.size(), edges.size());
        for (std::size_t k = 0; k < all[p].nodes_per_hop.size(); ++k) {
          EXPECT_EQ(all[p].nodes_per_hop[k],
                    static_cast<std::uint64_t>(std::count(hop.begin(), hop.end(), k + 1)));
        }
      }
    }
  });
}

// DGL's own test of its low-level partitioning: 1000 nodes, 4 parts, 2 hops, random owners.
TEST(halo_law, degrees_of_inner_nodes_survive_in_a_graph_of_a_thousand_nodes) {
  hg::random_stream draw(9);
  world w{{1000, {}}, plain::random_owners(draw, 1000, 4), 4};
  for (int e = 0; e < 4000; ++e) w.g.edges.emplace_back(draw.below(1000), draw.below(1000));
  std::vector<std::size_t> in(1000), out(1000);
  for (const auto& [u, v] : w.g.edges) ++out[u], ++in[v];
  const auto all = w.expand({.hops = 2});
  std::size_t inner = 0;
  for (const auto& part : all) {
    std::vector<std::size_t> in_here(part.nodes.size()), out_here(part.nodes.size());
    for (std::size_t i = 0; i < part.edges.size(); ++i)
      ++out_here[part.sources[i]], ++in_here[part.targets[i]];
    for (std::size_t i = 0; i < part.inner_nodes; ++i) {
      ASSERT_EQ(in_here[i], in[part.nodes[i]]);
      ASSERT_EQ(out_here[i], out[part.nodes[i]]);
    }
    inner += part.inner_nodes;
  }
  EXPECT_EQ(inner, 1000u);
}

// With new IDs: a part's inner nodes and edges are its ranges, and its inner nodes' predecessors
// are complete.
TEST(halo_law, inner_ids_after_relabeling_are_the_ranges_of_the_part) {
  for_random_worlds(5, [](const world& w) {
    const auto plan = hg::relabel(plain::columns<std::uint32_t>(w.g).view(), w.owner, w.parts);
    if (w.parts == 1) return;
    const auto all = w.expand({.hops = 2});
    for (std::size_t p = 0; p < w.parts; ++p) {
      for (std::size_t i = 0; i < all[p].inner_nodes; ++i)
        EXPECT_EQ(plan.new_node[all[p].nodes[i]], plan.nodes(p).begin + i);
      std::set<std::uint64_t> edges;
      for (std::size_t i = 0; i < all[p].inner_edges; ++i)
        edges.insert(plan.new_edge[all[p].edges[i]]);
      EXPECT_EQ(edges.size(), plan.edges(p).size());
      if (!edges.empty()) {
        EXPECT_EQ(*edges.begin(), plan.edges(p).begin);
        EXPECT_EQ(*edges.rbegin(), plan.edges(p).end - 1);
      }
    }
  });
}

}  // namespace
