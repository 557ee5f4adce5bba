// SPDX-License-Identifier: BSL-1.0
// slow: half a minute to compile, every storage
// The same edges under the same IDs give the same bytes, whatever the graph is stored in and
// however wide its IDs are. Storages that number edges themselves (vector of vectors, offsets and
// targets) number them row by row: they give the bytes of the edge list sorted by source.
#include "support/memory_folder.hpp"
#include "support/partition_model.hpp"

#include <halograph/graph/coo.hpp>
#include <halograph/graph/csr.hpp>
#include <halograph/partition/random.hpp>
#include <halograph/pipeline/partition_graph.hpp>
#include <halograph/serial/dgl/serializer.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace my_engine {

/// A user's graph: two functions, 32-bit IDs, the in-edges of a node last one first.
struct graph {
  using node_id = std::uint32_t;
  using edge_id = std::uint32_t;
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> in{};  // (source, edge)
};
std::size_t num_nodes(const graph& g) { return g.in.size(); }
template <class Node, class F>
void for_each_in_edge(const graph& g, Node v, F&& f) {
  const auto& row = g.in[static_cast<std::size_t>(v)];
  for (auto it = row.rbegin(); it != row.rend(); ++it) f(it->first, it->second);
}

}  // namespace my_engine

namespace {

namespace hg = halograph;
namespace ht = halograph::testing;
using edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
using folder = std::map<std::string, std::string>;

constexpr std::size_t nodes = 40;

edges drawn(std::uint64_t seed) {
  hg::random_stream stream(seed);
  edges out;
  for (int e = 0; e < 100; ++e)
    out.emplace_back(static_cast<std::uint32_t>(stream.below(nodes)),
                     static_cast<std::uint32_t>(stream.below(nodes)));
  return out;
}

template <class Graph>
folder bytes_of(const Graph& g, bool reshuffle = true) {
  ht::memory_target<hg::dgl_serializer> to;
  hg::feature_set features;
  features.nodes.push_back({0, "x", ht::any_feature(hg::dtype::float32, {nodes, 3}, 1)});
  features.edges.push_back({0, "w", ht::any_feature(hg::dtype::int16, {100}, 2)});
  hg::partition_options options;
  options.hops = 2;
  options.formats = hg::sparse_formats::all();
  options.reshuffle = reshuffle;
  options.save_mapping = true;
  options.features = features;
  hg::partition_graph(g, hg::random_parts{.parts = 3, .seed = 4}, to, options);
  folder out;
  for (const auto& name : to.folder.names()) out[name] = to.folder.text(name);
  return out;
}

template <hg::id Node, hg::id Edge>
folder bytes_of_list(const edges& list, bool reshuffle = true) {
  std::vector<Node> source, target;
  for (const auto& [u, v] : list) {
    source.push_back(static_cast<Node>(u));
    target.push_back(static_cast<Node>(v));
  }
  return bytes_of(hg::coo_view<Node, Edge>(nodes, source, target), reshuffle);
}

/// Rows by source or by target, each in descending order of edge ID: no storage owes us another.
struct compressed {
  std::vector<std::uint32_t> offsets{0}, ends{}, ids{};
};
compressed compress(const edges& list, bool by_source) {
  compressed out;
  for (std::uint32_t row = 0; row < nodes; ++row) {
    for (std::size_t e = list.size(); e-- > 0;) {
      if ((by_source ? list[e].first : list[e].second) != row) continue;
      out.ends.push_back(by_source ? list[e].second : list[e].first);
      out.ids.push_back(static_cast<std::uint32_t>(e));
    }
    out.offsets.push_back(static_cast<std::uint32_t>(out.ends.size()));
  }
  return out;
}

TEST(partition_graph_storages, adjacency_with_edge_ids_gives_the_bytes_of_the_edge_list) {
  const auto list = drawn(1);
  for (const bool reshuffle : {true, false}) {
    const auto wanted = bytes_of_list<std::uint32_t, std::uint32_t>(list, reshuffle);
    ASSERT_GT(wanted.size(), 15u);
    const auto csr = compress(list, true), csc = compress(list, false);
    EXPECT_EQ(bytes_of(hg::csr_view<std::uint32_t, std::uint32_t>(csr.offsets, csr.ends, csr.ids),
                       reshuffle),
              wanted);
    EXPECT_EQ(bytes_of(hg::csc_view<std::uint32_t, std::uint32_t>(csc.offsets, csc.ends, csc.ids),
                       reshuffle),
              wanted);
    my_engine::graph own;
    own.in.resize(nodes);
    for (std::size_t e = 0; e < list.size(); ++e)
      own.in[list[e].second].emplace_back(list[e].first, static_cast<std::uint32_t>(e));
    EXPECT_EQ(bytes_of(own, reshuffle), wanted);
  }
}

TEST(partition_graph_storages, containers_give_the_bytes_of_the_edge_list_by_source) {
  auto list = drawn(2);
  std::stable_sort(list.begin(), list.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  const auto wanted = bytes_of_list<std::uint64_t, std::uint64_t>(list);
  std::vector<std::vector<std::uint32_t>> rows(nodes);
  std::vector<std::uint32_t> offsets{0}, targets;
  for (const auto& [u, v] : list) {
    rows[u].push_back(v);
    targets.push_back(v);
  }
  for (const auto& row : rows)
    offsets.push_back(offsets.back() + static_cast<std::uint32_t>(row.size()));
  EXPECT_EQ(bytes_of(rows), wanted);
  EXPECT_EQ(bytes_of(std::pair(std::span<const std::uint32_t>(offsets),
                               std::span<const std::uint32_t>(targets))),
            wanted);
  EXPECT_EQ(bytes_of(hg::csr_view<std::uint32_t, std::uint32_t>(offsets, targets)), wanted);
}

template <class Pair>
class partition_graph_ids : public testing::Test {};
using widths =
    testing::Types<std::pair<std::int8_t, std::int8_t>, std::pair<std::uint8_t, std::uint32_t>,
                   std::pair<std::uint16_t, std::int16_t>, std::pair<std::int32_t, std::int32_t>,
                   std::pair<std::uint64_t, std::uint8_t>, std::pair<std::int64_t, std::int64_t>>;
TYPED_TEST_SUITE(partition_graph_ids, widths);

TYPED_TEST(partition_graph_ids, of_any_width_give_the_same_bytes) {
  const auto list = drawn(3);
  EXPECT_EQ((bytes_of_list<typename TypeParam::first_type, typename TypeParam::second_type>(list)),
            (bytes_of_list<std::uint32_t, std::uint32_t>(list)));
}

TEST(partition_graph_ids_too_narrow, are_refused_before_anything_is_written) {
  const std::vector<std::int8_t> none;
  ht::memory_target<hg::dgl_serializer> to;
  try {
    hg::partition_graph(hg::coo_view<std::int8_t, std::int8_t>(200, none, none),
                        hg::random_parts{.parts = 2}, to);
    ADD_FAILURE() << "200 nodes went through 8 bits";
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.code(), hg::error_kind::overflow);
    EXPECT_NE(problem.message().find("wider"), std::string::npos) << problem.message();
  }
  EXPECT_TRUE(to.folder.names().empty());
}

}  // namespace
