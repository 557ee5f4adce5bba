// SPDX-License-Identifier: BSL-1.0
// Large pages: a hint changes nothing that can be read.
#include <halograph/core/large_pages.hpp>

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
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
}  // namespace halograph
