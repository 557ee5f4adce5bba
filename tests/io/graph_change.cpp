// SPDX-License-Identifier: BSL-1.0
#include "support/few_threads.hpp"
#include "support/small_folder.hpp"

#include <halograph/core/random.hpp>
#include <halograph/io/graph_change.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace hg = halograph;
using hg::testing::small_dataset;

using pairs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

template <hg::id Node>
pairs pairs_of(const hg::edge_columns<Node>& edges) {
  pairs out;
  for (std::size_t e = 0; e < edges.source.size(); ++e)
    out.emplace_back(edges.source[e], edges.target[e]);
  return out;
}

hg::edge_columns<> columns_of(const pairs& edges) {
  hg::edge_columns<> out;
  for (const auto& [source, target] : edges) {
    out.source.push_back(source);
    out.target.push_back(target);
  }
  return out;
}

TEST(graph_change, edges_are_those_of_lists_that_are_changed_one_by_one) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    auto data = small_dataset(seed, true, 8, seed % 3 == 0 ? 4 : 60);
    hg::random_stream stream(seed);
    hg::graph_change<> change;
    change.new_nodes = {stream.below(3), stream.below(3)};
    std::vector<pairs> expected;
    std::vector<std::vector<std::uint64_t>> gone(data.edges.size()), stay(data.edges.size());
    for (std::size_t r = 0; r < data.edges.size(); ++r) {
      const auto type = static_cast<hg::type_id>(r);
      auto list = pairs_of(data.edges[r]);
      std::vector<bool> is_gone(list.size());
      pairs removed, added;
      for (std::size_t e = 0; e < list.size(); ++e) {
        if (stream.below(3) != 0) continue;
        removed.push_back(list[e]);
        // Of parallel edges the first that is there.
        for (std::size_t i = 0; i < list.size(); ++i) {
          if (is_gone[i] || list[i] != list[e]) continue;
          is_gone[i] = true;
          break;
        }
      }
      std::reverse(removed.begin(), removed.end());
      const auto nodes = [&](hg::type_id t) { return data.node_counts[t] + change.new_nodes[t]; };
      for (std::uint64_t i = stream.below(20); i != 0; --i)
        added.emplace_back(stream.below(nodes(data.schema.source_type(type))),
                           stream.below(nodes(data.schema.target_type(type))));
      pairs left;
      for (std::size_t e = 0; e < list.size(); ++e) {
        (is_gone[e] ? gone : stay)[r].push_back(e);
        if (!is_gone[e]) left.push_back(list[e]);
      }
      left.insert(left.end(), added.begin(), added.end());
      expected.push_back(left);
      change.added.push_back(columns_of(added));
      change.removed.push_back(columns_of(removed));
    }
    const auto before = data.node_counts;
    const hg::testing::few_threads threads{.count = 3};
    const auto applied = seed % 2 == 0 ? hg::apply_change(data, change)
                                       : hg::apply_change(data, change, threads);
    EXPECT_EQ(applied.old_nodes, before);
    EXPECT_EQ(applied.removed, gone);
    for (std::size_t t = 0; t < before.size(); ++t)
      EXPECT_EQ(data.node_counts[t], before[t] + change.new_nodes[t]);
    for (std::size_t r = 0; r < expected.size(); ++r) {
      const auto type = static_cast<hg::type_id>(r);
      EXPECT_EQ(pairs_of(data.edges[r]), expected[r]) << "seed " << seed;
      ASSERT_EQ(applied.kept_edges(type), stay[r].size());
      for (std::size_t e = 0; e < stay[r].size(); ++e) {
        EXPECT_EQ(applied.old_edge(type, e), stay[r][e]);
        EXPECT_EQ(applied.new_edge(type, stay[r][e]), std::optional<std::uint64_t>(e));
      }
      hg::applied_change::cursor cursor(&applied.removed[r]);
      for (std::uint64_t i = 0; i < 3 * stay[r].size(); ++i) {
        const auto e = static_cast<std::size_t>(stream.below(stay[r].size()));
        EXPECT_EQ(cursor.old_of(e), stay[r][e]) << "after any other";
      }
      for (const auto e : gone[r]) EXPECT_EQ(applied.new_edge(type, e), std::nullopt);
    }
    EXPECT_TRUE(data.graph().validate());
  }
}

std::string refusal(const hg::graph_change<std::uint8_t>& change) {
  hg::dataset<std::uint8_t, std::uint8_t> data;
  data.schema = hg::graph_schema::homogeneous();
  data.node_counts = {3};
  data.edges.push_back({{0, 0, 1}, {1, 1, 2}});
  data.finish();
  try {
    hg::apply_change(data, change);
  } catch (const hg::error& problem) {
    return problem.what();
  }
  return "applied";
}

TEST(graph_change, says_which_edge_or_node_is_wrong) {
  EXPECT_EQ(refusal({}), "applied");
  EXPECT_EQ(refusal({.removed = {{{0, 0}, {1, 1}}}}), "applied");
  EXPECT_NE(refusal({.removed = {{{1, 0, 0, 0}, {2, 1, 1, 1}}}})
                .find("removed edge 3, 0 to 1, is not in the graph's edges of type"),
            std::string::npos);
  EXPECT_NE(refusal({.removed = {{{1}, {0}}}}).find("removed edge 0, 1 to 0"), std::string::npos);
  EXPECT_NE(refusal({.added = {{{0, 3}, {1, 2}}}})
                .find("added edge 1 ends in node 3 of type \"_N\", which has 3 nodes"),
            std::string::npos);
  EXPECT_EQ(refusal({.new_nodes = {1}, .added = {{{0, 3}, {1, 2}}}}), "applied");
  EXPECT_NE(refusal({.new_nodes = {1, 1}}).find("a list for each of them"), std::string::npos);
  EXPECT_NE(refusal({.added = {{{0}, {}}}}).find("a source and a target"), std::string::npos);
  EXPECT_NE(refusal({.removed = {{{0}, {}}}}).find("a source and a target"), std::string::npos);
  // 8 bits number 256 nodes, and no more.
  EXPECT_EQ(refusal({.new_nodes = {252}}), "applied");
  EXPECT_NE(refusal({.new_nodes = {254}}).find("8 bits"), std::string::npos);
  EXPECT_NE(refusal({.new_nodes = {~std::uint64_t{0}}}).find("more new nodes"), std::string::npos);
}

}  // namespace
