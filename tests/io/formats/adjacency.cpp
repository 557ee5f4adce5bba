// SPDX-License-Identifier: BSL-1.0
#include <halograph/io/formats/adjacency.hpp>

#include <gtest/gtest.h>
#include <support/collect_stream.hpp>
#include <support/temporary_folder.hpp>
#include <support/words.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace hg = halograph;
using hg::testing::refusal_of;
using hg::testing::temporary_folder;

namespace {

using ids = std::vector<std::uint64_t>;

hg::dataset<> read(const std::string& text) {
  const temporary_folder folder;
  const std::string path = folder.write("g.adj", text);
  return hg::testing::read_as_streamed(
      [&] { return hg::read_adjacency_graph(path); },
      [&](std::size_t piece) { return hg::stream_adjacency_graph(path, hg::read_files{}, piece); });
}

TEST(read_adjacency_graph, reads_rows) {
  for (const char* text : {"AdjacencyGraph\n4\n3\n0\n0\n2\n3\n1\n3\n0\n",
                           "AdjacencyGraph 4 3\r\n0 0 2 3\r\n\r\n1 3 0"}) {
    const auto data = read(text);
    EXPECT_EQ(data.node_counts, ids{4});
    EXPECT_EQ(data.edges[0].source, (ids{1, 1, 2})) << text;
    EXPECT_EQ(data.edges[0].target, (ids{1, 3, 0}));
    EXPECT_TRUE(data.features.edges.empty());
  }
  EXPECT_EQ(read("AdjacencyGraph\n0\n0\n").num_nodes(), 0u);
}

TEST(read_adjacency_graph, reads_weights) {
  const auto integers = read("WeightedAdjacencyGraph\n2\n2\n0\n1\n1\n0\n5\n-6\n");
  EXPECT_EQ(integers.edge_feature(0, "weight")->rows.chunks()[0].values<std::int64_t>(),
            (std::vector<std::int64_t>{5, -6}));
  const auto numbers = read("WeightedAdjacencyGraph\n2\n2\n0\n1\n1\n0\n5\n0.5\n");
  EXPECT_EQ(numbers.edge_feature(0, "weight")->rows.chunks()[0].values<double>(),
            (std::vector<double>{5, 0.5}));
}

TEST(stream_adjacency_graph, gives_what_is_read_with_places_at_any_interval) {
  for (const char* const last : {"-7", "0.5"}) {
    // Rows of 0 to 6 edges, some nodes without, at the ends too.
    std::string offsets, targets, weights;
    std::uint64_t edges = 0;
    constexpr std::uint64_t nodes = 90;
    for (std::uint64_t v = 0; v < nodes; ++v) {
      offsets += std::to_string(edges) + "\n";
      for (std::uint64_t i = 0; v > 2 && v < 80 && i < v * v % 7; ++i, ++edges) {
        targets += std::to_string((v * 31 + i) % nodes) + (i % 2 == 0 ? "\n" : " ");
        weights += std::to_string(edges) + "\n";
      }
    }
    weights.replace(weights.size() - std::to_string(edges - 1).size() - 1, std::string::npos, last);
    const std::string counts = std::to_string(nodes) + "\n" + std::to_string(edges) + "\n";
    EXPECT_EQ(read("AdjacencyGraph\n" + counts + offsets + targets).num_edges(), edges);
    EXPECT_EQ(read("WeightedAdjacencyGraph\n" + counts + offsets + targets + weights).num_edges(),
              edges);
  }
}

TEST(read_adjacency_graph, names_the_line_of_what_is_wrong) {
  for (const auto& [text, code, line] :
       {std::tuple{"Adjacency\n", hg::error_kind::malformed, 1u},
        std::tuple{"AdjacencyGraph\n4\n", hg::error_kind::truncated, 3u},
        std::tuple{"AdjacencyGraph\n99999999\n1\n0\n", hg::error_kind::truncated, 3u},
        std::tuple{"AdjacencyGraph\n1\n1152921504606846976\n0\n", hg::error_kind::truncated, 3u},
        std::tuple{"AdjacencyGraph\n2\n1\n1\n1\n1\n", hg::error_kind::malformed, 4u},
        std::tuple{"AdjacencyGraph\n3\n1\n0\n1\n0\n1\n", hg::error_kind::malformed, 6u},
        std::tuple{"AdjacencyGraph\n2\n1\n0\n2\n1\n", hg::error_kind::out_of_range, 5u},
        std::tuple{"AdjacencyGraph\n2\n1\n0\n1\n2\n", hg::error_kind::out_of_range, 6u},
        std::tuple{"AdjacencyGraph\n2\n1\n0\n1\nx\n", hg::error_kind::malformed, 6u},
        std::tuple{"AdjacencyGraph\n2\n1\n0\n1\n1\n1\n", hg::error_kind::malformed, 7u},
        std::tuple{"AdjacencyGraph\n0\n1\n0\n", hg::error_kind::malformed, 3u},
        std::tuple{"WeightedAdjacencyGraph\n1\n1\n0\n0\nx\n", hg::error_kind::malformed, 6u}}) {
    const auto problem = refusal_of([&, text = text] { return read(text); });
    EXPECT_EQ(problem.code(), code) << text << problem.what();
    EXPECT_EQ(problem.where().line, line) << text << problem.what();
  }
}

}  // namespace
