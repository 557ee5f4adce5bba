// SPDX-License-Identifier: BSL-1.0
// Run under mpirun with 1, 2, 3 and 4 ranks.
#include <halograph/adapters/mpi.hpp>
#include <halograph/adapters/parmetis.hpp>

#include <halograph/core/even_share.hpp>
#include <halograph/graph/coo.hpp>
#include <halograph/graph/generators.hpp>
#include <halograph/testing/distributed_pieces.hpp>
#include <halograph/testing/laws.hpp>
#include <halograph/testing/small_graphs.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace hg = halograph;

namespace {

using policy = hg::basic_parmetis<std::uint8_t>;
static_assert(hg::distributed_partitioner<policy, hg::mpi_ranks> && !hg::distributed_partitioner<policy, hg::single_rank>);
static_assert(hg::names_parts<policy> && hg::takes_seed<policy>);

// This rank's piece of a mesh of 24 x 20 nodes.
hg::distributed_piece<> mesh(const hg::mpi_ranks& ranks, bool last_has_all = false) {
  const hg::generate::grid made{.width = 24, .height = 20};
  std::vector<std::uint64_t> source(made.num_edges()), target(made.num_edges()), offsets(ranks.size() + 1, 480);
  EXPECT_EQ(hg::generate::fill(made, 0, std::span(source), std::span(target)), hg::status::ok);
  for (std::size_t r = 0; r < ranks.size(); ++r) offsets[r] = last_has_all ? 0 : hg::even_share(480, r, ranks.size()).begin;
  return hg::piece_of(hg::coo_view<>(480, source, target), offsets, ranks.rank());
}

TEST(parmetis, keeps_the_law_on_every_drawn_graph) {
  const hg::mpi_ranks ranks;
  for (const auto& g : hg::small_graphs()) {
    std::vector<std::uint64_t> offsets(ranks.size() + 1, g.num_nodes());  // with one node, or none, on most ranks
    for (std::size_t r = 0; r < ranks.size(); ++r) offsets[r] = hg::even_share(g.num_nodes(), r, ranks.size()).begin;
    const auto piece = hg::piece_of(g, offsets, ranks.rank());
    for (const std::uint64_t parts : {1u, 2u, 3u, 255u}) {
      const auto verdict = hg::laws::distributed_partitioner(ranks, policy{.parts = parts}, parts, piece.view());
      EXPECT_TRUE(verdict) << g.name() << ", " << parts << " parts: " << verdict.why;
    }
  }
}

TEST(parmetis, cuts_a_mesh_along_few_edges_in_balance) {
  const hg::mpi_ranks ranks;
  for (const bool last_has_all : {false, true}) {  // then most ranks have no node
    const auto piece = mesh(ranks, last_has_all);
    std::vector<std::uint8_t> owner(piece.view().num_nodes());
    const policy four{.parts = 4, .tolerance = 0.05};
    const hg::status answer = four.assign(ranks, piece.view(), owner);
    ASSERT_TRUE(answer) << four.explain(answer);
    hg::distributed_quality quality;
    ASSERT_TRUE(hg::measure_distributed(ranks, piece.view(), std::span<const std::uint8_t>(owner), 4, quality));
    EXPECT_GE(quality.edge_cut, 40u);   // what is counted here, not what the library says
    EXPECT_LE(quality.edge_cut, 120u);  // 44 at best; dealt by chance about 690
    for (const auto nodes : quality.part_nodes) EXPECT_LE(nodes, 132u);
  }
}

TEST(parmetis, honours_weights) {
  const hg::mpi_ranks ranks;
  auto piece = mesh(ranks);
  const std::uint64_t first = piece.ranges[ranks.rank()];
  // The left third of the mesh weighs everything, loads of 0 included; edges across it weigh least where x is 3 to 4.
  const auto column = [](std::uint64_t v) { return v % 24; };
  for (std::size_t v = 0; v < piece.view().num_nodes(); ++v) piece.node_weights.push_back(column(first + v) < 8 ? 3 : 0);
  for (std::size_t v = 0; v < piece.view().num_nodes(); ++v) {
    for (std::size_t i = piece.view().row_begin(v); i < piece.view().row_end(v); ++i) {
      const auto low = std::min(column(first + v), column(piece.neighbours[i])), high = std::max(column(first + v), column(piece.neighbours[i]));
      piece.edge_weights.push_back(low == 3 && high == 4 ? 1 : 50);
    }
  }
  std::vector<std::uint8_t> owner(piece.view().num_nodes());
  ASSERT_TRUE((policy{.parts = 2}.assign(ranks, piece.view(), owner)));
  hg::distributed_quality quality;
  ASSERT_TRUE(hg::measure_distributed(ranks, piece.view(), std::span<const std::uint8_t>(owner), 2, quality));
  EXPECT_EQ(quality.edge_cut, 20u);
  EXPECT_EQ(quality.loads, (std::vector<std::uint64_t>{240, 240}));
}

TEST(parmetis, says_what_is_wrong_on_every_rank) {
  const hg::mpi_ranks ranks;
  auto piece = mesh(ranks);
  std::vector<std::uint8_t> owner(piece.view().num_nodes());
  const auto refused = [&](const policy& asked, const hg::distributed_piece<>& local, hg::errc code, const std::string& part_of_the_sentence) {
    const hg::status answer = asked.assign(ranks, local.view(), owner);
    EXPECT_EQ(hg::name(answer.code), hg::name(code));
    EXPECT_NE(asked.explain(answer).find(part_of_the_sentence), std::string::npos) << asked.explain(answer);
  };
  refused({.parts = 0}, piece, hg::errc::invalid_argument, "at least 1");
  refused({.parts = 257}, piece, hg::errc::overflow, "257");
  refused({.parts = 2, .tolerance = 0}, piece, hg::errc::invalid_argument, "above 0");
  auto spoiled = piece;
  if (ranks.rank() + 1 == ranks.size()) spoiled.ranges.back() += 1;
  refused({.parts = 2}, spoiled, hg::errc::mismatch, "the same everywhere");
  spoiled = piece;
  if (ranks.rank() == 0) spoiled.neighbours[0] = 100;
  refused({.parts = 2}, spoiled, hg::errc::malformed, "not symmetric");
  spoiled = piece;
  spoiled.constraints = 2;
  spoiled.node_weights.assign(2 * spoiled.view().num_nodes(), 1);
  if constexpr (!policy::takes_several_constraints) refused({.parts = 2}, spoiled, hg::errc::unsupported, "wholly into one part");
}

}  // namespace
