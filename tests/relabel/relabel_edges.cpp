// SPDX-License-Identifier: BSL-1.0
#include <halograph/graph/build.hpp>
#include <halograph/relabel/relabel_edges.hpp>
#include <halograph/testing/archetypes.hpp>

#include <gtest/gtest.h>
#include <support/plain_graph.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hg = halograph;

namespace {

template <class Id>
class relabel_edges_of_ids : public testing::Test {};
using id_types = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                                std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(relabel_edges_of_ids, id_types);

template <class Id>
struct relabeled {
  std::vector<std::uint64_t> bounds{};
  std::vector<Id> new_edge{};
  hg::status answer{};
};

// One node type; edges of types that lie end to end.
template <class Id, hg::executor Executor = hg::sequential>
relabeled<Id> relabel(const plain::graph& g, const plain::owners& owner, std::size_t parts,
                      const std::vector<std::uint64_t>& edge_types, bool drop,
                      const Executor& run = {}) {
  const plain::columns<Id> columns(g);
  const auto rows = hg::build_csc<Id, Id>(columns.view());
  const std::span<const hg::part_id> owners(owner);
  const std::array<std::uint64_t, 2> node_types{0, g.nodes};
  std::vector<std::uint64_t> begin(parts + 1);
  std::vector<Id> old_node(g.nodes);
  relabeled<Id> out;
  out.answer = hg::relabel_nodes_into(owners, std::span<const std::uint64_t>(node_types), parts,
                                      std::span(begin), std::span(old_node));
  if (!out.answer) return out;
  out.bounds.assign(hg::relabel_bounds_count(parts, edge_types.size() - 1), 77);
  out.new_edge.assign(g.edges.size(), Id{77});
  out.answer = hg::relabel_edges_into(
      rows.view(), owners, std::span<const Id>(old_node), std::span<const std::uint64_t>(begin),
      std::span<const std::uint64_t>(edge_types), hg::same_edge_id{}, drop, std::span(out.bounds),
      std::span(out.new_edge), run);
  return out;
}

TYPED_TEST(relabel_edges_of_ids, sorts_by_part_of_the_target_type_target_and_original_id) {
  hg::random_stream draw(17);
  for (int round = 0; round < 150; ++round) {
    const auto g = plain::random_graph(draw);
    const auto parts = static_cast<std::size_t>(1 + draw.below(5));
    const auto owner = plain::random_owners(draw, g.nodes, parts);
    std::vector<std::uint64_t> types{0};
    for (auto more = draw.below(3); more > 0; --more)
      types.push_back(types.back() + draw.below(g.edges.size() - types.back() + 1));
    types.push_back(g.edges.size());
    const bool drop = draw.below(2) == 0;
    // With one part no edge is cut, and nothing is renumbered.
    std::vector<std::array<std::size_t, 4>>
        order;  // part, type, target, edge; targets keep their order in a part
    for (std::size_t e = 0; e < g.edges.size(); ++e) {
      const auto [u, v] = g.edges[e];
      if (drop && owner[u] != owner[v]) continue;
      const auto type = static_cast<std::size_t>(
                            std::upper_bound(types.begin() + 1, types.end() - 1, e) -
                            types.begin()) -
                        1;
      order.push_back({owner[v], type, parts == 1 ? 0 : v, e});
    }
    std::sort(order.begin(), order.end());

    const auto got = relabel<TypeParam>(g, owner, parts, types, drop);
    ASSERT_EQ(got.answer, hg::status::ok);
    std::vector<TypeParam> want(g.edges.size(), hg::dropped_edge<TypeParam>);
    for (std::size_t i = 0; i < order.size(); ++i) {
      want[order[i][3]] = static_cast<TypeParam>(i);
      const auto cell = order[i][0] * (types.size() - 1) + order[i][1];
      ASSERT_GE(i, got.bounds[cell]);
      ASSERT_LT(i, got.bounds[cell + 1]);
    }
    ASSERT_EQ(got.new_edge, want) << g << "; owners " << testing::PrintToString(owner);
    ASSERT_EQ(got.bounds.front(), 0u);
    ASSERT_EQ(got.bounds.back(), order.size());
    ASSERT_TRUE(std::is_sorted(got.bounds.begin(), got.bounds.end()));
    // Parts in any order, in pieces, give the same.
    const auto backwards = relabel<TypeParam>(g, owner, parts, types, drop,
                                              hg::archetype::executor(0));
    ASSERT_EQ(backwards.new_edge, want);
    ASSERT_EQ(backwards.bounds, got.bounds);
  }
}

// All loops of two nodes, so that the last edge ID is the type's last but one (rows need an end).
TYPED_TEST(relabel_edges_of_ids, reaches_the_last_id) {
  if constexpr (sizeof(TypeParam) == 1) {
    const auto count = static_cast<std::size_t>(hg::id_capacity<TypeParam>()) - 1;
    plain::graph g{2, {}};
    for (std::size_t e = 0; e < count; ++e) g.edges.emplace_back(e % 2, e % 2);
    const auto got = relabel<TypeParam>(g, {1, 0}, 2, {0, count}, true);
    ASSERT_EQ(got.answer, hg::status::ok);
    EXPECT_EQ(hg::index(got.new_edge[1]), 0u);
    EXPECT_EQ(hg::index(got.new_edge[0]), count / 2);
    EXPECT_EQ(hg::index(got.new_edge[count - 1]), count - 1);  // an even node, part 1
    EXPECT_EQ(got.bounds, (std::vector<std::uint64_t>{0, count / 2, count}));
  }
}

// The mark of a dropped edge takes one ID from an unsigned type and none from a signed one.
TEST(relabel_edges, the_mark_of_dropped_edges_is_never_an_id) {
  EXPECT_EQ(hg::dropped_edge<std::uint8_t>, 255);
  EXPECT_EQ(hg::dropped_edge<std::int8_t>, -1);
  const std::vector<std::uint8_t> sources(256, 0);
  const std::array<std::uint16_t, 2> offsets{0, 256};
  const hg::csc_view<std::uint8_t, std::uint16_t> rows(offsets, sources);
  const std::array<std::uint8_t, 1> owner{0}, old_node{0};
  const std::array<std::uint64_t, 2> begin{0, 1}, types{0, 256};
  std::array<std::uint64_t, 2> bounds{};
  std::vector<std::uint8_t> new_edge(256);
  const auto run = [&](bool drop) {
    return hg::relabel_edges_into(
        rows, std::span<const std::uint8_t>(owner), std::span<const std::uint8_t>(old_node),
        std::span<const std::uint64_t>(begin), std::span<const std::uint64_t>(types),
        hg::same_edge_id{}, drop, std::span<std::uint64_t>(bounds), std::span(new_edge));
  };
  EXPECT_EQ(run(false), hg::status::ok);
  EXPECT_EQ(new_edge[255], 255);
  EXPECT_EQ(run(true), hg::status::overflow);
  EXPECT_EQ(run(true).position, 256u);
}

struct call {
  std::vector<std::int16_t> offsets{0, 1, 2, 3}, sources{2, 0, 1}, edges{0, 1, 2};
  std::vector<std::uint8_t> owner{0, 1, 0};
  std::vector<std::int16_t> old_node{0, 2, 1};
  std::vector<std::uint64_t> begin{0, 2, 3}, types{0, 1, 3};
  std::vector<std::uint64_t> bounds = std::vector<std::uint64_t>(5);
  std::vector<std::int16_t> new_edge = std::vector<std::int16_t>(3);
  bool drop = false;

  hg::status run() {
    const hg::csc_view<std::int16_t, std::int16_t> rows(offsets, sources, edges);
    return hg::relabel_edges_into(
        rows, std::span<const std::uint8_t>(owner), std::span<const std::int16_t>(old_node),
        std::span<const std::uint64_t>(begin), std::span<const std::uint64_t>(types),
        hg::same_edge_id{}, drop, std::span(bounds), std::span(new_edge));
  }
  template <class F>
  static hg::status with(F&& change) {
    call one;
    change(one);
    return one.run();
  }
};

TEST(relabel_edges, reports_what_is_too_small_or_mismatched) {
  using hg::status;
  EXPECT_EQ(call{}.run(), status::ok);
  EXPECT_EQ(call::with([](call& c) { c.owner.pop_back(); }), status::mismatch);
  EXPECT_EQ(call::with([](call& c) { c.begin = {0, 2}; }), status::mismatch);
  EXPECT_EQ(call::with([](call& c) { c.begin = {0, 4, 3}; }), status::mismatch);
  EXPECT_EQ(call::with([](call& c) { c.types = {}; }), status::mismatch);
  EXPECT_EQ(call::with([](call& c) { c.types = {1, 3}; }), status::mismatch);
  EXPECT_EQ(call::with([](call& c) { c.types = {0, 2, 1}; }), status::mismatch);
  EXPECT_EQ(call::with([](call& c) { c.old_node[1] = 3; }), status::mismatch);
  EXPECT_EQ(call::with([](call& c) { c.old_node[1] = -1; }), status::mismatch);
  EXPECT_EQ(call::with([](call& c) { c.bounds.pop_back(); }), status::capacity);
  EXPECT_EQ(call::with([](call& c) { c.bounds.pop_back(); }).position, 5u);
  EXPECT_EQ(call::with([](call& c) { c.old_node.pop_back(); }), status::capacity);
  EXPECT_EQ(call::with([](call& c) { c.new_edge.pop_back(); }), status::capacity);
  // Offsets that promise another number of edges than the rows hand out.
  EXPECT_EQ(call::with([](call& c) { c.types = {0, 1, 4}, c.new_edge.resize(4); }),
            status::mismatch);
}

TEST(relabel_edges, rejects_more_nodes_than_the_type_can_number) {
  const std::vector<std::uint8_t> offsets(301);  // 300 rows without edges
  const std::array<std::uint64_t, 2> begin{0, 300}, types{0, 0};
  std::array<std::uint64_t, 2> bounds{};
  const auto answer = hg::relabel_edges_into(
      hg::csc_view<std::uint8_t, std::uint8_t>(offsets, {}), std::span<const std::uint8_t>(),
      std::span<const std::uint8_t>(), std::span<const std::uint64_t>(begin),
      std::span<const std::uint64_t>(types), hg::same_edge_id{}, false,
      std::span<std::uint64_t>(bounds), std::span<std::uint8_t>());
  EXPECT_EQ(answer, hg::status::overflow);
  EXPECT_EQ(answer.position, 300u);
}

TEST(relabel_edges, names_the_edge_that_is_out_of_range) {
  for (const std::int16_t bad :
       {std::int16_t{-1}, std::int16_t{-32768}, std::int16_t{3}, std::int16_t{32767}}) {
    for (const bool drop : {false, true}) {
      const auto source = call::with([&](call& c) { c.sources[1] = bad, c.drop = drop; });
      EXPECT_EQ(source, hg::status::out_of_range);
      EXPECT_EQ(source.position, 1u);
      const auto edge = call::with([&](call& c) { c.edges[2] = bad, c.drop = drop; });
      EXPECT_EQ(edge, hg::status::out_of_range);
      EXPECT_EQ(edge.position, static_cast<std::uint64_t>(std::int64_t{bad}));
      const auto of_one_part = call::with([&](call& c) {
        c.sources[1] = bad, c.drop = drop, c.owner = {0, 0, 0}, c.begin = {0, 3};
      });
      EXPECT_EQ(of_one_part, hg::status::out_of_range);
      // The first of two in a part.
      const auto first = call::with(
          [&](call& c) { c.sources[0] = c.sources[2] = bad, c.drop = drop; });
      EXPECT_EQ(first, hg::status::out_of_range);
      EXPECT_EQ(first.position, 0u);
    }
  }
}

TEST(relabel_edges, without_edge_types_edges_are_rejected) {
  call none;
  none.types = {0};
  EXPECT_EQ(none.run(), hg::status::mismatch);
  none.sources.clear();
  none.edges.clear();
  none.offsets = {0, 0, 0, 0};
  EXPECT_EQ(none.run(), hg::status::ok);
  EXPECT_EQ(none.bounds[0], 0u);
}

// The original ID may come from elsewhere than the graph: here edges are stored backwards.
TEST(relabel_edges, types_follow_the_original_id_and_not_the_position) {
  const std::array<std::uint8_t, 4> offsets{0, 1, 2, 3}, owner3{0, 1, 0, 0}, old_node{0, 2, 1, 0};
  const std::array<std::uint8_t, 3> sources{2, 0, 1};
  const hg::csc_view<std::uint8_t, std::uint8_t> rows(offsets, sources);
  const std::array<std::uint64_t, 3> begin{0, 2, 3}, types{0, 1, 3};
  std::array<std::uint64_t, 5> bounds{};
  std::array<std::uint8_t, 3> new_edge{};
  const auto backwards = [](auto e) { return std::uint64_t{2} - e; };
  ASSERT_EQ(
      hg::relabel_edges_into(rows, std::span<const std::uint8_t>(owner3).first(3),
                             std::span<const std::uint8_t>(old_node).first(3),
                             std::span<const std::uint64_t>(begin),
                             std::span<const std::uint64_t>(types), backwards, false,
                             std::span<std::uint64_t>(bounds), std::span<std::uint8_t>(new_edge)),
      hg::status::ok);
  // Position 2 is edge 0, the only one of type 0, and ends in part 0; 0 and 1 are edges 2 and 1.
  EXPECT_EQ(bounds, (std::array<std::uint64_t, 5>{0, 1, 2, 2, 3}));
  EXPECT_EQ(new_edge, (std::array<std::uint8_t, 3>{1, 2, 0}));
}

TEST(relabel_edges, types_may_fall_within_a_row) {
  const std::array<std::uint8_t, 3> offsets{0, 2, 2};
  const std::array<std::uint8_t, 2> sources{1, 1}, owner{0, 1}, old_node{0, 1};
  const hg::csc_view<std::uint8_t, std::uint8_t> rows(offsets, sources);
  const std::array<std::uint64_t, 3> begin{0, 1, 2}, types{0, 1, 2};
  std::array<std::uint64_t, 5> bounds{};
  std::array<std::uint8_t, 2> new_edge{};
  const auto backwards = [](auto e) { return std::uint64_t{1} - e; };
  ASSERT_EQ(
      hg::relabel_edges_into(
          rows, std::span<const std::uint8_t>(owner), std::span<const std::uint8_t>(old_node),
          std::span<const std::uint64_t>(begin), std::span<const std::uint64_t>(types), backwards,
          false, std::span<std::uint64_t>(bounds), std::span<std::uint8_t>(new_edge)),
      hg::status::ok);
  EXPECT_EQ(bounds, (std::array<std::uint64_t, 5>{0, 1, 2, 2, 2}));
  EXPECT_EQ(new_edge, (std::array<std::uint8_t, 2>{1, 0}));
}

// A graph in new IDs needs no owners: each part is a range of its nodes.
TEST(relabel_edges, of_a_graph_in_new_ids_need_no_owners) {
  const plain::graph g{5, {{0, 0}, {4, 0}, {1, 1}, {0, 2}, {3, 2}, {2, 4}, {4, 4}}};
  const std::vector<std::uint64_t> begin{0, 2, 3, 5}, types{0, 3, 7};
  const plain::owners owner{0, 0, 1, 2, 2};
  const std::vector<std::uint8_t> identity{0, 1, 2, 3, 4};
  const plain::columns<std::uint8_t> columns(g);
  const auto rows = hg::build_csc<std::uint8_t, std::uint8_t>(columns.view());
  for (const bool drop : {false, true}) {
    std::vector<std::uint64_t> want_bounds(7), bounds(7);
    std::vector<std::uint8_t> want(7), got(7);
    const auto run = [&](std::span<const hg::part_id> owners, std::span<const std::uint8_t> old,
                         std::vector<std::uint64_t>& cells, std::vector<std::uint8_t>& out) {
      return hg::relabel_edges_into(rows.view(), owners, old, std::span(begin), std::span(types),
                                    hg::same_edge_id{}, drop, std::span(cells), std::span(out));
    };
    ASSERT_EQ(run(owner, identity, want_bounds, want), hg::status::ok);
    ASSERT_EQ(run({}, {}, bounds, got), hg::status::ok);
    EXPECT_EQ(got, want);
    EXPECT_EQ(bounds, want_bounds);
    EXPECT_EQ(run({}, identity, bounds, got), hg::status::mismatch);
  }
}

TEST(relabel_edges, names_the_first_edge_whose_original_id_is_out_of_range) {
  const std::array<std::uint8_t, 3> offsets{0, 2, 3}, sources{1, 0, 0};
  const hg::csc_view<std::uint8_t, std::uint8_t> rows(offsets, sources);
  const std::array<std::uint64_t, 3> types{0, 1, 3};
  const auto run = [&](std::span<const std::uint64_t> begin, std::span<const std::uint64_t> of) {
    const std::array<std::uint8_t, 2> owner{0, static_cast<std::uint8_t>(begin.size() - 2)},
        old{0, 1};
    std::array<std::uint64_t, 5> bounds{};
    std::array<std::uint8_t, 3> new_edge{};
    return hg::relabel_edges_into(
        rows, std::span<const std::uint8_t>(owner), std::span<const std::uint8_t>(old), begin, of,
        [](auto e) { return e == 0 ? std::uint64_t{0} : std::uint64_t{2} + e; }, false,
        std::span<std::uint64_t>(bounds), std::span<std::uint8_t>(new_edge));
  };
  // Of two, in two parts with types, and in one part without, where nothing is renumbered.
  EXPECT_EQ(run(std::array<std::uint64_t, 3>{0, 1, 2}, types), hg::status::out_of_range.at(1));
  EXPECT_EQ(run(std::array<std::uint64_t, 2>{0, 2}, std::array<std::uint64_t, 2>{0, 3}),
            hg::status::out_of_range.at(1));
}

}  // namespace
