// SPDX-License-Identifier: BSL-1.0
// Every folder that DGL wrote opens as one distributed graph, which answers what the parts' files
// say.
#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/dist/dist_graph.hpp>
#include <halograph/dist/open_dist_graph.hpp>
#include <halograph/folder/read_config.hpp>
#include <halograph/serial/dgl/serializer.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/testing/thread_ranks.hpp>

#include <gtest/gtest.h>
#include <support/golden.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace hg = halograph;
namespace fs = std::filesystem;
using hg::testing::values;
using formats = hg::format_set<hg::dgl_serializer>;

namespace {

/// Configs beside which DGL's parts lie.
std::vector<std::string> configs() {
  std::vector<std::string> found;
  for (const char* kind : {"partition", "dispatch"}) {
    for (const auto& name : hg::testing::golden_cases(kind)) {
      const auto folder = hg::testing::golden_folder(kind) / name / "dgl";
      if (!fs::exists(folder)) continue;
      for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() != ".json") continue;
        const auto config = hg::testing::read_json(entry.path());
        if (config.contains("part-0") && config["part-0"].contains("part_graph"))
          found.push_back(entry.path().string());
      }
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

struct file_rows {
  bool of_nodes;
  std::string type, name;
  std::uint64_t first;  // typed ID of the part's first row
  hg::tensor rows;
};

TEST(dist_graph, opens_every_folder_that_dgl_wrote) {
  std::size_t opened = 0, kept = 0;
  for (const auto& path : configs()) {
    SCOPED_TRACE(path);
    const auto config = hg::read_config(path, hg::read_files{}, hg::nlohmann_codec{});
    if (!config.reshuffled()) {
      hg::single_rank alone;
      EXPECT_THROW(
          hg::open_dist_graph(alone, path,
                              hg::folder_access(hg::read_files{}, hg::nlohmann_codec{}, formats{})),
          hg::error);
      ++kept;
      continue;
    }
    std::vector<std::pair<std::int64_t, std::int64_t>> ends(
        static_cast<std::size_t>(config.num_edges), {-1, -1});
    std::vector<std::uint64_t> in(static_cast<std::size_t>(config.num_nodes)), out(in.size());
    std::vector<file_rows> features;
    for (std::size_t p = 0; p < config.num_parts; ++p) {
      const auto part = hg::load_partition(
          path, p, hg::folder_access(hg::read_files{}, hg::nlohmann_codec{}, formats{}));
      const auto& book = std::get<hg::partition_book>(part.book);
      const auto ids = values(part.graph.node_columns, "_ID"),
                 edges = values(part.graph.edge_columns, "_ID"),
                 inner = values(part.graph.edge_columns, "inner_edge");
      for (std::size_t e = 0; e < edges.size() && part.graph.coo; ++e) {
        if (inner[e] == 0) continue;
        auto& [u, v] = ends.at(static_cast<std::size_t>(edges[e]));
        u = ids.at(static_cast<std::size_t>(part.graph.coo->source.integer(e)));
        v = ids.at(static_cast<std::size_t>(part.graph.coo->target.integer(e)));
        ++out[static_cast<std::size_t>(u)];
        ++in[static_cast<std::size_t>(v)];
      }
      for (const bool of_nodes : {true, false}) {
        for (const auto& one : of_nodes ? part.node_features : part.edge_features) {
          const auto slash = one.name.find('/');
          const auto type = one.name.substr(0, slash);
          const auto first = of_nodes
                                 ? book.nodes().typed_range(p, book.node_type_number(type)).begin
                                 : book.edges().typed_range(p, book.edge_type_number(type)).begin;
          if (one.value.rows() == 0) continue;  // DGL writes float32 then, whatever it is elsewhere
          features.push_back({of_nodes, type, one.name.substr(slash + 1), first, one.value});
        }
      }
    }
    const bool pairs = std::none_of(ends.begin(), ends.end(),
                                    [](const auto& one) { return one.first < 0; });
    hg::run_ranks(std::min<std::size_t>(2, config.num_parts), [&](const hg::thread_rank& ranks) {
      const auto g = hg::open_dist_graph(
          ranks, path, hg::folder_access(hg::read_files{}, hg::nlohmann_codec{}, formats{}));
      EXPECT_EQ(g.num_nodes(), config.num_nodes);
      EXPECT_EQ(g.num_edges(), config.num_edges);
      std::vector<std::int64_t> all(ends.size()), nodes(in.size());
      for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
      for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i] = static_cast<std::int64_t>(i);
      const auto found = g.find_edges(all);
      const auto in_found = g.in_degrees(nodes), out_found = g.out_degrees(nodes);
      if (pairs) {
        for (std::size_t e = 0; e < ends.size(); ++e)
          EXPECT_EQ(std::pair(found.first[e], found.second[e]), ends[e]);
        EXPECT_EQ(in_found, in);
        EXPECT_EQ(out_found, out);
      }
      for (const auto& one : features) {
        const auto rows = (one.of_nodes ? g.nodes(one.type) : g.edges(one.type)).data(one.name);
        std::vector<std::uint64_t> ids;
        for (std::uint64_t i = 0; i < one.rows.rows(); ++i) ids.push_back(one.first + i);
        EXPECT_EQ(rows[ids], one.rows) << one.type << "/" << one.name;
      }
    });
    ++opened;
  }
  EXPECT_GE(opened, 20u);
  EXPECT_LT(kept, opened);
}

}  // namespace
