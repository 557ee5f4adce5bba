// SPDX-License-Identifier: BSL-1.0
#include <halograph/core/random.hpp>
#include <halograph/serial/files/scratch.hpp>

#include <gtest/gtest.h>
#include <support/temporary_folder.hpp>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory_resource>
#include <string>
#include <utility>
#include <vector>

namespace hg = halograph;
using hg::testing::temporary_folder;

namespace {

TEST(scratch_array, is_zero_and_keeps_what_is_written) {
  temporary_folder folder;
  {
    auto made = hg::scratch_array<std::uint32_t>::create(folder("numbers"), 5000);
    ASSERT_EQ(made.size(), 5000u);
    for (const auto value : made.values()) ASSERT_EQ(value, 0u);
    for (std::size_t i = 0; i < made.size(); ++i)
      made.values()[i] = static_cast<std::uint32_t>(3 * i);
  }
  const auto again = hg::scratch_array<std::uint32_t>::open(folder("numbers"), 5000);
  for (std::size_t i = 0; i < again.size(); ++i) ASSERT_EQ(again.values()[i], 3 * i);
  const auto moved = hg::scratch_array<std::uint32_t>::open(folder("numbers"), 5000);
  EXPECT_EQ(again.digest(), moved.digest());
}

TEST(scratch_array, may_be_empty) {
  temporary_folder folder;
  EXPECT_EQ(hg::scratch_array<std::uint64_t>::create(folder("none"), 0).size(), 0u);
  EXPECT_EQ(hg::scratch_array<std::uint64_t>::open(folder("none"), 0).size(), 0u);
}

TEST(scratch_array, refuses_other_sizes_and_sizes_that_no_file_has) {
  temporary_folder folder;
  hg::scratch_array<std::uint32_t>::create(folder("numbers"), 8);
  for (const std::uint64_t count : {0u, 7u, 9u}) {
    EXPECT_THROW(hg::scratch_array<std::uint32_t>::open(folder("numbers"), count), hg::error)
        << count;
  }
  EXPECT_THROW(hg::scratch_array<std::uint32_t>::open(folder("missing"), 1), hg::error);
  EXPECT_THROW(hg::scratch_array<std::uint64_t>::create(
                   folder("huge"), std::numeric_limits<std::uint64_t>::max() / 4),
               hg::error);
  EXPECT_THROW(hg::scratch_array<std::uint8_t>::create(folder("full"), std::uint64_t{1} << 55),
               hg::error);
  EXPECT_FALSE(std::filesystem::exists(folder("full")));
}

TEST(scratch_memory, is_anonymous_up_to_its_limit_and_leaves_no_file) {
  temporary_folder folder;
  const auto mappings = [&] {
    std::ifstream maps("/proc/self/maps");
    std::size_t count = 0;
    for (std::string line; std::getline(maps, line);)
      count += line.find(folder()) != std::string::npos ? 1u : 0u;
    return count;
  };
  hg::scratch_memory memory(folder(), std::uint64_t{1} << 20);
  const auto usable = [](std::pmr::vector<std::uint64_t>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = i * i;
    for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], i * i);
  };
  std::pmr::vector<std::uint64_t> small(100, &memory), first(100'000, &memory);
  EXPECT_EQ(mappings(), 0u);
  {
    std::pmr::vector<std::uint64_t> second(100'000, &memory);
    EXPECT_EQ(mappings(), 1u);
    usable(second);
  }
  EXPECT_EQ(mappings(), 0u);
  usable(small);
  usable(first);
  first = std::pmr::vector<std::uint64_t>(&memory);
  std::pmr::vector<std::uint64_t> third(100'000, &memory);
  EXPECT_EQ(mappings(), 0u) << "what was given back is there again";
  EXPECT_TRUE(std::filesystem::is_empty(folder()));
}

TEST(scratch_array, shows_what_is_written_through_its_file_and_removes_it) {
  temporary_folder folder;
  auto array = hg::scratch_array<std::uint32_t>::create(folder("array"), 1000);
  array.values()[2] = 7;
  const std::vector<std::uint32_t> some{1, 2, 3};
  array.write(997, some);
  EXPECT_EQ(array.values()[2], 7u);
  EXPECT_EQ(array.values()[996], 0u);
  EXPECT_TRUE(std::equal(some.begin(), some.end(), array.values().begin() + 997));
  const auto again = hg::scratch_array<std::uint32_t>::open(folder("array"), 1000);
  EXPECT_EQ(again.digest(), array.digest());
  EXPECT_EQ(again.values()[999], 3u);
  EXPECT_THROW(again.write(0, some), hg::error) << "opened for reading";
  array.remove();
  EXPECT_TRUE(std::filesystem::is_empty(folder()));
  EXPECT_EQ(array.size(), 0u);
  array.remove();
}

TEST(spill_buckets, give_back_each_bucket_in_order) {
  struct record {
    std::uint32_t key;
    std::uint16_t value;
    std::uint16_t check;
  };
  temporary_folder folder;
  hg::random_stream draw(3);
  for (const std::size_t buffer : {1u, 64u, 4096u}) {
    hg::spill_buckets spill(folder("spill"), 7, sizeof(record), buffer);
    EXPECT_TRUE(std::filesystem::is_empty(folder()))
        << "the file has no name: a killed run leaves none";
    std::vector<std::vector<std::uint32_t>> wanted(7);
    for (std::uint32_t i = 0; i < 5000; ++i) {
      const auto bucket = static_cast<std::size_t>(draw.below(6));  // the last stays empty
      spill.push(bucket,
                 record{i, static_cast<std::uint16_t>(bucket), static_cast<std::uint16_t>(i)});
      wanted[bucket].push_back(i);
    }
    spill.finish();
    std::vector<std::byte> window(100);
    for (std::size_t b = 0; b < 7; ++b) {
      EXPECT_EQ(spill.count(b), wanted[b].size());
      std::vector<std::uint32_t> got;
      spill.read(b, window, [&](std::span<const std::byte> bytes) {
        ASSERT_EQ(bytes.size() % sizeof(record), 0u);
        for (std::size_t at = 0; at < bytes.size(); at += sizeof(record)) {
          record one{};
          std::memcpy(&one, bytes.data() + at, sizeof one);
          EXPECT_EQ(one.value, b);
          got.push_back(one.key);
        }
      });
      EXPECT_EQ(got, wanted[b]);
      spill.prefetch(b);
      std::vector<std::byte> all(got.size() * sizeof(record) + 3);
      const auto whole = spill.read_all(b, all);
      ASSERT_EQ(whole.size(), got.size() * sizeof(record));
      for (std::size_t i = 0; i < got.size(); ++i) {
        record one{};
        std::memcpy(&one, whole.data() + i * sizeof one, sizeof one);
        EXPECT_EQ(one.key, got[i]);
      }
    }
  }
}

}  // namespace
