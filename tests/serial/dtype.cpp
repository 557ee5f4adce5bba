// SPDX-License-Identifier: BSL-1.0
#include <halograph/serial/dtype.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string_view>

namespace hg = halograph;

namespace {

static_assert(hg::dtype_of<std::int8_t>() == hg::dtype::int8 &&
              hg::dtype_of<std::uint64_t>() == hg::dtype::uint64);
static_assert(hg::dtype_of<long long>() == hg::dtype::int64 &&
              hg::dtype_of<float>() == hg::dtype::float32);
static_assert(hg::dtype_of<double>() == hg::dtype::float64 &&
              hg::dtype_of<bool>() == hg::dtype::boolean);
static_assert(hg::is_integer(hg::dtype::boolean) && hg::is_integer(hg::dtype::uint64) &&
              !hg::is_integer(hg::dtype::float16));
static_assert(hg::is_floating(hg::dtype::bfloat16) && hg::is_floating(hg::dtype::float16) &&
              !hg::is_floating(hg::dtype::boolean));
static_assert(hg::stored_dtype(hg::dtype::boolean) == hg::dtype::uint8 &&
              hg::stored_dtype(hg::dtype::int8) == hg::dtype::int8);

TEST(dtype, every_type_has_a_name_of_its_own_and_a_size) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(hg::dtype::boolean); ++i) {
    const auto type = static_cast<hg::dtype>(i);
    names.insert(hg::name(type));
    EXPECT_EQ(hg::dtype_named(hg::name(type)), type);
    EXPECT_NE(hg::item_bytes(type), 0u);
    // A name that ends in bits ends in its size.
    const auto digits = hg::name(type).find_first_of("0123456789");
    if (digits == std::string_view::npos) continue;
    int bits = 0;
    for (const char c : hg::name(type).substr(digits)) bits = 10 * bits + (c - '0');
    EXPECT_EQ(hg::item_bytes(type) * 8, static_cast<std::size_t>(bits)) << hg::name(type);
  }
  EXPECT_EQ(names.size(), 13u);
}

TEST(dtype, numbers_that_are_no_type_are_unknown) {
  for (const int number : {13, 14, 100, 255}) {
    EXPECT_EQ(hg::name(static_cast<hg::dtype>(number)), "unknown");
    EXPECT_EQ(hg::item_bytes(static_cast<hg::dtype>(number)), 0u);
  }
  EXPECT_FALSE(hg::dtype_named("unknown"));
  EXPECT_FALSE(hg::dtype_named("float128"));
  EXPECT_FALSE(hg::dtype_named(""));
}

TEST(dtype, every_type_is_an_integer_or_floating_but_not_both) {
  for (int i = 0; i <= static_cast<int>(hg::dtype::boolean); ++i) {
    const auto type = static_cast<hg::dtype>(i);
    EXPECT_EQ(hg::is_floating(type), hg::name(type).find("float") != std::string_view::npos);
    EXPECT_NE(hg::is_integer(type), hg::is_floating(type)) << hg::name(type);
  }
}

TEST(dtype, two_types_are_promoted_as_numpy_promotes_them) {
  using enum hg::dtype;
  struct {
    hg::dtype a, b, both;
  } const cases[] = {
      {boolean, int8, int8},        {boolean, float16, float16},  {int8, int64, int64},
      {uint16, uint8, uint16},      {uint8, int8, int16},         {uint16, int16, int32},
      {uint8, int32, int32},        {uint32, int8, int64},        {uint64, int8, float64},
      {uint64, int64, float64},     {float16, float32, float32},  {float64, float32, float64},
      {float16, bfloat16, float32}, {bfloat16, float64, float64}, {int8, float16, float16},
      {bfloat16, uint8, bfloat16},  {int16, float16, float32},    {uint16, float32, float32},
      {int16, float64, float64},    {int32, float32, float64},    {uint64, float16, float64},
  };
  for (const auto& [a, b, both] : cases) {
    EXPECT_EQ(hg::name(hg::promoted(a, b)), hg::name(both)) << hg::name(a) << ", " << hg::name(b);
    EXPECT_EQ(hg::name(hg::promoted(b, a)), hg::name(both)) << hg::name(b) << ", " << hg::name(a);
    EXPECT_EQ(hg::promoted(both, a), both);
  }
}

}  // namespace
