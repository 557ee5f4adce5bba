// SPDX-License-Identifier: BSL-1.0
// Every file that partition_graph writes in DGL's formats, read by a reader that shares no code
// with the library and compared with a naive model: for one and several types, every choice of
// sparse formats, features of every dtype, 1 to 5 parts and 0 to 2 hops. The library's own loading
// must find the same.
#include "support/against_second_reader.hpp"
#include "support/memory_folder.hpp"
#include "support/partition_model.hpp"
#include "support/second_reader.hpp"

#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/folder/load.hpp>
#include <halograph/partition/given.hpp>
#include <halograph/pipeline/partition_graph.hpp>
#include <halograph/serial/dgl/serializer.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace hg = halograph;
namespace ht = halograph::testing;
using nlohmann::json;
using numbers = std::vector<std::int64_t>;
using target = ht::memory_target<hg::dgl_serializer>;

std::string as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void expect_column(const second_reader::arrays& columns, const std::string& name,
                   const std::string& dtype, const numbers& values) {
  SCOPED_TRACE(name);
  ASSERT_TRUE(columns.count(name));
  EXPECT_EQ(columns.at(name).dtype, dtype);
  EXPECT_EQ(columns.at(name).integers(), values);
}

/// Rows of `feature` at `ids`, as a file must hold them.
void expect_rows(const second_reader::arrays& found, const std::string& key,
                 const hg::feature<>& feature, const std::vector<std::uint64_t>& ids) {
  SCOPED_TRACE(key);
  ASSERT_TRUE(found.count(key));
  const auto& array = found.at(key);
  EXPECT_EQ(array.dtype, feature.rows.type() == hg::dtype::boolean
                             ? "uint8"
                             : std::string(hg::name(feature.rows.type())));
  numbers shape{static_cast<std::int64_t>(ids.size())};
  for (const auto extent : feature.rows.row_shape())
    shape.push_back(static_cast<std::int64_t>(extent));
  EXPECT_EQ(array.shape, shape);
  std::string rows;
  const auto all = as_text(feature.rows.chunks().at(0).bytes());
  const std::size_t width = feature.rows.row_bytes();
  for (const auto id : ids) rows += all.substr(static_cast<std::size_t>(id) * width, width);
  EXPECT_EQ(array.data, rows);
}

struct job {
  bool typed = false;
  std::size_t parts = 1;
  unsigned hops = 1;
  unsigned formats = 1;
  bool extras = false;  // orig_id columns and files of original IDs
  std::uint64_t seed = 1;
};

void run(const job& asked) {
  SCOPED_TRACE(std::string(asked.typed ? "typed" : "plain") + ", parts " +
               std::to_string(asked.parts) + ", hops " + std::to_string(asked.hops) + ", formats " +
               std::to_string(asked.formats));
  const auto data = ht::small_graph(asked.typed, asked.seed);
  const auto owner = ht::draw_owners(data.num_nodes(), asked.parts, asked.seed + 7);
  const auto model = ht::model_partition(data, owner, asked.parts, asked.hops);
  hg::partition_options options;
  options.graph_name = "small";
  options.hops = asked.hops;
  options.drop_cut_edges = asked.hops == 0;
  options.formats = hg::sparse_formats{static_cast<std::uint8_t>(asked.formats)};
  options.store_original_ids = asked.extras;
  options.save_mapping = asked.extras;
  options.return_mapping = true;
  target to;
  const auto result = hg::partition_graph(data, hg::given{.parts = asked.parts, .owners = owner},
                                          to, options);

  // The config.
  const json config = json::parse(to.folder.text("small.json"));
  EXPECT_EQ(config.at("num_nodes"), model.old_node.size());
  EXPECT_EQ(config.at("num_edges"), model.old_edge.size());
  EXPECT_EQ(config.at("num_parts"), asked.parts);
  EXPECT_EQ(config.at("halo_hops"), asked.hops);
  EXPECT_EQ(config.contains("cut_edges_dropped"), model.dropped != 0);
  if (model.dropped != 0) {
    EXPECT_EQ(config.at("cut_edges_dropped"), model.dropped);
  }
  std::set<std::string> files{"small.json", std::string(hg::manifest_name)};
  if (asked.parts > 1) {
    files.insert("owners.npy");
    std::string bytes;
    for (const auto part : owner) bytes += static_cast<char>(part);
    EXPECT_TRUE(to.folder.text("owners.npy").ends_with("\n" + bytes));
    EXPECT_NE(to.folder.text("owners.npy")
                  .find("'descr': '|u1', 'fortran_order': False, 'shape': (" +
                        std::to_string(owner.size()) + ",)"),
              std::string::npos);
  }
  for (std::size_t t = 0; t < model.node_map.size(); ++t) {
    EXPECT_EQ(config.at("node_map").at(data.schema.node_types()[t]), json(model.node_map[t]));
    EXPECT_EQ(config.at("ntypes").at(data.schema.node_types()[t]), t);
  }
  for (std::size_t r = 0; r < model.edge_map.size(); ++r) {
    EXPECT_EQ(config.at("edge_map").at(data.schema.edge_types()[r].str()), json(model.edge_map[r]));
    EXPECT_EQ(config.at("etypes").at(data.schema.edge_types()[r].str()), r);
  }

  // The returned mapping: type by type in order of new ID.
  std::vector<std::vector<std::uint64_t>> node_mapping(data.node_counts.size()),
      edge_mapping(data.edges.size());
  for (const auto v : model.old_node)
    node_mapping[model.node_type[v]].push_back(v - model.node_base[model.node_type[v]]);
  for (const auto e : model.old_edge)
    edge_mapping[model.edge_type[e]].push_back(e - model.edge_base[model.edge_type[e]]);
  EXPECT_EQ(result.node_mapping, node_mapping);
  EXPECT_EQ(result.edge_mapping, edge_mapping);

  for (std::size_t p = 0; p < asked.parts; ++p) {
    SCOPED_TRACE("part " + std::to_string(p));
    const auto& wanted = model.parts[p];
    const json& paths = config.at("part-" + std::to_string(p));
    for (const auto& [key, path] : paths.items()) files.insert(path.get<std::string>());

    const auto file = second_reader::read_graphs(to.folder.text(paths.at("part_graph")));
    EXPECT_TRUE(file.padding_is_zero);
    EXPECT_TRUE(file.labels.empty());
    ASSERT_EQ(file.graphs.size(), 1u);
    ASSERT_EQ(file.graphs[0].types.size(), 1u);
    ASSERT_EQ(file.graphs[0].relations.size(), 1u);
    const auto& nodes = file.graphs[0].types[0];
    const auto& edges = file.graphs[0].relations[0];
    EXPECT_EQ(nodes.name, "_N");
    EXPECT_EQ(edges.name, "_E");
    EXPECT_EQ(edges.id_dtype, "int64");
    std::set<std::string> formats;
    for (const auto& [bit, name] :
         {std::pair(1u, "coo"), std::pair(2u, "csr"), std::pair(4u, "csc")}) {
      if ((asked.formats & bit) != 0) formats.insert(name);
    }
    EXPECT_EQ(edges.formats, formats);
    EXPECT_EQ(edges.allowed, (std::set<std::string>{"coo", "csr", "csc"}));
    EXPECT_EQ(nodes.nodes, static_cast<std::int64_t>(wanted.nodes.size()));
    EXPECT_EQ(edges.edges, wanted.ends);

    const bool types = asked.typed || asked.parts == 1;
    const auto column = [](const std::vector<std::size_t>& ids, const auto& value) {
      numbers out;
      for (std::size_t i = 0; i < ids.size(); ++i)
        out.push_back(static_cast<std::int64_t>(value(ids[i], i)));
      return out;
    };
    std::size_t columns = 2;
    expect_column(nodes.columns, "_ID", "int64",
                  column(wanted.nodes, [&](auto v, auto) { return model.new_node[v]; }));
    expect_column(nodes.columns, "inner_node", "uint8", column(wanted.nodes, [&](auto, auto i) {
                    return i < wanted.inner_nodes ? 1 : 0;
                  }));
    expect_column(edges.columns, "_ID", "int64",
                  column(wanted.edges, [&](auto e, auto) { return model.new_edge.at(e); }));
    expect_column(edges.columns, "inner_edge", "uint8", column(wanted.edges, [&](auto, auto i) {
                    return i < wanted.inner_edges ? 1 : 0;
                  }));
    if (types) {
      ++columns;
      expect_column(nodes.columns, "_TYPE", "int32",
                    column(wanted.nodes, [&](auto v, auto) { return model.node_type[v]; }));
      expect_column(edges.columns, "_TYPE", "int32",
                    column(wanted.edges, [&](auto e, auto) { return model.edge_type[e]; }));
    }
    if (asked.extras) {
      ++columns;
      expect_column(nodes.columns, "orig_id", "int64", column(wanted.nodes, [&](auto v, auto) {
                      return v - model.node_base[model.node_type[v]];
                    }));
      expect_column(edges.columns, "orig_id", "int64", column(wanted.edges, [&](auto e, auto) {
                      return e - model.edge_base[model.edge_type[e]];
                    }));
    }
    EXPECT_EQ(edges.columns.size(), columns);
    if (asked.parts > 1) {
      ++columns;
      expect_column(nodes.columns, "part_id", "int64",
                    column(wanted.nodes, [&](auto v, auto) { return owner[v]; }));
    }
    EXPECT_EQ(nodes.columns.size(), columns);

    // Rows of the inner nodes and edges of each type, and their original IDs.
    std::vector<std::vector<std::uint64_t>> node_ids(data.node_counts.size()),
        edge_ids(data.edges.size());
    for (std::size_t i = 0; i < wanted.inner_nodes; ++i) {
      const auto v = wanted.nodes[i];
      node_ids[model.node_type[v]].push_back(v - model.node_base[model.node_type[v]]);
    }
    for (std::size_t i = 0; i < wanted.inner_edges; ++i) {
      const auto e = wanted.edges[i];
      edge_ids[model.edge_type[e]].push_back(e - model.edge_base[model.edge_type[e]]);
    }
    const auto node_features = second_reader::read_tensors(to.folder.text(paths.at("node_feats")));
    const auto edge_features = second_reader::read_tensors(to.folder.text(paths.at("edge_feats")));
    EXPECT_EQ(node_features.size(), data.features.nodes.size());
    EXPECT_EQ(edge_features.size(), data.features.edges.size());
    for (const auto& one : data.features.nodes)
      expect_rows(node_features, data.schema.node_types()[one.type] + "/" + one.name, one,
                  node_ids[one.type]);
    for (const auto& one : data.features.edges)
      expect_rows(edge_features, data.schema.edge_types()[one.type].str() + "/" + one.name, one,
                  edge_ids[one.type]);
    EXPECT_EQ(paths.contains("orig_nids"), asked.extras);
    if (asked.extras) {
      const auto saved_nodes = second_reader::read_tensors(to.folder.text(paths.at("orig_nids")));
      const auto saved_edges = second_reader::read_tensors(to.folder.text(paths.at("orig_eids")));
      EXPECT_EQ(saved_nodes.size(), node_ids.size());
      EXPECT_EQ(saved_edges.size(), edge_ids.size());
      for (std::size_t t = 0; t < node_ids.size(); ++t) {
        expect_column(saved_nodes, data.schema.node_types()[t], "int64",
                      numbers(node_ids[t].begin(), node_ids[t].end()));
      }
      for (std::size_t r = 0; r < edge_ids.size(); ++r) {
        expect_column(saved_edges, data.schema.edge_types()[r].str(), "int64",
                      numbers(edge_ids[r].begin(), edge_ids[r].end()));
      }
    }

    // The library's own loading finds the same; so does the report.
    const auto loaded = hg::load_partition(
        "small.json", p,
        hg::folder_access(to.folder, hg::nlohmann_codec{}, hg::format_set<hg::dgl_serializer>{}));
    EXPECT_EQ(loaded.graph.nodes, wanted.nodes.size());
    EXPECT_EQ(loaded.graph.edges, wanted.edges.size());
    EXPECT_EQ(second_reader::difference(loaded.graph.node_columns, nodes.columns), "");
    EXPECT_EQ(second_reader::difference(loaded.graph.edge_columns, edges.columns), "");
    EXPECT_EQ(second_reader::difference(loaded.node_features, node_features), "");
    EXPECT_EQ(second_reader::difference(loaded.edge_features, edge_features), "");
    const auto& report = result.report.parts[p];
    EXPECT_EQ(report.inner_nodes, wanted.inner_nodes);
    EXPECT_EQ(report.halo_nodes, wanted.nodes.size() - wanted.inner_nodes);
    EXPECT_EQ(report.inner_edges, wanted.inner_edges);
    EXPECT_EQ(report.halo_edges, wanted.edges.size() - wanted.inner_edges);
    EXPECT_EQ(report.halo_nodes_per_hop, wanted.halo_per_hop);
  }
  const auto written = to.folder.names();
  EXPECT_EQ(std::set<std::string>(written.begin(), written.end()), files)
      << "a file that the config does not name";
}

class second_reading : public testing::TestWithParam<bool> {};

TEST_P(second_reading, finds_the_model_in_every_file) {
  for (std::size_t parts = 1; parts <= 5; ++parts) {
    for (unsigned hops = 0; hops <= 2; ++hops) {
      run({.typed = GetParam(),
           .parts = parts,
           .hops = hops,
           .formats = 1,
           .extras = (parts + hops) % 2 == 0,
           .seed = parts * 3 + hops});
    }
  }
}

TEST_P(second_reading, finds_the_same_in_every_sparse_format) {
  for (unsigned formats = 1; formats <= 7; ++formats) {
    for (const std::size_t parts : {1u, 3u}) {
      for (unsigned hops = 0; hops <= 2; ++hops)
        run({.typed = GetParam(),
             .parts = parts,
             .hops = hops,
             .formats = formats,
             .seed = formats});
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, second_reading, testing::Bool(),
                         [](const auto& one) { return one.param ? "several" : "one"; });

TEST(second_reading, refuses_what_is_not_the_format) {
  const auto data = ht::small_graph(true, 3);
  target to;
  hg::partition_graph(data,
                      hg::given{.parts = 1, .owners = ht::draw_owners(data.num_nodes(), 1, 1)}, to,
                      {.graph_name = "small"});
  const std::string graph = to.folder.text("part0/graph.dgl"),
                    tensors = to.folder.text("part0/node_feats.dgl");
  EXPECT_NO_THROW(second_reader::read_graphs(graph));
  EXPECT_NO_THROW(second_reader::read_tensors(tensors));
  EXPECT_THROW(second_reader::read_graphs(graph + '\0'), std::runtime_error);
  EXPECT_THROW(second_reader::read_tensors(tensors + '\0'), std::runtime_error);
  for (std::size_t size = 0; size < graph.size(); size += 7)
    EXPECT_THROW(second_reader::read_graphs(graph.substr(0, size)), std::runtime_error);
  for (std::size_t size = 0; size < tensors.size(); size += 7)
    EXPECT_THROW(second_reader::read_tensors(tensors.substr(0, size)), std::runtime_error);
}

}  // namespace
