// SPDX-License-Identifier: BSL-1.0
#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/adapters/zlib.hpp>
#include <halograph/adapters/zstd.hpp>
#include <halograph/io/formats/plain.hpp>

#include <gtest/gtest.h>
#include <support/gzip.hpp>
#include <support/npy.hpp>
#include <support/temporary_folder.hpp>
#include <support/zstd.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace hg = halograph;
using hg::testing::gzip;
using hg::testing::npy;
using hg::testing::temporary_folder;

namespace {

using ids = std::vector<std::uint64_t>;

hg::dataset<> read(const temporary_folder& folder, const hg::plain_options& options = {}) {
  return hg::read_plain(folder(), options, hg::gz_files<>{}, hg::nlohmann_codec{});
}

hg::error refusal(const temporary_folder& folder, const hg::plain_options& options = {}) {
  try {
    static_cast<void>(read(folder, options));
  } catch (const hg::error& problem) {
    return problem;
  }
  return hg::error(hg::error_kind::ok, "it was taken");
}

hg::tensor feature(const hg::dataset<>& data, hg::type_id type, const char* name) {
  const auto* found = data.node_feature(type, name);
  return found ? found->rows.chunks().at(0) : hg::tensor{};
}

void write_club(const temporary_folder& folder) {
  folder.write(
      "meta.json",
      R"({"name": "club", "directed": false, "weighted": true, "num_nodes": {"_N": 3}, "num_edges": {"_N:_E:_N": 2},
    "features": {"_N": {"dim": 4, "format": ["coo"]}}, "labels": {"_N": 3}, "split": {"_N": {"train": 1}}})");
  folder.write("edges.txt", "0 1 5\n1 2 6\n");
  folder.write("feat/_N.coo.txt.gz", gzip("0 3\n2 0\n2 1\n"));
  folder.write("label/_N.txt", "0\n-1\n2\n");
  folder.write("split/_N.txt.gz", gzip("0\n1\n-1\n"));
}

TEST(read_plain, opens_files_of_both_compressions) {
  const temporary_folder folder;
  write_club(folder);
  std::filesystem::remove(folder("edges.txt"));
  std::filesystem::remove(folder("label/_N.txt"));
  folder.write("edges.txt.zst", hg::testing::zstd("0 2 5\n1 2 6\n"));
  folder.write("label/_N.txt.zst", hg::testing::zstd("0\n-1\n2\n"));
  const auto data = hg::read_plain(folder(), {}, hg::gz_files<hg::zst_files<>>{},
                                   hg::nlohmann_codec{});
  EXPECT_EQ(data.edges[0].target, (ids{2, 2}));
  EXPECT_NE(data.node_feature(0, "label"), nullptr);
}

TEST(read_plain, reads_a_graph_of_one_type) {
  const temporary_folder folder;
  write_club(folder);
  const auto data = read(folder);
  EXPECT_EQ(data.name, "club");
  EXPECT_EQ(data.schema, hg::graph_schema::homogeneous());
  EXPECT_EQ(data.edges[0].source, (ids{0, 1}));
  EXPECT_EQ(data.edge_feature(0, "weight")->rows.chunks()[0],
            hg::tensor::from(std::vector<std::int64_t>{5, 6}));
  EXPECT_EQ(data.edge_weight_feature, "weight");
  EXPECT_EQ(
      feature(data, 0, "feat"),
      hg::tensor::from(std::vector<std::uint8_t>{0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0}, {3, 4}));
  EXPECT_EQ(feature(data, 0, "label"), hg::tensor::from(std::vector<std::int64_t>{0, -1, 2}));
  EXPECT_EQ(feature(data, 0, "split"), hg::tensor::from(std::vector<std::int8_t>{0, 1, -1}));
  EXPECT_EQ(feature(data, 0, "train_mask"), hg::tensor::from(std::vector<std::uint8_t>{1, 0, 0}));
  EXPECT_EQ(feature(data, 0, "val_mask"), hg::tensor::from(std::vector<std::uint8_t>{0, 1, 0}));
  EXPECT_EQ(feature(data, 0, "test_mask"), hg::tensor::from(std::vector<std::uint8_t>{0, 0, 0}));
  EXPECT_EQ(data.notes.size(), 1u);
  EXPECT_TRUE(read(folder, {.features = false}).features.nodes.empty());
}

TEST(read_plain, appends_reverses_where_asked) {
  const temporary_folder folder;
  write_club(folder);
  const auto data = read(folder, {.undirected = true});
  EXPECT_EQ(data.edges[0].source, (ids{0, 1, 1, 2}));
  EXPECT_EQ(data.edges[0].target, (ids{1, 2, 0, 1}));
  EXPECT_EQ(data.edge_feature(0, "weight")->rows.rows(), 4u);
  EXPECT_TRUE(data.notes.empty());
}

TEST(read_plain, reads_a_file_for_each_edge_type_in_the_order_of_meta) {
  const temporary_folder folder;
  folder.write(
      "meta.json",
      R"({"directed": true, "num_nodes": {"b": 2, "a": 1, "none": 0}, "weighted": ["b:w:a"],
    "num_edges": {"b:w:a": 2, "a:r:b": 1, "none:x:a": 0}, "features": {"b": {"dim": 2, "format": ["npy", "coo"]}}})");
  folder.write("edges/b.w.a.txt.gz", gzip("1 0 0.5\n0 0 2\n"));
  folder.write("edges/a.r.b.txt", "0 1\n");
  folder.write("edges/none.x.a.txt", "");
  folder.write("feat/b.npy", npy<float>("<f4", "(2, 2)", {1, 2, 3, 4}));
  const auto data = read(folder);
  EXPECT_EQ(data.schema.node_types(), (std::vector<std::string>{"b", "a", "none"}));
  EXPECT_EQ(data.schema.edge_types()[0].str(), "b:w:a");
  EXPECT_EQ(data.edges[0].source, (ids{1, 0}));
  EXPECT_EQ(data.edges[1].target, (ids{1}));
  EXPECT_EQ(data.edge_feature(0, "weight")->rows.type(), hg::dtype::float64);
  EXPECT_EQ(data.edge_feature(1, "weight"), nullptr);
  EXPECT_EQ(feature(data, 0, "feat").shape(), (hg::tensor_shape{2, 2}));
  EXPECT_EQ(data.graph().validate(), hg::status::ok);
  EXPECT_EQ(refusal(folder, {.undirected = true}).code(), hg::error_kind::invalid_argument);
}

TEST(read_plain, numbers_relations_of_one_name) {
  const temporary_folder folder;
  const auto named = [&](const std::string& lines) {
    const auto count = std::to_string(std::count(lines.begin(), lines.end(), '\n'));
    folder.write("meta.json", R"({"num_nodes": {"_N": 1}, "num_edge_types": )" + count +
                                  R"(, "num_edges": {"train": 1}})");
    folder.write("relations.txt", lines);
    folder.write("triples.train.txt", "0 0 0\n");
    std::vector<std::string> names;
    const auto data = read(folder);
    for (const auto& type : data.schema.edge_types()) names.push_back(type.relation);
    return names;
  };
  EXPECT_EQ(named("/r\n/r\n/r-2\n/r\n/r-2\n/s\n/r-3-2\n/r-3\n/r-3\n"),
            (std::vector<std::string>{"r", "r-2", "r-2-2", "r-3", "r-2-3", "s", "r-3-2", "r-3-3",
                                      "r-3-4"}));
  std::string many;
  for (int i = 0; i < 3000; ++i)
    many += "/r\n";  // 4.5 billion names are compared if each begins at 2
  EXPECT_EQ(named(many).back(), "r-3000");
}

TEST(read_plain, makes_an_edge_type_of_each_relation_of_triples) {
  const temporary_folder folder;
  folder.write(
      "meta.json",
      R"({"name": "kb", "directed": true, "num_nodes": {"_N": 4}, "num_edge_types": 4, "num_edges": {"train": 4, "test": 1}})");
  folder.write("relations.txt", "/film/genre\n/a:b/c\r\na.b/c\n/\n");
  folder.write("triples.train.txt.gz", gzip("0 1 2\n1 2 0\n3 3 2\n2 1 1\n"));
  folder.write("triples.test.txt", "3 0 3\n");
  const auto data = read(folder);
  std::vector<std::string> names;
  for (const auto& type : data.schema.edge_types()) names.push_back(type.str());
  EXPECT_EQ(names, (std::vector<std::string>{"_N:film.genre:_N", "_N:a.b.c:_N", "_N:a.b.c-2:_N",
                                             "_N:relation:_N"}));
  EXPECT_EQ(data.edges[0].source, (ids{1}));
  EXPECT_EQ(data.edges[1].source, (ids{2}));
  EXPECT_EQ(data.edges[2].source, (ids{0, 3}));
  EXPECT_EQ(data.edges[2].target, (ids{1, 3}));
  EXPECT_TRUE(data.edges[3].source.empty());
  EXPECT_TRUE(data.features.edges.empty());
  EXPECT_EQ(read(folder, {.triples = "test"}).num_edges(), 1u);
  EXPECT_EQ(refusal(folder, {.triples = "valid"}).code(), hg::error_kind::not_found);
  folder.write("triples.test.txt", "3 0 4\n");
  EXPECT_EQ(refusal(folder, {.triples = "test"}).where().line, 1u);
  folder.write("relations.txt", "one\n");
  EXPECT_EQ(refusal(folder).code(), hg::error_kind::mismatch);
}

TEST(read_plain, reads_the_metis_graph_that_meta_speaks_of) {
  const temporary_folder folder;
  folder.write(
      "meta.json",
      R"({"name": "mesh", "directed": false, "format": "METIS", "num_nodes": {"_N": 3}, "num_edges": {"_N:_E:_N": 2}})");
  folder.write("any.graph", "3 2\n2\n1 3\n2\n");
  folder.write("other.mgraph", "nonsense");
  const auto data = read(folder);
  EXPECT_EQ(data.name, "mesh");
  EXPECT_EQ(data.num_edges(), 4u);
  EXPECT_TRUE(data.notes.empty());
  folder.write("any.graph", "2 1\n2\n1\n");
  EXPECT_EQ(refusal(folder).code(), hg::error_kind::mismatch);
  folder.write("second.graph", "");
  EXPECT_EQ(refusal(folder).code(), hg::error_kind::not_found);
}

TEST(read_plain, says_what_is_wrong_where) {
  struct {
    const char* file;
    std::string content;
    hg::error_kind code;
    const char* at;
    std::optional<std::uint64_t> line;
  } cases[] = {
      {"edges.txt", "0 1 5\n", hg::error_kind::mismatch, "edges.txt", 2},
      {"edges.txt", "0 1 5\n1 2 6\n0 0 7\n", hg::error_kind::mismatch, "edges.txt", 3},
      {"edges.txt", "0 1 5\n1 3 6\n", hg::error_kind::out_of_range, "edges.txt", 2},
      {"edges.txt", "0 1\n1 2\n", hg::error_kind::malformed, "edges.txt", 1},
      {"label/_N.txt", "0\n3\n1\n", hg::error_kind::out_of_range, "label/_N.txt", 2},
      {"label/_N.txt", "0\n", hg::error_kind::mismatch, "label/_N.txt", 2},
      {"split/_N.txt.gz", gzip("0\n3\n-1\n"), hg::error_kind::out_of_range, "split/_N.txt.gz", 2},
      {"feat/_N.coo.txt.gz", gzip("0 4\n"), hg::error_kind::out_of_range, "feat/_N.coo.txt.gz", 1},
      {"meta.json", "{}", hg::error_kind::not_found, "meta.json", {}},
      {"meta.json",
       R"({"num_nodes": {"../x": 3}, "num_edges": {}})",
       hg::error_kind::invalid_argument,
       "meta.json",
       {}},
      {"meta.json",
       R"({"num_nodes": {"x": 3}, "num_edges": {"x:y:z": 1}})",
       hg::error_kind::not_found,
       "meta.json",
       {}},
      {"meta.json",
       R"({"num_nodes": {"x": 3}, "num_edges": {"x:y": 1}})",
       hg::error_kind::malformed,
       "meta.json",
       {}},
      {"meta.json",
       R"({"num_nodes": {"x": 3}, "num_edges": {"x:../../y:x": 1}})",
       hg::error_kind::invalid_argument,
       "meta.json",
       {}},
      {"meta.json",
       R"({"num_nodes": {"x": -3}, "num_edges": {}})",
       hg::error_kind::malformed,
       "meta.json",
       {}},
      {"meta.json",
       R"({"directed": 1, "num_nodes": {"x": 3}, "num_edges": {}})",
       hg::error_kind::malformed,
       "meta.json",
       {}},
      {"meta.json",
       R"({"format": "other", "num_nodes": {"x": 3}, "num_edges": {}})",
       hg::error_kind::unsupported,
       "meta.json",
       {}},
      {"meta.json",
       R"({"num_nodes": {"_N": 3}, "num_edges": {"_N:_E:_N": 2}, "labels": {"x": 1}})",
       hg::error_kind::not_found,
       "meta.json",
       {}},
      {"meta.json",
       R"({"num_nodes": {"_N": 3}, "num_edges": {"_N:_E:_N": 2}, "features": {"_N": {"format": ["xml"]}}})",
       hg::error_kind::unsupported,
       "meta.json",
       {}},
      {"meta.json",
       R"({"num_nodes": {"_N": 3}, "num_edges": {"_N:_E:_N": 2}, "features": {"_N": {"format": ["coo"], "dim": 18446744073709551615}}})",
       hg::error_kind::memory,
       "meta.json",
       {}}};
  for (const auto& c : cases) {
    const temporary_folder folder;
    write_club(folder);
    folder.write(c.file, c.content);
    const auto problem = refusal(folder);
    EXPECT_EQ(problem.code(), c.code) << c.content << ": " << problem.what();
    EXPECT_EQ(problem.where().file, folder(c.at)) << problem.what();
    EXPECT_EQ(problem.where().line, c.line) << problem.what();
  }
  const temporary_folder folder;
  write_club(folder);
  std::filesystem::remove(folder("edges.txt"));
  EXPECT_NE(std::string(refusal(folder).what()).find("neither edges.txt nor edges.txt.gz"),
            std::string::npos);
  EXPECT_EQ(refusal(folder, {.most_dense_bytes = 11}).code(), hg::error_kind::not_found);
  folder.write("edges.txt", "0 1 5\n1 2 6\n");
  EXPECT_EQ(refusal(folder, {.most_dense_bytes = 11}).code(), hg::error_kind::memory);
  EXPECT_EQ(refusal(folder, {.most_dense_bytes = 12}).code(), hg::error_kind::ok);
}

}  // namespace
