// SPDX-License-Identifier: BSL-1.0
/// @file dgl_rows.hpp
/// For tests: what DGL's own tests assert about partition_graph and load_partition, for any graph
/// and partitioner. Numbers in comments are lines of tests/dgl_behaviors.md.
#pragma once

#include "support/memory_folder.hpp"

#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/folder/load.hpp>
#include <halograph/folder/read_config.hpp>
#include <halograph/io/dataset.hpp>
#include <halograph/pipeline/partition_graph.hpp>
#include <halograph/relabel/unshuffle.hpp>
#include <halograph/serial/dgl/serializer.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace halograph::testing {

using numbers = std::vector<std::int64_t>;

inline numbers integers(const tensor& column) {
  numbers out;
  for (std::size_t i = 0; i < column.rows(); ++i) out.push_back(column.integer(i));
  return out;
}

inline const tensor* column_of(const std::vector<named_tensor>& columns, const std::string& name) {
  for (const auto& one : columns) {
    if (one.name == name) return &one.value;
  }
  return nullptr;
}

inline numbers column_values(const std::vector<named_tensor>& columns, const std::string& name) {
  const auto* found = column_of(columns, name);
  if (!found) {
    ADD_FAILURE() << "no column " << name;
    return {};
  }
  return integers(*found);
}

/// Endpoints of the edges of a part by local edge ID, from any stored format.
inline std::vector<std::pair<std::int64_t, std::int64_t>> ends_of(const loaded_structure& graph) {
  std::vector<std::pair<std::int64_t, std::int64_t>> out(static_cast<std::size_t>(graph.edges));
  if (graph.coo) {
    for (std::size_t e = 0; e < out.size(); ++e)
      out[e] = {graph.coo->source.integer(e), graph.coo->target.integer(e)};
    return out;
  }
  const bool by_source = graph.csr.has_value();
  const auto& rows = by_source ? *graph.csr : *graph.csc;
  for (std::size_t row = 0; row + 1 < rows.offsets.rows(); ++row) {
    for (auto k = rows.offsets.integer(row); k < rows.offsets.integer(row + 1); ++k) {
      const auto here = static_cast<std::int64_t>(row),
                 other = rows.neighbors.integer(static_cast<std::size_t>(k));
      out.at(static_cast<std::size_t>(rows.edges.integer(static_cast<std::size_t>(k)))) =
          by_source ? std::pair(here, other) : std::pair(other, here);
    }
  }
  return out;
}

template <class Policy>
void check_what_dgl_checks(const dataset<>& data, const Policy& policy, partition_options options,
                           partition_result& result) {
  const std::size_t parts = static_cast<std::size_t>(policy.parts) / options.trainers_per_machine;
  SCOPED_TRACE(data.name + ", parts " + std::to_string(parts) + ", formats " +
               options.formats.str());
  const auto& schema = data.schema;
  const std::size_t types = schema.num_node_types(), relations = schema.num_edge_types();
  options.graph_name = data.name;
  options.return_mapping = true;
  memory_target<dgl_serializer> to;
  result = partition_graph(data, policy, to, options);
  const std::string json = data.name + ".json";
  const nlohmann_codec codec;
  const format_set<dgl_serializer> formats;
  const auto config = read_config(json, to.folder, codec);

  // 23: mappings have an entry per type, as long as the type.
  EXPECT_EQ(result.node_mapping.size(), types);
  EXPECT_EQ(result.edge_mapping.size(), relations);
  for (std::size_t t = 0; t < types; ++t)
    EXPECT_EQ(result.node_mapping[t].size(), data.node_counts[t]);
  for (std::size_t r = 0; r < relations; ++r)
    EXPECT_EQ(result.edge_mapping[r].size(), data.edges[r].source.size());

  // 32: sums over the in-edges of every node of the whole graph.
  std::vector<std::size_t> node_base{0};
  for (const auto count : data.node_counts)
    node_base.push_back(node_base.back() + static_cast<std::size_t>(count));
  std::vector<std::int64_t> neighbors(node_base.back(), 0), edge_sums(node_base.back(), 0),
      degrees(node_base.back(), 0);
  for (std::size_t r = 0; r < relations; ++r) {
    const auto type = static_cast<type_id>(r);
    for (std::size_t e = 0; e < data.edges[r].source.size(); ++e) {
      const auto v = node_base[schema.target_type(type)] +
                     static_cast<std::size_t>(data.edges[r].target[e]);
      neighbors[v] += static_cast<std::int64_t>(node_base[schema.source_type(type)] +
                                                data.edges[r].source[e]);
      edge_sums[v] += static_cast<std::int64_t>(e);
      ++degrees[v];
    }
  }

  std::vector<std::uint64_t> owned_nodes(types), owned_edges(relations);
  std::map<std::string, std::string> shuffled;  // feature -> rows, part after part
  for (std::size_t p = 0; p < parts; ++p) {
    SCOPED_TRACE("part " + std::to_string(p));
    const auto part = load_partition(json, p, folder_access(to.folder, codec, formats));
    const auto& book = std::get<partition_book>(part.book);
    const auto& graph = part.graph;

    // 21: a part loads with, without, or as features only.
    const auto bare = load_partition(json, p, folder_access(to.folder, codec, formats),
                                     {.features = false});
    EXPECT_TRUE(bare.node_features.empty());
    EXPECT_TRUE(bare.edge_features.empty());
    const auto features = load_partition_feats(config, p, to.folder, formats);
    EXPECT_EQ(features.nodes.size(), part.node_features.size());
    EXPECT_EQ(features.edges.size(), part.edge_features.size());

    // 19, 44: dtypes.
    const auto expect_dtype = [](const std::vector<named_tensor>& columns, const char* name,
                                 dtype type) {
      if (const auto* found = column_of(columns, name)) {
        EXPECT_EQ(found->type(), type) << name;
      }
    };
    for (const auto* columns : {&graph.node_columns, &graph.edge_columns}) {
      expect_dtype(*columns, "_ID", dtype::int64);
      expect_dtype(*columns, "_TYPE", dtype::int32);
      expect_dtype(*columns, "part_id", dtype::int64);
      expect_dtype(*columns, "inner_node", dtype::uint8);
      expect_dtype(*columns, "inner_edge", dtype::uint8);
    }
    // 20: exactly the requested formats are stored; 44: as int64.
    EXPECT_EQ(graph.coo.has_value(), options.formats.has(sparse_format::coo));
    EXPECT_EQ(graph.csr.has_value(), options.formats.has(sparse_format::csr));
    EXPECT_EQ(graph.csc.has_value(), options.formats.has(sparse_format::csc));
    if (graph.coo) {
      EXPECT_EQ(graph.coo->source.type(), dtype::int64);
    }

    const auto ends = ends_of(graph);
    const auto node_ids = column_values(graph.node_columns, "_ID"),
               edge_ids = column_values(graph.edge_columns, "_ID");
    const auto inner_nodes = column_values(graph.node_columns, "inner_node"),
               inner_edges = column_values(graph.edge_columns, "inner_edge");

    // 27, 28: the book's totals.
    EXPECT_EQ(book.num_partitions(), parts);
    EXPECT_EQ(book.num_nodes(), data.num_nodes());
    EXPECT_EQ(book.num_edges(), data.num_edges());
    ASSERT_EQ(book.metadata().size(), parts);
    EXPECT_EQ(book.partid2nids(p).size(), book.metadata()[p].num_nodes);
    EXPECT_EQ(book.partid2eids(p).size(), book.metadata()[p].num_edges);

    // 29, 30, 31, 42: owned ones first, in order, and exactly the book's.
    const auto check_inner = [](const numbers& ids, const numbers& flags, const numbers& wanted,
                                const numbers& local) {
      const auto count = static_cast<std::size_t>(
          std::accumulate(flags.begin(), flags.end(), std::int64_t{0}));
      EXPECT_EQ(numbers(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(count)), wanted);
      for (std::size_t i = 0; i < flags.size(); ++i) EXPECT_EQ(flags[i], i < count ? 1 : 0);
      numbers positions(count);
      std::iota(positions.begin(), positions.end(), 0);
      EXPECT_EQ(local, positions);
      return count;
    };
    const auto inner = check_inner(node_ids, inner_nodes, book.partid2nids(p),
                                   book.nid2localnid(book.partid2nids(p), p));
    const auto inner_e = check_inner(edge_ids, inner_edges, book.partid2eids(p),
                                     book.eid2localeid(book.partid2eids(p), p));

    // 26: types and typed IDs have the map's type.
    static_assert(
        std::is_same_v<decltype(book.map_to_per_ntype(node_ids).ids), std::vector<std::int64_t>>);
    static_assert(
        std::is_same_v<decltype(book.map_to_per_etype(edge_ids).ids), std::vector<std::int64_t>>);
    const auto typed_nodes = book.map_to_per_ntype(node_ids);
    const auto typed_edges = book.map_to_per_etype(edge_ids);

    // Columns of types, and of owners, agree with the book.
    if (const auto* column = column_of(graph.node_columns, "_TYPE")) {
      EXPECT_EQ(integers(*column), numbers(typed_nodes.types.begin(), typed_nodes.types.end()));
      EXPECT_EQ(column_values(graph.edge_columns, "_TYPE"),
                numbers(typed_edges.types.begin(), typed_edges.types.end()));
    } else {
      EXPECT_TRUE(schema.is_homogeneous() && parts > 1);
    }
    if (const auto* column = column_of(graph.node_columns, "part_id")) {
      const auto owners = book.nid2partid(node_ids);
      EXPECT_EQ(integers(*column), numbers(owners.begin(), owners.end()));
    } else {
      EXPECT_EQ(parts, 1u);
    }

    // 24, 25: every stored edge is the input edge it claims to be, between nodes of the right
    // types.
    std::vector<std::int64_t> seen_neighbors(inner), seen_edges(inner), seen_degrees(inner);
    std::vector<std::int64_t> last_type(static_cast<std::size_t>(graph.nodes), 0);
    for (std::size_t e = 0; e < ends.size(); ++e) {
      const auto u = static_cast<std::size_t>(ends[e].first),
                 v = static_cast<std::size_t>(ends[e].second);
      const auto r = typed_edges.types[e];
      const auto original = result.edge_mapping[r].at(static_cast<std::size_t>(typed_edges.ids[e]));
      const auto original_node = [&](std::size_t at) {
        return result.node_mapping[typed_nodes.types[at]].at(
            static_cast<std::size_t>(typed_nodes.ids[at]));
      };
      ASSERT_EQ(typed_nodes.types[u], schema.source_type(r));
      ASSERT_EQ(typed_nodes.types[v], schema.target_type(r));
      ASSERT_EQ(data.edges[r].source[original], original_node(u));
      ASSERT_EQ(data.edges[r].target[original], original_node(v));
      EXPECT_EQ(inner_edges[e], v < inner ? 1 : 0) << "an edge belongs to the part of its target";
      // 43: the in-edges of a node have ascending types.
      EXPECT_LE(last_type[v], static_cast<std::int64_t>(r));
      last_type[v] = static_cast<std::int64_t>(r);
      if (v < inner) {
        seen_neighbors[v] += static_cast<std::int64_t>(node_base[typed_nodes.types[u]] +
                                                       original_node(u));
        seen_edges[v] += static_cast<std::int64_t>(original);
        ++seen_degrees[v];
      }
    }
    // 32, 62, 64: the in-neighborhood of every owned node is complete.
    for (std::size_t v = 0; v < inner; ++v) {
      const auto whole = node_base[typed_nodes.types[v]] +
                         static_cast<std::size_t>(
                             result.node_mapping[typed_nodes.types[v]]
                                                [static_cast<std::size_t>(typed_nodes.ids[v])]);
      EXPECT_EQ(seen_neighbors[v], neighbors[whole]);
      EXPECT_EQ(seen_edges[v], edge_sums[whole]);
      EXPECT_EQ(seen_degrees[v], degrees[whole]);
    }

    // 33, 34: rows of owned ones, under type and name, found through the book.
    const auto check_rows = [&](const std::vector<named_tensor>& found, const auto& given,
                                bool of_nodes) {
      const std::size_t trainers = options.trainers_per_machine > 1 ? (of_nodes ? types : relations)
                                                                    : 0;
      EXPECT_EQ(found.size(), given.size() + trainers);
      for (const auto& one : given) {
        const std::string key = (of_nodes ? schema.node_types()[one.type]
                                          : schema.edge_types()[one.type].str()) +
                                "/" + one.name;
        SCOPED_TRACE(key);
        const auto* rows = column_of(found, key);
        ASSERT_TRUE(rows);
        const numbers owned = of_nodes ? book.partid2nids(p, one.type)
                                       : book.partid2eids(p, one.type);
        ASSERT_EQ(rows->rows(), owned.size());
        const std::size_t width = rows->row_bytes();
        const auto& whole = one.rows.chunks().at(0).bytes();
        for (const auto id : owned) {
          const auto local = static_cast<std::size_t>(
              of_nodes ? book.nid2localnid(id, p, one.type) : book.eid2localeid(id, p, one.type));
          const auto original = static_cast<std::size_t>(
              (of_nodes ? result.node_mapping
                        : result.edge_mapping)[one.type][static_cast<std::size_t>(id)]);
          const auto ours = rows->bytes().subspan(local * width, width),
                     input = whole.subspan(original * width, width);
          EXPECT_TRUE(std::equal(ours.begin(), ours.end(), input.begin()));
          EXPECT_EQ(of_nodes ? book.nid2partid(id, one.type) : book.eid2partid(id, one.type), p);
        }
        shuffled[(of_nodes ? "node " : "edge ") + key].append(
            reinterpret_cast<const char*>(rows->bytes().data()), rows->bytes().size());
      }
    };
    check_rows(part.node_features, data.features.nodes, true);
    check_rows(part.edge_features, data.features.edges, false);

    // 45: the setup of samplers.
    std::uint64_t all_edges = 0;
    numbers all_nodes;
    const auto offsets = book.local_etype_offset();
    for (std::size_t r = 0; r < relations; ++r) {
      const auto mine = book.partid2eids(p, r).size();
      EXPECT_EQ(mine, offsets.at(r + 1) - offsets.at(r));
      all_edges += mine;
      owned_edges[r] += mine;
    }
    for (std::size_t t = 0; t < types; ++t) {
      const auto mine = book.partid2nids(p, t);
      const auto global = book.map_to_homo_nid(mine, t);
      all_nodes.insert(all_nodes.end(), global.begin(), global.end());
      owned_nodes[t] += mine.size();
    }
    EXPECT_EQ(all_edges, inner_e);
    EXPECT_EQ(all_nodes,
              numbers(node_ids.begin(), node_ids.begin() + static_cast<std::ptrdiff_t>(inner)));

    // 22: trainers of nodes, and of edges those of their targets.
    if (options.trainers_per_machine > 1) {
      for (std::size_t t = 0; t < types; ++t) {
        for (const auto trainer :
             column_values(part.node_features, schema.node_types()[t] + "/trainer_id")) {
          EXPECT_EQ(static_cast<std::size_t>(trainer) / options.trainers_per_machine, p);
        }
      }
      for (std::size_t r = 0; r < relations; ++r) {
        const auto trainers = column_values(part.edge_features,
                                            schema.edge_types()[r].str() + "/trainer_id");
        const auto first = static_cast<std::size_t>(offsets[r]);
        ASSERT_EQ(trainers.size(), offsets[r + 1] - offsets[r]);
        for (std::size_t i = 0; i < trainers.size(); ++i) {
          const auto v = static_cast<std::size_t>(ends[first + i].second);
          const auto of_target = column_values(
              part.node_features, schema.node_types()[typed_nodes.types[v]] + "/trainer_id");
          EXPECT_EQ(trainers[i], of_target.at(static_cast<std::size_t>(book.nid2localnid(
                                     typed_nodes.ids[v], p, typed_nodes.types[v]))));
        }
      }
    }
  }

  // 37: what the parts own sums to the graph. 36: owners of all IDs are runs.
  for (std::size_t t = 0; t < types; ++t) EXPECT_EQ(owned_nodes[t], data.node_counts[t]);
  for (std::size_t r = 0; r < relations; ++r)
    EXPECT_EQ(owned_edges[r], data.edges[r].source.size());
  const auto book = std::get<partition_book>(load_partition_book(config, 0, to.folder));
  numbers all(static_cast<std::size_t>(data.num_nodes())),
      all_edges(static_cast<std::size_t>(data.num_edges()));
  std::iota(all.begin(), all.end(), 0);
  std::iota(all_edges.begin(), all_edges.end(), 0);
  std::vector<part_id> node_runs, edge_runs;
  for (const auto& one : book.metadata()) {
    node_runs.insert(node_runs.end(), static_cast<std::size_t>(one.num_nodes), one.machine_id);
    edge_runs.insert(edge_runs.end(), static_cast<std::size_t>(one.num_edges), one.machine_id);
  }
  EXPECT_EQ(book.nid2partid(all), node_runs);
  EXPECT_EQ(book.eid2partid(all_edges), edge_runs);

  // 35: the rows of all parts, end to end and restored, are those of the input.
  const auto restore = [&](const auto& given, bool of_nodes) {
    for (const auto& one : given) {
      const std::string key = (of_nodes ? "node " + schema.node_types()[one.type]
                                        : "edge " + schema.edge_types()[one.type].str()) +
                              "/" + one.name;
      const auto whole = one.rows.chunks().at(0).bytes();
      std::vector<std::byte> back(whole.size());
      const auto& mapping = (of_nodes ? result.node_mapping : result.edge_mapping)[one.type];
      const auto& rows = shuffled[key];
      EXPECT_EQ(
          unshuffle_bytes(std::span<const std::uint64_t>(mapping), one.rows.row_bytes(),
                          std::as_bytes(std::span(rows.data(), rows.size())), std::span(back)),
          status::ok);
      EXPECT_TRUE(std::equal(back.begin(), back.end(), whole.begin())) << key;
    }
  };
  restore(data.features.nodes, true);
  restore(data.features.edges, false);
}

/// Partition, load every part and check it.
template <class Policy>
partition_result expect_what_dgl_expects(const dataset<>& data, const Policy& policy,
                                         const partition_options& options) {
  partition_result result;
  check_what_dgl_checks(data, policy, options, result);
  return result;
}

}  // namespace halograph::testing
