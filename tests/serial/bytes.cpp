// SPDX-License-Identifier: BSL-1.0
#include <halograph/serial/bytes.hpp>
#include <halograph/testing/archetypes.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace hg = halograph;

namespace {

static_assert(hg::byte_sink<hg::archetype::byte_sink> &&
              hg::byte_source<hg::archetype::byte_source>);
static_assert(!hg::memory_source<hg::archetype::byte_source> && hg::memory_source<hg::span_source>);
static_assert(!hg::byte_sink<hg::near_miss::byte_sink_of_bool> &&
              !hg::byte_source<hg::near_miss::byte_source_without_size> &&
              !hg::byte_source<hg::near_miss::byte_source_not_const>);

std::vector<std::byte> bytes_of(std::initializer_list<int> values) {
  std::vector<std::byte> out;
  for (const int value : values) out.push_back(static_cast<std::byte>(value));
  return out;
}

TEST(memory_sink, takes_pieces_in_any_order_and_fills_gaps_with_zeros) {
  hg::memory_sink sink;
  EXPECT_EQ(sink.write_at(4, bytes_of({5})), hg::status::ok);
  EXPECT_EQ(sink.write_at(0, bytes_of({1, 2})), hg::status::ok);
  EXPECT_EQ(sink.write_at(1, bytes_of({3})), hg::status::ok);
  const auto want = bytes_of({1, 3, 0, 0, 5});
  EXPECT_TRUE(std::equal(sink.bytes().begin(), sink.bytes().end(), want.begin(), want.end()));
}

TEST(memory_sink, refuses_positions_that_no_memory_can_have) {
  hg::memory_sink sink;
  const auto two = bytes_of({1, 2});
  for (const std::uint64_t far :
       {std::numeric_limits<std::uint64_t>::max(), std::numeric_limits<std::uint64_t>::max() - 1,
        std::uint64_t{1} << 63, (std::uint64_t{1} << 63) - 2}) {
    EXPECT_EQ(sink.write_at(far, two), hg::status::overflow) << far;
  }
  EXPECT_TRUE(sink.bytes().empty());
}

TEST(null_sink, counts) {
  hg::null_sink sink;
  EXPECT_EQ(sink.write_at(std::numeric_limits<std::uint64_t>::max(), bytes_of({1, 2})),
            hg::status::ok);
  EXPECT_EQ(sink.written(), 2u);
}

TEST(span_source, reads_inside_and_says_truncated_beyond) {
  const auto data = bytes_of({1, 2, 3});
  const hg::span_source source{std::span<const std::byte>(data)};
  std::array<std::byte, 2> out{};
  EXPECT_EQ(source.read_at(1, out), hg::status::ok);
  EXPECT_EQ(static_cast<int>(out[1]), 3);
  EXPECT_EQ(source.read_at(3, std::span(out).first(0)), hg::status::ok);
  for (const std::uint64_t bad :
       {std::uint64_t{2}, std::uint64_t{4}, std::numeric_limits<std::uint64_t>::max(),
        std::numeric_limits<std::uint64_t>::max() - 1}) {
    EXPECT_EQ(source.read_at(bad, out), hg::status::truncated) << bad;
    EXPECT_EQ(source.read_at(bad, out).position, 3u);
  }
}

template <class T>
class little_endian : public testing::Test {};
using integers = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                                std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(little_endian, integers);

TYPED_TEST(little_endian, the_lowest_byte_comes_first_and_all_come_back) {
  using limits = std::numeric_limits<TypeParam>;
  std::array<std::byte, sizeof(TypeParam)> memory{};
  for (const TypeParam value :
       {limits::min(), limits::max(), TypeParam{0}, TypeParam{1},
        static_cast<TypeParam>(0x0807060504030201), static_cast<TypeParam>(-2)}) {
    hg::store_le(value, memory.data());
    for (std::size_t i = 0; i < sizeof(TypeParam); ++i) {
      ASSERT_EQ(static_cast<std::uint8_t>(memory[i]),
                static_cast<std::uint8_t>(static_cast<std::uint64_t>(value) >> (8 * i)));
    }
    ASSERT_EQ(hg::load_le<TypeParam>(memory.data()), value);
  }
}

/// Says what is called.
struct noting_sink {
  std::vector<std::string>* calls;
  hg::status write_at(std::uint64_t, std::span<const std::byte>) {
    calls->push_back("write_at");
    return hg::status::internal;
  }
  void require(hg::status answer) const { calls->push_back(answer ? "ok" : "require"); }
  void sync() { calls->push_back("sync"); }
  void close() { calls->push_back("close"); }
  hg::status write_apart(std::uint64_t, std::span<const std::byte>) {
    calls->push_back("write_apart");
    return hg::status::ok;
  }
  void account_for(std::uint64_t, std::span<const std::byte>) { calls->push_back("account_for"); }
};

TEST(any_sink, has_every_ability_of_the_sink) {
  std::vector<std::string> calls;
  hg::any_sink sink(noting_sink{&calls});
  EXPECT_TRUE(sink.writes_apart());
  EXPECT_EQ(sink.write_at(0, {}), hg::status::internal);
  sink.require(hg::status::internal);
  EXPECT_EQ(sink.write_apart(0, {}), hg::status::ok);
  sink.account_for(0, {});
  sink.sync();
  sink.close();
  EXPECT_EQ(calls, (std::vector<std::string>{"write_at", "require", "write_apart", "account_for",
                                             "sync", "close"}));
}

TEST(any_sink, does_without_abilities_that_the_sink_lacks) {
  hg::any_sink sink(hg::memory_sink{});
  EXPECT_FALSE(sink.writes_apart());
  EXPECT_EQ(sink.write_at(2, bytes_of({7})), hg::status::ok);
  sink.require(hg::status::internal);
  sink.sync();
  sink.close();
}

TEST(require_written, asks_the_sink_to_throw_first_and_names_the_file) {
  hg::require_written(hg::memory_sink{}, hg::status::ok, "f");
  std::vector<std::string> calls;
  try {
    hg::require_written(noting_sink{&calls}, hg::status{hg::error_kind::io, 7}, "f");
    FAIL();
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.code(), hg::error_kind::io);
    EXPECT_EQ(problem.where().file, "f");
    EXPECT_EQ(problem.where().byte, 7u);
  }
  EXPECT_EQ(calls, (std::vector<std::string>{"require"}));
}

}  // namespace
