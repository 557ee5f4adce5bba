// SPDX-License-Identifier: BSL-1.0
#include <halograph/core/checked_cast.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace hg = halograph;

namespace {

template <class To, class From>
void compare(From value) {
  // Every 16-bit value is one of 32 signed bits, and so is every bound.
  const bool want = std::int64_t{value} >= std::int64_t{std::numeric_limits<To>::min()} &&
                    std::int64_t{value} <= std::int64_t{std::numeric_limits<To>::max()};
  ASSERT_EQ(hg::fits<To>(value), want) << value;
  To out{42};
  ASSERT_EQ(hg::narrow_into(value, out), want ? hg::status::ok : hg::status::overflow);
  ASSERT_EQ(std::int64_t{out}, want ? std::int64_t{value} : 42);
}

template <class From>
void compare_all() {
  for (std::int64_t wide = std::numeric_limits<From>::min();
       wide <= std::numeric_limits<From>::max(); ++wide) {
    const auto value = static_cast<From>(wide);
    compare<std::int8_t>(value);
    compare<std::uint8_t>(value);
    compare<std::int16_t>(value);
    compare<std::uint16_t>(value);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(narrowing, keeps_the_value_or_refuses_for_every_value_of_8_and_16_bits) {
  compare_all<std::int8_t>();
  compare_all<std::uint8_t>();
  compare_all<std::int16_t>();
  compare_all<std::uint16_t>();
}

static_assert(hg::fits<std::int64_t>(std::uint64_t{1} << 62) &&
              !hg::fits<std::int64_t>(~std::uint64_t{0}));
static_assert(!hg::fits<std::uint64_t>(-1) &&
              hg::fits<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
static_assert(hg::checked_cast<std::uint8_t>(255) == 255);

TEST(checked_cast, names_the_value_and_the_legal_ones) {
  std::int64_t largest = 127;
  EXPECT_EQ(hg::checked_cast<std::int8_t>(largest), 127);
  try {
    static_cast<void>(hg::checked_cast<std::int8_t>(200, "the number of parts"));
    FAIL();
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.code(), hg::error_kind::overflow);
    EXPECT_STREQ(problem.what(),
                 "the number of parts is 200, which does not fit its type; it must be -128 to 127");
  }
}

TEST(checked_arithmetic, reaches_the_largest_number_and_no_further) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t out = 7;
  EXPECT_EQ(hg::add_into(most - 1, 1, out), hg::status::ok);
  EXPECT_EQ(out, most);
  EXPECT_EQ(hg::add_into(most, 1, out), hg::status::overflow);
  EXPECT_EQ(hg::multiply_into(most / 3, 3, out), hg::status::ok);
  EXPECT_EQ(out, most / 3 * 3);
  EXPECT_EQ(hg::multiply_into(std::uint64_t{1} << 32, std::uint64_t{1} << 32, out),
            hg::status::overflow);
  EXPECT_EQ(hg::multiply_into(most, 2, out), hg::status::overflow);
  EXPECT_EQ(hg::multiply_into(0, most, out), hg::status::ok);
  EXPECT_EQ(out, 0u);
  EXPECT_EQ(hg::multiply_into(most, 0, out), hg::status::ok);
}

TEST(parts_of, views_parts_of_any_integer_type_and_refuses_negative_ones) {
  const std::vector<int> owner{0, 2, 1};
  const auto parts = hg::parts_of(owner);
  static_assert(std::is_same_v<decltype(parts), const std::span<const unsigned>>);
  EXPECT_EQ(std::vector<unsigned>(parts.begin(), parts.end()), (std::vector<unsigned>{0, 2, 1}));
  EXPECT_EQ(static_cast<const void*>(parts.data()), owner.data());
  const std::vector<std::uint8_t> narrow{255};
  EXPECT_EQ(hg::parts_of(narrow)[0], 255);
  const std::vector<std::int64_t> bad{0, 1, std::numeric_limits<std::int64_t>::min()};
  try {
    hg::parts_of(bad);
    ADD_FAILURE() << "a negative part";
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.code(), hg::error_kind::out_of_range);
    EXPECT_STREQ(problem.what(),
                 "node 2 is assigned to part -9223372036854775808; parts are numbered from 0");
  }
  EXPECT_THROW(hg::parts_of(std::vector<std::int8_t>{-1}), hg::error);
}

}  // namespace
