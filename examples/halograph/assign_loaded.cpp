// SPDX-License-Identifier: BSL-1.0
#include "assign_kinds.hpp"

#include <halograph/pipeline/out_of_core/assign.hpp>

namespace halograph::cli {

namespace {

struct loaded_policy : erased_policy {
  executor_ref threads{};

  using erased_policy::erased_policy;
  template <id ID>
  status assign(const hetero_view<ID, ID>& g, std::span<part_id> owner) const {
    return chosen()->assign(g, owner, threads);
  }
};

}  // namespace

assign_result assign_loaded(const assign_job& job) {
  loaded_policy policy(job.policy);
  policy.threads = job.threads;
  return assign_chunked(job.graph, policy, job.target, job.options, job.threads, job.ranks);
}

}  // namespace halograph::cli
