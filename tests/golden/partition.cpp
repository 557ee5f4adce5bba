// SPDX-License-Identifier: BSL-1.0
// Every golden case of partition_graph: the same input and assignment must give what DGL wrote, as
// far as what DGL wrote is determined. Edges are compared as sets of input edges: the order inside
// a (part, edge type) is an accident of std::sort there and by target and input ID here.
#include "support/golden.hpp"
#include "support/temporary_folder.hpp"

#include <halograph/adapters/boost_interprocess.hpp>
#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/folder/assignment_files.hpp>
#include <halograph/folder/load.hpp>
#include <halograph/folder/targets.hpp>
#include <halograph/io/chunked/read.hpp>
#include <halograph/partition/given.hpp>
#include <halograph/pipeline/partition_graph.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace {

namespace fs = std::filesystem;
namespace hg = halograph;
using json = nlohmann::json;
using hg::testing::numbers;
using hg::testing::values;

const fs::path golden = hg::testing::golden_folder("partition");

/// Typed IDs and types of global IDs, from [[start, end)] ranges per type.
struct id_map {
  std::vector<std::vector<std::pair<std::int64_t, std::int64_t>>> ranges;  // [type][part]
  std::vector<numbers> to_input;                                           // [type][typed new ID]

  std::pair<std::size_t, std::int64_t> input_of(std::int64_t global) const {
    for (std::size_t t = 0; t < ranges.size(); ++t) {
      std::int64_t before = 0;
      for (const auto& [begin, end] : ranges[t]) {
        if (global >= begin && global < end) {
          return {t, to_input[t].at(static_cast<std::size_t>(before + global - begin))};
        }
        before += end - begin;
      }
    }
    ADD_FAILURE() << "no range holds " << global;
    return {0, -1};
  }
};

id_map make_map(const hg::graph_schema& schema, const json& config, const json& mapping,
                bool nodes) {
  id_map out;
  const std::size_t types = nodes ? schema.num_node_types() : schema.num_edge_types();
  for (std::size_t t = 0; t < types; ++t) {
    const auto name = nodes ? schema.node_types()[t] : schema.edge_types()[t].str();
    out.ranges.emplace_back();
    for (const auto& range : config[nodes ? "node_map" : "edge_map"][name])
      out.ranges.back().emplace_back(range[0], range[1]);
    out.to_input.push_back(mapping[nodes ? "node_map" : "edge_map"][name].get<numbers>());
  }
  return out;
}

json as_json(const std::vector<std::vector<std::uint64_t>>& mapping, const hg::graph_schema& schema,
             bool nodes) {
  json out = json::object();
  for (std::size_t t = 0; t < mapping.size(); ++t) {
    out[nodes ? schema.node_types()[t] : schema.edge_types()[t].str()] = mapping[t];
  }
  return out;
}

class GoldenPartition : public testing::TestWithParam<std::string> {};

TEST_P(GoldenPartition, ComesOutAsDglWroteIt) {
  const fs::path folder = golden / GetParam();
  const json about = hg::testing::read_json(folder / "case.json"), call = about["call"];
  const bool stable = about["node_order"] == "stable";
  const auto data = hg::read_chunked<std::uint32_t, std::uint32_t>(
      (folder / "input").string(), {}, hg::mapped_files{}, hg::nlohmann_codec{});
  const std::size_t parts = call["num_parts"],
                    trainers = call.value("num_trainers_per_machine", std::size_t{1});
  const auto assigned = hg::read_assignment(
      (folder / "assignment").string(), data.schema, data.node_counts,
      static_cast<hg::part_id>(parts * trainers), hg::mapped_files{}, hg::nlohmann_codec{});
  const hg::given owners{.parts = parts * trainers, .owners = assigned.owner};

  hg::testing::temporary_folder scratch;
  const fs::path out = scratch("out");
  hg::partition_options options;
  options.graph_name = data.name;
  options.hops = call["num_hops"];
  options.part_method = call.value("part_method", "random");
  options.trainers_per_machine = trainers;
  options.return_mapping = true;
  options.drop_cut_edges = about.contains("partition_graph_raises");
  if (call.contains("graph_formats") && !call["graph_formats"].is_null()) {
    std::string formats;
    for (const auto& one : call["graph_formats"])
      formats += (formats.empty() ? "" : ",") + one.get<std::string>();
    options.formats = *hg::sparse_formats::parse(formats);
  }
  if (options.drop_cut_edges) {
    // What DGL raises on is an error here too, with the number of cut edges.
    auto strict = options;
    strict.drop_cut_edges = false;
    try {
      hg::partition_graph(data, owners, hg::dgl_folder{.path = out.string()}, strict);
      ADD_FAILURE() << "0 hops with cut edges went through";
    } catch (const hg::error& problem) {
      EXPECT_EQ(problem.code(), hg::error_kind::cut_edges);
    }
    EXPECT_FALSE(fs::exists(out));
  }
  const auto result = hg::partition_graph(data, owners, hg::dgl_folder{.path = out.string()},
                                          options);
  const json our_config = hg::testing::read_json(out / (data.name + ".json"));
  json our_mapping;
  our_mapping["node_map"] = as_json(result.node_mapping, data.schema, true);
  our_mapping["edge_map"] = as_json(result.edge_mapping, data.schema, false);
  const json mapping = hg::testing::read_json(folder / "expected" / "mapping.json");
  const auto our_nodes = make_map(data.schema, our_config, our_mapping, true);
  const auto our_edges = make_map(data.schema, our_config, our_mapping, false);
  if (stable) {
    EXPECT_EQ(our_mapping["node_map"], mapping["node_map"]);
  }

  json config =
      our_config;  // 0 hops with cut edges: DGL wrote none; the numbering of what is left is ours
  id_map nodes = our_nodes, edges;
  if (!options.drop_cut_edges) {
    config = hg::testing::read_json(folder / "dgl" / (data.name + ".json"));
    for (auto& [key, value] : our_config.items()) {
      if (key == "part_method" || key.rfind("part-", 0) == 0) continue;
      EXPECT_EQ(value, config[key]) << key;
    }
    EXPECT_EQ(our_config.size(), config.size());
    nodes = make_map(data.schema, config, mapping, true);
    edges = make_map(data.schema, config, mapping, false);
    for (std::size_t r = 0; r < edges.ranges.size(); ++r) {
      // The set of input edges in each (part, edge type).
      std::int64_t before = 0;
      for (const auto& [begin, end] : edges.ranges[r]) {
        std::multiset<std::int64_t> theirs, ours;
        for (std::int64_t i = before; i < before + end - begin; ++i) {
          theirs.insert(edges.to_input[r].at(static_cast<std::size_t>(i)));
          ours.insert(our_edges.to_input[r].at(static_cast<std::size_t>(i)));
        }
        EXPECT_EQ(ours, theirs) << "edge type " << r;
        before += end - begin;
      }
    }
  }

  for (std::size_t p = 0; p < parts; ++p) {
    SCOPED_TRACE("part " + std::to_string(p));
    const json expected = hg::testing::read_json(folder / "expected" /
                                                 ("part" + std::to_string(p) + ".json"));
    const auto ours = hg::load_partition((out / (data.name + ".json")).string(), p,
                                         hg::folder_access(hg::mapped_files{}, hg::nlohmann_codec{},
                                                           hg::format_set<hg::dgl_serializer>{}));
    if (!options.drop_cut_edges) {
      EXPECT_EQ(ours.graph_name, expected["graph_name"]);
      EXPECT_EQ(ours.ntypes, expected["ntypes"].get<std::vector<std::string>>());
    }
    ASSERT_EQ(ours.graph.nodes, expected["num_nodes"]);
    ASSERT_EQ(ours.graph.edges, expected["num_edges"]);

    // Columns: names, dtypes and, for nodes, values.
    const auto compare_columns = [&](const std::vector<hg::named_tensor>& columns,
                                     const json& wanted, bool exact) {
      EXPECT_EQ(columns.size(), wanted.size());
      for (const auto& [name, column_json] : wanted.items()) {
        bool found = false;
        for (const auto& one : columns) {
          if (one.name != name) continue;
          found = true;
          EXPECT_EQ(std::string(hg::name(one.value.type())), column_json["dtype"]) << name;
          if (exact) {
            EXPECT_EQ(values(one.value), column_json["data"].get<numbers>()) << name;
          }
        }
        EXPECT_TRUE(found) << name;
      }
    };
    if (!options.drop_cut_edges) {
      compare_columns(ours.graph.node_columns, expected["ndata"], stable);
      compare_columns(ours.graph.edge_columns, expected["edata"], false);
    }

    // Nodes as input nodes; inner ones first.
    const auto our_node_ids = values(ours.graph.node_columns, "_ID");
    const auto node_ids = expected["ndata"]["_ID"]["data"].get<numbers>();
    const auto inputs = [](const id_map& map, const numbers& ids, std::size_t first,
                           std::size_t last) {
      std::set<std::pair<std::size_t, std::int64_t>> out_set;
      for (std::size_t i = first; i < last; ++i) out_set.insert(map.input_of(ids[i]));
      return out_set;
    };
    const std::size_t inner = static_cast<std::size_t>(ours.graph.nodes) -
                              result.report.parts[p].halo_nodes;
    if (!options.drop_cut_edges) {
      EXPECT_EQ(inner, expected["num_inner_nodes"].get<std::size_t>());
    }
    EXPECT_EQ(inputs(our_nodes, our_node_ids, 0, inner), inputs(nodes, node_ids, 0, inner));
    EXPECT_EQ(inputs(our_nodes, our_node_ids, inner, our_node_ids.size()),
              inputs(nodes, node_ids, inner, node_ids.size()));

    // Edges: (source, target, edge, inner) in input IDs; every stored format must describe the
    // same.
    using edge =
        std::tuple<std::pair<std::size_t, std::int64_t>, std::pair<std::size_t, std::int64_t>,
                   std::pair<std::size_t, std::int64_t>, std::int64_t>;
    const auto our_edge_ids = values(ours.graph.edge_columns, "_ID");
    const auto our_inner = values(ours.graph.edge_columns, "inner_edge");
    EXPECT_TRUE(std::is_sorted(
        our_edge_ids.begin(),
        our_edge_ids.begin() + static_cast<std::ptrdiff_t>(result.report.parts[p].inner_edges)));
    std::multiset<edge> our_set, expected_set;
    const auto add_ours = [&](std::size_t e, std::int64_t u, std::int64_t v) {
      our_set.insert({our_nodes.input_of(our_node_ids[static_cast<std::size_t>(u)]),
                      our_nodes.input_of(our_node_ids[static_cast<std::size_t>(v)]),
                      our_edges.input_of(our_edge_ids[e]), our_inner[e]});
    };
    const auto src = expected["src"].get<numbers>(), dst = expected["dst"].get<numbers>();
    const auto edge_ids = expected["edata"]["_ID"]["data"].get<numbers>();
    const auto inner_edges = expected["edata"]["inner_edge"]["data"].get<numbers>();
    const auto orig = expected["edata"].contains("orig_id")
                          ? expected["edata"]["orig_id"]["data"].get<numbers>()
                          : numbers{};
    for (std::size_t e = 0; e < src.size(); ++e) {
      const auto id = options.drop_cut_edges ? std::pair<std::size_t, std::int64_t>{0, orig.at(e)}
                                             : edges.input_of(edge_ids[e]);
      expected_set.insert({nodes.input_of(node_ids[static_cast<std::size_t>(src[e])]),
                           nodes.input_of(node_ids[static_cast<std::size_t>(dst[e])]), id,
                           inner_edges[e]});
    }
    std::set<std::string> formats;
    if (ours.graph.coo) {
      formats.insert("coo");
      const auto u = values(ours.graph.coo->source), v = values(ours.graph.coo->target);
      our_set.clear();
      for (std::size_t e = 0; e < u.size(); ++e) add_ours(e, u[e], v[e]);
      EXPECT_EQ(our_set, expected_set) << "coo";
    }
    const auto compressed = [&](const hg::compressed_columns& rows, bool by_source,
                                const char* name) {
      formats.insert(name);
      const auto offsets = values(rows.offsets), neighbors = values(rows.neighbors),
                 ids = values(rows.edges);
      our_set.clear();
      for (std::size_t row = 0; row + 1 < offsets.size(); ++row) {
        for (auto k = static_cast<std::size_t>(offsets[row]);
             k < static_cast<std::size_t>(offsets[row + 1]); ++k) {
          const auto here = static_cast<std::int64_t>(row);
          add_ours(static_cast<std::size_t>(ids[k]), by_source ? here : neighbors[k],
                   by_source ? neighbors[k] : here);
        }
      }
      EXPECT_EQ(our_set, expected_set) << name;
    };
    if (ours.graph.csr) compressed(*ours.graph.csr, true, "csr");
    if (ours.graph.csc) compressed(*ours.graph.csc, false, "csc");
    if (!options.drop_cut_edges) {
      EXPECT_EQ(formats, expected["formats"].get<std::set<std::string>>());
    }

    // Features: rows by input ID, dtype and shape as DGL's.
    const auto compare_features = [&](const std::vector<hg::named_tensor>& features,
                                      const json& wanted, const id_map& our_map,
                                      const id_map& their_map, bool of_nodes) {
      EXPECT_EQ(features.size(), wanted.size());
      for (const auto& one : features) {
        ASSERT_TRUE(wanted.contains(one.name)) << one.name;
        const auto& want = wanted[one.name];
        const auto path = (folder / "expected" / want["file"].get<std::string>()).string();
        const auto theirs = hg::read_npy(hg::read_files{}(path), path);
        EXPECT_EQ(std::string(hg::name(one.value.type())), want["dtype"]) << one.name;
        ASSERT_EQ(one.value.shape(), theirs.shape()) << one.name;
        const auto type_name = one.name.substr(0, one.name.find('/'));
        const auto ranges = (of_nodes ? config["node_map"] : config["edge_map"])[type_name][p];
        std::map<std::pair<std::size_t, std::int64_t>, std::vector<std::byte>> our_rows, their_rows;
        const std::size_t width = one.value.row_bytes();
        for (std::int64_t i = 0; i < static_cast<std::int64_t>(one.value.rows()); ++i) {
          const auto row = [&](const hg::tensor& from) {
            const auto bytes = from.bytes().subspan(static_cast<std::size_t>(i) * width, width);
            return std::vector<std::byte>(bytes.begin(), bytes.end());
          };
          our_rows[our_map.input_of(ranges[0].get<std::int64_t>() + i)] = row(one.value);
          their_rows[their_map.input_of(ranges[0].get<std::int64_t>() + i)] = row(theirs);
        }
        EXPECT_EQ(our_rows, their_rows) << one.name;
      }
    };
    if (!options.drop_cut_edges) {
      compare_features(ours.node_features, expected["node_feats"], our_nodes, nodes, true);
      compare_features(ours.edge_features, expected["edge_feats"], our_edges, edges, false);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, GoldenPartition,
                         testing::ValuesIn(hg::testing::golden_cases("partition")));

}  // namespace
