// SPDX-License-Identifier: BSL-1.0
#include <halograph/io/formats/dimacs.hpp>

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
  const std::string path = folder.write("USA.gr", text);
  return hg::testing::read_as_streamed([&] { return hg::read_dimacs_graph(path); },
                                       [&](std::size_t piece) {
                                         return hg::stream_dimacs_graph(path, hg::read_files{}, {},
                                                                        piece);
                                       });
}

TEST(read_dimacs_graph, reads_arcs_and_passes_comments) {
  const auto data = read("c roads\np sp 3 3\nc more\na 1 2 803\nc\na 3 1 -2\na 2 2 0\nc end\n");
  EXPECT_EQ(data.name, "USA");
  EXPECT_EQ(data.node_counts, ids{3});
  EXPECT_EQ(data.edges[0].source, (ids{0, 2, 1}));
  EXPECT_EQ(data.edges[0].target, (ids{1, 0, 1}));
  EXPECT_EQ(data.edge_feature(0, "weight")->rows.chunks()[0].values<std::int64_t>(),
            (std::vector<std::int64_t>{803, -2, 0}));
  EXPECT_EQ(read("p sp 3 0\n").num_nodes(), 3u);
}

TEST(stream_dimacs_graph, gives_what_is_read_in_pieces_of_any_size) {
  std::string text = "c arcs\np sp 50 200\n";
  for (int i = 0; i < 200; ++i) {
    text += "a " + std::to_string(i * 7 % 50 + 1) + " " + std::to_string(i * 13 % 50 + 1) + " " +
            std::to_string(100 - i) + (i % 9 == 0 ? "\nc more\n" : "\n");
  }
  EXPECT_EQ(read(text).num_edges(), 200u);
  EXPECT_EQ(refusal_of([&] { return read(text + "a 1 1 1\n"); }).code(), hg::error_kind::mismatch);
  EXPECT_EQ(refusal_of([&] { return read(text + "a 1 51 1\n"); }).where().line, 225u + 1);
}

TEST(read_dimacs_graph, names_the_line_of_what_is_wrong) {
  for (const auto& [text, code, line] :
       {std::tuple{"c\nx\n", hg::error_kind::malformed, 2u},
        std::tuple{"c\n", hg::error_kind::truncated, 2u},
        std::tuple{"p tw 3 3\n", hg::error_kind::unsupported, 1u},
        std::tuple{"p sp 3\n", hg::error_kind::malformed, 1u},
        std::tuple{"p sp 3 1 1\n", hg::error_kind::malformed, 1u},
        std::tuple{"p sp 3 1\na 1 4 1\n", hg::error_kind::out_of_range, 2u},
        std::tuple{"p sp 3 1\na 0 1 1\n", hg::error_kind::out_of_range, 2u},
        std::tuple{"p sp 3 1\nc\n\ne 1 1 1\n", hg::error_kind::malformed, 4u},
        std::tuple{"p sp 3 1\na1 1 1\n", hg::error_kind::malformed, 2u},
        std::tuple{"p sp 3 1\na 1 1     \n", hg::error_kind::malformed, 2u},
        std::tuple{"p sp 3 2\na 1 1 1\nccccccccc\n", hg::error_kind::mismatch, 1u},
        std::tuple{"p sp 3 4000000000\na 1 1 1\n", hg::error_kind::truncated, 1u}}) {
    const auto problem = refusal_of([&, text = text] { return read(text); });
    EXPECT_EQ(problem.code(), code) << text << problem.what();
    EXPECT_EQ(problem.where().line, line) << text << problem.what();
  }
}

}  // namespace
