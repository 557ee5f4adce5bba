// SPDX-License-Identifier: BSL-1.0
#include <halograph/core/executor.hpp>
#include <halograph/graph/coo.hpp>
#include <halograph/partition/assign.hpp>
#include <halograph/partition/given.hpp>
#include <halograph/partition/hash.hpp>
#include <halograph/partition/partitioner.hpp>
#include <halograph/partition/random.hpp>
#include <halograph/partition/range.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace hg = halograph;

namespace {

/// The smallest graph: it only counts and lists.
struct bare_graph {
  std::size_t nodes = 0;
  std::size_t num_nodes() const { return nodes; }
  template <class F>
  void for_each_edge(F&& f) const {
    for (std::uint64_t v = 1; v < nodes; ++v) f(v - 1, v, v - 1);
  }
};

struct round_robin {
  using part = std::uint16_t;
  std::uint64_t parts = 1;
  template <class Graph>
  constexpr hg::status assign(const Graph&, std::span<part> owner) const {
    if (parts == 0) return hg::status::invalid_argument;
    for (std::size_t v = 0; v < owner.size(); ++v) owner[v] = static_cast<part>(v % parts);
    return hg::status::ok;
  }
};

struct names_no_part {
  hg::status assign(const bare_graph&, std::span<std::uint16_t>) const { return hg::status::ok; }
};
struct names_signed_part {
  using part = std::int16_t;
  hg::status assign(const bare_graph&, std::span<part>) const { return hg::status::ok; }
};
struct assign_not_const {
  using part = std::uint16_t;
  hg::status assign(const bare_graph&, std::span<part>) { return hg::status::ok; }
};
struct assign_answers_bool {
  using part = std::uint16_t;
  bool assign(const bare_graph&, std::span<part>) const { return true; }
};
struct no_assign {
  using part = std::uint16_t;
};

static_assert(hg::partitioner<round_robin, bare_graph>);
static_assert(hg::partitioner<hg::random_parts, bare_graph>);
static_assert(hg::partitioner<hg::range_parts, bare_graph>);
static_assert(hg::partitioner<hg::hash_parts, bare_graph>);
static_assert(hg::partitioner<hg::given, bare_graph>);
static_assert(hg::partitioner<hg::basic_given<std::uint8_t, std::int64_t>, bare_graph>);
static_assert(!hg::partitioner<names_no_part, bare_graph>);
static_assert(!hg::partitioner<names_signed_part, bare_graph>);
static_assert(!hg::partitioner<assign_not_const, bare_graph>);
static_assert(!hg::partitioner<assign_answers_bool, bare_graph>);
static_assert(!hg::partitioner<no_assign, bare_graph>);
static_assert(!hg::partitioner<hg::random_parts, int>, "an int is no graph");

static_assert(hg::names_parts<round_robin> && !hg::names_parts<no_assign>);
static_assert(hg::takes_seed<hg::random_parts> && !hg::takes_seed<hg::range_parts>);
static_assert(!hg::takes_edge_weights<hg::random_parts>);
static_assert(!hg::reads_edges<hg::random_parts> && hg::reads_edges<round_robin>);
static_assert(hg::explains_status<hg::given> && !hg::explains_status<hg::random_parts>);

/// A policy that leaves owners beyond its parts behind.
struct liar {
  using part = std::uint8_t;
  std::uint64_t parts = 2;
  hg::status assign(const bare_graph&, std::span<part> owner) const {
    if (owner.size() > 3) owner[3] = 2;
    return hg::status::ok;
  }
};

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

template <class Part>
std::vector<std::size_t> sizes(const std::vector<Part>& owner, std::size_t parts) {
  std::vector<std::size_t> count(parts);
  for (const auto p : owner) ++count.at(p);
  return count;
}

template <class Part>
class every_part_width : public ::testing::Test {};
using widths = ::testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(every_part_width, widths);

TYPED_TEST(every_part_width, random_balanced_sizes_differ_by_at_most_one) {
  for (std::size_t nodes : {0u, 1u, 5u, 64u, 257u, 1000u}) {
    for (std::uint64_t parts : {1u, 2u, 7u, 64u, 256u}) {
      const auto owner = hg::assign(bare_graph{nodes},
                                    hg::basic_random_parts<TypeParam>{.parts = parts, .seed = 3});
      ASSERT_EQ(owner.size(), nodes);
      const auto count = sizes(owner, parts);
      const auto [low, high] = std::minmax_element(count.begin(), count.end());
      EXPECT_LE(*high - *low, 1u);
      EXPECT_TRUE(nodes < parts || *low > 0);
    }
  }
}

TYPED_TEST(every_part_width, range_is_monotone_and_balanced) {
  for (std::size_t nodes : {0u, 1u, 5u, 64u, 257u, 1000u}) {
    for (std::uint64_t parts : {1u, 2u, 7u, 64u, 256u}) {
      const auto owner = hg::assign(bare_graph{nodes},
                                    hg::basic_range_parts<TypeParam>{.parts = parts});
      EXPECT_TRUE(std::is_sorted(owner.begin(), owner.end()));
      const auto count = sizes(owner, parts);
      const auto [low, high] = std::minmax_element(count.begin(), count.end());
      EXPECT_LE(*high - *low, 1u);
      EXPECT_TRUE(std::is_sorted(count.rbegin(), count.rend())) << "longer runs come first";
    }
  }
}

TYPED_TEST(every_part_width, hash_fills_all_parts_of_a_large_graph_and_ignores_its_size) {
  const hg::basic_hash_parts<TypeParam> policy{.parts = 16, .seed = 1};
  const auto small = hg::assign(bare_graph{100}, policy);
  const auto large = hg::assign(bare_graph{16000}, policy);
  EXPECT_TRUE(std::equal(small.begin(), small.end(), large.begin()));
  for (const auto n : sizes(large, 16)) EXPECT_NEAR(static_cast<double>(n), 1000.0, 200.0);
  for (std::size_t v = 0; v < 100; ++v) EXPECT_EQ(small[v], policy(v));
}

TYPED_TEST(every_part_width, given_is_copied_and_checked) {
  const std::array<TypeParam, 4> mine{2, 0, 1, 2};
  using policy = hg::basic_given<TypeParam>;
  EXPECT_EQ(hg::assign(bare_graph{4}, policy{.parts = 3, .owners = mine}),
            std::vector<TypeParam>(mine.begin(), mine.end()));
  EXPECT_EQ(
      sentence_of([&] { return hg::assign(bare_graph{4}, policy{.parts = 2, .owners = mine}); },
                  hg::error_kind::out_of_range),
      "the assignment puts node 0 into part 2; parts are numbered 0 to 1");
  EXPECT_EQ(
      sentence_of([&] { return hg::assign(bare_graph{5}, policy{.parts = 3, .owners = mine}); },
                  hg::error_kind::mismatch),
      "the assignment lists 4 nodes; the graph has 5");
}

TEST(given, negative_parts_from_a_file_are_refused) {
  const std::array<std::int64_t, 3> mine{0, -1, 1};
  EXPECT_EQ(sentence_of(
                [&] {
                  return hg::assign(bare_graph{3}, hg::basic_given<std::uint8_t, std::int64_t>{
                                                       .parts = 2, .owners = mine});
                },
                hg::error_kind::out_of_range),
            "the assignment puts node 1 into part -1; parts are numbered 0 to 1");
}

TEST(random_policy, same_seed_same_bytes_other_seed_other_bytes) {
  const bare_graph g{200};
  EXPECT_EQ(hg::assign(g, hg::random_parts{.parts = 4, .seed = 9}),
            hg::assign(g, hg::random_parts{.parts = 4, .seed = 9}));
  EXPECT_NE(hg::assign(g, hg::random_parts{.parts = 4, .seed = 9}),
            hg::assign(g, hg::random_parts{.parts = 4, .seed = 8}));
}

TEST(random_policy, a_seed_means_the_same_bytes_on_every_compiler) {
  EXPECT_EQ(hg::assign(bare_graph{12}, hg::random_parts{.parts = 3, .seed = 42}),
            (std::vector<hg::part_id>{0, 1, 2, 2, 1, 1, 0, 0, 0, 2, 1, 2}));
  EXPECT_EQ(hg::assign(bare_graph{12}, hg::random_parts{.parts = 3, .seed = 42, .balanced = false}),
            (std::vector<hg::part_id>{2, 0, 0, 2, 1, 2, 0, 0, 0, 1, 0, 2}));
  EXPECT_EQ(hg::assign(bare_graph{12}, hg::hash_parts{.parts = 3, .seed = 42}),
            (std::vector<hg::part_id>{2, 1, 1, 0, 2, 0, 2, 2, 0, 2, 0, 2}));
}

TEST(random_policy, independent_draws_do_not_depend_on_the_number_of_nodes) {
  const auto small = hg::assign(bare_graph{50},
                                hg::random_parts{.parts = 5, .seed = 1, .balanced = false});
  const auto large = hg::assign(bare_graph{5000},
                                hg::random_parts{.parts = 5, .seed = 1, .balanced = false});
  EXPECT_TRUE(std::equal(small.begin(), small.end(), large.begin()));
  for (const auto n : sizes(large, 5)) EXPECT_NEAR(static_cast<double>(n), 1000.0, 150.0);
}

TEST(parts, are_refused_when_none_or_too_many_for_their_type) {
  EXPECT_EQ(sentence_of([] { return hg::assign(bare_graph{4}, hg::random_parts{.parts = 0}); },
                        hg::error_kind::invalid_argument),
            "the number of parts (0) must be at least 1, and every option within its range");
  EXPECT_EQ(
      sentence_of(
          [] {
            return hg::assign(bare_graph{4}, hg::basic_random_parts<std::uint8_t>{.parts = 257});
          },
          hg::error_kind::overflow),
      "the number of parts (257) does not fit the partitioner's part type; it must be at most 256");
}

TEST(assign, refuses_memory_of_another_size) {
  std::array<hg::part_id, 3> owner{};
  EXPECT_EQ(
      hg::assign_into(bare_graph{4}, hg::range_parts{.parts = 2}, std::span<hg::part_id>(owner)),
      hg::status::mismatch);
  EXPECT_EQ((hg::range_parts{.parts = 2}.assign(bare_graph{4}, owner)), hg::status::mismatch);
}

TEST(assign, detects_a_partitioner_that_returns_parts_out_of_range) {
  EXPECT_EQ(
      sentence_of([] { return hg::assign(bare_graph{5}, liar{}); }, hg::error_kind::internal),
      "the partitioner put node 3 into a part that is not below the number of parts (2); its assign() "
      "must write every owner");
}

/// Gives every node the number of threads it was run on; 0 without.
struct counts_threads {
  using part = std::uint8_t;
  std::uint64_t parts = 8;
  hg::status assign(const bare_graph& g, std::span<part> owner) const {
    return assign(g, owner, hg::assign_context());
  }
  template <class Context>
  hg::status assign(const bare_graph&, std::span<part> owner, const Context& context) const {
    std::fill(owner.begin(), owner.end(), static_cast<part>(context.threads().concurrency() - 1));
    if constexpr (Context::has_memory) owner.back() = static_cast<part>(context.memory().size());
    return hg::status::ok;
  }
};
struct seven_threads : hg::sequential {
  static constexpr std::size_t concurrency() noexcept { return 7; }
};
struct nine_threads : hg::sequential {
  static constexpr std::size_t concurrency() noexcept { return 9; }
};

TEST(assign, lends_threads_and_memory_to_policies_that_use_them) {
  EXPECT_EQ(hg::assign(bare_graph{2}, counts_threads{}), (std::vector<std::uint8_t>{0, 0}));
  EXPECT_EQ(hg::assign(bare_graph{2}, counts_threads{}, seven_threads{}),
            (std::vector<std::uint8_t>{6, 6}));
  EXPECT_EQ(hg::assign(bare_graph{2}, hg::range_parts{.parts = 2}, seven_threads{}),
            (std::vector<hg::part_id>{0, 1}));
  std::vector<std::uint64_t> words(3);
  const auto both = hg::assign_context().on(seven_threads{});
  EXPECT_EQ(hg::assign(bare_graph{2}, counts_threads{}, both.in(words)),
            (std::vector<std::uint8_t>{6, 3}));
  EXPECT_EQ(hg::assign(bare_graph{2}, counts_threads{}, std::span(words)),
            (std::vector<std::uint8_t>{0, 3}));
  EXPECT_EQ(
      sentence_of([] { return hg::assign(bare_graph{5}, counts_threads{}, nine_threads{}); },
                  hg::error_kind::internal),
      "the partitioner put node 0 into a part that is not below the number of parts (8); its assign() "
      "must write every owner");
}

TEST(assign, runs_in_constant_expressions) {
  constexpr auto owners = [] {
    std::array<std::uint8_t, 6> owner{};
    const hg::coo_view<std::uint8_t, std::uint8_t> g(6, {}, {});
    const auto answer = hg::assign_into(g,
                                        hg::basic_random_parts<std::uint8_t>{.parts = 3, .seed = 1},
                                        std::span<std::uint8_t>(owner));
    return answer ? owner : std::array<std::uint8_t, 6>{9, 9, 9, 9, 9, 9};
  }();
  static_assert(owners[0] < 3 && owners[5] < 3);
  EXPECT_EQ(hg::assign(bare_graph{6}, hg::basic_random_parts<std::uint8_t>{.parts = 3, .seed = 1}),
            std::vector<std::uint8_t>(owners.begin(), owners.end()));
}

TEST(given, takes_owners_of_any_integer_type) {
  const std::vector<int> of_metis{2, 0, 1};
  EXPECT_EQ(hg::assign(bare_graph{3}, hg::given{.parts = 3, .owners = of_metis}),
            (std::vector<hg::part_id>{2, 0, 1}));
  EXPECT_EQ(hg::assign(bare_graph{0}, hg::given{.parts = 3}), std::vector<hg::part_id>{});
  const std::vector<std::int8_t> bad{0, -1, 1};
  EXPECT_EQ(
      sentence_of([&] { return hg::assign(bare_graph{3}, hg::given{.parts = 2, .owners = bad}); },
                  hg::error_kind::out_of_range),
      "the assignment puts node 1 into part -1; parts are numbered 0 to 1");
  EXPECT_EQ(
      sentence_of([&] { return hg::assign(bare_graph{4}, hg::given{.parts = 2, .owners = bad}); },
                  hg::error_kind::mismatch),
      "the assignment lists 3 nodes; the graph has 4");
}

}  // namespace
