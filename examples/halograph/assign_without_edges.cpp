// SPDX-License-Identifier: BSL-1.0
#include "assign_kinds.hpp"

#include <halograph/pipeline/out_of_core/assign.hpp>

namespace halograph::cli {

namespace {

struct nodes_policy : erased_policy {
  static constexpr bool reads_edges = false;
  using erased_policy::erased_policy;
  template <class Graph>
  status assign(const Graph& g, std::span<part_id> owner) const {
    return chosen()->assign_nodes(num_nodes(g), owner);
  }
};

}  // namespace

assign_result assign_without_edges(const assign_job& job) {
  return assign_chunked(job.graph, nodes_policy(job.policy), job.target, job.options, job.threads,
                        job.ranks);
}

}  // namespace halograph::cli
