// SPDX-License-Identifier: BSL-1.0
#include "support/collect_stream.hpp"
#include "support/open_chunks.hpp"
#include "support/small_folder.hpp"
#include "support/temporary_folder.hpp"

#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/io/add_edges.hpp>
#include <halograph/io/chunked/chunk.hpp>
#include <halograph/io/chunked/read.hpp>
#include <halograph/io/normalize.hpp>
#include <halograph/serial/files/manifest.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace hg = halograph;
using hg::chunk_format;
using hg::testing::content_of;
using hg::testing::expect_same_graph;
using hg::testing::small_dataset;
using hg::testing::temporary_folder;

hg::dataset<> read(const std::string& folder) {
  return hg::read_chunked(folder, {}, hg::read_files{}, hg::nlohmann_codec{});
}
hg::streamed_graph open(const std::string& folder) {
  return hg::stream_graph(hg::testing::open_chunks(folder));
}

/// Files of a folder and their contents.
std::map<std::string, std::string> contents(const std::string& folder) {
  std::map<std::string, std::string> out;
  for (const auto& one : std::filesystem::recursive_directory_iterator(folder)) {
    if (one.is_regular_file())
      out[one.path().lexically_relative(folder).string()] = content_of(one.path().string());
  }
  return out;
}

/// Tables of another library, as far as writing goes: rows of text.
struct text_tables {
  template <class Source>
  void write(const std::string& path, std::span<const hg::table_column> columns,
             const std::optional<std::string>& shape, std::uint64_t rows, Source&& source) const {
    std::string text = shape.value_or("no shape") + "\n";
    for (const auto& column : columns)
      text += column.name + ":" + std::string(hg::name(column.type)) + " ";
    constexpr std::uint64_t run = 7;
    for (std::uint64_t first = 0; first < rows; first += run) {
      const std::uint64_t count = std::min(run, rows - first);
      std::vector<std::vector<std::byte>> memory;
      std::vector<std::span<std::byte>> spans;
      for (const auto& column : columns) memory.emplace_back(count * hg::item_bytes(column.type));
      for (auto& one : memory) spans.emplace_back(one);
      source(first, count, std::span<const std::span<std::byte>>(spans));
      for (std::uint64_t i = 0; i < count; ++i) {
        text += '\n';
        for (std::size_t c = 0; c < columns.size(); ++c) {
          const hg::tensor values(columns[c].type, {count}, memory[c]);
          if (hg::is_integer(columns[c].type))
            text += std::to_string(values.integer(i)) + ' ';
          else
            text += std::to_string(values.values<float>()[i]) + ' ';
        }
      }
    }
    auto out = hg::file_writer::create(path);
    out.write(hg::testing::bytes_of(text));
    out.close();
  }
};
static_assert(hg::table_writer<text_tables>);

TEST(chunk_graph, what_is_read_back_is_the_graph) {
  for (const bool typed : {false, true}) {
    const auto data = small_dataset(1, typed);
    for (const auto edges : {chunk_format::csv, chunk_format::numpy}) {
      for (const std::uint64_t chunks : {1u, 3u, 61u}) {
        if (chunks == 61 && (typed || edges == chunk_format::numpy)) continue;
        const temporary_folder place;
        const auto made = hg::chunk_graph(data, place("g"), {.chunks = chunks, .edges = edges});
        expect_same_graph(open(place("g")), data);
        const auto back = read(place("g"));
        EXPECT_EQ(back.name, "small");
        EXPECT_EQ(back.schema, data.schema);
        std::uint64_t bytes = 0;
        for (const auto& file : made.files) bytes += content_of(place("g/" + file)).size();
        EXPECT_EQ(made.bytes, bytes);
        EXPECT_EQ(made.files.size() + 1, contents(place("g")).size()) << "and the manifest";
        EXPECT_EQ(made.notes.size(),
                  (chunks == 61 ? 1u : 0u) + (edges == chunk_format::numpy ? 1u : 0u));
      }
    }
  }
}

TEST(chunk_graph, writes_the_bytes_that_write_chunked_writes) {
  const auto data = small_dataset(2, true);
  const temporary_folder place;
  hg::write_chunked(data, place("a"), {.chunks = 4});
  hg::chunk_graph(data, place("b"), {.chunks = 4});
  auto made = contents(place("b"));
  EXPECT_EQ(made.erase(".halograph-manifest"), 1u);
  EXPECT_EQ(made, contents(place("a")));
}

TEST(chunk_graph, lists_the_digest_of_every_file) {
  const auto data = small_dataset(2, true);
  for (const auto format : {chunk_format::csv, chunk_format::numpy, chunk_format::parquet}) {
    const temporary_folder place;
    const bool text = format == chunk_format::csv;
    const auto made = hg::chunk_graph(
        data, place("g"),
        {.chunks = 3, .edges = format, .features = text ? chunk_format::numpy : format},
        text_tables{});
    const auto listed = hg::read_manifest(place("g"))->files;
    EXPECT_EQ(listed.size(), made.files.size());
    for (const auto& file : listed)
      EXPECT_EQ(file, hg::digest_file(place("g/" + file.path), file.path)) << file.path;
  }
}

TEST(chunk_graph, chunking_anew_gives_what_the_graph_itself_gives) {
  const auto data = small_dataset(3, true);
  const temporary_folder place;
  hg::chunk_graph(data, place("direct"), {.chunks = 3, .edges = chunk_format::numpy});
  hg::chunk_graph(data, place("other"), {.chunks = 7, .delimiter = '\t'});
  hg::chunk_graph(open(place("other")), place("anew"), {.chunks = 3, .edges = chunk_format::numpy});
  EXPECT_EQ(contents(place("anew")), contents(place("direct")));
}

TEST(chunk_graph, any_storage_with_any_features_is_chunked) {
  const std::vector<std::vector<std::uint16_t>> lists{{1}, {2, 0}, {0}};
  hg::feature_set features;
  features.nodes.push_back({0, "x", hg::tensor::from(std::vector<float>{1, 2, 3})});
  const temporary_folder place;
  hg::chunk_graph(lists, features, place("g"), {.name = "lists"});
  const auto back = read(place("g"));
  EXPECT_EQ(back.name, "lists");
  EXPECT_EQ(back.node_counts, std::vector<std::uint64_t>{3});
  EXPECT_EQ(back.edges[0].source.size(), 4u);
  EXPECT_EQ(back.features.nodes.at(0).rows.rows(), 3u);
}

TEST(chunk_graph, paths_are_relative_or_absolute) {
  const temporary_folder place;
  hg::chunk_graph(small_dataset(4, false), place("g"), {.absolute_paths = true});
  EXPECT_NE(
      content_of(place("g/metadata.json")).find("\"" + place("g/edge_index/_N:_E:_N0.txt") + "\""),
      std::string::npos);
  expect_same_graph(open(place("g")), small_dataset(4, false));
  hg::chunk_graph(small_dataset(4, false), place("g"));
  EXPECT_NE(content_of(place("g/metadata.json")).find("\"edge_index/_N:_E:_N0.txt\""),
            std::string::npos);
}

TEST(chunk_graph, edges_may_be_separated_by_any_character) {
  const temporary_folder place;
  const auto made = hg::chunk_graph(small_dataset(5, false), place("g"), {.delimiter = ','});
  const auto text = content_of(place("g/edge_index/_N:_E:_N0.txt"));
  EXPECT_NE(text.find(','), std::string::npos);
  EXPECT_EQ(text.find(' '), std::string::npos);
  expect_same_graph(open(place("g")), small_dataset(5, false));
  ASSERT_EQ(made.notes.size(), 1u);
  EXPECT_THROW(hg::chunk_graph(small_dataset(5, false), place("h"), {.delimiter = '7'}), hg::error);
}

TEST(chunk_graph, tables_get_columns_of_numbers_and_their_shape) {
  auto data = small_dataset(6, false, 9, 10);
  const temporary_folder place;
  hg::chunk_graph(data, place("g"),
                  {.chunks = 2, .edges = chunk_format::parquet, .features = chunk_format::parquet},
                  text_tables{});
  std::string edges = "no shape\nsrc:int64 dst:int64 ", rows = "(5, 2)\n0:float32 1:float32 ",
              weights = "(5,)\n0:int64 ";
  for (std::size_t e = 0; e < 5; ++e) {
    edges += "\n" + std::to_string(data.edges[0].source[e]) + " " +
             std::to_string(data.edges[0].target[e]) + " ";
    rows += "\n" + std::to_string(static_cast<float>(2 * e)) + " " +
            std::to_string(static_cast<float>(2 * e + 1)) + " ";
    weights += "\n" + std::to_string(10 * e) + " ";
  }
  EXPECT_EQ(content_of(place("g/edge_index/_N:_E:_N0.parquet")), edges);
  EXPECT_EQ(content_of(place("g/node_data/_N/x-0.parquet")), rows);
  EXPECT_EQ(content_of(place("g/edge_data/_N:_E:_N/w-0.parquet")), weights);
  EXPECT_NE(content_of(place("g/metadata.json")).find("\"name\": \"parquet\""), std::string::npos);
  try {
    hg::chunk_graph(data, place("none"), {.edges = chunk_format::parquet});
    FAIL() << "wrote Parquet without a library";
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.code(), hg::error_kind::unsupported);
  }
  EXPECT_FALSE(std::filesystem::exists(place("none")));
}

TEST(chunk_graph, steps_on_the_way_may_follow_each_other) {
  const temporary_folder place;
  auto g = hg::stream_dataset(small_dataset(7, true));
  g = hg::add_self_loops(hg::add_reverse_edges(std::move(g)));
  g = hg::normalize(std::move(g), {{"user/x", hg::normalization::minmax},
                                   {"user:knows:user/w", hg::normalization::standard}});
  hg::chunk_graph(g, place("g"), {.chunks = 3});
  const auto back = read(place("g"));
  EXPECT_EQ(back.schema.num_edge_types(), 5u);
  EXPECT_GT(back.edges[2].source.size(), 120u);
  EXPECT_EQ(back.node_feature(0, "x")->rows.type(), hg::dtype::float32);
  float largest = 0;
  for (const auto& chunk : back.node_feature(0, "x")->rows.chunks()) {
    for (const float x : chunk.values<float>()) largest = std::max(largest, x);
  }
  EXPECT_EQ(largest, 1.0f);
  hg::chunk_graph(open(place("g")), place("again"), {.chunks = 1});
  expect_same_graph(open(place("again")), back);
}

TEST(chunk_graph, numbers_of_chunks_differ_by_type_and_by_feature) {
  const auto data = small_dataset(9, true);
  const temporary_folder place;
  hg::chunk_graph(data, place("g"),
                  {.chunks = 2,
                   .chunks_of = {{"node_data", 5},
                                 {"node_data/item/x", 1},
                                 {"edges/user:buys:item", 3},
                                 {"edge_data/user:buys:item", 4}}});
  std::map<std::string, std::size_t> files;
  for (const auto& [file, bytes] : contents(place("g")))
    ++files[file.substr(0, file.find_last_of("0123456789"))];
  EXPECT_EQ(files.at("node_data/user/x-"), 5u);
  EXPECT_EQ(files.at("node_data/item/x-"), 1u);
  EXPECT_EQ(files.at("edge_index/user:buys:item"), 3u);
  EXPECT_EQ(files.at("edge_index/user:knows:user"), 2u);
  EXPECT_EQ(files.at("edge_data/user:buys:item/w-"), 4u);
  EXPECT_EQ(files.at("edge_data/user:knows:user/w-"), 2u);
  expect_same_graph(open(place("g")), data);
  expect_same_graph(hg::stream_dataset(read(place("g"))), data);
}

TEST(chunk_graph, what_does_not_fit_is_refused_and_nothing_is_left) {
  const temporary_folder place;
  const auto refused = [&](const hg::streamed_graph& g, hg::chunk_options options,
                           hg::error_kind code, std::string_view words) {
    try {
      hg::chunk_graph(g, place("g"), options);
      ADD_FAILURE() << "no error with " << words;
    } catch (const hg::error& problem) {
      EXPECT_EQ(problem.code(), code) << problem.what();
      EXPECT_NE(problem.message().find(words), std::string::npos) << problem.what();
    }
    EXPECT_TRUE(std::filesystem::is_empty(place()));
  };
  auto g = hg::stream_dataset(small_dataset(8, true));
  refused(g, {.chunks = 0}, hg::error_kind::invalid_argument, "0 chunks");
  refused(g, {.chunks_of = {{"edges", 0}}}, hg::error_kind::invalid_argument, "0 chunks");
  refused(
      g, {.chunks_of = {{"node_data/user/y", 2}}}, hg::error_kind::not_found,
      "\"node_data/user/y\", which does not exist; there are edges, node_data, edge_data, node_data/user, node_data/user/x");
  refused(g, {.features = chunk_format::csv}, hg::error_kind::invalid_argument, "csv");
  for (const char* name : {".hidden", "a/b", "..", "a\nb"}) {  // as partition_graph() refuses them
    refused(g, {.name = name}, hg::error_kind::invalid_argument, "could be a path");
    auto named = g;
    named.name = name;
    refused(named, {}, hg::error_kind::invalid_argument, "could be a path");
  }
  auto many = g;
  many.node_features.clear();
  many.node_counts[0] = hg::most_file_ids;
  refused(many, {}, hg::error_kind::out_of_range,
          "the graph has more than 9223372036854775807 nodes");
  g.node_counts[1] = 3;
  g.node_features.pop_back();
  refused(g, {}, hg::error_kind::out_of_range, "of \"user:buys:item\" has target");
  g = hg::stream_dataset(small_dataset(8, true));
  g.edge_counts[2] = 61;
  g.edge_features.pop_back();
  const auto inner = g.read_edges;
  g.read_edges = [inner](hg::type_id r, std::uint64_t first, std::uint64_t last,
                         const hg::edge_block_visitor& visit) {
    inner(r, first, std::min<std::uint64_t>(last, 60), visit);
  };
  refused(g, {}, hg::error_kind::mismatch, "\"user:knows:user\" are not those that were requested");
}

}  // namespace
