// SPDX-License-Identifier: BSL-1.0
#include <halograph/core/uninitialized.hpp>

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

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

TEST(uninitialized_vector, keeps_what_is_written_as_it_grows) {
  hg::uninitialized_vector<std::uint16_t> some{7, 8};
  some.resize(1000);
  some.push_back(9);
  some.insert(some.begin(), 5);
  EXPECT_EQ(some.size(), 1002u);
  EXPECT_EQ(some[0], 5);
  EXPECT_EQ(some[1], 7);
  EXPECT_EQ(some[2], 8);
  EXPECT_EQ(some.back(), 9);
  some.assign(3, 4);
  const hg::uninitialized_vector<std::uint16_t> copy = some;
  EXPECT_EQ(copy, (hg::uninitialized_vector<std::uint16_t>{4, 4, 4}));
  EXPECT_EQ(std::move(some), copy);
}

TEST(uninitialized_vector, touches_no_memory_until_it_is_written) {
  constexpr std::size_t size = std::size_t{64} << 20, page = 4096;
  const hg::uninitialized_vector<std::byte> some(size);
  const auto first = (reinterpret_cast<std::uintptr_t>(some.data()) + page - 1) / page * page;
  std::vector<unsigned char> resident(size / page - 1);
  ASSERT_EQ(::mincore(reinterpret_cast<void*>(first), resident.size() * page, resident.data()), 0);
  // The allocator may write before and after it, and a large page around that is touched at once.
  EXPECT_LT(std::accumulate(resident.begin(), resident.end(), std::size_t{0}), 1025u);
}

}  // namespace
