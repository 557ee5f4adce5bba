// SPDX-License-Identifier: BSL-1.0
#include <halograph/io/formats/edge_pairs.hpp>

#include <gtest/gtest.h>
#include <support/collect_stream.hpp>
#include <support/temporary_folder.hpp>
#include <support/words.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace hg = halograph;
using hg::testing::refusal_of;
using hg::testing::temporary_folder;

using hg::testing::words;

namespace {

TEST(stream_edge_pairs, reads_both_widths) {
  const temporary_folder folder;
  const auto narrow = folder.write("g.bin32", words<std::uint32_t>({0, 4, 3, 1}));
  const auto wide = folder.write("g.bin64", words<std::uint64_t>({0, 4, 3, 1}));
  for (const auto& path : {narrow, wide}) {
    const auto g = hg::stream_edge_pairs(path, hg::pair_id_bytes(path));
    EXPECT_EQ(g.node_counts, std::vector<std::uint64_t>{5});
    EXPECT_EQ(hg::testing::edges_of(g, 0), (hg::testing::edge_pairs{{0, 4}, {3, 1}}));
    EXPECT_EQ(hg::stream_edge_pairs(path, hg::pair_id_bytes(path), 9).num_nodes(), 9u);
    const auto problem = refusal_of(
        [&] { return hg::stream_edge_pairs(path, hg::pair_id_bytes(path), 4); });
    EXPECT_EQ(problem.code(), hg::error_kind::out_of_range);
    EXPECT_EQ(problem.where().byte, hg::pair_id_bytes(path));
  }
  EXPECT_EQ(hg::stream_edge_pairs(folder.write("e.bin32", ""), 4).num_nodes(), 0u);
}

TEST(stream_edge_pairs, refuses_half_pairs_and_ids_that_int64_cannot_hold) {
  const temporary_folder folder;
  const auto half = folder.write("g.bin32", words<std::uint32_t>({0, 1, 2}));
  const auto problem = refusal_of([&] { return hg::stream_edge_pairs(half, 4); });
  EXPECT_EQ(problem.code(), hg::error_kind::truncated);
  EXPECT_EQ(problem.where().byte, 8u);
  const auto large = folder.write("g.bin64", words<std::uint64_t>({0, ~std::uint64_t{0}}));
  EXPECT_EQ(refusal_of([&] { return hg::stream_edge_pairs(large, 8); }).code(),
            hg::error_kind::out_of_range);
}

TEST(pair_id_bytes, follows_the_name) {
  EXPECT_EQ(hg::pair_id_bytes("a.bin32"), 4u);
  EXPECT_EQ(hg::pair_id_bytes("a.bin32.gz"), 4u);
  EXPECT_EQ(hg::pair_id_bytes("a.bin32.zst"), 4u);
  EXPECT_EQ(hg::pair_id_bytes("a.bin64"), 8u);
  EXPECT_EQ(hg::pair_id_bytes("a.bin64.zst"), 8u);
}

}  // namespace
