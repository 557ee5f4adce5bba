// SPDX-License-Identifier: BSL-1.0
#include "parallel_methods.hpp"

#include <halograph/core/error.hpp>
#include <halograph/partition/distributed_label_propagation.hpp>
#include <halograph/pipeline/jointly.hpp>
#if defined(HALOGRAPH_WITH_PTSCOTCH)
#include <halograph/adapters/mpi.hpp>
#include <halograph/adapters/ptscotch.hpp>
#endif

#include <optional>

namespace halograph::cli {

std::string missing_for([[maybe_unused]] const std::string& method) {
#if !defined(HALOGRAPH_WITH_PTSCOTCH)
  if (method == "ptscotch") return "method ptscotch needs PT-Scotch, which was not found when the program was built (Debian: libptscotch-dev)";
#endif
#if !defined(HALOGRAPH_WITH_PARMETIS)
  if (method == "parmetis") return "method parmetis needs a library with ParMETIS's interface, which was not found when the program was built (Debian: libscotchparmetis-dev)";
#endif
  return {};
}

void assign_parallel(const program_ranks& ranks, const parallel_method& method, const distributed_graph_view<>& local, std::span<part_id> owner) {
  if (const std::string sentence = missing_for(method.name); !sentence.empty()) throw joint_error(errc::unsupported, sentence);
  status answer = status::ok;
  std::string sentence;
  if (method.name == "parmetis") {
    answer = assign_with_parmetis(ranks, method, local, owner, sentence);
#if defined(HALOGRAPH_WITH_PTSCOTCH)
  } else if (method.name == "ptscotch") {
    std::optional<mpi_session> session;
    if (!ranks.over_mpi()) session.emplace();
    const ptscotch policy{.parts = method.parts, .tolerance = method.tolerance, .seed = method.seed};
    answer = policy.assign(mpi_ranks(), local, owner);
    sentence = policy.explain(answer);
#endif
  } else {
    distributed_label_propagation policy;
    policy.parts = method.parts;
    policy.tolerance = method.tolerance;
    policy.seed = method.seed;
    answer = policy.assign(ranks, local, owner);
    sentence = policy.explain(answer);
  }
  if (!answer) throw joint_error(answer.code, sentence.empty() ? "method " + method.name + " answers " + std::string(name(answer.code)) : sentence);
}

}  // namespace halograph::cli
