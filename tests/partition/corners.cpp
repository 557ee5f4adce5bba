// SPDX-License-Identifier: BSL-1.0
// Corners of the policies that hold a whole graph: parts without room, nodes that have not arrived,
// types that are not balanced, weights that need 64 bits.
#include <halograph/graph/coo.hpp>
#include <halograph/graph/generators.hpp>
#include <halograph/graph/hetero.hpp>
#include <halograph/partition/assign.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/distributed/library.hpp>
#include <halograph/partition/fennel.hpp>
#include <halograph/partition/ldg.hpp>
#include <halograph/partition/multilevel.hpp>
#include <halograph/partition/multilevel/buffered.hpp>
#include <halograph/partition/placement/new_nodes.hpp>
#include <halograph/partition/refine.hpp>

#include <gtest/gtest.h>
#include <support/statuses.hpp>
#include <support/words.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace hg = halograph;
using hg::testing::expect_explained;
using hg::testing::expect_status;
using hg::testing::refusal_of;

namespace {

using ids = std::vector<std::uint32_t>;
using owners = std::vector<hg::part_id>;
constexpr hg::part_id none = hg::multilevel::no_part;

struct edges {
  std::size_t nodes = 0;
  ids source{}, target{};
  hg::coo_view<std::uint32_t> view() const { return {nodes, source, target}; }
};
edges path(std::size_t nodes) {
  edges out{nodes};
  for (std::uint32_t v = 0; v + 1 < nodes; ++v) {
    out.source.push_back(v);
    out.target.push_back(v + 1);
  }
  return out;
}
/// Edges 0 and 2 of 4 name node 9 of 6.
edges bad_edges() { return {6, {0, 1, 9, 2}, {9, 2, 1, 3}}; }

// ---- new nodes

owners placed(const edges& g, const hg::new_nodes& policy) {
  owners owner(g.nodes);
  EXPECT_EQ(policy.assign(g.view(), std::span(owner)), hg::status::ok);
  return owner;
}

TEST(new_nodes_corners, nodes_of_few_neighbors_fill_empty_parts) {
  const owners two{0, 0, none, none, none, none, none, none, none}, one{0, none, none};
  EXPECT_EQ(placed(path(9), {.parts = 3, .fixed = two, .tolerance = 10, .improve = false}),
            (owners{0, 0, 2, 0, 0, 0, 0, 0, 1}));
  // Node 2, without neighbors, is the only one of its part. Then no node is left for part 3.
  EXPECT_EQ(placed({3, {0}, {1}}, {.parts = 4, .fixed = one, .tolerance = 10, .improve = false}),
            (owners{0, 2, 1}));
}

TEST(new_nodes_corners, edges_between_the_same_nodes_add_up_only_if_they_have_weights) {
  const edges g{5, {4, 4, 4}, {0, 0, 2}};
  const owners old{0, 0, 1, 1, none};
  const std::vector<std::int64_t> weights{2, 3, 4}, less{1, 2, 4};
  EXPECT_EQ(placed(g, {.parts = 2, .fixed = old, .edge_weights = weights}).back(), 0u);
  EXPECT_EQ(placed(g, {.parts = 2, .fixed = old, .edge_weights = less}).back(), 1u);
}

TEST(new_nodes_corners, parts_without_old_nodes_one_part_and_wide_weights) {
  const owners old{0, none, none, none, none, none};
  const owners halves = placed(path(6), {.parts = 2, .fixed = old, .tolerance = 0});
  EXPECT_EQ(halves, (owners{0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(placed(path(6), {.parts = 1, .fixed = old}), owners(6, 0));
  const std::vector<std::int64_t> wide(5, std::int64_t{1} << 40);
  EXPECT_EQ(placed(path(6), {.parts = 2, .fixed = old, .tolerance = 0, .edge_weights = wide}),
            halves);
}

TEST(new_nodes_corners, edges_and_tolerances_are_checked) {
  owners owner(6);
  const owners old(6, none);
  expect_status(
      hg::new_nodes{.parts = 2, .fixed = old}.assign(bad_edges().view(), std::span(owner)),
      hg::error_kind::out_of_range, 0);
  EXPECT_EQ((hg::new_nodes{.parts = 2, .fixed = old, .tolerance = -1}.assign(path(6).view(),
                                                                             std::span(owner))),
            hg::status::invalid_argument);
  const edges from_nowhere{6, {9}, {0}};
  expect_status(
      hg::new_nodes{.parts = 2, .fixed = old}.assign(from_nowhere.view(), std::span(owner)),
      hg::error_kind::out_of_range, 0);
  hg::new_node_scan scan;
  expect_status(hg::new_nodes{.parts = 2, .fixed = old}.begin_scan(hg::shape_of(path(6).view()),
                                                                   std::span(owner).first(5), scan),
                hg::error_kind::mismatch, 6);
  const hg::new_nodes policy{.parts = 2};
  const auto says = [&](hg::status answer, const char* words) {
    expect_explained(policy, answer, words);
  };
  says(hg::status::capacity.at(7), "more than 7 neighbors");
  says(hg::status::overflow.at(7), "the edges of node 7");
  says(hg::status::out_of_range.at(7), "node 7 has a part that is not below 2");
  says(hg::status::mismatch.at(7), "a part, or none, for each node");
  says(hg::status::invalid_argument.at(7), "see 7");
  EXPECT_EQ(policy.explain(hg::status::infeasible), "");
}

// ---- multilevel

TEST(multilevel_corners, nodes_without_neighbors_fill_unequal_parts_and_overfill_the_least) {
  const edges g{4, {}, {}};
  const std::vector<std::int64_t> load{5, 5, 1, 0};
  const std::array<hg::constraint, 1> constraints{hg::constraint{"c", load, 0}};
  const std::vector<double> weights{3, 1};
  // Limits 9 and 3: node 1 exceeds either, part 0 by less. Node 3 weighs nothing.
  EXPECT_EQ(
      hg::assign(g.view(),
                 hg::multilevel{.parts = 2, .constraints = constraints, .part_weights = weights}),
      (owners{0, 0, 1, 1}));
}

TEST(multilevel_corners, few_nodes_keep_the_parts_that_they_have) {
  const owners fixed{2, none, none}, from{0, 1, none};
  const owners owner = hg::assign(path(3).view(),
                                  hg::multilevel{.parts = 4, .fixed = fixed, .from = from});
  EXPECT_EQ(owner[0], 2u);
  EXPECT_EQ(owner[1], 1u);
  EXPECT_TRUE(owner[2] == 0 || owner[2] == 3) << owner[2];
}

TEST(multilevel_corners, nodes_without_neighbors_and_part_join_an_assignment_that_is_improved) {
  edges g = path(6);
  g.nodes = 8;
  const owners from{0, 0, 0, 1, 1, 1, none, none};
  EXPECT_EQ(hg::assign(g.view(), hg::multilevel{.parts = 2, .from = from}),
            (owners{0, 0, 0, 1, 1, 1, 0, 1}));
}

TEST(multilevel_corners, part_weights_are_one_for_each_part_or_for_each_part_and_constraint) {
  const std::vector<std::int64_t> ones(6, 1);
  const std::array<hg::constraint, 2> constraints{hg::constraint{"a", ones, 0.1},
                                                  hg::constraint{"b", ones, 0.1}};
  owners owner(6);
  const auto answer = [&](const std::vector<double>& weights) {
    return hg::multilevel{.parts = 2, .constraints = constraints, .part_weights = weights}.assign(
        path(6).view(), std::span(owner));
  };
  EXPECT_EQ(answer({1, 2}), hg::status::ok);
  EXPECT_EQ(answer({1, 1, 2, 2}), hg::status::ok);
  expect_status(answer({1, 2, 3}), hg::error_kind::mismatch, 2);
  expect_status(answer({1, 2, 3, 4, 5, 6}), hg::error_kind::mismatch, 2);
  // Each may be 2^20, and their sum must be below 2^31.
  const std::vector<double> largest(2048, 1048576);
  std::vector<hg::part_id> many(3000);
  expect_status(hg::multilevel{.parts = 2048, .part_weights = largest}.assign(path(3000).view(),
                                                                              std::span(many)),
                hg::error_kind::overflow, 2047);
}

TEST(multilevel_corners, parts_are_counted_with_32_bits) {
  using wide = hg::basic_multilevel<std::uint64_t>;
  using narrow = hg::basic_multilevel<std::uint8_t>;
  std::vector<std::uint64_t> owner(6);
  std::vector<std::uint8_t> bytes(6);
  const wide policy{.parts = 0xFFFFFFFFu};
  const hg::status answer = policy.assign(path(6).view(), std::span(owner));
  expect_status(answer, hg::error_kind::overflow, 0xFFFFFFFFu);
  EXPECT_NE(policy.explain(answer).find("(4294967295) does not fit"), std::string::npos);
  const narrow small{.parts = 300};
  const hg::status other = small.assign(path(6).view(), std::span(bytes));
  EXPECT_EQ(other.code, hg::error_kind::overflow);
  EXPECT_NE(small.explain(other).find("(300) does not fit"), std::string::npos);
}

TEST(multilevel_corners, what_is_out_of_range_is_named) {
  const owners good{none, 1, 0, none, none, none}, bad{0, 5, 0, 0, 0, 0};
  const auto refused = [](const edges& g, const hg::multilevel& policy) {
    return refusal_of([&] { return hg::assign(g.view(), policy); }).message();
  };
  EXPECT_NE(refused(path(6), {.parts = 2, .fixed = bad}).find("fixed names part 5 for node 1"),
            std::string::npos);
  EXPECT_NE(refused(path(6), {.parts = 2, .fixed = good, .from = bad})
                .find("from names part 5 for node 1"),
            std::string::npos);
  EXPECT_NE(refused(bad_edges(), {.parts = 2, .fixed = good, .from = good}).find("endpoint"),
            std::string::npos);

  const hg::multilevel_refinement policy{.parts = 2, .fixed = bad};
  EXPECT_NE(policy.explain(hg::status::out_of_range.at(1)).find("fixed names part 5"),
            std::string::npos);
  EXPECT_NE(policy.explain(hg::status::out_of_range.at(2)).find("node 2 has a part"),
            std::string::npos);
  EXPECT_NE(policy.explain(hg::status::mismatch.at(6)).find("for each node"), std::string::npos);
  const hg::multilevel_refinement plain{.parts = 2};
  owners owner = bad;
  expect_status(plain.refine(path(6).view(), std::span(owner)), hg::error_kind::out_of_range, 1);
}

// ---- node types that are not balanced on their own

/// A path of 12 nodes, the first 6 of one type, the others of another.
struct typed_path {
  ids from0{0, 1, 2, 3, 4}, to0{1, 2, 3, 4, 5}, from1{5}, to1{0}, from2{0, 1, 2, 3, 4},
      to2{1, 2, 3, 4, 5};
  std::vector<std::uint64_t> node_offsets{0, 6, 12}, edge_offsets{0, 5, 6, 11};
  std::vector<hg::relation_view<std::uint32_t>> relations{
      {0, 0, from0, to0}, {0, 1, from1, to1}, {1, 1, from2, to2}};
  hg::hetero_view<std::uint32_t, std::uint32_t> view() const {
    return {node_offsets, edge_offsets, relations};
  }
};

template <class Policy>
void expect_types_to_matter(Policy policy) {
  const typed_path typed;
  policy.parts = 2;
  policy.tolerance = 0;
  const auto held = [&](bool balance_types) {
    policy.balance_types = balance_types;
    const auto owner = hg::assign(typed.view(), policy);
    return std::count(owner.begin(), owner.begin() + 6, 0u);
  };
  EXPECT_EQ(held(true), 3) << hg::name_of_policy<Policy>();
  policy.balance_types = false;
  EXPECT_EQ(hg::assign(typed.view(), policy), hg::assign(path(12).view(), policy))
      << hg::name_of_policy<Policy>() << ": as a graph of one type";
}

TEST(types, are_balanced_only_if_asked_for) {
  expect_types_to_matter(hg::multilevel{});
  expect_types_to_matter(hg::ldg{});
  expect_types_to_matter(hg::fennel{});
  expect_types_to_matter(hg::buffered{});
  const typed_path typed;
  EXPECT_FALSE(hg::shape_of(typed.view()).node_type_offsets.empty());
  EXPECT_TRUE(hg::shape_of(typed.view(), false).node_type_offsets.empty());
  // Constraints replace the types.
  const std::vector<std::int64_t> ones(12, 1);
  const std::array<hg::constraint, 1> constraints{hg::constraint{"nodes", ones, 0}};
  const hg::multilevel constrained{.parts = 2, .constraints = constraints};
  EXPECT_EQ(hg::assign(typed.view(), constrained), hg::assign(path(12).view(), constrained));
  const owners all(12, none);
  for (const bool balance : {true, false}) {
    owners owner(12);
    const hg::new_nodes policy{.parts = 2, .fixed = all, .tolerance = 0, .balance_types = balance};
    ASSERT_EQ(policy.assign(typed.view(), std::span(owner)), hg::status::ok);
    const auto held = std::count(owner.begin(), owner.begin() + 6, 0u);
    EXPECT_TRUE(balance ? held == 3 : held == 0 || held == 6) << held;
    // Halves of the path: each type is overfull.
    owners halves{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1};
    const hg::balance_repair repair{.parts = 2, .tolerance = 0, .balance_types = balance};
    ASSERT_EQ(repair.refine(typed.view(), std::span(halves)), hg::status::ok);
    EXPECT_EQ(std::count(halves.begin(), halves.begin() + 6, 0u), balance ? 3 : 6);
  }
}

// ---- buffered streaming

TEST(buffered_corners, nodes_that_have_not_arrived_have_no_part) {
  const hg::buffered policy{.parts = 3, .tolerance = 0};
  const hg::stream_shape shape{12, 11, {}};
  for (const std::uint32_t arrived : {5u, 9u, 11u}) {
    owners owner(12);
    std::vector<std::uint64_t> memory(policy.stream_scratch_size(shape));
    hg::buffered::stream stream;
    ASSERT_EQ(policy.begin(shape, owner, memory, stream), hg::status::ok);
    for (std::uint32_t v = 0; v < arrived; ++v) {
      ASSERT_EQ(stream.push(v,
                            [&](auto&& f) {
                              if (v > 0) f(v - 1);
                            }),
                hg::status::ok);
    }
    ASSERT_EQ(stream.finish(), hg::status::ok);
    std::array<std::size_t, 3> held{};
    for (std::uint32_t v = 0; v < 12; ++v) {
      ASSERT_EQ(owner[v] == hg::buffered::stream::no_part, v >= arrived) << v;
      if (v < arrived) ++held[owner[v]];
    }
    for (const auto count : held) EXPECT_LE(count, 4u) << arrived;
  }
}

TEST(buffered_corners, a_push_that_is_refused_leaves_fennels_parts) {
  const hg::buffered policy{.parts = 2};
  const hg::stream_shape shape{6, 5, {}};
  owners owner(6);
  std::vector<std::uint64_t> memory(policy.stream_scratch_size(shape));
  hg::buffered::stream stream;
  ASSERT_EQ(policy.begin(shape, owner, memory, stream), hg::status::ok);
  const auto alone = [](auto&&) {};
  const auto beyond = [](auto&& f) { f(99u); };
  EXPECT_EQ(stream.push(0, alone), hg::status::ok);
  expect_status(stream.push(0, alone), hg::error_kind::invalid_argument, 0);
  expect_status(stream.push(6, alone), hg::error_kind::out_of_range, 6);
  expect_status(stream.push(1, beyond), hg::error_kind::out_of_range, 1);
  for (std::uint32_t v = 1; v < 6; ++v)
    EXPECT_EQ(stream.push(v, [&](auto&& f) { f(v - 1); }), hg::status::ok);
  EXPECT_EQ(stream.finish(), hg::status::ok);
  for (const auto p : owner) EXPECT_LT(p, 2u);
  hg::buffered wrong = policy;
  wrong.tolerance = -1;
  EXPECT_EQ(wrong.begin(shape, owner, memory, stream), hg::status::invalid_argument);
  // Shapes and batches that need 64 bits give the same parts.
  const auto parts_of = [&](std::uint64_t edges, std::uint64_t batch) {
    hg::buffered one = policy;
    one.batch = batch;
    EXPECT_EQ(one.begin({6, edges, {}}, owner, memory, stream), hg::status::ok);
    for (std::uint32_t v = 0; v < 6; ++v) {
      const auto pushed = stream.push(v, [&](auto&& f) {
        if (v != 0) f(v - 1);
      });
      EXPECT_EQ(pushed, hg::status::ok);
    }
    EXPECT_EQ(stream.finish(), hg::status::ok);
    return owner;
  };
  const owners narrow = parts_of(5, policy.batch);
  EXPECT_EQ(parts_of(5, std::uint64_t{1} << 30), narrow);
  EXPECT_EQ(parts_of(std::uint64_t{1} << 30, policy.batch), narrow);
  // One part needs no clusters; nor do as many parts as nodes.
  for (const std::uint64_t parts : {1u, 6u})
    EXPECT_EQ(hg::assign(path(6).view(), hg::buffered{.parts = parts}).size(), 6u);
}

// ---- libraries over ranks

TEST(library_corners, each_status_has_a_sentence) {
  using hg::detail::explain_library;
  EXPECT_NE(
      explain_library<hg::part_id>(hg::status::invalid_argument, 0, "L", 32).find("at least 1"),
      std::string::npos);
  EXPECT_NE(
      explain_library<std::uint8_t>(hg::status::overflow, 300, "L", 32).find("(300) does not fit"),
      std::string::npos);
  EXPECT_NE(explain_library<hg::part_id>(hg::status::invalid_argument, 2, "L", 32).find("loop"),
            0u);
  EXPECT_NE(explain_library<hg::part_id>(hg::status::overflow, 2, "L", 32).find("2^63"),
            std::string::npos);
}

}  // namespace
