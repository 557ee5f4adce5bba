// SPDX-License-Identifier: BSL-1.0
#include <halograph/serial/text/edges.hpp>
#include <halograph/serial/text/numbers.hpp>

#include <gtest/gtest.h>
#include <support/piece_threads.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hg = halograph;

namespace {

std::span<const std::byte> bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

/// Hands out pieces to threads, and claims to be wider than it is, so that small texts are cut too.
using threads = hg::testing::piece_threads;

template <class Node>
class append_edges_of : public testing::Test {};
using widths = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                              std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(append_edges_of, widths);

TYPED_TEST(append_edges_of, reads_back_what_was_appended) {
  std::mt19937_64 random(5);
  std::vector<TypeParam> source(3000), target(3000);
  constexpr auto top = static_cast<std::uint64_t>(std::numeric_limits<TypeParam>::max());
  for (auto& u : source) u = static_cast<TypeParam>(random() % top);
  for (auto& v : target) v = static_cast<TypeParam>((random() >> random() % 64) % top);
  std::string text = "0 0\n";
  hg::append_edges<TypeParam>(text, source, target);
  const auto read = hg::read_edges<TypeParam>(bytes(text), "f");
  source.insert(source.begin(), TypeParam{0});
  target.insert(target.begin(), TypeParam{0});
  EXPECT_EQ(read.source, source);
  EXPECT_EQ(read.target, target);
}

TEST(append_edges, appends_the_same_text_on_any_number_of_threads) {
  std::mt19937_64 random(6);
  std::vector<std::uint32_t> source(300'001), target(source.size());
  for (auto& u : source) u = static_cast<std::uint32_t>(random() >> (32 + random() % 32));
  for (auto& v : target) v = static_cast<std::uint32_t>(random() >> (32 + random() % 32));
  // Below what is worth a thread, at it, one more; as much as a round of runs, one more; several
  // rounds.
  for (const std::size_t edges :
       {0u, 1u, 4096u, 4097u, 8192u, 8193u, 131'072u, 131'073u, 196'609u, 300'001u}) {
    const std::span from(source.data(), edges), to(target.data(), edges);
    std::string alone = "head\n";
    hg::append_edges<std::uint32_t>(alone, from, to, ',');
    for (const std::size_t count : {0u, 1u, 2u, 3u, 7u}) {
      const threads run{count};
      std::string text = "head\n";
      hg::append_edges<std::uint32_t>(text, from, to, ',', run);
      ASSERT_TRUE(text == alone) << edges << " edges, " << count << " threads";
    }
  }
}

TEST(append_column, writes_what_the_standard_library_writes) {
  std::vector<std::int64_t> values;
  std::string expected;
  std::mt19937_64 random(11);
  for (std::uint64_t power = 1, digits = 0; digits < 20; ++digits, power *= 10) {
    for (const std::uint64_t value :
         {power - 1, power, power + 1, power + random() % power, 0 - power}) {
      values.push_back(static_cast<std::int64_t>(value));
    }
  }
  for (const auto value : values) expected += std::to_string(value) + "\n";
  std::string out;
  hg::append_column<std::int64_t>(out, values);
  EXPECT_EQ(out, expected);
  out = expected = {};
  for (const auto value : values)
    expected += std::to_string(static_cast<std::uint64_t>(value)) + "\n";
  hg::append_column<std::uint64_t>(out, std::vector<std::uint64_t>(values.begin(), values.end()));
  EXPECT_EQ(out, expected);
}

TEST(append_column, writes_extremes) {
  std::string text;
  hg::append_column<std::int64_t>(
      text, std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::min(), 0,
                                      std::numeric_limits<std::int64_t>::max()});
  hg::append_column<std::uint8_t>(text, std::vector<std::uint8_t>{65, 255});
  EXPECT_EQ(text, "-9223372036854775808\n0\n9223372036854775807\n65\n255\n");
}

}  // namespace
