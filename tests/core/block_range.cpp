// SPDX-License-Identifier: BSL-1.0
#include <halograph/core/block_range.hpp>

#include <gtest/gtest.h>

#include <cstdint>

namespace hg = halograph;

namespace {

TEST(block_range, covers_all_things_in_order_with_sizes_that_differ_by_one_at_most) {
  for (std::uint64_t ranks = 1; ranks <= 9; ++ranks) {
    for (std::uint64_t things = 0; things <= 40; ++things) {
      std::uint64_t next = 0;
      for (std::uint64_t rank = 0; rank < ranks; ++rank) {
        const hg::id_range share = hg::block_range(things, rank, ranks);
        EXPECT_EQ(share.begin, next);
        EXPECT_GE(share.size(), things / ranks);
        EXPECT_LE(share.size(), (things + ranks - 1) / ranks);
        for (std::uint64_t thing = share.begin; thing < share.end; ++thing) {
          EXPECT_EQ(hg::block_range_of(things, thing, ranks), rank)
              << thing << " of " << things << " among " << ranks;
        }
        next = share.end;
      }
      EXPECT_EQ(next, things);
    }
  }
}

TEST(block_range, does_not_overflow) {
  constexpr std::uint64_t most = ~std::uint64_t{0};
  for (const std::uint64_t ranks :
       {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{7}, std::uint64_t{4096}}) {
    EXPECT_EQ(hg::block_range(most, ranks - 1, ranks).end, most);
    EXPECT_EQ(hg::block_range(most, 0, ranks).begin, 0u);
    EXPECT_EQ(hg::block_range_of(most, most - 1, ranks), ranks - 1);
    EXPECT_EQ(hg::block_range_of(most, 0, ranks), 0u);
    if (ranks > 1) {
      EXPECT_EQ(hg::block_range_of(most, hg::block_range(most, 1, ranks).begin, ranks), 1u);
    }
  }
}

}  // namespace
