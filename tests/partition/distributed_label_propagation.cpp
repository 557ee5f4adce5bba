// SPDX-License-Identifier: BSL-1.0
#include "support/failing_ranks.hpp"
#include "support/live_bytes.hpp"

#include <halograph/core/block_range.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/graph/coo.hpp>
#include <halograph/graph/generators.hpp>
#include <halograph/graph/symmetrize.hpp>
#include <halograph/partition/assign.hpp>
#include <halograph/partition/distributed/label_propagation.hpp>
#include <halograph/partition/multilevel.hpp>
#include <halograph/testing/check.hpp>
#include <halograph/testing/distributed_pieces.hpp>
#include <halograph/testing/thread_ranks.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace hg = halograph;

namespace {

using byte = std::uint8_t;
using policy_of_bytes = hg::basic_distributed_label_propagation<byte>;
static_assert(hg::distributed_partitioner<policy_of_bytes, hg::thread_rank> &&
              hg::names_parts<policy_of_bytes> && hg::takes_seed<policy_of_bytes>);

struct outcome {
  std::vector<byte> owner{};
  hg::distributed_quality quality{};
};

// Over `size` ranks; `weigh` sets the weights of a piece whose first node is given.
template <class Graph, class Weigh>
outcome run(const Graph& g, std::size_t size, const policy_of_bytes& policy, const Weigh& weigh) {
  const std::size_t nodes = hg::num_nodes(g);
  std::vector<std::uint64_t> ranges(size + 1, nodes);
  for (std::size_t r = 0; r < size; ++r) ranges[r] = hg::block_range(nodes, r, size).begin;
  if (size == 4) ranges[1] = ranges[2];  // a rank without a node
  outcome out;
  out.owner.resize(nodes);
  hg::run_ranks(size, [&](const hg::thread_rank& ranks) {
    auto mine = hg::piece_of(g, ranges, ranks.rank());
    weigh(mine, ranges[ranks.rank()]);
    const auto owner = std::span(out.owner).subspan(static_cast<std::size_t>(ranges[ranks.rank()]),
                                                    mine.view().num_nodes());
    const hg::status answer = hg::assign_into(mine.view(), policy, owner, ranks);
    EXPECT_EQ(answer, hg::status::ok) << policy.explain(answer);
    hg::distributed_quality quality;
    EXPECT_EQ(hg::measure_distributed(ranks, mine.view(), std::span<const byte>(owner),
                                      policy.parts, quality),
              hg::status::ok);
    if (ranks.rank() == 0) out.quality = quality;
  });
  return out;
}
constexpr auto unweighed = [](auto&, std::uint64_t) {};

// Remembers the most bytes that a rank receives at once.
struct counting_ranks {
  const hg::thread_rank* to;
  std::size_t* most;
  std::size_t rank() const { return to->rank(); }
  std::size_t size() const { return to->size(); }
  hg::status barrier() const { return to->barrier(); }
  hg::status broadcast(std::span<std::byte> data, std::size_t root) const {
    return to->broadcast(data, root);
  }
  hg::status all_gather(std::span<const std::byte> mine, std::span<std::byte> all) const {
    return to->all_gather(mine, all);
  }
  hg::status all_to_all(std::span<const std::byte> out, std::span<const std::uint64_t> out_counts,
                        std::span<std::byte> in, std::span<const std::uint64_t> in_counts) const {
    *most = std::max(*most, in.size());
    return to->all_to_all(out, out_counts, in, in_counts);
  }
  hg::status sum(std::span<std::uint64_t> values) const { return to->sum(values); }
};

template <class Generator>
auto edges_of(const Generator& made) {
  struct held {
    std::uint64_t nodes;
    std::vector<std::uint64_t> source, target;
    hg::coo_view<> view() const { return {static_cast<std::size_t>(nodes), source, target}; }
  };
  held out{made.num_nodes(), std::vector<std::uint64_t>(made.num_edges()),
           std::vector<std::uint64_t>(made.num_edges())};
  EXPECT_EQ(hg::generators::fill(made, 0, std::span(out.source), std::span(out.target)),
            hg::status::ok);
  return out;
}

TEST(distributed_label_propagation, keeps_the_laws_at_1_to_4_ranks) {
  EXPECT_EQ(hg::laws::check_distributed_partitioner(policy_of_bytes{}).why, "");
}

// Coarsest graphs of a few nodes, so that small graphs go through every step.
TEST(distributed_label_propagation, gives_the_same_for_any_number_of_ranks) {
  const auto mesh = edges_of(hg::generators::grid{.width = 30, .height = 20});
  const auto skewed = edges_of(hg::generators::rmat{.scale = 9, .edge_factor = 6, .seed = 3});
  for (const auto* g : {&mesh.source, &skewed.source}) {
    const auto view = g == &mesh.source ? mesh.view() : skewed.view();
    const policy_of_bytes policy{.parts = 3, .tolerance = 0.05, .seed = 7, .coarsest_entries = 400};
    const auto weigh = [](auto& piece, std::uint64_t first) {
      piece.constraints = 2;
      for (std::size_t v = 0; v < piece.view().num_nodes(); ++v) {
        piece.node_weights.push_back(1 + static_cast<std::int64_t>((first + v) % 3));
        piece.node_weights.push_back(static_cast<std::int64_t>((first + v) % 2));
      }
    };
    const auto one = run(view, 1, policy, weigh);
    for (const std::size_t size : {2u, 3u, 4u})
      EXPECT_EQ(run(view, size, policy, weigh).owner, one.owner) << size;
    const auto other = run(
        view, 2, policy_of_bytes{.parts = 3, .tolerance = 0.05, .seed = 8, .coarsest_entries = 400},
        weigh);
    EXPECT_NE(other.owner, one.owner);
  }
}

// A few heavy nodes: wishes that do not fit hold back those behind them, whichever rank they come
// from.
TEST(distributed_label_propagation,
     gives_the_same_for_any_number_of_ranks_where_few_nodes_are_heavy) {
  const auto skewed = edges_of(hg::generators::rmat{.scale = 12, .edge_factor = 4, .seed = 5});
  const policy_of_bytes policy{.parts = 2, .tolerance = 0.1, .seed = 3};
  const auto weigh = [](auto& piece, std::uint64_t first) {
    for (std::size_t v = 0; v < piece.view().num_nodes(); ++v)
      piece.node_weights.push_back((first + v) % 50 == 0 ? 50 : 1);
  };
  const auto one = run(skewed.view(), 1, policy, weigh);
  for (const std::size_t size : {2u, 3u, 4u})
    EXPECT_EQ(run(skewed.view(), size, policy, weigh).owner, one.owner) << size;
}

TEST(distributed_label_propagation,
     gives_what_multilevel_does_where_the_first_rank_holds_the_graph) {
  const auto mesh = edges_of(hg::generators::grid{.width = 60, .height = 50});
  const auto skewed = edges_of(hg::generators::rmat{.scale = 11, .edge_factor = 8, .seed = 3});
  for (const auto* g : {&mesh.source, &skewed.source}) {
    const auto view = g == &mesh.source ? mesh.view() : skewed.view();
    const auto whole = hg::assign(view, hg::basic_multilevel<byte>{.parts = 5, .seed = 9});
    for (const std::size_t size : {1u, 3u})
      EXPECT_EQ(run(view, size, {.parts = 5, .seed = 9}, unweighed).owner, whole) << size;
  }
}

// What ranks refine is close to what one process does with the whole graph.
TEST(distributed_label_propagation, cuts_little_more_where_ranks_coarsen_and_refine) {
  const auto skewed = edges_of(hg::generators::rmat{.scale = 12, .edge_factor = 8, .seed = 3});
  const auto mesh = edges_of(hg::generators::grid{.width = 150, .height = 100});
  for (const auto* g : {&mesh.source, &skewed.source}) {
    const auto view = g == &mesh.source ? mesh.view() : skewed.view();
    const auto whole = run(view, 2, {.parts = 4, .seed = 1}, unweighed),
               parted = run(view, 2, {.parts = 4, .seed = 1, .coarsest_entries = 10000}, unweighed);
    EXPECT_NE(parted.owner, whole.owner);
    EXPECT_LE(parted.quality.edge_cut, whole.quality.edge_cut * 5 / 4);
    for (const auto nodes : parted.quality.part_nodes)
      EXPECT_LE(nodes, hg::num_nodes(view) / 4 * 103 / 100 + 1);
  }
}

TEST(distributed_label_propagation, cuts_a_mesh_along_few_edges_and_in_balance) {
  const auto mesh = edges_of(hg::generators::grid{.width = 40, .height = 40});
  const auto seen = run(mesh.view(), 3, {.parts = 4, .coarsest_entries = 1000}, unweighed);
  EXPECT_LE(seen.quality.edge_cut, 160u);  // 80 at best; dealt by chance about 2340
  for (const auto nodes : seen.quality.part_nodes) EXPECT_LE(nodes, 412u);
  for (const auto nodes : seen.quality.part_nodes) EXPECT_GE(nodes, 1u);
}

TEST(distributed_label_propagation, keeps_the_core_of_a_skewed_graph_together) {
  const auto skewed = edges_of(hg::generators::rmat{.scale = 10, .edge_factor = 8, .seed = 1});
  const auto seen = run(skewed.view(), 2, {.parts = 4, .coarsest_entries = 2000}, unweighed);
  std::uint64_t pairs = 0;
  {
    const auto whole = hg::symmetrize<std::uint64_t>(skewed.view());
    pairs = whole.num_pairs();
  }
  EXPECT_LE(seen.quality.edge_cut, pairs / 2);  // dealt by chance: three quarters
}

TEST(distributed_label_propagation, balances_every_constraint_on_its_own) {
  const auto mesh = edges_of(hg::generators::grid{.width = 36, .height = 25});
  // The first third of the nodes are of one type, the others of another.
  const auto types = [](auto& piece, std::uint64_t first) {
    piece.constraints = 2;
    for (std::size_t v = 0; v < piece.view().num_nodes(); ++v) {
      const bool early = first + v < 300;
      piece.node_weights.push_back(early ? 1 : 0);
      piece.node_weights.push_back(early ? 0 : 1);
    }
  };
  const std::vector<double> tolerances{0.02, 0.1};
  const auto seen = run(mesh.view(), 3,
                        {.parts = 4, .tolerances = tolerances, .coarsest_entries = 1000}, types);
  for (std::size_t p = 0; p < 4; ++p) {
    EXPECT_LE(seen.quality.loads[p], 76u);       // 1.02 x 75
    EXPECT_LE(seen.quality.loads[4 + p], 165u);  // 1.1 x 150
  }
}

TEST(distributed_label_propagation, gives_the_same_whichever_column_a_weight_is_in) {
  // Leaves are left over when clusters are made: as many are joined as have room.
  const auto star = edges_of(hg::generators::star{.nodes = 500});
  const auto weigh = [](std::vector<std::int64_t> columns) {
    return [columns](auto& piece, std::uint64_t first) {
      piece.constraints = columns.size();
      for (std::size_t v = 0; v < piece.view().num_nodes(); ++v) {
        for (const std::int64_t factor : columns)
          piece.node_weights.push_back(factor * static_cast<std::int64_t>(1 + (first + v) % 3));
      }
    };
  };
  const policy_of_bytes policy{.parts = 4, .coarsest_entries = 300};
  const auto expected = run(star.view(), 3, policy, weigh({1})).owner;
  EXPECT_EQ(run(star.view(), 3, policy, weigh({1, 1})).owner, expected);
  EXPECT_EQ(run(star.view(), 3, policy, weigh({1, 0})).owner, expected);
  EXPECT_EQ(run(star.view(), 3, policy, weigh({0, 1})).owner, expected);
}

TEST(distributed_label_propagation, ends_where_no_part_has_room) {
  // One node weighs more than a part may: it has company only where that costs nothing more.
  const auto mesh = edges_of(hg::generators::grid{.width = 20, .height = 20});
  const auto heavy = [](auto& piece, std::uint64_t first) {
    for (std::size_t v = 0; v < piece.view().num_nodes(); ++v)
      piece.node_weights.push_back(first + v == 210 ? 1000 : 1);
  };
  const auto seen = run(mesh.view(), 3, {.parts = 4, .coarsest_entries = 1000}, heavy);
  std::vector<std::uint64_t> loads = seen.quality.loads;
  std::sort(loads.begin(), loads.end());
  EXPECT_GE(loads[0], 1u);
  EXPECT_GE(loads[3], 1000u);
  EXPECT_LE(loads[3], 1100u);
  EXPECT_EQ(run(mesh.view(), 2, {.parts = 4, .coarsest_entries = 1000}, heavy).owner, seen.owner);
}

TEST(distributed_label_propagation, respects_the_weights_of_edges) {
  // A ring of 8 in which two far edges weigh nothing much: they are cut.
  const auto ring = edges_of(hg::generators::cycle{.nodes = 8});
  const auto heavy = [](auto& piece, std::uint64_t first) {
    const auto view = piece.view();
    for (std::size_t v = 0; v < view.num_nodes(); ++v) {
      for (std::size_t i = view.row_begin(v); i < view.row_end(v); ++i) {
        const auto low = std::min(first + v, piece.neighbors[i]),
                   high = std::max(first + v, piece.neighbors[i]);
        piece.edge_weights.push_back((low == 1 && high == 2) || (low == 5 && high == 6) ? 1 : 100);
      }
    }
  };
  EXPECT_EQ(run(ring.view(), 2, {.parts = 2}, heavy).quality.edge_cut, 2u);
}

// Graphs that have no clusters, and pieces that are hardly there: a sound answer, the same from any
// number of ranks, in balance.
TEST(distributed_label_propagation,
     takes_stars_cliques_and_nodes_without_edges_to_any_number_of_parts) {
  struct held {
    std::string name;
    std::uint64_t nodes;
    std::vector<std::uint64_t> source, target;
    hg::coo_view<> view() const { return {static_cast<std::size_t>(nodes), source, target}; }
  };
  std::vector<held> all{{"star", 240, {}, {}},
                        {"clique", 40, {}, {}},
                        {"no edges", 200, {}, {}},
                        {"two nodes", 2, {0}, {1}},
                        {"nothing", 0, {}, {}}};
  for (std::uint64_t v = 1; v < 240; ++v) {
    all[0].source.push_back(v);
    all[0].target.push_back(0);
  }
  for (std::uint64_t u = 0; u < 40; ++u) {
    for (std::uint64_t v = 0; v < u; ++v) {
      all[1].source.push_back(u);
      all[1].target.push_back(v);
    }
  }
  for (const auto& g : all) {
    for (const std::uint64_t parts : {1u, 2u, 7u, 250u}) {
      // Held whole where it is small; where no rank may, cut by its numbering.
      for (const std::uint64_t entries : {std::uint64_t{1} << 23, std::uint64_t{4}}) {
        const policy_of_bytes policy{.parts = parts, .tolerance = 0.1, .coarsest_entries = entries};
        const auto one = run(g.view(), 1, policy, unweighed);
        for (const auto nodes : one.quality.part_nodes) {
          EXPECT_LE(nodes, std::max((g.nodes * 11 / 10) / parts, (g.nodes + parts - 1) / parts))
              << g.name << ", " << parts << " parts";
          EXPECT_GE(nodes, g.nodes >= parts ? 1u : 0u) << g.name << ", " << parts << " parts";
        }
        EXPECT_EQ(run(g.view(), 4, policy, unweighed).owner, one.owner)
            << g.name << ", " << parts << " parts";
      }
    }
    EXPECT_EQ(run(g.view(), 7, {.parts = 2, .coarsest_entries = 400}, unweighed).owner,
              run(g.view(), 1, {.parts = 2, .coarsest_entries = 400}, unweighed).owner)
        << g.name;
  }
}

// A second cycle starts from the first one's assignment, of which a rank without nodes holds
// nothing.
TEST(distributed_label_propagation, improves_in_cycles_where_a_rank_has_no_nodes) {
  const auto mesh = edges_of(hg::generators::grid{.width = 30, .height = 20});
  const policy_of_bytes policy{
      .parts = 4, .effort = hg::multilevel_effort::strong(), .coarsest_entries = 100};
  ASSERT_GT(policy.effort.cycles, 0u);
  EXPECT_EQ(run(mesh.view(), 4, policy, unweighed).owner,
            run(mesh.view(), 1, policy, unweighed).owner);
}

// The first rank gets the whole graph where it is as small as it was told, and no other does.
TEST(distributed_label_propagation, gathers_graphs_on_the_first_rank_alone) {
  const auto skewed = edges_of(hg::generators::rmat{.scale = 9, .edge_factor = 8, .seed = 1});
  const auto most_received = [&](std::uint64_t entries) {
    std::array<std::size_t, 2> most{};
    hg::run_ranks(2, [&](const hg::thread_rank& ranks) {
      const std::vector<std::uint64_t> ranges{0, 256, 512};
      const auto mine = hg::piece_of(skewed.view(), ranges, ranks.rank());
      std::vector<byte> owner(mine.view().num_nodes());
      const counting_ranks counted{&ranks, &most[ranks.rank()]};
      EXPECT_EQ((policy_of_bytes{.parts = 2, .coarsest_entries = entries}.assign(
                    counted, mine.view(), std::span(owner))),
                hg::status::ok);
    });
    return most;
  };
  const std::size_t entries = 2 * hg::symmetrize<std::uint64_t>(skewed.view()).num_pairs();
  const auto whole = most_received(std::uint64_t{1} << 23), parted = most_received(entries - 1);
  const std::size_t of_second =
      hg::piece_of(skewed.view(), std::vector<std::uint64_t>{0, 256, 512}, 1).neighbors.size();
  // In numbers of 4 bytes, and nothing of what it has itself.
  EXPECT_EQ(whole[0], 4 * of_second);
  EXPECT_EQ(whole[1], 8 * 256u) << "its owners";
  EXPECT_LT(parted[1], 8 * entries);
  EXPECT_LE(hg::distributed_label_propagation_bytes(1u << 26, 1u << 30, 1, 8, 4),
            hg::distributed_label_propagation_bytes(1u << 26, 1u << 30, 1, 8, 1) / 2);
  EXPECT_EQ(hg::distributed_label_propagation_bytes(~std::uint64_t{0}, 1, 1, 8, 1),
            ~std::uint64_t{0})
      << "saturates";
}

TEST(packed_words, keep_every_number_when_they_widen) {
  constexpr std::uint64_t wide = std::uint64_t{1} << 32;
  const std::vector<std::uint64_t> narrow_first{1, wide - 1, 0, wide, 7},
      wide_first{wide + 5, 1, 2};
  for (const auto& numbers : {narrow_first, wide_first}) {
    hg::detail::packed_words words;
    EXPECT_TRUE(words.empty());
    words.reserve(2);
    for (const auto x : numbers) words.push_back(x);
    EXPECT_EQ(words.size(), numbers.size());
    std::vector<std::uint64_t> seen;
    for (const auto x : words) seen.push_back(x);
    EXPECT_EQ(seen, numbers);
  }
  hg::detail::packed_words words;
  for (const auto x : {1u, 2u, 3u}) words.push_back(x);
  words.set(0, wide - 1);
  words.set(1, 3 * wide);
  words.set(2, 9);
  EXPECT_EQ(words[0], wide - 1);
  EXPECT_EQ(words[1], 3 * wide);
  EXPECT_EQ(words[2], 9u);
}

// What assign() allocates at its peak on one rank with 16 parts, in MiB, besides the graph that it
// is given: rmat graphs, a star, a grid, a road network and links of web pages. The third is not
// held whole.
TEST(distributed_label_propagation_bytes, is_no_less_than_was_measured) {
  struct run {
    std::uint64_t nodes, entries;
    double measured;
  };
  for (const run& one : {run{1u << 16, 1'818'044, 26.6}, run{1u << 18, 7'608'092, 96.1},
                         run{1u << 20, 31'398'490, 1433.3}, run{1u << 20, 8'173'590, 121.3},
                         run{1u << 16, 131'070, 4.5}, run{1'000'000, 3'996'000, 39.8},
                         run{1'070'376, 2'687'902, 35.8}, run{325'557, 5'477'938, 34.0}}) {
    const double announced = static_cast<double>(hg::distributed_label_propagation_bytes(
                                 one.nodes, one.entries, 0, 16, 1, std::uint64_t{1} << 23, false)) /
                             (1 << 20);
    EXPECT_GE(announced, one.measured) << one.nodes << " nodes, " << one.entries << " entries";
    EXPECT_LE(announced, 4 * one.measured) << one.nodes << " nodes, " << one.entries << " entries";
  }
}

TEST(distributed_label_propagation_bytes, is_no_less_than_is_allocated) {
  constexpr hg::generators::rmat made{.scale = 12, .edge_factor = 16, .seed = 1};
  const std::uint64_t nodes = std::uint64_t{1} << made.scale;
  // With one load, and with three, on one rank and on the first of two.
  for (const std::size_t loads : {0u, 1u, 3u}) {
    for (const std::size_t size : {1u, 2u}) {
      const auto ranges = size == 1 ? std::vector<std::uint64_t>{0, nodes}
                                    : std::vector<std::uint64_t>{0, nodes / 2, nodes};
      std::vector<hg::distributed_piece<std::uint64_t>> pieces;
      std::size_t entries = 0;
      for (std::size_t r = 0; r < size; ++r) {
        pieces.push_back(hg::piece_of(made, ranges, r));
        entries += pieces.back().neighbors.size();
      }
      std::vector<std::int64_t> weights(static_cast<std::size_t>(nodes) * loads);
      for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = 1 + static_cast<int>(i % 3);
      std::vector<std::vector<hg::part_id>> owner(size);
      for (std::size_t r = 0; r < size; ++r) owner[r].resize(pieces[r].view().num_nodes());
      const std::size_t peak = hg::testing::peak_of([&] {
        hg::run_ranks(size, [&](const hg::thread_rank& ranks) {
          const auto r = static_cast<std::size_t>(ranks.rank());
          auto view = pieces[r].view();
          if (loads != 0) {
            view.constraints = loads;
            view.node_weights = std::span(weights).subspan(
                static_cast<std::size_t>(ranges[r]) * loads, view.num_nodes() * loads);
          }
          const hg::distributed_label_propagation policy{.parts = 16};
          EXPECT_EQ(policy.assign(ranks, view, std::span(owner[r])), hg::status::ok);
        });
      });
      const std::uint64_t announced = hg::distributed_label_propagation_bytes(
          nodes, entries, loads, 16, size, std::uint64_t{1} << 23, false);
      EXPECT_GE(announced, peak) << loads << " loads, " << size << " ranks";
      EXPECT_LE(announced, 4 * peak) << loads << " loads, " << size << " ranks";
    }
  }
}

// Of a graph that the first rank holds whole, that rank is told, and no other; of a larger one
// nobody.
TEST(distributed_label_propagation, tells_the_first_rank_of_its_memory) {
  constexpr hg::generators::rmat made{.scale = 12, .edge_factor = 8, .seed = 1};
  const std::uint64_t nodes = std::uint64_t{1} << made.scale;
  const std::vector<std::uint64_t> ranges{0, nodes / 2, nodes};
  for (const std::uint64_t most : {std::uint64_t{1} << 23, std::uint64_t{20'000}}) {
    std::array<std::uint64_t, 2> told{};
    hg::run_ranks(2, [&](const hg::thread_rank& ranks) {
      const auto r = static_cast<std::size_t>(ranks.rank());
      const auto mine = hg::piece_of(made, ranges, r);
      const hg::memory_callback listener = [&](std::uint64_t bytes, bool) { told[r] = bytes; };
      std::vector<hg::part_id> owner(mine.view().num_nodes());
      const hg::distributed_label_propagation policy{
          .parts = 4, .coarsest_entries = most, .on_bytes = &listener};
      EXPECT_EQ(policy.assign(ranks, mine.view(), std::span(owner)), hg::status::ok);
    });
    EXPECT_EQ(told[0] != 0, most > 20'000);
    const std::uint64_t ends = 2 * made.num_edges(),
                        all = hg::distributed_label_propagation_bytes(nodes, ends, 0, 4, 2, most),
                        first = hg::distributed_label_propagation_first_bytes(nodes, ends, 0, most);
    EXPECT_LE(told[0], all);
    EXPECT_LT(first, all);
    EXPECT_EQ(first != 0, told[0] != 0);
    // Loads take 8 bytes each.
    EXPECT_EQ(hg::distributed_label_propagation_first_bytes(nodes, ends, 1, most),
              first == 0 ? 0 : first + 8 * nodes);
    EXPECT_EQ(told[1], 0u);
  }
}

TEST(distributed_label_propagation, rejects_on_every_rank_the_error_of_one) {
  const std::vector<std::uint64_t> ranges{0, 2, 5};
  const auto answer = [&](const policy_of_bytes& policy, std::size_t more) {
    hg::status seen;
    hg::run_ranks(2, [&](const hg::thread_rank& ranks) {
      const auto mine = hg::piece_of(hg::small_graphs()[4], ranges, ranks.rank());
      std::vector<byte> owner(mine.view().num_nodes() + (ranks.rank() == 1 ? more : 0));
      const hg::status one = policy.assign(ranks, mine.view(), std::span(owner));
      if (ranks.rank() == 0) seen = one;
    });
    return seen;
  };
  const std::vector<double> two{0.1, 0.1}, negative{-0.1};
  EXPECT_EQ(answer({.parts = 0}, 0), hg::status::invalid_argument);
  EXPECT_EQ(answer({.parts = 257}, 0), hg::status::overflow);
  EXPECT_EQ(answer({.parts = 2}, 1), hg::status::mismatch);
  EXPECT_EQ(answer({.parts = 2, .tolerances = two}, 0), hg::status::mismatch);
  EXPECT_EQ(answer({.parts = 2, .tolerance = -1}, 0), hg::status::invalid_argument);
  EXPECT_EQ(answer({.parts = 2, .tolerances = negative}, 0), hg::status::invalid_argument);
  EXPECT_EQ(answer({.parts = 256}, 0), hg::status::ok);
  // Ranks that were asked for different things
  const auto together = [&](const policy_of_bytes& first, const policy_of_bytes& second) {
    std::vector<hg::status> seen(2);
    hg::run_ranks(2, [&](const hg::thread_rank& ranks) {
      const auto mine = hg::piece_of(hg::small_graphs()[4], ranges, ranks.rank());
      std::vector<byte> owner(mine.view().num_nodes());
      seen[ranks.rank()] =
          (ranks.rank() == 0 ? first : second).assign(ranks, mine.view(), std::span(owner));
    });
    EXPECT_EQ(seen[0], seen[1]);
    return seen[0];
  };
  EXPECT_EQ(together({.parts = 2}, {.parts = 2}), hg::status::ok);
  EXPECT_EQ(together({.parts = 2}, {.parts = 3}), hg::status::mismatch);
  EXPECT_EQ(together({.parts = 2}, {.parts = 2, .seed = 1}), hg::status::mismatch);
  EXPECT_EQ(together({.parts = 2}, {.parts = 2, .tolerance = 0.5}), hg::status::mismatch);
  EXPECT_NE(policy_of_bytes{.parts = 0}.explain(hg::status::invalid_argument).find("at least 1"),
            std::string::npos);
  EXPECT_NE(policy_of_bytes{.parts = 257}.explain(hg::status::overflow).find("257"),
            std::string::npos);
  EXPECT_EQ(policy_of_bytes{.parts = 2}.explain(hg::status::ok), "");
}

/// Let each call of two ranks fail in turn, once in each run.
template <class Graph>
void expect_errors_of_calls_that_fail(const Graph& made, const policy_of_bytes& policy) {
  const std::uint64_t nodes = hg::num_nodes(made);
  const std::vector<std::uint64_t> ranges{0, nodes / 2 - 2, nodes};
  std::uint64_t calls = 0;
  for (bool complete = false; !complete; ++calls) {
    std::vector<hg::status> answers(2);
    std::vector<std::uint64_t> left(2, calls);
    const auto assign = [&](const hg::thread_rank& ranks) {
      const std::size_t r = ranks.rank();
      const auto mine = hg::piece_of(made, ranges, r);
      std::vector<byte> owner(mine.view().num_nodes());
      answers[r] = policy.assign(hg::testing::failing_ranks{&ranks, &left[r]}, mine.view(),
                                 std::span(owner));
    };
    hg::run_ranks(2, assign);
    complete = answers[0] == hg::status::ok;
    EXPECT_EQ(answers[0], answers[1]);
    if (!complete) {
      ASSERT_EQ(answers[0].code, hg::error_kind::io) << "call " << calls;
      ASSERT_EQ(answers[0].position, 7u) << "call " << calls;
    } else {
      // No call has failed, or one whose status was lost.
      left.assign(2, std::uint64_t{1} << 40);
      hg::run_ranks(2, assign);
      EXPECT_EQ((std::uint64_t{1} << 40) - left[0], calls);
    }
  }
  EXPECT_GT(calls, 50u);
}

TEST(distributed_label_propagation, ends_with_the_error_of_each_call_that_fails) {
  expect_errors_of_calls_that_fail(hg::generators::rmat{.scale = 6, .edge_factor = 3, .seed = 1},
                                   {.parts = 4, .coarsest_entries = 100});
}

TEST(distributed_label_propagation, ends_with_the_error_of_each_call_on_many_levels) {
  policy_of_bytes policy{.parts = 2, .coarsest_entries = 40};
  policy.effort.cycles = 1;
  expect_errors_of_calls_that_fail(hg::generators::grid{.width = 10, .height = 10}, policy);
}

TEST(distributed_label_propagation, rejects_tolerances_and_parts_beyond_their_range) {
  const hg::generators::grid made{.width = 5, .height = 5};
  const std::vector<std::uint64_t> ranges{0, 25};
  const std::vector<double> good{0.1};
  const auto code = [&](const auto& policy) {
    hg::status answer;
    hg::run_ranks(1, [&](const hg::thread_rank& ranks) {
      const auto mine = hg::piece_of(made, ranges, 0);
      std::vector<typename std::remove_cvref_t<decltype(policy)>::part> owner(25);
      answer = policy.assign(ranks, mine.view(), std::span(owner));
    });
    return answer.code;
  };
  using wide = hg::basic_distributed_label_propagation<std::uint64_t>;
  EXPECT_EQ(code(wide{.parts = 2, .tolerances = good}), hg::error_kind::ok);
  EXPECT_EQ(code(wide{.parts = 2, .tolerance = -1, .tolerances = good}),
            hg::error_kind::invalid_argument);
  EXPECT_EQ(code(wide{.parts = std::uint64_t{1} << 32}), hg::error_kind::overflow);
}

TEST(distributed_label_propagation_bytes, a_remainder_counts_as_a_whole_share) {
  const auto bytes = [](std::uint64_t nodes, std::uint64_t entries) {
    return hg::distributed_label_propagation_bytes(nodes, entries, 1, 2, 2, 100);
  };
  EXPECT_EQ(bytes(1001, 4000), bytes(1002, 4000));
  EXPECT_EQ(bytes(1000, 4001), bytes(1000, 4002));
  EXPECT_LT(bytes(1000, 4000), bytes(1000, 4001));
  EXPECT_LT(bytes(10, 20), bytes(1000, 4000));
}

TEST(distributed_clustering, nodes_without_neighbors_join_as_many_others_as_have_room) {
  constexpr std::uint64_t nodes = 256;
  const std::vector<std::uint64_t> ranges{0, 100, nodes};
  std::map<std::uint64_t, std::uint64_t> sizes;  // by leader
  std::mutex one;
  hg::run_ranks(2, [&](const hg::thread_rank& ranks) {
    hg::detail::multilevel_problem<hg::thread_rank> problem(
        ranks, {.parts = 2, .seed = 1, .coarsest_entries = 10, .tolerances = {0.03}}, {132});
    problem.totals = {nodes, nodes};
    hg::detail::level_graph g;
    g.ranges = ranges;
    const auto mine = static_cast<std::size_t>(ranges[ranks.rank() + 1] - ranges[ranks.rank()]);
    const std::vector<std::uint64_t> zeros(mine + 1);
    g.offsets.assign(zeros.begin(), zeros.end());
    for (std::size_t i = 0; i < 2 * mine; ++i) g.loads.push_back(1);
    ASSERT_EQ(g.remote.make(ranks, ranges, {}), hg::status::ok);
    std::vector<std::uint64_t> label;
    ASSERT_EQ(hg::detail::clustering<hg::thread_rank>(problem, g, 0, {}, false).run(label),
              hg::status::ok);
    const std::lock_guard lock(one);
    for (const std::uint64_t leader : label) ++sizes[leader];
  });
  // A cluster may hold 8 nodes: a sixteenth of a part.
  EXPECT_EQ(sizes.size(), 32u);
  for (const auto& [leader, size] : sizes) EXPECT_EQ(size, 8u) << leader;
}

TEST(measure_distributed, ends_with_the_error_of_each_call_that_fails) {
  const hg::generators::grid made{.width = 5, .height = 5};
  const std::vector<std::uint64_t> ranges{0, 12, 25};
  hg::status answer = hg::status::internal;
  std::uint64_t calls = 0;
  for (; answer != hg::status::ok; ++calls) {
    std::vector<hg::status> answers(2);
    std::vector<std::uint64_t> left(2, calls);
    hg::run_ranks(2, [&](const hg::thread_rank& ranks) {
      const std::size_t r = ranks.rank();
      const auto mine = hg::piece_of(made, ranges, r);
      const std::vector<byte> owner(mine.view().num_nodes());
      hg::distributed_quality out;
      answers[r] = hg::measure_distributed(hg::testing::failing_ranks{&ranks, &left[r]},
                                           mine.view(), std::span<const byte>(owner), 2, out);
      EXPECT_EQ(out.edge_cut, 0u);
    });
    EXPECT_EQ(answers[0], answers[1]);
    answer = answers[0];
    ASSERT_TRUE(answer == hg::status::ok || answer.code == hg::error_kind::io) << calls;
  }
  EXPECT_GT(calls, 3u);
}

}  // namespace
