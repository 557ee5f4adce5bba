// SPDX-License-Identifier: BSL-1.0
/// @file dist_model.hpp
/// For tests: a small graph, the folder of its partitions, and a plain model that holds all of it,
/// to compare a distributed graph over any ranks with. What needs no communicator is in
/// dist_model.cpp.
#pragma once

#include "support/memory_folder.hpp"
#include "support/partition_model.hpp"

#include <halograph/dist/dist_graph.hpp>
#include <halograph/dist/dist_state.hpp>
#include <halograph/dist/open_dist_graph.hpp>
#include <halograph/pipeline/partition_graph.hpp>
#include <halograph/serial/dgl/serializer.hpp>
#include <halograph/serial/native.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace halograph::testing {

/// nlohmann-json, compiled once.
struct dist_codec {
  status parse(std::string_view text, json::value& out) const;
};

using dist_formats = format_set<native_serializer, dgl_serializer>;

/// A graph, its owners, and the folder `g.json` of its partitions.
struct dist_case {
  dataset<> data{};
  std::vector<part_id> owner{};
  partition_options options{};
  partition_model model{};
  memory_folder folder{};
  std::vector<std::vector<std::size_t>> node_of{},
      edge_of{};  ///< [type][new typed ID] -> new global ID

  /// @param closing  hold the out-edges of inner nodes
  dist_case(bool typed, std::uint64_t seed, std::size_t parts, unsigned hops, bool native,
            bool closing = true);

  template <communicator Ranks>
  dist_graph<Ranks> open(const Ranks& ranks, dist_options how = {}) const {
    how.exchange_bytes = 100;  // many rounds
    return open_dist_graph(ranks, "g.json", folder_access(folder, dist_codec{}, dist_formats{}),
                           how);
  }

  /// The folder of the same parts under original IDs.
  memory_folder not_relabeled() const;
  /// Row of a feature of the input as its file holds it.
  std::vector<std::byte> row(const chunked_tensor& rows, std::size_t original) const;
};

/// IDs below n, drawn with repetition; another list on every rank, and none on rank 0 if `seed` is
/// even.
std::vector<std::int32_t> draw_ids(std::size_t n, std::size_t rank, std::uint64_t seed);

/// A part of the model.
void expect_part(const dist_case& made, const part_graph& part);

/// Features of all types, rows of any rank.
template <communicator Ranks>
void expect_features(const dist_case& made, const dist_graph<Ranks>& g) {
  const auto& all = made.model;
  for (const bool of_nodes : {true, false}) {
    for (const auto& one : of_nodes ? made.data.features.nodes : made.data.features.edges) {
      const auto& ids_of_type = of_nodes ? made.node_of[one.type] : made.edge_of[one.type];
      const auto space = of_nodes ? g.nodes(one.type) : g.edges(one.type);
      const auto rows = space.data(one.name);
      EXPECT_EQ(rows.rows(), ids_of_type.size());
      EXPECT_EQ(space.size(), ids_of_type.size());
      const auto ids = draw_ids(ids_of_type.size(), g.ranks().rank(), one.type + one.name.size());
      const tensor got = rows[ids];
      ASSERT_EQ(got.rows(), ids.size());
      EXPECT_TRUE(std::equal(got.row_shape().begin(), got.row_shape().end(),
                             one.rows.row_shape().begin(), one.rows.row_shape().end()));
      for (std::size_t i = 0; i < ids.size(); ++i) {
        const auto global = ids_of_type[static_cast<std::size_t>(ids[i])];
        const auto original = of_nodes ? all.old_node[global] - all.node_base[one.type]
                                       : all.old_edge[global] - all.edge_base[one.type];
        const auto row = made.row(one.rows, original);
        const auto bytes = got.bytes().subspan(i * row.size(), row.size());
        ASSERT_TRUE(std::equal(row.begin(), row.end(), bytes.begin())) << one.name << " " << ids[i];
        if (rows.is_local(ids[i])) {
          const auto there = rows.local_row(ids[i]);
          EXPECT_TRUE(std::equal(row.begin(), row.end(), there.begin(), there.end()));
        }
      }
    }
  }
}

/// Endpoints of edges and degrees of nodes, by global and typed IDs.
template <communicator Ranks>
void expect_structure(const dist_case& made, const dist_graph<Ranks>& g) {
  const auto& all = made.model;
  const std::size_t nodes = all.old_node.size(), edges = all.old_edge.size(),
                    rank = g.ranks().rank();
  EXPECT_EQ(g.num_nodes(), nodes);
  EXPECT_EQ(g.num_edges(), edges);
  for (const auto& part : g.parts()) expect_part(made, part);
  for (std::size_t p = 0; p < g.num_parts(); ++p)
    EXPECT_EQ(g.part(static_cast<part_id>(p)) != nullptr,
              g.rank_of_part(static_cast<part_id>(p)) == rank);

  const auto ids = draw_ids(edges, rank, 1);
  const auto [sources, targets] = g.find_edges(ids);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto e = all.old_edge[static_cast<std::size_t>(ids[i])];
    EXPECT_EQ(sources[i], static_cast<global_id>(all.new_node[all.source[e]]));
    EXPECT_EQ(targets[i], static_cast<global_id>(all.new_node[all.target[e]]));
  }
  std::vector<std::uint64_t> in(nodes), out(nodes);
  for (const auto e : all.old_edge) {
    ++in[all.new_node[all.target[e]]];
    ++out[all.new_node[all.source[e]]];
  }
  const auto some = draw_ids(nodes, rank, 2);
  const auto in_found = g.in_degrees(some), out_found = g.out_degrees(some);
  for (std::size_t i = 0; i < some.size(); ++i) {
    EXPECT_EQ(in_found[i], in[static_cast<std::size_t>(some[i])]);
    EXPECT_EQ(out_found[i], out[static_cast<std::size_t>(some[i])]);
  }
  for (std::size_t r = 0; r < made.edge_of.size(); ++r) {
    const auto type = static_cast<type_id>(r);
    const auto from = g.schema().source_type(type), to = g.schema().target_type(type);
    const auto typed = draw_ids(made.edge_of[r].size(), rank, 3 + r);
    const auto ends = g.find_edges(typed, type);
    for (std::size_t i = 0; i < typed.size(); ++i) {
      const auto e = all.old_edge[made.edge_of[r][static_cast<std::size_t>(typed[i])]];
      EXPECT_EQ(made.node_of[from][static_cast<std::size_t>(ends.first[i])],
                all.new_node[all.source[e]]);
      EXPECT_EQ(made.node_of[to][static_cast<std::size_t>(ends.second[i])],
                all.new_node[all.target[e]]);
    }
    std::vector<std::uint64_t> in_r(nodes), out_r(nodes);
    for (const auto global : made.edge_of[r]) {
      ++in_r[all.new_node[all.target[all.old_edge[global]]]];
      ++out_r[all.new_node[all.source[all.old_edge[global]]]];
    }
    const auto heads = draw_ids(made.node_of[to].size(), rank, 4 + r),
               tails = draw_ids(made.node_of[from].size(), rank, 5 + r);
    const auto in_typed = g.in_degrees(heads, type), out_typed = g.out_degrees(tails, type);
    for (std::size_t i = 0; i < heads.size(); ++i)
      EXPECT_EQ(in_typed[i], in_r[made.node_of[to][static_cast<std::size_t>(heads[i])]]);
    for (std::size_t i = 0; i < tails.size(); ++i)
      EXPECT_EQ(out_typed[i], out_r[made.node_of[from][static_cast<std::size_t>(tails[i])]]);
  }
}

}  // namespace halograph::testing
