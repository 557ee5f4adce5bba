// SPDX-License-Identifier: BSL-1.0
#include <halograph/core/executor.hpp>
#include <halograph/testing/archetypes.hpp>
#include <halograph/testing/laws.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <type_traits>

namespace hg = halograph;

namespace {

static_assert(hg::executor<hg::sequential> && hg::executor<hg::archetype::executor>);
static_assert(!hg::executor<hg::near_miss::executor_without_grain> &&
              !hg::executor<hg::near_miss::executor_without_concurrency>);
static_assert(!hg::executor<int>);

TEST(sequential, keeps_the_law_of_executors) {
  const auto verdict = hg::laws::executor(hg::sequential{});
  EXPECT_TRUE(verdict) << verdict.why;
}

TEST(sequential, runs_one_piece_and_none_for_an_empty_range) {
  int pieces = 0;
  hg::sequential{}.parallel_for(2, 9, 3, [&](std::size_t first, std::size_t last) {
    ++pieces;
    EXPECT_EQ(first, 2u);
    EXPECT_EQ(last, 9u);
  });
  EXPECT_EQ(pieces, 1);
  hg::sequential{}.parallel_for(4, 4, 1, [&](std::size_t, std::size_t) { ++pieces; });
  EXPECT_EQ(pieces, 1);
}

constexpr std::size_t sum_below(std::size_t n) {
  std::size_t sum = 0;
  hg::sequential{}.parallel_for(0, n, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) sum += i;
  });
  return sum;
}
static_assert(sum_below(5) == 10);

/// Counts the loops that it runs.
struct counting {
  std::size_t* loops;
  std::size_t concurrency() const { return 5; }
  void parallel_for(std::size_t first, std::size_t last, std::size_t, auto&& body) const {
    ++*loops;
    if (first < last) body(first, last);
  }
};

TEST(executor_ref, keeps_the_law_of_executors_and_runs_on_the_one_it_refers_to) {
  std::size_t loops = 0;
  const counting threads{&loops};
  const hg::executor_ref run = threads;
  EXPECT_EQ(run.concurrency(), 5u);
  std::size_t sum = 0;
  run.parallel_for(3, 6, 1, [&](std::size_t first, std::size_t last) { sum += 10 * first + last; });
  EXPECT_EQ(sum, 36u);
  EXPECT_EQ(loops, 1u);
  EXPECT_TRUE(hg::laws::executor(run).holds);
  EXPECT_TRUE(hg::laws::executor(hg::executor_ref{}).holds);
  EXPECT_EQ(hg::executor_ref{}.concurrency(), 1u);
  static_assert(!std::is_constructible_v<hg::executor_ref, counting>, "temporaries are refused");
}

/// Without members: each object is as good as any other, so a temporary is fine.
struct without_members {
  static std::size_t concurrency() { return 2; }
  void parallel_for(std::size_t first, std::size_t last, std::size_t, auto&& body) const {
    if (first < last) body(first, last);
  }
};

TEST(executor_ref, takes_temporaries_of_types_without_members) {
  const hg::executor_ref run = without_members{};
  EXPECT_EQ(run.concurrency(), 2u);
  EXPECT_TRUE(hg::laws::executor(run).holds);
  const hg::executor_ref copy = run;
  EXPECT_EQ(copy.concurrency(), 2u);
}

}  // namespace
