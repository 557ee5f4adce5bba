// SPDX-License-Identifier: BSL-1.0
#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/io/formats/edge_list.hpp>
#include <halograph/io/formats/galois.hpp>
#include <halograph/io/formats/matrix_market.hpp>
#include <halograph/io/formats/metis.hpp>
#include <halograph/io/input_format.hpp>
#include <halograph/io/write_graph.hpp>

#include <gtest/gtest.h>
#include <support/collect_stream.hpp>
#include <support/temporary_folder.hpp>
#include <support/words.hpp>

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace hg = halograph;
using hg::output_format;
using hg::testing::edge_pairs;
using hg::testing::refusal_of;
using hg::testing::temporary_folder;

namespace {

std::string text_of(const std::string& path) {
  std::stringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}
/// The graph of an edge list.
hg::streamed_graph graph_of(const temporary_folder& folder, const std::string& lines) {
  return hg::stream_edge_list(folder.write("in.txt", lines), {}, {});
}
std::vector<std::int64_t> weights_of(const hg::streamed_graph& g) {
  return hg::testing::rows_of(g.edge_features.at(0)).values<std::int64_t>();
}

TEST(write_graph, keeps_edges_and_weights_in_edge_lists_and_matrices) {
  const temporary_folder folder;
  for (const std::string lines : {"0 3\n3 1\n0 3\n2 2\n", "0 3 7\n3 1 -2\n0 3 7\n2 2 0\n",
                                  "0 3 0.5\n3 1 1e+300\n0 3 1\n2 2 0\n"}) {
    const auto g = graph_of(folder, lines);
    const auto out = hg::write_graph(g, folder("out.txt"), {.format = output_format::edge_list});
    EXPECT_EQ(text_of(folder("out.txt")), lines);
    EXPECT_EQ(out.bytes, lines.size());
    EXPECT_TRUE(out.notes.empty());
    hg::write_graph(g, folder("out.mtx"), {.format = output_format::matrix_market});
    const auto back = hg::stream_dataset(hg::read_matrix_market(folder("out.mtx")));
    EXPECT_EQ(back.node_counts, g.node_counts);
    EXPECT_EQ(hg::testing::edges_of(back, 0), hg::testing::edges_of(g, 0));
    ASSERT_EQ(back.edge_features.size(), g.edge_features.size());
    if (!g.edge_features.empty()) {
      EXPECT_EQ(hg::testing::rows_of(back.edge_features[0]),
                hg::testing::rows_of(g.edge_features[0]));
    }
  }
}

TEST(write_graph, sorts_edges_by_source_for_galois) {
  const temporary_folder folder;
  const auto g = graph_of(folder, "3 1 5\n0 3 6\n3 0 -7\n2 2 8\n0 1 9\n");
  hg::write_graph(g, folder("out.gr"), {.format = output_format::galois});
  const auto back = hg::stream_galois_graph(folder("out.gr"));
  EXPECT_EQ(back.node_counts, g.node_counts);
  EXPECT_EQ(hg::testing::edges_of(back, 0), (edge_pairs{{0, 3}, {0, 1}, {2, 2}, {3, 1}, {3, 0}}));
  EXPECT_EQ(weights_of(back), (std::vector<std::int64_t>{6, 9, 8, 5, -7}));
  hg::write_graph(g, folder("plain.gr"), {.format = output_format::galois, .weights = ""});
  EXPECT_TRUE(hg::stream_galois_graph(folder("plain.gr")).edge_features.empty());
  EXPECT_EQ(hg::recognize_input(folder("plain.gr"), {}, hg::nlohmann_codec{}).format,
            hg::input_format::galois);
}

TEST(write_graph, makes_edges_undirected_for_metis) {
  const temporary_folder folder;
  const auto out = hg::write_graph(graph_of(folder, "0 1\n1 0\n0 1\n2 2\n3 1\n"),
                                   folder("out.graph"), {.format = output_format::metis_graph});
  EXPECT_EQ(text_of(folder("out.graph")), "4 2\n2\n1 4\n\n2\n");
  EXPECT_EQ(out.edges, 2u);
  ASSERT_EQ(out.notes.size(), 2u);
  EXPECT_EQ(out.notes[0], "merged 1 duplicate edge; a METIS graph has none");
  EXPECT_EQ(out.notes[1], "left out 1 self-loop; a METIS graph has none");
  hg::write_graph(graph_of(folder, "0 1 2\n1 0 3\n0 1 4\n"), folder("out.graph"),
                  {.format = output_format::metis_graph});
  EXPECT_EQ(text_of(folder("out.graph")), "2 1 001\n2 6\n1 6\n");
}

TEST(write_graph, gives_a_metis_graph_back_as_it_was) {
  const temporary_folder folder;
  for (const std::string text : {"4 2\n2\n1 3\n2\n\n", "3 2 001\n2 5\n1 5 3 6\n2 6\n", "0 0\n"}) {
    const auto g = hg::stream_dataset(hg::read_metis_graph(folder.write("in.graph", text)));
    const auto out = hg::write_graph(g, folder("out.graph"),
                                     {.format = output_format::metis_graph});
    EXPECT_EQ(text_of(folder("out.graph")), text);
    EXPECT_TRUE(out.notes.empty());
  }
}

TEST(write_graph, writes_two_node_types_as_rows_and_columns_alone) {
  const temporary_folder folder;
  const std::string text = "%%MatrixMarket matrix coordinate pattern general\n2 4 2\n1 4\n2 1\n";
  const auto g = hg::stream_dataset(hg::read_matrix_market(folder.write("in.mtx", text)));
  hg::write_graph(g, folder("out.mtx"), {.format = output_format::matrix_market});
  EXPECT_EQ(text_of(folder("out.mtx")), text);
  for (const auto format :
       {output_format::edge_list, output_format::galois, output_format::metis_graph}) {
    EXPECT_EQ(
        refusal_of([&] { return hg::write_graph(g, folder("x"), {.format = format}); }).code(),
        hg::error_kind::unsupported);
  }
}

TEST(write_graph, refuses_weights_that_a_format_has_no_place_for) {
  const temporary_folder folder;
  const auto code = [&](const std::string& lines, output_format format) {
    return refusal_of([&] {
             return hg::write_graph(graph_of(folder, lines), folder("x"), {.format = format});
           })
        .code();
  };
  EXPECT_EQ(code("0 1 0.5\n", output_format::galois), hg::error_kind::unsupported);
  EXPECT_EQ(code("0 1 0.5\n", output_format::metis_graph), hg::error_kind::unsupported);
  EXPECT_EQ(code("0 1 0\n", output_format::metis_graph), hg::error_kind::unsupported);
  EXPECT_EQ(code("0 1 9223372036854775807\n0 1 1\n", output_format::metis_graph),
            hg::error_kind::overflow);
  EXPECT_EQ(refusal_of([&] {
              return hg::write_graph(graph_of(folder, "0 1\n"), folder("x"),
                                     {.format = output_format::galois, .most_bytes = 7});
            }).code(),
            hg::error_kind::memory);
}

TEST(output_format_of, follows_the_ending) {
  for (const auto& [path, format] :
       {std::pair{"a.txt", output_format::edge_list}, std::pair{"a.wel", output_format::edge_list},
        std::pair{"a.b/c.mtx", output_format::matrix_market},
        std::pair{"a.gr", output_format::galois}, std::pair{"a.graph", output_format::metis_graph}})
    EXPECT_EQ(hg::output_format_of(path), format) << path;
  EXPECT_EQ(hg::output_format_of("a.dgl"), std::nullopt);
  EXPECT_EQ(hg::output_format_named("metis"), output_format::metis_graph);
  EXPECT_EQ(hg::output_format_named("Metis"), std::nullopt);
}

}  // namespace
