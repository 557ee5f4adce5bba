// SPDX-License-Identifier: BSL-1.0
#include <halograph/core/error.hpp>
#include <halograph/serial/tensor.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace hg = halograph;

namespace {

template <class F>
hg::error_kind code_of(F&& f) {
  try {
    f();
  } catch (const hg::error& problem) {
    return problem.code();
  }
  return hg::error_kind::ok;
}

TEST(tensor, shapes_print_as_in_python) {
  EXPECT_EQ(hg::to_string(hg::tensor_shape{3, 2}), "(3, 2)");
  EXPECT_EQ(hg::to_string(hg::tensor_shape{5}), "(5,)");
  EXPECT_EQ(hg::to_string(hg::tensor_shape{}), "()");
}

TEST(tensor, counts_its_bytes_or_says_that_they_do_not_fit) {
  std::uint64_t bytes = 9;
  const auto count = [&](hg::tensor_shape shape) {
    return hg::tensor_bytes_into(shape, hg::dtype::int32, bytes);
  };
  EXPECT_TRUE(count({}) && bytes == 4);
  EXPECT_TRUE(count({3, 2}) && bytes == 24);
  EXPECT_TRUE(count({0, 7}) && bytes == 0);
  EXPECT_TRUE(count({std::uint64_t{1} << 61}) && bytes == std::uint64_t{1} << 63);
  EXPECT_EQ(count({std::uint64_t{1} << 62}), hg::status::overflow);
  EXPECT_EQ(count({std::uint64_t{1} << 62, 4}), hg::status::overflow);
  EXPECT_EQ(count({0, std::uint64_t{1} << 62, 4}), hg::status::overflow);
}

TEST(tensor, a_shape_that_wraps_to_nothing_is_refused) {
  const std::uint64_t big = std::uint64_t{1} << 62;
  EXPECT_EQ(code_of([&] { hg::tensor(hg::dtype::uint8, {big, 4}, {}); }), hg::error_kind::overflow);
  EXPECT_EQ(code_of([&] { hg::tensor(hg::dtype::int64, {std::uint64_t{1} << 61}, {}); }),
            hg::error_kind::overflow);
  EXPECT_EQ(code_of([&] { hg::tensor(hg::dtype::uint8, {0, big, 4}, {}); }),
            hg::error_kind::overflow);
  const std::array<std::byte, 8> eight{};
  EXPECT_EQ(code_of([&] { hg::tensor(hg::dtype::uint8, {9}, eight); }), hg::error_kind::mismatch);
  EXPECT_EQ(code_of([&] { hg::tensor(hg::dtype::int64, {}, eight); }), hg::error_kind::ok);
  EXPECT_EQ(code_of([&] { hg::tensor(hg::dtype::int64, {1, 1, 1}, eight); }), hg::error_kind::ok);
}

template <class T>
class tensor_of_integers : public testing::Test {};
using integers = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                                std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(tensor_of_integers, integers);

TYPED_TEST(tensor_of_integers, gives_them_back_one_by_one_and_as_a_column) {
  using limits = std::numeric_limits<TypeParam>;
  const std::vector<TypeParam> column{limits::min(), 0, 1, limits::max()};
  const auto t = hg::tensor::from(column, {2, 2});
  EXPECT_EQ(t.type(), hg::dtype_of<TypeParam>());
  EXPECT_EQ(t.rows(), 2u);
  EXPECT_EQ(t.row_bytes(), 2 * sizeof(TypeParam));
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(t.integer(i), static_cast<std::int64_t>(column[i]));
  EXPECT_EQ(t.template values<TypeParam>(), column);
  for (const std::size_t bad : {std::size_t{4}, std::size_t{5}, static_cast<std::size_t>(-1)}) {
    EXPECT_EQ(code_of([&] { static_cast<void>(t.integer(bad)); }), hg::error_kind::out_of_range);
  }
  EXPECT_EQ(code_of([&] { static_cast<void>(t.template values<double>()); }),
            hg::error_kind::mismatch);
}

TYPED_TEST(tensor_of_integers, serve_as_ids_of_rows) {
  const auto t = hg::tensor::from(std::vector<std::uint16_t>{10, 11, 20, 21, 30, 31}, {3, 2});
  const std::vector<TypeParam> ids{2, 0, 2};
  std::vector<std::uint16_t> out(6);
  ASSERT_EQ(t.gather(std::span<const TypeParam>(ids), std::as_writable_bytes(std::span(out))),
            hg::status::ok);
  EXPECT_EQ(out, (std::vector<std::uint16_t>{30, 31, 10, 11, 30, 31}));
  for (const TypeParam bad : {static_cast<TypeParam>(3), std::numeric_limits<TypeParam>::max(),
                              static_cast<TypeParam>(-1)}) {
    const std::vector<TypeParam> wrong{0, bad};
    const auto answer = t.gather(std::span<const TypeParam>(wrong),
                                 std::as_writable_bytes(std::span(out)));
    EXPECT_EQ(answer, hg::status::out_of_range);
    EXPECT_EQ(answer.position, 1u);
  }
  const auto small = t.gather(std::span<const TypeParam>(ids),
                              std::as_writable_bytes(std::span(out)).first(11));
  EXPECT_EQ(small, hg::status::capacity);
  EXPECT_EQ(small.position, 12u);
}

TEST(tensor, of_other_types_holds_no_integers) {
  const auto t = hg::tensor::from(std::vector<float>{1.5f});
  EXPECT_EQ(code_of([&] { static_cast<void>(t.integer(0)); }), hg::error_kind::mismatch);
  EXPECT_EQ(t.values<float>(), (std::vector<float>{1.5f}));
}

TEST(tensor, of_rank_0_is_one_row) {
  const auto scalar = hg::tensor::from(std::vector<float>{7}, hg::tensor_shape{});
  EXPECT_EQ(scalar.rank(), 0u);
  EXPECT_EQ(scalar.rows(), 1u);
  EXPECT_TRUE(scalar.row_shape().empty());
  EXPECT_EQ(scalar.bytes().size(), 4u);
}

TEST(tensor, rows_of_no_values_are_gathered_into_nothing) {
  const hg::tensor t(hg::dtype::float32, {3, 0}, {});
  const std::array<std::uint8_t, 2> ids{0, 2}, wrong{0, 3};
  EXPECT_EQ(t.gather(std::span<const std::uint8_t>(ids), {}), hg::status::ok);
  EXPECT_EQ(t.gather(std::span<const std::uint8_t>(wrong), {}), hg::status::out_of_range);
}

TEST(tensor, keeps_its_memory_alive_and_is_copied_as_a_handle) {
  auto memory = std::make_shared<std::vector<std::byte>>(4);
  const std::weak_ptr<const void> watch = memory;
  hg::tensor copy;
  {
    const hg::tensor t(hg::dtype::int32, {1}, *memory, memory);
    memory.reset();
    copy = t;
    EXPECT_EQ(copy.bytes().data(), t.bytes().data());
    EXPECT_EQ(copy, t);
  }
  EXPECT_FALSE(watch.expired());
  copy = hg::tensor();
  EXPECT_TRUE(watch.expired());
  EXPECT_EQ(copy.rows(), 0u);
}

TEST(tensor, equality_looks_at_type_shape_and_bytes) {
  const auto a = hg::tensor::from(std::vector<std::int32_t>{1, 2});
  EXPECT_EQ(a, hg::tensor::from(std::vector<std::int32_t>{1, 2}));
  EXPECT_FALSE(a == hg::tensor::from(std::vector<std::int32_t>{1, 3}));
  EXPECT_FALSE(a == hg::tensor::from(std::vector<std::int32_t>{1, 2}, {2, 1}));
  EXPECT_FALSE(a == hg::tensor::from(std::vector<std::uint32_t>{1, 2}));
}

TEST(tensor, of_booleans_holds_integers) {
  const auto t = hg::tensor::from(std::vector<std::uint8_t>{0, 1}, {2}, hg::dtype::boolean);
  EXPECT_EQ(t.integer(0), 0);
  EXPECT_EQ(t.integer(1), 1);
}

}  // namespace
