// SPDX-License-Identifier: BSL-1.0
#include <halograph/core/id_row.hpp>
#include <halograph/core/ids.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <list>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace hg = halograph;

namespace {

static_assert(hg::id<std::int8_t> && hg::id<std::uint8_t> && hg::id<std::int64_t> &&
              hg::id<std::uint64_t> && hg::id<long long>);
static_assert(!hg::id<bool> && !hg::id<char> && !hg::id<wchar_t> && !hg::id<char8_t> &&
              !hg::id<char32_t>);
static_assert(!hg::id<float> && !hg::id<int*> && !hg::id<std::byte>);
static_assert(hg::unsigned_id<std::uint8_t> && !hg::unsigned_id<std::int8_t>);

static_assert(hg::id_capacity<std::int8_t>() == 128 && hg::id_capacity<std::uint8_t>() == 256);
static_assert(hg::id_capacity<std::int16_t>() == 32768 &&
              hg::id_capacity<std::uint16_t>() == 65536);
static_assert(hg::id_capacity<std::int32_t>() == 1ull << 31 &&
              hg::id_capacity<std::uint32_t>() == 1ull << 32);
static_assert(hg::id_capacity<std::int64_t>() == 1ull << 63);
static_assert(hg::id_capacity<std::uint64_t>() == ~0ull);

template <class T>
class index_of_ids : public testing::Test {};
using id_types = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                                std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(index_of_ids, id_types);

TYPED_TEST(index_of_ids, keeps_what_is_an_index_and_puts_negative_ids_beyond_every_end) {
  using limits = std::numeric_limits<TypeParam>;
  static_assert(hg::index(TypeParam{0}) == 0 && hg::index(TypeParam{100}) == 100);
  EXPECT_EQ(hg::index(limits::max()), static_cast<std::size_t>(limits::max()));
  if constexpr (std::is_signed_v<TypeParam>) {
    // No array is this long, whatever the width of the ID.
    EXPECT_GE(hg::index(TypeParam{-1}), std::numeric_limits<std::size_t>::max() / 2);
    EXPECT_GE(hg::index(limits::min()), std::numeric_limits<std::size_t>::max() / 2);
  }
}

TEST(id_range, knows_its_size) {
  static_assert(hg::id_range{3, 7}.size() == 4 && hg::id_range{}.size() == 0);
  static_assert(hg::id_range{3, 7} == hg::id_range{3, 7} &&
                hg::id_range{3, 7} != hg::id_range{3, 8});
}

template <class Id>
void expect_any_id_row() {
  const std::vector<Id> ids{0, 7, std::numeric_limits<Id>::max(), static_cast<Id>(-1)};
  const hg::any_id_row any(ids);
  EXPECT_EQ(any.size(), ids.size());
  EXPECT_EQ(any.find_outside(8), 2u);
  EXPECT_EQ(any.find_outside(7), 1u);
  EXPECT_EQ(any.find_outside(0), 0u);
  EXPECT_EQ(hg::any_id_row(std::span(ids).first(2)).find_outside(8), 2u);
  EXPECT_EQ(any.find_outside(hg::id_capacity<Id>()), std::is_signed_v<Id> ? 3u
                                                     : sizeof(Id) == 8    ? 2u
                                                                          : 4u);
  std::array<std::int64_t, 2> some{};
  any.convert(1, some);
  EXPECT_EQ(some[0], 7);
  EXPECT_EQ(some[1], static_cast<std::int64_t>(ids[2]));
  std::array<std::uint64_t, 4> all{};
  any.convert(0, all);
  EXPECT_EQ(all[3], static_cast<std::uint64_t>(ids[3]));
  EXPECT_EQ(any.visit([](auto row) { return std::to_string(row[3]); }), std::to_string(ids[3]));
}
TEST(id_row, any_id_row_reads_ids_of_every_type) {
  expect_any_id_row<signed char>();
  expect_any_id_row<unsigned char>();
  expect_any_id_row<short>();
  expect_any_id_row<unsigned short>();
  expect_any_id_row<int>();
  expect_any_id_row<unsigned int>();
  expect_any_id_row<long>();
  expect_any_id_row<unsigned long>();
  expect_any_id_row<long long>();
  expect_any_id_row<unsigned long long>();
  static_assert(!std::is_constructible_v<hg::any_id_row, std::list<int>> &&
                !std::is_constructible_v<hg::any_id_row, std::string>);
}

TEST(id_row, is_any_contiguous_memory) {
  static_assert(hg::id_row<std::vector<int>> && hg::id_row<std::array<std::uint8_t, 3>> &&
                hg::id_row<std::span<const long>>);
  static_assert(!hg::id_row<std::list<int>> && !hg::id_row<std::string> &&
                !hg::id_row<std::vector<bool>> && !hg::id_row<std::vector<float>>);
  static_assert(hg::id_output<std::vector<int>&> && hg::id_output<std::span<int>>);
  static_assert(!hg::id_output<const std::vector<int>&> && !hg::id_output<std::span<const int>>);
  std::vector<int> row{1, 2, 3};
  EXPECT_EQ(hg::ids_of(row).data(), row.data());
  EXPECT_EQ(hg::ids_of(row).size(), 3u);
  hg::ids_out(row)[1] = 9;
  EXPECT_EQ(row[1], 9);
}

}  // namespace
