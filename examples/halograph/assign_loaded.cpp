// SPDX-License-Identifier: BSL-1.0
#include "assign_kinds.hpp"

#include <halograph/graph/symmetrize.hpp>
#include <halograph/io/chunked/edges.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/connected/components.hpp>
#include <halograph/partition/distributed.hpp>
#include <halograph/partition/multilevel/weighted_graph.hpp>
#include <halograph/partition/quality.hpp>
#include <halograph/pipeline/out_of_core/assign.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph::cli {

namespace {

struct loaded_policy : erased_policy {
  const assign_job* job;

  explicit loaded_policy(const assign_job& of) : erased_policy(of.policy), job(&of) {
    if (of.after.asked || of.after.connected) tolerance = of.after.tolerance;
  }
  template <id ID>
  status assign(const hetero_view<ID, ID>& g, std::span<part_id> owner) const {
    const status first = !job->on_ranks ? chosen()->assign(g, owner, job->threads)
                         : positions_fit<std::uint32_t>(num_nodes(g), num_edges(g))
                             ? assign_alone<std::uint32_t>(g, owner)
                             : assign_alone<std::uint64_t>(g, owner);
    if (!first) return first;
    refinement after = job->after;
    after.constraints = constraints;
    after.balance_types = balance_types;
    const status answer = after.refine(g, owner, job->threads);
    if (answer && job->start != nullptr)
      *job->moves = job->start->count(owner, g, *job->features, measured(g.node_type_offsets()));
    return answer;
  }
  template <class Word>
  status assign_rows(detail::weighted_graph<Word> rows, std::span<const std::uint64_t> types,
                     std::span<part_id> owner, executor_ref threads) const {
    const status answer = chosen()->assign_rows(std::move(rows), types, owner, threads);
    if (!answer) return answer;
    // The rows are gone: what follows reads the edges once more.
    const chunked_edges<Word> edges(job->graph);
    if (job->start != nullptr)
      *job->moves = job->start->count(owner, types, job->features->nodes, measured(types));
    if (job->after.connections != nullptr)
      *job->after.connections = count_components(edges, owner, parts);
    if (job->quality != nullptr) *job->quality = measure_quality(edges, owner, parts, {}, threads);
    return status::ok;
  }
  /// By a policy of ranks, of which there is one.
  template <id Node, class Graph>
  status assign_alone(const Graph& g, std::span<part_id> owner) const {
    const auto both = symmetrize<Node>(g, pairs_once{}, job->threads);
    const std::vector<std::uint64_t> ranges{0, owner.size()},
        offsets(both.offsets.begin(), both.offsets.end());
    auto loads = measured(g.node_type_offsets());
    loads.erase(std::remove_if(loads.begin(), loads.end(),
                               [](const auto& one) { return one.load.first() == one.load.last(); }),
                loads.end());
    std::vector<std::int64_t> weights;
    for (std::size_t v = 0; loads.size() > 1 && v < owner.size(); ++v) {
      for (const auto& one : loads) weights.push_back(one.load[v]);
    }
    const distributed_graph_view<Node> whole{
        ranges, offsets, both.neighbors, weights, std::max<std::size_t>(1, loads.size()), {}};
    return job->policy.assign(policy_ranks(job->ranks), whole, owner);
  }
  /// What assign_chunked() will measure, without names.
  std::vector<constraint> measured(std::span<const std::uint64_t> types) const {
    if (!constraints.empty()) return {constraints.begin(), constraints.end()};
    const auto nodes = static_cast<std::size_t>(types.back());
    std::vector<constraint> out;
    for (std::size_t t = 0; balance_types && t + 1 < types.size(); ++t)
      out.push_back({"",
                     load_view::of_class(nodes, index(types[t]), index(types[t + 1]), {}, 0, {}),
                     tolerance});
    if (out.empty()) out.push_back({"", load_view::ones(nodes), tolerance});
    return out;
  }
  std::string explain(status answer) const { return job->after.explain(answer, job->policy); }
};

}  // namespace

assign_result assign_loaded(const assign_job& job) {
  return assign_chunked(job.graph, loaded_policy(job), job.target, job.options, job.threads,
                        job.ranks);
}

}  // namespace halograph::cli
