// SPDX-License-Identifier: BSL-1.0
// dist_graph and dist_tensor over MPI's ranks: some of what tests/dist asks of threads.
#include <halograph/adapters/mpi.hpp>
#include <halograph/core/block_range.hpp>
#include <halograph/dist/dist_tensor.hpp>

#include <gtest/gtest.h>
#include <support/dist_model.hpp>

#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace {

namespace hg = halograph;
namespace ht = halograph::testing;

TEST(dist_graph, answers_what_the_whole_graph_would) {
  const hg::mpi_ranks ranks;
  for (const auto& made : {ht::dist_case(true, 1, 3, 1, false), ht::dist_case(true, 2, 4, 2, true),
                           ht::dist_case(false, 3, 2, 1, true)}) {
    const auto g = made.open(ranks);
    ht::expect_structure(made, g);
    ht::expect_features(made, g);
  }
}

TEST(dist_tensor, sums_of_a_row_are_those_of_the_global_order) {
  const hg::mpi_ranks ranks;
  const ht::dist_case made(true, 1, 4, 1, false);
  const auto g = made.open(ranks);
  hg::random_stream stream(5);
  std::vector<std::int32_t> ids(100);
  std::vector<double> values, wanted(14, 2.0), sums(14);
  for (auto& id : ids) {
    id = static_cast<std::int32_t>(stream.below(14));
    values.push_back(static_cast<double>(stream.next()) * (stream.below(2) == 0 ? 1e-9 : -1e9));
    sums[static_cast<std::size_t>(id)] += values.back();
  }
  for (std::size_t i = 0; i < 14; ++i) wanted[i] += sums[i];
  hg::dist_tensor x(g, {.shape = {14}, .type = hg::dtype::float64, .name = "x"}, hg::constant{2});
  const auto mine = hg::block_range(ids.size(), ranks.rank(), ranks.size());
  const auto piece = [&](const auto& list) {
    return std::span(list).subspan(static_cast<std::size_t>(mine.begin),
                                   static_cast<std::size_t>(mine.size()));
  };
  x.add(piece(ids), std::as_bytes(piece(values)));
  std::vector<int> all(14);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(x[all].values<double>(), wanted);
}

}  // namespace
