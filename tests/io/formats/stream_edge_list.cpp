// SPDX-License-Identifier: BSL-1.0
#include "support/collect_stream.hpp"
#include "support/temporary_folder.hpp"

#include <halograph/core/random.hpp>
#include <halograph/io/formats/stream_edge_list.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace {

namespace hg = halograph;
using hg::testing::temporary_folder;

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
