// SPDX-License-Identifier: BSL-1.0
#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/io/chunked/open.hpp>
#include <halograph/io/chunked/read.hpp>
#include <halograph/testing/archetypes.hpp>

#include <gtest/gtest.h>
#include <support/npy.hpp>
#include <support/temporary_folder.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace hg = halograph;
using hg::testing::npy;
using hg::testing::temporary_folder;

namespace {

using ids = std::vector<std::uint64_t>;

/// A table: what is said of it, and the bytes of each column.
struct table {
  hg::table_info info{};
  std::vector<std::string> values{};
};

/// Tables in a folder, by name.
hg::archetype::tables::all_tables placed(const temporary_folder& folder,
                                         const std::map<std::string, table>& files) {
  hg::archetype::tables::all_tables all;
  for (const auto& [name, one] : files) {
    auto& made = all[folder(name)];
    made.info = one.info;
    for (const auto& column : one.values) {
      const auto bytes = hg::testing::bytes_of(column);
      made.columns.emplace_back(bytes.begin(), bytes.end());
    }
  }
  return all;
}

template <class T>
std::string bytes(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

std::string list(const std::string& format, const std::vector<std::string>& files) {
  std::string out = R"({"format": {"name": ")" + format + R"("}, "data": [)";
  for (std::size_t i = 0; i < files.size(); ++i) out += (i ? ", \"" : "\"") + files[i] + "\"";
  return out + "]}";
}

/// 5 nodes of one type; edges and features as given.
std::string metadata(std::uint64_t edges, const std::string& edge_files,
                     const std::string& node_data = "{}", const std::string& edge_data = "{}") {
  return R"({"graph_name": "g", "node_type": ["n"], "edge_type": ["n:e:n"], "num_nodes_per_type": [5], "num_edges_per_type": [)" +
         std::to_string(edges) + R"(], "edges": {"n:e:n": )" + edge_files + R"(}, "node_data": )" +
         node_data + R"(, "edge_data": )" + edge_data + "}";
}

template <class Tables = hg::no_tables>
hg::chunked_graph open(const std::string& path, Tables tables = {},
                       const hg::chunked_options& options = {}) {
  return hg::open_chunked(path, hg::read_files{}, hg::nlohmann_codec{}, std::move(tables), options);
}

const ids all_sources{0, 1, 2, 3, 4, 0, 2}, all_targets{1, 1, 0, 4, 0, 3, 2};

template <class Node, class Graph>
void expect_edges(const Graph& graph, std::uint64_t first, std::uint64_t last, std::size_t buffer) {
  ids source, target;
  graph.template read_edges<Node>(0, first, last, buffer,
                                  [&](auto from, auto to, std::uint64_t at) {
                                    EXPECT_EQ(at, first + source.size());
                                    EXPECT_LE(from.size(), buffer);
                                    source.insert(source.end(), from.begin(), from.end());
                                    target.insert(target.end(), to.begin(), to.end());
                                  });
  const auto begin = static_cast<std::ptrdiff_t>(first), end = static_cast<std::ptrdiff_t>(last);
  EXPECT_EQ(source, ids(all_sources.begin() + begin, all_sources.begin() + end));
  EXPECT_EQ(target, ids(all_targets.begin() + begin, all_targets.begin() + end));
}

template <class Graph>
void expect_all_ranges(const Graph& graph) {
  ASSERT_EQ(graph.edge_counts, (ids{7}));
  for (std::uint64_t first = 0; first <= 7; ++first) {
    for (std::uint64_t last = first; last <= 7; ++last) {
      for (const std::size_t buffer : {1u, 3u, 100u})
        expect_edges<std::uint8_t>(graph, first, last, buffer);
    }
  }
  expect_edges<std::int64_t>(graph, 0, 7, 4);
  std::uint64_t at = 0;
  for (const auto& block : graph.edge_blocks(0)) {
    EXPECT_EQ(block.first, at);
    EXPECT_LT(block.first, block.last);
    at = block.last;
  }
  EXPECT_EQ(at, 7u);
}

TEST(chunked_graph, gives_any_run_of_edges_from_text) {
  const temporary_folder folder;
  folder.write("metadata.json", metadata(7, list("csv", {"a", "none", "b", "c"})));
  folder.write("a", "# src dst\n0 1\n1 1 9 9\r\n\n2 0");
  folder.write("none", "");
  folder.write("b", "3 4\n");
  folder.write("c", "4 0\n0 3\n2 2\n");
  expect_all_ranges(open(folder()));
}

TEST(chunked_graph, takes_many_a_delimiter) {
  const std::pair<const char*, const char*> delimiters[] = {
      {",", ","},         {"\\t", "\t"}, {";", " ; "}, {"  ", "   "},
      {"\\\\s+", " \t "}, {", ", ", "},  {"|", "|"},   {" ", " "}};
  for (const auto& [word, between] : delimiters) {
    const temporary_folder folder;
    folder.write("metadata.json", metadata(7, R"({"format": {"name": "csv", "delimiter": ")" +
                                                  std::string(word) + R"("}, "data": ["a"]})"));
    std::string text;
    for (std::size_t e = 0; e < 7; ++e)
      text += std::to_string(all_sources[e]) + between + std::to_string(all_targets[e]) + between +
              "7\n";
    folder.write("a", text);
    const auto graph = open(folder());
    expect_edges<std::uint32_t>(graph, 0, 7, 3);
  }
}

TEST(chunked_graph, gives_any_run_of_edges_from_arrays) {
  const temporary_folder folder;
  folder.write("metadata.json",
               metadata(7, list("numpy", {"a.npy", "b.npy", "none.npy", "c.npy"})));
  folder.write("a.npy", npy<std::int16_t>("<i2", "(3, 2)", {0, 1, 1, 1, 2, 0}));
  folder.write("none.npy", npy<double>("<f8", "(0,)", {}));
  folder.write("b.npy", npy<std::uint64_t>("<u8", "(1, 2)", {3, 4}));
  std::string fortran = npy<std::int32_t>("<i4", "(3, 2)", {4, 0, 2, 0, 3, 2});
  fortran.replace(fortran.find("False"), 5, "True ");
  folder.write("c.npy", fortran);
  expect_all_ranges(open(folder()));
  std::string big = npy<std::int16_t>(">i2", "(3, 2)", {0, 1 << 8, 1 << 8, 1 << 8, 2 << 8, 0});
  folder.write("a.npy", big);
  expect_all_ranges(open(folder()));
}

table edge_table(std::vector<std::int32_t> source, std::vector<std::uint8_t> target) {
  const std::uint64_t rows = source.size();
  return {{rows,
           {{"x", hg::dtype::int32, false, 1}, {"y", hg::dtype::uint8, false, 1}},
           {rows - rows / 2, rows / 2},
           {}},
          {bytes(source), bytes(target)}};
}

TEST(chunked_graph, gives_any_run_of_edges_from_tables) {
  const temporary_folder folder;
  folder.write("metadata.json", metadata(7, list("parquet", {"a", "none", "b"})));
  const std::map<std::string, table> files{{"a", edge_table({0, 1, 2, 3, 4}, {1, 1, 0, 4, 0})},
                                           {"none", edge_table({}, {})},
                                           {"b", edge_table({0, 2}, {3, 2})}};
  auto all = placed(folder, files);
  expect_all_ranges(open(folder(), hg::archetype::tables(all)));
}

/// Any run of rows of a feature, as bytes, against the whole.
template <class Graph>
void expect_rows(const Graph& graph, const hg::chunked_feature& feature, hg::dtype type,
                 const hg::tensor_shape& row_shape, const std::string& all) {
  EXPECT_EQ(feature.dtype, type);
  EXPECT_EQ(feature.row_shape, row_shape);
  const std::size_t width = feature.row_bytes();
  ASSERT_EQ(all.size(), width * feature.rows);
  for (std::uint64_t first = 0; first <= feature.rows; ++first) {
    for (std::uint64_t last = first; last <= feature.rows; ++last) {
      std::vector<std::byte> out((last - first) * width);
      graph.read_rows(feature, first, last, out);
      EXPECT_EQ(hg::testing::text_of(out), all.substr(first * width, (last - first) * width))
          << feature.name << ' ' << first << ' ' << last;
    }
  }
}

TEST(chunked_graph, gives_any_run_of_rows_from_arrays_of_any_order) {
  const temporary_folder folder;
  folder.write("metadata.json",
               metadata(0, list("csv", {}),
                        R"({"n": {"x": )" + list("numpy", {"a.npy", "none.npy", "b.npy"}) +
                            R"(, "flag": )" + list("numpy", {"flag.npy"}) + R"(, "hollow": )" +
                            list("numpy", {"hollow.npy"}) + "}}"));
  std::vector<std::int32_t> rows(5 * 6);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::int32_t>(i * i);
  folder.write("a.npy", npy<std::int32_t>("<i4", "(2, 2, 3)", {rows.begin(), rows.begin() + 12}));
  folder.write("none.npy", npy<float>("<f4", "(0, 7)", {}));
  std::vector<std::int32_t> columns;  // [3, 2, 3] with the first extent fastest, big-endian
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t j = 0; j < 2; ++j) {
      for (std::size_t i = 0; i < 3; ++i) {
        const auto value = static_cast<std::uint32_t>(rows[12 + (i * 2 + j) * 3 + k]);
        columns.push_back(std::bit_cast<std::int32_t>(value << 24 | (value & 0xFF00) << 8 |
                                                      (value >> 8 & 0xFF00) | value >> 24));
      }
    }
  }
  std::string fortran = npy<std::int32_t>(">i4", "(3, 2, 3)", columns);
  fortran.replace(fortran.find("False"), 5, "True ");
  folder.write("b.npy", fortran);
  folder.write("flag.npy", npy<std::uint8_t>("|b1", "(5,)", {1, 0, 0, 1, 1}));
  folder.write("hollow.npy", npy<double>("<f8", "(5, 0)", {}));
  for (const bool keep : {false, true}) {
    const auto graph = open(folder(), hg::no_tables{}, {.keep_arrays = keep});
    ASSERT_EQ(graph.node_features.size(), 3u);
    expect_rows(graph, *graph.node_feature(0, "x"), hg::dtype::int32, {2, 3}, bytes(rows));
    expect_rows(graph, *graph.node_feature(0, "flag"), hg::dtype::boolean, {},
                std::string("\1\0\0\1\1", 5));
    expect_rows(graph, *graph.node_feature(0, "hollow"), hg::dtype::float64, {0}, "");
  }
  const auto graph = open(folder());
  EXPECT_EQ(graph.node_feature(0, "gone"), nullptr);
  const hg::chunked_rows store(graph, *graph.node_feature(0, "x"));
  const ids wanted{4, 0, 1, 2, 2};
  std::vector<std::byte> out(5 * 24);
  ASSERT_EQ(store.gather(wanted, out), hg::status::ok);
  for (std::size_t i = 0; i < 5; ++i)
    EXPECT_EQ(std::memcmp(out.data() + i * 24, rows.data() + wanted[i] * 6, 24), 0);
  EXPECT_EQ(store.gather(wanted, std::span(out).first(100)), hg::status::capacity);
  const ids beyond{4, 5};
  const hg::status answer = store.gather(beyond, out);
  EXPECT_EQ(answer, hg::status::out_of_range);
  EXPECT_EQ(answer.position, 1u);
}

TEST(chunked_graph, gives_rows_of_text_as_integers_or_floats) {
  const temporary_folder folder;
  folder.write("metadata.json",
               metadata(0, list("csv", {}),
                        R"({"n": {"i": )" + list("csv", {"i0", "i1"}) + R"(, "f": )" +
                            list("csv", {"f0", "none", "f1"}) + "}}"));
  folder.write("i0", "1\n-2\n");
  folder.write("i1", "3\n4\n5");
  folder.write("f0", "1,2\n3,4\n");
  folder.write("none", "");
  folder.write("f1", "5,6\n\n7,8\n9,0.5\n");
  const auto graph = open(folder());
  expect_rows(graph, graph.node_features[0], hg::dtype::int64, {1},
              bytes(std::vector<std::int64_t>{1, -2, 3, 4, 5}));
  expect_rows(graph, graph.node_features[1], hg::dtype::float64, {2},
              bytes(std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9, 0.5}));
  const auto data = hg::read_chunked(folder(), {}, hg::read_files{}, hg::nlohmann_codec{});
  EXPECT_EQ(data.node_feature(0, "i")->rows.chunks()[0],
            hg::tensor::from(std::vector<std::int64_t>{1, -2, 3, 4, 5}, {5, 1}));
}

TEST(chunked_graph, gives_rows_of_tables_by_the_rules_of_dgl) {
  const temporary_folder folder;
  folder.write(
      "metadata.json",
      metadata(0, list("csv", {}),
               R"({"n": {"lists": )" + list("parquet", {"lists0", "empty", "lists1"}) +
                   R"(, "one": )" + list("parquet", {"one"}) + R"(, "mixed": )" +
                   list("parquet", {"mixed"}) + R"(, "flat": )" + list("parquet", {"flat"}) +
                   R"(, "cube": )" + list("parquet", {"cube"}) + R"(, "odd": )" +
                   list("parquet", {"odd"}) + "}}"));
  const std::vector<float> numbers{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
  const auto scalar = [](const char* name, hg::dtype type) {
    return hg::table_column{name, type, false, 1};
  };
  std::map<std::string, table> files;
  files["lists0"] = {{2, {{"vector", hg::dtype::float32, true, 3}}, {2}, {}},
                     {bytes(std::vector<float>(numbers.begin(), numbers.begin() + 6))}};
  files["empty"] = {{0, {{"vector", hg::dtype::float64, true, 0}}, {}, {}}, {""}};
  files["lists1"] = {{3, {{"vector", hg::dtype::float32, true, 3}}, {3}, {}},
                     {bytes(std::vector<float>(numbers.begin() + 6, numbers.end()))}};
  files["one"] = {{5, {scalar("0", hg::dtype::uint8)}, {5}, {}}, {"abcde"}};
  files["mixed"] = {
      {5,
       {scalar("a", hg::dtype::int16), scalar("b", hg::dtype::uint16),
        scalar("c", hg::dtype::boolean)},
       {5},
       {}},
      {bytes(std::vector<std::int16_t>{-1, -2, -3, -4, -5}),
       bytes(std::vector<std::uint16_t>{65535, 2, 3, 4, 5}), std::string("\1\0\1\0\1", 5)}};
  files["flat"] = files["one"];
  files["flat"].info.shape = "(5,)";
  files["cube"] = {{5, {}, {5}, "(5, 2, 2)"}, {}};
  std::vector<float> cube(20);
  for (std::size_t c = 0; c < 4; ++c) {
    files["cube"].info.columns.push_back(scalar("x", hg::dtype::float32));
    std::vector<float> column(5);
    for (std::size_t r = 0; r < 5; ++r)
      cube[r * 4 + c] = column[r] = static_cast<float>(10 * r + c);
    files["cube"].values.push_back(bytes(column));
  }
  // 10 rows of 2 columns that are 5 rows of (4,): rows of the feature begin in the middle of
  // nothing, but not where the table's do.
  files["odd"] = {{4, {}, {4}, "( 5,4 )"}, {}};
  for (std::size_t c = 0; c < 5; ++c) {
    files["odd"].info.columns.push_back(scalar("x", c == 0 ? hg::dtype::int8 : hg::dtype::float32));
    if (c == 0)
      files["odd"].values.push_back(bytes(std::vector<std::int8_t>{0, 5, 10, 15}));
    else
      files["odd"].values.push_back(
          bytes(std::vector<float>{0.f + static_cast<float>(c), 5.f + static_cast<float>(c),
                                   10.f + static_cast<float>(c), 15.f + static_cast<float>(c)}));
  }
  std::vector<float> odd(20);
  for (std::size_t i = 0; i < 20; ++i) odd[i] = static_cast<float>(i);
  auto all = placed(folder, files);
  const auto graph = open(folder(), hg::archetype::tables(all));
  expect_rows(graph, *graph.node_feature(0, "lists"), hg::dtype::float32, {3}, bytes(numbers));
  expect_rows(graph, *graph.node_feature(0, "one"), hg::dtype::uint8, {1}, "abcde");
  expect_rows(
      graph, *graph.node_feature(0, "mixed"), hg::dtype::int32, {3},
      bytes(std::vector<std::int32_t>{-1, 65535, 1, -2, 2, 0, -3, 3, 1, -4, 4, 0, -5, 5, 1}));
  expect_rows(graph, *graph.node_feature(0, "flat"), hg::dtype::uint8, {}, "abcde");
  expect_rows(graph, *graph.node_feature(0, "cube"), hg::dtype::float32, {2, 2}, bytes(cube));
  expect_rows(graph, *graph.node_feature(0, "odd"), hg::dtype::float32, {4}, bytes(odd));
  const auto data = hg::read_chunked(folder(), {}, hg::read_files{}, hg::nlohmann_codec{},
                                     hg::sequential{}, hg::archetype::tables(all));
  EXPECT_EQ(data.node_feature(0, "lists")->rows.chunks()[0], hg::tensor::from(numbers, {5, 3}));
}

hg::error refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const hg::error& problem) {
    return problem;
  }
  return {hg::error_kind::ok, "nothing was refused"};
}

TEST(chunked_graph, says_where_tables_are_wrong) {
  const temporary_folder folder;
  const auto scalar = [](hg::dtype type) { return hg::table_column{"x", type, false, 1}; };
  const std::string five = "12345";
  struct fault {
    table given;
    bool edges;
    hg::error_kind code;
    const char* words;
  };
  const fault faults[] = {
      {{{5, {scalar(hg::dtype::uint8)}, {5}, {}}, {five}}, true, hg::error_kind::malformed, "two"},
      {{{5,
         {scalar(hg::dtype::uint8), scalar(hg::dtype::uint8), scalar(hg::dtype::uint8)},
         {5},
         {}},
        {five, five, five}},
       true,
       hg::error_kind::malformed,
       "two"},
      {{{5, {scalar(hg::dtype::uint8), scalar(hg::dtype::boolean)}, {5}, {}}, {five, five}},
       true,
       hg::error_kind::malformed,
       "integers"},
      {{{5, {{"x", hg::dtype::uint8, true, 1}, scalar(hg::dtype::uint8)}, {5}, {}}, {five, five}},
       true,
       hg::error_kind::malformed,
       "lists"},
      {edge_table({0, 1, 2, 3, 5}, {0, 0, 0, 0, 0}), true, hg::error_kind::out_of_range,
       "row 4 has source 5"},
      {edge_table({0, 1, -2, 3, 5}, {0, 0, 0, 0, 0}), true, hg::error_kind::out_of_range,
       "row 2 has source -2"},
      {edge_table({0, 1, 2, 3, 4}, {0, 0, 0, 255, 0}), true, hg::error_kind::out_of_range,
       "row 3 has target 255"},
      {edge_table({0, 1, 2, 3, 4, 0}, {0, 0, 0, 0, 0, 0}), true, hg::error_kind::mismatch,
       "6 edges"},
      {{{5, {{"x", hg::dtype::uint8, true, 1}, scalar(hg::dtype::uint8)}, {5}, {}}, {five, five}},
       false,
       hg::error_kind::malformed,
       "next to other columns"},
      {{{4, {scalar(hg::dtype::uint8)}, {4}, {}}, {five}},
       false,
       hg::error_kind::mismatch,
       "4 rows"},
      {{{5, {scalar(hg::dtype::uint8)}, {5}, "(5, 2)"}, {five}},
       false,
       hg::error_kind::mismatch,
       "(5, 2)"},
      {{{5, {scalar(hg::dtype::uint8)}, {5}, "(5, exec)"}, {five}},
       false,
       hg::error_kind::malformed,
       "tuple"},
      {{{5, {scalar(hg::dtype::uint8)}, {5}, "()"}, {five}},
       false,
       hg::error_kind::malformed,
       "tuple"},
      {{{5, {scalar(hg::dtype::uint8)}, {5}, "(1, 5)"}, {five}},
       false,
       hg::error_kind::mismatch,
       "1 rows"}};
  for (const auto& f : faults) {
    const std::map<std::string, table> files{{"t", f.given}};
    folder.write(
        "metadata.json",
        f.edges ? metadata(5, list("parquet", {"t"}))
                : metadata(0, list("csv", {}), R"({"n": {"x": )" + list("parquet", {"t"}) + "}}"));
    auto all = placed(folder, files);
    const hg::error problem = refusal([&] {
      static_cast<void>(hg::read_chunked(folder(), {}, hg::read_files{}, hg::nlohmann_codec{},
                                         hg::sequential{}, hg::archetype::tables(all)));
    });
    EXPECT_EQ(problem.code(), f.code) << problem.what();
    EXPECT_EQ(problem.where().file, folder("t")) << problem.what();
    EXPECT_NE(problem.message().find(f.words), std::string::npos) << problem.what();
  }
}

TEST(chunked_graph, says_where_text_rows_are_wrong) {
  const temporary_folder folder;
  const auto given = [&](const char* first, const char* second) {
    folder.write("metadata.json",
                 metadata(0, list("csv", {}), R"({"n": {"x": )" + list("csv", {"a", "b"}) + "}}"));
    folder.write("a", first);
    folder.write("b", second);
    return refusal([&] {
      static_cast<void>(hg::read_chunked(folder(), {}, hg::read_files{}, hg::nlohmann_codec{}));
    });
  };
  EXPECT_EQ(given("1\n2\n3\n", "4\n5\n").code(), hg::error_kind::ok);
  const auto words = given("1\n2\nx\n", "4\n5\n");
  EXPECT_EQ(words.code(), hg::error_kind::malformed);
  EXPECT_EQ(words.where().line, 3u) << words.what();
  const auto ragged = given("1 2\n2 3\n3 4\n", "4 5\n\n5\n");
  EXPECT_EQ(ragged.where().file, folder("b"));
  EXPECT_EQ(ragged.where().line, 3u) << ragged.what();
  EXPECT_EQ(given("1 2\n2 3\n3 4\n", "4\n5\n").code(), hg::error_kind::mismatch);
  const auto more = given("1\n2\n3\n", "4\n5\n\n6\n7\n");
  EXPECT_EQ(more.code(), hg::error_kind::mismatch);
  EXPECT_EQ(more.where().line, 4u) << more.what();
  EXPECT_EQ(given("1\n2\n3\n", "4\n").code(), hg::error_kind::mismatch);
}

TEST(chunked_graph, refuses_ranges_and_ids_that_are_not_there) {
  const temporary_folder folder;
  folder.write("metadata.json", metadata(2, list("csv", {"a"}),
                                         R"({"n": {"x": )" + list("numpy", {"x.npy"}) + "}}"));
  folder.write("a", "0 1\n4 5\n");
  folder.write("x.npy", npy<float>("<f4", "(5,)", {1, 2, 3, 4, 5}));
  const auto graph = open(folder());
  const auto read = [&](std::uint32_t type, std::uint64_t first, std::uint64_t last) {
    return refusal([&] {
             graph.read_edges<std::uint32_t>(type, first, last, 1,
                                             [](auto, auto, std::uint64_t) {});
           })
        .code();
  };
  EXPECT_EQ(read(0, 0, 1), hg::error_kind::ok);
  EXPECT_EQ(read(0, 0, 2), hg::error_kind::out_of_range);
  EXPECT_EQ(read(0, 2, 1), hg::error_kind::out_of_range);
  EXPECT_EQ(read(0, 2, 3), hg::error_kind::out_of_range);
  EXPECT_EQ(read(1, 0, 0), hg::error_kind::out_of_range);
  std::vector<std::byte> out(19);
  EXPECT_EQ(refusal([&] { graph.read_rows(graph.node_features[0], 0, 5, out); }).code(),
            hg::error_kind::capacity);
  EXPECT_EQ(refusal([&] { graph.read_rows(graph.node_features[0], 1, 6, out); }).code(),
            hg::error_kind::out_of_range);
  EXPECT_EQ(refusal([&] {
              graph.read_edges_into<std::uint8_t>(
                  0, 0, {},
                  std::span<std::uint8_t>(reinterpret_cast<std::uint8_t*>(out.data()), 1));
            }).code(),
            hg::error_kind::mismatch);
}

TEST(chunked_graph, says_that_a_file_has_changed) {
  const temporary_folder folder;
  folder.write("metadata.json", metadata(2, list("csv", {"a"}),
                                         R"({"n": {"x": )" + list("numpy", {"x.npy"}) + "}}"));
  folder.write("a", "0 1\n4 4\n");
  folder.write("x.npy", npy<float>("<f4", "(5,)", {1, 2, 3, 4, 5}));
  const auto graph = open(folder());
  folder.write("a", "0 1\n4 4 5\n");
  folder.write("x.npy", npy<float>("<f4", "(5, 1)", {1, 2, 3, 4, 5}));
  std::vector<std::byte> out(20);
  EXPECT_EQ(refusal([&] {
              graph.read_edges<std::uint32_t>(0, 0, 2, 9, [](auto, auto, std::uint64_t) {});
            }).code(),
            hg::error_kind::mismatch);
  EXPECT_EQ(refusal([&] { graph.read_rows(graph.node_features[0], 0, 5, out); }).code(),
            hg::error_kind::mismatch);
}

TEST(chunked_graph, opens_each_of_its_files_once_at_a_time) {
  const temporary_folder folder;
  folder.write("metadata.json", metadata(4, list("csv", {"a", "b"})));
  folder.write("a", "0 1\n4 4\n");
  folder.write("b", "0 1\n4 4\n");
  int opened = 0;
  const auto counting = [&](const std::string& path) {
    ++opened;
    return hg::read_files{}(path);
  };
  const auto graph = hg::open_chunked(folder(), counting, hg::nlohmann_codec{});
  opened = 0;
  for (std::uint64_t e = 0; e < 4; ++e)
    graph.read_edges<std::uint32_t>(0, e, e + 1, 9, [](auto, auto, std::uint64_t) {});
  EXPECT_EQ(opened, 2);
}

TEST(chunked_graph, keeps_a_file_for_each_reader_and_no_more_than_one_besides) {
  const temporary_folder folder;
  folder.write("metadata.json", metadata(8, list("csv", {"a", "b", "c", "d"})));
  for (const char* const name : {"a", "b", "c", "d"}) folder.write(name, "0 1\n4 4\n");
  int opened = 0;
  std::vector<std::weak_ptr<const void>> owners;
  const auto counting = [&](const std::string& path) {
    ++opened;
    hg::file_bytes out = hg::read_files{}(path);
    owners.push_back(out.owner);
    return out;
  };
  const auto graph = hg::open_chunked(folder(), counting, hg::nlohmann_codec{});
  const auto living = [&] {
    return std::count_if(owners.begin(), owners.end(),
                         [](const auto& one) { return !one.expired(); });
  };
  // Two readers, one within the other's work, each with a file of its own.
  opened = 0;
  owners.clear();
  for (std::uint64_t e = 0; e < 2; ++e) {
    graph.read_edges<std::uint32_t>(0, e, e + 1, 9, [&](auto, auto, std::uint64_t) {
      graph.read_edges<std::uint32_t>(0, 4 + e, 5 + e, 9, [](auto, auto, std::uint64_t) {});
    });
  }
  EXPECT_EQ(opened, 2);
  for (std::uint64_t e = 0; e < 8; ++e)
    graph.read_edges<std::uint32_t>(
        0, e, e + 1, 9, [&](auto, auto, std::uint64_t) { EXPECT_LE(living(), 2) << e; });
}

}  // namespace
