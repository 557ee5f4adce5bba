// SPDX-License-Identifier: BSL-1.0
#include <halograph/folder/html_graph.hpp>
#include <halograph/folder/report.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace hg = halograph;
namespace html = halograph::detail::html;

hg::folder_report report_of(std::size_t parts,
                            std::vector<hg::report_figures::crossing> edges_between) {
  hg::folder_report found;
  found.report.parts.resize(parts);
  found.figures.emplace().edges_between = std::move(edges_between);
  return found;
}

TEST(html_graph, levels_halve) {
  const auto all = html::matrix_of(
      report_of(3, {{0, 0, 1000}, {1, 0, 100}, {2, 0, 50}, {0, 1, 51}, {2, 1, 1}, {0, 2, 25}}));
  EXPECT_EQ(all.groups, 3u);
  EXPECT_EQ(all.most, 100u) << "the largest number between two parts, not inside one";
  EXPECT_EQ(all.level(1, 0), 5u);
  EXPECT_EQ(all.level(0, 1), 5u);
  EXPECT_EQ(all.level(2, 0), 4u);
  EXPECT_EQ(all.level(0, 2), 3u);
  EXPECT_EQ(all.level(2, 1), 1u);
  EXPECT_EQ(all.level(1, 2), 0u);
}

TEST(html_graph, neighboring_parts_share_rows) {
  const auto all = html::matrix_of(report_of(130, {{0, 129, 5}, {1, 129, 6}, {2, 128, 7}}));
  EXPECT_EQ(all.parts_per_group, 3u);
  EXPECT_EQ(all.groups, 44u);
  EXPECT_EQ(all.edges[43], 11u);  // from parts 0 to 2 to part 129, alone
  EXPECT_EQ(all.edges[42], 7u);
}

TEST(html_graph, drawings_mark_each_node_once) {
  hg::graph_drawing drawn;
  EXPECT_NE(html::drawing_html(drawn, 2, 0, "").find("no nodes"), std::string::npos);
  drawn.nodes = {{0, 0, 0, 0}, {1, 1, 10000, 10000}, {2, 1, 0, 10000}};
  drawn.edges = {{0, 1}, {1, 2}};
  const auto text = html::drawing_html(drawn, 2, 3, ", A x");
  EXPECT_NE(text.find("Drawing of 3 nodes and 2 edges, 1 of them between parts, A x"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("class=\"in\" stroke-width=\"1.5\" d=\"M976 976L24 976\""),
            std::string::npos);
  EXPECT_NE(text.find("class=\"cut\" stroke-width=\"1.5\" d=\"M24 24L976 976\""),
            std::string::npos);
  EXPECT_NE(text.find("<path class=\"c0\" d=\"M24 24m"), std::string::npos);
  EXPECT_NE(text.find("<path class=\"c1\" d=\"M976 976m"), std::string::npos);
}

}  // namespace
