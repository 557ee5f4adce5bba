// SPDX-License-Identifier: BSL-1.0
// Simulated figures against a plain count over the same samples.
#include "support/small_folder.hpp"
#include "support/temporary_folder.hpp"

#include <halograph/dist/open_dist_graph.hpp>
#include <halograph/dist/simulate_sampling.hpp>
#include <halograph/dist/simulation.hpp>
#include <halograph/dist/simulation_seeds.hpp>
#include <halograph/testing/thread_ranks.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace hg = halograph;
using namespace hg::testing;
using sampler = hg::neighbor_sampler;
using seed_lists = std::vector<std::vector<std::int64_t>>;

struct opened {
  hg::single_rank ranks{};
  hg::dist_graph graph;
  sampler draws;
  explicit opened(const std::string& folder)
      : graph(hg::open_dist_graph(ranks, folder + "/g.json", test_access{})),
        draws(graph, hg::read_files{}, test_formats{}) {}
};

hg::partition_options mapped(unsigned hops) {
  hg::partition_options options;
  options.save_mapping = true;
  options.hops = hops;
  return options;
}

/// Two threads, which take pieces from both ends.
struct two_threads {
  static std::size_t concurrency() { return 2; }
  template <class Body>
  void parallel_for(std::size_t first, std::size_t last, std::size_t, Body&& body) const {
    std::thread other([&] {
      for (std::size_t i = last; i > first + (last - first) / 2; --i) body(i - 1, i);
    });
    for (std::size_t i = first; i < first + (last - first) / 2; ++i) body(i, i + 1);
    other.join();
  }
};

struct counted {
  std::uint64_t batches = 0, edges = 0, inputs = 0, remote_rows = 0, requests = 0,
                request_edges = 0;
  std::map<std::int64_t, std::uint64_t> learnt{}, last{};  // rows fetched
};

/// The same by sample_neighbors and to_block, one batch after the other.
counted count_plainly(sampler& draws, std::size_t part, const std::vector<std::int64_t>& seeds,
                      const hg::simulation_options& options) {
  counted out;
  const auto& g = draws.graph();
  // The cache of a single epoch is chosen from one more, which is not counted.
  for (std::uint64_t epoch = 0; epoch < options.epochs + (options.epochs == 1 ? 1 : 0); ++epoch) {
    const counted before = out;
    const auto nested = [](std::uint64_t seed, std::uint64_t i) {
      return hg::random_stream::at(seed, i).next();
    };
    const std::uint64_t of_epoch = nested(nested(options.seed, epoch), part);
    std::vector<std::int64_t> order(seeds);
    hg::random_stream dealing(of_epoch);
    hg::shuffle(std::span(order), dealing);
    for (std::size_t at = 0, b = 0; at < order.size(); at += options.batch, ++b) {
      ++out.batches;
      std::vector<std::int64_t> cur(
          order.begin() + static_cast<std::ptrdiff_t>(at),
          order.begin() +
              static_cast<std::ptrdiff_t>(std::min<std::size_t>(order.size(), at + options.batch)));
      for (std::size_t layer = 0; layer < options.fanout.size(); ++layer) {
        const auto frontier = hg::sample_neighbors(draws, cur,
                                                   {.fanout = {options.fanout[layer]},
                                                    .replace = options.replace,
                                                    .seed = nested(nested(of_epoch, b), layer)},
                                                   part);
        out.edges += frontier.num_edges();
        for (std::size_t i = 0; i < cur.size(); ++i) {
          const auto local = g.parts()[part].local_of(cur[i]);
          if (local && g.parts()[part].has_all_in_edges(*local)) continue;
          ++out.requests;
          out.request_edges += frontier.offsets[i + 1] - frontier.offsets[i];
        }
        cur = hg::to_block(frontier).nodes;
      }
      out.inputs += cur.size();
      for (const auto v : cur) {
        if (g.part_of_node(v) == part) continue;
        ++out.remote_rows;
        ++(epoch + 1 == options.epochs ? out.last : out.learnt)[v];
      }
    }
    if (epoch == options.epochs) {
      auto learnt = std::move(out.learnt);
      out = before;
      out.learnt = std::move(learnt);
    }
  }
  return out;
}

void expect_as_counted(const std::string& folder, const seed_lists* given,
                       const hg::simulation_options& options) {
  opened here(folder);
  const auto seeds = given ? *given : hg::all_seeds(here.graph);
  const auto found = hg::simulate_sampling(here.draws, seeds, options);
  EXPECT_TRUE(found.same_for_any_parts);
  ASSERT_EQ(found.parts.size(), here.graph.num_parts());
  hg::cache_plan plan;
  for (std::size_t p = 0; p < found.parts.size(); ++p) {
    const auto& part = found.parts[p];
    const auto expected = count_plainly(here.draws, p, seeds[p], options);
    EXPECT_EQ(part.batches, expected.batches);
    EXPECT_EQ(part.seeds(), seeds[p].size() * options.epochs);
    EXPECT_EQ(part.edges, expected.edges);
    EXPECT_EQ(part.input_nodes(), expected.inputs);
    EXPECT_EQ(part.remote_rows(), expected.remote_rows);
    EXPECT_EQ(part.remote_row_bytes(), 8 * expected.remote_rows);
    EXPECT_EQ(part.remote_requests(), expected.requests);
    EXPECT_EQ(part.structure_bytes(), 16 * (expected.requests + expected.request_edges));
    // Rows of 8 bytes: the hottest budget / 8.
    std::vector<std::pair<std::int64_t, std::int64_t>> hot;  // times, negated; node
    for (const auto& [node, times] : expected.learnt)
      hot.emplace_back(-static_cast<std::int64_t>(times), node);
    std::sort(hot.begin(), hot.end());
    hot.resize(std::min<std::size_t>(hot.size(), options.cache_bytes / 8));
    std::uint64_t saved = 0;
    for (const auto& [times, node] : hot) {
      plan.push_back({static_cast<std::int64_t>(p), node, -times});
      if (const auto last = expected.last.find(node); last != expected.last.end())
        saved += last->second;
    }
    EXPECT_EQ(part.cache.rows, hot.size());
    EXPECT_EQ(part.cache.bytes, 8 * hot.size());
    EXPECT_EQ(part.cache.saved_rows, saved);
    EXPECT_EQ(part.cache.saved_bytes, 8 * saved);
    std::uint64_t fetched = 0;
    for (const auto& [node, times] : expected.last) fetched += times;
    EXPECT_EQ(part.cache.remote_rows, fetched);
  }
  EXPECT_EQ(found.plan, plan);
  const auto threaded = hg::simulate_sampling(here.draws, seeds, options, two_threads{});
  EXPECT_EQ(hg::json::print(hg::to_json(threaded, here.graph.schema())),
            hg::json::print(hg::to_json(found, here.graph.schema())));
  EXPECT_EQ(threaded.plan, plan);
}

/// The same over threads as ranks.
void expect_over_ranks(const std::string& folder, const seed_lists* given,
                       const hg::simulation_options& options, std::size_t round_bytes) {
  opened here(folder);
  const auto seeds = given ? *given : hg::all_seeds(here.graph);
  const auto whole = hg::simulate_sampling(here.draws, seeds, options);
  const std::string expected = hg::json::print(hg::to_json(whole, here.graph.schema()));
  for (const std::size_t ranks : {2u, 3u, 4u}) {
    hg::run_ranks(ranks, [&](const hg::thread_rank& me) {
      const auto g = hg::open_dist_graph(me, folder + "/g.json", test_access{},
                                         {.exchange_bytes = round_bytes});
      hg::neighbor_sampler draws(g, hg::read_files{}, test_formats{});
      auto own = given ? *given : hg::all_seeds(g);
      for (std::size_t p = 0; p < own.size(); ++p) {
        if (g.part(static_cast<hg::part_id>(p)) != nullptr) continue;
        if (!given) {
          EXPECT_EQ(own[p].capacity(), 0u);
        }
        own[p] = {-7, -7};  // are not looked at
      }
      const auto found = hg::simulate_sampling(draws, own, options);
      EXPECT_EQ(hg::json::print(hg::to_json(found, g.schema())), expected);
      EXPECT_EQ(found.plan, me.rank() == 0 ? whole.plan : hg::cache_plan{});
    });
  }
}

TEST(simulate_sampling, ranks_find_what_one_process_finds) {
  const temporary_folder place;
  for (const bool typed : {false, true}) {
    const std::string folder = place(typed ? "typed" : "plain");
    small_partition(small_dataset(25, typed, 50, 140), folder, 3, 5, mapped(typed ? 1 : 2));
    expect_over_ranks(folder, nullptr,
                      {.fanout = {3, 2}, .batch = 7, .epochs = 3, .cache_bytes = 64}, 1 << 20);
    const seed_lists few{{}, {0}, {1, 40}};
    expect_over_ranks(folder, &few,
                      {.fanout = {2, hg::all_neighbors},
                       .batch = 1,
                       .epochs = 2,
                       .replace = true,
                       .cache_bytes = 24},
                      1);  // a row a round
  }
}

TEST(simulate_sampling, counts_what_batches_fetch_whatever_the_threads) {
  const temporary_folder place;
  for (const bool typed : {false, true}) {
    const std::string folder = place(typed ? "typed" : "plain");
    small_partition(small_dataset(21, typed, 50, 140), folder, 3, 5, mapped(typed ? 1 : 2));
    expect_as_counted(folder, nullptr,
                      {.fanout = {3, 2}, .batch = 7, .epochs = 3, .cache_bytes = 64});
    expect_as_counted(folder, nullptr,
                      {.fanout = {2, hg::all_neighbors, 1},
                       .batch = 1000,
                       .replace = true,
                       .seed = 4,
                       .cache_bytes = 1 << 20});
    const seed_lists few{{}, {0}, {1, 40}};  // a part without seeds; seeds of other parts
    expect_as_counted(folder, &few, {.fanout = {2}, .batch = 1, .epochs = 2});
  }
}

TEST(simulate_sampling, one_epoch_and_several_say_about_the_same_of_a_cache) {
  // A random graph where few rows are fetched twice: what was kept of a batch says little about the
  // next.
  const temporary_folder place;
  small_partition(small_dataset(31, false, 3000, 30000), place("out"), 2, 5, mapped(1));
  opened here(place("out"));
  const auto saved = [&](std::uint64_t epochs) {
    const auto found = hg::simulate_sampling(
        here.draws, hg::all_seeds(here.graph),
        {.fanout = {2}, .batch = 64, .epochs = epochs, .cache_bytes = 8 * 400});
    double rows = 0, all = 0;
    for (const auto& part : found.parts) {
      rows += static_cast<double>(part.cache.saved_rows);
      all += static_cast<double>(part.cache.remote_rows);
    }
    return rows / all;
  };
  const double once = saved(1), twice = saved(2);
  EXPECT_GT(twice, 0.2);
  EXPECT_NEAR(once, twice, 0.03);
}

TEST(simulate_sampling, a_cache_of_everything_saves_all_that_was_seen_before) {
  const temporary_folder place;
  small_partition(small_dataset(22, true, 30, 200), place("out"), 2, 5, mapped(1));
  opened here(place("out"));
  const auto all = hg::simulate_sampling(
      here.draws, hg::all_seeds(here.graph),
      {.fanout = {hg::all_neighbors}, .batch = 4, .epochs = 2, .cache_bytes = 1 << 20});
  for (const auto& part : all.parts) {
    EXPECT_GT(part.cache.remote_rows, 0u);
    EXPECT_EQ(part.cache.saved_rows, part.cache.remote_rows);  // both epochs meet the same nodes
    EXPECT_EQ(part.remote_requests(), 0u);                     // one hop from inner nodes
  }
}

TEST(simulate_sampling, memory_grows_with_what_is_drawn) {
  const temporary_folder place;
  small_partition(small_dataset(12, true, 60, 200), place("out"), 3, 12, mapped(1));
  const opened folder(place("out"));
  const auto need = [&](const hg::simulation_options& options, std::size_t threads = 1) {
    return hg::simulation_memory(folder.graph, options, threads);
  };
  const hg::simulation_options few{.fanout = {2}, .batch = 4}, more{.fanout = {2, 2}, .batch = 4},
      all{.fanout = {hg::all_neighbors, hg::all_neighbors, hg::all_neighbors}},
      again{.fanout = {hg::all_neighbors}, .replace = true};
  EXPECT_LT(need(few), need(more));
  EXPECT_LT(need(few), need(few, 2));
  // Not more than there are nodes and edges.
  EXPECT_LT(need(all) - need(few), 2 * (90 * 32 + 3 * 1000 * 44u));
  // Relations of few edges weigh no more than these, however many nodes they are drawn for.
  std::uint64_t edges = 0;
  for (hg::type_id r = 0; r < folder.graph.schema().num_edge_types(); ++r)
    edges += folder.graph.book().num_edges(r);
  EXPECT_LE(need({.fanout = {hg::all_neighbors}}) - need({.fanout = {}}),
            2 * (90 * 32 + edges * 44));
  EXPECT_EQ(need(again), ~std::uint64_t{0});
}

TEST(simulate_sampling, only_the_features_asked_for_weigh) {
  const temporary_folder place;
  small_partition(small_dataset(22, true, 30, 80), place("out"), 2, 5, mapped(1));
  opened here(place("out"));
  const auto user = here.graph.book().node_type_number("user"),
             item = here.graph.book().node_type_number("item");
  const auto found = hg::simulate_sampling(
      here.draws, hg::all_seeds(here.graph, item),
      {.fanout = {4, 4}, .batch = 4, .cache_bytes = 1 << 20, .features = {"user/x"}});
  EXPECT_EQ(found.parts[0].types[user].row_bytes, 8u);
  EXPECT_EQ(found.parts[0].types[item].row_bytes, 0u);
  EXPECT_EQ(found.parts[0].types[user].seeds, 0u);
  EXPECT_GT(found.parts[0].types[item].seeds, 0u);
  for (const auto& row : found.plan)
    EXPECT_EQ(here.graph.book().map_to_per_ntype(row.node).type, user);
}

TEST(simulation_seeds, come_from_a_mask_or_a_list_of_original_ids) {
  const temporary_folder place;
  auto data = small_dataset(23, true, 30, 80);
  std::vector<std::uint8_t> mask(data.node_counts[0]);
  std::vector<std::int32_t> listed;
  for (std::size_t i = 0; i < mask.size(); i += 4) {
    mask[i] = 1;
    listed.insert(listed.begin(), static_cast<std::int32_t>(i));
  }
  data.features.nodes.push_back({0, "train_mask", hg::tensor::from(mask)});
  small_partition(data, place("out"), 3, 5, mapped(1));
  opened here(place("out"));
  const auto by_mask = hg::seeds_of_feature(here.graph, 0, "train_mask");
  const auto write = [&](const auto& ids) {
    const auto layout = hg::npy_layout(
        place("idx.npy"), hg::dtype_of<typename std::remove_cvref_t<decltype(ids)>::value_type>(),
        {ids.size()});
    auto sink = hg::file_sink::create(place("idx.npy"), layout.bytes);
    hg::save(layout, sink, [&](const auto&) { return hg::tensor::from(ids); });
    sink.close();
    return hg::seeds_of_file(here.graph, 0, place("idx.npy"), hg::read_files{}, test_formats{});
  };
  EXPECT_EQ(by_mask, write(listed));
  std::size_t count = 0;
  for (std::size_t p = 0; p < 3; ++p) {
    count += by_mask[p].size();
    for (const auto v : by_mask[p]) EXPECT_EQ(here.graph.part_of_node(v), p);
  }
  EXPECT_EQ(count, listed.size());

  const auto sentence = [&](const std::function<void()>& act) {
    try {
      act();
    } catch (const hg::error& problem) {
      return std::string(problem.what());
    }
    return std::string("nothing");
  };
  const auto says = [&](const std::string& words, const std::function<void()>& act) {
    EXPECT_NE(sentence(act).find(words), std::string::npos) << sentence(act);
  };
  says("row 1 names node 30; there are 30", [&] { write(std::vector<std::int64_t>{0, 30}); });
  says("row 1 names node 3, as an earlier row does",
       [&] { write(std::vector<std::int64_t>{3, 3}); });
  says("column of integers", [&] { write(std::vector<float>{3}); });
  says("one integer or boolean", [&] { hg::seeds_of_feature(here.graph, 0, "x"); });
  const auto simulated = [&](const seed_lists& seeds, const hg::simulation_options& options) {
    return [&, seeds, options] { hg::simulate_sampling(here.draws, seeds, options); };
  };
  says("seeds for 1 parts", simulated({{0}}, {}));
  says("twice among the seeds", simulated({{0, 1, 0}, {}, {}}, {}));
  says("not in the valid range", simulated({{}, {45}, {}}, {}));
  says("one seed in a batch", simulated({{}, {}, {}}, {.batch = 0}));
  says("no node feature \"user/y\"", simulated({{}, {}, {}}, {.features = {"user/y"}}));
}

}  // namespace
