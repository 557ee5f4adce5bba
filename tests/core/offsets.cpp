// SPDX-License-Identifier: BSL-1.0
#include <halograph/core/offsets.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace hg = halograph;

TEST(offsets_of, begins_at_0_and_ends_at_the_sum) {
  EXPECT_EQ(hg::offsets_of({}), (std::vector<std::uint64_t>{0}));
  EXPECT_EQ(hg::offsets_of(std::vector<std::uint64_t>{3, 0, 2}),
            (std::vector<std::uint64_t>{0, 3, 3, 5}));
}
