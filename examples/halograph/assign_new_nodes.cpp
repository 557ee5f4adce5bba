// SPDX-License-Identifier: BSL-1.0
#include "assign_kinds.hpp"

#include <halograph/partition/placement/new_nodes.hpp>
#include <halograph/pipeline/out_of_core/assign.hpp>

#include <cstdint>

namespace halograph::cli {

assign_result assign_new_nodes(const assign_job& job, std::uint64_t most_neighbors) {
  new_nodes policy;
  policy.parts = static_cast<part_id>(job.policy.parts());
  policy.fixed = job.start->owner;
  policy.tolerance = job.policy.tolerance();
  policy.most_entries = most_neighbors;
  *job.moves = job.start->none_moved();
  return assign_chunked(job.graph, policy, job.target, job.options, job.threads, job.ranks);
}

}  // namespace halograph::cli
