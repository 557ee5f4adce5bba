// SPDX-License-Identifier: BSL-1.0
// dist_graph over threads as ranks, by a plain model that holds the whole graph; the same few under
// mpirun: tests/ranks.
#include <halograph/dist/dist_graph.hpp>
#include <halograph/dist/dist_state.hpp>
#include <halograph/dist/open_dist_graph.hpp>
#include <halograph/testing/thread_ranks.hpp>

#include <gtest/gtest.h>
#include <support/dist_model.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace hg = halograph;
namespace ht = halograph::testing;
using graph = hg::dist_graph;

void expect_all(const ht::dist_case& made, std::size_t ranks) {
  hg::run_ranks(ranks, [&](const hg::thread_rank& rank) {
    const graph g = made.open(rank);
    ht::expect_structure(made, g);
    ht::expect_features(made, g);
  });
}

TEST(dist_graph, answers_what_the_whole_graph_would_over_any_number_of_ranks) {
  const ht::dist_case dgl(true, 1, 3, 1, false), native(true, 2, 4, 2, true);
  for (const std::size_t ranks : {1u, 2u, 3u, 4u}) {
    expect_all(dgl, ranks);  // 4 ranks: one holds no part
    expect_all(native, ranks);
  }
}

TEST(dist_graph, holds_more_hops_one_type_and_parts_without_anything) {
  expect_all({false, 3, 5, 3, true}, 2);
  expect_all({false, 4, 2, 0, false}, 2);
  expect_all({true, 5, 30, 1, true}, 3);  // more parts than nodes
}

TEST(dist_graph, counts_out_edges_over_all_parts_where_none_holds_all_of_its_nodes) {
  const ht::dist_case made(true, 6, 3, 2, false,
                           false);  // 2 hops: others hold edges that are not theirs
  hg::run_ranks(2, [&](const hg::thread_rank& rank) {
    const graph g = made.open(rank);
    EXPECT_FALSE(g.has_all_out_edges());
    const auto& all = made.model;
    std::vector<std::uint64_t> out(all.old_node.size());
    for (const auto e : all.old_edge) ++out[all.new_node[all.source[e]]];
    const auto ids = ht::draw_ids(out.size(), rank.rank(), 1);
    const auto found = g.out_degrees(ids);
    for (std::size_t i = 0; i < ids.size(); ++i)
      EXPECT_EQ(found[i], out[static_cast<std::size_t>(ids[i])]);
  });
  hg::run_ranks(2, [&](const hg::thread_rank& rank) {
    EXPECT_TRUE(ht::dist_case(true, 6, 3, 1, false).open(rank).has_all_out_edges());
  });
}

TEST(dist_graph, local_rows_do_not_go_through_the_network) {
  const ht::dist_case made(false, 7, 4, 1, true);
  hg::run_ranks(2, [&](const hg::thread_rank& rank) {
    const graph g = made.open(rank);
    const auto rows = g.nodes().data(g.nodes().names().at(0));
    std::vector<std::uint64_t> mine, all;
    for (std::uint64_t v = 0; v < rows.rows(); ++v) {
      all.push_back(v);
      if (rows.is_local(v)) mine.push_back(v);
    }
    std::vector<std::byte> out(all.size() * rows.row_bytes());
    hg::exchange_counters moved;
    rows.gather(mine, std::span(out).first(mine.size() * rows.row_bytes()), &moved);
    EXPECT_EQ(moved.local_rows, mine.size());
    EXPECT_EQ(moved.remote_rows + moved.sent_bytes + moved.received_bytes, 0u);
    rows.gather(all, out, &moved);
    const std::uint64_t others = all.size() - mine.size();
    EXPECT_EQ(moved.remote_rows, others);
    EXPECT_EQ(moved.served_rows, mine.size());
    EXPECT_EQ(moved.sent_bytes, 8 * others + rows.row_bytes() * mine.size());
    EXPECT_EQ(moved.received_bytes, 8 * mine.size() + rows.row_bytes() * others);
  });
}

/// What each of two ranks is told.
std::vector<std::string> refusals(const std::function<void(const hg::thread_rank&)>& act) {
  std::vector<std::string> told(2);
  hg::run_ranks(2, [&](const hg::thread_rank& rank) {
    try {
      act(rank);
    } catch (const hg::error& problem) {
      told[rank.rank()] = std::string(name(problem.code())) + ": " + problem.what();
    }
  });
  return told;
}

void expect_told(const std::string& told, const std::vector<std::string>& words) {
  for (const auto& word : words)
    EXPECT_NE(told.find(word), std::string::npos) << word << " is not in \"" << told << "\"";
}

TEST(dist_graph, one_rank_with_a_wrong_id_fails_on_all_and_the_graph_stays_usable) {
  const ht::dist_case made(true, 8, 2, 1, false);
  const auto told = refusals([&](const hg::thread_rank& rank) {
    const graph g = made.open(rank);
    const auto rows = g.nodes("user").data("as/int8");
    const std::vector<std::int64_t> good{0, 1}, bad{0, 14};
    EXPECT_THROW(rows[rank.rank() == 1 ? bad : good], hg::error);
    EXPECT_EQ(rows[good].rows(), 2u);
    EXPECT_THROW(g.find_edges(rank.rank() == 0 ? std::vector<int>{-1} : std::vector<int>{}),
                 hg::error);
    rows[rank.rank() == 1 ? bad : good];
  });
  for (const auto& sentence : told)
    expect_told(sentence, {"out_of_range", "node ID 14", "user", "[0, 14)", "on rank 1 of 2"});
}

TEST(dist_graph, names_are_told_where_one_is_wrong_or_missing) {
  const ht::dist_case made(true, 8, 2, 1, false);
  const auto told = refusals([&](const hg::thread_rank& rank) {
    const graph g = made.open(rank);
    if (rank.rank() == 0) g.nodes("user").data("height");
    g.edges();
  });
  expect_told(told[0],
              {"not_found", "node type \"user\" has no feature \"height\"", "\"as/int8\""});
  expect_told(told[1], {"invalid_argument", "4 edge types", "name one"});
}

TEST(dist_graph, ranks_with_other_options_than_each_other_are_refused) {
  const ht::dist_case one(true, 9, 2, 1, false);
  const auto with = [&](const hg::dist_options& options) {
    return refusals([&](const hg::thread_rank& rank) {
      hg::open_dist_graph(rank, "g.json",
                          hg::folder_access(one.folder, ht::dist_codec{}, ht::dist_formats{}),
                          rank.rank() == 0 ? hg::dist_options{} : options);
    });
  };
  EXPECT_EQ(with({}), (std::vector<std::string>{"", ""}));
  for (const auto& options :
       {hg::dist_options{.exchange_bytes = 4096}, hg::dist_options{.features = false},
        hg::dist_options{.part = {.out_edges = false}}}) {
    for (const auto& sentence : with(options))
      expect_told(sentence, {"mismatch: rank 1 opens the graph with other options than rank 0"});
  }
}

TEST(dist_graph, opens_what_fits_into_memory_and_nothing_else) {
  // Native folders have in-edges in rows, DGL's only pairs, of which rows are made.
  for (const bool native : {false, true}) {
    const ht::dist_case made(true, 9, 3, 2, native);
    const auto with = [&](std::uint64_t most, std::uint64_t& first_rank) {
      return refusals([&](const hg::thread_rank& rank) {
        const graph g = made.open(rank, {.most_bytes = rank.rank() == 0 ? most : most * 3});
        if (rank.rank() == 0) first_rank = g.memory_bytes();
        ht::expect_structure(made, g);
      });
    };
    std::uint64_t needed = 0, same = 0;
    EXPECT_EQ(with(1u << 20, needed), (std::vector<std::string>{"", ""}));
    EXPECT_GT(needed, 100u);
    EXPECT_EQ(with(needed, same), (std::vector<std::string>{"", ""}));
    EXPECT_EQ(same, needed);
    for (const auto& sentence : with(needed - 1, same))
      expect_told(sentence, {"memory", "opening the parts of this rank needs up to"});
    std::uint64_t unlimited = 1;
    EXPECT_EQ(with(~std::uint64_t{0}, unlimited), (std::vector<std::string>{"", ""}));
    EXPECT_EQ(unlimited, 0u);
  }
}

TEST(dist_graph, folders_of_different_runs_do_not_mix) {
  const ht::dist_case one(true, 9, 2, 1, false), other(true, 10, 2, 1, false);
  const auto open = [](const ht::memory_folder& folder) {
    return [&folder](const hg::thread_rank& rank) {
      hg::open_dist_graph(rank, "g.json",
                          hg::folder_access(folder, ht::dist_codec{}, ht::dist_formats{}));
    };
  };
  // Another config on rank 1.
  auto told = refusals([&](const hg::thread_rank& rank) {
    open(rank.rank() == 0 ? one.folder : other.folder)(rank);
  });
  for (const auto& sentence : told)
    expect_told(sentence, {"mismatch: g.json", "config of rank 1", "different runs"});
  // Part 1 of another run: the manifest knows, and without one the part's numbers do.
  auto mixed = one.folder.copy();
  for (const char* file : {"part1/graph.dgl", "part1/node_feats.dgl", "part1/edge_feats.dgl"})
    mixed[file] = other.folder.copy()[file];
  told = refusals(open(mixed));
  for (const auto& sentence : told)
    expect_told(sentence, {"mismatch: part1/graph.dgl", "manifest", "different runs"});
  mixed.remove(std::string(hg::manifest_name));
  told = refusals(open(mixed));
  expect_told(told[1], {"part1/graph.dgl", "of this config"});
  // The same config made twice with other manifests.
  auto remade = one.folder.copy();
  remade["part0/node_feats.dgl"].back() ^= std::byte{1};
  remade.seal();
  told = refusals(
      [&](const hg::thread_rank& rank) { open(rank.rank() == 0 ? one.folder : remade)(rank); });
  for (const auto& sentence : told) expect_told(sentence, {"manifest of rank 1"});
  // Folders of the ranks' own list their parts alone, and belong together; not with one that was
  // sealed by another run.
  auto first = one.folder.copy(), second = one.folder.copy();
  for (const char* file : {"graph.dgl", "node_feats.dgl", "edge_feats.dgl"}) {
    first.remove(std::string("part1/") + file);
    second.remove(std::string("part0/") + file);
  }
  first.seal();
  second.seal();
  const auto own = [&](const hg::thread_rank& rank) {
    open(rank.rank() == 0 ? first : second)(rank);
  };
  EXPECT_EQ(refusals(own), (std::vector<std::string>{"", ""}));
  second.seal("{\"other\": 1}");
  for (const auto& sentence : refusals(own)) expect_told(sentence, {"manifest of rank 1"});
}

TEST(dist_graph, missing_parts_and_parts_without_ranges_are_told) {
  const ht::dist_case made(true, 11, 2, 1, false);
  const auto open = [](const ht::memory_folder& folder) {
    return refusals([&](const hg::thread_rank& rank) {
      hg::open_dist_graph(rank, "g.json",
                          hg::folder_access(folder, ht::dist_codec{}, ht::dist_formats{}));
    });
  };
  auto without = made.folder.copy();
  without.remove("part0/graph.dgl");
  auto told = open(without);
  for (const auto& sentence : told)
    expect_told(sentence, {"not_found: part0/graph.dgl", "on rank 0"});
  // A feature that one part lacks.
  without = made.folder.copy();
  without.remove(std::string(hg::manifest_name));
  without["part1/node_feats.dgl"] = without.copy()["part1/edge_feats.dgl"];
  told = open(without);
  expect_told(told[1], {"part 1", "is of a type that the config lacks"});
  // Kept original IDs.
  const auto kept = made.not_relabeled();
  told = open(kept);
  for (const auto& sentence : told)
    expect_told(sentence, {"unsupported: g.json", "without relabeling"});
}

}  // namespace
