// SPDX-License-Identifier: BSL-1.0
// The C++ of examples/coming_from.md: the page quotes these lines (tests/examples/quoted.cmake).
#include <halograph/adapters/boost_graph.hpp>
#include <halograph/adapters/metis.hpp>
#include <halograph/halograph.hpp>
#include <halograph/hosted.hpp>
#include <halograph/partition/multilevel.hpp>

#include <boost/graph/adjacency_list.hpp>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace hg = halograph;

namespace {

// A ring of six nodes, as METIS stores it: both directions of each edge.
const std::vector<std::int32_t> xadj{0, 2, 4, 6, 8, 10, 12};
const std::vector<std::int32_t> adjncy{5, 1, 0, 2, 1, 3, 2, 4, 3, 5, 4, 0};

TEST(coming_from, dgl) {
  const auto out = (std::filesystem::temp_directory_path() / "halograph_coming_from").string();
  const std::vector<std::vector<std::uint32_t>> g{{1}, {2}, {3}, {4}, {5}, {0}};

  // clang-format off
hg::partition_graph(g, hg::metis{.parts = 2}, hg::dgl_folder{out},
                    {.graph_name = "ring", .hops = 1});
const auto part = hg::load_partition(out + "/ring.json", 1);
const auto& book = std::get<hg::partition_book>(part.book);
const auto owner = book.nid2partid(4);
const auto mine = book.partid2nids(1);
  // clang-format on

  EXPECT_EQ(owner, 1u);
  EXPECT_EQ(mine.size(), 3u);
  std::filesystem::remove_all(out);
}

TEST(coming_from, metis) {
  // clang-format off
const hg::csr_view graph(6, xadj.data(), adjncy.size(), adjncy.data());
const auto part = hg::assign(graph, hg::metis{.parts = 2, .seed = 1});
const auto quality = hg::measure_quality(graph, std::span(part), 2);
  // clang-format on

  EXPECT_EQ(part.size(), 6u);
  EXPECT_EQ(quality.edge_cut, 2u);
}

TEST(coming_from, kaminpar) {
  // clang-format off
const hg::csr_view graph(6, xadj.data(), adjncy.size(), adjncy.data());
const auto part = hg::assign(graph, hg::multilevel{.parts = 2, .tolerance = 0.03});
  // clang-format on

  EXPECT_EQ(hg::measure_quality(graph, std::span(part), 2).edge_cut, 2u);
}

TEST(coming_from, an_assignment_from_elsewhere) {
  const auto out = (std::filesystem::temp_directory_path() / "halograph_coming_given").string();
  const hg::csr_view graph(6, xadj.data(), adjncy.size(), adjncy.data());
  const std::vector<std::int32_t> part{0, 0, 0, 1, 1, 1};

  // clang-format off
const hg::given owners{.parts = 2, .owners = part};
const auto made = hg::partition_graph(graph, owners, hg::dgl_folder{out}, {.graph_name = "ring"});
  // clang-format on

  EXPECT_EQ(made.report.edge_cut, 2u);
  std::filesystem::remove_all(out);
}

TEST(coming_from, boost_graph) {
  using streets = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS>;
  streets town(4);
  add_edge(0, 1, town);
  add_edge(1, 2, town);
  add_edge(2, 3, town);

  // clang-format off
const hg::boost_graph_view view(town);  // nothing is copied
const auto owner = hg::assign(view, hg::multilevel{.parts = 2});
const auto part_of = hg::owner_map(owner);  // a property map: get(part_of, vertex)
  // clang-format on

  EXPECT_NE(get(part_of, std::size_t{0}), get(part_of, std::size_t{3}));
}

}  // namespace
