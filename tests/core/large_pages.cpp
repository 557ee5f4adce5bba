// SPDX-License-Identifier: BSL-1.0
// Large pages: a hint changes nothing that can be read.
#include <halograph/core/large_pages.hpp>

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace halograph {
namespace {

TEST(large_pages, vector_has_its_size_and_zeros) {
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{4097}, (std::size_t{8} << 20) + 3}) {
    std::vector<std::uint8_t> items;
    resize_in_large_pages(items, size);
    ASSERT_EQ(items.size(), size);
    EXPECT_EQ(std::count(items.begin(), items.end(), 0), static_cast<std::ptrdiff_t>(size));
  }
}

TEST(large_pages, memory_and_errno_are_unchanged) {
  std::vector<std::uint64_t> items((std::size_t{6} << 20) / 8 + 1);
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = i;
  errno = EDOM;
  prefer_large_pages(
      std::as_writable_bytes(std::span(items).subspan(1)));  // not on a page's border
  EXPECT_EQ(errno, EDOM);
  for (std::size_t i = 0; i < items.size(); ++i) ASSERT_EQ(items[i], i);
}

TEST(large_pages, missing_or_small_memory_is_not_an_error) {
  constexpr std::size_t size = std::size_t{8} << 20;
  void* const gone = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                            0);
  ASSERT_NE(gone, MAP_FAILED);
  ASSERT_EQ(::munmap(gone, size), 0);
  errno = EDOM;
  prefer_large_pages({static_cast<std::byte*>(gone), size});  // the system says ENOMEM
  std::byte one{};
  prefer_large_pages({&one, 1});
  prefer_large_pages({});
  EXPECT_EQ(errno, EDOM);
}

}  // namespace
TEST(uninitialized_vector, keeps_what_is_written_as_it_grows) {
  uninitialized_vector<std::uint16_t> some{7, 8};
  some.resize(1000);
  some.push_back(9);
  some.insert(some.begin(), 5);
  EXPECT_EQ(some.size(), 1002u);
  EXPECT_EQ(some[0], 5);
  EXPECT_EQ(some[1], 7);
  EXPECT_EQ(some[2], 8);
  EXPECT_EQ(some.back(), 9);
  some.assign(3, 4);
  const uninitialized_vector<std::uint16_t> copy = some;
  EXPECT_EQ(copy, (uninitialized_vector<std::uint16_t>{4, 4, 4}));
  EXPECT_EQ(std::move(some), copy);
}

TEST(uninitialized_vector, touches_no_memory_until_it_is_written) {
  constexpr std::size_t size = std::size_t{64} << 20, page = 4096;
  const uninitialized_vector<std::byte> some(size);
  const auto first = (reinterpret_cast<std::uintptr_t>(some.data()) + page - 1) / page * page;
  std::vector<unsigned char> resident(size / page - 1);
  ASSERT_EQ(::mincore(reinterpret_cast<void*>(first), resident.size() * page, resident.data()), 0);
  // The allocator may write before and after it, and a large page around that is touched at once.
  EXPECT_LT(std::accumulate(resident.begin(), resident.end(), std::size_t{0}), 1025u);
}

}  // namespace halograph
