// SPDX-License-Identifier: BSL-1.0
#include <halograph/graph/symmetrize.hpp>
#include <halograph/io/chunked/edges.hpp>
#include <halograph/io/chunked/write.hpp>
#include <halograph/partition/connected/components.hpp>
#include <halograph/partition/quality.hpp>

#include <gtest/gtest.h>
#include <support/flat_threads.hpp>
#include <support/open_chunks.hpp>
#include <support/partition_model.hpp>
#include <support/temporary_folder.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <functional>
#include <iterator>
#include <span>
#include <string>
#include <vector>

namespace hg = halograph;
namespace ht = halograph::testing;
using ht::temporary_folder;

namespace {

using list = std::vector<std::array<std::uint64_t, 3>>;

template <class G>
list edges_of(const G& g) {
  list out;
  hg::for_each_edge(g, [&](auto u, auto v, auto e) {
    out.push_back({hg::index(u), hg::index(v), hg::index(e)});
  });
  return out;
}

void expect_error(const std::function<void()>& work, hg::error_kind kind,
                  const std::string& words) {
  try {
    work();
    FAIL() << "no error, but: " << words;
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.code(), kind);
    EXPECT_NE(std::string(problem.what()).find(words), std::string::npos) << problem.what();
  }
}

static_assert(hg::typed_graph<hg::chunked_edges<std::uint32_t>>);
static_assert(hg::sliced_edge_list<hg::chunked_edges<std::uint64_t>>);

TEST(chunked_edges, are_those_of_the_graph_in_their_order) {
  auto data = ht::graph_h1(ht::few::nothing, 3, 60);
  const auto expected = edges_of(data.graph());
  const temporary_folder folder;
  for (const auto format : {hg::edge_file_format::numpy, hg::edge_file_format::csv}) {
    hg::write_chunked(data, folder("in"), {.chunks = 3, .edges = format});
    const auto graph = ht::open_chunks(folder("in"));
    const hg::chunked_edges<std::uint16_t, std::uint32_t> g(graph);
    EXPECT_EQ(g.num_nodes(), data.num_nodes());
    EXPECT_EQ(g.num_edges(), data.num_edges());
    EXPECT_TRUE(std::ranges::equal(g.node_type_offsets(), data.graph().node_type_offsets()));
    EXPECT_TRUE(std::ranges::equal(g.edge_type_offsets(), data.graph().edge_type_offsets()));
    EXPECT_EQ(edges_of(g), expected);
    // Any range, within a type and across types.
    for (const std::size_t first : {std::size_t{0}, std::size_t{17}, expected.size() - 1}) {
      for (const std::size_t last :
           {first, first + 1, (first + expected.size()) / 2, expected.size()}) {
        list some;
        for_each_edge_between(g, first, last, [&](auto u, auto v, auto e) {
          some.push_back({hg::index(u), hg::index(v), hg::index(e)});
        });
        EXPECT_EQ(some, list(expected.begin() + static_cast<std::ptrdiff_t>(first),
                             expected.begin() + static_cast<std::ptrdiff_t>(last)));
      }
    }
  }
}

TEST(chunked_edges, can_be_measured_as_edges_in_memory_are) {
  // Enough for several slices.
  auto data = ht::graph_h1(ht::few::nothing, 4, 20000);
  const temporary_folder folder;
  hg::write_chunked(data, folder("in"), {.chunks = 2});
  const auto graph = ht::open_chunks(folder("in"));
  const hg::chunked_edges<std::uint32_t> g(graph);
  const ht::flat_threads threads(3);
  std::vector<hg::part_id> owner(g.num_nodes());
  for (std::size_t v = 0; v < owner.size(); ++v)
    owner[v] = static_cast<hg::part_id>(hg::mix(v) % 5);
  const auto in_memory = hg::measure_quality(data.graph(), owner, 5),
             from_files = hg::measure_quality(g, owner, 5, {}, threads);
  EXPECT_EQ(from_files.edge_cut, in_memory.edge_cut);
  EXPECT_EQ(from_files.directed_cut, in_memory.directed_cut);
  EXPECT_EQ(from_files.communication_volume, in_memory.communication_volume);
  EXPECT_EQ(hg::count_components(g, owner, 5), hg::count_components(data.graph(), owner, 5));
  EXPECT_EQ(hg::most_undirected_entries(g, threads), hg::most_undirected_entries(data.graph()));
}

TEST(chunked_edges, of_a_graph_without_edges_or_nodes_are_none) {
  hg::dataset<> data;
  data.name = "none";
  data.schema = hg::graph_schema::homogeneous();
  data.node_counts = {0};
  data.edges.resize(1);
  data.finish();
  const temporary_folder folder;
  hg::write_chunked(data, folder("in"));
  const auto graph = ht::open_chunks(folder("in"));
  const hg::chunked_edges<std::uint8_t> g(graph);
  EXPECT_EQ(g.num_nodes(), 0u);
  EXPECT_TRUE(edges_of(g).empty());
}

TEST(chunked_edges, need_ids_that_number_them) {
  auto data = ht::graph_h1(ht::few::nothing, 3, 100);
  const temporary_folder folder;
  hg::write_chunked(data, folder("in"));
  const auto graph = ht::open_chunks(folder("in"));
  expect_error([&] { (void)hg::chunked_edges<std::uint8_t>(graph); }, hg::error_kind::overflow,
               "edges, more than these IDs can number; use wider IDs");
  expect_error([&] { (void)hg::chunked_edges<std::uint32_t, std::uint8_t>(graph); },
               hg::error_kind::overflow, "more than these IDs can number");
}

TEST(chunked_edges, end_at_a_line_that_is_no_edge) {
  auto data = ht::graph_h1(ht::few::nothing, 3, 60);
  const temporary_folder folder;
  hg::write_chunked(data, folder("in"), {.edges = hg::edge_file_format::csv});
  const auto graph = ht::open_chunks(folder("in"));
  const std::string path = graph.edges[1].files[0].path;
  std::string text;
  {
    std::ifstream in(path);
    text.assign(std::istreambuf_iterator<char>(in), {});
  }
  text[0] = 'x';
  std::ofstream(path) << text;
  const auto changed = ht::open_chunks(folder("in"));
  expect_error([&] { (void)edges_of(hg::chunked_edges<std::uint32_t>(changed)); },
               hg::error_kind::malformed, path + ", line 1");
}

}  // namespace
