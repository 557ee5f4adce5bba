// SPDX-License-Identifier: BSL-1.0
// The span cores allocate nothing: every call of operator new in this executable is counted.
#include "support/count_allocations.hpp"

#include <halograph/core/ids.hpp>
#include <halograph/core/random.hpp>
#include <halograph/graph/build.hpp>
#include <halograph/graph/coo.hpp>
#include <halograph/halo/expand.hpp>
#include <halograph/relabel/relabel_edges.hpp>
#include <halograph/relabel/relabel_nodes.hpp>
#include <halograph/relabel/unshuffle.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hg = halograph;
using hg::testing::allocations_of;

namespace {

TEST(span_cores, allocate_nothing) {
  constexpr std::size_t nodes = 200, edges = 900, parts = 4;
  using node = std::uint16_t;
  using edge = std::uint32_t;
  hg::random_stream draw(1);
  std::vector<node> source(edges), target(edges);
  for (auto& v : source) v = static_cast<node>(draw.below(nodes));
  for (auto& v : target) v = static_cast<node>(draw.below(nodes));
  std::vector<std::uint8_t> owner(nodes);
  for (auto& part : owner) part = static_cast<std::uint8_t>(draw.below(parts));
  std::vector<edge> offsets(nodes + 1), names(edges), new_edge(edges), cursor(nodes),
      cut_offsets(nodes + 1), cut_edges(edges), out_edge(edges);
  std::vector<node> sources(edges), old_node(nodes), new_node(nodes), members(nodes),
      cut_targets(edges), halo(nodes), back(nodes);
  std::vector<std::uint64_t> node_bounds(parts + 1), edge_bounds(parts + 1), begin(parts + 1);
  const std::vector<std::uint64_t> node_types{0, nodes}, edge_types{0, edges};
  std::vector<std::uint16_t> local(nodes, hg::absent<std::uint16_t>), out_source(edges),
      out_target(edges);
  std::vector<std::uint8_t> out_inner(edges);
  bool all_ok = true;

  EXPECT_GT(allocations_of([] {
              std::vector<int> one(3);
              static_cast<void>(one.data());
            }),
            0u)
      << "the counter counts";
  EXPECT_EQ(
      allocations_of([&] {
        const hg::coo_view<node, edge> g(nodes, source, target);
        const std::span<const std::uint8_t> owners(owner);
        all_ok = all_ok && g.validate() &&
                 hg::build_csc_into(g, std::span(offsets), std::span(sources), std::span(names));
        const hg::csc_view<node, edge> rows(offsets, sources, names);
        all_ok = all_ok && hg::relabel_nodes_into(
                               owners, std::span<const std::uint64_t>(node_types), parts,
                               std::span(node_bounds), std::span(old_node), std::span(new_node));
        all_ok = all_ok && hg::relabel_edges_into(rows, owners, std::span<const node>(old_node),
                                                  std::span<const std::uint64_t>(node_bounds),
                                                  std::span<const std::uint64_t>(edge_types),
                                                  hg::same_edge_id{}, true, std::span(edge_bounds),
                                                  std::span(new_edge));
        all_ok = all_ok &&
                 hg::group_members_into(owners, parts, std::span(begin), std::span(members));
        all_ok = all_ok && hg::group_cut_edges_into(rows, owners, std::span<const node>(members),
                                                    std::span(cursor), std::span(cut_offsets),
                                                    std::span(cut_targets), std::span(cut_edges));
        const hg::halo_index_view<node, edge> plan{
            begin, members, {cut_offsets, cut_targets, cut_edges}};
        for (std::size_t p = 0; p < parts; ++p) {
          hg::halo_counter<node> counter{std::span(halo)};
          all_ok = all_ok &&
                   hg::expand_into(rows, owners, plan, p, {.hops = 3}, std::span(local), counter);
          hg::halo_buffer<node, edge, std::uint16_t> out{std::span(halo), std::span(out_source),
                                                         std::span(out_target), std::span(out_edge),
                                                         std::span(out_inner)};
          all_ok = all_ok &&
                   hg::expand_into(rows, owners, plan, p, {.hops = 3}, std::span(local), out);
          all_ok = all_ok && out.num_edges() == counter.num_edges();
        }
        all_ok = all_ok && hg::unshuffle(old_node, new_node, back);
        all_ok = all_ok && hg::unshuffle_bytes(std::span<const node>(old_node), 2,
                                               std::as_bytes(std::span(new_node)),
                                               std::as_writable_bytes(std::span(back)));
      }),
      0u);
  EXPECT_TRUE(all_ok);
}

// Expanding a part again allocates its result and nothing that grows with the graph: the expander
// keeps that.
TEST(halo_expander, allocates_nothing_but_results_after_it_is_made) {
  const auto allocations_for = [](std::size_t nodes) {
    std::vector<std::uint32_t> offsets(nodes + 1, 0), sources;
    const hg::csc_view<std::uint32_t, std::uint32_t> rows(offsets, sources);
    std::vector<std::uint32_t> owner(nodes, 1);
    owner[0] = 0;
    hg::halo_expander<hg::csc_view<std::uint32_t, std::uint32_t>> expander(
        rows, std::span<const std::uint32_t>(owner));
    return allocations_of([&] { static_cast<void>(expander.expand(0)); });
  };
  EXPECT_EQ(allocations_for(2), allocations_for(20000));
}

}  // namespace
