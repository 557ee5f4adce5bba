// SPDX-License-Identifier: BSL-1.0
#include <halograph/partition/permutation.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace hg = halograph;

TEST(id_permutation, takes_every_value_once_and_back) {
  for (const std::uint64_t n : {0u, 1u, 2u, 3u, 4u, 5u, 16u, 17u, 255u, 1000u}) {
    const hg::id_permutation order(n, 42);
    std::vector<bool> seen(static_cast<std::size_t>(n));
    for (std::uint64_t k = 0; k < n; ++k) {
      const auto v = order(k);
      ASSERT_LT(v, n);
      EXPECT_FALSE(seen[static_cast<std::size_t>(v)]) << n << " values, " << v << " twice";
      seen[static_cast<std::size_t>(v)] = true;
      EXPECT_EQ(order.rank(v), k);
    }
  }
}

TEST(id_permutation, reaches_the_last_ids_of_64_bits) {
  const hg::id_permutation order(~std::uint64_t{0}, 7);
  for (const std::uint64_t k : {std::uint64_t{0}, std::uint64_t{1} << 63, ~std::uint64_t{0} - 1})
    EXPECT_EQ(order.rank(order(k)), k);
}

TEST(id_permutation, a_seed_means_the_same_order_everywhere) {
  constexpr hg::id_permutation order(10, 1);
  std::vector<std::uint64_t> drawn;
  for (std::uint64_t k = 0; k < 10; ++k) drawn.push_back(order(k));
  EXPECT_EQ(drawn, (std::vector<std::uint64_t>{8, 6, 2, 7, 1, 3, 4, 5, 9, 0}));
  static_assert(order.rank(order(3)) == 3);
}

TEST(id_permutation, keeps_few_neighbors_together) {
  const std::uint64_t n = 10000;
  const hg::id_permutation order(n, 3);
  std::uint64_t together = 0;
  for (std::uint64_t k = 1; k < n; ++k) together += order(k) - order(k - 1) + 1 <= 2 ? 1u : 0u;
  EXPECT_LT(together, 20u);  // about 2 by chance
}
