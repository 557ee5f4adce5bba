// SPDX-License-Identifier: BSL-1.0
#include <halograph/core/random.hpp>
#include <halograph/halo/members.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hg = halograph;

namespace {

template <class Node>
class members_of_ids : public testing::Test {};
using id_types = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                                std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(members_of_ids, id_types);

TYPED_TEST(members_of_ids, ascend_part_by_part) {
  hg::random_stream draw(1);
  for (int round = 0; round < 100; ++round) {
    const auto nodes = static_cast<std::size_t>(draw.below(129)),
               parts = static_cast<std::size_t>(1 + draw.below(7));
    std::vector<std::uint8_t> owner(nodes);
    for (auto& part : owner) part = static_cast<std::uint8_t>(draw.below(parts));
    std::vector<TypeParam> want;
    std::vector<std::uint64_t> want_begin{0};
    for (std::size_t p = 0; p < parts; ++p) {
      for (std::size_t v = 0; v < nodes; ++v) {
        if (owner[v] == p) want.push_back(static_cast<TypeParam>(v));
      }
      want_begin.push_back(want.size());
    }
    std::vector<std::uint64_t> begin(hg::member_begin_count(parts), 99);
    std::vector<TypeParam> members(nodes, TypeParam{99});
    ASSERT_EQ(hg::group_members_into(std::span<const std::uint8_t>(owner), parts, std::span(begin),
                                     std::span(members)),
              hg::status::ok);
    EXPECT_EQ(begin, want_begin);
    EXPECT_EQ(members, want);
  }
}

TYPED_TEST(members_of_ids, are_rejected_if_the_type_cannot_number_them) {
  if constexpr (sizeof(TypeParam) == 1) {
    const auto limit = static_cast<std::size_t>(hg::id_capacity<TypeParam>());
    const std::vector<std::uint8_t> owner(limit + 1);
    std::array<std::uint64_t, 2> begin{};
    std::vector<TypeParam> members(limit + 1);
    const std::span<const std::uint8_t> owners(owner);
    ASSERT_EQ(hg::group_members_into(owners.first(limit), 1, std::span<std::uint64_t>(begin),
                                     std::span(members)),
              hg::status::ok);
    EXPECT_EQ(hg::index(members[limit - 1]), limit - 1);
    const auto answer = hg::group_members_into(owners, 1, std::span<std::uint64_t>(begin),
                                               std::span(members));
    EXPECT_EQ(answer, hg::status::overflow);
    EXPECT_EQ(answer.position, limit + 1);
  }
}

TEST(members, of_no_parts_and_no_nodes) {
  std::array<std::uint64_t, 1> begin{7};
  std::array<std::uint8_t, 1> members{7};
  EXPECT_EQ(hg::group_members_into(std::span<const std::uint8_t>{}, 0,
                                   std::span<std::uint64_t>(begin), std::span<std::uint8_t>{}),
            hg::status::ok);
  EXPECT_EQ(begin[0], 0u);
  const std::array<std::uint8_t, 1> owner{0};
  const auto answer = hg::group_members_into(std::span<const std::uint8_t>(owner), 0,
                                             std::span<std::uint64_t>(begin),
                                             std::span<std::uint8_t>(members));
  EXPECT_EQ(answer, hg::status::out_of_range);
  EXPECT_EQ(answer.position, 0u);
}

TEST(members, report_what_is_too_small_or_out_of_range) {
  const std::array<std::uint64_t, 3> owner{0, 1, 2};
  const std::span<const std::uint64_t> owners(owner);
  std::array<std::uint64_t, 4> begin{};
  std::array<std::int32_t, 3> members{};
  const auto run = [&](std::size_t parts, std::size_t begins, std::size_t rooms) {
    return hg::group_members_into(owners, parts, std::span(begin).first(begins),
                                  std::span(members).first(rooms));
  };
  EXPECT_EQ(run(3, 4, 3), hg::status::ok);
  EXPECT_EQ(run(3, 3, 3), hg::status::capacity);
  EXPECT_EQ(run(3, 3, 3).position, 4u);
  EXPECT_EQ(run(3, 4, 2), hg::status::capacity);
  EXPECT_EQ(run(3, 4, 2).position, 3u);
  EXPECT_EQ(run(2, 4, 3), hg::status::out_of_range);
  EXPECT_EQ(run(2, 4, 3).position, 2u);
  // As many parts as there are numbers: no size wraps to 0.
  EXPECT_EQ(run(static_cast<std::size_t>(-1), 4, 3), hg::status::capacity);
}

}  // namespace
