// SPDX-License-Identifier: BSL-1.0
#include <halograph/serial/text/readable.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace {

namespace readable = halograph::readable;

TEST(readable, tells_times_in_two_units_at_most) {
  EXPECT_EQ(readable::duration(0), "0 s");
  EXPECT_EQ(readable::duration(99.4), "99 s");
  EXPECT_EQ(readable::duration(99.5), "1 min 40 s");
  EXPECT_EQ(readable::duration(303), "5 min 03 s");
  EXPECT_EQ(readable::duration(5999), "99 min 59 s");
  EXPECT_EQ(readable::duration(6000), "1 h 40 min");
  EXPECT_EQ(readable::duration(3600e4 + 61), "10,000 h 01 min");
  EXPECT_EQ(readable::duration(-1), "0 s");
  EXPECT_EQ(readable::duration(1e300), "277,777,777,777 h 46 min");
}
TEST(readable, groups_digits_by_three) {
  EXPECT_EQ(readable::grouped(0), "0");
  EXPECT_EQ(readable::grouped(999), "999");
  EXPECT_EQ(readable::grouped(1000), "1,000");
  EXPECT_EQ(readable::grouped(~std::uint64_t{0}), "18,446,744,073,709,551,615");
}

TEST(readable, counts_one_and_several) {
  EXPECT_EQ(readable::counted(1, "node"), "1 node");
  EXPECT_EQ(readable::counted(0, "node"), "0 nodes");
  EXPECT_EQ(readable::counted(2000, "node"), "2,000 nodes");
  EXPECT_EQ(readable::counted(1, "vertex", "vertices"), "1 vertex");
  EXPECT_EQ(readable::counted(2, "vertex", "vertices"), "2 vertices");
}

TEST(readable, writes_bytes_with_a_unit) {
  EXPECT_EQ(readable::bytes(std::uint64_t{1023}), "1023 B");
  EXPECT_EQ(readable::bytes(1536.0), "1.5 KiB");
  EXPECT_EQ(readable::bytes(std::uint64_t{5} << 30), "5.0 GiB");
}

// Figures of files may be anything that is a number.
TEST(readable, takes_any_number) {
  EXPECT_EQ(readable::percent(0.1236), "12.4%");
  EXPECT_EQ(readable::fixed(-0.5, 3), "-0.500");
  EXPECT_EQ(readable::fixed(std::numeric_limits<double>::infinity(), 3), "inf");
  EXPECT_TRUE(readable::bytes(std::numeric_limits<double>::max()).ends_with(" PiB"));
}

}  // namespace
