// SPDX-License-Identifier: BSL-1.0
#include <halograph/core/random.hpp>
#include <halograph/halo/expand.hpp>
#include <halograph/pipeline/local_ids.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory_resource>
#include <vector>

namespace hg = halograph;

namespace {

/// Parts of random nodes, one after the other in the same object, compared with a map.
template <class Node>
void compare_with_map(hg::local_lookup how, std::size_t nodes) {
  using local_id = typename hg::detail::local_ids<Node>::local_id;
  hg::detail::local_ids<Node> ids(nodes, how, std::pmr::get_default_resource());
  EXPECT_EQ(ids.is_table(), how == hg::local_lookup::table);
  hg::random_stream draw(nodes);
  for (int round = 0; round < 20; ++round) {
    const auto begin = static_cast<std::size_t>(draw.below(nodes)),
               inner = static_cast<std::size_t>(draw.below(nodes - begin));
    ids.set_inner(begin, inner);
    std::map<std::size_t, local_id> wanted;
    for (std::size_t i = 0; i < inner; ++i) wanted[begin + i] = static_cast<local_id>(i);
    std::vector<Node> halo;
    ids.visit([&](const auto& local) {  // which sees what is set while it is used
      for (std::size_t i = 0; i < nodes; ++i) {
        const auto v = static_cast<std::size_t>(draw.below(nodes));
        const auto found = wanted.find(v);
        EXPECT_EQ(local(v), found == wanted.end() ? hg::absent<local_id> : found->second);
        if (found != wanted.end()) continue;
        const auto fresh = static_cast<local_id>(inner + halo.size());
        ids.set(v, fresh);
        wanted[v] = fresh;
        halo.push_back(static_cast<Node>(v));
      }
    });
    // Another order of the HALO nodes.
    for (std::size_t i = 0; i < halo.size(); ++i) {
      const auto fresh = static_cast<local_id>(inner + halo.size() - 1 - i);
      ids.set(static_cast<std::size_t>(halo[i]), fresh);
      wanted[static_cast<std::size_t>(halo[i])] = fresh;
    }
    ids.visit([&](const auto& local) {
      for (std::size_t v = 0; v < nodes; ++v) {
        const auto found = wanted.find(v);
        ASSERT_EQ(local(v), found == wanted.end() ? hg::absent<local_id> : found->second) << v;
      }
    });
    ids.clear(halo);
    ids.visit([&](const auto& local) {
      for (std::size_t v = 0; v < nodes; ++v) ASSERT_EQ(local(v), hg::absent<local_id>) << v;
    });
  }
}

TEST(local_ids, a_table_finds_what_a_map_finds) {
  compare_with_map<std::uint32_t>(hg::local_lookup::table, 5000);
  compare_with_map<std::int64_t>(hg::local_lookup::table, 700);
  compare_with_map<std::uint8_t>(hg::local_lookup::table, 200);
}

TEST(local_ids, a_hash_table_finds_what_a_map_finds) {
  compare_with_map<std::uint32_t>(hg::local_lookup::hash, 5000);
  compare_with_map<std::int64_t>(hg::local_lookup::hash, 700);
  compare_with_map<std::uint8_t>(hg::local_lookup::hash, 200);
}

TEST(local_ids, a_hash_table_takes_memory_for_the_part_alone) {
  std::vector<std::byte> room(std::size_t{1} << 16);
  std::pmr::monotonic_buffer_resource memory(room.data(), room.size(),
                                             std::pmr::null_memory_resource());
  hg::detail::local_ids<std::uint32_t> ids(std::size_t{1} << 40, hg::local_lookup::hash, &memory);
  ids.set_inner(std::size_t{1} << 20, std::size_t{1} << 30);
  for (std::uint32_t i = 0; i < 500; ++i) ids.set(i, (1u << 30) + i);
  ids.visit([&](const auto& local) {
    EXPECT_EQ(local(499), (1u << 30) + 499);
    EXPECT_EQ(local(500), hg::absent<std::uint32_t>);
    EXPECT_EQ(local((std::size_t{1} << 20) + 5), 5u);
  });
}

}  // namespace
