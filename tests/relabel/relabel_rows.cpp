// SPDX-License-Identifier: BSL-1.0
#include <halograph/core/executor.hpp>
#include <halograph/graph/build.hpp>
#include <halograph/graph/coo.hpp>
#include <halograph/graph/csr.hpp>
#include <halograph/relabel/relabel_rows.hpp>

#include <gtest/gtest.h>
#include <support/plain_graph.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace hg = halograph;

namespace {

template <class Node, class Edge>
struct rows {
  hg::status answer{};
  std::vector<Edge> offsets{}, edges{};
  std::vector<Node> sources{};
};

template <class Node, class Edge, class Graph>
rows<Node, Edge> rows_of(const Graph& g, const std::vector<Node>& new_node, std::size_t pieces,
                         unsigned shift) {
  const std::size_t nodes = new_node.size(), count = hg::num_edges(g);
  auto cut = hg::row_buckets::of(nodes, pieces);
  cut.shift = shift;  // small graphs have small buckets
  cut.buckets = (nodes >> shift) + 1;
  rows<Node, Edge> out;
  std::vector<std::uint64_t> counts(cut.counts());
  std::vector<hg::row_entry_with_id<Node, Edge>> entries(count);
  out.offsets.resize(nodes + 1);
  out.sources.resize(count);
  out.edges.resize(count);
  out.answer = hg::relabel_rows_into(g, std::span<const Node>(new_node), cut, std::span(counts),
                                     std::span(entries), std::span(out.offsets),
                                     std::span(out.sources), std::span(out.edges));
  if (out.answer && hg::edge_list<Graph>) {
    // Without IDs: the same rows.
    std::vector<hg::row_entry<Node, Edge>> short_entries(count);
    std::vector<Edge> offsets(nodes + 1);
    std::vector<Node> sources(count);
    EXPECT_EQ(hg::relabel_rows_into(g, std::span<const Node>(new_node), cut, std::span(counts),
                                    std::span(short_entries), std::span(offsets),
                                    std::span(sources), std::span<Edge>()),
              hg::status::ok);
    EXPECT_EQ(offsets, out.offsets);
    EXPECT_EQ(sources, out.sources);
  }
  return out;
}

template <class Id>
class relabeled_rows : public testing::Test {};
using id_types = testing::Types<std::int8_t, std::uint16_t, std::uint32_t, std::int64_t>;
TYPED_TEST_SUITE(relabeled_rows, id_types);

TYPED_TEST(relabeled_rows, hold_the_edges_by_new_target_and_edge_for_any_number_of_pieces) {
  hg::random_stream draw(31);
  for (int round = 0; round < 60; ++round) {
    const auto g = plain::random_graph(draw, 20);
    std::vector<TypeParam> new_node(g.nodes);
    std::iota(new_node.begin(), new_node.end(), TypeParam{0});
    hg::shuffle(std::span(new_node), draw);
    std::vector<std::array<std::size_t, 3>> want;  // target, edge, source
    for (std::size_t e = 0; e < g.edges.size(); ++e) {
      want.push_back(
          {hg::index(new_node[g.edges[e].second]), e, hg::index(new_node[g.edges[e].first])});
    }
    std::sort(want.begin(), want.end());
    const plain::columns<TypeParam> columns(g);
    const auto by_target = hg::build_csc<TypeParam, TypeParam>(columns.view());
    const auto pieces = static_cast<std::size_t>(1 + draw.below(4));
    const auto shift = static_cast<unsigned>(draw.below(5));
    for (const auto& got :
         {rows_of<TypeParam, TypeParam>(columns.view(), new_node, pieces, shift),
          rows_of<TypeParam, TypeParam>(by_target.view(), new_node, pieces, shift)}) {
      ASSERT_EQ(got.answer, hg::status::ok) << g;
      std::size_t at = 0;
      for (std::size_t v = 0; v < g.nodes; ++v) {
        ASSERT_EQ(hg::index(got.offsets[v]), at);
        for (; at < want.size() && want[at][0] == v; ++at) {
          ASSERT_EQ(hg::index(got.edges[at]), want[at][1]) << g;
          ASSERT_EQ(hg::index(got.sources[at]), want[at][2]) << g;
        }
      }
      ASSERT_EQ(hg::index(got.offsets[g.nodes]), want.size());
    }
  }
}

TEST(relabel_rows_into, names_the_first_edge_with_an_endpoint_out_of_range_in_any_piece) {
  const std::vector<std::int32_t> source{0, 1, 1, 0, 2, 1}, target{1, 1, -1, 0, 0, 9}, keep{0, 1};
  const hg::coo_view<std::int32_t, std::int32_t> g(2, source, target);
  for (const std::size_t pieces : {1u, 2u, 6u, 9u}) {
    const auto got = rows_of<std::int32_t, std::int32_t>(g, keep, pieces, 0);
    EXPECT_EQ(got.answer, hg::status::out_of_range);
    EXPECT_EQ(got.answer.position, 2u);
  }
}

TEST(relabel_rows_into, rejects_too_little_memory_and_missing_ids) {
  const std::vector<std::int32_t> source{0, 1}, target{1, 0}, keep{0, 1};
  const hg::coo_view<std::int32_t, std::int32_t> g(2, source, target);
  const auto cut = hg::row_buckets::of(2, 1);
  std::vector<std::uint64_t> counts(cut.counts());
  std::vector<hg::row_entry<std::int32_t, std::int32_t>> entries(2);
  std::vector<std::int32_t> offsets(3), sources(2), edges(2);
  const auto run = [&](std::size_t words, std::size_t rows, std::size_t room, std::size_t ids) {
    return hg::relabel_rows_into(g, std::span<const std::int32_t>(keep), cut,
                                 std::span(counts).first(words), std::span(entries),
                                 std::span(offsets).first(rows), std::span(sources).first(room),
                                 std::span(edges).first(ids));
  };
  EXPECT_EQ(run(counts.size(), 3, 2, 0), hg::status::ok);
  EXPECT_EQ(run(counts.size() - 1, 3, 2, 0), hg::status::capacity);
  EXPECT_EQ(run(counts.size(), 2, 2, 0), hg::status::capacity);
  EXPECT_EQ(run(counts.size(), 3, 1, 0), hg::status::capacity);
  EXPECT_EQ(run(counts.size(), 3, 2, 2), hg::status::invalid_argument);
  EXPECT_EQ(hg::relabel_rows_into(g, std::span<const std::int32_t>(keep).first(1), cut,
                                  std::span(counts), std::span(entries), std::span(offsets),
                                  std::span(sources), std::span(edges).first(0)),
            hg::status::mismatch.at(1));
}

// Rows of a graph that is no edge list are sorted only if they could be filled.
TEST(relabel_rows_into, of_rows_names_what_is_too_small) {
  const std::vector<std::int32_t> row_begin{0, 1, 2}, source{1, 0}, keep{0, 1};
  const hg::csc_view<std::int32_t, std::int32_t> g(row_begin, source);
  const auto cut = hg::row_buckets::of(2, 1);
  std::vector<std::uint64_t> counts(cut.counts());
  std::vector<hg::row_entry_with_id<std::int32_t, std::int32_t>> entries(2);
  std::vector<std::int32_t> offsets(3), sources(2), edges(2);
  EXPECT_EQ(hg::relabel_rows_into(g, std::span<const std::int32_t>(keep), cut, std::span(counts),
                                  std::span(entries), std::span(offsets),
                                  std::span(sources).first(1), std::span(edges)),
            hg::status::capacity);
}

TEST(row_buckets, are_a_thousand_at_most) {
  for (const std::size_t nodes :
       {std::size_t{0}, std::size_t{1}, std::size_t{1023}, std::size_t{1024}, std::size_t{1} << 20,
        (std::size_t{1} << 31) + 5}) {
    const auto cut = hg::row_buckets::of(nodes, 3);
    EXPECT_LE(cut.buckets, 1024u);
    EXPECT_GT(cut.buckets, nodes >> cut.shift);
    EXPECT_EQ(cut.counts(), 3 * (cut.buckets + 2));  // and what went wrong, where
  }
}

}  // namespace
