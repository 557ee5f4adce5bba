// SPDX-License-Identifier: BSL-1.0
#include "support/temporary_folder.hpp"

#include <halograph/io/key_dictionary.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace hg = halograph;
using hg::testing::content_of;
using hg::testing::temporary_folder;

/// IDs in the order of `keys`.
std::string write(const temporary_folder& place, const std::vector<std::string>& keys,
                  hg::key_kind kind, std::uint64_t memory = 1 << 20) {
  std::vector<std::pair<std::string, std::uint64_t>> sorted;
  std::uint64_t bytes = 0;
  for (const auto& key : keys) {
    const auto one = hg::node_key::from(key, kind);
    sorted.emplace_back(std::string(one->bytes()), sorted.size());
    bytes += sorted.back().first.size();
  }
  std::sort(sorted.begin(), sorted.end());
  std::size_t at = 0;
  const std::string path = place("x.keys");
  hg::write_key_dictionary(
      path, keys.size(), bytes, kind,
      [&](std::string_view& key, std::uint64_t& id) {
        if (at == sorted.size()) return false;
        key = sorted[at].first;
        id = sorted[at++].second;
        return true;
      },
      place(), memory);
  return path;
}

TEST(key_dictionary, answers_both_ways) {
  const temporary_folder place;
  std::vector<std::string> keys{
      "zebra", "", "a", std::string("a\0b", 3), "\xC3\xA4hre", "aa", std::string(100'000, 'k')};
  for (int i = 0; i < 5000; ++i) keys.push_back("key " + std::to_string(i * 7919 % 5000));
  for (const std::uint64_t memory : {std::uint64_t{1} << 20, std::uint64_t{0}}) {
    const std::string path = write(place, keys, hg::key_kind::text, memory);
    const hg::key_dictionary dictionary(hg::read_files{}(path), path);
    ASSERT_EQ(dictionary.size(), keys.size());
    for (std::size_t id = 0; id < keys.size(); ++id) {
      ASSERT_EQ(dictionary.find(keys[id]), id);
      ASSERT_EQ(dictionary.key(id), keys[id]);
    }
    for (const char* none : {"b", "zebr", "zebraa", "key 5000"})
      EXPECT_FALSE(dictionary.find(none)) << none;
    EXPECT_THROW(static_cast<void>(dictionary.key(keys.size())), hg::error);
    hg::detail::dictionary_cursor cursor(path);
    std::string before;
    std::uint64_t count = 0;
    for (; cursor.next(); ++count) {
      EXPECT_EQ(cursor.key(), keys[cursor.id()]);
      EXPECT_TRUE(count == 0 || before < cursor.key());
      before = cursor.key();
    }
    EXPECT_EQ(count, keys.size());
  }
}

TEST(key_dictionary, integers_are_numbers_and_not_their_text) {
  const temporary_folder place;
  const std::vector<std::string> keys{"10",
                                      "-3",
                                      "9",
                                      "0",
                                      std::to_string(std::numeric_limits<std::int64_t>::min()),
                                      std::to_string(std::numeric_limits<std::int64_t>::max())};
  const std::string path = write(place, keys, hg::key_kind::integer);
  const hg::key_dictionary dictionary(hg::read_files{}(path), path);
  for (std::size_t id = 0; id < keys.size(); ++id) EXPECT_EQ(dictionary.key(id), keys[id]);
  EXPECT_EQ(dictionary.find("+010"), 0u);
  EXPECT_EQ(dictionary.find(" -3 "), 1u);
  EXPECT_EQ(dictionary.find("-0"), 3u);
  for (const char* none : {"1", "x", "", "9.0", "9223372036854775808", "+-3", "1 0"})
    EXPECT_FALSE(dictionary.find(none)) << none;
  hg::detail::dictionary_cursor cursor(path);
  std::vector<std::uint64_t> ids;
  while (cursor.next()) ids.push_back(cursor.id());
  EXPECT_EQ(ids, (std::vector<std::uint64_t>{4, 1, 3, 2, 0, 5})) << "ascending as numbers";
}

TEST(key_dictionary, no_keys_are_a_dictionary_too) {
  const temporary_folder place;
  const std::string path = write(place, {}, hg::key_kind::text);
  EXPECT_EQ(content_of(path).size(), 72u);
  EXPECT_FALSE(hg::key_dictionary(hg::read_files{}(path), path).find("a"));
}

TEST(key_dictionary, bytes_that_are_none_are_refused) {
  const temporary_folder place;
  const std::string whole = content_of(write(place, {"one", "two", "three"}, hg::key_kind::text));
  const auto opened = [](const std::string& bytes) {
    return hg::key_dictionary({hg::testing::bytes_of(bytes), {}}, "d.keys");
  };
  EXPECT_EQ(opened(whole).size(), 3u);
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    const std::string part = whole.substr(0, cut);
    EXPECT_THROW(opened(part), hg::error) << cut;
  }
  // No byte of it may lead outside.
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char flip : {'\x01', '\x80', '\xFF'}) {
      std::string bad = whole;
      bad[at] = static_cast<char>(bad[at] ^ flip);
      try {
        const auto dictionary = opened(bad);
        static_cast<void>(dictionary.find("three"));
        for (std::uint64_t id = 0; id < dictionary.size(); ++id)
          static_cast<void>(dictionary.key(id));
      } catch (const hg::error& problem) {
        EXPECT_EQ(problem.where().file, "d.keys");
      }
    }
  }
}

}  // namespace
