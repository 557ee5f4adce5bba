// SPDX-License-Identifier: BSL-1.0
// A file of its own: Scotch's parmetis.h has names of metis.h.
#include "parallel_methods.hpp"

#if defined(HALOGRAPH_WITH_PARMETIS)
#include <halograph/adapters/mpi.hpp>
#include <halograph/adapters/parmetis.hpp>
#endif

#include <optional>

namespace halograph::cli {

status assign_with_parmetis([[maybe_unused]] const program_ranks& ranks, [[maybe_unused]] const parallel_method& method,
                            [[maybe_unused]] const distributed_graph_view<>& local, [[maybe_unused]] std::span<part_id> owner, [[maybe_unused]] std::string& sentence) {
#if defined(HALOGRAPH_WITH_PARMETIS)
  std::optional<mpi_session> session;
  if (!ranks.over_mpi()) session.emplace();
  parmetis policy;
  policy.parts = method.parts;
  policy.tolerance = method.tolerance;
  policy.seed = method.seed;
  const status answer = policy.assign(mpi_ranks(), local, owner);
  sentence = policy.explain(answer);
  return answer;
#else
  return status::unsupported;
#endif
}

}  // namespace halograph::cli
