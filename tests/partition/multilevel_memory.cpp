// SPDX-License-Identifier: BSL-1.0
// What the multilevel partitioner allocates at its peak, in bytes for each entry of the undirected
// graph. count_allocations.hpp, in balance.cpp, counts.
// slow: partitions eight graphs five to nine times each
#include "support/few_threads.hpp"
#include "support/live_bytes.hpp"

#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/core/random.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/coo.hpp>
#include <halograph/graph/generators.hpp>
#include <halograph/graph/symmetrize.hpp>
#include <halograph/partition/assign.hpp>
#include <halograph/partition/assign_context.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/multilevel.hpp>
#include <halograph/partition/multilevel/coarsening.hpp>
#include <halograph/partition/multilevel/effort.hpp>
#include <halograph/partition/multilevel/k_way_memory.hpp>
#include <halograph/partition/multilevel/weighted_graph.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace hg = halograph;

namespace {

using undirected = hg::symmetric_graph<std::uint32_t, std::int64_t>;

std::vector<std::pair<std::string, undirected>> graphs() {
  std::vector<std::pair<std::string, undirected>> out;
  const auto add = [&](const char* name, const auto& edges) {
    undirected both;
    EXPECT_EQ(hg::symmetrize_into(edges, hg::pairs_once{}, both), hg::status::ok);
    out.emplace_back(name, std::move(both));
  };
  // Roads have 2.5 neighbors each.
  const hg::generators::grid streets{.width = 400, .height = 400};
  std::vector<std::uint32_t> source, target;
  for (std::uint64_t i = 0; i < streets.num_edges(); ++i) {
    if (hg::detail::keyed(1, i) % 8 >= 5) continue;
    source.push_back(static_cast<std::uint32_t>(streets.edge(i).source));
    target.push_back(static_cast<std::uint32_t>(streets.edge(i).target));
  }
  add("roads", hg::coo_view<std::uint32_t>(400 * 400, source, target));
  add("mesh", hg::generators::grid{.width = 30, .height = 30, .depth = 30});
  add("rmat", hg::generators::rmat{.scale = 14, .edge_factor = 12, .seed = 1});
  return out;
}

double bytes_per_entry(const undirected& g, hg::multilevel policy) {
  std::vector<hg::part_id> owner(g.num_nodes());
  const hg::testing::few_threads threads;
  const std::size_t peak = hg::testing::peak_of([&] {
    EXPECT_EQ(policy.assign(g, std::span(owner), hg::assign_context(threads)), hg::status::ok);
  });
  EXPECT_LT(peak, hg::multilevel_bytes(g.num_nodes(), g.num_edges(), policy.constraints.size(),
                                       policy.parts));
  return static_cast<double>(peak) / static_cast<double>(g.num_edges());
}

// What a policy tells of its memory, beside what is allocated.
class told_memory {
 public:
  hg::memory_callback callback() {
    return [this](std::uint64_t bytes, bool in_all) {
      EXPECT_FALSE(is_all_) << "told of once more";
      check();
      if (told_.empty()) first_peak_ = taken();
      told_.push_back(bytes);
      is_all_ = in_all;
    };
  }
  /// Run f, which is told. @return what it took at its peak
  template <class F>
  std::size_t watch(F&& f) {
    before_ = hg::testing::live_bytes;
    const std::size_t peak = hg::testing::peak_of(f);
    check();
    return peak;
  }
  bool is_all() const { return is_all_; }
  std::uint64_t last() const { return told_.empty() ? 0 : told_.back(); }
  std::size_t times() const { return told_.size(); }
  std::size_t first_peak() const { return first_peak_; }

 private:
  std::size_t taken() const { return hg::testing::most_live_bytes - before_; }
  void check() const {
    if (told_.empty()) return;
    EXPECT_LE(taken(), told_.back()) << "after telling " << told_.size();
  }
  std::vector<std::uint64_t> told_{};
  std::size_t before_ = 0, first_peak_ = 0;
  bool is_all_ = false;
};

TEST(multilevel_memory, is_told_closely_once_the_first_coarser_graph_is_known) {
  const hg::testing::few_threads threads;
  const hg::multilevel asked[] = {{.parts = 8},
                                  {.parts = 8, .compress = true},
                                  {.parts = 64, .effort = hg::multilevel_effort::fast()},
                                  {.parts = 8, .effort = hg::multilevel_effort::strong()}};
  for (const auto& [graph, g] : graphs()) {
    std::vector<hg::part_id> silent(g.num_nodes());
    ASSERT_EQ(asked[0].assign(g, std::span(silent), hg::assign_context(threads)), hg::status::ok);
    for (hg::multilevel policy : asked) {
      told_memory told;
      const hg::memory_callback listener = told.callback();
      policy.on_bytes = &listener;
      std::vector<hg::part_id> owner(g.num_nodes());
      const undirected& rows = g;
      const std::size_t peak = told.watch([&] {
        ASSERT_EQ(policy.assign(rows, std::span(owner), hg::assign_context(threads)),
                  hg::status::ok);
      });
      const hg::multilevel_inputs given{.compress = policy.compress,
                                        .repeats = policy.effort.cycles != 0};
      EXPECT_TRUE(told.is_all());
      EXPECT_GE(told.times(), 2u);
      EXPECT_LE(told.last(), 2 * peak) << graph << " " << policy.parts << " " << policy.compress;
      EXPECT_LT(told.last(),
                hg::multilevel_bytes(g.num_nodes(), g.num_edges(), 1, policy.parts, given));
      EXPECT_LE(told.first_peak(),
                hg::multilevel_first_bytes(g.num_nodes(), g.num_edges(), g.num_edges(), 1,
                                           policy.parts, 2, given));
      if (policy.parts == 8 && policy.effort.cycles == 0) {
        EXPECT_EQ(owner, silent) << "the same parts, whoever is told";
      }
    }
  }
}

TEST(multilevel_memory, ends_with_what_the_listener_throws_and_gives_all_back) {
  struct refusal {};
  const auto [graph, g] = graphs().back();
  const hg::testing::few_threads threads;
  for (std::size_t after = 0; after < 3; ++after) {
    std::size_t times = 0;
    const hg::memory_callback listener = [&](std::uint64_t, bool) {
      if (times++ == after) throw refusal();
    };
    std::vector<hg::part_id> owner(g.num_nodes());
    const hg::multilevel policy{.parts = 8, .on_bytes = &listener};
    const std::size_t before = hg::testing::live_bytes;
    EXPECT_THROW((void)policy.assign(g, std::span(owner), hg::assign_context(threads)), refusal)
        << graph << " " << after;
    EXPECT_EQ(hg::testing::live_bytes, before);
  }
}

TEST(k_way_bytes, grow_with_every_count_and_saturate) {
  using of = hg::detail::first_coarsening;
  const auto all = [](const of& known) { return hg::detail::k_way_bytes(known).all; };
  const of base{.nodes = 100'000,
                .finest_bytes = 2'000'000,
                .largest_degree = 10,
                .coarse_nodes = 50'000,
                .coarse_entries = 400'000,
                .parts = 8};
  const auto more = [&](auto&& change) {
    of other = base;
    change(other);
    return all(other);
  };
  EXPECT_GT(more([](of& x) { x.nodes *= 2; }), all(base));
  EXPECT_EQ(more([](of& x) { x.finest_bytes += 5; }), all(base) + 5);
  EXPECT_GT(more([](of& x) { x.coarse_nodes *= 2; }), all(base));
  EXPECT_GT(more([](of& x) { x.coarse_entries *= 2; }), all(base));
  EXPECT_GT(more([](of& x) { x.largest_degree = 500'000; }), all(base));
  EXPECT_GT(more([](of& x) { x.rows = 3; }), all(base));
  EXPECT_GT(more([](of& x) { x.parts = 500; }), all(base));
  EXPECT_GT(more([](of& x) { x.word_bytes = 8; }), all(base));
  EXPECT_GT(more([](of& x) { x.repeats = true; }), all(base));
  EXPECT_LT(more([](of& x) { x.compressed = true; }), all(base));
  EXPECT_GT(more([](of& x) {
              x.skewed = true;
              x.community_entries = 1'000'000;
            }),
            all(base));
  EXPECT_LE(hg::detail::k_way_bytes(base).first, all(base));
  EXPECT_EQ(more([](of& x) { x.coarse_entries = ~std::uint64_t{0}; }), ~std::uint64_t{0});
}

TEST(multilevel_memory, is_at_most_24_bytes_per_entry) {
  struct preset {
    const char* name;
    hg::multilevel_effort effort;
    std::uint64_t parts;
  };
  const preset presets[] = {{"fast", hg::multilevel_effort::fast(), 64},
                            {"balanced", hg::multilevel_effort::balanced(), 8},
                            {"balanced", hg::multilevel_effort::balanced(), 64},
                            {"strong", hg::multilevel_effort::strong(), 8}};
  for (const auto& [graph, g] : graphs()) {
    for (const preset& one : presets)
      EXPECT_LE(bytes_per_entry(g, {.parts = one.parts, .effort = one.effort}), 24)
          << graph << " " << one.name << " " << one.parts;
  }
}

TEST(multilevel_memory, is_as_little_with_classes_and_degrees) {
  for (const auto& [graph, g] : graphs()) {
    hg::node_classes classes{.of = std::vector<std::uint32_t>(g.num_nodes()),
                             .names = {"class:0", "class:1", "class:2"}};
    std::vector<std::int64_t> degrees(g.num_nodes());
    for (std::size_t v = 0; v < degrees.size(); ++v) {
      classes.of[v] = static_cast<std::uint32_t>(hg::detail::keyed(2, v) % 3);
      degrees[v] = static_cast<std::int64_t>(g.offsets[v + 1] - g.offsets[v]);
    }
    hg::balance_set balance;
    balance.add_classes(std::move(classes), std::nullopt);
    balance.add("degree", std::move(degrees));
    hg::multilevel policy{.parts = 8};
    policy.constraints = balance.constraints();
    // Two first partitions are annealed at once, where threads have the time: 24.5 bytes of rmat.
    EXPECT_LE(bytes_per_entry(g, policy), 26) << graph;
  }
}

TEST(multilevel_memory, is_announced_for_graphs_without_clusters_and_for_all_inputs) {
  constexpr std::uint32_t nodes = 20'000;
  struct edges {
    const char* name;
    std::vector<std::uint32_t> source{}, target{};
  };
  edges random{"random"}, dense{"dense"}, near{"near"}, star{"star"}, sides{"two sides"};
  hg::random_stream stream(5);
  const auto any = [&](std::uint32_t below) {
    return static_cast<std::uint32_t>(stream.below(below));
  };
  for (std::uint32_t v = 0; v < nodes; ++v) {
    for (int i = 0; i < 3; ++i) {
      random.source.push_back(v);
      random.target.push_back(any(nodes));
    }
    for (std::uint32_t i = 0; i < 6; ++i) {
      dense.source.push_back(v);
      dense.target.push_back(any(nodes));
      near.source.push_back(v);
      near.target.push_back((v + 1 + any(500)) % nodes);
    }
    star.source.push_back(0);
    star.target.push_back(v);
    for (int i = 0; i < 6 && v >= 100; ++i) {
      sides.source.push_back(v);
      sides.target.push_back(any(100));
    }
  }
  const hg::testing::few_threads threads;
  for (const edges& one : {random, dense, near, star, sides}) {
    const hg::coo_view<std::uint32_t> g(nodes, one.source, one.target);
    std::vector<std::int64_t> weights(one.source.size());
    for (auto& weight : weights) weight = 1 + static_cast<std::int64_t>(stream.below(5));
    std::vector<hg::part_id> before(nodes), fixed(nodes);
    for (std::uint32_t v = 0; v < nodes; ++v) {
      before[v] = any(8);
      fixed[v] = v % 10 == 0 ? before[v] : hg::multilevel::no_part;
    }
    const auto expect_announced = [&](const char* what, hg::multilevel policy) {
      std::vector<hg::part_id> owner(nodes);
      told_memory told;
      const hg::memory_callback listener = told.callback();
      policy.on_bytes = &listener;
      const std::size_t peak = told.watch([&] {
        ASSERT_EQ(policy.assign(g, std::span(owner), hg::assign_context(threads)), hg::status::ok);
      });
      EXPECT_LT(peak, hg::multilevel_bytes(nodes, hg::most_undirected_entries(g), 1, policy.parts,
                                           {.compress = policy.compress,
                                            .edge_weights = !policy.edge_weights.empty(),
                                            .fixed = policy.fixed.size() != 0,
                                            .from = policy.from.size() != 0,
                                            .repeats = policy.effort.cycles != 0}))
          << one.name << ", " << what;
      EXPECT_EQ(told.is_all(), policy.fixed.size() == 0 && policy.from.size() == 0)
          << one.name << ", " << what;
    };
    expect_announced("8 parts", {.parts = 8});
    // Most nodes have neighbors in many parts.
    expect_announced("64 parts", {.parts = 64});
    expect_announced("256 parts", {.parts = 256});
    expect_announced("strong", {.parts = 8, .effort = hg::multilevel_effort::strong()});
    expect_announced("weights", {.parts = 8, .edge_weights = weights});
    expect_announced("fixed", {.parts = 8, .fixed = fixed});
    expect_announced("from", {.parts = 8, .from = before});
    expect_announced("compressed", {.parts = 8, .compress = true});
    expect_announced("compressed, 64 parts", {.parts = 64, .compress = true});
  }
}

// All nodes are neighbors of one, whose row is as long as all others together.
TEST(multilevel_memory, of_a_large_star_is_at_most_what_is_announced) {
  constexpr std::uint32_t nodes = 100'000;
  std::vector<std::uint32_t> hub(nodes), others(nodes);
  std::iota(others.begin(), others.end(), 0u);
  const hg::coo_view<std::uint32_t> star(nodes, hub, others);
  const hg::testing::few_threads threads;
  const auto peak_by = [&](const hg::multilevel& policy) {
    std::vector<hg::part_id> owner(nodes);
    return hg::testing::peak_of([&] {
      ASSERT_EQ(policy.assign(star, std::span(owner), hg::assign_context(threads)), hg::status::ok);
    });
  };
  const std::uint64_t entries = hg::most_undirected_entries(star);
  EXPECT_LT(peak_by({.parts = 8}), hg::multilevel_bytes(nodes, entries, 1, 8) * 2 / 3);
  EXPECT_LT(peak_by({.parts = 4, .effort = hg::multilevel_effort::strong()}),
            hg::multilevel_bytes(nodes, entries, 1, 4, {.repeats = true}));
}

// Volume counts the neighbors of each node in each part, which sparse graphs have no coarser graphs
// beside.
TEST(multilevel_memory, of_volume_is_at_most_what_is_announced) {
  constexpr std::uint32_t nodes = 131'000, edges = 2 * nodes;
  hg::random_stream stream(7);
  std::vector<std::uint32_t> source(edges), target(edges);
  for (auto* const ends : {&source, &target}) {
    for (std::uint32_t& one : *ends) one = static_cast<std::uint32_t>(stream.below(nodes));
  }
  const hg::coo_view<std::uint32_t> g(nodes, source, target);
  const hg::testing::few_threads threads;
  for (const bool compress : {false, true}) {
    const hg::multilevel policy{.parts = 8,
                                .objective = hg::objective::volume,
                                .effort = hg::multilevel_effort::fast(),
                                .compress = compress};
    std::vector<hg::part_id> owner(nodes);
    const std::size_t peak = hg::testing::peak_of([&] {
      ASSERT_EQ(policy.assign(g, std::span(owner), hg::assign_context(threads)), hg::status::ok);
    });
    EXPECT_LT(static_cast<double>(peak), 0.95 * static_cast<double>(hg::multilevel_bytes(
                                                    nodes, hg::most_undirected_entries(g), 1, 8,
                                                    {.compress = compress, .volume = true})))
        << compress;
  }
}

TEST(multilevel_memory, is_less_where_rows_are_compressed) {
  const hg::testing::few_threads threads;
  const auto expect_less = [&](const auto& edges, double share, const std::string& what) {
    hg::symmetric_graph<std::uint32_t, std::int64_t> g;
    ASSERT_EQ(hg::symmetrize_into(edges, hg::pairs_once{}, g), hg::status::ok);
    std::vector<hg::part_id> owner(g.num_nodes());
    std::size_t peak[2];
    for (const bool compress : {false, true}) {
      const hg::multilevel policy{.parts = 8, .compress = compress};
      peak[compress ? 1 : 0] = hg::testing::peak_of([&] {
        ASSERT_EQ(policy.assign(g, std::span(owner), hg::assign_context(threads)), hg::status::ok);
      });
      EXPECT_LT(peak[compress ? 1 : 0],
                hg::multilevel_bytes(g.num_nodes(), g.num_edges(), 1, 8, {.compress = compress}));
    }
    EXPECT_LT(static_cast<double>(peak[1]), share * static_cast<double>(peak[0])) << what;
  };
  expect_less(hg::generators::rmat{.scale = 14, .edge_factor = 12, .seed = 1}, 0.75, "rmat");
  expect_less(hg::generators::grid{.width = 200, .height = 200}, 0.95, "grid");
}

template <class Word>
void expect_packed(std::vector<Word> targets, std::vector<Word> weights, unsigned bits) {
  const hg::detail::packed_rows<Word> packed(targets, weights, bits);
  ASSERT_EQ(packed.size(), targets.size());
  std::vector<Word> found(targets.size()), weighed(targets.size());
  packed.unpack(0, found, weighed);
  EXPECT_EQ(found, targets);
  EXPECT_EQ(weighed, weights);
}

TEST(packed_rows, give_back_what_they_were_made_of) {
  constexpr auto most = std::numeric_limits<std::uint32_t>::max();
  constexpr auto most_wide = std::numeric_limits<std::uint64_t>::max();
  expect_packed<std::uint32_t>({}, {}, 1);
  expect_packed<std::uint32_t>({0}, {1}, 1);
  expect_packed<std::uint32_t>({7, 0, 5}, {0, most, 1}, 3);
  expect_packed<std::uint32_t>({most, 0, most}, {most, most, most}, 32);
  expect_packed<std::uint64_t>({most_wide, 0, 1}, {most_wide, 0, 1}, 64);
  expect_packed<std::uint64_t>({9, 9}, {most_wide, most_wide - 1}, 4);
  hg::random_stream draw(5);
  for (unsigned bits = 1; bits <= 32; ++bits) {
    for (const std::uint64_t heaviest : {1u, 2u, 1000u, 1u << 30}) {
      std::vector<std::uint32_t> targets(500), weights(500);
      for (std::size_t e = 0; e < targets.size(); ++e) {
        targets[e] = static_cast<std::uint32_t>(draw.below(std::uint64_t{1} << bits));
        weights[e] = static_cast<std::uint32_t>(1 + draw.below(1 + draw.below(heaviest)));
      }
      expect_packed(targets, weights, bits);
    }
  }
}

TEST(packed_rows, take_few_bits_where_weights_are_small) {
  const std::size_t entries = 100000;
  const std::vector<std::uint32_t> targets(entries, 1000), weights(entries, 3);
  const std::size_t bytes = hg::testing::peak_of([&] {
    EXPECT_EQ(hg::detail::packed_rows<std::uint32_t>(targets, weights, 10).size(), entries);
  });
  EXPECT_LE(bytes, entries * (10 + 2) / 8 + 64);
}

TEST(packed_graph, is_unpacked_as_it_was_and_gives_its_memory_back) {
  const hg::testing::few_threads threads;
  hg::detail::weighted_graph<std::uint32_t> grid;
  undirected both;
  ASSERT_EQ(hg::symmetrize_into(hg::generators::grid{.width = 200, .height = 200}, hg::pairs_once{},
                                both),
            hg::status::ok);
  grid.offsets = both.offsets;
  grid.targets = both.neighbors;
  std::vector<std::uint32_t> label(grid.num_nodes()), coarse_of;
  for (std::uint32_t v = 0; v < label.size(); ++v) label[v] = v / 2 * 2;
  auto packed = hg::detail::contract_packed(grid, std::span<const std::uint32_t>(label),
                                            hg::executor_ref(threads), coarse_of);
  EXPECT_EQ(packed.num_nodes(), 20000u);
  EXPECT_TRUE(packed.is_compressed());
  const auto plain = hg::detail::contract_clusters(grid, std::span<const std::uint32_t>(label),
                                                   hg::executor_ref(), coarse_of);
  ASSERT_GT(plain.num_entries(), 0u);
  const std::size_t before = hg::testing::live_bytes;
  packed.unpack(threads, false);
  EXPECT_EQ(packed.targets, plain.targets);
  EXPECT_EQ(packed.weights, plain.weights);
  EXPECT_EQ(packed.offsets, plain.offsets);
  packed.drop_entries();
  EXPECT_EQ(hg::testing::live_bytes, before);
  packed.unpack(threads, true);
  EXPECT_EQ(packed.targets, plain.targets);
  EXPECT_LT(hg::testing::live_bytes, before + 8 * plain.num_entries());
}

}  // namespace
