// SPDX-License-Identifier: BSL-1.0
// A file of its own: Scotch's parmetis.h has names of metis.h.
#include "parallel_methods.hpp"

#if defined(HALOGRAPH_WITH_PARMETIS)
#include <halograph/adapters/mpi.hpp>
#include <halograph/adapters/parmetis.hpp>
#endif

#include <optional>

namespace halograph::cli {

namespace {

template <id Node>
status assign_at([[maybe_unused]] const parallel_method::ranks& all,
                 [[maybe_unused]] const parallel_method& method,
                 [[maybe_unused]] const distributed_graph_view<Node>& local,
                 [[maybe_unused]] std::span<part_id> owner,
                 [[maybe_unused]] std::string& sentence) {
#if defined(HALOGRAPH_WITH_PARMETIS)
  std::optional<mpi_session> session;
  std::optional<mpi_ranks> alone;
  const mpi_ranks* ranks = running_mpi();
  if (ranks == nullptr) {
    session.emplace();
    ranks = &alone.emplace();
  }
  parmetis policy;
  policy.parts = method.parts;
  policy.tolerance = method.tolerance;
  policy.seed = method.seed;
  const status answer = policy.assign(checked_communicator(*ranks), local, owner);
  sentence = policy.explain(answer);
  return answer;
#else
  return status::unsupported;
#endif
}

}  // namespace

status assign_with_parmetis(const parallel_method::ranks& all, const parallel_method& method,
                            const distributed_graph_view<std::uint32_t>& local,
                            std::span<part_id> owner, std::string& sentence) {
  return assign_at(all, method, local, owner, sentence);
}
status assign_with_parmetis(const parallel_method::ranks& all, const parallel_method& method,
                            const distributed_graph_view<std::uint64_t>& local,
                            std::span<part_id> owner, std::string& sentence) {
  return assign_at(all, method, local, owner, sentence);
}

}  // namespace halograph::cli
