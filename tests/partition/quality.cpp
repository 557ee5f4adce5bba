// SPDX-License-Identifier: BSL-1.0
#include <halograph/core/random.hpp>
#include <halograph/graph/coo.hpp>
#include <halograph/partition/quality.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace hg = halograph;

namespace {

template <class Id>
class quality_width : public ::testing::Test {};
using widths = ::testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(quality_width, widths);

TYPED_TEST(quality_width, equals_the_definitions_on_random_multigraphs) {
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    hg::random_stream stream(seed);
    const std::size_t nodes = 1 + seed % 40, edges = seed * 3;
    const std::uint64_t parts = 1 + seed % 3 * 70;  // 1, 71 and 141: one, two and three slabs
    std::vector<TypeParam> source, target, owner;
    for (std::size_t e = 0; e < edges; ++e) {
      source.push_back(static_cast<TypeParam>(stream.below(nodes)));
      target.push_back(static_cast<TypeParam>(stream.below(nodes)));
    }
    for (std::size_t v = 0; v < nodes; ++v)
      owner.push_back(static_cast<TypeParam>(stream.below(parts)));

    std::uint64_t directed = 0;
    std::set<std::pair<TypeParam, TypeParam>> pairs, volume;
    for (std::size_t e = 0; e < edges; ++e) {
      const auto u = source[e], v = target[e];
      if (owner[u] == owner[v]) continue;
      ++directed;
      pairs.insert(std::minmax(u, v));
      volume.insert({u, owner[v]});
      volume.insert({v, owner[u]});
    }
    const hg::coo_view<TypeParam> g(nodes, source, target);
    const auto measured = hg::measure_quality(g, std::span<const TypeParam>(owner), parts);
    ASSERT_EQ(measured.directed_cut, directed) << "seed " << seed;
    ASSERT_EQ(measured.edge_cut, pairs.size()) << "seed " << seed;
    ASSERT_EQ(measured.communication_volume, volume.size()) << "seed " << seed;
    std::vector<std::uint64_t> wide(3 * nodes);
    std::uint64_t one_pass = 0;
    ASSERT_EQ(hg::communication_volume_into(g, std::span<const TypeParam>(owner), parts,
                                            std::span<std::uint64_t>(wide), one_pass),
              hg::status::ok);
    ASSERT_EQ(one_pass, volume.size());
  }
}

TEST(quality, counts_a_pair_once_and_its_edges_each) {
  const std::array<std::uint32_t, 4> source{0, 1, 0, 2}, target{1, 0, 1, 2}, owner{0, 1, 1, 1};
  const auto measured = hg::measure_quality(hg::coo_view<std::uint32_t>(4, source, target),
                                            std::span<const std::uint32_t>(owner), 2);
  EXPECT_EQ(measured.directed_cut, 3u);
  EXPECT_EQ(measured.edge_cut, 1u);
  EXPECT_EQ(measured.communication_volume, 2u);
  EXPECT_TRUE(measured.balance.empty());
}

/// Pieces of one, the last first.
struct backwards {
  static constexpr std::size_t concurrency() noexcept { return 3; }
  template <class Body>
  void parallel_for(std::size_t first, std::size_t last, std::size_t, Body&& body) const {
    while (last-- > first) body(last, last + 1);
  }
};

TEST(quality, counts_few_crossing_edges_as_it_counts_many) {
  // 400 nodes in two halves; 12 edges cross, some of them twice or back.
  const std::size_t nodes = 400;
  std::vector<std::uint32_t> source, target, owner(nodes);
  for (std::uint32_t v = 0; v < nodes; ++v) owner[v] = v < 200 ? 0 : 1 + v % 2;
  for (std::uint32_t v = 0; v + 1 < 200; ++v) {
    source.push_back(v);
    target.push_back(v + 1);
  }
  const std::uint32_t across[12][2] = {{0, 200},   {200, 0},   {0, 200}, {0, 201},
                                       {0, 202},   {7, 399},   {399, 8}, {8, 398},
                                       {210, 211}, {211, 210}, {9, 9},   {199, 200}};
  for (const auto& one : across) {
    source.push_back(one[0]);
    target.push_back(one[1]);
  }
  const hg::coo_view<std::uint32_t> g(nodes, source, target);
  const std::span<const std::uint32_t> owners(owner);
  std::uint64_t volume = 0;
  std::vector<std::uint64_t> words(nodes);
  ASSERT_EQ(hg::communication_volume_into(g, owners, 3, std::span<std::uint64_t>(words), volume),
            hg::status::ok);
  const auto measured = hg::measure_quality(g, owners, 3);
  EXPECT_EQ(measured.directed_cut, 11u);
  EXPECT_EQ(measured.edge_cut, 8u);
  EXPECT_EQ(measured.communication_volume, volume);
}

TEST(quality, counts_the_same_for_many_parts_and_pieces) {
  const std::size_t nodes = 700, edges = 70000;
  hg::random_stream stream(5);
  std::vector<std::uint32_t> source, target;
  for (std::size_t e = 0; e < edges; ++e) {
    source.push_back(static_cast<std::uint32_t>(stream.below(nodes)));
    target.push_back(static_cast<std::uint32_t>(stream.below(nodes)));
  }
  const hg::coo_view<std::uint32_t> g(nodes, source, target);
  for (const std::uint64_t parts : {std::uint64_t{64}, std::uint64_t{130}}) {
    std::vector<std::uint16_t> owner;
    for (std::size_t v = 0; v < nodes; ++v)
      owner.push_back(static_cast<std::uint16_t>(v < parts ? v : stream.below(parts)));
    const std::span<const std::uint16_t> owners(owner);
    std::uint64_t directed = 0, volume = 0;
    ASSERT_EQ(hg::directed_cut_into(g, owners, directed), hg::status::ok);
    std::vector<std::uint64_t> words(3 * nodes);
    ASSERT_EQ(
        hg::communication_volume_into(g, owners, parts, std::span<std::uint64_t>(words), volume),
        hg::status::ok);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    for (std::size_t e = 0; e < edges; ++e) {
      if (owner[source[e]] != owner[target[e]]) pairs.push_back(std::minmax(source[e], target[e]));
    }
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    for (const auto& measured : {hg::measure_quality(g, owners, parts),
                                 hg::measure_quality(g, owners, parts, {}, backwards{})}) {
      EXPECT_EQ(measured.directed_cut, directed);
      EXPECT_EQ(measured.edge_cut, pairs.size());
      EXPECT_EQ(measured.communication_volume, volume);
    }
  }
}

template <class F>
std::string sentence_of(F&& f, hg::error_kind expected) {
  try {
    f();
  } catch (const hg::error& e) {
    EXPECT_EQ(e.code(), expected) << e.what();
    return e.what();
  }
  ADD_FAILURE() << "nothing was raised";
  return {};
}

TEST(quality, refuses_owners_of_another_graph_and_edges_of_no_graph) {
  const std::array<std::uint32_t, 2> source{0, 1}, target{1, 2}, owner{0, 1};
  const std::array<std::uint32_t, 3> three{0, 1, 1}, high{0, 1, 2};
  const hg::coo_view<std::uint32_t> g(3, source, target);
  EXPECT_EQ(sentence_of([&] { hg::measure_quality(g, std::span<const std::uint32_t>(owner), 2); },
                        hg::error_kind::mismatch),
            "there are 2 owners for 3 nodes; there must be one for each");
  EXPECT_EQ(sentence_of([&] { hg::measure_quality(g, std::span<const std::uint32_t>(high), 2); },
                        hg::error_kind::out_of_range),
            "node 2 is owned by part 2, which is not below 2");
  const std::array<std::uint32_t, 2> beyond{1, 3};
  EXPECT_EQ(sentence_of(
                [&] {
                  hg::measure_quality(hg::coo_view<std::uint32_t>(3, source, beyond),
                                      std::span<const std::uint32_t>(three), 2);
                },
                hg::error_kind::out_of_range),
            "edge 1 has an endpoint that is not a node of the graph");
}

TEST(quality, says_how_much_memory_suffices) {
  const std::array<std::uint8_t, 2> source{0, 1}, target{1, 2};
  const std::array<std::uint8_t, 3> owner{0, 1, 0};
  const hg::coo_view<std::uint8_t> g(3, source, target);
  std::uint64_t out = 0;
  std::array<std::uint64_t, 2> words{};
  const auto few = hg::communication_volume_into(g, std::span<const std::uint8_t>(owner), 2,
                                                 std::span<std::uint64_t>(words), out);
  EXPECT_EQ(few, hg::status::capacity);
  EXPECT_EQ(few.position, 3u);
  std::array<std::size_t, hg::symmetrize_size(3, 0).positions> positions{};
  std::array<std::uint8_t, 1> lower{};
  EXPECT_EQ(
      hg::edge_cut_into(g, std::span<const std::uint8_t>(owner), std::span<std::size_t>(positions),
                        std::span<std::uint8_t>(lower), out),
      hg::status::capacity);
}

TEST(quality, takes_owners_of_any_integer_type) {
  const std::vector<std::vector<int>> g{{1}, {2}, {3}, {0}};
  const std::vector<int> owner{0, 0, 1, 1};
  const std::vector<hg::constraint> nodes{{.name = "nodes"}};
  const auto measured = hg::measure_quality(g, owner, 2, nodes);
  EXPECT_EQ(measured.edge_cut, 2u);
  EXPECT_EQ(measured.balance, hg::measure_balance(owner, 2, nodes));
  const std::vector<std::int64_t> bad{0, 0, -2, 1};
  const std::string sentence = "node 2 is assigned to part -2; parts are numbered from 0";
  EXPECT_EQ(sentence_of([&] { hg::measure_quality(g, bad, 2); }, hg::error_kind::out_of_range),
            sentence);
  EXPECT_EQ(sentence_of([&] { hg::measure_balance(bad, 2, nodes); }, hg::error_kind::out_of_range),
            sentence);
}

}  // namespace
