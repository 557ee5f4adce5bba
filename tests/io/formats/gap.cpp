// SPDX-License-Identifier: BSL-1.0
#include <halograph/io/formats/gap.hpp>

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

hg::streamed_graph read(const std::string& bytes) {
  const temporary_folder folder;
  return hg::stream_gap_graph(folder.write("g.sg", bytes));
}
std::string header(char directed, std::uint64_t edges, std::uint64_t nodes) {
  return std::string(1, directed) + words<std::uint64_t>({edges, nodes});
}
const std::string offsets = words<std::uint64_t>({0, 1, 2});

TEST(stream_gap_graph, reads_undirected_and_directed_graphs) {
  const std::string out = offsets + words<std::uint32_t>({1, 0});
  for (const auto& bytes : {header(0, 2, 2) + out, header(1, 2, 2) + out + out}) {
    const auto g = read(bytes);
    EXPECT_EQ(g.node_counts, std::vector<std::uint64_t>{2});
    EXPECT_EQ(hg::testing::edges_of(g, 0), (edge_pairs{{0, 1}, {1, 0}}));
    EXPECT_TRUE(g.edge_features.empty());
  }
  EXPECT_EQ(read(header(0, 0, 0) + words<std::uint64_t>({0})).num_nodes(), 0u);
}

TEST(stream_gap_graph, reads_weights_behind_neighbors) {
  const auto g = read(header(0, 2, 2) + offsets + words<std::int32_t>({1, 5, 0, -6}));
  EXPECT_EQ(hg::testing::edges_of(g, 0), (edge_pairs{{0, 1}, {1, 0}}));
  ASSERT_EQ(g.edge_features.size(), 1u);
  EXPECT_EQ(hg::testing::rows_of(g.edge_features[0]).values<std::int64_t>(),
            (std::vector<std::int64_t>{5, -6}));
}

TEST(stream_gap_graph, refuses_what_its_size_belies) {
  const std::string out = offsets + words<std::uint32_t>({1, 0});
  for (const auto& bytes : {header(1, 2, 2) + out, header(0, 2, 2) + out + "x",
                            header(2, 2, 2) + out, header(0, 2, ~std::uint64_t{0}) + out})
    EXPECT_EQ(refusal_of([&] { return read(bytes); }).code(), hg::error_kind::malformed);
  EXPECT_EQ(refusal_of([&] { return read(header(0, std::uint64_t{1} << 62, 2) + out); }).code(),
            hg::error_kind::truncated);
  EXPECT_EQ(refusal_of([&] { return read(header(0, 2, 2) + offsets + words({1, -1})); }).code(),
            hg::error_kind::out_of_range);
}

}  // namespace
