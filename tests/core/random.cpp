// SPDX-License-Identifier: BSL-1.0
#include <halograph/core/random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <vector>

namespace hg = halograph;

namespace {

// SplitMix64 of seed 1234567, as published with the xoshiro family's test vectors.
TEST(random_stream, gives_the_published_numbers) {
  hg::random_stream stream(1234567);
  for (const std::uint64_t want :
       {6457827717110365317ull, 3203168211198807973ull, 9817491932198370423ull,
        4593380528125082431ull, 16408922859458223821ull}) {
    EXPECT_EQ(stream.next(), want);
  }
}

TEST(random_stream, is_a_value_that_can_be_replayed) {
  constexpr auto third = [](hg::random_stream stream) {
    stream.next();
    stream.next();
    return stream.next();
  };
  static_assert(third(hg::random_stream(5)) == third(hg::random_stream(5)));
  static_assert(third(hg::random_stream(5)) != third(hg::random_stream(6)));
  hg::random_stream one = hg::random_stream::at(3, 4), two = hg::random_stream::at(3, 4);
  EXPECT_EQ(one.next(), two.next());
  std::set<std::uint64_t> firsts;
  for (std::uint64_t i = 0; i < 1000; ++i) firsts.insert(hg::random_stream::at(3, i).next());
  EXPECT_EQ(firsts.size(), 1000u);
}

TEST(random_stream, draws_below_a_bound_evenly) {
  hg::random_stream stream(11);
  for (const std::uint64_t bound : {1ull, 2ull, 3ull, 10ull, (1ull << 63) + 1, ~0ull}) {
    for (int i = 0; i < 200; ++i) ASSERT_LT(stream.below(bound), bound);
  }
  std::array<int, 6> counts{};
  for (int i = 0; i < 60000; ++i) ++counts[static_cast<std::size_t>(stream.below(6))];
  // Five standard deviations of a fair die: 5 x sqrt(60000 x 1/6 x 5/6) = 456.
  for (const int count : counts) EXPECT_NEAR(count, 10000, 456);
}

TEST(multiply_high, is_the_upper_half_of_the_product) {
  EXPECT_EQ(hg::multiply_high(~0ull, ~0ull), ~0ull - 1);
  EXPECT_EQ(hg::multiply_high(1ull << 32, 1ull << 32), 1u);
  EXPECT_EQ(hg::multiply_high(1ull << 32, (1ull << 32) - 1), 0u);
  EXPECT_EQ(hg::multiply_high(0xDEADBEEFCAFEBABEull, 0x123456789ABCDEF0ull), 0xFD5BDEEEB2A01D7ull);
}

TEST(shuffle, makes_every_order_equally_often) {
  hg::random_stream stream(7);
  std::map<std::array<int, 4>, int> counts;
  for (int i = 0; i < 24000; ++i) {
    std::array<int, 4> cards{0, 1, 2, 3};
    hg::shuffle(std::span<int>(cards), stream);
    ++counts[cards];
  }
  EXPECT_EQ(counts.size(), 24u);
  // 5 x sqrt(24000 x 1/24 x 23/24) = 155.
  for (const auto& [order, count] : counts) EXPECT_NEAR(count, 1000, 155);
  std::vector<int> none;
  hg::shuffle(std::span<int>(none), stream);
}

}  // namespace
