// SPDX-License-Identifier: BSL-1.0
#include <halograph/book/range_book.hpp>
#include <halograph/core/error.hpp>
#include <halograph/graph/coo.hpp>
#include <halograph/graph/hetero.hpp>
#include <halograph/relabel/relabeling.hpp>

#include <gtest/gtest.h>
#include <support/plain_graph.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace hg = halograph;

namespace {

// A heterogeneous graph on paper: nodes per type; per relation two types and pairs of typed IDs.
struct paper {
  struct relation {
    std::size_t source_type, target_type;
    std::vector<std::pair<std::size_t, std::size_t>> edges;
  };
  std::vector<std::uint64_t> counts;
  std::vector<relation> relations;
};

template <hg::id Id>
struct typed_columns {
  std::vector<std::uint64_t> node_offsets{0}, edge_offsets{0};
  std::vector<std::vector<Id>> sources{}, targets{};
  std::vector<hg::relation_view<Id>> relations{};

  explicit typed_columns(const paper& g) {
    for (const auto count : g.counts) node_offsets.push_back(node_offsets.back() + count);
    for (const auto& relation : g.relations) {
      edge_offsets.push_back(edge_offsets.back() + relation.edges.size());
      sources.emplace_back();
      targets.emplace_back();
      for (const auto& [u, v] : relation.edges) {
        sources.back().push_back(static_cast<Id>(u));
        targets.back().push_back(static_cast<Id>(v));
      }
    }
    for (std::size_t r = 0; r < g.relations.size(); ++r) {
      relations.push_back({static_cast<hg::type_id>(g.relations[r].source_type),
                           static_cast<hg::type_id>(g.relations[r].target_type), sources[r],
                           targets[r]});
    }
  }
  hg::hetero_view<Id, Id> view() const { return {node_offsets, edge_offsets, relations}; }
};

paper random_paper(hg::random_stream& draw) {
  paper g;
  for (auto more = 1 + draw.below(3); more > 0; --more) g.counts.push_back(draw.below(6));
  for (auto more = draw.below(5); more > 0; --more) {
    paper::relation one{static_cast<std::size_t>(draw.below(g.counts.size())),
                        static_cast<std::size_t>(draw.below(g.counts.size())),
                        {}};
    if (g.counts[one.source_type] != 0 && g.counts[one.target_type] != 0) {
      for (auto edges = draw.below(10); edges > 0; --edges) {
        one.edges.emplace_back(draw.below(g.counts[one.source_type]),
                               draw.below(g.counts[one.target_type]));
      }
    }
    g.relations.push_back(std::move(one));
  }
  return g;
}

template <class Id>
class plan_of_ids : public testing::Test {};
using id_types = testing::Types<std::int8_t, std::uint8_t, std::int32_t, std::uint64_t>;
TYPED_TEST_SUITE(plan_of_ids, id_types);

TYPED_TEST(plan_of_ids, orders_nodes_and_edges_as_the_format_recommends) {
  hg::random_stream draw(23);
  for (int round = 0; round < 150; ++round) {
    const auto g = random_paper(draw);
    const typed_columns<TypeParam> columns(g);
    const auto parts = static_cast<std::size_t>(1 + draw.below(5));
    const auto nodes = static_cast<std::size_t>(columns.node_offsets.back()),
               edges = static_cast<std::size_t>(columns.edge_offsets.back());
    const auto owner = plain::random_owners(draw, nodes, parts);

    // (part, type, original ID), then (part of target, type, new ID of target, original ID).
    std::vector<std::tuple<std::size_t, std::size_t, std::size_t>> node_order;
    std::vector<std::tuple<std::size_t, std::size_t, std::size_t, std::size_t>> edge_order;
    std::vector<std::size_t> new_node(nodes);
    for (std::size_t t = 0; t < g.counts.size(); ++t) {
      for (auto v = columns.node_offsets[t]; v < columns.node_offsets[t + 1]; ++v)
        node_order.emplace_back(owner[v], t, v);
    }
    std::sort(node_order.begin(), node_order.end());
    for (std::size_t i = 0; i < nodes; ++i) new_node[std::get<2>(node_order[i])] = i;
    for (std::size_t r = 0; r < g.relations.size(); ++r) {
      for (std::size_t i = 0; i < g.relations[r].edges.size(); ++i) {
        const auto v = static_cast<std::size_t>(columns.node_offsets[g.relations[r].target_type]) +
                       g.relations[r].edges[i].second;
        edge_order.emplace_back(owner[v], r, parts == 1 ? 0 : new_node[v],
                                columns.edge_offsets[r] + i);
      }
    }
    std::sort(edge_order.begin(), edge_order.end());

    const auto plan = hg::relabel(columns.view(), owner, parts);
    ASSERT_EQ(plan.parts, parts);
    ASSERT_EQ(plan.num_node_types(), g.counts.size());
    ASSERT_EQ(plan.num_edge_types(), g.relations.size());
    ASSERT_EQ(plan.old_node.size(), nodes);
    ASSERT_EQ(plan.old_edge.size(), edges);
    for (std::size_t i = 0; i < nodes; ++i) {
      const auto [part, type, v] = node_order[i];
      ASSERT_EQ(hg::index(plan.old_node[i]), v);
      ASSERT_EQ(hg::index(plan.new_node[v]), i);
      ASSERT_LE(plan.nodes(part, type).begin, i);
      ASSERT_GT(plan.nodes(part, type).end, i);
    }
    for (std::size_t i = 0; i < edges; ++i) {
      const auto [part, type, v, e] = edge_order[i];
      ASSERT_EQ(hg::index(plan.old_edge[i]), e);
      ASSERT_EQ(hg::index(plan.new_edge[e]), i);
      ASSERT_LE(plan.edges(part, type).begin, i);
      ASSERT_GT(plan.edges(part, type).end, i);
    }
    std::uint64_t all_nodes = 0, all_edges = 0;
    for (std::size_t p = 0; p < parts; ++p) {
      for (std::size_t t = 0; t < g.counts.size(); ++t) all_nodes += plan.nodes(p, t).size();
      for (std::size_t r = 0; r < g.relations.size(); ++r) all_edges += plan.edges(p, r).size();
    }
    ASSERT_EQ(all_nodes, nodes);
    ASSERT_EQ(all_edges, edges);
  }
}

TEST(relabeling, depends_on_the_graph_and_not_on_its_storage) {
  // 0: 1 -> 2, 1: 0 -> 2, 2: 1 -> 0
  const plain::columns<std::uint32_t> columns({3, {{1, 2}, {0, 2}, {1, 0}}});
  const std::vector<std::uint32_t> offsets{0, 1, 3, 3}, targets{2, 2, 0}, names{1, 0, 2};
  const hg::csr_view<std::uint32_t, std::uint32_t> by_source(offsets, targets, names);
  const std::array<std::uint8_t, 3> owner{0, 0, 1};
  EXPECT_EQ(hg::relabel(by_source, owner).new_edge, (std::vector<std::uint32_t>{1, 2, 0}));
  EXPECT_EQ(hg::relabel(columns.view(), owner).new_edge, (std::vector<std::uint32_t>{1, 2, 0}));
}

TEST(relabeling, of_one_part_renumbers_nothing) {
  const plain::columns<std::uint32_t> columns({4, {{3, 2}, {0, 0}, {1, 0}, {2, 3}}});
  const auto plan = hg::relabel(columns.view(), std::vector<std::uint8_t>(4));
  EXPECT_EQ(plan.parts, 1u);
  EXPECT_EQ(plan.old_node, (std::vector<std::uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(plan.old_edge, (std::vector<std::uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(plan.new_edge, plan.old_edge);
  EXPECT_EQ(plan.nodes(0), (hg::id_range{0, 4}));
  EXPECT_EQ(plan.edges(0), (hg::id_range{0, 4}));
}

TEST(relabeling, of_an_empty_graph_has_the_requested_parts) {
  const hg::coo_view<> nothing;
  EXPECT_EQ(hg::relabel(nothing, std::vector<std::uint8_t>{}).parts, 0u);
  const auto plan = hg::relabel(nothing, std::vector<std::uint8_t>{}, 3);
  EXPECT_EQ(plan.nodes(2), (hg::id_range{0, 0}));
  EXPECT_EQ(plan.edges(2), (hg::id_range{0, 0}));
}

TEST(relabeling, takes_arrays_and_spans_of_owners_and_graphs_of_containers) {
  const std::vector<std::vector<std::uint16_t>> rows{{1}, {2}, {0}};
  const std::array<std::uint8_t, 3> owner{1, 0, 1};
  const auto plan = hg::relabel(rows, owner);
  EXPECT_EQ(plan.old_node, (std::vector<std::uint16_t>{1, 0, 2}));
  EXPECT_EQ(plan.old_edge, (std::vector<std::uint64_t>{0, 2, 1}));
  EXPECT_EQ(hg::relabel(rows, std::span<const std::uint8_t>(owner)).old_node, plan.old_node);
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

TEST(relabeling, errors_name_what_is_wrong_and_what_would_be_right) {
  const plain::columns<std::int16_t> good({3, {{0, 1}, {1, 2}}});
  const auto message = [](const hg::error& problem) { return std::string(problem.what()); };
  const auto short_owner = raised(
      [&] { hg::relabel(good.view(), std::vector<std::uint8_t>{0, 1}); });
  EXPECT_EQ(short_owner.code(), hg::error_kind::mismatch);
  EXPECT_NE(message(short_owner).find("2 nodes, the graph has 3"), std::string::npos);
  const auto no_part = raised(
      [&] { hg::relabel(good.view(), std::vector<std::uint8_t>{0, 1, 2}, 2); });
  EXPECT_EQ(no_part.code(), hg::error_kind::out_of_range);
  EXPECT_NE(message(no_part).find("node 2 is assigned to part 2; parts must be 0 to 1"),
            std::string::npos);
  auto negative = good;
  negative.source[1] = -1;
  const auto bad_end = raised(
      [&] { hg::relabel(negative.view(), std::vector<std::uint8_t>{0, 1, 0}); });
  EXPECT_EQ(bad_end.code(), hg::error_kind::out_of_range);
  EXPECT_NE(message(bad_end).find("edge 1 has an endpoint out of range; IDs must be 0 to 2"),
            std::string::npos)
      << message(bad_end);
  const auto plan = hg::relabel(good.view(), std::vector<std::uint8_t>{0, 1, 0});
  EXPECT_EQ(raised([&] { static_cast<void>(plan.nodes(2)); }).code(), hg::error_kind::out_of_range);
  EXPECT_EQ(raised([&] { static_cast<void>(plan.edges(0, 1)); }).code(),
            hg::error_kind::out_of_range);
}

TEST(relabeling, a_typed_id_beyond_its_type_is_rejected_though_another_type_follows) {
  typed_columns<std::uint8_t> columns({{2, 3}, {{0, 1, {{0, 0}, {1, 2}}}}});
  columns.sources[0][1] = 2;  // homogenized, it would be node 0 of the other type
  const auto problem = raised([&] { hg::relabel(columns.view(), std::vector<std::uint8_t>(5)); });
  EXPECT_EQ(problem.code(), hg::error_kind::out_of_range);
  EXPECT_NE(std::string(problem.what()).find("edge 1 has an endpoint out of range"),
            std::string::npos)
      << problem.what();
}

// A ring by target whose edge IDs restart in each row.
struct restarting_ring {
  std::size_t num_nodes() const { return 4; }
  void for_each_in_edge(auto v, auto f) const { f((hg::index(v) + 3) % 4, std::uint64_t{0}); }
};
struct unnumbered_ring {
  std::size_t num_nodes() const { return 4; }
  void for_each_in_neighbor(auto v, auto f) const { f((hg::index(v) + 3) % 4); }
};

TEST(relabeling, edge_ids_that_restart_in_each_row_are_rejected_and_none_are_needed) {
  const std::vector<std::uint8_t> owner{1, 0, 1, 0};
  const auto problem = raised([&] { hg::relabel(restarting_ring{}, owner); });
  EXPECT_EQ(problem.code(), hg::error_kind::mismatch);
  EXPECT_EQ(std::string(problem.what())
                .find("edges 0 -> 1 and 2 -> 3 both have ID 0; edge IDs must be 0 to 3"),
            0u)
      << problem.what();
  const auto plan = hg::relabel(unnumbered_ring{}, owner);
  EXPECT_EQ(plan.old_edge, (std::vector<std::uint64_t>{1, 3, 0, 2}));
  EXPECT_EQ(plan.new_edge, (std::vector<std::uint64_t>{2, 0, 3, 1}));
}

TEST(relabeling, takes_owners_of_any_integer_type_and_makes_their_book) {
  const std::vector<std::vector<int>> g{{1, 2}, {2}, {3}, {4}, {}};
  const auto want = hg::relabel(g, std::vector<hg::part_id>{1, 0, 1, 0, 1});
  const auto made = hg::relabel(g, std::vector<int>{1, 0, 1, 0, 1});
  EXPECT_EQ(made.new_node, want.new_node);
  EXPECT_EQ(made.new_edge, want.new_edge);
  const auto book = made.book();
  EXPECT_EQ(book.num_partitions(), 2u);
  for (std::size_t v = 0; v < 5; ++v)
    EXPECT_EQ(book.nid2partid(made.new_node[v]), v % 2 == 0 ? 1u : 0u) << v;
  const auto sentence = [&](auto owner, std::size_t parts = 0) {
    try {
      hg::relabel(g, owner, parts);
    } catch (const hg::error& problem) {
      return problem.message();
    }
    return std::string("relabeled");
  };
  EXPECT_EQ(sentence(std::vector<std::int64_t>{1, 0, 1, -3, 1}),
            "node 3 is assigned to part -3; parts are numbered from 0");
  EXPECT_EQ(sentence(std::vector<std::int16_t>{1, 0, 2, 0, 1}, 2),
            "node 2 is assigned to part 2; parts must be 0 to 1");
  EXPECT_EQ(sentence(std::vector<std::int64_t>{1, 0, std::int64_t{1} << 40, 0, 1}),
            "the part of a node is 1099511627776, which does not fit its type; it must be 0 to "
            "4294967295");
}

TEST(relabeling, of_no_graph_has_no_types) {
  const hg::relabeling<std::uint32_t, std::uint32_t> none;
  EXPECT_EQ(none.num_node_types(), 0u);
  EXPECT_EQ(none.num_edge_types(), 0u);
}

// Three nodes whose rows, counts and types a test may contradict.
struct contradictory {
  using node_id = std::uint8_t;
  using edge_id = std::uint8_t;

  std::vector<std::vector<std::uint8_t>> rows{{1}, {2}, {0}};
  std::vector<std::uint64_t> node_types{0, 3}, edge_types{0, 3};
  std::size_t edges = 3;

  std::size_t num_nodes() const { return rows.size(); }
  std::size_t num_edges() const { return edges; }
  void for_each_in_edge(auto v, auto f) const {
    std::uint8_t e = 0;
    for (std::size_t u = 0; u < hg::index(v); ++u)
      e = static_cast<std::uint8_t>(e + rows[u].size());
    for (const std::uint8_t u : rows[hg::index(v)]) f(u, e++);
  }
  std::span<const std::uint64_t> node_type_offsets() const { return node_types; }
  std::span<const std::uint64_t> edge_type_offsets() const { return edge_types; }
};

TEST(relabeling, a_graph_that_contradicts_itself_is_told_how) {
  const auto sentence = [](const auto& change) {
    contradictory g;
    change(g);
    const std::vector<std::uint8_t> owner(g.rows.size());
    return raised([&] { hg::relabel(g, owner, 1); }).message();
  };
  EXPECT_EQ(sentence([](contradictory&) {}), "nothing was raised");
  EXPECT_EQ(sentence([](contradictory& g) { g.rows[1][0] = 7; }),
            "edge 1 has an endpoint outside the 3 nodes of the graph; IDs must be 0 to 2");
  EXPECT_NE(sentence([](contradictory& g) { g.rows[1].push_back(0); }).find("3"),
            std::string::npos);
  EXPECT_NE(sentence([](contradictory& g) { g.rows[1].clear(); }).find("3"), std::string::npos);
  EXPECT_EQ(sentence([](contradictory& g) { g.node_types = {}; }),
            "the types' offsets do not span the graph's nodes");
  EXPECT_EQ(sentence([](contradictory& g) { g.node_types = {0, 2}; }),
            "the types' offsets do not span the graph's nodes");
  EXPECT_EQ(sentence([](contradictory& g) { g.edge_types = {0, 2}; }),
            "the types' offsets do not span the graph's edges");
  EXPECT_EQ(sentence([](contradictory& g) {
              g.rows.assign(300, {});
              g.node_types = {0, 300};
              g.edge_types = {0, 0};
              g.edges = 0;
            }),
            "the graph has more nodes than its node IDs can number; use wider ones");
  EXPECT_EQ(sentence([](contradictory& g) { g.edges = 256; }),
            "the graph has more nodes or edges than its ID types can number; use wider ones");
}

TEST(relabeling, columns_that_do_not_fit_together_are_told) {
  const std::vector<std::uint8_t> source{0, 1}, target{0, 0};
  const auto sentence = [&](std::size_t nodes, std::size_t sources) {
    const hg::coo_view<std::uint8_t, std::uint8_t> g(nodes, std::span(source).first(sources),
                                                     target);
    return raised([&] { hg::relabel(g, std::vector<std::uint8_t>(nodes), 1); }).message();
  };
  EXPECT_EQ(sentence(0, 2),
            "edge 0 has an endpoint out of range; IDs must be 0 to 0, typed ones "
            "below the number of nodes of their type");
  EXPECT_EQ(sentence(2, 1),
            "the columns and offsets of the graph do not fit together; validate() "
            "names the place");
  EXPECT_EQ(sentence(300, 2),
            "the graph has more nodes or edges than its ID types can number; use wider ones");
}

}  // namespace
