// SPDX-License-Identifier: BSL-1.0
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/element.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace hg = halograph;

namespace {

TEST(with_element, gives_a_type_that_reads_the_bytes_of_the_dtype) {
  const auto value = [](hg::dtype type, std::uint64_t bits) {
    std::array<std::byte, 8> bytes{};
    hg::detail::store_as(bits, bytes.data());
    return hg::detail::with_element(type, [&]<class T>(T) {
      EXPECT_EQ(sizeof(T), hg::item_bytes(type)) << hg::name(type);
      return static_cast<double>(hg::detail::load_as<T>(bytes.data()));
    });
  };
  struct {
    hg::dtype type;
    std::uint64_t bits;
    double value;
  } const cases[] = {
      {hg::dtype::int8, 0xFE, -2},
      {hg::dtype::int16, 0xFFFE, -2},
      {hg::dtype::int32, 0xFFFFFFFE, -2},
      {hg::dtype::int64, ~std::uint64_t{1}, -2},
      {hg::dtype::uint8, 0xFE, 254},
      {hg::dtype::boolean, 1, 1},
      {hg::dtype::uint16, 0xFFFE, 65534},
      {hg::dtype::uint32, 0xFFFFFFFE, 4294967294.0},
      {hg::dtype::uint64, std::uint64_t{1} << 63, 9223372036854775808.0},
      {hg::dtype::float16, 0xC100, -2.5},
      {hg::dtype::bfloat16, 0xC020, -2.5},
      {hg::dtype::float32, 0xC0200000, -2.5},
      {hg::dtype::float64, 0xC004000000000000, -2.5},
  };
  for (const auto& one : cases)
    EXPECT_EQ(value(one.type, one.bits), one.value) << hg::name(one.type);
}

}  // namespace
