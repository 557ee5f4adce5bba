// SPDX-License-Identifier: BSL-1.0
#include <halograph/core/random.hpp>
#include <halograph/graph/coo.hpp>
#include <halograph/graph/generators.hpp>
#include <halograph/graph/hetero.hpp>
#include <halograph/partition/assign.hpp>
#include <halograph/partition/chained.hpp>
#include <halograph/partition/fennel.hpp>
#include <halograph/partition/given.hpp>
#include <halograph/partition/hash.hpp>
#include <halograph/partition/ldg.hpp>
#include <halograph/partition/quality.hpp>
#include <halograph/partition/random.hpp>
#include <halograph/partition/range.hpp>
#include <halograph/partition/refine.hpp>
#include <halograph/testing/archetypes.hpp>
#include <halograph/testing/laws.hpp>
#include <halograph/testing/small_graphs.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace hg = halograph;

namespace {

using byte = std::uint8_t;
template <class Part>
using swept = hg::chained<hg::basic_hash_parts<Part>, hg::basic_label_propagation<Part>>;
static_assert(hg::names_parts<swept<byte>> && hg::takes_seed<swept<byte>> &&
              hg::takes_constraints<swept<byte>>);
static_assert(!hg::takes_edge_weights<swept<byte>> &&
              !hg::takes_seed<hg::rebalanced<hg::range_parts>>);
static_assert(hg::reads_edges<hg::rebalanced<hg::hash_parts>> &&
              hg::partitioner<hg::rebalanced<hg::hash_parts>, hg::archetype::graph>);

/// A user's refiner: puts node 0 into the last part.
struct first_to_last {
  using part = byte;
  std::uint64_t parts = 1;
  template <class Graph>
  hg::status refine(const Graph&, std::span<part> owner) const {
    if (!owner.empty()) owner[0] = static_cast<part>(parts - 1);
    return hg::status::ok;
  }
};

struct near_miss_of_const {
  using part = byte;
  template <class Graph>
  hg::status refine(const Graph&, std::span<part>) {
    return hg::status::ok;
  }
};
struct near_miss_of_part {
  template <class Graph>
  hg::status refine(const Graph&, std::span<byte>) const {
    return hg::status::ok;
  }
};
static_assert(hg::refiner<hg::label_propagation, hg::archetype::graph> &&
              hg::refiner<hg::balance_repair, hg::archetype::graph>);
static_assert(!hg::refiner<near_miss_of_const, hg::archetype::graph> &&
              !hg::refiner<near_miss_of_part, hg::archetype::graph>);
static_assert(hg::assigns_in_memory<hg::ldg, hg::archetype::graph> &&
              hg::assigns_in_memory<hg::rebalanced<hg::hash_parts>, hg::archetype::graph>);
static_assert(!hg::assigns_in_memory<hg::hash_parts, hg::archetype::graph> &&
              !hg::assigns_in_memory<hg::chained<hg::basic_hash_parts<byte>, first_to_last>,
                                     hg::archetype::graph>);
static_assert(!hg::refiner<hg::ldg, hg::archetype::graph>);

template <class Policy>
class wrappers : public ::testing::Test {};
using all = ::testing::Types<
    swept<byte>, swept<std::uint32_t>, hg::rebalanced<hg::basic_hash_parts<std::uint16_t>>,
    hg::rebalanced<hg::basic_range_parts<std::uint64_t>>,
    hg::rebalanced<hg::chained<hg::basic_ldg<byte>, hg::basic_label_propagation<byte>>>,
    hg::chained<hg::basic_random_parts<byte>, first_to_last>>;
TYPED_TEST_SUITE(wrappers, all);

TYPED_TEST(wrappers, keep_the_laws_of_partitioners_on_every_small_graph) {
  for (const auto& g : hg::small_graphs<>()) {
    for (const std::uint64_t parts : {1u, 2u, 3u, 7u}) {
      TypeParam policy;
      policy.parts = parts;
      const auto lawful = hg::laws::partitioner(policy, parts, g);
      EXPECT_TRUE(lawful) << g.name() << ": " << lawful.why;
      const auto listed = hg::laws::partitioner(policy, parts, g.coo());
      EXPECT_TRUE(listed) << g.name() << ": " << listed.why;
      EXPECT_EQ(hg::assign(g, policy), hg::assign(g.coo(), policy))
          << g.name() << ": a storage with both directions, and a list";
    }
  }
}

template <class Graph, class Part>
std::uint64_t cut(const Graph& g, const std::vector<Part>& owner) {
  std::uint64_t edges = 0;
  EXPECT_EQ(hg::directed_cut_into(g, std::span<const Part>(owner), edges), hg::status::ok);
  return edges;
}
template <class Part>
std::vector<std::uint64_t> sizes(const std::vector<Part>& owner, std::size_t parts) {
  std::vector<std::uint64_t> out(parts);
  for (const auto p : owner) ++out.at(static_cast<std::size_t>(p));
  return out;
}

TEST(label_propagation, cuts_less_within_the_tolerance) {
  const hg::generators::rmat g{.scale = 9, .edge_factor = 8, .seed = 2};
  for (const std::uint64_t parts : {2u, 8u}) {
    const auto before = hg::assign(g, hg::random_parts{.parts = parts, .seed = 3});
    auto after = before;
    const hg::label_propagation policy{.parts = parts, .tolerance = 0.1};
    ASSERT_EQ(policy.refine(g, std::span(after)), hg::status::ok);
    EXPECT_LT(static_cast<double>(cut(g, after)), 0.9 * static_cast<double>(cut(g, before)));
    const double mean = 512.0 / static_cast<double>(parts);
    for (const auto size : sizes(after, parts)) {
      EXPECT_LE(static_cast<double>(size), 1.1 * mean);
      EXPECT_GT(size, 0u);
    }
    const auto whole = hg::assign(g, hg::chained<hg::random_parts, hg::label_propagation>{
                                         .parts = parts, .seed = 3, .second = {.tolerance = 0.1}});
    EXPECT_EQ(whole, after);
  }
}

TEST(label_propagation, no_round_makes_the_cut_larger_and_none_moves_nothing) {
  hg::random_stream draw(6);
  for (int round = 0; round < 100; ++round) {
    const auto nodes = static_cast<std::size_t>(1 + draw.below(20));
    std::vector<byte> source, target;
    for (std::uint64_t e = draw.below(60); e-- > 0;)
      source.push_back(static_cast<byte>(draw.below(nodes))),
          target.push_back(static_cast<byte>(draw.below(nodes)));
    const hg::coo_view<byte, byte> g(nodes, source, target);
    auto owner = hg::assign(g, hg::random_parts{.parts = 3, .seed = draw.next()});
    const auto untouched = owner;
    ASSERT_EQ((hg::label_propagation{.parts = 3, .rounds = 0}.refine(g, std::span(owner))),
              hg::status::ok);
    EXPECT_EQ(owner, untouched);
    for (std::uint64_t last = cut(g, owner), i = 0; i < 5; ++i) {
      ASSERT_EQ((hg::label_propagation{.parts = 3, .tolerance = 0.5, .rounds = 1}.refine(
                    g, std::span(owner))),
                hg::status::ok);
      EXPECT_LE(cut(g, owner), last);
      last = cut(g, owner);
    }
  }
}

TEST(label_propagation, moves_a_node_to_its_neighbors) {
  const auto graphs = hg::small_graphs<>();
  std::vector<hg::part_id> owner{0, 0, 1,
                                 1, 1, 0};  // two triangles and a bridge: 2 and 5 are strays
  ASSERT_EQ(
      (hg::label_propagation{.parts = 2, .tolerance = 0.4}.refine(graphs[8], std::span(owner))),
      hg::status::ok);
  EXPECT_EQ(owner, (std::vector<hg::part_id>{0, 0, 0, 1, 1, 1}));
}

TEST(balance_repair, brings_every_part_within_its_tolerance_at_little_cost) {
  hg::random_stream draw(7);
  for (int round = 0; round < 100; ++round) {
    const auto nodes = static_cast<std::size_t>(1 + draw.below(40));
    const std::uint64_t parts = 1 + draw.below(5);
    std::vector<byte> source, target;
    for (std::uint64_t e = draw.below(90); e-- > 0;)
      source.push_back(static_cast<byte>(draw.below(nodes))),
          target.push_back(static_cast<byte>(draw.below(nodes)));
    const hg::coo_view<byte, byte> g(nodes, source, target);
    std::vector<hg::part_id> owner(nodes);
    for (auto& p : owner)
      p = static_cast<hg::part_id>(std::min(draw.below(parts), draw.below(parts)));
    ASSERT_EQ((hg::balance_repair{.parts = parts, .tolerance = 0}.refine(g, std::span(owner))),
              hg::status::ok);
    for (const auto size : sizes(owner, parts)) EXPECT_LE(size, (nodes + parts - 1) / parts);
    const auto balanced = owner;
    ASSERT_EQ((hg::balance_repair{.parts = parts, .tolerance = 0}.refine(g, std::span(owner))),
              hg::status::ok);
    EXPECT_EQ(owner, balanced) << "what keeps its caps is left alone";
  }
  // The bridge's end leaves, not the corner of a triangle.
  const auto graphs = hg::small_graphs<>();
  std::vector<hg::part_id> owner{0, 0, 0, 0, 1, 1};
  ASSERT_EQ((hg::balance_repair{.parts = 2, .tolerance = 0}.refine(graphs[8], std::span(owner))),
            hg::status::ok);
  EXPECT_EQ(owner, (std::vector<hg::part_id>{0, 0, 0, 1, 1, 1}));
}

TEST(balance_repair, keeps_each_type_and_constraint_and_says_where_it_cannot) {
  const std::vector<std::uint64_t> node_offsets{0, 8, 12}, edge_offsets{0, 0};
  const hg::relation_view<std::uint32_t> none[]{{0, 1, {}, {}}};
  const hg::hetero_view<std::uint32_t, std::uint32_t> g(node_offsets, edge_offsets, none);
  const std::vector<hg::part_id> all_in_one(12);
  auto owner = hg::assign(g,
                          hg::rebalanced<hg::given>{.parts = 4, .first = {.owners = all_in_one}});
  for (std::size_t p = 0; p < 4; ++p) {
    EXPECT_EQ(std::count(owner.begin(), owner.begin() + 8, p), 2);
    EXPECT_EQ(std::count(owner.begin() + 8, owner.end(), p), 1);
  }
  const std::vector<std::int64_t> heavy{9, 9, 9, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  const hg::constraint weights[]{{"weight", heavy, 0.01}};
  owner = hg::assign(g, hg::rebalanced<hg::given>{
                            .parts = 3, .constraints = weights, .first = {.owners = all_in_one}});
  for (const auto& line : hg::measure_balance(std::span<const hg::part_id>(owner), 3, weights))
    EXPECT_TRUE(line.met);
  try {
    hg::assign(g, hg::rebalanced<hg::given>{
                      .parts = 5, .constraints = weights, .first = {.owners = all_in_one}});
    ADD_FAILURE() << "a node of 9 fits no part of 7";
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.code(), hg::error_kind::infeasible);
    EXPECT_EQ(
        problem.message(),
        "part 0 holds more than its tolerance allows, and no move was found that helps; allow a larger tolerance or fewer parts");
  }
}

TEST(refiners, reject_invalid_assignments_and_too_little_memory) {
  const auto graphs = hg::small_graphs<>();
  const auto list = graphs[8].coo();
  const auto check = [&](const auto& policy) {
    std::vector<hg::part_id> owner{0, 1, 2, 0, 1, 0};
    const auto outside = policy.refine(list, std::span(owner));
    EXPECT_EQ(outside, hg::status::out_of_range);
    EXPECT_EQ(outside.position, 2u);
    EXPECT_EQ(policy.refine(list, std::span(owner).first(5)), hg::status::mismatch);
    owner[2] = 0;
    std::vector<std::uint64_t> memory(policy.refine_scratch_size(list));
    EXPECT_EQ(policy.refine(list, std::span(owner), std::span(memory).first(memory.size() - 1)),
              hg::status::capacity);
    EXPECT_EQ(
        policy.refine(list, std::span(owner), std::span(memory).first(memory.size() - 1)).position,
        memory.size());
    EXPECT_EQ(policy.refine(list, std::span(owner), std::span<std::uint64_t>()),
              hg::status::capacity);
    EXPECT_EQ(policy.refine(list, std::span(owner), std::span(memory)), hg::status::ok);
  };
  check(hg::label_propagation{.parts = 2});
  check(hg::balance_repair{.parts = 2});
}

TEST(chained_policies, give_the_same_owners_on_every_machine) {
  const hg::generators::rmat g{.scale = 5, .edge_factor = 3, .seed = 9};
  EXPECT_EQ(
      hg::assign(g, hg::chained<hg::hash_parts, hg::label_propagation>{.parts = 3, .seed = 1}),
      (std::vector<hg::part_id>{0, 1, 0, 1, 0, 0, 1, 1, 0, 1, 0, 0, 2, 1, 0, 1,
                                0, 1, 1, 0, 2, 0, 2, 1, 2, 2, 2, 2, 2, 2, 2, 1}));
  EXPECT_EQ(hg::assign(g, hg::rebalanced<hg::hash_parts>{.parts = 3, .seed = 1}),
            (std::vector<hg::part_id>{0, 1, 0, 0, 0, 2, 1, 0, 1, 2, 0, 0, 1, 0, 0, 1,
                                      2, 1, 1, 0, 1, 0, 2, 1, 2, 2, 2, 2, 2, 2, 2, 1}));
}

TEST(chained_policies, run_in_constant_expressions_over_the_callers_memory) {
  constexpr auto owners = [] {
    constexpr std::array<byte, 7> source{0, 1, 2, 3, 4, 5, 2}, target{1, 2, 0, 4, 5, 3, 3};
    const hg::coo_view<byte, byte> g(6, source, target);
    const hg::rebalanced<
        hg::chained<hg::basic_range_parts<byte>, hg::basic_label_propagation<byte>>>
        policy{.parts = 2};
    std::array<byte, 6> owner{};
    std::array<std::uint64_t, 64> memory{};
    if (hg::assign_scratch_size(g, policy) > memory.size()) return std::array<byte, 6>{9};
    const auto answer = hg::assign_into(g, policy, std::span<byte>(owner),
                                        std::span<std::uint64_t>(memory));
    return answer ? owner : std::array<byte, 6>{9};
  }();
  static_assert(owners == std::array<byte, 6>{0, 0, 0, 1, 1, 1});
}

}  // namespace
