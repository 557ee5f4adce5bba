// SPDX-License-Identifier: BSL-1.0
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

const edge_pairs ring{{0, 1}, {1, 2}, {2, 0}};
const std::string rows = words<std::uint64_t>({1, 2, 3});

hg::streamed_graph read(const std::string& bytes) {
  const temporary_folder folder;
  return hg::stream_galois_graph(folder.write("ring.gr", bytes));
}

TEST(stream_galois_graph, reads_both_versions) {
  for (const auto& bytes :
       {words<std::uint64_t>({1, 0, 3, 3}) + rows + words<std::uint32_t>({1, 2, 0, 0}),
        words<std::uint64_t>({1, 0, 3, 3}) + rows + words<std::uint32_t>({1, 2, 0}),
        words<std::uint64_t>({2, 0, 3, 3}) + rows + words<std::uint64_t>({1, 2, 0})}) {
    const auto g = read(bytes);
    EXPECT_EQ(g.name, "ring");
    EXPECT_EQ(g.schema, hg::graph_schema::homogeneous());
    EXPECT_EQ(hg::testing::edges_of(g, 0), ring);
    EXPECT_TRUE(g.edge_features.empty());
  }
}

TEST(stream_galois_graph, takes_the_data_of_edges_as_weights) {
  for (const auto& bytes : {words<std::uint64_t>({1, 4, 3, 3}) + rows +
                                words<std::uint32_t>({1, 2, 0, 0, 7, 8, 4000000000u}),
                            words<std::uint64_t>({2, 8, 3, 3}) + rows +
                                words<std::uint64_t>({1, 2, 0, 7, 8, 4000000000u})}) {
    const auto g = read(bytes);
    ASSERT_EQ(g.edge_features.size(), 1u);
    EXPECT_EQ(g.edge_features[0].name, "weight");
    EXPECT_EQ(hg::testing::rows_of(g.edge_features[0]).values<std::int64_t>(),
              (std::vector<std::int64_t>{7, 8, 4000000000}));
    EXPECT_EQ(hg::testing::edges_of(g, 0), ring);
  }
}

TEST(stream_galois_graph, refuses_other_versions_and_sizes_of_data) {
  // Not taken apart: Clang 14's lambdas cannot capture the names.
  for (const auto& header_and_place : {std::pair{words<std::uint64_t>({3, 0, 0, 0}), 0u},
                                       std::pair{words<std::uint64_t>({1, 2, 0, 0}), 8u}}) {
    const auto problem = refusal_of([&] { return read(header_and_place.first); });
    EXPECT_EQ(problem.code(), hg::error_kind::unsupported);
    EXPECT_EQ(problem.where().byte, header_and_place.second);
  }
  EXPECT_EQ(refusal_of([&] { return read(""); }).code(), hg::error_kind::truncated);
}

}  // namespace
