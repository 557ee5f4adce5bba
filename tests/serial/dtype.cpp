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

}  // namespace
