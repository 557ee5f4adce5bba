// SPDX-License-Identifier: BSL-1.0
// Run under mpirun with 1, 2, 3 and 4 ranks.
#include <halograph/adapters/mpi.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/testing/laws.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace hg = halograph;

namespace {

hg::error_kind why(std::size_t slice) {
  try {
    hg::mpi_ranks(MPI_COMM_WORLD, slice);
  } catch (const hg::error& problem) {
    return problem.code();
  }
  return hg::error_kind::ok;
}

TEST(mpi_session, a_second_one_leaves_mpi_to_the_first) {
  {
    const hg::mpi_session second;
    EXPECT_FALSE(second.ours());
  }
  EXPECT_TRUE(hg::mpi_ranks().barrier());
  EXPECT_TRUE(hg::launched_by_mpi());
}

TEST(mpi_ranks, obey_the_laws_whatever_the_slices) {
  for (const std::size_t slice : {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{7},
                                  std::size_t{24}, hg::mpi_ranks::default_slice_bytes}) {
    const auto verdict = hg::laws::communicator(hg::mpi_ranks(MPI_COMM_WORLD, slice));
    EXPECT_TRUE(verdict) << verdict.why << ", slices of " << slice;
  }
  EXPECT_EQ(why(0), hg::error_kind::invalid_argument);
  EXPECT_EQ(why(hg::mpi_ranks::default_slice_bytes + 1), hg::error_kind::invalid_argument);
}

TEST(mpi_ranks, exchange_pieces_of_very_different_lengths_in_slices) {
  const hg::mpi_ranks ranks(MPI_COMM_WORLD, 1000);
  const std::size_t size = ranks.size(), rank = ranks.rank();
  // Rank r sends (r + 1) * p * 777 bytes to p: some none, some dozens of slices.
  std::vector<std::uint64_t> out_counts(size), in_counts(size);
  std::vector<std::byte> out, wanted;
  const auto value = [](std::size_t from, std::size_t to, std::size_t i) {
    return static_cast<std::byte>(31 * from + 7 * to + i * i);
  };
  for (std::size_t p = 0; p < size; ++p) {
    out_counts[p] = (rank + 1) * p * 777;
    in_counts[p] = (p + 1) * rank * 777;
    for (std::size_t i = 0; i < out_counts[p]; ++i) out.push_back(value(rank, p, i));
    for (std::size_t i = 0; i < in_counts[p]; ++i) wanted.push_back(value(p, rank, i));
  }
  std::vector<std::byte> in(wanted.size());
  EXPECT_TRUE(ranks.all_to_all(out, out_counts, in, in_counts));
  EXPECT_EQ(in, wanted);
}

TEST(mpi_ranks, are_those_of_any_communicator_and_keep_messages_of_their_own) {
  const hg::mpi_ranks world;
  // Even and odd ranks apart.
  MPI_Comm half = MPI_COMM_NULL;
  ASSERT_EQ(MPI_Comm_split(MPI_COMM_WORLD, static_cast<int>(world.rank() % 2), 0, &half),
            MPI_SUCCESS);
  {
    const hg::mpi_ranks ranks(half);
    const auto copy = ranks;
    EXPECT_EQ(ranks.size(), (world.size() + 1 - world.rank() % 2) / 2);
    EXPECT_EQ(ranks.rank(), world.rank() / 2);
    EXPECT_EQ(copy.handle(), ranks.handle());
    EXPECT_NE(ranks.handle(), half);
    EXPECT_TRUE(hg::laws::communicator(copy));
  }
  MPI_Comm_free(&half);
}

TEST(mpi_ranks, hear_of_the_lowest_rank_that_failed) {
  const hg::mpi_ranks ranks;
  const auto mine = ranks.rank() + 1 >= ranks.size() ? hg::status::capacity.at(ranks.rank())
                                                     : hg::status::ok;
  const auto heard = hg::agree(ranks, mine);
  EXPECT_EQ(heard, hg::status::capacity);
  EXPECT_EQ(heard.position, ranks.size() - 1);
}

}  // namespace
