// SPDX-License-Identifier: BSL-1.0
// dist_graph over MPI's ranks: what tests/dist/dist_graph.cpp asks of threads.
#include <halograph/adapters/mpi.hpp>

#include <support/dist_model.hpp>

#include <gtest/gtest.h>

namespace {

namespace hg = halograph;
namespace ht = halograph::testing;

TEST(dist_graph, answers_what_the_whole_graph_would) {
  const hg::mpi_ranks ranks;
  for (const auto& made : {ht::dist_case(true, 1, 3, 1, false), ht::dist_case(true, 2, 4, 2, true), ht::dist_case(false, 3, 2, 1, true)}) {
    const auto g = made.open(ranks);
    ht::expect_structure(made, g);
    ht::expect_features(made, g);
  }
}

}  // namespace
