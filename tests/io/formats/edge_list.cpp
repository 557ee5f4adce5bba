// SPDX-License-Identifier: BSL-1.0
#include <halograph/core/random.hpp>
#include <halograph/io/formats/edge_list.hpp>

#include <gtest/gtest.h>
#include <support/collect_stream.hpp>
#include <support/temporary_folder.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace hg = halograph;
using hg::testing::temporary_folder;

namespace {

using ids = std::vector<std::uint64_t>;

TEST(read_edge_list, makes_a_homogeneous_graph) {
  const temporary_folder folder;
  const auto path = folder.write("my.graph.txt", "# two edges\n0 3\n% and\n3,1\n");
  const auto data = hg::read_edge_list(path);
  EXPECT_EQ(data.name, "my.graph");
  EXPECT_EQ(data.schema, hg::graph_schema::homogeneous());
  EXPECT_EQ(data.node_counts, ids{4});
  EXPECT_EQ(data.edges[0].source, (ids{0, 3}));
  EXPECT_EQ(data.edges[0].target, (ids{3, 1}));
  EXPECT_TRUE(data.features.edges.empty());
  EXPECT_EQ(data.graph().validate(), hg::status::ok);
}

TEST(read_edge_list, takes_an_empty_file) {
  const temporary_folder folder;
  const auto data = hg::read_edge_list(folder.write("e.txt", "# nothing\n"));
  EXPECT_EQ(data.num_nodes(), 0u);
  EXPECT_EQ(data.num_edges(), 0u);
  EXPECT_EQ(hg::read_edge_list(folder.write("e.txt", ""), {.num_nodes = 3}).num_nodes(), 3u);
}

TEST(read_edge_list, holds_ids_against_the_given_number_of_nodes) {
  const temporary_folder folder;
  const auto path = folder.write("e.txt", "0 1\n2 0\n");
  EXPECT_EQ(hg::read_edge_list(path, {.num_nodes = 9}).num_nodes(), 9u);
  try {
    static_cast<void>(hg::read_edge_list(path, {.num_nodes = 2}));
    FAIL();
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.code(), hg::error_kind::out_of_range);
    EXPECT_EQ(problem.where().file, path);
    EXPECT_EQ(problem.where().line, 2u);
  }
}

TEST(read_edge_list, refuses_ids_that_int64_cannot_hold) {
  const temporary_folder folder;
  for (const char* id : {"9223372036854775807", "18446744073709551615"}) {
    const auto path = folder.write("e.txt", "0 1\n0 " + std::string(id) + "\n");
    try {
      static_cast<void>(hg::read_edge_list(path));
      FAIL() << id;
    } catch (const hg::error& problem) {
      EXPECT_EQ(problem.code(), hg::error_kind::out_of_range);
      EXPECT_EQ(problem.where().line, 2u);
    }
  }
}

TEST(read_edge_list, refuses_a_line_that_is_too_long) {
  const temporary_folder folder;
  const auto path = folder.write("e.txt", "0 1\n" + std::string(hg::longest_line + 1, '1') + "\n");
  try {
    static_cast<void>(hg::read_edge_list(path));
    FAIL();
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.code(), hg::error_kind::malformed);
    EXPECT_EQ(problem.where().file, path);
    EXPECT_EQ(problem.where().line, 2u);
  }
}

TEST(read_edge_list, appends_reverses_behind_the_edges) {
  const temporary_folder folder;
  const auto data = hg::read_edge_list(folder.write("e.txt", "0 1 5\n1 2 6\n2 2 7\n"),
                                       {.undirected = true});
  EXPECT_EQ(data.edges[0].source, (ids{0, 1, 2, 1, 2, 2}));
  EXPECT_EQ(data.edges[0].target, (ids{1, 2, 2, 0, 1, 2}));
  ASSERT_EQ(data.features.edges.size(), 1u);
  EXPECT_EQ(data.features.edges[0].rows.chunks()[0],
            hg::tensor::from(std::vector<std::int64_t>{5, 6, 7, 5, 6, 7}));
}

TEST(read_edge_list, keeps_the_third_column_as_a_weight) {
  const temporary_folder folder;
  const auto path = folder.write("e.csv", "0,1,2\n1,0,2.5\n");
  const auto data = hg::read_edge_list(path);
  EXPECT_EQ(data.edge_weight_feature, "weight");
  ASSERT_NE(data.edge_feature(0, "weight"), nullptr);
  EXPECT_EQ(data.edge_feature(0, "weight")->rows.chunks()[0],
            hg::tensor::from(std::vector<double>{2, 2.5}));
  EXPECT_EQ(hg::read_edge_list(path, {.weights = hg::edge_weights::ignored}).edge_weight_feature,
            "");
}

TEST(read_edge_list, says_overflow_where_a_wider_id_would_do) {
  const temporary_folder folder;
  const auto path = folder.write("e.txt", "0 255\n");
  EXPECT_EQ((hg::read_edge_list<std::uint8_t, std::uint8_t>(path).num_nodes()), 256u);
  const auto code = [&](const std::string& text) {
    const auto file = folder.write("f.txt", text);
    try {
      static_cast<void>(hg::read_edge_list<std::uint8_t, std::uint8_t>(file));
    } catch (const hg::error& problem) {
      return problem.code();
    }
    return hg::error_kind::ok;
  };
  EXPECT_EQ(code("0 256\n"), hg::error_kind::overflow);
  std::string many;
  for (int i = 0; i < 257; ++i) many += "0 0\n";
  EXPECT_EQ(code(many), hg::error_kind::overflow);
}

hg::streamed_graph stream(const std::string& path, const hg::edge_list_options& options = {},
                          std::size_t piece = 50) {
  return hg::stream_edge_list(path, options, hg::read_files{}, hg::sequential{}, piece);
}

TEST(stream_edge_list, is_the_graph_that_is_read_whole) {
  const temporary_folder place;
  hg::random_stream draw(2);
  for (int kind = 0; kind < 3;
       ++kind) {  // without weights, with whole ones, with one that is not, far behind
    std::string text = "\xEF\xBB\xBF# a heading\n\n";
    for (int e = 0; e < 300; ++e) {
      text += std::to_string(draw.below(1000)) + (e % 2 == 0 ? " " : ", ") +
              std::to_string(draw.below(100'000));
      if (kind != 0)
        text += " " + std::to_string(draw.below(100)) + (kind == 2 && e == 200 ? ".5" : "");
      text += e % 7 == 0 ? "\r\n% a remark\n\n" : e == 299 ? "" : "\n";
    }
    const auto path = place.write("g.txt", text);
    for (const std::size_t piece : {std::size_t{1}, std::size_t{50}, std::size_t{1} << 22}) {
      hg::testing::expect_same_graph(stream(path, {}, piece), hg::read_edge_list(path));
    }
    hg::testing::expect_same_graph(stream(path, {.num_nodes = 200'000}),
                                   hg::read_edge_list(path, {.num_nodes = 200'000}));
    hg::testing::expect_same_graph(
        stream(path, {.weights = hg::edge_weights::ignored}),
        hg::read_edge_list(path, {.weights = hg::edge_weights::ignored}));
  }
  const auto empty = place.write("empty.txt", "");
  hg::testing::expect_same_graph(stream(empty), hg::read_edge_list(empty));
  EXPECT_EQ(stream(empty).name, "empty");
}

TEST(stream_edge_list, what_is_wrong_is_said_as_by_the_reader) {
  const temporary_folder place;
  std::string head;
  for (int e = 0; e < 100; ++e) head += std::to_string(e) + " 1\n";
  std::string weighted;
  for (int e = 0; e < 100; ++e) weighted += std::to_string(e) + " 1 5\n";
  for (const auto& text :
       {head + "1 x\n", head + "7\n" + head, head + "1 2 3\n" + head, weighted + "\n1 2\n",
        weighted + "1 2 z\n" + weighted, head + "500 1\n"}) {
    const auto path = place.write("g.txt", text);
    std::string expected, got;
    try {
      hg::read_edge_list(path, {.num_nodes = 400});
    } catch (const hg::error& problem) {
      expected = problem.what();
    }
    try {
      stream(path, {.num_nodes = 400});
    } catch (const hg::error& problem) {
      got = problem.what();
    }
    EXPECT_FALSE(expected.empty());
    EXPECT_EQ(got, expected);
  }
}

}  // namespace
