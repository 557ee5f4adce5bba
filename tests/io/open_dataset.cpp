// SPDX-License-Identifier: BSL-1.0
#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/adapters/zlib.hpp>
#include <halograph/io/open_dataset.hpp>

#include <gtest/gtest.h>
#include <support/gzip.hpp>
#include <support/temporary_folder.hpp>

#include <string>

namespace hg = halograph;
using hg::testing::gzip;
using hg::testing::temporary_folder;

namespace {

hg::dataset<> load(const std::string& path, const hg::input_options& options = {}) {
  return hg::load_dataset(path, options, hg::gz_files<>{}, hg::nlohmann_codec{});
}
hg::error_kind refusal(const std::string& path, const hg::input_options& options = {}) {
  try {
    static_cast<void>(load(path, options));
  } catch (const hg::error& problem) {
    EXPECT_FALSE(problem.where().file.empty());
    return problem.code();
  }
  return hg::error_kind::ok;
}

constexpr const char* chunked =
    R"({"graph_name": "c", "node_type": ["n"], "edge_type": [], "num_nodes_per_type": [2], "edges": {}})";
constexpr const char* plain =
    R"({"name": "p", "directed": false, "num_nodes": {"_N": 3}, "num_edges": {"_N:_E:_N": 1}})";

TEST(load_dataset, knows_each_format_by_its_path) {
  const temporary_folder folder;
  folder.write("c/metadata.json", chunked);
  folder.write("p/meta.json", plain);
  folder.write("p/edges.txt", "0 1\n");
  folder.write("m.graph", "4 0\n\n\n\n\n");
  folder.write("m.mgraph.gz", gzip("4 0\n\n\n\n\n"));
  for (const char* ending : {".txt", ".csv", ".tsv", ".edges", ".el"}) {
    EXPECT_EQ(load(folder.write(std::string("e") + ending, "0 4\n")).num_nodes(), 5u) << ending;
    EXPECT_EQ(load(folder.write(std::string("e") + ending + ".gz", gzip("0 4\n"))).num_nodes(), 5u)
        << ending;
  }
  EXPECT_EQ(load(folder("c")).num_nodes(), 2u);
  EXPECT_EQ(load(folder("c/metadata.json")).name, "c");
  EXPECT_EQ(load(folder("p")).num_nodes(), 3u);
  EXPECT_EQ(load(folder("p/meta.json")).name, "p");
  EXPECT_EQ(load(folder("m.graph")).num_nodes(), 4u);
  EXPECT_EQ(load(folder("m.mgraph.gz")).num_nodes(), 4u);
}

TEST(load_dataset, opens_graphs_of_dgl) {
  const temporary_folder folder;
  hg::dgl::graph_file file;
  file.graphs.resize(1);
  file.graphs[0].node_types.push_back({"_N", 3, {}});
  hg::memory_sink sink;
  hg::dgl::write_graphs(sink, file);
  const auto path = folder.write(
      "g.dgl", {reinterpret_cast<const char*>(sink.bytes().data()), sink.bytes().size()});
  EXPECT_EQ(load(path).num_nodes(), 3u);
  EXPECT_EQ(refusal(path, {.graph = 1}), hg::error_kind::out_of_range);
  EXPECT_EQ(refusal(folder.write("x.dgl", "nothing")), hg::error_kind::truncated);
}

TEST(load_dataset, hands_options_on) {
  const temporary_folder folder;
  folder.write("p/meta.json", plain);
  folder.write("p/edges.txt", "0 1\n");
  const auto list = folder.write("e.txt", "0 1\n");
  EXPECT_EQ(load(folder("p"), {.undirected = true}).num_edges(), 2u);
  EXPECT_EQ(load(list, {.undirected = true, .num_nodes = 9}).num_edges(), 2u);
  EXPECT_EQ(load(list, {.num_nodes = 9}).num_nodes(), 9u);
}

TEST(load_dataset, refuses_options_that_a_format_has_no_use_for) {
  const temporary_folder folder;
  folder.write("c/metadata.json", chunked);
  const auto mesh = folder.write("m.graph", "1 0\n\n");
  EXPECT_EQ(refusal(folder("c"), {.undirected = true}), hg::error_kind::invalid_argument);
  EXPECT_EQ(refusal(folder("c"), {.num_nodes = 3}), hg::error_kind::invalid_argument);
  EXPECT_EQ(refusal(mesh, {.undirected = true}), hg::error_kind::invalid_argument);
}

}  // namespace
