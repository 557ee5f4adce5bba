// SPDX-License-Identifier: BSL-1.0
#include <halograph/core/checked_cast.hpp>
#include <halograph/core/random.hpp>
#include <halograph/schema/type_offsets.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace hg = halograph;

namespace {

using hg::status;
using hg::type_id;
using hg::typed_id;

// No heap, 8-bit IDs, all 256 of them, at compile time.
constexpr bool works_at_compile_time() {
  const std::array<std::uint8_t, 4> counts{0, 200, 0, 56};
  std::array<std::uint16_t, 5> memory{};
  if (!hg::offsets_from_counts(counts, memory)) return false;
  const hg::basic_type_offsets<std::uint8_t, std::uint16_t> types{
      std::span<const std::uint16_t>(memory)};
  typed_id<std::uint8_t> last;
  std::uint8_t first = 9;
  return types.validate() && types.to_typed(255, last) && last == typed_id<std::uint8_t>{3, 55} &&
         types.to_global(3, 0, first) && first == 200;
}
static_assert(works_at_compile_time());

TEST(type_offsets, counts_that_cannot_be_summed_are_refused) {
  std::array<std::uint8_t, 3> small{};
  EXPECT_EQ(hg::offsets_from_counts(std::vector{200, 56}, small), status::overflow);
  EXPECT_EQ(hg::offsets_from_counts(std::vector{200, 56}, small).position, 1u);
  EXPECT_EQ(hg::offsets_from_counts(std::vector{200, 55}, small), status::ok);
  EXPECT_EQ(hg::offsets_from_counts(std::vector{1}, small), status::mismatch);
  EXPECT_EQ(hg::offsets_from_counts(std::vector{0, -1}, small), status::invalid_argument);
  std::array<std::uint64_t, 3> wide{};
  const std::vector<std::uint64_t> huge{~std::uint64_t{0}, 1};
  EXPECT_EQ(hg::offsets_from_counts(huge, wide), status::overflow);
}

TEST(type_offsets, offsets_of_the_caller_can_be_validated) {
  const auto answer = [](std::vector<std::uint64_t> offsets) {
    return hg::basic_type_offsets<std::int8_t>(std::span<const std::uint64_t>(offsets)).validate();
  };
  EXPECT_EQ(answer({0, 3, 3, 128}), status::ok);
  EXPECT_EQ(answer({0}), status::ok);
  EXPECT_EQ(answer({}), status::malformed);
  EXPECT_EQ(answer({1, 2}), status::malformed);
  EXPECT_EQ(answer({0, 3, 2}).position, 2u);
  EXPECT_EQ(answer({0, 129}), status::overflow);
}

TEST(type_offsets, without_types_hold_no_id) {
  const std::array<std::uint64_t, 1> none{0};
  const hg::type_offsets types{std::span<const std::uint64_t>(none)};
  typed_id<std::uint64_t> typed{5, 5};
  std::uint64_t global = 5;
  EXPECT_EQ(types.to_typed(0, typed), status::out_of_range);
  EXPECT_EQ(types.to_global(0, 0, global), (status{hg::error_kind::not_found, 0}));
  EXPECT_EQ(hg::type_offsets().size(), 0u);
  EXPECT_EQ(typed, (typed_id<std::uint64_t>{5, 5}));
  EXPECT_EQ(global, 5u);
}

TEST(type_offsets, a_batch_fails_as_a_whole) {
  const std::array<std::uint64_t, 3> offsets{0, 2, 5};
  const hg::basic_type_offsets<std::int64_t> types{std::span<const std::uint64_t>(offsets)};
  const std::vector<std::int64_t> ids{4, 0, -1, 5};
  std::vector<std::int64_t> typed(4, 77);
  std::vector<std::int32_t> numbers(4, 77);
  const auto answer = types.to_typed(ids, numbers, typed);
  EXPECT_EQ(answer, status::out_of_range);
  EXPECT_EQ(answer.position, 2u);
  EXPECT_EQ(typed, std::vector<std::int64_t>(4, 77));
  EXPECT_EQ(numbers, std::vector<std::int32_t>(4, 77));
  EXPECT_EQ(types.to_global(1, std::vector{0, 3}, std::span(typed).first(2)),
            status::out_of_range.at(1));
  EXPECT_EQ(types.to_global(1, std::vector{0, 2}, std::span(typed).first(1)), status::mismatch);
  ASSERT_EQ(types.to_global(1, std::vector{0, 2}, std::span(typed).first(2)), status::ok);
  EXPECT_EQ(typed[0], 2);
  EXPECT_EQ(typed[1], 4);
}

template <class ID>
class type_offsets_ids : public testing::Test {};
using id_types = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                                std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(type_offsets_ids, id_types);

TYPED_TEST(type_offsets_ids, agrees_with_counting_wherever_types_are_empty) {
  using ID = TypeParam;
  // Every pattern of empty and non-empty types among five.
  for (unsigned pattern = 0; pattern < 32; ++pattern) {
    std::vector<std::uint64_t> counts, offsets(6);
    for (unsigned t = 0; t < 5; ++t) counts.push_back((pattern >> t) & 1 ? 1 + 5 * t : 0);
    ASSERT_EQ(hg::offsets_from_counts(counts, offsets), status::ok);
    const hg::basic_type_offsets<ID> types{std::span<const std::uint64_t>(offsets)};
    ASSERT_EQ(types.validate(), status::ok);
    std::vector<typed_id<ID>> naive;
    for (type_id t = 0; t < 5; ++t) {
      for (std::uint64_t i = 0; i < counts[t]; ++i) naive.push_back({t, static_cast<ID>(i)});
    }
    std::vector<ID> ids, typed(naive.size());
    std::vector<std::uint8_t> numbers(naive.size());
    for (std::size_t g = 0; g < naive.size(); ++g) {
      ids.push_back(static_cast<ID>(g));
      typed_id<ID> answer;
      ID back = 0;
      ASSERT_EQ(types.to_typed(g, answer), status::ok);
      EXPECT_EQ(answer, naive[g]);
      ASSERT_EQ(types.to_global(answer.type, answer.id, back), status::ok);
      EXPECT_EQ(back, static_cast<ID>(g));
    }
    ASSERT_EQ(types.to_typed(ids, numbers, typed), status::ok);
    for (std::size_t g = 0; g < naive.size(); ++g) {
      EXPECT_EQ(numbers[g], naive[g].type);
      EXPECT_EQ(typed[g], naive[g].id);
    }
    typed_id<ID> none;
    EXPECT_EQ(types.to_typed(naive.size(), none), status::out_of_range);
    EXPECT_EQ(types.to_typed(-1, none), status::out_of_range);
    ID out = 0;
    for (type_id t = 0; t < 5; ++t)
      EXPECT_EQ(types.to_global(t, counts[t], out), status::out_of_range);
  }
}

TYPED_TEST(type_offsets_ids, reaches_the_last_id_of_the_type) {
  using ID = TypeParam;
  const std::uint64_t all = hg::id_capacity<ID>();
  const std::vector<std::uint64_t> offsets{0, 0, all - 1, all, all};
  const hg::basic_type_offsets<ID> types{std::span<const std::uint64_t>(offsets)};
  ASSERT_EQ(types.validate(), status::ok);
  typed_id<ID> answer;
  ASSERT_EQ(types.to_typed(static_cast<ID>(all - 1), answer), status::ok);
  EXPECT_EQ(answer, (typed_id<ID>{2, 0}));
  ASSERT_EQ(types.to_typed(static_cast<ID>(all - 2), answer), status::ok);
  EXPECT_EQ(answer, (typed_id<ID>{1, static_cast<ID>(all - 2)}));
  ID out = 0;
  ASSERT_EQ(types.to_global(1, answer.id, out), status::ok);
  EXPECT_EQ(out, static_cast<ID>(all - 2));
}

TYPED_TEST(type_offsets_ids, a_batch_names_the_first_id_outside_of_spaces_of_any_size) {
  using ID = TypeParam;
  using bits = std::make_unsigned_t<ID>;
  const std::uint64_t all = hg::id_capacity<ID>();
  for (const std::uint64_t size :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{100}, all / 2 - 1,
        all / 2, all / 2 + 1, all - 1, all}) {
    const std::array<std::uint64_t, 2> offsets{0, size};
    const hg::basic_type_offsets<ID> map{std::span<const std::uint64_t>(offsets)};
    for (const std::uint64_t asked : {std::uint64_t{0}, std::uint64_t{1}, size - 1, size, size + 1,
                                      all / 2 - 1, all / 2, all - 1, all, ~std::uint64_t{0}}) {
      const auto one = static_cast<ID>(static_cast<bits>(asked));
      for (const std::size_t place : {0u, 1u, 17u, 20u}) {
        std::vector<ID> ids(21, one), answers(21, 7);
        if (size != 0)
          std::fill(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(place), ID{0});
        const bool inside = std::cmp_greater_equal(one, 0) && std::cmp_less(one, size);
        const auto want = inside ? status::ok : status::out_of_range.at(size == 0 ? 0 : place);
        const auto got = map.to_global(0, ids, std::span(answers));
        ASSERT_EQ(got, want) << "size " << size << ", ID " << +one;
        ASSERT_EQ(got.position, want.position) << "size " << size << ", ID " << +one;
        ASSERT_EQ(answers, inside ? ids : std::vector<ID>(21, 7));
      }
    }
  }
}

}  // namespace
