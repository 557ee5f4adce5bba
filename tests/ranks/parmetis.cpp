// SPDX-License-Identifier: BSL-1.0
// Run under mpirun with 1, 2, 3 and 4 ranks.
#include "support/rank_policies.hpp"

#include <halograph/adapters/parmetis.hpp>

#include <gtest/gtest.h>

#include <cstdint>

namespace hg = halograph;
namespace ht = halograph::testing;

namespace {

using policy = hg::basic_parmetis<std::uint8_t>;
static_assert(hg::distributed_partitioner<policy, hg::mpi_ranks> &&
              !hg::distributed_partitioner<policy, hg::single_rank>);
static_assert(hg::names_parts<policy> && hg::takes_seed<policy>);

TEST(parmetis, keeps_the_law_on_every_drawn_graph) { ht::expect_law<policy>(); }
TEST(parmetis, cuts_a_mesh_along_few_edges_in_balance) { ht::expect_mesh_cut_well<policy>(); }
TEST(parmetis, honors_weights) { ht::expect_weights_honored<policy>(); }
TEST(parmetis, says_what_is_wrong_on_every_rank) {
  ht::expect_refusals<policy>(policy::takes_several_constraints ? "" : "wholly into one part");
}
TEST(parmetis, no_rank_waits_for_one_without_memory) {
  ht::expect_all_end_where_one_has_no_memory<policy>();
}

}  // namespace
