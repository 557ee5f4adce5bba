// SPDX-License-Identifier: BSL-1.0
#include "support/count_allocations.hpp"

#include <halograph/graph/coo.hpp>
#include <halograph/partition/balance.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace hg = halograph;

namespace {

using loads = std::vector<std::int64_t>;

template <class F>
std::string sentence_of(F&& f, hg::error_kind expected) {
  try {
    f();
  } catch (const hg::error& e) {
    EXPECT_EQ(e.code(), expected) << e.what();
    return e.what();
  }
  ADD_FAILURE() << "nothing was raised";
  return {};
}

std::vector<std::string> names(const hg::balance_set& set) {
  std::vector<std::string> out;
  for (const auto& c : set.constraints()) out.push_back(c.name);
  return out;
}
loads load(const hg::balance_set& set, std::size_t i) {
  return {set.constraints()[i].load.begin(), set.constraints()[i].load.end()};
}

static_assert(!std::is_copy_constructible_v<hg::balance_set>, "a copy's views would dangle");

TEST(spread, imbalance_is_max_over_mean_less_one) {
  EXPECT_DOUBLE_EQ((hg::spread{12, 6, 4}.imbalance()), 1.0);
  EXPECT_DOUBLE_EQ((hg::spread{12, 3, 4}.imbalance()), 0.0);
  EXPECT_DOUBLE_EQ((hg::spread{0, 0, 4}.imbalance()), 0.0);
  EXPECT_TRUE((hg::spread{0, 0, 4}.met(0.03)));
}

TEST(spread, a_load_at_the_tolerance_is_met_and_one_above_is_not) {
  // 103 of a mean of 100: 103 / 100 - 1 is a little more than 0.03 in binary.
  EXPECT_TRUE((hg::spread{400, 103, 4}.met(0.03)));
  EXPECT_FALSE((hg::spread{400, 104, 4}.met(0.03)));
  EXPECT_TRUE((hg::spread{4000000000000, 1030000000000, 4}.met(0.03)));
  EXPECT_FALSE((hg::spread{4000000000000, 1030000000100, 4}.met(0.03)));
}

TEST(spread, what_whole_nodes_make_unavoidable_is_met) {
  // 58 nodes over 4 parts: 14.5 each, so that one part holds 15.
  EXPECT_TRUE((hg::spread{58, 15, 4, 1}.met(0.03)));
  EXPECT_FALSE((hg::spread{58, 16, 4, 1}.met(0.03)));
  EXPECT_DOUBLE_EQ((hg::spread{58, 15, 4, 1}.imbalance()), 15 / 14.5 - 1) << "stays exact";
  EXPECT_DOUBLE_EQ((hg::spread{58, 16, 4, 1}.least_imbalance()), 15 / 14.5 - 1);
  EXPECT_DOUBLE_EQ((hg::spread{60, 16, 4, 1}.least_imbalance()), 0);
  EXPECT_DOUBLE_EQ((hg::spread{0, 0, 4}.least_imbalance()), 0);
  // A node of 50 among 100 over 4 parts.
  EXPECT_TRUE((hg::spread{100, 50, 4, 50}.met(0.03)));
  EXPECT_FALSE((hg::spread{100, 51, 4, 50}.met(0.03)));
  EXPECT_DOUBLE_EQ((hg::spread{100, 50, 4, 50}.least_imbalance()), 1);
}

TEST(part_limit, is_the_tolerance_or_the_least_that_whole_nodes_allow) {
  EXPECT_EQ(hg::part_limit(400, 1, 4, 0.03), 103u);
  EXPECT_EQ(hg::part_limit(400, 1, 4, 0), 100u);
  EXPECT_EQ(hg::part_limit(401, 1, 4, 0), 101u);
  EXPECT_EQ(hg::part_limit(58, 1, 4, 0.03), 15u);
  EXPECT_EQ(hg::part_limit(58, 1, 4, 0.03, 20), 20u);
  EXPECT_EQ(hg::part_limit(0, 1, 4, 0.03), 0u);
  EXPECT_EQ(hg::part_limit(10, 3, 4, 0), 8u) << "7.5 of 10";
  constexpr std::uint64_t most = std::uint64_t{1} << 63;
  EXPECT_EQ(hg::part_limit(most, 1, 2, 0), most / 2);
  EXPECT_EQ(hg::part_limit(most, 1, 1, 1e6), ~std::uint64_t{0}) << "does not overflow";
  EXPECT_EQ(hg::share_rounded_up(most - 1, most - 1, most), most - 1) << "through 128 bits";
}

TEST(measure_balance, judges_by_the_limit_of_whole_nodes) {
  std::vector<std::uint32_t> owner(58);
  for (std::size_t v = 0; v < owner.size(); ++v) owner[v] = static_cast<std::uint32_t>(v % 4);
  loads heavy(58, 1);
  heavy[4] = 100;
  const std::vector<hg::constraint> both{{"nodes", hg::load_view::ones(58), 0.03},
                                         {"heavy", heavy, 0.03}};
  auto lines = hg::measure_balance(owner, 4, both);
  EXPECT_TRUE(lines[0].met);
  EXPECT_NEAR(lines[0].imbalance, 0.0345, 1e-4);
  EXPECT_NEAR(lines[0].least_imbalance, 0.0345, 1e-4);
  EXPECT_FALSE(lines[1].met) << "the part of the heavy node holds others, too";
  EXPECT_NEAR(lines[1].least_imbalance, 100 * 4 / 157. - 1, 1e-12);
  for (std::size_t v = 0; v < owner.size(); ++v)
    owner[v] = v == 4 ? 0 : 1 + static_cast<std::uint32_t>(v % 3);
  lines = hg::measure_balance(owner, 4, both);
  EXPECT_FALSE(lines[0].met);
  EXPECT_TRUE(lines[1].met) << "no part holds more than the heavy node";
  // Parts of 3 : 1 : 1 : 1 of 58: shares of 29 and 9.67.
  const std::vector<double> weights{3, 1, 1, 1};
  for (std::size_t v = 0; v < owner.size(); ++v)
    owner[v] = v < 28 ? 0 : v < 38 ? 1 : v < 48 ? 2 : 3;
  EXPECT_TRUE(hg::measure_balance(owner, 4, both, weights)[0].met);
  owner[0] = 1;
  EXPECT_FALSE(hg::measure_balance(owner, 4, both, weights)[0].met) << "11 of 9.67";
}

template <class Part>
class part_loads_width : public ::testing::Test {};
using widths = ::testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(part_loads_width, widths);

TYPED_TEST(part_loads_width, sums_by_part) {
  const std::array<TypeParam, 5> owner{0, 2, 2, 0, 2};
  const loads weight{5, 1, 1, 1, 0};
  std::array<std::int64_t, 3> out{9, 9, 9};
  hg::spread measured;
  ASSERT_EQ(hg::part_loads(std::span<const TypeParam>(owner), weight, out, measured),
            hg::status::ok);
  EXPECT_EQ(out, (std::array<std::int64_t, 3>{6, 0, 2}));
  EXPECT_EQ(measured.total, 8);
  EXPECT_EQ(measured.largest, 6);
  ASSERT_EQ(hg::part_loads(std::span<const TypeParam>(owner), {}, out, measured), hg::status::ok);
  EXPECT_EQ(out, (std::array<std::int64_t, 3>{2, 0, 3}));
}

TEST(part_loads, rejects_loads_that_cannot_be_summed) {
  const std::array<std::uint8_t, 2> owner{0, 3};
  std::array<std::int64_t, 3> out{};
  hg::spread measured;
  const std::span<const std::uint8_t> owners(owner);
  const auto beyond = hg::part_loads(owners, {}, out, measured);
  EXPECT_EQ(beyond, hg::status::out_of_range);
  EXPECT_EQ(beyond.position, 1u);
  EXPECT_EQ(hg::part_loads(owners, loads{1}, out, measured), hg::status::mismatch);
  EXPECT_EQ(hg::part_loads(owners, loads{-1, 0}, out, measured), hg::status::invalid_argument);
  const std::array<std::uint8_t, 2> good{0, 1};
  EXPECT_EQ(hg::part_loads(std::span<const std::uint8_t>(good),
                           loads{std::numeric_limits<std::int64_t>::max(), 1}, out, measured),
            hg::status::overflow);
}

TEST(load_view, is_given_loads_or_a_class) {
  const loads given{3, 0, 2};
  const hg::constraint one{"given", given};
  EXPECT_EQ(one.load.size(), 3u);
  EXPECT_EQ((loads{one.load.begin(), one.load.end()}), given);
  const hg::load_view ones = hg::load_view::ones(2);
  EXPECT_EQ((loads{ones.begin(), ones.end()}), (loads{1, 1}));
  const std::vector<std::uint32_t> classes{1, 0, 1, 1};
  const loads weights{5, 6, 7, 8};
  const auto count = hg::load_view::of_class(4, 0, 3, classes, 1, {}),
             weighed = hg::load_view::of_class(4, 0, 3, classes, 1, weights);
  EXPECT_EQ((loads{count.begin(), count.end()}), (loads{1, 0, 1, 0}))
      << "node 3 lies outside of [first, last)";
  EXPECT_EQ((loads{weighed.begin(), weighed.end()}), (loads{5, 0, 7, 0}));
  EXPECT_TRUE(hg::load_view().empty());
}

TEST(part_loads, of_a_class_are_those_of_its_column) {
  const std::vector<std::uint32_t> classes{2, 0, 1, 2, 2, 0};
  const std::vector<std::uint8_t> owner{0, 1, 1, 1, 0, 0};
  for (std::uint32_t c = 0; c < 3; ++c) {
    loads column, from_column(2), from_class(2);
    for (const auto of : classes) column.push_back(of == c ? 1 : 0);
    hg::spread a, b;
    ASSERT_EQ(hg::part_loads(std::span<const std::uint8_t>(owner), column, from_column, a),
              hg::status::ok);
    ASSERT_EQ(hg::part_loads(std::span<const std::uint8_t>(owner),
                             hg::load_view::of_class(6, 0, 6, classes, c, {}), from_class, b),
              hg::status::ok);
    EXPECT_EQ(from_class, from_column);
    EXPECT_EQ(b.total, a.total);
    EXPECT_EQ(b.largest, a.largest);
  }
}

// The homogenized graph of the checks below: 4 nodes; in-degrees 1, 3, 0, 1.
constexpr std::array<std::uint8_t, 5> source{1, 0, 0, 2, 1}, target{0, 1, 1, 1, 3};
const hg::coo_view<std::uint8_t> small(4, source, target);

TEST(balance_like_dgl, balances_nodes_by_default) {
  const auto set = hg::balance_like_dgl(small, {}, false);
  EXPECT_EQ(names(set), std::vector<std::string>{"nodes"});
  EXPECT_EQ(load(set, 0), (loads{1, 1, 1, 1}));
  EXPECT_DOUBLE_EQ(set.constraints()[0].tolerance, 0.03);
}

TEST(balance_like_dgl, takes_no_memory_for_runs_one_column_for_classes_and_one_for_in_degrees) {
  constexpr std::size_t nodes = 10'000, kinds = 100;
  const std::array<std::uint32_t, 1> from{0}, to{1};
  const hg::coo_view<std::uint32_t> large(nodes, from, to);
  hg::node_classes runs, scattered;
  for (std::size_t c = 0; c < kinds; ++c) runs.names.push_back("ntype:" + std::to_string(c));
  scattered.names = runs.names;
  for (std::uint32_t v = 0; v < nodes; ++v) {
    runs.of.push_back(v / 100);
    scattered.of.push_back(v % 100);
  }
  const auto bytes_of = [&](const hg::node_classes& classes, bool edges) {
    const std::size_t before = hg::testing::allocated_bytes;
    const auto set = hg::balance_like_dgl(large, classes,
                                          edges);  // the copy of the classes is counted
    EXPECT_EQ(set.constraints().size(), edges ? 2 * kinds : kinds);
    return hg::testing::allocated_bytes - before;
  };
  EXPECT_EQ(load(hg::balance_like_dgl(large, scattered, false), 7)[107], 1);
  constexpr std::size_t names_and_views = 2 * 2 * kinds * (sizeof(hg::constraint) + 64);
  EXPECT_LT(bytes_of(runs, false), 4 * nodes + names_and_views);
  EXPECT_LT(bytes_of(scattered, false), 4 * nodes + names_and_views);
  EXPECT_LT(bytes_of(scattered, true), 12 * nodes + 2 * names_and_views);
  const std::size_t before = hg::testing::allocated_bytes;
  static_cast<void>(hg::balance_like_dgl(large, {}, false));
  EXPECT_LT(hg::testing::allocated_bytes - before, 1000u);
}

TEST(balance_like_dgl, edges_alone_are_one_constraint) {
  const auto set = hg::balance_like_dgl(small, {}, true);
  EXPECT_EQ(names(set), std::vector<std::string>{"in_degree"});
  EXPECT_EQ(load(set, 0), (loads{1, 3, 0, 1}));
}

TEST(balance_like_dgl, each_value_is_a_class_ascending_then_its_in_degree) {
  const std::array<std::int32_t, 4> label{7, -1, 7, 3};
  const auto set = hg::balance_like_dgl(
      small, hg::classes_by_value(std::span<const std::int32_t>(label)), true);
  EXPECT_EQ(names(set),
            (std::vector<std::string>{"class:-1", "class:3", "class:7", "in_degree:class:-1",
                                      "in_degree:class:3", "in_degree:class:7"}));
  EXPECT_EQ(load(set, 0), (loads{0, 1, 0, 0}));
  EXPECT_EQ(load(set, 2), (loads{1, 0, 1, 0}));
  EXPECT_EQ(load(set, 3), (loads{0, 3, 0, 0}));
  EXPECT_EQ(load(set, 4), (loads{0, 0, 0, 1}));
  EXPECT_EQ(load(set, 5), (loads{1, 0, 0, 0}));
}

TEST(balance_like_dgl, a_mask_is_two_classes) {
  const std::array<std::uint8_t, 4> mask{1, 0, 0, 1};
  const auto set = hg::balance_like_dgl(
      small, hg::classes_by_value(std::span<const std::uint8_t>(mask)), false);
  EXPECT_EQ(names(set), (std::vector<std::string>{"class:0", "class:1"}));
  EXPECT_EQ(load(set, 1), (loads{1, 0, 0, 1}));
}

TEST(balance_like_dgl, nodes_of_no_class_load_nothing) {
  const auto set = hg::balance_like_dgl(small, {{0, 2, 1, 0}, {"a", "b"}}, true);
  EXPECT_EQ(names(set), (std::vector<std::string>{"a", "b", "in_degree:a", "in_degree:b"}));
  EXPECT_EQ(load(set, 0), (loads{1, 0, 0, 1}));
  EXPECT_EQ(load(set, 1), (loads{0, 0, 1, 0}));
  EXPECT_EQ(load(set, 2), (loads{1, 0, 0, 1}));
  EXPECT_EQ(load(set, 3), (loads{0, 0, 0, 0}));
}

TEST(balance_like_dgl, refuses_classes_of_another_graph) {
  const std::array<std::uint8_t, 3> mask{1, 0, 0};
  EXPECT_EQ(sentence_of(
                [&] {
                  hg::balance_like_dgl(
                      small, hg::classes_by_value(std::span<const std::uint8_t>(mask)), false);
                },
                hg::error_kind::mismatch),
            "there are classes for 3 nodes; the graph has 4");
}

const std::array<std::uint64_t, 4> offsets{0, 2, 2, 4};
const std::array<std::string, 3> type_names{"paper", "nobody", "author"};

TEST(classes_by_type, every_type_with_nodes_is_a_class) {
  const auto classes = hg::classes_by_type(offsets, type_names);
  EXPECT_EQ(classes.names, (std::vector<std::string>{"ntype:paper", "ntype:author"}));
  EXPECT_EQ(classes.of, (std::vector<std::uint32_t>{0, 0, 1, 1}));
}

TEST(classes_by_type, types_with_values_are_split_and_the_others_stay_one_class_each) {
  const std::array<std::int64_t, 2> author{4, 2};
  const auto classes = hg::classes_by_type<std::int64_t>(offsets, type_names, {{"author", author}});
  EXPECT_EQ(classes.names, (std::vector<std::string>{"ntype:paper", "ntype:author:class:2",
                                                     "ntype:author:class:4"}));
  EXPECT_EQ(classes.of, (std::vector<std::uint32_t>{0, 0, 2, 1}));
}

TEST(classes_by_type, refuses_values_that_fit_no_type) {
  const std::array<std::int64_t, 3> three{4, 2, 1};
  EXPECT_EQ(
      sentence_of(
          [&] { hg::classes_by_type<std::int64_t>(offsets, type_names, {{"author", three}}); },
          hg::error_kind::mismatch),
      "node type \"author\" has 2 nodes but 3 balance values");
  EXPECT_EQ(sentence_of(
                [&] { hg::classes_by_type<std::int64_t>(offsets, type_names, {{"venue", three}}); },
                hg::error_kind::not_found),
            "balance values are given for node type \"venue\", which is not there");
  sentence_of([&] { hg::classes_by_type(offsets, std::span(type_names).first(2)); },
              hg::error_kind::mismatch);
}

TEST(balance_set, tolerances_are_set_by_name_or_for_all) {
  auto set = hg::balance_like_dgl(small, hg::classes_by_type(offsets, type_names), false);
  set.set_tolerance(0.1);
  set.set_tolerance("ntype:author", 0.2);
  EXPECT_DOUBLE_EQ(set.constraints()[0].tolerance, 0.1);
  EXPECT_DOUBLE_EQ(set.constraints()[1].tolerance, 0.2);
  EXPECT_EQ(sentence_of([&] { set.set_tolerance("ntype:venue", 0.1); }, hg::error_kind::not_found),
            "no constraint is called \"ntype:venue\"; there are: ntype:paper, ntype:author");
  sentence_of([&] { set.set_tolerance(0.0); }, hg::error_kind::invalid_argument);
  sentence_of([&] { set.set_tolerance(std::numeric_limits<double>::quiet_NaN()); },
              hg::error_kind::invalid_argument);
}

TEST(balance_set, its_views_survive_growth_and_moves) {
  hg::balance_set set;
  for (int i = 0; i < 20; ++i) set.add("c" + std::to_string(i), loads{i, i + 1});
  sentence_of([&] { set.add("c3", loads{}); }, hg::error_kind::exists);
  const hg::balance_set moved = std::move(set);
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(load(moved, i),
              (loads{static_cast<std::int64_t>(i), static_cast<std::int64_t>(i) + 1}));
  }
}

TEST(measure_balance, reports_each_constraint_by_name) {
  const std::array<std::uint8_t, 4> label{0, 0, 1, 1}, owner{0, 1, 1, 1};
  const auto set = hg::balance_like_dgl(
      small, hg::classes_by_value(std::span<const std::uint8_t>(label)), false);
  const auto lines = hg::measure_balance(std::span<const std::uint8_t>(owner), 2,
                                         set.constraints());
  EXPECT_EQ(lines, (std::vector<hg::balance_line>{{"class:0", 0.03, 0.0, true},
                                                  {"class:1", 0.03, 1.0, false}}));
}

}  // namespace
