// SPDX-License-Identifier: BSL-1.0
#include <halograph/graph/build.hpp>
#include <halograph/halo/cut_lists.hpp>

#include <gtest/gtest.h>
#include <support/plain_graph.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace hg = halograph;

namespace {

TEST(part_finder, finds_the_part_of_every_node_past_empty_parts) {
  const std::vector<std::uint64_t> begin{0, 0, 3, 3, 3, 5000, 5001, 5001, 9000, 9000};
  const hg::part_finder part_of(begin);
  for (std::uint64_t node = 0; node < 9000; ++node) {
    const std::size_t part = part_of(node);
    ASSERT_TRUE(begin[part] <= node && node < begin[part + 1]) << node;
  }
  std::vector<std::uint64_t> single(5001);
  for (std::size_t p = 0; p < single.size(); ++p) single[p] = p;
  const hg::part_finder own(single);
  for (std::uint64_t node = 0; node < 5000; ++node) ASSERT_EQ(own(node), node);
  // The last place of the table is full: 8191 nodes take 2048 places of 4 nodes.
  single.resize(8192);
  for (std::size_t p = 0; p < single.size(); ++p) single[p] = p;
  const hg::part_finder full(single);
  for (std::uint64_t node = 0; node < 8191; ++node) ASSERT_EQ(full(node), node);
  // Many small parts, some of them empty, in one place of the table, behind and before large ones.
  std::vector<std::uint64_t> crowded{0, 1'000'000};
  for (std::uint64_t p = 0; p < 300; ++p) crowded.push_back(crowded.back() + p % 3);
  crowded.push_back(2'000'000);
  const hg::part_finder among(crowded);
  for (std::uint64_t node = 999'990; node < 1'000'320; ++node) {
    const std::size_t part = among(node);
    ASSERT_TRUE(crowded[part] <= node && node < crowded[part + 1]) << node;
  }
  EXPECT_EQ(among(1'999'999), crowded.size() - 2);
}

template <class Id>
class cut_lists : public testing::Test {};
using id_types = testing::Types<std::int8_t, std::uint16_t, std::uint32_t, std::int64_t>;
TYPED_TEST_SUITE(cut_lists, id_types);

TYPED_TEST(cut_lists, hold_the_edges_that_leave_each_part_by_position_for_any_number_of_pieces) {
  hg::random_stream draw(5);
  for (int round = 0; round < 80; ++round) {
    const auto g = plain::random_graph(draw, 20);
    const auto parts = static_cast<std::size_t>(1 + draw.below(5));
    auto owner = plain::random_owners(draw, g.nodes, parts);
    std::sort(owner.begin(), owner.end());
    std::vector<std::uint64_t> part_begin(parts + 1);
    for (std::size_t p = 0; p <= parts; ++p) {
      part_begin[p] = static_cast<std::uint64_t>(std::lower_bound(owner.begin(), owner.end(), p) -
                                                 owner.begin());
    }
    const auto rows = hg::build_csc<TypeParam, TypeParam>(plain::columns<TypeParam>(g).view());
    std::vector<std::array<std::size_t, 4>> want;  // part of source, position, source, target
    for (std::size_t v = 0; v < g.nodes; ++v) {
      for (std::size_t i = rows.view().row_begin(v); i < rows.view().row_end(v); ++i) {
        const std::size_t u = hg::index(rows.sources[i]);
        if (owner[u] != owner[v]) want.push_back({owner[u], i, u, v});
      }
    }
    std::sort(want.begin(), want.end());
    const auto pieces = static_cast<std::size_t>(1 + draw.below(5));
    std::vector<std::uint64_t> counts(hg::cut_counts_count(parts, pieces)), begin(parts + 1);
    ASSERT_EQ(hg::count_cut_lists(rows.positions(), part_begin, pieces, std::span(counts),
                                  std::span(begin)),
              hg::status::ok);
    ASSERT_EQ(begin.back(), want.size()) << g;
    std::vector<hg::cut_edge<TypeParam, TypeParam>> edges(want.size());
    ASSERT_EQ(hg::fill_cut_lists(rows.positions(), part_begin, pieces, std::span(counts),
                                 std::span(edges)),
              hg::status::ok);
    const hg::cut_lists_view<TypeParam, TypeParam> lists{begin, edges};
    std::size_t at = 0;
    for (std::size_t p = 0; p < parts; ++p) {
      for (const auto& one : lists.of(p)) {
        ASSERT_EQ(
            (std::array{p, hg::index(one.position), hg::index(one.source), hg::index(one.target)}),
            want[at])
            << g;
        ++at;
      }
    }
    ASSERT_EQ(at, want.size());
  }
}

TYPED_TEST(cut_lists, name_each_wanted_target_once_with_its_smallest_source) {
  using edge = hg::cut_edge<TypeParam, TypeParam>;
  using pair = std::pair<TypeParam, TypeParam>;
  hg::random_stream draw(6);
  for (const std::size_t length : {0u, 1u, 2u, 100u, 1023u, 1024u, 1025u, 5000u}) {
    for (const unsigned targets : {1u, 3u, 100u}) {
      std::vector<edge> list;
      std::vector<pair> wanted;
      for (std::size_t i = 0; i < length; ++i)
        list.push_back({static_cast<TypeParam>(draw.below(120)),
                        static_cast<TypeParam>(27 + draw.below(targets)), TypeParam{}});
      std::stable_sort(list.begin(), list.end(),
                       [](const edge& a, const edge& b) { return a.target < b.target; });
      const auto odd = [](TypeParam target) { return hg::index(target) % 2 == 1; };
      for (const edge& one : list) {
        if (!odd(one.target)) continue;
        if (wanted.empty() || wanted.back().second != one.target)
          wanted.emplace_back(one.source, one.target);
        wanted.back().first = std::min(wanted.back().first, one.source);
      }
      std::vector<pair> found;
      hg::visit_cut_targets(std::span<const edge>(list), odd,
                            [&](std::span<const hg::cut_target<TypeParam>> some) {
                              for (const auto& one : some)
                                found.emplace_back(one.source, one.target);
                            });
      EXPECT_EQ(found, wanted) << length << " edges to " << targets << " nodes";
    }
  }
}

TEST(part_finder, of_no_parts_can_be_made) {
  [[maybe_unused]] const hg::part_finder none{std::span<const std::uint64_t>()};
}

TEST(count_cut_lists, rejects_too_little_memory) {
  const auto rows = hg::build_csc<std::int32_t, std::int32_t>(
      plain::columns<std::int32_t>({2, {{0, 1}}}).view());
  const std::vector<std::uint64_t> part_begin{0, 1, 2};
  std::vector<std::uint64_t> counts(6), begin(3);
  EXPECT_EQ(
      hg::count_cut_lists(rows.positions(), part_begin, 3, std::span(counts), std::span(begin)),
      hg::status::ok);
  EXPECT_EQ(hg::count_cut_lists(rows.positions(), part_begin, 3, std::span(counts).first(5),
                                std::span(begin)),
            hg::status::capacity);
  EXPECT_EQ(hg::count_cut_lists(rows.positions(), part_begin, 3, std::span(counts),
                                std::span(begin).first(2)),
            hg::status::capacity);
  std::vector<hg::cut_edge<std::int32_t, std::int32_t>> edges(1);
  EXPECT_EQ(hg::fill_cut_lists(rows.positions(), part_begin, 3, std::span(counts).first(5),
                               std::span(edges)),
            hg::status::capacity.at(6));
}

}  // namespace
