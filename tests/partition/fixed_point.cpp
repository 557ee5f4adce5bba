// SPDX-License-Identifier: BSL-1.0
#include <halograph/core/random.hpp>
#include <halograph/partition/fixed_point.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace hg = halograph;

namespace {

constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

TEST(fixed_point, multiply_divide_goes_through_128_bits) {
  hg::random_stream draw(1);
  for (int i = 0; i < 2000; ++i) {
    // q * c + r is a product for b = 1; and a * b / b is a for any b.
    const std::uint64_t a = draw.next() >> draw.below(64), b = (draw.next() >> draw.below(64)) | 1,
                        c = (draw.next() >> draw.below(64)) | 1;
    EXPECT_EQ(hg::multiply_divide(a, 1, c), a / c);
    EXPECT_EQ(hg::multiply_divide(a, b, b), a);
    EXPECT_EQ(hg::multiply_divide(b, a, b), a);
    // (a * b) / c for a < 2^32, b < 2^32 has no need of it.
    EXPECT_EQ(hg::multiply_divide(a >> 32, b >> 32, c), (a >> 32) * (b >> 32) / c);
    // Halving both sides of a product that has the factor 2^k changes nothing.
    EXPECT_EQ(hg::multiply_divide(a, std::uint64_t{1} << 63, std::uint64_t{1} << 62),
              a >> 63 ? most : 2 * a);
  }
  EXPECT_EQ(hg::multiply_divide(most, most, most), most);
  EXPECT_EQ(hg::multiply_divide(most, most, most - 1), most) << "2^64 + 1 does not fit";
  EXPECT_EQ(hg::multiply_divide(most - 1, most - 1, most), most - 2);
  EXPECT_EQ(hg::multiply_divide(most, 2, 1), most);
}

TEST(fixed_point, square_root_rounds_down) {
  for (std::uint64_t x = 0; x < 3000; ++x) {
    const auto r = hg::square_root(x);
    EXPECT_LE(r * r, x);
    EXPECT_GT((r + 1) * (r + 1), x);
  }
  EXPECT_EQ(hg::square_root(most), 0xFFFFFFFFu);
  EXPECT_EQ(hg::square_root(std::uint64_t{0xFFFFFFFFu} * 0xFFFFFFFFu), 0xFFFFFFFFu);
  EXPECT_EQ(hg::square_root(std::uint64_t{0xFFFFFFFFu} * 0xFFFFFFFFu - 1), 0xFFFFFFFEu);
  static_assert(hg::square_root(1u << 20) == 1024);
}

TEST(fixed_point, tolerances_are_rounded_up_and_clamped) {
  static_assert(hg::fixed_32(1.0) == std::uint64_t{1} << 32 && hg::fixed_32(0.5) == std::uint64_t{1}
                                                                                        << 31);
  EXPECT_EQ(hg::fixed_32(0.03), 128849019u);  // 128849018.88
  EXPECT_EQ(hg::fixed_32(-1), 0u);
  EXPECT_EQ(hg::fixed_32(std::numeric_limits<double>::quiet_NaN()), 0u);
  EXPECT_EQ(hg::fixed_32(std::numeric_limits<double>::infinity()), std::uint64_t{1} << 52);
}

TEST(fixed_point, products_saturate) {
  EXPECT_EQ(hg::saturating_multiply(most, 2), most);
  EXPECT_EQ(hg::saturating_multiply(1u << 31, 2), std::uint64_t{1} << 32);
}

}  // namespace
