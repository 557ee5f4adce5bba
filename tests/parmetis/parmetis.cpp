// SPDX-License-Identifier: BSL-1.0
#include "support/small_folder.hpp"
#include "support/temporary_folder.hpp"

#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/folder/assignment_files.hpp>
#include <halograph/io/chunked/read.hpp>
#include <halograph/parmetis/convert.hpp>
#include <halograph/parmetis/convert_ranks.hpp>
#include <halograph/parmetis/export.hpp>
#include <halograph/parmetis/files.hpp>
#include <halograph/parmetis/import.hpp>
#include <halograph/parmetis/partition.hpp>
#include <halograph/testing/thread_ranks.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace hg = halograph;
namespace fs = std::filesystem;
using namespace hg::testing;
using hg::part_id;

const hg::read_files open{};
const hg::nlohmann_codec codec{};

/// Where files go as they are: an output that nothing stages.
struct plain_output {
  std::string folder;
  std::vector<std::string> names{};
  void add(const std::string& name) { names.push_back(name); }
  const std::string& path() const { return folder; }
};

template <class Function>
hg::error refusal(Function&& f) {
  try {
    f();
  } catch (const hg::error& problem) {
    return problem;
  }
  return hg::error(hg::error_kind::ok, "it was taken");
}

/// The files of parts, read by so many ranks: what they make of them, or the error that all of them
/// raise.
hg::parmetis_chunks on_ranks(std::size_t ranks, const std::string& folder, const std::string& graph,
                             const hg::parmetis_schema& schema,
                             const hg::parmetis_parts_options& options, const std::string& to) {
  hg::parmetis_chunks out;
  std::vector<std::optional<hg::error>> said(ranks);
  hg::run_ranks(ranks, [&](const hg::thread_rank& me) {
    try {
      auto made = hg::write_parmetis_chunks(folder, graph, schema, options, to, open,
                                            hg::sequential{}, me);
      if (me.rank() + 1 == ranks) out = std::move(made);
    } catch (const hg::joint_error& problem) {
      said[me.rank()] = problem;
    } catch (const hg::error& problem) {
      said[me.rank()] = hg::error(problem.code(), (ranks == 1 ? "" : "alone: ") + problem.message(),
                                  problem.where());
    }
  });
  for (const auto& one : said) {
    EXPECT_EQ(one.has_value(), said[0].has_value());
    if (one && said[0]) {
      EXPECT_STREQ(one->what(), said[0]->what());
    }
  }
  if (said[0]) throw hg::error(*said[0]);
  return out;
}
/// They hold what one rank reads.
void expect_same_graph(const std::string& chunks, const hg::dataset<>& want,
                       const std::vector<part_id>& owner, part_id parts) {
  const auto got = hg::read_chunked(chunks, {}, open, codec);
  EXPECT_EQ(got.schema, want.schema);
  EXPECT_EQ(got.node_counts, want.node_counts);
  ASSERT_EQ(got.edges.size(), want.edges.size());
  for (std::size_t r = 0; r < got.edges.size(); ++r) {
    EXPECT_EQ(got.edges[r].source, want.edges[r].source);
    EXPECT_EQ(got.edges[r].target, want.edges[r].target);
  }
  const auto same = [](const auto& a, const auto& b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(a[i].name, b[i].name);
      EXPECT_EQ(a[i].type, b[i].type);
      ASSERT_EQ(a[i].rows.rows(), b[i].rows.rows());
      EXPECT_EQ(a[i].rows.type(), b[i].rows.type());
      std::vector<std::uint64_t> all(static_cast<std::size_t>(a[i].rows.rows()));
      std::iota(all.begin(), all.end(), 0u);
      ASSERT_EQ(a[i].rows.row_bytes(), b[i].rows.row_bytes());
      std::vector<std::byte> left(all.size() * a[i].rows.row_bytes()), right(left.size());
      EXPECT_TRUE(a[i].rows.gather(std::span<const std::uint64_t>(all), std::span(left)));
      EXPECT_TRUE(b[i].rows.gather(std::span<const std::uint64_t>(all), std::span(right)));
      EXPECT_EQ(left, right) << a[i].name;
    }
  };
  same(got.features.nodes, want.features.nodes);
  same(got.features.edges, want.features.edges);
  EXPECT_EQ(
      hg::read_assignment(chunks + "/assignment", want.schema, want.node_counts, parts, open, codec)
          .owner,
      owner);
}

// The example of the format's description: a of 3 nodes, b of 4, r from a to b, s from b to a.
struct example {
  temporary_folder place{};
  hg::parmetis_schema schema{};
  const std::vector<part_id> owner{0, 0, 1, 0, 1, 1, 1};

  example() {
    place.write("ex_nodes.txt", "0 1 0 0\n0 1 0 1\n0 1 0 2\n1 0 1 0\n1 0 1 1\n1 0 1 2\n1 0 1 3\n");
    place.write("ex_edges.txt", "0 3 0 0\n1 4 1 0\n2 5 2 0\n3 1 0 1\n6 2 1 1\n");
    place.write("ex_stats.txt", "7 5 2\n");
    place.write("ex.json", R"({"nid":{"a":[0,3],"b":[3,7]},"eid":{"r":[0,3],"s":[3,5]}})");
    schema = hg::read_parmetis_schema(place("ex.json"), open, codec);
  }
  hg::parmetis_write_result write(const hg::parmetis_write_options& options = {}) const {
    const auto in = hg::read_parmetis_graph<std::uint8_t>(place(), "ex", open);
    plain_output out{place()};
    return hg::write_parmetis_parts(in, std::span<const part_id>(owner), 2, out, options);
  }
  hg::parmetis_parts<std::uint8_t, std::uint8_t> read(
      hg::parmetis_parts_options options = {}) const {
    options.parts = 2;
    options.weights = 2;
    return hg::read_parmetis_parts<std::uint8_t, std::uint8_t>(place(), "ex", schema, options,
                                                               open);
  }
};

TEST(parmetis_names, parts_have_three_digits_at_least) {
  const hg::parmetis_names names{"g"};
  EXPECT_EQ(names.part_nodes(0), "p000-g_nodes.txt");
  EXPECT_EQ(names.part_edges(12), "p012-g_edges.txt");
  EXPECT_EQ(names.part_stats(1000), "p1000-g_stats.txt");
  EXPECT_EQ(names.assignment(8), "g_part.8");
}

TEST(parmetis_schema, round_trips_through_json) {
  hg::parmetis_schema schema;
  schema.node_types = {"a", "empty", "b"};
  schema.node_ranges = {{0, 3}, {3, 3}, {3, 7}};
  schema.edge_names = {"r", "a:s:b"};
  schema.edge_ranges = {{0, 5}, {5, 5}};
  schema.edge_types = {hg::canonical_etype{"a", "r", "b"}, hg::canonical_etype{"a", "s", "b"}};
  schema.node_attributes = {{2, "feat", hg::dtype::float16, {2, 3}},
                            {2, "label", hg::dtype::int64, {}}};
  EXPECT_EQ(hg::parmetis_schema_from_json(hg::to_json(schema), "x.json"), schema);
  EXPECT_EQ(schema.node_type(2), 0u);
  EXPECT_EQ(schema.node_type(3), 2u);
}

TEST(parmetis_schema, numbers_types_by_their_first_ids) {
  hg::json::value root;
  ASSERT_TRUE(codec.parse(
      R"({"nid":{"late":[4,9],"early":[0,4]},"eid":{"y":[7,8],"x":[0,7],"z":[7,7]},"more":1})",
      root));
  const auto schema = hg::parmetis_schema_from_json(root, "x.json");
  EXPECT_EQ(schema.node_types, (std::vector<std::string>{"early", "late"}));
  EXPECT_EQ(schema.edge_names, (std::vector<std::string>{"x", "y", "z"}));
  EXPECT_FALSE(schema.edge_types[0]);
}

TEST(parmetis_schema, reports_what_is_wrong_with_a_schema) {
  const std::pair<const char*, const char*> cases[] = {
      {R"([])", "object"},
      {R"({"eid":{}})", "\"nid\" is missing"},
      {R"({"nid":{},"eid":{}})", "at least one"},
      {R"({"nid":{"a":[0]},"eid":{}})", "[first, last + 1]"},
      {R"({"nid":{"a":[3,1]},"eid":{}})", "in ascending order"},
      {R"({"nid":{"a":[0,-1]},"eid":{}})", "two non-negative integers"},
      {R"({"nid":{"a":[0,3],"b":[4,5]},"eid":{}})", "without gaps"},
      {R"({"nid":{"a":[0,3],"b":[2,5]},"eid":{}})", "without gaps"},
      {R"({"nid":{"a":[0,3],"a":[3,5]},"eid":{}})", "twice"},
      {R"({"nid":{"../a":[0,3]},"eid":{}})", "node type name"},
      {R"({"nid":{"a":[0,3]},"eid":{"r/s":[0,1]}})", "relation name"},
      {R"({"nid":{"a":[0,3]},"eid":{"a:r:c":[0,1]}})", "not listed"},
      {R"({"nid":{"a":[0,3]},"eid":{"r":[0,1]},"edge_types":{"r":"r"}})", "source:relation:target"},
      {R"({"nid":{"a":[0,3]},"eid":{},"node_attributes":[{"type":"b","name":"x","dtype":"int8","shape":[]}]})",
       "does not list"},
      {R"({"nid":{"a":[0,3]},"eid":{},"node_attributes":[{"type":"a","name":"x","dtype":"int7","shape":[]}]})",
       "dtype"},
      {R"({"nid":{"a":[0,3]},"eid":{},"node_attributes":[{"type":"a","name":"x","dtype":"int8","shape":[4294967296,4294967296]}]})",
       "line can hold"},
  };
  for (const auto& [text, words] : cases) {
    hg::json::value root;
    ASSERT_TRUE(codec.parse(text, root)) << text;
    const auto problem = refusal(
        [&, &root = root] { static_cast<void>(hg::parmetis_schema_from_json(root, "x.json")); });
    EXPECT_NE(problem.code(), hg::error_kind::ok) << text;
    EXPECT_EQ(problem.where().file, "x.json") << text;
    EXPECT_NE(problem.message().find(words), std::string::npos) << text << "\n" << problem.what();
  }
}

TEST(parmetis_export, writes_the_rows_of_the_format) {
  hg::dataset<std::uint8_t, std::uint8_t> data;
  data.schema.add_node_type("a");
  data.schema.add_node_type("none");
  data.schema.add_node_type("b");
  data.schema.add_edge_type({"a", "r", "b"});
  data.schema.add_edge_type({"b", "s", "b"});
  data.schema.add_edge_type({"a", "s", "b"});
  data.node_counts = {2, 0, 3};
  data.edges = {{{0, 1, 0}, {0, 2, 0}}, {{0, 1, 0}, {1, 1, 1}}, {{0, 1}, {1, 2}}};
  data.features.nodes.push_back(
      {0, "x", hg::tensor::from(std::vector<float>{0.5f, -1, 0.1f, 3e-9f}, {2, 2})});
  data.features.nodes.push_back({2, "y", hg::tensor::from(std::vector<std::int8_t>{-1, 0, 1})});
  data.finish();
  const temporary_folder place;
  plain_output out{place()};
  hg::parmetis_export_options options;
  options.graph_name = "g";
  const auto made = hg::export_parmetis(data, out, options);
  EXPECT_EQ(content_of(place("g_nodes.txt")), "0 1 0 0\n0 1 0 1\n2 0 1 0\n2 0 1 1\n2 0 1 2\n");
  // Nodes over all types: a 0 1, b 2 3 4. Of r the third edge is the first again; of the s between
  // b and b the second is a loop and the third the first again; of the last type the second has the
  // ends of r's second.
  EXPECT_EQ(content_of(place("g_edges.txt")), "0 2 0 0\n1 4 1 0\n2 3 0 1\n0 3 0 2\n");
  EXPECT_EQ(content_of(place("g_removed_edges.txt")), "0 2 2 0\n3 3 1 1\n2 3 2 1\n1 4 1 2\n");
  EXPECT_EQ(content_of(place("g_stats.txt")), "5 4 2\n");
  EXPECT_EQ(made.loops, 1u);
  EXPECT_EQ(made.duplicates, 3u);
  EXPECT_EQ(made.weights, (std::vector<std::string>{"ntype:a", "ntype:b"}));
  const auto schema = hg::read_parmetis_schema(place("g.json"), open, codec);
  EXPECT_EQ(schema, made.schema);
  EXPECT_EQ(schema.edge_names, (std::vector<std::string>{"r", "b:s:b", "a:s:b"}));
  std::uint64_t bytes = 0;
  for (const auto& name : out.names) bytes += fs::file_size(place(name));
  EXPECT_EQ(made.bytes, bytes);

  options.node_attributes = true;
  const std::vector<std::int64_t> heavy{7, 8, 9, 10, 11}, nothing(5, 0);
  const std::vector<hg::constraint> weights{{"w", heavy, 0.1}, {"zero", nothing, 0.1}};
  options.weights = weights;
  const auto again = hg::export_parmetis(data, out, options);
  EXPECT_EQ(content_of(place("g_nodes.txt")),
            "0 7 0 0.5 -1\n0 8 1 0.1 3e-09\n2 9 0 -1\n2 10 1 0\n2 11 2 1\n");
  EXPECT_EQ(content_of(place("g_stats.txt")), "5 4 1\n");
  ASSERT_EQ(again.notes.size(),
            2u);  // columns differ between types; the second constraint weighs nothing
  EXPECT_EQ(again.schema.node_attributes.size(), 2u);
}

TEST(parmetis_export, refuses_invalid_loads) {
  auto data = small_dataset(1, false, 3, 4);
  const temporary_folder place;
  plain_output out{place()};
  const std::vector<std::int64_t> negative{1, -2, 3}, huge{INT64_MAX, 1, 0}, few{1, 2};
  const std::pair<std::span<const std::int64_t>, hg::error_kind> cases[] = {
      {negative, hg::error_kind::invalid_argument},
      {huge, hg::error_kind::overflow},
      {few, hg::error_kind::mismatch}};
  for (const auto& [load, code] : cases) {
    const std::vector<hg::constraint> weights{{"w", load, 0.1}};
    hg::parmetis_export_options options;
    options.weights = weights;
    EXPECT_EQ(refusal([&] { hg::export_parmetis(data, out, options); }).code(), code);
  }
  hg::parmetis_export_options options;
  options.graph_name = "../x";
  EXPECT_EQ(refusal([&] { hg::export_parmetis(data, out, options); }).code(),
            hg::error_kind::invalid_argument);
  EXPECT_TRUE(out.names.empty());
}

TEST(parmetis_partition, writes_the_example_of_the_format) {
  const example ex;
  const auto made = ex.write();
  EXPECT_EQ(content_of(ex.place("p000-ex_nodes.txt")), "0 0 1 0 0\n1 0 1 0 1\n2 1 0 1 0\n");
  EXPECT_EQ(content_of(ex.place("p000-ex_edges.txt")), "2 1 3 1 0 1\n0 2 0 3 0 0\n");
  EXPECT_EQ(content_of(ex.place("p001-ex_nodes.txt")),
            "3 0 1 0 2\n4 1 0 1 1\n5 1 0 1 2\n6 1 0 1 3\n");
  EXPECT_EQ(content_of(ex.place("p001-ex_edges.txt")), "6 3 6 2 1 1\n1 4 1 4 1 0\n3 5 2 5 2 0\n");
  EXPECT_EQ(content_of(ex.place("p001-ex_stats.txt")), "4 3 2\n");
  EXPECT_EQ(content_of(ex.place("ex_part.2")), "0 0\n1 0\n2 1\n3 0\n4 1\n5 1\n6 1\n");
  EXPECT_EQ(made.part_nodes, (std::vector<std::uint64_t>{3, 4}));
  EXPECT_EQ(made.part_edges, (std::vector<std::uint64_t>{2, 3}));
}

TEST(parmetis_partition, copies_whole_rows_and_reads_weights_by_column) {
  const temporary_folder place;
  place.write("x_nodes.txt",
              "\xEF\xBB\xBF"
              "0  5\t7 0 some words, 1.5\r\n\n 0 6 8 1\n");
  place.write("x_edges.txt", "1 0 0 0 <> \r\n\n\n0 1 1 0");
  place.write("x_stats.txt", "2 2 2");
  auto in = hg::read_parmetis_graph<std::uint64_t>(place(), "x", open);
  EXPECT_EQ(in.weights, (std::vector<std::vector<std::int64_t>>{{5, 6}, {7, 8}}));
  plain_output out{place()};
  const std::vector<part_id> owner{1, 0};
  hg::write_parmetis_parts(in, std::span<const part_id>(owner), 3, out);
  EXPECT_EQ(content_of(place("p001-x_nodes.txt")), "1 0  5\t7 0 some words, 1.5\n");
  EXPECT_EQ(content_of(place("p001-x_edges.txt")), "0 1 1 0 0 0 <> \n");
  EXPECT_EQ(content_of(place("p000-x_nodes.txt")), "0 0 6 8 1\n");
  EXPECT_EQ(content_of(place("p002-x_nodes.txt")), "");
  EXPECT_EQ(content_of(place("p002-x_stats.txt")), "0 0 2\n");
  const auto balance = in.take_weights(0.5);
  ASSERT_EQ(balance.constraints().size(), 2u);
  EXPECT_EQ(balance.constraints()[1].name, "weight:1");
  EXPECT_EQ(balance.constraints()[1].load[1], 8);
}

TEST(parmetis_partition, keeps_repeated_edges_or_only_the_last) {
  const example ex;
  ex.place.write("ex_edges.txt", "0 3 0 0\n1 3 1 0\n0 3 2 0\n2 2 0 1\n0 3 3 0\n");
  auto made = ex.write();
  EXPECT_EQ(content_of(ex.place("p000-ex_edges.txt")),
            "0 2 0 3 0 0\n1 2 1 3 1 0\n0 2 0 3 2 0\n0 2 0 3 3 0\n");
  EXPECT_EQ(content_of(ex.place("p001-ex_edges.txt")), "3 3 2 2 0 1\n");
  EXPECT_EQ(made.duplicates, 2u);
  EXPECT_EQ(made.dropped, 0u);
  EXPECT_EQ(made.loops, 1u);
  made = ex.write({.duplicates = hg::parmetis_duplicates::last, .on_progress = {}});
  EXPECT_EQ(content_of(ex.place("p000-ex_edges.txt")), "1 2 1 3 1 0\n0 2 0 3 3 0\n");
  EXPECT_EQ(made.dropped, 2u);
  EXPECT_EQ(made.part_edges, (std::vector<std::uint64_t>{2, 1}));
}

TEST(parmetis_partition, refusals_name_file_and_line) {
  struct wrong {
    const char* file;
    const char* text;
    std::optional<std::uint64_t> line;
    hg::error_kind code;
  };
  const wrong cases[] = {
      {"ex_stats.txt", "7 5\n", 1, hg::error_kind::malformed},
      {"ex_stats.txt", "", std::nullopt, hg::error_kind::malformed},
      {"ex_stats.txt", "7 5 2\n7 5 2\n", std::nullopt, hg::error_kind::malformed},
      {"ex_stats.txt", "7 5 7000\n", std::nullopt, hg::error_kind::out_of_range},
      {"ex_stats.txt", "7 -5 2\n", 1, hg::error_kind::out_of_range},
      {"ex_stats.txt", "300 5 2\n", std::nullopt, hg::error_kind::overflow},
      {"ex_stats.txt", "8 5 2\n", std::nullopt, hg::error_kind::mismatch},
      {"ex_stats.txt", "7 4 2\n", std::nullopt, hg::error_kind::mismatch},
      {"ex_stats.txt", "7 5 1\n", 2, hg::error_kind::exists},
      {"ex_stats.txt", "7 5 3\n", 1, hg::error_kind::malformed},
      {"ex_nodes.txt", "0 1 0 0\n\n0 x 0 1\n", 3, hg::error_kind::malformed},
      {"ex_nodes.txt", "0 1 0 0\n0 1 -1 1\n", 2, hg::error_kind::out_of_range},
      {"ex_nodes.txt", "0 1 0 0\n0 1\n", 2, hg::error_kind::malformed},
      {"ex_nodes.txt", "0 1 0 0\n99999 1 0 1\n", 2, hg::error_kind::out_of_range},
      {"ex_nodes.txt", "0 1 0 0\n0 99999999999999999999 0 1\n", 2, hg::error_kind::out_of_range},
      {"ex_nodes.txt", "1 1 0 0\n1 1 0 1\n1 1 0 2\n0 0 1 0\n0 0 1 1\n0 0 1 2\n0 0 1 3\n", 4,
       hg::error_kind::mismatch},
      {"ex_nodes.txt", "0 1 0 0\n0 1 0 1\n0 1 0 3\n1 0 1 0\n1 0 1 1\n1 0 1 2\n1 0 1 3\n", 3,
       hg::error_kind::out_of_range},
      {"ex_edges.txt", "0 3 0 0\n1 7 1 0\n", 2, hg::error_kind::out_of_range},
      {"ex_edges.txt", "0 3 0\n", 1, hg::error_kind::malformed},
      {"ex_edges.txt", "0,3,0,0\n", 1, hg::error_kind::malformed},
  };
  for (const auto& one : cases) {
    const example ex;
    ex.place.write(one.file, one.text);
    const auto problem = refusal(
        [&] { static_cast<void>(hg::read_parmetis_graph<std::uint8_t>(ex.place(), "ex", open)); });
    EXPECT_EQ(hg::name(problem.code()), hg::name(one.code)) << one.file << "\n"
                                                            << one.text << problem.what();
    EXPECT_EQ(problem.where().line, one.line) << one.file << "\n" << one.text << problem.what();
    EXPECT_FALSE(problem.where().file.empty());
  }
  const example ex;
  EXPECT_EQ(refusal([&] {
              static_cast<void>(hg::read_parmetis_graph(ex.place(), "other", open));
            }).code(),
            hg::error_kind::not_found);
  const auto in = hg::read_parmetis_graph(ex.place(), "ex", open);
  plain_output out{ex.place()};
  const std::vector<part_id> outside{0, 0, 2, 0, 0, 0, 0}, few{0};
  EXPECT_EQ(refusal([&] {
              hg::write_parmetis_parts(in, std::span<const part_id>(outside), 2, out);
            }).code(),
            hg::error_kind::out_of_range);
  EXPECT_EQ(
      refusal([&] { hg::write_parmetis_parts(in, std::span<const part_id>(few), 2, out); }).code(),
      hg::error_kind::mismatch);
  EXPECT_TRUE(out.names.empty());
}

TEST(parmetis_partition, an_empty_graph_has_empty_parts) {
  const temporary_folder place;
  place.write("x_nodes.txt", "");
  place.write("x_edges.txt", "");
  place.write("x_stats.txt", "0 0 1\n");
  const auto in = hg::read_parmetis_graph(place(), "x", open);
  plain_output out{place()};
  hg::write_parmetis_parts(in, std::span<const part_id>(), 2, out);
  EXPECT_EQ(out.names.size(), 7u);
  EXPECT_EQ(content_of(place("x_part.2")), "");
}

TEST(parmetis_convert, restores_every_removed_edge_of_the_example) {
  const example ex;
  ex.write();
  ex.place.write("removed.txt",
                 "3 1 7 1\n4 1 8 1\n2 5 9 0\n6 2 4 1\n0 3 5 0\n0 3 3 0\n0 3 4 0\n4 0 9 1\n");
  hg::parmetis_parts_options options;
  options.removed_edges = ex.place("removed.txt");
  const auto in = ex.read(options);
  EXPECT_EQ(in.restored, 8u);
  EXPECT_EQ(in.owner, ex.owner);
  EXPECT_EQ(in.data.edges[0].source, (std::vector<std::uint8_t>{0, 1, 2, 0, 0, 0, 2}));
  EXPECT_EQ(in.data.edges[0].target, (std::vector<std::uint8_t>{0, 1, 2, 0, 0, 0, 2}));
  EXPECT_EQ(in.edge_ids[0], (std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5, 9}));
  EXPECT_EQ(in.edge_ids[1], (std::vector<std::uint64_t>{0, 1, 4, 7, 8, 9}));
  EXPECT_EQ(in.data.schema.edge_types()[0].str(), "a:r:b");
  EXPECT_EQ(in.data.schema.edge_types()[1].str(), "b:s:a");
  EXPECT_EQ(in.missing, 0u);
  EXPECT_EQ(in.uncounted, 4u + 4u);  // the schema counts 3 and 2
}

TEST(parmetis_convert, what_comes_back_is_what_partition_graph_makes) {
  for (const bool typed : {false, true}) {
    for (const bool attributes : {false, true}) {
      const temporary_folder place;
      auto data = small_dataset(7, typed, 25, 90);
      if (!attributes) data.features = {};
      data.name = "g";
      const auto owner = drawn_owners(data.num_nodes(), 4, 11);
      plain_output text{place()};
      hg::parmetis_export_options exporting;
      exporting.graph_name = "g";
      exporting.node_attributes = exporting.edge_attributes = attributes;
      const auto exported = hg::export_parmetis(data, text, exporting);
      EXPECT_GT(exported.duplicates, 0u);
      EXPECT_GT(exported.loops, 0u);
      const auto graph = hg::read_parmetis_graph<std::uint32_t>(place(), "g", open);
      const auto written = hg::write_parmetis_parts(graph, std::span<const part_id>(owner), 4,
                                                    text);
      EXPECT_EQ(written.duplicates + written.loops, 0u);

      hg::parmetis_parts_options reading;
      reading.parts = 4;
      reading.weights = exported.stats.weights;
      reading.removed_edges = place("g_removed_edges.txt");
      reading.node_attributes = reading.edge_attributes = attributes;
      const auto in = hg::read_parmetis_parts(
          place(), "g", hg::read_parmetis_schema(place("g.json"), open, codec), reading, open);
      EXPECT_EQ(in.owner, owner);
      EXPECT_EQ(in.restored, exported.loops + exported.duplicates);
      EXPECT_EQ(in.missing, 0u);
      for (const std::size_t ranks :
           {typed ? 2u : 1u, attributes ? 3u : 6u}) {  // 6 are more than there are parts
        SCOPED_TRACE(ranks);
        const auto chunks = place("chunks" + std::to_string(ranks));
        const auto made = on_ranks(ranks, place(), "g",
                                   hg::read_parmetis_schema(place("g.json"), open, codec), reading,
                                   chunks);
        EXPECT_EQ(made.restored, in.restored);
        EXPECT_EQ(made.missing, 0u);
        EXPECT_EQ(made.notes, in.data.notes);
        expect_same_graph(chunks, in.data, owner, 4);
      }
      hg::partition_options options;
      options.graph_name = "g";
      options.part_method = "metis";
      options.store_original_ids = options.save_mapping = true;
      hg::convert_parmetis(in, 4, hg::dgl_folder{.path = place("converted")}, options);
      hg::partition_graph(data, hg::given{.parts = 4, .owners = owner},
                          hg::dgl_folder{.path = place("direct")}, options);
      std::size_t files = 0;
      for (const auto& one : fs::recursive_directory_iterator(place("direct"))) {
        if (!one.is_regular_file()) continue;
        const auto name = one.path().lexically_relative(place("direct")).string();
        EXPECT_EQ(content_of(place("converted/" + name)), content_of(place("direct/" + name)))
            << name;
        ++files;
      }
      EXPECT_EQ(files, 4u * 5 + 3);
    }
  }
}

TEST(parmetis_convert, sorts_nodes_of_a_cell_and_notes_it) {
  const example ex;
  ex.write();
  // As several processes of pm_dglpart deal nodes: the b's of part 1 as 3, 1, 2, new IDs rising.
  ex.place.write("p001-ex_nodes.txt", "3 0 1 0 2\n4 1 0 1 3\n5 1 0 1 1\n6 1 0 1 2\n");
  ex.place.write("p001-ex_edges.txt", "4 3 6 2 1 1\n1 5 1 4 1 0\n3 6 2 5 2 0\n");
  const auto in = ex.read();
  EXPECT_EQ(in.owner, ex.owner);
  ASSERT_EQ(in.data.notes.size(), 1u);
  EXPECT_NE(in.data.notes[0].find("out of order"), std::string::npos);
}

TEST(parmetis_convert, attributes_have_the_described_or_a_guessed_dtype) {
  example ex;
  ex.place.write(
      "ex_nodes.txt",
      "0 1 0 0 1 2\n0 1 0 1 3 4\n0 1 0 2 5 -6\n1 0 1 0 0.5\n1 0 1 1 1\n1 0 1 2 1e3\n1 0 1 3 -2\n");
  ex.place.write("ex_edges.txt", "0 3 0 0 10\n1 4 1 0 11\n2 5 2 0 12\n3 1 0 1 20\n6 2 1 1 21\n");
  ex.write();
  hg::parmetis_parts_options options;
  options.node_attributes = options.edge_attributes = true;
  const auto in = ex.read(options);
  ASSERT_EQ(in.data.features.nodes.size(), 2u);
  EXPECT_EQ(in.data.features.nodes[0].name, "feat");
  EXPECT_EQ(in.data.features.nodes[0].rows.chunks()[0],
            hg::tensor::from(std::vector<std::int64_t>{1, 2, 3, 4, 5, -6}, {3, 2}));
  EXPECT_EQ(in.data.features.nodes[1].rows.chunks()[0],
            hg::tensor::from(std::vector<double>{0.5, 1, 1000, -2}, {4, 1}));
  ASSERT_EQ(in.data.features.edges.size(), 2u);
  EXPECT_EQ(in.data.features.edges[0].rows.chunks()[0],
            hg::tensor::from(std::vector<std::int64_t>{10, 11, 12}, {3, 1}));
  EXPECT_EQ(in.data.features.edges[1].rows.chunks()[0],
            hg::tensor::from(std::vector<std::int64_t>{20, 21}, {2, 1}));
  options.parts = options.weights = 2;
  for (const std::size_t ranks :
       {2u, 4u}) {  // 1, 2 and 1 nodes of b: whether all are integers, ranks must tell each other
    const auto chunks = ex.place("chunks" + std::to_string(ranks));
    on_ranks(ranks, ex.place(), "ex", ex.schema, options, chunks);
    const auto again = hg::read_chunked(chunks, {}, open, codec);
    ASSERT_EQ(again.features.nodes.size(), 2u);
    EXPECT_EQ(again.features.nodes[0].rows.type(), hg::dtype::int64);
    EXPECT_EQ(again.features.nodes[1].rows.type(), hg::dtype::float64);
    EXPECT_EQ(again.features.edges.size(), 2u);
  }

  options.node_attribute_type = hg::dtype::float32;
  const auto asked = ex.read(options);
  EXPECT_EQ(asked.data.features.nodes[0].rows.chunks()[0],
            hg::tensor::from(std::vector<float>{1, 2, 3, 4, 5, -6}, {3, 2}));

  options.node_attribute_type.reset();
  ex.schema.node_attributes = {{0, "x", hg::dtype::int8, {}},
                               {0, "y", hg::dtype::float16, {1}},
                               {1, "z", hg::dtype::bfloat16, {}}};
  const auto described = ex.read(options);
  ASSERT_EQ(described.data.features.nodes.size(), 3u);
  EXPECT_EQ(described.data.features.nodes[0].rows.chunks()[0],
            hg::tensor::from(std::vector<std::int8_t>{1, 3, 5}));
  EXPECT_EQ(described.data.features.nodes[1].rows.chunks()[0],
            hg::tensor::from(std::vector<std::uint16_t>{0x4000, 0x4400, 0xC600}, {3, 1},
                             hg::dtype::float16));
  EXPECT_EQ(refusal([&] {
              on_ranks(2, ex.place(), "ex", ex.schema, options, ex.place("chunks"));
            }).code(),
            hg::error_kind::unsupported);  // bfloat16
  EXPECT_EQ(described.data.features.nodes[2].rows.chunks()[0],
            hg::tensor::from(std::vector<std::uint16_t>{0x3F00, 0x3F80, 0x447A, 0xC000}, {4},
                             hg::dtype::bfloat16));
}

TEST(parmetis_convert, a_dtype_that_several_ranks_cannot_write_is_refused_before_a_file_is_read) {
  const example ex;  // without files of parts
  hg::parmetis_parts_options options;
  options.parts = options.weights = 2;
  const auto code = [&](const hg::parmetis_schema& schema) {
    return refusal([&] { on_ranks(2, ex.place(), "ex", schema, options, ex.place("chunks")); })
        .code();
  };
  auto schema = ex.schema;
  schema.edge_attributes = {{1, "z", hg::dtype::bfloat16, {}}};
  EXPECT_EQ(code(schema), hg::error_kind::not_found);  // attributes that nobody asked for
  options.edge_attributes = true;
  EXPECT_EQ(code(schema), hg::error_kind::unsupported);
  options.edge_attribute_type = hg::dtype::float32;
  EXPECT_EQ(code(schema), hg::error_kind::not_found);
  options.node_attributes = true;
  options.node_attribute_type = hg::dtype::bfloat16;
  EXPECT_EQ(code(schema), hg::error_kind::unsupported);
}

TEST(parmetis_convert, types_whose_names_end_in_digits_keep_their_edges_on_more_than_ten_ranks) {
  const temporary_folder place;
  place.write(
      "g.json",
      R"({"nid":{"a":[0,22],"b":[22,44],"b1":[44,66]},"eid":{"a:r:b":[0,22],"a:r:b1":[22,44]}})");
  std::string nodes, edges;
  for (int v = 0; v < 66; ++v)
    nodes += std::to_string(v) + " " + std::to_string(v / 22) + " " + std::to_string(v % 22) + "\n";
  for (int e = 0; e < 44; ++e) {
    const std::string ends = std::to_string(e % 22) + " " +
                             std::to_string(e < 22 ? 43 - e : 22 + e);
    edges += ends + " " + ends + " " + std::to_string(e % 22) + " " + std::to_string(e / 22) + "\n";
  }
  place.write("p000-g_nodes.txt", nodes);
  place.write("p000-g_edges.txt", edges);
  place.write("p000-g_stats.txt", "66 44 0\n");
  hg::parmetis_parts_options options;
  options.parts = 1;
  options.weights = 0;
  const auto schema = hg::read_parmetis_schema(place("g.json"), open, codec);
  const auto in = hg::read_parmetis_parts(place(), "g", schema, options, open);
  ASSERT_EQ(in.data.edges[0].target[0], 21u);
  on_ranks(11, place(), "g", schema, options, place("chunks"));
  expect_same_graph(place("chunks"), in.data, in.owner, 1);
}

TEST(parmetis_convert, every_dtype_survives_as_text) {
  hg::dataset<> data;
  data.schema = hg::graph_schema::homogeneous();
  data.node_counts = {3};
  data.edges = {{{0}, {1}}};
  const auto add = [&](const char* name, auto values, std::optional<hg::dtype> type = {}) {
    using T = typename decltype(values)::value_type;
    hg::tensor_shape shape{values.size()};
    data.features.nodes.push_back(
        {0, name, hg::tensor::from(std::move(values), shape, type.value_or(hg::dtype_of<T>()))});
  };
  add("i8", std::vector<std::int8_t>{-128, 0, 127});
  add("i16", std::vector<std::int16_t>{-32768, 0, 32767});
  add("i32", std::vector<std::int32_t>{INT32_MIN, 0, INT32_MAX});
  add("i64", std::vector<std::int64_t>{INT64_MIN, 0, INT64_MAX});
  add("u8", std::vector<std::uint8_t>{0, 1, 255});
  add("u16", std::vector<std::uint16_t>{0, 1, 65535});
  add("u32", std::vector<std::uint32_t>{0, 1, UINT32_MAX});
  add("u64", std::vector<std::uint64_t>{0, 1, UINT64_MAX});
  add("bool", std::vector<std::uint8_t>{0, 1, 1}, hg::dtype::boolean);
  add("f16", std::vector<std::uint16_t>{0x0001, 0x7BFF, 0xFC00},
      hg::dtype::float16);  // smallest, largest, -infinity
  add("bf16", std::vector<std::uint16_t>{0x0001, 0x7F7F, 0x8000}, hg::dtype::bfloat16);
  add("f32", std::vector<float>{1e-45f, 3.4028235e38f, 0.1f});
  add("f64", std::vector<double>{5e-324, 1.7976931348623157e308, 0.1});
  data.finish();
  const temporary_folder place;
  plain_output out{place()};
  hg::export_parmetis(data, out,
                      {.graph_name = "g",
                       .weights = {},
                       .node_attributes = true,
                       .edge_attributes = false,
                       .on_progress = {}});
  const auto graph = hg::read_parmetis_graph(place(), "g", open);
  const std::vector<part_id> owner{1, 0, 1};
  hg::write_parmetis_parts(graph, std::span<const part_id>(owner), 2, out);
  hg::parmetis_parts_options options;
  options.parts = 2;
  options.node_attributes = true;
  const auto in = hg::read_parmetis_parts(
      place(), "g", hg::read_parmetis_schema(place("g.json"), open, codec), options, open);
  ASSERT_EQ(in.data.features.nodes.size(), data.features.nodes.size());
  for (std::size_t i = 0; i < data.features.nodes.size(); ++i) {
    EXPECT_EQ(in.data.features.nodes[i].rows.chunks()[0], data.features.nodes[i].rows.chunks()[0])
        << data.features.nodes[i].name;
  }
}

TEST(parmetis_convert, attributes_of_16_bits_are_rounded_once) {
  const auto read = [](const std::string& text, hg::dtype type) {
    hg::detail::text_cursor cursor(text.data(), text.data() + text.size(),
                                   hg::detail::parmetis_text);
    std::uint16_t out = 0;
    const auto fault = hg::detail::take_element(cursor, type, reinterpret_cast<std::byte*>(&out));
    EXPECT_EQ(fault == hg::detail::text_fault::none ? text.data() + text.size() : text.data(),
              cursor.at());
    return std::pair{fault, out};
  };
  using answer = std::pair<hg::detail::text_fault, std::uint16_t>;
  // A little above the middle between 1 and what comes next: as a float32 it is the middle, and
  // would go to the even one.
  EXPECT_EQ(read("1.0039062500001", hg::dtype::bfloat16),
            (answer{hg::detail::text_fault::none, 0x3F81}));
  EXPECT_EQ(read("1.00048828125001", hg::dtype::float16),
            (answer{hg::detail::text_fault::none, 0x3C01}));
  EXPECT_EQ(read("-1.00390625", hg::dtype::bfloat16),
            (answer{hg::detail::text_fault::none, 0xBF80}));
  EXPECT_EQ(read("nan", hg::dtype::bfloat16), (answer{hg::detail::text_fault::none, 0x7FC0}));
  EXPECT_EQ(read("inf", hg::dtype::float16), (answer{hg::detail::text_fault::none, 0x7C00}));
  for (const auto type : {hg::dtype::float16, hg::dtype::bfloat16})
    EXPECT_EQ(read("1e39", type).first, hg::detail::text_fault::overflow);
}

TEST(parmetis_convert, refusals_name_file_and_line) {
  struct wrong {
    const char* file;
    const char* text;
    std::optional<std::uint64_t> line;
    hg::error_kind code;
  };
  const wrong cases[] = {
      {"p000-ex_nodes.txt", "0 0 1 0 0\n2 0 1 0 1\n2 1 0 1 0\n", 2, hg::error_kind::mismatch},
      {"p000-ex_nodes.txt", "0 0 1 0 0\n1 0 1 0 0\n2 1 0 1 0\n", 2, hg::error_kind::exists},
      {"p000-ex_nodes.txt", "0 1 0 1 0\n1 0 1 0 0\n2 0 1 0 1\n", 2, hg::error_kind::mismatch},
      {"p000-ex_nodes.txt", "0 0 1 0 0\n1 0 1 0 1\n2 2 0 1 0\n", 3, hg::error_kind::out_of_range},
      {"p000-ex_nodes.txt", "0 0 1 0 0\n1 0 1 0 1\n2 1 0 1 4\n", 3, hg::error_kind::out_of_range},
      {"p000-ex_nodes.txt", "0 0 1 0 0\n1 0 1 0\n2 1 0 1 0\n", 2, hg::error_kind::malformed},
      {"p000-ex_nodes.txt", "0 0 1 0 0\n1 0 w 0 1\n2 1 0 1 0\n", 2, hg::error_kind::malformed},
      {"p000-ex_nodes.txt", "0 0 1 0 0\n1 0 1 0 1\n", 1,
       hg::error_kind::mismatch},  // the part's stats file knows better
      {"p001-ex_edges.txt", "6 3 6 2 1 1\n1 4 1 4 1 0\n3 5 2 5 1 0\n", 3, hg::error_kind::exists},
      {"p001-ex_edges.txt", "6 3 6 2 1 1\n0 4 1 4 1 0\n3 5 2 5 2 0\n", 2, hg::error_kind::mismatch},
      {"p001-ex_edges.txt", "6 3 6 2 1 1\n1 0 1 0 1 0\n3 5 2 5 2 0\n", 2, hg::error_kind::mismatch},
      {"p001-ex_edges.txt", "6 3 6 2 1 1\n1 4 1 4 1 1\n3 5 2 5 2 0\n", 2, hg::error_kind::mismatch},
      {"p001-ex_edges.txt", "6 3 6 2 1 1\n1 4 1 4 1 2\n3 5 2 5 2 0\n", 2,
       hg::error_kind::out_of_range},
      {"p001-ex_edges.txt", "6 3 6 2 1 1\n1 4 1 9 1 0\n3 5 2 5 2 0\n", 2,
       hg::error_kind::out_of_range},
      {"p001-ex_edges.txt", "6 3 6 2 1\n", 1, hg::error_kind::malformed},
      {"p001-ex_edges.txt", "6 3 6 2 1 1\n", 1, hg::error_kind::mismatch},
      {"p001-ex_stats.txt", "4 3 9\n", 1, hg::error_kind::mismatch},
      {"removed.txt", "0 3 0 0\n", 1, hg::error_kind::exists},
      {"removed.txt", "0 3 7 0\n3 1 7 x\n", 2, hg::error_kind::malformed},
      {"removed.txt", "0 0 7 0\n", 1, hg::error_kind::mismatch},
  };
  for (const auto& one : cases) {
    const example ex;
    ex.write();
    ex.place.write("removed.txt", "");
    ex.place.write(one.file, one.text);
    hg::parmetis_parts_options options;
    options.removed_edges = ex.place("removed.txt");
    const auto problem = refusal([&] { static_cast<void>(ex.read(options)); });
    EXPECT_EQ(hg::name(problem.code()), hg::name(one.code)) << one.file << "\n"
                                                            << one.text << problem.what();
    EXPECT_EQ(problem.where().line, one.line) << one.file << "\n" << one.text << problem.what();
    EXPECT_FALSE(problem.where().file.empty());
    options.parts = options.weights = 2;
    const auto run_collective = refusal([&] {
      static_cast<void>(on_ranks(3, ex.place(), "ex", ex.schema, options, ex.place("chunks")));
    });
    const auto said = run_collective.message();
    EXPECT_EQ(said.substr(0, said.find(" (on rank")), problem.message()) << one.file << "\n"
                                                                         << one.text;
    EXPECT_EQ(run_collective.where().line, one.line) << one.file << "\n"
                                                     << one.text << problem.what();
    EXPECT_EQ(run_collective.where().file, problem.where().file);
  }
}

TEST(parmetis_convert, reports_missing_nodes_by_type_and_repeated_ones_by_row) {
  const auto expect = [](const char* rows, const std::string& words, bool of_folder) {
    const example ex;
    ex.write();
    for (const char* const part : {"p000", "p001"})
      std::filesystem::remove(ex.place(part + std::string("-ex_stats.txt")));
    ex.place.write("p001-ex_nodes.txt", rows);
    const auto file = of_folder ? ex.place() : ex.place("p001-ex_nodes.txt");
    const auto problem = refusal([&] { static_cast<void>(ex.read()); });
    EXPECT_EQ(hg::name(problem.code()), hg::name(hg::error_kind::mismatch)) << problem.what();
    EXPECT_NE(problem.message().find(words), std::string::npos) << problem.what();
    EXPECT_EQ(problem.where().file, file);
    hg::parmetis_parts_options options;
    options.parts = options.weights = 2;
    const auto run_collective = refusal([&] {
      static_cast<void>(on_ranks(2, ex.place(), "ex", ex.schema, options, ex.place("chunks")));
    });
    EXPECT_NE(run_collective.message().find(words), std::string::npos) << run_collective.what();
    EXPECT_EQ(run_collective.where().file, file);
  };
  expect("3 0 1 0 2\n4 1 0 1 1\n5 1 0 1 2\n",
         "the parts have 3 nodes of type \"b\", but the schema counts 4", true);
  expect("3 1 0 1 1\n4 1 0 1 2\n", "the parts have 2 nodes of type \"a\", but the schema counts 3",
         true);
  expect("3 0 1 0 2\n4 1 0 1 1\n5 1 0 1 2\n6 1 0 1 3\n6 1 0 1 3\n", "the new ID is 6; it must be 7",
         false);
}

TEST(parmetis_convert, refuses_missing_attributes) {
  struct wrong {
    const char* text;
    std::uint64_t line;
    hg::error_kind code;
  };
  const wrong cases[] = {
      {"0 0 1 0 0 1\n1 0 1 0 1\n2 1 0 1 0 3\n", 2, hg::error_kind::malformed},
      {"0 0 1 0 0 1\n1 0 1 0 1 2 3\n2 1 0 1 0 3\n", 2, hg::error_kind::malformed},
      {"0 0 1 0 0 1\n1 0 1 0 1 word\n2 1 0 1 0 3\n", 2, hg::error_kind::malformed},
      {"0 0 1 0 0 1\n1 0 1 0 1 1e999\n2 1 0 1 0 3\n", 2, hg::error_kind::out_of_range}};
  for (const auto& one : cases) {
    const example ex;
    ex.place.write("ex_nodes.txt",
                   "0 1 0 0 1\n0 1 0 1 1\n0 1 0 2 1\n1 0 1 0 1\n1 0 1 1 1\n1 0 1 2 1\n1 0 1 3 1\n");
    ex.write();
    ex.place.write("p000-ex_nodes.txt", one.text);
    hg::parmetis_parts_options options;
    options.node_attributes = true;
    const auto problem = refusal([&] { static_cast<void>(ex.read(options)); });
    EXPECT_EQ(hg::name(problem.code()), hg::name(one.code)) << one.text << problem.what();
    EXPECT_EQ(problem.where().line, one.line) << one.text << problem.what();
    options.parts = options.weights = 2;
    const auto run_collective = refusal([&] {
      static_cast<void>(on_ranks(2, ex.place(), "ex", ex.schema, options, ex.place("chunks")));
    });
    EXPECT_EQ(run_collective.message(), problem.message() + " (on rank 0 of 2)") << one.text;
    EXPECT_EQ(run_collective.where().line, one.line) << one.text << run_collective.what();
  }
  example ex;
  ex.write();
  hg::parmetis_parts_options options;
  options.node_attributes = true;
  EXPECT_TRUE(ex.read(options).data.features.nodes.empty());
  // A schema's claim alone allocates nothing.
  ex.schema.node_attributes = {{0, "x", hg::dtype::int8, {1u << 30}}};
  EXPECT_EQ(refusal([&] { static_cast<void>(ex.read(options)); }).code(), hg::error_kind::mismatch);
}

TEST(parmetis_convert, edges_are_missing_and_uncounted_by_the_schema_alone_whatever_their_ids) {
  example ex;
  ex.write();
  ex.place.write("p001-ex_edges.txt", "6 3 6 2 1 1\n1 4 1 4 18446744073709551614 0\n3 5 2 5 2 0\n");
  const auto in = ex.read();
  EXPECT_EQ(in.missing, 1u);
  EXPECT_EQ(in.uncounted, 1u);
  EXPECT_EQ(in.edge_ids[0], (std::vector<std::uint64_t>{0, 2, 18446744073709551614u}));
  ASSERT_EQ(in.data.notes.size(), 2u);
  EXPECT_EQ(in.data.notes[0].substr(0, in.data.notes[0].find(';')),
            "1 edges that the schema counts are in no file");
  EXPECT_EQ(in.data.notes[1].substr(0, in.data.notes[1].find(';')),
            "1 edges have IDs above those that the schema counts");
  hg::parmetis_parts_options options;
  options.parts = options.weights = 2;
  const auto made = on_ranks(2, ex.place(), "ex", ex.schema, options, ex.place("chunks"));
  EXPECT_EQ(made.missing, 1u);
  EXPECT_EQ(made.uncounted, 1u);
  EXPECT_EQ(made.notes, in.data.notes);
}

TEST(parmetis_convert, refuses_ranks_whose_options_or_files_differ) {
  const example ex, other;
  ex.write();
  other.write();
  const auto said = [&](const std::string& folder, const hg::parmetis_schema& schema,
                        const hg::parmetis_parts_options& options) {
    std::vector<std::string> all(2);
    hg::run_ranks(2, [&](const hg::thread_rank& me) {
      const bool first = me.rank() == 0;
      try {
        hg::write_parmetis_chunks(
            first ? ex.place() : folder, "ex", first ? ex.schema : schema,
            first ? hg::parmetis_parts_options{.parts = 2, .weights = 2} : options,
            ex.place("chunks"), open, hg::sequential{}, me);
      } catch (const hg::joint_error& problem) {
        all[me.rank()] = problem.what();
      }
    });
    EXPECT_EQ(all[1], all[0]);
    return all[0];
  };
  const hg::parmetis_parts_options same{.parts = 2, .weights = 2};
  EXPECT_EQ(said(other.place(), ex.schema, same), "");
  const std::string refused =
      "rank 1 converts with other options than rank 0; they and the schema must be the same on all ranks";
  EXPECT_EQ(said(ex.place(), ex.schema, {.parts = 2, .weights = 2, .node_attributes = true}),
            refused);
  EXPECT_EQ(said(ex.place(), ex.schema,
                 {.parts = 2, .weights = 2, .edge_attribute_type = hg::dtype::int8}),
            refused);
  EXPECT_EQ(said(ex.place(), ex.schema, {.parts = 1, .weights = 2}), refused);
  auto schema = ex.schema;
  schema.node_types[0] = "c";
  EXPECT_EQ(said(ex.place(), schema, same), refused);
  auto text = content_of(other.place("p001-ex_edges.txt"));
  text[0] = text[0] == '4' ? '5' : '4';
  other.place.write("p001-ex_edges.txt", text);
  EXPECT_EQ(said(other.place(), ex.schema, same),
            "rank 1 reads other files of parts than rank 0; they must be the same for all ranks");
}

TEST(parmetis_convert, an_edge_type_without_edges_needs_to_be_described) {
  example ex;
  ex.place.write("ex_edges.txt", "0 3 0 0\n1 4 1 0\n2 5 2 0\n");
  ex.place.write("ex_stats.txt", "7 3 2\n");
  ex.write();
  const auto problem = refusal([&] { static_cast<void>(ex.read()); });
  EXPECT_EQ(problem.code(), hg::error_kind::not_found);
  EXPECT_NE(problem.message().find("\"edge_types\""), std::string::npos);
  ex.schema.edge_types[1] = hg::canonical_etype{"b", "s", "a"};
  const auto in = ex.read();
  EXPECT_EQ(in.data.schema.edge_types()[1].str(), "b:s:a");
  EXPECT_EQ(in.missing, 2u);
  hg::parmetis_parts_options options;
  options.parts = options.weights = 2;
  const auto made = on_ranks(2, ex.place(), "ex", ex.schema, options, ex.place("chunks"));
  EXPECT_EQ(made.missing, 2u);
  EXPECT_EQ(made.notes, in.data.notes);
}

TEST(parmetis_import, accepts_lines_in_any_order_and_floating_point_numbers) {
  const temporary_folder place;
  place.write("g_part.3", "2 1\n0 0\n\n3 1.000000000000000000e+00\n1 0\r\n");
  const auto read = hg::read_parmetis_assignment(place("g_part.3"), 4, std::nullopt, open);
  EXPECT_EQ(read.owner, (std::vector<part_id>{0, 0, 1, 1}));
  EXPECT_EQ(read.parts, 3u);  // by the name, though part 2 is empty
  EXPECT_EQ(hg::read_parmetis_assignment(place("g_part.3"), 4, part_id{5}, open).parts, 5u);
  place.write("parts.txt", "0 0\n1 6\n");
  EXPECT_EQ(hg::read_parmetis_assignment(place("parts.txt"), 2, std::nullopt, open).parts, 7u);
}

TEST(parmetis_import, refusals_name_file_and_line) {
  struct wrong {
    const char* text;
    std::optional<std::uint64_t> line;
    hg::error_kind code;
  };
  const wrong cases[] = {{"0 0\n1 0\n", std::nullopt, hg::error_kind::mismatch},
                         {"0 0\n1 0\n2 0\n3 0\n", std::nullopt, hg::error_kind::mismatch},
                         {"0 0\n\n1 0\n1 0\n", 4, hg::error_kind::exists},
                         {"0 0\n \n3 0\n1 0\n", 3, hg::error_kind::out_of_range},
                         {"0 0\n1 2\n2 0\n", 2, hg::error_kind::out_of_range},
                         {"0 0\n1 1.5\n2 0\n", 2, hg::error_kind::malformed},
                         {"0 0\n1\n2 0\n", 2, hg::error_kind::malformed},
                         {"0 0\n1 0 0\n2 0\n", 2, hg::error_kind::malformed},
                         {"0 0\n-1 0\n2 0\n", 2, hg::error_kind::out_of_range}};
  for (const auto& one : cases) {
    const temporary_folder place;
    place.write("g_part.2", one.text);
    const auto problem = refusal([&] {
      static_cast<void>(hg::read_parmetis_assignment(place("g_part.2"), 3, std::nullopt, open));
    });
    EXPECT_EQ(hg::name(problem.code()), hg::name(one.code)) << one.text << problem.what();
    EXPECT_EQ(problem.where().line, one.line) << one.text << problem.what();
  }
}

TEST(parmetis_import, counts_come_from_a_schema_or_from_metadata) {
  const example ex;
  auto [schema, counts] = hg::read_node_counts(ex.place("ex.json"), open, codec);
  EXPECT_EQ(schema.node_types(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(counts, (std::vector<std::uint64_t>{3, 4}));
  ex.place.write("metadata.json", R"({"node_type":["x","y"],"num_nodes_per_chunk":[[1,2],[3]]})");
  std::tie(schema, counts) = hg::read_node_counts(ex.place("metadata.json"), open, codec);
  EXPECT_EQ(counts, (std::vector<std::uint64_t>{3, 3}));
  ex.place.write("metadata.json", R"({"node_type":["x","y"],"num_nodes_per_type":[1]})");
  EXPECT_EQ(refusal([&] {
              static_cast<void>(hg::read_node_counts(ex.place("metadata.json"), open, codec));
            }).code(),
            hg::error_kind::mismatch);
}

}  // namespace
