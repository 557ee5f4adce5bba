// SPDX-License-Identifier: BSL-1.0
#include <halograph/io/formats/parhip.hpp>

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
  return hg::stream_parhip_graph(folder.write("g.parhip", bytes));
}

TEST(stream_parhip_graph, reads_every_width) {
  for (std::uint64_t version = 0; version < 64; ++version) {
    const auto put = [&](unsigned bit, std::initializer_list<std::uint64_t> values) {
      std::string out;
      for (const auto value : values) {
        out += (version & bit) != 0 ? words({static_cast<std::uint32_t>(value)}) : words({value});
      }
      return out;
    };
    const std::uint64_t id = (version & 8) != 0 ? 4 : 8,
                        first = 24 + 3 * ((version & 4) != 0 ? 4u : 8u);
    std::string bytes = words<std::uint64_t>({version, 2, 3}) +
                        put(4, {first, first + id, first + 3 * id}) + put(8, {1, 0, 1});
    if ((version & 2) == 0) bytes += put(16, {7, 8});
    if ((version & 1) == 0) bytes += put(32, {4, 5, 6});
    const auto g = read(bytes);
    EXPECT_EQ(hg::testing::edges_of(g, 0), (edge_pairs{{0, 1}, {1, 0}, {1, 1}})) << version;
    ASSERT_EQ(g.node_features.size(), (version & 2) == 0 ? 1u : 0u);
    ASSERT_EQ(g.edge_features.size(), (version & 1) == 0 ? 1u : 0u);
    for (const auto& one : g.node_features)
      EXPECT_EQ(hg::testing::rows_of(one).values<std::int64_t>(),
                (std::vector<std::int64_t>{7, 8}));
    for (const auto& one : g.edge_features) {
      EXPECT_EQ(hg::testing::rows_of(one).values<std::int64_t>(),
                (std::vector<std::int64_t>{4, 5, 6}));
    }
  }
}

TEST(stream_parhip_graph, refuses_offsets_within_a_neighbor_and_unknown_versions) {
  EXPECT_EQ(refusal_of([] { return read(words<std::uint64_t>({64, 0, 0, 32})); }).code(),
            hg::error_kind::unsupported);
  const auto problem = refusal_of([] { return read(words<std::uint64_t>({3, 1, 1, 40, 47, 0})); });
  EXPECT_EQ(problem.code(), hg::error_kind::malformed);
  EXPECT_EQ(problem.where().byte, 32u);
  EXPECT_EQ(refusal_of([] { return read(words<std::uint64_t>({3, 1, 1, 0, 48, 0})); }).code(),
            hg::error_kind::malformed);
  EXPECT_EQ(refusal_of([] {
              return read(words({std::uint64_t{3}, ~std::uint64_t{0}, std::uint64_t{0}}));
            }).code(),
            hg::error_kind::malformed);
}

}  // namespace
