// SPDX-License-Identifier: BSL-1.0
// A whole tiny graph is compressed, relabeled and expanded inside a constant expression: no memory
// but arrays, no exceptions, nothing that a small machine lacks.
#include <halograph/graph/build.hpp>
#include <halograph/graph/coo.hpp>
#include <halograph/halo/expand.hpp>
#include <halograph/relabel/relabel_edges.hpp>
#include <halograph/relabel/relabel_nodes.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace hg = halograph;

namespace {

template <class T, std::size_t N>
constexpr std::span<T> all(std::array<T, N>& row) {
  return row;
}
template <class T, std::size_t N>
constexpr std::span<const T> all(const std::array<T, N>& row) {
  return row;
}

// The path 0 -> 1 -> ... -> 5 of the format's description, owners 0 0 1 1 0 0, 2 hops.
template <hg::id Node, hg::id Edge, hg::unsigned_id Part, hg::unsigned_id Local>
struct path_in_parts {
  static constexpr std::size_t nodes = 6, edges = 5, parts = 2, types = 1;
  std::array<Node, edges> source{0, 1, 2, 3, 4}, target{1, 2, 3, 4, 5};
  std::array<Part, nodes> owner{0, 0, 1, 1, 0, 0};

  std::array<Edge, hg::csc_offsets_count(nodes)> offsets{};
  std::array<Node, edges> sources{};
  std::array<Edge, edges> names{};

  std::array<std::uint64_t, 2> node_types{0, nodes}, edge_types{0, edges};
  std::array<std::uint64_t, hg::relabel_bounds_count(parts, types)> node_bounds{}, edge_bounds{};
  std::array<Node, nodes> old_node{}, new_node{};
  std::array<Edge, edges> new_edge{};

  std::array<std::uint64_t, hg::member_begin_count(parts)> begin{};
  std::array<Node, nodes> members{};
  std::array<Edge, nodes> cursor{};
  std::array<Edge, hg::cut_offsets_count(nodes)> cut_offsets{};
  std::array<Node, 2> cut_targets{};
  std::array<Edge, 2> cut_edges{};
  std::array<Local, nodes> local{};

  std::array<Node, hg::halo_nodes_bound(nodes, 2)> halo{};
  std::array<Local, 4> out_source{}, out_target{};
  std::array<Edge, 4> out_edge{};
  std::array<std::uint8_t, 4> out_inner{};
  std::size_t halo_nodes = 0, out_edges = 0;

  constexpr bool run() {
    const hg::coo_view<Node, Edge> g(nodes, source, target);
    if (!g.validate() || !hg::build_csc_into(g, all(offsets), all(sources), all(names)))
      return false;
    const hg::csc_view<Node, Edge> rows(offsets, sources, names);
    const std::span<const Part> owners(owner);
    if (!rows.validate()) return false;
    if (!hg::relabel_nodes_into(owners, std::span<const std::uint64_t>(node_types), parts,
                                all(node_bounds), all(old_node), all(new_node)))
      return false;
    if (!hg::relabel_edges_into(rows, owners, std::span<const Node>(old_node),
                                std::span<const std::uint64_t>(node_bounds),
                                std::span<const std::uint64_t>(edge_types), hg::same_edge_id{},
                                false, all(edge_bounds), all(new_edge)))
      return false;
    if (!hg::group_members_into(owners, parts, all(begin), all(members)) ||
        hg::count_cut_edges(rows, owners) != 2)
      return false;
    if (!hg::group_cut_edges_into(rows, owners, std::span<const Node>(members), all(cursor),
                                  all(cut_offsets), all(cut_targets), all(cut_edges)))
      return false;
    const hg::halo_index_view<Node, Edge> plan{
        begin, members, {cut_offsets, cut_targets, cut_edges}};
    local.fill(hg::absent<Local>);
    hg::halo_counter<Node> counter{all(halo)};
    if (!hg::expand_into(rows, owners, plan, 1, hg::halo_options{.hops = 2}, all(local), counter))
      return false;
    if (counter.num_halo_nodes() != 3 || counter.num_edges() != 4 || counter.num_inner_edges() != 2)
      return false;
    hg::halo_buffer<Node, Edge, Local> out{all(halo), all(out_source), all(out_target),
                                           all(out_edge), all(out_inner)};
    if (!hg::expand_into(rows, owners, plan, 1, hg::halo_options{.hops = 2}, all(local), out))
      return false;
    halo_nodes = out.num_halo_nodes();
    out_edges = out.num_edges();
    return std::all_of(local.begin(), local.end(), [](Local l) { return l == hg::absent<Local>; });
  }

  constexpr bool is_right() const {
    return old_node == std::array<Node, 6>{0, 1, 4, 5, 2, 3} &&
           new_edge == std::array<Edge, 5>{0, 3, 4, 1, 2} &&
           node_bounds == std::array<std::uint64_t, 3>{0, 4, 6} &&
           edge_bounds == std::array<std::uint64_t, 3>{0, 3, 5} &&
           // Part 1 is nodes 2 and 3; HALO 1, 0 in two hops, then 4 along the closing edge.
           halo_nodes == 3 && halo[0] == 1 && halo[1] == 0 && halo[2] == 4 && out_edges == 4 &&
           out_source == std::array<Local, 4>{2, 0, 3, 1} &&
           out_target == std::array<Local, 4>{0, 1, 2, 4} &&
           out_edge == std::array<Edge, 4>{1, 2, 0, 3} &&
           out_inner == std::array<std::uint8_t, 4>{1, 1, 0, 0};
  }
};

template <hg::id Node, hg::id Edge, hg::unsigned_id Part, hg::unsigned_id Local>
constexpr bool works() {
  path_in_parts<Node, Edge, Part, Local> job;
  return job.run() && job.is_right();
}

static_assert(works<std::int8_t, std::int8_t, std::uint8_t, std::uint8_t>());
static_assert(works<std::uint8_t, std::uint16_t, std::uint16_t, std::uint8_t>());
static_assert(works<std::int32_t, std::int64_t, std::uint8_t, std::uint32_t>());
static_assert(works<std::uint64_t, std::uint32_t, std::uint64_t, std::uint64_t>());

TEST(whole_job, gives_the_same_at_run_time_and_at_compile_time) {
  EXPECT_TRUE((works<std::int8_t, std::int8_t, std::uint8_t, std::uint8_t>()));
  EXPECT_TRUE((works<std::uint64_t, std::uint32_t, std::uint64_t, std::uint64_t>()));
}

}  // namespace
