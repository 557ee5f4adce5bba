// SPDX-License-Identifier: BSL-1.0
// Samples against a plain model that holds the whole graph, over parts, ranks, HALOs and weights.
#include "support/small_folder.hpp"
#include "support/temporary_folder.hpp"

#include <halograph/dist/open_dist_graph.hpp>
#include <halograph/dist/sample_neighbors.hpp>
#include <halograph/folder/original_ids.hpp>
#include <halograph/testing/thread_ranks.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace {

namespace hg = halograph;
using namespace hg::testing;
using ids = std::vector<std::uint64_t>;

constexpr std::uint64_t nodes = 24, edges = 70;

/// One edge drawn, in the input's IDs: edge type, typed edge, typed node at the other end.
using drawn_edge = std::array<std::uint64_t, 3>;
/// By (node type, typed node) in the input's IDs.
using drawn_edges = std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<drawn_edge>>;

/// What must be drawn, from the input alone.
drawn_edges model(const hg::dataset<>& data, const hg::sample_options& options, bool in,
                  bool weighted) {
  drawn_edges out;
  for (std::uint64_t t = 0; t < data.node_counts.size(); ++t) {
    for (std::uint64_t v = 0; v < data.node_counts[t]; ++v) out[{t, v}] = {};
  }
  for (std::uint64_t r = 0; r < data.schema.num_edge_types(); ++r) {
    const auto type = static_cast<hg::type_id>(r);
    const auto &near = in ? data.edges[r].target : data.edges[r].source,
               &far = in ? data.edges[r].source : data.edges[r].target;
    const auto near_type = in ? data.schema.target_type(type) : data.schema.source_type(type);
    for (std::uint64_t v = 0; v < data.node_counts[near_type]; ++v) {
      std::vector<std::uint64_t> row;
      for (std::uint64_t e = 0; e < near.size(); ++e) {
        if (near[e] == v) row.push_back(e);
      }
      if (!in)
        std::stable_sort(row.begin(), row.end(), [&](auto a, auto b) { return far[a] < far[b]; });
      const auto fanout = options.fanout.size() == 1 ? options.fanout[0] : options.fanout[r];
      ids at(static_cast<std::size_t>(hg::draw_count(row.size(), fanout, options.replace)));
      const auto stream = hg::draw_stream(options.seed, r, in ? 0 : 1, v);
      if (weighted) {
        ids ends(row.size());
        std::uint64_t sum = 0, count = 0;
        for (std::size_t k = 0; k < row.size(); ++k)
          ends[k] = sum += 10 * row[k];  // what small_dataset's "w" says
        EXPECT_TRUE(hg::draw_weighted_into(stream, ends, fanout, options.replace, at, count));
        at.resize(static_cast<std::size_t>(count));
      } else {
        EXPECT_TRUE(hg::draw_uniform_into(stream, row.size(), fanout, options.replace, at));
      }
      for (const auto k : at) out[{near_type, v}].push_back({r, row[k], far[row[k]]});
    }
  }
  return out;
}

/// Original typed IDs by new global ID, read from the folder.
struct originals {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> nodes{}, edges{};  // (type, typed ID)
  originals(const std::string& folder) {
    const auto config = config_of(folder);
    for (const bool of_nodes : {true, false}) {
      const auto kind = of_nodes ? hg::entity::node : hg::entity::edge;
      const std::size_t types = of_nodes ? config.schema.num_node_types()
                                         : config.schema.num_edge_types();
      auto& all = of_nodes ? nodes : edges;
      all.resize(of_nodes ? config.num_nodes : config.num_edges);
      for (std::size_t p = 0; p < config.num_parts; ++p) {
        for (std::size_t t = 0; t < types; ++t) {
          const auto some = hg::load_original_ids(config, p, {kind, static_cast<hg::type_id>(t)},
                                                  hg::read_files{}, test_formats{});
          const auto begin = (of_nodes ? config.node_map : config.edge_map)[t][p].begin;
          for (std::size_t i = 0; i < some.size(); ++i) all[begin + i] = {t, some[i]};
        }
      }
    }
  }
};

drawn_edges in_original_ids(const hg::sampled_edges& drawn, const originals& names) {
  drawn_edges out;
  for (std::size_t i = 0; i < drawn.seeds.size(); ++i) {
    auto& row = out[names.nodes[static_cast<std::size_t>(drawn.seeds[i])]];
    row.clear();
    for (auto k = drawn.offsets[i]; k < drawn.offsets[i + 1]; ++k) {
      const auto [type, edge] = names.edges[static_cast<std::size_t>(drawn.edges[k])];
      row.push_back({type, edge, names.nodes[static_cast<std::size_t>(drawn.neighbors[k])].second});
    }
  }
  return out;
}

using sampler_over = hg::neighbor_sampler;

auto open(const hg::thread_rank& rank, const std::string& folder) {
  return hg::open_dist_graph(rank, folder + "/g.json", test_access{});
}

/// All nodes, each drawn for by the rank whose turn it is, which owns it or not; the rows of all
/// ranks together.
std::vector<hg::sampled_edges> sample_everything(std::size_t ranks, const std::string& folder,
                                                 const std::vector<hg::sample_options>& asked,
                                                 const hg::sampler_options& made = {}) {
  std::vector<std::vector<hg::sampled_edges>> by_rank(ranks);
  hg::run_ranks(ranks, [&](const hg::thread_rank& rank) {
    const auto g = open(rank, folder);
    sampler_over sampler(g, hg::read_files{}, test_formats{}, made);
    std::vector<std::int64_t> mine;
    for (std::uint64_t v = rank.rank(); v < g.num_nodes(); v += ranks)
      mine.push_back(static_cast<std::int64_t>(v));
    for (const auto& options : asked)
      by_rank[rank.rank()].push_back(hg::sample_neighbors(sampler, mine, options));
  });
  std::vector<hg::sampled_edges> all(asked.size());
  for (const auto& ofs : by_rank) {
    for (std::size_t i = 0; i < ofs.size(); ++i) {
      auto& into = all[i];
      const auto& one = ofs[i];
      const std::size_t before = into.edges.size();
      into.seeds.insert(into.seeds.end(), one.seeds.begin(), one.seeds.end());
      for (std::size_t k = 1; k < one.offsets.size(); ++k)
        into.offsets.push_back(before + one.offsets[k]);
      into.neighbors.insert(into.neighbors.end(), one.neighbors.begin(), one.neighbors.end());
      into.edges.insert(into.edges.end(), one.edges.begin(), one.edges.end());
    }
  }
  return all;
}

hg::partition_options mapped(bool files, unsigned hops = 1) {
  hg::partition_options options;
  options.save_mapping = files;
  options.store_original_ids = !files;
  options.hops = hops;
  return options;
}

TEST(sample_neighbors, draws_what_the_whole_graph_says_from_any_parts_and_ranks) {
  const temporary_folder place;
  for (const bool typed : {false, true}) {
    const auto data = small_dataset(11, typed, nodes, edges);
    const std::vector<hg::sample_options> asked{
        {.fanout = {2}, .seed = 5},
        {.fanout = {3}, .replace = true, .seed = 6},
        {.fanout = typed ? ids{2, 0, hg::all_neighbors} : ids{hg::all_neighbors}, .seed = 7}};
    for (const hg::part_id parts : {1u, 2u, 4u}) {
      const std::string folder = place((typed ? "typed" : "plain") + std::to_string(parts));
      small_partition(data, folder, parts, 3, mapped(parts != 4, parts == 2 ? 2 : 1));
      const originals names(folder);
      const auto compare = [&](std::size_t ranks, bool in, bool weighted) {
        const auto drawn = sample_everything(
            ranks, folder, asked,
            {in ? hg::edge_direction::in : hg::edge_direction::out, weighted ? "w" : ""});
        for (std::size_t i = 0; i < asked.size(); ++i) {
          EXPECT_EQ(in_original_ids(drawn[i], names), model(data, asked[i], in, weighted))
              << parts << " parts, " << ranks << " ranks, options " << i;
        }
      };
      compare(1, true, false);
      compare(3, true, false);
      compare(2, true, true);
      compare(2, false, false);
    }
  }
}

TEST(sample_neighbors, without_original_ids_the_number_of_ranks_makes_no_difference) {
  const temporary_folder place;
  small_partition(small_dataset(12, true, nodes, edges), place("out"), 3, 3);
  const hg::sample_options options{.fanout = {2}, .replace = true, .seed = 9};
  const hg::sampler_options weighted{.direction = hg::edge_direction::out, .weight = "w"};
  for (const auto& made : {hg::sampler_options{}, weighted}) {
    // Rows come by rank: put them by node.
    const auto rows = [&](std::size_t ranks) {
      const auto all = sample_everything(ranks, place("out"), {options}, made)[0];
      std::map<std::int64_t, std::vector<std::pair<std::int64_t, std::int64_t>>> out;
      for (std::size_t i = 0; i < all.seeds.size(); ++i) {
        auto& row = out[all.seeds[i]];
        for (auto k = all.offsets[i]; k < all.offsets[i + 1]; ++k)
          row.emplace_back(all.neighbors[k], all.edges[k]);
      }
      return out;
    };
    const auto one = rows(1);
    EXPECT_EQ(one, rows(2));
    EXPECT_EQ(one, rows(4));  // a rank without parts
  }
}

TEST(sample_neighbors, as_many_layers_as_the_halo_has_hops_ask_nobody) {
  const temporary_folder place;
  const auto data = small_dataset(13, true, 60, 90);
  for (const unsigned hops : {1u, 2u, 3u}) {
    const std::string folder = place("hops" + std::to_string(hops));
    small_partition(data, folder, 3, 3, mapped(true, hops));
    hg::run_ranks(3, [&](const hg::thread_rank& rank) {
      const auto g = open(rank, folder);
      sampler_over sampler(g, hg::read_files{}, test_formats{});
      EXPECT_TRUE(sampler.knows_original_ids());
      std::vector<std::int64_t> cur(g.parts()[0].num_inner_nodes());
      std::iota(cur.begin(), cur.end(),
                static_cast<std::int64_t>(g.parts()[0].inner_nodes().begin));
      for (unsigned layer = 1; layer <= hops + 1; ++layer) {
        hg::sampling_counters before, after;
        for (const auto& one : sampler.counters()) before += one;
        const auto block = hg::to_block(
            hg::sample_neighbors(sampler, cur, {.fanout = {4}, .seed = layer}));
        for (const auto& one : sampler.counters()) after += one;
        EXPECT_EQ(after.own + after.from_halo + after.remote,
                  before.own + before.from_halo + before.remote + cur.size());
        EXPECT_EQ(after.from_halo > 0, layer > 1 && hops > 1);
        if (layer <= hops) {
          EXPECT_EQ(after.remote, 0u) << "layer " << layer << " of " << hops;
        } else {
          EXPECT_GT(after.remote, 0u);
          EXPECT_EQ(after.remote, after.other_ranks);
          EXPECT_EQ(after.remote_bytes(), 16 * (after.remote + after.remote_edges));
        }
        cur = block.nodes;
      }
    });
  }
}

TEST(sample_neighbors, a_node_asked_for_twice_gets_the_same_edges_twice) {
  const temporary_folder place;
  small_partition(small_dataset(14, false, nodes, edges), place("out"), 2, 3);
  hg::run_ranks(2, [&](const hg::thread_rank& rank) {
    const auto g = open(rank, place("out"));
    sampler_over sampler(g, hg::read_files{}, test_formats{});
    const std::vector<std::uint16_t> twice{20, 3, 20, 3};
    const auto drawn = hg::sample_neighbors(sampler, twice, {.fanout = {2}, .seed = 1});
    ASSERT_EQ(drawn.offsets.size(), 5u);
    EXPECT_EQ(drawn.offsets[4], 2 * drawn.offsets[2]);
    const auto half = static_cast<std::ptrdiff_t>(drawn.offsets[2]);
    EXPECT_TRUE(
        std::equal(drawn.edges.begin(), drawn.edges.begin() + half, drawn.edges.begin() + half));
  });
}

TEST(in_subgraph, holds_all_in_edges_as_the_parts_do) {
  const temporary_folder place;
  const auto data = small_dataset(15, true, nodes, edges);
  small_partition(data, place("out"), 2, 3, mapped(true));
  hg::run_ranks(1, [&](const hg::thread_rank& rank) {
    const auto g = open(rank, place("out"));
    sampler_over sampler(g, hg::read_files{}, test_formats{});
    std::vector<std::int64_t> all(g.num_nodes());
    std::iota(all.begin(), all.end(), 0);
    const auto found = hg::in_subgraph(sampler, all);
    EXPECT_EQ(found.num_edges(), g.num_edges());
    EXPECT_EQ(std::set<std::int64_t>(found.edges.begin(), found.edges.end()).size(), g.num_edges());
    EXPECT_EQ(in_original_ids(found, originals(place("out"))), model(data, {}, true, false));
    // One part asks: the other's nodes are remote, though nothing leaves the process.
    EXPECT_EQ(sampler.counters(0)[0].own + sampler.counters(0)[0].remote, data.node_counts[0]);
    EXPECT_EQ(sampler.counters(0)[0].other_ranks, 0u);
    EXPECT_EQ(sampler.counters(1)[0], hg::sampling_counters{});
  });
}

TEST(sample_neighbors, the_guides_example_converts_both_ways) {
  const temporary_folder place;
  small_partition(small_dataset(17, true, nodes, edges), place("out"), 2, 3);
  hg::run_ranks(2, [&](const hg::thread_rank& rank) {
    const auto g = open(rank, place("out"));
    sampler_over sampler(g, hg::read_files{}, test_formats{});
    const auto& gpb = g.book();
    const std::vector<std::int64_t> seeds{0, 7, 11};
    auto cur = gpb.map_to_homo_nid(seeds, "item");
    const auto frontier = hg::sample_neighbors(sampler, cur, {.fanout = {3}});
    const auto block = hg::to_block(frontier);
    cur = block.nodes;
    EXPECT_GT(cur.size(), seeds.size());
    const auto typed = hg::map_to_types(block, gpb);
    EXPECT_TRUE(std::equal(seeds.begin(), seeds.end(), typed.src.ids.begin()));
    for (std::size_t i = 0; i < seeds.size(); ++i) {
      EXPECT_EQ(gpb.ntypes()[typed.src.types[i]], "item");
      for (auto e = block.offsets[i]; e < block.offsets[i + 1]; ++e) {
        const auto& type = g.canonical_etypes()[typed.edges.types[e]];
        EXPECT_EQ(type.target, "item");
        EXPECT_EQ(type.source, gpb.ntypes()[typed.src.types[block.sources[e]]]);
        EXPECT_EQ(gpb.map_to_homo_eid(typed.edges.ids[e], type), frontier.edges[e]);
      }
    }
  });
}

/// What every rank is told.
template <class Act>
void every_rank_says(const std::string& words, Act&& act) {
  std::mutex one_at_a_time;
  std::vector<std::string> said;
  hg::run_ranks(2, [&](const hg::thread_rank& rank) {
    std::string sentence = "nothing";
    try {
      act(rank);
    } catch (const hg::error& problem) {
      sentence = problem.what();
    }
    const std::lock_guard lock(one_at_a_time);
    said.push_back(sentence);
  });
  ASSERT_EQ(said.size(), 2u);
  EXPECT_NE((said[0] + said[1]).find(words), std::string::npos) << said[0] << "\n" << said[1];
  for (const auto& one : said) EXPECT_NE(one, "nothing");
}

TEST(sample_neighbors, refusals_reach_every_rank) {
  const temporary_folder place;
  small_partition(small_dataset(16, true, nodes, edges), place("out"), 2, 3);
  const auto sampling = [&](const hg::thread_rank& rank, std::vector<std::int64_t> seeds,
                            hg::sample_options options, std::size_t asking = 0) {
    const auto g = open(rank, place("out"));
    sampler_over sampler(g, hg::read_files{}, test_formats{});
    hg::sample_neighbors(sampler, seeds, options, asking);
  };
  every_rank_says("not in the valid range [0, 36)", [&](const auto& rank) {
    sampling(rank, {rank.rank() == 1 ? 36 : 0}, {.fanout = {2}});
  });
  every_rank_says("not in the valid range", [&](const auto& rank) {
    sampling(rank, {rank.rank() == 0 ? -1 : 0}, {.fanout = {2}});
  });
  every_rank_says("2 fan-outs for 3 edge types",
                  [&](const auto& rank) { sampling(rank, {0}, {.fanout = {2, 2}}); });
  every_rank_says("other options", [&](const auto& rank) {
    sampling(rank, {0}, {.fanout = {2}, .seed = rank.rank()});
  });
  every_rank_says("part 1 of this rank does not exist",
                  [&](const auto& rank) { sampling(rank, {0}, {.fanout = {2}}, rank.rank()); });
  every_rank_says("no edge type has a feature \"none\"", [&](const auto& rank) {
    const auto g = open(rank, place("out"));
    sampler_over(g, hg::read_files{}, test_formats{},
                 {.direction = hg::edge_direction::in, .weight = "none"});
  });
  hg::partition_options following_in;
  following_in.closing_out_edges = false;
  small_partition(small_dataset(16, true, nodes, edges), place("in"), 2, 3, following_in);
  every_rank_says("do not hold all out-edges", [&](const auto& rank) {
    const auto g = open(rank, place("in"));
    sampler_over(g, hg::read_files{}, test_formats{},
                 {.direction = hg::edge_direction::out, .weight = ""});
  });
}

}  // namespace
