// SPDX-License-Identifier: BSL-1.0
// What partition/ refuses: graphs whose edges name no node, arrays of another size, loads beyond
// their range, memory that is too small. Each with a code, a position and a sentence.
#include <halograph/core/executor.hpp>
#include <halograph/graph/coo.hpp>
#include <halograph/partition/assign.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/chained.hpp>
#include <halograph/partition/connected/components.hpp>
#include <halograph/partition/connected/connected_parts.hpp>
#include <halograph/partition/distributed.hpp>
#include <halograph/partition/distributed/label_propagation.hpp>
#include <halograph/partition/fennel.hpp>
#include <halograph/partition/given.hpp>
#include <halograph/partition/hash.hpp>
#include <halograph/partition/ldg.hpp>
#include <halograph/partition/loads.hpp>
#include <halograph/partition/quality.hpp>
#include <halograph/partition/refine.hpp>
#include <halograph/partition/streaming.hpp>
#include <halograph/testing/thread_ranks.hpp>

#include <gtest/gtest.h>
#include <support/statuses.hpp>
#include <support/words.hpp>

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

constexpr std::int64_t most_load = std::numeric_limits<std::int64_t>::max();
using ids = std::vector<std::uint32_t>;
using owners = std::vector<hg::part_id>;

/// 4 nodes; edges 1 and 3 name nodes 7 and 9, which are not there.
struct bad_graph {
  ids source{0, 1, 2, 9}, target{1, 7, 3, 0};
  hg::coo_view<std::uint32_t> view() const { return {4, source, target}; }
};
/// A path of 4 nodes.
struct path {
  ids source{0, 1, 2}, target{1, 2, 3};
  hg::coo_view<std::uint32_t> view() const { return {4, source, target}; }
};

TEST(refusals, measures_name_the_first_edge_that_names_no_node) {
  const bad_graph bad;
  const auto g = bad.view();
  const owners two{0, 0, 1, 1};
  const std::span<const hg::part_id> owner(two);
  std::uint64_t measured = 0;
  expect_status(hg::directed_cut_into(g, owner, measured), hg::error_kind::out_of_range, 1);
  std::array<std::uint64_t, 4> scratch{};
  expect_status(
      hg::communication_volume_into(g, owner, 2, std::span<std::uint64_t>(scratch), measured),
      hg::error_kind::out_of_range, 1);
  std::vector<std::uint32_t> positions(16), lower(8);
  EXPECT_EQ(hg::edge_cut_into(g, owner, std::span(positions), std::span(lower), measured),
            hg::status::out_of_range);
  std::vector<hg::part_connection> parts(2);
  std::vector<std::uint32_t> roots(4);
  expect_status(hg::count_components_into(g, owner, std::span(roots), std::span(parts)),
                hg::error_kind::out_of_range, 1);
  for (const auto& problem : {refusal_of([&] { return hg::measure_quality(g, two, 2); }),
                              refusal_of([&] { return hg::count_components(g, two, 2); })}) {
    EXPECT_EQ(problem.code(), hg::error_kind::out_of_range) << problem.what();
  }
}

TEST(refusals, measures_want_an_owner_for_each_node_and_enough_memory) {
  const path good;
  const auto g = good.view();
  const owners three{0, 0, 1}, four{0, 0, 1, 1};
  std::uint64_t measured = 0;
  std::array<std::uint64_t, 4> scratch{};
  std::vector<std::uint32_t> positions(16), lower(8);
  const std::span<const hg::part_id> few(three), owner(four);
  expect_status(hg::directed_cut_into(g, few, measured), hg::error_kind::mismatch, 4);
  expect_status(hg::edge_cut_into(g, few, std::span(positions), std::span(lower), measured),
                hg::error_kind::mismatch, 4);
  expect_status(
      hg::communication_volume_into(g, few, 2, std::span<std::uint64_t>(scratch), measured),
      hg::error_kind::mismatch, 4);
  expect_status(hg::communication_volume_into(g, owner, 2,
                                              std::span<std::uint64_t>(scratch).first(3), measured),
                hg::error_kind::capacity, 4);
  EXPECT_NE(refusal_of([&] { return hg::count_components(g, three, 2); })
                .message()
                .find("3 owners for 4 nodes"),
            std::string::npos);
  // Without nodes nothing is measured; parts beyond the first 64 take a second pass over the edges.
  EXPECT_EQ(
      hg::communication_volume_into(hg::coo_view<std::uint32_t>(), std::span<const hg::part_id>(),
                                    2, std::span<std::uint64_t>(), measured),
      hg::status::ok);
  EXPECT_EQ(measured, 0u);
  const owners far{0, 70, 70, 140};
  EXPECT_EQ(hg::communication_volume_into(g, std::span<const hg::part_id>(far), 141,
                                          std::span<std::uint64_t>(scratch), measured),
            hg::status::ok);
  EXPECT_EQ(measured, 4u);
}

/// Lists its edge in the first visit alone.
struct forgetful_graph {
  using node_id = std::uint32_t;
  using edge_id = std::uint32_t;
  mutable int visits = 0;
  std::size_t num_nodes() const { return 2; }
  std::size_t num_edges() const { return 1; }
  template <class F>
  void for_each_edge(F&& f) const {
    if (visits++ == 0) f(node_id{0}, node_id{1}, edge_id{0});
  }
};
static_assert(hg::graph<forgetful_graph>);

TEST(refusals, a_graph_that_lists_other_edges_in_the_second_visit_is_malformed) {
  const forgetful_graph g;
  EXPECT_EQ(refusal_of([&] { return hg::measure_quality(g, owners{0, 1}, 2); }).code(),
            hg::error_kind::malformed);
}

TEST(refusals, loads_are_one_for_each_node_and_sum_to_63_bits) {
  const std::vector<std::int64_t> few{1, 1}, negative{1, -1, 1}, large{most_load, 0, 1}, ones(3, 1);
  hg::node_loads out;
  const auto made = [&](const std::vector<std::int64_t>& load, double tolerance) {
    const std::array<hg::constraint, 1> one{hg::constraint{"c", load, tolerance}};
    return hg::node_loads::make(3, one, {}, 0.1, out);
  };
  expect_status(made(few, 0.1), hg::error_kind::mismatch, 3);
  expect_status(made(negative, 0.1), hg::error_kind::invalid_argument, 1);
  expect_status(made(large, 0.1), hg::error_kind::overflow, 2);
  for (const double tolerance : {-0.1, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_EQ(made(ones, tolerance), hg::status::invalid_argument);
    EXPECT_EQ(hg::node_loads::make(3, {}, {}, tolerance, out), hg::status::invalid_argument);
  }
  using offsets = std::vector<std::uint64_t>;
  for (const offsets& wrong : {offsets{1, 3}, offsets{0, 2}, offsets{0, 2, 1, 3}})
    expect_status(hg::node_loads::make(3, {}, wrong, 0.1, out), hg::error_kind::mismatch, 3);
  const offsets types{0, 2, 3};  // the loads refer to it
  EXPECT_EQ(hg::node_loads::make(3, {}, types, 0.1, out), hg::status::ok);

  hg::load_table table;
  std::vector<std::uint64_t> memory(hg::load_table::words(2, out.rows()));
  expect_status(hg::load_table::make(out, 2, std::span(memory).first(memory.size() - 1), table),
                hg::error_kind::capacity, memory.size());
  EXPECT_EQ(hg::load_table::make(out, 2, memory, table), hg::status::ok);
  // So many parts need more words than there are; a sum that wraps around would be satisfied.
  for (const std::uint64_t parts : {~std::uint64_t{0}, std::uint64_t{1} << 63}) {
    EXPECT_EQ(hg::load_table::words(parts, 2), std::numeric_limits<std::size_t>::max());
    const hg::basic_label_propagation<std::uint64_t> policy{.parts = parts - 1};
    EXPECT_EQ(policy.refine_scratch_size(path().view()), std::numeric_limits<std::size_t>::max());
    std::vector<std::uint64_t> owner(4), words(100);
    EXPECT_EQ(policy.refine(path().view(), std::span(owner), std::span(words)),
              hg::status::capacity);
  }
}

TEST(refusals, a_node_that_fits_nowhere_goes_where_it_exceeds_the_least) {
  const std::vector<std::int64_t> load{6, 5, 9, 1};
  const std::array<hg::constraint, 1> constraints{hg::constraint{"c", load, 0}};
  hg::node_loads loads;
  ASSERT_EQ(hg::node_loads::make(4, constraints, {}, 0, loads), hg::status::ok);
  std::vector<std::uint64_t> memory(hg::load_table::words(3, 1));
  hg::load_table table;
  ASSERT_EQ(hg::load_table::make(loads, 3, memory, table), hg::status::ok);
  ASSERT_EQ(table.cap(0), 7u);
  table.add(0, 0);
  table.add(1, 1);
  EXPECT_EQ(table.best_place(2), 2u);
  table.add(3, 2);
  EXPECT_EQ(table.best_place(2), 2u) << "10 of 7, not 15 or 14";
  table.add(2, 2);
  EXPECT_EQ(table.best_place(1), 1u);
  // Ratios that are equal but for what rounding hides: the part that holds less.
  const std::vector<std::int64_t> wide{std::int64_t{1} << 40, 5, 3};
  const std::array<hg::constraint, 1> of_wide{hg::constraint{"c", wide, 0}};
  hg::node_loads wide_loads;
  ASSERT_EQ(hg::node_loads::make(3, of_wide, {}, 0, wide_loads), hg::status::ok);
  ASSERT_EQ(hg::load_table::make(wide_loads, 2, memory, table), hg::status::ok);
  table.add(1, 0);
  table.add(2, 1);
  EXPECT_EQ(table.least_bad(0), 1u);
  // Equal ratios and loads: the lowest part.
  std::vector<std::uint64_t> empty(memory.size());
  ASSERT_EQ(hg::load_table::make(loads, 3, empty, table), hg::status::ok);
  EXPECT_EQ(table.least_bad(2), 0u);
}

TEST(load_table, a_part_may_be_loaded_at_once) {
  const std::vector<std::int64_t> a{6, 0, 9, 1, 4}, b{1, 2, 0, 3, 5};
  const std::array<hg::constraint, 2> constraints{hg::constraint{"a", a, 1},
                                                  hg::constraint{"b", b, 1}};
  hg::node_loads loads;
  ASSERT_EQ(hg::node_loads::make(5, constraints, {}, 0, loads), hg::status::ok);
  std::vector<std::uint64_t> memory(hg::load_table::words(3, 2)), other(memory.size());
  hg::load_table one_by_one, at_once;
  ASSERT_EQ(hg::load_table::make(loads, 3, memory, one_by_one), hg::status::ok);
  ASSERT_EQ(hg::load_table::make(loads, 3, other, at_once), hg::status::ok);
  for (const auto& [v, p] : {std::pair(0u, 1u), {1u, 1u}, {2u, 0u}, {3u, 0u}, {4u, 2u}})
    one_by_one.add(v, p);
  for (std::size_t row = 0; row < 2; ++row) {
    for (std::size_t p = 0; p < 3; ++p) at_once.add(row, p, one_by_one.load(row, p));
  }
  EXPECT_EQ(memory, other);
  EXPECT_EQ(at_once.lightest(0), 2u);
  EXPECT_EQ(at_once.lightest(1), 0u);
}

template <class Policy>
hg::status streamed(const Policy& policy, const hg::coo_view<std::uint32_t>& g, std::size_t nodes,
                    const hg::stream_shape& shape, std::size_t words) {
  owners owner(nodes);
  std::vector<std::uint64_t> memory(words);
  return hg::assign_by_streaming(policy, g, shape, std::span(owner), std::span(memory));
}

TEST(refusals, streams_want_their_shape_and_memory) {
  const path good;
  const bad_graph bad;
  const hg::ldg policy{.parts = 2};
  const auto shape = hg::shape_of(good.view());
  const std::size_t words = hg::streaming_scratch_size<hg::coo_view<std::uint32_t>>(policy, shape);
  EXPECT_EQ(streamed(policy, good.view(), 4, shape, words), hg::status::ok);
  expect_status(streamed(policy, good.view(), 3, shape, words), hg::error_kind::mismatch, 4);
  auto other = shape;
  other.nodes = 5;
  expect_status(streamed(policy, good.view(), 4, other, words + 9), hg::error_kind::mismatch, 4);
  for (std::size_t less = 1; less <= words; ++less)
    expect_status(streamed(policy, good.view(), 4, shape, words - less), hg::error_kind::capacity,
                  words);
  expect_status(streamed(policy, bad.view(), 4, hg::shape_of(bad.view()), words + 9),
                hg::error_kind::out_of_range, 1);
}

TEST(refusals, a_stream_places_what_fits_nowhere_and_wants_parts) {
  const std::vector<std::int64_t> load{3, 3, 3, 1};
  const std::array<hg::constraint, 1> constraints{hg::constraint{"c", load, 0}};
  const hg::ldg policy{.parts = 2, .constraints = constraints};
  EXPECT_EQ(hg::assign(path().view(), policy), (owners{0, 1, 0, 1})) << "6 of 5, and 4";
  const auto shape = hg::shape_of(path().view());
  expect_status(streamed(hg::ldg{.parts = 0}, path().view(), 4, shape, 99),
                hg::error_kind::invalid_argument, 0);
  EXPECT_EQ(hg::basic_ldg<std::uint64_t>{.parts = ~std::uint64_t{0} - 1}.stream_scratch_size(shape),
            std::numeric_limits<std::size_t>::max());
}

TEST(refusals, each_status_of_a_greedy_stream_has_a_sentence) {
  const hg::ldg policy{.parts = 3};
  const auto says = [&](hg::status answer, const char* words) {
    expect_explained(policy, answer, words);
  };
  says(hg::status::overflow.at(3), "3 parts do not fit");
  says(hg::status::overflow.at(7), "they exceed it at node 7");
  says(hg::status::out_of_range.at(7), "not a node, at 7");
  says(hg::status::mismatch.at(7), "each of the 7 nodes");
  says(hg::status::invalid_argument.at(7), "see node 7");
  says(hg::status::capacity.at(7), "at least 7 words");
  EXPECT_EQ(policy.explain(hg::status::internal), "");
  EXPECT_EQ(hg::ldg{.parts = 0}.explain(hg::status::invalid_argument), "");
}

TEST(refusals, refiners_check_owners_loads_edges_and_memory) {
  const path good;
  const bad_graph bad;
  const auto check = [&](const auto& policy) {
    const auto refined = [&](const auto& g, owners owner) {
      return policy.refine(g, std::span(owner));
    };
    EXPECT_EQ(refined(good.view(), {0, 0, 1, 1}), hg::status::ok);
    expect_status(refined(good.view(), {0, 2, 1, 1}), hg::error_kind::out_of_range, 1);
    EXPECT_EQ(refined(good.view(), {0, 1}), hg::status::mismatch);
    EXPECT_EQ(refined(bad.view(), {0, 0, 0, 1}).code, hg::error_kind::out_of_range);
    auto other = policy;
    other.parts = 0;
    owners owner{0, 0, 0, 0};
    EXPECT_EQ(other.refine(good.view(), std::span(owner)), hg::status::invalid_argument);
    EXPECT_EQ(other.explain(hg::status::invalid_argument), "");
    other = policy;
    other.tolerance = -1;
    EXPECT_EQ(other.refine(good.view(), std::span(owner)), hg::status::invalid_argument);
    const auto says = [&](hg::status answer, const char* words) {
      expect_explained(policy, answer, words);
    };
    says(hg::status::infeasible.at(1), "part 1 holds more");
    says(hg::status::out_of_range.at(5), "not below 2, or edge 5");
    says(hg::status::invalid_argument.at(5), "see node 5");
    EXPECT_EQ(policy.explain(hg::status::mismatch), "");
  };
  check(hg::label_propagation{.parts = 2});
  check(hg::balance_repair{.parts = 2, .tolerance = 0});
  check(hg::connected_parts{.parts = 2});

  owners unchanged(4);
  EXPECT_EQ((hg::balance_repair{.parts = 0}.refine(good.view(), std::span(unchanged),
                                                   std::span<std::uint64_t>())),
            hg::status::invalid_argument);
  const hg::balance_repair policy{.parts = 2};
  const std::size_t words = policy.refine_scratch_size(good.view());
  std::vector<std::uint64_t> memory(words);
  for (std::size_t less = 1; less <= words; ++less) {
    owners owner{0, 0, 0, 1};
    EXPECT_EQ(policy.refine(good.view(), std::span(owner), std::span(memory).first(words - less)),
              hg::status::capacity);
  }
}

TEST(refusals, a_repair_looks_for_room_in_all_parts) {
  // Node 0 must leave part 0. Part 1 is the lightest in the first row, and full in the second.
  const std::vector<std::int64_t> a{1, 0, 1, 1, 1, 1}, b{3, 3, 0, 0, 0, 0};
  const std::array<hg::constraint, 2> constraints{hg::constraint{"a", a, 0},
                                                  hg::constraint{"b", b, 0.5}};
  const ids none;
  const hg::coo_view<std::uint32_t> g(6, none, none);
  owners owner{0, 1, 0, 0, 0, 2};
  const hg::balance_repair policy{.parts = 3, .constraints = constraints};
  ASSERT_EQ(policy.refine(g, std::span(owner)), hg::status::ok);
  EXPECT_EQ(owner, (owners{2, 1, 1, 0, 0, 2}));
}

TEST(refusals, refine_converts_parts_of_other_types_or_says_which_does_not_fit) {
  const path good;
  const hg::label_propagation policy{.parts = 2};
  std::vector<std::int64_t> owner{0, 0, 1, 1};
  hg::refine(good.view(), policy, owner);
  EXPECT_EQ(owner, (std::vector<std::int64_t>{0, 0, 1, 1}));
  owner[2] = -1;
  const auto negative = refusal_of([&] { return hg::refine(good.view(), policy, owner), 0; });
  EXPECT_EQ(negative.code(), hg::error_kind::out_of_range);
  EXPECT_NE(negative.message().find("node 2 is assigned to part -1"), std::string::npos);
  // 300 parts need more than a byte each.
  const ids none;
  std::vector<std::uint8_t> bytes(300, 0);
  const auto narrow = refusal_of([&] {
    hg::refine(hg::coo_view<std::uint32_t>(300, none, none),
               hg::balance_repair{.parts = 300, .tolerance = 0}, bytes);
    return 0;
  });
  EXPECT_EQ(narrow.code(), hg::error_kind::overflow);
  EXPECT_NE(narrow.message().find("does not fit the owners' type"), std::string::npos);
  EXPECT_EQ(bytes, std::vector<std::uint8_t>(300, 0)) << "the owners are as they were";
  owners short_one{0, 1};
  const auto unknown = refusal_of([&] { return hg::refine(good.view(), policy, short_one), 0; });
  EXPECT_EQ(unknown.code(), hg::error_kind::mismatch);
  EXPECT_NE(unknown.message().find("the refiner failed at position"), std::string::npos);
}

TEST(refusals, given_parts_are_counted_and_checked) {
  const path good;
  const auto refused = [&](const std::vector<std::int32_t>& parts, std::uint64_t k) {
    return refusal_of([&] {
             return hg::assign(good.view(), hg::basic_given<hg::part_id, std::int32_t>{
                                                .parts = k, .owners = parts});
           })
        .message();
  };
  EXPECT_NE(refused({0, 1}, 2).find("lists 2 nodes; the graph has 4"), std::string::npos);
  EXPECT_NE(refused({0, 1, 2, 0}, 2).find("puts node 2 into part 2"), std::string::npos);
  EXPECT_NE(refused({0, 1, -1, 0}, 2).find("puts node 2 into part -1"), std::string::npos);
  EXPECT_NE(refused({0, 1, 1, 0}, 0).find("must be at least 1"), std::string::npos);
  const hg::basic_given<> none{.parts = 2, .owners = {}};
  EXPECT_EQ(none.explain(hg::status::out_of_range.at(0)), "");
  EXPECT_EQ(none.explain(hg::status::overflow), "");
}

TEST(refusals, each_status_of_an_assignment_has_a_sentence) {
  const auto says = [](hg::status answer, const char* words) {
    const std::string with = hg::detail::explain_assignment_status(answer, 3, 255),
                      without = hg::detail::explain_assignment_status(answer, {}, 255);
    EXPECT_NE(with.find(words), std::string::npos) << with;
    EXPECT_EQ(without.find("(3)"), std::string::npos) << without;
  };
  says(hg::status::ok, "no error");
  says(hg::status::invalid_argument, "(3) must be at least 1");
  says(hg::status::overflow,
       "(3) does not fit the partitioner's part type; it must be at most 255");
  says(hg::status::mismatch.at(4), "an assignment of 4 nodes");
  says(hg::status::out_of_range.at(4), "node 4 is given a part that is not below");
  says(hg::status::internal.at(4), "the partitioner put node 4");
  says(hg::status::capacity.at(4), "at 4");
}

TEST(refusals, a_chain_gives_the_sentence_of_whichever_policy_has_one) {
  const hg::chained<hg::hash_parts, hg::label_propagation> chain{.parts = 2};
  EXPECT_NE(chain.explain(hg::status::infeasible.at(1)).find("part 1 holds more"),
            std::string::npos);
  EXPECT_EQ(chain.explain(hg::status::mismatch), "");
  const bad_graph bad;
  owners owner(4);
  EXPECT_EQ(chain.assign(bad.view(), std::span(owner)).code, hg::error_kind::out_of_range);
  const hg::chained<hg::basic_given<>, hg::label_propagation> given{.parts = 2};
  EXPECT_EQ(given.assign(path().view(), std::span(owner)), hg::status::mismatch);
  EXPECT_NE(given.explain(hg::status::mismatch.at(4)).find("lists 0 nodes; the graph has 4"),
            std::string::npos);
}

TEST(refusals, balance_is_measured_for_loads_and_weights_that_fit) {
  const std::vector<std::int64_t> ones(4, 1), zeros(4, 0), negative{1, 1, -1, 1};
  const owners owner{0, 0, 0, 1};
  const auto lines = [&](const std::vector<std::int64_t>& load,
                         const std::vector<double>& weights) {
    const std::array<hg::constraint, 1> one{hg::constraint{"c", load, 0.1}};
    return hg::measure_balance(owner, 2, one, weights);
  };
  EXPECT_EQ(lines(ones, {}), lines(ones, {}));
  EXPECT_FALSE(lines(ones, {}) == lines(zeros, {}));
  EXPECT_FALSE(lines(ones, {})[0].met);
  EXPECT_TRUE(lines(ones, {3, 1})[0].met);
  EXPECT_EQ(lines(zeros, {3, 1})[0].imbalance, 0);
  const auto code = [&](const std::vector<std::int64_t>& load, const std::vector<double>& weights) {
    return refusal_of([&] { return lines(load, weights); }).code();
  };
  EXPECT_EQ(code(ones, {1, 1, 1}), hg::error_kind::mismatch);
  EXPECT_EQ(code(ones, {0, 0}), hg::error_kind::invalid_argument);
  EXPECT_EQ(code(ones, {3, -1}), hg::error_kind::invalid_argument);
  EXPECT_EQ(code(ones, {1e-12, 1e-12}), hg::error_kind::ok);
  EXPECT_EQ(code(negative, {}), hg::error_kind::invalid_argument);
  const hg::spread none;
  EXPECT_EQ(none.mean(), 0);
  EXPECT_EQ(none.least_imbalance(), 0);
  EXPECT_TRUE(none.met(0));
  EXPECT_EQ((hg::spread{.total = 3}.least_imbalance()), 0);
  EXPECT_EQ(hg::share_rounded_up(std::uint64_t{1} << 63, 3, 1u << 31), std::uint64_t{3} << 32);
}

TEST(refusals, balance_sets_check_names_tolerances_and_edges) {
  hg::balance_set set;
  for (const double tolerance : {0.0, -1.0, 1e7, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_EQ(refusal_of([&] { return set.set_tolerance(tolerance), 0; }).code(),
              hg::error_kind::invalid_argument);
  }
  const std::vector<std::string> names{"a"};
  EXPECT_NE(refusal_of([&] { return hg::classes_by_type({}, names); })
                .message()
                .find("1 names for 0 node types"),
            std::string::npos);
  const bad_graph bad;
  EXPECT_NE(refusal_of([&] { return hg::balance_like_dgl(bad.view(), {}, true); })
                .message()
                .find("edge 1 has an endpoint"),
            std::string::npos);
}

// ---- graphs over ranks

using piece = hg::distributed_graph_view<std::uint32_t, std::uint32_t>;

/// A path of 4 nodes on one rank; each test changes one thing.
struct whole_path {
  std::vector<std::uint64_t> ranges{0, 4};
  std::vector<std::uint32_t> offsets{0, 1, 3, 5, 6}, neighbors{1, 0, 2, 1, 3, 2};
  std::vector<std::int64_t> node_weights{}, edge_weights{};
  std::size_t constraints = 1;
  piece view() const {
    return {ranges, offsets, neighbors, node_weights, constraints, edge_weights};
  }
};

template <class Node>
hg::status checked(const hg::distributed_graph_view<Node, std::uint32_t>& local) {
  hg::status answer = hg::status::internal;
  hg::run_ranks(
      1, [&](const hg::thread_rank& me) { answer = hg::check_distributed_graph(me, local); }, {});
  return answer;
}

TEST(refusals, each_array_of_a_distributed_graph_is_checked) {
  EXPECT_EQ(checked(whole_path().view()), hg::status::ok);
  const auto with = [](auto change) {
    whole_path g;
    change(g);
    return checked(g.view());
  };
  for (const auto& ranges : {std::vector<std::uint64_t>{}, {0}, {1, 4}, {0, 4, 4}, {0, 3}})
    EXPECT_EQ(with([&](auto& g) { g.ranges = ranges; }), hg::status::mismatch);
  EXPECT_EQ(with([](auto& g) { g.constraints = 0; }), hg::status::mismatch);
  expect_status(with([](auto& g) { g.offsets[0] = 1; }), hg::error_kind::malformed, 0);
  expect_status(with([](auto& g) { g.offsets[2] = 0; }), hg::error_kind::malformed, 1);
  expect_status(with([](auto& g) { g.offsets[2] = 7; }), hg::error_kind::malformed, 1);
  expect_status(with([](auto& g) { g.offsets[4] = 5; }), hg::error_kind::malformed, 4);
  EXPECT_EQ(with([](auto& g) { g.node_weights = {1, 1, 1}; }), hg::status::mismatch);
  EXPECT_EQ(with([](auto& g) {
              g.constraints = 2;
              g.node_weights.assign(9, 1);
            }),
            hg::status::mismatch);
  EXPECT_EQ(with([](auto& g) { g.edge_weights = {1}; }), hg::status::mismatch);
  expect_status(with([](auto& g) { g.node_weights = {1, -1, 1, 1}; }),
                hg::error_kind::invalid_argument, 1);
  expect_status(with([](auto& g) { g.node_weights = {most_load, 0, 1, 1}; }),
                hg::error_kind::overflow, 2);
  expect_status(with([](auto& g) { g.neighbors[3] = 4; }), hg::error_kind::out_of_range, 3);
  expect_status(with([](auto& g) { g.neighbors[3] = 2; }), hg::error_kind::invalid_argument, 3);
  expect_status(with([](auto& g) { g.edge_weights = {1, 1, 0, 1, 1, 1}; }),
                hg::error_kind::invalid_argument, 2);
  expect_status(with([](auto& g) { g.edge_weights = {most_load, 1, 1, 1, 1, 1}; }),
                hg::error_kind::overflow, 1);
  expect_status(with([](auto& g) { g.edge_weights = {1, 2, 1, 1, 1, 1}; }),
                hg::error_kind::malformed, ~std::uint64_t{0});
}

TEST(refusals, a_distributed_graph_has_no_negative_ids_and_no_more_nodes_than_its_type) {
  const std::vector<std::uint64_t> two{0, 2}, many{0, 200};
  const std::vector<std::int8_t> negative{-1, 0};
  const std::vector<std::uint32_t> offsets{0, 1, 2}, none(201, 0);
  using narrow = hg::distributed_graph_view<std::int8_t, std::uint32_t>;
  expect_status(checked(narrow{two, offsets, negative, {}, 1, {}}), hg::error_kind::out_of_range,
                0);
  expect_status(checked(narrow{many, none, {}, {}, 1, {}}), hg::error_kind::overflow, 200);
  const hg::distributed_graph_view<std::uint32_t, std::uint32_t> empty;
  EXPECT_EQ(empty.num_nodes(), 0u);
  EXPECT_EQ(empty.num_nodes_everywhere(), 0u);
}

TEST(refusals, each_status_of_a_distributed_graph_has_a_sentence) {
  const hg::distributed_label_propagation policy{.parts = 3};
  const auto says = [&](hg::status answer, const char* words) {
    EXPECT_NE(hg::explain_distributed_graph(answer).find(words), std::string::npos);
    expect_explained(policy, answer, words);
  };
  says(hg::status::mismatch, "must be the same everywhere");
  says(hg::status::malformed.at(~std::uint64_t{0}), "not symmetric");
  says(hg::status::malformed.at(5), "the offsets of row 5");
  says(hg::status::out_of_range.at(5), "neighbor 5 of a rank");
  says(hg::status::invalid_argument.at(5), "neighbor 5 of a rank");
  EXPECT_NE(hg::explain_distributed_graph(hg::status::overflow).find("more than 2^63"),
            std::string::npos);
  EXPECT_NE(policy.explain(hg::status::overflow).find("2^63 or more"), std::string::npos);
  EXPECT_EQ(hg::explain_distributed_graph(hg::status::internal), "");
  EXPECT_NE(hg::distributed_label_propagation{.parts = 0}
                .explain(hg::status::invalid_argument)
                .find("at least 1"),
            std::string::npos);
  const std::vector<double> bad{0.1, -0.1};
  EXPECT_NE((hg::distributed_label_propagation{.parts = 2, .tolerances = bad}
                 .explain(hg::status::invalid_argument)
                 .find("tolerances must be 0 or more")),
            std::string::npos);
  EXPECT_NE((hg::distributed_label_propagation{.parts = std::uint64_t{1} << 40}
                 .explain(hg::status::overflow)
                 .find("does not fit its type")),
            std::string::npos);
}

TEST(refusals, measuring_over_ranks_checks_owners_on_every_rank) {
  const whole_path g;
  hg::distributed_quality out;
  const auto measured = [&](const owners& owner) {
    hg::status answer = hg::status::internal;
    hg::run_ranks(1,
                  [&](const hg::thread_rank& me) {
                    answer = hg::measure_distributed(me, g.view(),
                                                     std::span<const hg::part_id>(owner), 2, out);
                  },
                  {});
    return answer;
  };
  expect_status(measured({0, 0, 1}), hg::error_kind::mismatch, 4);
  expect_status(measured({0, 0, 2, 1}), hg::error_kind::out_of_range, 2);
  EXPECT_EQ(measured({0, 0, 1, 1}), hg::status::ok);
  EXPECT_EQ(out.edge_cut, 1u);
  EXPECT_EQ(out.communication_volume, 2u);
}

}  // namespace
