// SPDX-License-Identifier: BSL-1.0
#include "metis_policy.hpp"
#include "parallel_methods.hpp"

#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/error.hpp>
#include <halograph/io/chunked/share.hpp>
#include <halograph/partition/distributed/label_propagation.hpp>
#include <halograph/partition/fixed_point.hpp>
#if defined(HALOGRAPH_WITH_PTSCOTCH)
#include <halograph/adapters/mpi.hpp>
#include <halograph/adapters/ptscotch.hpp>
#endif

#include <algorithm>
#include <optional>

namespace halograph::cli {

std::string missing_for(const std::string& method) {
  if (method == "metis") return missing_metis();
#if !defined(HALOGRAPH_WITH_PTSCOTCH)
  if (method == "ptscotch")
    return "method ptscotch needs PT-Scotch, which was not found when the program was built (Debian: libptscotch-dev)";
#endif
#if !defined(HALOGRAPH_WITH_PARMETIS)
  if (method == "parmetis")
    return "method parmetis needs a library with ParMETIS's interface, which was not found when the program was built (Debian: libscotchparmetis-dev)";
#endif
  return {};
}

namespace {

template <id Node>
status assign_parallel(const parallel_method& asked, const parallel_method::ranks& all,
                       const distributed_graph_view<Node>& local, std::span<part_id> owner) {
  if (const std::string sentence = missing_for(asked.method); !sentence.empty())
    throw joint_error(error_kind::unsupported, sentence);
  status answer = status::ok;
  std::string sentence;
  if (asked.method == "parmetis") {
    answer = assign_with_parmetis(all, asked, local, owner, sentence);
#if defined(HALOGRAPH_WITH_PTSCOTCH)
  } else if (asked.method == "ptscotch") {
    std::optional<mpi_session> session;
    std::optional<mpi_ranks> alone;
    const mpi_ranks* ranks = running_mpi();
    if (ranks == nullptr) {
      session.emplace();
      ranks = &alone.emplace();
    }
    const ptscotch policy{.parts = asked.parts, .tolerance = asked.tolerance, .seed = asked.seed};
    answer = policy.assign(checked_communicator(*ranks), local, owner);
    sentence = policy.explain(answer);
#endif
  } else {
    distributed_label_propagation policy;
    policy.parts = asked.parts;
    policy.tolerance = asked.tolerance;
    policy.seed = asked.seed;
    policy.on_bytes = asked.on_bytes;
    answer = policy.assign(all, local, owner);
    sentence = policy.explain(answer);
  }
  if (!answer) {
    if (answer == status::unsupported && local.constraints > 1) sentence += asked.instead;
    raise_collective(
        all.ranks(),
        joint_error(answer.code, sentence.empty() ? "method " + asked.method + " answers " +
                                                        std::string(name(answer.code))
                                                  : sentence));
  }
  return answer;
}

}  // namespace

status parallel_method::assign(const ranks& all, const distributed_graph_view<std::uint32_t>& local,
                               std::span<part_id> owner) const {
  return assign_parallel(*this, all, local, owner);
}
status parallel_method::assign(const ranks& all, const distributed_graph_view<std::uint64_t>& local,
                               std::span<part_id> owner) const {
  return assign_parallel(*this, all, local, owner);
}

std::uint64_t parallel_method::bytes(std::uint64_t nodes, std::uint64_t edges,
                                     std::size_t constraints, std::size_t rank_count) const {
  const bool propagates = method == "label_propagation";
  const std::uint64_t whole = distributed_label_propagation{}.coarsest_entries;
  // Nodes weigh 1 each where they have one load.
  const auto propagation_bytes = [&](std::uint64_t all_nodes, std::uint64_t entries) {
    return distributed_label_propagation_bytes(
        all_nodes, entries, constraints == 1 ? 0 : constraints, parts, rank_count, whole, false);
  };
  if (const std::uint64_t entries = saturating_multiply(edges, 2);
      propagates && std::max(nodes, entries) <= whole)
    return propagation_bytes(nodes, entries);  // the first rank has it all
  std::uint64_t most = 0;
  for (const auto& [own_nodes, ends] : largest_shares(nodes, edges, rank_count)) {
    std::uint64_t taken = 0;
    if (propagates) {
      // As if all ranks had as much.
      taken = propagation_bytes(saturating_multiply(own_nodes, rank_count),
                                saturating_multiply(ends, rank_count));
    } else {
      // The rows in the library's own integers, and as much for its coarser graphs and its halo of
      // neighbors: an estimate, since what the libraries take depends on the graph.
      const std::uint64_t of_nodes = saturating_multiply(own_nodes, 64),
                          of_ends = saturating_multiply(ends, 32);
      taken = of_nodes > ~of_ends ? ~std::uint64_t{0} : of_nodes + of_ends;
    }
    most = std::max(most, taken);
  }
  return most;
}

status measure_parallel(const parallel_method::ranks& all,
                        const distributed_graph_view<std::uint64_t>& local,
                        std::span<const part_id> owner, std::uint64_t parts,
                        distributed_quality& out) {
  return measure_distributed(all, local, owner, parts, out);
}

}  // namespace halograph::cli
