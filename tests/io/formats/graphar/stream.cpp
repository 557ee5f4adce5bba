// SPDX-License-Identifier: BSL-1.0
#include "support/collect_stream.hpp"
#include "support/graphar_set.hpp"
#include "support/temporary_folder.hpp"

#include <halograph/adapters/yaml_cpp.hpp>
#include <halograph/io/formats/graphar/stream.hpp>
#include <halograph/testing/archetypes/serial.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

namespace hg = halograph;
using hg::testing::edge_pairs;
using hg::testing::edges_of;
using hg::testing::feature_of;
using hg::testing::graphar_count;
using hg::testing::rows_of;
using hg::testing::temporary_folder;
using hg::testing::write_small_graphar;

hg::streamed_graph stream(const temporary_folder& place, const std::string& path,
                          hg::any_table_reader tables = {}, bool features = true) {
  return hg::stream_graphar(path, {.features = features, .scratch = place()}, hg::read_files{},
                            hg::yaml_cpp_codec{}, tables);
}

/// The error of the data set, at `file` in it.
void expect_refused(const temporary_folder& place, hg::error_kind code, const std::string& file,
                    std::string_view words, hg::any_table_reader tables = {}) {
  try {
    static_cast<void>(stream(place, place("set/small.graph.yml"), tables));
    FAIL() << "no error with " << words;
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.code(), code) << problem.what();
    EXPECT_EQ(problem.where().file, place("set/" + file)) << problem.what();
    EXPECT_NE(std::string(problem.what()).find(words), std::string::npos) << problem.what();
  }
}

TEST(stream_graphar, rows_are_nodes_and_chunks_of_parts_are_edges) {
  const temporary_folder place;
  const auto g = stream(place, write_small_graphar(place));
  hg::validate(g);
  EXPECT_EQ(g.name, "small");
  EXPECT_EQ(g.schema.node_types(), (std::vector<std::string>{"person", "city"}));
  EXPECT_EQ(g.schema.edge_types()[0].str(), "person:knows:person");
  EXPECT_EQ(g.schema.edge_types()[1].str(), "person:in:city");
  EXPECT_EQ(g.node_counts, (std::vector<std::uint64_t>{5, 4}));
  EXPECT_EQ(g.edge_counts, (std::vector<std::uint64_t>{6, 5}));
  EXPECT_EQ(edges_of(g, 0), (edge_pairs{{0, 1}, {0, 4}, {1, 0}, {2, 2}, {4, 0}, {4, 3}}));
  EXPECT_EQ(edges_of(g, 1), (edge_pairs{{4, 2}, {0, 0}, {2, 1}, {1, 3}, {3, 3}}));
  ASSERT_EQ(g.node_features.size(), 2u);
  EXPECT_EQ(rows_of(feature_of(g.node_features, 0, "id")).values<std::int64_t>(),
            (std::vector<std::int64_t>{100, 110, 120, 130, 140}));
  EXPECT_EQ(rows_of(feature_of(g.node_features, 0, "height")).values<double>(),
            (std::vector<double>{0, 0.5, 1, 1.5, 2}));
  ASSERT_EQ(g.edge_features.size(), 1u);
  EXPECT_EQ(rows_of(feature_of(g.edge_features, 0, "since")).values<std::int32_t>(),
            (std::vector<std::int32_t>{2000, 2001, 2002, 2003, 2004, 2005}));
  ASSERT_EQ(g.notes.size(), 2u);
  EXPECT_NE(g.notes[0].find("left out: \"firstName\""), std::string::npos) << g.notes[0];
  EXPECT_NE(g.notes[1].find("\"person:in:city\" is undirected"), std::string::npos) << g.notes[1];
}

TEST(stream_graphar, any_range_of_edges_can_be_read_again) {
  const temporary_folder place;
  const auto g = stream(place, write_small_graphar(place));
  for (int round = 0; round < 2; ++round) {
    std::vector<std::uint64_t> targets;
    g.read_edges(0, 3, 5, [&](auto, auto to, std::uint64_t first) {
      EXPECT_EQ(first, 3u);
      targets.assign(to.begin(), to.end());
    });
    EXPECT_EQ(targets, (std::vector<std::uint64_t>{2, 0}));
  }
}

TEST(stream_graphar, structure_alone_opens_no_chunks_of_properties) {
  const temporary_folder place;
  const std::string path = write_small_graphar(place);
  std::filesystem::remove_all(place("set/vertex/person/id"));
  std::filesystem::remove_all(place("set/edge/person_knows_person/ordered_by_source/since"));
  const auto g = stream(place, path, {}, false);
  EXPECT_TRUE(g.node_features.empty() && g.edge_features.empty());
  EXPECT_EQ(g.num_edges(), 11u);
  expect_refused(place, hg::error_kind::not_found, "vertex/person/id/chunk0", "");
}

TEST(stream_graphar, a_property_without_a_value_is_left_out) {
  const temporary_folder place;
  const std::string path = write_small_graphar(place);
  place.write("set/vertex/person/id/chunk1", "_graphArVertexIndex,id\n2,120\n3,\n");
  const auto g = stream(place, path);
  hg::validate(g);
  ASSERT_EQ(g.node_features.size(), 1u);
  EXPECT_EQ(g.node_features[0].name, "height");
  EXPECT_NE(g.notes[0].find("no value in " + place("set/vertex/person/id/chunk1") + ", line 3"),
            std::string::npos)
      << g.notes[0];
}

TEST(stream_graphar, counts_and_chunks_must_agree) {
  const std::string list = "edge/person_knows_person/ordered_by_source/";
  struct damage {
    std::string file, content;
    hg::error_kind code;
    std::string words;
  };
  const std::string header = "_graphArSrcIndex,_graphArDstIndex\n";
  const damage all[] = {
      {"vertex/person/vertex_count", "12345678901", hg::error_kind::malformed, "11 bytes"},
      {"vertex/person/vertex_count", graphar_count(~std::uint64_t{0}), hg::error_kind::malformed,
       "negative"},
      {list + "edge_count1", "", hg::error_kind::malformed, "0 bytes"},
      {list + "adj_list/part0/chunk0", header + "0,1\n", hg::error_kind::mismatch,
       "has 1 rows; by the counts and chunk_size it must have 2"},
      {list + "adj_list/part0/chunk0", header + "0,1\n0,2\n0,3\n", hg::error_kind::mismatch,
       "more than 2"},
      {list + "adj_list/part0/chunk0", header + "0,1\n0,5\n", hg::error_kind::out_of_range,
       "line 3: column \"_graphArDstIndex\" is 5; it must be the index of a node, below 5"},
      {list + "adj_list/part0/chunk0", header + "-1,1\n0,4\n", hg::error_kind::malformed, "line 2"},
      {list + "adj_list/part0/chunk0", header + ",1\n0,4\n", hg::error_kind::malformed, "line 2"},
      {list + "adj_list/part0/chunk0", "source,target\n0,1\n0,4\n", hg::error_kind::not_found,
       "no column is called \"_graphArSrcIndex\""},
      {list + "since/part0/chunk0", "since\n2000\nsoon\n", hg::error_kind::malformed, "\"soon\""},
      {"vertex/person/id/chunk2", "_graphArVertexIndex,id\n4,140\n5,150\n",
       hg::error_kind::mismatch, "more than 1"},
  };
  for (const auto& one : all) {
    SCOPED_TRACE(one.file + ": " + one.words);
    const temporary_folder place;
    write_small_graphar(place);
    place.write("set/" + one.file, one.content);
    expect_refused(place, one.code, one.file, one.words);
  }
  const temporary_folder place;
  write_small_graphar(place);
  // More nodes than any chunk has: the first that is missing ends the run.
  place.write("set/vertex/person/vertex_count", graphar_count(~std::uint64_t{0} >> 1));
  expect_refused(place, hg::error_kind::mismatch, "vertex/person/id/chunk2", "must have 2");
}

TEST(stream_graphar, no_types_and_edges_without_nodes_are_refused) {
  const temporary_folder place;
  write_small_graphar(place);
  place.write("set/vertex/city/vertex_count", graphar_count(0));
  place.write(
      "set/person_in_city.edge.yml",
      "src_type: person\nedge_type: in\ndst_type: city\nchunk_size: 8\nsrc_chunk_size: 9\n"
      "dst_chunk_size: 3\nadj_lists:\n- {ordered: true, aligned_by: src, file_type: csv}\n");
  place.write("set/edge/person_in_city/ordered_by_source/edge_count0", graphar_count(1));
  expect_refused(place, hg::error_kind::out_of_range,
                 "edge/person_in_city/ordered_by_source/edge_count0", "has no nodes");
  place.write(
      "set/person_in_city.edge.yml",
      "src_type: person\nedge_type: in\ndst_type: town\nchunk_size: 8\nsrc_chunk_size: 9\n"
      "dst_chunk_size: 3\nadj_lists:\n- {ordered: true, aligned_by: src, file_type: csv}\n");
  expect_refused(place, hg::error_kind::not_found, "person_in_city.edge.yml", "town");
  place.write("set/city.vertex.yml", "type: ../city\nchunk_size: 3\nprefix: vertex/city\n");
  expect_refused(place, hg::error_kind::invalid_argument, "city.vertex.yml", "../city");
}

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

/// Points of a graph in tables: 3 points of [n, 2] `at`, 2 edges.
hg::archetype::tables::all_tables point_tables(const temporary_folder& place) {
  place.write("set/small.graph.yml", "vertices: [p.yml]\nedges: [e.yml]\n");
  place.write(
      "set/p.yml",
      "type: p\nchunk_size: 2\nproperty_groups:\n- properties:\n  - {name: at, data_type: "
      "list<float>}\n  - {name: rank, data_type: int32}\n  - {name: note, data_type: string}\n  prefix: g\n  file_type: "
      "parquet\n");
  place.write("set/e.yml",
              "src_type: p\nedge_type: to\ndst_type: p\nchunk_size: 2\nsrc_chunk_size: 3\n"
              "dst_chunk_size: 3\nadj_lists:\n- {ordered: true, aligned_by: src, file_type: orc}\n"
              "- {ordered: true, aligned_by: dst, file_type: parquet}\n");
  place.write("set/vertex/p/vertex_count", graphar_count(3));
  place.write("set/edge/p_to_p/ordered_by_dest/edge_count0", graphar_count(2));
  const hg::table_column id{"_graphArVertexIndex", hg::dtype::int64, false, 1},
      at{"at", hg::dtype::float32, true, 2}, rank{"rank", hg::dtype::int32, false, 1},
      from{"_graphArSrcIndex", hg::dtype::int64, false, 1},
      to{"_graphArDstIndex", hg::dtype::int32, false, 1};
  hg::archetype::tables::all_tables all;
  all[place("set/vertex/p/g/chunk0")] = {
      {2, {rank, id, at}, {2}, {}},
      {bytes_of<std::int32_t>({7, 8}), bytes_of<std::int64_t>({0, 1}),
       bytes_of<float>({1, 2, 3, 4})}};
  all[place("set/vertex/p/g/chunk1")] = {
      {1, {rank, id, at}, {1}, {}},
      {bytes_of<std::int32_t>({9}), bytes_of<std::int64_t>({2}), bytes_of<float>({5, 6})}};
  all[place("set/edge/p_to_p/ordered_by_dest/adj_list/part0/chunk0")] = {
      {2, {from, to}, {2}, {}}, {bytes_of<std::int64_t>({2, 1}), bytes_of<std::int32_t>({0, 2})}};
  return all;
}

TEST(stream_graphar, parquet_chunks_are_read_as_tables) {
  const temporary_folder place;
  auto all = point_tables(place);
  const auto g = stream(place, place("set/small.graph.yml"), hg::archetype::tables(all));
  hg::validate(g);
  EXPECT_EQ(g.name, "small");
  EXPECT_EQ(edges_of(g, 0), (edge_pairs{{2, 0}, {1, 2}}));
  const auto at = rows_of(feature_of(g.node_features, 0, "at"));
  EXPECT_EQ(at.shape(), (hg::tensor_shape{3, 2}));
  EXPECT_EQ(at.values<float>(), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  // Listed in another order than that of the file's columns.
  EXPECT_EQ(rows_of(feature_of(g.node_features, 0, "rank")).values<std::int32_t>(),
            (std::vector<std::int32_t>{7, 8, 9}));
  ASSERT_EQ(g.notes.size(), 1u);
  EXPECT_NE(g.notes[0].find("left out: \"note\""), std::string::npos) << g.notes[0];
}

TEST(stream_graphar, tables_that_do_not_fit_are_refused) {
  const temporary_folder place;
  const auto all = point_tables(place);
  const std::string chunk = "vertex/p/g/chunk1",
                    list = "edge/p_to_p/ordered_by_dest/adj_list/part0/chunk0";
  const auto expect = [&](const std::string& file, hg::error_kind code, std::string_view words,
                          auto&& damage) {
    SCOPED_TRACE(words);
    auto changed = all;
    damage(changed[place("set/" + file)]);
    expect_refused(place, code, file, words, hg::archetype::tables(changed));
  };
  using table = hg::archetype::tables::table;
  expect(chunk, hg::error_kind::mismatch, "3 rows", [](table& t) { t.info.rows = 3; });
  expect(chunk, hg::error_kind::not_found, "\"at\"",
         [](table& t) { t.info.columns[2].name = "b"; });
  expect(chunk, hg::error_kind::mismatch, "lists of 1 numbers",
         [](table& t) { t.info.columns[2].width = 1; });
  expect(chunk, hg::error_kind::mismatch, "must hold lists of float32",
         [](table& t) { t.info.columns[2].type = hg::dtype::int32; });
  expect(list, hg::error_kind::mismatch, "must hold integers",
         [](table& t) { t.info.columns[0].type = hg::dtype::float64; });
  expect(list, hg::error_kind::out_of_range, "\"_graphArDstIndex\" is 3",
         [](table& t) { t.columns[1] = bytes_of<std::int32_t>({0, 3}); });
  expect(list, hg::error_kind::out_of_range, "below 3",
         [](table& t) { t.columns[1] = bytes_of<std::int32_t>({0, -1}); });
  expect_refused(place, hg::error_kind::unsupported, chunk.substr(0, chunk.size() - 1) + "0",
                 "duckdb");
}

TEST(stream_graphar, says_which_library_is_missing) {
  const temporary_folder place;
  const std::string path = write_small_graphar(place);
  try {
    static_cast<void>(hg::stream_graphar(path, {}, hg::read_files{}, hg::no_yaml{}));
    FAIL();
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.code(), hg::error_kind::unsupported);
    EXPECT_EQ(problem.where().file, path);
    EXPECT_NE(problem.message().find("\"yaml_cpp\""), std::string::npos);
  }
}

}  // namespace
