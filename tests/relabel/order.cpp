// SPDX-License-Identifier: BSL-1.0
#include <halograph/core/random.hpp>
#include <halograph/graph/build.hpp>
#include <halograph/graph/coo.hpp>
#include <halograph/relabel/order.hpp>
#include <halograph/relabel/relabeling.hpp>
#include <halograph/testing/small_graphs.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <set>
#include <span>
#include <tuple>
#include <vector>

namespace hg = halograph;

namespace {

/// Random edges between typed nodes, with owners.
template <class Node>
struct drawn {
  std::vector<std::uint64_t> types{0};
  std::vector<Node> source{}, target{};
  std::vector<std::uint16_t> owner{};
  std::size_t parts = 1;

  explicit drawn(hg::random_stream& draw) {
    parts = static_cast<std::size_t>(1 + draw.below(4));
    for (std::uint64_t t = 1 + draw.below(3); t-- > 0;)
      types.push_back(types.back() + draw.below(12));
    for (std::uint64_t v = 0; v < nodes(); ++v)
      owner.push_back(static_cast<std::uint16_t>(draw.below(parts)));
    for (std::uint64_t e = nodes() == 0 ? 0 : draw.below(60); e-- > 0;) {
      source.push_back(static_cast<Node>(draw.below(nodes())));
      target.push_back(static_cast<Node>(draw.below(nodes())));
    }
  }
  std::size_t nodes() const { return static_cast<std::size_t>(types.back()); }
  hg::csc_arrays<Node, std::uint8_t> rows() const {
    return hg::build_csc<Node, std::uint8_t>(
        hg::coo_view<Node, std::uint8_t>(nodes(), source, target));
  }

  template <class Order>
  std::vector<Node> arrange(const Order& order) const {
    const auto in_edges = rows();
    std::vector<std::uint64_t> bounds(parts * (types.size() - 1) + 1);
    std::vector<Node> old_node(nodes()), new_node(nodes());
    const auto needed = order.sizes(nodes(), types.size() - 1);
    std::vector<Node> room(needed.nodes, Node{7});
    std::vector<std::uint64_t> words(needed.words, 7);
    const hg::order_scratch<Node> scratch{room, words};
    EXPECT_EQ(hg::relabel_nodes_into(in_edges.view(), std::span<const std::uint16_t>(owner),
                                     std::span<const std::uint64_t>(types), parts, order,
                                     std::span(bounds), std::span(old_node), std::span(new_node),
                                     scratch),
              hg::status::ok);
    for (std::size_t i = 0; i < nodes(); ++i)
      EXPECT_EQ(hg::index(new_node[hg::index(old_node[i])]), i);
    return old_node;
  }

  /// Nodes in ascending order of (part, type, key, ID).
  template <class Key>
  std::vector<Node> sorted_by(const Key& key) const {
    std::vector<Node> out(nodes());
    std::iota(out.begin(), out.end(), Node{0});
    const auto type = [&](std::size_t v) {
      return std::upper_bound(types.begin() + 1, types.end() - 1, v) - types.begin();
    };
    std::stable_sort(out.begin(), out.end(), [&](Node a, Node b) {
      const auto i = hg::index(a), j = hg::index(b);
      return std::tuple(owner[i], type(i), key(i)) < std::tuple(owner[j], type(j), key(j));
    });
    return out;
  }
};

template <class Node>
class orders_of_ids : public testing::Test {};
using id_types = testing::Types<std::int8_t, std::uint16_t, std::int32_t, std::uint64_t>;
TYPED_TEST_SUITE(orders_of_ids, id_types);

TYPED_TEST(orders_of_ids, original_is_the_same_as_no_order) {
  hg::random_stream draw(1);
  for (int round = 0; round < 50; ++round) {
    const drawn<TypeParam> g(draw);
    EXPECT_EQ(g.arrange(hg::original_order{}), g.sorted_by([](std::size_t) { return 0; }));
  }
}

TYPED_TEST(orders_of_ids, descending_degree_counts_both_directions_and_keeps_ties_by_id) {
  hg::random_stream draw(2);
  for (int round = 0; round < 100; ++round) {
    const drawn<TypeParam> g(draw);
    std::vector<int> degree(g.nodes());
    for (std::size_t e = 0; e < g.source.size(); ++e) {
      ++degree[hg::index(g.source[e])];
      ++degree[hg::index(g.target[e])];
    }
    EXPECT_EQ(g.arrange(hg::descending_degree{}),
              g.sorted_by([&](std::size_t v) { return -degree[v]; }));
  }
}

TYPED_TEST(orders_of_ids, breadth_first_is_the_order_of_a_walk) {
  hg::random_stream draw(3);
  for (int round = 0; round < 100; ++round) {
    const drawn<TypeParam> g(draw);
    std::vector<std::size_t> met(g.nodes());
    std::set<std::size_t> done;
    std::size_t time = 0;
    for (std::size_t p = 0; p < g.parts; ++p) {
      for (std::size_t start = 0; start < g.nodes(); ++start) {
        if (g.owner[start] != p || !done.insert(start).second) continue;
        std::vector<std::size_t> queue{start};
        for (std::size_t head = 0; head < queue.size(); ++head) {
          met[queue[head]] = time++;
          for (std::size_t e = 0; e < g.source.size(); ++e) {
            const std::size_t u = hg::index(g.source[e]);
            if (hg::index(g.target[e]) == queue[head] && g.owner[u] == p && done.insert(u).second)
              queue.push_back(u);
          }
        }
      }
    }
    EXPECT_EQ(g.arrange(hg::breadth_first{}), g.sorted_by([&](std::size_t v) { return met[v]; }));
  }
}

TEST(orders, too_little_memory_is_capacity_with_what_suffices) {
  const hg::small_graph<> path = hg::small_graphs<>()[4];
  const auto rows = hg::build_csc<std::uint32_t, std::uint32_t>(path);
  const std::vector<std::uint16_t> owner(5);
  const std::array<std::uint64_t, 2> types{0, 5};
  std::array<std::uint64_t, 2> bounds{};
  std::array<std::uint32_t, 5> old_node{}, room{};
  std::array<std::uint64_t, 5> words{};
  const auto run = [&](const auto& order, std::size_t nodes_given, std::size_t words_given) {
    return hg::relabel_nodes_into(
        rows.view(), std::span<const std::uint16_t>(owner), std::span<const std::uint64_t>(types),
        1, order, std::span<std::uint64_t>(bounds), std::span<std::uint32_t>(old_node),
        std::span<std::uint32_t>(),
        hg::order_scratch<std::uint32_t>{std::span(room).first(nodes_given),
                                         std::span(words).first(words_given)});
  };
  EXPECT_EQ(run(hg::original_order{}, 0, 0), hg::status::ok);
  for (const hg::status answer :
       {run(hg::descending_degree{}, 4, 5), run(hg::descending_degree{}, 5, 4),
        run(hg::breadth_first{}, 4, 5)}) {
    EXPECT_EQ(answer, hg::status::capacity);
    EXPECT_EQ(answer.position, 5u);
  }
  EXPECT_EQ(run(hg::breadth_first{}, 5, 1), hg::status::capacity);
  EXPECT_EQ(run(hg::breadth_first{}, 5, 2), hg::status::ok);
}

TEST(orders, of_a_whole_relabeling) {
  //  0 - 1 - 2
  //  |   |   |        rightwards and downwards; parts 0 0 0 / 1 1 1
  //  3 - 4 - 5
  const auto grid = hg::small_graphs<>()[12];
  const std::vector<std::uint8_t> owner{0, 0, 0, 1, 1, 1};
  const auto plan = hg::relabel(grid, owner, 2, hg::descending_degree{});
  EXPECT_EQ(plan.old_node, (std::vector<std::uint32_t>{1, 0, 2, 4, 3, 5}));
  EXPECT_EQ(plan.new_node, (std::vector<std::uint32_t>{1, 0, 2, 4, 3, 5}));
  // By (part of the target, new target, ID): 0-1 into node 1 (new 0), 1-2 into node 2 (new 2), then
  // those into 4, 3, 5.
  EXPECT_EQ(plan.old_edge, (std::vector<std::uint32_t>{0, 1, 2, 5, 4, 3, 6}));
}

/// A user's order: by descending ID.
struct backwards {
  static constexpr hg::order_sizes sizes(std::size_t, std::size_t) { return {}; }
  template <class Graph, class Part, class Node>
  hg::status arrange(const Graph&, const hg::node_cells<Part, Node>& cells,
                     hg::order_scratch<Node>) const {
    for (std::size_t c = 0; c + 1 < cells.bounds.size(); ++c) {
      std::reverse(cells.nodes.begin() + static_cast<std::ptrdiff_t>(cells.bounds[c]),
                   cells.nodes.begin() + static_cast<std::ptrdiff_t>(cells.bounds[c + 1]));
    }
    return hg::status::ok;
  }
};
struct without_sizes {
  template <class Graph, class Part, class Node>
  hg::status arrange(const Graph&, const hg::node_cells<Part, Node>&,
                     hg::order_scratch<Node>) const {
    return hg::status::ok;
  }
};
struct without_arrange {
  static constexpr hg::order_sizes sizes(std::size_t, std::size_t) { return {}; }
};
static_assert(hg::node_order<backwards, hg::csc_view<>> &&
              hg::node_order<hg::breadth_first, hg::csc_view<>>);
static_assert(!hg::node_order<without_sizes, hg::csc_view<>> &&
              !hg::node_order<without_arrange, hg::csc_view<>>);
static_assert(hg::name_of_order(backwards{}) == "custom" &&
              hg::name_of_order(hg::breadth_first{}) == "breadth_first");

TEST(orders, of_the_user) {
  const std::vector<std::uint8_t> owner{0, 1, 0, 1, 0, 1};
  EXPECT_EQ(hg::relabel(hg::small_graphs<>()[12], owner, 2, backwards{}).old_node,
            (std::vector<std::uint32_t>{4, 2, 0, 5, 3, 1}));
}

TEST(orders, a_walk_names_the_first_edge_with_an_endpoint_out_of_range) {
  const std::vector<std::uint32_t> offsets{0, 1, 3, 3}, sources{1, 3, 4}, edges{7, 5, 6};
  const hg::csc_view<std::uint32_t, std::uint32_t> g(offsets, sources, edges);
  const std::vector<std::uint16_t> owner(3);
  const std::array<std::uint64_t, 2> types{0, 3};
  std::array<std::uint64_t, 2> bounds{};
  std::array<std::uint32_t, 3> old_node{}, room{};
  std::array<std::uint64_t, 2> words{};
  const auto answer = hg::relabel_nodes_into(
      g, std::span<const std::uint16_t>(owner), std::span<const std::uint64_t>(types), 1,
      hg::breadth_first{}, std::span<std::uint64_t>(bounds), std::span<std::uint32_t>(old_node),
      std::span<std::uint32_t>(), hg::order_scratch<std::uint32_t>{room, words});
  EXPECT_EQ(answer, hg::status::out_of_range);
  EXPECT_EQ(answer.position, 5u);
}

TEST(orders, by_reference_are_the_same) {
  const auto grid = hg::build_csc<std::uint32_t, std::uint32_t>(hg::small_graphs<>()[12]);
  const std::vector<hg::part_id> owner{0, 0, 0, 1, 1, 1};
  const std::array<std::uint64_t, 2> types{0, 6};
  const auto arranged = [&](const auto& order) {
    const auto needed = order.sizes(6, 1);
    std::vector<std::uint32_t> old_node(6), room(needed.nodes);
    std::vector<std::uint64_t> bounds(3), words(needed.words);
    EXPECT_EQ(
        hg::relabel_nodes_into(grid.view(), std::span<const hg::part_id>(owner),
                               std::span<const std::uint64_t>(types), 2, order, std::span(bounds),
                               std::span(old_node), std::span<std::uint32_t>(),
                               hg::order_scratch<std::uint32_t>{room, words}),
        hg::status::ok);
    return old_node;
  };
  const auto both = [&](const auto& order) {
    const hg::node_order_ref<std::uint32_t, std::uint32_t> reference(order);
    EXPECT_EQ(reference.name, hg::name_of_order(order));
    EXPECT_EQ(arranged(reference), arranged(order)) << reference.name;
    return arranged(reference);
  };
  EXPECT_EQ(both(hg::descending_degree{}), (std::vector<std::uint32_t>{1, 0, 2, 4, 3, 5}));
  EXPECT_EQ(both(backwards{}), (std::vector<std::uint32_t>{2, 1, 0, 5, 4, 3}));
  both(hg::breadth_first{});
  // No place to work in: what the order says comes through.
  std::array<std::uint64_t, 3> bounds{};
  std::array<std::uint32_t, 6> old_node{};
  const hg::breadth_first walk;
  EXPECT_EQ(
      hg::relabel_nodes_into(grid.view(), std::span<const hg::part_id>(owner),
                             std::span<const std::uint64_t>(types), 2,
                             hg::node_order_ref<std::uint32_t, std::uint32_t>(walk),
                             std::span<std::uint64_t>(bounds), std::span<std::uint32_t>(old_node),
                             std::span<std::uint32_t>(), hg::order_scratch<std::uint32_t>{}),
      hg::status::capacity);
}

TEST(orders, run_in_constant_expressions) {
  constexpr auto first = [] {
    constexpr std::array<std::uint8_t, 4> offsets{0, 0, 1, 3},
        sources{2, 0, 1, 0};  // 2 -> 1, 0 -> 2, 1 -> 2
    constexpr std::array<std::uint8_t, 3> owner{};
    constexpr std::array<std::uint64_t, 2> types{0, 3};
    std::array<std::uint64_t, 2> bounds{};
    std::array<std::uint8_t, 3> old_node{}, room{};
    std::array<std::uint64_t, 3> words{};
    const hg::csc_view<std::uint8_t, std::uint8_t> g(offsets, std::span(sources).first(3));
    const auto answer = hg::relabel_nodes_into(
        g, std::span<const std::uint8_t>(owner), std::span<const std::uint64_t>(types), 1,
        hg::descending_degree{}, std::span<std::uint64_t>(bounds),
        std::span<std::uint8_t>(old_node), std::span<std::uint8_t>(),
        hg::order_scratch<std::uint8_t>{room, words});
    return answer ? int{old_node[0]} : -1;
  }();
  static_assert(first == 2);
}

/// Arguments of relabel_nodes_into with an order, each of which a test may spoil.
struct ordered_call {
  std::vector<std::uint16_t> offsets{0, 1, 2, 3}, sources{2, 0, 1};
  std::vector<std::uint8_t> owner{0, 1, 0};
  std::vector<std::uint64_t> types{0, 1, 3}, bounds = std::vector<std::uint64_t>(5),
                                             words = std::vector<std::uint64_t>(3);
  std::vector<std::uint16_t> old_node = std::vector<std::uint16_t>(3),
                             room = std::vector<std::uint16_t>(3);

  template <class Order>
  hg::status run(const Order& order) {
    return hg::relabel_nodes_into(
        hg::csc_view<std::uint16_t, std::uint16_t>(offsets, sources),
        std::span<const std::uint8_t>(owner), std::span<const std::uint64_t>(types), 2, order,
        std::span(bounds), std::span(old_node), std::span<std::uint16_t>(),
        hg::order_scratch<std::uint16_t>{room, words});
  }
};

template <class Order>
class every_order : public testing::Test {
 protected:
  template <class F>
  static hg::status with(F&& change) {
    ordered_call one;
    change(one);
    return one.run(Order{});
  }
};
using scratch_orders = testing::Types<hg::descending_degree, hg::breadth_first>;
TYPED_TEST_SUITE(every_order, scratch_orders);

TYPED_TEST(every_order, reports_what_is_too_small_or_mismatched) {
  using hg::status;
  EXPECT_EQ(this->with([](ordered_call&) {}), status::ok);
  EXPECT_EQ(this->with([](ordered_call& c) { c.room.pop_back(); }), status::capacity.at(3));
  EXPECT_EQ(this->with([](ordered_call& c) { c.words.clear(); }), status::capacity);
  EXPECT_EQ(this->with([](ordered_call& c) { c.owner.pop_back(); }), status::mismatch.at(3));
  EXPECT_EQ(this->with([](ordered_call& c) { c.types = {}; }), status::mismatch);
  EXPECT_EQ(this->with([](ordered_call& c) { c.owner[1] = 2; }), status::out_of_range.at(1));
  EXPECT_EQ(this->with([](ordered_call& c) { c.old_node.pop_back(); }), status::capacity);
  // The first of two sources that are out of range.
  EXPECT_EQ(this->with([](ordered_call& c) { c.sources = {2, 3, 9}; }), status::out_of_range.at(1));
}

TYPED_TEST(every_order, looks_at_its_scratch_itself) {
  ordered_call c;
  ASSERT_EQ(c.run(hg::original_order{}), hg::status::ok);
  const hg::csc_view<std::uint16_t, std::uint16_t> g(c.offsets, c.sources);
  const hg::node_cells<std::uint8_t, std::uint16_t> cells{2, c.owner, c.types, c.bounds,
                                                          c.old_node};
  const auto run = [&](std::size_t room, std::size_t words) {
    return TypeParam{}.arrange(g, cells,
                               hg::order_scratch<std::uint16_t>{std::span(c.room).first(room),
                                                                std::span(c.words).first(words)});
  };
  EXPECT_EQ(run(3, 3), hg::status::ok);
  EXPECT_EQ(run(2, 3), hg::status::capacity.at(3));
  EXPECT_EQ(run(3, 2).code, hg::status::capacity.at(3).code);
  EXPECT_EQ(run(3, 2).position, 3u);
}

}  // namespace
