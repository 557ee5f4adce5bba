// SPDX-License-Identifier: BSL-1.0
/// @file rank_policies.hpp
/// What the distributed partitioner of a foreign library must do, on the ranks of the test.
#pragma once

#include "support/count_allocations.hpp"

#include <halograph/adapters/mpi.hpp>
#include <halograph/comm/checked_communicator.hpp>
#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/block_range.hpp>
#include <halograph/graph/coo.hpp>
#include <halograph/graph/generators.hpp>
#include <halograph/partition/distributed.hpp>
#include <halograph/testing/distributed_pieces.hpp>
#include <halograph/testing/laws.hpp>
#include <halograph/testing/small_graphs.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph::testing {

// This rank's piece of a mesh of 24 x 20 nodes.
inline distributed_piece<> mesh(const mpi_ranks& ranks, bool last_has_all = false) {
  const generators::grid made{.width = 24, .height = 20};
  std::vector<std::uint64_t> source(made.num_edges()), target(made.num_edges()),
      offsets(ranks.size() + 1, 480);
  EXPECT_EQ(generators::fill(made, 0, std::span(source), std::span(target)), status::ok);
  for (std::size_t r = 0; r < ranks.size(); ++r)
    offsets[r] = last_has_all ? 0 : block_range(480, r, ranks.size()).begin;
  return piece_of(coo_view<>(480, source, target), offsets, ranks.rank());
}

template <class Policy>
void expect_law() {
  const mpi_ranks ranks;
  for (const auto& g : small_graphs()) {
    std::vector<std::uint64_t> offsets(ranks.size() + 1,
                                       g.num_nodes());  // with one node, or none, on most ranks
    for (std::size_t r = 0; r < ranks.size(); ++r)
      offsets[r] = block_range(g.num_nodes(), r, ranks.size()).begin;
    const auto piece = piece_of(g, offsets, ranks.rank());
    for (const std::uint64_t parts : {1u, 2u, 3u, 255u}) {
      const auto verdict = laws::distributed_partitioner(ranks, Policy{.parts = parts}, parts,
                                                         piece.view());
      EXPECT_TRUE(verdict) << g.name() << ", " << parts << " parts: " << verdict.why;
    }
  }
}

template <class Policy>
void expect_mesh_cut_well() {
  const mpi_ranks ranks;
  for (const bool last_has_all : {false, true}) {  // then most ranks have no node
    const auto piece = mesh(ranks, last_has_all);
    std::vector<std::uint8_t> owner(piece.view().num_nodes());
    const Policy four{.parts = 4, .tolerance = 0.05};
    const status answer = four.assign(ranks, piece.view(), owner);
    ASSERT_TRUE(answer) << four.explain(answer);
    distributed_quality quality;
    ASSERT_TRUE(
        measure_distributed(ranks, piece.view(), std::span<const std::uint8_t>(owner), 4, quality));
    EXPECT_GE(quality.edge_cut, 40u);   // counted here, not by the library
    EXPECT_LE(quality.edge_cut, 120u);  // 44 at best; dealt by chance about 690
    for (const auto nodes : quality.part_nodes) EXPECT_LE(nodes, 132u);
  }
}

template <class Policy>
void expect_weights_honored() {
  const mpi_ranks ranks;
  auto piece = mesh(ranks);
  const std::uint64_t first = piece.ranges[ranks.rank()];
  // The left third of the mesh weighs everything, loads of 0 included; edges across it weigh least
  // where x is 3 to 4.
  const auto column = [](std::uint64_t v) { return v % 24; };
  for (std::size_t v = 0; v < piece.view().num_nodes(); ++v)
    piece.node_weights.push_back(column(first + v) < 8 ? 3 : 0);
  for (std::size_t v = 0; v < piece.view().num_nodes(); ++v) {
    for (std::size_t i = piece.view().row_begin(v); i < piece.view().row_end(v); ++i) {
      const auto low = std::min(column(first + v), column(piece.neighbors[i])),
                 high = std::max(column(first + v), column(piece.neighbors[i]));
      piece.edge_weights.push_back(low == 3 && high == 4 ? 1 : 50);
    }
  }
  std::vector<std::uint8_t> owner(piece.view().num_nodes());
  ASSERT_TRUE((Policy{.parts = 2}.assign(ranks, piece.view(), owner)));
  distributed_quality quality;
  ASSERT_TRUE(
      measure_distributed(ranks, piece.view(), std::span<const std::uint8_t>(owner), 2, quality));
  EXPECT_EQ(quality.edge_cut, 20u);
  EXPECT_EQ(quality.loads, (std::vector<std::uint64_t>{240, 240}));
}

template <class Policy>
void expect_refusals(const std::string& of_two_constraints) {
  const mpi_ranks ranks;
  auto piece = mesh(ranks);
  std::vector<std::uint8_t> owner(piece.view().num_nodes());
  const auto refused = [&](const Policy& asked, const distributed_piece<>& local, error_kind code,
                           const std::string& part_of_the_sentence) {
    const status answer = asked.assign(ranks, local.view(), owner);
    EXPECT_EQ(name(answer.code), name(code));
    EXPECT_NE(asked.explain(answer).find(part_of_the_sentence), std::string::npos)
        << asked.explain(answer);
  };
  refused({.parts = 0}, piece, error_kind::invalid_argument, "at least 1");
  refused({.parts = 257}, piece, error_kind::overflow, "257");
  refused({.parts = 2, .tolerance = 0}, piece, error_kind::invalid_argument, "above 0");
  auto spoiled = piece;
  if (ranks.rank() + 1 == ranks.size()) spoiled.ranges.back() += 1;
  refused({.parts = 2}, spoiled, error_kind::mismatch, "the same everywhere");
  spoiled = piece;
  if (ranks.rank() == 0) spoiled.neighbors[0] = 100;
  refused({.parts = 2}, spoiled, error_kind::malformed, "not symmetric");
  spoiled = piece;
  spoiled.constraints = 2;
  spoiled.node_weights.assign(2 * spoiled.view().num_nodes(), 1);
  if (!of_two_constraints.empty())
    refused({.parts = 2}, spoiled, error_kind::unsupported, of_two_constraints);
}

// Each allocation of the last rank fails in turn, up to those of the library:
// no rank waits for it.
template <class Policy>
void expect_all_end_where_one_has_no_memory() {
  const mpi_ranks ranks;
  auto piece = mesh(ranks);
  piece.node_weights.assign(piece.view().num_nodes(), 2);
  piece.edge_weights.assign(piece.neighbors.size(), 3);
  std::vector<std::uint8_t> owner(piece.view().num_nodes());
  const bool last = ranks.rank() + 1 == ranks.size();
  // @param left  the last rank's allocation that fails; out: how many were left
  const auto said = [&](std::size_t& left) -> std::string {
    std::string out;
    try {
      run_collective(ranks, [&] {
        if (last) allocations_left = left;
        const status answer = Policy{.parts = 4}.assign(checked_communicator(ranks), piece.view(),
                                                        owner);
        left = std::exchange(allocations_left, 0);
        if (!answer) out = "refused";
      });
    } catch (const std::exception& problem) {
      out = problem.what();
    }
    allocations_left = 0;
    return out;
  };
  constexpr std::size_t plenty = std::size_t{1} << 40;
  std::size_t left = plenty;
  ASSERT_EQ(said(left), "");
  const auto whole = static_cast<std::size_t>(gather_numbers(ranks, plenty - left).back());
  ASSERT_GT(whole, 5u);  // allocations of the last rank
  const std::string one_of_all = ranks.size() == 1 ? "std::bad_alloc"
                                                   : "not enough memory (on rank " +
                                                         std::to_string(ranks.size() - 1) + " of " +
                                                         std::to_string(ranks.size()) + ")";
  for (std::size_t at = 1; at <= whole; ++at) {
    left = at;
    EXPECT_EQ(said(left), one_of_all) << at << " of " << whole;
  }
}

}  // namespace halograph::testing
