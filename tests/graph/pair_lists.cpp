// SPDX-License-Identifier: BSL-1.0
#include "support/few_threads.hpp"

#include <halograph/core/random.hpp>
#include <halograph/graph/pair_lists.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace {

namespace hg = halograph;

template <class Word>
class pair_lists : public testing::Test {};
using words = testing::Types<std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(pair_lists, words);

TYPED_TEST(pair_lists, are_counted_as_a_set_is) {
  const hg::testing::few_threads threads{3};
  // Fewer pairs than a piece has, and many pieces; few different ones, and many.
  for (const std::size_t count : {0u, 1u, 50u, 20000u}) {
    for (const std::uint64_t below :
         {std::uint64_t{1}, std::uint64_t{200}, std::uint64_t{1} << 32}) {
      hg::random_stream random(count + below);
      std::vector<hg::detail::pair_list<TypeParam>> lists(7);
      std::set<std::pair<TypeParam, TypeParam>> model;
      for (std::size_t l = 1; l < lists.size(); ++l) {  // the first is empty
        for (std::size_t i = 0; i < count; ++i) {
          lists[l].emplace_back(static_cast<TypeParam>(random.below(below)),
                                static_cast<TypeParam>(random.below(100)));
          model.insert(lists[l].back());
        }
      }
      auto others = lists;
      EXPECT_EQ(hg::detail::count_distinct<TypeParam>(lists, below), model.size());
      EXPECT_EQ(hg::detail::count_distinct<TypeParam>(others, below, threads), model.size());
    }
  }
  std::vector<hg::detail::pair_list<TypeParam>> none;
  EXPECT_EQ(hg::detail::count_distinct<TypeParam>(none, 0), 0u);
}

TYPED_TEST(pair_lists, first_elements_may_be_large) {
  const auto most = static_cast<TypeParam>(std::uint64_t{0x7FFFFFFFFFFFFFFE});
  std::vector<hg::detail::pair_list<TypeParam>> lists{{{most, 1}, {0, 1}, {most, 1}},
                                                      {{most, 1}, {most, 2}, {0, 0}}};
  EXPECT_EQ(hg::detail::count_distinct<TypeParam>(lists, std::uint64_t{1} << 63), 4u);
}

}  // namespace
