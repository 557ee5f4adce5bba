// SPDX-License-Identifier: BSL-1.0
/// @file assign_kinds.hpp
/// assign_chunked() for a policy of the program: once for each way to read the edges, whatever
/// policies there are. Each way is compiled in a file of its own.
#pragma once

#include "policies.hpp"
#include "starting_parts.hpp"

#include <halograph/core/communicator.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/io/chunked/graph.hpp>
#include <halograph/partition/quality.hpp>
#include <halograph/pipeline/out_of_core/assign_need.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace halograph {
struct assign_result;  // pipeline/out_of_core/assign.hpp
}  // namespace halograph

namespace halograph::cli {

struct assign_job {
  const chunked_graph& graph;
  const chosen_policy& policy;
  const std::string& target;
  const assign_options& options;
  executor_ref threads;
  communicator_ref ranks;
  refinement after{};                      // of methods that load all edges
  const starting_parts* start = nullptr;   // or null
  starting_parts::moves* moves = nullptr;  // out, where there is a start
  const row_sizes* features = nullptr;     // where there is a start
  bool on_ranks = false;  // the policy is one of ranks, even if all edges are loaded
  assignment_quality* quality = nullptr;  // out, of methods that load all edges, unless null
};

assign_result assign_without_edges(const assign_job& job);
assign_result assign_streamed(const assign_job& job);
assign_result assign_loaded(const assign_job& job);
/// Place the new nodes of job.start; the others keep their parts. @param most_neighbors  that may
/// be kept of new nodes
assign_result assign_new_nodes(const assign_job& job, std::uint64_t most_neighbors);
assign_result assign_shared(const assign_job& job);

/// What estimates know of a policy of a graph in memory, or of one that streams, or reads no edges.
/// @param policy  must outlive the result
inline detail::policy_facts facts_of(const chosen_policy& policy, edge_access access) {
  detail::policy_facts out;
  out.access = access;
  out.parts = policy.parts();
  out.part_bytes = sizeof(part_id);
  out.compresses = policy.compresses();
  out.stream_words = [&policy](const stream_shape& shape) {
    return detail::saturating_sum(policy.stream_scratch_size(shape),
                                  policy.stream_bytes(shape) / 8);
  };
  return out;
}

/// What assign_chunked() reads of any policy, and may set in a copy of it.
struct erased_policy {
  using part = part_id;

  std::uint64_t parts;
  std::uint64_t seed;
  double tolerance;
  std::span<const constraint> constraints{};
  bool balance_types = true;
  bool compress;  // assign_rows() instead of assign(), where the policy loads edges

  explicit erased_policy(const chosen_policy& policy)
      : parts(policy.parts()),
        seed(policy.seed()),
        tolerance(policy.tolerance()),
        compress(policy.compresses()),
        policy_(&policy) {}
  std::string explain(status answer) const { return policy_->explain(answer); }

 protected:
  /// The policy with what was set here.
  std::shared_ptr<const chosen_policy> chosen() const {
    if (constraints.empty() && balance_types)
      return std::shared_ptr<const chosen_policy>(std::shared_ptr<void>(), policy_);
    std::shared_ptr<chosen_policy> changed = policy_->clone();
    changed->set_constraints(constraints);
    changed->set_balance_types(balance_types);
    return changed;
  }

 private:
  const chosen_policy* policy_;
};

}  // namespace halograph::cli
