// SPDX-License-Identifier: BSL-1.0
#include <halograph/io/formats/metis.hpp>

#include <gtest/gtest.h>
#include <support/temporary_folder.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace hg = halograph;
using hg::testing::temporary_folder;

namespace {

using ids = std::vector<std::uint64_t>;
using weights = std::vector<std::int64_t>;

hg::dataset<> read(const std::string& text) {
  const temporary_folder folder;
  return hg::read_metis_graph(folder.write("g.graph", text));
}

hg::error refusal(const std::string& text) {
  try {
    static_cast<void>(read(text));
  } catch (const hg::error& problem) {
    return problem;
  }
  return hg::error(hg::error_kind::ok, "it was taken");
}

// 1 - 2 - 3, and 4 alone.
TEST(read_metis_graph, makes_an_edge_of_every_entry) {
  for (const std::string text : {"4 2\n2\n1 3\n2\n\n", "% c\n4 2\n%\n2\n 1\t3 \n% x\n2\n\n%\n\n",
                                 "4 2 0\r\n2\r\n1 3\r\n2\r\n\r\n", "4 2 000\n2\n1 3\n2\n"}) {
    const auto data = read(text);
    EXPECT_EQ(data.name, "g");
    EXPECT_EQ(data.schema, hg::graph_schema::homogeneous());
    EXPECT_EQ(data.node_counts, ids{4}) << text;
    EXPECT_EQ(data.edges[0].source, (ids{0, 1, 1, 2})) << text;
    EXPECT_EQ(data.edges[0].target, (ids{1, 0, 2, 1})) << text;
    EXPECT_TRUE(data.node_weights.empty());
    EXPECT_TRUE(data.node_sizes.empty());
    EXPECT_TRUE(data.features.edges.empty());
    EXPECT_TRUE(data.notes.empty()) << text;
  }
}

TEST(read_metis_graph, knows_every_format) {
  for (const int format : {0, 1, 10, 11, 100, 101, 110, 111}) {
    for (const int constraints : {1, 3}) {
      if (constraints == 3 && format / 10 % 10 == 0) continue;
      std::string text = "3 2 " + std::to_string(format) + (constraints == 3 ? " 3" : "") + "\n";
      const std::string row[] = {"2", "1 3", "2"};
      for (int v = 0; v < 3; ++v) {
        if (format / 100) text += std::to_string(70 + v) + " ";
        if (format / 10 % 10) {
          for (int c = 0; c < constraints; ++c) text += std::to_string(10 * c + v) + " ";
        }
        for (const char c : row[v]) {
          text += c;
          if (c != ' ' && format % 10) text += (v == 0 || c == '1') ? " 5" : " 6";
        }
        text += '\n';
      }
      const auto data = read(text);
      EXPECT_EQ(data.edges[0].target, (ids{1, 0, 2, 1})) << text;
      EXPECT_TRUE(data.notes.empty()) << text;
      EXPECT_EQ(data.node_sizes, (format / 100 ? weights{70, 71, 72} : weights{}));
      if (format / 10 % 10) {
        ASSERT_EQ(data.node_weights.size(), static_cast<std::size_t>(constraints));
        for (int c = 0; c < constraints; ++c) {
          EXPECT_EQ(data.node_weights[static_cast<std::size_t>(c)],
                    (weights{10 * c, 10 * c + 1, 10 * c + 2}));
        }
      } else {
        EXPECT_TRUE(data.node_weights.empty());
      }
      EXPECT_EQ(data.edge_weight_feature, format % 10 ? "weight" : "");
      if (format % 10) {
        ASSERT_EQ(data.features.edges.size(), 1u);
        EXPECT_EQ(data.features.edges[0].rows.chunks()[0], hg::tensor::from(weights{5, 5, 6, 6}));
      }
    }
  }
}

TEST(read_metis_graph, notes_edges_that_one_end_alone_lists) {
  EXPECT_EQ(read("3 1\n2 3\n\n\n").notes.size(), 1u);
  EXPECT_EQ(read("2 1 1\n2 5\n1 6\n").notes.size(), 1u);
  EXPECT_EQ(read("2 1 1\n2 5\n1 5\n").notes.size(), 0u);
}

/// Several pieces, though texts are small.
struct pieces {
  static constexpr std::size_t concurrency() noexcept { return 4; }
  template <class Body>
  void parallel_for(std::size_t first, std::size_t last, std::size_t, Body&& body) const {
    while (last > first) --last, body(last, last + 1);  // from the back, which nothing may show
  }
};

// A circle with chords, long enough to be cut; a comment behind the header has it read line by
// line.
TEST(read_metis_graph, reads_pieces_as_it_reads_lines) {
  constexpr std::uint64_t n = 30000;
  for (const std::string format : {"", " 1", " 111 2"}) {
    std::string lines;
    const auto list = [&](std::uint64_t v, std::uint64_t u) {
      lines += " " + std::to_string(u % n + 1);
      if (!format.empty()) lines += "\t" + std::to_string((u + v) % n + 1000000000);
    };
    for (std::uint64_t v = 0; v < n; ++v) {
      if (format.size() > 2) lines += std::to_string(v) + " " + std::to_string(v * v) + " 7";
      list(v, v + 1);
      list(v, v + n - 1);
      if (v % 2 == 0) list(v, n - v);
      lines += v % 100 == 0 ? " \r\n" : "\n";
    }
    // Each edge v -> n - v is there from both ends; 0 and n / 2 have loops.
    const std::string header = std::to_string(n) + " " + std::to_string(n + n / 4) + format + "\n";
    const temporary_folder folder;
    const auto apart = hg::read_metis_graph(folder.write("g.graph", header + lines),
                                            hg::read_files{}, pieces{});
    const auto whole = read(header + "%\n" + lines);
    EXPECT_EQ(apart.edges[0].source, whole.edges[0].source);
    EXPECT_EQ(apart.edges[0].target, whole.edges[0].target);
    EXPECT_EQ(apart.edges[0].source.size(), 2 * n + n / 2);
    EXPECT_EQ(apart.node_weights, whole.node_weights);
    EXPECT_EQ(apart.node_sizes, whole.node_sizes);
    EXPECT_EQ(apart.features.edges.size(), whole.features.edges.size());
    if (!apart.features.edges.empty()) {
      EXPECT_EQ(apart.features.edges[0].rows.rows(), 2 * n + n / 2);
    }
    EXPECT_TRUE(apart.notes.empty()) << format;
    EXPECT_TRUE(whole.notes.empty()) << format;
    // A fault in the last line is found where it is.
    std::string broken = header + lines;
    broken.insert(broken.size() - 1, " x");
    try {
      static_cast<void>(
          hg::read_metis_graph(folder.write("g.graph", broken), hg::read_files{}, pieces{}));
      ADD_FAILURE();
    } catch (const hg::error& problem) {
      EXPECT_EQ(problem.where().line, n + 1);
    }
    if (format.size() > 2) continue;
    const std::size_t chord = header.size() + lines.find('\n', lines.size() / 2);
    std::string one_sided = header + lines;
    one_sided[chord + 3] = one_sided[chord + 3] == '1' ? '2' : '1';
    EXPECT_EQ(hg::read_metis_graph(folder.write("g.graph", one_sided), hg::read_files{}, pieces{})
                  .notes.size(),
              1u);
  }
}

TEST(read_metis_graph, takes_graphs_without_anything) {
  EXPECT_EQ(read("0 0\n").num_nodes(), 0u);
  EXPECT_EQ(read("0 0 011 7").num_nodes(), 0u);
  EXPECT_EQ(read("2 0\n\n\n").num_nodes(), 2u);
}

TEST(read_metis_graph, says_the_line_of_what_is_wrong) {
  struct {
    const char* text;
    hg::error_kind code;
    std::uint64_t line;
    const char* words;
  } cases[] = {
      {"", hg::error_kind::truncated, 1, "no header"},
      {"% x\n", hg::error_kind::malformed, 2, "header is incomplete"},
      {"3\n", hg::error_kind::malformed, 1, "header is incomplete"},
      {"x 2\n", hg::error_kind::malformed, 1, "\"x\""},
      {"1 0 2\n\n", hg::error_kind::malformed, 1, "the format is 2"},
      {"1 0 1000\n\n", hg::error_kind::malformed, 1, "the format is 1000"},
      {"1 0 001 2\n\n", hg::error_kind::malformed, 1, "010, 011, 110 or 111"},
      {"1 0 010 1 1\n1\n", hg::error_kind::malformed, 1, "more than"},
      {"1000 1\n2\n1\n", hg::error_kind::malformed, 1, "cannot be in a file of 11 bytes"},
      {"18446744073709551615 18446744073709551615\n", hg::error_kind::malformed, 1, "cannot be"},
      {"2 18446744073709551616\n", hg::error_kind::out_of_range, 1, "64 bits"},
      {"3 1\n2\n1", hg::error_kind::truncated, 3, "line of vertex 3"},
      {"2 1\n2\n3\n", hg::error_kind::out_of_range, 3, "numbered from 1 to 2"},
      {"%\n2 1\n0\n1\n", hg::error_kind::out_of_range, 3, "neighbor 0"},
      {"2 1\n2\n-1\n", hg::error_kind::out_of_range, 3, "\"-1\""},
      {"2 1\n2\n1 x\n", hg::error_kind::malformed, 3, "\"x\""},
      {"2 1\n2,1\n\n", hg::error_kind::malformed, 2, "\"2,1\""},
      {"2 1 1\n2 3\n1\n", hg::error_kind::malformed, 3, "an edge weight is expected"},
      {"2 1 1\n2 0\n1 0\n", hg::error_kind::out_of_range, 2, "at least 1"},
      {"2 1 10\n\n1 1\n", hg::error_kind::malformed, 2, "a vertex weight is expected"},
      {"2 1 10\n9223372036854775808 2\n1 1\n", hg::error_kind::overflow, 2, "below 2^63"},
      {"2 1\n2\n\n", hg::error_kind::mismatch, 1, "list 1 neighbors"},
      {"2 1\n2 2\n1 1\n", hg::error_kind::mismatch, 3, "more than the 2"},
      {"2 1\n2\n1\n1\n", hg::error_kind::mismatch, 4, "after that of the last vertex"}};
  for (const auto& c : cases) {
    const auto problem = refusal(c.text);
    EXPECT_EQ(problem.code(), c.code) << c.text << "\n" << problem.what();
    EXPECT_EQ(problem.where().line, c.line) << c.text << "\n" << problem.what();
    EXPECT_NE(problem.message().find(c.words), std::string::npos) << problem.what();
  }
}

TEST(read_metis_graph, says_overflow_where_a_wider_id_would_do) {
  const temporary_folder folder;
  const auto path = folder.write("g.graph", "200 0\n" + std::string(200, '\n'));
  EXPECT_EQ((hg::read_metis_graph<std::uint8_t, std::uint8_t>(path).num_nodes()), 200u);
  try {
    static_cast<void>(hg::read_metis_graph<std::int8_t, std::uint8_t>(path));
    FAIL();
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.code(), hg::error_kind::overflow);
  }
}

}  // namespace
