// SPDX-License-Identifier: BSL-1.0
#include <halograph/core/random.hpp>
#include <halograph/core/search.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace hg = halograph;

namespace {

template <class Offset>
class search_offsets : public testing::Test {};
using offset_types = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                                    std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(search_offsets, offset_types);

template <class Offset>
void compare(const std::vector<Offset>& row, hg::search_value<Offset> value) {
  using wide = hg::search_value<Offset>;
  const auto want = std::upper_bound(row.begin(), row.end(), value,
                                     [](wide v, Offset b) { return v < static_cast<wide>(b); });
  const std::span<const Offset> boundaries(row);
  EXPECT_EQ(hg::count_not_above(boundaries, value), static_cast<std::size_t>(want - row.begin()));
  if (row.empty() || value >= static_cast<wide>(row.back())) return;
  std::vector<std::uint32_t> table(hg::boundary_index<Offset>::memory_size(row.size()), 77);
  ASSERT_EQ(hg::boundary_index<Offset>::build(boundaries, table), hg::status::ok);
  const hg::boundary_index<Offset> index(boundaries, table), plain(boundaries);
  EXPECT_EQ(index.count_not_above(value), static_cast<std::size_t>(want - row.begin()));
  EXPECT_EQ(plain.count_not_above(value), static_cast<std::size_t>(want - row.begin()));
  // All at once, where eight are searched together and a rest follows, each over its place in the
  // row of questions.
  for (const auto& one : {index, plain}) {
    std::vector<hg::search_value<Offset>> values(11, value);
    one.for_each_count(std::span<const hg::search_value<Offset>>(values),
                       [&](std::size_t i, auto asked, std::size_t count) {
                         EXPECT_EQ(asked, value);
                         values[i] = static_cast<hg::search_value<Offset>>(count);
                       });
    EXPECT_EQ(values, std::vector<hg::search_value<Offset>>(
                          11, static_cast<hg::search_value<Offset>>(want - row.begin())));
  }
}

TYPED_TEST(search_offsets, agrees_with_upper_bound) {
  hg::random_stream draw(5);
  for (int round = 0; round < 200; ++round) {
    std::vector<TypeParam> row(draw.below(40));
    const std::uint64_t top = 1 + draw.below(127);
    for (auto& b : row) b = static_cast<TypeParam>(draw.below(top));  // repeats, zeros, crowds
    std::sort(row.begin(), row.end());
    for (std::uint64_t value = 0; value < 130; value += 1 + draw.below(4))
      compare(row, static_cast<hg::search_value<TypeParam>>(value));
  }
}

TYPED_TEST(search_offsets, rows_of_values_find_dense_and_sparse_boundaries) {
  using wide = hg::search_value<TypeParam>;
  hg::random_stream draw(7);
  for (int round = 0; round < 60; ++round) {
    std::vector<TypeParam> row(1 + draw.below(24), TypeParam{127});
    for (std::size_t k = 0; k + 1 < row.size(); ++k)
      row[k] = static_cast<TypeParam>(round % 2 ? draw.below(128) : draw.below(9));
    std::sort(row.begin(), row.end());
    std::vector<std::uint32_t> table(hg::boundary_index<TypeParam>::memory_size(row.size()));
    ASSERT_EQ(hg::boundary_index<TypeParam>::build(std::span<const TypeParam>(row), table),
              hg::status::ok);
    std::vector<wide> values(draw.below(70)), want;
    for (auto& value : values) {
      value = static_cast<wide>(draw.below(2) ? draw.below(127) : draw.below(9));
      want.push_back(static_cast<wide>(std::count_if(
          row.begin(), row.end(), [&](TypeParam b) { return static_cast<wide>(b) <= value; })));
    }
    for (const auto& index :
         {hg::boundary_index<TypeParam>(row, table), hg::boundary_index<TypeParam>(row)}) {
      auto answers = values;  // written where the questions stood
      index.for_each_count(std::span<const wide>(answers),
                           [&](std::size_t i, auto asked, std::size_t count) {
                             EXPECT_EQ(asked, values[i]);
                             answers[i] = static_cast<wide>(count);
                           });
      ASSERT_EQ(answers, want);
    }
  }
}

TYPED_TEST(search_offsets, agrees_with_upper_bound_up_to_the_largest_value) {
  using wide = hg::search_value<TypeParam>;
  constexpr auto top = std::numeric_limits<TypeParam>::max();
  hg::random_stream draw(6);
  for (int round = 0; round < 100; ++round) {
    std::vector<TypeParam> row(1 + draw.below(20), top);
    for (std::size_t k = 0; k + 1 < row.size(); ++k)
      row[k] = static_cast<TypeParam>(draw.next() >> (1 + draw.below(63))) & top;
    std::sort(row.begin(), row.end());
    for (const TypeParam b : row) {
      compare(row, static_cast<wide>(b));
      compare(row, static_cast<wide>(static_cast<wide>(b) - 1));
    }
    compare(row, static_cast<wide>(top - 1));
    compare(row, static_cast<wide>(draw.next()) & static_cast<wide>(top));
  }
}

TYPED_TEST(search_offsets, range_of_finds_the_range_that_holds_a_value) {
  using wide = hg::search_value<TypeParam>;
  constexpr auto top = std::numeric_limits<TypeParam>::max();
  hg::random_stream draw(8);
  for (int round = 0; round < 300; ++round) {
    std::vector<TypeParam> row(2 + draw.below(20));
    // Empty ranges in the middle and at both ends; boundaries that do not begin at 0; the largest
    // value.
    const std::uint64_t most = 1 + draw.below(127);
    for (auto& b : row)
      b = round % 3 == 0 ? static_cast<TypeParam>(
                               static_cast<TypeParam>(draw.next() >> (1 + draw.below(63))) & top)
                         : static_cast<TypeParam>(draw.below(most));
    std::sort(row.begin(), row.end());
    const std::span<const TypeParam> boundaries(row);
    for (std::size_t r = 0; r + 1 < row.size(); ++r) {
      if (row[r] == row[r + 1]) continue;
      EXPECT_EQ(hg::range_of(boundaries, static_cast<wide>(row[r])), r);
      EXPECT_EQ(hg::range_of(boundaries, static_cast<wide>(row[r + 1] - 1)), r);
    }
    EXPECT_EQ(hg::range_of(std::span<const TypeParam>(std::vector<TypeParam>{5, 5, 6}), 0), 0u);
    EXPECT_EQ(hg::range_of(boundaries, std::numeric_limits<wide>::max()), row.size() - 2);
  }
}

constexpr bool works_at_compile_time() {
  const std::array<std::uint16_t, 4> row{3, 3, 9, 500};
  std::array<std::uint32_t, hg::boundary_index<std::uint16_t>::memory_size(4)> table{};
  const std::span<const std::uint16_t> boundaries(row);
  if (!hg::boundary_index<std::uint16_t>::build(boundaries, table)) return false;
  const hg::boundary_index<std::uint16_t> index(boundaries, table);
  if (hg::range_of(boundaries, 0) != 0 || hg::range_of(boundaries, 3) != 1 ||
      hg::range_of(boundaries, 9) != 2)
    return false;
  return index.count_not_above(2) == 0 && index.count_not_above(3) == 2 &&
         index.count_not_above(499) == 3;
}
static_assert(works_at_compile_time());

TEST(boundary_index, says_how_much_memory_it_needs) {
  const std::array<std::uint64_t, 2> row{3, 9};
  std::array<std::uint32_t, 16> table{};
  const std::span<const std::uint64_t> boundaries(row);
  EXPECT_EQ(hg::boundary_index<std::uint64_t>::build(boundaries, table).position, 17u);
  EXPECT_EQ(hg::boundary_index<std::uint64_t>::build(boundaries, table), hg::status::capacity);
}

TEST(boundary_index, has_fewer_buckets_for_each_of_more_than_4096_boundaries) {
  static_assert(hg::boundary_index<int>::memory_size(4096) == 8 * 4096 + 1);
  static_assert(hg::boundary_index<int>::memory_size(4097) == 4 * 4096 + 1);
}

TEST(boundary_index, refuses_boundaries_whose_numbers_have_more_than_31_bits) {
  // Refused before a boundary or an entry is read: there is one of each.
  const std::int8_t boundary = 1;
  std::uint32_t entry = 0;
  constexpr std::size_t many = std::size_t{1} << 31;
  const auto answer = hg::boundary_index<std::int8_t>::build(std::span(&boundary, many),
                                                             std::span(&entry, 4 * many));
  EXPECT_EQ(answer, hg::status::overflow);
  EXPECT_EQ(answer.position, many);
}

TEST(boundary_index, needs_its_whole_table_and_has_none_of_no_boundaries) {
  const std::vector<std::uint32_t> boundaries{1, 4, 9};
  std::vector<std::uint32_t> table(hg::boundary_index<std::uint32_t>::memory_size(3));
  using index = hg::boundary_index<std::uint32_t>;
  EXPECT_EQ(index::build(boundaries, std::span(table).first(table.size() - 1)),
            hg::status::capacity.at(table.size()));
  EXPECT_EQ(index::build(boundaries, table), hg::status::ok);
  const index none(std::span<const std::uint32_t>(), table);
  EXPECT_TRUE(none.boundaries().empty());
}

}  // namespace
