// SPDX-License-Identifier: BSL-1.0
#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/io/chunked/open.hpp>
#include <halograph/io/chunked/read.hpp>

#include <gtest/gtest.h>
#include <support/npy.hpp>
#include <support/temporary_folder.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace hg = halograph;
using hg::testing::npy;
using hg::testing::temporary_folder;

namespace {

using ids = std::vector<std::uint64_t>;

/// users u0..u2, items i0..i1, a type without nodes; buys in two files, by in one array, none
/// without edges.
struct shop {
  std::string graph_name = R"("graph_name": "shop",)";
  std::string node_type = R"(["user", "void", "item"])";
  std::string edge_type = R"(["user:buys:item", "item:by:user", "user:none:void"])";
  std::string node_counts = R"("num_nodes_per_type": [3, 0, 2],)";
  std::string edge_counts = R"("num_edges_per_type": [4, 2, 0],)";
  std::string buys =
      R"({"format": {"name": "csv", "delimiter": " "}, "data": ["edges/buys0.txt", "edges/buys1.txt"]})";
  std::string by = R"({"format": {"name": "numpy"}, "data": ["by.npy"]})";
  std::string more_edges = R"(, "user:none:void": {"format": {"name": "csv"}, "data": []})";
  std::string node_data =
      R"({"user": {"age": {"format": {"name": "numpy"}, "data": ["age0.npy", "none.npy", "age1.npy"]}},
                              "item": {"cube": {"format": {"name": "numpy"}, "data": ["cube.npy"]}}})";
  std::string edge_data =
      R"({"item:by:user": {"ok": {"format": {"name": "numpy"}, "data": ["ok.npy"]}}})";

  std::string metadata() const {
    return "{" + graph_name + "\"node_type\": " + node_type + ", \"edge_type\": " + edge_type +
           "," + node_counts + edge_counts + "\"edges\": {\"user:buys:item\": " + buys +
           ", \"item:by:user\": " + by + more_edges + "}, \"node_data\": " + node_data +
           ", \"edge_data\": " + edge_data + "}";
  }
  void write(const temporary_folder& folder) const {
    folder.write("metadata.json", metadata());
    folder.write("edges/buys0.txt", "0 1\n2 0 77\r\n\n1 1\n");
    folder.write("edges/buys1.txt", "0 1");
    folder.write("by.npy", npy<std::int32_t>("<i4", "(2, 2)", {1, 2, 0, 0}));
    folder.write("age0.npy", npy<std::int16_t>("<i2", "(2,)", {20, 30}));
    folder.write("age1.npy", npy<std::int16_t>("<i2", "(1,)", {40}));
    folder.write("none.npy", npy<double>("<f8", "(0,)", {}));
    folder.write("cube.npy", npy<float>("<f4", "(2, 1, 2)", {1, 2, 3, 4}));
    folder.write("ok.npy", npy<std::uint8_t>("|b1", "(2,)", {1, 0}));
  }
};

hg::dataset<> read(const std::string& path, const hg::chunked_options& options = {}) {
  return hg::read_chunked(path, options, hg::read_files{}, hg::nlohmann_codec{});
}

void expect_shop(const hg::dataset<>& data) {
  EXPECT_EQ(data.schema.node_types(), (std::vector<std::string>{"user", "void", "item"}));
  EXPECT_EQ(data.node_counts, (ids{3, 0, 2}));
  ASSERT_EQ(data.edges.size(), 3u);
  EXPECT_EQ(data.edges[0].source, (ids{0, 2, 1, 0}));
  EXPECT_EQ(data.edges[0].target, (ids{1, 0, 1, 1}));
  EXPECT_EQ(data.edges[1].source, (ids{1, 0}));
  EXPECT_EQ(data.edges[1].target, (ids{2, 0}));
  EXPECT_TRUE(data.edges[2].source.empty());
  EXPECT_EQ(data.graph().validate(), hg::status::ok);
}

TEST(read_chunked, reads_structure_and_features) {
  const temporary_folder folder;
  shop{}.write(folder);
  for (const std::string& path : {folder(), folder() + "/", folder("metadata.json")}) {
    const auto data = read(path);
    EXPECT_EQ(data.name, "shop");
    expect_shop(data);
    ASSERT_NE(data.node_feature(0, "age"), nullptr);
    const auto& age = data.node_feature(0, "age")->rows;
    EXPECT_EQ(age.type(), hg::dtype::int16);
    ASSERT_EQ(age.chunks().size(), 2u);
    EXPECT_EQ(age.chunks()[1].integer(0), 40);
    ASSERT_NE(data.node_feature(2, "cube"), nullptr);
    EXPECT_EQ(data.node_feature(2, "cube")->rows.chunks()[0],
              hg::tensor::from(std::vector<float>{1, 2, 3, 4}, {2, 1, 2}));
    ASSERT_NE(data.edge_feature(1, "ok"), nullptr);
    EXPECT_EQ(data.edge_feature(1, "ok")->rows.type(), hg::dtype::boolean);
  }
}

TEST(read_features, reads_no_edges) {
  const temporary_folder folder;
  shop{}.write(folder);
  folder.write("edges/buys1.txt", "9 9");  // nodes that are not there
  for (const bool kept : {true, false}) {
    const auto features = hg::read_features(hg::open_chunked(
        folder(), hg::read_files{}, hg::nlohmann_codec{}, {}, {.keep_arrays = kept}));
    ASSERT_EQ(features.nodes.size(), 2u);
    ASSERT_EQ(features.edges.size(), 1u);
    EXPECT_EQ(features.nodes[0].name, "age");
    const auto& age = features.nodes[0].rows;
    ASSERT_EQ(age.chunks().size(), kept ? 2u : 1u);
    EXPECT_EQ(age.chunks()[0].integer(0), 20);
    EXPECT_EQ(kept ? age.chunks()[1].integer(0) : age.chunks()[0].integer(2), 40);
    EXPECT_EQ(features.nodes[1].type, 2u);
    EXPECT_EQ(features.nodes[1].rows.chunks()[0],
              hg::tensor::from(std::vector<float>{1, 2, 3, 4}, {2, 1, 2}));
    EXPECT_EQ(features.edges[0].name, "ok");
  }
  EXPECT_THROW(read(folder()), hg::error);
}

TEST(read_chunked, leaves_features_alone_where_asked) {
  const temporary_folder folder;
  shop{}.write(folder);
  std::filesystem::remove(folder("age0.npy"));
  const auto data = read(folder(), {.features = false});
  expect_shop(data);
  EXPECT_TRUE(data.features.nodes.empty());
}

TEST(read_chunked, takes_counts_by_chunk_with_rows_of_any_length) {
  const temporary_folder folder;
  shop graph;
  graph.node_counts = R"("num_nodes_per_chunk": [[1, 1, 1], [], [2]],)";
  graph.edge_counts = R"("num_edges_per_chunk": [[3, 1], [2], []],)";
  graph.write(folder);
  expect_shop(read(folder()));
  graph.node_counts = R"("num_nodes_per_type": [3, 0, 2], "num_nodes_per_chunk": [[9], [9], [9]],)";
  graph.edge_counts = "";
  graph.write(folder);
  expect_shop(read(folder()));
}

TEST(read_chunked, takes_any_delimiter) {
  for (const std::string delimiter : {",", "\\t", ";", "|", "x"}) {
    const temporary_folder folder;
    shop graph;
    graph.buys = R"({"format": {"name": "csv", "delimiter": ")" + delimiter +
                 R"("}, "data": ["a.csv"]})";
    graph.write(folder);
    const std::string d = delimiter == "\\t" ? "\t" : delimiter;
    folder.write("a.csv", "0" + d + "1\n2" + d + "0\n1" + d + "1\n0" + d + "1\n");
    expect_shop(read(folder()));
  }
}

TEST(read_chunked, takes_absolute_paths_and_names_with_colons) {
  const temporary_folder folder, other;
  shop graph;
  graph.buys = R"({"format": {"name": "csv", "delimiter": " "}, "data": [")" +
               other("user:buys:item0.txt") + "\"]}";
  graph.write(folder);
  other.write("user:buys:item0.txt", "0 1\n2 0\n1 1\n0 1\n");
  expect_shop(read(folder()));
}

TEST(read_chunked, takes_a_graph_without_edges_and_types_without_files) {
  const temporary_folder folder;
  shop graph;
  graph.more_edges = "";
  graph.graph_name = "";
  graph.node_data = graph.edge_data = "{}";
  graph.write(folder);
  const auto data = read(folder());
  expect_shop(data);
  EXPECT_EQ(data.name, std::filesystem::path(folder()).filename().string());
  folder.write(
      "metadata.json",
      R"({"node_type": ["user"], "edge_type": [], "num_nodes_per_type": [0], "edges": {}})");
  EXPECT_EQ(read(folder()).num_nodes(), 0u);
}

TEST(read_chunked, says_what_is_wrong_where) {
  struct fault {
    std::function<void(shop&, const temporary_folder&)> make;
    hg::error_kind code;
    const char* file;
    std::optional<std::uint64_t> line;
    const char* words;
  };
  const auto with_file = [](const char* name, std::string content) {
    return [=](shop&, const temporary_folder& folder) { folder.write(name, content); };
  };
  const auto with = [](std::string shop::* key, std::string text) {
    return [=](shop& graph, const temporary_folder& folder) {
      graph.*key = text;
      folder.write("metadata.json", graph.metadata());
    };
  };
  const std::string files = R"("}, "data": ["by.npy"]}})";
  const fault faults[] = {
      {with_file("edges/buys0.txt", "0 1\n2 0\n1 2\n"), hg::error_kind::out_of_range,
       "edges/buys0.txt", 3, "from 0 to 1"},
      {with_file("edges/buys0.txt", "0 1\n2 0\n"), hg::error_kind::mismatch, "edges/buys1.txt", 2,
       "1 edges"},
      {with_file("edges/buys0.txt", "0 1\n0 1\n0 1\n\n0 1\n0 1\n"), hg::error_kind::mismatch,
       "edges/buys0.txt", 6, "4"},
      {with_file("edges/buys1.txt", "0 1\n1 1\n"), hg::error_kind::mismatch, "edges/buys1.txt", 2,
       "4 announced"},
      {with_file("edges/buys1.txt", "src dst\n"), hg::error_kind::malformed, "edges/buys1.txt", 1,
       "src"},
      {with_file("by.npy", npy<std::int32_t>("<i4", "(2, 2)", {1, 3, 0, 0})),
       hg::error_kind::out_of_range,
       "by.npy",
       {},
       "row 0"},
      {with_file("by.npy", npy<std::int64_t>("<i8", "(2, 2)", {1, 0, -1, 0})),
       hg::error_kind::out_of_range,
       "by.npy",
       {},
       "row 1"},
      {with_file("by.npy", npy<std::int32_t>("<i4", "(1, 2)", {1, 0})),
       hg::error_kind::mismatch,
       "by.npy",
       {},
       "1 edges"},
      {with_file("by.npy", npy<float>("<f4", "(2, 2)", {1, 0, 0, 0})),
       hg::error_kind::malformed,
       "by.npy",
       {},
       "(n, 2) integers"},
      {with_file("by.npy", npy<std::int32_t>("<i4", "(4,)", {1, 0, 0, 0})),
       hg::error_kind::malformed,
       "by.npy",
       {},
       "(n, 2) integers"},
      {with_file("age1.npy", npy<std::int16_t>("<i2", "(2,)", {1, 2})),
       hg::error_kind::mismatch,
       "age1.npy",
       {},
       "3 rows in all"},
      {with_file("age0.npy", npy<std::int16_t>("<i2", "(1,)", {1})),
       hg::error_kind::mismatch,
       "age1.npy",
       {},
       "2 rows"},
      {with_file("age1.npy", npy<std::int32_t>("<i4", "(1,)", {1})),
       hg::error_kind::mismatch,
       "age1.npy",
       {},
       "int32"},
      {with_file("age1.npy", npy<std::int16_t>("<i2", "(1, 1)", {1})),
       hg::error_kind::mismatch,
       "age1.npy",
       {},
       "(1, 1)"},
      {with_file("age1.npy", npy<std::int16_t>("<i2", "()", {1})),
       hg::error_kind::malformed,
       "age1.npy",
       {},
       "dimension"},
      {with_file("metadata.json", "{\"graph_name\": }"),
       hg::error_kind::malformed,
       "metadata.json",
       {},
       "JSON"},
      {with_file("metadata.json", "[]"), hg::error_kind::malformed, "metadata.json", {}, "object"},
      {with(&shop::graph_name, "\"graph_name\": 3,"),
       hg::error_kind::malformed,
       "metadata.json",
       {},
       "graph_name"},
      {with(&shop::node_type, R"(["user", "void", "../item"])"),
       hg::error_kind::invalid_argument,
       "metadata.json",
       {},
       "../item"},
      {with(&shop::node_type, R"(["user", "void", "item", "item"])"),
       hg::error_kind::exists,
       "metadata.json",
       {},
       "twice"},
      {with(&shop::edge_type, R"(["user:buys"])"),
       hg::error_kind::malformed,
       "metadata.json",
       {},
       "source:relation:target"},
      {with(&shop::edge_type, R"(["user:buys:thing"])"),
       hg::error_kind::not_found,
       "metadata.json",
       {},
       "thing"},
      {with(&shop::edge_type, R"(["user:buys:item", "item:by:user"])"),
       hg::error_kind::mismatch,
       "metadata.json",
       {},
       "num_edges_per_type"},
      {with(&shop::node_counts, R"("num_nodes_per_type": [3, 0],)"),
       hg::error_kind::mismatch,
       "metadata.json",
       {},
       "num_nodes_per_type"},
      {with(&shop::node_counts, R"("num_nodes_per_type": [3, 0, -2],)"),
       hg::error_kind::malformed,
       "metadata.json",
       {},
       "num_nodes_per_type"},
      {with(&shop::node_counts, R"("num_nodes_per_type": [18446744073709551615, 0, 2],)"),
       hg::error_kind::out_of_range,
       "metadata.json",
       {},
       "more than 9223372036854775807 nodes"},
      {with(&shop::node_counts, ""),
       hg::error_kind::not_found,
       "metadata.json",
       {},
       "num_nodes_per_chunk"},
      {with(&shop::edge_counts, R"("num_edges_per_chunk": [[2, 2], [2], []],)"),
       hg::error_kind::mismatch, "edges/buys0.txt", 4, "num_edges_per_chunk"},
      {with(&shop::more_edges, R"(, "user:likes:item": {})"),
       hg::error_kind::not_found,
       "metadata.json",
       {},
       "user:likes:item"},
      {with(&shop::by, R"({"format": {"name": "parquet"}, "data": ["by.parquet"]})"),
       hg::error_kind::unsupported,
       "by.parquet",
       {},
       "Parquet"},
      {with(&shop::by, R"({"format": {"name": "csv", "delimiter": "::"}, "data": []})"),
       hg::error_kind::unsupported,
       "metadata.json",
       {},
       "one character"},
      {with(&shop::by, R"({"format": {"name": "csv", "delimiter": "7"}, "data": ["by.npy"]})"),
       hg::error_kind::invalid_argument,
       "metadata.json",
       {},
       "delimiter"},
      {with(&shop::by, R"({"format": {"name": "csv"}, "data": []})"),
       hg::error_kind::mismatch,
       "metadata.json",
       {},
       "0 edges"},
      {with(&shop::by, R"({"format": {"name": "csv"}, "data": ["gone.txt"]})"),
       hg::error_kind::not_found,
       "gone.txt",
       {},
       ""},
      {with(&shop::by, R"({"format": {"name": "csv"}})"),
       hg::error_kind::not_found,
       "metadata.json",
       {},
       "data"},
      {with(&shop::by, R"({"format": "csv", "data": []})"),
       hg::error_kind::malformed,
       "metadata.json",
       {},
       "format"},
      {with(&shop::by, "7"), hg::error_kind::malformed, "metadata.json", {}, "object"},
      {with(&shop::node_data, R"({"thing": {}})"),
       hg::error_kind::not_found,
       "metadata.json",
       {},
       "thing"},
      {with(&shop::edge_data, R"({"thing": {}})"),
       hg::error_kind::not_found,
       "metadata.json",
       {},
       "thing"},
      {with(&shop::node_data, R"({"user": {"../x": {"format": {"name": "numpy)" + files + "}"),
       hg::error_kind::invalid_argument,
       "metadata.json",
       {},
       "../x"},
      {with(&shop::node_data, R"({"user": {"_ID": {"format": {"name": "numpy)" + files + "}"),
       hg::error_kind::invalid_argument,
       "metadata.json",
       {},
       "reserved"},
      {with(&shop::node_data,
            R"({"user": {"inner_node": {"format": {"name": "numpy)" + files + "}"),
       hg::error_kind::invalid_argument,
       "metadata.json",
       {},
       "reserved"},
      {with(&shop::edge_data, R"({"by": {"inner_edge": {"format": {"name": "numpy)" + files + "}"),
       hg::error_kind::invalid_argument,
       "metadata.json",
       {},
       "reserved"},
      {with(&shop::node_data, R"({"user": {"x": {"format": {"name": "hdf5)" + files + "}"),
       hg::error_kind::unsupported,
       "metadata.json",
       {},
       "numpy"},
      {with(&shop::node_data, R"({"user": {"x": {"format": {"name": "parquet)" + files + "}"),
       hg::error_kind::unsupported,
       "by.npy",
       {},
       "Parquet"},
      {with(&shop::node_data, R"({"user": {"x": {"format": {"name": "numpy"}, "data": []}}})"),
       hg::error_kind::malformed,
       "metadata.json",
       {},
       "empty"}};
  int number = 0;
  for (const auto& f : faults) {
    const temporary_folder folder;
    shop graph;
    graph.write(folder);
    f.make(graph, folder);
    try {
      static_cast<void>(read(folder()));
      ADD_FAILURE() << "fault " << number << " was taken";
    } catch (const hg::error& problem) {
      EXPECT_EQ(problem.code(), f.code) << number << ": " << problem.what();
      EXPECT_EQ(problem.where().file, *f.file ? folder(f.file) : "") << problem.what();
      EXPECT_EQ(problem.where().line, f.line) << number << ": " << problem.what();
      EXPECT_NE(problem.message().find(f.words), std::string::npos)
          << number << ": " << problem.what();
    }
    ++number;
  }
}

TEST(read_chunked, allows_names_that_dgl_would_export) {
  const temporary_folder folder;
  shop graph;
  graph.node_data = R"({"user": {"inner_edge": {"format": {"name": "numpy"}, "data": ["age.npy"]},
                                 "part_id": {"format": {"name": "numpy"}, "data": ["age.npy"]}}})";
  graph.write(folder);
  folder.write("age.npy", npy<std::int64_t>("<i8", "(3,)", {1, 2, 3}));
  EXPECT_EQ(read(folder()).features.nodes.size(), 2u);
}

TEST(read_chunked, says_overflow_before_it_reads_edges) {
  const temporary_folder folder;
  shop graph;
  graph.node_counts = R"("num_nodes_per_type": [300, 0, 2],)";
  graph.write(folder);
  std::filesystem::remove_all(folder("edges"));
  try {
    static_cast<void>(hg::read_chunked<std::uint8_t, std::uint8_t>(folder(), {}, hg::read_files{},
                                                                   hg::nlohmann_codec{}));
    FAIL();
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.code(), hg::error_kind::overflow);
  }
}

}  // namespace
