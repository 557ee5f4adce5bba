// SPDX-License-Identifier: BSL-1.0
#include "assign_kinds.hpp"

#include <halograph/pipeline/out_of_core/assign.hpp>

namespace halograph::cli {

namespace {

struct shared_policy : erased_policy {
  using erased_policy::erased_policy;
  template <id Node>
  status assign(const policy_ranks& ranks, const distributed_graph_view<Node>& local,
                std::span<part_id> owner) const {
    return chosen()->assign(ranks, local, owner);
  }
};

}  // namespace

assign_result assign_shared(const assign_job& job) {
  return assign_chunked(job.graph, shared_policy(job.policy), job.target, job.options, job.threads,
                        job.ranks);
}

}  // namespace halograph::cli
