// SPDX-License-Identifier: BSL-1.0
#include <halograph/core/block_range.hpp>
#include <halograph/graph/coo.hpp>
#include <halograph/graph/generators.hpp>
#include <halograph/partition/distributed.hpp>
#include <halograph/testing/distributed_pieces.hpp>
#include <halograph/testing/small_graphs.hpp>
#include <halograph/testing/thread_ranks.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace hg = halograph;

namespace {

using piece = hg::distributed_piece<>;

// What every rank answers for the path 0 - 1 - 2 - 3 - 4 over two ranks, once `spoil` has had its
// way with one of them.
hg::status check(const std::function<void(piece&, std::size_t)>& spoil) {
  const std::vector<std::uint64_t> ranges{0, 2, 5};
  std::vector<hg::status> answers(2);
  hg::run_ranks(2, [&](const hg::thread_rank& ranks) {
    piece mine = hg::piece_of(hg::small_graphs()[4], ranges, ranks.rank());
    spoil(mine, ranks.rank());
    answers[ranks.rank()] = hg::check_distributed_graph(ranks, mine.view());
  });
  EXPECT_EQ(answers[0], answers[1]);
  EXPECT_EQ(answers[0].position, answers[1].position);
  return answers[1];
}

TEST(check_distributed_graph, accepts_pieces_that_fit_on_every_rank) {
  EXPECT_EQ(check([](piece&, std::size_t) {}), hg::status::ok);
  EXPECT_EQ(check([](piece& p, std::size_t) { p.edge_weights.assign(p.neighbors.size(), 3); }),
            hg::status::ok);
  EXPECT_EQ(check([](piece& p, std::size_t) {
              p.node_weights.assign(2 * p.view().num_nodes(), 0), p.constraints = 2;
            }),
            hg::status::ok);
}

TEST(check_distributed_graph, rejects_pieces_that_do_not_fit) {
  const auto on = [](std::size_t rank, const std::function<void(piece&)>& spoil) {
    return check([&](piece& p, std::size_t r) {
      if (r == rank) spoil(p);
    });
  };
  EXPECT_EQ(on(1, [](piece& p) { p.ranges = {0, 3, 5}; }), hg::status::mismatch);
  EXPECT_EQ(on(0, [](piece& p) { p.ranges = {0, 2, 6}; }), hg::status::mismatch);
  EXPECT_EQ(on(0, [](piece& p) { p.ranges = {0, 5}; }), hg::status::mismatch);
  EXPECT_EQ(on(1, [](piece& p) { p.constraints = 2; }), hg::status::mismatch);
  EXPECT_EQ(on(1, [](piece& p) { p.node_weights = {1, 2}; }), hg::status::mismatch);
  EXPECT_EQ(on(0, [](piece& p) { p.edge_weights = {1}; }), hg::status::mismatch);
  EXPECT_EQ(on(0, [](piece& p) { p.offsets = {0, 3, 1}; }), hg::status::malformed);
  EXPECT_EQ(on(0, [](piece& p) { p.offsets = {0, 1, 2}; }), hg::status::malformed);
  EXPECT_EQ(on(1, [](piece& p) { p.neighbors[4] = 5; }), hg::status::out_of_range);
  EXPECT_EQ(on(1, [](piece& p) { p.neighbors[0] = 2; }), hg::status::invalid_argument);
  EXPECT_EQ(on(0, [](piece& p) { p.node_weights = {1, -1}; }), hg::status::invalid_argument);
  EXPECT_EQ(on(0, [](piece& p) { p.edge_weights = {1, 0, 1}; }), hg::status::invalid_argument);
  // Both ends must tell of a pair, and alike.
  for (const auto& answer : {on(0, [](piece& p) { p.neighbors[0] = 3; }),
                             on(0, [](piece& p) { p.edge_weights = {1, 1, 2}; })}) {
    EXPECT_EQ(answer, hg::status::malformed);
    EXPECT_NE(hg::explain_distributed_graph(answer).find("not symmetric"), std::string::npos);
  }
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(check([](piece& p, std::size_t) {
              p.node_weights.assign(p.view().num_nodes(), 1), p.node_weights[0] = most / 2 + 1;
            }),
            hg::status::overflow);
  EXPECT_EQ(on(1, [](piece& p) { p.node_weights = {most, 1, 0}; }), hg::status::overflow);
}

TEST(measure_distributed, equals_the_measures_of_the_whole_graph) {
  const hg::generators::uniform edges{.nodes = 60, .edges = 200, .seed = 5};
  std::vector<std::uint64_t> source(200), target(200);
  ASSERT_EQ(hg::generators::fill(edges, 0, std::span(source), std::span(target)), hg::status::ok);
  const hg::coo_view<> g{60, source, target};
  std::vector<std::uint8_t> owner(60);
  for (std::size_t v = 0; v < 60; ++v) owner[v] = static_cast<std::uint8_t>(hg::mix(v) % 5);
  std::set<std::pair<std::uint64_t, std::uint64_t>> crossing;  // pairs
  std::set<std::pair<std::uint64_t, std::uint8_t>> sent;  // nodes and other parts that need them
  for (std::size_t e = 0; e < 200; ++e) {
    if (owner[source[e]] == owner[target[e]]) continue;
    crossing.insert(std::minmax(source[e], target[e]));
    sent.insert({source[e], owner[target[e]]});
    sent.insert({target[e], owner[source[e]]});
  }
  for (std::size_t size = 1; size <= 4; ++size) {
    std::vector<std::uint64_t> ranges(size + 1, 60);
    for (std::size_t r = 0; r < size; ++r) ranges[r] = hg::block_range(60, r, size).begin;
    hg::run_ranks(size, [&](const hg::thread_rank& ranks) {
      const auto mine = hg::piece_of(g, ranges, ranks.rank());
      const std::span<const std::uint8_t> parts = std::span(owner).subspan(
          static_cast<std::size_t>(ranges[ranks.rank()]), mine.view().num_nodes());
      hg::distributed_quality seen;
      ASSERT_EQ(hg::measure_distributed(ranks, mine.view(), parts, 5, seen), hg::status::ok);
      EXPECT_EQ(seen.edge_cut, crossing.size());
      EXPECT_EQ(seen.communication_volume, sent.size());
      EXPECT_EQ(seen.part_nodes, seen.loads);
      EXPECT_EQ(seen.part_nodes[2],
                static_cast<std::uint64_t>(std::count(owner.begin(), owner.end(), 2)));
      EXPECT_EQ(hg::measure_distributed(ranks, mine.view(), parts, 4, seen),
                hg::status::out_of_range);
    });
  }
}

}  // namespace
