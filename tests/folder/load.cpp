// SPDX-License-Identifier: BSL-1.0
// load_partition: what it opens, and folders as every DGL since 0.5 wrote them.
#include "support/dgl_rows.hpp"
#include "support/partition_model.hpp"
#include "support/temporary_folder.hpp"

#include <halograph/folder/read_config.hpp>
#include <halograph/folder/targets.hpp>
#include <halograph/partition/random.hpp>
#include <halograph/serial/dgl/graph.hpp>
#include <halograph/serial/dgl/tensors.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace {

namespace hg = halograph;
namespace ht = halograph::testing;
using nlohmann::json;  // sorts its keys, as DGL up to 1.1.0 did
using target = ht::memory_target<hg::dgl_serializer>;
using formats = hg::format_set<hg::dgl_serializer>;

/// Remembers which files were asked for.
struct watched {
  ht::memory_folder files{};
  std::shared_ptr<std::set<std::string>> opened = std::make_shared<std::set<std::string>>();
  hg::file_bytes operator()(const std::string& path) const {
    opened->insert(path);
    return files(path);
  }
};

template <class Files>
hg::loaded_partition load(const Files& files, std::size_t part,
                          const hg::load_options& options = {},
                          const std::string& config = "g.json") {
  return hg::load_partition(config, part, hg::folder_access(files, hg::nlohmann_codec{}, formats{}),
                            options);
}

ht::memory_folder partitioned(const hg::dataset<>& data, std::size_t parts,
                              hg::partition_options options = {}) {
  target to;
  options.graph_name = "g";
  hg::partition_graph(data, hg::random_parts{.parts = parts, .seed = 3}, to, options);
  return to.folder;
}

json config_of(const ht::memory_folder& folder) { return json::parse(folder.text("g.json")); }

template <class Call>
std::pair<hg::error_kind, std::string> why(const Call& call) {
  try {
    call();
  } catch (const hg::error& problem) {
    return {problem.code(), problem.what()};
  }
  ADD_FAILURE() << "went through";
  return {};
}

/// The same columns in another integer dtype.
template <class T>
void retype(std::vector<hg::named_tensor>& columns, const std::string& name) {
  for (auto& one : columns) {
    if (one.name != name) continue;
    std::vector<T> values;
    for (const auto value : ht::integers(one.value)) values.push_back(static_cast<T>(value));
    one.value = hg::tensor::from(std::move(values));
  }
}

/// Read a part's graph, change it, write it back.
template <class Change>
void rewrite_graph(ht::memory_folder& folder, const std::string& path, const Change& change) {
  auto content = hg::dgl::read_graphs(folder(path), path);
  change(content.graphs.at(0));
  hg::memory_sink sink;
  hg::dgl::write_graphs(sink, content);
  folder[path].assign(sink.bytes().begin(), sink.bytes().end());
}

TEST(load_partition, opens_the_config_and_one_part_alone) {
  watched files{partitioned(ht::small_graph(true, 1), 3)};
  load(files, 1);
  EXPECT_EQ(*files.opened, (std::set<std::string>{"g.json", "part1/edge_feats.dgl",
                                                  "part1/graph.dgl", "part1/node_feats.dgl"}));
  files.opened->clear();
  load(files, 2, {.features = false});
  EXPECT_EQ(*files.opened, (std::set<std::string>{"g.json", "part2/graph.dgl"}));

  for (const auto& name : files.files.names()) {
    if (name != "g.json" && name.rfind("part1/", 0) != 0) files.files.remove(name);
  }
  EXPECT_NO_THROW(load(files, 1));
  const auto [code, sentence] = why([&] { load(files, 0); });
  EXPECT_EQ(code, hg::error_kind::not_found);
  EXPECT_NE(sentence.find("part0/graph.dgl"), std::string::npos) << sentence;
}

TEST(load_partition, its_pieces_take_the_same_arguments) {
  const auto folder = partitioned(ht::small_graph(true, 1), 3);
  const hg::folder_access access(folder, hg::nlohmann_codec{}, formats{});
  const auto part = hg::load_partition("g.json", 1, access);
  const auto features = hg::load_partition_feats("g.json", 1, access);
  ASSERT_EQ(features.nodes.size(), part.node_features.size());
  EXPECT_EQ(features.nodes[0].name, part.node_features[0].name);
  EXPECT_EQ(features.edges.size(), part.edge_features.size());
  const auto book = hg::load_partition_book("g.json", 1, access);
  EXPECT_EQ(std::get<hg::partition_book>(book).partid(), 1u);
}

TEST(load_partition, also_opens_map_files) {
  watched files{partitioned(ht::small_graph(true, 2), 2, {.reshuffle = false})};
  load(files, 0, {.features = false});
  EXPECT_EQ(*files.opened,
            (std::set<std::string>{"edge_map.npy", "g.json", "node_map.npy", "part0/graph.dgl"}));
}

TEST(load_partition, follows_the_paths_of_the_config) {
  const auto made = partitioned(ht::small_graph(false, 3), 2);
  ht::memory_folder moved;
  json config = config_of(made);
  const auto put = [&](const std::string& from, const std::string& to) {
    moved[to] = made.copy()[from];
  };
  put("part1/graph.dgl", "deep/folder/else/where.bin");
  put("part1/node_feats.dgl", "deep/folder/n");
  put("part1/edge_feats.dgl", "/absolute/e");
  config["part-1"] = {
      {"part_graph", "else/where.bin"}, {"node_feats", "n"}, {"edge_feats", "/absolute/e"}};
  moved.write("deep/folder/other name.json", config.dump());
  const auto part = load(moved, 1, {}, "deep/folder/other name.json");
  EXPECT_EQ(part.graph_name, "g");
  EXPECT_FALSE(part.node_features.empty());
}

TEST(load_partition, reports_which_part_or_key_is_missing) {
  auto folder = partitioned(ht::small_graph(false, 4), 2);
  const json config = config_of(folder);
  const auto with = [&](auto&& change, std::size_t part = 1) {
    json changed = config;
    change(changed);
    folder.write("g.json", changed.dump());
    return why([&] { load(folder, part); });
  };
  const auto same = [](json&) {};
  EXPECT_EQ(with(same, 2).first, hg::error_kind::out_of_range);
  EXPECT_NE(with(same, 2).second.find("parts are 0 to 1"), std::string::npos);
  EXPECT_EQ(with([](json& c) { c.erase("part-1"); }).first, hg::error_kind::not_found);
  EXPECT_EQ(with([](json& c) { c["part-1"].erase("part_graph"); }).first,
            hg::error_kind::not_found);
  EXPECT_EQ(with([](json& c) { c["part-1"].erase("edge_feats"); }).first,
            hg::error_kind::not_found);
  const auto bolt = with([](json& c) {
    c["part-1"].erase("part_graph");
    c["part-1"]["part_graph_graphbolt"] = "part1/fused_csc_sampling_graph.pt";
  });
  EXPECT_EQ(bolt.first, hg::error_kind::unsupported);
  EXPECT_NE(bolt.second.find("GraphBolt-only"), std::string::npos);
  const auto format = with([](json& c) { c["serializer"] = "other"; });
  EXPECT_EQ(format.first, hg::error_kind::unsupported);
  EXPECT_NE(format.second.find("this program reads dgl"), std::string::npos);
  // Both kinds of graph side by side: ours is read.
  json both = config;
  both["part-1"]["part_graph_graphbolt"] = "part1/fused_csc_sampling_graph.pt";
  both["node_map_dtype"] = "int64";
  both["edge_map_dtype"] = "int32";
  folder.write("g.json", both.dump());
  const auto part = load(folder, 1);
  EXPECT_EQ(std::get<hg::partition_book>(part.book).global_eid_dtype(), hg::map_dtype::int32);
  EXPECT_EQ(std::get<hg::partition_book>(part.book).global_nid_dtype(), hg::map_dtype::int64);
}

TEST(load_partition, lists_types_as_the_config_does_and_numbers_them_as_it_says) {
  auto folder = partitioned(ht::small_graph(true, 5), 2);
  const auto before = load(folder, 1);
  EXPECT_EQ(before.ntypes, (std::vector<std::string>{"user", "item", "tag"}));
  folder.write("g.json", config_of(folder).dump());  // keys now in alphabetical order
  const auto after = load(folder, 1);
  EXPECT_EQ(after.ntypes, (std::vector<std::string>{"item", "tag", "user"}));
  ASSERT_EQ(after.etypes.size(), 4u);
  EXPECT_EQ(after.etypes[0].str(), "item:has:tag");
  const auto& a = std::get<hg::partition_book>(before.book);
  const auto& b = std::get<hg::partition_book>(after.book);
  EXPECT_EQ(a.schema(), b.schema());
  EXPECT_EQ(a.partid2nids(1, "tag"), b.partid2nids(1, "tag"));
}

// --- as DGL 0.5 wrote them
// ---------------------------------------------------------------------------

TEST(load_partition_of_dgl_0_5, reads_ends_alone_absolute_paths_and_keys_without_types) {
  const auto data = ht::small_graph(false, 6);
  const auto made = partitioned(data, 3);
  const json now = config_of(made);
  ht::memory_folder old;
  json config;
  for (const char* key :
       {"graph_name", "num_nodes", "num_edges", "num_parts", "part_method", "halo_hops"})
    config[key] = now[key];
  const auto ends = [](const json& pairs) {
    json out = json::array();
    for (const auto& pair : pairs) out.push_back(pair[1]);
    return out;
  };
  config["node_map"] = ends(now["node_map"]["_N"]);
  config["edge_map"] = ends(now["edge_map"]["_N:_E:_N"]);
  for (std::size_t p = 0; p < 3; ++p) {
    const std::string part = "part" + std::to_string(p), key = "part-" + std::to_string(p);
    for (const char* file : {"node_feats", "edge_feats"}) {
      const std::string path = part + "/" + file + ".dgl";
      auto tensors = hg::dgl::read_tensors(made(path), path);
      for (auto& one : tensors) {
        one.name = one.name.substr(one.name.find('/') + 1);
        for (auto& c : one.name) c = c == '/' ? '-' : c;
      }
      hg::memory_sink sink;
      hg::dgl::write_tensors(sink, tensors);
      old["/data/" + path].assign(sink.bytes().begin(), sink.bytes().end());
      config[key][file] = "/data/" + path;
    }
    old["/data/" + part + "/graph.dgl"] = made.copy()[part + "/graph.dgl"];
    config[key]["part_graph"] = "/data/" + part + "/graph.dgl";
  }
  old.write("elsewhere/g.json", config.dump());
  for (std::size_t p = 0; p < 3; ++p) {
    const auto ours = load(made, p), theirs = load(old, p, {}, "elsewhere/g.json");
    EXPECT_EQ(theirs.ntypes, ours.ntypes);
    ASSERT_EQ(theirs.etypes.size(), 1u);
    EXPECT_EQ(theirs.etypes[0].str(), "_N:_E:_N");
    EXPECT_EQ(std::get<hg::partition_book>(theirs.book).partid2nids(p),
              std::get<hg::partition_book>(ours.book).partid2nids(p));
    EXPECT_EQ(std::get<hg::partition_book>(theirs.book).partid2eids(p),
              std::get<hg::partition_book>(ours.book).partid2eids(p));
    for (const auto& [old_side, new_side, prefix] :
         {std::tuple(&theirs.node_features, &ours.node_features, "_N/"),
          std::tuple(&theirs.edge_features, &ours.edge_features, "_N:_E:_N/")}) {
      ASSERT_EQ(old_side->size(), new_side->size());
      for (const auto& one : *old_side) {
        ASSERT_EQ(one.name.rfind(prefix, 0), 0u) << one.name;
        const std::string rest = one.name.substr(std::string(prefix).size() + 3);  // behind "as-"
        const auto* same = ht::column_of(*new_side, prefix + ("as/" + rest));
        ASSERT_TRUE(same) << one.name;
        EXPECT_EQ(*same, one.value);
      }
    }
  }
}

// --- as DGL 0.6 to 0.9 wrote them
// --------------------------------------------------------------------

/// A graph of `types` node types with a relation between each two, i < j; relations are named so
/// that the first in the alphabet is not the one numbered 0.
hg::dataset<> pairs_graph(std::size_t types, std::uint64_t nodes) {
  hg::dataset<> data;
  for (std::size_t t = 0; t < types; ++t) {
    data.schema.add_node_type("type" + std::to_string(t));
    data.node_counts.push_back(nodes / types);
  }
  std::size_t number = 900;
  for (std::size_t i = 0; i < types; ++i) {
    for (std::size_t j = i + 1; j < types; ++j) {
      data.schema.add_edge_type({"type" + std::to_string(i), "rel" + std::to_string(--number),
                                 "type" + std::to_string(j)});
    }
  }
  hg::random_stream stream(types);
  for (std::size_t r = 0; r < data.schema.num_edge_types(); ++r) ht::draw_edges(data, 40, stream);
  data.finish();
  return data;
}

/// Edge types by their relation alone, in etypes and edge_map.
void name_by_relation(json& config) {
  for (const char* key : {"etypes", "edge_map"}) {
    json bare = json::object();
    for (const auto& [name, value] : config[key].items()) {
      const auto first = name.find(':'), second = name.rfind(':');
      bare[name.substr(first + 1, second - first - 1)] = value;
    }
    config[key] = bare;
  }
}

TEST(load_partition_of_dgl_0_9, finds_the_ends_of_relations_in_the_parts) {
  for (const auto& [types, nodes, parts] :
       {std::tuple(3u, 100u, 2u), std::tuple(10u, 500u, 4u), std::tuple(10u, 1000u, 8u)}) {
    const auto data = pairs_graph(types, nodes);
    auto folder = partitioned(data, parts);
    json config = config_of(folder);
    name_by_relation(config);
    folder.write("g.json", config.dump());
    auto read = hg::read_config("g.json", folder, hg::nlohmann_codec{});
    EXPECT_EQ(read.bare_relations.size(), data.schema.num_edge_types());
    hg::resolve_relations(read, folder, formats{});
    EXPECT_EQ(read.schema, data.schema) << "names and numbers are as before";
    EXPECT_TRUE(read.bare_relations.empty());
    const auto part = load(folder, parts - 1);
    EXPECT_EQ(std::get<hg::partition_book>(part.book).schema(), data.schema);
  }
}

TEST(load_partition_of_dgl_0_9, knows_the_ends_where_there_is_one_node_type) {
  for (const auto& [nodes, parts] : {std::pair(100u, 2u), std::pair(500u, 4u)}) {
    watched files{partitioned(ht::graph_g1(1, nodes), parts)};
    json config = config_of(files.files);
    name_by_relation(config);
    EXPECT_TRUE(config["etypes"].contains("_E"));
    files.files.write("g.json", config.dump());
    const auto part = load(files, 0);
    ASSERT_EQ(part.etypes.size(), 1u);
    EXPECT_EQ(part.etypes[0].str(), "_N:_E:_N");
    EXPECT_EQ(files.opened->count("part1/graph.dgl"), 0u);
  }
}

/// The same of ht::small_graph(), whose relations share names. @return the numbers of the relations
json name_small_graph_by_relation(json& config, const hg::graph_schema& schema) {
  const json bare = {{"a", 0}, {"b", 1}, {"marks", 2}, {"has", 3}};
  json map = json::object();
  for (const auto& [name, number] : bare.items())
    map[name] = config["edge_map"][schema.edge_types()[number.get<std::size_t>()].str()];
  config["etypes"] = bare;
  config["edge_map"] = map;
  return bare;
}

TEST(load_partition_of_dgl_0_9, refuses_relations_without_edges) {
  auto data = ht::small_graph(true, 7);  // tag:marks:tag has no edges
  auto folder = partitioned(data, 2);
  json config = config_of(folder);
  json bare = name_small_graph_by_relation(config, data.schema);
  folder.write("g.json", config.dump());
  const auto [code, sentence] = why([&] { load(folder, 0); });
  EXPECT_EQ(code, hg::error_kind::not_found);
  EXPECT_NE(sentence.find("relation \"marks\" has no edges"), std::string::npos) << sentence;
  bare.erase("marks");
  bare["tag:marks:tag"] = 2;
  config["etypes"] = bare;
  folder.write("g.json", config.dump());
  EXPECT_EQ(why([&] { load(folder, 0); }).first, hg::error_kind::malformed);
}

TEST(load_partition_of_dgl_0_9, refuses_relations_where_maps_are_files) {
  const auto data = pairs_graph(3, 60);
  auto folder = partitioned(data, 2);
  json config = config_of(folder);
  name_by_relation(config);
  config["node_map"] = "node_map.npy";
  config["edge_map"] = "edge_map.npy";
  config["num_nodes_per_type"] = data.node_counts;
  config["num_edges_per_type"] = std::vector<int>(data.schema.num_edge_types(), 40);
  folder.write("g.json", config.dump());
  const auto [code, sentence] = why([&] { load(folder, 0); });
  EXPECT_EQ(code, hg::error_kind::malformed);
  EXPECT_NE(sentence.find("does not say which node types it joins"), std::string::npos) << sentence;
}

TEST(load_partition_of_dgl_0_9, leaves_the_config_as_it_was_where_a_relation_is_unknown) {
  const auto data = ht::small_graph(true, 7);  // tag:marks:tag has no edges
  auto folder = partitioned(data, 2);
  json config = config_of(folder);
  name_small_graph_by_relation(config, data.schema);
  folder.write("g.json", config.dump());
  auto read = hg::read_config("g.json", folder, hg::nlohmann_codec{});
  const auto before = read.bare_relations;
  for (int again = 0; again < 2; ++again) {
    EXPECT_THROW(hg::resolve_relations(read, folder, formats{}), hg::error);
    EXPECT_EQ(read.bare_relations, before);
    EXPECT_EQ(read.schema.num_edge_types(), 0u);
  }
}

TEST(load_partition_of_dgl_0_9, refuses_parts_that_contradict_the_config) {
  auto folder = partitioned(pairs_graph(3, 60), 2);
  json config = config_of(folder);
  name_by_relation(config);
  folder.write("g.json", config.dump());
  const auto broken = [&](auto&& change) {
    auto copy = folder.copy();
    rewrite_graph(copy, "part0/graph.dgl", change);
    return why([&] { load(copy, 0); });
  };
  const auto without = broken([](hg::dgl::graph_data& graph) {
    std::erase_if(graph.node_types[0].columns, [](const auto& one) { return one.name == "_TYPE"; });
  });
  EXPECT_EQ(without.first, hg::error_kind::malformed);
  EXPECT_NE(without.second.find("part0/graph.dgl"), std::string::npos) << without.second;
  const auto unknown = broken([](hg::dgl::graph_data& graph) {
    for (auto& one : graph.node_types[0].columns) {
      if (one.name == "_TYPE")
        one.value = hg::tensor::from(std::vector<std::int32_t>(one.value.rows(), -1));
    }
  });
  EXPECT_EQ(unknown.first, hg::error_kind::malformed);
  EXPECT_NE(unknown.second.find("type -1"), std::string::npos) << unknown.second;
}

TEST(load_partition_of_dgl_0_9, reads_columns_of_any_integer_type_and_original_ids) {
  const auto now = partitioned(pairs_graph(3, 60), 2, {.store_original_ids = true});
  const auto before = load(now, 1);
  auto folder = now.copy();  // what was loaded views the files
  json config = config_of(folder);
  name_by_relation(config);
  folder.write("g.json", config.dump());
  for (const char* path : {"part0/graph.dgl", "part1/graph.dgl"}) {
    rewrite_graph(folder, path, [](hg::dgl::graph_data& graph) {
      auto& nodes = graph.node_types[0].columns;
      auto& edges = graph.relations[0].columns;
      retype<std::int32_t>(nodes, "inner_node");
      retype<std::int8_t>(edges, "inner_edge");
      retype<std::int64_t>(nodes, "_TYPE");
      retype<std::int64_t>(edges, "_TYPE");
    });
  }
  const auto after = load(folder, 1);
  EXPECT_EQ(after.etypes.size(), before.etypes.size());
  for (const char* name : {"_ID", "_TYPE", "inner_node", "part_id", "orig_id"}) {
    EXPECT_EQ(ht::column_values(before.graph.node_columns, name),
              ht::column_values(after.graph.node_columns, name))
        << name;
  }
  for (const char* name : {"_ID", "_TYPE", "inner_edge", "orig_id"}) {
    EXPECT_EQ(ht::column_values(before.graph.edge_columns, name),
              ht::column_values(after.graph.edge_columns, name))
        << name;
  }
  EXPECT_EQ(ht::column_of(after.graph.node_columns, "inner_node")->type(), hg::dtype::int32);
}

TEST(load_partition_of_dgl_0_9, leaves_keys_of_relation_and_name_as_they_are) {
  auto folder = partitioned(ht::small_graph(false, 8), 2);
  std::vector<hg::named_tensor> tensors{{"follows/w", ht::any_feature(hg::dtype::int8, {3}, 1)},
                                        {"plain", ht::any_feature(hg::dtype::int8, {3}, 2)}};
  hg::memory_sink sink;
  hg::dgl::write_tensors(sink, tensors);
  folder["part0/edge_feats.dgl"].assign(sink.bytes().begin(), sink.bytes().end());
  const auto part = load(folder, 0);
  EXPECT_TRUE(ht::column_of(part.edge_features, "follows/w"));
  EXPECT_TRUE(ht::column_of(part.edge_features, "_N:_E:_N/plain"));
}

TEST(load_partition, reports_a_folder_that_was_replaced_while_it_was_read) {
  const ht::temporary_folder place;
  const auto cut = [&](std::uint64_t seed, const std::string& folder) {
    hg::partition_graph(ht::small_graph(false, 8), hg::random_parts{.parts = 2, .seed = seed},
                        hg::dgl_folder{place(folder)}, {.graph_name = "g"});
  };
  for (const char* const at :
       {"graph.dgl", "node_feats.dgl",
        "nothing"}) {  // mixed columns would be malformed, or fit and be wrong
    cut(3, "parts");
    cut(4, "others");
    bool replaced = false;
    const auto files = [&](const std::string& path) {
      if (path.ends_with(at)) {
        std::filesystem::rename(place("parts"), place("old"));
        std::filesystem::rename(place("others"), place("parts"));
        replaced = true;
      }
      return hg::read_files{}(path);
    };
    if (at == std::string("nothing")) {
      EXPECT_EQ(load(files, 1, {}, place("parts/g.json")).part, 1u);
      continue;
    }
    const auto [code, sentence] = why([&] { load(files, 1, {}, place("parts/g.json")); });
    EXPECT_TRUE(replaced);
    EXPECT_EQ(code, hg::error_kind::mismatch);
    EXPECT_EQ(sentence, place("parts/") + ": was replaced while it was read; run again");
    std::filesystem::remove_all(place("old"));
  }
}

}  // namespace
