// SPDX-License-Identifier: BSL-1.0
// What DGL's dispatch pipeline writes, and what dispatch with in-edges alone makes of the same
// input and assignment.
#include "support/golden.hpp"
#include "support/temporary_folder.hpp"

#include <halograph/adapters/boost_interprocess.hpp>
#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/folder/assignment_files.hpp>
#include <halograph/folder/load.hpp>
#include <halograph/folder/targets.hpp>
#include <halograph/io/chunked/open.hpp>
#include <halograph/pipeline/out_of_core/dispatch.hpp>
#include <halograph/serial/npy.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace fs = std::filesystem;
namespace hg = halograph;
using nlohmann::json;

namespace {

using hg::testing::numbers;
using hg::testing::values;

const fs::path golden = hg::testing::golden_folder("dispatch");

/// (type, input ID)
using original = std::pair<std::string, std::int64_t>;

/// New IDs to input IDs: from the ranges of a config and the original IDs of each part and type.
struct id_map {
  std::map<std::string, std::vector<std::pair<std::int64_t, std::int64_t>>> ranges{};
  std::map<std::string, std::vector<numbers>> to_input{};  // [type][part][row]

  original of(std::int64_t id) const {
    for (const auto& [type, parts] : ranges) {
      for (std::size_t p = 0; p < parts.size(); ++p) {
        if (id >= parts[p].first && id < parts[p].second)
          return {type, to_input.at(type).at(p).at(static_cast<std::size_t>(id - parts[p].first))};
      }
    }
    ADD_FAILURE() << "no range holds " << id;
    return {"", -1};
  }
};

class golden_dispatch : public testing::TestWithParam<std::string> {};

TEST_P(golden_dispatch, comes_out_as_dgl_wrote_it) {
  const fs::path folder = golden / GetParam();
  const json about = hg::testing::read_json(folder / "case.json");
  const std::size_t parts = about["call"]["num_parts"];
  const hg::mapped_files files;
  const hg::nlohmann_codec codec;
  const auto input = hg::open_chunked((folder / "input").string(), files, codec);
  const auto known = hg::resolve_num_parts((folder / "assignment").string(), std::nullopt,
                                           std::nullopt, files, codec);
  ASSERT_EQ(known.parts, static_cast<hg::part_id>(parts));

  hg::testing::temporary_folder scratch;
  const fs::path out = scratch("out");
  hg::dispatch_options options;
  options.halo = hg::dispatch_halo::in;
  const auto asked = about["call"]["options"].get<std::vector<std::string>>();
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (asked[i] == "--save-orig-nids") options.save_original_nodes = true;
    if (asked[i] == "--save-orig-eids") options.save_original_edges = true;
    if (asked[i] == "--graph-formats")
      options.formats = *hg::sparse_formats::parse(asked.at(i + 1));
    if (asked[i].starts_with("--graph-formats="))
      options.formats = *hg::sparse_formats::parse(asked[i].substr(16));
  }
  hg::dispatch_at<std::uint32_t, std::uint32_t>(
      input, (folder / "assignment").string(), *known.parts,
      hg::dgl_folder{.path = out.string(), .names = hg::dgl_file_names::dgl}, options);

  // The config is exact, but for the paths of original IDs, which DGL does not list.
  const json theirs = hg::testing::read_json(folder / "dgl" / "metadata.json");
  json ours = hg::testing::read_json(out / "metadata.json");
  EXPECT_EQ(ours, hg::testing::read_json(out / (input.name + ".json")));
  for (auto& [key, value] : ours.items()) {
    if (!key.starts_with("part-")) continue;
    EXPECT_EQ(value.erase("orig_nids"), 1u);
    EXPECT_EQ(value.erase("orig_eids"), 1u);
  }
  EXPECT_EQ(ours, theirs);

  id_map our_nodes, our_edges, their_nodes, their_edges;
  for (auto [map, key] : {std::pair{&our_nodes, "node_map"},
                          {&their_nodes, "node_map"},
                          {&our_edges, "edge_map"},
                          {&their_edges, "edge_map"}}) {
    for (const auto& [type, ranges] : theirs[key].items()) {
      for (const auto& range : ranges) map->ranges[type].emplace_back(range[0], range[1]);
    }
  }
  std::vector<hg::loaded_partition> loaded;
  for (std::size_t p = 0; p < parts; ++p) {
    const std::string part = "part" + std::to_string(p);
    loaded.push_back(
        hg::load_partition((out / "metadata.json").string(), p,
                           hg::folder_access(files, codec, hg::format_set<hg::dgl_serializer>{})));
    for (const bool nodes : {true, false}) {
      const std::string name = nodes ? "orig_nids" : "orig_eids";
      const std::string path = (out / part / (name + ".dgl")).string();
      const auto mine = hg::dgl_serializer{}.read_features(files(path), path);
      const json want = hg::testing::read_json(folder / "expected" /
                                               (part + "." + name + ".json"))["tensors"];
      auto& our_map = nodes ? our_nodes : our_edges;
      auto& their_map = nodes ? their_nodes : their_edges;
      for (const auto& one : mine) our_map.to_input[one.name].push_back(values(one.value));
      for (const auto& [type, about_type] : want.items()) {
        const auto file = (folder / "expected" / about_type["file"].get<std::string>()).string();
        their_map.to_input[type].push_back(values(hg::read_npy(files(file), file)));
      }
      EXPECT_EQ(mine.size(), want.size());
    }
  }

  for (std::size_t p = 0; p < parts; ++p) {
    SCOPED_TRACE("part " + std::to_string(p));
    const json expected = hg::testing::read_json(folder / "expected" /
                                                 ("part" + std::to_string(p) + ".json"));
    const auto& graph = loaded[p].graph;
    ASSERT_EQ(graph.nodes, expected["num_nodes"]);
    ASSERT_EQ(graph.edges, expected["num_edges"]);
    // Columns, their dtypes, and what is exact.
    const auto columns = [&](const std::vector<hg::named_tensor>& mine, const json& want) {
      EXPECT_EQ(mine.size(), want.size());
      for (const auto& one : mine) {
        ASSERT_TRUE(want.contains(one.name)) << one.name;
        EXPECT_EQ(std::string(hg::name(one.value.type())), want[one.name]["dtype"]) << one.name;
      }
    };
    columns(graph.node_columns, expected["ndata"]);
    columns(graph.edge_columns, expected["edata"]);
    const auto node_ids = values(graph.node_columns, "_ID"),
               edge_ids = values(graph.edge_columns, "_ID");
    const auto their_ids = expected["ndata"]["_ID"]["data"].get<numbers>();
    const auto their_edge_ids = expected["edata"]["_ID"]["data"].get<numbers>();
    const auto inner_flags = values(graph.node_columns, "inner_node");
    EXPECT_EQ(inner_flags, expected["ndata"]["inner_node"]["data"].get<numbers>());
    EXPECT_EQ(values(graph.edge_columns, "inner_edge"),
              expected["edata"]["inner_edge"]["data"].get<numbers>());
    EXPECT_EQ(values(graph.edge_columns, "_TYPE"),
              expected["edata"]["_TYPE"]["data"].get<numbers>());
    EXPECT_EQ(edge_ids, their_edge_ids);
    const auto inner = static_cast<std::size_t>(
        std::count(inner_flags.begin(), inner_flags.end(), 1));
    EXPECT_TRUE(std::equal(node_ids.begin(), node_ids.begin() + static_cast<std::ptrdiff_t>(inner),
                           their_ids.begin()));
    EXPECT_TRUE(
        std::is_sorted(node_ids.begin() + static_cast<std::ptrdiff_t>(inner), node_ids.end()));
    // Which input nodes these are.
    const auto originals = [](const id_map& map, const numbers& ids, std::size_t first,
                              std::size_t last) {
      std::set<original> out_set;
      for (std::size_t i = first; i < last; ++i) out_set.insert(map.of(ids[i]));
      return out_set;
    };
    EXPECT_EQ(originals(our_nodes, node_ids, 0, inner),
              originals(their_nodes, their_ids, 0, inner));
    EXPECT_EQ(originals(our_nodes, node_ids, inner, node_ids.size()),
              originals(their_nodes, their_ids, inner, their_ids.size()));
    const auto types = values(graph.node_columns, "_TYPE");
    for (std::size_t v = 0; v < node_ids.size(); ++v) {
      EXPECT_EQ(loaded[p].ntypes.at(static_cast<std::size_t>(types[v])),
                our_nodes.of(node_ids[v]).first);
    }
    // Edges by their input IDs, in every format.
    using edge = std::tuple<original, original, original>;
    std::multiset<edge> want;
    const auto source = expected["src"].get<numbers>(), target = expected["dst"].get<numbers>();
    for (std::size_t e = 0; e < source.size(); ++e) {
      want.insert({their_edges.of(their_edge_ids[e]),
                   their_nodes.of(their_ids[static_cast<std::size_t>(source[e])]),
                   their_nodes.of(their_ids[static_cast<std::size_t>(target[e])])});
    }
    std::set<std::string> formats;
    std::multiset<edge> got;
    const auto add = [&](std::int64_t e, std::int64_t u, std::int64_t v) {
      got.insert({our_edges.of(edge_ids[static_cast<std::size_t>(e)]),
                  our_nodes.of(node_ids[static_cast<std::size_t>(u)]),
                  our_nodes.of(node_ids[static_cast<std::size_t>(v)])});
    };
    if (graph.coo) {
      formats.insert("coo");
      const auto u = values(graph.coo->source), v = values(graph.coo->target);
      for (std::size_t e = 0; e < u.size(); ++e) add(static_cast<std::int64_t>(e), u[e], v[e]);
      EXPECT_EQ(got, want);
    }
    if (graph.csc) {
      formats.insert("csc");
      got.clear();
      const auto offsets = values(graph.csc->offsets), sources = values(graph.csc->neighbors),
                 ids = values(graph.csc->edges);
      for (std::size_t v = 0; v + 1 < offsets.size(); ++v) {
        for (auto k = static_cast<std::size_t>(offsets[v]);
             k < static_cast<std::size_t>(offsets[v + 1]); ++k)
          add(ids[k], sources[k], static_cast<std::int64_t>(v));
      }
      EXPECT_EQ(got, want);
    }
    EXPECT_EQ(formats, expected["formats"].get<std::set<std::string>>());
    // Rows of features by their input IDs. Where a part owns nothing of a type DGL writes float32,
    // whatever it is.
    const auto features = [&](const std::vector<hg::named_tensor>& mine, const json& about_features,
                              const id_map& our_map, const id_map& their_map) {
      EXPECT_EQ(mine.size(), about_features.size());
      for (const auto& one : mine) {
        ASSERT_TRUE(about_features.contains(one.name)) << one.name;
        const auto path =
            (folder / "expected" / about_features[one.name]["file"].get<std::string>()).string();
        const auto rows = hg::read_npy(files(path), path);
        ASSERT_EQ(one.value.rows(), rows.rows()) << one.name;
        if (rows.rows() == 0) continue;
        EXPECT_EQ(one.value.type(), rows.type()) << one.name;
        EXPECT_EQ(one.value.shape(), rows.shape()) << one.name;
        const auto type = one.name.substr(0, one.name.find('/'));
        std::map<std::int64_t, std::vector<std::byte>> our_rows, their_rows;
        const std::size_t width = rows.row_bytes();
        for (std::size_t i = 0; i < rows.rows(); ++i) {
          const auto row = [&](const hg::tensor& from) {
            const auto bytes = from.bytes().subspan(i * width, width);
            return std::vector<std::byte>(bytes.begin(), bytes.end());
          };
          our_rows[our_map.to_input.at(type)[p].at(i)] = row(one.value);
          their_rows[their_map.to_input.at(type)[p].at(i)] = row(rows);
        }
        EXPECT_EQ(our_rows, their_rows) << one.name;
      }
    };
    features(loaded[p].node_features, expected["node_feats"], our_nodes, their_nodes);
    features(loaded[p].edge_features, expected["edge_feats"], our_edges, their_edges);
  }
}

INSTANTIATE_TEST_SUITE_P(cases, golden_dispatch,
                         testing::ValuesIn(hg::testing::golden_cases("dispatch")));

}  // namespace
