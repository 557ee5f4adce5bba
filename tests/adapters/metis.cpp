// SPDX-License-Identifier: BSL-1.0
#include <halograph/adapters/metis.hpp>
#include <halograph/core/random.hpp>
#include <halograph/graph/coo.hpp>
#include <halograph/partition/assign.hpp>
#include <halograph/partition/quality.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <thread>
#include <vector>

namespace hg = halograph;

namespace {

using rows = std::vector<std::vector<std::uint32_t>>;
using columns = std::vector<std::int64_t>;

static_assert(hg::partitioner<hg::metis, rows>);
static_assert(hg::partitioner<hg::basic_metis<std::uint8_t>, hg::coo_view<std::int8_t>>);
static_assert(!hg::partitioner<hg::basic_metis<>, int>, "an int is no graph");
static_assert(hg::takes_constraints<hg::metis> && hg::takes_edge_weights<hg::metis>);
static_assert(hg::takes_seed<hg::metis> && hg::names_parts<hg::metis> &&
              hg::reads_edges<hg::metis>);
static_assert(hg::explains_status<hg::metis>);

rows grid(std::uint32_t width, std::uint32_t height) {
  rows g(width * height);
  for (std::uint32_t y = 0; y < height; ++y) {
    for (std::uint32_t x = 0; x < width; ++x) {
      if (x + 1 < width) g[y * width + x].push_back(y * width + x + 1);
      if (y + 1 < height) g[y * width + x].push_back((y + 1) * width + x);
    }
  }
  return g;
}

rows random_graph(std::uint64_t seed, std::size_t nodes, std::size_t edges) {
  rows g(nodes);
  hg::random_stream stream(seed);
  for (std::size_t e = 0; e < edges; ++e) {
    g[stream.below(nodes)].push_back(static_cast<std::uint32_t>(stream.below(nodes)));
  }
  return g;
}

template <class Part>
std::vector<std::size_t> sizes(const std::vector<Part>& owner, std::size_t parts) {
  std::vector<std::size_t> count(parts);
  for (const auto p : owner) ++count.at(p);
  return count;
}

bool none_empty(const std::vector<hg::part_id>& owner, std::size_t parts) {
  for (const auto n : sizes(owner, parts)) {
    if (n == 0) return false;
  }
  return true;
}

template <class G, class P>
std::string sentence_of(const G& g, const P& policy, hg::error_kind expected) {
  try {
    hg::assign(g, policy);
  } catch (const hg::error& e) {
    EXPECT_EQ(e.code(), expected) << e.what();
    return e.what();
  }
  ADD_FAILURE() << "nothing was raised";
  return {};
}

TEST(metis, cuts_a_grid_well_and_evenly) {
  const auto g = grid(20, 20);
  const auto owner = hg::assign(g, hg::metis{.parts = 4, .objective = hg::objective::cut});
  const auto quality = hg::measure_quality(g, std::span<const hg::part_id>(owner), 4);
  EXPECT_LE(quality.edge_cut, 60u) << "four squares cut 40";
  for (const auto n : sizes(owner, 4)) EXPECT_LE(n, 103u);
}

TEST(metis, leaves_no_part_of_any_small_grid_empty_and_the_terminal_clean) {
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  std::size_t empty = 0, calls = 0;
  for (std::uint32_t width = 1; width <= 12; ++width) {
    for (std::uint32_t height = width; height <= 12; height += 1 + width / 3) {
      const auto g = grid(width, height);
      for (std::uint32_t k = 1; k <= width * height; k += 1 + k / 6) {
        for (const auto method : {hg::metis_method::k_way, hg::metis_method::recursive}) {
          const auto owner = hg::assign(g, hg::metis{.parts = k, .method = method});
          empty += !none_empty(owner, k);
          ++calls;
        }
      }
    }
  }
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(empty, 0u);
  EXPECT_GT(calls, 1000u);
}

TEST(metis, prints_nothing_and_fills_every_part_under_wild_loads) {
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  std::size_t empty = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    hg::random_stream stream(seed);
    const std::size_t nodes = 2 + stream.below(200);
    const auto g = random_graph(seed, nodes, stream.below(3 * nodes));
    std::vector<columns> loads(1 + stream.below(4), columns(nodes));
    std::vector<hg::constraint> constraints;
    for (auto& load : loads) {
      for (auto& w : load)
        w = static_cast<std::int64_t>(stream.below(4) == 0 ? stream.below(100000)
                                                           : stream.below(3));
      if (stream.below(3) == 0) load[0] = 10000000;
      constraints.push_back({"c" + std::to_string(constraints.size()), load});
    }
    const std::uint64_t parts = 2 + stream.below(nodes - 1);
    const auto owner = hg::assign(g, hg::metis{.parts = parts, .constraints = constraints});
    empty += !none_empty(owner, parts);
  }
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(empty, 0u);
}

TEST(metis, one_part_no_nodes_and_more_parts_than_nodes_are_answered) {
  EXPECT_EQ(hg::assign(grid(3, 1), hg::metis{.parts = 1}), (std::vector<hg::part_id>{0, 0, 0}));
  EXPECT_TRUE(hg::assign(rows{}, hg::metis{.parts = 4}).empty());
  EXPECT_EQ(hg::assign(grid(3, 1), hg::metis{.parts = 5}), (std::vector<hg::part_id>{0, 1, 2}));
  EXPECT_TRUE(none_empty(hg::assign(rows(10), hg::metis{.parts = 4}), 4)) << "no edges at all";
}

TEST(metis, names_256_parts_in_8_bits_and_refuses_257) {
  const auto g = grid(40, 40);
  const auto owner = hg::assign(g, hg::basic_metis<std::uint8_t>{.parts = 256});
  for (const auto n : sizes(owner, 256)) EXPECT_GT(n, 0u);
  EXPECT_EQ(sentence_of(g, hg::basic_metis<std::uint8_t>{.parts = 257}, hg::error_kind::overflow),
            "the number of parts (257) does not fit its type; it must be at most 256");
}

TEST(metis, the_same_call_gives_the_same_bytes_from_any_thread_and_after_rand_was_used) {
  const auto g = random_graph(5, 2000, 8000);
  const hg::metis policy{.parts = 7, .seed = 12};
  const auto expected = hg::assign(g, policy);
  static_cast<void>(std::rand());
  EXPECT_EQ(hg::assign(g, policy), expected);
  std::array<std::vector<hg::part_id>, 2> found;
  {
    std::thread first([&] { found[0] = hg::assign(g, policy); });
    std::thread second([&] { found[1] = hg::assign(g, policy); });
    first.join();
    second.join();
  }
  EXPECT_EQ(found[0], expected);
  EXPECT_EQ(found[1], expected);
  EXPECT_NE(hg::assign(g, hg::metis{.parts = 7, .seed = 13}), expected);
  EXPECT_NE(hg::assign(g, hg::metis{.parts = 7, .seed = ~std::uint64_t{0}}), expected)
      << "wide seeds are folded";
}

TEST(metis, every_option_changes_what_it_says) {
  const auto g = random_graph(8, 3000, 9000);
  const auto base = hg::assign(g, hg::metis{.parts = 16});
  EXPECT_NE(hg::assign(g, hg::metis{.parts = 16, .objective = hg::objective::volume}), base);
  EXPECT_NE(hg::assign(g, hg::metis{.parts = 16, .method = hg::metis_method::recursive}), base);
  EXPECT_NE(hg::assign(g, hg::metis{.parts = 16, .iterations = 1}), base);
  EXPECT_NE(hg::assign(g, hg::metis{.parts = 16, .cuts = 3}), base);
  EXPECT_NE(hg::assign(g, hg::metis{.parts = 16, .tolerance = 0.3}), base);
  const auto mesh = grid(
      60, 60);  // in a random graph every part neighbors every other, whatever is asked
  EXPECT_NE(hg::assign(mesh, hg::metis{.parts = 24, .minimize_connectivity = true}),
            hg::assign(mesh, hg::metis{.parts = 24}));
  columns node_sizes(3000, 1);
  for (std::size_t v = 0; v < 1000; ++v) node_sizes[v] = 50;
  EXPECT_NE(
      hg::assign(
          g, hg::metis{.parts = 16, .objective = hg::objective::volume, .node_sizes = node_sizes}),
      hg::assign(g, hg::metis{.parts = 16, .objective = hg::objective::volume}));
  EXPECT_EQ(hg::assign(g, hg::metis::dgl(16)),
            hg::assign(g, hg::metis{.parts = 16, .iterations = 1}));
  EXPECT_EQ(
      hg::assign(g, hg::metis::power_law(16)),
      hg::assign(g, hg::metis{.parts = 16, .method = hg::metis_method::recursive, .cuts = 4}));
  EXPECT_NE(hg::metis::missing_for_dgl().find("NIPARTS"), std::string_view::npos);
}

TEST(metis, edge_weights_and_multiplicity_are_summed_over_a_pair) {
  // A ring of 40 whose pairs weigh 1, but for two opposite ones that weigh nothing to speak of.
  std::vector<std::uint32_t> source, target;
  columns weights;
  for (std::uint32_t v = 0; v < 40; ++v) {
    const bool thin = v == 4 || v == 24;
    for (int copies = thin ? 1 : 60; copies > 0; --copies) {
      source.push_back(copies % 2 == 0 ? v : (v + 1) % 40);
      target.push_back(copies % 2 == 0 ? (v + 1) % 40 : v);
      weights.push_back(thin ? 1 : 5);
    }
  }
  const hg::coo_view<std::uint32_t> g(40, source, target);
  const auto cuts_thin = [&](const hg::metis& policy) {
    const auto owner = hg::assign(g, policy);
    return owner[4] != owner[5] && owner[24] != owner[25];
  };
  EXPECT_TRUE(cuts_thin({.parts = 2, .count_multiplicity = true}));
  EXPECT_TRUE(cuts_thin({.parts = 2, .edge_weights = weights}));
}

TEST(metis, balances_every_constraint_and_the_targets) {
  const auto g = grid(40, 40);
  columns left(1600, 0), even(1600, 1);
  for (std::size_t v = 0; v < 1600; ++v) left[v] = v % 40 < 8;
  const std::array<hg::constraint, 2> constraints{{{"nodes", even, 0.05}, {"left", left, 0.05}}};
  const auto owner = hg::assign(g, hg::metis{.parts = 4, .constraints = constraints});
  for (const auto& line :
       hg::measure_balance(std::span<const hg::part_id>(owner), 4, constraints)) {
    EXPECT_TRUE(line.met) << line.name << " " << line.imbalance;
  }
  const std::array<double, 2> targets{0.25, 0.75};
  const auto count = sizes(hg::assign(g, hg::metis{.parts = 2, .target_weights = targets}), 2);
  EXPECT_NEAR(static_cast<double>(count[0]), 400.0, 50.0);
}

TEST(metis, coarsens_and_starts_as_asked) {
  const auto g = random_graph(3, 2000, 6000);
  hg::metis policy{.parts = 4, .method = hg::metis_method::recursive, .iterations = 1};
  const auto plain = hg::assign(g, policy);
  policy.random_matching = true;
  const auto random_pairs = hg::assign(g, policy);
  EXPECT_NE(random_pairs, plain);
  policy.random_start = true;
  EXPECT_NE(hg::assign(g, policy), random_pairs);
  policy.method = hg::metis_method::k_way;
  EXPECT_EQ(
      sentence_of(g, policy, hg::error_kind::invalid_argument),
      "a random start needs method recursive; METIS's k-way method bisects for its first parts");
}

TEST(metis, constraints_that_load_nothing_are_left_out) {
  const auto g = grid(20, 20);
  const columns zero(400, 0), one(400, 1);
  const std::array<hg::constraint, 2> with{{{"nodes", one}, {"absent", zero}}};
  const std::array<hg::constraint, 1> without{{{"nodes", one}}};
  EXPECT_EQ(hg::assign(g, hg::metis{.parts = 4, .constraints = with}),
            hg::assign(g, hg::metis{.parts = 4, .constraints = without}));
}

TEST(metis, keeps_parts_contiguous_or_says_why_not) {
  const auto g = grid(30, 30);
  const auto owner = hg::assign(g, hg::metis{.parts = 6, .contiguous = true});
  // Flood each part from its first node: all of the grid must be reached from 6 starts.
  std::vector<bool> seen(900, false);
  std::size_t pieces = 0;
  for (std::uint32_t start = 0; start < 900; ++start) {
    if (seen[start]) continue;
    ++pieces;
    std::vector<std::uint32_t> stack{start};
    seen[start] = true;
    while (!stack.empty()) {
      const auto v = stack.back();
      stack.pop_back();
      const auto visit = [&](bool there, std::uint32_t u) {
        if (there && !seen[u] && owner[u] == owner[v]) {
          seen[u] = true;
          stack.push_back(u);
        }
      };
      visit(v % 30 != 0, v - 1);
      visit(v % 30 != 29, v + 1);
      visit(v >= 30, v - 30);
      visit(v < 870, v + 30);
    }
  }
  EXPECT_EQ(pieces, 6u);
  rows apart = grid(4, 4);
  apart.resize(20);
  EXPECT_EQ(
      sentence_of(apart, hg::metis{.parts = 2, .contiguous = true}, hg::error_kind::infeasible),
      "contiguous parts need a connected graph; this one has 5 components");
}

TEST(metis, refuses_what_metis_would_ignore) {
  const auto g = grid(4, 4);
  const columns sixteen(16, 1), edges(24, 1);
  using policy = hg::metis;
  constexpr auto wrong = hg::error_kind::invalid_argument;
  constexpr auto recursive = hg::metis_method::recursive;
  constexpr auto volume = hg::objective::volume;
  EXPECT_NE(sentence_of(g, policy{.parts = 2, .objective = volume, .method = recursive}, wrong)
                .find("k-way"),
            std::string::npos);
  EXPECT_NE(sentence_of(g, policy{.parts = 2, .method = recursive, .contiguous = true}, wrong)
                .find("contiguous"),
            std::string::npos);
  EXPECT_NE(
      sentence_of(g, policy{.parts = 2, .method = recursive, .minimize_connectivity = true}, wrong)
          .find("connectivity"),
      std::string::npos);
  EXPECT_NE(
      sentence_of(g, policy{.parts = 2, .node_sizes = sixteen}, wrong).find("objective volume"),
      std::string::npos);
  EXPECT_NE(sentence_of(g, policy{.parts = 2, .objective = volume, .edge_weights = edges}, wrong)
                .find("takes no edge weights"),
            std::string::npos);
  EXPECT_NE(
      sentence_of(g, policy{.parts = 2, .objective = volume, .count_multiplicity = true}, wrong)
          .find("multiplicity"),
      std::string::npos);
  EXPECT_NE(
      sentence_of(g, policy{.parts = 2, .count_multiplicity = true, .edge_weights = edges}, wrong)
          .find("exclude"),
      std::string::npos);
}

TEST(metis, refuses_wrong_values_with_a_sentence) {
  const auto g = grid(4, 4);
  const columns short_by_one(15, 1), edges(23, 1);
  columns negative(16, 1), zero_edge(24, 1);
  negative[3] = -1;
  zero_edge[7] = 0;
  constexpr auto wrong = hg::error_kind::invalid_argument;
  const auto one = [](const columns& load, double tolerance) {
    return std::array<hg::constraint, 1>{{{"work", load, tolerance}}};
  };
  const auto few = one(short_by_one, 0.03), below = one(negative, 0.03), strict = one(negative, 0);
  EXPECT_EQ(sentence_of(g, hg::metis{.parts = 0}, wrong),
            "the number of parts is 0; it must be at least 1");
  EXPECT_EQ(sentence_of(g, hg::metis{.parts = 2, .constraints = few}, hg::error_kind::mismatch),
            "constraint \"work\" must give one load for each node");
  EXPECT_EQ(sentence_of(g, hg::metis{.parts = 2, .constraints = below}, wrong),
            "constraint \"work\" gives a negative load; loads must be at least 0");
  EXPECT_EQ(sentence_of(g, hg::metis{.parts = 2, .constraints = strict}, wrong),
            "the tolerance of constraint \"work\" must be a number above 0, such as 0.03");
  EXPECT_EQ(sentence_of(g, hg::metis{.parts = 2, .tolerance = -1}, wrong),
            "the tolerance of the number of nodes must be a number above 0, such as 0.03");
  EXPECT_EQ(sentence_of(g, hg::metis{.parts = 2, .edge_weights = edges}, hg::error_kind::mismatch),
            "there are 23 edge weights; every edge needs one");
  EXPECT_EQ(sentence_of(g, hg::metis{.parts = 2, .edge_weights = zero_edge}, wrong),
            "edge 7 weighs less than 1; METIS needs weights of at least 1");
  EXPECT_EQ(
      sentence_of(g,
                  hg::metis{.parts = 2, .objective = hg::objective::volume, .node_sizes = negative},
                  wrong),
      "node 3 has a negative communication size; sizes must be at least 0");
  const std::array<double, 3> three{0.2, 0.3, 0.5};
  const std::array<double, 2> unequal{0.2, 0.3}, with_zero{0.0, 1.0};
  sentence_of(g, hg::metis{.parts = 2, .target_weights = three}, hg::error_kind::mismatch);
  sentence_of(g, hg::metis{.parts = 2, .target_weights = unequal}, wrong);
  sentence_of(g, hg::metis{.parts = 2, .target_weights = with_zero}, wrong);
  sentence_of(g, hg::metis{.parts = 2, .iterations = 0}, wrong);
  sentence_of(g, hg::metis{.parts = 2, .cuts = 0}, wrong);
  const rows broken{{1}, {2}};
  EXPECT_EQ(sentence_of(broken, hg::metis{.parts = 2}, hg::error_kind::out_of_range),
            "edge 1 has an endpoint that is not a node of the graph");
}

TEST(metis, rejects_weights_whose_sum_overflows_its_indices_and_names_the_remedy) {
  const auto g = grid(4, 4);
  constexpr std::int64_t most = std::numeric_limits<idx_t>::max();
  columns load(16, most / 16), over = load;
  over[0] += most % 16 + 1;
  const std::array<hg::constraint, 1> fits{{{"work", load}}}, breaks{{{"work", over}}};
  EXPECT_TRUE(none_empty(hg::assign(g, hg::metis{.parts = 2, .constraints = fits}), 2));
  const auto sentence = sentence_of(g, hg::metis{.parts = 2, .constraints = breaks},
                                    hg::error_kind::overflow);
  EXPECT_NE(sentence.find("constraint \"work\" sum to more than " + std::to_string(most)),
            std::string::npos)
      << sentence;
  EXPECT_EQ(sentence.find("IDXTYPEWIDTH 64") != std::string::npos, sizeof(idx_t) == 4);
  // 24 pairs, each counted twice.
  const columns heavy_edges(24, most / 48 + 1);
  sentence_of(g, hg::metis{.parts = 2, .edge_weights = heavy_edges}, hg::error_kind::overflow);
  const columns heavy_sizes(16, most / 60);
  sentence_of(g,
              hg::metis{.parts = 2, .objective = hg::objective::volume, .node_sizes = heavy_sizes},
              hg::error_kind::overflow);
}

// Peaks of anonymous memory of `halograph partition`, in MiB, and what was in memory besides METIS
// and the view it is given: 8 bytes for each edge, 4 for each node, the process. Of rmat graphs,
// and of one with 100 node types and one edge.
TEST(metis_bytes, is_no_less_than_was_measured) {
  struct run {
    std::uint64_t nodes, edges, constraints, parts, measured;
  };
  for (const run& one : {run{1u << 18, 1u << 20, 1, 16, 156}, run{1u << 18, 1u << 22, 1, 16, 501},
                         run{1u << 20, 1u << 22, 1, 2, 675}, run{1u << 20, 1u << 22, 1, 16, 706},
                         run{1u << 20, 1u << 23, 1, 2, 1173}, run{1u << 20, 1u << 23, 1, 16, 1299},
                         run{1u << 21, 1u << 23, 1, 2, 1417}, run{1u << 21, 1u << 24, 1, 2, 2445},
                         run{1'000'000, 1, 100, 4, 3127 - 763}}) {
    const std::uint64_t besides = 8 * one.edges + 4 * one.nodes + (8u << 20);
    EXPECT_GE(hg::metis_bytes(one.nodes, 2 * one.edges, one.constraints, one.parts) + besides,
              one.measured << 20)
        << one.nodes << " nodes, " << one.edges << " edges, K = " << one.parts;
  }
}

TEST(metis_bytes, grows_with_every_count_and_saturates) {
  const auto base = hg::metis_bytes(1000, 8000, 1, 4);
  EXPECT_GE(base, 14u * 8000 * sizeof(idx_t)) << "14 words for each entry of the view";
  EXPECT_GT(hg::metis_bytes(2000, 8000, 1, 4), base);
  EXPECT_GT(hg::metis_bytes(1000, 9000, 1, 4), base);
  EXPECT_GT(hg::metis_bytes(1000, 8000, 2, 4), base);
  EXPECT_GT(hg::metis_bytes(1000, 8000, 1, 400), base);
  EXPECT_EQ(hg::metis_bytes(1000, 8000, 0, 4), base);
  constexpr auto most = ~std::uint64_t{0};
  static_assert(hg::metis_bytes(most, most, most, most) == most);
}

}  // namespace
