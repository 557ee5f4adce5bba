// SPDX-License-Identifier: BSL-1.0
#include <halograph/core/random.hpp>
#include <halograph/pipeline/out_of_core/buckets.hpp>
#include <halograph/pipeline/out_of_core/edges.hpp>

#include <gtest/gtest.h>
#include <support/temporary_folder.hpp>

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <utility>
#include <vector>

namespace hg = halograph;

namespace {

/// Rows of drawn edges, most of them into few nodes, are those of a stable sort by target.
template <class Node, class Edge>
void expect_rows(std::uint64_t window, std::uint64_t sorted) {
  using record = hg::detail::edge_record<Node, Edge>;
  const hg::testing::temporary_folder folder;
  constexpr std::uint64_t nodes = 90;
  constexpr std::size_t edges = 3000;
  hg::random_stream draw(5);
  std::vector<std::vector<std::pair<Node, Edge>>> wanted(nodes);
  const hg::detail::bucket_ranges ranges(nodes, 16);
  hg::spill_buckets spill(folder("spill"), ranges.count, sizeof(record), 200);
  for (std::size_t e = 0; e < edges; ++e) {
    const std::uint64_t target = draw.below(1 + draw.below(nodes - 1));  // never the last
    const record one{static_cast<Node>(target), static_cast<Node>(draw.below(nodes)),
                     static_cast<Edge>(e % 100)};
    spill.push(ranges.of(target), one);
    wanted[static_cast<std::size_t>(target)].emplace_back(one.source, one.edge);
  }
  spill.finish();
  auto sources = hg::scratch_array<Node>::create(folder("sources"), edges);
  auto old_edge = hg::scratch_array<Edge>::create(folder("old_edge"), edges);
  std::vector<Edge> offsets(nodes + 1);
  std::uint64_t told = 0;
  hg::detail::rows_from_buckets<record>(
      spill, ranges, std::span<Edge>(offsets), window, sorted, std::pmr::get_default_resource(),
      hg::sequential{}, [](const record& one) { return static_cast<std::uint64_t>(one.target); },
      hg::detail::row_columns<Node, Edge>(sources, old_edge),
      [&](std::uint64_t done) { told = done; });
  EXPECT_EQ(told, edges);
  EXPECT_EQ(static_cast<std::uint64_t>(offsets[nodes]), edges);
  for (std::size_t v = 0; v < nodes; ++v) {
    std::vector<std::pair<Node, Edge>> got;
    for (auto k = static_cast<std::size_t>(offsets[v]);
         k < static_cast<std::size_t>(offsets[v + 1]); ++k)
      got.emplace_back(sources.values()[k], old_edge.values()[k]);
    EXPECT_EQ(got, wanted[v]) << v;
  }
}

TEST(rows_from_buckets, sort_stably_whatever_fits_in_memory) {
  // All buckets, some and none are read at once, and sorted in memory.
  for (const std::uint64_t window : {1u, 3000u, 100'000u}) {
    for (const std::uint64_t sorted : {0u, 3000u, 100'000u}) {
      expect_rows<std::uint32_t, std::uint32_t>(window, sorted);
      expect_rows<std::uint32_t, std::uint64_t>(window, sorted);
      expect_rows<std::int64_t, std::int16_t>(window, sorted);
      expect_rows<std::uint8_t, std::int64_t>(window, sorted);
    }
  }
}

}  // namespace
