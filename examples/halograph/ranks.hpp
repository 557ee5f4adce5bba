// SPDX-License-Identifier: BSL-1.0
/// @file ranks.hpp
/// The program as several processes: what a subcommand does under mpirun.
///
///     return with_ranks([&](const program_ranks& ranks) { ... return answer; });
///
/// Without a launcher (mpirun, srun) there is one rank, and MPI is not begun. Under a launcher rank
/// 0 alone speaks: notes, progress, the answer. What is raised inside is either the same on all
/// ranks (joint_error, comm/collective_errors.hpp), and rank 0 says it, or one rank's own: that one
/// says it, and ends all of them.
#pragma once

#include "command.hpp"

#include <halograph/core/communicator.hpp>
#include <halograph/core/status.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

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

/// The ranks of this run: one, or MPI's. One type for both, so that what uses it is compiled once.
class program_ranks {
 public:
  class calls {
   public:
    virtual ~calls() = default;
    virtual std::size_t rank() const = 0;
    virtual std::size_t size() const = 0;
    virtual status barrier() const = 0;
    virtual status broadcast(std::span<std::byte> data, std::size_t root) const = 0;
    virtual status all_gather(std::span<const std::byte> mine, std::span<std::byte> all) const = 0;
    virtual status all_to_all(std::span<const std::byte> out,
                              std::span<const std::uint64_t> out_counts, std::span<std::byte> in,
                              std::span<const std::uint64_t> in_counts) const = 0;
    virtual status sum(std::span<std::uint64_t> values) const = 0;
    virtual const mpi_ranks* mpi() const = 0;
  };
  explicit program_ranks(const calls& to) : to_(&to) {}

  std::size_t rank() const { return to_->rank(); }
  std::size_t size() const { return to_->size(); }
  status barrier() const { return to_->barrier(); }
  status broadcast(std::span<std::byte> data, std::size_t root) const {
    return to_->broadcast(data, root);
  }
  status all_gather(std::span<const std::byte> mine, std::span<std::byte> all) const {
    return to_->all_gather(mine, all);
  }
  status all_to_all(std::span<const std::byte> out, std::span<const std::uint64_t> out_counts,
                    std::span<std::byte> in, std::span<const std::uint64_t> in_counts) const {
    return to_->all_to_all(out, out_counts, in, in_counts);
  }
  status sum(std::span<std::uint64_t> values) const { return to_->sum(values); }

  /// MPI's own, for libraries that want them: those that all else goes through, so that a rank that
  /// fails between two calls of theirs is heard by the others. Null where MPI does not run.
  const mpi_ranks* mpi() const { return to_->mpi(); }

 private:
  const calls* to_;
};
static_assert(communicator<program_ranks>);

/// Run the work of a subcommand on every rank that a launcher has started; without one, on one.
/// @errors unsupported: there are several ranks and the program was built without MPI; what the
///     work raises
answer with_ranks(const std::function<answer(const program_ranks&)>& work);

/// Does this process print? Rank 0 does, and one that ends all ranks for a failure of its own.
bool speaks();

/// The run has failed and this rank has said what it has to say: where it failed alone, end the
/// others; else leave after the first rank has spoken, too. @return code
int end_ranks(int code);

}  // namespace halograph::cli
