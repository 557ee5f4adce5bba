// SPDX-License-Identifier: BSL-1.0
#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/io/chunked/read.hpp>
#include <halograph/io/chunked/write.hpp>
#include <halograph/testing/archetypes.hpp>

#include <gtest/gtest.h>
#include <support/npy.hpp>
#include <support/temporary_folder.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace hg = halograph;
using hg::testing::content_of;
using hg::testing::temporary_folder;

namespace {

hg::dataset<std::uint16_t, std::uint32_t> papers() {
  hg::dataset<std::uint16_t, std::uint32_t> data;
  data.name = "papers";
  data.schema.add_node_type("author");
  data.schema.add_node_type("nobody");
  data.schema.add_node_type("paper");
  data.schema.add_edge_type({"author", "writes", "paper"});
  data.schema.add_edge_type({"nobody", "reads", "paper"});
  data.node_counts = {2, 0, 5};
  data.edges = {{{0, 1, 1, 0}, {0, 0, 2, 4}}, {}};
  data.features.nodes.push_back(
      {2, "x",
       hg::chunked_tensor(std::vector<hg::tensor>{
           hg::tensor::from(std::vector<float>{0, 1, 10, 11}, {2, 2}),
           hg::tensor::from(std::vector<float>{20, 21, 30, 31, 40, 41}, {3, 2})})});
  data.features.nodes.push_back(
      {0, "mask", hg::tensor::from(std::vector<std::uint8_t>{1, 0}, {2}, hg::dtype::boolean)});
  data.features.nodes.push_back({1, "y", hg::tensor::from(std::vector<double>{}, {0, 3})});
  data.features.nodes.push_back({2, "hollow", hg::tensor::from(std::vector<double>{}, {5, 0})});
  data.features.edges.push_back({0, "w", hg::tensor::from(std::vector<std::int64_t>{5, 6, 7, 8})});
  data.finish();
  return data;
}

template <class Store>
std::vector<std::byte> all_rows(const Store& rows) {
  std::vector<std::uint64_t> ids(rows.rows());
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = i;
  std::vector<std::byte> out(ids.size() * rows.row_bytes());
  EXPECT_EQ(rows.gather(std::span<const std::uint64_t>(ids), std::span(out)), hg::status::ok);
  return out;
}

TEST(write_chunked, writes_what_is_read_back) {
  const auto data = papers();
  for (const std::uint64_t chunks : {1u, 2u, 3u, 7u}) {
    for (const auto format : {hg::edge_file_format::csv, hg::edge_file_format::numpy}) {
      const temporary_folder folder;
      hg::write_chunked(data, folder("deep/er"), {.chunks = chunks, .edges = format});
      const auto back = hg::read_chunked<std::uint16_t, std::uint32_t>(
          folder("deep/er"), {}, hg::read_files{}, hg::nlohmann_codec{});
      EXPECT_EQ(back.name, "papers");
      EXPECT_EQ(back.schema, data.schema);
      EXPECT_EQ(back.node_counts, data.node_counts);
      for (std::size_t r = 0; r < 2; ++r) {
        EXPECT_EQ(back.edges[r].source, data.edges[r].source);
        EXPECT_EQ(back.edges[r].target, data.edges[r].target);
      }
      ASSERT_EQ(back.features.nodes.size(), data.features.nodes.size());
      for (const auto& feature : data.features.nodes) {
        const auto* found = back.node_feature(feature.type, feature.name);
        ASSERT_NE(found, nullptr);
        EXPECT_EQ(found->rows.type(), feature.rows.type());
        EXPECT_TRUE(std::ranges::equal(found->rows.row_shape(), feature.rows.row_shape()));
        EXPECT_EQ(all_rows(found->rows), all_rows(feature.rows)) << feature.name;
      }
      ASSERT_NE(back.edge_feature(0, "w"), nullptr);
      EXPECT_EQ(all_rows(back.edge_feature(0, "w")->rows), all_rows(data.features.edges[0].rows));
    }
  }
}

TEST(write_chunked, names_files_and_keys_as_dgl_does) {
  const temporary_folder folder;
  hg::write_chunked(papers(), folder(), {.chunks = 3});
  EXPECT_EQ(content_of(folder("edge_index/author:writes:paper0.txt")), "0 0\n1 0\n");
  EXPECT_EQ(content_of(folder("edge_index/author:writes:paper1.txt")), "1 2\n");
  EXPECT_EQ(content_of(folder("edge_index/author:writes:paper2.txt")), "0 4\n");
  EXPECT_TRUE(std::filesystem::exists(folder("edge_index/nobody:reads:paper2.txt")));
  EXPECT_TRUE(std::filesystem::exists(folder("node_data/paper/x-2.npy")));
  EXPECT_EQ(content_of(folder("edge_data/author:writes:paper/w-0.npy")),
            hg::testing::npy<std::int64_t>("<i8", "(2,)", {5, 6}));
  hg::json::value metadata;
  ASSERT_EQ(hg::nlohmann_codec{}.parse(content_of(folder("metadata.json")), metadata),
            hg::status::ok);
  std::vector<std::string> keys;
  for (const auto& [key, value] : *metadata.if_object()) keys.push_back(key);
  EXPECT_EQ(keys,
            (std::vector<std::string>{"edge_data", "edge_type", "edges", "graph_name", "node_data",
                                      "node_type", "num_edges_per_chunk", "num_edges_per_type",
                                      "num_nodes_per_chunk", "num_nodes_per_type"}));
  EXPECT_EQ(hg::json::print(*metadata.find("num_nodes_per_chunk"), 0),
            "[[1, 1, 0], [0, 0, 0], [2, 2, 1]]");
  EXPECT_EQ(hg::json::print(*metadata.find("num_edges_per_type"), 0), "[4, 0]");
  EXPECT_EQ(
      hg::json::print(*metadata.find("edges")->find("author:writes:paper")->find("format"), 0),
      R"({"name": "csv", "delimiter": " "})");
}

TEST(write_chunked, types_whose_names_go_on_with_a_digit_have_files_of_their_own) {
  hg::dataset<std::uint16_t, std::uint32_t> data;
  data.name = "g";
  for (const auto* const name : {"a", "b", "b1", "b10"}) data.schema.add_node_type(name);
  for (const auto* const name : {"b", "b1", "b10"}) data.schema.add_edge_type({"a", "r", name});
  data.node_counts = {5, 200, 5, 5};
  data.edges = {{std::vector<std::uint16_t>(200, 0), std::vector<std::uint16_t>(200)},
                {{1, 2, 3}, {4, 0, 2}},
                {{4}, {0}}};
  for (std::uint16_t i = 0; i < 200; ++i) data.edges[0].target[i] = i;
  data.finish();
  for (const std::uint64_t chunks : {10u, 11u, 101u}) {
    const temporary_folder folder;
    hg::write_chunked(data, folder(), {.chunks = 1, .chunks_of = {{"edges/a:r:b", chunks}}});
    EXPECT_EQ(std::filesystem::exists(folder("edge_index/a:r:b10.txt")),
              chunks == 10);  // DGL's names, as long as they differ
    const auto back = hg::read_chunked<std::uint16_t, std::uint32_t>(folder(), {}, hg::read_files{},
                                                                     hg::nlohmann_codec{});
    for (std::size_t r = 0; r < 3; ++r) {
      EXPECT_EQ(back.edges[r].source, data.edges[r].source) << chunks;
      EXPECT_EQ(back.edges[r].target, data.edges[r].target) << chunks;
    }
  }
}

TEST(write_chunked, writes_tables_that_are_read_back) {
  const auto data = [] {
    auto all = papers();
    all.features.nodes.erase(all.features.nodes.begin() + 3);  // rows without elements
    return all;
  }();
  for (const bool vector : {false, true}) {
    hg::archetype::tables::all_tables files;
    const hg::any_table_writer tables{hg::archetype::tables(files)};
    const hg::any_table_reader reader{hg::archetype::tables(files)};
    const temporary_folder folder;
    hg::write_chunked(data, folder(),
                      {.chunks = 2,
                       .edges = hg::edge_file_format::parquet,
                       .features = hg::chunk_format::parquet,
                       .vector_rows = vector},
                      tables);
    const auto& edges = files.at(folder("edge_index/author:writes:paper1.parquet"));
    EXPECT_EQ(edges.info.columns.size(), 2u);
    EXPECT_EQ(edges.info.shape, std::nullopt);
    const auto& x = files.at(folder("node_data/paper/x-0.parquet"));
    EXPECT_EQ(x.info.columns.size(), vector ? 1u : 2u);
    EXPECT_EQ(x.info.columns[0].name, vector ? "vector" : "0");
    EXPECT_EQ(x.info.shape, vector ? std::nullopt : std::optional<std::string>("(3, 2)"));
    EXPECT_EQ(files.at(folder("node_data/author/mask-1.parquet")).info.shape, "(1,)");
    const auto back = hg::read_chunked<std::uint16_t, std::uint32_t>(
        folder(), {}, hg::read_files{}, hg::nlohmann_codec{}, hg::sequential{}, reader);
    EXPECT_EQ(back.edges[0].source, data.edges[0].source);
    EXPECT_EQ(back.edges[0].target, data.edges[0].target);
    for (const auto& feature : data.features.nodes) {
      const auto* found = back.node_feature(feature.type, feature.name);
      ASSERT_NE(found, nullptr);
      EXPECT_EQ(found->rows.type(), feature.rows.type());
      EXPECT_TRUE(std::ranges::equal(found->rows.row_shape(), feature.rows.row_shape()))
          << feature.name;
      EXPECT_EQ(all_rows(found->rows), all_rows(feature.rows)) << feature.name;
    }
    EXPECT_EQ(all_rows(back.edge_feature(0, "w")->rows), all_rows(data.features.edges[0].rows));
  }
}

TEST(write_chunked, writes_any_delimiter_and_absolute_paths) {
  const temporary_folder folder;
  for (const char delimiter : {',', '\t', ';', ' '}) {
    hg::write_chunked(papers(), folder(),
                      {.chunks = 2, .delimiter = delimiter, .absolute = folder()});
    EXPECT_EQ(content_of(folder("edge_index/author:writes:paper0.txt")),
              std::string("0") + delimiter + "0\n1" + delimiter + "0\n");
    EXPECT_NE(content_of(folder("metadata.json"))
                  .find("\"" + folder("edge_index/author:writes:paper0.txt") + "\""),
              std::string::npos);
    const temporary_folder elsewhere;
    elsewhere.write("m.json", content_of(folder("metadata.json")));
    const auto back = hg::read_chunked<std::uint16_t, std::uint32_t>(
        elsewhere("m.json"), {}, hg::read_files{}, hg::nlohmann_codec{});
    EXPECT_EQ(back.edges[0].target, papers().edges[0].target);
  }
}

TEST(write_chunked, tells_how_far_it_is) {
  const temporary_folder folder;
  std::uint64_t edges = 0, rows = 0;
  hg::write_chunked(papers(), folder(), {.chunks = 2, .on_progress = [&](const hg::progress& now) {
                                           (now.unit == "edges" ? edges : rows) = now.done;
                                           EXPECT_LE(now.done, now.total);
                                         }});
  EXPECT_EQ(edges, 4u);
  EXPECT_EQ(rows, 5u + 2 + 0 + 5 + 4);
}

TEST(write_chunked, refuses_streams_that_do_not_keep_their_word) {
  const temporary_folder folder;
  hg::streamed_graph graph;
  graph.name = "g";
  graph.schema = hg::graph_schema::homogeneous();
  graph.node_counts = {3};
  graph.edge_counts = {2};
  const std::vector<std::uint64_t> ends{0, 1, 2};
  const auto gives = [&](std::uint64_t at, std::size_t count) {
    graph.read_edges = [&, at, count](hg::type_id, std::uint64_t, std::uint64_t,
                                      const hg::edge_block_visitor& visit) {
      visit(std::span(ends).first(count), std::span(ends).first(count), at);
    };
    for (const auto format : {hg::edge_file_format::csv, hg::edge_file_format::numpy}) {
      try {
        hg::write_chunked(graph, folder(), {.edges = format});
      } catch (const hg::error& problem) {
        return problem.code();
      }
    }
    return hg::error_kind::ok;
  };
  EXPECT_EQ(gives(0, 2), hg::error_kind::ok);
  EXPECT_EQ(gives(0, 1), hg::error_kind::mismatch);
  EXPECT_EQ(gives(0, 3), hg::error_kind::mismatch);
  EXPECT_EQ(gives(1, 2), hg::error_kind::mismatch);
}

TEST(write_chunked, writes_equal_bytes_each_time) {
  const temporary_folder a, b;
  hg::write_chunked(papers(), a(), {.chunks = 2});
  hg::write_chunked(papers(), b(), {.chunks = 2});
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(a())) {
    if (!entry.is_regular_file()) continue;
    ++files;
    EXPECT_EQ(content_of(entry.path().string()),
              content_of(b() + entry.path().string().substr(a().size())));
  }
  EXPECT_EQ(files, 2u * 7 + 1);
}

TEST(write_chunked, refuses_what_could_not_be_read_back) {
  const temporary_folder folder;
  const auto refusal = [&](const hg::dataset<std::uint16_t, std::uint32_t>& data,
                           hg::write_chunked_options options = {}) {
    try {
      hg::write_chunked(data, folder("out"), options);
    } catch (const hg::error& problem) {
      return problem.code();
    }
    return hg::error_kind::ok;
  };
  EXPECT_EQ(refusal(papers(), {.chunks = 0}), hg::error_kind::invalid_argument);
  EXPECT_EQ(refusal(papers(), {.delimiter = '1'}), hg::error_kind::invalid_argument);
  EXPECT_EQ(refusal(papers(), {.features = hg::chunk_format::csv}),
            hg::error_kind::invalid_argument);
  auto name = papers();
  name.features.nodes[0].name = "a/b";
  EXPECT_EQ(refusal(name), hg::error_kind::invalid_argument);
  auto reserved = papers();
  reserved.features.edges[0].name = "inner_edge";
  EXPECT_EQ(refusal(reserved), hg::error_kind::invalid_argument);
  auto rows = papers();
  rows.features.edges[0].type = 1;
  EXPECT_EQ(refusal(rows), hg::error_kind::mismatch);
  EXPECT_FALSE(std::filesystem::exists(folder("out")));
  EXPECT_EQ(refusal(papers(), {.edges = hg::edge_file_format::parquet}),
            hg::error_kind::unsupported);
  EXPECT_EQ(refusal(papers(), {.features = hg::chunk_format::parquet}),
            hg::error_kind::unsupported);
  folder.write("file", "");
  try {
    hg::write_chunked(papers(), folder("file/x"), {});
    FAIL();
  } catch (const hg::error&) {
  }
}

}  // namespace
