// SPDX-License-Identifier: BSL-1.0
#include "support/collect_stream.hpp"
#include "support/temporary_folder.hpp"
#include "support/words.hpp"

#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/io/formats/tables.hpp>
#include <halograph/io/write_tables.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

namespace hg = halograph;
using hg::testing::edges_of;
using hg::testing::expect_same_graph;
using hg::testing::refusal_of;
using hg::testing::temporary_folder;

/// Tables in files of text, a line for each row, columns with bars between; three rows at a time.
struct text_tables {
  void write(const std::string& path, std::span<const hg::table_column> columns,
             const std::optional<std::string>&, std::uint64_t rows, hg::table_source source) const {
    std::ofstream out(path);
    for (const auto& column : columns) out << column.name << (column.list ? "[]" : "") << '|';
    out << '\n';
    for (std::uint64_t first = 0; first < rows; first += 3) {
      const std::uint64_t count = std::min<std::uint64_t>(3, rows - first);
      std::vector<std::vector<std::byte>> held;
      std::vector<std::span<std::byte>> spans;
      for (const auto& column : columns)
        held.emplace_back(
            static_cast<std::size_t>(count * column.width * hg::item_bytes(column.type)));
      for (auto& one : held) spans.emplace_back(one);
      source(first, count, spans);
      for (std::uint64_t row = 0; row < count; ++row) {
        for (std::size_t c = 0; c < columns.size(); ++c) {
          const std::size_t item = hg::item_bytes(columns[c].type);
          if (columns[c].list) out << '[';
          for (std::uint64_t i = 0; i < columns[c].width; ++i) {
            if (i != 0) out << ", ";
            const std::byte* at = held[c].data() + (row * columns[c].width + i) * item;
            float number = 0;
            std::int64_t integer = 0;
            if (columns[c].type == hg::dtype::float32) {
              std::memcpy(&number, at, sizeof number);
              out << number;
            } else {
              std::memcpy(&integer, at, sizeof integer);
              out << integer;
            }
          }
          out << (columns[c].list ? "]|" : "|");
        }
        out << '\n';
      }
    }
  }
  // Reads them again.
  std::vector<std::vector<std::string>> lines_of(const std::string& path) const {
    std::vector<std::vector<std::string>> out;
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);) {
      out.emplace_back();
      std::stringstream fields(line);
      for (std::string field; std::getline(fields, field, '|');) out.back().push_back(field);
    }
    return out;
  }
  hg::table_info examine(const std::string& path) const {
    const auto lines = lines_of(path);
    hg::table_info info;
    info.rows = lines.size() - 1;
    info.group_rows = {info.rows};
    for (std::size_t c = 0; c < lines[0].size(); ++c) {
      if (!lines[0][c].ends_with("[]")) continue;
      const std::string first = lines.size() > 1 ? lines[1][c] : "";
      info.columns.push_back(
          {lines[0][c].substr(0, lines[0][c].size() - 2), hg::dtype::float32, true,
           static_cast<std::uint64_t>(1 + std::count(first.begin(), first.end(), ','))});
    }
    return info;
  }
  std::vector<std::string> column_names(const std::string& path) const {
    auto names = lines_of(path)[0];
    for (auto& one : names) {
      if (one.ends_with("[]")) one.resize(one.size() - 2);
    }
    return names;
  }
  void read(const std::string&, const hg::table_info&, std::uint64_t, std::uint64_t,
            hg::table_sink) const {}
  void read_text(const std::string& path, std::span<const std::string> columns, std::uint64_t first,
                 std::uint64_t last, hg::text_sink sink) const {
    const auto names = column_names(path);
    const auto lines = lines_of(path);
    for (; first < last; ++first) {
      std::vector<std::string_view> fields;
      for (const auto& one : columns) {
        const auto c = std::find(names.begin(), names.end(), one) - names.begin();
        fields.push_back(lines[static_cast<std::size_t>(first) + 1][static_cast<std::size_t>(c)]);
      }
      sink(first, 1, fields);
    }
  }
};
static_assert(hg::table_writer<text_tables> && hg::table_reader<text_tables>);

hg::chunked_tensor rows_of(hg::tensor_shape shape, const std::vector<float>& values) {
  const auto held = std::make_shared<const std::vector<float>>(values);
  return hg::chunked_tensor(
      hg::tensor(hg::dtype::float32, std::move(shape), std::as_bytes(std::span(*held)), held));
}

hg::dataset<> shop() {
  hg::dataset<> data;
  data.name = "shop";
  data.schema.add_node_type("user");
  data.schema.add_node_type("item");
  data.schema.add_edge_type({"user", "buys", "item"});
  data.node_counts = {4, 2};
  data.edges.resize(1);
  data.edges[0].source = {3, 0, 1, 3, 2};
  data.edges[0].target = {1, 0, 1, 0, 0};
  data.features.nodes.push_back({0, "age", rows_of({4}, {1, 2, 3, 4.5})});
  data.features.nodes.push_back({1, "feat", rows_of({2, 3}, {1, 2, 3, 4, 5, 6})});
  data.features.edges.push_back({0, "weight", rows_of({5}, {9, 8, 7, 6, -5})});
  data.finish();
  return data;
}

TEST(write_tables, a_table_for_each_type_is_read_back_by_its_specification) {
  const temporary_folder place;
  const auto data = shop();
  hg::staged_folder staged(place("out"));
  const auto made = hg::write_tables(
      hg::stream_graph(data.graph(), data.schema, data.features, data.name), staged, text_tables{});
  staged.commit();
  EXPECT_EQ(made.files, 4u);
  std::uint64_t bytes = 0;
  for (const char* const file :
       {"nodes/user.parquet", "nodes/item.parquet", "edges/user:buys:item.parquet", "tables.json"})
    bytes += std::filesystem::file_size(place("out/" + std::string(file)));
  EXPECT_EQ(made.bytes, bytes);
  EXPECT_EQ(text_tables{}.lines_of(place("out/edges/user:buys:item.parquet")),
            (std::vector<std::vector<std::string>>{{"source", "target", "weight"},
                                                   {"3", "1", "9"},
                                                   {"0", "0", "8"},
                                                   {"1", "1", "7"},
                                                   {"3", "0", "6"},
                                                   {"2", "0", "-5"}}));
  EXPECT_EQ(text_tables{}.lines_of(place("out/nodes/item.parquet")),
            (std::vector<std::vector<std::string>>{
                {"id", "feat[]"}, {"0", "[1, 2, 3]"}, {"1", "[4, 5, 6]"}}));
  const auto back = hg::stream_tables(
      hg::read_tables_spec(place("out/tables.json"), hg::read_files{}, hg::nlohmann_codec{}),
      {.scratch = place(), .dictionaries = {}, .memory = 1 << 20, .on_progress = {}},
      hg::read_files{}, text_tables{});
  EXPECT_EQ(back.name, "shop");
  expect_same_graph(back, data);
}

TEST(write_tables, columns_that_would_have_one_name_are_refused) {
  const temporary_folder place;
  const auto refused = [&](std::size_t nodes, const char* name) {
    auto data = shop();
    (nodes == 0 ? data.features.edges : data.features.nodes)[0].name = name;
    if (nodes == 2) data.features.nodes.push_back({0, "age", rows_of({4}, {1, 2, 3, 4})});
    hg::staged_folder staged(place("out"));
    const auto problem = refusal_of([&] {
      return hg::write_tables(hg::stream_graph(data.graph(), data.schema, data.features, data.name),
                              staged, text_tables{});
    });
    EXPECT_EQ(problem.code(), hg::error_kind::exists) << problem.what();
    EXPECT_NE(std::string(problem.what()).find("rename it"), std::string::npos) << problem.what();
  };
  refused(0, "Source");
  refused(1, "id");
  refused(2, "AGE");
  EXPECT_FALSE(std::filesystem::exists(place("out")));
}

TEST(write_tables, need_a_library) {
  const temporary_folder place;
  const auto data = shop();
  hg::staged_folder staged(place("out"));
  EXPECT_EQ(refusal_of([&] {
              return hg::write_tables(
                  hg::stream_graph(data.graph(), data.schema, data.features, data.name), staged,
                  hg::no_tables{});
            }).code(),
            hg::error_kind::unsupported);
}

}  // namespace
