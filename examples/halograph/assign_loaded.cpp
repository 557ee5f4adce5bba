// SPDX-License-Identifier: BSL-1.0
#include "assign_kinds.hpp"

#include <halograph/pipeline/out_of_core/assign.hpp>

namespace halograph::cli {

namespace {

struct loaded_policy : erased_policy {
  const assign_job* job;

  explicit loaded_policy(const assign_job& of) : erased_policy(of.policy), job(&of) {}
  template <id ID>
  status assign(const hetero_view<ID, ID>& g, std::span<part_id> owner) const {
    if (const status answer = chosen()->assign(g, owner, job->threads); !answer) return answer;
    refinement after = job->after;
    after.constraints = constraints;
    after.balance_types = balance_types;
    const status answer = after.refine(g, owner, job->threads);
    if (answer && job->start != nullptr)
      *job->moves = job->start->count(owner, g.node_type_offsets(), {});
    return answer;
  }
  std::string explain(status answer) const { return job->after.explain(answer, job->policy); }
};

}  // namespace

assign_result assign_loaded(const assign_job& job) {
  return assign_chunked(job.graph, loaded_policy(job), job.target, job.options, job.threads,
                        job.ranks);
}

}  // namespace halograph::cli
