// SPDX-License-Identifier: BSL-1.0
#include "support/temporary_folder.hpp"

#include <halograph/core/random.hpp>
#include <halograph/serial/external_sort.hpp>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace hg = halograph;
using hg::testing::temporary_folder;

using records = std::vector<std::pair<std::string, std::uint32_t>>;

/// Keys of all lengths around 8, of few letters, so that many are equal, begin alike or end in
/// zeros.
records drawn(std::size_t count, std::uint64_t seed) {
  hg::random_stream stream(seed);
  records out;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::string key;
    const auto length = stream.below(12);
    for (std::uint64_t c = 0; c < length; ++c) key += "\0\0ab\xFF"[stream.below(5)];
    out.emplace_back(std::move(key), i);
  }
  return out;
}

records read_all(hg::external_sorter<std::uint32_t>& sorter) {
  records out;
  auto at = sorter.sorted();
  while (at.next()) out.emplace_back(std::string(at.key()), at.value());
  EXPECT_FALSE(at.next()) << "next() after the end";
  return out;
}

TEST(external_sort, any_budget_gives_what_a_stable_sort_in_memory_gives) {
  const temporary_folder place;
  bool in_memory = false, in_passes = false;
  for (const std::size_t count : {0u, 1u, 2u, 100u, 5000u}) {
    auto expected = drawn(count, count + 1);
    const auto input = expected;
    std::stable_sort(expected.begin(), expected.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const std::uint64_t memory : {0u, 5000u, 20000u, 200000u, 1u << 24}) {
      hg::external_sorter<std::uint32_t> sorter(place(), memory);
      for (const auto& [key, value] : input) sorter.add(key, value);
      in_memory = in_memory || (count == 5000 && sorter.runs() == 0);
      in_passes = in_passes || sorter.runs() > 20;
      EXPECT_EQ(read_all(sorter), expected) << count << " records in " << memory << " bytes";
      EXPECT_EQ(read_all(sorter), expected) << "a second pass";
      EXPECT_EQ(sorter.size(), count);
    }
  }
  EXPECT_TRUE(in_memory);
  EXPECT_TRUE(in_passes) << "no budget was small enough for merges of merges";
  EXPECT_TRUE(std::filesystem::is_empty(place())) << "temporary files are never seen";
}

TEST(external_sort, keys_may_be_longer_than_the_budget) {
  const temporary_folder place;
  hg::external_sorter<std::uint32_t> sorter(place(), 0);
  records expected;
  for (std::uint32_t i = 0; i < 40; ++i) {
    expected.emplace_back(std::string(200 * (i % 7), static_cast<char>('z' - i)) + "x", i);
    sorter.add(expected.back().first, i);
  }
  const std::string longest(sorter.longest_key, 'k');
  sorter.add(longest, 99);
  expected.emplace_back(longest, 99u);
  std::stable_sort(expected.begin(), expected.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  EXPECT_EQ(read_all(sorter), expected);
  hg::external_sorter<std::uint32_t> other(place());
  EXPECT_THROW(other.add(longest + "k", 0), hg::error);
}

TEST(external_sort, number_keys_ascend_as_numbers_do) {
  const std::vector<std::uint64_t> numbers{
      0, 1, 255, 256, 65535, 1u << 31, ~std::uint64_t{0} - 1, ~std::uint64_t{0}};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    EXPECT_EQ(hg::number_key::value_of(hg::number_key(numbers[i])), numbers[i]);
    if (i != 0) {
      EXPECT_LT(std::string_view(hg::number_key(numbers[i - 1])),
                std::string_view(hg::number_key(numbers[i])));
    }
  }
}

TEST(external_sort, what_comes_late_or_finds_no_room_is_refused) {
  const temporary_folder place;
  hg::external_sorter<std::uint32_t> sorter(place());
  sorter.add("a", 1);
  EXPECT_EQ(read_all(sorter).size(), 1u);
  EXPECT_THROW(sorter.add("b", 2), hg::error);
  hg::external_sorter<std::uint32_t> small(place() + "/none", 0);
  try {
    for (std::uint32_t i = 0; i < 10000; ++i) small.add("key", i);
    FAIL() << "sorted in a folder that is not there";
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.code(), hg::error_kind::not_found);
    EXPECT_EQ(problem.where().file, place() + "/none");
  }
}

TEST(external_sort, where_the_disk_takes_no_more_the_folder_is_named) {
  // A limit on the size of files stands for a full disk.
  const temporary_folder place;
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit low{1 << 16, old.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &low), 0);
  std::string said, file;
  try {
    hg::external_sorter<std::uint32_t> sorter(place(), 0);
    for (std::uint32_t i = 0; i < 100000; ++i) sorter.add("some key", i);
  } catch (const hg::error& problem) {
    said = problem.message();
    file = problem.where().file;
  }
  ::setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, handler);
  EXPECT_NE(said.find("cannot write a temporary file in: "), std::string::npos) << said;
  EXPECT_EQ(file, place());
}

TEST(scratch_file, reads_see_all_writes_and_nothing_is_left) {
  const temporary_folder place;
  hg::scratch_file file(place(), 16);
  std::string all;
  hg::random_stream stream(3);
  for (int i = 0; i < 200; ++i) {
    const std::string piece(stream.below(40), static_cast<char>('a' + i % 26));
    file.append(hg::testing::bytes_of(piece));
    all += piece;
    ASSERT_EQ(file.size(), all.size());
  }
  file.write_at(3, hg::testing::bytes_of("XYZ"));
  all.replace(3, 3, "XYZ");
  file.append(hg::testing::bytes_of("end"));
  all += "end";
  std::string back(all.size(), ' ');
  file.read_at(0, std::as_writable_bytes(std::span(back)));
  EXPECT_EQ(back, all);
  EXPECT_THROW(file.read_at(1, std::as_writable_bytes(std::span(back))), hg::error);
  EXPECT_TRUE(std::filesystem::is_empty(place()));
}

}  // namespace
