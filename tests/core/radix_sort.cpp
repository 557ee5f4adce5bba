// SPDX-License-Identifier: BSL-1.0
#include <halograph/core/radix_sort.hpp>
#include <halograph/core/random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace {

using item = std::pair<std::uint64_t, std::uint32_t>;

void expect_sorts_like_stable_sort(std::size_t count, std::uint64_t bound, std::uint64_t seed) {
  halograph::random_stream draws(seed);
  std::vector<item> items(count);
  for (std::size_t i = 0; i < count; ++i) {
    items[i] = {bound == 0 ? draws.next() : draws.below(bound), static_cast<std::uint32_t>(i)};
  }
  auto expected = items;
  std::stable_sort(expected.begin(), expected.end(),
                   [](const item& a, const item& b) { return a.first < b.first; });
  std::vector<item> scratch(count);
  ASSERT_TRUE(halograph::radix_sort(
      std::span(items), std::span(scratch), [](const item& one) { return one.first; },
      bound == 0 ? ~std::uint64_t{0} : bound - 1));
  EXPECT_EQ(items, expected);
}

TEST(radix_sort, is_stable_for_any_range_of_keys) {
  for (const std::uint64_t bound :
       {1ull, 2ull, 2047ull, 2048ull, 2049ull, 1ull << 22, (1ull << 22) + 1, 1ull << 40, 0ull}) {
    for (const std::size_t count : {0u, 1u, 2u, 3u, 1000u})
      expect_sorts_like_stable_sort(count, bound, bound + count);
  }
}

TEST(radix_sort, rejects_too_little_scratch_and_writes_nothing) {
  std::array<int, 3> items{3, 1, 2}, scratch{};
  EXPECT_FALSE(halograph::radix_sort(
      std::span<int>(items), std::span<int>(scratch).first(2),
      [](int i) { return static_cast<std::uint64_t>(i); }, 3));
  EXPECT_EQ(items, (std::array<int, 3>{3, 1, 2}));
}

constexpr std::array<int, 5> sorted_at_compile_time() {
  std::array<int, 5> items{4095, 1, 4096, 0, 70000}, scratch{};
  halograph::radix_sort(
      std::span<int>(items), std::span<int>(scratch),
      [](int i) { return static_cast<std::uint64_t>(i); }, 70000);
  return items;
}
static_assert(sorted_at_compile_time() == std::array<int, 5>{0, 1, 4095, 4096, 70000});

}  // namespace
