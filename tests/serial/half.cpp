// SPDX-License-Identifier: BSL-1.0
#include <halograph/serial/half.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

namespace {

namespace hg = halograph;

TEST(half, every_value_survives_the_way_there_and_back) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float value = hg::float_from_half(half);
    if ((bits & 0x7C00) == 0x7C00 && (bits & 0x3FF) != 0) {
      ASSERT_TRUE(std::isnan(value));
      ASSERT_TRUE(
          std::isnan(hg::float_from_half(hg::half_from_double(static_cast<double>(value)))));
    } else {
      ASSERT_EQ(hg::half_from_double(static_cast<double>(value)), half) << bits;
    }
  }
  EXPECT_EQ(hg::float_from_half(0x3C00), 1.0f);
  EXPECT_EQ(hg::float_from_half(0xC000), -2.0f);
  EXPECT_EQ(hg::float_from_half(0x7BFF), 65504.0f);
  EXPECT_EQ(hg::float_from_half(0x0001), 0x1p-24f);
}

TEST(half, the_nearest_is_taken_and_of_two_the_even_one) {
  // Between each finite value and the next: below the middle down, above it up, on it to even.
  for (std::uint32_t bits = 0; bits < 0x7BFF; ++bits) {
    const auto low = static_cast<std::uint16_t>(bits), high = static_cast<std::uint16_t>(bits + 1);
    const double a = hg::float_from_half(low), b = hg::float_from_half(high), middle = (a + b) / 2;
    ASSERT_EQ(hg::half_from_double(middle), (bits & 1) == 0 ? low : high) << bits;
    ASSERT_EQ(hg::half_from_double(std::nextafter(middle, 0.0)), low) << bits;
    ASSERT_EQ(hg::half_from_double(std::nextafter(middle, 1e9)), high) << bits;
    ASSERT_EQ(hg::half_from_double(-middle),
              static_cast<std::uint16_t>(0x8000 | ((bits & 1) == 0 ? low : high)));
  }
  EXPECT_EQ(hg::half_from_double(65519.999), 0x7BFF);
  EXPECT_EQ(hg::half_from_double(65520.0), 0x7C00);
  EXPECT_EQ(hg::half_from_double(1e300), 0x7C00);
  EXPECT_EQ(hg::half_from_double(-std::numeric_limits<double>::infinity()), 0xFC00);
  EXPECT_EQ(hg::half_from_double(std::numeric_limits<double>::denorm_min()), 0);
}

TEST(half, bfloat16_is_the_upper_half_of_float32) {
  EXPECT_EQ(hg::float_from_bfloat16(0x3F80), 1.0f);
  EXPECT_EQ(hg::float_from_bfloat16(0xC040), -3.0f);
}

TEST(half, the_nearest_bfloat16_is_taken_and_of_two_the_even_one) {
  for (std::uint32_t bits = 0; bits < 0x7F80; ++bits) {
    const auto low = static_cast<std::uint16_t>(bits), high = static_cast<std::uint16_t>(bits + 1),
               even = (bits & 1) == 0 ? low : high;
    // Above the largest comes infinity, where the next power of two would be.
    const double a = hg::float_from_bfloat16(low),
                 b = bits == 0x7F7F ? 0x1p128 : static_cast<double>(hg::float_from_bfloat16(high)),
                 middle = (a + b) / 2;
    ASSERT_EQ(hg::bfloat16_from_double(a), low) << bits;
    ASSERT_EQ(hg::bfloat16_from_double(middle), even) << bits;
    // So near the middle that float32 has no number between: rounded by way of it they would be the
    // even one.
    ASSERT_EQ(hg::bfloat16_from_double(std::nextafter(middle, a)), low) << bits;
    ASSERT_EQ(hg::bfloat16_from_double(std::nextafter(middle, b)), high) << bits;
    ASSERT_EQ(hg::bfloat16_from_double(-middle), static_cast<std::uint16_t>(0x8000 | even)) << bits;
  }
  EXPECT_EQ(hg::bfloat16_from_double(1e300), 0x7F80);
  EXPECT_EQ(hg::bfloat16_from_double(-std::numeric_limits<double>::infinity()), 0xFF80);
  EXPECT_EQ(hg::bfloat16_from_double(std::numeric_limits<double>::denorm_min()), 0);
  EXPECT_TRUE(std::isnan(
      hg::float_from_bfloat16(hg::bfloat16_from_double(std::numeric_limits<double>::quiet_NaN()))));
}

static_assert(hg::bfloat16_from_double(-1.5) == 0xBFC0);
static_assert(hg::half_from_double(1.5) == 0x3E00);

}  // namespace
