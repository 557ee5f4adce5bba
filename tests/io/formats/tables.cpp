// SPDX-License-Identifier: BSL-1.0
#include "support/collect_stream.hpp"
#include "support/temporary_folder.hpp"

#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/core/random.hpp>
#include <halograph/io/formats/tables.hpp>
#include <halograph/serial/table.hpp>
#include <halograph/testing/archetypes/serial.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
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
using hg::testing::rows_of;
using hg::testing::temporary_folder;

hg::streamed_graph stream(const temporary_folder& place, std::uint64_t memory = 1 << 20) {
  const auto spec = hg::read_tables_spec(place("spec.json"), hg::read_files{},
                                         hg::nlohmann_codec{});
  return hg::stream_tables(
      spec, {.scratch = place(), .dictionaries = place(), .memory = memory, .on_progress = {}},
      hg::read_files{});
}

/// Tables of text in memory, by path; a column of lists has a width.
struct text_tables {
  struct table {
    std::vector<std::string> names{};
    std::vector<std::vector<std::string>> rows{};
    std::vector<std::uint64_t> groups{};
    std::map<std::string, std::uint64_t> lists{};
  };
  using run = std::pair<std::uint64_t, std::uint64_t>;
  std::map<std::string, table> all{};
  std::shared_ptr<std::vector<run>> calls = std::make_shared<std::vector<run>>();

  hg::table_info examine(const std::string& path) const {
    hg::table_info info;
    info.rows = all.at(path).rows.size();
    info.group_rows = all.at(path).groups;
    for (const auto& [name, width] : all.at(path).lists)
      info.columns.push_back({name, hg::dtype::float32, true, width});
    return info;
  }
  void read(const std::string&, const hg::table_info&, std::uint64_t, std::uint64_t,
            hg::table_sink) const {
    ADD_FAILURE() << "keys are read as text";
  }
  std::vector<std::string> column_names(const std::string& path) const {
    return all.at(path).names;
  }
  void read_text(const std::string& path, std::span<const std::string> columns, std::uint64_t first,
                 std::uint64_t last, hg::text_sink sink) const {
    calls->emplace_back(first, last);
    const table& from = all.at(path);
    for (; first < last; ++first) {
      std::vector<std::string_view> fields;
      for (const auto& column : columns) {
        const auto at = std::find(from.names.begin(), from.names.end(), column);
        fields.push_back(from.rows[static_cast<std::size_t>(first)]
                                  [static_cast<std::size_t>(at - from.names.begin())]);
      }
      sink(first, 1, fields);
    }
  }
};
static_assert(hg::table_reader<text_tables> && hg::detail::reads_text<text_tables>);

hg::streamed_graph stream_with(const temporary_folder& place, const hg::any_table_reader& tables) {
  const auto spec = hg::read_tables_spec(place("spec.json"), hg::read_files{},
                                         hg::nlohmann_codec{});
  return hg::stream_tables(
      spec, {.scratch = place(), .dictionaries = place(), .memory = 1 << 20, .on_progress = {}},
      hg::read_files{}, tables);
}

hg::key_dictionary dictionary(const temporary_folder& place, const std::string& type) {
  const std::string path = place(type + ".keys");
  return {hg::read_files{}(path), path};
}

void expect_refused(const temporary_folder& place, hg::error_kind code, const std::string& file,
                    std::optional<std::uint64_t> line, std::string_view words) {
  try {
    stream(place);
    FAIL() << "no error with " << words;
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.code(), code) << problem.what();
    EXPECT_EQ(problem.where().file, file.empty() ? file : place(file)) << problem.what();
    EXPECT_EQ(problem.where().line, line) << problem.what();
    EXPECT_NE(problem.message().find(words), std::string::npos) << problem.what();
  }
}

constexpr const char* shop = R"({
  "graph_name": "shop",
  "nodes": {
    "user": {"files": ["users-0.csv", "users-1.csv"], "key": "id",
             "features": {"age": {"columns": "age", "dtype": "int16", "missing": -1},
                          "place": {"columns": ["x", "y"], "dtype": "float64"}}},
    "item": {"keys": "integer"}},
  "edges": {
    "user:buys:item": {"files": ["buys.tsv"], "source": 0, "target": 2, "delimiter": "\t", "quote": null, "header": false,
                       "features": {"price": {"columns": 1}}},
    "user:knows:user": {"files": ["knows.csv"], "source": "a", "target": "b"}}})";

void write_shop(const temporary_folder& place) {
  place.write("spec.json", shop);
  place.write("users-0.csv", "id,age,x,y\nzoe,31,0.5,1\n\"ann, the 2nd\",,2,-3e2\n");
  place.write("users-1.csv", "y,x,id,age\r\n7,8,\"bo\nb\",40.0\r\n");
  place.write("buys.tsv", "zoe\t9.5\t900\nann, the 2nd\t1\t-7\nzoe\t2\t0900\n");
  place.write("knows.csv", "a,b\n\"bo\nb\",zoe\nzoe,zoe\n");
}

TEST(stream_tables, keys_become_dense_ids_in_the_order_of_the_node_files) {
  const temporary_folder place;
  write_shop(place);
  for (const std::uint64_t memory : {std::uint64_t{1} << 20, std::uint64_t{0}}) {
    const auto g = stream(place, memory);
    hg::validate(g);
    EXPECT_EQ(g.name, "shop");
    EXPECT_EQ(g.schema.node_types(), (std::vector<std::string>{"user", "item"}));
    EXPECT_EQ(g.node_counts, (std::vector<std::uint64_t>{3, 2}));
    EXPECT_EQ(edges_of(g, 0), (edge_pairs{{0, 1}, {1, 0}, {0, 1}}))
        << "items ascend as numbers: -7, 900";
    EXPECT_EQ(edges_of(g, 1), (edge_pairs{{2, 0}, {0, 0}}));
    EXPECT_EQ(rows_of(feature_of(g.node_features, 0, "age")).values<std::int16_t>(),
              (std::vector<std::int16_t>{31, -1, 40}));
    const auto at = rows_of(feature_of(g.node_features, 0, "place"));
    EXPECT_EQ(at.shape(), (hg::tensor_shape{3, 2}));
    EXPECT_EQ(at.values<double>(), (std::vector<double>{0.5, 1, 2, -300, 8, 7}));
    const auto price = rows_of(feature_of(g.edge_features, 0, "price"));
    EXPECT_EQ(price.shape(), hg::tensor_shape{3});
    EXPECT_EQ(price.values<float>(), (std::vector<float>{9.5f, 1, 2}));
    EXPECT_EQ(dictionary(place, "user").find("ann, the 2nd"), 1u);
    EXPECT_EQ(dictionary(place, "user").key(2), "bo\nb");
    EXPECT_EQ(dictionary(place, "item").find("900"), 1u);
    ASSERT_EQ(g.notes.size(), 1u);
    EXPECT_NE(g.notes[0].find("\"item\" has no files"), std::string::npos);
  }
}

TEST(stream_tables, any_budget_gives_what_maps_in_memory_give) {
  const temporary_folder place;
  hg::random_stream draw(7);
  std::map<std::string, std::uint64_t> ids;
  std::string nodes = "key\n", edges;
  while (ids.size() < 700) {
    const std::string key = "k" + std::to_string(draw.below(1'000'000)) +
                            std::string(draw.below(30), 'x');
    if (ids.emplace(key, ids.size()).second) nodes += key + "\n";
  }
  std::vector<std::string> keys(ids.size());
  for (const auto& [key, id] : ids) keys[id] = key;
  edge_pairs expected;
  std::set<std::string> tags;
  std::vector<std::pair<std::uint64_t, std::string>> tagged;
  for (int e = 0; e < 2000; ++e) {
    expected.emplace_back(draw.below(700), draw.below(700));
    tagged.emplace_back(expected.back().first, "t" + std::to_string(draw.below(500)));
    tags.insert(tagged.back().second);
    edges += keys[expected.back().first] + "," + keys[expected.back().second] + "," +
             tagged.back().second + "\n";
  }
  place.write("nodes.csv", nodes);
  place.write("edges.csv", edges);
  place.write("spec.json", R"({"nodes": {"n": {"files": ["nodes.csv"], "key": "key"}, "tag": {}},
    "edges": {"n:to:n": {"files": ["edges.csv"], "header": false, "source": 0, "target": 1},
              "n:has:tag": {"files": ["edges.csv"], "header": false, "source": 0, "target": 2}}})");
  for (const std::uint64_t memory : {std::uint64_t{1} << 26, std::uint64_t{0}}) {
    const auto g = stream(place, memory);
    EXPECT_EQ(g.name, "spec");
    EXPECT_EQ(g.node_counts, (std::vector<std::uint64_t>{700, tags.size()}));
    EXPECT_EQ(edges_of(g, 0), expected);
    const auto has = edges_of(g, 1);
    ASSERT_EQ(has.size(), tagged.size());
    for (std::size_t e = 0; e < has.size(); ++e) {
      ASSERT_EQ(has[e].first, tagged[e].first);
      ASSERT_EQ(has[e].second, static_cast<std::uint64_t>(
                                   std::distance(tags.begin(), tags.find(tagged[e].second))));
    }
    for (std::uint64_t id = 0; id < 700; id += 23)
      EXPECT_EQ(dictionary(place, "n").key(id), keys[id]);
  }
}

TEST(stream_tables, empty_tables_are_empty_types) {
  const temporary_folder place;
  place.write("nodes.csv", "key\n");
  place.write("edges.csv", "s,t,w\n");
  place.write(
      "spec.json",
      R"({"nodes": {"n": {"files": ["nodes.csv"], "key": "key", "features": {"f": {"columns": ["key"]}}}, "m": {}},
    "edges": {"n:to:m": {"files": ["edges.csv"], "source": "s", "target": "t"}, "m:to:m": {"files": [], "source": "s", "target": "t"}}})");
  const auto g = stream(place);
  hg::validate(g);
  EXPECT_EQ(g.node_counts, (std::vector<std::uint64_t>{0, 0}));
  EXPECT_EQ(g.edge_counts, (std::vector<std::uint64_t>{0, 0}));
  EXPECT_TRUE(edges_of(g, 0).empty());
  EXPECT_EQ(dictionary(place, "n").size(), 0u);
}

TEST(stream_tables, a_key_that_no_node_has_is_reported_where_it_stands) {
  const temporary_folder place;
  write_shop(place);
  place.write("knows.csv", "a,b\nzoe,\"bo\nb\"\nzoe,tim\nkim,zoe\nal,zoe\n");
  expect_refused(place, hg::error_kind::not_found, "knows.csv", 5,
                 "column \"a\" is \"kim\", which is not a key of node type \"user\"; 2 edges");
  place.write("knows.csv", "a,b\nzoe,\"bo\nb\"\nzoe,tim\n");
  expect_refused(place, hg::error_kind::not_found, "knows.csv", 4, "column \"b\" is \"tim\"");
}

TEST(stream_tables, a_key_that_two_nodes_have_is_reported_with_both_places) {
  const temporary_folder place;
  write_shop(place);
  place.write("users-1.csv", "y,x,id,age\n1,1,new,1\n7,8,zoe,40\n");
  expect_refused(place, hg::error_kind::exists, "users-1.csv", 3,
                 "the key \"zoe\" of node type \"user\" occurs already in " + place("users-0.csv") +
                     ", line 2");
  place.write("nodes.csv", "7\n8\n007\n");
  place.write(
      "spec.json",
      R"({"header": false, "nodes": {"n": {"files": ["nodes.csv"], "key": 0, "keys": "integer"}}, "edges": {}})");
  expect_refused(place, hg::error_kind::exists, "nodes.csv", 3, "the key \"7\"");
}

TEST(stream_tables, fields_that_do_not_fit_are_reported_with_their_line) {
  const temporary_folder place;
  const auto with = [&](const char* name, const char* content) {
    write_shop(place);
    place.write(name, content);
  };
  with("users-0.csv", "id,age,x,y\nzoe,thirty,1,1\n");
  expect_refused(place, hg::error_kind::malformed, "users-0.csv", 2,
                 "column \"age\" is \"thirty\"; it must be a number that int16 holds");
  with("users-0.csv", "id,age,x,y\nzoe,32768,1,1\n");
  expect_refused(place, hg::error_kind::malformed, "users-0.csv", 2, "column \"age\" is \"32768\"");
  with("users-0.csv", "id,age,x,y\n\nzoe,3,,1\n");
  expect_refused(
      place, hg::error_kind::malformed, "users-0.csv", 3,
      "column \"x\" is empty; it must be a number that float64 holds, or the specification must give a value");
  with("users-0.csv", "id,age,x,y\nzoe,3,1\n");
  expect_refused(place, hg::error_kind::malformed, "users-0.csv", 2,
                 "has 3 fields; it must have 4, as the header");
  with("users-1.csv", "id,age,x\n");
  expect_refused(place, hg::error_kind::not_found, "users-1.csv", 1,
                 "no column is called \"y\"; there are \"id\", \"age\", \"x\"");
  with("users-1.csv", "id,age,x,y,y\n");
  expect_refused(place, hg::error_kind::malformed, "users-1.csv", 1,
                 "two columns are called \"y\"");
  with("users-1.csv", "");
  expect_refused(place, hg::error_kind::malformed, "users-1.csv", std::nullopt,
                 "must begin with a header");
  with("users-1.csv", "id,age,x,y\n,1,1,1\n");
  expect_refused(place, hg::error_kind::malformed, "users-1.csv", 2,
                 "the key in column \"id\" is empty");
  with("buys.tsv", "zoe\t1\t2\nzoe\t1\ttwo\n");
  expect_refused(place, hg::error_kind::malformed, "buys.tsv", 2,
                 "the key in column 2 is \"two\"; it must be an integer");
  with("buys.tsv", "zoe\t1\n");
  expect_refused(place, hg::error_kind::not_found, "buys.tsv", 1, "there is no column 2");
  with("buys.tsv", "zoe\t1\t2\nzoe\t1\n");
  expect_refused(place, hg::error_kind::malformed, "buys.tsv", 2, "as the first record");
  write_shop(place);
  std::filesystem::remove(place("knows.csv"));
  expect_refused(place, hg::error_kind::not_found, "knows.csv", std::nullopt, "cannot open");
}

TEST(stream_tables, a_specification_that_does_not_fit_is_refused) {
  const temporary_folder place;
  const auto refused = [&](const char* spec, hg::error_kind code, std::string_view words) {
    place.write("spec.json", spec);
    expect_refused(place, code, "spec.json", std::nullopt, words);
  };
  refused(R"({"nodes": {}, "edges": {}})", hg::error_kind::malformed, "\"nodes\" is empty");
  refused(R"({"nodes": {"n": {}}})", hg::error_kind::not_found, "\"edges\" is missing");
  refused(R"({"nodes": {"n": {"file": []}}, "edges": {}})", hg::error_kind::malformed,
          "\"file\" of \"n\" is unknown; known are files");
  refused(R"({"nodes": {"n": {"files": []}}, "edges": {}})", hg::error_kind::malformed, "is empty");
  refused(R"({"nodes": {"n": {"key": "id"}}, "edges": {}})", hg::error_kind::malformed,
          "no \"files\"");
  refused(R"({"nodes": {"n": {"files": ["x"]}}, "edges": {}})", hg::error_kind::not_found,
          "\"key\" is missing");
  refused(R"({"nodes": {"n": {"keys": "int"}}, "edges": {}})", hg::error_kind::malformed,
          "\"text\" or \"integer\"");
  refused(R"({"nodes": {"a/b": {}}, "edges": {}})", hg::error_kind::invalid_argument, "a/b");
  refused(R"({"nodes": {"n": {}}, "edges": {"n:n": {}}})", hg::error_kind::malformed,
          "source:relation:target");
  refused(
      R"({"nodes": {"n": {}}, "edges": {"n:to:m": {"files": [], "source": "a", "target": "b"}}})",
      hg::error_kind::not_found, "\"m\"");
  refused(R"({"nodes": {"n": {}}, "edges": {"n:to:n": {"files": [], "source": "a"}}})",
          hg::error_kind::not_found, "\"target\" is missing");
  refused(R"({"header": false, "nodes": {"n": {"files": ["x"], "key": "id"}}, "edges": {}})",
          hg::error_kind::malformed, "no header");
  refused(R"({"delimiter": "ab", "nodes": {"n": {}}, "edges": {}})", hg::error_kind::malformed,
          "one character");
  refused(R"({"delimiter": "\"", "nodes": {"n": {}}, "edges": {}})",
          hg::error_kind::invalid_argument, "delimiter and quotation mark must be different");
  refused(R"({"header": 1, "nodes": {"n": {}}, "edges": {}})", hg::error_kind::malformed,
          "true or false");
  refused(
      R"({"nodes": {"n": {"files": ["x"], "key": 0, "features": {"f": {"columns": 1, "dtype": "float8"}}}}, "edges": {}})",
      hg::error_kind::unsupported, "float8");
  refused(
      R"({"nodes": {"n": {"files": ["x"], "key": 0, "features": {"f": {"columns": []}}}}, "edges": {}})",
      hg::error_kind::malformed, "empty list");
  refused(R"({"nodes": {"n": {"files": ["x"], "key": -1}}, "edges": {}})",
          hg::error_kind::malformed, "number from 0");
}

/// A field as an element, or nothing.
template <class T>
std::optional<T> stored(std::string_view field, hg::dtype type = hg::dtype_of<T>()) {
  T out{};
  if (!hg::detail::store_field(field, type, reinterpret_cast<std::byte*>(&out)))
    return std::nullopt;
  return out;
}

TEST(stream_tables, numbers_are_what_their_dtype_holds) {
  EXPECT_EQ(stored<std::int8_t>("-128"), -128);
  EXPECT_EQ(stored<std::int8_t>("128"), std::nullopt);
  EXPECT_EQ(stored<std::uint8_t>(" +255 "), 255);
  EXPECT_EQ(stored<std::uint8_t>("-1"), std::nullopt);
  EXPECT_EQ(stored<std::uint64_t>("18446744073709551615"), ~std::uint64_t{0});
  EXPECT_EQ(stored<std::int64_t>("9223372036854775808"), std::nullopt);
  EXPECT_EQ(stored<std::int32_t>("3.0"), 3);
  EXPECT_EQ(stored<std::int32_t>("3e2"), 300);
  EXPECT_EQ(stored<std::int32_t>("3.5"), std::nullopt);
  EXPECT_EQ(stored<std::int32_t>("3e10"), std::nullopt);
  EXPECT_EQ(stored<std::int32_t>("nan"), std::nullopt);
  EXPECT_EQ(stored<std::int32_t>(""), std::nullopt);
  EXPECT_EQ(stored<std::int32_t>("1 2"), std::nullopt);
  EXPECT_EQ(stored<float>("16777217"), 16777216.0f);
  EXPECT_EQ(stored<float>("1e39"), std::nullopt);
  EXPECT_EQ(stored<float>("1e-60"), 0.0f);
  EXPECT_TRUE(std::isnan(stored<float>("nan").value()));
  EXPECT_TRUE(std::isinf(stored<double>("-inf").value()));
  EXPECT_EQ(stored<double>("1e400"), std::nullopt);
  EXPECT_EQ(stored<double>("1e-400"), 0.0);
  EXPECT_EQ(stored<double>("1x"), std::nullopt);
  EXPECT_EQ(stored<std::uint16_t>("1.5", hg::dtype::float16), 0x3E00);
  EXPECT_EQ(stored<std::uint16_t>("70000", hg::dtype::float16), std::nullopt);
  EXPECT_EQ(stored<std::uint8_t>("TRUE", hg::dtype::boolean), 1);
  EXPECT_EQ(stored<std::uint8_t>("0", hg::dtype::boolean), 0);
  EXPECT_EQ(stored<std::uint8_t>("2", hg::dtype::boolean), std::nullopt);
}

constexpr const char* mixed = R"({
  "nodes": {"user": {"files": ["users.parquet", "users.csv"], "key": "id",
                     "features": {"age": {"columns": "age", "dtype": "int16", "missing": -1},
                                  "place": {"columns": ["x", "x"], "dtype": "float64"}}},
            "item": {"files": ["items.parquet"], "key": 0,
                     "features": {"feat": {"columns": "feat"}}}},
  "edges": {"user:buys:item": {"files": ["buys.parquet"], "source": "who", "target": "what"}}})";

text_tables mixed_tables(const temporary_folder& place) {
  text_tables out;
  out.all[place("users.parquet")] = {
      {"age", "x", "id"}, {{"7", "0.5", "ada"}, {"", "1.5", "bob"}, {"9", "2", "c,d"}}, {2, 1}, {}};
  out.all[place("items.parquet")] = {
      {"key", "feat"}, {{"i0", "[1.0, 2.5]"}, {"i1", "[-3, 4]"}}, {2}, {{"feat", 2}}};
  out.all[place("buys.parquet")] = {
      {"what", "who"}, {{"i1", "c,d"}, {"i0", "ada"}, {"i1", "eve"}}, {3}, {}};
  place.write("spec.json", mixed);
  place.write("users.csv", "x,id,age\n3,eve,10\n");
  return out;
}

TEST(stream_tables, parquet_tables_give_what_csv_tables_give) {
  const temporary_folder place;
  const text_tables tables = mixed_tables(place);
  const auto graph = stream_with(place, tables);
  EXPECT_EQ(graph.node_counts, (std::vector<std::uint64_t>{4, 2}));
  EXPECT_EQ(edges_of(graph, 0), (edge_pairs{{2, 1}, {0, 0}, {3, 1}}));
  EXPECT_EQ(rows_of(feature_of(graph.node_features, 0, "age")).values<std::int16_t>(),
            (std::vector<std::int16_t>{7, -1, 9, 10}));
  EXPECT_EQ(rows_of(feature_of(graph.node_features, 0, "place")).values<double>(),
            (std::vector<double>{0.5, 0.5, 1.5, 1.5, 2, 2, 3, 3}));
  EXPECT_EQ(feature_of(graph.node_features, 1, "feat").row_shape, hg::tensor_shape{2});
  EXPECT_EQ(rows_of(feature_of(graph.node_features, 1, "feat")).values<float>(),
            (std::vector<float>{1, 2.5, -3, 4}));
  // Groups are read one at a time, as a whole.
  ASSERT_GE(tables.calls->size(), 2u);
  EXPECT_EQ((*tables.calls)[0], text_tables::run(0, 2));
  EXPECT_EQ((*tables.calls)[1], text_tables::run(2, 3));
}

TEST(stream_tables, what_is_wrong_in_a_parquet_table_is_reported_with_its_row) {
  const temporary_folder place;
  const auto refused = [&](const text_tables& tables, hg::error_kind code, const std::string& file,
                           std::string_view words) {
    try {
      stream_with(place, tables);
      FAIL() << "no error with " << words;
    } catch (const hg::error& problem) {
      EXPECT_EQ(problem.code(), code) << problem.what();
      EXPECT_EQ(problem.where().file, place(file)) << problem.what();
      EXPECT_FALSE(problem.where().line) << problem.what();
      EXPECT_NE(problem.message().find(words), std::string::npos) << problem.what();
    }
  };
  const text_tables good = mixed_tables(place);
  using hg::error_kind;
  text_tables bad = good;
  bad.all[place("buys.parquet")].rows[2][1] = "nobody";
  refused(bad, error_kind::not_found, "buys.parquet",
          "row 2: column \"who\" is \"nobody\", which is not a key of node type \"user\"");
  bad = good;
  bad.all[place("users.parquet")].rows[2][2] = "ada";
  refused(bad, error_kind::exists, "users.parquet",
          "occurs already in " + place("users.parquet, row 0"));
  bad = good;
  bad.all[place("users.parquet")].rows[1][2] = "";
  refused(bad, error_kind::malformed, "users.parquet", "row 1: the key in column \"id\" is empty");
  bad = good;
  bad.all[place("users.parquet")].rows[1][0] = "x";
  refused(bad, error_kind::malformed, "users.parquet", "row 1: column \"age\" is \"x\"");
  for (const char* const list : {"[1.0]", "[1, 2, 3]", "[]", "", "1, 2", "[1, ]", "[1, 2,]"}) {
    bad = good;
    bad.all[place("items.parquet")].rows[1][1] = list;
    refused(bad, error_kind::malformed, "items.parquet", "row 1: column \"feat\" is ");
  }
  bad = good;
  bad.all[place("buys.parquet")].names[0] = "thing";
  refused(bad, error_kind::not_found, "buys.parquet",
          "no column is called \"what\"; there are \"thing\", \"who\"");
}

TEST(stream_tables, parquet_tables_need_a_library_that_gives_text) {
  const temporary_folder place;
  mixed_tables(place);
  hg::archetype::tables::all_tables numbers{{place("users.parquet"), {}}};
  for (const auto& [tables, words] :
       {std::pair(hg::any_table_reader(), "duckdb"),
        std::pair(hg::any_table_reader(hg::archetype::tables(numbers)), "numbers alone")}) {
    try {
      stream_with(place, tables);
      FAIL() << "no error with " << words;
    } catch (const hg::error& problem) {
      EXPECT_EQ(problem.code(), hg::error_kind::unsupported) << problem.what();
      EXPECT_EQ(problem.where().file, place("users.parquet")) << problem.what();
      EXPECT_NE(problem.message().find(words), std::string::npos) << problem.what();
    }
  }
}

}  // namespace
