// SPDX-License-Identifier: BSL-1.0
#include <halograph/core/random.hpp>
#include <halograph/relabel/unshuffle.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace hg = halograph;

namespace {

template <class Id>
class unshuffle_of_ids : public testing::Test {};
using id_types = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                                std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(unshuffle_of_ids, id_types);

TYPED_TEST(unshuffle_of_ids, puts_every_row_back) {
  hg::random_stream draw(2);
  for (const std::size_t count : {0u, 1u, 2u, 60u, 128u}) {
    for (const std::size_t width : {1u, 3u}) {
      std::vector<TypeParam> mapping(count);
      for (std::size_t i = 0; i < count; ++i) mapping[i] = static_cast<TypeParam>(i);
      hg::shuffle(std::span(mapping), draw);
      std::vector<int> original(count * width), rows(count * width), out(count * width, -1),
          by_bytes(count * width, -1);
      std::iota(original.begin(), original.end(), 100);
      for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t k = 0; k < width; ++k)
          rows[i * width + k] = original[hg::index(mapping[i]) * width + k];
      }
      ASSERT_EQ(hg::unshuffle(mapping, rows, out), hg::status::ok);
      ASSERT_EQ(out, original);
      ASSERT_EQ(hg::unshuffle_bytes(std::span<const TypeParam>(mapping), width * sizeof(int),
                                    std::as_bytes(std::span(rows)),
                                    std::as_writable_bytes(std::span(by_bytes))),
                hg::status::ok);
      ASSERT_EQ(by_bytes, original);
    }
  }
}

constexpr bool in_constant_expressions() {
  const std::array<std::uint8_t, 3> mapping{2, 0, 1};
  const std::array<int, 3> rows{30, 10, 20};
  std::array<int, 3> out{};
  if (hg::unshuffle(mapping, rows, std::span<int>(out)) != hg::status::ok) return false;
  return out == std::array<int, 3>{10, 20, 30};
}
static_assert(in_constant_expressions());

TEST(unshuffle, rejects_sizes_that_disagree) {
  const std::vector<std::int32_t> two{0, 1}, none{};
  std::vector<int> five(5), four(4), nothing;
  EXPECT_EQ(hg::unshuffle(two, std::vector<int>(5), five), hg::status::mismatch);
  EXPECT_EQ(hg::unshuffle(two, std::vector<int>(2), four), hg::status::mismatch);
  EXPECT_EQ(hg::unshuffle(none, std::vector<int>(4), four), hg::status::mismatch);
  EXPECT_EQ(hg::unshuffle(none, nothing, nothing), hg::status::ok);
  EXPECT_EQ(hg::unshuffle(two, nothing, nothing), hg::status::ok);  // rows of no values
  std::array<std::byte, 8> in{}, out{};
  const std::span<const std::int32_t> mapping(two);
  EXPECT_EQ(hg::unshuffle_bytes(mapping, 4, in, out), hg::status::ok);
  EXPECT_EQ(hg::unshuffle_bytes(mapping, 3, in, out), hg::status::mismatch);
  EXPECT_EQ(hg::unshuffle_bytes(mapping, 8, in, out), hg::status::mismatch);
  EXPECT_EQ(hg::unshuffle_bytes(mapping, 4, in, std::span(out).first(4)), hg::status::mismatch);
  EXPECT_EQ(hg::unshuffle_bytes(mapping, 0, std::span<const std::byte>{}, std::span<std::byte>{}),
            hg::status::ok);
  // 2 rows of 2^63 bytes wrap to 0.
  EXPECT_EQ(hg::unshuffle_bytes(mapping, static_cast<std::size_t>(1) << 63,
                                std::span<const std::byte>{}, std::span<std::byte>{}),
            hg::status::mismatch);
}

TEST(unshuffle, names_the_place_of_a_row_out_of_range) {
  for (const std::int8_t bad :
       {std::int8_t{-1}, std::int8_t{-128}, std::int8_t{3}, std::int8_t{127}}) {
    const std::array<std::int8_t, 3> mapping{0, 1, bad};
    std::array<std::uint16_t, 3> rows{}, out{};
    const auto answer = hg::unshuffle(mapping, rows, out);
    EXPECT_EQ(answer, hg::status::out_of_range);
    EXPECT_EQ(answer.position, 2u);
    const auto by_bytes = hg::unshuffle_bytes(std::span<const std::int8_t>(mapping), 2,
                                              std::as_bytes(std::span(rows)),
                                              std::as_writable_bytes(std::span(out)));
    EXPECT_EQ(by_bytes, hg::status::out_of_range);
    EXPECT_EQ(by_bytes.position, 2u);
  }
}

}  // namespace
