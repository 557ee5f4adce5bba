// SPDX-License-Identifier: BSL-1.0
#include "support/collect_stream.hpp"
#include "support/graphar_set.hpp"
#include "support/npy.hpp"
#include "support/small_folder.hpp"
#include "support/temporary_folder.hpp"

#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/adapters/yaml_cpp.hpp>
#include <halograph/io/chunked/chunk.hpp>
#include <halograph/io/open_dataset.hpp>
#include <halograph/io/open_stream.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

namespace {

namespace hg = halograph;
using hg::testing::expect_same_graph;
using hg::testing::npy;
using hg::testing::small_dataset;
using hg::testing::temporary_folder;

hg::opened_stream open(const std::string& path, const std::string& scratch,
                       hg::input_options options = {}) {
  options.scratch = scratch;
  options.yaml = hg::yaml_cpp_codec{};
  return hg::open_stream(path, options, hg::read_files{}, hg::nlohmann_codec{},
                         hg::testing::test_formats{});
}
hg::dataset<> load(const std::string& path) {
  return hg::load_dataset(path, {.yaml = hg::yaml_cpp_codec{}}, hg::read_files{},
                          hg::nlohmann_codec{});
}

TEST(open_stream, each_kind_of_input_becomes_the_chunked_graph_of_its_dataset) {
  const temporary_folder place;
  place.write("list.txt", "# a list\n0 3 7\n4 1 2\n1 1 5\n");
  place.write("mesh.graph", "% a mesh\n3 2 001\n2 5\n1 5 3 9\n2 9\n");
  place.write(
      "plain/meta.json",
      R"({"name": "p", "directed": true, "num_nodes": {"a": 3, "b": 2}, "num_edges": {"a:to:b": 2}, "labels": {"a": 4}})");
  place.write("plain/edges/a.to.b.txt", "0 1\n2 0\n");
  place.write("plain/label/a.txt", "3\n-1\n0\n");
  hg::chunk_graph(small_dataset(1, true), place("chunked"), {.chunks = 2});
  hg::partition_options restorable;
  restorable.save_mapping = true;
  hg::testing::small_partition(small_dataset(2, true), place("parts"), 2, 1, restorable);
  place.write("ogb/a___to___b/edge_index.npy", npy<std::int64_t>("<i8", "(2, 2)", {0, 1, 1, 0}));
  place.write("ogb/a___to___b/edge_weight.npy", npy<float>("<f4", "(2, 1)", {5, 6}));
  place.write("ogb/a/node_feat.npy", npy<float>("<f4", "(2,)", {1, 2}));
  place.write(
      "shop.json",
      R"({"nodes": {"a": {"files": ["a.csv"], "key": "id", "features": {"age": {"columns": ["age"]}}}, "b": {}},
          "edges": {"a:to:b": {"files": ["e.csv"], "source": 0, "target": 1}}})");
  place.write("a.csv", "id,age\nx,3\ny,4\n");
  place.write("e.csv", "s,t\ny,two\nx,one\ny,one\n");
  hg::testing::write_small_graphar(place);
  place.write("m.mtx",
              "%%MatrixMarket matrix coordinate integer skew-symmetric\n3 3 2\n2 1 5\n3 3 7\n");
  place.write("roads.gr", "p sp 3 2\na 1 2 9\na 3 1 -2\n");
  place.write("l.adj", "WeightedAdjacencyGraph\n3\n2\n0\n1\n1\n2\n0\n5\n0.5\n");
  const std::pair<const char*, const char*> inputs[] = {{"list.txt", "edge list"},
                                                        {"mesh.graph", "METIS graph"},
                                                        {"plain", "plain form"},
                                                        {"chunked", "chunked graph"},
                                                        {"chunked/metadata.json", "chunked graph"},
                                                        {"parts", "partition folder"},
                                                        {"ogb", "OGB folder"},
                                                        {"shop.json", "tables"},
                                                        {"set", "GraphAr data set"},
                                                        {"m.mtx", "Matrix Market file"},
                                                        {"roads.gr", "DIMACS graph"},
                                                        {"l.adj", "Ligra graph"}};
  for (const auto& [path, format] : inputs) {
    SCOPED_TRACE(path);
    const auto opened = open(place(path), place());
    EXPECT_EQ(opened.format, format);
    // Only METIS graphs and the plain form are held.
    EXPECT_EQ(opened.held_bytes != 0,
              format == std::string("METIS graph") || format == std::string("plain form"));
    // Edges with their weights, and labels in text.
    if (format == std::string("plain form")) {
      EXPECT_EQ(opened.held_bytes, 2 * 24u + 3 * 8u);
    }
    hg::chunk_graph(opened.graph, place("out"), {.chunks = 3, .edges = hg::chunk_format::numpy});
    const auto data = load(place(path)), back = load(place("out"));
    EXPECT_EQ(back.name, data.name);
    expect_same_graph(hg::stream_dataset(load(place("out"))), data);
    expect_same_graph(opened.graph, data);
    EXPECT_EQ(opened.graph.notes, data.notes);
  }
  for (const auto& left : std::filesystem::directory_iterator(place()))
    EXPECT_FALSE(left.path().filename().string().starts_with('.')) << left.path();
}

TEST(open_stream, tables_keep_their_dictionaries_where_asked) {
  const temporary_folder place;
  place.write(
      "spec.json",
      R"({"nodes": {"a": {}}, "edges": {"a:to:a": {"files": ["e.csv"], "source": 0, "target": 1}}})");
  place.write("e.csv", "s,t\nx,y\n");
  hg::input_options options;
  options.dictionaries = place("keys");
  EXPECT_EQ(open(place("spec.json"), place(), options).graph.num_nodes(), 2u);
  EXPECT_TRUE(std::filesystem::exists(place("keys/a.keys")));
}

TEST(open_stream, reverses_of_edges_are_appended_as_load_dataset_does) {
  const temporary_folder place;
  place.write("list.txt", "0 3 7\n4 1 2\n");
  place.write("plain/meta.json",
              R"({"directed": false, "num_nodes": {"_N": 5}, "num_edges": {"_N:_E:_N": 2}})");
  place.write("plain/edges.txt", "0 3\n4 1\n");
  place.write("mesh.graph", "2 1\n2\n1\n");
  hg::input_options both;
  both.undirected = true;
  for (const char* path : {"list.txt", "plain"}) {
    const auto data = hg::load_dataset(place(path), {.undirected = true}, hg::read_files{},
                                       hg::nlohmann_codec{});
    EXPECT_EQ(data.num_edges(), 4u);
    expect_same_graph(open(place(path), place(), both).graph, data);
  }
  EXPECT_THROW(open(place("mesh.graph"), place(), both), hg::error);
}

TEST(open_stream, partition_folders_are_known_by_what_their_config_says) {
  const auto data = small_dataset(2, true);
  const temporary_folder place;
  hg::partition_options options;
  options.save_mapping = true;
  hg::testing::small_partition(data, place("parts"), 2, 1, options);
  for (const char* path : {"parts", "parts/g.json"}) {
    const auto opened = open(place(path), place());
    EXPECT_EQ(opened.format, "partition folder");
    expect_same_graph(opened.graph, data);
  }
  // DGL's pipeline calls the config metadata.json, and a chunked graph's is called so too.
  std::filesystem::rename(place("parts/g.json"), place("parts/metadata.json"));
  EXPECT_EQ(open(place("parts"), place()).format, "partition folder");
  std::filesystem::copy_file(place("parts/metadata.json"), place("parts/a.json"));
  std::filesystem::copy_file(place("parts/metadata.json"), place("parts/b.json"));
  try {
    static_cast<void>(open(place("parts"), place()));
    FAIL() << "took one of two";
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.code(), hg::error_kind::invalid_argument);
    EXPECT_NE(problem.message().find(place("parts/a.json")), std::string::npos);
  }
}

TEST(open_stream, folders_of_arrays_are_known_by_their_edges) {
  const temporary_folder place;
  place.write("ogb/processed/a___to___b/edge_index.npy",
              npy<std::int64_t>("<i8", "(2, 2)", {0, 1, 1, 0}));
  place.write("ogb/processed/a/node_feat.npy", npy<float>("<f4", "(2,)", {1, 2}));
  const auto opened = open(place("ogb"), place());
  EXPECT_EQ(opened.format, "OGB folder");
  EXPECT_EQ(opened.graph.node_features.size(), 1u);
  EXPECT_TRUE(open(place("ogb"), place(), {.features = false}).graph.node_features.empty());
}

TEST(open_stream, options_without_a_use_and_paths_without_a_graph_are_refused) {
  const temporary_folder place;
  place.write("list.txt", "0 1\n");
  place.write("what.json", "[]");
  EXPECT_EQ(open(place("list.txt"), place(), {.num_nodes = 9}).graph.node_counts[0], 9u);
  hg::chunk_graph(small_dataset(3, false), place("chunked"));
  hg::testing::small_partition(small_dataset(3, false), place("parts"), 1, 1);
  for (const char* path : {"chunked", "parts"})
    EXPECT_THROW(static_cast<void>(open(place(path), place(), {.num_nodes = 9})), hg::error)
        << path;
  for (const char* path : {"none", "what.json", ""})
    EXPECT_THROW(static_cast<void>(open(place(path), place())), hg::error) << path;
}

}  // namespace
