// SPDX-License-Identifier: BSL-1.0
/// @file ranks.hpp
/// The program as several processes: what a subcommand does under mpirun.
///
///     return with_ranks([&](communicator_ref ranks) { ... return answer; });
///
/// Without a launcher (mpirun, srun) there is one rank, and MPI is not begun. Under a launcher rank
/// 0 alone speaks: notes, progress, the answer. What is raised inside is either the same on all
/// ranks (joint_error, comm/collective_errors.hpp), and rank 0 says it, or one rank's own: that one
/// says it, and ends all of them.
#pragma once

#include "command.hpp"

#include <halograph/core/communicator.hpp>
#include <halograph/core/function_ref.hpp>

#include <cstddef>

namespace halograph {
class mpi_ranks;  // adapters/mpi.hpp, where there is MPI
}  // namespace halograph

namespace halograph::cli {

/// What the launcher says of this process, from the environment alone.
struct launch {
  std::size_t rank = 0;
  std::size_t ranks = 1;   ///< in all
  std::size_t nearby = 1;  ///< on this machine
};
const launch& launched();

/// MPI's ranks, for libraries that want them: those that all else goes through, so that a rank that
/// fails between two calls of theirs is heard by the others. Null where MPI does not run.
const mpi_ranks* running_mpi();

/// Run the work of a subcommand on every rank that a launcher has started; without one, on one.
/// @errors unsupported: there are several ranks and the program was built without MPI; what the
///     work raises
answer with_ranks(function_ref<answer(communicator_ref)> work);

/// Does this process print? Rank 0 does, and one that ends all ranks for a failure of its own.
bool speaks();

/// The run has failed and this rank has said what it has to say: where it failed alone, end the
/// others; else leave after the first rank has spoken, too. @return code
int end_ranks(int code);

}  // namespace halograph::cli
