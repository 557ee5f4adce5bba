// SPDX-License-Identifier: BSL-1.0
// What ranks ask each other goes in rounds of bounded memory, may come from copies, and fails on
// all of them or on none.
#include <halograph/comm/owner_fetch.hpp>
#include <halograph/dist/dist_embedding.hpp>
#include <halograph/dist/draw_exchange.hpp>
#include <halograph/dist/open_dist_graph.hpp>
#include <halograph/dist/simulate_sampling.hpp>
#include <halograph/dist/simulation.hpp>
#include <halograph/dist/simulation_seeds.hpp>

#include <gtest/gtest.h>
#include <support/count_allocations.hpp>
#include <support/small_folder.hpp>
#include <support/sure_rank.hpp>
#include <support/temporary_folder.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <fstream>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace hg = halograph;
using namespace hg::testing;
using graph = hg::dist_graph;
using sampler = hg::neighbor_sampler;

void run(std::size_t ranks, const std::function<void(const sure_rank&)>& body) {
  hg::run_ranks(ranks, [&](const hg::thread_rank& me) { body(sure_rank(me)); });
}
graph open(const sure_rank& me, const std::string& folder, const hg::dist_options& options = {}) {
  return hg::open_dist_graph(me, folder + "/g.json", test_access{}, options);
}
std::vector<std::int64_t> every(std::uint64_t count, std::size_t times = 1) {
  std::vector<std::int64_t> ids;
  for (std::uint64_t i = 0; i < times * count; ++i)
    ids.push_back(static_cast<std::int64_t>(i % count));
  return ids;
}
hg::partition_options mapped() {
  hg::partition_options options;
  options.save_mapping = true;
  return options;
}

TEST(draw_exchange, answers_of_any_length_come_in_the_order_of_the_requests) {
  // Node v is of rank v % R; its answer has v % 7 words, each v + the seed.
  for (const std::size_t budget : {1u, 100u, 1u << 20}) {
    run(3, [&](const sure_rank& me) {
      hg::draw_exchange exchange(me, budget);
      for (int turn = 0; turn < 2; ++turn) {
        std::vector<hg::draw_request> wanted;
        for (std::int64_t i = 0; i < 40 * static_cast<std::int64_t>(me.rank()); ++i)
          wanted.push_back({(5 * i + 1) % 50, static_cast<std::uint64_t>(i)});
        std::erase_if(wanted, [&](const auto& one) {
          return static_cast<std::size_t>(one.node) % 3 == me.rank();
        });
        std::size_t asked = 0, got = 0;
        hg::run_collective(me, [&] {
          exchange.run(
              turn == 0, 3,
              [&](std::size_t& rank, hg::draw_request& request) {
                if (asked == wanted.size()) return false;
                request = wanted[asked++];
                rank = static_cast<std::size_t>(request.node) % 3;
                return true;
              },
              [&](hg::draw_request one, std::vector<std::int64_t>& out) {
                EXPECT_EQ(static_cast<std::size_t>(one.node) % 3, me.rank());
                out.insert(out.end(), static_cast<std::size_t>(one.node % 7),
                           one.node + static_cast<std::int64_t>(one.seed));
              },
              [&](std::span<const std::int64_t> words) {
                ASSERT_LT(got, wanted.size());
                const auto& one = wanted[got++];
                EXPECT_EQ(std::vector<std::int64_t>(words.begin(), words.end()),
                          std::vector<std::int64_t>(
                              static_cast<std::size_t>(one.node % 7),
                              one.node + (turn == 0 ? static_cast<std::int64_t>(one.seed) : 0)));
              });
        });
        EXPECT_EQ(got, wanted.size());
      }
      if (budget == 100) {
        EXPECT_LE(me.most_bytes(), 100u + 3 * 7 * 8);  // and a row for each rank
      }
    });
  }
}

/// Bytes that ranks allocate while they act, all together. Ranks themselves take some.
std::size_t allocated_by(std::size_t ranks, const std::function<void(const sure_rank&)>& act) {
  const std::size_t before = allocated_bytes;
  run(ranks, act);
  return allocated_bytes - before;
}
constexpr std::size_t of_a_rank = 8 << 10;

TEST(draw_exchange, takes_four_budgets_whatever_is_asked) {
  constexpr std::size_t budget = 1 << 17;
  for (const std::size_t ranks : {2u, 4u}) {
    for (const std::size_t length : {0u, 1u, 20u}) {
      for (const bool seeded : {false, true}) {
        const std::size_t count = 3 * budget / 8 / (1 + length);  // several rounds
        const std::size_t taken = allocated_by(ranks, [&](const sure_rank& me) {
          hg::draw_exchange exchange(me, budget);
          std::size_t asked = 0, got = 0;
          hg::run_collective(me, [&] {
            exchange.run(
                seeded, length,
                [&](std::size_t& rank, hg::draw_request& request) {
                  if (asked == count) return false;
                  rank = (me.rank() + 1 + asked++ % (ranks - 1)) % ranks;
                  request = {static_cast<std::int64_t>(rank), 1};
                  return true;
                },
                [&](hg::draw_request one, std::vector<std::int64_t>& out) {
                  out.insert(out.end(), length, one.node);
                },
                [&](std::span<const std::int64_t> words) { got += words.size(); });
          });
          EXPECT_EQ(got, count * length);
          EXPECT_LE(me.most_bytes(), budget + ranks * 8 * (1 + length));
        });
        EXPECT_LE(taken, ranks * (4 * budget + 4 * ranks * 8 * (1 + length) + of_a_rank))
            << ranks << " ranks, answers of " << length << (seeded ? ", seeded" : "");
      }
    }
  }
}

TEST(row_exchange, takes_two_budgets_whatever_is_asked) {
  constexpr std::size_t budget = 1 << 17;
  for (const std::size_t ranks : {2u, 4u}) {
    std::vector<std::uint64_t> ids(3 * budget / 8);
    std::iota(ids.begin(), ids.end(), 0u);
    const auto rank_of = [&](std::uint64_t id) { return static_cast<std::size_t>(id) % ranks; };
    for (const std::size_t width : {0u, 8u, 64u, 512u}) {
      const std::size_t taken = allocated_by(ranks, [&](const sure_rank& me) {
        hg::row_exchange exchange(me, budget);
        const auto fill = [&](std::size_t first, std::span<std::uint64_t> out) {
          std::copy_n(ids.begin() + static_cast<std::ptrdiff_t>(first), out.size(), out.begin());
        };
        std::size_t got = 0, wrong = 0;
        hg::run_collective(me, [&] {
          exchange.fetch_each(
              ids.size(), fill, width, rank_of,
              [&](std::uint64_t id, std::span<std::byte> row) {
                std::fill(row.begin(), row.end(), static_cast<std::byte>(id));
              },
              [&](std::size_t, std::uint64_t) { ++got; },
              [&](std::size_t i, std::span<const std::byte> row) {
                ++got;
                wrong += row.size() != width ||
                                 (width != 0 && row[width - 1] != static_cast<std::byte>(ids[i]))
                             ? 1u
                             : 0u;
              });
        });
        EXPECT_EQ(got, ids.size());
        EXPECT_EQ(wrong, 0u);
        EXPECT_LE(me.most_bytes(), budget);
      });
      EXPECT_LE(taken, ranks * (2 * budget + of_a_rank)) << ranks << " ranks, rows of " << width;
    }
    // Rows of other widths take the memory of those before, not more beside it.
    run(ranks, [&](const sure_rank& me) {
      hg::row_exchange exchange(me, budget);
      std::vector<std::byte> rows(64 * 4096);
      for (const std::size_t width : {1u, 64u, 8u}) {
        const auto some = std::span<const std::uint64_t>(ids).first(4096);
        exchange.fetch(
            some, width, rank_of,
            [](std::uint64_t id, std::span<std::byte> row) {
              std::fill(row.begin(), row.end(), static_cast<std::byte>(id / 3));
            },
            std::span(rows).first(4096 * width));
        for (std::size_t i = 0; i < some.size(); ++i)
          EXPECT_EQ(rows[(i + 1) * width - 1], static_cast<std::byte>(i / 3));
      }
    });
  }
}

TEST(row_exchange, batches_of_any_size_go_in_rounds_of_bounded_memory) {
  const temporary_folder place;
  small_partition(small_dataset(41, true, 40, 150), place("out"), 4, 3, mapped());
  constexpr std::size_t budget = 256;
  run(4, [&](const sure_rank& me) {
    const auto wide = open(me, place("out")),
               narrow = open(me, place("out"), {.exchange_bytes = budget});
    const auto users = every(40, 5), nodes = every(wide.num_nodes(), 5),
               edges = every(wide.num_edges(), 2);
    const auto same = [&](std::size_t more, const auto& ask) {
      const auto expected = ask(wide);
      static_cast<void>(me.most_bytes());
      EXPECT_EQ(ask(narrow), expected);
      EXPECT_LE(me.most_bytes(), budget + more);
    };
    same(0, [&](const graph& g) {
      hg::exchange_counters moved;
      std::vector<float> rows(2 * users.size());
      g.nodes("user").data("x").gather(users, std::as_writable_bytes(std::span(rows)), &moved);
      if (g.options().exchange_bytes == budget) {
        EXPECT_GE(moved.rounds, users.size() / (budget / 4 / 8));
      }
      return rows;
    });
    same(0, [&](const graph& g) { return g.find_edges(edges); });
    same(0, [&](const graph& g) { return g.in_degrees(nodes); });
    same(0, [&](const graph& g) { return g.out_degrees(nodes); });
    sampler of_wide(wide, hg::read_files{}, test_formats{}),
        of_narrow(narrow, hg::read_files{}, test_formats{});
    for (const std::uint64_t fanout : {std::uint64_t{3}, hg::all_neighbors}) {
      const auto expected = of_wide.sample(nodes, {.fanout = {fanout}, .seed = 5});
      static_cast<void>(me.most_bytes());
      EXPECT_EQ(of_narrow.sample(nodes, {.fanout = {fanout}, .seed = 5}), expected);
      EXPECT_LE(me.most_bytes(),
                budget + 4 * 8 * (1 + 2 * 40));  // no node has more than 40 in-edges
    }
  });
}

TEST(dist_rows, copies_that_parts_keep_save_what_simulation_promised) {
  const temporary_folder place;
  small_partition(small_dataset(42, true, 60, 200), place("out"), 3, 3, mapped());
  const hg::simulation_options options{.fanout = {hg::all_neighbors, hg::all_neighbors},
                                       .batch = 4,
                                       .epochs = 2,
                                       .cache_bytes = 8 * 20};
  hg::simulation promised;
  {
    const hg::single_rank alone;
    const auto g = hg::open_dist_graph(alone, place("out") + "/g.json", test_access{});
    hg::neighbor_sampler draws(g, hg::read_files{}, test_formats{});
    promised = hg::simulate_sampling(draws, hg::all_seeds(g), options);
    hg::attach_cache(g.config(), promised.plan, test_access{});
  }
  run(3, [&](const sure_rank& me) {
    const auto with = open(me, place("out")),
               without = open(me, place("out"), {.cached_features = false});
    sampler draws(with, hg::read_files{}, test_formats{});
    // The last epoch once more, as a trainer of this part.
    const auto nested = [](std::uint64_t seed, std::uint64_t i) {
      return hg::random_stream::at(seed, i).next();
    };
    std::vector<std::int64_t> order(hg::all_seeds(with)[me.rank()]);
    hg::random_stream dealing(nested(nested(options.seed, 1), me.rank()));
    hg::shuffle(std::span(order), dealing);
    std::array<std::uint64_t, 1> left{order.size()};
    ASSERT_TRUE(me.sum(left));
    hg::exchange_counters kept, asked;
    for (std::size_t at = 0; at < left[0];
         at += options.batch) {  // more turns than any rank has batches
      const std::size_t begin = std::min(at, order.size()),
                        end = std::min(order.size(), at + options.batch);
      std::vector<std::int64_t> nodes(order.begin() + static_cast<std::ptrdiff_t>(begin),
                                      order.begin() + static_cast<std::ptrdiff_t>(end));
      for (std::size_t hop = 0; hop < 2; ++hop)
        nodes = hg::to_block(draws.sample(nodes, {.fanout = {hg::all_neighbors}})).nodes;
      const auto typed = with.book().map_to_per_ntype(nodes);
      for (hg::type_id type = 0; type < 2; ++type) {
        std::vector<std::int64_t> ids;
        for (std::size_t i = 0; i < nodes.size(); ++i) {
          if (typed.types[i] == type) ids.push_back(typed.ids[i]);
        }
        std::vector<float> rows(2 * ids.size()), plain(2 * ids.size());
        with.nodes(type).data("x").gather(ids, std::as_writable_bytes(std::span(rows)), &kept);
        without.nodes(type).data("x").gather(ids, std::as_writable_bytes(std::span(plain)), &asked);
        EXPECT_EQ(rows, plain);
      }
    }
    const auto& mine = promised.parts[me.rank()].cache;
    EXPECT_GT(mine.saved_rows, 0u);
    EXPECT_EQ(asked.remote_rows, mine.remote_rows);
    EXPECT_EQ(asked.cached_rows, 0u);
    EXPECT_EQ(kept.remote_rows, mine.remote_rows - mine.saved_rows);
    EXPECT_EQ(kept.cached_rows, mine.saved_rows);
    EXPECT_EQ(kept.local_rows, asked.local_rows + mine.saved_rows);
  });
  // Where one rank holds both parts, rows of either are its own.
  run(2, [&](const sure_rank& me) {
    const auto g = open(me, place("out"));
    const auto ids = every(60);
    hg::exchange_counters moved;
    std::vector<float> rows(120);
    g.nodes("user").data("x").gather(ids, std::as_writable_bytes(std::span(rows)), &moved);
    EXPECT_EQ(moved.local_rows + moved.remote_rows, 60u);
    std::vector<float> plain(120);
    open(me, place("out"), {.cached_features = false})
        .nodes("user")
        .data("x")
        .gather(ids, std::as_writable_bytes(std::span(plain)));
    EXPECT_EQ(rows, plain);
  });
}

/// What every one of two ranks says, which must be one sentence.
std::string said_by_all(const std::function<void(const sure_rank&)>& act) {
  std::vector<std::string> said(2);
  run(2, [&](const sure_rank& me) {
    try {
      act(me);
    } catch (const hg::joint_error& problem) {
      said[me.rank()] = problem.what();
    } catch (const hg::error& problem) {
      said[me.rank()] = "alone: " + std::string(problem.what());
    }
  });
  EXPECT_EQ(said[0], said[1]);
  return said[0];
}

TEST(open_dist_graph, a_changed_file_of_features_or_of_kept_rows_is_told) {
  const temporary_folder place;
  small_partition(small_dataset(43, false), place("out"), 2, 3, mapped());
  hg::attach_cache(
      config_of(place("out")),
      {{0, static_cast<std::int64_t>(config_of(place("out")).node_map[0][1].begin), 1}},
      test_access{});
  const auto opening = [&](bool digests) {
    return said_by_all(
        [&](const sure_rank& me) { open(me, place("out"), {.digest_features = digests}); });
  };
  EXPECT_EQ(opening(true), "");
  const auto write = [&](const std::string& name, bool longer) {
    std::fstream file(place("out/" + name), std::ios::in | std::ios::out | std::ios::binary |
                                                (longer ? std::ios::app : std::ios::openmode{}));
    if (!longer) file.seekp(-1, std::ios::end);
    file.put('\7');
  };
  write("part1/node_feats.dgl", false);
  EXPECT_EQ(opening(false), "");  // the same size: verify's business, or asked for
  EXPECT_NE(opening(true).find("part1/node_feats.dgl"), std::string::npos);
  write("part1/node_feats.dgl", true);
  EXPECT_NE(opening(false).find("part1/node_feats.dgl"), std::string::npos);
  EXPECT_NE(opening(false).find("manifest"), std::string::npos);
  small_partition(small_dataset(43, false), place("out"), 2, 3, mapped());
  hg::attach_cache(
      config_of(place("out")),
      {{0, static_cast<std::int64_t>(config_of(place("out")).node_map[0][1].begin), 1}},
      test_access{});
  write("part0/cached_feats.dgl", true);
  EXPECT_NE(opening(false).find("part0/cached_feats.dgl"), std::string::npos);
}

TEST(neighbor_sampler, a_weight_that_cannot_be_is_named_by_file_part_and_row) {
  const temporary_folder place;
  for (const float bad :
       {-1.0f, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    auto data = small_dataset(44, false);
    std::vector<float> weights(60, 1.0f);
    weights[33] = bad;
    data.features.edges[0].rows = hg::tensor::from(weights);
    small_partition(data, place("out"), 2, 3, mapped());
    const auto config = config_of(place("out"));
    std::string where;
    for (std::size_t p = 0; p < 2; ++p) {
      const auto ids = hg::load_original_ids(config, p, {hg::entity::edge, 0}, hg::read_files{},
                                             test_formats{});
      const auto found = std::find(ids.begin(), ids.end(), 33u) - ids.begin();
      if (found != static_cast<std::ptrdiff_t>(ids.size()))
        where = "row " + std::to_string(found) + " of edge feature \"_N:_E:_N/w\" in part " +
                std::to_string(p);
    }
    const auto said = said_by_all([&](const sure_rank& me) {
      const auto g = open(me, place("out"));
      sampler(g, hg::read_files{}, test_formats{},
              {.direction = hg::edge_direction::in, .weight = "w"});
    });
    EXPECT_NE(said.find(where), std::string::npos) << said;
    EXPECT_NE(said.find("/edge_feats.dgl"), std::string::npos) << said;
  }
}

/// Let one allocation of the last rank fail, then another one, until none is left to: all ranks
/// must say so.
void expect_together(const sure_rank& me, std::size_t stride, const std::string& what,
                     const std::function<void()>& act) {
  const bool last = me.rank() + 1 == me.size();
  for (std::size_t at = 1;; at += stride) {
    std::string said;
    if (last) allocations_left = at;
    try {
      act();
    } catch (const hg::joint_error& problem) {
      allocations_left = 0;
      said = problem.what();
    } catch (const std::exception& problem) {
      allocations_left = 0;
      ADD_FAILURE() << what << ", allocation " << at << ": alone " << problem.what();
      throw;
    }
    std::array<std::uint64_t, 2> told{last && allocations_left == 0 ? 1u : 0u,
                                      said.empty() ? 0u : 1u};
    allocations_left = 0;
    ASSERT_TRUE(me.sum(told));
    if (!said.empty()) {
      EXPECT_NE(said.find("memory (on rank 1 of 2)"), std::string::npos)
          << what << ", allocation " << at << ": " << said;
    }
    ASSERT_TRUE(told[1] == 0 || told[1] == me.size()) << what << ", allocation " << at;
    if (told[0] == 0) {
      EXPECT_GT(at, 1u) << what << " allocates nothing";
      return;
    }
  }
}

TEST(dist, an_allocation_that_fails_on_one_rank_fails_on_all) {
  const temporary_folder place;
  small_partition(small_dataset(45, true, 16, 30), place("out"), 2, 3, mapped());
  hg::attach_cache(
      config_of(place("out")),
      {{0, static_cast<std::int64_t>(config_of(place("out")).node_map[0][1].begin), 1}},
      test_access{});
  run(2, [&](const sure_rank& me) {
    // What the calls are given is there before.
    const std::string path = place("out") + "/g.json";
    const hg::folder_access access = test_access{};
    const hg::sampler_options weighted{.direction = hg::edge_direction::in, .weight = "w"};
    const hg::sample_options all{.fanout = {hg::all_neighbors}};
    const hg::simulation_options simulated{.fanout = {2, 2}, .batch = 5, .cache_bytes = 64};
    expect_together(me, 5, "open_dist_graph", [&] { hg::open_dist_graph(me, path, access); });
    const auto g = open(me, place("out"), {.exchange_bytes = 64});
    expect_together(me, 3, "neighbor_sampler",
                    [&] { sampler(g, access.files, access.formats, weighted); });
    sampler draws(g, hg::read_files{}, test_formats{});
    const auto users = every(16), nodes = every(g.num_nodes()), edges = every(g.num_edges());
    const auto seeds = hg::all_seeds(g);
    const auto x = g.nodes("user").data("x");
    expect_together(me, 1, "rows", [&] { x[users]; });
    expect_together(me, 1, "find_edges", [&] { g.find_edges(edges); });
    expect_together(me, 1, "in_degrees", [&] { g.in_degrees(nodes); });
    expect_together(me, 1, "out_degrees", [&] { g.out_degrees(users, "knows"); });
    expect_together(me, 1, "sample_neighbors", [&] { hg::sample_neighbors(draws, nodes, all); });
    expect_together(me, 1, "in_subgraph", [&] { hg::in_subgraph(draws, users); });
    expect_together(me, 5, "simulate_sampling",
                    [&] { hg::simulate_sampling(draws, seeds, simulated); });
    hg::dist_embedding learned(g, 16, 2, "e", hg::zeros{}, "node~user");
    const std::vector<float> steps(32, 1);
    expect_together(me, 1, "embedding",
                    [&] { hg::dist_embedding(g, 16, 2, "a", hg::zeros{}, "node~user"); });
    expect_together(me, 1, "write",
                    [&] { learned.weights().write(users, std::as_bytes(std::span(steps))); });
    expect_together(me, 1, "add",
                    [&] { learned.weights().add(users, std::as_bytes(std::span(steps))); });
    expect_together(me, 1, "look-up", [&] { learned(users); });
    expect_together(me, 1, "step", [&] { learned.step(hg::sparse_adagrad{}, users, steps); });
    learned.save();  // libstdc++ ends the program where it has no memory to walk through a folder
    expect_together(me, 1, "restore", [&] { learned.restore(access.files); });
  });
}

}  // namespace
