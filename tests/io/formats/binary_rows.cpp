// SPDX-License-Identifier: BSL-1.0
#include <halograph/io/formats/binary_rows.hpp>
#include <halograph/io/formats/galois.hpp>

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

using hg::testing::edge_pairs;
using hg::testing::words;

namespace {

/// A Galois graph of these ends of rows and neighbors.
std::string galois(std::initializer_list<std::uint64_t> ends,
                   std::initializer_list<std::uint64_t> neighbors) {
  return words<std::uint64_t>({2, 0, ends.size(), neighbors.size()}) + words(ends) +
         words(neighbors);
}
hg::error refusal(const std::string& bytes) {
  const temporary_folder folder;
  return refusal_of([&] { return hg::stream_galois_graph(folder.write("g.gr", bytes)); });
}

TEST(binary_rows, reads_any_range_of_edges_over_empty_rows) {
  const temporary_folder folder;
  const auto g = hg::stream_galois_graph(
      folder.write("g.gr", galois({0, 0, 2, 2, 5, 5}, {1, 5, 0, 4, 2})));
  EXPECT_EQ(g.node_counts, std::vector<std::uint64_t>{6});
  EXPECT_EQ(hg::testing::edges_of(g, 0), (edge_pairs{{2, 1}, {2, 5}, {4, 0}, {4, 4}, {4, 2}}));
  EXPECT_EQ(hg::stream_galois_graph(folder.write("e.gr", galois({}, {}))).num_nodes(), 0u);
}

TEST(binary_rows, reads_more_edges_than_a_block_holds) {
  const std::uint64_t edges = 2 * hg::edges_per_block + 3;
  std::string text = words<std::uint64_t>({2, 0, 2, edges, 1, edges});
  text.resize(text.size() + 8 * static_cast<std::size_t>(edges));
  const temporary_folder folder;
  const auto g = hg::stream_galois_graph(folder.write("g.gr", text));
  const auto all = hg::testing::edges_of(g, 0, 0, edges);
  EXPECT_EQ(all.front().first, 0u);
  EXPECT_EQ(all[1].first, 1u);
  EXPECT_EQ(all.back().first, 1u);
}

TEST(binary_rows, refuses_offsets_that_descend_or_leave_the_edges) {
  for (const auto& [bytes, place] :
       {std::pair{galois({2, 1}, {0, 0}), 40u}, std::pair{galois({1, 3}, {0, 0}), 40u},
        std::pair{galois({0, 1}, {0, 0}), 32u}}) {
    const auto problem = refusal(bytes);
    EXPECT_EQ(problem.code(), hg::error_kind::malformed);
    EXPECT_EQ(problem.where().byte, place) << problem.what();
  }
}

TEST(binary_rows, refuses_neighbors_that_are_no_nodes) {
  const auto problem = refusal(galois({1, 2}, {0, 2}));
  EXPECT_EQ(problem.code(), hg::error_kind::out_of_range);
  EXPECT_EQ(problem.where().byte, 56u);
}

TEST(binary_rows, believes_no_count_that_the_file_cannot_hold) {
  for (const std::uint64_t many : {std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    EXPECT_EQ(refusal(words<std::uint64_t>({2, 0, many, 0})).code(), hg::error_kind::truncated);
    EXPECT_EQ(refusal(words<std::uint64_t>({2, 0, 1, many, 0})).code(), hg::error_kind::truncated);
  }
  const auto longer = refusal(galois({1}, {0}) + words<std::uint64_t>({0}));
  EXPECT_EQ(longer.code(), hg::error_kind::malformed);
  EXPECT_EQ(longer.where().byte, 48u);
}

}  // namespace
