// SPDX-License-Identifier: BSL-1.0
#include "inputs.hpp"
#include "ranks.hpp"

#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/error.hpp>
#if defined(HALOGRAPH_WITH_MPI)
#include <halograph/adapters/mpi.hpp>
#endif

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace halograph::cli {

namespace {

/// The first of these variables that holds a number.
std::optional<std::size_t> number_in(std::initializer_list<const char*> names) {
  for (const char* const name : names) {
    const char* const text = std::getenv(name);
    if (text == nullptr) continue;
    const std::string_view digits(text);
    std::size_t value = 0;
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(),
                                                value);
    if (problem == std::errc{} && end == digits.data() + digits.size()) return value;
  }
  return std::nullopt;
}

launch look_around() {
  launch out;
  // What Open MPI's, MPICH's, MVAPICH's and Slurm's launchers tell those they start; Slurm's own
  // variables are there in a batch script too, which is one process, so they count only beside a
  // rank of PMIx.
  const auto rank = number_in(
      {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "PMIX_RANK"});
  if (!rank) return out;
  out.rank = *rank;
  out.ranks = std::max(
      number_in({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "SLURM_NTASKS"})
          .value_or(1),
      *rank + 1);
  out.nearby = std::clamp<std::size_t>(
      number_in({"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "MV2_COMM_WORLD_LOCAL_SIZE"})
          .value_or(1),
      1, out.ranks);
  return out;
}

/// This rank failed and the others do not know.
bool& failed_alone() {
  static bool failed = false;
  return failed;
}

#if defined(HALOGRAPH_WITH_MPI)
/// Kept open where this rank failed alone: to end MPI would be to wait for the others.
std::unique_ptr<mpi_session>& session() {
  static auto& one = *new std::unique_ptr<mpi_session>;
  return one;
}

const mpi_ranks*& all_ranks() {
  static const mpi_ranks* all = nullptr;
  return all;
}
#endif

}  // namespace

const launch& launched() {
  static const launch found = look_around();
  return found;
}

answer with_ranks(function_ref<answer(communicator_ref)> work) {
  if (launched().ranks == 1) return work({});
#if defined(HALOGRAPH_WITH_MPI)
  try {
    session() = std::make_unique<mpi_session>();
    std::optional<answer> done;
    {
      const mpi_ranks all;
      if (all.size() != launched().ranks) {
        raise(error_kind::unsupported,
              "the launcher has started " + std::to_string(launched().ranks) +
                  " processes, and this program's MPI finds " + std::to_string(all.size()) +
                  "; start it with the mpirun of the MPI that it was built with");
      }
      const communicator_ref ranks(all);
      all_ranks() = &all;
      done = work(ranks);
      all_ranks() = nullptr;
      run_collective(ranks, [] { inputs_of_this_run()->settle(); });
    }
    session().reset();
    return std::move(*done);
  } catch (const joint_error&) {  // MPI stays open until the first rank has said it: end_ranks()
    throw;
  } catch (...) {
    failed_alone() = true;
    throw;
  }
#else
  raise(
      error_kind::unsupported,
      "a launcher has started " + std::to_string(launched().ranks) +
          " processes of a program that was built without MPI; run it alone, or build it where MPI is found (Debian: libopenmpi-dev)");
#endif
}

#if defined(HALOGRAPH_WITH_MPI)
const mpi_ranks* running_mpi() { return all_ranks(); }
#else
const mpi_ranks* running_mpi() { return nullptr; }
#endif

bool speaks() { return launched().rank == 0 || failed_alone(); }

int end_ranks(int code) {
  // A launcher ends all when one leaves with a code that is not 0: the first rank's sentence must
  // be out by then.
#if defined(HALOGRAPH_WITH_MPI)
  if (session()) {
    if (failed_alone()) session()->stop_all(code);
    session().reset();  // leaves together with the others
    return code;
  }
#endif
  constexpr std::chrono::seconds head_start{1};
  if (launched().rank != 0 && code != 0) std::this_thread::sleep_for(head_start);
  return code;
}

}  // namespace halograph::cli
