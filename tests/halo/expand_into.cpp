// SPDX-License-Identifier: BSL-1.0
// The span core of expansion: in the caller's memory, at compile time, at the limits of narrow
// local IDs.
#include <halograph/graph/csr.hpp>
#include <halograph/halo/expand.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace hg = halograph;

namespace {

template <hg::id Node, hg::id Edge>
struct plan_memory {
  std::vector<hg::part_id> owner;
  std::vector<std::uint64_t> begin;
  std::vector<Node> members, targets;
  std::vector<Edge> cursor, offsets, edges;

  template <class Graph>
  plan_memory(const Graph& g, std::vector<hg::part_id> parts_of, std::size_t parts)
      : owner(std::move(parts_of)) {
    begin.resize(hg::member_begin_count(parts));
    members.resize(owner.size());
    cursor.resize(owner.size());
    offsets.resize(hg::cut_offsets_count(owner.size()));
    const std::span<const hg::part_id> owners(owner);
    EXPECT_EQ(hg::group_members_into(owners, parts, std::span(begin), std::span(members)),
              hg::status::ok);
    const auto cut = static_cast<std::size_t>(hg::count_cut_edges(g, owners));
    targets.resize(cut);
    edges.resize(cut);
    EXPECT_EQ(hg::group_cut_edges_into(g, owners, std::span<const Node>(members), std::span(cursor),
                                       std::span(offsets), std::span(targets), std::span(edges)),
              hg::status::ok);
  }
  hg::halo_index_view<Node, Edge> view() const {
    return {begin, members, {offsets, targets, edges}};
  }
};

// 0 -> 1 -> ... -> V-1
template <hg::id Node, hg::id Edge>
struct path_rows {
  std::vector<Edge> offsets;
  std::vector<Node> sources;
  explicit path_rows(std::size_t nodes) {
    for (std::size_t v = 0; v <= nodes; ++v)
      offsets.push_back(static_cast<Edge>(v == 0 ? 0 : v - 1));
    for (std::size_t v = 0; v + 1 < nodes; ++v) sources.push_back(static_cast<Node>(v));
  }
  hg::csc_view<Node, Edge> view() const { return {offsets, sources}; }
};

TEST(expand_into, counts_first_and_then_fills_arrays_of_exactly_that_size) {
  const path_rows<std::uint16_t, std::uint32_t> rows(10);
  const plan_memory<std::uint16_t, std::uint32_t> plan(rows.view(), {0, 0, 1, 1, 1, 0, 0, 0, 2, 2},
                                                       3);
  const std::span<const hg::part_id> owner(plan.owner);
  std::vector<std::uint8_t> local(10, hg::absent<std::uint8_t>);
  std::vector<std::uint16_t> nodes(hg::halo_nodes_bound(10, 3));
  hg::halo_counter<std::uint16_t> counter{std::span(nodes)};
  ASSERT_EQ(
      hg::expand_into(rows.view(), owner, plan.view(), 1, {.hops = 2}, std::span(local), counter),
      hg::status::ok);
  EXPECT_EQ(counter.num_halo_nodes(), 3u);  // 1, 0, and 5 behind
  EXPECT_EQ(counter.num_edges(), 5u);
  EXPECT_EQ(counter.num_inner_edges(), 3u);
  nodes.resize(counter.num_halo_nodes());
  std::vector<std::uint8_t> sources(5), targets(5), inner(5);
  std::vector<std::uint32_t> edges(5);
  hg::halo_buffer<std::uint16_t, std::uint32_t, std::uint8_t> buffer{
      std::span(nodes), std::span(sources), std::span(targets), std::span(edges), std::span(inner)};
  ASSERT_EQ(
      hg::expand_into(rows.view(), owner, plan.view(), 1, {.hops = 2}, std::span(local), buffer),
      hg::status::ok);
  EXPECT_EQ(nodes, (std::vector<std::uint16_t>{1, 0, 5}));
  EXPECT_EQ(sources, (std::vector<std::uint8_t>{3, 0, 1, 4, 2}));
  EXPECT_EQ(targets, (std::vector<std::uint8_t>{0, 1, 2, 3, 5}));
  EXPECT_EQ(edges, (std::vector<std::uint32_t>{1, 2, 3, 0, 4}));
  EXPECT_EQ(inner, (std::vector<std::uint8_t>{1, 1, 1, 0, 0}));
}

TEST(expand_into, restores_its_scratch_memory_after_any_status) {
  const path_rows<std::uint16_t, std::uint16_t> rows(6);
  const plan_memory<std::uint16_t, std::uint16_t> plan(rows.view(), {0, 1, 0, 1, 0, 1}, 2);
  const std::span<const hg::part_id> owner(plan.owner);
  const std::vector<std::uint16_t> clean(6, hg::absent<std::uint16_t>);
  auto local = clean;
  std::array<std::uint16_t, 6> nodes{}, sources{}, targets{}, edges{};
  std::array<std::uint8_t, 6> inner{};
  const auto run = [&](std::size_t node_room, std::size_t edge_room,
                       const hg::halo_options& options) {
    hg::halo_buffer<std::uint16_t, std::uint16_t, std::uint16_t> out{
        std::span(nodes).first(node_room), std::span(sources).first(edge_room), std::span(targets),
        std::span(edges), std::span(inner)};
    const auto answer = hg::expand_into(rows.view(), owner, plan.view(), 0, options,
                                        std::span(local), out);
    EXPECT_EQ(local, clean);
    return answer;
  };
  EXPECT_EQ(run(3, 5, {}), hg::status::ok);
  for (std::size_t room = 0; room < 3; ++room)
    EXPECT_EQ(run(room, 5, {}), hg::status::capacity) << room;
  for (std::size_t room = 0; room < 5; ++room)
    EXPECT_EQ(run(3, room, {}), hg::status::capacity) << room;
  const auto cut = run(3, 5, {.hops = 0});
  EXPECT_EQ(cut, hg::status::cut_edges);
  EXPECT_EQ(cut.position, 2u);  // 1 -> 2 and 3 -> 4
  EXPECT_EQ(run(0, 0, {.hops = 0, .drop_cut_edges = true}), hg::status::ok);
}

// Two cycles 0 -> ... -> 5 -> 0 and one of every second node: each hop meets nodes that are known,
// inner ones too, and new ones.
TEST(expand_into, ends_at_any_hop_in_which_the_output_is_full) {
  const std::vector<std::uint16_t> offsets{0, 2, 4, 6, 8, 10, 12},
      sources{5, 4, 0, 5, 1, 0, 2, 1, 3, 2, 4, 3};
  const hg::csc_view<std::uint16_t, std::uint16_t> rows(offsets, sources);
  const plan_memory<std::uint16_t, std::uint16_t> plan(rows, {0, 1, 1, 1, 1, 1}, 2);
  const std::vector<std::uint16_t> clean(6, hg::absent<std::uint16_t>);
  for (const bool closing : {true, false}) {
    for (const unsigned hops : {1u, 2u, 3u}) {
      const hg::halo_options options{.hops = hops, .closing_out_edges = closing};
      auto local = clean;
      std::vector<std::uint16_t> nodes(5), sources_of(12), targets(12), edges(12);
      std::vector<std::uint8_t> inner(12);
      const auto run = [&](auto& out) {
        const auto answer = hg::expand_into(rows, std::span<const hg::part_id>(plan.owner),
                                            plan.view(), 0, options, std::span(local), out);
        EXPECT_EQ(local, clean);
        return answer;
      };
      hg::halo_counter<std::uint16_t> counter{std::span(nodes)};
      ASSERT_EQ(run(counter), hg::status::ok);
      const std::size_t all_nodes = counter.num_halo_nodes(), all_edges = counter.num_edges();
      for (std::size_t node_room = 0; node_room <= all_nodes; ++node_room) {
        hg::halo_counter<std::uint16_t> small{std::span(nodes).first(node_room)};
        EXPECT_EQ(run(small), node_room < all_nodes ? hg::status::capacity : hg::status::ok);
        for (std::size_t edge_room = 0; edge_room <= all_edges; ++edge_room) {
          hg::halo_buffer<std::uint16_t, std::uint16_t, std::uint16_t> out{
              std::span(nodes).first(node_room), std::span(sources_of), std::span(targets),
              std::span(edges).first(edge_room), std::span(inner)};
          EXPECT_EQ(run(out), node_room < all_nodes || edge_room < all_edges ? hg::status::capacity
                                                                             : hg::status::ok)
              << hops << " hops, room for " << node_room << " nodes and " << edge_room << " edges";
        }
      }
    }
  }
}

TEST(expand_into, rejects_mismatched_arguments) {
  const path_rows<std::uint16_t, std::uint16_t> rows(4);
  const plan_memory<std::uint16_t, std::uint16_t> plan(rows.view(), {0, 1, 0, 1}, 2);
  std::vector<std::uint16_t> local(4, hg::absent<std::uint16_t>), nodes(4);
  hg::halo_counter<std::uint16_t> out{std::span(nodes)};
  const auto run = [&](std::span<const hg::part_id> owner, std::size_t part,
                       std::span<std::uint16_t> scratch) {
    return hg::expand_into(rows.view(), owner, plan.view(), part, hg::halo_options{}, scratch, out);
  };
  const std::span<const hg::part_id> owner(plan.owner);
  EXPECT_EQ(run(owner.first(3), 0, local), hg::status::mismatch);
  EXPECT_EQ(run(owner, 2, local), hg::status::out_of_range);
  const auto small = run(owner, 0, std::span(local).first(3));
  EXPECT_EQ(small, hg::status::capacity);
  EXPECT_EQ(small.position, 4u);

  const auto run_of = [&](auto index) {
    return hg::expand_into(rows.view(), index, 0, hg::halo_options{}, std::span(local), out);
  };
  EXPECT_EQ(run_of(hg::halo_index_view<std::uint16_t, std::uint16_t>{}), hg::status::out_of_range)
      << "no index was built";
  auto index = plan.view();
  index.members = index.members.first(3);
  EXPECT_EQ(run_of(index), hg::status::mismatch.at(4));
  const std::vector<std::uint64_t> begin{0, 2, 3};
  index = plan.view();
  index.member_begin = begin;
  EXPECT_EQ(run_of(index), hg::status::mismatch.at(4));
}

TEST(expand_into, needs_no_list_of_members_that_are_ranges) {
  const path_rows<std::uint16_t, std::uint16_t> rows(6);
  const plan_memory<std::uint16_t, std::uint16_t> plan(rows.view(), {0, 0, 1, 1, 2, 2}, 3);
  std::vector<std::uint16_t> local(6, hg::absent<std::uint16_t>), nodes(6);
  for (const bool listed : {true, false}) {
    auto index = plan.view();
    if (!listed) index.members = {};
    hg::halo_counter<std::uint16_t> out{std::span(nodes)};
    ASSERT_EQ(hg::expand_into(rows.view(), index, 1, {.hops = 2}, std::span(local), out),
              hg::status::ok);
    EXPECT_EQ(out.num_halo_nodes(), 3u);
    EXPECT_EQ((std::vector(nodes.begin(), nodes.begin() + 3)),
              (std::vector<std::uint16_t>{1, 0, 4}));
  }
}

TEST(expand_into, rejects_a_graph_that_its_node_ids_cannot_number) {
  const std::vector<std::uint16_t> offsets(301);
  const std::vector<std::uint64_t> begin{0, 300};
  std::vector<std::uint16_t> local(300, hg::absent<std::uint16_t>), nodes(1);
  const auto run = [&](auto node) {
    hg::halo_counter<std::uint16_t> out{std::span(nodes)};
    return hg::expand_into(hg::csc_view<decltype(node), std::uint16_t>(offsets, {}),
                           hg::halo_index_view<std::uint16_t, std::uint16_t>{begin, {}, {}}, 0,
                           {.closing_out_edges = false}, std::span(local), out);
  };
  EXPECT_EQ(run(std::uint16_t{}), hg::status::ok);
  EXPECT_EQ(run(std::uint8_t{}), hg::status::overflow.at(300));
}

TEST(expand_into, names_the_edge_whose_source_is_out_of_range) {
  // The plan was made of a sound graph; the rows changed behind its back.
  const path_rows<std::int8_t, std::uint16_t> sound(4);
  const plan_memory<std::int8_t, std::uint16_t> plan(sound.view(), {0, 0, 1, 1}, 2);
  for (const std::int8_t bad :
       {std::int8_t{-1}, std::int8_t{-128}, std::int8_t{4}, std::int8_t{127}}) {
    // of an inner node, of two inner nodes, and of one that the first hop finds
    for (const auto& [first, last] : {std::pair{1u, 1u}, {1u, 2u}, {0u, 0u}}) {
      auto rows = sound;
      rows.sources[first] = rows.sources[last] = bad;
      std::vector<std::uint8_t> local(4, hg::absent<std::uint8_t>);
      const auto clean = local;
      std::array<std::int8_t, 4> nodes{};
      hg::halo_counter<std::int8_t> out{std::span<std::int8_t>(nodes)};
      EXPECT_EQ(hg::expand_into(rows.view(), std::span<const hg::part_id>(plan.owner), plan.view(),
                                1, {.hops = 3}, std::span(local), out),
                hg::status::out_of_range.at(first))
          << int{bad};
      EXPECT_EQ(local, clean);
    }
  }
}

// Local IDs 0..254 and the mark 255: 255 nodes fit 8 bits, 256 do not.
TEST(expand_into, narrow_local_ids_reach_their_last_value_and_no_further) {
  for (const std::size_t size : {255u, 256u}) {
    const path_rows<std::uint16_t, std::uint16_t> rows(size);
    std::vector<hg::part_id> owner(size, 1);
    owner.back() = 0;
    const plan_memory<std::uint16_t, std::uint16_t> plan(rows.view(), owner, 2);
    std::vector<std::uint8_t> local(size, hg::absent<std::uint8_t>), sources(size), targets(size),
        inner(size);
    std::vector<std::uint16_t> nodes(size), edges(size);
    hg::halo_buffer<std::uint16_t, std::uint16_t, std::uint8_t> out{
        std::span(nodes), std::span(sources), std::span(targets), std::span(edges),
        std::span(inner)};
    const auto answer = hg::expand_into(rows.view(), std::span<const hg::part_id>(plan.owner),
                                        plan.view(), 0, {.hops = 1000}, std::span(local), out);
    if (size == 256) {
      EXPECT_EQ(answer, hg::status::overflow);
      continue;
    }
    ASSERT_EQ(answer, hg::status::ok);
    EXPECT_EQ(out.num_halo_nodes(), 254u);
    EXPECT_EQ(int{sources[out.num_edges() - 1]}, 254);
  }
}

// --- the cost of a part
// ---------------------------------------------------------------------------

// Hands on the rows of another graph and keeps count.
template <class Graph>
struct counting {
  using node_id = hg::node_id_t<Graph>;
  using edge_id = hg::edge_id_t<Graph>;
  Graph rows;
  mutable std::set<std::size_t> visited{};
  mutable std::size_t visits = 0, edges = 0;
  std::size_t num_nodes() const { return rows.num_nodes(); }
  template <hg::id AnyNode, class F>
  void for_each_in_edge(AnyNode v, F&& f) const {
    visited.insert(hg::index(v));
    ++visits;
    rows.for_each_in_edge(v, [&](auto u, auto e) {
      ++edges;
      f(u, e);
    });
  }
};

TEST(expand_into, costs_nothing_for_other_parts) {
  // A ring of parts of 4 nodes, whatever their number: part 0 sees one neighbor on each side.
  std::vector<std::size_t> costs;
  for (const std::size_t parts : {4u, 400u}) {
    const std::size_t size = 4 * parts;
    std::vector<std::uint32_t> offsets(size + 1), sources(size);
    std::iota(offsets.begin(), offsets.end(), 0u);
    for (std::size_t v = 0; v < size; ++v)
      sources[v] = static_cast<std::uint32_t>((v + size - 1) % size);
    const counting<hg::csc_view<std::uint32_t, std::uint32_t>> rows{{offsets, sources}};
    std::vector<hg::part_id> owner(size);
    for (std::size_t v = 0; v < size; ++v) owner[v] = static_cast<hg::part_id>(v / 4);
    const plan_memory<std::uint32_t, std::uint32_t> plan(rows, owner, parts);
    std::vector<std::uint32_t> local(size, hg::absent<std::uint32_t>), nodes(size);
    for (const unsigned hops : {0u, 1u, 2u, 3u}) {
      rows.visited.clear();
      rows.visits = rows.edges = 0;
      hg::halo_counter<std::uint32_t> out{std::span(nodes)};
      ASSERT_EQ(hg::expand_into(rows, std::span<const hg::part_id>(plan.owner), plan.view(), 0,
                                {.hops = hops, .drop_cut_edges = true}, std::span(local), out),
                hg::status::ok);
      // Each row once: the 4 inner nodes, and the nodes of all hops but the last.
      EXPECT_EQ(rows.visits, 4 + (hops > 1 ? hops - 1 : 0));
      EXPECT_EQ(rows.visited.size(), rows.visits);
      EXPECT_EQ(rows.edges, rows.visits);
      costs.push_back(rows.visits);
    }
  }
  EXPECT_TRUE(std::equal(costs.begin(), costs.begin() + 4, costs.begin() + 4, costs.end()));
}

}  // namespace
