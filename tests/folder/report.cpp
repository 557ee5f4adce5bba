// SPDX-License-Identifier: BSL-1.0
#include "support/few_threads.hpp"
#include "support/small_folder.hpp"
#include "support/temporary_folder.hpp"

#include <halograph/folder/report.hpp>
#include <halograph/partition/connected/components.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace hg = halograph;
using namespace hg::testing;

hg::folder_report report(const std::string& folder) {
  return hg::report_folder(config_of(folder), test_access{});
}

void expect_same(const hg::quality_report& found, const hg::quality_report& made) {
  EXPECT_EQ(found.nodes, made.nodes);
  EXPECT_EQ(found.edges, made.edges);
  EXPECT_EQ(found.node_types, made.node_types);
  EXPECT_EQ(found.edge_cut, made.edge_cut);
  EXPECT_EQ(found.directed_cut, made.directed_cut);
  EXPECT_EQ(found.communication_volume, made.communication_volume);
  EXPECT_DOUBLE_EQ(found.replication_factor, made.replication_factor);
  ASSERT_EQ(found.parts.size(), made.parts.size());
  for (std::size_t p = 0; p < made.parts.size(); ++p) {
    EXPECT_EQ(found.parts[p].inner_nodes, made.parts[p].inner_nodes) << p;
    EXPECT_EQ(found.parts[p].halo_nodes, made.parts[p].halo_nodes) << p;
    EXPECT_EQ(found.parts[p].inner_edges, made.parts[p].inner_edges) << p;
    EXPECT_EQ(found.parts[p].halo_edges, made.parts[p].halo_edges) << p;
    EXPECT_EQ(found.parts[p].halo_nodes_per_hop, made.parts[p].halo_nodes_per_hop) << p;
  }
}

TEST(report_folder, repeats_the_report_of_partitioning) {
  for (const bool typed : {false, true}) {
    for (const bool closing : {true, false}) {
      for (const bool reshuffle : {true, false}) {
        for (const unsigned hops : {1u, 2u, 4u}) {
          const temporary_folder place;
          hg::partition_options options;
          options.hops = hops;
          options.closing_out_edges = closing;
          options.reshuffle = reshuffle;
          // Sparse enough for several hops to reach different nodes.
          const auto made = small_partition(small_dataset(hops, typed, 60, 50), place("out"),
                                            1 + hops, hops, options);
          const auto found = report(place("out"));
          SCOPED_TRACE(std::to_string(typed) + std::to_string(closing) + std::to_string(reshuffle) +
                       " hops " + std::to_string(hops));
          EXPECT_TRUE(found.cut_known);
          expect_same(found.report, made.report);
          if (reshuffle) {
            EXPECT_EQ(found.report.edge_types, made.report.edge_types);
          }
        }
      }
    }
  }
}

TEST(report_folder, cut_and_volume_are_those_of_a_naive_count) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const temporary_folder place;
    const auto data = small_dataset(seed, true, 20, 40);
    small_partition(data, place("out"), 3, seed);
    const auto owner = drawn_owners(data.num_nodes(), 3, seed);
    std::set<std::pair<std::uint64_t, std::uint64_t>> pairs, sees;
    std::uint64_t directed = 0;
    data.graph().for_each_edge([&](std::uint64_t u, std::uint64_t v, std::uint64_t) {
      if (owner[u] == owner[v]) return;
      ++directed;
      pairs.emplace(std::min(u, v), std::max(u, v));
      sees.emplace(u, owner[v]);
      sees.emplace(v, owner[u]);
    });
    const auto found = report(place("out")).report;
    EXPECT_EQ(found.directed_cut, directed);
    EXPECT_EQ(found.edge_cut, pairs.size());
    EXPECT_EQ(found.communication_volume, sees.size());
  }
}

TEST(report_folder, components_of_parts_are_those_of_the_graph) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const temporary_folder place;
    const auto data = small_dataset(seed, true, 40, 30);
    small_partition(data, place("out"), 3, seed);
    const auto owner = drawn_owners(data.num_nodes(), 3, seed);
    std::vector<std::uint64_t> components, whole;
    for (const auto& one : hg::count_components(data.graph(), std::span(owner), 3)) {
      components.push_back(one.components);
      whole.push_back(one.whole);
    }
    const auto found = report(place("out"));
    EXPECT_EQ(found.components, components);
    EXPECT_EQ(found.whole, whole);
    small_partition(data, place("entering"), 3, seed, {.closing_out_edges = false});
    const auto entering = report(place("entering"));
    EXPECT_EQ(entering.components, components);
    EXPECT_TRUE(entering.whole.empty());  // edges to other parts are not there
  }
}

TEST(report_folder, does_not_depend_on_the_sparse_format) {
  const auto data = small_dataset(5, true);
  for (const char* formats : {"coo", "csr", "csc", "csr,csc"}) {
    const temporary_folder place;
    hg::partition_options options;
    options.hops = 2;
    options.formats = *hg::sparse_formats::parse(formats);
    const auto made = small_partition(data, place("out"), 3, 5, options);
    SCOPED_TRACE(formats);
    expect_same(report(place("out")).report, made.report);
  }
}

TEST(report_folder, dropped_edges_are_counted_and_noted) {
  const temporary_folder place;
  hg::partition_options options;
  options.hops = 0;
  options.drop_cut_edges = true;
  const auto made = small_partition(small_dataset(6, false), place("out"), 2, 6, options);
  const auto found = report(place("out"));
  EXPECT_FALSE(found.cut_known);
  EXPECT_TRUE(found.whole.empty());
  ASSERT_EQ(found.notes.size(), 1u);
  EXPECT_EQ(found.report.edges, made.report.edges);
  EXPECT_EQ(found.report.directed_cut, made.report.directed_cut);
  EXPECT_GT(found.report.directed_cut, 0u);
  EXPECT_EQ(found.report.parts[0].halo_nodes_per_hop.size(), 0u);
}

TEST(report_folder, figures_are_those_of_a_naive_count) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    for (const bool reshuffle : {true, false}) {
      const temporary_folder place;
      const auto data = small_dataset(seed, true, 20, 40);
      small_partition(data, place("out"), 3, seed, {.reshuffle = reshuffle});
      const auto owner = drawn_owners(data.num_nodes(), 3, seed);
      std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> between;
      std::vector<std::uint64_t> inside(owner.size()), across(owner.size());
      data.graph().for_each_edge([&](std::uint64_t u, std::uint64_t v, std::uint64_t) {
        ++between[{owner[v], owner[u]}];
        ++(owner[u] == owner[v] ? inside : across)[v];
      });
      const auto found = hg::report_folder(config_of(place("out")), test_access{},
                                           {.figures = true});
      ASSERT_TRUE(found.figures);
      ASSERT_EQ(found.figures->edges_between.size(), between.size());
      auto at = between.begin();
      for (const auto& one : found.figures->edges_between) {
        EXPECT_EQ(std::pair(one.target, one.source), at->first);
        EXPECT_EQ(one.edges, at->second);
        ++at;
      }
      const auto histogram = [](const std::vector<std::uint64_t>& degrees) {
        std::vector<std::uint64_t> out;
        for (const auto degree : degrees) {
          std::size_t digits = 0;
          for (auto rest = degree; rest != 0; rest /= 2) ++digits;
          if (out.size() <= digits) out.resize(digits + 1);
          ++out[digits];
        }
        return out;
      };
      EXPECT_EQ(found.figures->degrees_inside, histogram(inside));
      EXPECT_EQ(found.figures->degrees_across, histogram(across));
      ASSERT_EQ(found.figures->nodes_by_type.size(), 2u);
      for (std::size_t p = 0; p < 3; ++p) {
        EXPECT_EQ(found.figures->nodes_by_type[0][p],
                  static_cast<std::uint64_t>(std::count(owner.begin(), owner.begin() + 20, p)));
      }
      EXPECT_EQ(found.figures->drawing.nodes.size(), owner.size());
    }
  }
  const temporary_folder place;
  small_partition(small_dataset(1, true), place("out"), 2, 1);
  EXPECT_FALSE(report(place("out")).figures);
}

TEST(report_folder, balance_is_judged_for_all_nodes_and_for_each_type) {
  const temporary_folder place;
  const auto data = small_dataset(7, true, 4, 3);  // 4 users, 2 items
  const std::vector<hg::part_id> owner{0, 0, 0, 1, 0, 1};
  hg::partition_options options;
  options.graph_name = "g";
  hg::partition_graph(data, hg::given{.parts = 2, .owners = owner},
                      hg::dgl_folder{.path = place("out")}, options);
  const auto found = hg::report_folder(config_of(place("out")), test_access{},
                                       {.tolerance = 0.4, .on_progress = {}});
  ASSERT_EQ(found.report.balance.size(), 3u);
  EXPECT_EQ(found.report.balance[0].name, "nodes");
  EXPECT_DOUBLE_EQ(found.report.balance[0].imbalance, 4.0 / 3 - 1);
  EXPECT_TRUE(found.report.balance[0].met);
  EXPECT_EQ(found.report.balance[1].name, "ntype:user");
  EXPECT_DOUBLE_EQ(found.report.balance[1].imbalance, 0.5);
  EXPECT_FALSE(found.report.balance[1].met);
  EXPECT_EQ(found.report.balance[2].name, "ntype:item");
  EXPECT_DOUBLE_EQ(found.report.balance[2].imbalance, 0);
}

TEST(report_folder, more_hops_than_nodes_take_a_count_per_node) {
  const temporary_folder place;
  const auto made = small_partition(small_dataset(9, true, 12, 10), place("out"), 3, 9,
                                    {.hops = 1u << 20});
  const auto found = report(place("out"));
  EXPECT_EQ(found.report.parts.at(0).halo_nodes_per_hop.size(), 18u);  // of 12 + 6 nodes
  expect_same(found.report, made.report);
}

TEST(report_folder, refuses_to_take_more_memory_than_allowed) {
  for (const char* formats : {"coo", "csc"}) {
    for (const bool figures : {false, true}) {
      const temporary_folder place;
      hg::partition_options options;
      options.formats = *hg::sparse_formats::parse(formats);
      small_partition(small_dataset(3, true, 60, 50), place("out"), 3, 3, options);
      hg::report_options asked{.figures = figures};
      const auto whole = hg::report_folder(config_of(place("out")), test_access{}, asked);
      EXPECT_GT(whole.memory_bytes, 8u << 20);
      asked.most_bytes = whole.memory_bytes;
      const auto same = hg::report_folder(config_of(place("out")), test_access{}, asked);
      expect_same(same.report, whole.report);
      asked.most_bytes = whole.memory_bytes - 1;
      try {
        hg::report_folder(config_of(place("out")), test_access{}, asked);
        FAIL() << formats;
      } catch (const hg::error& problem) {
        EXPECT_EQ(problem.code(), hg::error_kind::memory);
        EXPECT_NE(std::string(problem.what()).find("a report of this folder needs up to 8.0 MiB"),
                  std::string::npos)
            << problem.what();
      }
    }
  }
}

TEST(report_folder, cut_edges_that_are_listed_are_left_out_where_they_do_not_fit) {
  const temporary_folder place;
  const auto made = small_partition(small_dataset(3, true, 3000, 9000), place("out"), 3, 3,
                                    {.closing_out_edges = false});
  const auto config = config_of(place("out"));
  const auto whole = hg::report_folder(config, test_access{});
  hg::report_options asked{.most_bytes = whole.memory_bytes};
  expect_same(hg::report_folder(config, test_access{}, asked).report, made.report);
  asked.most_bytes = whole.memory_bytes - 1;
  const auto found = hg::report_folder(config, test_access{}, asked);
  EXPECT_FALSE(found.cut_known);
  EXPECT_EQ(found.report.edge_cut, 0u);
  EXPECT_EQ(found.report.communication_volume, 0u);
  EXPECT_EQ(found.report.directed_cut, made.report.directed_cut);
  ASSERT_EQ(found.notes.size(), 1u);
  EXPECT_NE(found.notes[0].find("cut edges are listed in up to "), std::string::npos)
      << found.notes[0];
  EXPECT_LT(found.memory_bytes, whole.memory_bytes);
}

TEST(report_folder, does_not_depend_on_the_threads) {
  const temporary_folder place;
  // Enough cut edges for several pieces to be merged.
  const auto made = small_partition(small_dataset(4, false, 3000, 150000), place("out"), 5, 4,
                                    {.closing_out_edges = false});
  const auto alone = report(place("out"));
  expect_same(alone.report, made.report);
  const few_threads threads{3};
  expect_same(hg::report_folder(config_of(place("out")), test_access{}, {}, threads).report,
              alone.report);
}

TEST(report_folder, a_part_that_contradicts_the_config_is_refused) {
  const temporary_folder place;
  small_partition(small_dataset(8, false), place("out"), 2, 8);
  const auto one = content_of(place("out/part0/graph.dgl")),
             other = content_of(place("out/part1/graph.dgl"));
  place.write("out/part0/graph.dgl", other);
  try {
    report(place("out"));
    FAIL();
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.code(), hg::error_kind::malformed);
    EXPECT_NE(std::string(problem.what()).find("part0/graph.dgl"), std::string::npos)
        << problem.what();
  }
  place.write("out/part0/graph.dgl", one);
  auto config = config_of(place("out"));
  config.num_edges += 1;
  EXPECT_THROW(hg::report_folder(config, test_access{}), hg::error);
  config.num_edges -= 2;
  try {
    hg::report_folder(config, test_access{});
    FAIL();
  } catch (const hg::error& problem) {
    EXPECT_NE(std::string(problem.what()).find("the parts up to this one hold"), std::string::npos)
        << problem.what();
  }
  small_partition(small_dataset(8, false), place("entering"), 2, 8, {.closing_out_edges = false});
  config = config_of(place("entering"));
  config.num_nodes = std::uint64_t{1} << 60;
  try {
    hg::report_folder(config, test_access{});
    FAIL();
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.code(), hg::error_kind::malformed);
    EXPECT_NE(std::string(problem.what()).find("inner nodes; the config says 1152921504606846976"),
              std::string::npos)
        << problem.what();
  }
  config = config_of(place("out"));
  config.halo_hops = std::uint64_t{1} << 60;
  EXPECT_THROW(hg::report_folder(config, test_access{}), hg::error);
}

}  // namespace
