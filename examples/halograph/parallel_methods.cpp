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

bool is_parallel(const std::string& method) { return method == "label_propagation" || method == "ptscotch" || method == "parmetis"; }

namespace {

template <id Node>
status assign_parallel(const parallel_method& asked, const parallel_method::ranks& all, const distributed_graph_view<Node>& local, std::span<part_id> owner) {
  if (const std::string sentence = missing_for(asked.method); !sentence.empty()) throw joint_error(errc::unsupported, sentence);
  status answer = status::ok;
  std::string sentence;
  if (asked.method == "parmetis") {
    answer = assign_with_parmetis(all, asked, local, owner, sentence);
#if defined(HALOGRAPH_WITH_PTSCOTCH)
  } else if (asked.method == "ptscotch") {
    std::optional<mpi_session> session;
    if (!all.ranks().over_mpi()) session.emplace();
    const ptscotch policy{.parts = asked.parts, .tolerance = asked.tolerance, .seed = asked.seed};
    const mpi_ranks ranks;
    answer = policy.assign(ranks_in_step<mpi_ranks>(ranks), local, owner);
    sentence = policy.explain(answer);
#endif
  } else {
    distributed_label_propagation policy;
    policy.parts = asked.parts;
    policy.tolerance = asked.tolerance;
    policy.seed = asked.seed;
    answer = policy.assign(all, local, owner);
    sentence = policy.explain(answer);
  }
  if (!answer) throw joint_error(answer.code, sentence.empty() ? "method " + asked.method + " answers " + std::string(name(answer.code)) : sentence);
  return answer;
}

}  // namespace

status parallel_method::assign(const ranks& all, const distributed_graph_view<std::uint32_t>& local, std::span<part_id> owner) const {
  return assign_parallel(*this, all, local, owner);
}
status parallel_method::assign(const ranks& all, const distributed_graph_view<std::uint64_t>& local, std::span<part_id> owner) const {
  return assign_parallel(*this, all, local, owner);
}

std::uint64_t parallel_method::bytes(std::uint64_t nodes, std::uint64_t entries, std::size_t constraints, std::size_t rank_count) const {
  if (method == "label_propagation") return distributed_label_propagation_bytes(nodes, entries, constraints, parts, rank_count);
  // The rows in the library's own integers, and as much for its coarser graphs and its halo of neighbours: an estimate,
  // since what the libraries take depends on the graph.
  return (nodes / rank_count + 1) * 64 + (entries / rank_count + 1) * 32;
}

}  // namespace halograph::cli
