// SPDX-License-Identifier: BSL-1.0
// partition_graph where graphs and parts are odd: nothing to own, nothing to number, and with
// original IDs kept.
#include "support/dgl_rows.hpp"
#include "support/partition_model.hpp"

#include <halograph/folder/read_config.hpp>
#include <halograph/partition/given.hpp>
#include <halograph/partition/random.hpp>
#include <halograph/partition/range.hpp>
#include <halograph/pipeline/partition_graph.hpp>
#include <halograph/serial/npy.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace {

namespace hg = halograph;
namespace ht = halograph::testing;
using target = ht::memory_target<hg::dgl_serializer>;

hg::loaded_partition load(const target& from, std::size_t part, const std::string& name = "g") {
  return hg::load_partition(
      name + ".json", part,
      hg::folder_access(from.folder, hg::nlohmann_codec{}, hg::format_set<hg::dgl_serializer>{}));
}

bool noted(const hg::partition_result& result, const std::string& words) {
  return std::any_of(result.notes.begin(), result.notes.end(),
                     [&](const auto& note) { return note.find(words) != std::string::npos; });
}

TEST(partition_graph_cases, more_parts_than_nodes_leave_parts_that_own_nothing) {
  const auto data = ht::small_graph(true, 1, 4, 6);
  const auto result = ht::expect_what_dgl_expects(data, hg::random_parts{.parts = 20, .seed = 1},
                                                  {});
  std::size_t empty = 0;
  for (const auto& part : result.report.parts) empty += part.inner_nodes == 0 ? 1u : 0u;
  EXPECT_EQ(empty, 20 - data.num_nodes());
  EXPECT_TRUE(noted(result, std::to_string(empty) + " of 20 parts own no node"));
}

TEST(partition_graph_cases, empty_parts_may_lie_anywhere) {
  const auto data = ht::small_graph(false, 2);
  for (const hg::part_id part : {0u, 1u, 3u}) {
    const std::vector<hg::part_id> owners(static_cast<std::size_t>(data.num_nodes()), part);
    const auto result = ht::expect_what_dgl_expects(data, hg::given{.parts = 4, .owners = owners},
                                                    {});
    for (std::size_t p = 0; p < 4; ++p)
      EXPECT_EQ(result.report.parts[p].inner_nodes, p == part ? data.num_nodes() : 0u);
    EXPECT_EQ(result.report.directed_cut, 0u);
    EXPECT_EQ(result.report.replication_factor, 1.0);
  }
}

TEST(partition_graph_cases, a_graph_without_edges_or_without_nodes_is_a_graph) {
  for (const std::size_t parts : {1u, 3u}) {
    for (const bool typed : {true, false}) {
      const auto no_edges = ht::small_graph(typed, 3, 8, 0);
      EXPECT_EQ(
          ht::expect_what_dgl_expects(no_edges, hg::range_parts{.parts = parts}, {}).report.edges,
          0u);
    }
    hg::dataset<> nothing;
    nothing.name = "nothing";
    nothing.schema = hg::graph_schema::homogeneous();
    nothing.node_counts = {0};
    nothing.edges.resize(1);
    nothing.features.nodes.push_back({0, "x", ht::any_feature(hg::dtype::float32, {0, 2}, 1)});
    nothing.finish();
    const auto result = ht::expect_what_dgl_expects(nothing, hg::range_parts{.parts = parts}, {});
    EXPECT_EQ(result.report.nodes, 0u);
    EXPECT_EQ(result.report.replication_factor, 1.0);
  }
}

TEST(partition_graph_cases, types_without_nodes_may_stand_anywhere) {
  for (std::size_t empty = 0; empty < 4; ++empty) {
    hg::dataset<> data;
    data.name = "types";
    for (const char* name : {"a", "b", "c"}) data.schema.add_node_type(name);
    data.node_counts = {5, 6, 7};
    if (empty < 3)
      data.node_counts[empty] = 0;
    else
      data.node_counts = {0, 9, 0};
    for (const char* source : {"a", "b", "c"}) {
      for (const char* sink : {"a", "b", "c"})
        data.schema.add_edge_type({source, "to", sink});  // one name, nine types
    }
    hg::random_stream stream(empty);
    for (int r = 0; r < 9; ++r) ht::draw_edges(data, 6, stream);
    for (hg::type_id t = 0; t < 3; ++t)
      data.features.nodes.push_back(
          {t, "x", ht::any_feature(hg::dtype::float64, {data.node_counts[t], 2}, t)});
    for (hg::type_id r = 0; r < 9; ++r)
      data.features.edges.push_back(
          {r, "to", ht::any_feature(hg::dtype::uint8, {data.edges[r].source.size()}, r)});
    data.finish();
    for (const std::size_t parts : {1u, 3u})
      ht::expect_what_dgl_expects(data, hg::random_parts{.parts = parts, .seed = empty}, {});
  }
}

TEST(partition_graph_cases, one_part_renumbers_nothing) {
  const auto data = ht::small_graph(true, 4);
  target to;
  const auto result = hg::partition_graph(data, hg::random_parts{.parts = 1}, to,
                                          {.graph_name = "g", .return_mapping = true});
  for (const auto& mapping : {result.node_mapping, result.edge_mapping}) {
    for (const auto& type : mapping) {
      for (std::size_t i = 0; i < type.size(); ++i) EXPECT_EQ(type[i], i);
    }
  }
  const auto part = load(to, 0);
  const auto ends = ht::ends_of(part.graph);
  std::size_t e = 0;
  hg::for_each_edge(data.graph(), [&](auto u, auto v, auto) {
    EXPECT_EQ(ends.at(e), (std::pair<std::int64_t, std::int64_t>(u, v)));
    ++e;
  });
  EXPECT_EQ(e, ends.size());
}

TEST(partition_graph_cases,
     zero_hops_say_how_many_edges_they_cannot_keep_and_drop_them_when_asked) {
  const auto data = ht::small_graph(true, 5);
  const auto owners = ht::draw_owners(data.num_nodes(), 3, 6);
  const hg::given policy{.parts = 3, .owners = owners};
  std::uint64_t cut = 0;
  hg::for_each_edge(data.graph(),
                    [&](auto u, auto v, auto) { cut += owners[u] != owners[v] ? 1u : 0u; });
  ASSERT_GT(cut, 0u);
  target to;
  hg::partition_options options;
  options.graph_name = "g";
  options.hops = 0;
  try {
    hg::partition_graph(data, policy, to, options);
    ADD_FAILURE() << "cut edges were kept without HALO nodes";
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.code(), hg::error_kind::cut_edges);
    EXPECT_NE(problem.message().find(" " + std::to_string(cut) + " edges"), std::string::npos)
        << problem.message();
  }
  EXPECT_TRUE(to.folder.names().empty());

  options.drop_cut_edges = true;
  const auto result = hg::partition_graph(data, policy, to, options);
  EXPECT_EQ(result.config.cut_edges_dropped, cut);
  EXPECT_EQ(result.config.num_edges, data.num_edges() - cut);
  const auto config = hg::read_config("g.json", to.folder, hg::nlohmann_codec{});
  EXPECT_EQ(config.cut_edges_dropped, cut);
  std::int64_t next = 0;
  for (std::size_t p = 0; p < 3; ++p) {
    for (const auto id : ht::column_values(load(to, p).graph.edge_columns, "_ID"))
      EXPECT_EQ(id, next++);
  }
  EXPECT_EQ(next, static_cast<std::int64_t>(config.num_edges));

  // Nothing to drop, nothing recorded: DGL accepts such graphs too.
  const std::vector<hg::part_id> together(owners.size(), 1);
  EXPECT_FALSE(hg::partition_graph(data, hg::given{.parts = 3, .owners = together}, to, options)
                   .config.cut_edges_dropped.has_value());
  options.drop_cut_edges = false;
  EXPECT_NO_THROW(
      hg::partition_graph(data, hg::given{.parts = 3, .owners = together}, to, options));
}

TEST(partition_graph_cases, without_the_closing_step_every_in_edge_of_the_layers_is_held) {
  const auto data = ht::small_graph(false, 7, 30, 50);
  const auto owners = ht::draw_owners(data.num_nodes(), 3, 8);
  hg::partition_options options;
  options.graph_name = "g";
  options.hops = 2;
  options.closing_out_edges = false;
  options.store_original_ids = true;
  target to;
  hg::partition_graph(data, hg::given{.parts = 3, .owners = owners}, to, options);
  for (std::size_t p = 0; p < 3; ++p) {
    std::set<std::uint64_t> reached, expanded;
    for (std::uint64_t v = 0; v < data.num_nodes(); ++v) {
      if (owners[v] == p) reached.insert(v);
    }
    std::set<std::int64_t> held;
    for (int hop = 0; hop < 2; ++hop) {
      const auto layer = reached;
      for (std::size_t e = 0; e < data.edges[0].source.size(); ++e) {
        if (layer.count(data.edges[0].target[e]) == 0) continue;
        held.insert(static_cast<std::int64_t>(e));
        reached.insert(data.edges[0].source[e]);
      }
    }
    const auto part = load(to, p);
    const auto edges = ht::column_values(part.graph.edge_columns, "orig_id"),
               nodes = ht::column_values(part.graph.node_columns, "orig_id");
    EXPECT_EQ(std::set<std::int64_t>(edges.begin(), edges.end()), held);
    EXPECT_EQ(edges.size(), held.size());
    EXPECT_EQ(std::set<std::uint64_t>(nodes.begin(), nodes.end()), reached);
  }
}

// --- original IDs kept
// -------------------------------------------------------------------------------

TEST(partition_graph_without_reshuffle, keeps_original_ids_and_its_book_answers_every_query) {
  for (const bool typed : {true, false}) {
    const auto data = ht::small_graph(typed, 9);
    const std::size_t parts = 3, nodes = static_cast<std::size_t>(data.num_nodes()),
                      edges = static_cast<std::size_t>(data.num_edges());
    const auto owners = ht::draw_owners(data.num_nodes(), parts, 10);
    std::vector<hg::part_id> edge_owner;
    std::vector<std::pair<std::int64_t, std::int64_t>> ends;
    hg::for_each_edge(data.graph(), [&](auto u, auto v, auto) {
      edge_owner.push_back(owners[v]);
      ends.emplace_back(u, v);
    });
    hg::partition_options options;
    options.graph_name = "g";
    options.hops = 2;
    options.reshuffle = false;
    target to;
    const auto result = hg::partition_graph(data, hg::given{.parts = parts, .owners = owners}, to,
                                            options);
    EXPECT_TRUE(noted(result, "deprecated"));

    const auto expect_map = [&](const std::string& file, const std::vector<hg::part_id>& wanted) {
      const auto column = hg::read_npy(to.folder(file), file);
      EXPECT_EQ(column.type(), hg::dtype::int64);
      EXPECT_EQ(ht::integers(column), ht::numbers(wanted.begin(), wanted.end()));
    };
    expect_map("node_map.npy", owners);
    expect_map("edge_map.npy", edge_owner);

    for (std::size_t p = 0; p < parts; ++p) {
      const auto part = load(to, p);
      const auto& book = std::get<hg::map_partition_book>(part.book);
      ht::numbers owned, owned_edges, all(nodes), all_edges(edges);
      std::iota(all.begin(), all.end(), 0);
      std::iota(all_edges.begin(), all_edges.end(), 0);
      for (std::size_t v = 0; v < nodes; ++v) {
        if (owners[v] == p) owned.push_back(static_cast<std::int64_t>(v));
      }
      for (std::size_t e = 0; e < edges; ++e) {
        if (edge_owner[e] == p) owned_edges.push_back(static_cast<std::int64_t>(e));
      }
      EXPECT_EQ(book.num_partitions(), parts);
      EXPECT_EQ(book.partid(), p);
      EXPECT_EQ(book.num_nodes(), nodes);
      EXPECT_EQ(book.num_edges(), edges);
      EXPECT_EQ(book.metadata()[p].num_nodes, owned.size());
      EXPECT_EQ(book.metadata()[p].num_edges, owned_edges.size());
      EXPECT_EQ(book.nid2partid(all), owners);
      EXPECT_EQ(book.eid2partid(all_edges), edge_owner);
      EXPECT_EQ(book.partid2nids(p), owned);
      EXPECT_EQ(book.partid2eids(p), owned_edges);
      ht::numbers positions(owned.size()), edge_positions(owned_edges.size());
      std::iota(positions.begin(), positions.end(), 0);
      std::iota(edge_positions.begin(), edge_positions.end(), 0);
      EXPECT_EQ(book.nid2localnid(owned, p), positions);
      EXPECT_EQ(book.eid2localeid(owned_edges, p), edge_positions);
      EXPECT_THROW(book.nid2partid(nodes), hg::error);
      std::uint64_t base = 0;
      for (hg::type_id t = 0; t < data.node_counts.size(); ++t) {
        for (std::uint64_t i = 0; i < data.node_counts[t]; ++i) {
          EXPECT_EQ(book.map_to_per_ntype(base + i).type, t);
          EXPECT_EQ(book.map_to_per_ntype(base + i).id, static_cast<std::int64_t>(i));
          EXPECT_EQ(book.map_to_homo_nid(i, t), static_cast<std::int64_t>(base + i));
          EXPECT_EQ(book.nid2partid(i, t), owners[base + i]);
        }
        base += data.node_counts[t];
      }
      base = 0;
      for (hg::type_id r = 0; r < data.edges.size(); ++r) {
        for (std::uint64_t i = 0; i < data.edges[r].source.size(); ++i) {
          EXPECT_EQ(book.map_to_per_etype(base + i).type, r);
          EXPECT_EQ(book.map_to_homo_eid(i, r), static_cast<std::int64_t>(base + i));
          EXPECT_EQ(book.eid2partid(i, r), edge_owner[base + i]);
        }
        base += data.edges[r].source.size();
      }

      // The part names nodes and edges by their original IDs, inner ones first and ascending.
      const auto ids = ht::column_values(part.graph.node_columns, "_ID"),
                 edge_ids = ht::column_values(part.graph.edge_columns, "_ID");
      ASSERT_GE(ids.size(), owned.size());
      EXPECT_EQ(ht::numbers(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(owned.size())),
                owned);
      EXPECT_EQ(ht::numbers(edge_ids.begin(),
                            edge_ids.begin() + static_cast<std::ptrdiff_t>(owned_edges.size())),
                owned_edges);
      const auto local = ht::ends_of(part.graph);
      for (std::size_t e = 0; e < local.size(); ++e) {
        const auto& [u, v] = ends[static_cast<std::size_t>(edge_ids[e])];
        EXPECT_EQ(ids.at(static_cast<std::size_t>(local[e].first)), u);
        EXPECT_EQ(ids.at(static_cast<std::size_t>(local[e].second)), v);
      }
      // Rows follow.
      for (const auto& one : data.features.nodes) {
        const auto* rows = ht::column_of(part.node_features,
                                         data.schema.node_types()[one.type] + "/" + one.name);
        ASSERT_TRUE(rows);
        const auto mine = book.partid2nids(p, one.type);
        ASSERT_EQ(rows->rows(), mine.size());
        const std::size_t width = rows->row_bytes();
        for (std::size_t i = 0; i < mine.size(); ++i) {
          const auto ours = rows->bytes().subspan(i * width, width);
          const auto input = one.rows.chunks()[0].bytes().subspan(
              static_cast<std::size_t>(mine[i]) * width, width);
          EXPECT_TRUE(std::equal(ours.begin(), ours.end(), input.begin()));
        }
      }
    }
  }
}

}  // namespace
