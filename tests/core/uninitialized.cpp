// SPDX-License-Identifier: BSL-1.0
#include <halograph/core/uninitialized.hpp>

#include <gtest/gtest.h>

#include <string>
#include <type_traits>
#include <utility>

namespace hg = halograph;

namespace {

static_assert(!std::is_copy_constructible_v<hg::uninitialized_array<int>>);
template <class T>
concept can_be_uninitialized = requires { typename hg::uninitialized_array<T>; };
static_assert(can_be_uninitialized<int> && !can_be_uninitialized<std::string>);

TEST(uninitialized_array, keeps_what_is_written_and_moves) {
  hg::uninitialized_array<int> one(3);
  for (int i = 0; i < 3; ++i) one[static_cast<std::size_t>(i)] = 7 * i;
  hg::uninitialized_array<int> two(std::move(one));
  EXPECT_EQ(one.size(), 0u);  // NOLINT: moved from is empty, by contract
  EXPECT_TRUE(one.values().empty());
  one = std::move(two);
  EXPECT_EQ(two.size(), 0u);
  ASSERT_EQ(one.size(), 3u);
  EXPECT_EQ(std::as_const(one)[2], 14);
  EXPECT_EQ(std::as_const(one).values()[1], 7);
  EXPECT_EQ(hg::uninitialized_array<int>(0).values().size(), 0u);
  EXPECT_EQ(hg::uninitialized_array<int>().size(), 0u);
}

}  // namespace
