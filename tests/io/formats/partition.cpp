// SPDX-License-Identifier: BSL-1.0
#include "support/collect_stream.hpp"
#include "support/few_threads.hpp"
#include "support/small_folder.hpp"
#include "support/temporary_folder.hpp"

#include <halograph/io/formats/partition.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace {

namespace hg = halograph;
using hg::testing::config_of;
using hg::testing::content_of;
using hg::testing::edge_pairs;
using hg::testing::edges_of;
using hg::testing::expect_same_graph;
using hg::testing::small_dataset;
using hg::testing::small_partition;
using hg::testing::temporary_folder;

hg::streamed_graph stream(const std::string& folder, std::uint64_t memory = 1 << 20) {
  return hg::stream_partition(config_of(folder),
                              {.scratch = folder, .memory = memory, .on_progress = {}},
                              hg::read_files{}, hg::testing::test_formats{});
}

TEST(stream_partition, where_original_ids_are_kept_the_graph_is_the_input) {
  for (const bool typed : {false, true}) {
    const auto data = small_dataset(4, typed);
    std::vector<hg::partition_options> ways(5);
    ways[0].save_mapping = true;
    ways[1].store_original_ids = true;
    ways[2].reshuffle = false;
    ways[3].save_mapping = true;
    ways[3].formats = *hg::sparse_formats::parse("csc");
    ways[4].save_mapping = true;
    ways[4].formats = *hg::sparse_formats::parse("csr,csc");
    ways[4].hops = 2;
    for (std::size_t i = 0; i < ways.size(); ++i) {
      if (!typed && i != 2) continue;
      const temporary_folder place;
      small_partition(data, place("p"), 3, 8, ways[i]);
      for (const std::uint64_t memory : {std::uint64_t{1} << 20, std::uint64_t{0}}) {
        SCOPED_TRACE("way " + std::to_string(i) + ", memory " + std::to_string(memory));
        const auto g = stream(place("p"), memory);
        hg::validate(g);
        expect_same_graph(g, data);
        EXPECT_EQ(g.name, "g");
        EXPECT_TRUE(g.notes.empty());
      }
    }
    const temporary_folder place;
    small_partition(data, place("one"), 1, 1);
    EXPECT_EQ(stream(place("one")).notes.size(), 0u) << "one part has the input's IDs";
  }
}

TEST(stream_partition, parts_that_own_nothing_are_no_trouble) {
  const auto data = small_dataset(5, true, 4, 3);
  const temporary_folder place;
  hg::partition_options options;
  options.save_mapping = true;
  small_partition(data, place("p"), 9, 2, options);
  expect_same_graph(stream(place("p")), data);
}

TEST(stream_partition, without_original_ids_the_order_is_that_of_the_new_ones_and_said) {
  const auto data = small_dataset(6, true);
  const temporary_folder place;
  hg::partition_options options;
  options.return_mapping = true;
  options.compact_mapping = false;
  const auto made = small_partition(data, place("p"), 3, 8, options);
  const auto g = stream(place("p"));
  ASSERT_EQ(g.notes.size(), 1u);
  EXPECT_NE(g.notes[0].find("order of their new IDs"), std::string::npos);
  std::vector<std::vector<std::uint64_t>> new_id(data.node_counts.size());
  for (std::size_t t = 0; t < new_id.size(); ++t) {
    new_id[t].resize(made.node_mapping[t].size());
    for (std::size_t i = 0; i < new_id[t].size(); ++i) new_id[t][made.node_mapping[t][i]] = i;
  }
  for (std::size_t r = 0; r < data.edges.size(); ++r) {
    edge_pairs expected;
    for (const auto e : made.edge_mapping[r]) {
      expected.emplace_back(
          new_id[data.schema.source_type(static_cast<hg::type_id>(r))][data.edges[r].source[e]],
          new_id[data.schema.target_type(static_cast<hg::type_id>(r))][data.edges[r].target[e]]);
    }
    EXPECT_EQ(edges_of(g, static_cast<hg::type_id>(r)), expected);
    const auto w = hg::testing::rows_of(
        hg::testing::feature_of(g.edge_features, static_cast<hg::type_id>(r), "w"));
    for (std::size_t e = 0; e < expected.size(); ++e)
      EXPECT_EQ(w.integer(e), static_cast<std::int64_t>(10 * made.edge_mapping[r][e]));
  }
}

TEST(stream_partition, by_the_compact_mapping_nodes_are_in_the_order_of_the_input) {
  const auto data = small_dataset(6, true);
  const temporary_folder place;
  const auto made = small_partition(data, place("p"), 3, 8, {.return_mapping = true});
  const auto g = stream(place("p"));
  hg::validate(g);
  ASSERT_EQ(g.notes.size(), 1u);
  EXPECT_NE(g.notes[0].find("no original edge IDs"), std::string::npos) << g.notes[0];
  for (std::size_t r = 0; r < data.edges.size(); ++r) {
    edge_pairs expected;
    for (const auto e : made.edge_mapping[r])
      expected.emplace_back(data.edges[r].source[e], data.edges[r].target[e]);
    EXPECT_EQ(edges_of(g, static_cast<hg::type_id>(r)), expected);
  }
}

TEST(stream_partition, dropped_edges_stay_away_and_the_rest_is_numbered_without_gaps) {
  const auto data = small_dataset(7, false);
  const temporary_folder place;
  hg::partition_options options;
  options.save_mapping = true;
  options.hops = 0;
  options.drop_cut_edges = true;
  const auto made = small_partition(data, place("p"), 3, 8, options);
  const auto g = stream(place("p"));
  EXPECT_EQ(g.edge_counts[0], 60 - *made.config.cut_edges_dropped);
  ASSERT_EQ(g.notes.size(), 1u);
  EXPECT_NE(g.notes[0].find("were dropped"), std::string::npos);
  const auto w = hg::testing::rows_of(g.edge_features.at(0));
  const auto edges = edges_of(g, 0);
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const auto original = static_cast<std::size_t>(w.integer(e) / 10);
    EXPECT_EQ(edges[e], std::pair(data.edges[0].source[original], data.edges[0].target[original]))
        << "nodes are restored";
  }
}

/// The folder's graph by any number of threads.
hg::dataset<> load(const std::string& folder, std::size_t threads,
                   std::vector<std::uint64_t> room = {}) {
  const auto config = config_of(folder);
  const hg::stream_partition_options options;
  hg::detail::partition_streamer reader(config, options, hg::read_files{},
                                        hg::testing::test_formats{});
  const hg::testing::few_threads run{.count = threads};
  return hg::detail::load_partitioned_graph(reader, run, room);
}

TEST(load_partitioned_graph, is_the_input_for_any_number_of_threads_and_formats) {
  for (const bool typed : {false, true}) {
    // Some nodes have more neighbors than a block has edges.
    auto data = small_dataset(9, typed, 40, 5000);
    for (const char* formats : {"coo", "csr", "csc", "csr,csc"}) {
      SCOPED_TRACE(std::string(formats) + (typed ? ", typed" : ""));
      const temporary_folder place;
      hg::partition_options options;
      options.save_mapping = true;
      options.hops = 2;
      options.formats = *hg::sparse_formats::parse(formats);
      small_partition(data, place("p"), 3, 9, options);
      for (const std::size_t threads : {1u, 2u, 7u}) {
        const auto read = load(place("p"), threads, {11});
        EXPECT_EQ(read.node_counts, data.node_counts);
        ASSERT_EQ(read.edges.size(), data.edges.size());
        for (std::size_t r = 0; r < data.edges.size(); ++r) {
          EXPECT_EQ(read.edges[r].source, data.edges[r].source);
          EXPECT_EQ(read.edges[r].target, data.edges[r].target);
        }
        EXPECT_GE(read.edges[0].source.capacity(), read.edges[0].source.size() + 11);
      }
    }
  }
}

TEST(load_partitioned_graph, wants_each_edge_once) {
  const auto data = small_dataset(9, false, 40, 5000);
  const temporary_folder place;
  hg::partition_options options;
  options.save_mapping = true;
  small_partition(data, place("p"), 2, 9, options);
  // Edge 4321 is called 4322, which there is, too.
  const auto bytes_of = [](std::uint64_t number) {
    std::string out;
    for (int i = 0; i < 8; ++i) out += static_cast<char>(number >> 8 * i & 0xFF);
    return out;
  };
  bool renamed = false;
  for (const char* file : {"p/part0/orig_eids.dgl", "p/part1/orig_eids.dgl"}) {
    std::string content = content_of(place(file));
    const auto at = content.find(bytes_of(4321));
    if (at == std::string::npos) continue;
    place.write(file, content.replace(at, 8, bytes_of(4322)));
    renamed = true;
  }
  ASSERT_TRUE(renamed);
  for (const std::size_t threads : {1u, 3u}) {
    try {
      load(place("p"), threads);
      ADD_FAILURE() << "no error";
    } catch (const hg::error& problem) {
      EXPECT_NE(std::string(problem.what())
                    .find("edge 4321 of type \"_N:_E:_N\" is in none of the parts, or another edge "
                          "is in two"),
                std::string::npos)
          << problem.what();
    }
  }
  EXPECT_THROW(stream(place("p")), hg::error);
}

TEST(stream_partition, parts_that_contradict_the_config_are_refused) {
  const auto data = small_dataset(8, true);
  const temporary_folder place;
  hg::partition_options options;
  options.save_mapping = true;
  small_partition(data, place("p"), 2, 8, options);
  const auto refused = [&](std::string_view words) {
    try {
      stream(place("p"));
      ADD_FAILURE() << "no error with " << words;
    } catch (const hg::error& problem) {
      EXPECT_NE(std::string(problem.what()).find(words), std::string::npos) << problem.what();
    }
  };
  const std::string config = content_of(place("p/g.json"));
  // More nodes than any file has: refused before memory is taken for them.
  auto huge = config_of(place("p"));
  huge.node_map[1][1].end = std::uint64_t{1} << 62;
  huge.num_nodes = huge.node_map[1][1].end;
  place.write("p/g.json", hg::json::print(hg::to_json(huge)));
  refused("the config counts 4611686018427387904 nodes");
  // More than the part has.
  huge.num_nodes = data.num_nodes() + 5;
  huge.node_map[1][1].end = huge.num_nodes;
  place.write("p/g.json", hg::json::print(hg::to_json(huge)));
  refused("part");
  place.write("p/g.json", config);
  // Two parts that are the same one.
  std::filesystem::copy_file(place("p/part0/graph.dgl"), place("p/part1/graph.dgl"),
                             std::filesystem::copy_options::overwrite_existing);
  refused("part1/graph.dgl");
}

}  // namespace
